/* SPDX-License-Identifier: MIT */
/* The first of many workers forks others of them: however that goes wrong, each place has its
 * worker once, all are the template's children, and the count of them is right. */
#define _GNU_SOURCE
#include "await.h"

#include "loop/process.h"

#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 9 };
enum { WELL, REFUSED, DIES_BEFORE, DIES_AFTER, CHILD_DIES };

/* Shared by all processes. */
typedef struct faults {
    _Atomic int what;
    _Atomic uint32_t forks; /* that a helper asked for */
} faults;
static faults *plan;
static pid_t application;

static bool any_helper(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

/* ---- before libc's ---- */
static void die(void)
{
    (void)kill(getpid(), SIGKILL);
    for (;;) {
        (void)pause();
    }
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
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
        assert(real != NULL);
    }
    uint32_t count = number == SYS_clone && plan != NULL ? atomic_fetch_add(&plan->forks, 1) : 0;
    int what = number == SYS_clone && plan != NULL ? atomic_load(&plan->what) : WELL;
    if (what == REFUSED) {
        errno = EAGAIN;
        return -1;
    }
    if (what == DIES_BEFORE && count == 1) {
        die();
    }
    long result = real(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if ((what == DIES_AFTER && count == 1 && result > 0) ||
        (what == CHILD_DIES && count == 0 && result == 0)) {
        die();
    }
    return result;
}

/* The template's second fork waits until the helper has asked for two: on a busy machine it would
 * have taken all places itself, and the helper would find nothing to go wrong with. */
pid_t fork(void)
{
    static pid_t (*real)(void);
    static pid_t whose;
    static uint32_t count;
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "fork");
        assert(real != NULL);
    }
    count = whose == getpid() ? count + 1 : 1;
    whose = getpid();
    if (plan == NULL) { /* no test runs: whoever runs the tests forks */
        return real();
    }
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    while (count == 2 && whose != application && any_helper() && atomic_load(&plan->forks) < 2 &&
           tusk_loop_clock_ns() < end_ns) {
        (void)sched_yield();
    }
    return real();
}

/* ---- tasks ---- */
enum { PID, CRASH };

/* The clock of a thread is named by the number that libc believes it to have; nobody may read that
 * of another process. */
static bool libc_knows_its_thread(void)
{
    clockid_t clock;
    struct timespec used;
    return pthread_getcpuclockid(pthread_self(), &clock) == 0 && clock_gettime(clock, &used) == 0;
}

static bool run(tusk_worker *self, const tusk_work_task *task, void *user)
{
    size_t cap;
    uint32_t verb = 0;
    uint32_t answer = libc_knows_its_thread() ? (uint32_t)getpid() : UINT32_MAX;
    memcpy(&verb, task->request.ptr, sizeof(verb));
    if (verb == CRASH) {
        (void)raise(SIGKILL);
    }
    uint8_t *room = tusk_worker_room(self, &cap);
    if (room != NULL) {
        memcpy(room, &answer, sizeof(answer));
        tusk_worker_answer(self, sizeof(answer));
    }
    return true;
}

static void begin(tusk_worker *self, void *user)
{
}

static const tusk_work_calls calls = {.begin = begin, .run = run};

/* ---- what is so afterwards ---- */
static uint32_t shared_mappings_of(int pid)
{
    char path[64];
    char line[512];
    uint32_t count = 0;
    (void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        count += strstr(line, "/dev/zero") != NULL;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return count;
}

/* As soon as it is a worker, it has none that its application does not have. */
static bool shares_the_region_only(int pid)
{
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    uint32_t wanted = shared_mappings_of(getpid());
    while (shared_mappings_of(pid) > wanted && tusk_loop_clock_ns() < end_ns) {
        (void)sched_yield();
    }
    return shared_mappings_of(pid) <= wanted;
}

static uint32_t children_of(int pid)
{
    char path[64];
    uint32_t count = 0;
    int child;
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (fscanf(file, "%d", &child) == 1) {
        assert_true(shares_the_region_only(child));
        count++;
    }
    (void)fclose(file);
    return count;
}

static void wait_for_workers(tusk_work *work, uint64_t forked, tusk_work_counters *counters)
{
    const char *reason = NULL;
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    do {
        tusk_lane_wait(tusk_work_lane(work), tusk_loop_clock_ns() + MS);
        assert_true(tusk_work_look(work, &reason));
        tusk_work_count(work, counters);
    } while ((counters->workers != WORKERS || counters->forked != forked) &&
             tusk_loop_clock_ns() < end_ns);
    assert_int_equal(counters->workers, WORKERS);
    assert_int_equal(counters->forked, forked);
    assert_int_equal(counters->died, forked - WORKERS);
    assert_int_equal(counters->corrupt, 0);
    uint32_t children = children_of(tusk_work_template_pid(work));
    assert_in_range(children, WORKERS, WORKERS + (counters->died > 0)); /* one may stand by */
}

/* `deaths`: of processes that have a place, and are followed by another one. */
static void open_and_use(int what, uint64_t deaths)
{
    tusk_work_options options = {.workers = WORKERS,
                                 .workers_max = WORKERS,
                                 .queue = 32,
                                 .arena_bytes = 1 << 20,
                                 .calls = &calls};
    tusk_work *work = NULL;
    tusk_work_counters counters;
    tusk_work_result result;
    size_t before = open_descriptors();
    atomic_store(&plan->forks, 0);
    atomic_store(&plan->what, what);
    assert_err(tusk_work_open(&work, &options), TUSK_OK);
    wait_for_workers(work, WORKERS + (any_helper() ? deaths : 0), &counters);
    assert_int_equal(any_helper(), atomic_load(&plan->forks) > 0);
    tusk_lane *lane = tusk_work_lane(work);
    for (uint32_t i = 0; i < 2 * WORKERS; i++) { /* by whom ever: each knows its own number */
        uint32_t slot = submit_verb(lane, i % 2 == 0 ? CRASH : PID);
        tusk_work_state state = finish(lane, slot, &result);
        assert_int_equal(state, i % 2 == 0 ? TUSK_WORK_LOST : TUSK_WORK_DONE);
        if (state == TUSK_WORK_DONE) {
            assert_int_not_equal(number_of(&result), UINT32_MAX);
        } else {
            assert_int_equal(result.status, SIGKILL);
        }
        tusk_lane_release(lane, slot);
    }
    wait_for_workers(work, counters.forked + WORKERS, &counters);
    tusk_work_close(work);
    assert_int_equal(open_descriptors(), before);
    assert_no_child();
}

/* ---- tests ---- */
static void the_first_of_many_workers_forks_others_of_them(void **state)
{
    open_and_use(WELL, 0);
}

static void a_helper_that_cannot_fork_leaves_it_to_the_template(void **state)
{
    open_and_use(REFUSED, 0);
}

static void a_helper_that_dies_before_it_forked_leaves_no_place_empty(void **state)
{
    open_and_use(DIES_BEFORE, 1);
}

static void a_helper_that_dies_as_it_forked_leaves_nobody_unknown(void **state)
{
    open_and_use(DIES_AFTER, 1);
}

static void a_worker_that_dies_at_its_birth_is_followed_by_another(void **state)
{
    open_and_use(CHILD_DIES, 1);
}

static int set_up(void **state)
{
    application = getpid();
    plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return (void *)plan == MAP_FAILED ? -1 : 0;
}

static int tear_down(void **state)
{
    void *map = plan;
    plan = NULL;
    return munmap(map, sizeof(*plan));
}

/* 0, or why a process may have no sibling of its making here: a filter of system calls that knows
 * no CLONE_PARENT, a libc that keeps a thread's number elsewhere. Then the template forks all. */
static int why_no_siblings(void)
{
    int status = 0;
    _Atomic int sibling = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int pid = tusk__fork_sibling(&sibling);
        _exit(pid < 0 ? errno : 0);
    }
    while (waitpid(-1, &status, 0) != child) {
        continue; /* the sibling: it is a child of this one, too */
    }
    int why = WEXITSTATUS(status);
    while (waitpid(-1, NULL, 0) > 0) {
        continue;
    }
    return why;
}

int main(void)
{
    int why = why_no_siblings();
    if (why != 0) {
        print_message("1..0 # SKIP no process can have a sibling of its making here: %s\n",
                      strerror(why));
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_many_workers_forks_others_of_them),
        cmocka_unit_test(a_helper_that_cannot_fork_leaves_it_to_the_template),
        cmocka_unit_test(a_helper_that_dies_before_it_forked_leaves_no_place_empty),
        cmocka_unit_test(a_helper_that_dies_as_it_forked_leaves_nobody_unknown),
        cmocka_unit_test(a_worker_that_dies_at_its_birth_is_followed_by_another),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
