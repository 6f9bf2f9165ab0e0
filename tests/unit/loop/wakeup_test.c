/* SPDX-License-Identifier: MIT */
/* Wake-ups: from other threads and signal handlers, many at once, closed from their own callback.
 */
#define _GNU_SOURCE
#include <tusk/loop.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "pollers.h"

static struct {
    test_mem mem;
    tusk_loop *loop;
    tusk_wakeup *wakeup;
    int calls;
    bool close_it;
    atomic_int made; /* by the threads */
    int seen;
} t;

static void on_wakeup(void *user)
{
    assert_ptr_equal(user, &t);
    t.calls++;
    t.seen = atomic_load(&t.made);
    if (t.close_it) {
        tusk_wakeup_close(t.wakeup);
        t.wakeup = NULL;
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
    assert_err(tusk_wakeup_open(&t.wakeup, t.loop, on_wakeup, &t), TUSK_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tusk_wakeup_close(t.wakeup);
    tusk_loop_free(t.loop);
    test_mem_assert_empty(&t.mem);
    return 0;
}

static void many_sends_before_a_turn_are_one_call(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        tusk_wakeup_send(t.wakeup);
    }
    assert_int_equal(t.calls, 0);
    assert_err(tusk_loop_turn(t.loop, -1), TUSK_OK);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    assert_int_equal(t.calls, 1);
    tusk_wakeup_send(t.wakeup);
    assert_err(tusk_loop_turn(t.loop, -1), TUSK_OK);
    assert_int_equal(t.calls, 2);
}

static void closing_in_the_callback_ends_the_run(void **state)
{
    (void)state;
    t.close_it = true;
    tusk_wakeup_send(t.wakeup);
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
    assert_int_equal(t.calls, 1);
}

enum { THREADS = 4, SENDS = 5000 };

static void *send_often(void *user)
{
    (void)user;
    for (int i = 0; i < SENDS; i++) {
        atomic_fetch_add(&t.made, 1);
        tusk_wakeup_send(t.wakeup);
    }
    return NULL;
}

static void nothing_that_threads_send_is_lost(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, send_often, NULL), 0);
    }
    uint64_t end = tusk_loop_clock_ns() + UINT64_C(20000000000);
    while (t.seen < THREADS * SENDS) {
        assert_true(tusk_loop_clock_ns() < end);
        assert_err(tusk_loop_turn(t.loop, 5000), TUSK_OK);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void send_from_handler(int number)
{
    (void)number;
    tusk_wakeup_send(t.wakeup);
}

static void a_signal_handler_may_send(void **state)
{
    (void)state;
    assert_ptr_not_equal(signal(SIGALRM, send_from_handler), SIG_ERR);
    t.close_it = true;
    ualarm(5000, 0);
    assert_err(tusk_loop_run(t.loop), TUSK_OK);
    assert_int_equal(t.calls, 1);
    (void)signal(SIGALRM, SIG_DFL);
}

static tusk_err open_one(const tusk_mem *mem, void *user)
{
    (void)user;
    tusk_loop *loop;
    tusk_wakeup *wakeup;
    tusk_err err = tusk_loop_new(&loop, &(tusk_loop_options){.mem = mem, .poller = test_poller});
    if (err != TUSK_OK) {
        return err;
    }
    err = tusk_wakeup_open(&wakeup, loop, on_wakeup, &t);
    assert_true((wakeup != NULL) == (err == TUSK_OK));
    tusk_wakeup_close(wakeup);
    tusk_loop_free(loop);
    return err;
}

static void no_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    assert_true(test_fail_each_alloc(open_one, false, NULL) >= 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(many_sends_before_a_turn_are_one_call),   TEST(closing_in_the_callback_ends_the_run),
        TEST(nothing_that_threads_send_is_lost),       TEST(a_signal_handler_may_send),
        TEST(no_memory_is_an_error_and_leaks_nothing),
    };
    return TEST_RUN_FOR_EACH_POLLER("loop/wakeup", tests);
}
