/* SPDX-License-Identifier: MIT */
/* HTTP responses and event streams, client side. */
#define _GNU_SOURCE
#include "http.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "driver.h"

enum { CHUNK_SIZE, CHUNK_EXTENSION, CHUNK_DATA, CHUNK_END, CHUNK_LAST };

static bool has_prefix(const char *at, const char *end, const char *prefix)
{
    size_t n = strlen(prefix);
    return (size_t)(end - at) >= n && strncasecmp(at, prefix, n) == 0;
}

http_head http_head_of(const char *at, size_t len)
{
    http_head head = {0};
    const char *end = len < 16 ? NULL : memmem(at, len, "\r\n\r\n", 4);
    if (end == NULL) {
        return head;
    }
    head.len = (size_t)(end - at) + 4;
    head.status = atoi(at + 9);
    for (const char *line = at; line != NULL && line < end;) {
        if (has_prefix(line, end, "content-length:")) {
            head.body_len = strtoul(line + 15, NULL, 10);
            head.has_length = true;
        } else if (has_prefix(line, end, "transfer-encoding: chunked")) {
            head.chunked = true;
        }
        line = memmem(line, (size_t)(end - line), "\r\n", 2);
        line = line == NULL ? NULL : line + 2;
    }
    return head;
}

void sse_init(sse_stream *self, bool chunked)
{
    self->chunked = chunked;
    self->chunk_state = CHUNK_SIZE;
    self->chunk_left = 0;
    self->line_len = 0;
}

void sse_fini(sse_stream *self)
{
    free(self->line);
    self->line = NULL;
    self->line_cap = 0;
}

static const char *value_of(const char *line, size_t skip, const char *end)
{
    const char *at = line + skip;
    return at < end && *at == ' ' ? at + 1 : at;
}

static bool on_line(sse_stream *self, const char *line, const char *end,
                    bool (*on_data)(void *, const char *, size_t), void *user)
{
    if (end > line && end[-1] == '\r') {
        end--;
    }
    if (has_prefix(line, end, "data:")) {
        const char *value = value_of(line, 5, end);
        return on_data(user, value, (size_t)(end - value));
    }
    if (has_prefix(line, end, "id:")) {
        const char *value = value_of(line, 3, end);
        size_t n = (size_t)(end - value);
        if (n < sizeof(self->last_id)) {
            memcpy(self->last_id, value, n);
            self->last_id[n] = '\0';
        }
    } else if (has_prefix(line, end, "retry:")) {
        self->retry_ms = (uint32_t)strtoul(value_of(line, 6, end), NULL, 10);
    }
    return true;
}

static void keep(sse_stream *self, const char *at, size_t len)
{
    if (self->line_len + len > self->line_cap) {
        self->line_cap = self->line_len + len + 128;
        self->line = realloc(self->line, self->line_cap);
        if (self->line == NULL) {
            die("out of memory");
        }
    }
    memcpy(self->line + self->line_len, at, len);
    self->line_len += len;
}

static bool feed_text(sse_stream *self, const char *at, size_t len,
                      bool (*on_data)(void *, const char *, size_t), void *user)
{
    const char *end = at + len;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL) {
            keep(self, at, (size_t)(end - at));
            return true;
        }
        bool ok;
        if (self->line_len != 0) {
            keep(self, at, (size_t)(stop - at));
            ok = on_line(self, self->line, self->line + self->line_len, on_data, user);
            self->line_len = 0;
        } else {
            ok = on_line(self, at, stop, on_data, user);
        }
        if (!ok) {
            return false;
        }
        at = stop + 1;
    }
    return true;
}

static int hex_of(char c)
{
    int low = c | 0x20;
    return c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* One byte of chunk framing. */
static bool chunk_byte(sse_stream *self, char c)
{
    switch (self->chunk_state) {
    case CHUNK_SIZE:
        if (hex_of(c) >= 0) {
            self->chunk_left = self->chunk_left * 16 + (size_t)hex_of(c);
            return self->chunk_left < (1U << 30);
        }
        self->chunk_state = CHUNK_EXTENSION;
        return c == ';' || c == '\r';
    case CHUNK_EXTENSION:
        if (c == '\n') {
            self->chunk_state = self->chunk_left == 0 ? CHUNK_LAST : CHUNK_DATA;
        }
        return self->chunk_state != CHUNK_LAST;
    case CHUNK_END:
        if (c == '\n') {
            self->chunk_state = CHUNK_SIZE;
        }
        return c == '\r' || c == '\n';
    default: return false;
    }
}

bool sse_feed(sse_stream *self, const char *at, size_t len,
              bool (*on_data)(void *user, const char *data, size_t len), void *user)
{
    self->bytes += len;
    if (!self->chunked) {
        return feed_text(self, at, len, on_data, user);
    }
    while (len > 0) {
        if (self->chunk_state != CHUNK_DATA) {
            if (!chunk_byte(self, *at)) {
                return false;
            }
            at++;
            len--;
            continue;
        }
        size_t n = len < self->chunk_left ? len : self->chunk_left;
        if (!feed_text(self, at, n, on_data, user)) {
            return false;
        }
        self->chunk_left -= n;
        self->chunk_state = self->chunk_left == 0 ? CHUNK_END : CHUNK_DATA;
        at += n;
        len -= n;
    }
    return true;
}
