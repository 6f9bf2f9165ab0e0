/* SPDX-License-Identifier: MIT */
/* Rates per address: one number each, the time at which all it did is paid for. */
#include "relay/rate.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define SECOND_US UINT64_C(1000000)

tusk_err relay_rate_init(relay_rate *self, const tusk_mem *mem, uint32_t per_second, uint64_t seed)
{
    *self = (relay_rate){.mem = mem, .seed = seed, .per_second = per_second};
    if (per_second == 0) {
        return TUSK_OK;
    }
    self->cells =
        tusk__new(mem, (size_t)RELAY_RATE_SETS * RELAY_RATE_WAYS * sizeof(relay_rate_cell));
    self->own = self->cells;
    return self->cells == NULL ? TUSK_ENOMEM : TUSK_OK;
}

void relay_rate_share(relay_rate *self, relay_rate_cell *cells)
{
    self->cells = cells == NULL ? self->cells : cells;
}

void relay_rate_fini(relay_rate *self)
{
    tusk__free(self->mem, self->own,
               (size_t)RELAY_RATE_SETS * RELAY_RATE_WAYS * sizeof(relay_rate_cell));
    memset(self, 0, sizeof(*self));
}

/* The cell of this address, or the one that has used least, which is then its. Two processes that
 * meet in a set may spoil one connection's worth of each other's account, no more. */
static relay_rate_cell *cell_of(const relay_rate *self, uint64_t hash)
{
    relay_rate_cell *set = &self->cells[(hash % RELAY_RATE_SETS) * RELAY_RATE_WAYS];
    relay_rate_cell *cell = &set[0];
    for (int i = 0; i < RELAY_RATE_WAYS; i++) {
        if (atomic_load_explicit(&set[i].hash, memory_order_relaxed) == hash) {
            return &set[i];
        }
        cell = atomic_load_explicit(&set[i].paid_us, memory_order_relaxed) <
                       atomic_load_explicit(&cell->paid_us, memory_order_relaxed)
                   ? &set[i]
                   : cell;
    }
    atomic_store_explicit(&cell->hash, hash, memory_order_relaxed);
    atomic_store_explicit(&cell->paid_us, 0, memory_order_relaxed);
    return cell;
}

bool relay_rate_allows(relay_rate *self, const tusk_addr_key *key, uint64_t now_us)
{
    if (self->cells == NULL) {
        return true;
    }
    uint64_t hash = tusk__hash(self->seed, tusk_bytes_of(key->bytes, sizeof(key->bytes)));
    relay_rate_cell *cell = cell_of(self, hash);
    uint64_t cost = SECOND_US / self->per_second;
    uint64_t seen = atomic_load_explicit(&cell->paid_us, memory_order_relaxed);
    uint64_t paid;
    do {
        paid = seen > now_us ? seen : now_us;
        if (paid - now_us + cost > SECOND_US) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&cell->paid_us, &seen, paid + cost));
    return true;
}
