/* SPDX-License-Identifier: MIT */
/* Request heads of the load, and what a WebSocket link is made of. */
#ifndef LOAD_HEAD_H
#define LOAD_HEAD_H

#include <tusk/ws.h>

#include "load/worker.h"

/* Appends "METHOD path HTTP/1.1", Host and the user's fields, without the empty line. `path` NULL:
 * the target's path and query. {room} in either is filled in. */
tusk_err tusk__load_head_put(tusk_buf *out, const load_plan *plan, const load_target *target,
                             const char *method, const tusk_bytes *path, uint32_t room);

/* ---- WebSocket ---- */
enum { LOAD_KEY_LEN = 24 };

/* What all links of a worker share. */
typedef struct load_ws {
    tusk_buf request; /* the upgrade, with a place for the key */
    size_t key_at;
    uint32_t room; /* that it is for */
    tusk_ws_config config;
    tusk_ws_deflate_options deflate;
    uint64_t keys; /* given out so far */
} load_ws;

typedef struct load_ws_link {
    load_link link;
    uint64_t key;
    tusk_ws_decoder decoder;
    bool decoder_made;
} load_ws_link;

tusk_err tusk__load_ws_init(load_ws *self, load_worker *worker, size_t message_max);
void tusk__load_ws_fini(load_ws *self);
/* Sends the upgrade request; false: the link failed. */
bool tusk__load_ws_upgrade(load_ws *self, load_ws_link *link, const load_target *target,
                           uint32_t room);
/* Reads the answer: > 0 bytes of it, and the decoder is ready; 0: need more; < 0: the link failed
 * and is closed. */
ptrdiff_t tusk__load_ws_answer(load_ws *self, load_ws_link *link, const uint8_t *in, size_t len);
/* One masked frame that fits into 125 bytes; false: the link failed. */
bool tusk__load_ws_control(load_ws_link *link, uint8_t opcode, tusk_bytes payload);
bool tusk__load_ws_close(load_ws_link *link, uint16_t code);
/* The link is closed: gives back what the decoder holds. */
void tusk__load_ws_forget(load_ws_link *link);

#endif
