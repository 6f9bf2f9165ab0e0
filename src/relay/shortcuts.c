/* SPDX-License-Identifier: MIT */
/* A relay's shortcuts: the loaded map, the bell, and which pair a word on it is about. */
#define _GNU_SOURCE
#include "relay/shortcuts.h"

#include <stdio.h>

#include "base/mem.h"
#include "relay/inner.h"

enum { SLOTS = 64 };

static void set_state(tusk_relay *relay, const char *reason)
{
    (void)snprintf(relay->engine_text, sizeof(relay->engine_text), "unavailable (%s)", reason);
}

void relay_shortcuts_load(tusk_relay *relay, const tusk_relay_options *options)
{
    char reason[RELAY_ENGINE_TEXT - 16] = "";
    if (relay->kind == TUSK_RELAY_SMTP) {
        set_state(relay, "the kernel relays plain TCP only");
    } else if (!relay_has_edges(relay)) {
        set_state(relay, "it needs the poller epoll");
    } else if (options->sockmap != NULL) {
        relay->sockmap = tusk_sockmap_ref(options->sockmap);
    } else {
        const tusk_sockmap_options loading = {.object = options->sockmap_object};
        if (tusk_sockmap_load(&relay->sockmap, &loading, reason, sizeof(reason)) != TUSK_OK) {
            set_state(relay, reason);
        }
    }
    if (relay->sockmap != NULL) {
        (void)snprintf(relay->engine_text, sizeof(relay->engine_text),
                       "enabled (the kernel relays by BPF sockmap, %s)", tusk_sockmap_library());
    }
}

/* ---- slots ---- */
static bool grow(relay_shortcuts *self)
{
    uint32_t cap = self->cap == 0 ? SLOTS : 2 * self->cap;
    shortcut_slot *slots =
        tusk__resize(self->mem, self->slots, self->cap * sizeof(slots[0]), cap * sizeof(slots[0]));
    if (slots == NULL) {
        return false;
    }
    for (uint32_t i = self->cap; i < cap; i++) {
        slots[i] = (shortcut_slot){.next = i + 1 < cap ? i + 1 : UINT32_MAX};
    }
    self->free = self->cap;
    self->slots = slots;
    self->cap = cap;
    return true;
}

bool relay_slot_take(relay_shortcuts *self, relay_shortcut *shortcut)
{
    if (self->free == UINT32_MAX && !grow(self)) {
        return false;
    }
    shortcut->slot = self->free;
    self->free = self->slots[shortcut->slot].next;
    self->slots[shortcut->slot].shortcut = shortcut;
    return true;
}

void relay_slot_give(relay_shortcuts *self, uint32_t slot)
{
    self->slots[slot] = (shortcut_slot){.next = self->free};
    self->free = slot;
}

/* ---- the bell ---- */
/* It may be about a pair that is gone: the cookie of a socket is never used again. */
static void on_bell(void *user, const struct sockmap_bell *word)
{
    const relay_shortcuts *self = user;
    if (word->slot >= self->cap || word->side > 1) {
        return;
    }
    relay_shortcut *shortcut = self->slots[word->slot].shortcut;
    if (shortcut != NULL && shortcut->way[word->side].cookie == word->cookie) {
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
    for (uint32_t i = 0; i < self->cap; i++) {
        for (int side = 0; side < 2 && self->slots[i].shortcut != NULL; side++) {
            (void)relay_shortcut_called(self->slots[i].shortcut->pair, side);
        }
    }
}

/* ---- opened and closed ---- */
static tusk_err open_bell(tusk_relay *relay, relay_shortcuts *self)
{
    self->mem = relay->mem;
    self->free = UINT32_MAX;
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
    char text[RELAY_ENGINE_TEXT + 16];
    if (relay->engine != TUSK_ENGINE_SOCKMAP) {
        return;
    }
    relay_shortcuts *self = relay->sockmap == NULL ? NULL : tusk__new(relay->mem, sizeof(*self));
    tusk_err err = self == NULL ? TUSK_ENOMEM : open_bell(relay, self);
    if (err == TUSK_OK) {
        relay->shortcuts = self;
    } else if (relay->sockmap != NULL) {
        tusk__free(relay->mem, self, sizeof(*self));
        set_state(relay, err == TUSK_ELIMIT ? "all places in the map are taken by other relays"
                                            : tusk_err_text(err));
    }
    (void)snprintf(text, sizeof(text), "Sockmap: %s", relay->engine_text);
    relay_log(relay, text);
}

void relay_shortcuts_close(tusk_relay *relay)
{
    relay_shortcuts *self = relay->shortcuts;
    relay->shortcuts = NULL;
    if (self != NULL) {
        tusk_loop_background(relay->loop, -1);
        tusk_io_remove(relay->loop, &self->io);
        relay_sockmap_close(self->map);
        tusk__free(relay->mem, self->slots, self->cap * sizeof(self->slots[0]));
        tusk__free(relay->mem, self, sizeof(*self));
    }
    tusk_sockmap_unref(relay->sockmap);
    relay->sockmap = NULL;
}
