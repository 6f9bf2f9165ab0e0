/* SPDX-License-Identifier: MIT */
/*
 * Topics: who subscribes to what, and how a published message reaches them.
 *
 * Publishing appends to the log and to the open batch. The batch (messages of one topic, in order)
 * is delivered when another topic is published, when a session of the server writes directly, when
 * it is large, or at the end of the turn: then each wire form that anybody needs is encoded once,
 * as one blob, and queued by reference.
 *
 * A subscription is live, or behind: one that resumes `since` a position, or whose queue is long
 * (policies that drop or conflate). One that is behind is not given messages; it reads them from
 * the log when its queue has room.
 */
#ifndef SERVE_HUB_H
#define SERVE_HUB_H

#include <tusk/server.h>

#include "base/list.h"
#include "serve/hublog.h"

struct tusk_session;

typedef struct hub_topic {
    struct hub_topic *next; /* in its bucket */
    uint64_t hash;
    tusk_link subs;
    uint32_t sub_count;
    uint32_t plain_count;   /* WebSocket without deflate */
    uint32_t deflate_count; /* with */
    uint32_t stream_count;  /* SSE */
    uint16_t name_len;
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
} hub_member;

typedef struct hub_sub {
    tusk_link in_topic;
    tusk_link in_session;
    hub_topic *topic;
    struct tusk_session *session;
    uint64_t next;    /* behind: first offset not yet given */
    size_t waiting;   /* behind: bytes of data that wait in the log */
    uint8_t overflow; /* tusk_overflow */
    bool behind;
} hub_sub;

typedef struct hub_message {
    tusk_bytes topic, data, type, id;
    uint64_t offset;
    tusk_handle except;
    uint8_t opcode;
    bool has_id;
} hub_message;

enum { HUB_BATCH_MESSAGES = 64, HUB_BATCH_BYTES = 64 * 1024, HUB_TOPIC_MAX = 1024 };

typedef struct tusk_hub {
    tusk_server *server;
    const tusk_mem *mem;
    tusk_hublog log;
    uint64_t seed;
    hub_topic **buckets;
    size_t bucket_count; /* a power of two */
    size_t topic_count;
    tusk_task task;   /* delivers the batch and feeds those behind, at the end of the turn */
    tusk_link behind; /* sessions to feed now */
    hub_topic *batch_topic;
    size_t batch_count;
    size_t batch_bytes; /* of data */
    size_t batch_ring;  /* of records: they must stay in the ring until delivery */
    size_t batch_excepts;
    hub_message batch[HUB_BATCH_MESSAGES];
    tusk_buf scratch;
    uint32_t window_counts[16];      /* open WebSocket sessions with deflate, by their window */
    tusk_ws_deflater *deflaters[16]; /* without history, by window */
    uint8_t level, mem_level;
    size_t deflate_threshold;
} tusk_hub;

tusk_err tusk__hub_init(tusk_hub *self, tusk_server *server, const tusk_mem *mem,
                        size_t history_bytes);
void tusk__hub_fini(tusk_hub *self);
tusk_err tusk__hub_publish(tusk_hub *self, const tusk_publication *publication,
                           tusk_position *position);
tusk_err tusk__hub_subscribe(tusk_hub *self, struct tusk_session *session, tusk_bytes topic,
                             const tusk_position *since, tusk_overflow overflow);
tusk_err tusk__hub_unsubscribe(tusk_hub *self, struct tusk_session *session, tusk_bytes topic);
void tusk__hub_unsubscribe_all(tusk_hub *self, struct tusk_session *session);
size_t tusk__hub_subscribers(const tusk_hub *self, tusk_bytes topic);
/* Delivers the open batch now: a direct write to a session must not overtake what was published
 * before it. */
void tusk__hub_deliver(tusk_hub *self);
static inline void tusk__hub_settle(tusk_hub *self)
{
    if (self->batch_count > 0) {
        tusk__hub_deliver(self);
    }
}
/* The queue has room again: at the end of the turn the log is read on for it, if it is behind. */
void tusk__hub_on_drain(tusk_hub *self, struct tusk_session *session);
void tusk__hub_member_free(tusk_hub *self, struct tusk_session *session);
/* A subscriber is told by its end that something is missing: 1013, or the stream's end; counted. */
void tusk__hub_close(struct tusk_session *session);
/* A compressor without history for windows of `bits`; NULL: none to be had. */
tusk_ws_deflater *tusk__hub_deflater(tusk_hub *self, uint8_t bits);
/* A longer message leaves as it is: compressing it would hold up everybody for tens of milliseconds
 * and take as much memory again. */
enum { HUB_PACK_MAX = 1 << 20 };

/* ---- wire forms (hub_form.c) ---- */
typedef enum hub_form { FORM_PLAIN, FORM_DEFLATE, FORM_STREAM, FORM_STREAM_BARE } hub_form;
tusk_err tusk__hub_encode(tusk_hub *self, hub_form form, uint8_t window_bits,
                          const hub_message *message, tusk_buf *out);

#endif
