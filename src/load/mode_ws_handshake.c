/* SPDX-License-Identifier: MIT */
/* Handshakes: open, upgrade, perhaps hold, close; each phase timed apart. And the storm after a
 * restart: all connections are dropped at once, and timed until they are back. */
#include "load/worker.h"

#include <string.h>

#include "base/mem.h"
#include "load/head.h"

enum step {
    STEP_UPGRADE,
    STEP_FIRST,    /* waits for a first message */
    STEP_EXCHANGE, /* an echo is under way */
    STEP_HOLD,     /* open until its time is over */
    STEP_CLOSING,  /* our Close frame is out */
    STEP_ENDING,   /* the server's is in: TCP ends next */
    STEP_DONE
};

typedef struct handshake {
    load_ws ws; /* first */
    uint32_t low;
    uint32_t high;
    bool launching;
    uint64_t storm_ns; /* when all were dropped; 0: not yet */
    uint32_t returned;
    tusk_buf message; /* what is exchanged, framed */
    uint64_t *times;  /* of each link plan.exchanges pairs: sent, received */
} handshake;

typedef struct handshake_link {
    load_ws_link ws; /* first */
    tusk_load_sample sample;
    uint32_t exchanged;
} handshake_link;

static handshake *state_of(const load_link *link)
{
    return link->worker->state;
}

static load_ws_link *ws_of(load_link *link)
{
    return (load_ws_link *)(void *)link;
}

/* ---- exchanges ---- */
static size_t times_size(const load_worker *self)
{
    return (size_t)self->link_count * self->plan->exchanges * 2 * sizeof(uint64_t);
}

static uint64_t *times_of(const load_link *link)
{
    return state_of(link)->times + (size_t)link->index * link->worker->plan->exchanges * 2;
}

/* A text message of stars, as wsperf's stress test sends it; one for all. */
static tusk_err begin_exchanges(load_worker *self)
{
    static const uint8_t key[4] = {0x5a, 0x1c, 0xe3, 0x97};
    handshake *state = self->state;
    size_t size = (size_t)self->plan->size;
    uint8_t *place;
    tusk_buf_init(&state->message, self->mem, SIZE_MAX);
    if (self->plan->exchanges == 0) {
        return TUSK_OK;
    }
    state->times = tusk__new(self->mem, times_size(self));
    tusk_err err = tusk_buf_reserve(&state->message, TUSK_WS_HEAD_MAX + size, &place);
    if (state->times == NULL || err != TUSK_OK) {
        return TUSK_ENOMEM;
    }
    size_t head = tusk_ws_head_encode(place, TUSK_WS_FIN, TUSK_WS_TEXT, size, key);
    memset(place + head, '*', size);
    tusk_mask_apply(place + head, place + head, size, key, 0);
    tusk_buf_commit(&state->message, head + size);
    return TUSK_OK;
}

static bool is_stars(const load_plan *plan, const tusk_ws_item *item)
{
    bool same = item->opcode == TUSK_WS_TEXT && item->payload.len == plan->size;
    for (size_t i = 0; same && i < item->payload.len; i++) {
        same = item->payload.ptr[i] == '*';
    }
    return same;
}

static tusk_err begin(load_worker *self)
{
    handshake *state = self->state;
    const load_plan *plan = self->plan;
    uint64_t high = plan->high > 0 ? plan->high : plan->connections;
    uint64_t low = plan->low > 0 ? plan->low : high;
    state->high = (uint32_t)tusk__load_share(high, plan->workers, self->index);
    state->low = (uint32_t)tusk__load_share(low, plan->workers, self->index);
    state->high += state->high == 0;
    state->low += state->low == 0;
    state->launching = true;
    self->opening_max = state->high;
    tusk_err err = begin_exchanges(self);
    return err != TUSK_OK ? err : tusk__load_ws_init(&state->ws, self, (size_t)self->plan->size);
}

static void end(load_worker *self)
{
    handshake *state = self->state;
    for (uint32_t i = 0; i < self->link_count; i++) {
        tusk__load_ws_forget(ws_of(tusk__load_link_at(self, i)));
    }
    tusk__load_ws_fini(&state->ws);
    tusk_buf_fini(&state->message);
    tusk__free(self->mem, state->times, times_size(self));
}

/* ---- samples: the times of single connections ---- */
static void take_sample(load_link *link, bool failed)
{
    load_worker *worker = link->worker;
    load_cell *cell = worker->cell;
    handshake_link *self = (handshake_link *)(void *)link;
    uint64_t done = atomic_load(&cell->samples_done);
    if (done == worker->board->samples_each) {
        return;
    }
    tusk_load_sample *sample =
        &worker->board->samples[worker->index * worker->board->samples_each + done];
    *sample = self->sample;
    sample->start = link->began_ns - worker->board->start_ns;
    sample->failed = failed;
    if (link->tcp_ns >= link->began_ns) { /* else it belongs to the connection before */
        sample->tcp = link->tcp_ns - link->began_ns;
    }
    if (!failed) {
        sample->close = tusk__load_since(
            link->began_ns + sample->tcp + sample->tls + sample->upgrade, worker->now);
    }
    if (worker->plan->exchanges > 0) {
        size_t pairs = (size_t)worker->plan->exchanges * 2;
        memcpy(worker->board->exchanges +
                   (worker->index * worker->board->samples_each + done) * pairs,
               times_of(link), pairs * sizeof(uint64_t));
    }
    atomic_store(&cell->samples_done, done + 1);
}

/* ---- one connection ---- */
static bool may_start(load_worker *self)
{
    handshake *state = self->state;
    if (state->launching && self->opening >= state->high) {
        state->launching = false;
        tusk__load_count(self, LOAD_THROTTLED, 1);
    } else if (!state->launching && self->opening < state->low) {
        state->launching = true;
    }
    return state->launching;
}

static void start(load_link *link, uint32_t count)
{
    handshake_link *self = (handshake_link *)(void *)link;
    (void)count;
    (void)tusk__load_op_begin(link);
    link->step = STEP_UPGRADE;
    self->sample = (tusk_load_sample){0};
    self->exchanged = 0;
    if (link->worker->plan->exchanges > 0) {
        memset(times_of(link), 0, (size_t)link->worker->plan->exchanges * 2 * sizeof(uint64_t));
    }
    tusk__load_link_open(link, &link->worker->plan->target);
}

static void on_up(load_link *link)
{
    link->step = STEP_UPGRADE;
    ((handshake_link *)(void *)link)->sample.tls = link->up_ns - link->tcp_ns;
    tusk__load_ws_forget(ws_of(link));
    (void)tusk__load_ws_upgrade(&state_of(link)->ws, ws_of(link), &link->worker->plan->target, 0);
}

static void finish(load_link *link)
{
    link->step = STEP_DONE;
    tusk__load_link_close(link);
    take_sample(link, false);
    tusk__load_room(link);
}

static void say_close(load_link *link)
{
    link->step = STEP_CLOSING;
    link->up_ns = link->worker->now;
    (void)tusk__load_ws_close(ws_of(link), (uint16_t)link->worker->plan->close_code);
}

static void leave(load_link *link)
{
    if (link->worker->plan->drop) {
        finish(link);
    } else {
        say_close(link);
    }
}

static void hold(load_link *link)
{
    load_worker *worker = link->worker;
    if (worker->plan->hold > 0) {
        link->step = STEP_HOLD;
        tusk__load_wait(link, worker->now + (uint64_t)(worker->plan->hold * 1e9));
    } else {
        leave(link);
    }
}

/* The next echo, or what comes after them. */
static void exchange(load_link *link)
{
    load_worker *worker = link->worker;
    handshake_link *self = (handshake_link *)(void *)link;
    if (self->exchanged == worker->plan->exchanges) {
        hold(link);
        return;
    }
    tusk_bytes wire = tusk_buf_view(&state_of(link)->message);
    link->step = STEP_EXCHANGE;
    times_of(link)[2 * self->exchanged] = worker->now - worker->board->start_ns;
    tusk__load_count(worker, LOAD_SENT, 1);
    (void)tusk__load_link_send(link, wire.ptr, wire.len);
}

static void exchanged(load_link *link, const tusk_ws_item *item)
{
    load_worker *worker = link->worker;
    handshake_link *self = (handshake_link *)(void *)link;
    if (!is_stars(worker->plan, item)) {
        tusk__load_count(worker, LOAD_WRONG, 1);
    }
    times_of(link)[2 * self->exchanged++ + 1] = worker->now - worker->board->start_ns;
    exchange(link);
}

static void on_due(load_link *link)
{
    if (link->state == LINK_OPEN && link->step == STEP_HOLD) {
        leave(link);
    } else {
        tusk__load_room(link); /* the server had closed it before */
    }
}

static void upgraded(load_link *link)
{
    load_worker *worker = link->worker;
    uint64_t upgrade = tusk__load_since(link->up_ns, worker->now);
    tusk__load_link_record(link, LOAD_HIST_UPGRADE, upgrade);
    ((handshake_link *)(void *)link)->sample.upgrade = upgrade;
    (void)tusk__load_op_end(link);
    link->up_ns = worker->now;
    tusk__load_usable(link);
    if (worker->mode->each && worker->plan->first) {
        link->step = STEP_FIRST;
    } else if (worker->mode->each) {
        exchange(link);
    }
}

static void take_item(load_link *link, const tusk_ws_item *item)
{
    load_worker *worker = link->worker;
    uint64_t since = tusk__load_since(link->up_ns, worker->now);
    switch (item->kind) {
    case TUSK_WS_ITEM_NONE:
    case TUSK_WS_ITEM_PONG: break;
    case TUSK_WS_ITEM_MESSAGE:
        tusk__load_count(worker, LOAD_RECEIVED, 1);
        if (link->step == STEP_FIRST) {
            tusk__load_link_record(link, LOAD_HIST_FIRST, since);
            exchange(link);
        } else if (link->step == STEP_EXCHANGE) {
            exchanged(link, item);
        }
        tusk_ws_taken_drop(&state_of(link)->ws.config, item->taken, item->taken_cap);
        break;
    case TUSK_WS_ITEM_PING:
        (void)tusk__load_ws_control(ws_of(link), TUSK_WS_PONG, item->payload);
        break;
    case TUSK_WS_ITEM_CLOSE:
        if (link->step == STEP_CLOSING) {
            tusk__load_link_record(link, LOAD_HIST_CLOSE_FRAME, since);
            link->step = STEP_ENDING;
        } else {
            tusk__load_link_fail(link, TUSK_EEOF, "the server sent a Close frame first");
        }
        break;
    }
}

static size_t on_bytes(load_link *link, uint8_t *in, size_t len)
{
    uint32_t life = link->life;
    size_t at = 0;
    if (link->step == STEP_UPGRADE && link->handshake) {
        ptrdiff_t taken = tusk__load_ws_answer(&state_of(link)->ws, ws_of(link), in, len);
        if (taken <= 0) {
            return 0;
        }
        at = (size_t)taken;
        upgraded(link);
    }
    while (link->life == life && at < len) {
        tusk_ws_item item;
        size_t taken = 0;
        tusk_err err = tusk_ws_decode(&ws_of(link)->decoder, in + at, len - at, &taken, &item);
        at += taken;
        if (err != TUSK_OK) {
            tusk__load_link_fail(link, TUSK_EPROTO, "what the server sent is not WebSocket");
            return len;
        }
        take_item(link, &item);
        if (item.kind == TUSK_WS_ITEM_NONE) {
            break;
        }
    }
    return at;
}

static bool on_ended(load_link *link, tusk_err why)
{
    load_worker *worker = link->worker;
    (void)why;
    if (link->step != STEP_ENDING) {
        return false;
    }
    tusk__load_link_record(link, LOAD_HIST_CLOSE_END, tusk__load_since(link->up_ns, worker->now));
    link->step = STEP_DONE;
    take_sample(link, false);
    return true;
}

static void on_lost(load_link *link)
{
    take_sample(link, true);
}

static void goodbye(load_link *link)
{
    if (link->step < STEP_CLOSING) {
        leave(link);
    }
}

const load_mode tusk__load_ws_handshake = {.name = "ws-handshake",
                                           .link_bytes = sizeof(handshake_link),
                                           .state_bytes = sizeof(handshake),
                                           .each = true,
                                           .begin = begin,
                                           .end = end,
                                           .on_up = on_up,
                                           .on_bytes = on_bytes,
                                           .on_ended = on_ended,
                                           .on_lost = on_lost,
                                           .start = start,
                                           .may_start = may_start,
                                           .on_due = on_due,
                                           .goodbye = goodbye};

/* ---- the storm ---- */
static void drop_all(load_worker *self)
{
    for (uint32_t i = 0; i < self->link_count; i++) {
        load_link *link = tusk__load_link_at(self, i);
        if (link->state != LINK_FREE) {
            tusk__load_link_close(link);
            tusk__load_link_gone(link);
        }
        link->retry_ns = 0;
    }
    tusk__load_open_more(self);
}

static void on_tick(load_worker *self, uint64_t now)
{
    handshake *state = self->state;
    if (self->phase == LOAD_PHASE_MEASURE && state->storm_ns == 0) {
        state->storm_ns = now;
        drop_all(self);
    }
}

static size_t on_storm_bytes(load_link *link, uint8_t *in, size_t len)
{
    load_worker *worker = link->worker;
    handshake *state = worker->state;
    bool was_shaking = link->handshake;
    uint32_t life = link->life;
    size_t taken = on_bytes(link, in, len);
    if (was_shaking && link->life == life && !link->handshake && state->storm_ns != 0 &&
        worker->phase == LOAD_PHASE_MEASURE) {
        tusk__load_record(worker, LOAD_HIST_RECONNECT,
                          tusk__load_since(state->storm_ns, worker->now));
        if (++state->returned == worker->link_count) {
            worker->measure_to = worker->now + 1; /* all are back: there is no more to see */
        }
    }
    return taken;
}

const load_mode tusk__load_ws_storm = {.name = "ws-handshake",
                                       .link_bytes = sizeof(handshake_link),
                                       .state_bytes = sizeof(handshake),
                                       .unpaced = true,
                                       .begin = begin,
                                       .end = end,
                                       .on_up = on_up,
                                       .on_bytes = on_storm_bytes,
                                       .on_ended = on_ended,
                                       .on_tick = on_tick,
                                       .goodbye = say_close};
