/* SPDX-License-Identifier: MIT */
/* Fan-out and event streams: subscribers over WebSocket or Server-Sent Events, slow ones among
 * them, and streams that are left and resumed. */
#include "load/stream.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define DATA_MAX ((size_t)1 << 20) /* of an event, beyond the payload */

static bool over_sse(const load_link *link)
{
    return !link->extra &&
           (link->worker->plan->mode == LOAD_SSE || link->worker->plan->transport == LOAD_OVER_SSE);
}

static bool publishes_http(const load_link *link)
{
    return link->extra && (link->worker->plan->mode == LOAD_SSE ||
                           link->worker->plan->publish == LOAD_PUBLISH_HTTP);
}

/* ---- beginning and end ---- */
static tusk_err begin(load_worker *self)
{
    stream *state = self->state;
    const load_plan *plan = self->plan;
    state->publishers = (uint32_t)tusk__load_publishers(plan);
    state->seen_count = (size_t)self->carriers * state->publishers;
    state->here = tusk__new(self->mem, (size_t)plan->rooms * sizeof(state->here[0]));
    state->seen = tusk__new(self->mem, (state->seen_count + 1) * sizeof(state->seen[0]));
    state->local = tusk__new(self->mem, LOAD_SPREADS * sizeof(state->local[0]));
    if (state->here == NULL || state->seen == NULL || state->local == NULL) {
        return TUSK_ENOMEM;
    }
    for (uint32_t i = 0; i < self->link_count; i++) {
        stream_link *link = tusk__stream_link_of(tusk__load_link_at(self, i));
        uint32_t place = i < self->carriers ? i : i - self->carriers;
        link->number = place * (uint32_t)plan->workers + self->index;
        link->room = (uint32_t)(link->number % plan->rooms);
        link->slow = i < self->carriers && link->number < plan->slow;
    }
    tusk_err err = tusk__load_ws_init(&state->ws, self, (size_t)plan->size * 2 + DATA_MAX);
    return err != TUSK_OK ? err : tusk__stream_publish_init(self);
}

static void end(load_worker *self)
{
    stream *state = self->state;
    for (uint32_t i = 0; i < self->link_count; i++) {
        stream_link *link = tusk__stream_link_of(tusk__load_link_at(self, i));
        tusk__load_ws_forget(&link->ws);
        if (link->parser_made) {
            tusk_sse_parser_fini(&link->parser);
        }
    }
    tusk__stream_publish_fini(self);
    tusk__free(self->mem, state->here, (size_t)self->plan->rooms * sizeof(state->here[0]));
    tusk__free(self->mem, state->seen, (state->seen_count + 1) * sizeof(state->seen[0]));
    tusk__free(self->mem, state->local, LOAD_SPREADS * sizeof(state->local[0]));
    tusk__load_ws_fini(&state->ws);
}

/* ---- coming up ---- */
static void ask_for_stream(load_link *link)
{
    load_worker *worker = link->worker;
    stream *state = worker->state;
    stream_link *self = tusk__stream_link_of(link);
    tusk_buf *out = &state->request;
    if (!self->parser_made) {
        size_t max = (size_t)worker->plan->size * 2 + DATA_MAX;
        tusk_sse_parser_init(&self->parser, worker->mem, max, max);
        self->parser_made = true;
    }
    tusk_sse_parser_reset(&self->parser);
    tusk_bytes last = tusk_sse_last_id(&self->parser);
    tusk_buf_clear(out);
    tusk_err err =
        tusk__load_head_put(out, worker->plan, &worker->plan->target, "GET", NULL, self->room);
    err = err != TUSK_OK ? err : tusk_buf_append_str(out, "Accept: text/event-stream\r\n");
    if (err == TUSK_OK && last.len > 0) {
        err = tusk_http_field_append(out, tusk_bytes_str("Last-Event-ID"), last);
    }
    err = err != TUSK_OK ? err : tusk_buf_append_str(out, "\r\n");
    if (err != TUSK_OK) {
        tusk__load_link_fail(link, err, "out of memory");
        return;
    }
    tusk_bytes bytes = tusk_buf_view(out);
    (void)tusk__load_link_send(link, bytes.ptr, bytes.len);
}

static void on_up(load_link *link)
{
    stream_link *self = tusk__stream_link_of(link);
    link->step = STREAM_SHAKING;
    self->scanned = 0;
    self->events = 0;
    if (link->extra) {
        tusk__stream_publisher_up(link);
    } else if (over_sse(link)) {
        ask_for_stream(link);
    } else {
        tusk__load_ws_forget(&self->ws);
        (void)tusk__load_ws_upgrade(&tusk__stream_of(link)->ws, &self->ws,
                                    &link->worker->plan->target, self->room);
    }
}

/* A WebSocket subscriber may have to say what it wants. */
static void say_subscribe(load_link *link)
{
    const load_plan *plan = link->worker->plan;
    stream *state = tusk__stream_of(link);
    char digits[16];
    uint8_t *place;
    uint8_t key[4];
    if (link->extra || plan->subscribe.len == 0) {
        return;
    }
    uint64_t random = tusk__load_random(link->worker->now + link->index);
    memcpy(key, &random, sizeof(key));
    (void)snprintf(digits, sizeof(digits), "%u", (unsigned)tusk__stream_link_of(link)->room);
    tusk_buf_clear(&state->message);
    tusk_buf_clear(&state->request);
    tusk_err err =
        tusk__load_fill(&state->message, tusk_bytes_of(plan->subscribe.ptr, plan->subscribe.len),
                        "{room}", tusk_bytes_str(digits));
    tusk_bytes text = tusk_buf_view(&state->message);
    if (err == TUSK_OK) {
        err = tusk_buf_reserve(&state->request, TUSK_WS_HEAD_MAX + text.len, &place);
    }
    if (err != TUSK_OK) {
        tusk__load_link_fail(link, err, "out of memory");
        return;
    }
    size_t head = tusk_ws_head_encode(place, TUSK_WS_FIN, TUSK_WS_TEXT, text.len, key);
    tusk_mask_apply(place + head, text.ptr, text.len, key, 0);
    (void)tusk__load_link_send(link, place, head + text.len);
}

static void opened(load_link *link)
{
    load_worker *worker = link->worker;
    stream_link *self = tusk__stream_link_of(link);
    uint32_t life = link->life;
    link->step = STREAM_OPEN;
    tusk__load_link_record(link, LOAD_HIST_UPGRADE, tusk__load_since(link->up_ns, worker->now));
    if (self->left_ns != 0) {
        tusk__load_link_record(link, LOAD_HIST_RECONNECT,
                               tusk__load_since(self->left_ns, worker->now));
        self->left_ns = 0;
    }
    link->up_ns = worker->now;
    tusk__load_usable(link);
    if (!over_sse(link)) {
        say_subscribe(link);
    }
    if (link->life == life) {
        tusk__stream_subscribe(link, true);
        tusk__load_link_pause(link, self->slow);
    }
}

/* ---- WebSocket ---- */
static void take_item(load_link *link, const tusk_ws_item *item)
{
    stream_link *self = tusk__stream_link_of(link);
    switch (item->kind) {
    case TUSK_WS_ITEM_NONE:
    case TUSK_WS_ITEM_PONG: break;
    case TUSK_WS_ITEM_MESSAGE:
        (void)tusk__stream_delivered(link, item->payload);
        tusk_ws_taken_drop(&tusk__stream_of(link)->ws.config, item->taken, item->taken_cap);
        break;
    case TUSK_WS_ITEM_PING:
        (void)tusk__load_ws_control(&self->ws, TUSK_WS_PONG, item->payload);
        break;
    case TUSK_WS_ITEM_CLOSE:
        if (link->step == STREAM_GOODBYE) {
            tusk__load_link_close(link);
        } else {
            tusk__stream_subscribe(link, false);
            tusk__load_link_fail(link, TUSK_EEOF, "the server sent a Close frame");
        }
        break;
    }
}

static size_t take_frames(load_link *link, uint8_t *in, size_t len)
{
    stream_link *self = tusk__stream_link_of(link);
    uint32_t life = link->life;
    size_t at = 0;
    while (at < len) {
        tusk_ws_item item;
        size_t taken = 0;
        tusk_err err = tusk_ws_decode(&self->ws.decoder, in + at, len - at, &taken, &item);
        at += taken;
        if (err != TUSK_OK) {
            tusk__stream_subscribe(link, false);
            tusk__load_link_fail(link, TUSK_EPROTO, "what the server sent is not WebSocket");
            return len;
        }
        take_item(link, &item);
        if (link->life != life) {
            return len;
        }
        if (item.kind == TUSK_WS_ITEM_NONE) {
            break;
        }
    }
    return at;
}

static size_t take_upgrade(load_link *link, const uint8_t *in, size_t len)
{
    stream_link *self = tusk__stream_link_of(link);
    ptrdiff_t taken = tusk__load_ws_answer(&tusk__stream_of(link)->ws, &self->ws, in, len);
    if (taken <= 0) {
        return 0;
    }
    opened(link);
    return (size_t)taken;
}

/* ---- event streams ---- */
static ptrdiff_t refuse(load_link *link, tusk_err why, const char *what)
{
    tusk__load_link_fail(link, why, what);
    return -1;
}

static ptrdiff_t take_head(load_link *link, const uint8_t *in, size_t len)
{
    stream_link *self = tusk__stream_link_of(link);
    tusk_http_head head;
    char text[64];
    ptrdiff_t taken = tusk_http_response_parse(
        &head, tusk_bytes_of(in, len), tusk_http_limits_default(), TUSK_HTTP_GET, &self->scanned);
    if (taken == 0) {
        return 0;
    }
    if (taken < 0) {
        return refuse(link, TUSK_EPROTO, "the answer to the subscription is not HTTP");
    }
    if (head.status != 200) {
        (void)snprintf(text, sizeof(text), "the server answered the subscription with %u",
                       head.status);
        return refuse(link, TUSK_EPOLICY, text);
    }
    const tusk_http_field *type = tusk_http_find(&head, "content-type");
    if (type == NULL || !tusk_sse_is_content_type(type->value)) {
        return refuse(link, TUSK_EPROTO, "the answer to the subscription is no event stream");
    }
    tusk_http_body_init(&self->body, &head, UINT64_MAX, tusk_http_limits_default());
    opened(link);
    return taken;
}

/* Left on purpose, to see whether what comes after the resumption goes on where it stopped. */
static void leave_stream(load_link *link)
{
    stream_link *self = tusk__stream_link_of(link);
    self->left_ns = link->worker->now;
    tusk__load_link_close(link);
    link->rightful = true;
    tusk__load_link_gone(link);
}

/* Numbers at the end of ids rise, whatever they count. */
static void look_at_id(load_link *link, tusk_bytes id)
{
    stream_link *self = tusk__stream_link_of(link);
    uint64_t number = 0;
    size_t digits = 0;
    if (id.ptr == NULL) {
        return;
    }
    while (digits < id.len && digits < 18 && id.ptr[id.len - 1 - digits] >= '0' &&
           id.ptr[id.len - 1 - digits] <= '9') {
        digits++;
    }
    for (size_t i = id.len - digits; i < id.len; i++) {
        number = number * 10 + (uint64_t)(id.ptr[i] - '0');
    }
    if (digits == 0) {
        return;
    }
    if (self->last_number != 0 && number == self->last_number) {
        tusk__load_count(link->worker, LOAD_DUPLICATED, 1);
    } else if (number < self->last_number) {
        tusk__load_count(link->worker, LOAD_REORDERED, 1);
    }
    self->last_number = number;
}

static void take_event(load_link *link, const tusk_sse_event *event)
{
    load_worker *worker = link->worker;
    stream_link *self = tusk__stream_link_of(link);
    if (self->events++ == 0) {
        tusk__load_link_record(link, LOAD_HIST_FIRST, tusk__load_since(link->up_ns, worker->now));
    }
    if (tusk_bytes_eq(event->type, tusk_bytes_str("reset"))) {
        tusk__load_count(worker, LOAD_RESETS, 1);
    } else if (!tusk__stream_delivered(link, event->data)) {
        tusk__load_count(worker, LOAD_RECEIVED, 1);
        look_at_id(link, tusk_sse_last_id(&self->parser));
    }
}

/* Events in a piece of the body; false: the link is gone. */
static bool take_events(load_link *link, tusk_bytes data)
{
    stream_link *self = tusk__stream_link_of(link);
    const load_plan *plan = link->worker->plan;
    while (data.len > 0) {
        tusk_sse_event event;
        bool got = false;
        ptrdiff_t taken = tusk_sse_parse(&self->parser, data, &event, &got);
        if (taken < 0) {
            tusk__stream_subscribe(link, false);
            tusk__load_link_fail(link, TUSK_EPROTO, "an event is over its limit");
            return false;
        }
        data.ptr += taken;
        data.len -= (size_t)taken;
        if (got) {
            take_event(link, &event);
        }
        if (got && plan->reconnect_every > 0 && self->events >= plan->reconnect_every) {
            leave_stream(link);
            return false;
        }
    }
    return true;
}

static size_t take_body(load_link *link, const uint8_t *in, size_t len)
{
    stream_link *self = tusk__stream_link_of(link);
    size_t at = 0;
    while (at < len && !tusk_http_body_done(&self->body)) {
        tusk_bytes data;
        ptrdiff_t taken =
            tusk_http_body_decode(&self->body, tusk_bytes_of(in + at, len - at), &data);
        if (taken < 0) {
            tusk__stream_subscribe(link, false);
            tusk__load_link_fail(link, TUSK_EPROTO, "the stream's body is not HTTP");
            return len;
        }
        if (taken == 0) {
            break;
        }
        at += (size_t)taken;
        if (data.len > 0 && !take_events(link, data)) {
            return len;
        }
    }
    if (tusk_http_body_done(&self->body)) {
        leave_stream(link); /* the server ended it: what it sends next goes on from the last id */
        return len;
    }
    return at;
}

/* ---- everybody ---- */
static size_t on_bytes(load_link *link, uint8_t *in, size_t len)
{
    load_worker *worker = link->worker;
    uint32_t life = link->life;
    size_t at = 0;
    if (publishes_http(link)) {
        at = tusk__stream_publisher_bytes(link, in, len);
    } else if (over_sse(link)) {
        if (link->step == STREAM_SHAKING) {
            ptrdiff_t taken = take_head(link, in, len);
            if (taken <= 0) {
                return 0;
            }
            at = (size_t)taken;
        }
        if (link->life == life && at < len) {
            at += take_body(link, in + at, len - at);
        }
    } else {
        if (link->step == STREAM_SHAKING) {
            at = take_upgrade(link, in, len);
            if (at == 0) {
                return 0;
            }
        }
        if (link->life == life && at < len) {
            at += take_frames(link, in + at, len - at);
        }
    }
    tusk__stream_flush(worker);
    if (worker->phase < LOAD_PHASE_DRAIN) {
        tusk__stream_publish_due(worker);
    }
    return at;
}

static bool on_ended(load_link *link, tusk_err why)
{
    stream_link *self = tusk__stream_link_of(link);
    if (link->step == STREAM_GOODBYE) {
        return true;
    }
    if (self->slow && link->was_up) {
        return true; /* who does not read is closed, and that is in order */
    }
    if (over_sse(link) && why == TUSK_EEOF && link->was_up && link->step == STREAM_OPEN) {
        self->left_ns = link->worker->now; /* resumed from its last id */
        return true;
    }
    tusk__stream_subscribe(link, false);
    return publishes_http(link) && why == TUSK_EEOF && link->was_up && link->op_count == 0;
}

static void feed_slow_ones(load_worker *self, uint64_t now)
{
    stream *state = self->state;
    double passed = (double)tusk__load_since(state->ticked_ns, now) / 1e9;
    state->ticked_ns = now;
    if (self->plan->slow == 0 || self->plan->slow_rate == 0) {
        return;
    }
    for (uint32_t i = 0; i < self->carriers; i++) {
        load_link *link = tusk__load_link_at(self, i);
        stream_link *one = tusk__stream_link_of(link);
        if (!one->slow || link->step != STREAM_OPEN || link->state != LINK_OPEN) {
            continue;
        }
        double most = passed < 1 ? passed : 1;
        one->allowance += (double)self->plan->slow_rate * most;
        if (one->allowance >= 1) {
            uint64_t bytes = (uint64_t)one->allowance;
            one->allowance -= (double)bytes;
            tusk__load_link_sip(link, (size_t)bytes);
        }
    }
}

static void goodbye(load_link *link)
{
    bool is_ws = !over_sse(link) && !publishes_http(link);
    tusk__stream_subscribe(link, false);
    link->step = STREAM_GOODBYE;
    if (is_ws && !tusk__stream_link_of(link)->slow) {
        (void)tusk__load_ws_close(&tusk__stream_link_of(link)->ws, TUSK_WS_CODE_NORMAL);
    } else {
        tusk__load_link_close(link);
    }
}

const load_mode tusk__load_stream = {.name = "fanout",
                                     .link_bytes = sizeof(stream_link),
                                     .state_bytes = sizeof(stream),
                                     .unpaced = true,
                                     .own_slices = true,
                                     .begin = begin,
                                     .end = end,
                                     .on_up = on_up,
                                     .on_bytes = on_bytes,
                                     .on_ended = on_ended,
                                     .on_tick = feed_slow_ones,
                                     .on_turn = tusk__stream_publish_due,
                                     .is_drained = tusk__stream_all_delivered,
                                     .goodbye = goodbye};
