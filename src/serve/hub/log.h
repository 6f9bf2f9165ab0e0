/* SPDX-License-Identifier: MIT */
/*
 * The hub log: every published message, in one sequence, in one bounded ring of shared memory.
 *
 * It is the history, the source of resumed streams, and the waiting line of subscribers that fell
 * behind. The oldest records give way; a reader that asks for one of those is told that it is gone,
 * never something else. A writer that is killed in the middle of an append leaves the log as it was
 * before, or without some of its oldest records.
 */
#ifndef SERVE_HUB_LOG_H
#define SERVE_HUB_LOG_H

#include "serve/hub/store.h"

typedef struct tusk_hublog {
    uint8_t *ring;
    uint64_t *places; /* of a record, by offset & mask */
    size_t cap;
    size_t place_cap; /* a power of two */
    size_t write_at;
    uint64_t head;
    uint64_t tail;
} tusk_hublog;

tusk_err tusk__hublog_init(tusk_hublog *self, size_t bytes);
void tusk__hublog_fini(tusk_hublog *self);
/* The record lies in the ring until the next append, and longer while less than half of the ring is
 * appended; one larger than that is not held. */
hub_kept tusk__hublog_append(tusk_hublog *self, const hub_entry *entry);
/* NULL: not held. */
const hub_record *tusk__hublog_at(const tusk_hublog *self, uint64_t offset);
hub_sight tusk__hublog_look(const tusk_hublog *self, uint64_t offset, uint64_t topic_hash,
                            tusk_bytes topic);

/* `size` bytes are there for it: head, topic, type, id and data of the entry, or more. */
void tusk__record_write(hub_record *self, const hub_entry *entry, size_t size, uint64_t offset);

/* The store of a hub that is alone: nothing locked, nothing copied. */
typedef struct hub_own_store {
    hub_store store; /* first */
    tusk_hublog log;
} hub_own_store;

tusk_err tusk__own_store_init(hub_own_store *self, size_t bytes, uint64_t epoch, uint64_t seed);

#endif
