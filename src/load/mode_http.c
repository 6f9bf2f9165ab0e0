/* SPDX-License-Identifier: MIT */
/* Requests over HTTP/1.1: on kept connections, pipelined where asked for, or one on each. */
#include "load/worker.h"

#include <stdio.h>

#include "base/mem.h"
#include "load/answer.h"
#include "load/head.h"
#include "load/messages.h"
#include "load/payload.h"

#define SLOTS_MIN 64
#define SLOTS_BYTES ((size_t)16 << 20)
#define KNOWN_MAX 64
#define REQUEST_MAX ((size_t)1 << 28)

enum step { STEP_REQUESTS, STEP_ENDING };

typedef struct http {
    load_messages requests; /* of all paths in turn; no payloads */
    uint32_t paths;
    tusk_http_method method;
    load_known_head known[KNOWN_MAX]; /* by path, as far as they go */
} http;

typedef struct http_link {
    load_link link; /* first */
    load_answer answer;
    uint32_t send_slot;
    uint32_t recv_slot;
} http_link;

static http *state_of(const load_link *link)
{
    return link->worker->state;
}

static http_link *self_of(load_link *link)
{
    return (http_link *)(void *)link;
}

/* ---- requests ---- */
static tusk_err put_request(tusk_buf *out, const load_plan *plan, const tusk_bytes *path)
{
    char length[64];
    bool sends = plan->body.len > 0 || strcmp(plan->method.ptr, "POST") == 0 ||
                 strcmp(plan->method.ptr, "PUT") == 0 || strcmp(plan->method.ptr, "PATCH") == 0;
    tusk_err err = tusk__load_head_put(out, plan, &plan->target, plan->method.ptr, path, 0);
    if (err == TUSK_OK && sends) {
        (void)snprintf(length, sizeof(length), "Content-Length: %zu\r\n", plan->body.len);
        err = tusk_buf_append_str(out, length);
    }
    if (err == TUSK_OK && !plan->keep_alive) {
        err = tusk_buf_append_str(out, "Connection: close\r\n");
    }
    err = err != TUSK_OK ? err : tusk_buf_append_str(out, "\r\n");
    return err != TUSK_OK ? err : tusk_buf_append(out, plan->body.ptr, plan->body.len);
}

static uint32_t count_paths(const load_plan *plan)
{
    tusk_bytes rest = tusk_bytes_of(plan->urls.ptr, plan->urls.len);
    tusk_bytes line;
    uint32_t count = 0;
    while (tusk__load_next_line(&rest, &line)) {
        count++;
    }
    return count;
}

/* A whole number of rounds through the paths, and all of it twice. */
static tusk_err build(load_messages *requests, const load_plan *plan, uint32_t paths,
                      uint32_t depth)
{
    uint32_t wanted = depth > SLOTS_MIN ? depth : SLOTS_MIN;
    uint32_t slots = (wanted + paths - 1) / paths * paths;
    while (slots > paths && slots * (plan->body.len + 256) > SLOTS_BYTES) {
        slots -= paths;
    }
    requests->mem = plan->mem;
    requests->slots = slots;
    tusk_buf_init(&requests->wire, plan->mem, REQUEST_MAX);
    requests->at = tusk__new(plan->mem, (2 * (size_t)slots + 1) * sizeof(requests->at[0]));
    tusk_err err = requests->at == NULL ? TUSK_ENOMEM : TUSK_OK;
    tusk_bytes rest = tusk_bytes_of(plan->urls.ptr, plan->urls.len);
    for (uint32_t i = 0; err == TUSK_OK && i < 2 * slots; i++) {
        tusk_bytes path;
        bool has_path = tusk__load_next_line(&rest, &path);
        if (!has_path && plan->urls.len > 0) {
            rest = tusk_bytes_of(plan->urls.ptr, plan->urls.len);
            has_path = tusk__load_next_line(&rest, &path);
        }
        err = put_request(&requests->wire, plan, has_path ? &path : NULL);
        requests->at[i + 1] = requests->wire.len;
    }
    return err;
}

static tusk_err begin(load_worker *self)
{
    http *state = self->state;
    const load_plan *plan = self->plan;
    uint32_t paths = count_paths(plan);
    state->paths = paths == 0 ? 1 : paths;
    state->method = tusk_http_method_of(tusk_bytes_of(plan->method.ptr, plan->method.len));
    return build(&state->requests, plan, state->paths, self->depth);
}

static void end(load_worker *self)
{
    tusk__load_messages_fini(&((http *)self->state)->requests);
}

/* ---- connections ---- */
static void send_requests(load_link *link, uint32_t count)
{
    const load_messages *requests = &state_of(link)->requests;
    http_link *self = self_of(link);
    uint32_t life = link->life;
    tusk__load_count(link->worker, LOAD_SENT, count);
    while (count > 0 && link->life == life) {
        uint32_t part = count;
        tusk_bytes wire = tusk__load_messages_wire(requests, self->send_slot, &part);
        self->send_slot = (self->send_slot + part) % requests->slots;
        count -= part;
        (void)tusk__load_link_post(link, wire.ptr, wire.len);
    }
}

static void start(load_link *link, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        (void)tusk__load_op_begin(link);
    }
    if (link->worker->mode->each) {
        tusk__load_link_open(link, &link->worker->plan->target);
    } else {
        send_requests(link, count);
    }
}

static void on_up(load_link *link)
{
    http_link *self = self_of(link);
    self->answer = (load_answer){.step = 0};
    if (link->worker->mode->each) {
        self->recv_slot = self->send_slot; /* goes on through the paths */
    } else {
        self->send_slot = self->recv_slot = link->index % state_of(link)->requests.slots;
    }
    link->step = STEP_REQUESTS;
    tusk__load_usable(link);
    if (link->worker->mode->each) {
        link->up_ns = link->worker->now;
        send_requests(link, 1);
    }
}

/* ---- answers ---- */
static void answered(load_link *link)
{
    load_worker *worker = link->worker;
    http_link *self = self_of(link);
    char text[64];
    self->recv_slot = (self->recv_slot + 1) % state_of(link)->requests.slots;
    tusk__load_count(worker, LOAD_RECEIVED, 1);
    if (self->answer.status >= 400) {
        (void)snprintf(text, sizeof(text), "the server answered %u", self->answer.status);
        tusk__load_cell_error(worker->cell, "%s", text);
        (void)tusk__load_op_fail(link, LOAD_FAILED_STATUS);
    } else {
        (void)tusk__load_op_end(link);
    }
}

/* The server ends the connection with this answer. */
static void close_after(load_link *link)
{
    if (link->worker->mode->each) {
        link->step = STEP_ENDING; /* who closes first keeps TIME_WAIT: the server */
        link->up_ns = link->worker->now;
        return;
    }
    tusk__load_link_close(link);
    while (tusk__load_op_fail(link, LOAD_LOST)) {
    }
    link->rightful = true;
    tusk__load_link_gone(link);
}

static size_t fail(load_link *link, ptrdiff_t err, size_t len)
{
    char text[LOAD_ERROR_MAX];
    (void)snprintf(text, sizeof(text), "the answer is not HTTP: %s", tusk_err_text((tusk_err)err));
    tusk__load_link_fail(link, TUSK_EPROTO, text);
    return len;
}

static size_t on_bytes(load_link *link, uint8_t *in, size_t len)
{
    http *state = state_of(link);
    http_link *self = self_of(link);
    uint32_t life = link->life;
    size_t at = 0;
    while (at < len && link->step == STEP_REQUESTS) {
        if (link->op_count == 0) {
            tusk__load_count(link->worker, LOAD_DUPLICATED, 1);
            tusk__load_link_fail(link, TUSK_EPROTO, "an answer that nobody asked for");
            return len;
        }
        bool done;
        ptrdiff_t taken = tusk__load_answer_read(
            &self->answer, tusk_bytes_of(in + at, len - at), state->method,
            &state->known[self->recv_slot % state->paths % KNOWN_MAX], &done);
        if (taken < 0) {
            return fail(link, taken, len);
        }
        at += (size_t)taken;
        if (!done) {
            break;
        }
        answered(link);
        if (self->answer.close || link->worker->mode->each) {
            close_after(link);
            if (link->life != life) {
                return len;
            }
        }
    }
    if (link->step == STEP_ENDING) {
        return len;
    }
    tusk__load_room(link);
    return at;
}

static bool on_ended(load_link *link, tusk_err why)
{
    load_worker *worker = link->worker;
    if (link->step == STEP_ENDING && link->worker->mode->each) {
        tusk__load_link_record(link, LOAD_HIST_CLOSE_END,
                               tusk__load_since(link->up_ns, worker->now));
        return true;
    }
    if (why != TUSK_EEOF || !link->was_up) {
        return false;
    }
    if (link->op_count > 0 && tusk__load_answer_end(&self_of(link)->answer)) {
        answered(link);
        link->rightful = link->op_count == 0;
    }
    return link->op_count == 0; /* an idle connection may be closed */
}

static void goodbye(load_link *link)
{
    if (link->step != STEP_ENDING) {
        tusk__load_link_close(link);
    }
}

const load_mode tusk__load_http = {.name = "http",
                                   .link_bytes = sizeof(http_link),
                                   .state_bytes = sizeof(http),
                                   .begin = begin,
                                   .end = end,
                                   .on_up = on_up,
                                   .on_bytes = on_bytes,
                                   .on_ended = on_ended,
                                   .start = start};

const load_mode tusk__load_http_each = {.name = "http",
                                        .link_bytes = sizeof(http_link),
                                        .state_bytes = sizeof(http),
                                        .each = true,
                                        .begin = begin,
                                        .end = end,
                                        .on_up = on_up,
                                        .on_bytes = on_bytes,
                                        .on_ended = on_ended,
                                        .start = start,
                                        .goodbye = goodbye};
