/* SPDX-License-Identifier: MIT */
/* Publishers: a stamped payload, in a message or in the body of a POST; by schedule, or as fast as
 * what was published is delivered. */
#include "load/stream.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static bool is_http(const load_plan *plan)
{
    return plan->mode == LOAD_SSE || plan->publish == LOAD_PUBLISH_HTTP;
}

tusk_err tusk__stream_publish_init(load_worker *worker)
{
    stream *state = worker->state;
    const load_plan *plan = worker->plan;
    size_t size = (size_t)plan->size;
    tusk_buf_init(&state->message, worker->mem, SIZE_MAX);
    tusk_buf_init(&state->request, worker->mem, SIZE_MAX);
    state->payload = tusk__new(worker->mem, size);
    if (state->payload == NULL) {
        return TUSK_ENOMEM;
    }
    tusk__load_pattern(state->payload, size, plan->seed);
    return TUSK_OK;
}

void tusk__stream_publish_fini(load_worker *worker)
{
    stream *state = worker->state;
    tusk_buf_fini(&state->message);
    tusk_buf_fini(&state->request);
    tusk__free(worker->mem, state->payload, (size_t)worker->plan->size);
}

/* ---- what leaves ---- */
/* {room} and {data} in `template`; the payload itself where it is {data} alone. */
static tusk_err fill(load_worker *worker, const load_text *template, uint32_t room, tusk_bytes *out)
{
    stream *state = worker->state;
    char digits[16];
    tusk_bytes payload = tusk_bytes_of(state->payload, (size_t)worker->plan->size);
    tusk_bytes text = tusk_bytes_of(template->ptr, template->len);
    if (strcmp(template->ptr, "{data}") == 0) {
        *out = payload;
        return TUSK_OK;
    }
    (void)snprintf(digits, sizeof(digits), "%u", (unsigned)room);
    tusk_buf_clear(&state->message);
    tusk_buf_clear(&state->request);
    tusk_err err = tusk__load_fill(&state->request, text, "{room}", tusk_bytes_str(digits));
    if (err == TUSK_OK) {
        err = tusk__load_fill(&state->message, tusk_buf_view(&state->request), "{data}", payload);
    }
    *out = tusk_buf_view(&state->message);
    return err;
}

static tusk_err build_frame(load_worker *worker, uint32_t room, uint64_t random)
{
    stream *state = worker->state;
    tusk_bytes text;
    uint8_t *place;
    uint8_t key[4];
    tusk_err err = fill(worker, &worker->plan->message, room, &text);
    if (err != TUSK_OK) {
        return err;
    }
    memcpy(key, &random, sizeof(key));
    tusk_buf_clear(&state->request);
    err = tusk_buf_reserve(&state->request, TUSK_WS_HEAD_MAX + text.len, &place);
    if (err == TUSK_OK) {
        size_t head = tusk_ws_head_encode(place, TUSK_WS_FIN,
                                          worker->plan->binary ? TUSK_WS_BINARY : TUSK_WS_TEXT,
                                          text.len, key);
        tusk_mask_apply(place + head, text.ptr, text.len, key, 0);
        tusk_buf_commit(&state->request, head + text.len);
    }
    return err;
}

static tusk_err build_post(load_worker *worker, uint32_t room)
{
    stream *state = worker->state;
    char length[64];
    tusk_bytes body;
    tusk_err err = fill(worker, &worker->plan->publish_body, room, &body);
    tusk_buf_clear(&state->request);
    if (err == TUSK_OK) {
        err = tusk__load_head_put(&state->request, worker->plan, &worker->plan->publish_target,
                                  "POST", NULL, room);
    }
    if (err == TUSK_OK) {
        (void)snprintf(length, sizeof(length), "Content-Length: %zu\r\n\r\n", body.len);
        err = tusk_buf_append_str(&state->request, length);
    }
    return err != TUSK_OK ? err : tusk_buf_append(&state->request, body.ptr, body.len);
}

/* A WebSocket publisher whose messages do not name the room stays in that of its connection. */
static bool publishes_in_turn(const load_plan *plan)
{
    return is_http(plan) || strstr(plan->message.ptr, "{room}") != NULL;
}

static void publish(load_link *link)
{
    load_worker *worker = link->worker;
    stream *state = worker->state;
    stream_link *self = tusk__stream_link_of(link);
    const load_op *op = tusk__load_op_begin(link);
    uint64_t message = self->published++;
    bool turns = publishes_in_turn(worker->plan);
    uint32_t room = turns ? (uint32_t)(message % worker->plan->rooms) : self->room;
    const load_stamp stamp = {.run = (uint32_t)worker->plan->run_id,
                              .publisher = self->number,
                              .sequence = turns ? message / worker->plan->rooms : message,
                              .intended = op->intended};
    bool measured = tusk__load_in_window(worker, op->intended);
    uint64_t expected = atomic_load(&worker->board->subscribers[room]);
    tusk__load_stamp_put(state->payload, &stamp);
    tusk_err err = is_http(worker->plan)
                       ? build_post(worker, room)
                       : build_frame(worker, room, tusk__load_random(message + worker->now));
    if (err != TUSK_OK) {
        tusk__load_link_fail(link, err, "out of memory");
        return;
    }
    tusk__load_count_op(worker, LOAD_EXPECTED, measured, expected);
    tusk__load_count_op(worker, LOAD_SENT, measured, 1);
    atomic_fetch_add(&worker->board->expected, expected);
    atomic_fetch_add(&worker->board->published, measured ? 1 : 0);
    tusk_bytes bytes = tusk_buf_view(&state->request);
    uint32_t life = link->life;
    (void)tusk__load_link_send(link, bytes.ptr, bytes.len);
    if (!is_http(worker->plan) && link->life == life) {
        tusk__load_op_done(link);
    }
}

/* ---- when ---- */
bool tusk__stream_all_delivered(const load_worker *worker)
{
    const stream *state = worker->state;
    return atomic_load(&worker->board->delivered) + state->forgiven >=
           atomic_load(&worker->board->expected);
}

/* Closed model: as many messages under way as pipeline allows for each publisher. Where nothing is
 * delivered for the timeout, what is missing is waited for no more. */
static bool is_room_for_more(load_worker *worker)
{
    stream *state = worker->state;
    uint64_t delivered = atomic_load(&worker->board->delivered);
    uint64_t expected = atomic_load(&worker->board->expected);
    uint64_t known = delivered + state->forgiven;
    uint64_t under_way = expected > known ? expected - known : 0;
    if (delivered != state->progress || under_way == 0) {
        state->progress = delivered;
        state->moved_ns = worker->now;
    }
    if (under_way > 0 && worker->now - state->moved_ns > (uint64_t)(worker->plan->timeout * 1e9)) {
        state->forgiven += under_way;
        state->moved_ns = worker->now;
        under_way = 0;
    }
    uint64_t listeners = worker->plan->connections - worker->plan->slow;
    uint64_t each = (listeners + worker->plan->rooms - 1) / worker->plan->rooms;
    return under_way < worker->plan->pipeline * state->publishers * (each > 0 ? each : 1) ||
           under_way == 0;
}

static load_link *next_publisher(load_worker *worker)
{
    stream *state = worker->state;
    uint32_t extra = worker->link_count - worker->carriers;
    for (uint32_t seen = 0; seen < extra; seen++) {
        load_link *link =
            tusk__load_link_at(worker, worker->carriers + state->next_publisher % extra);
        state->next_publisher = (state->next_publisher + 1) % extra;
        if (link->step == STREAM_OPEN && link->state == LINK_OPEN &&
            link->op_count < worker->depth && link->out_len == 0) {
            return link;
        }
    }
    return NULL;
}

void tusk__stream_publish_due(load_worker *worker)
{
    worker->starving = false;
    if (worker->link_count == worker->carriers) {
        return;
    }
    for (uint64_t budget = 1024; budget > 0 && tusk__load_op_due(worker); budget--) {
        tusk__stream_flush(worker);
        if (!worker->paced && !is_room_for_more(worker)) {
            return;
        }
        load_link *link = next_publisher(worker);
        if (link == NULL) {
            worker->starving = true;
            worker->starved_ns = worker->now;
            return;
        }
        publish(link);
        worker->now = tusk_loop_clock_ns();
    }
}

/* ---- their connections ---- */
void tusk__stream_publisher_up(load_link *link)
{
    stream_link *self = tusk__stream_link_of(link);
    self->answer = (load_answer){.step = 0};
    if (is_http(link->worker->plan)) {
        link->step = STREAM_OPEN;
        tusk__load_usable(link);
        return;
    }
    link->step = STREAM_SHAKING;
    tusk__load_ws_forget(&self->ws);
    (void)tusk__load_ws_upgrade(&tusk__stream_of(link)->ws, &self->ws,
                                &link->worker->plan->publish_target, self->room);
}

static size_t take_answers(load_link *link, const uint8_t *in, size_t len)
{
    stream_link *self = tusk__stream_link_of(link);
    load_known_head *none = &(load_known_head){.len = 0};
    size_t at = 0;
    while (at < len) {
        bool done;
        ptrdiff_t taken = tusk__load_answer_read(&self->answer, tusk_bytes_of(in + at, len - at),
                                                 TUSK_HTTP_POST, none, &done);
        if (taken < 0 || link->op_count == 0) {
            tusk__load_link_fail(link, TUSK_EPROTO, "the answer to a publish is not HTTP");
            return len;
        }
        at += (size_t)taken;
        if (!done) {
            return at;
        }
        if (self->answer.status >= 400) {
            tusk__load_cell_error(link->worker->cell, "the server answered a publish with %u",
                                  self->answer.status);
            (void)tusk__load_op_fail(link, LOAD_FAILED_STATUS);
        } else {
            (void)tusk__load_op_end(link);
        }
        if (self->answer.close) {
            tusk__load_link_close(link);
            while (tusk__load_op_fail(link, LOAD_LOST)) {
            }
            link->rightful = true;
            tusk__load_link_gone(link);
            return len;
        }
    }
    return at;
}

size_t tusk__stream_publisher_bytes(load_link *link, uint8_t *in, size_t len)
{
    if (!is_http(link->worker->plan)) {
        return 0; /* the caller reads WebSocket for all */
    }
    return take_answers(link, in, len);
}
