/* SPDX-License-Identifier: MIT */
/* Signals: watchers of one and of several loops, stopping in the callback, dispositions given back.
 */
#define _GNU_SOURCE
#include <tusk/loop.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/list.h"
#include "pollers.h"

typedef struct watcher {
    tusk_signal signal; /* first */
    tusk_loop *loop;
    int calls;
    struct watcher *victim; /* stopped by the callback */
} watcher;

static struct {
    test_mem mem;
    tusk_loop *loop;
} t;

static void on_signal(tusk_signal *signal)
{
    watcher *self = (watcher *)(void *)signal;
    self->calls++;
    if (self->victim != NULL) {
        tusk_signal_stop(self->victim->loop, &self->victim->signal);
    }
}

#define WATCHER                                                                                    \
    {                                                                                              \
        .signal = {.on_signal = on_signal}, .loop = t.loop                                         \
    }

static int set_up(void **state)
{
    (void)state;
    test_mem_init(&t.mem, 0);
    assert_err(
        tusk_loop_new(&t.loop, &(tusk_loop_options){.mem = &t.mem.mem, .poller = test_poller}),
        TUSK_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tusk_loop_free(t.loop);
    test_mem_assert_empty(&t.mem);
    return 0;
}

static void turns(int count)
{
    while (count-- > 0) {
        assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    }
}

static void a_signal_is_told_in_the_loop_and_many_are_one(void **state)
{
    (void)state;
    watcher one = WATCHER;
    watcher other = WATCHER;
    assert_err(tusk_signal_start(t.loop, &one.signal, SIGUSR1), TUSK_OK);
    assert_err(tusk_signal_start(t.loop, &other.signal, SIGUSR2), TUSK_OK);
    raise(SIGUSR1);
    raise(SIGUSR1);
    assert_int_equal(one.calls, 0);
    turns(2);
    assert_int_equal(one.calls, 1);
    assert_int_equal(other.calls, 0);
    raise(SIGUSR1);
    turns(1);
    assert_int_equal(one.calls, 2);
    tusk_signal_stop(t.loop, &one.signal);
    tusk_signal_stop(t.loop, &one.signal);
    tusk_signal_stop(t.loop, &other.signal);
}

static void all_watchers_of_a_number_are_told(void **state)
{
    (void)state;
    watcher one = WATCHER;
    watcher two = WATCHER;
    watcher three = WATCHER;
    assert_err(tusk_signal_start(t.loop, &one.signal, SIGUSR1), TUSK_OK);
    assert_err(tusk_signal_start(t.loop, &two.signal, SIGUSR1), TUSK_OK);
    assert_err(tusk_signal_start(t.loop, &three.signal, SIGUSR1), TUSK_OK);
    raise(SIGUSR1);
    turns(4);
    assert_int_equal(one.calls + two.calls + three.calls, 3);
    tusk_signal_stop(t.loop, &two.signal);
    raise(SIGUSR1);
    turns(4);
    assert_int_equal(one.calls, 2);
    assert_int_equal(two.calls, 1);
    assert_int_equal(three.calls, 2);
    tusk_signal_stop(t.loop, &one.signal);
    tusk_signal_stop(t.loop, &three.signal);
}

static void a_callback_may_stop_itself_and_the_next(void **state)
{
    (void)state;
    watcher one = WATCHER;
    watcher two = WATCHER;
    one.victim = &two;
    two.victim = &one;
    assert_err(tusk_signal_start(t.loop, &one.signal, SIGUSR1), TUSK_OK);
    assert_err(tusk_signal_start(t.loop, &two.signal, SIGUSR1), TUSK_OK);
    raise(SIGUSR1);
    turns(4);
    assert_int_equal(one.calls + two.calls, 1);
    watcher *left = one.calls == 1 ? &one : &two;
    left->victim = left; /* the last one: the loop has nothing of signals afterwards */
    raise(SIGUSR1);
    turns(4);
    assert_int_equal(left->calls, 2);
}

static void several_loops_hear_the_same_signal(void **state)
{
    (void)state;
    tusk_loop *second;
    assert_err(tusk_loop_new(&second, NULL), TUSK_OK);
    watcher here = WATCHER;
    watcher there = WATCHER;
    there.loop = second;
    assert_err(tusk_signal_start(t.loop, &here.signal, SIGUSR1), TUSK_OK);
    assert_err(tusk_signal_start(second, &there.signal, SIGUSR1), TUSK_OK);
    raise(SIGUSR1);
    turns(2);
    assert_int_equal(here.calls, 1);
    assert_int_equal(there.calls, 0);
    assert_err(tusk_loop_turn(second, 0), TUSK_OK);
    assert_int_equal(there.calls, 1);
    tusk_signal_stop(t.loop, &here.signal);
    raise(SIGUSR1); /* still caught, for the other */
    turns(2);
    assert_err(tusk_loop_turn(second, 0), TUSK_OK);
    assert_int_equal(here.calls, 1);
    assert_int_equal(there.calls, 2);
    tusk_signal_stop(second, &there.signal);
    tusk_loop_free(second);
}

static volatile sig_atomic_t theirs;
static void their_handler(int number)
{
    theirs = number;
}

static void the_former_handler_is_given_back(void **state)
{
    (void)state;
    struct sigaction mine = {.sa_handler = their_handler};
    struct sigaction after;
    assert_int_equal(sigaction(SIGUSR1, &mine, NULL), 0);
    watcher one = WATCHER;
    watcher two = WATCHER;
    theirs = 0;
    assert_err(tusk_signal_start(t.loop, &one.signal, SIGUSR1), TUSK_OK);
    assert_err(tusk_signal_start(t.loop, &two.signal, SIGUSR1), TUSK_OK);
    tusk_signal_stop(t.loop, &one.signal);
    raise(SIGUSR1);
    assert_int_equal(theirs, 0);
    tusk_signal_stop(t.loop, &two.signal);
    raise(SIGUSR1);
    assert_int_equal(theirs, SIGUSR1);
    assert_int_equal(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = SIG_DFL}, &after), 0);
    assert_ptr_equal(after.sa_handler, their_handler);
}

static void a_signal_keeps_the_loop_running_and_interrupts_its_wait(void **state)
{
    (void)state;
    watcher one = WATCHER;
    one.victim = &one;
    assert_err(tusk_signal_start(t.loop, &one.signal, SIGALRM), TUSK_OK);
    ualarm(10000, 0);
    assert_err(tusk_loop_run(t.loop), TUSK_OK); /* waits for it, then nothing is left */
    assert_int_equal(one.calls, 1);
}

typedef struct woken {
    tusk_timer timer; /* first */
    tusk_io io;
    int told; /* decimal digits, in their order: 1 what arrived, 2 the timer */
} woken;

static int arrival[2];
static uint64_t due_ns;

/* As SIGCONT does: the process slept until both were there. */
static void on_sleep(int number)
{
    (void)number;
    assert_int_equal(write(arrival[1], "x", 1), 1);
    while (tusk_loop_clock_ns() < due_ns) {
    }
}

/* Whether that thread of ours sleeps: in its wait, as it has nothing else to wait for. */
static bool sleeps(long tid)
{
    char path[64];
    char text[256];
    (void)snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    text[len < 0 ? 0 : len] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && strncmp(name_end, ") S", 3) == 0;
}

typedef struct waker {
    pthread_t sleeper;
    long tid;
} waker;

static void *interrupt_its_wait(void *arg)
{
    const waker *self = arg;
    while (!sleeps(self->tid) && tusk_loop_clock_ns() < due_ns) {
        (void)usleep(1000);
    }
    (void)pthread_kill(self->sleeper, SIGALRM);
    return NULL;
}

static void on_arrival(tusk_io *io, unsigned events)
{
    (void)events;
    woken *self = TUSK_OWNER(io, woken, io);
    self->told = self->told * 10 + 1;
    tusk_io_close(t.loop, io);
}

static void on_woken(tusk_timer *timer)
{
    woken *self = (woken *)(void *)timer;
    self->told = self->told * 10 + 2;
}

static void what_arrived_in_an_interrupted_wait_is_told_before_timers(void **state)
{
    enum { DUE_MS = 500 };
    (void)state;
    struct sigaction before;
    pthread_t thread;
    waker who = {pthread_self(), syscall(SYS_gettid)};
    assert_int_equal(pipe(arrival), 0);
    woken self = {.timer.on_due = on_woken, .io = {.fd = arrival[0], .on_event = on_arrival}};
    assert_err(tusk_io_add(t.loop, &self.io, TUSK_IO_READ), TUSK_OK);
    assert_int_equal(sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_sleep}, &before), 0);
    tusk_timer_start(t.loop, &self.timer, DUE_MS);
    due_ns = tusk_loop_clock_ns() + (DUE_MS + 10) * UINT64_C(1000000);
    assert_int_equal(pthread_create(&thread, NULL, interrupt_its_wait, &who), 0);
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(self.told, 12);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    (void)close(arrival[1]);
}

static void numbers_that_cannot_be_watched_are_refused(void **state)
{
    (void)state;
    watcher one = WATCHER;
    assert_err(tusk_signal_start(t.loop, &one.signal, 0), TUSK_EINVAL);
    assert_err(tusk_signal_start(t.loop, &one.signal, 1000), TUSK_EINVAL);
    assert_err(tusk_signal_start(t.loop, &one.signal, SIGKILL), TUSK_EINVAL);
    assert_err(tusk_loop_run(t.loop), TUSK_OK); /* nothing of it keeps the loop running */
}

static void more_loops_than_there_are_places_are_refused_and_leave_nothing(void **state)
{
    (void)state;
    enum { PLACES = 64 };
    tusk_loop *loops[PLACES + 1];
    watcher all[PLACES + 1];
    memset(all, 0, sizeof(all));
    for (int i = 0; i <= PLACES; i++) {
        const tusk_loop_options options = {.mem = &t.mem.mem, .poller = test_poller};
        assert_err(tusk_loop_new(&loops[i], &options), TUSK_OK);
        all[i].signal.on_signal = on_signal;
        assert_err(tusk_signal_start(loops[i], &all[i].signal, SIGUSR1),
                   i < PLACES ? TUSK_OK : TUSK_ELIMIT);
    }
    assert_err(tusk_loop_run(loops[PLACES]), TUSK_OK); /* nothing of it keeps the loop running */
    tusk_signal_stop(loops[7], &all[7].signal);
    assert_err(tusk_signal_start(loops[PLACES], &all[PLACES].signal, SIGUSR1), TUSK_OK);
    assert_int_equal(raise(SIGUSR1), 0);
    for (int i = 0; i <= PLACES; i++) {
        assert_err(tusk_loop_turn(loops[i], 0), TUSK_OK);
        assert_int_equal(all[i].calls, i != 7);
        tusk_signal_stop(loops[i], &all[i].signal);
        tusk_loop_free(loops[i]);
    }
}

static tusk_err start_one(const tusk_mem *mem, void *user)
{
    (void)user;
    tusk_loop *loop;
    tusk_err err = tusk_loop_new(&loop, &(tusk_loop_options){.mem = mem, .poller = test_poller});
    if (err != TUSK_OK) {
        return err;
    }
    watcher one = WATCHER;
    one.loop = loop;
    err = tusk_signal_start(loop, &one.signal, SIGUSR1);
    tusk_signal_stop(loop, &one.signal);
    tusk_loop_free(loop);
    return err;
}

static void no_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    assert_true(test_fail_each_alloc(start_one, false, NULL) >= 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_signal_is_told_in_the_loop_and_many_are_one),
        TEST(all_watchers_of_a_number_are_told),
        TEST(a_callback_may_stop_itself_and_the_next),
        TEST(several_loops_hear_the_same_signal),
        TEST(the_former_handler_is_given_back),
        TEST(a_signal_keeps_the_loop_running_and_interrupts_its_wait),
        TEST(what_arrived_in_an_interrupted_wait_is_told_before_timers),
        TEST(numbers_that_cannot_be_watched_are_refused),
        TEST(more_loops_than_there_are_places_are_refused_and_leave_nothing),
        TEST(no_memory_is_an_error_and_leaks_nothing),
    };
    return TEST_RUN_FOR_EACH_POLLER("loop/signal", tests);
}
