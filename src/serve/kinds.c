/* SPDX-License-Identifier: MIT */
/* What a request's session, a WebSocket and an event stream do each in its own way, where all the
 * others ask any session for it. */
#include "serve/http/http.h"

#include <stdio.h>

#include "serve/stream/stream.h"
#include "serve/unfinished.h"
#include "serve/ws/ws.h"

/* ---- HTTP ---- */
enum { ON_ITS_WAY_MS = 1000 };

/* Whether a request is, as far as can be known: the first of who has just come, one that lies in
 * the socket, or the next one of who was answered a moment ago. To close would leave it without an
 * answer, and what is no GET its client may not ask again. */
static bool may_be_asking(const tusk_session *self, uint32_t now_ms)
{
    uint32_t left_ms = self->due ? self->deadline_ms - now_ms : 0;
    return self->counted_handshake ||
           left_ms + ON_ITS_WAY_MS > self->server->limits.keep_alive_ms ||
           !tusk_conn_quiet(&self->conn);
}

/* What has begun is answered, and says that it is the last: the server's state is in each head. */
static void http_drain(tusk_session *self)
{
    const tusk_server *server = self->server;
    uint64_t now_ms = tusk_loop_now_ms(server->loop);
    uint32_t half_ms = server->limits.drain_ms / 2;
    if (self->state != HTTP_IDLE || tusk_conn_shakes_hands(&self->conn)) {
        return;
    }
    if (!may_be_asking(self, (uint32_t)now_ms)) {
        tusk_conn_finish(&self->conn);
        return;
    }
    uint64_t until = now_ms + (half_ms < ON_ITS_WAY_MS ? half_ms : ON_ITS_WAY_MS);
    if (!self->due || (int32_t)(self->deadline_ms - (uint32_t)until) > 0) {
        tusk__session_deadline(self, until);
    }
}

static void http_allow(tusk_session *self, size_t cap)
{
    tusk__http_body_allow(self, cap);
}

static size_t http_said(const tusk_session *self)
{
    int64_t length = self->state == HTTP_BODY ? self->u.http.exchange->head.content_length : 0;
    return length > 0 ? (size_t)length : 0;
}

static const session_ops http = {.on_due = tusk__http_on_due,
                                 .fini = tusk__http_exchange_free,
                                 .drain = http_drain,
                                 .overflow = tusk__session_cut, /* it has no topics */
                                 .shed = tusk__http_shed,
                                 .wants = tusk__http_body_wants,
                                 .allow = http_allow,
                                 .said = http_said};

/* ---- WebSocket ---- */
static void ws_drain(tusk_session *self)
{
    (void)tusk__ws_send_close(self, TUSK_WS_CODE_GOING_AWAY, tusk_bytes_str("server stops"));
}

static void ws_overflow(tusk_session *self)
{
    (void)tusk__ws_send_close(self, TUSK_WS_CODE_TRY_AGAIN_LATER, tusk_bytes_str("queue full"));
}

static size_t ws_wants(const tusk_session *self, size_t *most)
{
    return self->state == WS_CLOSED ? 0 : tusk_ws_decoder_wants(&self->u.ws.decoder, most);
}

static void ws_allow(tusk_session *self, size_t cap)
{
    tusk_ws_decoder_allow(&self->u.ws.decoder, cap);
    tusk__session_count_unfinished(self, tusk_ws_decoder_held(&self->u.ws.decoder));
}

static size_t ws_said(const tusk_session *self)
{
    const tusk_ws_decoder *decoder = &self->u.ws.decoder;
    return decoder->compressed ? 0 : decoder->len + (size_t)decoder->frame_left;
}

/* {"type":"reset","position":"..."}: a frame has no type of its own. */
static void ws_reset(tusk_session *self, tusk_bytes position)
{
    char text[TUSK_POSITION_TEXT_MAX + 40];
    int len = snprintf(text, sizeof(text), "{\"type\":\"reset\",\"position\":\"%.*s\"}",
                       (int)position.len, (const char *)position.ptr);
    (void)tusk_websocket_send(self->server, tusk__session_handle(self), TUSK_WS_TEXT,
                              tusk_bytes_of(text, (size_t)len), NULL, NULL);
}

static const session_ops websocket = {.on_due = tusk__ws_on_due,
                                      .fini = tusk__ws_fini,
                                      .drain = ws_drain,
                                      .overflow = ws_overflow,
                                      .shed = tusk__ws_shed,
                                      .wants = ws_wants,
                                      .allow = ws_allow,
                                      .said = ws_said,
                                      .reset = ws_reset};

/* ---- event streams: what a client sends is read away, so nothing of it is ever unfinished ---- */
static void keep_nothing(tusk_session *self)
{
    (void)self;
}

static size_t wants_nothing(const tusk_session *self, size_t *most)
{
    (void)self;
    (void)most;
    return 0;
}

static size_t nothing_said(const tusk_session *self)
{
    (void)self;
    return 0;
}

static void nothing_to_allow(tusk_session *self, size_t cap)
{
    (void)self;
    (void)cap;
}

static void stream_reset(tusk_session *self, tusk_bytes position)
{
    (void)tusk_stream_send(self->server, tusk__session_handle(self), tusk_bytes_str("reset"),
                           position, true, position);
}

static const session_ops stream = {.on_due = tusk__stream_on_due,
                                   .fini = keep_nothing,
                                   .drain = tusk__stream_end,
                                   .overflow = tusk__stream_end,
                                   .shed = tusk__session_cut,
                                   .wants = wants_nothing,
                                   .allow = nothing_to_allow,
                                   .said = nothing_said,
                                   .reset = stream_reset};

const session_ops *const tusk__session_kinds[] = {
    [SESSION_HTTP] = &http, [SESSION_WEBSOCKET] = &websocket, [SESSION_STREAM] = &stream};
