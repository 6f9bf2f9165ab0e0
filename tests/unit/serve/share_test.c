/* SPDX-License-Identifier: MIT */
/* Servers that share their limits and counters: two in one process, each with a seat of its own, as
 * two workers have; and sockets that are another's. */
#define _GNU_SOURCE
#include "serve/share.h"

#include <netinet/in.h>
#include <sys/stat.h>

#include "rig.h"

enum { A, B, SERVERS, TURNS_MAX = 4000 };

static struct {
    tusk_loop *loop;
    tusk_server *server[SERVERS];
    tusk_server_shared *shared;
    tusk_server_limits limits;
    char unix_path[96];
    uint64_t own; /* what the owner of each has */
} s;

static void count_own(void *user, tusk_server_stats *stats)
{
    stats->own_gauge = s.own;
    stats->own[2] = user == &s.server[A] ? 10 : 1;
}

static const tusk_server_handler shared_handler = {.on_count = count_own};

static int set_up(void **state)
{
    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    memset(&s, 0, sizeof(s));
    s.own = 1;
    tusk_server_limits_default(&s.limits);
    assert_err(tusk_loop_new(&s.loop, NULL), TUSK_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < SERVERS; i++) {
        tusk_server_free(s.server[i]);
    }
    tusk_server_shared_free(s.shared);
    tusk_loop_free(s.loop);
    return 0;
}

static void make(int i)
{
    const tusk_server_options options = {
        .loop = s.loop, .limits = s.limits, .handler = &shared_handler, .user = &s.server[i]};
    assert_err(tusk_server_new(&s.server[i], &options), TUSK_OK);
    s.server[i]->addresses.seed = s.server[A]->addresses.seed; /* as forks of one have */
    assert_err(tusk_server_listen(s.server[i], "127.0.0.1:0", NULL), TUSK_OK);
}

static void begin(void)
{
    make(A);
    make(B);
    assert_err(tusk_server_shared_new(&s.shared, s.server[A], SERVERS), TUSK_OK);
    for (uint32_t i = 0; i < SERVERS; i++) {
        assert_err(tusk_server_share(s.server[i], s.shared, i), TUSK_OK);
        assert_err(tusk_server_start(s.server[i], NULL, 0), TUSK_OK);
    }
}

#define UNTIL(condition)                                                                           \
    for (int turn_ = 0; !(condition); turn_++) {                                                   \
        assert_true(turn_ < TURNS_MAX);                                                            \
        assert_err(tusk_loop_turn(s.loop, 5), TUSK_OK);                                            \
    }

static int dial_port(uint16_t port)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

static int dial(int i)
{
    return dial_port(tusk_server_port(s.server[i], 0));
}

static tusk_server_stats stats(int i)
{
    tusk_server_stats out;
    tusk_server_stats_get(s.server[i], &out);
    return out;
}

static bool ended(int fd)
{
    char byte[256];
    ssize_t n;
    while ((n = read(fd, byte, sizeof(byte))) > 0) {
    }
    return n == 0 || (errno != EAGAIN && errno != EINTR);
}

/* ---- counters ---- */
static void counters_are_sums_with_those_of_the_owners(void **state)
{
    tusk_server_stats sums;
    (void)state;
    begin();
    int a = dial(A);
    int b = dial(B);
    UNTIL(s.server[A]->gates.taken == 1 && s.server[B]->gates.taken == 1);
    assert_int_equal(stats(A).connections_open, 2);
    UNTIL(stats(A).connections_total == 2); /* a tenth of a second later */
    tusk_server_shared_stats(s.shared, &sums);
    assert_int_equal(sums.connections_open, 2);
    assert_int_equal(sums.own_gauge, 2);
    assert_int_equal(sums.own[2], 11);
    close(a);
    close(b);
    UNTIL(stats(B).connections_open == 0);
}

static void who_is_gone_leaves_its_counts_and_none_of_its_places(void **state)
{
    tusk_server_stats sums;
    (void)state;
    s.limits.connections = 1;
    s.limits.per_address = 1;
    begin();
    int a = dial(A);
    UNTIL(s.server[A]->gates.taken == 1);
    (void)stats(A);
    (void)stats(B);
    tusk_server_shared_gone(s.shared, A);
    tusk_server_shared_gone(s.shared, 99);
    tusk_server_shared_stats(s.shared, &sums);
    assert_int_equal(sums.connections_open, 0);
    assert_int_equal(sums.connections_total, 1);
    assert_int_equal(sums.own_gauge, 1);
    assert_int_equal(sums.own[2], 11);
    int b = dial(B); /* the address has no connection any more */
    UNTIL(s.server[B]->gates.taken == 1);
    net_gates_add(&s.server[A]->gates); /* as it was: it is no dead process */
    close(a);
    close(b);
}

/* ---- limits ---- */
static void the_limit_of_connections_is_one_for_all(void **state)
{
    (void)state;
    s.limits.connections = 2;
    begin();
    int first = dial(A);
    int second = dial(B);
    UNTIL(stats(A).connections_open == 2);
    int third = dial(A);
    int fourth = dial(B);
    for (int i = 0; i < 20; i++) {
        assert_err(tusk_loop_turn(s.loop, 1), TUSK_OK);
        assert_true(stats(A).connections_open <= 2);
    }
    assert_false(ended(third));
    assert_false(ended(fourth));
    close(first); /* whoever looks first takes the place */
    UNTIL(s.server[A]->stats.connections_total + s.server[B]->stats.connections_total == 3);
    close(second);
    UNTIL(s.server[A]->stats.connections_total + s.server[B]->stats.connections_total == 4);
    assert_int_equal(stats(A).connections_open, 2);
    assert_int_equal(stats(A).connections_refused, 0);
    close(third);
    close(fourth);
}

/* Somebody waits at a worker that has nobody who could give way: the others' idle ones do. */
static void who_waits_at_one_has_the_place_of_who_is_idle_at_another(void **state)
{
    (void)state;
    s.limits.connections = 2;
    s.limits.handshake_ms = 2000;
    begin();
    int silent[] = {dial(A), dial(A)};
    UNTIL(s.server[A]->gates.taken == 2);
    uint64_t began_ms = tusk_loop_now_ms(s.loop);
    int waits = dial(B);
    UNTIL(s.server[B]->gates.taken == 1);
    assert_true(tusk_loop_now_ms(s.loop) - began_ms < s.limits.handshake_ms * 4 / 5);
    UNTIL(s.server[A]->gates.taken == 0);
    close(silent[0]);
    close(silent[1]);
    close(waits);
}

static void who_waits_for_a_place_goes_with_the_server(void **state)
{
    (void)state;
    s.limits.connections = 1;
    begin();
    int a = dial(A);
    UNTIL(s.server[A]->gates.taken == 1);
    const net_gate *gate = net_gates_at(&s.server[B]->gates, 0);
    int held = dial(B);
    UNTIL(gate->held.fd >= 0 || gate->paused);
    tusk_server_stop(s.server[B]);
    UNTIL(ended(held));
    assert_int_equal(gate->held.fd, -1);
    close(a);
    close(held);
}

static void the_limit_of_an_address_is_one_for_all(void **state)
{
    char text[512];
    (void)state;
    s.limits.per_address = 2;
    begin();
    int first = dial(A);
    int second = dial(B);
    UNTIL(stats(A).connections_open == 2);
    int third = dial(B);
    UNTIL(stats(B).connections_per_address_refused == 1);
    UNTIL(rig_read(third, text, sizeof(text)) > 0);
    assert_non_null(strstr(text, "HTTP/1.1 429 "));
    close(first);
    UNTIL(stats(A).connections_open == 1);
    int fourth = dial(A);
    UNTIL(stats(A).connections_open == 2);
    assert_int_equal(stats(A).connections_per_address_refused, 1);
    close(second);
    close(third);
    close(fourth);
}

/* ---- sockets of others ---- */
static void another_workers_socket_is_accepted_from_until_it_is_given_back(void **state)
{
    uint16_t port;
    int other;
    (void)state;
    begin();
    assert_err(tusk_server_socket(&other, &port, "127.0.0.1:0"), TUSK_OK);
    assert_err(tusk_server_accept_for(s.server[A], 0, 3, dup(other)), TUSK_OK);
    int clients[4];
    clients[0] = dial_port(port);
    UNTIL(s.server[A]->gates.taken == 1);
    tusk_server_give_back(s.server[A], 2);
    clients[1] = dial_port(port);
    UNTIL(s.server[A]->gates.taken == 2);
    tusk_server_give_back(s.server[A], 3);
    clients[2] = dial_port(port); /* waits in the queue of who has the socket */
    clients[3] = dial(A);
    UNTIL(s.server[A]->gates.taken == 3);
    int fd = accept(other, NULL, NULL);
    assert_true(fd >= 0);
    close(fd);
    for (int i = 0; i < 4; i++) {
        close(clients[i]);
    }
    close(other);
    assert_err(tusk_server_accept_for(s.server[A], 7, 3, other), TUSK_ESTATE);
    tusk_server_stop(s.server[A]);
    assert_err(tusk_server_accept_for(s.server[A], 0, 3, other), TUSK_ESTATE);
}

static void an_inherited_socket_is_served_and_its_path_stays(void **state)
{
    struct stat status;
    uint16_t port;
    int fd;
    char address[128];
    (void)state;
    test_temp_dir(s.unix_path, "inherit");
    (void)snprintf(address, sizeof(address), "unix:%.48s/s", s.unix_path);
    assert_err(tusk_server_socket(&fd, &port, address), TUSK_OK);
    make(A);
    assert_err(tusk_server_listen(s.server[A], address, NULL), TUSK_OK);
    assert_string_equal(tusk_server_address(s.server[A], 0), "127.0.0.1:0");
    assert_string_equal(tusk_server_address(s.server[A], 1), address);
    assert_null(tusk_server_address(s.server[A], 2));
    assert_err(tusk_server_inherit(s.server[A], 2, fd), TUSK_ESTATE);
    assert_err(tusk_server_inherit(s.server[A], 1, fd), TUSK_OK);
    assert_err(tusk_server_inherit(s.server[A], 1, fd), TUSK_ESTATE);
    assert_err(tusk_server_start(s.server[A], NULL, 0), TUSK_OK);
    tusk_server_stop(s.server[A]);
    assert_int_equal(stat(address + 5, &status), 0);
    (void)unlink(address + 5);
    (void)rmdir(s.unix_path);
}

static void bad_seats_are_refused(void **state)
{
    tusk_server_shared *none;
    (void)state;
    begin();
    assert_err(tusk_server_share(s.server[A], s.shared, 0), TUSK_ESTATE);
    assert_err(tusk_server_shared_new(&none, s.server[A], 0), TUSK_EINVAL);
    assert_null(none);
}

static tusk_err make_and_share(const tusk_mem *mem, void *user)
{
    tusk_loop *loop;
    tusk_server *server = NULL;
    tusk_server_shared *shared = NULL;
    (void)user;
    tusk_err err = tusk_loop_new(&loop, &(tusk_loop_options){.mem = mem});
    if (err != TUSK_OK) {
        return err;
    }
    const tusk_server_options options = {
        .loop = loop, .limits = s.limits, .handler = &shared_handler, .user = &s};
    err = tusk_server_new(&server, &options);
    err = err == TUSK_OK ? tusk_server_shared_new(&shared, server, 2) : err;
    err = err == TUSK_OK ? tusk_server_share(server, shared, 1) : err;
    tusk_server_free(server);
    tusk_server_shared_free(shared);
    tusk_loop_free(loop);
    return err;
}

static void without_memory_nothing_is_shared_and_nothing_lost(void **state)
{
    (void)state;
    assert_true(test_fail_each_alloc(make_and_share, false, NULL) > 2);
}

static uint64_t owned_by_all(void)
{
    tusk_server_stats sums;
    tusk_server_shared_stats(s.shared, &sums);
    return sums.own_gauge;
}

static void turn_until_owned(uint64_t count)
{
    for (int turn = 0; owned_by_all() != count; turn++) {
        assert_true(turn < TURNS_MAX);
        assert_err(tusk_loop_turn(s.loop, 5), TUSK_OK);
    }
}

static void what_owners_have_is_told_until_they_have_nothing_more(void **state)
{
    (void)state;
    begin();
    s.own = 2;
    tusk_server_count_soon(s.server[A]);
    tusk_server_count_soon(s.server[B]);
    turn_until_owned(4);
    s.own = 0; /* and nobody calls */
    turn_until_owned(0);
    assert_false(tusk_timer_running(&s.server[A]->share->publish));
}

#define SHARE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SHARE_TEST(what_owners_have_is_told_until_they_have_nothing_more),
        SHARE_TEST(counters_are_sums_with_those_of_the_owners),
        SHARE_TEST(who_is_gone_leaves_its_counts_and_none_of_its_places),
        SHARE_TEST(the_limit_of_connections_is_one_for_all),
        SHARE_TEST(who_waits_at_one_has_the_place_of_who_is_idle_at_another),
        SHARE_TEST(who_waits_for_a_place_goes_with_the_server),
        SHARE_TEST(the_limit_of_an_address_is_one_for_all),
        SHARE_TEST(another_workers_socket_is_accepted_from_until_it_is_given_back),
        SHARE_TEST(an_inherited_socket_is_served_and_its_path_stays),
        SHARE_TEST(bad_seats_are_refused),
        SHARE_TEST(without_memory_nothing_is_shared_and_nothing_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
