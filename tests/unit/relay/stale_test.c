/* SPDX-License-Identifier: MIT */
/* Names whose servers fail: the last known addresses, for how long, and what is said of it. */
#define _GNU_SOURCE
#include <stdatomic.h>

#include "rig.h"

#include "relay/inner.h"

enum { SILENT = -1000 }; /* the server says nothing until the test ends */

static int backend;
static int silence[2];  /* a thread that asks a silent server waits here */
static atomic_int says; /* TUSK_OK: two addresses, else what look-ups fail by */

static int ask_server(void *user, tusk_addr *out, int cap, const char *host, uint16_t port)
{
    char text[32];
    (void)user;
    (void)host;
    int now = atomic_load(&says);
    if (now == SILENT) {
        (void)read(silence[0], text, 1);
        return TUSK_ETIMEOUT;
    }
    if (now != TUSK_OK) {
        return now;
    }
    assert_true(cap >= 2);
    (void)snprintf(text, sizeof(text), "127.0.0.2:%u", (unsigned)port);
    assert_err(tusk_addr_parse(&out[0], text), TUSK_OK);
    (void)snprintf(text, sizeof(text), "127.0.0.1:%u", (unsigned)port);
    assert_err(tusk_addr_parse(&out[1], text), TUSK_OK);
    return 2;
}

static void ask_here(tusk_relay *relay)
{
    const tusk_resolver_options options = {.look_up = ask_server};
    tusk_resolver_free(relay->resolver);
    assert_err(tusk_resolver_new(&relay->resolver, r.loop, &options), TUSK_OK);
}

/* The first of its addresses is one that the guard does not let through. */
static void begin_named(void)
{
    static const char *const allowed[] = {"127.0.0.1/32"};
    uint16_t port;
    atomic_store(&says, TUSK_OK);
    r.options.limits.dns_ttl_ms = 1;
    r.options.any_address = false;
    r.options.allowed = allowed;
    r.options.allowed_count = 1;
    r.on_made = ask_here;
    backend = rig_listen(&port);
    rig_target(port, 1);
    (void)snprintf(r.address[0], sizeof(r.address[0]), "db.test:%u", (unsigned)port);
    r.targets[0].address = tusk_bytes_str(r.address[0]);
    rig_start();
    rig_expect_joined(backend);
}

static void from_now_on_it_says(int what)
{
    uint64_t now_ms = tusk_loop_now_ms(r.loop);
    atomic_store(&says, what);
    rig_until(tusk_loop_now_ms(r.loop) > now_ms + 1);
}

static void expect_no_address(void)
{
    int before = r.record_count;
    int client = rig_client();
    rig_until(r.record_count == before + 1);
    assert_int_equal(r.records[before].status, 502);
    assert_string_equal(r.records[before].end, "the backend's name has no address");
    (void)close(client);
}

static void when_no_server_answers_the_last_known_addresses_are_used(void **state)
{
    (void)state;
    begin_named();
    assert_int_equal(rig_stats().refused_guard, 1);
    from_now_on_it_says(TUSK_ETIMEOUT);
    r.log[0] = '\0';
    rig_expect_joined(backend);
    assert_int_equal(rig_stats().names_stale, 1);
    assert_int_equal(rig_stats().refused_guard, 2); /* judged again */
    assert_non_null(strstr(r.log, ": no name server answers; its last known addresses are used"));
    r.log[0] = '\0';
    from_now_on_it_says(TUSK_ETIMEOUT);
    rig_expect_joined(backend);
    assert_int_equal(rig_stats().names_stale, 2);
    assert_string_equal(r.log, ""); /* once */
    from_now_on_it_says(TUSK_OK);
    rig_expect_joined(backend);
    assert_non_null(strstr(r.log, ": its name is looked up again"));
    assert_int_equal(rig_stats().names_stale, 2);
    (void)close(backend);
}

static void an_answer_that_there_are_none_is_believed(void **state)
{
    (void)state;
    begin_named();
    from_now_on_it_says(TUSK_ENOENT);
    expect_no_address();
    from_now_on_it_says(TUSK_ETIMEOUT);
    expect_no_address();
    assert_int_equal(rig_stats().names_stale, 0);
    (void)close(backend);
}

static void they_are_used_for_their_time_only(void **state)
{
    (void)state;
    r.options.limits.dns_stale_ms = 0;
    begin_named();
    from_now_on_it_says(TUSK_ETIMEOUT);
    expect_no_address();
    assert_int_equal(rig_stats().names_stale, 0);
    (void)close(backend);
}

static void a_silent_server_is_not_waited_for_long(void **state)
{
    (void)state;
    assert_int_equal(pipe(silence), 0);
    begin_named();
    from_now_on_it_says(SILENT);
    rig_expect_joined(backend);
    assert_int_equal(rig_stats().names_stale, 1);
    assert_int_equal(rig_stats().dial_timeouts, 0);
    atomic_store(&says, TUSK_ETIMEOUT);
    (void)close(silence[1]);
    rig_until(r.relay->targets.table.count == 1 && rig_stats().active == 0);
    (void)close(silence[0]);
    (void)close(backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        rig_test(when_no_server_answers_the_last_known_addresses_are_used),
        rig_test(an_answer_that_there_are_none_is_believed),
        rig_test(they_are_used_for_their_time_only),
        rig_test(a_silent_server_is_not_waited_for_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
