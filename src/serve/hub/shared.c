/* SPDX-License-Identifier: MIT */
/*
 * The log that several processes write to and read, each a fork of the one that made it.
 *
 * A lock guards the ring: an append is some hundred nanoseconds, and reading takes a copy, since
 * the next append of anybody may lie where it was. Where the lock's owner was killed, its append
 * has happened or has not (log.h). Who has news rings the bells of the others; a bell that was
 * rung and not heard yet is left alone.
 */
#define _GNU_SOURCE
#include "serve/hub/shared.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "base/list.h"
#include "base/mem.h"
#include "loop/bell.h"
#include "loop/entropy.h"
#include "serve/hub/log.h"

#if !defined(MAP_ANONYMOUS)
#define MAP_ANONYMOUS MAP_ANON
#endif

#if defined(__APPLE__)
#define TUSK__ROBUST 0 /* it has no such locks */
#else
#define TUSK__ROBUST 1
#endif

/* A longer record is copied into memory of its own, which goes with the next one. */
#define SHOWN_KEPT ((size_t)256 * 1024)

/* What all of them have. */
struct shared_state {
    pthread_mutex_t lock;
    tusk_hublog log;             /* its pointers too: all are forks of the process that mapped it */
    _Atomic uint64_t head, tail; /* the log's, to be read without the lock */
    atomic_bool rung[TUSK_SHARED_LOG_MEMBERS_MAX];
    _Atomic uint32_t joined[TUSK_SHARED_LOG_MEMBERS_MAX]; /* times */
};

struct tusk_shared_log {
    const tusk_mem *mem;
    struct shared_state *state;
    uint64_t epoch;
    uint64_t seed;
    unsigned refs; /* of this process */
    unsigned members;
    tusk__bell bells[];
};

typedef struct shared_member {
    hub_store store; /* first */
    hub_bus bus;
    tusk_shared_log *log;
    tusk_loop *loop; /* NULL: it does not listen */
    tusk_io io;
    void (*on_news)(void *user);
    void *user;
    tusk_buf shown;
} shared_member;

/* So many sessions have one slot before a generation of theirs comes again. */
enum { GENERATION_BITS = 20 };

static size_t size_of(unsigned members)
{
    return sizeof(tusk_shared_log) + members * sizeof(tusk__bell);
}

/* ---- made and unmade ---- */

static tusk_err lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0) {
        return TUSK_ENOMEM;
    }
    int failed = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
#if TUSK__ROBUST
    failed = failed != 0 ? failed : pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
#endif
    failed = failed != 0 ? failed : pthread_mutex_init(lock, &attributes);
    (void)pthread_mutexattr_destroy(&attributes);
    return failed == 0 ? TUSK_OK : TUSK_ESYS;
}

static tusk_err state_new(struct shared_state **out, size_t history_bytes)
{
    void *memory = mmap(NULL, sizeof(**out), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                        0); /* all zero: no bell was rung */
    *out = memory == MAP_FAILED ? NULL : memory;
    if (*out == NULL) {
        return TUSK_ENOMEM;
    }
    tusk_err err = lock_init(&(*out)->lock);
    err = err != TUSK_OK ? err : tusk__hublog_init(&(*out)->log, history_bytes);
    atomic_init(&(*out)->tail, (*out)->log.tail);
    return err;
}

tusk_err tusk_shared_log_new(tusk_shared_log **out, const tusk_mem *mem, size_t history_bytes,
                             unsigned members)
{
    *out = NULL;
    if (members == 0 || members > TUSK_SHARED_LOG_MEMBERS_MAX) {
        return TUSK_EINVAL;
    }
    mem = mem == NULL ? tusk_mem_default() : mem;
    tusk_shared_log *self = tusk__new(mem, size_of(members));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    uint64_t random[2];
    self->mem = mem;
    self->refs = 1;
    tusk_err err = tusk__entropy(random, sizeof(random));
    self->epoch = random[0];
    self->seed = random[1];
    err = err != TUSK_OK ? err : state_new(&self->state, history_bytes);
    while (err == TUSK_OK && self->members < members) {
        err = tusk__bell_open(&self->bells[self->members]);
        self->members += err == TUSK_OK;
    }
    if (err != TUSK_OK) {
        tusk_shared_log_unref(self);
        return err;
    }
    *out = self;
    return TUSK_OK;
}

void tusk_shared_log_unref(tusk_shared_log *self)
{
    if (self == NULL || --self->refs > 0) {
        return;
    }
    for (unsigned i = 0; i < self->members; i++) {
        tusk__bell_close(&self->bells[i]);
    }
    if (self->state != NULL) {
        tusk_hublog mapped = self->state->log; /* the others still have theirs */
        tusk__hublog_fini(&mapped);
        (void)munmap(self->state, sizeof(*self->state));
    }
    tusk__free(self->mem, self, size_of(self->members));
}

/* It may have been killed behind its append, or between its claim of a bell and ringing it, after
 * which nobody else would. */
void tusk_shared_log_gone(tusk_shared_log *self, unsigned member)
{
    for (unsigned i = 0; i < self->members; i++) {
        if (i != member) {
            tusk__bell_ring(self->bells[i].write_fd);
        }
    }
}

/* ---- the store ---- */

static shared_member *member_of(const hub_store *store)
{
    return (shared_member *)(uintptr_t)store;
}

static void show_bounds(struct shared_state *self)
{
    atomic_store(&self->tail, self->log.tail);
    atomic_store(&self->head, self->log.head);
}

static void lock(struct shared_state *self)
{
    if (pthread_mutex_lock(&self->lock) == EOWNERDEAD) {
#if TUSK__ROBUST
        (void)pthread_mutex_consistent(&self->lock);
#endif
        show_bounds(self);
    }
}

static void unlock(struct shared_state *self)
{
    (void)pthread_mutex_unlock(&self->lock);
}

static hub_kept shared_append(hub_store *store, const hub_entry *entry)
{
    struct shared_state *state = member_of(store)->log->state;
    lock(state);
    hub_kept kept = tusk__hublog_append(&state->log, entry);
    show_bounds(state);
    unlock(state);
    kept.record = NULL;
    return kept;
}

static const hub_record *shared_at(hub_store *store, uint64_t offset)
{
    shared_member *self = member_of(store);
    struct shared_state *state = self->log->state;
    if (self->shown.cap > SHOWN_KEPT) {
        tusk_buf_fini(&self->shown);
        tusk_buf_init(&self->shown, self->log->mem, SIZE_MAX / 2);
    }
    tusk_buf_clear(&self->shown);
    lock(state);
    const hub_record *record = tusk__hublog_at(&state->log, offset);
    tusk_err err =
        record == NULL ? TUSK_ENOENT : tusk_buf_append(&self->shown, record, record->size);
    unlock(state);
    return err == TUSK_OK ? (const hub_record *)(const void *)tusk_buf_view(&self->shown).ptr
                          : NULL;
}

static hub_sight shared_look(const hub_store *store, uint64_t offset, uint64_t topic_hash,
                             tusk_bytes topic)
{
    struct shared_state *state = member_of(store)->log->state;
    lock(state);
    hub_sight sight = tusk__hublog_look(&state->log, offset, topic_hash, topic);
    unlock(state);
    return sight;
}

static uint64_t shared_head(const hub_store *store)
{
    return atomic_load(&member_of(store)->log->state->head);
}

static uint64_t shared_tail(const hub_store *store)
{
    return atomic_load(&member_of(store)->log->state->tail);
}

static void shared_close(hub_store *store)
{
    shared_member *self = member_of(store);
    tusk_shared_log *log = self->log;
    tusk_buf_fini(&self->shown);
    tusk__free(log->mem, self, sizeof(*self));
    tusk_shared_log_unref(log);
}

static const hub_store_ops store_ops = {.append = shared_append,
                                        .at = shared_at,
                                        .look = shared_look,
                                        .head = shared_head,
                                        .tail = shared_tail,
                                        .close = shared_close};

/* ---- the bus ---- */

static void announce(hub_bus *bus)
{
    const shared_member *self = TUSK_OWNER(bus, shared_member, bus);
    for (unsigned i = 0; i < self->log->members; i++) {
        if (i != self->store.member && !atomic_exchange(&self->log->state->rung[i], true)) {
            tusk__bell_ring(self->log->bells[i].write_fd);
        }
    }
}

static void on_bell(tusk_io *io, unsigned events)
{
    shared_member *self = TUSK_OWNER(io, shared_member, io);
    (void)events;
    tusk__bell_hush(&self->log->bells[self->store.member]);
    /* Before anything is read: who appends from now on rings again. */
    (void)atomic_exchange(&self->log->state->rung[self->store.member], false);
    self->on_news(self->user);
}

static tusk_err listen_for_news(hub_bus *bus, tusk_loop *loop, void (*on_news)(void *user),
                                void *user)
{
    shared_member *self = TUSK_OWNER(bus, shared_member, bus);
    self->io = (tusk_io){.fd = self->log->bells[self->store.member].read_fd, .on_event = on_bell};
    self->on_news = on_news;
    self->user = user;
    /* The member before this one may have been killed between hearing and clearing. */
    atomic_store(&self->log->state->rung[self->store.member], false);
    tusk_err err = tusk_io_add(loop, &self->io, TUSK_IO_READ);
    if (err == TUSK_OK) {
        tusk_loop_background(loop, 1); /* what others say keeps no loop running */
        self->loop = loop;
    }
    return err;
}

static void bus_close(hub_bus *bus)
{
    shared_member *self = TUSK_OWNER(bus, shared_member, bus);
    if (self->loop != NULL) {
        tusk_io_remove(self->loop, &self->io);
        tusk_loop_background(self->loop, -1);
        self->loop = NULL;
    }
}

static const hub_bus_ops bus_ops = {
    .announce = announce, .listen = listen_for_news, .close = bus_close};

tusk_err tusk__shared_log_join(hub_store **store, hub_bus **bus, tusk_shared_log *log,
                               unsigned member)
{
    *store = NULL;
    *bus = NULL;
    if (member >= log->members) {
        return TUSK_EINVAL;
    }
    shared_member *self = tusk__new(log->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->store = (hub_store){.ops = &store_ops,
                              .epoch = log->epoch,
                              .seed = log->seed,
                              .room = SIZE_MAX, /* the hub keeps copies */
                              .member = (uint8_t)member};
    uint32_t lives = atomic_fetch_add(&log->state->joined[member], 1);
    self->store.first_generation = 1 + (lives << GENERATION_BITS);
    self->bus.ops = &bus_ops;
    self->log = log;
    log->refs++;
    tusk_buf_init(&self->shown, log->mem, SIZE_MAX / 2);
    *store = &self->store;
    *bus = &self->bus;
    return TUSK_OK;
}
