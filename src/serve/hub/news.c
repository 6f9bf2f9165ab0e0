/* SPDX-License-Identifier: MIT */
/* One of several hubs over a log: what the others appended goes through the batch before anything
 * that was published later. */
#include "serve/hub/hub.h"

#include "serve/hub/feed.h"
#include "serve/hub/newest.h"
#include "serve/session.h"

/* Records that a turn reads for news; a publication of our own reads all that came before it. */
#define NEWS_PER_TURN 1024u

/* ---- the batch's own copy: in a shared log another process may write over anything ---- */

/* False: no memory, and an empty batch. */
static bool make_place(tusk_hub *self, size_t size)
{
    hub_batch *batch = self->open;
    uint8_t *place;
    if (batch->count > 0) {
        if (batch->kept.len + size <= batch->kept.cap) {
            return true;
        }
        tusk__hub_batch_close(self); /* growing would move what the batch points to */
        batch = self->open;
    }
    size = size > HUB_BATCH_BYTES ? size : HUB_BATCH_BYTES;
    batch->lasts = tusk_buf_reserve(&batch->kept, size, &place) == TUSK_OK;
    return batch->lasts;
}

/* `message` is borrowed. */
static void add(tusk_hub *self, hub_topic *topic, const hub_message *message)
{
    const hub_batch *open = self->open;
    if (open->count > 0 && (topic != open->topic || open->count >= HUB_BATCH_MESSAGES ||
                            open->bytes + message->data.len > HUB_BATCH_BYTES)) {
        tusk__hub_batch_close(self);
    }
    hub_message kept = *message;
    bool lasts = make_place(self, tusk__hub_message_size(message));
    if (lasts) {
        tusk__hub_message_keep(&kept, &self->open->kept);
    }
    tusk__hub_batch_add(self, topic, &kept);
    if (lasts) {
        tusk_task_defer(self->server->loop, &self->task);
    } else {
        tusk__hub_batch_close(self);
    }
}

/* ---- reading ---- */

/* Whoever was live misses something, and is told, as is who waits for the newest, which nobody
 * knows now. Others that are behind find out by themselves. */
static void owe_gap(tusk_hub *self)
{
    tusk__hub_settle_all(self);
    for (hub_topic *topic = tusk__hub_topic_next(self, NULL); topic != NULL;
         topic = tusk__hub_topic_next(self, topic)) {
        tusk__newest_forget(self, topic);
        for (const tusk_link *link = topic->subs.next; link != &topic->subs; link = link->next) {
            const hub_sub *sub = TUSK_OWNER(link, hub_sub, in_topic);
            if (!sub->behind || sub->overflow == TUSK_OVERFLOW_CONFLATE) {
                sub->session->member->reset_owed = true;
                tusk__hub_wake(self, sub->session);
            }
        }
    }
}

static void take(tusk_hub *self, const hub_record *record)
{
    hub_topic *topic = tusk__hub_topic_find(self, tusk__record_topic(record), record->topic_hash);
    if (topic == NULL) {
        return;
    }
    hub_message message = tusk__record_message(record);
    if (record->origin == self->store->member) {
        message.except =
            (tusk_handle){.slot = record->except_slot, .generation = record->except_generation};
    }
    add(self, topic, &message);
}

void tusk__hub_read_news(tusk_hub *self, uint64_t offset)
{
    hub_store *store = self->store;
    while (self->seen < offset) {
        uint64_t tail = store->ops->tail(store);
        if (tail > self->seen + 1) {
            self->seen = tail - 1 < offset ? tail - 1 : offset;
            owe_gap(self);
            continue;
        }
        const hub_record *record = store->ops->at(store, self->seen + 1);
        if (record != NULL) {
            self->seen++;
            take(self, record);
        } else if (store->ops->tail(store) == tail) { /* it is there, but no memory for it */
            self->server->stats.out_of_memory++;
            self->seen++;
            owe_gap(self);
        }
    }
}

void tusk__hub_attend(tusk_hub *self)
{
    uint64_t head = self->store->ops->head(self->store);
    bool more = head > self->seen + NEWS_PER_TURN;
    tusk__hub_read_news(self, more ? self->seen + NEWS_PER_TURN : head);
    if (self->announce_owed) {
        self->announce_owed = false;
        self->bus->ops->announce(self->bus);
    }
    if (more) {
        tusk_task_defer(self->server->loop, &self->task);
    }
}

void tusk__hub_on_news(void *user)
{
    tusk_hub *self = user;
    tusk_task_defer(self->server->loop, &self->task);
}

void tusk__hub_publish_among(tusk_hub *self, const hub_message *message, uint64_t hash)
{
    tusk__hub_read_news(self, message->offset - 1);
    self->seen = message->offset;
    self->announce_owed = true;
    hub_topic *topic = tusk__hub_topic_find(self, message->topic, hash);
    if (topic != NULL) {
        add(self, topic, message);
    }
    tusk_task_defer(self->server->loop, &self->task);
}
