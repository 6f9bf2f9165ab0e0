/* SPDX-License-Identifier: MIT */
/*
 * The hub log: every published message, in one sequence, in one bounded ring of shared memory.
 *
 * It is the history, the source of resumed streams, and the waiting line of subscribers that fell
 * behind. The oldest records give way; a reader that asks for one of those is told that it is gone,
 * never something else.
 */
#ifndef SERVE_HUBLOG_H
#define SERVE_HUBLOG_H

#include <tusk/hub.h>

typedef struct hub_record {
    uint64_t offset;
    uint64_t topic_hash;
    uint32_t size; /* in the ring, with this head */
    uint32_t data_len;
    uint16_t topic_len;
    uint16_t type_len;
    uint16_t id_len;
    uint8_t opcode;
    uint8_t has_id;       /* the application gave an id of its own */
    uint32_t except_slot; /* who is left out, also when it reads the log later */
    uint32_t except_generation;
    uint8_t bytes[]; /* topic, type, id, data */
} hub_record;

static inline tusk_bytes tusk__record_topic(const hub_record *self)
{
    return tusk_bytes_of(self->bytes, self->topic_len);
}
static inline tusk_bytes tusk__record_type(const hub_record *self)
{
    return tusk_bytes_of(self->bytes + self->topic_len, self->type_len);
}
static inline tusk_bytes tusk__record_id(const hub_record *self)
{
    return tusk_bytes_of(self->bytes + self->topic_len + self->type_len, self->id_len);
}
static inline tusk_bytes tusk__record_data(const hub_record *self)
{
    return tusk_bytes_of(self->bytes + self->topic_len + self->type_len + self->id_len,
                         self->data_len);
}

typedef struct hub_entry {
    tusk_bytes topic, type, id, data;
    uint64_t topic_hash;
    uint32_t except_slot;
    uint32_t except_generation; /* 0: nobody is left out */
    uint8_t opcode;
    bool has_id;
} hub_entry;

typedef struct tusk_hublog {
    uint8_t *ring;
    uint64_t *places; /* of a record, by offset & mask */
    size_t cap;
    size_t place_cap; /* a power of two */
    size_t write_at;
    uint64_t epoch;
    uint64_t head; /* offset of the newest; 0: none yet */
    uint64_t tail; /* offset of the oldest held; head + 1: nothing held */
} tusk_hublog;

tusk_err tusk__hublog_init(tusk_hublog *self, size_t bytes, uint64_t epoch);
void tusk__hublog_fini(tusk_hublog *self);
/* The record as it stands in the ring, until the next append; NULL when it is larger than half of
 * the ring (its offset is used up all the same, and nothing before it can be resumed). */
const hub_record *tusk__hublog_append(tusk_hublog *self, const hub_entry *entry);
/* NULL: not held. */
const hub_record *tusk__hublog_at(const tusk_hublog *self, uint64_t offset);
/* Can everything after `position` be had? */
bool tusk__hublog_reaches(const tusk_hublog *self, tusk_position position);

#endif
