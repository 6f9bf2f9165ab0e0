/* SPDX-License-Identifier: MIT */
/* Probes: a connect, and its outcome counted. */
#define _GNU_SOURCE
#include "relay/probe.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/socket.h"
#include "relay/shared.h"

typedef struct probe {
    tusk_io io; /* first */
    tusk_link link;
    tusk_timer timer;
    relay_target *target; /* a reference */
} probe;

static void end(probe *self)
{
    relay_target *target = self->target;
    tusk_relay *relay = target->relay;
    tusk_timer_stop(relay->loop, &self->timer);
    tusk_io_remove(relay->loop, &self->io);
    (void)close(self->io.fd);
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

static void on_event(tusk_io *io, unsigned events)
{
    int number = 0;
    socklen_t len = sizeof(number);
    bool asked = getsockopt(io->fd, SOL_SOCKET, SO_ERROR, &number, &len) == 0;
    tell((probe *)(void *)io, asked && number == 0 && (events & TUSK_IO_HUP) == 0);
}

static void on_due(tusk_timer *timer)
{
    tell(TUSK_OWNER(timer, probe, timer), false);
}

/* A name whose addresses nobody asked for yet, or that the guard refuses, is not probed. */
static const tusk_addr *address_of(const relay_target *target)
{
    return target->addr_count > 0 && relay_guard_allows(&target->relay->guard, &target->addrs[0])
               ? &target->addrs[0]
               : NULL;
}

static void start(relay_target *target, const tusk_addr *addr)
{
    tusk_relay *relay = target->relay;
    const struct sockaddr *name = (const struct sockaddr *)(const void *)addr->u.raw;
    probe *self = tusk__new(relay->mem, sizeof(*self));
    int fd = self == NULL ? -1 : tusk__socket_open(tusk_addr_family(addr));
    if (fd < 0) {
        tusk__free(relay->mem, self, sizeof(*self));
        return; /* our trouble, not the target's */
    }
    relay->stats.probes++;
    relay_share_publish_soon(relay);
    self->io = (tusk_io){.fd = fd, .on_event = on_event};
    bool begun = connect(fd, name, (socklen_t)addr->len) == 0 || errno == EINPROGRESS;
    if (!begun || tusk_io_add(relay->loop, &self->io, TUSK_IO_WRITE) != TUSK_OK) {
        (void)close(fd);
        tusk__free(relay->mem, self, sizeof(*self));
        if (!begun) {
            relay->stats.probe_failures++;
            relay_health_probed(target, false);
        }
        return;
    }
    self->timer.on_due = on_due;
    self->target = relay_target_ref(target);
    target->probed = true;
    tusk__list_push(&relay->probes, &self->link);
    tusk_timer_start(relay->loop, &self->timer, relay->limits.connect_ms);
}

void relay_probes_due(tusk_timer *timer)
{
    tusk_relay *relay = TUSK_OWNER(timer, tusk_relay, probe_timer);
    const relay_targets *all = &relay->targets;
    for (uint32_t i = 0; i < all->bucket_count; i++) {
        for (relay_target *target = all->buckets[i]; target != NULL; target = target->next) {
            const tusk_addr *addr = address_of(target);
            if (addr != NULL && target->refs > 0 && !target->probed &&
                relay_health_probes(target)) {
                start(target, addr);
            }
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
