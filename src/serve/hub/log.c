/* SPDX-License-Identifier: MIT */
/* The ring of the hub log: records lie one behind another, never cut; the end of the ring is left
 * free when one does not fit. */
#define _GNU_SOURCE
#include "serve/hub/log.h"

#include <stdatomic.h>
#include <sys/mman.h>

#if !defined(MAP_ANONYMOUS)
#define MAP_ANONYMOUS MAP_ANON
#endif
#if !defined(MAP_NORESERVE)
#define MAP_NORESERVE 0 /* newer BSDs: never reserved */
#endif

#define PLACES_MIN 64
#define RECORD_BYTES_TYPICAL 128

static void *shared_memory(size_t bytes)
{
    void *ptr = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return ptr == MAP_FAILED ? NULL : ptr;
}

tusk_err tusk__hublog_init(tusk_hublog *self, size_t bytes)
{
    memset(self, 0, sizeof(*self));
    if (bytes < 65536) {
        bytes = 65536;
    }
    size_t places = PLACES_MIN;
    while (places < bytes / RECORD_BYTES_TYPICAL) {
        places *= 2;
    }
    self->ring = shared_memory(bytes);
    self->places = shared_memory(places * sizeof(*self->places));
    self->cap = bytes;
    self->place_cap = places;
    if (self->ring == NULL || self->places == NULL) {
        tusk__hublog_fini(self);
        return TUSK_ENOMEM;
    }
    self->tail = 1;
    return TUSK_OK;
}

void tusk__hublog_fini(tusk_hublog *self)
{
    if (self->ring != NULL) {
        (void)munmap(self->ring, self->cap);
    }
    if (self->places != NULL) {
        (void)munmap(self->places, self->place_cap * sizeof(*self->places));
    }
    memset(self, 0, sizeof(*self));
}

static bool holds_any(const tusk_hublog *self)
{
    return self->tail <= self->head;
}

static size_t place_of(const tusk_hublog *self, uint64_t offset)
{
    return (size_t)self->places[offset & (self->place_cap - 1)];
}

/* Lets the oldest records go that lie in [from, to) of the ring. */
static void evict(tusk_hublog *self, size_t from, size_t to)
{
    while (holds_any(self)) {
        size_t place = place_of(self, self->tail);
        if (place < from || place >= to) {
            return;
        }
        self->tail++;
    }
}

/* What was written is there before what is written next, also for those who look at it after this
 * process was killed in between. */
static void in_order(void)
{
    atomic_thread_fence(memory_order_release);
}

void tusk__record_write(hub_record *self, const hub_entry *entry, size_t size, uint64_t offset)
{
    *self = (hub_record){.offset = offset,
                         .topic_hash = entry->topic_hash,
                         .size = (uint32_t)size,
                         .data_len = (uint32_t)entry->data.len,
                         .topic_len = (uint16_t)entry->topic.len,
                         .type_len = (uint16_t)entry->type.len,
                         .id_len = (uint16_t)(entry->has_id ? entry->id.len + 1 : 0),
                         .except_slot = entry->except_slot,
                         .except_generation = entry->except_generation,
                         .opcode = entry->opcode,
                         .origin = entry->origin};
    const tusk_bytes parts[4] = {entry->topic, entry->type, entry->id, entry->data};
    uint8_t *to = self->bytes;
    for (size_t i = 0; i < 4; i++) {
        if (parts[i].len > 0) {
            memcpy(to, parts[i].ptr, parts[i].len);
            to += parts[i].len;
        }
    }
}

hub_kept tusk__hublog_append(tusk_hublog *self, const hub_entry *entry)
{
    size_t size =
        sizeof(hub_record) + entry->topic.len + entry->type.len + entry->id.len + entry->data.len;
    size = (size + 7) & ~(size_t)7;
    uint64_t offset = self->head + 1;
    if (size > self->cap / 2 || size > UINT32_MAX) {
        self->tail = offset + 1;
        in_order();
        self->head = offset;
        self->write_at = 0;
        return (hub_kept){.offset = offset};
    }
    if (self->write_at + size > self->cap) {
        evict(self, self->write_at, self->cap);
        self->write_at = 0;
    }
    evict(self, self->write_at, self->write_at + size);
    if (holds_any(self) && offset - self->tail >= self->place_cap) {
        self->tail = offset - self->place_cap + 1;
    }
    if (!holds_any(self)) {
        self->tail = offset;
    }
    in_order();
    hub_record *record = (hub_record *)(void *)(self->ring + self->write_at);
    tusk__record_write(record, entry, size, offset);
    self->places[offset & (self->place_cap - 1)] = self->write_at;
    self->write_at += size;
    in_order();
    self->head = offset;
    return (hub_kept){.offset = offset, .record = record};
}

const hub_record *tusk__hublog_at(const tusk_hublog *self, uint64_t offset)
{
    if (offset < self->tail || offset > self->head) {
        return NULL;
    }
    return (const hub_record *)(const void *)(self->ring + place_of(self, offset));
}

hub_sight tusk__hublog_look(const tusk_hublog *self, uint64_t offset, uint64_t topic_hash,
                            tusk_bytes topic)
{
    const hub_record *record = tusk__hublog_at(self, offset);
    return record == NULL ? (hub_sight){.held = false}
                          : (hub_sight){.held = true,
                                        .of_topic = tusk__record_is_of(record, topic_hash, topic),
                                        .data_len = record->data_len};
}

/* ---- the store of a hub that is alone ---- */

static tusk_hublog *log_of(const hub_store *self)
{
    return &((hub_own_store *)(uintptr_t)self)->log;
}

static hub_kept own_append(hub_store *self, const hub_entry *entry)
{
    return tusk__hublog_append(log_of(self), entry);
}

static const hub_record *own_at(hub_store *self, uint64_t offset)
{
    return tusk__hublog_at(log_of(self), offset);
}

static hub_sight own_look(const hub_store *self, uint64_t offset, uint64_t topic_hash,
                          tusk_bytes topic)
{
    return tusk__hublog_look(log_of(self), offset, topic_hash, topic);
}

static uint64_t own_head(const hub_store *self)
{
    return log_of(self)->head;
}

static uint64_t own_tail(const hub_store *self)
{
    return log_of(self)->tail;
}

static void own_close(hub_store *self)
{
    tusk__hublog_fini(log_of(self));
}

static const hub_store_ops own_ops = {.append = own_append,
                                      .at = own_at,
                                      .look = own_look,
                                      .head = own_head,
                                      .tail = own_tail,
                                      .close = own_close};

tusk_err tusk__own_store_init(hub_own_store *self, size_t bytes, uint64_t epoch, uint64_t seed)
{
    self->store = (hub_store){.ops = &own_ops, .epoch = epoch, .seed = seed, .first_generation = 1};
    tusk_err err = tusk__hublog_init(&self->log, bytes);
    self->store.room = self->log.cap / 2;
    return err;
}
