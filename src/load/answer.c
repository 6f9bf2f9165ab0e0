/* SPDX-License-Identifier: MIT */
/* Answers: head, body by length, body by the decoder. */
#include "load/answer.h"

#include <string.h>

enum step { STEP_HEAD, STEP_LENGTH, STEP_CODED };

static void remember(load_known_head *known, const tusk_http_head *head, const uint8_t *bytes,
                     size_t len)
{
    bool plain = head->content_length >= 0 && !head->chunked && !head->no_body;
    if (!plain || len > sizeof(known->bytes)) {
        known->len = 0;
        return;
    }
    memcpy(known->bytes, bytes, len);
    known->len = (uint16_t)len;
    known->status = head->status;
    known->close = !head->keep_alive;
    known->body = (uint64_t)head->content_length;
}

/* > 0 bytes of the head, 0 more is needed, < 0 an error. */
static ptrdiff_t read_head(load_answer *self, tusk_bytes in, tusk_http_method to,
                           load_known_head *known)
{
    if (known->len > 0 && in.len >= known->len && memcmp(in.ptr, known->bytes, known->len) == 0) {
        self->status = known->status;
        self->close = known->close;
        self->left = known->body;
        self->step = STEP_LENGTH;
        self->scanned = 0;
        return known->len;
    }
    tusk_http_head head;
    ptrdiff_t taken =
        tusk_http_response_parse(&head, in, tusk_http_limits_default(), to, &self->scanned);
    if (taken <= 0) {
        return taken;
    }
    if (head.status < 200) {
        return head.status == 101 ? TUSK_EPROTO : taken; /* interim: the answer comes behind it */
    }
    self->status = head.status;
    self->close = !head.keep_alive || head.until_close;
    remember(known, &head, in.ptr, (size_t)taken);
    if (head.no_body || (head.content_length >= 0 && !head.chunked)) {
        self->left = head.no_body ? 0 : (uint64_t)head.content_length;
        self->step = STEP_LENGTH;
    } else {
        tusk_http_body_init(&self->body, &head, UINT64_MAX, tusk_http_limits_default());
        self->step = STEP_CODED;
    }
    return taken;
}

ptrdiff_t tusk__load_answer_read(load_answer *self, tusk_bytes in, tusk_http_method to,
                                 load_known_head *known, bool *done)
{
    size_t at = 0;
    *done = false;
    while (self->step == STEP_HEAD) {
        ptrdiff_t taken = read_head(self, tusk_bytes_of(in.ptr + at, in.len - at), to, known);
        if (taken <= 0) {
            return taken < 0 ? taken : (ptrdiff_t)at;
        }
        at += (size_t)taken;
    }
    if (self->step == STEP_LENGTH) {
        size_t part = in.len - at < self->left ? in.len - at : (size_t)self->left;
        self->left -= part;
        *done = self->left == 0;
        at += part;
    }
    while (self->step == STEP_CODED && !*done && at < in.len) {
        tusk_bytes data;
        ptrdiff_t taken =
            tusk_http_body_decode(&self->body, tusk_bytes_of(in.ptr + at, in.len - at), &data);
        if (taken <= 0) {
            return taken < 0 ? taken : (ptrdiff_t)at;
        }
        at += (size_t)taken;
        *done = tusk_http_body_done(&self->body);
    }
    if (*done) {
        self->step = STEP_HEAD;
    }
    return (ptrdiff_t)at;
}

bool tusk__load_answer_end(const load_answer *self)
{
    return self->step == STEP_CODED && tusk_http_body_end(&self->body);
}
