/* SPDX-License-Identifier: MIT */
/* A relay's shortcuts: the loaded map, the bell, and which pair a word on it is about. */
#define _GNU_SOURCE
#include "relay/shared.h"
#include "relay/move/shortcuts.h"

#include "base/mem.h"
#include "relay/inner.h"

void relay_shortcuts_load(tusk_relay *relay, const tusk_relay_options *options)
{
    char reason[RELAY_ENGINE_TEXT - 16] = "";
    if (relay->kind == TUSK_RELAY_SMTP) {
        relay_engine_set(relay, false, "the kernel relays plain TCP only");
    } else if (!relay_has_edges(relay)) {
        relay_engine_set(relay, false, "it needs the poller epoll");
    } else if (options->sockmap != NULL) {
        relay->sockmap = tusk_sockmap_ref(options->sockmap);
    } else {
        const tusk_sockmap_options loading = {.object = options->sockmap_object};
        if (tusk_sockmap_load(&relay->sockmap, &loading, reason, sizeof(reason)) != TUSK_OK) {
            relay_engine_set(relay, false, "%s", reason);
        }
    }
    if (relay->sockmap != NULL) {
        relay_engine_set(relay, true, "the kernel relays by BPF sockmap, %s",
                         tusk_sockmap_library());
    }
}

/* ---- the bell ---- */
/* It may be about a pair that is gone: the cookie of a socket is never used again. */
static void on_bell(void *user, const struct sockmap_bell *word)
{
    const relay_shortcuts *self = user;
    relay_shortcut *shortcut = relay_slots_at(&self->slots, word->slot);
    if (shortcut != NULL && word->side <= 1 && shortcut->way[word->side].cookie == word->cookie) {
        (void)relay_shortcut_called(shortcut->pair, (int)word->side);
    }
}

static void on_ring(tusk_io *io, unsigned events)
{
    relay_shortcuts *self = TUSK_OWNER(io, relay_shortcuts, io);
    (void)events;
    if (!relay_sockmap_hear(self->map)) {
        return;
    }
    /* Some may have found no room on it. */
    for (uint32_t i = 0; i < self->slots.count; i++) {
        const relay_shortcut *shortcut;
        for (int side = 0; side < 2 && (shortcut = relay_slots_at(&self->slots, i)) != NULL;
             side++) {
            (void)relay_shortcut_called(shortcut->pair, side);
        }
    }
}

/* ---- opened and closed ---- */
static tusk_err open_bell(tusk_relay *relay, relay_shortcuts *self)
{
    self->mem = relay->mem;
    relay_slots_init(&self->slots);
    tusk_err err = relay_sockmap_open(&self->map, relay->sockmap, relay->mem, on_bell, self);
    if (err != TUSK_OK) {
        return err;
    }
    self->io = (tusk_io){.fd = relay_sockmap_fd(self->map), .on_event = on_ring};
    err = tusk_io_add(relay->loop, &self->io, TUSK_IO_READ);
    if (err == TUSK_OK) {
        tusk_loop_background(relay->loop, 1);
    } else {
        relay_sockmap_close(self->map);
    }
    return err;
}

void relay_shortcuts_open(tusk_relay *relay)
{
    if (relay->engine != TUSK_ENGINE_SOCKMAP) {
        return;
    }
    relay_shortcuts *self = relay->sockmap == NULL ? NULL : tusk__new(relay->mem, sizeof(*self));
    tusk_err err = self == NULL ? TUSK_ENOMEM : open_bell(relay, self);
    bool own = relay->sockmap != NULL && err != TUSK_OK; /* else it is so for all workers */
    if (err == TUSK_OK) {
        relay->shortcuts = self;
    } else if (relay->sockmap != NULL) {
        tusk__free(relay->mem, self, sizeof(*self));
        relay_engine_set(relay, false, "%s",
                         err == TUSK_ELIMIT ? "all places in the map are taken by other relays"
                                            : tusk_err_text(err));
    }
    if (own || relay_share_first(relay)) {
        relay_engine_tell(relay);
    }
}

void relay_shortcuts_close(tusk_relay *relay)
{
    relay_shortcuts *self = relay->shortcuts;
    relay->shortcuts = NULL;
    if (self != NULL) {
        tusk_loop_background(relay->loop, -1);
        tusk_io_remove(relay->loop, &self->io);
        relay_sockmap_close(self->map);
        relay_slots_fini(&self->slots, relay->mem);
        tusk__free(relay->mem, self, sizeof(*self));
    }
    tusk_sockmap_unref(relay->sockmap);
    relay->sockmap = NULL;
}
