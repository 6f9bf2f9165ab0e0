/* SPDX-License-Identifier: MIT */
/* The board: memory that the run's process shares with its workers. One cell for each worker, which
 * alone writes it; a few words that all of them set. */
#ifndef LOAD_BOARD_H
#define LOAD_BOARD_H

#include <stdatomic.h>
#include <tusk/stats.h>

#include "load/plan.h"

typedef enum load_counter {
    LOAD_PLANNED,
    LOAD_STARTED,
    LOAD_CONNECTED,
    LOAD_OPENED,
    LOAD_CLOSED,
    LOAD_FAILED_RESOLVE,
    LOAD_FAILED_REFUSED,
    LOAD_FAILED_TIMEOUT,
    LOAD_FAILED_RESET,
    LOAD_FAILED_TLS,
    LOAD_FAILED_STATUS,
    LOAD_FAILED_PROTOCOL,
    LOAD_FAILED_CLOSED,
    LOAD_FAILED_OTHER,
    LOAD_SENT,
    LOAD_RECEIVED,
    LOAD_BYTES_SENT,
    LOAD_BYTES_RECEIVED,
    LOAD_COMPLETED,
    LOAD_DROPPED,
    LOAD_BLOCKED,
    LOAD_UNFINISHED,
    LOAD_TIMED_OUT,
    LOAD_WRONG,
    LOAD_LOST,
    LOAD_DUPLICATED,
    LOAD_REORDERED,
    LOAD_EXPECTED,
    LOAD_RESETS,
    LOAD_RECONNECTS,
    LOAD_THROTTLED,
    LOAD_RESUMED_TLS,
    LOAD_OPEN,      /* gauge */
    LOAD_IN_FLIGHT, /* gauge */
    LOAD_IN_FLIGHT_SUM_NS,
    LOAD_COUNTER_COUNT
} load_counter;

typedef enum load_hist {
    LOAD_HIST_RESPONSE,
    LOAD_HIST_SERVICE,
    LOAD_HIST_BLOCKED,
    LOAD_HIST_LATE,
    LOAD_HIST_TCP,
    LOAD_HIST_TLS,
    LOAD_HIST_UPGRADE,
    LOAD_HIST_FIRST,
    LOAD_HIST_CLOSE_FRAME,
    LOAD_HIST_CLOSE_END,
    LOAD_HIST_DELIVERY,
    LOAD_HIST_SPREAD,
    LOAD_HIST_HICCUP,
    LOAD_HIST_RECONNECT,
    LOAD_HIST_COUNT
} load_hist;

typedef enum load_phase {
    LOAD_PHASE_CONNECT,
    LOAD_PHASE_RAMP,
    LOAD_PHASE_WARMUP,
    LOAD_PHASE_MEASURE,
    LOAD_PHASE_DRAIN,
    LOAD_PHASE_CLOSE,
    LOAD_PHASE_DONE
} load_phase;

enum { LOAD_RING = 4, LOAD_ERROR_MAX = 200, LOAD_TLS_MAX = 64, LOAD_SPREADS = 8192 };

typedef struct load_slice {
    uint32_t phase;
    uint32_t index; /* within the phase */
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t counters[LOAD_COUNTER_COUNT]; /* what was added; gauges as they are */
    tusk_hist *response;
} load_slice;

typedef struct load_cell {
    _Atomic uint32_t phase;
    _Atomic uint32_t is_ready;    /* counted in board.ready */
    _Atomic uint64_t slices_done; /* ring[i % LOAD_RING] is complete for i < slices_done */
    _Atomic uint64_t slices_read;
    _Atomic uint64_t samples_done;
    uint64_t totals[LOAD_COUNTER_COUNT];
    uint64_t measured[LOAD_COUNTER_COUNT];
    uint64_t window[LOAD_COUNTER_COUNT]; /* of what happened in the window's time */
    uint64_t user_ns, system_ns, switches;
    uint64_t measure_from_ns, measure_to_ns; /* as they were */
    load_slice ring[LOAD_RING];
    tusk_hist *hists[LOAD_HIST_COUNT];
    _Atomic uint32_t has_error;
    char error[LOAD_ERROR_MAX];
    char tls_version[LOAD_TLS_MAX]; /* of the first connection */
    char tls_cipher[LOAD_TLS_MAX];
} load_cell;

/* Of one published message, over all workers. */
typedef struct load_spread {
    _Atomic uint64_t key; /* publisher and sequence + 1; 0: free */
    _Atomic uint64_t first_ns;
    _Atomic uint64_t last_ns;
    _Atomic uint64_t received;
} load_spread;

typedef struct load_board {
    size_t size;
    uint32_t workers;
    uint64_t start_ns;
    int64_t wall_s;
    _Atomic uint64_t go_ns; /* the ramp's beginning; 0: not all are ready */
    _Atomic uint32_t ready;
    _Atomic uint32_t stop;
    _Atomic uint64_t delivered; /* of all workers, and what they are to be */
    _Atomic uint64_t expected;
    _Atomic uint64_t published;    /* of `count` */
    _Atomic uint64_t *subscribers; /* by room */
    load_spread *spreads;          /* by message, LOAD_SPREADS of them */
    tusk_load_sample *samples;     /* plan.samples for each worker */
    uint64_t samples_each;
    uint64_t *exchanges; /* of each sample plan.exchanges pairs: sent, received */
    uint64_t exchanges_each;
    load_cell *cells; /* workers, and one for the hiccup process */
} load_board;

tusk_err tusk__load_board_new(load_board **out, const load_plan *plan);
void tusk__load_board_free(load_board *self);
/* The last one to be ready sets everybody going; saying it twice for a cell is harmless. */
void tusk__load_board_ready(load_board *self, load_cell *cell);
/* Keeps the first text of a cell. */
void tusk__load_cell_error(load_cell *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

extern const tusk_hist_range tusk__load_range;
const char *tusk__load_counter_name(size_t i);
const char *tusk__load_hist_name(size_t i);
const char *tusk__load_phase_name(uint32_t phase);
static inline bool tusk__load_is_gauge(size_t counter)
{
    return counter == LOAD_OPEN || counter == LOAD_IN_FLIGHT;
}

#endif
