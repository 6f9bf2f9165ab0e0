/* SPDX-License-Identifier: MIT */
/* Crowds: the engines' contract where each receive and send goes through one, and what many pairs
 * have in one turn. */
#define _GNU_SOURCE
#include "contract.h"
#include "visit.h"

#include "net/batch.h"
#include "relay/move/crowd.h"

enum { CROWD = 8 };

static unsigned lacks; /* of this run */

static void set_crowds(tusk_relay *relay)
{
    relay->crowd_min = 1;
    relay->batch.lacks = lacks;
}

static void prepare(void)
{
    lacks = 0;
    r.on_made = set_crowds;
}

static void prepare_refusal(void)
{
    prepare();
    lacks = BATCH_REFUSES;
}

/* A container's filter of system calls may forbid it. */
static bool kernel_has_rings(void)
{
    const char *reason;
    tusk_batch *ring;
    bool has = tusk_batch_new(&ring, tusk_mem_default(), 0, &reason) == TUSK_OK;
    tusk_batch_free(ring);
    return has;
}

static void there_were_crowds(void)
{
    tusk_relay_stats stats = rig_stats();
    assert_true(stats.batches > 0 || !kernel_has_rings());
    assert_true(stats.batched >= stats.batches);
}

/* ---- many at once ---- */
static ends many[CROWD];
static int listener;

static void join_many(void)
{
    uint16_t port;
    listener = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    for (int i = 0; i < CROWD; i++) {
        many[i].client = rig_client();
        many[i].server = rig_accept(listener);
        rig_send(many[i].client, "hello");
        rig_expect(many[i].server, "hello");
    }
    rig_turn();
}

static void leave_many(void)
{
    for (int i = 0; i < CROWD; i++) {
        (void)close(many[i].client);
        (void)close(many[i].server);
    }
    (void)close(listener);
    rig_until(rig_stats().active == 0);
}

/* All have said something before the relay looks; each says what is its own. */
static void say(const char *what)
{
    char text[RIG_TEXT];
    for (int i = 0; i < CROWD; i++) {
        (void)snprintf(text, sizeof(text), "%s %d", what, i);
        rig_send(many[i].client, text);
    }
}

static void expect(int i, const char *what)
{
    char text[RIG_TEXT];
    (void)snprintf(text, sizeof(text), "%s %d", what, i);
    rig_expect(many[i].server, text);
}

static void what_many_have_in_one_turn_is_two_calls(void **state)
{
    (void)state;
    join_many();
    tusk_relay_stats before = rig_stats();
    say("question");
    rig_turn();
    tusk_relay_stats after = rig_stats();
    for (int i = 0; i < CROWD; i++) {
        expect(i, "question");
    }
    if (r.relay->batch.ring != NULL) {
        assert_int_equal(after.batches - before.batches, 2);
        assert_int_equal(after.batched - before.batched, 2 * CROWD);
    }
    leave_many();
}

static void few_are_moved_one_by_one(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.client, "question");
    rig_expect(both.server, "question");
    assert_int_equal(rig_stats().batches, 0);
    assert_null(r.relay->batch.ring);
    leave(both);
}

static void with_plain_io_each_is_a_call_of_its_own(void **state)
{
    (void)state;
    r.options.plain_io = true;
    join_many();
    say("question");
    for (int i = 0; i < CROWD; i++) {
        expect(i, "question");
    }
    assert_int_equal(rig_stats().batches, 0);
    assert_null(r.relay->batch.ring);
    leave_many();
}

/* One of the crowd resets, one has ended, one's other side is gone, one has more than its part of
 * the buffer. */
static void who_does_not_go_smoothly_leaves_the_others_alone(void **state)
{
    enum { LONG = 3 * RELAY_CROWD_BYTES + 5 };
    uint8_t bytes[LONG];
    (void)state;
    prepare();
    join_many();
    memset(bytes, 'x', sizeof(bytes));
    rig_reset(many[0].client);
    rig_send(many[1].client, "last");
    assert_int_equal(shutdown(many[1].client, SHUT_WR), 0);
    rig_reset(many[2].server);
    rig_send(many[2].client, "to nobody");
    rig_send_bytes(many[3].client, tusk_bytes_of(bytes, LONG));
    for (int i = 4; i < CROWD; i++) {
        rig_send(many[i].client, "well");
    }
    rig_expect_reset(many[0].server);
    rig_expect(many[1].server, "last");
    rig_expect_eof(many[1].server);
    rig_expect_reset(many[2].client);
    rig_expect_bytes(many[3].server, tusk_bytes_of(bytes, LONG));
    for (int i = 4; i < CROWD; i++) {
        rig_expect(many[i].server, "well");
    }
    many[0].client = many[2].server = -1;
    leave_many();
    assert_int_equal(rig_stats().resets_client, 1);
    assert_int_equal(rig_stats().resets_backend, 1);
}

/* ---- what the kernel has ---- */
static void a_kernel_that_lacks_it_is_told_of_once(void **state)
{
    static const struct {
        unsigned lacks;
        const char *log;
    } cases[] = {{BATCH_NO_CALLS, "this kernel has no io_uring"},
                 {BATCH_FORBIDDEN, "io_uring is not permitted"},
                 {BATCH_WAITS, "too old"}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        r.target_count = 0;
        r.record_count = 0;
        prepare();
        lacks = cases[i].lacks;
        join_many();
        say("question");
        for (int at = 0; at < CROWD; at++) {
            expect(at, "question");
        }
        assert_non_null(strstr(r.log, "io_uring: unavailable ("));
        assert_non_null(strstr(r.log, "): each receive and send is a system call"));
        if (kernel_has_rings()) {
            assert_non_null(strstr(r.log, cases[i].log));
        }
        r.log[0] = '\0';
        say("again");
        for (int at = 0; at < CROWD; at++) {
            expect(at, "again");
        }
        assert_string_equal(r.log, "");
        assert_int_equal(rig_stats().batches, 0);
        leave_many();
        tusk_relay_free(r.relay);
        r.relay = NULL;
    }
}

static void a_ring_that_refuses_later_is_left(void **state)
{
    (void)state;
    prepare_refusal();
    join_many();
    say("question");
    for (int i = 0; i < CROWD; i++) {
        expect(i, "question");
    }
    say("again");
    for (int i = 0; i < CROWD; i++) {
        expect(i, "again");
    }
    leave_many();
}

/* ---- between the poller's word and the crowd's receive ---- */
static int pipe_of[2];
static tusk_io earlier; /* told before the crowd's events, as it was ready before them */
static bool drained;

/* The relay's end of this client's connection. */
static int relays_end_of(int client)
{
    struct sockaddr_in own, peer;
    socklen_t len = sizeof(own);
    assert_int_equal(getsockname(client, (struct sockaddr *)&own, &len), 0);
    for (int fd = 3; fd < 1024; fd++) {
        len = sizeof(peer);
        if (fd != client && getpeername(fd, (struct sockaddr *)&peer, &len) == 0 &&
            peer.sin_family == AF_INET && peer.sin_port == own.sin_port) {
            return fd;
        }
    }
    fail_msg("the relay has no such connection");
    return -1;
}

static void on_between(tusk_io *io, unsigned events)
{
    char bytes[RIG_TEXT];
    (void)events;
    assert_int_equal(read(io->fd, bytes, 1), 1);
    if (drained) { /* as if another event had read it already: nothing hides the reset */
        assert_true(recv(relays_end_of(many[0].client), bytes, sizeof(bytes), 0) > 0);
    }
    rig_reset(many[0].client);
}

static void reset_between(bool nothing_is_left)
{
    drained = nothing_is_left;
    join_many();
    assert_int_equal(pipe(pipe_of), 0);
    earlier = (tusk_io){.fd = pipe_of[0], .on_event = on_between};
    assert_err(tusk_io_add(r.loop, &earlier, TUSK_IO_READ), TUSK_OK);
    assert_int_equal(write(pipe_of[1], "x", 1), 1);
    tusk_relay_stats before = rig_stats();
    say("question");
    rig_turn();
    if (r.relay->batch.ring != NULL) {
        assert_int_equal(rig_stats().batched - before.batched, 2 * CROWD - (drained ? 1 : 0));
    }
    if (!drained) {
        expect(0, "question");
    }
    rig_expect_reset(many[0].server);
    for (int i = 1; i < CROWD; i++) {
        expect(i, "question");
        rig_send(many[i].server, "answer");
        rig_expect(many[i].client, "answer");
    }
    tusk_io_remove(r.loop, &earlier);
    (void)close(pipe_of[0]);
    (void)close(pipe_of[1]);
    rig_until(rig_stats().active == CROWD - 1);
    (void)close(many[0].server);
    many[0].client = many[0].server = -1;
    leave_many();
}

static void a_reset_after_the_pollers_word_loses_nothing_that_was_said(void **state)
{
    (void)state;
    reset_between(false);
}

static void a_reset_that_only_the_crowds_receive_meets_ends_its_pair_alone(void **state)
{
    (void)state;
    reset_between(true);
}

#define crowd_test(name) cmocka_unit_test_setup_teardown(name, rig_set_up, rig_tear_down)

int main(void)
{
    static const contract_engine engines[] = {
        {.engine = TUSK_ENGINE_COPY,
         .name = "copy in crowds",
         .poller = "epoll",
         .prepare = prepare,
         .check_bulk = there_were_crowds},
        {.engine = TUSK_ENGINE_SPLICE,
         .name = "splice in crowds",
         .poller = "epoll",
         .prepare = prepare,
         .check_bulk = there_were_crowds},
        {.engine = TUSK_ENGINE_COPY,
         .name = "copy in crowds after an upgrade",
         .poller = "epoll",
         .prepare = prepare,
         .check_bulk = there_were_crowds,
         .upgraded = true},
        {.engine = TUSK_ENGINE_COPY,
         .name = "copy in crowds that the ring refuses",
         .poller = "epoll",
         .prepare = prepare_refusal},
    };
    const struct CMUnitTest tests[] = {
        crowd_test(what_many_have_in_one_turn_is_two_calls),
        crowd_test(few_are_moved_one_by_one),
        crowd_test(with_plain_io_each_is_a_call_of_its_own),
        crowd_test(who_does_not_go_smoothly_leaves_the_others_alone),
        crowd_test(a_kernel_that_lacks_it_is_told_of_once),
        crowd_test(a_ring_that_refuses_later_is_left),
        crowd_test(a_reset_after_the_pollers_word_loses_nothing_that_was_said),
        crowd_test(a_reset_that_only_the_crowds_receive_meets_ends_its_pair_alone),
        cmocka_unit_test_prestate(each_failing_allocation_costs_at_most_its_connection,
                                  (void *)(uintptr_t)&engines[0]),
    };
    int failed = cmocka_run_group_tests_name("crowds", tests, NULL, NULL);
    if (tusk_relay_uring_library() == NULL) {
        return failed; /* without a ring there are none */
    }
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        failed += contract_run(&engines[i]);
    }
    return failed;
}
