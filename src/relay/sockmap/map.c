/* SPDX-License-Identifier: MIT */
/* A relay's use of a loaded sockmap: its bell, its directions. */
#define _GNU_SOURCE
#include "relay/sockmap/map.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/mem.h"
#include "relay/sockmap/load.h"

/* Each word costs as much again in the ring. */
enum { BELL_WORDS = SOCKMAP_BELL_BYTES / (2 * sizeof(struct sockmap_bell)) };

struct relay_sockmap {
    tusk_sockmap *shared;
    const tusk_mem *mem;
    struct ring_buffer *ring;
    uint32_t bell;
    void (*on_bell)(void *user, const struct sockmap_bell *bell);
    void *user;
};

/* ---- places ---- */
/* What a process that died has left. */
static void purge(const tusk_sockmap *shared, uint32_t bell)
{
    uint64_t key;
    uint64_t next;
    struct sockmap_flow flow;
    bool more = bpf_map_get_next_key(shared->flows, NULL, &key) == 0;
    while (more) {
        more = bpf_map_get_next_key(shared->flows, &key, &next) == 0;
        if (bpf_map_lookup_elem(shared->flows, &key, &flow) == 0 && flow.bell == bell) {
            (void)bpf_map_delete_elem(shared->flows, &key);
            (void)bpf_map_delete_elem(shared->taken, &key);
        }
        key = next;
    }
}

static bool is_gone(int32_t process)
{
    return process != 0 && kill(process, 0) != 0 && errno == ESRCH;
}

static bool claim(tusk_sockmap *shared, uint32_t *bell)
{
    for (uint32_t i = 0; i < shared->relays; i++) {
        int32_t owner = atomic_load(&shared->owner[i]);
        bool dead = is_gone(owner);
        if ((owner == 0 || dead) &&
            atomic_compare_exchange_strong(&shared->owner[i], &owner, (int32_t)getpid())) {
            if (dead) {
                purge(shared, i);
            }
            *bell = i;
            return true;
        }
    }
    return false;
}

static int on_word(void *user, void *data, size_t size)
{
    const relay_sockmap *self = user;
    if (size == sizeof(struct sockmap_bell)) {
        struct sockmap_bell word;
        memcpy(&word, data, sizeof(word));
        self->on_bell(self->user, &word);
    }
    return 0;
}

tusk_err relay_sockmap_open(relay_sockmap **out, tusk_sockmap *shared, const tusk_mem *mem,
                            void (*on_bell)(void *user, const struct sockmap_bell *bell),
                            void *user)
{
    *out = NULL;
    relay_sockmap *self = tusk__new(mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    *self = (relay_sockmap){.mem = mem, .on_bell = on_bell, .user = user};
    if (!claim(shared, &self->bell)) {
        tusk__free(mem, self, sizeof(*self));
        return TUSK_ELIMIT;
    }
    self->shared = tusk_sockmap_ref(shared);
    self->ring = ring_buffer__new(shared->bells[self->bell], on_word, self, NULL);
    if (self->ring == NULL) {
        relay_sockmap_close(self);
        return TUSK_ESYS;
    }
    *out = self;
    return TUSK_OK;
}

void relay_sockmap_close(relay_sockmap *self)
{
    if (self == NULL) {
        return;
    }
    ring_buffer__free(self->ring);
    atomic_store(&self->shared->owner[self->bell], 0);
    tusk_sockmap_unref(self->shared);
    tusk__free(self->mem, self, sizeof(*self));
}

int relay_sockmap_fd(const relay_sockmap *self)
{
    return ring_buffer__epoll_fd(self->ring);
}

bool relay_sockmap_hear(relay_sockmap *self)
{
    return ring_buffer__consume(self->ring) >= BELL_WORDS / 2;
}

/* ---- directions ---- */
static int told(int result)
{
    return result == 0 ? 0 : errno;
}

int relay_sockmap_begin(relay_sockmap *self, uint64_t cookie, uint32_t slot, uint32_t side)
{
    const struct sockmap_flow flow = {.bell = self->bell, .slot = slot, .side = side};
    return told(bpf_map_update_elem(self->shared->flows, &cookie, &flow, BPF_ANY));
}

int relay_sockmap_connect(relay_sockmap *self, uint64_t cookie, int fd)
{
    uint64_t value = (uint64_t)fd;
    return told(bpf_map_update_elem(self->shared->peers, &cookie, &value, BPF_ANY));
}

int relay_sockmap_take(relay_sockmap *self, uint64_t cookie, uint64_t bytes)
{
    return told(bpf_map_update_elem(self->shared->taken, &cookie, &bytes, BPF_ANY));
}

bool relay_sockmap_look(const relay_sockmap *self, uint64_t cookie, struct sockmap_flow *out)
{
    return bpf_map_lookup_elem(self->shared->flows, &cookie, out) == 0;
}

bool relay_sockmap_end(relay_sockmap *self, uint64_t cookie, struct sockmap_flow *out)
{
    bool was = bpf_map_lookup_and_delete_elem(self->shared->flows, &cookie, out) == 0;
    if (was && out->passed > 0) {
        (void)bpf_map_delete_elem(self->shared->taken, &cookie);
    }
    return was;
}
