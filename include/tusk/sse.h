/* SPDX-License-Identifier: MIT */
/* Server-Sent Events (WHATWG HTML): the encoder and an incremental parser, without any I/O. */
#ifndef TUSK_SSE_H
#define TUSK_SSE_H

#include <tusk/bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tusk_sse_event {
    tusk_bytes type; /* empty: "message" */
    tusk_bytes id;
    tusk_bytes data;
    bool has_id; /* encoder: write an id line, also an empty one */
    bool has_data;
    int64_t retry_ms; /* -1: none */
} tusk_sse_event;

/* What a line carries as it is, a type, an id or a comment: UTF-8 without CR, LF and NUL. */
TUSK_API bool tusk_sse_value_valid(tusk_bytes value);
/* Appends one event block, or nothing. TUSK_EINVAL: CR, LF or NUL in type, id or comment, anything
 * that is not UTF-8. Data is split at CR LF, LF and CR, so that its line ends all arrive as LF. */
TUSK_API tusk_err tusk_sse_encode(tusk_buf *out, const tusk_sse_event *event);
/* Bytes that tusk_sse_encode would append at most. */
TUSK_API size_t tusk_sse_encode_max(const tusk_sse_event *event);
TUSK_API tusk_err tusk_sse_comment(tusk_buf *out,
                                   tusk_bytes text); /* a block of its own; ":\n\n" when empty */

/* Does a Content-Type (the field's value) say text/event-stream, in any case and with any
 * parameters? RFC 9110, 8.3.1. */
TUSK_API bool tusk_sse_is_content_type(tusk_bytes value);

typedef struct tusk_sse_parser {
    tusk_buf line; /* an unfinished line */
    tusk_buf data;
    tusk_buf type;
    tusk_buf id;      /* the last-event-id buffer */
    tusk_buf last_id; /* the source's last event id */
    int64_t retry_ms; /* -1: none said yet */
    bool after_cr;
    bool started; /* BOM looked at */
    bool pending_clear;
    bool id_changed;
    uint8_t bom_seen;
} tusk_sse_parser;

/* Limits: bytes of a line and of an event's data; TUSK_ETOOBIG past them. A new parser owns no
 * memory. */
TUSK_API void tusk_sse_parser_init(tusk_sse_parser *self, const tusk_mem *mem, size_t line_max,
                                   size_t data_max);
TUSK_API void tusk_sse_parser_fini(tusk_sse_parser *self);
/* Consumes input up to and with the end of one event: > 0 consumed; `*got` tells whether `*event`
 * is filled (borrowed until the next call). Call again while input is left. Invalid UTF-8 becomes
 * U+FFFD. After an error (TUSK_ETOOBIG, TUSK_ENOMEM) only reset or fini may follow. */
TUSK_API ptrdiff_t tusk_sse_parse(tusk_sse_parser *self, tusk_bytes in, tusk_sse_event *event,
                                  bool *got);
/* The stream ended: an unfinished event is thrown away, the last id and the retry time stay. No
 * memory is needed, and so nothing can fail. */
TUSK_API void tusk_sse_parser_reset(tusk_sse_parser *self);
/* What a reconnect sends as Last-Event-ID (nothing when empty); borrowed until the next call. */
static inline tusk_bytes tusk_sse_last_id(const tusk_sse_parser *self)
{
    return tusk_buf_view(&self->last_id);
}

#ifdef __cplusplus
}
#endif
#endif
