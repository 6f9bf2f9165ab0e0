/* SPDX-License-Identifier: MIT */
/* Response heads: the status line, and whether and how a body follows (RFC 9112, 6.3). */
#include "proto/ascii.h"
#include "proto/http1_head.h"

enum { STATUS_LEN = 3, STATUS_LINE_REST = 4 };

/* Three digits, the first not 0. */
static int read_status(tusk__http_reader *self, const uint8_t *at)
{
    unsigned status = 0;
    for (size_t i = 0; i < STATUS_LEN; i++) {
        if (at + i == self->end) {
            return TUSK__HTTP_MORE;
        }
        if (!tusk__is(at[i], TUSK__DIGIT) || (i == 0 && at[i] == '0')) {
            return TUSK_EPROTO;
        }
        status = status * 10 + (unsigned)(at[i] - '0');
    }
    self->head->status = (uint16_t)status;
    return TUSK__HTTP_DONE;
}

static int read_status_line(tusk__http_reader *self, uint32_t line_max)
{
    const uint8_t *line = self->at;
    int result = tusk__http_version(self, line);
    if (result != TUSK__HTTP_DONE) {
        return result;
    }
    const uint8_t *at = line + TUSK__HTTP_VERSION_LEN;
    if (at == self->end) {
        return TUSK__HTTP_MORE;
    }
    if (*at != ' ') {
        return TUSK_EPROTO;
    }
    result = read_status(self, at + 1);
    if (result != TUSK__HTTP_DONE) {
        return result;
    }
    at += STATUS_LINE_REST;
    if (at == self->end) {
        return TUSK__HTTP_MORE;
    }
    if (*at == '\r') {
        return tusk__http_line_end(
            self, at); /* without the space and the reason, as many servers send it */
    }
    if (*at != ' ') {
        return TUSK_EPROTO;
    }
    at = tusk__skip_value(at, self->end);
    if ((size_t)(at - line) > line_max) {
        return TUSK_EHEADERS;
    }
    if (at == self->end) {
        self->spot = SPOT_REASON;
        return TUSK__HTTP_MORE;
    }
    return tusk__http_line_end(self, at);
}

static bool is_without_body(const tusk_http_head *head, tusk_http_method to)
{
    return to == TUSK_HTTP_HEAD || tusk_http_content_of(head->status) == TUSK_HTTP_CONTENT_NONE ||
           (to == TUSK_HTTP_CONNECT && head->status < 300);
}

static int read_response(tusk__http_reader *self, const tusk_http_limits *limits)
{
    tusk_http_head *head = self->head;
    int result = read_status_line(self, limits->line_max);
    if (result == TUSK__HTTP_DONE) {
        result = tusk__http_fields(self, limits->fields_max);
    }
    if (result != TUSK__HTTP_DONE) {
        return result;
    }
    tusk__http_connection(self);
    head->no_body = is_without_body(head, self->to);
    if (!head->no_body && !head->chunked && head->content_length < 0) {
        head->until_close = true;
        head->keep_alive = false;
    }
    return TUSK__HTTP_DONE;
}

bool tusk_http_response_unfold(uint8_t *head, size_t len)
{
    const uint8_t *end = head + len;
    uint8_t *at = head;
    bool changed = false;
    bool first = true; /* behind the status line stands no field that could go on */
    while (at < end && (at = memchr(at, '\r', (size_t)(end - at))) != NULL && end - at > 2) {
        if (at[1] == '\n' && at[2] == '\r') {
            break; /* the empty line, or no head at all */
        }
        if (at[1] == '\n' && !first && (at[2] == ' ' || at[2] == '\t')) {
            at[0] = at[1] = ' ';
            changed = true;
        }
        first = first && at[1] != '\n';
        at++;
    }
    return changed;
}

ptrdiff_t tusk_http_response_parse(tusk_http_head *head, tusk_bytes in,
                                   const tusk_http_limits *limits, tusk_http_method to,
                                   size_t *scanned)
{
    tusk__http_reader reader = {
        .head = head, .is_request = false, .spaced_names = limits->spaced_names, .to = to};
    return tusk__http_head_parse(&reader, in, limits, scanned, read_response);
}
