/* SPDX-License-Identifier: MIT */
/* A caller and a worker that the system wakes on one core though another is idle: no look of the
 * one ever sees the other at work, so both give looking up and sleep for each task. (A virtual
 * machine's idle core may count as taken by its host, so nobody is woken there.) The caller puts
 * the worker elsewhere, once, as it wakes it. */
#define _GNU_SOURCE
#include "work/lane.h"

#if defined(__linux__)
#include <sched.h>

#define MS UINT64_C(1000000)
enum { TOGETHER = 4, PAUSE_MS_MIN = 20, PAUSE_MS_MAX = 1280 };

uint32_t tusk__core(void)
{
    int core = sched_getcpu();
    return core < 0 ? 0 : (uint32_t)core + 1;
}

void tusk__apart_note(tusk_lane *self)
{
    uint32_t ringer = atomic_load_explicit(&self->view->lane->ringer, memory_order_relaxed);
    bool together = ringer != 0 && ringer == tusk__core();
    self->apart.together = together ? self->apart.together + 1 : 0;
}

/* Where it may run, but here; false: nowhere. */
static bool move(int pid, uint32_t core, cpu_set_t *before)
{
    cpu_set_t elsewhere;
    if (pid == 0 || sched_getaffinity(pid, sizeof(*before), before) != 0) {
        return false;
    }
    elsewhere = *before;
    CPU_CLR(core - 1, &elsewhere);
    return CPU_COUNT(&elsewhere) != 0 && sched_setaffinity(pid, sizeof(elsewhere), &elsewhere) == 0;
}

static bool due(work_apart *self)
{
    uint64_t now_ns = tusk_loop_clock_ns();
    self->together = 0; /* so the clock is read for every fourth task at most */
    if (now_ns < self->next_ns) {
        return false;
    }
    bool longer = !self->met && self->pause_ms != 0; /* it was of no use */
    self->pause_ms = longer ? self->pause_ms * 2 : PAUSE_MS_MIN;
    if (self->pause_ms > PAUSE_MS_MAX) {
        self->pause_ms = PAUSE_MS_MAX;
    }
    self->met = false;
    self->next_ns = now_ns + self->pause_ms * MS;
    return true;
}

void tusk__apart_wake(tusk_lane *self, uint32_t count)
{
    shared_head *head = self->region->head;
    struct {
        int pid;
        cpu_set_t mask;
    } moved[APART_MAX];
    uint32_t many = 0;
    uint32_t core = tusk__core();
    uint64_t sleeping = atomic_load(&head->sleeping);
    if (core == 0 || !tusk__region_core_free(self->region, 0) || !due(&self->apart)) {
        tusk__futex_wake(&head->work, count);
        return;
    }
    for (; sleeping != 0 && many < APART_MAX; sleeping &= sleeping - 1) {
        moved[many].pid = tusk__work_worker_pid(self->work, (uint32_t)__builtin_ctzll(sleeping));
        many += move(moved[many].pid, core, &moved[many].mask);
    }
    if (many != 0) {
        self->luck.left = LUCK_MAX;
        (void)atomic_fetch_add_explicit(&self->view->lane->stay, 1, memory_order_relaxed);
    }
    tusk__futex_wake(&head->work, count);
    for (uint32_t i = 0; i < many; i++) { /* whoever was woken has its place by now */
        (void)sched_setaffinity(moved[i].pid, sizeof(moved[i].mask), &moved[i].mask);
    }
}

bool tusk__apart_wanted(const tusk_lane *self)
{
    return self->apart.together >= TOGETHER && self->work != NULL && self->spin_us != 0;
}

#else

typedef int tusk__apart_is_not_built; /* an empty file would not be C */

#endif
