/* SPDX-License-Identifier: MIT */
/* HTTP responses and event streams, as far as the driver needs them. */
#ifndef BENCH_HTTP_H
#define BENCH_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct http_head {
    int status;
    size_t len; /* of the head, 0 = incomplete */
    size_t body_len;
    bool chunked;
    bool has_length;
} http_head;

http_head http_head_of(const char *at, size_t len);

/* An event stream being read: chunks are taken off, lines are put together over reads. */
typedef struct sse_stream {
    size_t chunk_left;
    uint8_t chunk_state;
    bool chunked;
    char *line; /* an unfinished line, NULL when none */
    size_t line_len;
    size_t line_cap;
    uint32_t retry_ms;
    char last_id[64];
    uint64_t bytes;
} sse_stream;

void sse_init(sse_stream *self, bool chunked); /* keeps last_id and retry */
void sse_fini(sse_stream *self);
/* Calls `on_data` with each data line's value (the driver's payloads have one line); false = broken
 * chunking or a terminated stream. */
bool sse_feed(sse_stream *self, const char *at, size_t len,
              bool (*on_data)(void *user, const char *data, size_t len), void *user);

#endif
