/* SPDX-License-Identifier: MIT */
/*
 * Seats: memory that the processes of one server, or of one relay, share.
 *
 * Each process has a seat, with how many connections it has and what it counted; one seat more is
 * for all who are gone. Each writes its own seat and reads all, so one that dies between two writes
 * leaves nothing undone. Only numbers lie there: where they lie everybody knows by himself.
 */
#ifndef NET_SEATS_H
#define NET_SEATS_H

#include <tusk/err.h>
#include <tusk/stats.h>

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { SEATS_LINE = 64 /* bytes; processes that write side by side do not share a line */ };

typedef struct net_seats {
    uint8_t *map; /* of `count` + 1 seats, and what lies behind them */
    size_t size;
    size_t stride;
    uint32_t count;
} net_seats;

/* Seats with so many counters, and `beside` bytes for whatever else is shared; all zero. Before the
 * processes are forked. TUSK_EINVAL: no seat; TUSK_ENOMEM. */
tusk_err net_seats_open(net_seats *self, uint32_t count, size_t counters, size_t beside);
void net_seats_close(net_seats *self); /* fine for one that never was opened (all zero) */
/* At the start of a line. */
uint8_t *net_seats_beside(const net_seats *self);

/* Its connections. */
static inline _Atomic uint64_t *net_seats_held(const net_seats *self, uint32_t seat)
{
    return (_Atomic uint64_t *)(void *)(self->map + seat * self->stride);
}
static inline _Atomic uint64_t *net_seats_counters(const net_seats *self, uint32_t seat)
{
    return net_seats_held(self, seat) + 1;
}
/* The connections of all. */
uint64_t net_seats_held_by_all(const net_seats *self);
/* The counters from `first` on, of all and of those who are gone, are merged into the structure
 * `to`, which the table describes. */
void net_seats_merge(const net_seats *self, size_t first, const tusk_metric_table *table, void *to);
/* The process of this seat is gone: it has no connections, and what it counted goes to those who
 * are gone, but for its gauges (tusk__shared_bury). */
void net_seats_gone(const net_seats *self, uint32_t seat);
void net_seats_bury(const net_seats *self, uint32_t seat, size_t first,
                    const tusk_metric_table *table);

#endif
