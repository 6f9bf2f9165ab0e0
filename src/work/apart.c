/* SPDX-License-Identifier: MIT */
/* Which core a worker is woken on. Where the next task follows at once, caller and worker look for
 * each other, and must be on two cores for that: the system often keeps them on one though another
 * is idle. (A virtual machine's idle core may count as taken by its host, so nobody is woken
 * there.) Where tasks are rare, both sleep for each, and a worker on the caller's core is there at
 * once, while another core has to be woken first. The caller moves the worker, once, as it wakes
 * it. */
#define _GNU_SOURCE
#include "work/lane.h"

#if defined(__linux__)
#include <sched.h>

#define MS UINT64_C(1000000)
enum { IN_A_ROW = 4, PAUSE_MS_MIN = 2, PAUSE_MS_MAX = 1280 };

uint32_t tusk__core(void)
{
    int core = sched_getcpu();
    return core < 0 ? 0 : (uint32_t)core + 1;
}

void tusk__apart_note(tusk_lane *self)
{
    work_apart *apart = &self->apart;
    uint32_t ringer = atomic_load_explicit(&self->view->lane->ringer, memory_order_relaxed);
    apart->beside = ringer != 0 && ringer == tusk__core();
    apart->rung_ns = tusk_loop_clock_ns();
    apart->away.row =
        apart->quick ? apart->away.row + 1 : 0; /* wherever it is: they did not meet */
    apart->near.row = !apart->beside && !apart->quick ? apart->near.row + 1 : 0;
    apart->near.met |= apart->beside && !apart->quick;
}

/* Where it may run, but here, or only here; false: nowhere, or it does already. */
static bool move(int pid, uint32_t core, bool near, cpu_set_t *before)
{
    cpu_set_t there;
    if (pid == 0 || sched_getaffinity(pid, sizeof(*before), before) != 0 ||
        !CPU_ISSET(core - 1, before)) {
        return false;
    }
    if (near) {
        CPU_ZERO(&there);
        CPU_SET(core - 1, &there);
    } else {
        there = *before;
        CPU_CLR(core - 1, &there);
    }
    return CPU_COUNT(&there) != 0 && sched_setaffinity(pid, sizeof(there), &there) == 0;
}

static bool due(work_move *self, uint64_t now_ns)
{
    if (self->row < IN_A_ROW || now_ns < self->next_ns) {
        return false;
    }
    bool longer = !self->met && self->pause_ms != 0; /* it was of no use */
    self->pause_ms = longer ? self->pause_ms * 2 : PAUSE_MS_MIN;
    if (self->pause_ms > PAUSE_MS_MAX) {
        self->pause_ms = PAUSE_MS_MAX;
    }
    self->row = 0;
    self->met = false;
    self->next_ns = now_ns + self->pause_ms * MS;
    return true;
}

static void wake_moved(tusk_lane *self, uint32_t count, bool near)
{
    shared_head *head = self->region->head;
    struct {
        int pid;
        cpu_set_t mask;
    } moved[APART_MAX];
    uint32_t many = 0;
    uint32_t core = tusk__core();
    uint64_t sleeping = core == 0 ? 0 : atomic_load(&head->sleeping);
    for (; sleeping != 0 && many < APART_MAX; sleeping &= sleeping - 1) {
        moved[many].pid = tusk__work_worker_pid(self->work, (uint32_t)__builtin_ctzll(sleeping));
        many += move(moved[many].pid, core, near, &moved[many].mask);
    }
    if (many != 0 && !near) {
        self->apart.beside = false;
        self->apart.patient = true;
        self->luck.left = LUCK_MAX;
        (void)atomic_fetch_add_explicit(&self->view->lane->stay, 1, memory_order_relaxed);
    }
    tusk__futex_wake(&head->work, count);
    for (uint32_t i = 0; i < many; i++) { /* whoever was woken has its place by now */
        (void)sched_setaffinity(moved[i].pid, sizeof(moved[i].mask), &moved[i].mask);
    }
}

/* The only task of a caller that does nothing but wait for it. */
static bool alone(const tusk_lane *self)
{
    return self->outstanding == 1 && self->watched != self->view->count;
}

void tusk__apart_wake(tusk_lane *self, uint32_t count)
{
    work_apart *apart = &self->apart;
    shared_head *head = self->region->head;
    atomic_store_explicit(&head->rouser, tusk__core(), memory_order_relaxed);
    if (self->work != NULL && self->spin_us != 0) {
        uint64_t now_ns = tusk_loop_clock_ns();
        apart->quick = now_ns - apart->rung_ns < (uint64_t)apart->soon_us * 1000;
        bool away = tusk__region_core_free(self->region, 0) && due(&apart->away, now_ns);
        if (away || (alone(self) && due(&apart->near, now_ns))) {
            wake_moved(self, count, !away);
            return;
        }
    }
    tusk__futex_wake(&head->work, count);
}

#else

typedef int tusk__apart_is_not_built; /* an empty file would not be C */

#endif
