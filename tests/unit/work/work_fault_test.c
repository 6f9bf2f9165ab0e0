/* SPDX-License-Identifier: MIT */
/* Worker processes where the system or the memory gives out: an error comes back, nothing stays
 * open, no child is left. The calls of the system below stand before those of libc. */
#define _GNU_SOURCE
#include "await.h"

#include <assert.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- what fails ---- */
enum { MMAP, PIPE, FORK, EVENTFD, PIDFD, TIMER, CONTINUE, KINDS };

/* Shared by all processes; a kind fails from its `from`-th call on, `times` times. */
typedef struct faults {
    _Atomic uint32_t calls[KINDS], from[KINDS], times[KINDS];
    _Atomic uint32_t allocations; /* of workers, that still fail */
    _Atomic int parent;           /* whose allocations are not those */
} faults;
static faults *plan;

static bool fails(int kind)
{
    if (plan == NULL) {
        return false;
    }
    uint32_t call = atomic_fetch_add(&plan->calls[kind], 1) + 1;
    return call >= plan->from[kind] && call < plan->from[kind] + plan->times[kind];
}

static void fail_from(int kind, uint32_t from, uint32_t times)
{
    atomic_store(&plan->calls[kind], 0);
    atomic_store(&plan->from[kind], from);
    atomic_store(&plan->times[kind], times);
}

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    assert(found != NULL);
    return found;
}

void *mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
    if ((flags & MAP_SHARED) != 0 && fails(MMAP)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, len, protection, flags, fd, offset);
}

int pipe2(int pair[2], int flags)
{
    if (fails(PIPE)) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_pipe2, pair, flags);
}

pid_t fork(void)
{
    if (fails(FORK)) {
        errno = EAGAIN;
        return -1;
    }
    pid_t (*real)(void);
    *(void **)&real = next("fork");
    return real();
}

int eventfd(unsigned count, int flags)
{
    if (fails(EVENTFD)) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_eventfd2, count, flags);
}

int kill(pid_t pid, int number)
{
    if (number == SIGCONT && fails(CONTINUE)) {
        return 0;
    }
    return (int)syscall(SYS_kill, pid, number);
}

int timer_create(clockid_t clock, struct sigevent *event, timer_t *out)
{
    if (fails(TIMER)) {
        errno = EAGAIN;
        return -1;
    }
    int (*real)(clockid_t, struct sigevent *, timer_t *);
    *(void **)&real = next("timer_create");
    return real(clock, event, out);
}

long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long args[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        args[i] = va_arg(list, long);
    }
    va_end(list);
    if (number == SYS_pidfd_open && fails(PIDFD)) {
        errno = ENOSYS;
        return -1;
    }
    if (real == NULL) {
        *(void **)&real = next("syscall");
    }
    return real(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

/* ---- tasks ---- */
enum { ECHO, CRASH, DEAF };
typedef struct order {
    uint32_t verb, number;
    uint8_t ballast[64]; /* so that it lies in the arena, not in its slot */
} order;

static bool run(tusk_worker *self, const tusk_work_task *task, void *user)
{
    order what = {.verb = ECHO};
    size_t cap;
    if (task->request.len == sizeof(what)) {
        memcpy(&what, task->request.ptr, sizeof(what));
    }
    if (what.verb == CRASH) {
        (void)raise(SIGKILL);
    }
    while (what.verb == DEAF) {
    }
    uint8_t *room = tusk_worker_room(self, &cap);
    if (room != NULL) {
        memcpy(room, &what.number, sizeof(what.number));
        tusk_worker_answer(self, sizeof(what.number));
    }
    return true;
}

static void begin(tusk_worker *self, void *user)
{
}

static const tusk_work_calls calls = {.begin = begin, .run = run};

static tusk_err open_pool(tusk_work **out, const tusk_mem *mem)
{
    tusk_work_options options = {.mem = mem,
                                 .workers = 2,
                                 .workers_max = 2,
                                 .queue = 32,
                                 .arena_bytes = 1 << 20,
                                 .calls = &calls};
    return tusk_work_open(out, &options);
}

static tusk_err ask(tusk_lane *lane, order what, uint64_t deadline_ns, uint32_t *slot)
{
    uint8_t *room;
    size_t cap;
    tusk_err err = tusk_lane_take(lane, slot, &room, &cap);
    if (err == TUSK_OK) {
        memcpy(room, &what, sizeof(what));
        tusk_lane_submit(lane, *slot, sizeof(what), deadline_ns);
        tusk_lane_flush(lane);
    }
    return err;
}

static void must_echo(tusk_lane *lane, uint32_t number)
{
    uint32_t slot = 0;
    tusk_work_result result;
    assert_err(ask(lane, (order){.verb = ECHO, .number = number}, 0, &slot), TUSK_OK);
    assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
    assert_int_equal(number_of(&result), number);
    tusk_lane_release(lane, slot);
}

static int set_up(void **state)
{
    faults *shared = (faults *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true((void *)shared != MAP_FAILED);
    plan = shared;
    return 0;
}

static int tear_down(void **state)
{
    (void)munmap(plan, 4096);
    plan = NULL;
    return 0;
}

/* ---- tests ---- */
static void a_system_that_gives_out_is_an_error_and_leaves_nothing(void **state)
{
    static const int kinds[] = {MMAP, PIPE, FORK, EVENTFD};
    static const uint32_t at_once[] = {1, 3, 1, 2}; /* calls of each in opening */
    size_t before = open_descriptors();
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        for (uint32_t n = 1; n <= at_once[i]; n++) {
            test_mem mem;
            tusk_work *work = (tusk_work *)&mem;
            test_mem_init(&mem, 0);
            fail_from(kinds[i], n, kinds[i] == MMAP ? 2 : 1); /* addresses are asked for twice */
            assert_err(open_pool(&work, &mem.mem), TUSK_ESYS);
            assert_null(work);
            fail_from(kinds[i], 0, 0);
            test_mem_assert_empty(&mem);
            assert_int_equal(open_descriptors(), before);
            assert_no_child();
        }
    }
}

static void addresses_that_are_refused_as_memory_are_had_as_a_files(void **state)
{
    size_t before = open_descriptors();
    tusk_work *work = NULL;
    fail_from(MMAP, 1, 1);
    assert_err(open_pool(&work, NULL), TUSK_OK);
    assert_int_equal(atomic_load(&plan->calls[MMAP]), 2);
    must_echo(tusk_work_lane(work), 5);
    tusk_work_close(work);
    fail_from(MMAP, 0, 0);
    assert_int_equal(open_descriptors(), before);
    assert_no_child();
}

static void without_pidfds_everything_works_and_is_reaped(void **state)
{
    size_t before = open_descriptors();
    tusk_work *work = NULL;
    tusk_work_result result;
    uint32_t slot = 0;
    fail_from(PIDFD, 1, UINT32_MAX / 2);
    assert_err(open_pool(&work, NULL), TUSK_OK);
    tusk_lane *lane = tusk_work_lane(work);
    for (uint32_t i = 0; i < 3; i++) {
        must_echo(lane, i);
        assert_err(ask(lane, (order){.verb = CRASH, .number = 0}, 0, &slot), TUSK_OK);
        assert_int_equal(finish(lane, slot, &result), TUSK_WORK_LOST);
        tusk_lane_release(lane, slot);
    }
    tusk_work_close(work);
    assert_true(atomic_load(&plan->calls[PIDFD]) > 0);
    fail_from(PIDFD, 0, 0);
    assert_int_equal(open_descriptors(), before);
    assert_no_child();
}

static void a_template_that_cannot_fork_tries_again(void **state)
{
    tusk_work *work = NULL;
    fail_from(FORK, 2, 5); /* the first one is the template's own birth */
    assert_err(open_pool(&work, NULL), TUSK_OK);
    must_echo(tusk_work_lane(work), 7);
    assert_true(atomic_load(&plan->calls[FORK]) >= 4);
    fail_from(FORK, 0, 0);
    tusk_work_close(work);
    assert_no_child();
}

static void a_guest_that_cannot_be_forked_is_an_error_and_its_slot_is_free_again(void **state)
{
    tusk_work *work = NULL;
    uint32_t slot = 0;
    uint8_t *room;
    size_t cap;
    assert_err(open_pool(&work, NULL), TUSK_OK);
    tusk_lane *lane = tusk_work_lane(work);
    must_echo(lane, 1); /* both workers are there: no fork but ours */
    for (uint32_t i = 0; i < 100; i++) {
        assert_err(tusk_lane_take(lane, &slot, &room, &cap), TUSK_OK);
        fail_from(FORK, 1, 1);
        tusk_err err = tusk_lane_fork(lane, slot, 0, 0);
        fail_from(FORK, 0, 0);
        if (err == TUSK_OK) { /* a worker of the template's was forked in that moment */
            tusk_work_result result;
            assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
            tusk_lane_release(lane, slot);
            continue;
        }
        assert_err(err, TUSK_ESYS);
        tusk_lane_drop(lane, slot);
    }
    must_echo(lane, 2);
    tusk_work_close(work);
    assert_no_child();
}

static void without_timers_the_parent_ends_what_is_late(void **state)
{
    tusk_work *work = NULL;
    tusk_work_result result;
    uint32_t slot = 0;
    fail_from(TIMER, 1, UINT32_MAX / 2);
    assert_err(open_pool(&work, NULL), TUSK_OK);
    tusk_lane *lane = tusk_work_lane(work);
    assert_err(ask(lane, (order){.verb = DEAF, .number = 0}, tusk_loop_clock_ns() + 20 * MS, &slot),
               TUSK_OK);
    assert_int_equal(finish(lane, slot, &result), TUSK_WORK_LOST);
    assert_int_equal(result.status, SIGKILL);
    tusk_lane_release(lane, slot);
    fail_from(TIMER, 0, 0);
    must_echo(lane, 3);
    tusk_work_close(work);
    assert_no_child();
}

/* Opens, asks more than the first record of an arena holds, closes. */
static tusk_err whole_life(const tusk_mem *mem, void *user)
{
    tusk_work *work = NULL;
    uint32_t slots[32];
    uint32_t count = 0;
    tusk_err err = open_pool(&work, mem);
    size_t *before = user;
    if (err == TUSK_OK) {
        tusk_lane *lane = tusk_work_lane(work);
        while (err == TUSK_OK && count < 32) {
            err = ask(lane, (order){.verb = ECHO, .number = count}, 0, &slots[count]);
            count += err == TUSK_OK;
        }
        for (uint32_t i = 0; i < count; i++) {
            (void)tusk_lane_withdraw(lane, slots[i]);
        }
        tusk_work_close(work);
    }
    assert_int_equal(open_descriptors(), *before);
    assert_no_child();
    return err;
}

static void every_allocation_of_the_parent_may_fail(void **state)
{
    size_t before = open_descriptors();
    size_t requests = test_fail_each_alloc(whole_life, false, &before);
    assert_true(requests >= 5); /* itself, two of its lane, the record of its arena twice */
}

/* As malloc; but in workers as many requests fail as the plan says. */
static void *worker_resize(void *user, void *old, size_t old_size, size_t size)
{
    uint32_t left = plan == NULL || getpid() == plan->parent ? 0 : atomic_load(&plan->allocations);
    while (size > 0 && left > 0) {
        if (atomic_compare_exchange_weak(&plan->allocations, &left, left - 1)) {
            return NULL;
        }
    }
    return tusk_mem_default()->resize(user, old, old_size, size);
}

static const tusk_mem worker_mem = {.resize = worker_resize};

static void a_worker_without_memory_is_forked_again_until_there_is_some(void **state)
{
    tusk_work *work = NULL;
    atomic_store(&plan->parent, (int)getpid());
    for (uint32_t count = 1; count <= 12; count++) {
        atomic_store(&plan->allocations, count);
        assert_err(open_pool(&work, &worker_mem), TUSK_OK);
        tusk_lane *lane = tusk_work_lane(work);
        uint32_t slot = 0;
        tusk_work_result result;
        do { /* without room for its record the answer is empty, and said to be so */
            assert_err(ask(lane, (order){.verb = ECHO, .number = count}, 0, &slot), TUSK_OK);
            assert_int_equal(finish(lane, slot, &result), TUSK_WORK_DONE);
            tusk_lane_release(lane, slot);
        } while (result.bytes.len == 0 || atomic_load(&plan->allocations) > 0);
        must_echo(lane, count);
        tusk_work_close(work);
    }
    assert_no_child();
}

/* ---- the template ---- */
static void kill_template(tusk_work *work)
{
    int template = tusk_work_template_pid(work);
    assert_true(template > 1);
    assert_int_equal(kill(template, SIGKILL), 0);
}

static void a_template_that_dies_has_a_successor_and_only_what_ran_is_lost(void **state)
{
    tusk_work *work = NULL;
    /* as the first process of a container, which inherits its workers */
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_err(open_pool(&work, NULL), TUSK_OK);
    tusk_lane *lane = tusk_work_lane(work);
    tusk_work_result result;
    for (uint32_t round = 0; round < 4; round++) {
        uint32_t ran[2];
        uint32_t queued[10];
        for (uint32_t i = 0; i < 2; i++) {
            assert_err(ask(lane, (order){.verb = DEAF, .number = 0}, 0, &ran[i]), TUSK_OK);
        }
        for (uint32_t i = 0; i < 2; i++) {
            while (tusk_lane_look(lane, ran[i], &result) == TUSK_WORK_QUEUED) {
                tusk_lane_wait(lane, tusk_loop_clock_ns() + MS);
            }
        }
        for (uint32_t i = 0; i < 10; i++) {
            assert_err(ask(lane, (order){.verb = ECHO, .number = round * 10 + i}, 0, &queued[i]),
                       TUSK_OK);
        }
        kill_template(work);
        for (uint32_t i = 0; i < 10; i++) {
            assert_int_equal(finish(lane, queued[i], &result), TUSK_WORK_DONE);
            assert_int_equal(number_of(&result), round * 10 + i);
            tusk_lane_release(lane, queued[i]);
        }
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(finish(lane, ran[i], &result), TUSK_WORK_LOST);
            assert_int_equal(result.status, SIGKILL);
            tusk_lane_release(lane, ran[i]);
        }
    }
    const char *reason = NULL;
    tusk_work_counters counters;
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    do { /* one of the last template's two may not have told its birth */
        assert_true(tusk_work_look(work, &reason));
        tusk_work_count(work, &counters);
    } while (counters.workers < 2 && tusk_loop_clock_ns() < end_ns);
    assert_int_equal(counters.templates, 5);
    assert_in_range(counters.died, 1, 8); /* a birth may not have been told before the end */
    assert_int_equal(counters.workers, 2);
    assert_int_equal(counters.corrupt, 0);
    tusk_work_close(work);
    assert_no_child();
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

/* Its worker dies and the template, which was stopped, tells nobody. */
static void be_late_beside_a_stopped_template(tusk_work *work)
{
    tusk_work_result result;
    uint32_t slot = 0;
    tusk_lane *lane = tusk_work_lane(work);
    must_echo(lane, 1);
    assert_int_equal(kill((pid_t)tusk_work_template_pid(work), SIGSTOP), 0);
    assert_err(
        ask(lane, (order){.verb = CRASH, .number = 0}, tusk_loop_clock_ns() + 50 * MS, &slot),
        TUSK_OK);
    assert_int_equal(finish(lane, slot, &result), TUSK_WORK_LOST);
    tusk_lane_release(lane, slot);
    must_echo(lane, 2);
}

static void a_template_that_was_stopped_goes_on_where_a_deadline_passes(void **state)
{
    tusk_work *work = NULL;
    assert_err(open_pool(&work, NULL), TUSK_OK);
    int template_pid = tusk_work_template_pid(work);
    be_late_beside_a_stopped_template(work);
    assert_int_equal(tusk_work_template_pid(work), template_pid);
    tusk_work_close(work);
    assert_no_child();
}

static void a_template_that_does_not_go_on_is_replaced(void **state)
{
    tusk_work *work = NULL;
    assert_err(open_pool(&work, NULL), TUSK_OK);
    int template_pid = tusk_work_template_pid(work);
    fail_from(CONTINUE, 1, 10000);
    be_late_beside_a_stopped_template(work);
    fail_from(CONTINUE, 0, 0);
    assert_int_not_equal(tusk_work_template_pid(work), template_pid);
    tusk_work_close(work);
    assert_no_child();
}

/* Nobody waits for a template that is to be killed: what was stopped goes on for its end. */
static void a_stopped_template_ends_by_itself_with_its_pool(void **state)
{
    tusk_work *work = NULL;
    assert_err(open_pool(&work, NULL), TUSK_OK);
    must_echo(tusk_work_lane(work), 1);
    assert_int_equal(kill((pid_t)tusk_work_template_pid(work), SIGSTOP), 0);
    atomic_store(&plan->calls[CONTINUE], 0);
    tusk_work_close(work);
    assert_int_equal(atomic_load(&plan->calls[CONTINUE]), 1);
    assert_no_child();
}

static void a_fork_of_the_application_has_no_pool(void **state)
{
    tusk_work *work = NULL;
    assert_err(open_pool(&work, NULL), TUSK_OK);
    tusk_lane *lane = tusk_work_lane(work);
    pid_t child = fork();
    if (child == 0) {
        const char *reason = NULL;
        uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
        while (tusk_work_look(work, &reason) && tusk_loop_clock_ns() < end_ns) {
            (void)usleep(1000);
        }
        bool right = reason != NULL && strstr(reason, "belongs to process") != NULL;
        tusk_work_close(work);
        _exit(right ? 42 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 42);
    must_echo(lane, 5);
    tusk_work_close(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_system_that_gives_out_is_an_error_and_leaves_nothing),
        cmocka_unit_test(addresses_that_are_refused_as_memory_are_had_as_a_files),
        cmocka_unit_test(without_pidfds_everything_works_and_is_reaped),
        cmocka_unit_test(a_template_that_cannot_fork_tries_again),
        cmocka_unit_test(a_guest_that_cannot_be_forked_is_an_error_and_its_slot_is_free_again),
        cmocka_unit_test(without_timers_the_parent_ends_what_is_late),
        cmocka_unit_test(every_allocation_of_the_parent_may_fail),
        cmocka_unit_test(a_worker_without_memory_is_forked_again_until_there_is_some),
        cmocka_unit_test(a_template_that_dies_has_a_successor_and_only_what_ran_is_lost),
        cmocka_unit_test(a_template_that_was_stopped_goes_on_where_a_deadline_passes),
        cmocka_unit_test(a_template_that_does_not_go_on_is_replaced),
        cmocka_unit_test(a_stopped_template_ends_by_itself_with_its_pool),
        cmocka_unit_test(a_fork_of_the_application_has_no_pool),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
