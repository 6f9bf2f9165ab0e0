/* SPDX-License-Identifier: MIT */
/* The payload of an unfinished message: it grows by what really arrives, unmasked or inflated, and
 * never by what a head declares. */
#include "proto/ws_payload.h"

#include "base/mask.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "proto/deflate.h"

enum {
    PAYLOAD_MIN = 256,          /* first size of a payload that grows */
    PAYLOAD_SMALL = 4096,       /* up to here a declared length is believed */
    INFLATED_FIRST_MAX = 65536, /* first size of an inflated payload, at most */
    TAIL_ROOM = 8192,           /* more than 32 bits can make: 258 bytes of two */
    RETIRED_MIN = 2 << 20,      /* smaller ones are dropped as fast as they are told of */
    READY_MIN = 2 << 20,        /* smaller ones lie in memory that has been used before, mostly */
    INFLATE_PIECE = 512,        /* unmasked before it is inflated; no more is done in vain, and of
                                 * what makes nothing no more is read before it is counted */
    BARREN_COST = 16            /* bytes made, for the work of one that is read and makes none */
};

/* ---- its place ---- */
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

static size_t at_most(size_t value, size_t limit)
{
    return value < limit ? value : limit;
}

/* What it may take without asking. */
static size_t allowed(const tusk_ws_decoder *self)
{
    size_t unasked = self->config->ask_from == 0 ? SIZE_MAX : self->config->ask_from;
    size_t granted = (size_t)self->allowed_kib * 1024;
    return granted > unasked ? granted : unasked;
}

/* What the message can have in the end, as far as it is known. */
static size_t known_len(const tusk_ws_decoder *self)
{
    bool last = !self->compressed && (self->frame_bits & TUSK_WS_FIN) != 0;
    return last ? self->len + (size_t)self->frame_left : self->config->message_max;
}

/* Twice as much, so that a message in many fragments costs linear time; but what was asked for is
 * taken at once, so that it is moved once. */
static size_t next_cap(const tusk_ws_decoder *self, size_t cap)
{
    size_t limit = allowed(self);
    return self->allowed_kib > 0 && limit > self->cap ? limit : at_most(cap, limit);
}

size_t tusk__payload_room(const tusk_ws_decoder *self)
{
    size_t limit = allowed(self);
    return limit > self->len ? limit - self->len : 0;
}

tusk_err tusk__payload_reserve(tusk_ws_decoder *self, size_t more)
{
    size_t need = self->len + more;
    if (need <= self->cap) {
        return TUSK_OK;
    }
    size_t known = known_len(self);
    size_t cap = self->cap == 0 ? more * 2 : self->cap * 2;
    size_t least =
        known <= PAYLOAD_SMALL && (self->frame_bits & TUSK_WS_FIN) != 0 ? known : PAYLOAD_MIN;
    cap = cap < least ? least : cap;
    cap = cap < need ? need : cap;
    return set_cap(self, at_most(next_cap(self, cap), known));
}

static tusk_err reserve_inflated(tusk_ws_decoder *self, size_t arrived)
{
    size_t cap = self->cap * 2;
    if (cap == 0) {
        cap = arrived > INFLATED_FIRST_MAX / 4 ? INFLATED_FIRST_MAX : arrived * 4;
        cap = cap < PAYLOAD_MIN ? PAYLOAD_MIN : cap;
    }
    return set_cap(self, at_most(next_cap(self, cap), self->config->message_max));
}

size_t tusk__payload_wants(const tusk_ws_decoder *self, size_t *most)
{
    bool more = self->compressed ? self->stopped && self->len < self->config->message_max
                                 : self->frame_left > 0;
    *most = 0;
    if (!more || self->len < self->cap || tusk__payload_room(self) > 0) {
        return 0;
    }
    *most = known_len(self);
    return at_most(self->cap * 2, *most);
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

static void give_inflater(tusk_ws_decoder *self)
{
    tusk__inflater_give(self->config->inflaters, self->inflater);
    self->inflater = NULL;
}

void tusk__payload_forget(tusk_ws_decoder *self)
{
    self->payload = NULL;
    self->place = NULL;
    self->len = 0;
    self->cap = 0;
    self->allowed_kib = 0;
}

/* The unfinished message and what inflates it. */
void tusk__payload_release(tusk_ws_decoder *self)
{
    const tusk_ws_config *config = self->config;
    if (self->cap < RETIRED_MIN || config->retire == NULL ||
        !config->retire(config->retire_user, self->payload, self->place, self->cap)) {
        tusk_ws_taken_drop(config, self->payload, self->cap);
    }
    tusk__payload_forget(self);
    give_inflater(self);
    self->opcode = 0;
    self->stopped = false;
}

/* ---- its bytes ---- */
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
tusk_err tusk__payload_append(tusk_ws_decoder *self, const uint8_t *in, size_t n)
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

/* A block may be nothing but the description of its codes, which costs 5 us for 40 bytes, and makes
 * none: what is read beyond what it makes is taken off as well. Text and zeros make more than they
 * have, and noise as much. */
static void account(size_t *left, size_t made, size_t read)
{
    size_t barren = read > made ? (read - made) * BARREN_COST : 0;
    size_t cost = made + barren;
    *left -= at_most(cost, *left);
}

/* Output is counted before the payload grows: at the limit one byte more is tried for, outside of
 * it. Ends where the input does; or stopped, when nothing is `left` or where more has to be asked
 * for.
 */
tusk_err tusk__payload_inflate(tusk_ws_decoder *self, tusk_bytes *piece, size_t arrived,
                               size_t *left)
{
    size_t made, room;
    self->stopped = false;
    do {
        uint8_t beyond;
        uint8_t *to = &beyond;
        bool full = self->len == self->config->message_max;
        room = 1;
        if (*left == 0 || (!full && tusk__payload_room(self) == 0)) {
            self->stopped = true;
            return TUSK_OK;
        }
        if (!full) {
            tusk_err err = self->len < self->cap ? TUSK_OK : reserve_inflated(self, arrived);
            if (err != TUSK_OK) {
                return err;
            }
            to = self->place + self->len;
            room = at_most(self->cap - self->len, *left);
            if (self->cap >= READY_MIN && self->config->ready != NULL) {
                self->config->ready(to, room, self->place + self->cap);
            }
        }
        /* What was made before a fault is judged first: the answer does not depend on the cuts. */
        size_t given = piece->len;
        tusk_err err = tusk__inflater_run(self->inflater, piece, to, room, &made);
        if (full && made > 0) {
            return TUSK_ETOOBIG;
        }
        self->len += made;
        account(left, made, given - piece->len);
        if (is_text(self) && !check_utf8(self, to, made)) {
            return TUSK_EUTF8;
        }
        if (err != TUSK_OK) {
            return err;
        }
    } while (piece->len > 0 || made == room);
    return TUSK_OK;
}

/* How many of the `n` bytes were inflated comes in `used`; the others are as they were. */
tusk_err tusk__payload_inflate_frame(tusk_ws_decoder *self, uint8_t *in, size_t n, size_t *used,
                                     size_t *left)
{
    if (self->inflater == NULL) {
        tusk__inflater *inflater;
        tusk_err err = tusk__inflater_take(&inflater, self->config->inflaters, self->history);
        if (err != TUSK_OK) {
            return err;
        }
        self->inflater = inflater;
    }
    size_t phase = self->key_phase;
    tusk_bytes piece = tusk_bytes_of(in, n < INFLATE_PIECE ? n : INFLATE_PIECE);
    *used = piece.len;
    if (self->masked) {
        tusk_mask_apply(in, in, piece.len, self->key, phase);
    }
    tusk_err err = tusk__payload_inflate(self, &piece, n, left);
    *used -= piece.len;
    if (self->masked) {
        self->key_phase = (uint8_t)((phase + *used) & 3);
        tusk_mask_apply(in + *used, in + *used, piece.len, self->key, self->key_phase);
    }
    return err;
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

tusk_err tusk__payload_inflated(tusk_ws_decoder *self)
{
    if (self->inflater == NULL) {
        return TUSK_OK; /* not even an empty block: an empty message, and the history is untouched
                         */
    }
    tusk_bytes tail = tusk__inflater_tail(self->inflater);
    size_t left = SIZE_MAX; /* these four bytes make little, and are never left half done */
    if (tusk__payload_room(self) < TAIL_ROOM) {
        tusk_ws_decoder_allow(self, self->len + TAIL_ROOM);
    }
    tusk_err err = tail.len > 0 ? tusk__payload_inflate(self, &tail, tail.len, &left) : TUSK_OK;
    if (err == TUSK_OK) {
        err = tusk__inflater_end(self->inflater);
    }
    if (err == TUSK_OK && self->takeover) {
        err = keep_history(self);
    }
    give_inflater(self);
    return err;
}
