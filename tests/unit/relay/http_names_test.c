/* SPDX-License-Identifier: MIT */
/* Connections that an HTTP proxy keeps to a name, and where that name goes meanwhile. */
#define _GNU_SOURCE
#include <stdatomic.h>

#include "http_rig.h"

#include "relay/inner.h"

static atomic_int first, second; /* last numbers of the name's addresses in 127.0.0.0/24; 0: none */
static atomic_int asked;
static int other_place; /* who listens at 127.0.0.2 */

static int ask_server(void *user, tusk_addr *out, int cap, const char *host, uint16_t port)
{
    const int last[] = {atomic_load(&first), atomic_load(&second)};
    char text[32];
    int count = 0;
    (void)user;
    (void)host;
    atomic_fetch_add(&asked, 1);
    assert_true(cap >= 2);
    for (int i = 0; i < 2 && last[i] != 0; i++) {
        (void)snprintf(text, sizeof(text), "127.0.0.%d:%u", last[i], (unsigned)port);
        assert_err(tusk_addr_parse(&out[count++], text), TUSK_OK);
    }
    return count == 0 ? (int)TUSK_ETIMEOUT : count;
}

static void it_leads_to(int one, int other)
{
    atomic_store(&second, other);
    atomic_store(&first, one);
    relay_target *target = relay_target_find(r.relay, r.targets[0].address);
    assert_non_null(target);
    target->fresh_until_ms = 0; /* what was known is too old now */
    target->asked_until_ms = 0;
}

static void ask_here(tusk_relay *relay)
{
    const tusk_resolver_options options = {.look_up = ask_server};
    tusk_resolver_free(relay->resolver);
    assert_err(tusk_resolver_new(&relay->resolver, r.loop, &options), TUSK_OK);
}

static int listen_elsewhere(void)
{
    struct sockaddr_in in = rig_loopback(h.port);
    in.sin_addr.s_addr = htonl(0x7f000002);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int on = 1;
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    assert_int_equal(bind(fd, (struct sockaddr *)(void *)&in, sizeof(in)), 0);
    assert_int_equal(listen(fd, 8), 0);
    rig_unblock(fd);
    return fd;
}

static int named_set_up(void **state)
{
    (void)http_set_up(state);
    other_place = listen_elsewhere();
    atomic_store(&asked, 0);
    atomic_store(&first, 1);
    atomic_store(&second, 0);
    r.on_made = ask_here;
    (void)snprintf(r.address[0], sizeof(r.address[0]), "web.test:%u", (unsigned)h.port);
    r.targets[0].address = tusk_bytes_str(r.address[0]);
    rig_start();
    return 0;
}

static int named_tear_down(void **state)
{
    (void)close(other_place);
    return http_tear_down(state);
}

/* Its next request comes to the other place, and is answered. */
static int expect_moved(int client)
{
    rig_send(client, http_get);
    int backend = rig_accept(other_place);
    rig_expect(backend, http_get);
    http_answers(client, backend);
    return backend;
}

static void who_uses_kept_connections_follows_a_name_that_moves(void **state)
{
    int backend;
    (void)state;
    int client = http_begin(&backend);
    it_leads_to(2, 0);
    http_round(client, backend); /* whose end has the name looked up */
    rig_until(http_stats().pool_outdated == 1);
    rig_expect_eof(backend);
    int next = expect_moved(client);
    assert_int_equal(http_stats().pool_outdated, 1);
    (void)close(client);
    (void)close(backend);
    (void)close(next);
}

static void a_connection_that_serves_meanwhile_is_kept_no_more(void **state)
{
    int backend, beside;
    (void)state;
    int client = http_begin(&backend);
    rig_send(client, http_get);
    rig_expect(backend, http_get);
    it_leads_to(2, 0);
    int guest = rig_client();
    rig_send(guest, http_get); /* a second one is dialled, and asks where */
    beside = rig_accept(other_place);
    rig_expect(beside, http_get);
    assert_int_equal(http_stats().pool_outdated, 0);
    http_answers(client, backend);
    rig_until(http_stats().pool_outdated == 1);
    rig_expect_eof(backend);
    http_answers(guest, beside);
    http_round(client, beside);
    (void)close(client);
    (void)close(guest);
    (void)close(backend);
    (void)close(beside);
}

static void an_address_more_or_a_name_server_that_fails_closes_nothing(void **state)
{
    int backend;
    (void)state;
    int client = http_begin(&backend);
    it_leads_to(2, 1);
    int before = atomic_load(&asked);
    http_round(client, backend);
    rig_until(atomic_load(&asked) > before);
    it_leads_to(0, 0);
    before = atomic_load(&asked);
    http_round(client, backend);
    rig_until(rig_stats().names_stale == 1);
    it_leads_to(1, 2);
    http_round(client, backend);
    http_round(client, backend);
    assert_int_equal(http_stats().pool_outdated, 0);
    assert_int_equal(http_stats().lines, 1);
    (void)close(client);
    (void)close(backend);
}

#define named_test(name) cmocka_unit_test_setup_teardown(name, named_set_up, named_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        named_test(who_uses_kept_connections_follows_a_name_that_moves),
        named_test(a_connection_that_serves_meanwhile_is_kept_no_more),
        named_test(an_address_more_or_a_name_server_that_fails_closes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
