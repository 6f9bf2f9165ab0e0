/* SPDX-License-Identifier: MIT */
/* A WebSocket client's frames: out with a key of their own each, in by the decoder; and the end
 * that one of them may be. */
#include "base/mem.h"
#include "client/ws_client.h"

enum {
    ITEMS_PER_LOOK = 8, /* at the clock */
    INLINE_MAX = 1000   /* head and payload written straight into the send queue */
};

static const tusk_bytes nothing = {.ptr = NULL, .len = 0};

/* ---- out ---- */
static tusk_err append_frame(tusk_ws_client *self, uint8_t flags, uint8_t opcode,
                             tusk_bytes payload)
{
    tusk_conn *conn = &self->base.line->conn;
    size_t head_len = tusk_ws_head_size(payload.len, true);
    uint8_t key[4];
    uint8_t *place;
    tusk_blob *blob = NULL;
    tusk_err err = tusk__client_random(self->base.client, key,
                                       sizeof(key)); /* RFC 6455, 10.3: not to be foreseen */
    if (err != TUSK_OK) {
        return err;
    }
    if (head_len + payload.len <= INLINE_MAX) {
        place = tusk_conn_reserve(conn, head_len + payload.len);
        err = place == NULL ? TUSK_ENOMEM : TUSK_OK;
    } else {
        err = tusk_blob_new(&blob, self->base.client->mem, head_len + payload.len, &place);
    }
    if (err != TUSK_OK) {
        return err;
    }
    (void)tusk_ws_head_encode(place, flags, opcode, payload.len, key);
    if (payload.len > 0) {
        tusk_mask_apply(place + head_len, payload.ptr, payload.len, key, 0);
    }
    if (blob == NULL) {
        tusk_conn_commit(conn, head_len + payload.len);
        return TUSK_OK;
    }
    err = tusk_conn_append_blob(conn, blob);
    tusk_blob_unref(blob);
    return err;
}

void tusk__ws_client_settle_pong(tusk_ws_client *self)
{
    tusk_bytes payload;
    if (ws_pong_settle(&self->pong, &payload)) {
        (void)append_frame(self, TUSK_WS_FIN, TUSK_WS_PONG, payload);
    }
}

static void answer_ping(tusk_ws_client *self, tusk_bytes payload)
{
    tusk_conn *conn = &self->base.line->conn;
    if (conn->send_bytes <= WS_PONG_QUEUE_MAX) {
        tusk__ws_client_settle_pong(self); /* of a queue that has left meanwhile */
        (void)append_frame(self, TUSK_WS_FIN, TUSK_WS_PONG, payload);
        return;
    }
    (void)ws_pong_owe(&self->pong, payload);
    conn->above_low = true; /* on_drain has to come */
}

tusk_err tusk__ws_client_frame(tusk_ws_client *self, uint8_t opcode, tusk_bytes payload)
{
    if (opcode == TUSK_WS_CLOSE) {
        tusk__ws_client_settle_pong(self); /* nothing may follow it */
    }
    return append_frame(self, TUSK_WS_FIN, opcode, payload);
}

/* The compressed payload in the client's scratch; false: it leaves as it is. */
static bool deflate(tusk_ws_client *self, tusk_bytes payload)
{
    tusk_client *client = self->base.client;
    const tusk_ws_deflate_options *options = &self->options.deflate;
    bool history = !self->deflate.client_no_context_takeover && options->client_context_takeover;
    if (!self->deflate.on || payload.len < options->threshold) {
        return false;
    }
    if (self->deflater == NULL &&
        tusk_ws_deflater_new(&self->deflater, client->mem, self->deflate.client_max_window_bits,
                             options->level > 0 ? options->level : 1,
                             options->mem_level > 0 ? options->mem_level : 8, history) != TUSK_OK) {
        return false;
    }
    tusk_buf_clear(&client->scratch);
    if (tusk_ws_deflater_run(self->deflater, payload, &client->scratch) != TUSK_OK) {
        return false;
    }
    /* one with history has to be sent: its window has moved */
    return history || client->scratch.len < payload.len;
}

static tusk_err send_message(tusk_ws_client *self, uint8_t opcode, tusk_bytes payload)
{
    uint8_t flags = TUSK_WS_FIN;
    bool packed = deflate(self, payload);
    if (packed) {
        flags |= TUSK_WS_RSV1;
        payload = tusk_buf_view(&self->base.client->scratch);
    }
    tusk_err err = append_frame(self, flags, opcode, payload);
    if (packed && self->base.client->scratch.cap > (size_t)INLINE_MAX * 64) {
        tusk_buf_fini(
            &self->base.client->scratch); /* a large message's room is not kept for small ones */
        tusk_buf_init(&self->base.client->scratch, self->base.client->mem,
                      (size_t)256 * 1024 * 1024);
    }
    return err;
}

tusk_err tusk_ws_client_send(tusk_ws_client *self, uint8_t opcode, tusk_bytes payload)
{
    if (self->state != WS_CLIENT_OPEN) {
        return TUSK_ESTATE;
    }
    bool control = opcode == TUSK_WS_PING || opcode == TUSK_WS_PONG;
    if ((!control && opcode != TUSK_WS_TEXT && opcode != TUSK_WS_BINARY) ||
        (control && payload.len > TUSK_WS_CONTROL_MAX)) {
        return TUSK_EINVAL;
    }
    tusk_conn *conn = &self->base.line->conn;
    size_t room = self->options.queued_max;
    if (room < TUSK_WS_HEAD_MAX || payload.len > room - TUSK_WS_HEAD_MAX) {
        return TUSK_ETOOBIG;
    }
    if (conn->send_bytes > room - TUSK_WS_HEAD_MAX - payload.len) {
        size_t low = self->options.queued_max / 2;
        conn->low_water = low > UINT32_MAX ? UINT32_MAX : (uint32_t)low;
        conn->above_low = true; /* what is queued may be below it already and must be told of */
        self->refused = true;
        return TUSK_ELIMIT;
    }
    return control ? append_frame(self, TUSK_WS_FIN, opcode, payload)
                   : send_message(self, opcode, payload);
}

void tusk_ws_client_flush(tusk_ws_client *self)
{
    if (self->base.line != NULL) {
        tusk__line_user_enter(&self->base);
        tusk_conn_flush(&self->base.line->conn);
        tusk__line_user_leave(&self->base);
    }
}

/* ---- the end ---- */
void tusk__ws_client_end(tusk_ws_client *self, uint16_t code, tusk_bytes reason, tusk_err err,
                         uint16_t status, const char *stage, const char *text)
{
    tusk_failure failure = {.err = err, .status = status, .stage = stage, .text = text};
    if (self->state == WS_CLIENT_CLOSED) {
        return;
    }
    bool was_open = self->state == WS_CLIENT_OPEN || self->state == WS_CLIENT_CLOSING;
    self->state = WS_CLIENT_CLOSED;
    tusk__line_user_end(&self->base);
    self->handler->on_close(self->user, self, was_open ? code : 0, reason, &failure);
}

/* ---- in ---- */
/* Both sides have said Close, or one has broken the protocol: what is queued leaves, the line ends
 * by itself. */
static void end_in_order(tusk_ws_client *self, uint16_t code, tusk_bytes reason, tusk_err err,
                         const char *text)
{
    tusk__line *line = self->base.line;
    self->base.line = NULL;
    tusk__line_finish(line);
    tusk__ws_client_end(self, code, reason, err, 0, "stream", text);
}

static void refuse(tusk_ws_client *self, tusk_err err)
{
    uint16_t code = tusk_ws_code_of(err);
    uint8_t payload[2] = {(uint8_t)(code >> 8), (uint8_t)code};
    if (self->state == WS_CLIENT_OPEN) {
        (void)tusk__ws_client_frame(self, TUSK_WS_CLOSE, tusk_bytes_of(payload, sizeof(payload)));
    }
    end_in_order(self, TUSK_WS_CODE_ABNORMAL, nothing, err, tusk_err_text(err));
}

static void on_close_frame(tusk_ws_client *self, tusk_bytes payload)
{
    uint16_t code;
    tusk_bytes reason;
    tusk_err err = tusk_ws_close_parse(payload, &code, &reason);
    if (err != TUSK_OK) {
        refuse(self, err);
        return;
    }
    if (self->state == WS_CLIENT_OPEN) {
        /* The same code, without the reason, which may be long. */
        (void)tusk__ws_client_frame(self, TUSK_WS_CLOSE,
                                    tusk_bytes_of(payload.ptr, payload.len > 0 ? 2 : 0));
    }
    end_in_order(self, code > 0 ? code : (uint16_t)TUSK_WS_CODE_NO_STATUS, reason, TUSK_OK, "");
}

static void on_message(tusk_ws_client *self, const tusk_ws_item *item)
{
    bool theirs = self->options.store != NULL && self->state == WS_CLIENT_OPEN;
    if (self->state == WS_CLIENT_OPEN) { /* after our Close nobody waits for messages */
        self->handler->on_message(self->user, self, item->opcode, item->payload,
                                  theirs ? item->taken : NULL);
    }
    if (!theirs) {
        tusk_ws_taken_drop(&self->config, item->taken, item->taken_cap);
    }
}

static void take(tusk_ws_client *self, const tusk_ws_item *item)
{
    switch (item->kind) {
    case TUSK_WS_ITEM_NONE: break;
    case TUSK_WS_ITEM_MESSAGE: on_message(self, item); break;
    case TUSK_WS_ITEM_PING:
        if (self->state == WS_CLIENT_OPEN) {
            answer_ping(self, item->payload);
        }
        break;
    case TUSK_WS_ITEM_PONG:
        if (self->state == WS_CLIENT_OPEN && self->handler->on_pong != NULL) {
            self->handler->on_pong(self->user, self, item->payload);
        }
        break;
    case TUSK_WS_ITEM_CLOSE: on_close_frame(self, item->payload); break;
    }
}

void tusk__ws_client_read(tusk_ws_client *self)
{
    bool more = true;
    unsigned items = 0;
    while (more && !self->base.gone && !self->base.paused && self->base.line != NULL &&
           self->base.line->conn.in_len > 0) {
        tusk_conn *conn = &self->base.line->conn;
        tusk_ws_item item;
        size_t used;
        tusk_err err =
            tusk_ws_decode(&self->decoder, tusk_conn_in_mut(conn), conn->in_len, &used, &item);
        if (err != TUSK_OK) {
            refuse(self, err);
            break;
        }
        more = used > 0 || item.kind != TUSK_WS_ITEM_NONE;
        take(self, &item); /* its payload may lie in the input */
        if (self->base.line != NULL) {
            tusk_conn_consume(conn, used);
            more = more && (++items % ITEMS_PER_LOOK != 0 || !tusk_conn_enough(conn));
        }
    }
}

uint8_t *tusk__ws_client_landing(tusk_ws_client *self, size_t *cap)
{
    bool in_frames = self->state == WS_CLIENT_OPEN || self->state == WS_CLIENT_CLOSING;
    return in_frames ? tusk_ws_decoder_landing(&self->decoder, cap) : NULL;
}

void tusk__ws_client_landed(tusk_ws_client *self, size_t len)
{
    tusk_ws_item item;
    tusk_err err = tusk_ws_decoder_landed(&self->decoder, len, &item);
    if (err != TUSK_OK) {
        refuse(self, err);
    } else {
        take(self, &item);
    }
}
