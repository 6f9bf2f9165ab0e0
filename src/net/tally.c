/* SPDX-License-Identifier: MIT */
/* The tally: per seat a hash table of fixed size in memory that all processes share. */
#include "net/tally.h"

#include <string.h>

size_t net_tally_size(uint32_t seats)
{
    return (size_t)seats * TALLY_SETS * TALLY_WAYS * sizeof(tally_cell);
}

static size_t set_at(uint32_t seat, uint64_t hash)
{
    return ((size_t)seat * TALLY_SETS + hash % TALLY_SETS) * TALLY_WAYS;
}

static uint64_t read_number(const _Atomic uint64_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

void net_tally_tell(const net_tally *self, uint64_t hash, uint32_t count, uint32_t spare)
{
    uint64_t both = (uint64_t)spare << 32 | count;
    tally_cell *room = NULL;
    if (self->cells == NULL) {
        return;
    }
    tally_cell *set = &self->cells[set_at(self->seat, hash)];
    for (uint32_t i = 0; i < TALLY_WAYS; i++) {
        bool used = read_number(&set[i].count) > 0;
        if (used && read_number(&set[i].hash) == hash) {
            atomic_store(&set[i].count, both);
            return;
        }
        room = room == NULL && !used ? &set[i] : room;
    }
    if (room != NULL && count > 0) {
        atomic_store(&room->hash, hash);
        atomic_store(&room->count, both);
    }
}

uint64_t net_tally_others(const net_tally *self, uint64_t hash)
{
    uint64_t sum = 0;
    if (self->cells == NULL) {
        return 0;
    }
    for (uint32_t seat = 0; seat < self->seats; seat++) {
        const tally_cell *set = &self->cells[set_at(seat, hash)];
        for (uint32_t i = 0; seat != self->seat && i < TALLY_WAYS; i++) {
            uint64_t count = atomic_load(&set[i].count);
            sum += atomic_load(&set[i].hash) == hash ? (uint32_t)count : 0;
        }
    }
    return sum;
}

uint32_t net_tally_spare(const tally_cell *cells, uint32_t seat, uint64_t hash)
{
    const tally_cell *set = &cells[set_at(seat, hash)];
    for (uint32_t i = 0; i < TALLY_WAYS; i++) {
        uint64_t count = atomic_load(&set[i].count);
        if (count > 0 && atomic_load(&set[i].hash) == hash) {
            return (uint32_t)(count >> 32);
        }
    }
    return 0;
}

void net_tally_gone(tally_cell *cells, uint32_t seat)
{
    if (cells != NULL) {
        memset((void *)&cells[set_at(seat, 0)], 0, net_tally_size(1));
    }
}
