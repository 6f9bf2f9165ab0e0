/* SPDX-License-Identifier: MIT */
/*
 * Meters: what is counted for each target, and for each route that has a name.
 *
 * A row is a name and, per process, some numbers; whoever counts holds a pointer to its own
 * process's numbers and adds to them, and nothing is looked up or allocated for it. Rows lie in
 * memory that the workers share (a process alone has its own), so many for each kind and one more,
 * "other", for all names that found none. A row that nobody has held for METER_STALE_MS is told no
 * more, and is the next name's when one needs it. Every process writes its own numbers and reads
 * all, so one that dies leaves nothing undone.
 */
#ifndef RELAY_METERS_H
#define RELAY_METERS_H

#include <tusk/relay.h>

#include <stdatomic.h>

enum {
    METER_NAME_MAX = TUSK_RELAY_NAME_MAX,
    METER_BOUNDS = 14, /* of a histogram; what is over the last one has a bucket, too */
    METER_STALE_MS = 3600000
};

typedef enum relay_meter_kind { METER_TARGET, METER_ROUTE, METER_KINDS } relay_meter_kind;

/* A histogram: a count for each bucket, and the sum in microseconds. */
enum { METER_HIST_SUM = METER_BOUNDS + 1, METER_HIST_WORDS };

/* The numbers of a row. */
enum {
    METER_HELD,    /* so many refer to it */
    METER_LEFT_MS, /* when the last one ceased to */
    METER_ACTIVE,  /* connections to a target, sessions of a route; now */
    METER_SESSIONS,
    METER_BYTES_UP,
    METER_BYTES_DOWN,
    METER_DIALS,
    METER_DIAL_FAILURES,
    METER_DIAL_TIMEOUTS,
    METER_RETRIES,
    METER_ANSWER_TIMEOUTS,
    METER_RESETS,
    METER_EJECTIONS,
    METER_STATUS, /* of 1xx, and so on */
    METER_CONNECT = METER_STATUS + 5,
    METER_FIRST_BYTE = METER_CONNECT + METER_HIST_WORDS,
    METER_END = METER_FIRST_BYTE + METER_HIST_WORDS,
    METER_WORDS = (METER_END + 7) / 8 * 8 /* whole cache lines: seats do not share one */
};

typedef _Atomic uint64_t relay_meter; /* the first of METER_WORDS */

/* A process's view of them. All zero: there are none, and what is counted is lost. */
typedef struct relay_meters {
    uint8_t *map; /* NULL: none */
    size_t size;
    uint32_t rows; /* of each kind, beside "other" */
    uint32_t seats;
    uint32_t seat;
    bool borrowed; /* somebody else unmaps it */
    uint64_t full_until_ms;
    relay_meter lost[METER_WORDS];
} relay_meters;

/* `rows` of each kind, for so many processes. */
tusk_err relay_meters_open(relay_meters *self, uint32_t rows, uint32_t seats);
void relay_meters_close(relay_meters *self);
/* The same ones, seen by the process of `seat`. */
void relay_meters_borrow(relay_meters *self, const relay_meters *from, uint32_t seat);

/* The row of this name, whose `hash` is the same in all processes; never NULL. `*other`: counts
 * those that are counted together with others, for want of a row. */
relay_meter *relay_meters_hold(relay_meters *self, relay_meter_kind kind, uint64_t hash,
                               tusk_bytes name, uint64_t now_ms, uint64_t *other);
void relay_meter_release(relay_meter *meter, uint64_t now_ms);
/* In the master: the process of this seat is gone. What it counted stays. */
void relay_meters_gone(const relay_meters *self, uint32_t seat, uint64_t now_ms);

/* Only this process writes its own numbers: no locked instruction is needed. */
static inline void relay_meter_add(relay_meter *meter, unsigned word, uint64_t count)
{
    uint64_t value = atomic_load_explicit(&meter[word], memory_order_relaxed) + count;
    atomic_store_explicit(&meter[word], value, memory_order_relaxed);
}
/* `hist`: METER_CONNECT or METER_FIRST_BYTE. */
void relay_meter_observe(relay_meter *meter, unsigned hist, uint64_t us);

/* ---- read ---- */
/* A row's numbers, of all processes together. */
typedef struct relay_meter_sum {
    uint64_t words[METER_WORDS];
    uint64_t key;   /* with which relay_health_known finds a target; 0: "other" */
    int8_t healthy; /* the reader's */
    uint16_t name_len;
    char name[METER_NAME_MAX + 1];
} relay_meter_sum;

/* Copies those that are told to `out`, which has room for self->rows + 1, by their names and each
 * name once. */
size_t relay_meters_read(const relay_meters *self, relay_meter_kind kind, uint64_t now_ms,
                         relay_meter_sum *out);
/* In microseconds. */
extern const uint32_t relay_meter_bounds[METER_BOUNDS];

/* 1 up, 0 ejected, -1 unknown: nothing was ever wrong with it. */
typedef int relay_meter_health(const void *user, const relay_meter_sum *target);
/* meters_text.c: as OpenMetrics has it, without its end. */
tusk_err relay_meters_text(const relay_meters *self, const tusk_mem *mem, tusk_relay_kind kind,
                           relay_meter_health *health, const void *user, tusk_buf *out);

#endif
