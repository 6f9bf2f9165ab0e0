/* SPDX-License-Identifier: MIT */
/* A relay is made of options: what is refused and by which words, and what 0 stands for. */
#define _GNU_SOURCE
#include "test.h"

#include "rig.h"

#include "relay/inner.h"

static char reason[128];

static void expect_refused(tusk_err err, const char *words)
{
    tusk_relay *relay = (tusk_relay *)&r;
    (void)snprintf(reason, sizeof(reason), "?");
    assert_err(tusk_relay_new(&relay, &r.options, reason, sizeof(reason)), err);
    assert_null(relay);
    assert_non_null(strstr(reason, words));
    relay = (tusk_relay *)&r;
    assert_err(tusk_relay_new(&relay, &r.options, NULL, 0), err); /* who does not want to know */
    assert_null(relay);
}

static void without_what_it_needs_there_is_none(void **state)
{
    static const tusk_relay_handler deaf = {.on_log = rig_on_log};
    static const char *const range = "10.0.0.0/33";
    tusk_relay_options whole = r.options;
    (void)state;
    r.options.loop = NULL;
    expect_refused(TUSK_EINVAL, "needs a loop and a handler with on_lookup");
    r.options = whole;
    r.options.handler = NULL;
    expect_refused(TUSK_EINVAL, "needs a loop and a handler with on_lookup");
    r.options.handler = &deaf;
    expect_refused(TUSK_EINVAL, "needs a loop and a handler with on_lookup");
    r.options = whole;
    r.options.kind = (tusk_relay_kind)77;
    expect_refused(TUSK_ENOTSUP, "this kind of relay is not built in");
    r.options = whole;
    r.options.trusted_proxies = &range;
    r.options.trusted_proxy_count = 1;
    expect_refused(TUSK_EINVAL, "no address or range of a trusted proxy: 10.0.0.0/33");
    r.options = whole;
}

static void zero_stands_for_what_no_relay_can_do_without(void **state)
{
    const tusk_relay_limits *usual = tusk_relay_limits_default();
    (void)state;
    r.options.limits = (tusk_relay_limits){.connections = 0};
    rig_start();
    const tusk_relay_limits *own = &r.relay->limits;
    assert_int_equal(own->connections, usual->connections);
    assert_int_equal(r.relay->gates.limit, usual->connections);
    assert_int_equal(own->lookups, usual->lookups);
    assert_int_equal(own->first_bytes, usual->first_bytes);
    assert_int_equal(own->pending_bytes, usual->pending_bytes);
    assert_int_equal(own->check_rise, usual->check_rise);
    assert_int_equal(own->check_fall, usual->check_fall);
    assert_int_equal(own->attempts, 1);
    assert_int_equal(own->per_source, 0); /* none of these: as it says */
    assert_int_equal(own->eject_failures, 0);
    assert_int_equal(own->drain_ms, 0);
    assert_int_equal(own->keep_idle_s, 0);
}

static void what_is_given_stays(void **state)
{
    (void)state;
    r.options.limits = (tusk_relay_limits){.connections = 7,
                                           .lookups = 8,
                                           .first_bytes = 9,
                                           .pending_bytes = 10,
                                           .check_rise = 11,
                                           .check_fall = 12,
                                           .attempts = 13};
    r.options.otherwise = TUSK_ENGINE_SPLICE;
    rig_start();
    assert_int_equal(r.relay->otherwise, TUSK_ENGINE_SPLICE);
    assert_memory_equal(&r.relay->limits, &r.options.limits, sizeof(r.options.limits));
}

static void it_is_started_once_and_nothing_is_added_afterwards(void **state)
{
    (void)state;
    rig_start();
    assert_err(tusk_relay_start(r.relay, reason, sizeof(reason)), TUSK_ESTATE);
    assert_string_equal(reason, "the relay was started before");
    assert_err(tusk_relay_listen(r.relay, "127.0.0.1:0", NULL), TUSK_ESTATE);
    assert_err(tusk_relay_inherit(r.relay, 0, 0), TUSK_ESTATE);
    uint16_t port;
    int fd = rig_listen(&port);
    assert_err(tusk_relay_listen_on(r.relay, fd, NULL), TUSK_ESTATE);
    (void)close(fd);
}

static void a_listener_that_cannot_be_is_refused(void **state)
{
    char version[TUSK_MYSQL_VERSION_MAX + 2];
    tusk_relay_listen_options long_one = {.mysql_version = version};
    (void)state;
    memset(version, '8', sizeof(version));
    version[sizeof(version) - 1] = '\0';
    assert_err(tusk_relay_new(&r.relay, &r.options, reason, sizeof(reason)), TUSK_OK);
    assert_err(tusk_relay_listen(r.relay, "127.0.0.1:0", &long_one), TUSK_EINVAL);
    version[TUSK_MYSQL_VERSION_MAX] = '\0';
    assert_err(tusk_relay_listen(r.relay, "127.0.0.1:0", &long_one), TUSK_OK);
    assert_err(tusk_relay_listen(r.relay, "127.0.0.1:99999", NULL), TUSK_EINVAL);
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    assert_err(tusk_relay_listen_on(r.relay, pipes[0], NULL), TUSK_EINVAL);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
}

static void it_tells_what_moves_its_bytes(void **state)
{
    (void)state;
    r.options.engine = TUSK_ENGINE_URING;
    assert_err(tusk_relay_new(&r.relay, &r.options, reason, sizeof(reason)), TUSK_OK);
    assert_string_equal(tusk_relay_engine_state(r.relay), "unavailable (the relay is not started)");
    r.relay->engine = TUSK_ENGINE_COPY;
    assert_string_equal(tusk_relay_engine_state(r.relay), "enabled (copy)");
    r.relay->engine = TUSK_ENGINE_SPLICE;
#if defined(__linux__)
    assert_string_equal(tusk_relay_engine_state(r.relay), "enabled (splice)");
#endif
    r.relay->engine = TUSK_ENGINE_SOCKMAP;
    relay_engine_set(r.relay, false, "the kernel is of %d", 1999);
    assert_string_equal(tusk_relay_engine_state(r.relay), "unavailable (the kernel is of 1999)");
    relay_engine_tell(r.relay);
    assert_string_equal(r.log, "Sockmap: unavailable (the kernel is of 1999)");
    r.relay->engine = TUSK_ENGINE_URING;
    relay_engine_set(r.relay, true, "io_uring");
    relay_engine_tell(r.relay);
    assert_string_equal(r.log, "io_uring: enabled (io_uring)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        rig_test(without_what_it_needs_there_is_none),
        rig_test(zero_stands_for_what_no_relay_can_do_without),
        rig_test(what_is_given_stays),
        rig_test(it_is_started_once_and_nothing_is_added_afterwards),
        rig_test(a_listener_that_cannot_be_is_refused),
        rig_test(it_tells_what_moves_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
