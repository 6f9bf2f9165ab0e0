/* SPDX-License-Identifier: MIT */
/* Pairs in a ring: the engines' contract with each step of what kernels have, and what only a ring
 * can get wrong. */
#define _GNU_SOURCE
#include "contract.h"
#include "visit.h"

#if defined(TUSK_HAVE_LIBURING)
#include "relay/uring/ring.h"
#else
#include "relay/uring/uring.h"
#endif

static unsigned lacks; /* of this run */

static void set_lacks(tusk_relay *relay)
{
    relay->uring_lacks = lacks;
}

static void prepare_with(unsigned what)
{
    lacks = what;
    r.on_made = set_lacks;
}

static void prepare_best(void)
{
    prepare_with(0);
}

static void prepare_watched(void)
{
    prepare_with(URING_NO_WAIT);
}

static void prepare_single(void)
{
    prepare_with(URING_NO_CAP);
}

static void prepare_old(void)
{
    prepare_with(URING_NO_CAP | URING_NO_DEFER | URING_NO_COOP);
}

static void prepare_few(void)
{
    prepare_with(URING_FEW);
}

static void prepare_few_single(void)
{
    prepare_with(URING_FEW | URING_NO_CAP | URING_NO_WAIT);
}

static void it_was_in_the_ring(void)
{
    assert_int_equal(rig_stats().switched_to_uring, 1);
    assert_int_equal(r.records[0].engine, TUSK_ENGINE_URING);
    assert_non_null(strstr(tusk_relay_engine_state(r.relay), "enabled (io_uring"));
}

static void buffers_ran_out(void)
{
    it_was_in_the_ring();
    assert_true(rig_stats().uring_starved > 0);
}

/* ---- what the kernel has, and what is said of it ---- */
static int set_up_ring(void **state)
{
    (void)rig_set_up(state);
    r.options.engine = TUSK_ENGINE_URING;
    prepare_best();
    return 0;
}

static void expect_state(const char *text)
{
    assert_string_equal(tusk_relay_engine_state(r.relay), text);
}

static void a_step_that_is_missing_is_told(unsigned what, const char *text)
{
    lacks = what;
    rig_start();
    expect_state(text);
    assert_string_equal(r.log, "");
    tusk_relay_free(r.relay);
    r.relay = NULL;
}

static void each_step_is_told(void **state)
{
    (void)state;
    a_step_that_is_missing_is_told(0,
                                   "enabled (io_uring, deferred completions, multishot receives)");
    a_step_that_is_missing_is_told(URING_NO_CAP,
                                   "enabled (io_uring, deferred completions, single receives)");
    a_step_that_is_missing_is_told(
        URING_NO_DEFER, "enabled (io_uring, cooperative completions, multishot receives)");
    a_step_that_is_missing_is_told(
        URING_NO_WAIT, "enabled (io_uring, cooperative completions, multishot receives)");
    a_step_that_is_missing_is_told(
        URING_NO_DEFER | URING_NO_COOP,
        "enabled (io_uring, interrupting completions, multishot receives)");
}

static void bytes_are_copied_for(unsigned what, const char *reason)
{
    char text[RIG_TEXT];
    lacks = what;
    r.target_count = 0;
    r.record_count = 0;
    ends both = join();
    (void)snprintf(text, sizeof(text), "unavailable (%s; bytes are copied)", reason);
    expect_state(text);
    (void)snprintf(text, sizeof(text), "io_uring: unavailable (%s; bytes are copied)", reason);
    assert_string_equal(r.log, text);
    rig_send(both.client, "question");
    rig_expect(both.server, "question");
    leave(both);
    expect_end("done");
    assert_int_equal(r.records[0].engine, TUSK_ENGINE_COPY);
    assert_int_equal(rig_stats().switched_to_uring, 0);
    tusk_relay_free(r.relay);
    r.relay = NULL;
}

static void where_the_kernel_refuses_bytes_are_copied(void **state)
{
    (void)state;
    bytes_are_copied_for(URING_NO_CALLS, "this kernel has no io_uring");
    bytes_are_copied_for(
        URING_FORBIDDEN,
        "io_uring is not permitted: kernel.io_uring_disabled, or a seccomp filter");
    bytes_are_copied_for(URING_NO_SHELF, "no shared buffers before Linux 5.19");
    bytes_are_copied_for(URING_NO_RECEIVE, "receives into shared buffers fail");
}

static void before_the_start_nothing_is_known(void **state)
{
    char reason[64];
    (void)state;
    assert_err(tusk_relay_new(&r.relay, &r.options, reason, sizeof(reason)), TUSK_OK);
    expect_state("unavailable (the relay is not started)");
}

static void a_second_relay_of_a_loop_is_watched_by_the_poller(void **state)
{
    (void)state;
    ends both = join();
    tusk_relay *first = r.relay;
    expect_state("enabled (io_uring, deferred completions, multishot receives)");
    int first_backend = backend;
    r.target_count = 0;
    ends others = join();
    expect_state("enabled (io_uring, cooperative completions, multishot receives)");
    rig_send(both.client, "one");
    rig_send(others.client, "two");
    rig_expect(both.server, "one");
    rig_expect(others.server, "two");
    leave(others);
    (void)close(both.client);
    (void)close(both.server);
    (void)close(first_backend);
    rig_until(r.record_count == 2);
    tusk_relay_free(first);
}

/* ---- lifetimes ---- */
static void the_loop_ends_when_the_last_pair_does(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    tusk_relay_stop(r.relay);
    leave(both);
    assert_err(tusk_loop_run(r.loop), TUSK_OK);
    expect_end("done");
    assert_int_equal(r.stopped, 1);
}

/* Taken out of the socket by a receive whose completion nobody has looked at. */
static void what_is_only_in_the_ring_is_a_reason_for_a_reset(void **state)
{
    (void)state;
    lacks = URING_NO_WAIT;
    ends both = join();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    rig_send(both.client, "the rest");
    tusk_relay_stop(r.relay);
    tusk_relay_stop(r.relay);
    expect_end("stopped");
    rig_expect_reset(both.server);
    leave(both);
}

/* Received, and not known to be sent when its session is cut. */
static void so_is_what_is_in_its_own_queue(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    rig_send(both.client, "the rest");
    rig_until(first_pair(r.relay)->end[RELAY_CLIENT].queued != 0);
    relay_pair_cut_short(first_pair(r.relay), "idle");
    expect_end("idle");
    rig_expect_reset(both.server);
    leave(both);
}

/* Each time one of two, which nobody has looked at; and then there is one for the next pair. */
static void a_buffer_of_a_pair_that_is_cut_is_there_for_others(void **state)
{
    (void)state;
    lacks = URING_NO_WAIT | URING_FEW;
    ends both = join();
    for (int i = 1; i < 5; i++) {
        rig_send(both.client, "x");
        rig_expect(both.server, "x");
        rig_send(both.client, "the rest");
        relay_pair_cut_short(first_pair(r.relay), "idle");
        rig_until(r.record_count == i);
        rig_expect_reset(both.server);
        (void)close(both.client);
        (void)close(both.server);
        both.client = rig_client();
        both.server = rig_accept(backend);
    }
    rig_send(both.client, "y");
    rig_expect(both.server, "y");
    leave(both);
}

/* Its receives are under way, and the kernel takes no cancellation: the pair's memory waits. */
static void a_pair_ends_while_the_kernel_takes_nothing(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    r.relay->uring_lacks = URING_NO_SUBMIT;
    tusk_relay_stop(r.relay);
    tusk_relay_stop(r.relay);
    expect_end("stopped");
    rig_turn();
    assert_int_equal(r.stopped, 0);
    r.relay->uring_lacks = 0;
    rig_until(r.stopped == 1);
    rig_expect_eof(both.server);
    rig_expect_eof(both.client);
    leave(both);
}

/* A request names its socket by number. It is not out yet, the pair ends, and the number is
 * somebody else's. */
static void a_request_that_is_not_out_meets_no_other_socket(void **state)
{
    int others[8];
    char byte;
    (void)state;
    ends both = join();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    rig_send(both.client, "secret");
    rig_turn(); /* it is received, and sent in the next turn */
    r.relay->uring_lacks = URING_NO_SUBMIT;
    tusk_relay_stop(r.relay);
    tusk_relay_stop(r.relay);
    for (int i = 0; i < 8; i += 2) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, &others[i]), 0);
    }
    r.relay->uring_lacks = 0;
    rig_until(r.stopped == 1);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(recv(others[i], &byte, 1, 0), -1);
        assert_int_equal(errno, EAGAIN);
    }
    for (int i = 0; i < 8; i++) {
        (void)close(others[i]);
    }
    rig_expect_reset(both.server);
    leave(both);
}

#if defined(TUSK_HAVE_LIBURING)
enum { PAIRS = 24 };

/* A few bytes more from its writer. Its reader waits until some are held of which a part has left,
 * and goes on when no receive adds to them. True: it has all. */
static bool crawl(stream *self, bool *part_has_left)
{
    enum { PIECE = 2000, BITE = 5000, MUCH = 26000 };
    const relay_pair *pair = first_pair(r.relay);
    const relay_held *held = pair->end[RELAY_CLIENT].held;
    bool receives = (pair->under_way & 1u << (URING_RECEIVE + RELAY_CLIENT)) != 0;
    size_t left = self->len - self->out;
    ssize_t n = send(self->from, self->sent + self->out, left < PIECE ? left : PIECE, MSG_NOSIGNAL);
    self->out += n > 0 ? (size_t)n : 0;
    *part_has_left = *part_has_left || (receives && held != NULL && held->start > 0);
    if (left == 0 || !receives || (held != NULL && held->start == 0 && held->len > MUCH)) {
        left = self->len - self->in;
        n = recv(self->to, self->got + self->in, left < BITE ? left : BITE, 0);
        self->in += n > 0 ? (size_t)n : 0;
    }
    return self->in == self->len;
}

/* A receive is still under way while part of what is held has left: that is added behind it. */
static void what_comes_behind_bytes_that_wait_stands_behind_them(void **state)
{
    enum { LEN = 256 * 1024, LITTLE = 4096 };
    const int room[2] = {LITTLE, 4 * LITTLE};
    bool part_has_left = false;
    stream up;
    (void)state;
    r.options.limits.pending_bytes = LEN; /* the kernel takes 32 KiB of it at once */
    ends both = join();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    int to = first_pair(r.relay)->end[RELAY_BACKEND].io.fd;
    assert_int_equal(setsockopt(to, SOL_SOCKET, SO_SNDBUF, &room[0], sizeof(room[0])), 0);
    assert_int_equal(setsockopt(both.server, SOL_SOCKET, SO_RCVBUF, &room[1], sizeof(room[1])), 0);
    stream_init(&up, both.client, both.server, LEN);
    rig_until(crawl(&up, &part_has_left));
    assert_true(part_has_left);
    assert_memory_equal(up.sent, up.got, LEN);
    stream_fini(&up);
    leave(both);
    expect_end("done");
}

static void all_say_something(ends *pairs)
{
    for (int i = 0; i < PAIRS; i++) {
        rig_send(pairs[i].client, "question");
    }
    for (int i = 0; i < PAIRS; i++) {
        rig_expect(pairs[i].server, "question");
    }
}

static void expect_on_the_shelf(unsigned count)
{
    const relay_uring *ring = r.relay->uring;
    assert_int_equal(ring->wanted, count);
    assert_int_equal(ring->free, count);
    assert_int_equal(ring->free + ring->spares, ring->buffers);
}

/* More is received in a turn than stands there; then, for long, less. */
static void as_many_buffers_stand_on_the_shelf_as_turns_need(void **state)
{
    ends pairs[PAIRS];
    uint16_t port;
    (void)state;
    int listener = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    for (int i = 0; i < PAIRS; i++) {
        pairs[i].client = rig_client();
        pairs[i].server = rig_accept(listener);
    }
    rig_until(rig_stats().switched_to_uring == PAIRS);
    expect_on_the_shelf(URING_SHELF_LEAST);
    all_say_something(pairs);
    assert_true(rig_stats().uring_starved > 0);
    expect_on_the_shelf(URING_BUFFERS);
    uint64_t starved = rig_stats().uring_starved;
    all_say_something(pairs);
    assert_int_equal(rig_stats().uring_starved, starved);
    for (int i = 0; i < URING_SHELF_TURNS; i++) {
        uring_shelve(r.relay->uring);
    }
    all_say_something(pairs); /* taken from those that stood there, and laid aside */
    assert_in_range(r.relay->uring->wanted, PAIRS, 2 * PAIRS);
    for (int i = 0; i < 2 * URING_SHELF_TURNS; i++) {
        uring_shelve(r.relay->uring);
    }
    assert_int_equal(r.relay->uring->wanted, URING_SHELF_LEAST);
    for (int i = 0; i < PAIRS; i++) {
        leave(pairs[i]);
    }
    (void)close(listener);
    rig_until(rig_stats().active == 0);
}
#else
static void what_comes_behind_bytes_that_wait_stands_behind_them(void **state)
{
    (void)state;
    skip();
}

static void as_many_buffers_stand_on_the_shelf_as_turns_need(void **state)
{
    (void)state;
    skip();
}
#endif

#define STEP_OF(title, how, which, then)                                                           \
    {                                                                                              \
        .engine = TUSK_ENGINE_URING, .name = (title), .poller = (which), .prepare = (how),         \
        .check_bulk = (then)                                                                       \
    }

/* Without it, or where the kernel refuses, there is nothing more to be tested here. */
static bool possible;

static void io_uring_is_there_or_the_reason_is_told(void **state)
{
    (void)state;
    if (tusk_relay_uring_library() == NULL) {
        bytes_are_copied_for(0, "built without liburing");
        skip();
    }
    rig_start();
    possible = r.relay->uring != NULL;
    if (!possible) {
        assert_non_null(strstr(tusk_relay_engine_state(r.relay), "unavailable ("));
        skip();
    }
}

int main(void)
{
    static const contract_engine steps[] = {
        STEP_OF("uring", prepare_best, NULL, it_was_in_the_ring),
        STEP_OF("uring, watched by the poller", prepare_watched, "epoll", it_was_in_the_ring),
        STEP_OF("uring, single receives", prepare_single, "epoll", it_was_in_the_ring),
        STEP_OF("uring of Linux 5.19", prepare_old, "epoll", it_was_in_the_ring),
        STEP_OF("uring with two buffers", prepare_few, "epoll", buffers_ran_out),
        STEP_OF("uring of Linux 6.0 with two buffers", prepare_few_single, "epoll", NULL),
        {.engine = TUSK_ENGINE_URING,
         .name = "uring after an upgrade",
         .prepare = prepare_best,
         .check_bulk = it_was_in_the_ring,
         .upgraded = true},
    };
#define ring_test(name) cmocka_unit_test_setup_teardown(name, set_up_ring, rig_tear_down)
    const struct CMUnitTest probe[] = {ring_test(io_uring_is_there_or_the_reason_is_told)};
    const struct CMUnitTest tests[] = {
        ring_test(each_step_is_told),
        ring_test(where_the_kernel_refuses_bytes_are_copied),
        ring_test(before_the_start_nothing_is_known),
        ring_test(a_second_relay_of_a_loop_is_watched_by_the_poller),
        ring_test(the_loop_ends_when_the_last_pair_does),
        ring_test(what_is_only_in_the_ring_is_a_reason_for_a_reset),
        ring_test(so_is_what_is_in_its_own_queue),
        ring_test(a_buffer_of_a_pair_that_is_cut_is_there_for_others),
        ring_test(a_pair_ends_while_the_kernel_takes_nothing),
        ring_test(a_request_that_is_not_out_meets_no_other_socket),
        ring_test(what_comes_behind_bytes_that_wait_stands_behind_them),
        ring_test(as_many_buffers_stand_on_the_shelf_as_turns_need),
        cmocka_unit_test_prestate(each_failing_allocation_costs_at_most_its_connection,
                                  (void *)(uintptr_t)&steps[0]),
    };
    int failed = cmocka_run_group_tests_name("uring here", probe, NULL, NULL);
    if (!possible) {
        return failed;
    }
    failed += cmocka_run_group_tests_name("uring", tests, NULL, NULL);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        failed += contract_run(&steps[i]);
    }
    return failed;
}
