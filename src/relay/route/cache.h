/* SPDX-License-Identifier: MIT */
/* Remembered answers, by the fields they depend on and their values. */
#ifndef RELAY_ROUTE_CACHE_H
#define RELAY_ROUTE_CACHE_H

#include "relay/route/lookup.h"

tusk_err relay_cache_init(tusk_relay *relay);
void relay_cache_fini(tusk_relay *relay);
/* ttl_ms 0, too long a key, too many sets of fields or no memory: it is not. */
void relay_remember(tusk_relay *relay, uint32_t fields, const tusk_relay_lookup *lookup,
                    relay_answer *answer, uint32_t ttl_ms);

/* Over the values of these fields, absent ones too, and `secure`. */
uint64_t relay_hash_fields(uint64_t seed, uint32_t fields, const tusk_relay_lookup *lookup);
bool relay_same_fields(uint32_t fields, const tusk_relay_lookup *a, const tusk_relay_lookup *b);

#endif
