/* SPDX-License-Identifier: MIT */
/* The shared region: one mapping without a name, laid out before anybody is forked. */
#define _GNU_SOURCE
#include "work/region.h"

#include "loop/cpus.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if !defined(MAP_NORESERVE)
#define MAP_NORESERVE 0
#endif

static size_t rounded(size_t size, size_t step)
{
    return (size + step - 1) / step * step;
}

static uint32_t ring_max(uint32_t slots)
{
    uint32_t max = 2;
    while (max < slots * 2) {
        max *= 2;
    }
    return max;
}

/* `map` NULL: only measures. Returns where the next thing lies. */
static size_t lay_lane(lane_view *self, uint8_t *map, size_t at, uint32_t slots)
{
    self->count = slots;
    self->ring_max = ring_max(slots);
    if (map != NULL) {
        self->lane = (shared_lane *)(void *)(map + at);
    }
    at += rounded(sizeof(shared_lane), 64);
    if (map != NULL) {
        self->ring = (_Atomic uint64_t *)(void *)(map + at);
    }
    at += rounded(self->ring_max * sizeof(uint64_t), 64);
    if (map != NULL) {
        self->done = (_Atomic uint64_t *)(void *)(map + at);
    }
    at = rounded(at + (slots + 63) / 64 * sizeof(uint64_t), _Alignof(shared_slot));
    if (map != NULL) {
        self->slots = (shared_slot *)(void *)(map + at);
    }
    return at + slots * sizeof(shared_slot);
}

static size_t lay_out(work_region *self, uint8_t *map, uint32_t queue)
{
    size_t at = rounded(sizeof(shared_head), 64);
    self->head = (shared_head *)(void *)map;
    for (uint32_t owner = 0; owner <= self->workers; owner++) {
        at = lay_lane(&self->lanes[owner], map, at, owner == APPLICATION ? queue : INNER_SLOTS);
    }
    at = rounded(at, 4096);
    self->arenas = map == NULL ? NULL : map + at;
    return at + (size_t)(self->hands + 1) * self->arena_size;
}

static void measure(work_region *self, uint32_t workers, uint32_t queue, size_t arena)
{
    *self = (work_region){.workers = workers,
                          .hands = workers + TUSK_WORK_GUESTS_MAX,
                          .arena_size = rounded(arena, 65536),
                          .fd = -1};
    self->size = lay_out(self, NULL, queue);
}

static tusk_err map_region(work_region *self, uint32_t queue, int fd)
{
    int flags = MAP_SHARED | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0);
    void *map = mmap(NULL, self->size, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (map == MAP_FAILED) {
        return TUSK_ESYS;
    }
#if defined(MADV_DONTDUMP)
    (void)madvise(map, self->size, MADV_DONTDUMP);
#endif
    self->map = map;
    (void)lay_out(self, map, queue);
    self->cpus = tusk__cpus_of_mask();
    return TUSK_OK;
}

/* Sealed: who has the descriptor could else cut it short under a reader. A limit of files (`ulimit
 * -f`) counts for those in memory, too, and whoever exceeds it is ended by a signal. */
static int open_file(size_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur) {
        errno = EFBIG;
        return -1;
    }
    int fd = memfd_create("tusk-work", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (ftruncate(fd, (off_t)size) != 0 ||
                    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

/* Nearly all of it is addresses that nobody ever writes to. Where the system counts those as memory
 * (vm.overcommit_memory=2, as database hosts have it) it may refuse them; of a file in memory it
 * counts the pages that are there. Nobody else has the descriptor, and the mapping needs none. */
static tusk_err map_pages(work_region *self, uint32_t queue)
{
    if (map_region(self, queue, -1) == TUSK_OK) {
        return TUSK_OK;
    }
    int refused = errno;
    int fd = refused == ENOMEM ? open_file(self->size) : -1;
    tusk_err err = fd < 0 ? TUSK_ESYS : map_region(self, queue, fd);
    if (fd >= 0) {
        (void)close(fd);
    }
    errno = refused;
    return err;
}

tusk_err tusk__region_open(work_region *self, uint32_t workers, uint32_t queue, size_t arena,
                           bool named)
{
    measure(self, workers, queue, arena);
    int fd = named ? open_file(self->size) : -1;
    tusk_err err = !named   ? map_pages(self, queue)
                   : fd < 0 ? TUSK_ESYS
                            : map_region(self, queue, fd);
    self->fd = fd;
    if (err != TUSK_OK) {
        tusk__region_close(self);
    }
    return err;
}

tusk_err tusk__region_adopt(work_region *self, uint32_t workers, uint32_t queue, size_t arena,
                            int fd, size_t size)
{
    measure(self, workers, queue, arena);
    tusk_err err = size != self->size ? TUSK_EINVAL : map_region(self, queue, fd);
    if (err != TUSK_OK) {
        tusk__region_close(self);
    }
    return err;
}

void tusk__region_close(work_region *self)
{
    if (self->map != NULL) {
        (void)munmap(self->map, self->size);
    }
    if (self->size != 0 && self->fd >= 0) {
        (void)close(self->fd);
    }
    *self = (work_region){.fd = -1};
}

_Noreturn void tusk__region_leave(work_region *self, int status)
{
    tusk__region_close(self);
    _exit(status);
}

bool tusk__region_core_free(const work_region *self, uint32_t besides)
{
    uint64_t awake = atomic_load_explicit(&self->head->awake, memory_order_relaxed);
    return (uint32_t)__builtin_popcountll(awake) + besides < self->cpus;
}

uint32_t tusk__region_looking(const work_region *self)
{
    uint32_t looking = 0;
    uint64_t awake = atomic_load(&self->head->awake);
    for (; awake != 0; awake &= awake - 1) {
        uint32_t hand = (uint32_t)__builtin_ctzll(awake);
        looking += hand < self->workers && atomic_load(&self->head->hands[hand].runs) == 0;
    }
    return looking;
}

uint32_t tusk__region_idle(const work_region *self)
{
    return (uint32_t)__builtin_popcountll(atomic_load(&self->head->sleeping)) +
           tusk__region_looking(self);
}

uint32_t tusk__region_waiting(const work_region *self, uint32_t enough)
{
    const shared_head *head = self->head;
    uint32_t waiting = (uint32_t)__builtin_popcountll(atomic_load(&head->sleeping));
    for (uint32_t hand = 0; hand < self->workers && waiting < enough; hand++) {
        waiting += atomic_load(&head->hands[hand].looks) == 1;
    }
    return waiting;
}

void tusk__region_ring(const work_region *self, uint32_t owner, int fd)
{
    shared_lane *lane = self->lanes[owner].lane;
    if (atomic_load(&lane->waits) == 0) {
        return;
    }
    uint32_t waits = atomic_exchange(&lane->waits, 0);
    if ((waits & WAITS_FUTEX) != 0) {
        atomic_store_explicit(&lane->ringer, tusk__core(), memory_order_relaxed);
        atomic_fetch_add(&lane->bell, 1);
        tusk__futex_wake(&lane->bell, 1);
    }
    if ((waits & WAITS_FD) != 0 && fd >= 0) {
        const uint64_t one = 1;
        (void)!write(fd, &one, sizeof(one));
    }
}

void tusk__region_rouse(const work_region *self, int fd)
{
    for (uint32_t owner = 0; owner <= self->workers; owner++) {
        uint32_t all = owner == APPLICATION ? WAITS_FUTEX | WAITS_FD : WAITS_FUTEX;
        atomic_fetch_or(&self->lanes[owner].lane->waits, all);
        tusk__region_ring(self, owner, fd);
    }
}

#else

typedef int tusk__region_is_not_built; /* an empty file would not be C */

#endif
