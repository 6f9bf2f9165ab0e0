/* SPDX-License-Identifier: MIT */
/* The plan: options as text, their units and ranges, and what does not fit together. */
#include "load/plan.h"

#include "test.h"

static load_plan plan;
static char reason[TUSK_LOAD_REASON_MAX];

static tusk_err make(load_mode_id mode, const char *url)
{
    reason[0] = '\0';
    return tusk__load_plan_init(&plan, tusk_mem_default(), mode, tusk_bytes_str(url), reason);
}

static tusk_err set(const char *name, const char *value)
{
    reason[0] = '\0';
    return tusk__load_plan_set(&plan, tusk_bytes_str(name), tusk_bytes_str(value), reason);
}

static void every_mode_has_options_with_defaults_that_it_takes(void **state)
{
    (void)state;
    for (size_t i = 0; tusk_load_mode_name(i) != NULL; i++) {
        const char *mode = tusk_load_mode_name(i);
        const char *url = strncmp(mode, "tcp", 3) == 0 ? "tcp://127.0.0.1:1" : "ws://127.0.0.1:1/";
        assert_true(tusk_load_mode_exists(mode));
        assert_int_equal(make((load_mode_id)i, url), TUSK_OK);
        size_t cursor = 0;
        size_t count = 0;
        const tusk_load_option *option;
        while ((option = tusk_load_next_option(mode, &cursor)) != NULL) {
            assert_int_equal(set(option->name, option->fallback), TUSK_OK);
            assert_true(strlen(option->help) > 5);
            count++;
        }
        assert_true(count > 15);
        assert_int_equal(tusk__load_plan_check(&plan, reason), TUSK_OK);
        tusk__load_plan_fini(&plan);
    }
    assert_false(tusk_load_mode_exists("udp"));
    size_t cursor = 0;
    assert_null(tusk_load_next_option("udp", &cursor));
}

static void units_are_understood(void **state)
{
    (void)state;
    assert_int_equal(make(LOAD_WS_ECHO, "ws://127.0.0.1:9000/x"), TUSK_OK);
    assert_int_equal(set("connections", "10k"), TUSK_OK);
    assert_int_equal(plan.connections, 10000);
    assert_int_equal(set("connections", "1_500"), TUSK_OK);
    assert_int_equal(plan.connections, 1500);
    assert_int_equal(set("size", "64KiB"), TUSK_OK);
    assert_int_equal(plan.size, 65536);
    assert_int_equal(set("size", "1.5KB"), TUSK_OK);
    assert_int_equal(plan.size, 1500);
    assert_int_equal(set("duration", "250ms"), TUSK_OK);
    assert_true(plan.duration > 0.2499 && plan.duration < 0.2501);
    assert_int_equal(set("duration", "2m"), TUSK_OK);
    assert_true(plan.duration > 119.9 && plan.duration < 120.1);
    assert_int_equal(set("rate", "2.5k"), TUSK_OK);
    assert_true(plan.rate > 2499.9 && plan.rate < 2500.1);
    assert_int_equal(set("arrivals", "poisson"), TUSK_OK);
    assert_int_equal(plan.arrivals, LOAD_POISSON);
    assert_int_equal(set("verify", "true"), TUSK_OK);
    assert_true(plan.verify);
    assert_int_equal(set("verify", "off"), TUSK_OK);
    assert_false(plan.verify);
    assert_int_equal(set("header", "X-A: 1\nX-B: 2"), TUSK_OK);
    assert_string_equal(plan.header.ptr, "X-A: 1\nX-B: 2");
    assert_true(tusk__load_plan_given(&plan, "header"));
    assert_false(tusk__load_plan_given(&plan, "seed"));
    tusk__load_plan_fini(&plan);
}

static void what_is_no_value_is_named_with_a_remedy(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *says;
    } bad[] = {
        {"connections", "0", "connections must be from 1 to 1000000, 0 given"},
        {"connections", "many", "connections must be a number such as 500 or 10k, \"many\" given"},
        {"connections", "1.5", "connections must be a number such as 500 or 10k, \"1.5\" given"},
        {"connections", "", "connections must be a number such as 500 or 10k, \"\" given"},
        {"size", "2TiB", "size must be a size such as 512, 64KiB or 1MiB, \"2TiB\" given"},
        {"duration", "-1", "duration must be a time such as 10, 250ms, 2s or 5m, \"-1\" given"},
        {"duration", "2 s", "duration must be a time such as 10, 250ms, 2s or 5m, \"2 s\" given"},
        {"timeout", "0", "timeout must be from 0.01 to 3600 s, 0 given"},
        {"arrivals", "poison", "arrivals must be one of uniform|poisson, \"poison\" given"},
        {"verify", "maybe", "verify must be yes or no, \"maybe\" given"},
        {"rooms", "1", "mode ws-echo has no option \"rooms\""},
        {"count", "99999999999999999999", "\"99999999999999999999\" given"},
    };
    assert_int_equal(make(LOAD_WS_ECHO, "ws://127.0.0.1:9000/"), TUSK_OK);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(set(bad[i].name, bad[i].value), TUSK_EINVAL);
        if (strstr(reason, bad[i].says) == NULL) {
            fail_msg("%s=%s: %s", bad[i].name, bad[i].value, reason);
        }
    }
    assert_int_equal(
        tusk__load_plan_set(&plan, tusk_bytes_str("header"), tusk_bytes_of("a\0b", 3), reason),
        TUSK_EINVAL);
    tusk__load_plan_fini(&plan);
}

static void a_url_must_be_one_for_the_mode(void **state)
{
    (void)state;
    static const struct {
        load_mode_id mode;
        const char *url, *says;
    } bad[] = {
        {LOAD_WS_ECHO, "127.0.0.1:80", "is not a URL"},
        {LOAD_WS_ECHO, "", "is not a URL"},
        {LOAD_WS_ECHO, "tcp://127.0.0.1:80", "takes ws://"},
        {LOAD_TCP_RR, "ws://127.0.0.1:80", "takes tcp:// and tls:// URLs"},
        {LOAD_TCP_RR, "tcp://127.0.0.1", "names no port"},
        {LOAD_HTTP, "http://user@127.0.0.1/", "is not a URL"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(make(bad[i].mode, bad[i].url), TUSK_EINVAL);
        assert_non_null(strstr(reason, bad[i].says));
    }
    assert_int_equal(make(LOAD_WS_ECHO, "wss://localhost/"), TUSK_OK);
    assert_int_equal(plan.target.parts.port, 443);
    assert_true(plan.target.secure);
    tusk__load_plan_fini(&plan);
    assert_int_equal(make(LOAD_TCP_RR, "tcp://[::1]:5432"), TUSK_OK);
    assert_string_equal(plan.target.host, "::1");
    tusk__load_plan_fini(&plan);
}

static void contradictions_are_sentences(void **state)
{
    (void)state;
    static const struct {
        load_mode_id mode;
        const char *options[6], *says;
    } bad[] = {
        {LOAD_WS_ECHO, {"arrivals", "poisson"}, "arrivals poisson needs a rate"},
        {LOAD_WS_ECHO, {"spin", "yes"}, "spin is for planned starts"},
        {LOAD_WS_ECHO, {"rate", "10", "think", "1s"}, "give one of them"},
        {LOAD_WS_ECHO, {"workers", "20"}, "lower workers"},
        {LOAD_WS_ECHO, {"header", "Connection: close"}, "is not a field that can be added"},
        {LOAD_WS_ECHO, {"header", "Nonsense"}, "is not a field that can be added"},
        {LOAD_WS_ECHO, {"subprotocol", "chat v1"}, "\"chat v1\" is not one name"},
        {LOAD_WS_ECHO, {"subprotocol", "a, b"}, "is not one name"},
        {LOAD_WS_ECHO, {"subprotocol", "a\r\nX: y"}, "is not one name"},
        {LOAD_WS_ECHO, {"header", "Sec-WebSocket-Key: x"}, "is not a field that can be added"},
        {LOAD_WS_HANDSHAKE, {"high", "11"}, "must not be over connections"},
        {LOAD_WS_HANDSHAKE, {"low", "8", "high", "7"}, "must not be over high"},
        {LOAD_WS_HANDSHAKE, {"close-code", "1005"}, "may not stand in a Close frame"},
        {LOAD_WS_HANDSHAKE, {"reconnect-storm", "yes", "rate", "5"}, "without rate"},
        {LOAD_HTTP, {"keep-alive", "no", "pipeline", "2"}, "pipeline needs keep-alive"},
        {LOAD_HTTP, {"urls", "/a\nb"}, "\"b\" is not a path"},
        {LOAD_HTTP, {"method", "GE T"}, "is not a token"},
        {LOAD_FANOUT, {"size", "23"}, "size must be at least 24"},
        {LOAD_FANOUT, {"message", "hello"}, "message must contain {data}"},
        {LOAD_FANOUT, {"slow", "11"}, "must not be over connections"},
        {LOAD_FANOUT, {"publishers", "0"}, "publishers must be 1"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(make(bad[i].mode, "http://127.0.0.1:9000/"), TUSK_OK);
        for (size_t k = 0; k < 6 && bad[i].options[k] != NULL; k += 2) {
            assert_int_equal(set(bad[i].options[k], bad[i].options[k + 1]), TUSK_OK);
        }
        assert_int_equal(tusk__load_plan_check(&plan, reason), TUSK_EINVAL);
        if (strstr(reason, bad[i].says) == NULL) {
            fail_msg("\"%s\" instead of \"%s\"", reason, bad[i].says);
        }
        tusk__load_plan_fini(&plan);
    }
}

/* On loopback some 28,000 a second are all that one source address has ports for. */
static void sources_are_as_many_as_resting_ports_ask_for(void **state)
{
    const struct {
        load_mode_id mode;
        const char *url;
        const char *rate;
        uint64_t sources;
    } cases[] = {
        {LOAD_TCP_RATE, "tcp://127.0.0.1:9000", NULL, 4},
        {LOAD_WS_HANDSHAKE, "ws://127.0.0.1:9000/", NULL, 4},
        {LOAD_TCP_RATE, "tcp://127.0.0.1:9000", "1000", 0},
        {LOAD_TCP_RATE, "tcp://127.0.0.1:9000", "200k", 8},
        {LOAD_TCP_RR, "tcp://127.0.0.1:9000", NULL, 0},
        {LOAD_TCP_RATE, "tcp://[::1]:9000", NULL, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(make(cases[i].mode, cases[i].url), TUSK_OK);
        assert_int_equal(cases[i].rate == NULL ? TUSK_OK : set("rate", cases[i].rate), TUSK_OK);
        assert_int_equal(tusk__load_preflight(&plan, reason), TUSK_OK);
        if (cases[i].sources == 8) { /* by the machine's range of ports, which may be another */
            assert_in_range(plan.sources, 4, 16);
        } else {
            assert_int_equal(plan.sources, cases[i].sources);
        }
        tusk__load_plan_fini(&plan);
    }
}

static void preflight_says_what_cannot_be(void **state)
{
    (void)state;
    assert_int_equal(make(LOAD_WS_ECHO, "ws://127.0.0.1:9000/"), TUSK_OK);
    assert_int_equal(tusk__load_preflight(&plan, reason), TUSK_OK);
    assert_int_equal(plan.workers, 1);
    assert_int_equal(plan.sources, 0);
    tusk__load_plan_fini(&plan);

    assert_int_equal(make(LOAD_WS_ECHO, "ws://127.0.0.1:9000/"), TUSK_OK);
    assert_int_equal(set("connections", "60k"), TUSK_OK);
    assert_int_equal(set("sources", "1"), TUSK_OK);
    assert_int_equal(tusk__load_preflight(&plan, reason), TUSK_ELIMIT);
    assert_non_null(strstr(reason, "give sources "));
    tusk__load_plan_fini(&plan);

    assert_int_equal(make(LOAD_WS_ECHO, "ws://[::1]:9000/"), TUSK_OK);
    assert_int_equal(set("sources", "4"), TUSK_OK);
    assert_int_equal(tusk__load_preflight(&plan, reason), TUSK_ELIMIT);
    assert_non_null(strstr(reason, "leave sources out"));
    tusk__load_plan_fini(&plan);

    assert_int_equal(make(LOAD_WS_ECHO, "ws://192.0.2.1/"), TUSK_OK);
    assert_int_equal(tusk__load_preflight(&plan, reason), TUSK_EACCES);
    assert_non_null(strstr(reason, "give allow-remote"));
    tusk__load_plan_fini(&plan);

    assert_int_equal(make(LOAD_WS_ECHO, "ws://127.0.0.1:9000/"), TUSK_OK);
    assert_int_equal(set("connections", "10k"), TUSK_OK);
    assert_int_equal(set("size", "16MiB"), TUSK_OK);
    assert_int_equal(tusk__load_preflight(&plan, reason), TUSK_ELIMIT);
    assert_non_null(strstr(reason, "lower connections, pipeline or size"));
    tusk__load_plan_fini(&plan);
}

static tusk_err plan_with(const tusk_mem *mem, void *user)
{
    (void)user;
    load_plan made;
    tusk_err err = tusk__load_plan_init(&made, mem, LOAD_HTTP,
                                        tusk_bytes_str("http://127.0.0.1:9000/"), reason);
    if (err == TUSK_OK) {
        err = tusk__load_plan_set(&made, tusk_bytes_str("urls"), tusk_bytes_str("/a\n/b"), reason);
        tusk__load_plan_fini(&made);
    }
    return err;
}

static void out_of_memory_is_returned(void **state)
{
    (void)state;
    assert_true(test_fail_each_alloc(plan_with, false, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mode_has_options_with_defaults_that_it_takes),
        cmocka_unit_test(units_are_understood),
        cmocka_unit_test(what_is_no_value_is_named_with_a_remedy),
        cmocka_unit_test(a_url_must_be_one_for_the_mode),
        cmocka_unit_test(contradictions_are_sentences),
        cmocka_unit_test(sources_are_as_many_as_resting_ports_ask_for),
        cmocka_unit_test(preflight_says_what_cannot_be),
        cmocka_unit_test(out_of_memory_is_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
