/* SPDX-License-Identifier: MIT */
/* Topics and subscriptions, and publishing into the open batch. */
#include "serve/hub/hub.h"

#include <tusk/sse.h>

#include "base/hash.h"
#include "base/mem.h"
#include "loop/entropy.h"
#include "loop/patient.h"
#include "serve/hub/feed.h"
#include "serve/hub/newest.h"
#include "serve/session.h"

#define HUB_RECORD_EXTRA                                                                           \
    (4 * HUB_TOPIC_MAX) /* head, topic, type and id of a record, generously                        \
                         */

static void on_task(tusk_task *task)
{
    tusk_hub *self = TUSK_OWNER(task, tusk_hub, task);
    if (TUSK_UNLIKELY(self->bus != NULL)) {
        tusk__hub_attend(self);
    }
    bool more = tusk__hub_go_on(self);
    tusk__hub_feed_all(self);
    if (TUSK_UNLIKELY(more)) {
        tusk__task_defer_behind(self->server->loop, &self->task);
    }
}

tusk_err tusk__hub_init(tusk_hub *self, tusk_server *server, const tusk_mem *mem,
                        size_t history_bytes)
{
    memset(self, 0, sizeof(*self));
    self->server = server;
    self->mem = mem;
    self->task.run = on_task;
    self->level = 1;
    self->mem_level = 8;
    self->deflate_threshold = 1024;
    tusk__list_init(&self->behind);
    tusk__hub_scratch_init(self);
    tusk__hub_batches_init(self);
    uint64_t random[2]; /* two: clients see the epoch, and must not learn the seed by it */
    tusk_err err = tusk__entropy(random, sizeof(random));
    self->seed = random[0];
    if (err == TUSK_OK) {
        err = tusk__own_store_init(&self->own, history_bytes, random[1], random[0]);
        self->store = &self->own.store;
    }
    if (err != TUSK_OK) {
        return err;
    }
    return tusk__table_init(&self->topics, mem);
}

void tusk__hub_fini(tusk_hub *self)
{
    tusk_task_cancel(&self->task);
    hub_topic *topic = tusk__hub_topic_next(self, NULL);
    while (topic != NULL) {
        hub_topic *next = tusk__hub_topic_next(self, topic);
        tusk__newest_forget(self, topic);
        tusk__free(self->mem, topic, sizeof(*topic) + topic->name_len);
        topic = next;
    }
    tusk__table_fini(&self->topics, self->mem);
    for (size_t i = 0; i < 16; i++) {
        tusk_ws_deflater_free(self->deflaters[i]);
    }
    tusk_buf_fini(&self->scratch);
    tusk__hub_batches_fini(self);
    if (self->bus != NULL) {
        self->bus->ops->close(self->bus);
    }
    if (self->store != NULL) {
        self->store->ops->close(self->store);
    }
    memset(self, 0, sizeof(*self));
}

tusk_err tusk__hub_join(tusk_hub *self, hub_store *store, hub_bus *bus)
{
    if (self->bus != NULL || self->seen > 0 || self->topics.count > 0) {
        return TUSK_ESTATE;
    }
    tusk_err err = bus->ops->listen(bus, self->server->loop, tusk__hub_on_news, self);
    if (err != TUSK_OK) {
        return err;
    }
    self->store->ops->close(self->store);
    self->store = store;
    self->bus = bus;
    self->seed = store->seed;
    self->seen = store->ops->head(store); /* what was before it is history */
    return TUSK_OK;
}

/* ---- topics ---- */

/* With what the allocator and the table of topics add, roughly. */
static size_t topic_bytes(size_t name_len)
{
    return sizeof(hub_topic) + name_len + 24;
}

static const size_t sub_bytes = sizeof(hub_sub) + 16;

static hub_topic *topic_at(tusk_entry *entry)
{
    return entry == NULL ? NULL : TUSK_OWNER(entry, hub_topic, in_table);
}

static bool is_named(const hub_topic *topic, tusk_bytes name)
{
    return topic->name_len == name.len && memcmp(topic->name, name.ptr, name.len) == 0;
}

hub_topic *tusk__hub_topic_find(const tusk_hub *self, tusk_bytes name, uint64_t hash)
{
    tusk_entry *entry = tusk__table_find(&self->topics, hash);
    while (entry != NULL && !is_named(topic_at(entry), name)) {
        entry = tusk__table_again(entry);
    }
    return topic_at(entry);
}

hub_topic *tusk__hub_topic_next(const tusk_hub *self, const hub_topic *topic)
{
    return topic_at(tusk__table_next(&self->topics, topic == NULL ? NULL : &topic->in_table));
}

static hub_topic *topic_make(tusk_hub *self, tusk_bytes name, uint64_t hash)
{
    hub_topic *topic = tusk__new(self->mem, sizeof(*topic) + name.len);
    if (topic == NULL) {
        return NULL;
    }
    topic->name_len = (uint16_t)name.len;
    memcpy(topic->name, name.ptr, name.len);
    tusk__list_init(&topic->subs);
    (void)tusk__table_put(&self->topics, self->mem, &topic->in_table, hash); /* it has buckets */
    self->server->stats.subscription_bytes += topic_bytes(name.len);
    return topic;
}

static void topic_drop(tusk_hub *self, hub_topic *topic)
{
    tusk__table_remove(&self->topics, &topic->in_table);
    tusk__hub_batches_drop_topic(self, topic);
    self->server->stats.subscription_bytes -= topic_bytes(topic->name_len);
    tusk__free(self->mem, topic, sizeof(*topic) + topic->name_len);
}

static uint32_t *form_count(hub_topic *topic, const tusk_session *session)
{
    if (session->kind == SESSION_STREAM) {
        return &topic->stream_count;
    }
    return session->deflate_bits > 0 && session->u.ws.deflater == NULL ? &topic->deflate_count
                                                                       : &topic->plain_count;
}

/* ---- subscriptions ---- */

static tusk_err member_make(tusk_hub *self, tusk_session *session)
{
    if (session->member != NULL) {
        return TUSK_OK;
    }
    session->member = tusk__new(self->mem, sizeof(hub_member));
    if (session->member == NULL) {
        return TUSK_ENOMEM;
    }
    session->member->session = session;
    tusk__list_init(&session->member->subs);
    return TUSK_OK;
}

void tusk__hub_member_free(tusk_hub *self, tusk_session *session)
{
    if (session->member != NULL) {
        tusk__link_remove(&session->member->behind);
        tusk__free(self->mem, session->member, sizeof(hub_member));
        session->member = NULL;
    }
}

static hub_sub *sub_find(const tusk_session *session, tusk_bytes name, uint64_t hash)
{
    for (tusk_link *link = session->member->subs.next; link != &session->member->subs;
         link = link->next) {
        hub_sub *sub = TUSK_OWNER(link, hub_sub, in_session);
        if (sub->topic->in_table.hash == hash && is_named(sub->topic, name)) {
            return sub;
        }
    }
    return NULL;
}

static void sub_drop(tusk_hub *self, hub_sub *sub)
{
    tusk_session *session = sub->session;
    hub_topic *topic = sub->topic;
    tusk__hub_batches_drop_sub(self, sub);
    tusk__newest_release(self, sub);
    tusk__link_remove(&sub->in_topic);
    tusk__link_remove(&sub->in_session);
    session->member->sub_count--;
    if (sub->behind) {
        session->member->behind_count--;
    }
    *form_count(topic, session) -= 1;
    self->server->stats.subscriptions--;
    self->server->stats.subscription_bytes -= sub_bytes;
    tusk__free(self->mem, sub, sizeof(*sub));
    if (--topic->sub_count == 0) {
        topic_drop(self, topic);
    }
}

/* A topic that nobody has subscribed to yet needs a place, too. */
static bool admits(const tusk_hub *self, const tusk_session *session, const hub_topic *topic,
                   size_t name_len)
{
    const tusk_server_limits *limits = &self->server->limits;
    size_t wanted = sub_bytes + (topic == NULL ? topic_bytes(name_len) : 0);
    return session->member->sub_count < limits->subscriptions &&
           self->server->stats.subscription_bytes + wanted <= limits->subscription_bytes;
}

static tusk_err sub_make(tusk_hub *self, hub_sub **out, tusk_session *session, tusk_bytes name,
                         uint64_t hash)
{
    *out = NULL;
    hub_topic *topic = tusk__hub_topic_find(self, name, hash);
    if (!admits(self, session, topic, name.len)) {
        self->server->stats.subscriptions_refused++;
        return TUSK_ELIMIT;
    }
    if (topic == NULL && (topic = topic_make(self, name, hash)) == NULL) {
        return TUSK_ENOMEM;
    }
    if (self->open->topic == topic) {
        tusk__hub_batch_close(self); /* what was published before is not for a newcomer */
    }
    hub_sub *sub = tusk__new(self->mem, sizeof(*sub));
    if (sub == NULL) {
        if (topic->sub_count == 0) {
            topic_drop(self, topic);
        }
        return TUSK_ENOMEM;
    }
    sub->topic = topic;
    sub->session = session;
    sub->given = topic->batches;
    tusk__list_push(&topic->subs, &sub->in_topic);
    tusk__list_push(&session->member->subs, &sub->in_session);
    topic->sub_count++;
    session->member->sub_count++;
    *form_count(topic, session) += 1;
    self->server->stats.subscriptions++;
    self->server->stats.subscription_bytes += sub_bytes;
    *out = sub;
    return TUSK_OK;
}

tusk_err tusk__hub_subscribe(tusk_hub *self, tusk_session *session, tusk_bytes topic,
                             const tusk_position *since, tusk_overflow overflow)
{
    if (topic.len == 0 || topic.len > HUB_TOPIC_MAX) {
        return TUSK_EINVAL;
    }
    if (member_make(self, session) != TUSK_OK) {
        return TUSK_ENOMEM;
    }
    bool resumes =
        since != NULL && since->offset <= self->seen && tusk__store_reaches(self->store, *since);
    if (!resumes) {
        tusk__hub_catch_up(self);
    } /* else news of its other topics, which may be live, would overtake what it missed of this */
    tusk__hub_settle(self, session);
    uint64_t hash = tusk__hash(self->seed, topic);
    hub_sub *sub = sub_find(session, topic, hash);
    if (sub == NULL) {
        tusk_err err = sub_make(self, &sub, session, topic, hash);
        if (err != TUSK_OK) {
            return err;
        }
    }
    sub->overflow = (uint8_t)overflow;
    if (overflow != TUSK_OVERFLOW_CONFLATE) {
        tusk__newest_release(self, sub);
    }
    if (since == NULL) {
        return TUSK_OK;
    }
    if (!tusk__store_reaches(self->store, *since)) {
        session->member->reset_owed = true;
        tusk__hub_wake(self, session);
        return TUSK_OK;
    }
    /* Also who misses nothing waits for the turn's end: the next topic that resumes may miss
     * something, which none of this one may overtake. */
    hub_member *member = session->member;
    member->fresh = since->offset == self->seen && (member->behind_count == 0 || member->fresh);
    tusk__hub_fall_behind(sub, since->offset + 1);
    tusk__hub_wake(self, session);
    return TUSK_OK;
}

tusk_err tusk__hub_unsubscribe(tusk_hub *self, tusk_session *session, tusk_bytes topic)
{
    tusk__hub_settle_end(self, session);
    hub_sub *sub = topic.len == 0 || session->member == NULL
                       ? NULL
                       : sub_find(session, topic, tusk__hash(self->seed, topic));
    if (sub == NULL) {
        return TUSK_ENOENT;
    }
    sub_drop(self, sub);
    return TUSK_OK;
}

void tusk__hub_unsubscribe_all(tusk_hub *self, tusk_session *session)
{
    if (session->member == NULL || tusk__list_empty(&session->member->subs)) {
        return;
    }
    while (!tusk__list_empty(&session->member->subs)) {
        sub_drop(self, TUSK_OWNER(session->member->subs.next, hub_sub, in_session));
    }
    tusk__link_remove(&session->member->behind);
}

size_t tusk__hub_subscribers(const tusk_hub *self, tusk_bytes topic)
{
    const hub_topic *found =
        topic.len == 0 ? NULL : tusk__hub_topic_find(self, topic, tusk__hash(self->seed, topic));
    return found == NULL ? 0 : found->sub_count;
}

/* ---- publishing ---- */

static bool publication_valid(const tusk_publication *publication)
{
    if (publication->topic.len == 0 || publication->topic.len > HUB_TOPIC_MAX ||
        publication->sse_type.len > UINT16_MAX || publication->sse_id.len > HUB_TOPIC_MAX) {
        return false;
    }
    return tusk_sse_value_valid(publication->sse_type) && tusk_sse_value_valid(publication->sse_id);
}

/* Alone: what lies in the log stays there until the batch is closed, for which the ring has room.
 */
static void publish_alone(tusk_hub *self, const hub_message *message, const hub_record *record,
                          hub_topic *topic)
{
    self->seen = message->offset;
    if (record != NULL && (topic != NULL || self->open->count > 0)) {
        self->open->ring += record->size; /* also of what nobody here wants: it takes their room */
    }
    if (topic == NULL) {
        return;
    }
    hub_message kept = *message;
    if (record != NULL) { /* the caller's bytes are only borrowed */
        kept = tusk__record_message(record);
        kept.except = message->except;
    }
    tusk__hub_batch_add(self, topic, &kept);
    if (record == NULL) {
        tusk__hub_batch_close(self); /* it lies nowhere but with the caller */
    } else {
        tusk_task_defer(self->server->loop, &self->task);
    }
}

/* The open batch cannot take it, or must not. */
static bool closes_batch(const tusk_hub *self, const tusk_publication *publication,
                         const hub_topic *topic)
{
    const hub_batch *open = self->open;
    bool fits = open->count < HUB_BATCH_MESSAGES &&
                open->bytes + publication->data.len <= HUB_BATCH_BYTES &&
                open->ring + publication->data.len + publication->sse_type.len + HUB_RECORD_EXTRA <
                    self->store->room;
    return open->count > 0 && (!fits || (topic != NULL && topic != open->topic));
}

tusk_err tusk__hub_publish(tusk_hub *self, const tusk_publication *publication,
                           tusk_position *position)
{
    if (!publication_valid(publication)) {
        return TUSK_EINVAL;
    }
    uint64_t hash = tusk__hash(self->seed, publication->topic);
    hub_topic *topic = tusk__hub_topic_find(self, publication->topic, hash);
    if (closes_batch(self, publication, topic)) {
        tusk__hub_batch_close(self);
    }
    const hub_entry entry = {.topic = publication->topic,
                             .type = publication->sse_type,
                             .id = publication->sse_id,
                             .data = publication->data,
                             .topic_hash = hash,
                             .except_slot = publication->except.slot,
                             .except_generation = publication->except.generation,
                             .opcode = publication->opcode,
                             .origin = self->store->member,
                             .has_id = publication->sse_id.ptr != NULL};
    hub_kept kept = self->store->ops->append(self->store, &entry);
    self->server->stats.published++;
    if (position != NULL) {
        *position = (tusk_position){self->store->epoch, kept.offset};
    }
    const hub_message message = {.topic = publication->topic,
                                 .data = publication->data,
                                 .type = publication->sse_type,
                                 .id = publication->sse_id,
                                 .offset = kept.offset,
                                 .except = publication->except,
                                 .opcode = publication->opcode,
                                 .has_id = entry.has_id};
    if (TUSK_UNLIKELY(self->bus != NULL)) {
        tusk__hub_publish_among(self, &message, hash);
    } else {
        publish_alone(self, &message, kept.record, topic);
    }
    return TUSK_OK;
}
