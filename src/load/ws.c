/* SPDX-License-Identifier: MIT */
/* WebSocket links: the upgrade and its check, control frames, the decoder of what comes. */
#include "load/head.h"

#include <stdio.h>

#include "base/mem.h"
#include "load/payload.h"

#define HEAD_MAX ((size_t)64 * 1024)
#define SMALL_MAX ((size_t)64 * 1024) /* a server may always send a message of this size */

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Sixteen random bytes as base64: 22 digits, the last of which has two bits, and "==". */
static void write_key(char out[LOAD_KEY_LEN], uint64_t seed, uint64_t number)
{
    uint64_t bits = 0;
    for (int i = 0; i < 22; i++) {
        if (i % 10 == 0) {
            bits = tusk__load_random(seed * UINT64_C(0x9E3779B97F4A7C15) + number * 4 +
                                     (uint64_t)i / 10);
        }
        out[i] = base64[i < 21 ? bits & 63 : bits & 48];
        bits >>= 6;
    }
    out[22] = '=';
    out[23] = '=';
}

static tusk_err build(load_ws *self, const load_worker *worker, const load_target *target,
                      uint32_t room)
{
    const load_plan *plan = worker->plan;
    char key[LOAD_KEY_LEN];
    tusk_buf *out = &self->request;
    tusk_buf_clear(out);
    write_key(key, 0, 0);
    tusk_err err = tusk__load_head_put(out, plan, target, "GET", NULL, room);
    err = err != TUSK_OK ? err
                         : tusk_buf_append_str(out, "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                                    "Sec-WebSocket-Version: 13\r\n"
                                                    "Sec-WebSocket-Key: ");
    self->key_at = out->len;
    err = err != TUSK_OK ? err : tusk_buf_append(out, key, sizeof(key));
    err = err != TUSK_OK ? err : tusk_buf_append_str(out, "\r\n");
    if (err == TUSK_OK && plan->subprotocol.len > 0) {
        err = tusk_http_field_append(out, tusk_bytes_str("Sec-WebSocket-Protocol"),
                                     tusk_bytes_of(plan->subprotocol.ptr, plan->subprotocol.len));
    }
    if (err == TUSK_OK && self->deflate.on) {
        char offer[160];
        size_t len = tusk_ws_deflate_offer(&self->deflate, offer, sizeof(offer));
        err = tusk_http_field_append(out, tusk_bytes_str("Sec-WebSocket-Extensions"),
                                     tusk_bytes_of(offer, len));
    }
    self->room = room;
    return err != TUSK_OK ? err : tusk_buf_append_str(out, "\r\n");
}

tusk_err tusk__load_ws_init(load_ws *self, load_worker *worker, size_t message_max)
{
    tusk_buf_init(&self->request, worker->mem, HEAD_MAX + worker->plan->header.len);
    self->keys = (uint64_t)worker->index << 40;
    self->deflate = (tusk_ws_deflate_options){.on = worker->plan->deflate,
                                              .server_max_window_bits = 15,
                                              .client_max_window_bits = 15,
                                              .level = 1,
                                              .mem_level = 8};
    self->config =
        (tusk_ws_config){.mem = worker->mem,
                         .role = TUSK_WS_CLIENT,
                         .message_max = message_max > SMALL_MAX ? message_max : SMALL_MAX};
    tusk_err err = build(self, worker, &worker->plan->target, 0);
    if (err == TUSK_OK && self->deflate.on) {
        err = tusk_ws_inflaters_new(&self->config.inflaters, worker->mem);
    }
    return err;
}

void tusk__load_ws_fini(load_ws *self)
{
    tusk_buf_fini(&self->request);
    tusk_ws_inflaters_free(self->config.inflaters);
}

bool tusk__load_ws_upgrade(load_ws *self, load_ws_link *link, const load_target *target,
                           uint32_t room)
{
    load_worker *worker = link->link.worker;
    bool same = self->room == room && target == &worker->plan->target;
    if (!same && build(self, worker, target, room) != TUSK_OK) {
        tusk__load_link_fail(&link->link, TUSK_ENOMEM, "out of memory");
        return false;
    }
    link->key = ++self->keys;
    write_key((char *)self->request.ptr + self->request.start + self->key_at, worker->plan->seed,
              link->key);
    tusk_bytes text = tusk_buf_view(&self->request);
    if (!same) {
        self->room = UINT32_MAX; /* the next one builds its own */
    }
    return tusk__load_link_send(&link->link, text.ptr, text.len);
}

static ptrdiff_t refuse(load_ws_link *link, tusk_err why, const char *what)
{
    tusk__load_link_fail(&link->link, why, what);
    return -1;
}

ptrdiff_t tusk__load_ws_answer(load_ws *self, load_ws_link *link, const uint8_t *in, size_t len)
{
    const load_plan *plan = link->link.worker->plan;
    tusk_http_head head;
    char text[LOAD_ERROR_MAX];
    char key[LOAD_KEY_LEN];
    size_t scanned = 0;
    ptrdiff_t taken = tusk_http_response_parse(&head, tusk_bytes_of(in, len),
                                               tusk_http_limits_default(), TUSK_HTTP_GET, &scanned);
    if (taken == 0) {
        return 0;
    }
    if (taken < 0) {
        (void)snprintf(text, sizeof(text), "the answer to the upgrade is not HTTP: %s",
                       tusk_err_text((tusk_err)taken));
        return refuse(link, TUSK_EPROTO, text);
    }
    if (head.status != 101) {
        (void)snprintf(text, sizeof(text), "the server answered the upgrade with %u", head.status);
        return refuse(link, TUSK_EPOLICY, text);
    }
    const char *why = NULL;
    tusk_bytes offered = tusk_bytes_of(plan->subprotocol.ptr, plan->subprotocol.len);
    tusk_bytes picked;
    write_key(key, plan->seed, link->key);
    if (tusk_ws_handshake_confirm(&head, tusk_bytes_of(key, sizeof(key)), &offered,
                                  offered.len > 0 ? 1 : 0, &picked, &why) != TUSK_OK) {
        (void)snprintf(text, sizeof(text), "the upgrade's answer is not valid: %s",
                       why == NULL ? "" : why);
        return refuse(link, TUSK_EPROTO, text);
    }
    if (offered.len > 0 && picked.len == 0) {
        return refuse(link, TUSK_EPROTO, "the server did not pick the subprotocol");
    }
    tusk_ws_deflate agreed = {.on = false};
    if (tusk_ws_deflate_confirm(&agreed, &self->deflate, &head) != TUSK_OK ||
        agreed.on != self->deflate.on) {
        return refuse(link, TUSK_EPROTO, "the server did not agree to permessage-deflate");
    }
    tusk_ws_decoder_init(&link->decoder, &self->config, agreed.on ? &agreed : NULL);
    link->decoder_made = true;
    return taken;
}

bool tusk__load_ws_control(load_ws_link *link, uint8_t opcode, tusk_bytes payload)
{
    uint8_t frame[TUSK_WS_HEAD_MAX + TUSK_WS_CONTROL_MAX];
    uint64_t random = tusk__load_random(link->key + link->link.worker->now);
    uint8_t key[4];
    memcpy(key, &random, sizeof(key));
    size_t len = payload.len < TUSK_WS_CONTROL_MAX ? payload.len : TUSK_WS_CONTROL_MAX;
    size_t head = tusk_ws_head_encode(frame, TUSK_WS_FIN, opcode, len, key);
    if (len > 0) {
        tusk_mask_apply(frame + head, payload.ptr, len, key, 0);
    }
    return tusk__load_link_send(&link->link, frame, head + len);
}

bool tusk__load_ws_close(load_ws_link *link, uint16_t code)
{
    const uint8_t payload[2] = {(uint8_t)(code >> 8), (uint8_t)code};
    return tusk__load_ws_control(link, TUSK_WS_CLOSE, tusk_bytes_of(payload, sizeof(payload)));
}

void tusk__load_ws_forget(load_ws_link *link)
{
    if (link->decoder_made) {
        tusk_ws_decoder_fini(&link->decoder);
        link->decoder_made = false;
    }
}
