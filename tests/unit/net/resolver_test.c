/* SPDX-License-Identifier: MIT */
/* Names looked up in threads; this suite also runs under ThreadSanitizer (make test-tsan). */
#define _GNU_SOURCE
#include "net/resolver.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <assert.h>

#include "../test.h"

enum { WAITERS = 8 };

/* Stands for the system's resolver; names that begin with "slow" wait for the test. */
static struct {
    sem_t gate;
    atomic_int calls;
    atomic_int returned;
} names;

typedef struct waiter {
    tusk_lookup lookup;
    int count;
    int calls;
    tusk_addr first;
} waiter;

static tusk_loop *loop;
static tusk_resolver *resolver;
static waiter waiters[WAITERS];

static int look_up(void *user, tusk_addr *out, int cap, const char *host, uint16_t port)
{
    int count = 1;
    assert(user == &names && cap == RESOLVER_ADDRS_MAX);
    (void)atomic_fetch_add(&names.calls, 1);
    if (strncmp(host, "slow", 4) == 0) {
        while (sem_wait(&names.gate) != 0) {
        }
    }
    if (strstr(host, "none") != NULL || tusk_addr_from_host(out, "192.0.2.1", port) != TUSK_OK) {
        count = TUSK_ENOENT;
    }
    (void)atomic_fetch_add(&names.returned, 1);
    return count;
}

static void on_done(tusk_lookup *lookup, const tusk_addr *addrs, int count)
{
    waiter *self = TUSK_OWNER(lookup, waiter, lookup);
    self->calls++;
    self->count = count;
    if (count > 0) {
        self->first = addrs[0];
    }
}

static void begin(const tusk_resolver_options *options)
{
    assert_err(tusk_resolver_new(&resolver, loop, options), TUSK_OK);
}

static int set_up(void **state)
{
    (void)state;
    memset(waiters, 0, sizeof(waiters));
    for (int i = 0; i < WAITERS; i++) {
        waiters[i].lookup.on_done = on_done;
    }
    assert_int_equal(sem_init(&names.gate, 0, 0), 0);
    atomic_store(&names.calls, 0);
    atomic_store(&names.returned, 0);
    assert_err(tusk_loop_new(&loop, NULL), TUSK_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tusk_resolver_free(resolver);
    resolver = NULL;
    tusk_loop_free(loop);
    return 0;
}

#define TURN_UNTIL(condition)                                                                      \
    for (uint64_t test__end = tusk_loop_clock_ns() + UINT64_C(20000000000); !(condition);) {       \
        assert_true(tusk_loop_clock_ns() < test__end);                                             \
        assert_err(tusk_loop_turn(loop, 5), TUSK_OK);                                              \
    }

static const tusk_resolver_options ours = {.threads = 2, .look_up = look_up, .user = &names};

static void start(int i, const char *host)
{
    assert_err(tusk_resolver_start(resolver, &waiters[i].lookup, host, 80), TUSK_OK);
}

static void let_go(int count)
{
    while (count-- > 0) {
        assert_int_equal(sem_post(&names.gate), 0);
    }
}

static void a_slow_name_holds_up_neither_the_loop_nor_another_name(void **state)
{
    (void)state;
    char text[TUSK_ADDR_TEXT_MAX];
    begin(&ours);
    start(0, "slow.test");
    start(1, "quick.test");
    assert_int_equal(waiters[1].calls, 0); /* never from inside start */
    TURN_UNTIL(waiters[1].calls == 1);
    assert_int_equal(waiters[1].count, 1);
    assert_string_equal(tusk_addr_text(&waiters[1].first, text), "192.0.2.1:80");
    assert_int_equal(waiters[0].calls, 0);
    let_go(1);
    TURN_UNTIL(waiters[0].calls == 1);
}

static void a_name_that_nobody_knows_is_an_error(void **state)
{
    (void)state;
    begin(&ours);
    start(0, "none.test");
    TURN_UNTIL(waiters[0].calls == 1);
    assert_int_equal(waiters[0].count, TUSK_ENOENT);
}

static void equal_names_are_looked_up_once(void **state)
{
    (void)state;
    begin(&ours);
    for (int i = 0; i < 5; i++) {
        start(i, "slow.test");
    }
    assert_err(tusk_resolver_start(resolver, &waiters[5].lookup, "slow.test", 81), TUSK_OK);
    let_go(2);
    TURN_UNTIL(waiters[4].calls + waiters[5].calls == 2);
    assert_int_equal(atomic_load(&names.calls), 2); /* another port is another question */
    for (int i = 0; i < 6; i++) {
        assert_int_equal(waiters[i].calls, 1);
        assert_int_equal(tusk_addr_port(&waiters[i].first), i < 5 ? 80 : 81);
    }
}

static void more_names_than_threads_take_turns(void **state)
{
    (void)state;
    static const char *const hosts[] = {"slow1", "slow2", "slow3", "slow4", "slow5"};
    begin(&ours);
    for (int i = 0; i < 5; i++) {
        start(i, hosts[i]);
    }
    TURN_UNTIL(atomic_load(&names.calls) == 2);
    for (int i = 0; i < 10; i++) {
        assert_err(tusk_loop_turn(loop, 1), TUSK_OK);
    }
    assert_int_equal(atomic_load(&names.calls), 2);
    let_go(5);
    TURN_UNTIL(waiters[4].calls == 1);
    for (int i = 0; i < 5; i++) {
        TURN_UNTIL(waiters[i].calls == 1);
    }
}

static void a_cancelled_name_is_not_told_and_takes_no_thread(void **state)
{
    (void)state;
    begin(&(tusk_resolver_options){.threads = 1, .look_up = look_up, .user = &names});
    start(0, "slow.test");
    start(1, "waits.test");
    start(2, "slow.test");
    TURN_UNTIL(atomic_load(&names.calls) == 1);
    tusk_lookup_cancel(&waiters[0].lookup); /* a thread has it, and another waits for it */
    tusk_lookup_cancel(&waiters[0].lookup);
    tusk_lookup_cancel(&waiters[1].lookup); /* nobody has begun it */
    let_go(1);
    TURN_UNTIL(waiters[2].calls == 1);
    start(3, "next.test");
    TURN_UNTIL(waiters[3].calls == 1);
    assert_int_equal(atomic_load(&names.calls), 2);
    assert_int_equal(waiters[0].calls + waiters[1].calls, 0);
    start(0, "slow.again");
    TURN_UNTIL(atomic_load(&names.calls) == 3);
    tusk_lookup_cancel(
        &waiters[0].lookup); /* nobody waits; whoever comes joins what is under way */
    start(1, "slow.again");
    let_go(1);
    TURN_UNTIL(waiters[1].calls == 1);
    assert_int_equal(atomic_load(&names.calls), 3);
}

static void freeing_waits_for_nobody(void **state)
{
    (void)state;
    begin(&ours);
    start(0, "slow1");
    start(1, "slow2");
    start(2, "slow3");
    TURN_UNTIL(atomic_load(&names.calls) == 2);
    for (int i = 0; i < 3; i++) {
        tusk_lookup_cancel(&waiters[i].lookup);
    }
    tusk_resolver_free(resolver);
    resolver = NULL;
    let_go(2);
    TURN_UNTIL(atomic_load(&names.returned) == 2);
    assert_int_equal(atomic_load(&names.calls), 2);
}

static void names_have_a_limit_in_length_and_number(void **state)
{
    (void)state;
    char host[300];
    begin(&(tusk_resolver_options){.names = 2, .look_up = look_up, .user = &names});
    memset(host, 'a', sizeof(host));
    host[256] = '\0';
    assert_err(tusk_resolver_start(resolver, &waiters[0].lookup, host, 80), TUSK_EINVAL);
    assert_err(tusk_resolver_start(resolver, &waiters[0].lookup, "", 80), TUSK_EINVAL);
    start(0, "slow1");
    start(1, "slow2");
    assert_err(tusk_resolver_start(resolver, &waiters[2].lookup, "third", 80), TUSK_ELIMIT);
    assert_null(waiters[2].lookup.job);
    let_go(2);
    TURN_UNTIL(waiters[0].calls + waiters[1].calls == 2);
    start(2, "third");
    TURN_UNTIL(waiters[2].calls == 1);
}

static void the_systems_resolver_answers_too(void **state)
{
    (void)state;
    begin(NULL);
    start(0, "127.0.0.1");
    TURN_UNTIL(waiters[0].calls == 1);
    assert_int_equal(waiters[0].count, 1);
    assert_true(tusk_addr_is_loopback(&waiters[0].first));
}

/* A process of its own: what it may not is not given back. Root has no limit of this kind. */
static int without(int what, rlim_t number, const char *host)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {.rlim_cur = number, .rlim_max = number};
        bool ready = tusk_loop_forked(loop) == TUSK_OK;
        begin(what == RLIMIT_NOFILE ? NULL : &ours);
        ready = ready && (geteuid() != 0 || setuid(54321) == 0);
        ready = ready && (what == RLIMIT_NOFILE ? setrlimit(RLIMIT_NOFILE, &none)
                                                : setrlimit(RLIMIT_NPROC, &none)) == 0;
        tusk_err err = tusk_resolver_start(resolver, &waiters[0].lookup, host, 80);
        for (int i = 0; i < 1000 && err == TUSK_OK && waiters[0].calls == 0; i++) {
            (void)tusk_loop_turn(loop, 5);
        }
        err = err == TUSK_OK ? (tusk_err)waiters[0].count : err;
        _exit(!ready ? 99 : err > 0 ? 98 : -err);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return -WEXITSTATUS(status);
}

static void where_no_thread_can_be_started_that_is_said(void **state)
{
    (void)state;
    assert_int_equal(without(RLIMIT_NPROC, 0, "quick.test"), TUSK_EEXHAUSTED);
}

/* The C library calls such a name unknown. */
static void where_no_descriptor_is_left_to_look_that_is_said(void **state)
{
    (void)state;
    assert_int_equal(without(RLIMIT_NOFILE, 0, "localhost"), TUSK_EEXHAUSTED);
}

static void it_does_not_keep_the_loop_running(void **state)
{
    (void)state;
    begin(&ours);
    assert_err(tusk_loop_run(loop), TUSK_OK);
}

int main(void)
{
#define RESOLVER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        RESOLVER_TEST(a_slow_name_holds_up_neither_the_loop_nor_another_name),
        RESOLVER_TEST(a_name_that_nobody_knows_is_an_error),
        RESOLVER_TEST(equal_names_are_looked_up_once),
        RESOLVER_TEST(more_names_than_threads_take_turns),
        RESOLVER_TEST(a_cancelled_name_is_not_told_and_takes_no_thread),
        RESOLVER_TEST(freeing_waits_for_nobody),
        RESOLVER_TEST(names_have_a_limit_in_length_and_number),
        RESOLVER_TEST(the_systems_resolver_answers_too),
        RESOLVER_TEST(where_no_thread_can_be_started_that_is_said),
        RESOLVER_TEST(where_no_descriptor_is_left_to_look_that_is_said),
        RESOLVER_TEST(it_does_not_keep_the_loop_running),
    };
    return cmocka_run_group_tests_name("net/resolver", tests, NULL, NULL);
}
