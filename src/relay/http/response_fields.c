/* SPDX-License-Identifier: MIT */
/* Responses and trailers as they leave, and what a route brings along for an answer of ours. */
#include "relay/http/fields.h"

#include "proto/ascii.h"
#include "relay/http/lines.h"

/* ---- responses ---- */
typedef struct response_judge {
    http_options options;
    bool upgrade;
    bool trailer;
    bool no_via;
    bool upgrades; /* such a field passed */
    bool dated;
} response_judge;

static http_fate judge_response(void *user, const tusk_http_field *field)
{
    response_judge *self = user;
    tusk_bytes name = field->name;
    if (http_is_of_this_hop(name)) {
        bool passes = self->upgrade && HTTP_NAMED(name, "upgrade");
        self->upgrades = self->upgrades || passes;
        return passes ? HTTP_FIELD_PASSES : HTTP_FIELD_GOES;
    }
    if (!self->trailer && HTTP_NAMED(name, "trailer")) {
        return HTTP_FIELD_GOES; /* they cannot follow */
    }
    if (self->no_via && HTTP_NAMED(name, "via")) {
        return HTTP_FIELD_GOES;
    }
    if (http_options_have(&self->options, name)) {
        return HTTP_FIELD_GOES;
    }
    self->dated = self->dated || tusk_bytes_eq_nocase(name, tusk_bytes_of("date", 4));
    return HTTP_FIELD_PASSES;
}

/* Our version, and the rest of the line as it came; some servers leave out the space before an
 * empty reason, which RFC 9112, 4 wants. */
static void put_status_line(http_writer *self, const tusk_http_head *head, tusk_bytes raw)
{
    enum { VERSION_LEN = 8, STATUS_LEN = 4 };
    const uint8_t *end = head->field_count > 0 ? head->fields[0].name.ptr : raw.ptr + raw.len - 2;
    const uint8_t *status = raw.ptr + VERSION_LEN;
    HTTP_PUT(self, "HTTP/1.1");
    http_put(self, status, STATUS_LEN);
    if (status[STATUS_LEN] != ' ') {
        HTTP_PUT(self, " ");
    }
    http_put(self, status + STATUS_LEN, (size_t)(end - status) - STATUS_LEN);
}

static bool tells_length(const tusk_http_head *head, const http_response_how *how)
{
    if (head->content_length < 0 || head->status < 200 || head->status == 204) {
        return false; /* RFC 9110, 8.6 */
    }
    return how->framing == HTTP_BODY_LENGTH || how->framing == HTTP_BODY_NONE;
}

static void put_date(http_writer *self, int64_t now_s)
{
    char date[29];
    tusk_http_date(date, now_s);
    HTTP_PUT(self, "Date: ");
    http_put(self, date, sizeof(date));
    HTTP_PUT(self, "\r\n");
}

/* What is said of this connection; Upgrade goes with its option (RFC 9110, 7.8). */
static void put_response_connection(http_writer *self, const tusk_http_head *head,
                                    const http_response_how *how, bool upgrades)
{
    bool final = head->status >= 200;
    bool closes = final && !how->keep_alive;
    bool keeps = final && how->keep_alive && how->minor == 0;
    if (!upgrades && !closes && !keeps) {
        return;
    }
    HTTP_PUT(self, "Connection: ");
    if (upgrades) {
        HTTP_PUT(self, "Upgrade");
    }
    if (upgrades && (closes || keeps)) {
        HTTP_PUT(self, ", ");
    }
    if (closes) {
        HTTP_PUT(self, "close");
    } else if (keeps) {
        HTTP_PUT(self, "keep-alive");
    }
    HTTP_PUT(self, "\r\n");
}

static void put_response_end(http_writer *self, const tusk_http_head *head,
                             const http_response_how *how, const response_judge *judged)
{
    if (tells_length(head, how)) {
        HTTP_PUT(self, "Content-Length: ");
        http_put_number(self, (uint64_t)head->content_length);
        HTTP_PUT(self, "\r\n");
    } else if (how->framing == HTTP_BODY_CHUNKED) {
        HTTP_PUT(self, "Transfer-Encoding: chunked\r\n");
    }
    http_put_via(self, &how->via, head->minor);
    if (head->status >= 200 && !judged->dated) {
        put_date(self, how->now_s);
    }
    put_response_connection(self, head, how, head->status == 101 || judged->upgrades);
    HTTP_PUT(self, "\r\n");
}

tusk_err http_response_write(tusk_buf *out, const tusk_http_head *head,
                             const http_response_how *how)
{
    http_writer self = {.out = out, .err = TUSK_OK};
    response_judge judged = {.upgrade = head->status == 101 || head->status == 426,
                             .trailer = how->framing == HTTP_BODY_CHUNKED,
                             .no_via = how->via.alone};
    tusk_err err = http_options_collect(&judged.options, head);
    if (err != TUSK_OK) {
        return err;
    }
    put_status_line(&self, head, how->raw);
    http_put_fields(&self, head, how->raw, judge_response, &judged);
    put_response_end(&self, head, how, &judged);
    return self.err;
}

/* ---- trailers ---- */
/* Fields for framing, routing, request control, authentication and content are not taken from a
 * trailer section: who merges it into the head would be deceived. */
static bool may_trail(tusk_bytes name)
{
    static const char *const barred[] = {
        "host",
        "te",
        "trailer",
        "expect",
        "max-forwards",
        "authorization",
        "set-cookie",
        "cookie",
        "range",
        "content-type",
        "cache-control",
        "content-range",
        "content-encoding",
        "forwarded",
        "via",
        "www-authenticate",
        "location",
        "age",
        "date",
        "expires",
        "vary",
        "retry-after",
    };
    if (http_is_of_this_hop(name) || HTTP_BEGINS(name, "x-forwarded-") ||
        HTTP_NAMED(name, "x-real-ip") || HTTP_BEGINS(name, "if-")) {
        return false;
    }
    for (size_t i = 0; i < sizeof(barred) / sizeof(barred[0]); i++) {
        size_t len = strlen(barred[i]);
        if (name.len == len && http_is_named(name, barred[i], len)) {
            return false;
        }
    }
    return true;
}

tusk_err http_trailers_write(tusk_buf *out, tusk_bytes section)
{
    http_writer self = {.out = out, .err = TUSK_OK};
    const uint8_t *at = section.ptr;
    const uint8_t *end = section.ptr + section.len;
    while (at < end) {
        const uint8_t *lf = memchr(at, '\n', (size_t)(end - at));
        const uint8_t *next = lf == NULL ? end : lf + 1;
        tusk_bytes name = tusk_bytes_of(at, (size_t)(tusk__skip_token(at, next) - at));
        const uint8_t *colon = http_colon_of(name.ptr + name.len, next);
        if (name.len > 0 && colon < next && *colon == ':' && may_trail(name)) {
            http_put_bytes(&self, name);
            http_put(&self, colon, (size_t)(next - colon));
        }
        at = next;
    }
    return self.err;
}

/* ---- what a route brings ---- */
/* Of this hop, and what an answer of that status is about. */
static bool is_asked_for(tusk_bytes name, uint16_t status)
{
    return (status == 426 && HTTP_NAMED(name, "upgrade")) ||
           (status == 407 && HTTP_NAMED(name, "proxy-authenticate"));
}

bool tusk_relay_fields_valid(uint16_t status, tusk_bytes fields)
{
    if (fields.len == 0) {
        return true;
    }
    const uint8_t *at = fields.ptr;
    const uint8_t *end = fields.ptr + fields.len;
    while (at < end) {
        const uint8_t *colon = tusk__skip_token(at, end);
        const uint8_t *cr = colon == end ? end : tusk__skip_value(colon + 1, end);
        tusk_bytes name = tusk_bytes_of(at, (size_t)(colon - at));
        if (colon == at || end - cr < 2 || *colon != ':' || cr[0] != '\r' || cr[1] != '\n' ||
            (http_is_of_this_hop(name) && !is_asked_for(name, status))) {
            return false;
        }
        at = cr + 2;
    }
    return true;
}
