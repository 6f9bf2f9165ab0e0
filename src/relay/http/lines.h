/* SPDX-License-Identifier: MIT */
/* The lines of a head on their way: written, judged by their names, copied in runs. */
#ifndef RELAY_HTTP_LINES_H
#define RELAY_HTTP_LINES_H

#include "relay/http/fields.h"

/* What becomes of a field. */
typedef enum http_fate { HTTP_FIELD_PASSES, HTTP_FIELD_GOES } http_fate;

typedef struct http_writer {
    tusk_buf *out;
    tusk_err err; /* the first; nothing is written after it */
} http_writer;

static inline void http_put(http_writer *self, const void *ptr, size_t len)
{
    if (self->err == TUSK_OK && len > 0) {
        self->err = tusk_buf_append(self->out, ptr, len);
    }
}

static inline void http_put_bytes(http_writer *self, tusk_bytes bytes)
{
    http_put(self, bytes.ptr, bytes.len);
}

#define HTTP_PUT(self, literal) http_put((self), "" literal, sizeof(literal) - 1)

void http_put_number(http_writer *self, uint64_t value);
/* Ours, behind those that stand there already. */
void http_put_via(http_writer *self, const http_via *via, uint8_t minor);

/* The byte of a name as CGI and its like see it, in lower case: "_" is there what "-" is here, and
 * some make "_" of "." (PHP) or of every other sign (lighttpd). */
static inline uint8_t http_name_byte(uint8_t c)
{
    uint8_t lower = c | 0x20;
    bool letter = lower >= 'a' && lower <= 'z';
    return letter ? lower : c >= '0' && c <= '9' ? c : (uint8_t)'-';
}

/* So a client cannot say X_Forwarded_For or X.Real.IP past us. `lower` has letters, digits, "-". */
static inline bool http_is_named(tusk_bytes name, const char *lower, size_t len)
{
    if (name.len < len) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (http_name_byte(name.ptr[i]) != (uint8_t)lower[i]) {
            return false;
        }
    }
    return true;
}

#define HTTP_NAMED(name, literal)                                                                  \
    ((name).len == sizeof(literal) - 1 && http_is_named((name), literal, sizeof(literal) - 1))
#define HTTP_BEGINS(name, literal) http_is_named((name), literal, sizeof(literal) - 1)

/* Of a head's Connection fields: what its sender meant for us alone. */
typedef struct http_options {
    size_t count;
    tusk_bytes names[HTTP_CONNECTION_OPTIONS_MAX];
} http_options;

/* TUSK_EHEADERS: more than there may be. */
tusk_err http_options_collect(http_options *self, const tusk_http_head *head);
bool http_options_have(const http_options *self, tusk_bytes name);
/* Fields of one hop, and those that are said anew (RFC 9110, 7.6.1). */
bool http_is_of_this_hop(tusk_bytes name);

/* Of a field whose name ends there, white space before it or not. */
const uint8_t *http_colon_of(const uint8_t *name_end, const uint8_t *end);

typedef http_fate (*http_judge)(void *user, const tusk_http_field *field);
/* Copies the fields that pass, line by line as they stand in `raw`, in as few pieces as can be;
 * white space before a colon stays behind. */
void http_put_fields(http_writer *self, const tusk_http_head *head, tusk_bytes raw,
                     http_judge fate_of, void *user);

#endif
