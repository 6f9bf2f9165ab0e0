/* SPDX-License-Identifier: MIT */
/* Seats in one anonymous mapping. */
#define _GNU_SOURCE
#include "net/seats.h"

#include <string.h>
#include <sys/mman.h>

#include "stats/shared.h"

#if !defined(MAP_ANONYMOUS)
#define MAP_ANONYMOUS MAP_ANON
#endif
#if !defined(MAP_NORESERVE)
#define MAP_NORESERVE 0
#endif

static size_t aligned(size_t size)
{
    return (size + SEATS_LINE - 1) / SEATS_LINE * SEATS_LINE;
}

tusk_err net_seats_open(net_seats *self, uint32_t count, size_t counters, size_t beside)
{
    *self = (net_seats){.count = count, .stride = aligned((1 + counters) * sizeof(uint64_t))};
    if (count == 0) {
        return TUSK_EINVAL;
    }
    self->size = (count + (size_t)1) * self->stride + beside;
    void *map = mmap(NULL, self->size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        *self = (net_seats){.map = NULL};
        return TUSK_ENOMEM;
    }
    self->map = map;
    return TUSK_OK;
}

void net_seats_close(net_seats *self)
{
    if (self->map != NULL) {
        (void)munmap(self->map, self->size);
    }
    *self = (net_seats){.map = NULL};
}

uint8_t *net_seats_beside(const net_seats *self)
{
    return self->map + (self->count + (size_t)1) * self->stride;
}

uint64_t net_seats_held_by_all(const net_seats *self)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        sum += atomic_load(net_seats_held(self, i));
    }
    return sum;
}

void net_seats_merge(const net_seats *self, size_t first, const tusk_metric_table *table, void *to)
{
    for (uint32_t i = 0; i <= self->count; i++) {
        tusk__shared_merge(to, net_seats_counters(self, i) + first, table);
    }
}

void net_seats_gone(const net_seats *self, uint32_t seat)
{
    atomic_store(net_seats_held(self, seat), 0);
}

void net_seats_bury(const net_seats *self, uint32_t seat, size_t first,
                    const tusk_metric_table *table)
{
    tusk__shared_bury(net_seats_counters(self, self->count) + first,
                      net_seats_counters(self, seat) + first, table);
}
