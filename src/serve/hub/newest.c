/* SPDX-License-Identifier: MIT */
/* The newest message of a topic, kept beside the log while somebody who is owed it is behind. */
#include "serve/hub/newest.h"

#include "base/mem.h"
#include "serve/server.h"

/* The other half is for subscriptions. */
#define KEPT_PART 2u

void tusk__newest_forget(tusk_hub *self, hub_topic *topic)
{
    if (topic->newest != NULL) {
        self->server->stats.subscription_bytes -= topic->newest->size;
        tusk__free(self->mem, topic->newest, topic->newest->size);
        topic->newest = NULL;
    }
}

static bool has_room(const tusk_hub *self, size_t size)
{
    const tusk_server *server = self->server;
    return size <= UINT32_MAX &&
           server->stats.subscription_bytes + size <= server->limits.subscription_bytes / KEPT_PART;
}

static hub_record *copy(const tusk_hub *self, const hub_topic *topic, const hub_message *message)
{
    size_t size = sizeof(hub_record) + tusk__hub_message_size(message);
    hub_record *record = has_room(self, size) ? tusk__new(self->mem, size) : NULL;
    if (record != NULL) {
        const hub_entry entry = {.topic = message->topic,
                                 .type = message->type,
                                 .id = message->id,
                                 .data = message->data,
                                 .topic_hash = topic->in_table.hash,
                                 .except_slot = message->except.slot,
                                 .except_generation = message->except.generation,
                                 .opcode = message->opcode,
                                 .origin = self->store->member,
                                 .has_id = message->has_id};
        tusk__record_write(record, &entry, size, message->offset);
    }
    return record;
}

void tusk__newest_keep(tusk_hub *self, hub_sub *sub, const hub_message *message)
{
    hub_topic *topic = sub->topic;
    topic->keepers += !sub->keeps;
    sub->keeps = true;
    if (topic->newest == NULL || topic->newest->offset < message->offset) {
        tusk__newest_forget(self, topic);
        topic->newest = copy(self, topic, message);
        self->server->stats.subscription_bytes += topic->newest == NULL ? 0 : topic->newest->size;
    }
}

void tusk__newest_release(tusk_hub *self, hub_sub *sub)
{
    if (sub->keeps) {
        sub->keeps = false;
        if (--sub->topic->keepers == 0) {
            tusk__newest_forget(self, sub->topic);
        }
    }
}
