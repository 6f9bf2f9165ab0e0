/* SPDX-License-Identifier: MIT */
/* Messages that leave a WebSocket session: small ones written in place, large ones by reference,
 * equal ones encoded once. */
#include "serve/ws/ws.h"

#include "base/mem.h"
#include "net/conn_room.h"
#include "proto/ws_frame.h"
#include "serve/pressure.h"
#include "serve/ws/frame_memo.h"

#define COPY_MAX 4096u
#define INLINE_MAX COPY_MAX /* head and payload written straight into the send queue */
#define SCRATCH_KEPT_MAX ((size_t)1 << 20)
#define ADOPT_MIN ((size_t)64 * 1024)

/* Compressed bytes that leave by reference: the scratch's memory itself. */
typedef struct packed_bytes {
    const tusk_mem *mem;
    uint8_t *ptr;
    size_t cap;
} packed_bytes;

static void release_packed(void *owner)
{
    packed_bytes *self = owner;
    tusk__free(self->mem, self->ptr, self->cap);
    tusk__free(self->mem, self, sizeof(*self));
}

/* NULL: no memory, and the scratch keeps what it has. */
static tusk_blob *adopt_scratch(tusk_server *server)
{
    tusk_buf *scratch = &server->scratch;
    tusk_bytes bytes = tusk_buf_view(scratch);
    tusk_blob *blob = NULL;
    packed_bytes *owner = tusk__new(server->mem, sizeof(*owner));
    if (owner == NULL) {
        return NULL;
    }
    *owner = (packed_bytes){.mem = scratch->mem, .ptr = scratch->ptr, .cap = scratch->cap};
    if (tusk_blob_adopt(&blob, server->mem, bytes, release_packed, owner) != TUSK_OK) {
        tusk__free(server->mem, owner, sizeof(*owner));
        return NULL;
    }
    size_t limit = scratch->limit;
    tusk_buf_init(scratch, owner->mem, limit);
    return blob;
}

/* What a rare large message made of the scratch is not kept. */
static void settle_scratch(tusk_server *server)
{
    tusk_buf *scratch = &server->scratch;
    if (TUSK_UNLIKELY(scratch->cap > SCRATCH_KEPT_MAX)) {
        const tusk_mem *mem = scratch->mem;
        size_t limit = scratch->limit;
        tusk_buf_fini(scratch);
        tusk_buf_init(scratch, mem, limit);
    }
}

/* The compressed payload in the server's scratch; false: it leaves as it is. */
static bool deflate(tusk_session *self, uint8_t opcode, tusk_bytes payload)
{
    tusk_server *server = self->server;
    if (opcode > TUSK_WS_BINARY || self->deflate_bits == 0 ||
        !tusk__hub_packs(&server->hub, self->deflate_bits, self->route->deflate.threshold,
                         payload)) {
        return false;
    }
    tusk_ws_deflater *deflater = self->u.ws.deflater;
    bool history = deflater != NULL;
    if (!history) {
        deflater = tusk__hub_deflater(&server->hub, self->deflate_bits);
    }
    if (deflater == NULL) {
        return false;
    }
    tusk_buf_clear(&server->scratch);
    if (tusk_ws_deflater_run(deflater, payload, &server->scratch) != TUSK_OK) {
        return false;
    }
    /* one with history has to be sent: its window has moved */
    return history || server->scratch.len < payload.len;
}

static tusk_err append_frame(tusk_session *self, uint8_t flags, uint8_t opcode, tusk_bytes payload,
                             tusk_blob *blob)
{
    tusk_conn *conn = &self->conn;
    size_t head_len = tusk_ws_head_size(payload.len, false);
    if (TUSK_LIKELY(head_len + payload.len <= INLINE_MAX)) {
        uint8_t *place = tusk_conn_reserve(conn, head_len + payload.len);
        if (place == NULL) {
            return TUSK_ENOMEM;
        }
        (void)tusk__ws_head_put(place, flags, opcode, payload.len);
        if (payload.len > 0) {
            memcpy(place + head_len, payload.ptr, payload.len);
        }
        tusk_conn_commit(conn, head_len + payload.len);
        return TUSK_OK;
    }
    uint8_t head[TUSK_WS_HEAD_MAX];
    tusk_err err =
        tusk_conn_append(conn, head, tusk_ws_head_encode(head, flags, opcode, payload.len, NULL));
    if (err != TUSK_OK) {
        return err;
    }
    if (blob != NULL && payload.len >= COPY_MAX) {
        return tusk_conn_append_slice(conn, blob, (size_t)(payload.ptr - blob->ptr), payload.len);
    }
    return tusk_conn_append(conn, payload.ptr, payload.len);
}

static tusk_err send_memo(tusk_session *self, uint8_t opcode, tusk_bytes payload,
                          tusk_frame_memo *memo)
{
    tusk_server *server = self->server;
    bool packed = opcode <= TUSK_WS_BINARY && self->deflate_bits == 15 &&
                  payload.len >= self->route->deflate.threshold;
    tusk_frame_run *run = packed ? &memo->deflated : &memo->plain;
    if (TUSK_UNLIKELY(run->len == 0)) {
        bool smaller = packed && deflate(self, opcode, payload);
        tusk_err err = smaller
                           ? tusk__frame_run_encode(run, server->mem, TUSK_WS_FIN | TUSK_WS_RSV1,
                                                    opcode, tusk_buf_view(&server->scratch))
                           : tusk__frame_run_encode(run, server->mem, TUSK_WS_FIN, opcode, payload);
        if (err != TUSK_OK) {
            return err;
        }
    }
    return tusk_conn_append_slice(&self->conn, run->blob, run->start, run->len);
}

/* A frame memo serves whoever has no compressor of its own, and whose window is the common one. */
static bool memo_fits(const tusk_session *self, tusk_bytes payload)
{
    return self->deflate_bits == 0 ||
           (self->u.ws.deflater == NULL &&
            (self->deflate_bits == 15 || payload.len < self->route->deflate.threshold));
}

static inline bool room_for(tusk_session *self, size_t len)
{
    return TUSK_LIKELY(len <= tusk__net_room(self->server->net)) ||
           tusk__session_make_room(self, len);
}

/* A short frame behind others that leave at the end of this turn, as nearly all do where several
 * messages are answered; false: not so, and nothing was done. */
static inline bool append_behind(tusk_conn *conn, uint8_t opcode, tusk_bytes payload,
                                 size_t frame_len)
{
    uint8_t *place = frame_len > INLINE_MAX ? NULL : tusk__conn_room(conn, frame_len);
    if (place == NULL) {
        return false;
    }
    size_t head_len = tusk__ws_head_put(place, TUSK_WS_FIN, opcode, payload.len);
    if (payload.len > 0) {
        memcpy(place + head_len, payload.ptr, payload.len);
    }
    tusk__conn_fill(conn, frame_len);
    return true;
}

static tusk_err send_otherwise(tusk_session *self, uint8_t opcode, tusk_bytes payload,
                               tusk_blob *blob, tusk_frame_memo *memo)
{
    tusk_server *server = self->server;
    tusk_err err;
    if (memo != NULL && memo_fits(self, payload)) {
        err = send_memo(self, opcode, payload, memo);
    } else if (TUSK_UNLIKELY(self->deflate_bits > 0) && deflate(self, opcode, payload)) {
        tusk_bytes smaller = tusk_buf_view(&server->scratch);
        tusk_blob *own = smaller.len >= ADOPT_MIN ? adopt_scratch(server) : NULL;
        err = append_frame(self, TUSK_WS_FIN | TUSK_WS_RSV1, opcode, smaller, own);
        tusk_blob_unref(own);
    } else {
        err = append_frame(self, TUSK_WS_FIN, opcode, payload, blob);
    }
    settle_scratch(server);
    return err;
}

/* Nothing of what was published before is overtaken, and that may close the session: nothing
 * follows its Close. Who is subscribed to nothing waits for none of it. */
static tusk_session *find_settled(tusk_server *server, tusk_handle session)
{
    tusk_session *self = tusk__session_find(server, session);
    if (self == NULL || self->member == NULL) {
        return self;
    }
    tusk__hub_settle_write(&server->hub, self);
    return tusk__session_find(server, session);
}

tusk_err tusk_websocket_send(tusk_server *server, tusk_handle session, uint8_t opcode,
                             tusk_bytes payload, tusk_blob *blob, tusk_frame_memo *memo)
{
    tusk_session *self = find_settled(server, session);
    if (self == NULL) {
        return TUSK_ENOENT;
    }
    if (self->kind != SESSION_WEBSOCKET || self->state != WS_OPEN || !tusk_conn_open(&self->conn)) {
        return TUSK_ESTATE;
    }
    size_t frame_len = payload.len + tusk_ws_head_size(payload.len, false);
    if (TUSK_UNLIKELY(!tusk__session_takes(self, frame_len, payload.len) ||
                      !room_for(self, frame_len))) {
        server->stats.sends_refused++;
        tusk__session_owe_room(self);
        return TUSK_ELIMIT;
    }
    if (TUSK_UNLIKELY(memo != NULL || self->deflate_bits > 0 ||
                      !append_behind(&self->conn, opcode, payload, frame_len))) {
        tusk_err err = send_otherwise(self, opcode, payload, blob, memo);
        if (TUSK_UNLIKELY(err != TUSK_OK)) {
            server->stats.out_of_memory += err == TUSK_ENOMEM;
            server->stats.sends_refused += err == TUSK_ELIMIT;
            tusk__session_abort(self, err); /* half a frame may be queued */
            return err;
        }
    }
    server->stats.messages_out++;
    server->stats.message_bytes_out += payload.len;
    return TUSK_OK;
}

tusk_err tusk_websocket_close(tusk_server *server, tusk_handle session, uint16_t code,
                              tusk_bytes reason)
{
    tusk_session *self = tusk__session_find(server, session);
    if (self != NULL) {
        tusk__hub_settle_end(&server->hub, self);
        self = tusk__session_find(server, session);
    }
    return self == NULL ? TUSK_ENOENT : tusk__ws_send_close(self, code, reason);
}

tusk_err tusk_websocket_overflow(tusk_server *server, tusk_handle session)
{
    tusk_session *self = tusk__session_find(server, session);
    if (self == NULL) {
        return TUSK_ENOENT;
    }
    if (self->kind != SESSION_WEBSOCKET || self->state != WS_OPEN || !tusk_conn_open(&self->conn)) {
        return TUSK_ESTATE;
    }
    tusk__hub_close(self);
    return TUSK_OK;
}
