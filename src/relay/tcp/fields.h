/* SPDX-License-Identifier: MIT */
/* What is known of a TCP client beside its first bytes, as fields of a lookup. */
#ifndef RELAY_TCP_FIELDS_H
#define RELAY_TCP_FIELDS_H

#include "base/decimal.h"
#include "relay/tcp/setup.h"

typedef struct relay_field_text {
    char peer[TUSK_ADDR_TEXT_MAX];
    uint8_t port[DECIMAL_MAX];
    char destination[TUSK_ADDR_TEXT_MAX];
    uint8_t fingerprint[RELAY_FINGERPRINT_LEN];
} relay_field_text;

/* Those of `fields` (bits) that take work, and all that do not; views into the pair and `text`. */
void relay_fields_fill(const relay_pair *pair, tusk_relay_lookup *lookup, uint32_t fields,
                       relay_field_text *text);

#endif
