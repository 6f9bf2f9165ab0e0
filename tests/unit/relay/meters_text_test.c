/* SPDX-License-Identifier: MIT */
/* Meters as their text has them, line for line. */
#define _GNU_SOURCE
#include "test.h"

#include "relay/meters.h"

enum { TEXT_MAX = 1 << 16 };

static relay_meters meters;

static int set_up(void **state)
{
    memset(&meters, 0, sizeof(meters));
    assert_err(relay_meters_open(&meters, 4, 1), TUSK_OK);
    return 0;
}

static int tear_down(void **state)
{
    relay_meters_close(&meters);
    return 0;
}

#define METERS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static relay_meter *hold(relay_meter_kind kind, uint64_t hash, const char *name)
{
    uint64_t other = 0;
    relay_meter *meter = relay_meters_hold(&meters, kind, hash, tusk_bytes_str(name), 1, &other);
    assert_int_equal(other, 0);
    return meter;
}

/* Of "b" it is known that it is ejected; of others nothing is. */
static int health(const void *user, const relay_meter_sum *target)
{
    assert_ptr_equal(user, &meters);
    return strcmp(target->name, "b") == 0 ? 0 : -1;
}

static const char *text_of(tusk_relay_kind kind)
{
    static char text[TEXT_MAX];
    test_mem mem;
    tusk_buf out;
    test_mem_init(&mem, 0);
    tusk_buf_init(&out, &mem.mem, TEXT_MAX - 1);
    assert_err(relay_meters_text(&meters, &mem.mem, kind, health, &meters, &out), TUSK_OK);
    tusk_bytes view = tusk_buf_view(&out);
    memset(text, 0, sizeof(text));
    if (view.len > 0) {
        memcpy(text, view.ptr, view.len);
    }
    tusk_buf_fini(&out);
    test_mem_assert_empty(&mem);
    return text;
}

/* Of HTTP: one target and one route. */
static const char *const page[] = {
    "# TYPE tusk_proxy_target_up gauge",
    "# HELP tusk_proxy_target_up 1: connected to; 0: ejected, or probes fail.",
    "tusk_proxy_target_up{target=\"a\"} 1",
    "# TYPE tusk_proxy_target_active gauge",
    "# HELP tusk_proxy_target_active Connections now, those being made too.",
    "tusk_proxy_target_active{target=\"a\"} 200",
    "# TYPE tusk_proxy_target_dials counter",
    "# HELP tusk_proxy_target_dials Times that it was connected to.",
    "tusk_proxy_target_dials_total{target=\"a\"} 600",
    "# TYPE tusk_proxy_target_dial_failures counter",
    "# HELP tusk_proxy_target_dial_failures Of these, failed.",
    "tusk_proxy_target_dial_failures_total{target=\"a\"} 700",
    "# TYPE tusk_proxy_target_dial_timeouts counter",
    "# HELP tusk_proxy_target_dial_timeouts Connects, look-ups and TLS handshakes that took too "
    "long.",
    "tusk_proxy_target_dial_timeouts_total{target=\"a\"} 800",
    "# TYPE tusk_proxy_target_retries counter",
    "# HELP tusk_proxy_target_retries Dials because another one had failed.",
    "tusk_proxy_target_retries_total{target=\"a\"} 900",
    "# TYPE tusk_proxy_target_answer_timeouts counter",
    "# HELP tusk_proxy_target_answer_timeouts Times that it was connected and said nothing in "
    "time.",
    "tusk_proxy_target_answer_timeouts_total{target=\"a\"} 1000",
    "# TYPE tusk_proxy_target_resets counter",
    "# HELP tusk_proxy_target_resets Sessions that it ended by a reset.",
    "tusk_proxy_target_resets_total{target=\"a\"} 1100",
    "# TYPE tusk_proxy_target_ejections counter",
    "# HELP tusk_proxy_target_ejections Times that it was taken out.",
    "tusk_proxy_target_ejections_total{target=\"a\"} 1200",
    "# TYPE tusk_proxy_target_connect_seconds histogram",
    "# UNIT tusk_proxy_target_connect_seconds seconds",
    "# HELP tusk_proxy_target_connect_seconds Time of TCP's handshake.",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"0.0005\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"0.001\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"0.0025\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"0.005\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"0.01\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"0.025\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"0.05\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"0.1\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"0.25\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"0.5\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"1.0\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"2.5\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"5.0\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"10.0\"} 0",
    "tusk_proxy_target_connect_seconds_bucket{target=\"a\",le=\"+Inf\"} 1",
    "tusk_proxy_target_connect_seconds_count{target=\"a\"} 1",
    "tusk_proxy_target_connect_seconds_sum{target=\"a\"} 20",
    "# TYPE tusk_proxy_target_sessions counter",
    "# HELP tusk_proxy_target_sessions Sessions that have ended; requests of HTTP.",
    "tusk_proxy_target_sessions_total{target=\"a\"} 300",
    "# TYPE tusk_proxy_target_bytes_up counter",
    "# HELP tusk_proxy_target_bytes_up Bytes from clients.",
    "tusk_proxy_target_bytes_up_total{target=\"a\"} 400",
    "# TYPE tusk_proxy_target_bytes_down counter",
    "# HELP tusk_proxy_target_bytes_down Bytes to clients.",
    "tusk_proxy_target_bytes_down_total{target=\"a\"} 500",
    "# TYPE tusk_proxy_target_responses counter",
    "# HELP tusk_proxy_target_responses Answers to requests, by class of status.",
    "tusk_proxy_target_responses_total{target=\"a\",code=\"1xx\"} 1",
    "tusk_proxy_target_responses_total{target=\"a\",code=\"2xx\"} 2",
    "tusk_proxy_target_responses_total{target=\"a\",code=\"3xx\"} 3",
    "tusk_proxy_target_responses_total{target=\"a\",code=\"4xx\"} 4",
    "tusk_proxy_target_responses_total{target=\"a\",code=\"5xx\"} 5",
    "# TYPE tusk_proxy_target_first_byte_seconds histogram",
    "# UNIT tusk_proxy_target_first_byte_seconds seconds",
    "# HELP tusk_proxy_target_first_byte_seconds From the connection, or an HTTP request, to the "
    "first byte.",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"0.0005\"} 0",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"0.001\"} 0",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"0.0025\"} 0",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"0.005\"} 1",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"0.01\"} 1",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"0.025\"} 1",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"0.05\"} 1",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"0.1\"} 1",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"0.25\"} 1",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"0.5\"} 1",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"1.0\"} 1",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"2.5\"} 1",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"5.0\"} 1",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"10.0\"} 1",
    "tusk_proxy_target_first_byte_seconds_bucket{target=\"a\",le=\"+Inf\"} 1",
    "tusk_proxy_target_first_byte_seconds_count{target=\"a\"} 1",
    "tusk_proxy_target_first_byte_seconds_sum{target=\"a\"} 0.0026",
    "# TYPE tusk_proxy_route_active gauge",
    "# HELP tusk_proxy_route_active Sessions now; requests of HTTP.",
    "tusk_proxy_route_active{route=\"r\\\"s\"} 20",
    "# TYPE tusk_proxy_route_sessions counter",
    "# HELP tusk_proxy_route_sessions Sessions that have ended; requests of HTTP.",
    "tusk_proxy_route_sessions_total{route=\"r\\\"s\"} 30",
    "# TYPE tusk_proxy_route_bytes_up counter",
    "# HELP tusk_proxy_route_bytes_up Bytes from clients.",
    "tusk_proxy_route_bytes_up_total{route=\"r\\\"s\"} 40",
    "# TYPE tusk_proxy_route_bytes_down counter",
    "# HELP tusk_proxy_route_bytes_down Bytes to clients.",
    "tusk_proxy_route_bytes_down_total{route=\"r\\\"s\"} 50",
    "# TYPE tusk_proxy_route_responses counter",
    "# HELP tusk_proxy_route_responses Answers to requests, by class of status.",
    "tusk_proxy_route_responses_total{route=\"r\\\"s\",code=\"1xx\"} 11",
    "tusk_proxy_route_responses_total{route=\"r\\\"s\",code=\"2xx\"} 12",
    "tusk_proxy_route_responses_total{route=\"r\\\"s\",code=\"3xx\"} 13",
    "tusk_proxy_route_responses_total{route=\"r\\\"s\",code=\"4xx\"} 14",
    "tusk_proxy_route_responses_total{route=\"r\\\"s\",code=\"5xx\"} 15",
    "# TYPE tusk_proxy_route_first_byte_seconds histogram",
    "# UNIT tusk_proxy_route_first_byte_seconds seconds",
    "# HELP tusk_proxy_route_first_byte_seconds From the connection, or an HTTP request, to the "
    "first byte.",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"0.0005\"} 1",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"0.001\"} 1",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"0.0025\"} 1",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"0.005\"} 1",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"0.01\"} 1",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"0.025\"} 1",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"0.05\"} 1",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"0.1\"} 1",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"0.25\"} 1",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"0.5\"} 1",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"1.0\"} 1",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"2.5\"} 2",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"5.0\"} 2",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"10.0\"} 2",
    "tusk_proxy_route_first_byte_seconds_bucket{route=\"r\\\"s\",le=\"+Inf\"} 2",
    "tusk_proxy_route_first_byte_seconds_count{route=\"r\\\"s\"} 2",
    "tusk_proxy_route_first_byte_seconds_sum{route=\"r\\\"s\"} 1.000501",
};

static void fill(void)
{
    relay_meter *target = hold(METER_TARGET, 7, "a");
    relay_meter *route = hold(METER_ROUTE, 9, "r\"s");
    for (unsigned word = METER_ACTIVE; word < METER_STATUS; word++) {
        relay_meter_add(target, word, word * 100);
        relay_meter_add(route, word, word * 10);
    }
    for (unsigned class = 0; class < 5; class ++) {
        relay_meter_add(target, METER_STATUS + class, class + 1);
        relay_meter_add(route, METER_STATUS + class, class + 11);
    }
    relay_meter_observe(target, METER_CONNECT, 20000000);
    relay_meter_observe(target, METER_FIRST_BYTE, 2600);
    relay_meter_observe(route, METER_FIRST_BYTE, 500);
    relay_meter_observe(route, METER_FIRST_BYTE, 1000001);
}

/* These lines and no other. */
static size_t expect_page(const char *text, bool statuses)
{
    const char *at = text;
    for (size_t i = 0; i < sizeof(page) / sizeof(page[0]); i++) {
        if (statuses || strstr(page[i], "_responses") == NULL) {
            size_t len = strlen(page[i]);
            assert_memory_equal(at, page[i], len);
            assert_int_equal(at[len], '\n');
            at += len + 1;
        }
    }
    assert_int_equal(*at, '\0');
    return (size_t)(at - text);
}

static void a_page_is_what_its_readers_expect(void **state)
{
    fill();
    (void)expect_page(text_of(TUSK_RELAY_HTTP), true);
}

static void only_requests_have_a_status(void **state)
{
    fill();
    (void)expect_page(text_of(TUSK_RELAY_TCP), false);
    (void)expect_page(text_of(TUSK_RELAY_SMTP), false);
}

static void who_is_ejected_is_not_up_and_of_others_nothing_is_said(void **state)
{
    (void)hold(METER_TARGET, 7, "a");
    (void)hold(METER_TARGET, 8, "b");
    uint64_t lost = 0;
    for (uint64_t i = 0; i < 3; i++) { /* one more than there are rows */
        char name[2] = {(char)('c' + i), '\0'};
        (void)relay_meters_hold(&meters, METER_TARGET, 20 + i, tusk_bytes_str(name), 1, &lost);
    }
    assert_int_equal(lost, 1);
    const char *text = text_of(TUSK_RELAY_TCP);
    assert_non_null(strstr(text, "\ntusk_proxy_target_up{target=\"a\"} 1\n"));
    assert_non_null(strstr(text, "\ntusk_proxy_target_up{target=\"b\"} 0\n"));
    assert_null(strstr(text, "tusk_proxy_target_up{target=\"other\"}"));
    assert_non_null(strstr(text, "\ntusk_proxy_target_dials_total{target=\"other\"} 0\n"));
    assert_null(strstr(text, "route"));
}

static tusk_err text_with(const tusk_mem *mem, void *user)
{
    tusk_buf out;
    tusk_buf_init(&out, mem, TEXT_MAX);
    tusk_err err = relay_meters_text(&meters, mem, TUSK_RELAY_HTTP, health, &meters, &out);
    tusk_buf_fini(&out);
    return err;
}

static void half_a_page_is_an_error(void **state)
{
    tusk_buf out;
    fill();
    assert_true(test_fail_each_alloc(text_with, false, NULL) > 2);
    size_t len = expect_page(text_of(TUSK_RELAY_HTTP), true);
    for (size_t less = 0; less < 2; less++) {
        tusk_buf_init(&out, tusk_mem_default(), len - less);
        assert_err(
            relay_meters_text(&meters, tusk_mem_default(), TUSK_RELAY_HTTP, health, &meters, &out),
            less == 0 ? TUSK_OK : TUSK_ETOOBIG);
        tusk_buf_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        METERS_TEST(a_page_is_what_its_readers_expect),
        METERS_TEST(only_requests_have_a_status),
        METERS_TEST(who_is_ejected_is_not_up_and_of_others_nothing_is_said),
        METERS_TEST(half_a_page_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
