/* SPDX-License-Identifier: MIT */
/* Deliveries: their time, their order, and how far the first and the last of a message lie apart.
 */
#include "load/stream.h"

#include <string.h>

#define BUSY UINT64_MAX

/* ---- spread, over all workers ---- */
/* Messages that are under way at the same time have different places: publishers stand apart. */
static size_t place(uint64_t key)
{
    return (size_t)((key >> 48) * 1031 + (key & ((UINT64_C(1) << 48) - 1))) % LOAD_SPREADS;
}

static void lower(_Atomic uint64_t *place, uint64_t value)
{
    uint64_t is = atomic_load(place);
    while (value < is && !atomic_compare_exchange_weak(place, &is, value)) {
    }
}

static void raise_to(_Atomic uint64_t *place, uint64_t value)
{
    uint64_t is = atomic_load(place);
    while (value > is && !atomic_compare_exchange_weak(place, &is, value)) {
    }
}

/* The entry belongs to `key` afterwards; whose it was before never became complete. */
static void claim(load_spread *entry, uint64_t key)
{
    uint64_t is = atomic_load(&entry->key);
    while (is != key) {
        if (is == BUSY) {
            is = atomic_load(&entry->key);
        } else if (atomic_compare_exchange_weak(&entry->key, &is, BUSY)) {
            atomic_store(&entry->first_ns, UINT64_MAX);
            atomic_store(&entry->last_ns, 0);
            atomic_store(&entry->received, 0);
            atomic_store(&entry->key, key);
            return;
        }
    }
}

/* All subscribers of this worker have the message. */
static void tell_board(load_worker *worker, const stream_local *local, uint32_t room, bool measured)
{
    load_board *board = worker->board;
    load_spread *entry = &board->spreads[place(local->key)];
    claim(entry, local->key);
    lower(&entry->first_ns, local->first_ns);
    raise_to(&entry->last_ns, local->last_ns);
    uint64_t sum = atomic_fetch_add(&entry->received, local->count) + local->count;
    if (sum >= atomic_load(&board->subscribers[room]) && measured) {
        tusk_hist_record(
            worker->cell->hists[LOAD_HIST_SPREAD],
            tusk__load_since(atomic_load(&entry->first_ns), atomic_load(&entry->last_ns)));
    }
}

static void spread(load_link *link, const load_stamp *stamp, bool measured)
{
    load_worker *worker = link->worker;
    stream *state = tusk__stream_of(link);
    uint32_t room = tusk__stream_link_of(link)->room;
    uint64_t message = stamp->sequence * worker->plan->rooms + room;
    uint64_t key = ((uint64_t)stamp->publisher << 48) + message + 1;
    stream_local *local = &state->local[place(key)];
    if (local->key != key) {
        *local = (stream_local){.key = key, .first_ns = worker->now};
    }
    local->last_ns = worker->now;
    if (++local->count == state->here[room]) {
        tell_board(worker, local, room, measured);
    }
}

/* ---- order ---- */
typedef enum verdict { IS_NEXT, IS_LATE, IS_DOUBLE } verdict;

static verdict place_of(load_worker *worker, stream_seen *seen, uint64_t number, bool measured)
{
    if (seen->next == 0 || number == seen->next) {
        seen->mask = seen->next == 0 ? 1 : seen->mask << 1 | 1;
        seen->next = number + 1;
        return IS_NEXT;
    }
    if (number > seen->next) {
        uint64_t missing = number - seen->next;
        tusk__load_count_op(worker, LOAD_LOST, measured, missing);
        seen->mask = missing < 63 ? seen->mask << (missing + 1) | 1 : 1;
        seen->next = number + 1;
        return IS_NEXT;
    }
    uint64_t back = seen->next - 1 - number;
    if (back >= 64 || (seen->mask >> back & 1) != 0) {
        return IS_DOUBLE;
    }
    seen->mask |= (uint64_t)1 << back;
    worker->cell->totals[LOAD_LOST] -= worker->cell->totals[LOAD_LOST] > 0;
    worker->cell->measured[LOAD_LOST] -= measured && worker->cell->measured[LOAD_LOST] > 0;
    return IS_LATE;
}

/* The pattern behind the stamp is there to its end; what a server puts around is its own business.
 */
static bool is_whole(const load_link *link, const load_stamp *stamp, tusk_bytes payload)
{
    size_t size = (size_t)link->worker->plan->size;
    size_t rest = size > LOAD_STAMP_BYTES ? size - LOAD_STAMP_BYTES : 0;
    return (size_t)(payload.ptr + payload.len - stamp->behind) >= rest &&
           (rest == 0 ||
            memcmp(stamp->behind, tusk__stream_of(link)->payload + LOAD_STAMP_BYTES, rest) == 0);
}

/* Whole and in time, or not as it was published. */
static void came(load_link *link, const load_stamp *stamp, tusk_bytes payload, bool measured)
{
    load_worker *worker = link->worker;
    if (!is_whole(link, stamp, payload)) {
        tusk__load_cell_error(worker->cell, "a delivery differs from what was published");
        tusk__load_count_op(worker, LOAD_WRONG, measured, 1);
        return;
    }
    uint64_t took = tusk__load_since(stamp->intended, worker->now);
    tusk__load_count_op(worker, LOAD_RECEIVED, measured, 1);
    tusk_hist_record(worker->slice, took);
    if (measured) {
        tusk_hist_record(worker->cell->hists[LOAD_HIST_DELIVERY], took);
    }
}

bool tusk__stream_delivered(load_link *link, tusk_bytes payload)
{
    load_worker *worker = link->worker;
    stream *state = tusk__stream_of(link);
    const stream_link *self = tusk__stream_link_of(link);
    load_stamp stamp;
    if (!tusk__load_stamp_find(&stamp, payload, (uint32_t)worker->plan->run_id) ||
        stamp.publisher >= state->publishers || link->extra) {
        return false;
    }
    if (self->slow) {
        return true;
    }
    bool measured = tusk__load_in_window(worker, stamp.intended);
    stream_seen *seen = &state->seen[(size_t)link->index * state->publishers + stamp.publisher];
    verdict is = place_of(worker, seen, stamp.sequence, measured);
    if (is == IS_DOUBLE) {
        tusk__load_count_op(worker, LOAD_DUPLICATED, measured, 1);
        return true;
    }
    if (is == IS_LATE) {
        tusk__load_count_op(worker, LOAD_REORDERED, measured, 1);
    }
    came(link, &stamp, payload, measured);
    state->delivered++;
    spread(link, &stamp, measured);
    return true;
}

void tusk__stream_subscribe(load_link *link, bool on)
{
    load_worker *worker = link->worker;
    stream_link *self = tusk__stream_link_of(link);
    if (self->subscribed == on || self->slow || link->extra) {
        return;
    }
    self->subscribed = on;
    if (on) {
        tusk__stream_of(link)->here[self->room]++;
        atomic_fetch_add(&worker->board->subscribers[self->room], 1);
    } else {
        tusk__stream_of(link)->here[self->room]--;
        atomic_fetch_sub(&worker->board->subscribers[self->room], 1);
    }
}

void tusk__stream_flush(load_worker *worker)
{
    stream *state = worker->state;
    if (state->delivered > 0) {
        atomic_fetch_add(&worker->board->delivered, state->delivered);
        state->delivered = 0;
    }
}
