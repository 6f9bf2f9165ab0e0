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

enum {
    FRAMES_MAX = 1000000,
    PAYLOAD_MIN = 256,          /* first size of a payload that grows */
    PAYLOAD_SMALL = 4096,       /* up to here a declared length is believed */
    INFLATED_FIRST_MAX = 65536, /* first size of an inflated payload, at most */
    LANDING_MIN = 16384
};

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

/* ---- the payload of an unfinished message ---- */
static tusk_err set_cap(tusk_ws_decoder *self, size_t cap)
{
    const tusk_ws_store *store = self->config->store;
    uint8_t *place;
    void *grown;
    if (store != NULL && store->grow != NULL) {
        grown = store->grow(store->user, self->payload, cap, &place);
    } else {
        place = tusk__resize(self->config->mem, self->payload, self->cap, cap);
        grown = place;
    }
    if (grown == NULL) {
        return TUSK_ENOMEM;
    }
    self->payload = grown;
    self->place = place;
    self->cap = cap;
    return TUSK_OK;
}

/* Room for `more` bytes that have arrived. Doubles, so that a message in many fragments costs
 * linear time. */
static tusk_err reserve(tusk_ws_decoder *self, size_t more)
{
    size_t need = self->len + more;
    if (need <= self->cap) {
        return TUSK_OK;
    }
    size_t known = (self->frame_bits & TUSK_WS_FIN) != 0 ? self->len + (size_t)self->frame_left
                                                         : self->config->message_max;
    size_t cap = self->cap == 0 ? more * 2 : self->cap * 2;
    size_t least =
        known <= PAYLOAD_SMALL && (self->frame_bits & TUSK_WS_FIN) != 0 ? known : PAYLOAD_MIN;
    cap = cap < least ? least : cap;
    cap = cap < need ? need : cap;
    return set_cap(self, cap < known ? cap : known);
}

static tusk_err reserve_inflated(tusk_ws_decoder *self, size_t arrived)
{
    size_t cap = self->cap * 2;
    if (cap == 0) {
        cap = arrived > INFLATED_FIRST_MAX / 4 ? INFLATED_FIRST_MAX : arrived * 4;
        cap = cap < PAYLOAD_MIN ? PAYLOAD_MIN : cap;
    }
    return set_cap(self, cap < self->config->message_max ? cap : self->config->message_max);
}

void tusk_ws_taken_drop(const tusk_ws_config *config, void *taken, size_t taken_cap)
{
    const tusk_ws_store *store = config->store;
    if (taken == NULL) {
        return;
    }
    if (store != NULL && store->grow != NULL) {
        store->drop(store->user, taken);
    } else {
        tusk__free(config->mem, taken, taken_cap);
    }
}

static void drop_control(tusk_ws_decoder *self)
{
    tusk__free(self->config->mem, self->control, TUSK_WS_CONTROL_MAX);
    self->control = NULL;
}

static void give_inflater(tusk_ws_decoder *self)
{
    tusk__inflater_give(self->config->inflaters, self->inflater);
    self->inflater = NULL;
}

static void forget_payload(tusk_ws_decoder *self)
{
    self->payload = NULL;
    self->place = NULL;
    self->len = 0;
    self->cap = 0;
}

/* The unfinished message and what inflates it. */
static void release_message(tusk_ws_decoder *self)
{
    tusk_ws_taken_drop(self->config, self->payload, self->cap);
    forget_payload(self);
    give_inflater(self);
    self->opcode = 0;
}

static void release(tusk_ws_decoder *self)
{
    release_message(self);
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
static bool is_text(const tusk_ws_decoder *self)
{
    return self->opcode == TUSK_WS_TEXT;
}

static bool check_utf8(tusk_ws_decoder *self, const uint8_t *ptr, size_t len)
{
    tusk_utf8 utf8 = {self->utf8};
    bool ok = tusk_utf8_feed(&utf8, ptr, len);
    self->utf8 = utf8.state;
    return ok;
}

/* Raw bytes of the current frame to byte `len` of the payload (`in` may be that place). */
static tusk_err append(tusk_ws_decoder *self, const uint8_t *in, size_t n)
{
    uint8_t *to = self->place + self->len;
    self->len += n;
    if (!self->masked) {
        if (to != in) {
            memcpy(to, in, n);
        }
        return is_text(self) && !check_utf8(self, to, n) ? TUSK_EUTF8 : TUSK_OK;
    }
    size_t phase = self->key_phase;
    self->key_phase = (uint8_t)((phase + n) & 3);
    if (!is_text(self)) {
        tusk_mask_apply(to, in, n, self->key, phase);
        return TUSK_OK;
    }
    tusk_utf8 utf8 = {self->utf8};
    bool ok = tusk__mask_apply_utf8(to, in, n, self->key, phase, &utf8);
    self->utf8 = utf8.state;
    return ok ? TUSK_OK : TUSK_EUTF8;
}

/* Output is counted before the payload grows: at the limit one byte more is tried for, outside of
 * it. */
static tusk_err inflate_piece(tusk_ws_decoder *self, tusk_bytes piece)
{
    size_t arrived = piece.len;
    size_t made, room;
    do {
        uint8_t beyond;
        uint8_t *to = &beyond;
        bool full = self->len == self->config->message_max;
        room = 1;
        if (!full) {
            tusk_err err = self->len < self->cap ? TUSK_OK : reserve_inflated(self, arrived);
            if (err != TUSK_OK) {
                return err;
            }
            to = self->place + self->len;
            room = self->cap - self->len;
        }
        /* What was made before a fault is judged first: the answer does not depend on the cuts. */
        tusk_err err = tusk__inflater_run(self->inflater, &piece, to, room, &made);
        if (full && made > 0) {
            return TUSK_ETOOBIG;
        }
        self->len += made;
        if (is_text(self) && !check_utf8(self, to, made)) {
            return TUSK_EUTF8;
        }
        if (err != TUSK_OK) {
            return err;
        }
    } while (piece.len > 0 || made == room);
    return TUSK_OK;
}

static tusk_err inflate_input(tusk_ws_decoder *self, uint8_t *in, size_t n)
{
    if (self->inflater == NULL) {
        tusk__inflater *inflater;
        tusk_err err = tusk__inflater_take(&inflater, self->config->inflaters, self->history);
        if (err != TUSK_OK) {
            return err;
        }
        self->inflater = inflater;
    }
    if (self->masked) {
        tusk_mask_apply(in, in, n, self->key, self->key_phase);
        self->key_phase = (uint8_t)((self->key_phase + n) & 3);
    }
    return inflate_piece(self, tusk_bytes_of(in, n));
}

/* What the next message may refer back to: more of it than the agreed window is not kept. */
static tusk_err keep_history(tusk_ws_decoder *self)
{
    tusk__history *history = self->history;
    tusk_err err = tusk__history_add(&history, self->config->mem, self->window_bits,
                                     tusk_bytes_of(self->place, self->len));
    self->history = history;
    return err;
}

static tusk_err finish_inflation(tusk_ws_decoder *self)
{
    if (self->inflater == NULL) {
        return TUSK_OK; /* not even an empty block: an empty message, and the history is untouched
                         */
    }
    tusk_bytes tail = tusk__inflater_tail(self->inflater);
    tusk_err err = tail.len > 0 ? inflate_piece(self, tail) : TUSK_OK;
    if (err == TUSK_OK) {
        err = tusk__inflater_end(self->inflater);
    }
    if (err == TUSK_OK && self->takeover) {
        err = keep_history(self);
    }
    give_inflater(self);
    return err;
}

static tusk_err finish_message(tusk_ws_decoder *self, tusk_ws_item *item)
{
    tusk_err err = self->compressed ? finish_inflation(self) : TUSK_OK;
    if (err != TUSK_OK) {
        return err;
    }
    if (self->utf8 != 0) {
        return TUSK_EUTF8; /* ends inside a sequence */
    }
    if (self->len == 0) {
        tusk_ws_taken_drop(self->config, self->payload, self->cap);
        forget_payload(self);
    }
    item->kind = TUSK_WS_ITEM_MESSAGE;
    item->opcode = self->opcode;
    item->payload = tusk_bytes_of(self->len == 0 ? (const uint8_t *)"" : self->place, self->len);
    item->taken = self->payload;
    item->taken_cap = self->cap;
    forget_payload(self);
    self->opcode = 0;
    return TUSK_OK;
}

static tusk_err finish_frame(tusk_ws_decoder *self, tusk_ws_item *item)
{
    self->state = STATE_HEAD;
    return (self->frame_bits & TUSK_WS_FIN) != 0 ? finish_message(self, item) : TUSK_OK;
}

static ptrdiff_t take_data(tusk_ws_decoder *self, uint8_t *in, size_t len, tusk_ws_item *item)
{
    size_t n = len < self->frame_left ? len : (size_t)self->frame_left;
    if (n == 0) {
        return 0;
    }
    tusk_err err;
    if (self->compressed) {
        err = inflate_input(self, in, n);
    } else {
        err = reserve(self, n);
        err = err == TUSK_OK ? append(self, in, n) : err;
    }
    self->frame_left -= n;
    if (err == TUSK_OK && self->frame_left == 0) {
        err = finish_frame(self, item);
    }
    return err == TUSK_OK ? (ptrdiff_t)n : err;
}

/* ---- control frames ---- */
static void give_control(tusk_ws_decoder *self, uint8_t opcode, const uint8_t *ptr, size_t len,
                         tusk_ws_item *item)
{
    self->state = STATE_HEAD;
    if (opcode == TUSK_WS_CLOSE) {
        self->state = STATE_CLOSED;
        release_message(self);
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

/* Where a message that is whole in the input is unmasked to: where it lies, or in the store. */
static inline uint8_t *place_whole(const tusk_ws_config *config, uint8_t *payload, size_t len,
                                   tusk_ws_item *item)
{
    const tusk_ws_store *store = config->store;
    if (TUSK_LIKELY(store == NULL || store->whole_min == 0 || len < store->whole_min)) {
        return payload;
    }
    uint8_t *place = NULL;
    item->taken = store->grow(store->user, NULL, len, &place);
    item->taken_cap = len;
    return item->taken == NULL ? NULL : place;
}

static bool unmask_text(const tusk_ws_decoder *self, uint8_t *to, const uint8_t *payload,
                        size_t len, const uint8_t key[4])
{
    tusk_utf8 utf8 = {0};
    if (!self->masked && to != payload) {
        memcpy(to, payload, len);
    }
    bool ok = self->masked ? tusk__mask_apply_utf8(to, payload, len, key, 0, &utf8)
                           : tusk_utf8_feed(&utf8, to, len);
    return ok && tusk_utf8_complete(&utf8);
}

/* The payload lies whole in the input, and is the whole message: the way of almost all messages. */
static inline ptrdiff_t whole_message(tusk_ws_decoder *self, const tusk_ws_head *head,
                                      uint8_t *payload, tusk_ws_item *item)
{
    size_t len = (size_t)head->len;
    uint8_t *to = place_whole(self->config, payload, len, item);
    if (TUSK_UNLIKELY(to == NULL)) {
        return TUSK_ENOMEM;
    }
    if (head->opcode == TUSK_WS_TEXT) {
        if (!unmask_text(self, to, payload, len, head->key)) {
            tusk_ws_taken_drop(self->config, item->taken, item->taken_cap);
            no_item(item);
            return TUSK_EUTF8;
        }
    } else if (self->masked) {
        tusk_mask_apply(to, payload, len, head->key, 0);
    } else if (to != payload) {
        memcpy(to, payload, len);
    }
    item->kind = TUSK_WS_ITEM_MESSAGE;
    item->opcode = head->opcode;
    item->payload = tusk_bytes_of(to, len);
    return head->size + (ptrdiff_t)len;
}

static ptrdiff_t open_data(tusk_ws_decoder *self, const tusk_ws_head *head, tusk_ws_item *item)
{
    const tusk_ws_config *config = self->config;
    uint32_t frames_max = config->message_frames_max == 0 ? FRAMES_MAX : config->message_frames_max;
    if (head->opcode != TUSK_WS_CONTINUATION) {
        self->opcode = head->opcode;
        self->compressed = (head->flags & TUSK_WS_RSV1) != 0;
        self->frames = 0;
        self->utf8 = 0;
    }
    if (++self->frames > frames_max) {
        return TUSK_ELIMIT;
    }
    uint64_t left = (uint64_t)config->message_max - self->len;
    if (self->compressed) {
        /* What inflates to no more than the limit is not much longer than the limit itself. */
        left = (uint64_t)config->message_max + config->message_max / 8 + 1024;
        left -= self->inflater == NULL ? 0 : tusk__inflater_wire(self->inflater);
    }
    if (head->len > left) {
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
        return 0;
    }
    uint8_t *payload = in + size;
    size_t there = len - (size_t)size;
    if ((head.opcode & TUSK__WS_CONTROL_BIT) != 0) {
        return open_control(self, &head, payload, there, item);
    }
    if ((head.flags & (TUSK_WS_FIN | TUSK_WS_RSV1)) == TUSK_WS_FIN && self->opcode == 0 &&
        head.len <= there && head.len <= self->config->message_max) {
        return whole_message(self, &head, payload, item);
    }
    return open_data(self, &head, item);
}

/* The frame of almost every message: between messages, final, masked, not compressed, whole, and
 * below 64 KiB. 0: it is not exactly that, nothing was touched, and open_frame() judges it. */
static inline ptrdiff_t plain_frame(tusk_ws_decoder *self, uint8_t *in, size_t len,
                                    tusk_ws_item *item)
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
    return whole_message(self, &head, in + head.size, item);
}

static tusk_err fail(tusk_ws_decoder *self, tusk_err err)
{
    release(self);
    self->state = STATE_FAILED;
    return err;
}

tusk_err tusk_ws_decode(tusk_ws_decoder *self, uint8_t *in, size_t len, size_t *consumed,
                        tusk_ws_item *item)
{
    size_t at = 0;
    no_item(item);
    ptrdiff_t whole = plain_frame(self, in, len, item);
    if (TUSK_LIKELY(whole != 0)) {
        *consumed = whole > 0 ? (size_t)whole : 0;
        return whole > 0 ? TUSK_OK : fail(self, (tusk_err)whole);
    }
    if (TUSK_UNLIKELY(self->control != NULL) && self->state != STATE_CONTROL) {
        drop_control(self);
    }
    for (;;) {
        ptrdiff_t n = 0;
        switch ((decoder_state)self->state) {
        case STATE_HEAD: n = open_frame(self, in + at, len - at, item); break;
        case STATE_DATA: n = take_data(self, in + at, len - at, item); break;
        case STATE_CONTROL: n = take_control(self, in + at, len - at, item); break;
        case STATE_CLOSED: n = (ptrdiff_t)(len - at); break;
        case STATE_FAILED: n = TUSK_ESTATE; break;
        }
        *consumed = at;
        if (TUSK_UNLIKELY(n < 0)) {
            return fail(self, (tusk_err)n);
        }
        at += (size_t)n;
        *consumed = at;
        if (n == 0 || item->kind != TUSK_WS_ITEM_NONE) {
            return TUSK_OK;
        }
    }
}

/* ---- a large payload, received where it will lie ---- */
uint8_t *tusk_ws_decoder_landing(tusk_ws_decoder *self, size_t *cap)
{
    *cap = 0;
    if (self->state != STATE_DATA || self->compressed || self->frame_left < LANDING_MIN) {
        return NULL;
    }
    if (self->cap - self->len < LANDING_MIN && reserve(self, LANDING_MIN) != TUSK_OK) {
        return NULL; /* the next decode finds out whether there really is no memory */
    }
    size_t room = self->cap - self->len;
    *cap = room < self->frame_left ? room : (size_t)self->frame_left;
    return self->place + self->len;
}

tusk_err tusk_ws_decoder_landed(tusk_ws_decoder *self, size_t n, tusk_ws_item *item)
{
    no_item(item);
    if (self->state != STATE_DATA || self->compressed || n > self->frame_left ||
        n > self->cap - self->len) {
        return TUSK_EINVAL;
    }
    tusk_err err = append(self, self->place + self->len, n);
    self->frame_left -= n;
    if (err == TUSK_OK && self->frame_left == 0) {
        err = finish_frame(self, item);
    }
    return err == TUSK_OK ? TUSK_OK : fail(self, err);
}
