/* SPDX-License-Identifier: MIT */
/*
 * Where the hub keeps what is published, and how it hears of what other processes publish: two
 * tables of functions. Alone in its process a hub has the log of log.c and no bus; the processes
 * of one server share the log and the bus of shared.c.
 */
#ifndef SERVE_HUB_STORE_H
#define SERVE_HUB_STORE_H

#include <string.h>

#include <tusk/hub.h>
#include <tusk/loop.h>

typedef struct hub_record {
    uint64_t offset;
    uint64_t topic_hash; /* by the store's seed */
    uint32_t size;       /* in the ring, with this head */
    uint32_t data_len;
    uint16_t topic_len;
    uint16_t type_len;
    uint16_t id_len; /* and one: the application gave an id of its own, perhaps an empty one */
    uint8_t opcode;
    uint8_t origin;       /* the member that published it */
    uint32_t except_slot; /* of that member: who is left out, also when it reads the log later */
    uint32_t except_generation;
    uint8_t bytes[]; /* topic, type, id, data */
} hub_record;

static inline bool tusk__record_has_id(const hub_record *self)
{
    return self->id_len > 0;
}
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
    return tusk_bytes_of(self->bytes + self->topic_len + self->type_len,
                         self->id_len > 0 ? self->id_len - 1u : 0);
}
static inline tusk_bytes tusk__record_data(const hub_record *self)
{
    tusk_bytes id = tusk__record_id(self);
    return tusk_bytes_of(id.ptr + id.len, self->data_len);
}

static inline bool tusk__record_is_of(const hub_record *self, uint64_t topic_hash, tusk_bytes topic)
{
    return self->topic_hash == topic_hash && self->topic_len == topic.len &&
           memcmp(self->bytes, topic.ptr, topic.len) == 0;
}

typedef struct hub_entry {
    tusk_bytes topic, type, id, data;
    uint64_t topic_hash;
    uint32_t except_slot;
    uint32_t except_generation; /* 0: nobody is left out */
    uint8_t opcode;
    uint8_t origin;
    bool has_id;
} hub_entry;

/* What became of an entry. */
typedef struct hub_kept {
    uint64_t offset;          /* it has one in any case */
    const hub_record *record; /* as it lies in the log; NULL: not held, or another process may write
                                 over it at any time */
} hub_kept;

/* Of a record, without the record. */
typedef struct hub_sight {
    bool held;
    bool of_topic; /* of that which was named */
    uint32_t data_len;
} hub_sight;

/* ---- the store ---- */
typedef struct hub_store hub_store;
typedef struct hub_store_ops {
    /* An entry that is too large for the store is not held: its offset is used up all the same, and
     * nothing before it can be resumed. */
    hub_kept (*append)(hub_store *self, const hub_entry *entry);
    /* Until the next append or at; NULL: not held (below the tail, beyond the head), or no memory.
     */
    const hub_record *(*at)(hub_store *self, uint64_t offset);
    /* Shows nothing: what `at` showed stays, also where this is asked while that is delivered. */
    hub_sight (*look)(const hub_store *self, uint64_t offset, uint64_t topic_hash,
                      tusk_bytes topic);
    uint64_t (*head)(const hub_store *self); /* offset of the newest; 0: none yet */
    uint64_t (*tail)(const hub_store *self); /* of the oldest held; head + 1: nothing held */
    void (*close)(hub_store *self);
} hub_store_ops;

struct hub_store {
    const hub_store_ops *ops;
    uint64_t epoch;
    uint64_t seed;
    size_t room; /* records that append showed lie there while less than this is appended */
    uint8_t member;
    uint32_t first_generation; /* of sessions: a member that takes the place of one that is gone
                                  must not be taken for it where a record names a session */
};

/* Can everything after `position` be had? */
static inline bool tusk__store_reaches(const hub_store *self, tusk_position position)
{
    return position.epoch == self->epoch && position.offset <= self->ops->head(self) &&
           position.offset + 1 >= self->ops->tail(self);
}

/* ---- the bus ---- */
typedef struct hub_bus hub_bus;
typedef struct hub_bus_ops {
    /* Something was appended to the store: the others look. One that was told and has not looked
     * yet costs no system call. */
    void (*announce)(hub_bus *self);
    /* `on_news` comes when others announced something. */
    tusk_err (*listen)(hub_bus *self, tusk_loop *loop, void (*on_news)(void *user), void *user);
    void (*close)(hub_bus *self);
} hub_bus_ops;

struct hub_bus {
    const hub_bus_ops *ops;
};

#endif
