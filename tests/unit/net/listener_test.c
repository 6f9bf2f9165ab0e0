/* SPDX-License-Identifier: MIT */
/* Listeners: binding, accepting in batches, running out of descriptors, closing from a callback. */
#define _GNU_SOURCE
#include "net/listener.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../loop/pollers.h"
#include "loop/inner.h"

#define MANY 32
#define NO_END UINT32_MAX /* of the time in which a turn accepts */

static struct {
    test_mem mem;
    tusk_loop *loop;
    tusk_listener *listener;
    int accepted[MANY];
    int count;
    int close_at;      /* the callback closes the listener at this one */
    uint64_t spend_ns; /* and takes so long for each */
    tusk_addr peer;
} t;

static void on_accept(void *user, int fd, const tusk_addr *peer)
{
    assert_ptr_equal(user, &t);
    assert_true(t.count < MANY);
    t.accepted[t.count++] = fd;
    t.peer = *peer;
    for (uint64_t since = tusk_loop_clock_ns(); tusk_loop_clock_ns() - since < t.spend_ns;) {
    }
    if (t.count == t.close_at) {
        tusk_listener_close(t.listener);
        tusk_listener_close(t.listener);
        t.listener = NULL;
    }
}

static int set_up(void **state)
{
    (void)state;
    memset(&t, 0, sizeof(t));
    test_mem_init(&t.mem, 0);
    assert_err(
        tusk_loop_new(&t.loop, &(tusk_loop_options){.mem = &t.mem.mem, .poller = test_poller}),
        TUSK_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tusk_listener_close(t.listener);
    for (int i = 0; i < t.count; i++) {
        close(t.accepted[i]);
    }
    tusk_loop_free(t.loop);
    test_mem_assert_empty(&t.mem);
    return 0;
}

static tusk_err listen_at(const char *text, const tusk_listener_options *options)
{
    tusk_addr addr;
    assert_err(tusk_addr_parse(&addr, text), TUSK_OK);
    return tusk_listener_open(&t.listener, t.loop, &addr, options, on_accept, &t);
}

static int dial_at(const tusk_addr *addr)
{
    int fd = socket(tusk_addr_family(addr), SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_true(fd >= 0);
    (void)connect(fd, (const struct sockaddr *)(const void *)addr->u.raw, addr->len);
    return fd;
}

static int dial(void)
{
    return dial_at(tusk_listener_addr(t.listener));
}

static void turns(int count)
{
    while (count-- > 0) {
        assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    }
}

static void accepts_only_after_resume_and_not_while_paused(void **state)
{
    (void)state;
    assert_err(listen_at("127.0.0.1:0", NULL), TUSK_OK);
    assert_true(tusk_addr_port(tusk_listener_addr(t.listener)) > 0);
    int first = dial();
    turns(2);
    assert_int_equal(t.count, 0);
    tusk_listener_resume(t.listener);
    turns(1);
    assert_int_equal(t.count, 1);
    tusk_listener_pause(t.listener);
    int second = dial();
    turns(2);
    assert_int_equal(t.count, 1);
    tusk_listener_resume(t.listener);
    turns(1);
    assert_int_equal(t.count, 2);
    close(first);
    close(second);
}

#if defined(TCP_CONGESTION)
static void congestion_of(int fd, char name[16])
{
    socklen_t len = 16;
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &len), 0);
}

/* reno is in every kernel, and the only one that anybody may ask for. */
static void loopback_controls_no_congestion_and_others_do_as_the_system_says(void **state)
{
    (void)state;
    char name[16];
    char usual[16];
    int fresh = socket(AF_INET, SOCK_STREAM, 0);
    congestion_of(fresh, usual);
    close(fresh);
    assert_err(listen_at("127.0.0.1:0", NULL), TUSK_OK);
    tusk_listener_resume(t.listener);
    int client = dial();
    turns(1);
    assert_int_equal(t.count, 1);
    congestion_of(t.accepted[0], name);
    assert_string_equal(name, "reno");
    close(client);
    tusk_listener_close(t.listener);
    assert_err(listen_at("0.0.0.0:0", NULL), TUSK_OK);
    congestion_of(tusk_listener_fd(t.listener), name);
    assert_string_equal(name, usual);
}
#endif

static void an_accepted_socket_is_ready_for_use(void **state)
{
    (void)state;
    assert_err(listen_at("*:0", NULL), TUSK_OK);
    tusk_listener_resume(t.listener);
    tusk_addr addr;
    assert_err(
        tusk_addr_from_host(&addr, "127.0.0.1", tusk_addr_port(tusk_listener_addr(t.listener))),
        TUSK_OK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)(void *)addr.u.raw, addr.len), 0);
    turns(1);
    assert_int_equal(t.count, 1);
    int value = 0;
    socklen_t len = sizeof(value);
    assert_int_equal(getsockopt(t.accepted[0], IPPROTO_TCP, TCP_NODELAY, &value, &len), 0);
    assert_int_equal(value, 1);
    assert_true((fcntl(t.accepted[0], F_GETFL) & O_NONBLOCK) != 0);
    assert_true((fcntl(t.accepted[0], F_GETFD) & FD_CLOEXEC) != 0);
    char text[TUSK_ADDR_TEXT_MAX];
    assert_string_equal(tusk_addr_host_text(&t.peer, text), "127.0.0.1");
    assert_true(tusk_addr_is_loopback(&t.peer));
    close(fd);
}

static void a_turn_accepts_no_more_than_its_batch(void **state)
{
    (void)state;
    int fds[10];
    const tusk_listener_options options = {.accept_batch = 4, .accept_us = NO_END};
    assert_err(listen_at("127.0.0.1:0", &options), TUSK_OK);
    tusk_listener_resume(t.listener);
    for (int i = 0; i < 10; i++) {
        fds[i] = dial();
    }
    turns(1);
    assert_int_equal(t.count, 4);
    turns(2);
    assert_int_equal(t.count, 10);
    for (int i = 0; i < 10; i++) {
        close(fds[i]);
    }
}

static void an_owner_that_takes_long_has_one_of_a_turn(void **state)
{
    (void)state;
    int fds[3];
    assert_err(listen_at("127.0.0.1:0", &(tusk_listener_options){.accept_us = 1000}), TUSK_OK);
    t.spend_ns = 1000000;
    t.loop->patient.other_ns = UINT64_MAX / 2; /* somebody is served all the time */
    tusk_listener_resume(t.listener);
    for (int i = 0; i < 3; i++) {
        fds[i] = dial();
    }
    for (int i = 0; i < 3; i++) {
        turns(1);
        assert_int_equal(t.count, i + 1);
        close(fds[i]);
    }
}

static void a_port_in_use_is_told(void **state)
{
    int again = 0; /* a restart does not wait for those who are in TIME_WAIT */
    socklen_t len = sizeof(again);
    (void)state;
    tusk_listener *second;
    assert_err(listen_at("127.0.0.1:0", NULL), TUSK_OK);
    assert_err(
        tusk_listener_open(&second, t.loop, tusk_listener_addr(t.listener), NULL, on_accept, &t),
        TUSK_EADDRINUSE);
    assert_null(second);
    int fd = tusk_listener_fd(t.listener);
    assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &again, &len), 0);
    assert_true(again != 0);
}

static void several_may_share_a_port_when_all_want_it(void **state)
{
    (void)state;
    tusk_listener *second;
    const tusk_listener_options shared = {.reuse_port = true};
    assert_err(listen_at("127.0.0.1:0", &shared), TUSK_OK);
    assert_err(
        tusk_listener_open(&second, t.loop, tusk_listener_addr(t.listener), &shared, on_accept, &t),
        TUSK_OK);
    tusk_listener_close(second);
}

static void an_address_that_is_not_ours_is_told_as_that(void **state)
{
    (void)state;
    assert_err(listen_at("192.0.2.1:0", NULL), TUSK_EADDRNOTAVAIL);
    assert_null(t.listener);
}

static void closing_in_the_callback_ends_the_batch(void **state)
{
    (void)state;
    int fds[3];
    assert_err(listen_at("127.0.0.1:0", NULL), TUSK_OK);
    tusk_listener_resume(t.listener);
    t.close_at = 2;
    for (int i = 0; i < 3; i++) {
        fds[i] = dial();
    }
    turns(2);
    assert_int_equal(t.count, 2);
    for (int i = 0; i < 3; i++) {
        close(fds[i]);
    }
}

/* ---- Unix paths ---- */
static const char *path(void)
{
    static char text[64];
    (void)snprintf(text, sizeof(text), "unix:/tmp/tusk-listener-%d.sock", (int)getpid());
    return text;
}

static void a_unix_path_has_its_mode_and_goes_with_the_listener(void **state)
{
    (void)state;
    struct stat status;
    assert_err(listen_at(path(), NULL), TUSK_OK);
    tusk_listener_resume(t.listener);
    assert_int_equal(stat(path() + 5, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0660);
    int fd = dial();
    turns(1);
    assert_int_equal(t.count, 1);
    char text[TUSK_ADDR_TEXT_MAX];
    assert_string_equal(tusk_addr_host_text(&t.peer, text), "unix");
    close(fd);
    tusk_listener_close(t.listener);
    assert_int_not_equal(stat(path() + 5, &status), 0);
    assert_err(listen_at(path(), &(tusk_listener_options){.unix_mode = 0600}), TUSK_OK);
    assert_int_equal(stat(path() + 5, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void a_stale_path_is_replaced_a_live_one_and_a_file_are_not(void **state)
{
    (void)state;
    tusk_addr addr;
    assert_err(tusk_addr_parse(&addr, path()), TUSK_OK);
    int stale = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(stale, (struct sockaddr *)(void *)addr.u.raw, addr.len), 0);
    close(stale); /* as a killed process leaves it */
    assert_err(listen_at(path(), NULL), TUSK_OK);

    tusk_listener *second;
    assert_err(tusk_listener_open(&second, t.loop, &addr, NULL, on_accept, &t), TUSK_EADDRINUSE);
    struct stat status;
    assert_int_equal(stat(path() + 5, &status), 0); /* the refused one took nothing away */
    tusk_listener_close(t.listener);

    int file = open(path() + 5, O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    close(file);
    assert_err(listen_at(path(), NULL), TUSK_EADDRINUSE);
    assert_int_equal(unlink(path() + 5), 0);
}

static void a_path_in_no_folder_is_told(void **state)
{
    (void)state;
    assert_err(listen_at("unix:/tmp/no/such/folder/x.sock", NULL), TUSK_ENOENT);
}

/* ---- no descriptors ---- */
static void without_descriptors_it_waits_and_does_not_spin(void **state)
{
    (void)state;
    struct rlimit before;
    assert_err(listen_at("127.0.0.1:0", NULL), TUSK_OK);
    tusk_listener_resume(t.listener);
    int fd = dial();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int next = dup(0);
    close(next);
    struct rlimit none = {.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    turns(5);
    tusk_loop_counters counters;
    tusk_loop_count(t.loop, &counters);
    assert_int_equal(counters.events, 1); /* looked once, then looked away */
    assert_int_equal(tusk_listener_exhausted(t.listener), 1);
    tusk_listener_pause(t.listener);
    tusk_listener_resume(t.listener);
    uint64_t from = tusk_loop_clock_ns();
    while (tusk_listener_exhausted(t.listener) == 1 &&
           tusk_loop_clock_ns() - from < UINT64_C(5000000000)) {
        assert_err(tusk_loop_turn(t.loop, 10), TUSK_OK);
    }
    uint64_t waited = tusk_loop_clock_ns() - from;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(tusk_listener_exhausted(t.listener), 2); /* tried again, in vain */
    assert_true(waited > 90000000);
    while (t.count == 0 && tusk_loop_clock_ns() - from < UINT64_C(5000000000)) {
        assert_err(tusk_loop_turn(t.loop, 10), TUSK_OK);
    }
    assert_int_equal(t.count, 1);
    close(fd);
}

static void the_last_descriptors_are_not_for_clients(void **state)
{
    (void)state;
    enum { LIMIT = 96, SPARE = LIMIT / 8, CLIENTS = 8, FIRST = LIMIT - SPARE - 3 };
    int clients[CLIENTS];
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit low = {.rlim_cur = LIMIT, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    assert_err(listen_at("127.0.0.1:0", NULL), TUSK_OK);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = dial();
    }
    int last = dup(0);
    assert_true(last >= 0 && last < FIRST - 2);
    int from = last;
    while (last < FIRST - 1) {
        last = dup(0);
    }
    tusk_listener_resume(t.listener);
    turns(20);
    assert_int_equal(t.count, 3);
    assert_int_equal(tusk_listener_exhausted(t.listener), 1);
    int own = dup(0); /* what a handler would open */
    assert_true(own >= 0);
    close(own);
    close(last);
    close(last - 1);
    uint64_t since = tusk_loop_clock_ns();
    while (tusk_listener_exhausted(t.listener) == 1 &&
           tusk_loop_clock_ns() - since < UINT64_C(5000000000)) {
        assert_err(tusk_loop_turn(t.loop, 10), TUSK_OK);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(t.count, 5); /* as many as were closed */
    for (int fd = from; fd < last - 1; fd++) {
        close(fd);
    }
    for (int i = 0; i < CLIENTS; i++) {
        close(clients[i]);
    }
}

/* All that clients may have is taken; who watches is let in all the same. */
static void of_the_last_descriptors_some_are_for_operators(void **state)
{
    (void)state;
    enum { LIMIT = 96, SPARE = LIMIT / 8 };
    const tusk_listener_options operators = {.for_operators = true};
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit low = {.rlim_cur = LIMIT, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    assert_err(listen_at("127.0.0.1:0", &operators), TUSK_OK);
    int clients[SPARE];
    for (int i = 0; i < SPARE; i++) {
        clients[i] = dial();
    }
    int from = dup(0);
    int last = from;
    while (last < LIMIT - SPARE - 1) {
        last = dup(0);
    }
    tusk_listener_resume(t.listener);
    turns(20);
    assert_int_equal(tusk_listener_exhausted(t.listener), 1);
    assert_int_equal(t.count, SPARE - SPARE / 8); /* a few are left to files all the same */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    for (int fd = from; fd <= last; fd++) {
        close(fd);
    }
    for (int i = 0; i < SPARE; i++) {
        close(clients[i]);
    }
}

static tusk_err open_one(const tusk_mem *mem, void *user)
{
    (void)user;
    tusk_loop *loop;
    tusk_addr addr;
    tusk_listener *listener;
    assert_err(tusk_addr_parse(&addr, path()), TUSK_OK);
    tusk_err err = tusk_loop_new(&loop, &(tusk_loop_options){.mem = mem, .poller = test_poller});
    if (err != TUSK_OK) {
        return err;
    }
    err = tusk_listener_open(&listener, loop, &addr, NULL, on_accept, &t);
    tusk_listener_close(listener);
    tusk_loop_free(loop);
    assert_int_not_equal(access(path() + 5, F_OK), 0);
    return err;
}

static void no_memory_is_an_error_and_leaves_no_path(void **state)
{
    (void)state;
    assert_true(test_fail_each_alloc(open_one, false, NULL) >= 3);
}

static void a_socket_made_before_serves_several_listeners(void **state)
{
    (void)state;
    tusk_addr addr;
    int fd;
    assert_err(tusk_addr_parse(&addr, "127.0.0.1:0"), TUSK_OK);
    assert_err(tusk_listener_socket(&fd, &addr, NULL), TUSK_OK);
    assert_int_not_equal(tusk_addr_port(&addr), 0);
    int second = dup(fd);
    tusk_listener *other;
    assert_err(tusk_listener_adopt(&t.listener, t.loop, fd, &addr, NULL, on_accept, &t), TUSK_OK);
    assert_err(tusk_listener_adopt(&other, t.loop, second, NULL, NULL, on_accept, &t), TUSK_OK);
    assert_int_equal(tusk_addr_port(tusk_listener_addr(other)), tusk_addr_port(&addr));
    tusk_listener_close(t.listener);
    t.listener = other;
    tusk_listener_resume(other); /* closing one leaves the socket to the other */
    int client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(client, (const struct sockaddr *)(const void *)addr.u.raw, addr.len),
                     0);
    while (t.count == 0) {
        assert_err(tusk_loop_turn(t.loop, 10000), TUSK_OK);
    }
    close(client);
}

/* ---- as people write it ---- */
static void an_address_may_be_a_name(void **state)
{
    (void)state;
    static const char *const none[] = {"localhost",     "localhost:",
                                       ":80",           "localhost:65536",
                                       "localhost:1x",  "local host:80",
                                       "12.34:80",      "localhost:000080",
                                       "a/b.invalid:1", "",
                                       "127.0.0.1:x"};
    char text[TUSK_ADDR_TEXT_MAX];
    tusk_addr addr;
    assert_err(tusk_listener_address(&addr, "LocalHost:8090"), TUSK_OK);
    assert_string_equal(tusk_addr_text(&addr, text), "127.0.0.1:8090");
    assert_err(tusk_listener_address(&addr, "[::1]:9"), TUSK_OK);
    assert_string_equal(tusk_addr_text(&addr, text), "[::1]:9");
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_err(tusk_listener_address(&addr, none[i]), TUSK_EINVAL);
    }
    char longest[300];
    memset(longest, 'a', sizeof(longest));
    memcpy(longest + 254, ":80", 4);
    assert_err(tusk_listener_address(&addr, longest), TUSK_EINVAL);
}

/* ---- inlets ---- */
/* A socket of somebody else's; `*addr` is where. */
static int other_socket(tusk_addr *addr)
{
    int fd;
    assert_err(tusk_addr_parse(addr, "127.0.0.1:0"), TUSK_OK);
    assert_err(tusk_listener_socket(&fd, addr, NULL), TUSK_OK);
    return fd;
}

static void an_inlet_is_accepted_from_while_it_is_there_and_pauses_with_its_listener(void **state)
{
    (void)state;
    tusk_addr first, second;
    assert_err(listen_at("127.0.0.1:0", NULL), TUSK_OK);
    assert_err(tusk_listener_add_inlet(t.listener, 1, other_socket(&first)), TUSK_OK);
    tusk_listener_resume(t.listener);
    int keeper = other_socket(&second);
    assert_err(tusk_listener_add_inlet(t.listener, 2, dup(keeper)), TUSK_OK);
    int clients[] = {dial_at(&first), dial_at(&second), dial()};
    turns(3);
    assert_int_equal(t.count, 3);
    tusk_listener_pause(t.listener);
    int late = dial_at(&second);
    turns(3);
    assert_int_equal(t.count, 3);
    tusk_listener_drop_inlets(t.listener, 2);
    tusk_listener_resume(t.listener);
    turns(3);
    assert_int_equal(t.count, 3); /* it waits in the socket, which is its owner's again */
    int more = dial_at(&first);
    turns(3);
    assert_int_equal(t.count, 4);
    close(keeper);
    close(late);
    close(more);
    for (int i = 0; i < 3; i++) {
        close(clients[i]);
    }
}

static void what_an_inlet_was_out_of_is_counted_with_its_listener(void **state)
{
    (void)state;
    tusk_addr other;
    struct rlimit before;
    assert_err(listen_at("127.0.0.1:0", NULL), TUSK_OK);
    assert_err(tusk_listener_add_inlet(t.listener, 1, other_socket(&other)), TUSK_OK);
    tusk_listener_resume(t.listener);
    int fd = dial_at(&other);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    int next = dup(0);
    close(next);
    struct rlimit none = {.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    turns(2);
    assert_int_equal(tusk_listener_exhausted(t.listener), 1);
    tusk_listener_drop_inlets(t.listener, 1);
    assert_int_equal(tusk_listener_exhausted(t.listener), 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(accepts_only_after_resume_and_not_while_paused),
        TEST(an_accepted_socket_is_ready_for_use),
#if defined(TCP_CONGESTION)
        TEST(loopback_controls_no_congestion_and_others_do_as_the_system_says),
#endif
        TEST(a_turn_accepts_no_more_than_its_batch),
        TEST(an_owner_that_takes_long_has_one_of_a_turn),
        TEST(a_port_in_use_is_told),
        TEST(several_may_share_a_port_when_all_want_it),
        TEST(an_address_that_is_not_ours_is_told_as_that),
        TEST(a_socket_made_before_serves_several_listeners),
        TEST(closing_in_the_callback_ends_the_batch),
        TEST(a_unix_path_has_its_mode_and_goes_with_the_listener),
        TEST(a_stale_path_is_replaced_a_live_one_and_a_file_are_not),
        TEST(a_path_in_no_folder_is_told),
        TEST(without_descriptors_it_waits_and_does_not_spin),
        TEST(the_last_descriptors_are_not_for_clients),
        TEST(of_the_last_descriptors_some_are_for_operators),
        TEST(no_memory_is_an_error_and_leaves_no_path),
        TEST(an_address_may_be_a_name),
        TEST(an_inlet_is_accepted_from_while_it_is_there_and_pauses_with_its_listener),
        TEST(what_an_inlet_was_out_of_is_counted_with_its_listener),
    };
    return TEST_RUN_FOR_EACH_POLLER("net/listener", tests);
}
