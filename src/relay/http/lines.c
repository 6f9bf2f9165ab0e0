/* SPDX-License-Identifier: MIT */
/* Lines of heads: names that are of one hop, runs that go on as they came. */
#include "relay/http/lines.h"

#include "base/decimal.h"

void http_put_number(http_writer *self, uint64_t value)
{
    uint8_t digits[DECIMAL_MAX];
    http_put_bytes(self, tusk__decimal(digits, value));
}

void http_put_via(http_writer *self, const http_via *via, uint8_t minor)
{
    if (via->name.len == 0) {
        return;
    }
    if (minor == 0) {
        HTTP_PUT(self, "Via: 1.0 ");
    } else {
        HTTP_PUT(self, "Via: 1.1 ");
    }
    http_put_bytes(self, via->name);
    HTTP_PUT(self, "\r\n");
}

/* ---- Connection ---- */
static bool is_plain_option(tusk_bytes token)
{
    return HTTP_NAMED(token, "close") || HTTP_NAMED(token, "keep-alive") ||
           HTTP_NAMED(token, "upgrade");
}

tusk_err http_options_collect(http_options *self, const tusk_http_head *head)
{
    tusk_bytes token;
    size_t cursor = 0;
    self->count = 0;
    while (tusk_http_next_token(head, "connection", &cursor, &token)) {
        if (is_plain_option(token)) {
            continue; /* removed anyway */
        }
        if (self->count == HTTP_CONNECTION_OPTIONS_MAX) {
            return TUSK_EHEADERS;
        }
        self->names[self->count++] = token;
    }
    return TUSK_OK;
}

/* "TE" beside them says that trailers are taken. */
bool http_names_own_fields(const tusk_http_head *head)
{
    tusk_bytes token;
    size_t cursor = 0;
    while (tusk_http_next_token(head, "connection", &cursor, &token)) {
        if (!is_plain_option(token) && !HTTP_NAMED(token, "te")) {
            return true;
        }
    }
    return false;
}

bool http_options_have(const http_options *self, tusk_bytes name)
{
    for (size_t i = 0; i < self->count; i++) {
        if (tusk_bytes_eq_nocase(self->names[i], name)) {
            return true;
        }
    }
    return false;
}

/* Proxy is no field at all, but CGI makes HTTP_PROXY of it. */
bool http_is_of_this_hop(tusk_bytes name)
{
    switch (name.ptr[0] | 0x20) {
    case 'c': return HTTP_NAMED(name, "connection") || HTTP_NAMED(name, "content-length");
    case 'h': return HTTP_NAMED(name, "http2-settings");
    case 'k': return HTTP_NAMED(name, "keep-alive");
    case 'p': return HTTP_NAMED(name, "proxy") || HTTP_BEGINS(name, "proxy-");
    case 't': return HTTP_NAMED(name, "te") || HTTP_NAMED(name, "transfer-encoding");
    case 'u': return HTTP_NAMED(name, "upgrade");
    default: return false;
    }
}

/* ---- runs of lines ---- */
const uint8_t *http_colon_of(const uint8_t *name_end, const uint8_t *end)
{
    while (name_end < end && (*name_end == ' ' || *name_end == '\t')) {
        name_end++;
    }
    return name_end;
}

void http_put_fields(http_writer *self, const tusk_http_head *head, tusk_bytes raw,
                     http_judge fate_of, void *user)
{
    const uint8_t *end = raw.ptr + raw.len - 2; /* the empty line */
    const uint8_t *run = NULL;
    for (uint32_t i = 0; i < head->field_count; i++) {
        tusk_bytes name = head->fields[i].name;
        const uint8_t *colon = name.ptr + name.len;
        bool passes = fate_of(user, &head->fields[i]) == HTTP_FIELD_PASSES;
        if (passes && TUSK_LIKELY(*colon == ':')) {
            run = run == NULL ? name.ptr : run;
            continue;
        }
        if (run != NULL) {
            http_put(self, run, (size_t)(name.ptr - run));
            run = NULL;
        }
        if (passes) {
            http_put_bytes(self, name);
            run = http_colon_of(colon, end);
        }
    }
    if (run != NULL) {
        http_put(self, run, (size_t)(end - run));
    }
}
