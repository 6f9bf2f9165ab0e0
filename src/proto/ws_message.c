/* SPDX-License-Identifier: MIT */
/*
 * The message decoder: frames in, items out, for either role. A message that lies whole in the
 * input is unmasked where it lies and never copied; any other grows in the store, by what really
 * arrives and never by what a head declares.
 */
#include "base/mask.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "proto/deflate.h"
#include "proto/ws_frame.h"
#include "proto/ws_payload.h"

enum { FRAMES_MAX = 1000000, LANDING_MIN = 16384 };

typedef enum decoder_state {
    STATE_HEAD,    /* the next byte begins a frame */
    STATE_DATA,    /* inside a data frame's payload */
    STATE_CONTROL, /* inside a control frame's payload */
    STATE_CLOSED,  /* a Close was given out */
    STATE_FAILED
} decoder_state;

static inline void no_item(tusk_ws_item *item)
{
    item->kind = TUSK_WS_ITEM_NONE;
    item->taken = NULL;
    item->taken_cap = 0;
}

static void drop_control(tusk_ws_decoder *self)
{
    tusk__free(self->config->mem, self->control, TUSK_WS_CONTROL_MAX);
    self->control = NULL;
}

static void release(tusk_ws_decoder *self)
{
    tusk__payload_release(self);
    drop_control(self);
    tusk__history_free(self->history, self->config->mem);
    self->history = NULL;
}

void tusk_ws_decoder_init(tusk_ws_decoder *self, const tusk_ws_config *config,
                          const tusk_ws_deflate *deflate)
{
    memset(self, 0, sizeof(*self));
    self->config = config;
    self->masked = config->role == TUSK_WS_SERVER;
    if (deflate == NULL || !deflate->on || config->inflaters == NULL) {
        return;
    }
    self->deflate_on = true;
    bool server = config->role == TUSK_WS_SERVER;
    self->takeover =
        server ? !deflate->client_no_context_takeover : !deflate->server_no_context_takeover;
    uint8_t bits = server ? deflate->client_max_window_bits : deflate->server_max_window_bits;
    /* A peer that says 8 may well use 9 (old zlib does), so only 9 and more are believed. */
    self->window_bits = bits >= 9 && bits <= 15 ? bits : 15;
}

void tusk_ws_decoder_fini(tusk_ws_decoder *self)
{
    if (self->config != NULL) {
        release(self);
    }
    memset(self, 0, sizeof(*self));
}

/* ---- data ---- */
static tusk_err finish_message(tusk_ws_decoder *self, tusk_ws_item *item)
{
    tusk_err err = self->compressed ? tusk__payload_inflated(self) : TUSK_OK;
    if (err != TUSK_OK) {
        return err;
    }
    if (self->utf8 != 0) {
        return TUSK_EUTF8; /* ends inside a sequence */
    }
    if (self->len == 0) {
        tusk_ws_taken_drop(self->config, self->payload, self->cap);
        tusk__payload_forget(self);
    }
    item->kind = TUSK_WS_ITEM_MESSAGE;
    item->opcode = self->opcode;
    item->payload = tusk_bytes_of(self->len == 0 ? (const uint8_t *)"" : self->place, self->len);
    item->taken = self->payload;
    item->taken_cap = self->cap;
    tusk__payload_forget(self);
    self->opcode = 0;
    return TUSK_OK;
}

static tusk_err finish_frame(tusk_ws_decoder *self, tusk_ws_item *item)
{
    self->state = STATE_HEAD;
    return (self->frame_bits & TUSK_WS_FIN) != 0 ? finish_message(self, item) : TUSK_OK;
}

static ptrdiff_t take_data(tusk_ws_decoder *self, uint8_t *in, size_t len, size_t *left,
                           tusk_ws_item *item)
{
    size_t n = len < self->frame_left ? len : (size_t)self->frame_left;
    if (n == 0) {
        return 0;
    }
    tusk_err err;
    if (self->compressed) {
        err = tusk__payload_inflate_frame(self, in, n, &n, left);
    } else {
        size_t room = tusk__payload_room(self);
        n = n < room ? n : room;
        err = n == 0 ? TUSK_OK : tusk__payload_reserve(self, n);
        err = err == TUSK_OK ? tusk__payload_append(self, in, n) : err;
    }
    self->frame_left -= n;
    if (err == TUSK_OK && self->frame_left == 0 && !self->stopped) {
        err = finish_frame(self, item);
    }
    return err == TUSK_OK ? (ptrdiff_t)n : err;
}

/* What the inflater had still to give of the bytes it took. */
static tusk_err go_on(tusk_ws_decoder *self, size_t *left, tusk_ws_item *item)
{
    tusk_bytes nothing = tusk_bytes_of((const uint8_t *)"", 0);
    tusk_err err = tusk__payload_inflate(self, &nothing, 0, left);
    return err == TUSK_OK && self->frame_left == 0 && !self->stopped ? finish_frame(self, item)
                                                                     : err;
}

/* ---- control frames ---- */
static void give_control(tusk_ws_decoder *self, uint8_t opcode, const uint8_t *ptr, size_t len,
                         tusk_ws_item *item)
{
    self->state = STATE_HEAD;
    if (opcode == TUSK_WS_CLOSE) {
        self->state = STATE_CLOSED;
        tusk__payload_release(self);
    }
    item->kind = opcode == TUSK_WS_CLOSE  ? TUSK_WS_ITEM_CLOSE
                 : opcode == TUSK_WS_PING ? TUSK_WS_ITEM_PING
                                          : TUSK_WS_ITEM_PONG;
    item->opcode = opcode;
    item->payload = tusk_bytes_of(ptr, len);
}

static ptrdiff_t take_control(tusk_ws_decoder *self, const uint8_t *in, size_t len,
                              tusk_ws_item *item)
{
    size_t n = len < self->frame_left ? len : (size_t)self->frame_left;
    tusk_mask_apply(self->control + self->control_len, in, n, self->key, self->control_len);
    self->control_len = (uint8_t)(self->control_len + n);
    self->frame_left -= n;
    if (self->frame_left == 0) {
        give_control(self, self->frame_bits & TUSK__WS_OPCODE_BITS, self->control,
                     self->control_len, item);
    }
    return (ptrdiff_t)n;
}

static ptrdiff_t open_control(tusk_ws_decoder *self, const tusk_ws_head *head, uint8_t *payload,
                              size_t len, tusk_ws_item *item)
{
    if (head->len <= len) {
        tusk_mask_apply(payload, payload, (size_t)head->len, head->key, 0);
        give_control(self, head->opcode, payload, (size_t)head->len, item);
        return head->size + (ptrdiff_t)head->len;
    }
    self->control = tusk__resize(self->config->mem, NULL, 0, TUSK_WS_CONTROL_MAX);
    if (self->control == NULL) {
        return TUSK_ENOMEM;
    }
    self->control_len = 0;
    self->frame_left = head->len;
    self->frame_bits = head->flags | head->opcode;
    memcpy(self->key, head->key, 4);
    self->state = STATE_CONTROL;
    return head->size;
}

/* ---- frames ---- */
/* The rules that need role, extension and what came before (RFC 6455, 5.1, 5.2 and 5.4; RFC 7692,
 * 6). */
static inline bool may_follow(const tusk_ws_decoder *self, uint8_t bits)
{
    unsigned rsv = bits & TUSK__WS_RSV_BITS;
    unsigned opcode = bits & TUSK__WS_OPCODE_BITS;
    if (rsv != 0 && (rsv != TUSK_WS_RSV1 || !self->deflate_on ||
                     (opcode != TUSK_WS_TEXT && opcode != TUSK_WS_BINARY))) {
        return false;
    }
    return (opcode & TUSK__WS_CONTROL_BIT) != 0 ||
           (opcode == TUSK_WS_CONTINUATION) == (self->opcode != 0);
}

static const tusk__ws_place nowhere;

/* Whether a message that is whole in the input is unmasked where it lies, rather than in the
 * store. */
static inline bool whole_lies(const tusk_ws_config *config, size_t len)
{
    const tusk_ws_store *store = config->store;
    return store == NULL || store->whole_min == 0 || len < store->whole_min;
}

static inline uint8_t *place_whole(const tusk_ws_config *config, uint8_t *payload, size_t len,
                                   tusk__ws_place place, tusk_ws_item *item)
{
    const tusk_ws_store *store = config->store;
    if (len <= place.cap && place.ptr != NULL) {
        return place.ptr;
    }
    if (TUSK_LIKELY(whole_lies(config, len))) {
        return payload;
    }
    uint8_t *grown = NULL;
    item->taken = store->grow(store->user, NULL, len, &grown);
    item->taken_cap = len;
    return item->taken == NULL ? NULL : grown;
}

/* Moves the payload to its place; false: it is a text, and no UTF-8. */
static inline bool unmask_whole(bool masked, uint8_t opcode, uint8_t *to, const uint8_t *payload,
                                size_t len, const uint8_t key[4])
{
    if (masked) {
        if (TUSK_LIKELY(opcode == TUSK_WS_TEXT)) {
            return tusk__mask_text(to, payload, len, key);
        }
        tusk_mask_apply(to, payload, len, key, 0);
        return true;
    }
    if (to != payload) {
        memcpy(to, payload, len);
    }
    return opcode != TUSK_WS_TEXT || tusk_utf8_valid(to, len);
}

/* The payload lies whole in the input, and is the whole message: the way of almost all messages. */
static inline ptrdiff_t whole_message(const tusk_ws_decoder *self, bool masked,
                                      const tusk_ws_head *head, uint8_t *payload,
                                      tusk__ws_place place, tusk_ws_item *item)
{
    size_t len = (size_t)head->len;
    uint8_t *to = place_whole(self->config, payload, len, place, item);
    if (TUSK_UNLIKELY(to == NULL)) {
        return TUSK_ENOMEM;
    }
    if (TUSK_UNLIKELY(!unmask_whole(masked, head->opcode, to, payload, len, head->key))) {
        tusk_ws_taken_drop(self->config, item->taken, item->taken_cap);
        no_item(item);
        return TUSK_EUTF8;
    }
    item->kind = TUSK_WS_ITEM_MESSAGE;
    item->opcode = head->opcode;
    item->payload = tusk_bytes_of(to, len);
    return head->size + (ptrdiff_t)len;
}

static uint32_t frames_max(const tusk_ws_decoder *self)
{
    uint32_t most = self->config->message_frames_max;
    return most == 0 ? FRAMES_MAX : most;
}

/* The longest payload that a frame of the message may have. */
static uint64_t room(const tusk_ws_decoder *self, bool compressed)
{
    uint64_t message_max = self->config->message_max;
    if (!compressed) {
        return message_max - self->len;
    }
    /* What inflates to no more than the limit is not much longer than the limit itself. */
    uint64_t taken = self->inflater == NULL ? 0 : tusk__inflater_wire(self->inflater);
    return message_max + message_max / 8 + 1024 - taken;
}

/* A head of which the length is there and the mask is not: refused from that (RFC 6455, 10.4). */
static bool declares_too_much(const tusk_ws_decoder *self, const uint8_t *in, size_t len)
{
    uint64_t declared = len < 2 || (in[0] & TUSK__WS_CONTROL_BIT) != 0 ? 0 : in[1] & 0x7F;
    if (declared >= 126) {
        size_t width = declared == 126 ? 2 : 8;
        declared = len < 2 + width ? 0 : tusk__ws_big_endian(in + 2, width);
    }
    bool begins = self->opcode == 0;
    if (!begins && self->frames >= frames_max(self)) {
        return false; /* one frame too many, which is what the whole head says */
    }
    return declared > room(self, begins ? (in[0] & TUSK_WS_RSV1) != 0 : self->compressed);
}

static ptrdiff_t open_data(tusk_ws_decoder *self, const tusk_ws_head *head, tusk_ws_item *item)
{
    if (head->opcode != TUSK_WS_CONTINUATION) {
        self->opcode = head->opcode;
        self->compressed = (head->flags & TUSK_WS_RSV1) != 0;
        self->frames = 0;
        self->utf8 = 0;
    }
    if (++self->frames > frames_max(self)) {
        return TUSK_ELIMIT;
    }
    if (head->len > room(self, self->compressed)) {
        return TUSK_ETOOBIG;
    }
    self->frame_left = head->len;
    self->frame_bits = head->flags | head->opcode;
    memcpy(self->key, head->key, 4);
    self->key_phase = 0;
    self->state = STATE_DATA;
    if (head->len == 0) {
        tusk_err err = finish_frame(self, item);
        if (err != TUSK_OK) {
            return err;
        }
    }
    return head->size;
}

static inline ptrdiff_t open_frame(tusk_ws_decoder *self, uint8_t *in, size_t len,
                                   tusk_ws_item *item)
{
    tusk_ws_head head;
    ptrdiff_t size = tusk__ws_head_parse(&head, in, len);
    if (size < 0 || len == 0) {
        return size;
    }
    if (!may_follow(self, in[0]) || (len > 1 && (in[1] >= 0x80) != self->masked)) {
        return TUSK_EPROTO;
    }
    if (size == 0) {
        return declares_too_much(self, in, len) ? TUSK_ETOOBIG : 0;
    }
    uint8_t *payload = in + size;
    size_t there = len - (size_t)size;
    if ((head.opcode & TUSK__WS_CONTROL_BIT) != 0) {
        return open_control(self, &head, payload, there, item);
    }
    if ((head.flags & (TUSK_WS_FIN | TUSK_WS_RSV1)) == TUSK_WS_FIN && self->opcode == 0 &&
        head.len <= there && head.len <= self->config->message_max) {
        return whole_message(self, self->masked, &head, payload, nowhere, item);
    }
    return open_data(self, &head, item);
}

/* The frame of almost every message: between messages, final, masked, not compressed, whole, and
 * below 64 KiB. 0: it is not exactly that, nothing was touched, and open_frame() judges it. */
static inline ptrdiff_t plain_frame(tusk_ws_decoder *self, uint8_t *in, size_t len,
                                    tusk__ws_place place, tusk_ws_item *item)
{
    if (len < 8 || in[1] < 0x80 || !self->masked || self->state != STATE_HEAD ||
        self->opcode != 0 || self->control != NULL ||
        (in[0] != (TUSK_WS_FIN | TUSK_WS_TEXT) && in[0] != (TUSK_WS_FIN | TUSK_WS_BINARY))) {
        return 0;
    }
    tusk_ws_head head = {.len = in[1] & 0x7F, .opcode = in[0] & TUSK__WS_OPCODE_BITS, .size = 6};
    if (head.len >= 126) {
        if (head.len == 127 || tusk__ws_big_endian(in + 2, 2) < 126) {
            return 0;
        }
        head.len = tusk__ws_big_endian(in + 2, 2);
        head.size = 8;
    }
    if (head.len > len - head.size || head.len > self->config->message_max) {
        return 0;
    }
    memcpy(head.key, in + head.size - 4, 4);
    return whole_message(self, true, &head, in + head.size, place, item);
}

/* What was unmasked where it lay lies there masked again. */
static void restore(const tusk_ws_config *config, tusk__ws_place place, uint8_t *in, size_t len)
{
    tusk_ws_head head;
    ptrdiff_t size = tusk__ws_head_parse(&head, in, len);
    if (size > 0 && head.len > place.cap && whole_lies(config, (size_t)head.len)) {
        tusk_mask_apply(in + size, in + size, (size_t)head.len, head.key, 0);
    }
}

bool tusk__ws_decode_whole(tusk_ws_decoder *self, uint8_t *in, size_t len, tusk__ws_place place,
                           size_t *consumed, tusk_ws_item *item)
{
    no_item(item);
    ptrdiff_t whole = plain_frame(self, in, len, place, item);
    if (TUSK_UNLIKELY(whole < 0)) {
        restore(self->config, place, in, len);
        return false;
    }
    *consumed = (size_t)whole;
    return whole > 0;
}

static tusk_err fail(tusk_ws_decoder *self, tusk_err err)
{
    release(self);
    self->state = STATE_FAILED;
    return err;
}

/* Frames and pieces of them until an item is whole, or nothing more can be done. */
static tusk_err decode_frames(tusk_ws_decoder *self, uint8_t *in, size_t len, size_t *consumed,
                              tusk_ws_item *item)
{
    size_t at = 0;
    size_t all = SIZE_MAX;
    size_t *left = self->config->inflate_left == NULL ? &all : self->config->inflate_left;
    *consumed = 0;
    if (self->stopped) {
        tusk_err err = go_on(self, left, item);
        if (err != TUSK_OK || self->stopped || len == 0 || item->kind != TUSK_WS_ITEM_NONE) {
            return err;
        }
    }
    for (;;) {
        ptrdiff_t n = 0;
        switch ((decoder_state)self->state) {
        case STATE_HEAD: n = open_frame(self, in + at, len - at, item); break;
        case STATE_DATA: n = take_data(self, in + at, len - at, left, item); break;
        case STATE_CONTROL: n = take_control(self, in + at, len - at, item); break;
        case STATE_CLOSED: n = (ptrdiff_t)(len - at); break;
        case STATE_FAILED: n = TUSK_ESTATE; break;
        }
        if (TUSK_UNLIKELY(n < 0)) {
            return (tusk_err)n;
        }
        at += (size_t)n;
        *consumed = at;
        if (n == 0 || self->stopped || item->kind != TUSK_WS_ITEM_NONE) {
            return TUSK_OK;
        }
    }
}

tusk_err tusk_ws_decode(tusk_ws_decoder *self, uint8_t *in, size_t len, size_t *consumed,
                        tusk_ws_item *item)
{
    no_item(item);
    ptrdiff_t whole = plain_frame(self, in, len, nowhere, item);
    if (TUSK_LIKELY(whole != 0)) {
        *consumed = whole > 0 ? (size_t)whole : 0;
        return whole > 0 ? TUSK_OK : fail(self, (tusk_err)whole);
    }
    if (TUSK_UNLIKELY(self->control != NULL) && self->state != STATE_CONTROL) {
        drop_control(self);
    }
    tusk_err err = decode_frames(self, in, len, consumed, item);
    return TUSK_LIKELY(err == TUSK_OK) ? TUSK_OK : fail(self, err);
}

size_t tusk_ws_decoder_wants(const tusk_ws_decoder *self, size_t *most)
{
    *most = 0;
    return self->state == STATE_DATA ? tusk__payload_wants(self, most) : 0;
}

/* ---- a large payload, received where it will lie ---- */
uint8_t *tusk_ws_decoder_landing(tusk_ws_decoder *self, size_t *cap)
{
    *cap = 0;
    if (self->state != STATE_DATA || self->compressed || self->frame_left < LANDING_MIN) {
        return NULL;
    }
    size_t wanted = tusk__payload_room(self);
    wanted = wanted < LANDING_MIN ? wanted : LANDING_MIN;
    if (self->cap - self->len < wanted && tusk__payload_reserve(self, wanted) != TUSK_OK) {
        return NULL; /* the next decode finds out whether there really is no memory */
    }
    size_t room = self->cap - self->len;
    *cap = room < self->frame_left ? room : (size_t)self->frame_left;
    return room == 0 ? NULL : self->place + self->len;
}

tusk_err tusk_ws_decoder_landed(tusk_ws_decoder *self, size_t n, tusk_ws_item *item)
{
    no_item(item);
    if (self->state != STATE_DATA || self->compressed || n > self->frame_left ||
        n > self->cap - self->len) {
        return TUSK_EINVAL;
    }
    tusk_err err = tusk__payload_append(self, self->place + self->len, n);
    self->frame_left -= n;
    if (err == TUSK_OK && self->frame_left == 0) {
        err = finish_frame(self, item);
    }
    return err == TUSK_OK ? TUSK_OK : fail(self, err);
}
