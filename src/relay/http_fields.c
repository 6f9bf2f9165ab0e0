/* SPDX-License-Identifier: MIT */
/* Heads as they leave: lines that go on are copied in runs, those of this hop are left out. */
#include "relay/http_fields.h"

#include "base/decimal.h"
#include "proto/ascii.h"
#include "proto/authority.h"

/* What becomes of a field. */
typedef enum field_fate { FIELD_PASSES, FIELD_GOES } field_fate;

typedef struct writer {
    tusk_buf *out;
    tusk_err err;
} writer;

static void put(writer *self, const void *ptr, size_t len)
{
    if (self->err == TUSK_OK && len > 0) {
        self->err = tusk_buf_append(self->out, ptr, len);
    }
}

static void put_bytes(writer *self, tusk_bytes bytes)
{
    put(self, bytes.ptr, bytes.len);
}

#define PUT(self, literal) put((self), "" literal, sizeof(literal) - 1)

static void put_number(writer *self, uint64_t value)
{
    uint8_t digits[DECIMAL_MAX];
    put_bytes(self, tusk__decimal(digits, value));
}

/* A name as CGI and its like see it: "_" there is what "-" is here, so that a client cannot say
 * X_Forwarded_For past us. `lower` has no "_". */
static bool is_named(tusk_bytes name, const char *lower, size_t len)
{
    if (name.len < len) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        uint8_t c = name.ptr[i];
        c = c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c == '_' ? (uint8_t)'-' : c;
        if (c != (uint8_t)lower[i]) {
            return false;
        }
    }
    return true;
}

#define NAMED(name, literal)                                                                       \
    ((name).len == sizeof(literal) - 1 && is_named((name), literal, sizeof(literal) - 1))
#define BEGINS(name, literal) is_named((name), literal, sizeof(literal) - 1)

/* ---- Connection: what its sender meant for us alone ---- */
typedef struct options {
    size_t count;
    tusk_bytes names[HTTP_CONNECTION_OPTIONS_MAX];
} options;

static bool is_plain_option(tusk_bytes token)
{
    return NAMED(token, "close") || NAMED(token, "keep-alive") || NAMED(token, "upgrade");
}

static tusk_err collect(options *self, const tusk_http_head *head)
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

static bool is_option(const options *self, tusk_bytes name)
{
    for (size_t i = 0; i < self->count; i++) {
        if (tusk_bytes_eq_nocase(self->names[i], name)) {
            return true;
        }
    }
    return false;
}

/* Fields of one hop, and those that are said anew (RFC 9110, 7.6.1). Proxy is no field at all, but
 * CGI makes HTTP_PROXY of it. */
static bool is_of_this_hop(tusk_bytes name)
{
    switch (name.ptr[0] | 0x20) {
    case 'c': return NAMED(name, "connection") || NAMED(name, "content-length");
    case 'h': return NAMED(name, "http2-settings");
    case 'k': return NAMED(name, "keep-alive");
    case 'p': return NAMED(name, "proxy") || BEGINS(name, "proxy-");
    case 't': return NAMED(name, "te") || NAMED(name, "transfer-encoding");
    case 'u': return NAMED(name, "upgrade");
    default: return false;
    }
}

/* ---- runs of lines ---- */
typedef field_fate (*judge)(void *user, const tusk_http_field *field);

/* Copies the fields that pass, line by line as they stand in `raw`, in as few pieces as can be. */
static void put_fields(writer *self, const tusk_http_head *head, tusk_bytes raw, judge fate_of,
                       void *user)
{
    const uint8_t *end = raw.ptr + raw.len - 2; /* the empty line */
    const uint8_t *run = NULL;
    for (uint32_t i = 0; i < head->field_count; i++) {
        const uint8_t *line = head->fields[i].name.ptr;
        if (fate_of(user, &head->fields[i]) == FIELD_PASSES) {
            run = run == NULL ? line : run;
        } else if (run != NULL) {
            put(self, run, (size_t)(line - run));
            run = NULL;
        }
    }
    if (run != NULL) {
        put(self, run, (size_t)(end - run));
    }
}

/* ---- requests ---- */
typedef struct request_judge {
    const http_request_how *how;
    const tusk_http_head *head;
    options options;
    bool x_proto, x_host; /* a trusted proxy said so already */
    bool x_for, standard;
} request_judge;

static field_fate judge_forwarded(request_judge *self, tusk_bytes name)
{
    const http_forward *forward = self->how->forward;
    if (!forward->trusted || forward->x_forwarded == TUSK_FORWARD_SET) {
        return FIELD_GOES;
    }
    if (NAMED(name, "x-forwarded-for")) {
        self->x_for = true; /* joined, below */
        return forward->x_forwarded == TUSK_FORWARD_APPEND ? FIELD_GOES : FIELD_PASSES;
    }
    self->x_proto = self->x_proto || NAMED(name, "x-forwarded-proto");
    self->x_host = self->x_host || NAMED(name, "x-forwarded-host");
    return FIELD_PASSES;
}

static field_fate judge_standard(request_judge *self)
{
    const http_forward *forward = self->how->forward;
    self->standard = forward->trusted && forward->standard == TUSK_FORWARD_APPEND;
    return forward->trusted && forward->standard == TUSK_FORWARD_OFF ? FIELD_PASSES : FIELD_GOES;
}

static field_fate judge_request(void *user, const tusk_http_field *field)
{
    request_judge *self = user;
    tusk_bytes name = field->name;
    if (is_of_this_hop(name)) {
        bool kept = self->how->upgrade && NAMED(name, "upgrade");
        return kept ? FIELD_PASSES : FIELD_GOES;
    }
    switch (name.ptr[0] | 0x20) {
    case 'e':
        if (NAMED(name, "expect")) {
            return FIELD_GOES;
        }
        break;
    case 'f':
        if (NAMED(name, "forwarded")) {
            return judge_standard(self);
        }
        break;
    case 'h':
        if (NAMED(name, "host")) {
            return FIELD_GOES;
        }
        break;
    case 'm':
        if (NAMED(name, "max-forwards") && self->how->max_forwards >= 0) {
            return FIELD_GOES;
        }
        break;
    case 'v':
        if (NAMED(name, "via") && self->how->forward->via.alone) {
            return FIELD_GOES;
        }
        break;
    case 'x':
        if (BEGINS(name, "x-forwarded-") || NAMED(name, "x-real-ip")) {
            return judge_forwarded(self, name);
        }
        break;
    default: break;
    }
    return is_option(&self->options, name) ? FIELD_GOES : FIELD_PASSES;
}

static void put_request_line(writer *self, const tusk_http_head *head)
{
    put_bytes(self, head->method_name);
    PUT(self, " ");
    if (head->target.ptr[0] == '/' || head->target.ptr[0] == '*') {
        put_bytes(self, head->target);
    } else { /* absolute-form is for proxies: an origin server gets the other (RFC 9112, 3.2.1) */
        put_bytes(self, head->path);
        if (head->query.ptr != NULL) {
            PUT(self, "?");
            put_bytes(self, head->query);
        }
    }
    PUT(self, " HTTP/1.1\r\n");
}

static tusk_bytes host_for(const tusk_http_head *head, const http_request_how *how)
{
    if (how->host.ptr != NULL) {
        return how->host;
    }
    return head->authority.len > 0 ? head->authority : how->fallback_host;
}

static void put_framing(writer *self, const tusk_http_head *head)
{
    if (head->chunked) {
        PUT(self, "Transfer-Encoding: chunked\r\n");
    } else if (head->content_length >= 0) {
        PUT(self, "Content-Length: ");
        put_number(self, (uint64_t)head->content_length);
        PUT(self, "\r\n");
    }
    if (head->expect_continue) {
        PUT(self, "Expect: 100-continue\r\n");
    }
}

/* What the trusted ones before us said, as one list, so that nobody reads only its first line. */
static void put_list(writer *self, const tusk_http_head *head, const char *name, size_t len)
{
    for (uint32_t i = 0; i < head->field_count; i++) {
        const tusk_http_field *field = &head->fields[i];
        if (field->name.len == len && is_named(field->name, name, len) && field->value.len > 0) {
            put_bytes(self, field->value);
            PUT(self, ", ");
        }
    }
}

static void put_x_forwarded(writer *self, const tusk_http_head *head, const request_judge *judged)
{
    const http_forward *forward = judged->how->forward;
    if (forward->peer.len > 0 || judged->x_for) {
        PUT(self, "X-Forwarded-For: ");
        if (judged->x_for) {
            put_list(self, head, "x-forwarded-for", sizeof("x-forwarded-for") - 1);
        }
        if (forward->peer.len > 0) {
            put_bytes(self, forward->peer);
        } else {
            PUT(self, "unknown");
        }
        PUT(self, "\r\n");
    }
    if (!judged->x_proto) {
        if (forward->secure) {
            PUT(self, "X-Forwarded-Proto: https\r\n");
        } else {
            PUT(self, "X-Forwarded-Proto: http\r\n");
        }
    }
    if (!judged->x_host && head->authority.len > 0) {
        PUT(self, "X-Forwarded-Host: ");
        put_bytes(self, head->authority);
        PUT(self, "\r\n");
    }
}

/* RFC 7239, 4: values with a colon or a bracket are quoted; none of ours holds a quote. */
static void put_standard(writer *self, const tusk_http_head *head, const request_judge *judged)
{
    const http_forward *forward = judged->how->forward;
    PUT(self, "Forwarded: ");
    if (judged->standard) {
        put_list(self, head, "forwarded", sizeof("forwarded") - 1);
    }
    if (forward->peer.len == 0) {
        PUT(self, "for=unknown");
    } else if (forward->ipv6) {
        PUT(self, "for=\"[");
        put_bytes(self, forward->peer);
        PUT(self, "]\"");
    } else {
        PUT(self, "for=");
        put_bytes(self, forward->peer);
    }
    if (head->authority.len > 0) {
        PUT(self, ";host=\"");
        put_bytes(self, head->authority);
        PUT(self, "\"");
    }
    if (forward->secure) {
        PUT(self, ";proto=https\r\n");
    } else {
        PUT(self, ";proto=http\r\n");
    }
}

static void put_via(writer *self, const http_via *via, uint8_t minor)
{
    if (via->name.len == 0) {
        return;
    }
    if (minor == 0) {
        PUT(self, "Via: 1.0 ");
    } else {
        PUT(self, "Via: 1.1 ");
    }
    put_bytes(self, via->name);
    PUT(self, "\r\n");
}

/* Of Connection and TE only this is passed on: trailers are taken (RFC 9110, 10.1.4). */
static void put_connection(writer *self, const tusk_http_head *head, bool upgrade)
{
    bool trailers = tusk_http_has_token(head, "te", "trailers");
    if (trailers && upgrade) {
        PUT(self, "TE: trailers\r\nConnection: TE, Upgrade\r\n");
    } else if (trailers) {
        PUT(self, "TE: trailers\r\nConnection: TE\r\n");
    } else if (upgrade) {
        PUT(self, "Connection: Upgrade\r\n");
    }
}

tusk_err http_request_write(tusk_buf *out, const tusk_http_head *head, const http_request_how *how)
{
    writer self = {.out = out, .err = TUSK_OK};
    request_judge judged = {.how = how, .head = head};
    tusk_err err = collect(&judged.options, head);
    if (err != TUSK_OK) {
        return err;
    }
    put_request_line(&self, head);
    PUT(&self, "Host: ");
    put_bytes(&self, host_for(head, how));
    PUT(&self, "\r\n");
    put_fields(&self, head, how->raw, judge_request, &judged);
    put_connection(&self, head, how->upgrade);
    put_framing(&self, head);
    if (how->max_forwards >= 0) {
        PUT(&self, "Max-Forwards: ");
        put_number(&self, (uint64_t)how->max_forwards);
        PUT(&self, "\r\n");
    }
    if (how->forward->x_forwarded != TUSK_FORWARD_OFF) {
        put_x_forwarded(&self, head, &judged);
    }
    if (how->forward->standard != TUSK_FORWARD_OFF) {
        put_standard(&self, head, &judged);
    }
    put_via(&self, &how->forward->via, head->minor);
    PUT(&self, "\r\n");
    return self.err;
}

int http_max_forwards(const tusk_http_head *head)
{
    const tusk_http_field *field = tusk_http_find(head, "max-forwards");
    int value = 0;
    if (field == NULL || field->value.len == 0 || field->value.len > 6 ||
        !tusk__all(field->value, TUSK__DIGIT)) {
        return -1;
    }
    for (size_t i = 0; i < field->value.len; i++) {
        value = value * 10 + (field->value.ptr[i] - '0');
    }
    return value;
}

tusk_bytes http_host_of(uint8_t *room, tusk_bytes authority)
{
    tusk__authority parts;
    if (authority.len == 0 || !tusk__authority_parse(&parts, authority)) {
        return tusk_bytes_of(NULL, 0);
    }
    for (size_t i = 0; i < parts.host.len; i++) {
        uint8_t c = parts.host.ptr[i];
        room[i] = c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
    }
    return tusk_bytes_of(room, parts.host.len);
}

/* ---- responses ---- */
typedef struct response_judge {
    options options;
    bool upgrade;
    bool trailer;
    bool no_via;
} response_judge;

static field_fate judge_response(void *user, const tusk_http_field *field)
{
    const response_judge *self = user;
    tusk_bytes name = field->name;
    if (is_of_this_hop(name)) {
        return self->upgrade && NAMED(name, "upgrade") ? FIELD_PASSES : FIELD_GOES;
    }
    if (!self->trailer && NAMED(name, "trailer")) {
        return FIELD_GOES; /* they cannot follow */
    }
    if (self->no_via && NAMED(name, "via")) {
        return FIELD_GOES;
    }
    return is_option(&self->options, name) ? FIELD_GOES : FIELD_PASSES;
}

/* Our version, and the rest of the line as it came; some servers leave out the space before an
 * empty reason, which RFC 9112, 4 wants. */
static void put_status_line(writer *self, const tusk_http_head *head, tusk_bytes raw)
{
    enum { VERSION_LEN = 8, STATUS_LEN = 4 };
    const uint8_t *end = head->field_count > 0 ? head->fields[0].name.ptr : raw.ptr + raw.len - 2;
    const uint8_t *status = raw.ptr + VERSION_LEN;
    PUT(self, "HTTP/1.1");
    put(self, status, STATUS_LEN);
    if (status[STATUS_LEN] != ' ') {
        PUT(self, " ");
    }
    put(self, status + STATUS_LEN, (size_t)(end - status) - STATUS_LEN);
}

static bool tells_length(const tusk_http_head *head, const http_response_how *how)
{
    if (head->content_length < 0 || head->status < 200 || head->status == 204) {
        return false; /* RFC 9110, 8.6 */
    }
    return how->framing == HTTP_BODY_LENGTH || how->framing == HTTP_BODY_NONE;
}

static void put_response_end(writer *self, const tusk_http_head *head, const http_response_how *how,
                             bool upgrade)
{
    if (tells_length(head, how)) {
        PUT(self, "Content-Length: ");
        put_number(self, (uint64_t)head->content_length);
        PUT(self, "\r\n");
    } else if (how->framing == HTTP_BODY_CHUNKED) {
        PUT(self, "Transfer-Encoding: chunked\r\n");
    }
    put_via(self, &how->via, head->minor);
    if (upgrade) {
        PUT(self, "Connection: Upgrade\r\n");
    } else if (head->status >= 200 && !how->keep_alive) {
        PUT(self, "Connection: close\r\n");
    } else if (head->status >= 200 && how->minor == 0) {
        PUT(self, "Connection: keep-alive\r\n");
    }
    PUT(self, "\r\n");
}

tusk_err http_response_write(tusk_buf *out, const tusk_http_head *head,
                             const http_response_how *how)
{
    writer self = {.out = out, .err = TUSK_OK};
    response_judge judged = {.upgrade = head->status == 101 || head->status == 426,
                             .trailer = how->framing == HTTP_BODY_CHUNKED,
                             .no_via = how->via.alone};
    tusk_err err = collect(&judged.options, head);
    if (err != TUSK_OK) {
        return err;
    }
    put_status_line(&self, head, how->raw);
    put_fields(&self, head, how->raw, judge_response, &judged);
    put_response_end(&self, head, how, head->status == 101);
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
    if (is_of_this_hop(name) || BEGINS(name, "x-forwarded-") || BEGINS(name, "if-")) {
        return false;
    }
    for (size_t i = 0; i < sizeof(barred) / sizeof(barred[0]); i++) {
        size_t len = strlen(barred[i]);
        if (name.len == len && is_named(name, barred[i], len)) {
            return false;
        }
    }
    return true;
}

tusk_err http_trailers_write(tusk_buf *out, tusk_bytes section)
{
    writer self = {.out = out, .err = TUSK_OK};
    const uint8_t *at = section.ptr;
    const uint8_t *end = section.ptr + section.len;
    while (at < end) {
        const uint8_t *lf = memchr(at, '\n', (size_t)(end - at));
        const uint8_t *next = lf == NULL ? end : lf + 1;
        const uint8_t *colon = tusk__skip_token(at, next);
        if (colon > at && colon < next && *colon == ':' &&
            may_trail(tusk_bytes_of(at, (size_t)(colon - at)))) {
            put(&self, at, (size_t)(next - at));
        }
        at = next;
    }
    return self.err;
}

/* ---- what a route brings ---- */
bool tusk_relay_fields_valid(tusk_bytes fields)
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
            is_of_this_hop(name)) {
            return false;
        }
        at = cr + 2;
    }
    return true;
}

bool tusk_relay_host_valid(tusk_bytes host)
{
    tusk__authority parts;
    return tusk__authority_parse(&parts, host);
}
