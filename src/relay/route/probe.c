/* SPDX-License-Identifier: MIT */
/* Probes: connects to one address of a target after the other, and the outcome counted. */
#define _GNU_SOURCE
#include "relay/route/probe.h"

#include "base/mem.h"
#include "net/socket.h"
#include "relay/shared.h"

typedef struct probe {
    tusk_io io; /* first; fd -1: none of its addresses is tried yet */
    tusk_link link;
    tusk_timer timer;
    uint64_t until_ms;    /* for all addresses together; 0: for ever */
    relay_target *target; /* a reference */
    uint8_t addr_next;
    bool judged; /* an address of it was tried in vain */
    bool lacked; /* an address of it could not be tried */
} probe;

typedef enum attempt { BEGUN, REFUSED, OUR_TROUBLE } attempt;

static void close_socket(probe *self)
{
    if (self->io.fd >= 0) {
        tusk_io_close(self->target->relay->loop, &self->io);
    }
}

static void end(probe *self)
{
    relay_target *target = self->target;
    tusk_relay *relay = target->relay;
    tusk_timer_stop(relay->loop, &self->timer);
    close_socket(self);
    tusk__link_remove(&self->link);
    target->probed = false;
    tusk__free(relay->mem, self, sizeof(*self));
    relay_target_unref(target);
}

static void tell(probe *self, bool up)
{
    relay_target *target = self->target;
    target->relay->stats.probe_failures += up ? 0 : 1;
    relay_health_probed(target, up);
    end(self);
}

/* ---- one address ---- */
static attempt begin(probe *self, const tusk_addr *addr)
{
    self->io.fd = tusk__socket_open(tusk_addr_family(addr));
    if (self->io.fd < 0) {
        return OUR_TROUBLE;
    }
    tusk_err err = tusk__socket_connect(self->io.fd, addr);
    if (err != TUSK_OK) {
        return err == TUSK_EEXHAUSTED || err == TUSK_ENOMEM ? OUR_TROUBLE : REFUSED;
    }
    return tusk_io_add(self->target->relay->loop, &self->io, TUSK_IO_WRITE) == TUSK_OK
               ? BEGUN
               : OUR_TROUBLE;
}

static uint64_t left_ms(const probe *self)
{
    const tusk_relay *relay = self->target->relay;
    uint64_t now_ms = tusk_loop_now_ms(relay->loop);
    uint64_t one_ms = relay->limits.connect_ms != 0 ? relay->limits.connect_ms : UINT32_MAX;
    uint64_t all_ms = self->until_ms == 0       ? UINT32_MAX
                      : self->until_ms > now_ms ? self->until_ms - now_ms
                                                : 0;
    return one_ms < all_ms ? one_ms : all_ms;
}

/* As dials do: address after address, those that the guard lets through, until one is connected to.
 * When none is left that is the verdict. */
static void try_addresses(probe *self)
{
    const relay_target *target = self->target;
    tusk_relay *relay = target->relay;
    while (self->addr_next < target->addr_count && left_ms(self) > 0) {
        const tusk_addr *addr = &target->addrs[self->addr_next++];
        if (!relay_guard_allows(&relay->guard, addr)) {
            continue;
        }
        attempt how = begin(self, addr);
        if (how == BEGUN) {
            tusk_timer_start(relay->loop, &self->timer, left_ms(self));
            return;
        }
        self->judged = self->judged || how == REFUSED;
        self->lacked = self->lacked || how == OUR_TROUBLE;
        close_socket(self);
    }
    if (self->lacked && !self->judged) { /* says nothing of the target */
        end(self);
    } else {
        tell(self, false);
    }
}

static void on_event(tusk_io *io, unsigned events)
{
    probe *self = (probe *)(void *)io;
    if (tusk__socket_error(io->fd) == 0 && (events & TUSK_IO_HUP) == 0) {
        tell(self, true);
        return;
    }
    self->judged = true;
    close_socket(self);
    try_addresses(self);
}

static void on_due(tusk_timer *timer)
{
    probe *self = TUSK_OWNER(timer, probe, timer);
    self->judged = true;
    close_socket(self);
    try_addresses(self);
}

/* ---- one target ---- */
static bool may_be_probed(const relay_target *target)
{
    for (uint8_t i = 0; i < target->addr_count; i++) {
        if (relay_guard_allows(&target->relay->guard, &target->addrs[i])) {
            return true;
        }
    }
    return false; /* none of its addresses is known, or the guard refuses all */
}

static void start(relay_target *target)
{
    tusk_relay *relay = target->relay;
    uint32_t all_ms = relay->limits.connect_total_ms;
    probe *self = tusk__new(relay->mem, sizeof(*self));
    if (self == NULL) {
        return;
    }
    relay->stats.probes++;
    relay_share_publish_soon(relay);
    self->io = (tusk_io){.fd = -1, .on_event = on_event};
    self->timer.on_due = on_due;
    self->target = relay_target_ref(target);
    self->until_ms = all_ms == 0 ? 0 : tusk_loop_now_ms(relay->loop) + all_ms;
    target->probed = true;
    tusk__list_push(&relay->probes, &self->link);
    try_addresses(self);
}

/* Nobody dials an ejected target, so nobody but its probe would find out where its name has gone.
 */
static void keep_fresh(relay_target *target)
{
    bool stale = tusk_loop_now_ms(target->relay->loop) >= target->fresh_until_ms;
    if (!target->numeric && stale) {
        (void)relay_target_look_up(target);
    }
}

void relay_probes_due(tusk_timer *timer)
{
    tusk_relay *relay = TUSK_OWNER(timer, tusk_relay, probe_timer);
    const tusk_table *all = &relay->targets.table;
    for (tusk_entry *at = NULL; (at = tusk__table_next(all, at)) != NULL;) {
        relay_target *target = TUSK_OWNER(at, relay_target, in_table);
        if (target->refs == 0 || target->probed) {
            continue;
        }
        keep_fresh(target);
        if (may_be_probed(target) && relay_health_probes(target)) {
            start(target);
        }
    }
    tusk_timer_start(relay->loop, &relay->probe_timer, relay->limits.check_ms);
}

void relay_probes_start(tusk_relay *relay)
{
    if (relay->limits.check_ms != 0) {
        tusk_timer_start(relay->loop, &relay->probe_timer, relay->limits.check_ms);
    }
}

void relay_probes_stop(tusk_relay *relay)
{
    tusk_timer_stop(relay->loop, &relay->probe_timer);
    while (!tusk__list_empty(&relay->probes)) {
        end(TUSK_OWNER(relay->probes.next, probe, link));
    }
}
