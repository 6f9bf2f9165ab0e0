/* SPDX-License-Identifier: MIT */
/* Active probes: what they find out, at every address of a name. */
#define _GNU_SOURCE
#include <stdatomic.h>

#include "rig.h"

#include "relay/inner.h"

static int backend;
static atomic_int looked_up;

/* On a port that was listened on before, and will be again: its connections may linger. */
static int listen_again(uint16_t port)
{
    struct sockaddr_in in = rig_loopback(port);
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    assert_int_equal(bind(fd, (struct sockaddr *)(void *)&in, sizeof(in)), 0);
    assert_int_equal(listen(fd, 128), 0);
    return fd;
}

static uint16_t open_backend(void)
{
    struct sockaddr_in in;
    socklen_t len = sizeof(in);
    backend = listen_again(0);
    assert_int_equal(getsockname(backend, (struct sockaddr *)(void *)&in, &len), 0);
    return ntohs(in.sin_port);
}

/* ---- a name with two addresses: nobody listens at the first one ---- */
static int two_addresses(void *user, tusk_addr *out, int cap, const char *host, uint16_t port)
{
    char text[32];
    (void)user;
    (void)host;
    assert_true(cap >= 2);
    atomic_fetch_add(&looked_up, 1);
    (void)snprintf(text, sizeof(text), "127.0.0.2:%u", (unsigned)port);
    assert_err(tusk_addr_parse(&out[0], text), TUSK_OK);
    (void)snprintf(text, sizeof(text), "127.0.0.1:%u", (unsigned)port);
    assert_err(tusk_addr_parse(&out[1], text), TUSK_OK);
    return 2;
}

static void look_up_here(tusk_relay *relay)
{
    const tusk_resolver_options options = {.look_up = two_addresses};
    tusk_resolver_free(relay->resolver);
    assert_err(tusk_resolver_new(&relay->resolver, r.loop, &options), TUSK_OK);
}

static void begin_named(uint16_t port)
{
    atomic_store(&looked_up, 0);
    r.options.limits.check_ms = 5;
    r.options.limits.check_rise = r.options.limits.check_fall = 1;
    r.options.limits.eject_ms = 1000000;
    r.on_made = look_up_here;
    rig_target(port, 1);
    (void)snprintf(r.address[0], sizeof(r.address[0]), "two.test:%u", (unsigned)port);
    r.targets[0].address = tusk_bytes_str(r.address[0]);
    rig_start();
}

static void expect_logged(const char *target, const char *what)
{
    char line[128];
    (void)snprintf(line, sizeof(line), "%s%s", target, what);
    assert_string_equal(r.log, line);
}

/* Beside a backend that is well; what is told of the other one is told by probes alone. */
static tusk_bytes begin_beside(uint16_t port)
{
    r.options.limits.check_ms = 5;
    r.options.limits.check_rise = r.options.limits.check_fall = 2;
    r.options.limits.eject_ms = 1000000;
    rig_target(open_backend(), 1);
    rig_target(port, 0);
    rig_start();
    rig_expect_joined(backend);
    return r.targets[1].address;
}

static void probes_take_a_dead_target_out_and_bring_it_back(void **state)
{
    uint16_t dead;
    (void)state;
    int other = rig_listen(&dead);
    tusk_bytes address = begin_beside(dead);
    assert_int_equal(tusk_relay_health(r.relay, address), 1);
    (void)close(other);
    rig_until(tusk_relay_health(r.relay, address) == 0);
    assert_true(rig_stats().probe_failures >= 2);
    expect_logged(r.address[1], " is down: probes fail");
    other = listen_again(dead);
    rig_until(tusk_relay_health(r.relay, address) == 1);
    expect_logged(r.address[1], " is up again");
    (void)close(other);
    (void)close(backend);
}

static void a_target_that_leaves_probes_unanswered_is_down(void **state)
{
    uint16_t port;
    int fill[RIG_FILL];
    (void)state;
    int silent = rig_listen(&port);
    rig_fill(silent, port, fill);
    r.options.limits.connect_ms = 20;
    tusk_bytes address = begin_beside(port);
    rig_until(tusk_relay_health(r.relay, address) == 0);
    assert_int_equal(rig_stats().probe_failures, 2);
    assert_int_equal(tusk_relay_health(r.relay, r.targets[0].address), 1);
    expect_logged(r.address[1], " is down: probes fail");
    for (int i = 0; i < RIG_FILL; i++) {
        (void)close(fill[i]);
    }
    assert_int_equal(listen(silent, 16), 0);
    rig_until(tusk_relay_health(r.relay, address) == 1);
    (void)close(silent);
    (void)close(backend);
}

static void a_name_is_probed_at_all_of_its_addresses(void **state)
{
    (void)state;
    uint16_t port = open_backend();
    begin_named(port);
    rig_expect_joined(backend);
    uint64_t before = rig_stats().probes;
    rig_until(rig_stats().probes >= before + 4);
    assert_int_equal(rig_stats().probe_failures, 0);
    assert_int_equal(tusk_relay_health(r.relay, r.targets[0].address), 1);
    (void)close(backend);
    rig_until(tusk_relay_health(r.relay, r.targets[0].address) == 0);
    backend = listen_again(port);
    rig_until(tusk_relay_health(r.relay, r.targets[0].address) == 1);
    (void)close(backend);
}

/* Nobody dials it meanwhile, so nobody else would. */
static void a_probed_name_is_looked_up_anew(void **state)
{
    (void)state;
    r.options.limits.dns_ttl_ms = 1;
    begin_named(open_backend());
    rig_expect_joined(backend);
    int before = atomic_load(&looked_up);
    rig_until(atomic_load(&looked_up) >= before + 3);
    (void)close(backend);
}

/* At 127.0.0.2, on a port of a backend that somebody else may have there already. */
static int listen_beside(uint16_t *port)
{
    for (int tries = 0; tries < 100; tries++) {
        *port = open_backend();
        struct sockaddr_in in = rig_loopback(*port);
        in.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        if (bind(fd, (struct sockaddr *)(void *)&in, sizeof(in)) == 0) {
            assert_int_equal(listen(fd, 8), 0);
            return fd;
        }
        (void)close(fd);
        (void)close(backend);
    }
    fail_msg("no port is free at both addresses");
    return -1;
}

/* The last one that it tries is let through; the first one is not even asked for. */
static void an_address_that_the_guard_refuses_is_not_probed(void **state)
{
    static const char *const allowed[] = {"127.0.0.1/32"};
    (void)state;
    r.options.any_address = false;
    r.options.allowed = allowed;
    r.options.allowed_count = 1;
    uint16_t port;
    int refused = listen_beside(&port);
    begin_named(port);
    rig_expect_joined(backend);
    uint64_t before = rig_stats().probes;
    rig_until(rig_stats().probes >= before + 3);
    assert_int_equal(rig_stats().probe_failures, 0);
    assert_int_equal(accept(refused, NULL, NULL), -1);
    (void)close(refused);
    (void)close(backend);
}

static void a_probe_that_memory_lacks_says_nothing(void **state)
{
    (void)state;
    begin_named(open_backend());
    rig_expect_joined(backend);
    rig_until(rig_stats().active == 0 && rig_stats().probes > 0);
    for (uint64_t i = 0; i < 20; i++) {
        r.mem.fail_at = r.mem.requests + 1 + i % 3;
        rig_turn();
    }
    r.mem.fail_at = 0;
    assert_int_equal(rig_stats().probe_failures, 0);
    (void)close(backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        rig_test(probes_take_a_dead_target_out_and_bring_it_back),
        rig_test(a_target_that_leaves_probes_unanswered_is_down),
        rig_test(a_name_is_probed_at_all_of_its_addresses),
        rig_test(a_probed_name_is_looked_up_anew),
        rig_test(an_address_that_the_guard_refuses_is_not_probed),
        rig_test(a_probe_that_memory_lacks_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
