/* SPDX-License-Identifier: MIT */
/* A WebSocket client's life: the upgrade, the deadlines, the end. */
#include "client/ws_client.h"

#include "base/base64.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "client/answer.h"

enum {
    MESSAGE_MAX = 16 * 1024 * 1024,
    QUEUED_MAX = 16 * 1024 * 1024,
    HANDSHAKE_MS = 10000,
    PONG_MS = 10000,
    CLOSE_MS = 5000,
    REQUEST_MAX = 80 * 1024,
    EXTENSION_TEXT_MAX = 256
};

static const tusk_bytes nothing = {.ptr = NULL, .len = 0};

/* ---- life ---- */
static void destroy(tusk__line_user *base)
{
    tusk_ws_client *self = TUSK_OWNER(base, tusk_ws_client, base);
    tusk_client *client = self->base.client;
    tusk_task_cancel(&self->give_up_task);
    tusk_buf_fini(&self->request);
    if (self->decoder.config != NULL) {
        tusk_ws_decoder_fini(&self->decoder);
    }
    tusk_ws_deflater_free(self->deflater);
    tusk__line_user_fini(&self->base);
    tusk__free(client->mem, self, sizeof(*self));
}

static void fail(tusk_ws_client *self, tusk_err err, uint16_t status, const char *stage,
                 const char *text)
{
    tusk__ws_client_end(self, TUSK_WS_CODE_ABNORMAL, nothing, err, status, stage, text);
}

/* ---- the upgrade ---- */
static void on_ready(tusk__line_user *base)
{
    tusk_ws_client *self = TUSK_OWNER(base, tusk_ws_client, base);
    tusk_bytes request = tusk_buf_view(&self->request);
    self->state = WS_CLIENT_HANDSHAKE;
    tusk_err err = tusk_conn_append(&base->line->conn, request.ptr, request.len);
    if (err != TUSK_OK) {
        fail(self, err, 0, "send", tusk_err_text(err));
    }
}

static void start_pings(tusk_ws_client *self)
{
    tusk_timer_stop(self->base.client->loop, &self->base.timer);
    self->heard_ms = tusk_loop_now_ms(self->base.client->loop);
    if (self->options.ping_ms > 0) {
        tusk_timer_start(self->base.client->loop, &self->base.timer, self->options.ping_ms);
    }
}

static tusk_err start_frames(tusk_ws_client *self)
{
    tusk_client *client = self->base.client;
    tusk_err err = TUSK_OK;
    if (self->deflate.on && client->inflaters == NULL) {
        err = tusk_ws_inflaters_new(&client->inflaters, client->mem);
    }
    self->config = (tusk_ws_config){
        .mem = client->mem,
        .role = TUSK_WS_CLIENT,
        .message_max = self->options.message_max,
        .store = self->options.store,
        .inflaters = client->inflaters,
    };
    if (err == TUSK_OK) {
        tusk_ws_decoder_init(&self->decoder, &self->config, &self->deflate);
    }
    return err;
}

/* The answer's head is in client->head. */
static void on_answer(tusk_ws_client *self, size_t used)
{
    const tusk_http_head *head = &self->base.client->head;
    const char *why = "";
    tusk_bytes subprotocol = nothing;
    if (head->status != 101) {
        fail(self, TUSK_EPROTO, head->status, "handshake", "the server did not upgrade");
        return;
    }
    tusk_err err = tusk_ws_handshake_confirm(head, tusk_bytes_of(self->key, WS_KEY_LEN),
                                             self->offers, self->offer_count, &subprotocol, &why);
    if (err == TUSK_OK) {
        err = tusk_ws_deflate_confirm(&self->deflate, &self->options.deflate, head);
        why = "an extension that was not offered so";
    }
    if (err == TUSK_OK) {
        err = start_frames(self);
        why = tusk_err_text(err);
    }
    if (err != TUSK_OK) {
        fail(self, err, head->status, "handshake", why);
        return;
    }
    self->state = WS_CLIENT_OPEN;
    start_pings(self);
    self->handler->on_open(self->user, self, subprotocol, head);
    if (self->base.line != NULL) {
        tusk_conn_consume(&self->base.line->conn, used);
    }
}

static void read_answer(tusk_ws_client *self)
{
    const tusk_http_head *head = &self->base.client->head;
    tusk_conn *conn = &self->base.line->conn;
    for (;;) { /* interim answers: their number is bounded by the handshake's deadline */
        ptrdiff_t used =
            tusk_http_response_parse(&self->base.client->head, tusk_conn_in(conn),
                                     tusk__client_limits(), TUSK_HTTP_GET, &self->scanned);
        if (used < 0) {
            fail(self, (tusk_err)used, 0, "handshake",
                 tusk__answer_fault((tusk_err)used, "the answer is not HTTP"));
        } else if (used > 0 && head->status < 200 && head->status != 101) {
            tusk_conn_consume(conn, (size_t)used);
            continue;
        } else if (used > 0) {
            on_answer(self, (size_t)used);
        }
        return;
    }
}

/* ---- the line's callbacks ---- */
/* Any byte is a sign of life; the timer that waited for the pong waits for the next silence again.
 */
static void heard(tusk_ws_client *self)
{
    self->heard_ms = tusk_loop_now_ms(self->base.client->loop);
    if (self->pinged && self->state == WS_CLIENT_OPEN) {
        self->pinged = false;
        tusk_timer_start(self->base.client->loop, &self->base.timer, self->options.ping_ms);
    }
}

static void on_data(tusk__line_user *base)
{
    tusk_ws_client *self = TUSK_OWNER(base, tusk_ws_client, base);
    heard(self);
    if (self->state == WS_CLIENT_HANDSHAKE) {
        read_answer(self);
    }
    if (self->state == WS_CLIENT_OPEN || self->state == WS_CLIENT_CLOSING) {
        tusk__ws_client_read(self);
    }
}

static uint8_t *landing(tusk__line_user *base, size_t *cap)
{
    return tusk__ws_client_landing(TUSK_OWNER(base, tusk_ws_client, base), cap);
}

static void on_landed(tusk__line_user *base, size_t len)
{
    tusk_ws_client *self = TUSK_OWNER(base, tusk_ws_client, base);
    heard(self);
    tusk__ws_client_landed(self, len);
}

static void on_eof(tusk__line_user *base)
{
    tusk_ws_client *self = TUSK_OWNER(base, tusk_ws_client, base);
    if (self->state == WS_CLIENT_HANDSHAKE) {
        fail(self, TUSK_EEOF, 0, "handshake", "the connection ended before the answer did");
    } else {
        fail(self, TUSK_EEOF, 0, "stream", "the connection ended without a Close frame");
    }
}

static void on_drain(tusk__line_user *base)
{
    tusk_ws_client *self = TUSK_OWNER(base, tusk_ws_client, base);
    if (self->state == WS_CLIENT_OPEN) {
        tusk__ws_client_settle_pong(self);
    }
    if (self->refused && self->state == WS_CLIENT_OPEN) {
        self->refused = false;
        if (self->handler->on_drain != NULL) {
            self->handler->on_drain(self->user, self);
        }
    }
}

static void on_lost(tusk__line_user *base, const tusk_failure *failure)
{
    tusk_ws_client *self = TUSK_OWNER(base, tusk_ws_client, base);
    fail(self, failure->err, 0, failure->stage, failure->text);
}

/* ---- deadlines ---- */
static void on_quiet(tusk_ws_client *self)
{
    tusk_loop *loop = self->base.client->loop;
    if (self->base.paused) {
        heard(self); /* who does not read cannot hear */
    }
    uint64_t quiet = tusk_loop_now_ms(loop) - self->heard_ms;
    if (self->pinged) {
        fail(self, TUSK_ETIMEOUT, 0, "stream", "no answer to a ping");
    } else if (quiet < self->options.ping_ms) {
        tusk_timer_start(loop, &self->base.timer, self->options.ping_ms - quiet);
    } else {
        self->pinged = true;
        (void)tusk__ws_client_frame(self, TUSK_WS_PING, nothing);
        tusk_timer_start(loop, &self->base.timer, self->options.pong_ms);
    }
}

static void on_due(tusk__line_user *base)
{
    tusk_ws_client *self = TUSK_OWNER(base, tusk_ws_client, base);
    switch (self->state) {
    case WS_CLIENT_CONNECTING:
        fail(self, TUSK_ETIMEOUT, 0, tusk__line_user_stage(base), "no connection in time");
        break;
    case WS_CLIENT_HANDSHAKE: fail(self, TUSK_ETIMEOUT, 0, "handshake", "no answer in time"); break;
    case WS_CLIENT_OPEN: on_quiet(self); break;
    case WS_CLIENT_CLOSING: fail(self, TUSK_ETIMEOUT, 0, "stream", "no Close frame in time"); break;
    case WS_CLIENT_CLOSED: break;
    }
}

static void abort_handle(tusk__client_handle *handle)
{
    tusk_ws_client_abort(TUSK_OWNER(handle, tusk_ws_client, base.handle));
}

static const tusk__line_ops line_ops = {
    .on_ready = on_ready,
    .on_data = on_data,
    .landing = landing,
    .on_landed = on_landed,
    .on_eof = on_eof,
    .on_drain = on_drain,
    .on_lost = on_lost,
    .on_due = on_due,
    .abort = abort_handle,
    .destroy = destroy,
};

/* close() before it was open. */
static void give_up(tusk_task *task)
{
    tusk_ws_client *self = TUSK_OWNER(task, tusk_ws_client, give_up_task);
    tusk__line_user_enter(&self->base);
    fail(self, TUSK_OK, 0, "handshake", "given up");
    tusk__line_user_leave(&self->base);
}

/* ---- opening ---- */
static tusk_err append_subprotocols(tusk_ws_client *self, const tusk_ws_client_options *options)
{
    size_t starts[WS_OFFERS_MAX];
    tusk_buf *out = &self->request;
    tusk_err err = options->subprotocol_count > WS_OFFERS_MAX ? TUSK_EINVAL : TUSK_OK;
    if (err == TUSK_OK && options->subprotocol_count > 0) {
        err = tusk_buf_append_str(out, "Sec-WebSocket-Protocol: ");
    }
    for (size_t i = 0; i < options->subprotocol_count && err == TUSK_OK; i++) {
        tusk_bytes name = options->subprotocols[i];
        if (!tusk_http_name_valid(name)) {
            return TUSK_EINVAL;
        }
        for (size_t k = 0; k < i; k++) {
            if (tusk_bytes_eq(name, options->subprotocols[k])) {
                return TUSK_EINVAL;
            }
        }
        err = tusk_buf_append_str(out, i > 0 ? ", " : "");
        starts[i] = out->len;
        err = err == TUSK_OK ? tusk_buf_append(out, name.ptr, name.len) : err;
    }
    if (err == TUSK_OK && options->subprotocol_count > 0) {
        err = tusk_buf_append_str(out, "\r\n");
    }
    if (err == TUSK_OK) { /* the last line but the empty one: the text does not move any more */
        err = tusk_buf_append_str(out, "\r\n");
    }
    self->offer_count = err == TUSK_OK ? options->subprotocol_count : 0;
    for (size_t i = 0; i < self->offer_count; i++) {
        self->offers[i] =
            tusk_bytes_of(tusk_buf_view(out).ptr + starts[i], options->subprotocols[i].len);
    }
    return err;
}

static tusk_err append_upgrade(tusk_ws_client *self)
{
    uint8_t random[16];
    char extensions[EXTENSION_TEXT_MAX];
    tusk_err err = tusk__client_random(self->base.client, random, sizeof(random));
    if (err != TUSK_OK) {
        return err;
    }
    (void)tusk_base64_encode(self->key, tusk_bytes_of(random, sizeof(random)));
    err = tusk_buf_append_str(
        &self->request,
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
    if (err == TUSK_OK) {
        err = tusk_http_field_append(&self->request, tusk_bytes_str("Sec-WebSocket-Key"),
                                     tusk_bytes_of(self->key, WS_KEY_LEN));
    }
    size_t len = tusk_ws_deflate_offer(&self->options.deflate, extensions, sizeof(extensions));
    if (err == TUSK_OK && len > 0) {
        err = tusk_http_field_append(&self->request, tusk_bytes_str("Sec-WebSocket-Extensions"),
                                     tusk_bytes_of(extensions, len));
    }
    return err;
}

static void take_options(tusk_ws_client *self, const tusk_ws_client_options *options)
{
    self->options = *options;
    self->options.subprotocols = NULL;
    self->options.target = (tusk_client_target){.tls = NULL};
    self->options.message_max = options->message_max > 0 ? options->message_max : MESSAGE_MAX;
    self->options.queued_max = options->queued_max > 0 ? options->queued_max : QUEUED_MAX;
    self->options.handshake_ms = options->handshake_ms > 0 ? options->handshake_ms : HANDSHAKE_MS;
    self->options.pong_ms = options->pong_ms > 0 ? options->pong_ms : PONG_MS;
    self->options.close_ms = options->close_ms > 0 ? options->close_ms : CLOSE_MS;
}

tusk_err tusk_ws_client_open(tusk_ws_client **out, tusk_client *client,
                             const tusk_ws_client_options *options,
                             const tusk_ws_client_handler *handler, void *user)
{
    *out = NULL;
    if (handler->on_open == NULL || handler->on_message == NULL || handler->on_close == NULL) {
        return TUSK_EINVAL;
    }
    tusk_ws_client *self = tusk__new(client->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    tusk__line_user_init(&self->base, client, &line_ops);
    self->handler = handler;
    self->user = user;
    self->give_up_task.run = give_up;
    take_options(self, options);
    tusk_buf_init(&self->request, client->mem, REQUEST_MAX);
    tusk_err err = tusk__target_init(&self->base.target, client->mem, &options->target, true);
    if (err == TUSK_OK) {
        err = tusk__target_head(&self->base.target, &self->request, tusk_bytes_str("GET"));
    }
    if (err == TUSK_OK) {
        err = append_upgrade(self);
    }
    if (err == TUSK_OK) {
        err = append_subprotocols(self, options);
    }
    if (err == TUSK_OK) {
        err = tusk__line_user_open(&self->base);
    }
    if (err != TUSK_OK) {
        destroy(&self->base);
        return err;
    }
    tusk__list_push(&client->handles, &self->base.handle.link);
    tusk_timer_start(client->loop, &self->base.timer, self->options.handshake_ms);
    *out = self;
    return TUSK_OK;
}

/* ---- ending ---- */
tusk_err tusk_ws_client_close(tusk_ws_client *self, uint16_t code, tusk_bytes reason)
{
    uint8_t payload[TUSK_WS_CONTROL_MAX];
    if (!tusk_ws_code_valid(code) || reason.len > TUSK_WS_REASON_MAX ||
        (reason.len > 0 && !tusk_utf8_valid(reason.ptr, reason.len))) {
        return TUSK_EINVAL;
    }
    if (self->state == WS_CLIENT_CONNECTING || self->state == WS_CLIENT_HANDSHAKE) {
        tusk_task_defer(self->base.client->loop, &self->give_up_task);
        return TUSK_OK;
    }
    if (self->state != WS_CLIENT_OPEN) {
        return TUSK_ESTATE;
    }
    payload[0] = (uint8_t)(code >> 8);
    payload[1] = (uint8_t)code;
    if (reason.len > 0) {
        memcpy(payload + 2, reason.ptr, reason.len);
    }
    tusk_err err =
        tusk__ws_client_frame(self, TUSK_WS_CLOSE, tusk_bytes_of(payload, reason.len + 2));
    if (err != TUSK_OK) {
        return err;
    }
    self->state = WS_CLIENT_CLOSING;
    self->base.paused = false; /* the peer's Close has to be read */
    tusk_conn_resume(&self->base.line->conn);
    tusk_timer_start(self->base.client->loop, &self->base.timer, self->options.close_ms);
    return TUSK_OK;
}

void tusk_ws_client_abort(tusk_ws_client *self)
{
    if (self->base.gone) {
        return; /* inside on_close */
    }
    self->state = WS_CLIENT_CLOSED;
    tusk__line_user_abandon(&self->base);
}

bool tusk_ws_client_is_open(const tusk_ws_client *self)
{
    return self->state == WS_CLIENT_OPEN;
}

size_t tusk_ws_client_buffered(const tusk_ws_client *self)
{
    return self->base.line != NULL ? self->base.line->conn.send_bytes : 0;
}

void tusk_ws_client_pause(tusk_ws_client *self)
{
    if (self->state != WS_CLIENT_CLOSING) {
        tusk__line_user_pause(&self->base);
    }
}

void tusk_ws_client_resume(tusk_ws_client *self)
{
    tusk__line_user_resume(&self->base, false);
}
