/* SPDX-License-Identifier: MIT */
/* Places that are asked for: hashes in the asked one's seat, and its bell. */
#include "relay/shared_places.h"

#include "base/mem.h"

bool relay_places_matter(const tusk_relay *relay)
{
    return relay->ops->give_up != NULL && relay->limits.per_target > 0;
}

/* ---- bells ---- */
tusk_err relay_places_open(tusk_relay_shared *self)
{
    self->bells = tusk__new(self->mem, self->seats.count * sizeof(self->bells[0]));
    if (self->bells == NULL) {
        return TUSK_ENOMEM;
    }
    for (; self->bell_count < self->seats.count; self->bell_count++) {
        tusk_err err = tusk__bell_open(&self->bells[self->bell_count]);
        if (err != TUSK_OK) {
            return err; /* those that are open are closed with the rest */
        }
    }
    return TUSK_OK;
}

void relay_places_close(tusk_relay_shared *self)
{
    for (uint32_t i = 0; i < self->bell_count; i++) {
        tusk__bell_close(&self->bells[i]);
    }
    tusk__free(self->mem, self->bells, self->seats.count * sizeof(self->bells[0]));
}

/* ---- asked ---- */
static void on_bell(tusk_io *io, unsigned events)
{
    struct relay_share *self = TUSK_OWNER(io, struct relay_share, bell);
    tusk_relay *relay = self->relay;
    shared_places *own = &self->all->places[self->seat];
    (void)events;
    tusk__bell_hush(&self->all->bells[self->seat]);
    for (int i = 0; i < PLACES_ASKED; i++) {
        uint64_t hash = atomic_exchange(&own->asked[i], 0);
        relay_target *target = hash == 0 ? NULL : relay_target_hashed(relay, hash);
        if (target != NULL) {
            relay->ops->give_up(target);
        }
    }
}

tusk_err relay_places_listen(struct relay_share *self)
{
    if (self->all->places == NULL) {
        return TUSK_OK;
    }
    self->bell = (tusk_io){.fd = self->all->bells[self->seat].read_fd, .on_event = on_bell};
    return tusk_io_add(self->relay->loop, &self->bell, TUSK_IO_READ);
}

void relay_places_end(struct relay_share *self)
{
    if (self->all->places != NULL) {
        tusk_io_remove(self->relay->loop, &self->bell);
    }
}

/* ---- asking ---- */
static void ask(const tusk_relay_shared *self, uint32_t seat, uint64_t hash)
{
    shared_places *of = &self->places[seat];
    for (int i = 0; i < PLACES_ASKED; i++) {
        uint64_t none = 0;
        if (atomic_compare_exchange_strong(&of->asked[i], &none, hash)) {
            break;
        }
    }
    tusk__bell_ring(self->bells[seat].write_fd);
}

/* Beginning with the next seat, so that not the first one alone gives up what it keeps. */
bool relay_places_ask(const tusk_relay *relay, uint64_t hash)
{
    const struct relay_share *self = relay->share;
    if (self == NULL || self->all->places == NULL) {
        return false;
    }
    for (uint32_t i = 1; i < self->all->seats.count; i++) {
        uint32_t seat = (self->seat + i) % self->all->seats.count;
        if (relay_share_kept(self->all, seat, hash) > 0) {
            ask(self->all, seat, hash);
            return true;
        }
    }
    return false;
}

void relay_places_gone(tusk_relay_shared *self, uint32_t seat)
{
    for (int i = 0; self->places != NULL && i < PLACES_ASKED; i++) {
        atomic_store(&self->places[seat].asked[i], 0);
    }
}
