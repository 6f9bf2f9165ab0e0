/* SPDX-License-Identifier: MIT */
/* TCP: round trips, connections a second, bulk transfer, and connections that are only held; each
 * perhaps after a protocol's greeting. */
#include "load/worker.h"

#include "load/greeting.h"
#include "load/messages.h"

#define BULK_PER_TURN ((size_t)1 << 20) /* of one link, in fairness to others */

enum step { STEP_GREETING, STEP_EXCHANGE, STEP_HOLD };

typedef struct tcp {
    load_messages messages; /* raw */
    uint64_t reply;         /* bytes of an answer */
    bool exchanges;         /* tcp-rate: a message and its answer on each connection */
} tcp;

typedef struct tcp_link {
    load_link link; /* first */
    uint64_t left;  /* bytes of the present answer still to come; 0: of the next one, all */
    uint32_t send_slot;
    uint32_t recv_slot;
    bool differs;
} tcp_link;

static tcp *state_of(const load_link *link)
{
    return link->worker->state;
}

static tcp_link *self_of(load_link *link)
{
    return (tcp_link *)(void *)link;
}

static tusk_tcp_greeting greeting_of(const load_link *link)
{
    return (tusk_tcp_greeting)link->worker->plan->greeting;
}

static tusk_err begin(load_worker *self)
{
    tcp *state = self->state;
    const load_plan *plan = self->plan;
    state->reply = plan->reply > 0 ? plan->reply : plan->size;
    state->exchanges = plan->mode != LOAD_TCP_RATE || tusk__load_plan_given(plan, "size");
    return tusk__load_messages_raw(&state->messages, plan, self->depth);
}

static void end(load_worker *self)
{
    tusk__load_messages_fini(&((tcp *)self->state)->messages);
}

/* ---- sending ---- */
static void send_messages(load_link *link, uint32_t count)
{
    const load_messages *messages = &state_of(link)->messages;
    tcp_link *self = self_of(link);
    uint32_t life = link->life;
    tusk__load_count(link->worker, LOAD_SENT, count);
    while (count > 0 && link->life == life) {
        uint32_t part = count;
        tusk_bytes wire = tusk__load_messages_wire(messages, self->send_slot, &part);
        self->send_slot = (self->send_slot + part) % messages->slots;
        count -= part;
        (void)tusk__load_link_post(link, wire.ptr, wire.len);
    }
}

static void start_round_trips(load_link *link, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        (void)tusk__load_op_begin(link);
    }
    send_messages(link, count);
}

static void start_connection(load_link *link, uint32_t count)
{
    (void)count;
    (void)tusk__load_op_begin(link);
    tusk__load_link_open(link, &link->worker->plan->target);
}

static void fill(load_link *link)
{
    const load_messages *messages = &state_of(link)->messages;
    uint32_t life = link->life;
    size_t sent = 0;
    if (link->worker->phase >= LOAD_PHASE_DRAIN) {
        return;
    }
    while (link->life == life && link->out_len == 0 && sent < BULK_PER_TURN) {
        sent += messages->size;
        send_messages(link, 1);
    }
    if (link->life == life && link->out_len == 0) {
        tusk__load_link_want_write(link);
    }
}

static void on_drained(load_link *link)
{
    if (link->worker->plan->mode == LOAD_TCP_BULK && !link->handshake &&
        link->worker->plan->direction != LOAD_DOWN) {
        fill(link);
    }
}

/* ---- a connection comes up ---- */
static void leave(load_link *link)
{
    tusk__load_link_close(link);
    tusk__load_room(link);
}

/* All that an operation of tcp-rate waits for has come. */
static void finish(load_link *link)
{
    load_worker *worker = link->worker;
    (void)tusk__load_op_end(link);
    link->step = STEP_HOLD;
    if (worker->plan->hold > 0) {
        tusk__load_wait(link, worker->now + (uint64_t)(worker->plan->hold * 1e9));
    } else {
        leave(link);
    }
}

static void greeted(load_link *link)
{
    load_worker *worker = link->worker;
    if (greeting_of(link) != TUSK_GREETING_NONE) {
        tusk__load_link_record(link, LOAD_HIST_FIRST, tusk__load_since(link->up_ns, worker->now));
    }
    link->step = STEP_EXCHANGE;
    link->up_ns = worker->now;
    tusk__load_usable(link);
    if (worker->plan->mode == LOAD_TCP_RATE) {
        if (state_of(link)->exchanges) {
            send_messages(link, 1);
        } else {
            finish(link);
        }
    } else if (worker->plan->mode == LOAD_TCP_BULK && worker->plan->direction != LOAD_DOWN) {
        fill(link);
    }
}

static void on_up(load_link *link)
{
    tcp_link *self = self_of(link);
    tusk_bytes words = tusk__load_greeting_words(greeting_of(link));
    self->left = 0;
    self->differs = false;
    self->send_slot = self->recv_slot = link->index % state_of(link)->messages.slots;
    link->step = STEP_GREETING;
    if (greeting_of(link) == TUSK_GREETING_NONE) {
        greeted(link);
    } else if (words.len > 0) {
        (void)tusk__load_link_send(link, words.ptr, words.len);
    }
}

/* ---- answers ---- */
static bool same_bytes(const load_link *link, const tcp_link *self, const uint8_t *in, size_t len)
{
    const load_messages *messages = &state_of(link)->messages;
    uint64_t at = state_of(link)->reply - self->left;
    for (size_t done = 0; done < len;) { /* an answer of another length repeats the message */
        size_t from = (size_t)((at + done) % messages->size);
        size_t part = messages->size - from < len - done ? messages->size - from : len - done;
        if (memcmp(tusk__load_messages_payload(messages, self->recv_slot) + from, in + done,
                   part) != 0) {
            return false;
        }
        done += part;
    }
    return true;
}

static void answered(load_link *link)
{
    load_worker *worker = link->worker;
    tcp_link *self = self_of(link);
    self->recv_slot = (self->recv_slot + 1) % state_of(link)->messages.slots;
    tusk__load_count(worker, LOAD_RECEIVED, 1);
    if (self->differs) {
        self->differs = false;
        (void)tusk__load_op_fail(link, LOAD_WRONG);
        tusk__load_cell_error(worker->cell, "an answer differs from what was sent");
    } else if (worker->mode->each) {
        finish(link);
    } else {
        (void)tusk__load_op_end(link);
    }
}

static size_t take_answers(load_link *link, const uint8_t *in, size_t len)
{
    tcp_link *self = self_of(link);
    uint32_t life = link->life;
    size_t at = 0;
    while (at < len && link->life == life && link->step == STEP_EXCHANGE) {
        if (link->op_count == 0) {
            tusk__load_count(link->worker, LOAD_DUPLICATED, 1);
            tusk__load_link_fail(link, TUSK_EPROTO, "bytes that nobody asked for");
            return len;
        }
        self->left = self->left == 0 ? state_of(link)->reply : self->left;
        size_t part = len - at < self->left ? len - at : (size_t)self->left;
        if (link->worker->plan->verify && !self->differs) {
            self->differs = !same_bytes(link, self, in + at, part);
        }
        self->left -= part;
        at += part;
        if (self->left == 0) {
            answered(link);
        }
    }
    return len;
}

static size_t on_bytes(load_link *link, uint8_t *in, size_t len)
{
    char reason[LOAD_GREETING_REASON];
    uint32_t life = link->life;
    size_t at = 0;
    if (link->step == STEP_GREETING) {
        ptrdiff_t taken =
            tusk__load_greeting_read(greeting_of(link), tusk_bytes_of(in, len), reason);
        if (taken == 0) {
            return 0;
        }
        if (taken < 0) {
            tusk__load_link_fail(link, (tusk_err)taken, reason);
            return len;
        }
        at = (size_t)taken;
        greeted(link);
    }
    bool trips = link->worker->plan->mode == LOAD_TCP_RR || link->worker->mode->each;
    if (link->life == life && trips && at < len) {
        (void)take_answers(link, in + at, len - at);
    }
    if (link->life == life && !link->worker->mode->each) {
        tusk__load_room(link);
    }
    return len; /* bulk and hold: bytes are counted and let go */
}

static bool on_ended(load_link *link, tusk_err why)
{
    (void)link;
    (void)why;
    return false;
}

static void on_due(load_link *link)
{
    if (link->state == LINK_OPEN && link->step == STEP_HOLD) {
        leave(link);
    } else {
        tusk__load_room(link);
    }
}

#define COMMON                                                                                     \
    .link_bytes = sizeof(tcp_link), .state_bytes = sizeof(tcp), .begin = begin, .end = end,        \
    .on_up = on_up, .on_bytes = on_bytes, .on_ended = on_ended

const load_mode tusk__load_tcp_rr = {COMMON, .name = "tcp-rr", .start = start_round_trips};
const load_mode tusk__load_tcp_rate = {COMMON, .name = "tcp-rate", .each = true,
                                       .start = start_connection, .on_due = on_due};
const load_mode tusk__load_tcp_bulk = {COMMON, .name = "tcp-bulk", .unpaced = true,
                                       .on_drained = on_drained};
const load_mode tusk__load_tcp_hold = {COMMON, .name = "tcp-hold", .unpaced = true};
