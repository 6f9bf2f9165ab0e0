/* SPDX-License-Identifier: MIT */
/* Request heads: the request line, its four forms of target, and what a request must carry. */
#include "proto/ascii.h"
#include "proto/authority.h"
#include "proto/http1_head.h"

enum { METHOD_MAX = 24 };

bool tusk_http_idempotent(tusk_http_method method)
{
    switch (method) {
    case TUSK_HTTP_GET:
    case TUSK_HTTP_HEAD:
    case TUSK_HTTP_PUT:
    case TUSK_HTTP_DELETE:
    case TUSK_HTTP_OPTIONS:
    case TUSK_HTTP_TRACE: return true;
    case TUSK_HTTP_POST:
    case TUSK_HTTP_PATCH:
    case TUSK_HTTP_CONNECT:
    case TUSK_HTTP_OTHER: return false;
    }
    return false;
}

bool tusk_http_begins_head(tusk_bytes in)
{
    static const char head[] = {'H', 'E', 'A', 'D', ' '};
    while (in.len > 0 && (in.ptr[0] == '\r' || in.ptr[0] == '\n')) { /* RFC 9112, 2.2 */
        in = tusk_bytes_of(in.ptr + 1, in.len - 1);
    }
    return in.len >= sizeof(head) && memcmp(in.ptr, head, sizeof(head)) == 0;
}

tusk_http_method tusk_http_method_of(tusk_bytes name)
{
    static const struct {
        tusk_bytes name;
        tusk_http_method method;
    } known[] = {
        {{(const uint8_t *)"POST", 4}, TUSK_HTTP_POST},
        {{(const uint8_t *)"HEAD", 4}, TUSK_HTTP_HEAD},
        {{(const uint8_t *)"PUT", 3}, TUSK_HTTP_PUT},
        {{(const uint8_t *)"DELETE", 6}, TUSK_HTTP_DELETE},
        {{(const uint8_t *)"PATCH", 5}, TUSK_HTTP_PATCH},
        {{(const uint8_t *)"OPTIONS", 7}, TUSK_HTTP_OPTIONS},
        {{(const uint8_t *)"CONNECT", 7}, TUSK_HTTP_CONNECT},
        {{(const uint8_t *)"TRACE", 5}, TUSK_HTTP_TRACE},
    };
    if (TUSK_LIKELY(name.len == 3 && memcmp(name.ptr, "GET", 3) == 0)) {
        return TUSK_HTTP_GET;
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (tusk_bytes_eq(name, known[i].name)) {
            return known[i].method;
        }
    }
    return TUSK_HTTP_OTHER;
}

/* ---- targets (RFC 9112, 3.2) ---- */
static int split_query(tusk_http_head *head, tusk_bytes text)
{
    head->path = text;
    if (text.len == 1 && text.ptr[0] == '/') { /* a front page: nothing to look for */
        return TUSK__HTTP_DONE;
    }
    const uint8_t *mark = text.len == 0 ? NULL : memchr(text.ptr, '?', text.len);
    if (mark != NULL) {
        head->path.len = (size_t)(mark - text.ptr);
        head->query = tusk_bytes_of(mark + 1, text.len - head->path.len - 1);
    }
    if (head->path.len == 0) {
        head->path = tusk_bytes_of("/", 1); /* an absolute-form target without a path */
    }
    /* "/%zz" would be decoded to what "/%25zz" is. A query is the application's to read. */
    return tusk__escapes_whole(head->path) ? TUSK__HTTP_DONE : TUSK_EPROTO;
}

/* Bytes of the scheme with its "://", 0 when it is none of ours. */
static size_t scheme_len(tusk_bytes target)
{
    static const char *const schemes[] = {"http://", "https://", "ws://", "wss://"};
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        size_t len = strlen(schemes[i]);
        if (target.len > len &&
            tusk_bytes_eq_nocase(tusk_bytes_of(target.ptr, len), tusk_bytes_of(schemes[i], len))) {
            return len;
        }
    }
    return 0;
}

/* As a whole, which "OPTIONS http://host" says as well (RFC 9112, 3.2.4). */
static int ask_the_server(tusk_http_head *head)
{
    head->path = tusk_bytes_of("*", 1);
    return head->method == TUSK_HTTP_OPTIONS ? TUSK__HTTP_DONE : TUSK_EPROTO;
}

static int read_absolute_form(tusk_http_head *head, tusk_bytes *authority)
{
    tusk_bytes target = head->target;
    tusk__authority parts;
    size_t skip = scheme_len(target);
    size_t stop = skip;
    while (stop < target.len && target.ptr[stop] != '/' && target.ptr[stop] != '?') {
        stop++;
    }
    *authority = tusk_bytes_of(target.ptr + skip, stop - skip);
    if (skip == 0 || !tusk__authority_parse(&parts, *authority)) {
        return TUSK_EPROTO;
    }
    if (stop == target.len && head->method == TUSK_HTTP_OPTIONS) {
        return ask_the_server(head);
    }
    return split_query(head, tusk_bytes_of(target.ptr + stop, target.len - stop));
}

static int read_target(tusk_http_head *head, tusk_bytes *authority)
{
    tusk__authority parts;
    if (head->method == TUSK_HTTP_CONNECT) {
        *authority = head->target;
        return tusk__authority_parse(&parts, head->target) && parts.has_port ? TUSK__HTTP_DONE
                                                                             : TUSK_EPROTO;
    }
    if (head->target.ptr[0] == '/') {
        return split_query(head, head->target);
    }
    if (head->target.len == 1 && head->target.ptr[0] == '*') {
        return ask_the_server(head);
    }
    return read_absolute_form(head, authority);
}

/* ---- the request line ---- */
/* RFC 9112, 2.2: an empty line that an old client sent after a body. One, not more. */
static int skip_empty_line(tusk__http_reader *self)
{
    if (self->at < self->end && *self->at == '\r') {
        return tusk__http_line_end(self, self->at);
    }
    return TUSK__HTTP_DONE;
}

static int read_request_line(tusk__http_reader *self, uint32_t line_max)
{
    tusk_http_head *head = self->head;
    const uint8_t *line = self->at;
    bool get = self->end - line > 4 && memcmp(line, "GET ", 4) == 0; /* as most are */
    const uint8_t *stop = self->end - line > METHOD_MAX + 1 ? line + METHOD_MAX + 1 : self->end;
    const uint8_t *space = get ? line + 3 : tusk__skip(line, stop, TUSK__TOKEN);
    if (space - line > METHOD_MAX) {
        return TUSK_EMETHOD; /* RFC 9112, 3: longer than any we know */
    }
    if (space == self->end) {
        return TUSK__HTTP_MORE;
    }
    if (*space != ' ' || space == line) {
        return TUSK_EPROTO;
    }
    head->method_name = tusk_bytes_of(line, (size_t)(space - line));
    head->method = get ? TUSK_HTTP_GET : tusk_http_method_of(head->method_name);

    const uint8_t *target = space + 1;
    const uint8_t *after = tusk__skip_target(target, self->end);
    if ((size_t)(after - line) + TUSK__HTTP_LINE_REST > line_max) {
        return TUSK_EURI;
    }
    if (after == self->end) {
        self->spot = SPOT_TARGET;
        return TUSK__HTTP_MORE;
    }
    if (*after != ' ' || after == target) {
        return TUSK_EPROTO;
    }
    head->target = tusk_bytes_of(target, (size_t)(after - target));
    int result = tusk__http_version(self, after + 1);
    return result == TUSK__HTTP_DONE ? tusk__http_line_end(self, after + TUSK__HTTP_LINE_REST)
                                     : result;
}

/* The target's wins over Host, which is ignored (RFC 9112, 3.2.2): whoever looks the field up finds
 * what counts. */
static void take_authority(tusk_http_head *head, tusk_bytes authority)
{
    head->authority = authority;
    for (uint32_t i = 0; i < head->field_count; i++) {
        tusk_http_field *field = &head->fields[i];
        if (tusk_bytes_eq_nocase(field->name, tusk_bytes_of("host", 4))) {
            field->value = authority;
        }
    }
}

static int read_request(tusk__http_reader *self, const tusk_http_limits *limits)
{
    tusk_http_head *head = self->head;
    tusk_bytes authority = {.ptr = NULL, .len = 0};
    int result = skip_empty_line(self);
    if (result == TUSK__HTTP_DONE) {
        result = read_request_line(self, limits->line_max);
    }
    if (result == TUSK__HTTP_DONE) {
        result = read_target(head, &authority);
    }
    if (result == TUSK__HTTP_DONE) {
        result = tusk__http_fields(self, limits->fields_max);
    }
    if (result != TUSK__HTTP_DONE) {
        return result;
    }
    if (head->minor > 0 && (self->seen & SEEN_HOST) == 0) {
        return TUSK_EPROTO;
    }
    if (authority.ptr != NULL) {
        take_authority(head, authority);
    }
    tusk__http_connection(self);
    return TUSK__HTTP_DONE;
}

ptrdiff_t tusk_http_request_parse(tusk_http_head *head, tusk_bytes in,
                                  const tusk_http_limits *limits, size_t *scanned)
{
    tusk__http_reader reader = {.head = head, .is_request = true};
    return tusk__http_head_parse(&reader, in, limits, scanned, read_request);
}
