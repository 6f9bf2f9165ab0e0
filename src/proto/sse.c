/* SPDX-License-Identifier: MIT */
/* Writing an event stream (WHATWG HTML, 9.2): one block per event, nothing that could smuggle in
 * another field. */
#include <tusk/sse.h>

#include "base/decimal.h"
#include "base/utf8.h"
#include "proto/sse_line.h"

enum { RETRY_DIGITS_MAX = 19 };

bool tusk_sse_value_valid(tusk_bytes text)
{
    return text.len == 0 ||
           (tusk__sse_line_len(text) == text.len && memchr(text.ptr, '\0', text.len) == NULL &&
            tusk_utf8_valid(text.ptr, text.len));
}

/* Upper bound of the lines that the data makes. */
static size_t lines_max(tusk_bytes data)
{
    size_t lines = 1;
    while (data.len > 0) {
        size_t len = tusk__sse_line_len(data);
        len += len < data.len;
        lines += len > 0 && (data.ptr[len - 1] == '\r' || data.ptr[len - 1] == '\n');
        data.ptr += len;
        data.len -= len;
    }
    return lines;
}

size_t tusk_sse_encode_max(const tusk_sse_event *event)
{
    size_t len = 1;
    len += event->type.len > 0 ? event->type.len + strlen("event: \n") : 0;
    len += event->retry_ms >= 0 ? RETRY_DIGITS_MAX + strlen("retry: \n") : 0;
    len += event->has_id ? event->id.len + strlen("id: \n") : 0;
    len += event->has_data ? event->data.len + lines_max(event->data) * strlen("data: \n") : 0;
    return len;
}

static uint8_t *put(uint8_t *at, const void *text, size_t len)
{
    if (len > 0) {
        memcpy(at, text, len);
    }
    return at + len;
}

static uint8_t *put_line(uint8_t *at, const char *name, tusk_bytes value)
{
    at = put(at, name, strlen(name));
    at = put(at, value.ptr, value.len);
    *at++ = '\n';
    return at;
}

static uint8_t *put_retry(uint8_t *at, int64_t retry_ms)
{
    uint8_t digits[DECIMAL_MAX];
    return put_line(at, "retry: ", tusk__decimal(digits, (uint64_t)retry_ms));
}

/* Always with the space: without it data that starts with one would lose it. */
static uint8_t *put_data(uint8_t *at, tusk_bytes data)
{
    for (;;) {
        size_t len = tusk__sse_line_len(data);
        at = put_line(at, "data: ", tusk_bytes_of(data.ptr, len));
        if (len == data.len) {
            return at;
        }
        size_t end =
            len + 1 < data.len && data.ptr[len] == '\r' && data.ptr[len + 1] == '\n' ? 2 : 1;
        data.ptr += len + end;
        data.len -= len + end;
    }
}

tusk_err tusk_sse_encode(tusk_buf *out, const tusk_sse_event *event)
{
    uint8_t *place;
    if (!tusk_sse_value_valid(event->type) || (event->has_id && !tusk_sse_value_valid(event->id)) ||
        (event->has_data && event->data.len > 0 &&
         !tusk_utf8_valid(event->data.ptr, event->data.len))) {
        return TUSK_EINVAL;
    }
    tusk_err err = tusk_buf_reserve(out, tusk_sse_encode_max(event), &place);
    if (err != TUSK_OK) {
        return err;
    }
    uint8_t *at = place;
    if (event->type.len > 0) {
        at = put_line(at, "event: ", event->type);
    }
    if (event->retry_ms >= 0) {
        at = put_retry(at, event->retry_ms);
    }
    if (event->has_id) {
        at = put_line(at, "id: ", event->id);
    }
    if (event->has_data) {
        at = put_data(at, event->data);
    }
    *at++ = '\n';
    tusk_buf_commit(out, (size_t)(at - place));
    return TUSK_OK;
}

tusk_err tusk_sse_comment(tusk_buf *out, tusk_bytes text)
{
    uint8_t *place;
    if (!tusk_sse_value_valid(text)) {
        return TUSK_EINVAL;
    }
    tusk_err err = tusk_buf_reserve(out, text.len + strlen(": \n\n"), &place);
    if (err != TUSK_OK) {
        return err;
    }
    uint8_t *at = put_line(place, text.len > 0 ? ": " : ":", text);
    *at++ = '\n';
    tusk_buf_commit(out, (size_t)(at - place));
    return TUSK_OK;
}
