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
    return self->cells == NULL ? TUSK_ENOMEM : TUSK_OK;
}

void relay_rate_fini(relay_rate *self)
{
    tusk__free(self->mem, self->cells,
               (size_t)RELAY_RATE_SETS * RELAY_RATE_WAYS * sizeof(relay_rate_cell));
    memset(self, 0, sizeof(*self));
}

bool relay_rate_allows(relay_rate *self, const tusk_addr_key *key, uint64_t now_us)
{
    if (self->cells == NULL) {
        return true;
    }
    uint64_t hash = tusk__hash(self->seed, tusk_bytes_of(key->bytes, sizeof(key->bytes)));
    relay_rate_cell *set = &self->cells[(hash % RELAY_RATE_SETS) * RELAY_RATE_WAYS];
    relay_rate_cell *cell = &set[0];
    for (int i = 0; i < RELAY_RATE_WAYS; i++) {
        if (set[i].hash == hash) {
            cell = &set[i];
            break;
        }
        cell = set[i].paid_us < cell->paid_us ? &set[i] : cell;
    }
    if (cell->hash != hash) {
        *cell = (relay_rate_cell){.hash = hash};
    }
    uint64_t cost = SECOND_US / self->per_second;
    uint64_t paid = cell->paid_us > now_us ? cell->paid_us : now_us;
    if (paid - now_us + cost > SECOND_US) {
        return false;
    }
    cell->paid_us = paid + cost;
    return true;
}
