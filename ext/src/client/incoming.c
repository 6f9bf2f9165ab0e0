/* SPDX-License-Identifier: MIT */
/* What came to a client and waits to be received. */
#include "src/client/incoming.h"

/* Past these the core reads no further until half of them are received. */
enum { ITEMS_MAX = 256, BYTES_MAX = 1 << 20 };

tusk_incoming_item *tusk_incoming_item_new(size_t len, uint8_t **place)
{
    tusk_incoming_item *item = calloc(1, sizeof(*item));
    if (item != NULL && tusk_blob_new(&item->bytes, tusk_mem_default(), len, place) != TUSK_OK) {
        free(item);
        item = NULL;
    }
    return item;
}

void tusk_incoming_item_free(tusk_incoming_item *item)
{
    tusk_blob_unref(item->bytes);
    free(item);
}

bool tusk_incoming_push(tusk_incoming *self, tusk_incoming_item *item)
{
    if (self->last == NULL) {
        self->first = item;
    } else {
        self->last->next = item;
    }
    self->last = item;
    self->bytes += item->bytes->len;
    self->count++;
    if (self->paused || (self->count < ITEMS_MAX && self->bytes <= BYTES_MAX)) {
        return false;
    }
    self->paused = true;
    return true;
}

tusk_incoming_item *tusk_incoming_shift(tusk_incoming *self, bool *resume)
{
    tusk_incoming_item *item = self->first;
    *resume = false;
    if (item == NULL) {
        return NULL;
    }
    self->first = item->next;
    self->last = self->first == NULL ? NULL : self->last;
    self->bytes -= item->bytes->len;
    self->count--;
    if (self->paused && self->count < ITEMS_MAX / 2 && self->bytes <= BYTES_MAX / 2) {
        self->paused = false;
        *resume = !self->ended;
    }
    return item;
}

bool tusk_incoming_clear(tusk_incoming *self)
{
    while (self->first != NULL) {
        tusk_incoming_item *item = self->first;
        self->first = item->next;
        tusk_incoming_item_free(item);
    }
    bool resume = self->paused && !self->ended;
    *self = (tusk_incoming){.ended = self->ended};
    return resume;
}

bool tusk_incoming_wait(tusk_incoming *self, tusk_await *await, bool *ready, int64_t timeout_ms)
{
    uint64_t started = tusk_loop_clock_ns();
    while (self->first == NULL && !self->ended) {
        int64_t left = timeout_ms;
        if (timeout_ms >= 0) {
            left -= (int64_t)((tusk_loop_clock_ns() - started) / 1000000u);
            if (left < 0) {
                return false;
            }
        }
        *ready = false;
        if (!tusk_await_ready(await, ready, left) || (await->late && self->first == NULL)) {
            return false;
        }
    }
    return true;
}

/* ---- foreach ---- */
typedef struct iterator {
    zend_object_iterator base;
    const tusk_receiver *receiver;
    zval current;
    bool started;
} iterator;

static void iterator_free(zend_object_iterator *base)
{
    zval_ptr_dtor(&((iterator *)base)->current);
    zval_ptr_dtor(&base->data);
}

static void iterator_forward(zend_object_iterator *base)
{
    iterator *self = (iterator *)base;
    zval_ptr_dtor(&self->current);
    ZVAL_UNDEF(&self->current);
    self->receiver->receive(Z_OBJ(base->data), &self->current);
}

static void iterator_rewind(zend_object_iterator *base)
{
    iterator *self = (iterator *)base;
    if (!self->started) {
        self->started = true;
        iterator_forward(base);
    }
}

static int iterator_valid(zend_object_iterator *base)
{
    return Z_ISUNDEF(((iterator *)base)->current) ? FAILURE : SUCCESS;
}

/* NULL: none yet, or the end; who asks an iterator by hand asks then as well. */
static zval *iterator_current(zend_object_iterator *base)
{
    iterator *self = (iterator *)base;
    return Z_ISUNDEF(self->current) ? NULL : &self->current;
}

static void iterator_key(zend_object_iterator *base, zval *key)
{
    ((iterator *)base)->receiver->key(Z_OBJ(base->data), key);
}

static const zend_object_iterator_funcs numbered_funcs = {
    .dtor = iterator_free,
    .valid = iterator_valid,
    .get_current_data = iterator_current,
    .move_forward = iterator_forward,
    .rewind = iterator_rewind,
};

static const zend_object_iterator_funcs keyed_funcs = {
    .dtor = iterator_free,
    .valid = iterator_valid,
    .get_current_data = iterator_current,
    .get_current_key = iterator_key,
    .move_forward = iterator_forward,
    .rewind = iterator_rewind,
};

zend_object_iterator *tusk_receiver_iterate(const tusk_receiver *receiver, zval *client, int by_ref)
{
    if (by_ref) {
        zend_throw_error(NULL, "An iterator cannot be used with foreach by reference");
        return NULL;
    }
    iterator *self = ecalloc(1, sizeof(*self));
    zend_iterator_init(&self->base);
    ZVAL_OBJ_COPY(&self->base.data, Z_OBJ_P(client));
    self->receiver = receiver;
    self->base.funcs = receiver->key == NULL ? &numbered_funcs : &keyed_funcs;
    return &self->base;
}
