/* SPDX-License-Identifier: MIT */
/* The turn: events, tasks, stopping, and a callback whose stack is set aside in the middle of it.
 */
#define _GNU_SOURCE
#include <tusk/loop.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include "pollers.h"

#define PAIRS 4

typedef struct end {
    tusk_io io; /* first */
    int peer;
    int calls;
    unsigned events;
    void (*then)(struct end *self);
} end;

static struct {
    test_mem mem;
    tusk_loop *loop;
    end ends[PAIRS];
    char log[256];
} t;

static void note(const char *text)
{
    strncat(t.log, text, sizeof(t.log) - strlen(t.log) - 1);
}

static void on_event(tusk_io *io, unsigned events)
{
    end *self = (end *)(void *)io;
    self->calls++;
    self->events = events;
    if (self->then != NULL) {
        self->then(self);
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
    assert_string_equal(tusk_loop_driver(t.loop), test_poller);
    for (int i = 0; i < PAIRS; i++) {
        int fds[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
        t.ends[i].io.fd = fds[0];
        t.ends[i].io.on_event = on_event;
        t.ends[i].peer = fds[1];
        assert_err(tusk_io_add(t.loop, &t.ends[i].io, TUSK_IO_READ), TUSK_OK);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        tusk_io_remove(t.loop, &t.ends[i].io);
        tusk_io_remove(t.loop, &t.ends[i].io);
        close(t.ends[i].io.fd);
        close(t.ends[i].peer);
    }
    tusk_loop_free(t.loop);
    test_mem_assert_empty(&t.mem);
    return 0;
}

static void poke(int i)
{
    assert_int_equal(write(t.ends[i].peer, "x", 1), 1);
}

static void swallow(end *self)
{
    char bytes[8];
    (void)!read(self->io.fd, bytes, sizeof(bytes));
}

static void turn(void)
{
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
}

static void readable_is_told_again_until_it_is_read(void **state)
{
    (void)state;
    poke(0);
    turn();
    turn();
    assert_int_equal(t.ends[0].calls, 2);
    assert_int_equal(t.ends[0].events, TUSK_IO_READ);
    t.ends[0].then = swallow;
    turn();
    turn();
    assert_int_equal(t.ends[0].calls, 3);
    assert_int_equal(t.ends[1].calls, 0);
}

static void interest_decides_what_is_told(void **state)
{
    (void)state;
    assert_err(tusk_io_set(t.loop, &t.ends[0].io, TUSK_IO_WRITE), TUSK_OK);
    poke(0);
    turn();
    assert_int_equal(t.ends[0].events, TUSK_IO_WRITE);
    assert_err(tusk_io_set(t.loop, &t.ends[0].io, TUSK_IO_READ | TUSK_IO_WRITE), TUSK_OK);
    turn();
    assert_int_equal(t.ends[0].events, TUSK_IO_READ | TUSK_IO_WRITE);
    assert_err(tusk_io_set(t.loop, &t.ends[0].io, 0), TUSK_OK);
    turn();
    assert_int_equal(t.ends[0].calls, 2);
    assert_err(tusk_io_set(t.loop, &t.ends[0].io, TUSK_IO_READ), TUSK_OK);
    turn();
    assert_int_equal(t.ends[0].calls, 3);
    tusk_io_remove(t.loop, &t.ends[1].io);
    assert_err(tusk_io_set(t.loop, &t.ends[1].io, TUSK_IO_READ), TUSK_ESTATE);
}

static void what_nobody_asked_for_ends_no_wait(void **state)
{
    (void)state;
    poke(0);
    for (unsigned interest = 0; interest <= 1; interest++) { /* nothing; to write, which is full */
        assert_err(tusk_io_set(t.loop, &t.ends[0].io, interest * TUSK_IO_WRITE), TUSK_OK);
        while (send(t.ends[0].io.fd, t.log, sizeof(t.log), MSG_DONTWAIT) > 0) {
        }
        uint64_t from_ns = tusk_loop_clock_ns();
        assert_err(tusk_loop_turn(t.loop, 20), TUSK_OK);
        assert_true(tusk_loop_clock_ns() - from_ns >= 19000000);
    }
    assert_int_equal(t.ends[0].calls, 0);
}

static void a_hang_up_is_told_though_nobody_asked(void **state)
{
    (void)state;
    assert_err(tusk_io_set(t.loop, &t.ends[0].io, 0), TUSK_OK);
    close(t.ends[0].peer);
    t.ends[0].peer = dup(t.ends[1].peer);
    turn();
    if (strcmp(test_poller, "select") == 0) {
        assert_int_equal(t.ends[0].calls, 0); /* it has no way to see it; documented */
    } else {
        assert_int_equal(t.ends[0].events, TUSK_IO_HUP);
    }
}

static void remove_all_others(end *self)
{
    swallow(self);
    for (int i = 0; i < PAIRS; i++) {
        if (&t.ends[i] != self) {
            tusk_io_remove(t.loop, &t.ends[i].io);
        }
    }
}

static void removing_in_a_callback_drops_what_was_not_delivered(void **state)
{
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        t.ends[i].then = remove_all_others;
        poke(i);
    }
    turn();
    int calls = 0;
    for (int i = 0; i < PAIRS; i++) {
        calls += t.ends[i].calls;
    }
    assert_int_equal(calls, 1);
}

static void remove_me_and_come_back(end *self)
{
    swallow(self);
    tusk_io_remove(t.loop, &self->io);
    assert_err(tusk_io_add(t.loop, &self->io, TUSK_IO_READ), TUSK_OK);
}

static void a_descriptor_removed_and_added_in_its_callback_goes_on(void **state)
{
    (void)state;
    t.ends[2].then = remove_me_and_come_back;
    poke(2);
    turn();
    poke(2);
    turn();
    assert_int_equal(t.ends[2].calls, 2);
}

static void pause_the_others(end *self)
{
    swallow(self);
    for (int i = 0; i < PAIRS; i++) {
        assert_err(tusk_io_set(t.loop, &t.ends[i].io, 0), TUSK_OK);
    }
}

static void taking_interest_away_holds_at_once(void **state)
{
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        t.ends[i].then = pause_the_others;
        poke(i);
    }
    turn();
    turn();
    int calls = 0;
    for (int i = 0; i < PAIRS; i++) {
        calls += t.ends[i].calls;
    }
    assert_int_equal(calls, 1);
}

static void more_descriptors_than_a_batch_are_all_served(void **state)
{
    (void)state;
    enum { MANY = 600 };
    bool is_select = strcmp(test_poller, "select") == 0;
    int many = is_select ? 300 : MANY;
    end *ends = calloc(MANY, sizeof(*ends));
    for (int i = 0; i < many; i++) {
        int fds[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
        ends[i].io.fd = fds[0];
        ends[i].io.on_event = on_event;
        ends[i].peer = fds[1];
        assert_err(tusk_io_add(t.loop, &ends[i].io, TUSK_IO_WRITE), TUSK_OK);
    }
    turn();
    turn();
    turn();
    for (int i = 0; i < many; i++) {
        assert_in_range(ends[i].calls, 1, 3);
        tusk_io_remove(t.loop, &ends[i].io);
        close(ends[i].io.fd);
        close(ends[i].peer);
    }
    free(ends);
}

static void a_high_descriptor_is_watched_or_refused_but_never_overruns(void **state)
{
    (void)state;
    tusk_io io = {.fd = fcntl(t.ends[0].peer, F_DUPFD, 2000), .on_event = on_event};
    assert_true(io.fd >= 2000);
    assert_err(tusk_io_add(t.loop, &io, TUSK_IO_READ),
               strcmp(test_poller, "select") == 0 ? TUSK_ELIMIT : TUSK_OK);
    tusk_io_remove(t.loop, &io);
    close(io.fd);
}

/* ---- tasks ---- */
typedef struct job {
    tusk_task task; /* first */
    const char *name;
    int again; /* how often it defers itself */
    struct job *next;
    bool next_late;
} job;

static void run_job(tusk_task *task)
{
    job *self = (job *)(void *)task;
    note(self->name);
    if (self->again-- > 0) {
        tusk_task_defer(t.loop, task);
    }
    if (self->next != NULL) {
        (self->next_late ? tusk_task_defer_late : tusk_task_defer)(t.loop, &self->next->task);
    }
}

#define JOB(text)                                                                                  \
    {                                                                                              \
        .task = {.run = run_job}, .name = (text)                                                   \
    }

static void tasks_run_in_order_and_late_ones_last(void **state)
{
    (void)state;
    job a = JOB("a");
    job b = JOB("b");
    job c = JOB("c");
    job z = JOB("z");
    a.next = &c;
    tusk_task_defer_late(t.loop, &z.task);
    tusk_task_defer(t.loop, &a.task);
    tusk_task_defer(t.loop, &b.task);
    tusk_task_defer(t.loop, &b.task);
    turn();
    assert_string_equal(t.log, "abcz");
}

static void a_cancelled_task_does_not_run_and_a_late_one_may_defer_more(void **state)
{
    (void)state;
    job a = JOB("a");
    job b = JOB("b");
    job z = JOB("z");
    z.next = &b;
    tusk_task_defer(t.loop, &a.task);
    tusk_task_cancel(&a.task);
    tusk_task_cancel(&a.task);
    tusk_task_defer_late(t.loop, &z.task);
    turn();
    assert_string_equal(t.log, "zb");
}

static void a_task_that_defers_itself_for_ever_lets_events_through(void **state)
{
    (void)state;
    job a = JOB("a");
    a.again = 1000;
    tusk_task_defer(t.loop, &a.task);
    poke(0);
    t.ends[0].then = swallow;
    assert_err(tusk_loop_turn(t.loop, -1), TUSK_OK);
    assert_err(tusk_loop_turn(t.loop, -1), TUSK_OK); /* does not wait, the task is due */
    assert_int_equal(t.ends[0].calls, 1);
    assert_true(a.again > 900);
    tusk_task_cancel(&a.task);
}

/* ---- stopping ---- */
static void stop(end *self)
{
    swallow(self);
    tusk_loop_stop(t.loop);
}

static void stopping_leaves_the_rest_of_the_turn_for_the_next_run(void **state)
{
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        t.ends[i].then = stop;
        poke(i);
    }
    for (int i = 1; i <= PAIRS; i++) {
        assert_err(tusk_loop_run(t.loop), TUSK_OK);
        int calls = 0;
        for (int k = 0; k < PAIRS; k++) {
            calls += t.ends[k].calls;
        }
        assert_int_equal(calls, i);
    }
    tusk_loop_counters counters;
    tusk_loop_count(t.loop, &counters);
    assert_int_equal(counters.events, PAIRS);
}

static void stopping_a_loop_that_does_not_run_stops_the_next_run(void **state)
{
    (void)state;
    tusk_loop_stop(t.loop);
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
}

static void run_ends_when_only_background_is_left(void **state)
{
    (void)state;
    tusk_loop_background(t.loop, PAIRS);
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
    tusk_loop_background(t.loop, -1);
    t.ends[0].then = stop;
    poke(0);
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
    assert_int_equal(t.ends[0].calls, 1);
    tusk_loop_background(t.loop, 1 - PAIRS);
}

/* ---- stacks ---- */
#define STACK_BYTES ((size_t)512 * 1024)

static struct {
    ucontext_t main;
    ucontext_t side; /* the stack that runs the loop, set aside in a callback */
    tusk_err side_result;
    bool side_done;
    tusk_task task;
    tusk_timer timer;
} s;

static void run_on_the_side(void)
{
    s.side_result = tusk_loop_run(t.loop);
    s.side_done = true;
}

static void set_aside(end *self)
{
    swallow(self);
    note("[");
    swapcontext(&s.side, &s.main);
    note("]");
}

static void swallow_and_note(end *self)
{
    swallow(self);
    note("e");
}

static void note_task(tusk_task *task)
{
    (void)task;
    note("t");
    tusk_loop_stop(t.loop);
}

static void note_task_aside(tusk_task *task)
{
    (void)task;
    note("[");
    swapcontext(&s.side, &s.main);
    note("]");
}

static void note_timer(tusk_timer *timer)
{
    (void)timer;
    note("m");
}

static void note_timer_aside(tusk_timer *timer)
{
    (void)timer;
    note("[");
    swapcontext(&s.side, &s.main);
    note("]");
}

static void *start_side(void)
{
    void *stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(&s, 0, sizeof(s));
    getcontext(&s.side);
    s.side.uc_stack.ss_sp = stack;
    s.side.uc_stack.ss_size = STACK_BYTES;
    s.side.uc_link = &s.main;
    makecontext(&s.side, run_on_the_side, 0);
    return stack;
}

static void another_stack_goes_on_with_the_very_next_event(void **state)
{
    (void)state;
    void *stack = start_side();
    for (int i = 0; i < PAIRS; i++) {
        t.ends[i].then = swallow_and_note;
        poke(i);
    }
    t.ends[0].then = set_aside;
    s.task.run = note_task;
    s.timer.on_due = note_timer;
    tusk_task_defer(t.loop, &s.task);
    tusk_timer_start(t.loop, &s.timer, 0);
    swapcontext(&s.main, &s.side); /* until the callback of ends[0] sets its stack aside */
    assert_false(s.side_done);
    char *open = strchr(t.log, '[');
    assert_non_null(open);
    assert_err(tusk_loop_run(t.loop),
               TUSK_OK); /* the rest of the same turn, up to the task's stop */
    tusk_loop_counters counters;
    tusk_loop_count(t.loop, &counters);
    assert_int_equal(counters.turns, 1);
    assert_int_equal(counters.events, PAIRS);
    assert_int_equal(counters.timers, 1);
    assert_string_equal(strstr(t.log, "mt"), "mt");
    swapcontext(&s.main, &s.side); /* the old callback returns into the old run */
    assert_true(s.side_done);
    assert_err(s.side_result, TUSK_ESTATE);
    assert_string_equal(strchr(t.log, ']'), "]");
    munmap(stack, STACK_BYTES);
}

static void a_timer_and_a_task_may_be_set_aside_too(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        void *stack = start_side();
        tusk_timer other = {.on_due = note_timer};
        tusk_task last = {.run = note_task};
        t.log[0] = '\0';
        s.timer.on_due = which == 0 ? note_timer_aside : note_timer;
        s.task.run = note_task_aside;
        tusk_timer_start(t.loop, &s.timer, 0);
        tusk_timer_start(t.loop, &other, 0);
        if (which == 1) {
            tusk_task_defer(t.loop, &s.task);
        }
        tusk_task_defer(t.loop, &last);
        swapcontext(&s.main, &s.side);
        assert_err(tusk_loop_run(t.loop), TUSK_OK);
        assert_string_equal(t.log, which == 0 ? "[mt" : "mm[t");
        swapcontext(&s.main, &s.side);
        assert_err(s.side_result, TUSK_ESTATE);
        munmap(stack, STACK_BYTES);
        turn(); /* what was left of that turn */
    }
}

static void stop_and_set_aside(end *self)
{
    swallow(self);
    tusk_loop_stop(t.loop);
    swapcontext(&s.side, &s.main);
}

static void a_stop_is_not_lost_when_its_stack_is_set_aside(void **state)
{
    (void)state;
    void *stack = start_side();
    t.ends[0].then = stop_and_set_aside;
    poke(0);
    swapcontext(&s.main, &s.side);
    assert_err(tusk_loop_run(t.loop), TUSK_OK); /* returns at once, for the stop */
    swapcontext(&s.main, &s.side);
    assert_err(s.side_result, TUSK_ESTATE);
    munmap(stack, STACK_BYTES);
}

/* ---- before the loop is freed ---- */
static void defer_again(tusk_task *task)
{
    note("t");
    tusk_task_defer(t.loop, task);
}

static void settling_does_what_was_left_and_comes_to_an_end(void **state)
{
    (void)state;
    tusk_timer later = {.on_due = note_timer};
    tusk_task once = {.run = note_task};
    tusk_task_defer_late(t.loop, &once);
    tusk_loop_settle(t.loop);
    assert_string_equal(t.log, "t");
    tusk_timer_start(t.loop, &later, 3600000);
    tusk_loop_settle(t.loop); /* does not wait for it */
    assert_string_equal(t.log, "t");
    tusk_timer_stop(t.loop, &later);
    tusk_task endless = {.run = defer_again};
    tusk_task_defer(t.loop, &endless);
    tusk_loop_settle(t.loop); /* eight turns of eight generations */
    assert_int_equal(strlen(t.log), 1 + 64);
    tusk_task_cancel(&endless);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(readable_is_told_again_until_it_is_read),
        TEST(interest_decides_what_is_told),
        TEST(what_nobody_asked_for_ends_no_wait),
        TEST(a_hang_up_is_told_though_nobody_asked),
        TEST(removing_in_a_callback_drops_what_was_not_delivered),
        TEST(a_descriptor_removed_and_added_in_its_callback_goes_on),
        TEST(taking_interest_away_holds_at_once),
        TEST(more_descriptors_than_a_batch_are_all_served),
        TEST(a_high_descriptor_is_watched_or_refused_but_never_overruns),
        TEST(tasks_run_in_order_and_late_ones_last),
        TEST(a_cancelled_task_does_not_run_and_a_late_one_may_defer_more),
        TEST(a_task_that_defers_itself_for_ever_lets_events_through),
        TEST(stopping_leaves_the_rest_of_the_turn_for_the_next_run),
        TEST(stopping_a_loop_that_does_not_run_stops_the_next_run),
        TEST(run_ends_when_only_background_is_left),
        TEST(another_stack_goes_on_with_the_very_next_event),
        TEST(a_timer_and_a_task_may_be_set_aside_too),
        TEST(a_stop_is_not_lost_when_its_stack_is_set_aside),
        TEST(settling_does_what_was_left_and_comes_to_an_end),
    };
    return TEST_RUN_FOR_EACH_POLLER("loop/turn", tests);
}
