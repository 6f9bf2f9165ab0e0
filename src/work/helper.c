/* SPDX-License-Identifier: MIT */
/* Who forks many workers is copying page tables all the time, on one core. The first of them takes
 * half of that work: it forks siblings of its own before it becomes a worker. */
#define _GNU_SOURCE
#include "work/helper.h"

#if defined(__linux__)

#include <signal.h>
#include <sys/mman.h>

#define MS UINT64_C(1000000)
#define LOOK_NS (2 * MS)
#define PATIENCE_NS (5000 * MS)
enum { COUNT_MIN = 3 };

helper_list *tusk__helper_open(uint32_t cpus, const uint8_t *hands, uint32_t count)
{
    if (cpus < 2 || count < COUNT_MIN) {
        return NULL;
    }
    void *map =
        mmap(NULL, sizeof(helper_list), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
        return NULL;
    }
    helper_list *self = map;
    self->count = count;
    for (uint32_t i = 0; i < count; i++) {
        self->hands[i] = hands[i];
    }
    self->own[0] = true;
    atomic_store(&self->next, 1);
    return self;
}

void tusk__helper_close(helper_list *self)
{
    (void)munmap(self, sizeof(*self));
}

void tusk__helper_keep(helper_list *self)
{
    (void)madvise(self, sizeof(*self), MADV_DONTFORK);
}

bool tusk__helper_take(helper_list *self, uint32_t *at)
{
    *at = atomic_fetch_add(&self->next, 1);
    return *at < self->count;
}

uint32_t tusk__helper_fork(helper_list *self)
{
    uint32_t hand = self->hands[0];
    uint32_t at;
    while (tusk__helper_take(self, &at)) {
        int pid = tusk__fork_sibling(&self->pids[at]);
        if (pid == 0) {
            hand = self->hands[at];
            break;
        }
        if (pid < 0) {
            atomic_store(&self->pids[at], -1);
        }
        atomic_fetch_add(&self->settled, 1);
        tusk__futex_wake(&self->settled, 1);
    }
    tusk__helper_close(self);
    return hand;
}

int tusk__helper_pid(helper_list *self, uint32_t at, int helper)
{
    uint64_t end_ns = tusk_loop_clock_ns() + PATIENCE_NS;
    bool ended = false;
    int pid;
    for (;;) {
        uint32_t seen = atomic_load(&self->settled);
        pid = atomic_load(&self->pids[at]);
        if (pid != 0 || ended) {
            return pid < 0 ? 0 : pid;
        }
        uint64_t now_ns = tusk_loop_clock_ns();
        if (now_ns >= end_ns) { /* somebody has stopped it */
            (void)kill(helper, SIGKILL);
        }
        (void)tusk__futex_wait(&self->settled, seen, now_ns + LOOK_NS);
        ended = tusk__has_ended(helper); /* then one look more: it may have been its last act */
    }
}

#else

typedef int tusk__helper_is_not_built; /* an empty file would not be C */

#endif
