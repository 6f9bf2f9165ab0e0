/* SPDX-License-Identifier: MIT */
/*
 * Topics: who subscribes to what, and how a published message reaches them.
 *
 * Publishing appends to the log and to the open batch (messages of one topic, in order). The batch
 * is closed when another topic is published, when a subscriber of it is written to directly, when
 * it is large, or at the end of the turn. Closed it is delivered: each wire form that anybody needs
 * is encoded once, as one blob, and queued by reference; for few subscribers at once, for many in
 * shares, a turn each, while what is published next is collected (batch.c).
 *
 * A subscription is live, or behind: one that resumes `since` a position, or whose queue is long
 * (policies that drop or conflate). One that is behind is not given messages; it reads them from
 * the log when its queue has room.
 *
 * Where several processes share a log, what others append goes through the same batch, in the order
 * of the log (news.c).
 */
#ifndef SERVE_HUB_HUB_H
#define SERVE_HUB_HUB_H

#include <tusk/server.h>

#include "base/list.h"
#include "base/table.h"
#include "serve/hub/log.h"

struct tusk_session;

typedef struct hub_topic {
    tusk_entry in_table;
    tusk_link subs;
    uint32_t sub_count;
    uint32_t plain_count;   /* WebSocket without deflate */
    uint32_t deflate_count; /* with */
    uint32_t stream_count;  /* SSE */
    uint32_t keepers;       /* subscriptions that `newest` is kept for */
    uint16_t name_len;
    uint16_t batches;   /* closed so far, modulo 2^16 */
    hub_record *newest; /* a copy (newest.h); NULL: none */
    uint8_t name[];
} hub_topic;

/* What a session has once it subscribes; freed with the session. */
typedef struct hub_member {
    tusk_link subs;
    tusk_link behind; /* in the hub's list of sessions to feed */
    struct tusk_session *session;
    uint32_t sub_count;
    uint32_t behind_count;
    bool reset_owed; /* a gap is to be said before anything else */
    bool fresh;      /* behind for the order of its topics alone: nothing was missed */
} hub_member;

typedef struct hub_sub {
    tusk_link in_topic;
    tusk_link in_session;
    hub_topic *topic;
    struct tusk_session *session;
    uint64_t next;    /* behind: first offset not yet given */
    size_t waiting;   /* behind: bytes of data that wait in the log */
    uint16_t given;   /* the number of the last batch of the topic that it was given */
    uint8_t overflow; /* tusk_overflow */
    bool behind : 1;
    bool keeps : 1; /* behind: it is one of the topic's keepers */
    uint32_t owed;  /* behind: messages published since then that were neither passed nor dropped */
} hub_sub;

typedef struct hub_message {
    tusk_bytes topic, data, type, id;
    uint64_t offset;
    tusk_handle except;
    uint8_t opcode;
    bool has_id;
} hub_message;

/* What is in the log; `except` is nobody. */
static inline hub_message tusk__record_message(const hub_record *record)
{
    return (hub_message){.topic = tusk__record_topic(record),
                         .data = tusk__record_data(record),
                         .type = tusk__record_type(record),
                         .id = tusk__record_id(record),
                         .offset = record->offset,
                         .opcode = record->opcode,
                         .has_id = tusk__record_has_id(record)};
}

enum {
    HUB_BATCH_MESSAGES = 64,
    HUB_BATCH_BYTES = 64 * 1024,
    HUB_TOPIC_MAX = 1024,
    HUB_BATCHES = 4 /* one is open, and three may be under way */
};

/* Messages of one topic; open, then closed and on their way to its subscribers. */
typedef struct hub_batch {
    hub_topic *topic; /* NULL: of no message, or nobody is subscribed any more */
    size_t count;
    size_t bytes;        /* of data */
    size_t ring;         /* of records: while it is open they must stay in the ring */
    size_t excepts;      /* messages that leave somebody out */
    tusk_link *next;     /* closed: of topic->subs, who comes next */
    uint16_t number;     /* closed: of the topic's */
    uint8_t window_bits; /* closed: the smallest negotiated; one compression serves all */
    bool lasts;          /* the messages point to `kept` */
    tusk_err failed[3];  /* no memory for that form, or TUSK_ETOOBIG: no queue may ever hold it */
    tusk_blob *forms[3]; /* by hub_form; NULL until somebody needs it */
    tusk_buf kept;
    hub_message messages[HUB_BATCH_MESSAGES];
} hub_batch;

typedef struct tusk_hub {
    tusk_server *server;
    const tusk_mem *mem;
    hub_store *store;
    hub_bus *bus; /* NULL: nobody else writes to the store */
    hub_own_store own;
    uint64_t seed;
    uint64_t seen; /* offset of the newest that went through the batch: with a bus, others may have
                      appended more */
    tusk_table topics;
    tusk_task task;                 /* delivers and feeds those behind, at the end of the turn */
    tusk_link behind;               /* sessions to feed now */
    hub_batch batches[HUB_BATCHES]; /* a ring: those under way from `first` on, then the open one */
    hub_batch *open;
    unsigned first;
    unsigned under_way;
    unsigned share;    /* subscribers that a turn serves at least */
    uint64_t share_ns; /* the turn that had its shares */
    bool delivering;   /* what a subscriber is given may write to it directly, and end it */
    bool announce_owed;
    tusk_buf scratch;
    uint32_t window_counts[16];      /* open WebSocket sessions with deflate, by their window */
    tusk_ws_deflater *deflaters[16]; /* without history, by window */
    uint8_t level, mem_level;
    size_t deflate_threshold;
} tusk_hub;

tusk_err tusk__hub_init(tusk_hub *self, tusk_server *server, const tusk_mem *mem,
                        size_t history_bytes);
void tusk__hub_fini(tusk_hub *self);
/* From now on both are the hub's, and it is one of several that share them. TUSK_ESTATE: it has
 * published already, or somebody subscribed. They are the caller's then. */
tusk_err tusk__hub_join(tusk_hub *self, hub_store *store, hub_bus *bus);
tusk_err tusk__hub_publish(tusk_hub *self, const tusk_publication *publication,
                           tusk_position *position);
tusk_err tusk__hub_subscribe(tusk_hub *self, struct tusk_session *session, tusk_bytes topic,
                             const tusk_position *since, tusk_overflow overflow);
tusk_err tusk__hub_unsubscribe(tusk_hub *self, struct tusk_session *session, tusk_bytes topic);
void tusk__hub_unsubscribe_all(tusk_hub *self, struct tusk_session *session);
size_t tusk__hub_subscribers(const tusk_hub *self, tusk_bytes topic);
/* The queue has room again: at the end of the turn the log is read on for it, if it is behind. */
void tusk__hub_on_drain(tusk_hub *self, struct tusk_session *session);
void tusk__hub_member_free(tusk_hub *self, struct tusk_session *session);
/* A subscriber is told by its end that something is missing: 1013, or the stream's end; counted. */
void tusk__hub_close(struct tusk_session *session);
/* A compressor without history for windows of `bits`; NULL: none to be had. */
tusk_ws_deflater *tusk__hub_deflater(tusk_hub *self, uint8_t bits);
/* Whether a message is compressed. A longer one than HUB_PACK_MAX leaves as it is: that would hold
 * up everybody, and take as much memory again. One from HUB_PROBE_MIN on is tried at its beginning,
 * for what hardly gets smaller takes longest: base64 35 us a KiB, text 10. */
enum { HUB_PACK_MAX = 1 << 20, HUB_PROBE_MIN = 64 * 1024 };
bool tusk__hub_beginning_packs(tusk_hub *self, uint8_t bits, tusk_bytes payload);
static inline bool tusk__hub_packs(tusk_hub *self, uint8_t bits, size_t threshold,
                                   tusk_bytes payload)
{
    return payload.len >= threshold && payload.len <= HUB_PACK_MAX &&
           (payload.len < HUB_PROBE_MIN || tusk__hub_beginning_packs(self, bits, payload));
}

hub_topic *tusk__hub_topic_find(const tusk_hub *self, tusk_bytes name, uint64_t hash);
/* Every topic once, as tusk__table_next has it. */
hub_topic *tusk__hub_topic_next(const tusk_hub *self, const hub_topic *topic);

/* ---- batches (batch.c) ---- */
void tusk__hub_batches_init(tusk_hub *self);
void tusk__hub_batches_fini(tusk_hub *self);
/* Bytes of what it points to; copied to where there is room for as many, they are its own. */
size_t tusk__hub_message_size(const hub_message *message);
void tusk__hub_message_keep(hub_message *self, tusk_buf *buf);
/* To the open one. Its bytes stay where they are until that is closed. */
void tusk__hub_batch_add(tusk_hub *self, hub_topic *topic, const hub_message *message);
/* The open batch, of one message at least, goes to its subscribers, or begins to; those under way
 * are done before it where they are too many. Another one is open then. */
void tusk__hub_batch_close(tusk_hub *self);
/* Its share of this turn, and closes the open batch when its time has come. True: something is
 * left for the next turns. */
bool tusk__hub_go_on(tusk_hub *self);
void tusk__hub_settle_session(tusk_hub *self, struct tusk_session *session);
/* Whatever was published before is given to this session now: a direct write to it must not
 * overtake that. The others have theirs when it is their turn. */
static inline void tusk__hub_settle(tusk_hub *self, struct tusk_session *session)
{
    if (TUSK_UNLIKELY(self->open->count + self->under_way > 0)) {
        tusk__hub_settle_session(self, session);
    }
}
/* The same before it is written to directly; of one that resumed a moment ago and had missed
 * nothing then, too. */
void tusk__hub_feed_fresh(tusk_hub *self, struct tusk_session *session);
static inline void tusk__hub_settle_write(tusk_hub *self, struct tusk_session *session)
{
    tusk__hub_settle(self, session);
    if (TUSK_UNLIKELY(!tusk__list_empty(&self->behind))) {
        tusk__hub_feed_fresh(self, session);
    }
}
/* And before it ends: of what it resumed, as much as has room. */
void tusk__hub_settle_end(tusk_hub *self, struct tusk_session *session);
/* What was published before, for everybody. */
void tusk__hub_settle_all(tusk_hub *self);
/* Before they go. */
void tusk__hub_batches_drop_sub(tusk_hub *self, const hub_sub *sub);
void tusk__hub_batches_drop_topic(tusk_hub *self, const hub_topic *topic);

/* ---- the scratch (form.c): what is encoded, as long as all queues together may be ---- */
void tusk__hub_scratch_init(tusk_hub *self);
/* A long one is given back. */
void tusk__hub_spare_scratch(tusk_hub *self);
/* What is in it as a blob; a long one is the blob from now on. */
tusk_err tusk__hub_scratch_blob(tusk_hub *self, tusk_blob **out);

/* ---- one subscriber of a batch (deliver.c) ---- */
void tusk__hub_deliver(tusk_hub *self, hub_batch *batch, hub_sub *sub);

/* ---- what other processes published (news.c) ---- */
/* All of it up to `offset` goes into the batch, and out of it; a gap is owed to whoever misses what
 * the log let go before it was read. */
void tusk__hub_read_news(tusk_hub *self, uint64_t offset);
static inline void tusk__hub_catch_up(tusk_hub *self)
{
    if (TUSK_UNLIKELY(self->bus != NULL)) {
        tusk__hub_read_news(self, self->store->ops->head(self->store));
    }
}
/* An own message, kept in the log under this offset, behind all that was published before it. */
void tusk__hub_publish_among(tusk_hub *self, const hub_message *message, uint64_t hash);
/* At the end of the turn: what is new is read, as much as a turn may do, and others are told. */
void tusk__hub_attend(tusk_hub *self);
/* hub_bus_ops.listen; `user` is the hub. */
void tusk__hub_on_news(void *user);

/* ---- wire forms (form.c) ---- */
typedef enum hub_form { FORM_PLAIN, FORM_DEFLATE, FORM_STREAM, FORM_STREAM_BARE } hub_form;
tusk_err tusk__hub_encode(tusk_hub *self, hub_form form, uint8_t window_bits,
                          const hub_message *message, tusk_buf *out);

#endif
