/* SPDX-License-Identifier: MIT */
/* Calls of the system are counted, and the clock goes on by itself for whoever reads it. Both stand
 * before those of libc. */
#ifndef TUSK_TEST_WORK_COUNTS_H
#define TUSK_TEST_WORK_COUNTS_H

#include "rig.h"

#include <assert.h>
#include <dlfcn.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#define STEP_NS UINT64_C(10000)
enum { SPIN_US = 50, READS_A_SPIN = 1 + SPIN_US * 1000 / 10000 };

/* Shared by all processes. */
typedef struct counts {
    _Atomic uint32_t wakes, waits;    /* of the application */
    _Atomic uint32_t bells;           /* wakes of the application, by others */
    _Atomic(_Atomic uint32_t *) bell; /* at one address in all of them */
    _Atomic uint32_t reads;           /* of the clock, by the application ... */
    _Atomic uint32_t worker_reads;    /* ... and by others */
    _Atomic uint64_t clock_ns;        /* its own; 0: the system's */
    _Atomic int application;
    _Atomic int core;         /* on which all of them believe to be, from 1; 0: where they are */
    _Atomic int others;       /* on which all but the application believe to be; 0: on the same */
    _Atomic uint32_t moves;   /* masks that were set: without that core, ... */
    _Atomic uint32_t pulls;   /* ... with it alone, ... */
    _Atomic uint32_t returns; /* ... and as it was */
} counts;
static counts *counted;

/* Not known where a test does not say: what is counted does not depend on who ran where. */
int sched_getcpu(void)
{
    bool other = counted != NULL && counted->others != 0 && getpid() != counted->application;
    return counted == NULL ? -1 : (other ? counted->others : counted->core) - 1;
}

/* A machine of two cores, whatever this one has. */
int sched_getaffinity(pid_t pid, size_t len, cpu_set_t *out)
{
    static int (*real)(pid_t, size_t, cpu_set_t *);
    if (counted != NULL && counted->core != 0 && getpid() == counted->application) {
        CPU_ZERO_S(len, out);
        CPU_SET_S(0, len, out);
        CPU_SET_S(1, len, out);
        return 0;
    }
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "sched_getaffinity");
    }
    return real(pid, len, out);
}

int sched_setaffinity(pid_t pid, size_t len, const cpu_set_t *mask)
{
    if (counted == NULL || counted->core == 0) {
        return 0; /* another test's, where two met by chance */
    }
    bool with = CPU_ISSET_S((size_t)counted->core - 1, len, mask);
    bool all = CPU_COUNT_S(len, mask) == 2;
    assert(pid != counted->application && (all ? with : CPU_COUNT_S(len, mask) == 1));
    atomic_fetch_add(all ? &counted->returns : with ? &counted->pulls : &counted->moves, 1);
    return 0;
}

static void count_futex(const void *word, long operation)
{
    bool ours = getpid() == counted->application;
    bool wakes = operation == FUTEX_WAKE;
    if (ours) {
        atomic_fetch_add(wakes ? &counted->wakes : &counted->waits, 1);
    } else if (wakes && word == (const void *)atomic_load(&counted->bell)) {
        atomic_fetch_add(&counted->bells, 1);
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
    if (number == SYS_futex && counted != NULL) {
        count_futex((const void *)args[0], args[1]);
    }
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    }
    long got = real(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if (got < 0 && errno == EAGAIN && number == SYS_futex && counted != NULL &&
        getpid() == counted->application) {
        got = 0; /* it was rung for after it was counted and before it slept */
    }
    return got;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    static int (*real)(clockid_t, struct timespec *);
    if (counted != NULL && clock == CLOCK_MONOTONIC && getpid() == counted->application) {
        atomic_fetch_add(&counted->reads, 1);
        if (counted->clock_ns != 0) {
            uint64_t ns = atomic_fetch_add(&counted->clock_ns, STEP_NS);
            *out = (struct timespec){.tv_sec = (time_t)(ns / SEC), .tv_nsec = (long)(ns % SEC)};
            return 0;
        }
    } else if (counted != NULL && clock == CLOCK_MONOTONIC) {
        atomic_fetch_add(&counted->worker_reads, 1);
    }
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    }
    return real(clock, out);
}

static tusk_work *open_quiet(uint32_t workers, uint32_t spin_us)
{
    tusk_work *work = open_spinning_pool(workers, workers, 64, spin_us);
    atomic_store(&counted->bell, &tusk_work_lane(work)->view->lane->bell);
    return work;
}

/* In a worker: until the application sleeps, or is about to and will be rung for. However long a
 * machine that is busy elsewhere holds it up: who is quick would find its answer without that. */
static void until_it_waits(uint32_t number)
{
    while (atomic_load(&counted->waits) <= number) {
        (void)sched_yield();
    }
}

/* Until all workers sleep; then nothing has been counted. */
static void all_asleep(tusk_work *work, uint32_t workers)
{
    const shared_head *head = tusk_work_lane(work)->region->head;
    uint64_t end_ns = tusk_loop_clock_ns() + 20 * SEC;
    while ((uint32_t)__builtin_popcountll(atomic_load(&head->sleeping)) < workers) {
        assert_true(tusk_loop_clock_ns() < end_ns);
        (void)sched_yield();
    }
    atomic_store(&counted->wakes, 0);
    atomic_store(&counted->waits, 0);
    atomic_store(&counted->bells, 0);
}

static int set_up(void **state)
{
    void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    counted = shared;
    counted->application = (int)getpid();
    own_task = until_it_waits;
    return 0;
}

static int tear_down(void **state)
{
    (void)munmap(counted, 4096);
    counted = NULL;
    return 0;
}

#define WITH_COUNTS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
