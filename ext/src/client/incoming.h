/* SPDX-License-Identifier: MIT */
/* What came to a client and waits to be received: whole messages or events, in the core's memory.
 */
#ifndef TUSK_EXT_CLIENT_INCOMING_H
#define TUSK_EXT_CLIENT_INCOMING_H

#include "src/client/await.h"

typedef struct tusk_incoming_item {
    struct tusk_incoming_item *next;
    tusk_blob *bytes;
    uint8_t opcode;            /* of a message */
    size_t type_len, data_len; /* of an event: type, data and id lie behind each other */
} tusk_incoming_item;

/* All zero: empty, and more may come. */
typedef struct tusk_incoming {
    tusk_incoming_item *first, *last;
    size_t bytes;
    uint32_t count;
    bool paused; /* the core was told not to read on */
    bool ended;  /* the client is closed: nothing more comes */
} tusk_incoming;

/* A new item with room for `len` bytes at `*place`; NULL: no memory. */
tusk_incoming_item *tusk_incoming_item_new(size_t len, uint8_t **place);
void tusk_incoming_item_free(tusk_incoming_item *item);

/* Takes over the item. True: it is enough, the core is to be paused. */
bool tusk_incoming_push(tusk_incoming *self, tusk_incoming_item *item);
/* The oldest item, the caller's from now on; NULL: none waits. `*resume`: the core may go on. */
tusk_incoming_item *tusk_incoming_shift(tusk_incoming *self, bool *resume);
/* Forgets what waits. True: the core may go on. */
bool tusk_incoming_clear(tusk_incoming *self);
/* Until an item waits or the client ended, at most `timeout_ms` (negative: for ever); `ready` is
 * what the client's callbacks set. False: the time is over or an exception was thrown. */
bool tusk_incoming_wait(tusk_incoming *self, tusk_await *await, bool *ready, int64_t timeout_ms);

/* ---- foreach over what a client receives ---- */
typedef struct tusk_receiver {
    /* The next one into `out`; nothing is written at the end or when an exception was thrown. */
    void (*receive)(zend_object *client, zval *out);
    void (*key)(zend_object *client, zval *out); /* NULL: numbered from 0 */
} tusk_receiver;

zend_object_iterator *tusk_receiver_iterate(const tusk_receiver *receiver, zval *client,
                                            int by_ref);

#endif
