/* SPDX-License-Identifier: MIT */
/* What a pair's ends have carried, as counted here or by their kernel, and its record. */
#define _GNU_SOURCE
#include "relay/move/pair.h"

#include <sys/ioctl.h>

#include "net/socket.h"
#include "net/tcp_info.h"
#include "relay/account.h"

/* What the protocol before knows of it. */
static void tell_origin(const relay_pair *self, tusk_relay_record *record)
{
    const relay_origin *origin = self->origin;
    const relay_session session = {.door = self->session.door, .began_ns = origin->began_ns};
    record->peer = origin->peer;
    record->method = origin->method;
    record->host = origin->host;
    record->path = origin->path;
    record->status = origin->status;
    relay_record_tell(&session, record);
}

static tusk_bytes target_text(const relay_pair *self)
{
    if (self->target != NULL) {
        return relay_target_text(self->target);
    }
    return self->choice == 0 ? tusk_bytes_of(NULL, 0)
                             : relay_target_text(self->answer->choices[self->choice - 1].target);
}

/* What the meters do not have yet of an end. A KiB count of 32 bits is enough between two rounds; a
 * kernel that has counted less than we read has told nothing new. */
static uint64_t untold(const relay_pair *self, int side, uint64_t bytes)
{
    uint32_t kib = (uint32_t)(bytes >> 10) - self->told_kib[side];
    return kib > INT32_MAX ? 0 : ((uint64_t)kib << 10) + (bytes & 1023u);
}

/* Of those that were read of an end, whoever read them, the ones that it said to the other. */
static uint64_t said(const relay_pair *self, int side)
{
    return self->end[side].bytes - (side == RELAY_CLIENT ? self->head_len : 0);
}

/* Those that the kernel relays are counted at their end: it would take two calls for each. */
void relay_pair_account_so_far(relay_pair *self)
{
    tusk_relay_stats *stats = &relay_of(self)->stats;
    uint64_t new[2];
    if (self->state != PAIR_JOINED || self->bridged) {
        return;
    }
    for (int side = 0; side < 2; side++) {
        uint64_t before = self->upgraded ? self->origin->before[side] : 0;
        new[side] = untold(self, side, said(self, side) - before) & ~UINT64_C(1023);
        self->told_kib[side] += (uint32_t)(new[side] >> 10);
    }
    stats->bytes_up += new[RELAY_CLIENT];
    stats->bytes_down += new[RELAY_BACKEND];
    relay_account_add(self->target, self->answer, new[RELAY_CLIENT], new[RELAY_BACKEND]);
}

void relay_pair_account(const relay_pair *self, uint16_t status)
{
    tusk_relay_stats *stats = &relay_of(self)->stats;
    bool routed = self->answer != NULL && !relay_answer_refuses(self->answer);
    const relay_account account = {.target = self->target,
                                   .answer = routed ? self->answer : NULL,
                                   .bytes_up = untold(self, RELAY_CLIENT, said(self, RELAY_CLIENT)),
                                   .bytes_down =
                                       untold(self, RELAY_BACKEND, said(self, RELAY_BACKEND)),
                                   .first_us = self->first_us,
                                   .status = self->upgraded ? self->origin->status : status,
                                   .answered = self->answered || self->upgraded};
    stats->bytes_up += account.bytes_up;
    stats->bytes_down += account.bytes_down;
    relay_account_close(&account);
}

void relay_pair_tell(const relay_pair *self, uint16_t status, const char *end)
{
    if (!relay_record_wanted(relay_of(self))) {
        return;
    }
    char text[TUSK_ADDR_TEXT_MAX];
    tusk_addr peer = relay_pair_peer(self);
    tusk_relay_record record = {
        .peer = tusk_bytes_str(tusk_addr_text(&peer, text)),
        .target = target_text(self),
        .metadata = self->answer == NULL ? tusk_bytes_of(NULL, 0) : self->answer->route.metadata,
        .route = self->answer == NULL ? tusk_bytes_of(NULL, 0) : self->answer->route.name,
        .engine = self->bridged   ? TUSK_ENGINE_SOCKMAP
                  : self->ringed  ? TUSK_ENGINE_URING
                  : self->spliced ? TUSK_ENGINE_SPLICE
                                  : TUSK_ENGINE_COPY,
        .resolve_us = self->resolve_us,
        .connect_us = self->connect_us,
        .first_byte_us = self->answered || self->upgraded ? self->first_us : 0,
        .bytes_up = said(self, RELAY_CLIENT),
        .bytes_down = said(self, RELAY_BACKEND),
        .status = status,
        .end = end,
        .cached = self->cached};
    if (self->answer != NULL && relay_answer_refuses(self->answer)) {
        record.reason = self->answer->refusal.reason;
    }
    if (self->upgraded) {
        tell_origin(self, &record);
    } else {
        relay_record_tell(&self->session, &record);
    }
}

/* As its kernel counted it, an end as one byte; of a socket that is closed nobody says whether that
 * was by an end. It was where that had been seen, or nothing else went wrong with it. */
static void count_received(const relay_pair *self, relay_end *end)
{
    net_tcp_info info;
    if (!tusk__tcp_info_get(&info, end->io.fd)) {
        return;
    }
    bool well = !end->lost && tusk__socket_error(end->io.fd) == 0;
    bool seen = info.peer_ended || (self->fins & (1u << end->is_backend)) != 0;
    bool fin = seen || (info.closed && (end->state != DIR_OPEN || well));
    end->bytes = info.received - (fin ? 1 : 0);
}

/* What came from the end, whoever read it, and what nobody did. Who has read it to its end in user
 * space knows that already, and saves the call. */
static void count_bytes(const relay_pair *self, relay_end *end)
{
    if (end->io.fd < 0 || (end->state != DIR_OPEN && !self->bridged)) {
        return;
    }
    if (self->bridged) {
        count_received(self, end);
        return;
    }
    const relay_ring_ops *ring = self->ringed ? relay_of(self)->ring : NULL;
    end->bytes +=
        ring == NULL ? 0 : ring->unread(self, end->is_backend ? RELAY_BACKEND : RELAY_CLIENT);
    end->bytes += tusk__socket_unread(end->io.fd);
}

void relay_pair_count(relay_pair *self)
{
    const relay_origin *origin = self->upgraded ? self->origin : NULL;
    for (int side = 0; side < 2; side++) {
        relay_end *end = &self->end[side];
        if (origin == NULL || self->bridged) {
            count_bytes(self, end);
        }
        end->bytes -= origin == NULL ? 0 : origin->before[side];
    }
}

/* How many bytes were read of a socket since its beginning. Those that arrive between the calls
 * show in a second look. */
static bool bytes_read(int fd, uint64_t *out)
{
    enum { LOOKS = 8 };
    net_tcp_info info;
    for (int look = 0; look < LOOKS; look++) {
        int waiting = 0;
        int again = 0;
        if (ioctl(fd, FIONREAD, &waiting) != 0 || !tusk__tcp_info_get(&info, fd) ||
            ioctl(fd, FIONREAD, &again) != 0) {
            return false;
        }
        if (waiting == again) {
            *out = info.received - (uint64_t)waiting - (info.peer_ended ? 1 : 0);
            return true;
        }
    }
    return false;
}

/* The kernel's relay goes by a socket's own numbers. Where they cannot be had (bytes that never
 * stop) the pair stays in user space. */
void relay_pair_count_from_the_start(relay_pair *self)
{
    tusk_relay *relay = relay_of(self);
    net_tcp_info info;
    if (relay->shortcuts == NULL || !tusk__tcp_info_get(&info, self->end[RELAY_CLIENT].io.fd) ||
        !tusk__tcp_info_get(&info, self->end[RELAY_BACKEND].io.fd)) {
        return; /* a Unix path: the attempt says so */
    }
    for (int side = 0; side < 2; side++) {
        relay_end *end = &self->end[side];
        uint64_t all;
        if (!bytes_read(end->io.fd, &all)) {
            relay->stats.sockmap_kept_failed++;
            self->offered = true;
            return;
        }
        self->origin->before[side] = all - end->bytes;
        end->bytes = all;
    }
}
