/* SPDX-License-Identifier: MIT */
/* Echo over WebSocket: messages made beforehand go out, answers are recognised by their head and,
 * with verify, by every byte. Anything else than the plain echo in one frame goes through the
 * decoder. */
#include "load/worker.h"

#include <stdio.h>

#include "load/head.h"
#include "load/messages.h"

enum step { STEP_UPGRADE, STEP_ECHO, STEP_GOODBYE };

typedef struct echo {
    load_ws ws; /* first */
    load_messages messages;
    size_t plain_len; /* of an answer in one frame that needs no more than its head looked at;
                         0: each has to be read */
} echo;

typedef struct echo_link {
    load_ws_link ws;  /* first */
    uint64_t left;    /* bytes of the present answer still to come */
    uint64_t skipped; /* slots whose answer was given up as lost: a late one is out of order */
    uint32_t send_slot;
    uint32_t recv_slot;
    bool decoding; /* the answer under way is the decoder's */
    bool differs;  /* the answer under way is not what was sent */
} echo_link;

static echo_link *echo_of(load_link *link)
{
    return (echo_link *)(void *)link;
}

static echo *state_of(const load_link *link)
{
    return link->worker->state;
}

/* ---- beginning and end ---- */
static tusk_err begin(load_worker *self)
{
    echo *state = self->state;
    tusk_ws_deflater *compress = NULL;
    tusk_err err = tusk__load_ws_init(&state->ws, self, (size_t)self->plan->size * 2);
    if (err == TUSK_OK && self->plan->deflate) {
        err = tusk_ws_deflater_new(&compress, self->mem, 15, 1, 8, false);
    }
    if (err == TUSK_OK) {
        err = tusk__load_messages_init(&state->messages, self->plan, self->depth, compress);
    }
    tusk_ws_deflater_free(compress);
    bool looked_into = self->plan->verify || self->plan->deflate;
    state->plain_len = looked_into ? 0 : state->messages.answer_head_len + state->messages.size;
    return err;
}

static void end(load_worker *self)
{
    echo *state = self->state;
    for (uint32_t i = 0; i < self->link_count; i++) {
        tusk__load_ws_forget((load_ws_link *)(void *)tusk__load_link_at(self, i));
    }
    tusk__load_messages_fini(&state->messages);
    tusk__load_ws_fini(&state->ws);
}

static void on_up(load_link *link)
{
    echo_link *self = echo_of(link);
    tusk__load_ws_forget(&self->ws);
    link->step = STEP_UPGRADE;
    self->left = 0;
    self->skipped = 0;
    self->send_slot = self->recv_slot = link->index % state_of(link)->messages.slots;
    self->decoding = self->differs = false;
    (void)tusk__load_ws_upgrade(&state_of(link)->ws, &self->ws, &link->worker->plan->target, 0);
}

/* ---- sending ---- */
static void send_one(load_link *link, const load_messages *messages)
{
    echo_link *self = echo_of(link);
    uint32_t slot = self->send_slot;
    self->send_slot = slot + 1 == messages->slots ? 0 : slot + 1;
    tusk__load_count(link->worker, LOAD_SENT, 1);
    (void)tusk__load_link_post(link, messages->wire.ptr + messages->wire.start + messages->at[slot],
                               messages->at[slot + 1] - messages->at[slot]);
}

static void start(load_link *link, uint32_t count)
{
    load_worker *worker = link->worker;
    const load_messages *messages = &state_of(link)->messages;
    echo_link *self = echo_of(link);
    if (count == 1) {
        (void)tusk__load_op_begin(link);
        send_one(link, messages);
        return;
    }
    uint32_t life = link->life;
    for (uint32_t i = 0; i < count; i++) {
        (void)tusk__load_op_begin(link);
    }
    tusk__load_count(worker, LOAD_SENT, count);
    while (count > 0 && link->life == life) {
        uint32_t part = count;
        tusk_bytes wire = tusk__load_messages_wire(messages, self->send_slot, &part);
        self->send_slot += part;
        if (self->send_slot >= messages->slots) {
            self->send_slot %= messages->slots;
        }
        count -= part;
        (void)tusk__load_link_post(link, wire.ptr, wire.len);
    }
}

/* ---- answers ---- */
static void next_slot(echo_link *self, const load_messages *messages)
{
    self->recv_slot = self->recv_slot + 1 == messages->slots ? 0 : self->recv_slot + 1;
}

static void answered(load_link *link)
{
    load_worker *worker = link->worker;
    tusk__load_count(worker, LOAD_RECEIVED, 1);
    next_slot(echo_of(link), &state_of(link)->messages);
    if (!tusk__load_op_end(link)) {
        tusk__load_count(worker, LOAD_DUPLICATED, 1);
    }
}

static void wrong(load_link *link)
{
    load_worker *worker = link->worker;
    tusk__load_count(worker, LOAD_RECEIVED, 1);
    next_slot(echo_of(link), &state_of(link)->messages);
    if (!tusk__load_op_fail(link, LOAD_WRONG)) {
        tusk__load_count(worker, LOAD_WRONG, 1);
    }
    tusk__load_cell_error(worker->cell, "an answer differs from what was sent");
}

/* An answer to a message that was sent before the expected one. */
static void late(load_link *link, uint32_t slot)
{
    load_worker *worker = link->worker;
    uint64_t bit = (uint64_t)1 << (slot & 63);
    tusk__load_count(worker, LOAD_RECEIVED, 1);
    if ((echo_of(link)->skipped & bit) == 0) {
        tusk__load_count(worker, LOAD_DUPLICATED, 1);
        return;
    }
    echo_of(link)->skipped &= ~bit;
    worker->cell->totals[LOAD_LOST]--;
    worker->cell->measured[LOAD_LOST] -= worker->cell->measured[LOAD_LOST] > 0;
    tusk__load_count(worker, LOAD_REORDERED, 1);
}

/* A whole payload that is not the expected one: wrong, or another's. */
static void misplaced(load_link *link, tusk_bytes payload)
{
    echo_link *self = echo_of(link);
    const load_messages *messages = &state_of(link)->messages;
    uint32_t slot = tusk__load_messages_find(messages, payload);
    if (slot == messages->slots) {
        wrong(link);
        return;
    }
    uint32_t ahead = (slot + messages->slots - self->recv_slot) % messages->slots;
    if (ahead >= link->op_count) {
        late(link, slot);
        return;
    }
    for (; self->recv_slot != slot; next_slot(self, messages)) {
        self->skipped |= (uint64_t)1 << (self->recv_slot & 63);
        (void)tusk__load_op_fail(link, LOAD_LOST);
    }
    answered(link);
}

static void judge(load_link *link, tusk_bytes payload, bool same_kind)
{
    const load_messages *messages = &state_of(link)->messages;
    const uint8_t *expected = tusk__load_messages_payload(messages, echo_of(link)->recv_slot);
    bool same_size = payload.len == messages->size;
    if (!same_kind || !same_size) {
        wrong(link);
    } else if (!link->worker->plan->verify ||
               (link->op_count > 0 && memcmp(payload.ptr, expected, payload.len) == 0)) {
        echo_of(link)->skipped &= ~((uint64_t)1 << (echo_of(link)->recv_slot & 63));
        answered(link);
    } else {
        misplaced(link, payload);
    }
}

/* ---- the plain echo, in one frame ---- */
/* More of an answer that is too long for one read; it is compared as it comes. */
static size_t take_part(load_link *link, const uint8_t *in, size_t len)
{
    echo_link *self = echo_of(link);
    const load_messages *messages = &state_of(link)->messages;
    size_t part = len < self->left ? len : (size_t)self->left;
    if (link->worker->plan->verify && !self->differs) {
        const uint8_t *expected =
            tusk__load_messages_payload(messages, self->recv_slot) + (messages->size - self->left);
        self->differs = memcmp(expected, in, part) != 0;
    }
    self->left -= part;
    if (self->left == 0) {
        if (self->differs) {
            wrong(link);
        } else {
            answered(link);
        }
        self->differs = false;
    }
    return part;
}

/* A head is 2 to 10 bytes: a call of memcmp would cost more than the comparison. */
static inline bool begins_with(const uint8_t *in, const uint8_t *head, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (in[i] != head[i]) {
            return false;
        }
    }
    return true;
}

/* Whole answers, or the beginning of one; 0: what stands here is not one, or not yet. */
static size_t take_plain(load_link *link, const uint8_t *in, size_t len)
{
    echo_link *self = echo_of(link);
    const load_messages *messages = &state_of(link)->messages;
    size_t head = messages->answer_head_len;
    size_t whole = head + messages->size;
    size_t at = 0;
    while (len - at >= head && begins_with(in + at, messages->answer_head, head)) {
        if (len - at >= whole) {
            judge(link, tusk_bytes_of(in + at + head, messages->size), true);
            at += whole;
        } else if (messages->size > 4096) {
            self->left = messages->size;
            at += head;
            return at + (at < len ? take_part(link, in + at, len - at) : 0);
        } else {
            return at; /* the rest comes soon, and then it is whole */
        }
    }
    return at;
}

/* ---- anything else ---- */
static bool take_item(load_link *link, const tusk_ws_item *item)
{
    load_ws_link *ws = &echo_of(link)->ws;
    uint8_t opcode = link->worker->plan->binary ? TUSK_WS_BINARY : TUSK_WS_TEXT;
    switch (item->kind) {
    case TUSK_WS_ITEM_NONE: return false;
    case TUSK_WS_ITEM_MESSAGE:
        if (!link->extra) {
            judge(link, item->payload, item->opcode == opcode);
        }
        tusk_ws_taken_drop(&state_of(link)->ws.config, item->taken, item->taken_cap);
        return true;
    case TUSK_WS_ITEM_PING: return tusk__load_ws_control(ws, TUSK_WS_PONG, item->payload);
    case TUSK_WS_ITEM_PONG: return true;
    case TUSK_WS_ITEM_CLOSE:
        if (link->step == STEP_GOODBYE) {
            tusk__load_link_close(link);
        } else {
            tusk__load_link_fail(link, TUSK_EEOF, "the server sent a Close frame");
        }
        return false;
    }
    return false;
}

static inline bool may_be_plain(const load_link *link)
{
    return link->step == STEP_ECHO && !link->extra && !state_of(link)->ws.deflate.on;
}

static bool at_start_of_answer(const load_link *link, const uint8_t *in, size_t len)
{
    const load_messages *messages = &state_of(link)->messages;
    size_t seen = len < messages->answer_head_len ? len : messages->answer_head_len;
    return may_be_plain(link) && begins_with(in, messages->answer_head, seen);
}

static size_t take_decoded(load_link *link, uint8_t *in, size_t len)
{
    echo_link *self = echo_of(link);
    uint32_t life = link->life;
    size_t at = 0;
    self->decoding = true;
    while (at < len) {
        tusk_ws_item item;
        size_t taken = 0;
        tusk_err err = tusk_ws_decode(&self->ws.decoder, in + at, len - at, &taken, &item);
        at += taken;
        if (err != TUSK_OK) {
            char text[LOAD_ERROR_MAX];
            (void)snprintf(text, sizeof(text), "what the server sent is not WebSocket: %s",
                           tusk_err_text(err));
            tusk__load_link_fail(link, TUSK_EPROTO, text);
            return len;
        }
        bool more = take_item(link, &item);
        if (link->life != life) {
            return len;
        }
        if (tusk_ws_decoder_idle(&self->ws.decoder)) {
            self->decoding = false;
            if (at < len && at_start_of_answer(link, in + at, len - at)) {
                return at;
            }
        }
        if (!more) {
            return at;
        }
    }
    return at;
}

static size_t take_answers(load_link *link, uint8_t *in, size_t len)
{
    echo_link *self = echo_of(link);
    uint32_t life = link->life;
    size_t at = 0;
    size_t before;
    do {
        before = at;
        if (self->left > 0) {
            at += take_part(link, in + at, len - at);
        } else if (!self->decoding && may_be_plain(link)) {
            at += take_plain(link, in + at, len - at);
            if (at == before && !at_start_of_answer(link, in + at, len - at)) {
                at += take_decoded(link, in + at, len - at);
            }
        } else {
            at += take_decoded(link, in + at, len - at);
        }
    } while (link->life == life && at < len && at > before);
    return at;
}

/* What nearly every read holds: one whole answer, nothing before it and nothing behind. */
static inline bool is_one_answer(const load_link *link, const uint8_t *in, size_t len)
{
    const echo_link *self = (const echo_link *)(const void *)link;
    const echo *state = state_of(link);
    return len == state->plain_len && link->step == STEP_ECHO && self->left == 0 &&
           !self->decoding && !link->extra &&
           begins_with(in, state->messages.answer_head, state->messages.answer_head_len);
}

/* An answer, and the next message in its place. */
static void go_round(load_link *link)
{
    load_worker *worker = link->worker;
    const load_messages *messages = &state_of(link)->messages;
    tusk__load_count(worker, LOAD_RECEIVED, 1);
    next_slot(echo_of(link), messages);
    tusk__load_op_renew(link);
    send_one(link, messages);
}

static size_t on_bytes(load_link *link, uint8_t *in, size_t len)
{
    if (is_one_answer(link, in, len)) {
        if (tusk__load_goes_round(link)) {
            go_round(link);
            return len;
        }
        answered(link);
        tusk__load_room(link);
        return len;
    }
    load_worker *worker = link->worker;
    uint32_t life = link->life;
    size_t at = 0;
    if (link->step == STEP_UPGRADE) {
        ptrdiff_t taken = tusk__load_ws_answer(&state_of(link)->ws, &echo_of(link)->ws, in, len);
        if (taken <= 0) {
            return 0;
        }
        at = (size_t)taken;
        link->step = STEP_ECHO;
        tusk__load_record(worker, LOAD_HIST_UPGRADE, tusk__load_since(link->up_ns, worker->now));
        tusk__load_usable(link);
        if (link->life != life) {
            return len;
        }
    }
    if (at < len) {
        at += take_answers(link, in + at, len - at);
    }
    if (link->life == life) {
        tusk__load_room(link);
    }
    return at;
}

static bool on_ended(load_link *link, tusk_err why)
{
    (void)why;
    return link->step == STEP_GOODBYE;
}

static void goodbye(load_link *link)
{
    link->step = STEP_GOODBYE;
    (void)tusk__load_ws_close(&echo_of(link)->ws, TUSK_WS_CODE_NORMAL);
}

const load_mode tusk__load_ws_echo = {.name = "ws-echo",
                                      .link_bytes = sizeof(echo_link),
                                      .state_bytes = sizeof(echo),
                                      .begin = begin,
                                      .end = end,
                                      .on_up = on_up,
                                      .on_bytes = on_bytes,
                                      .on_ended = on_ended,
                                      .start = start,
                                      .goodbye = goodbye};
