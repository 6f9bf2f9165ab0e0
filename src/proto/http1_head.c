/* SPDX-License-Identifier: MIT */
/* Heads of HTTP/1.1 messages: the field section, common to requests and responses, and how a cut
 * head goes on. */
#include "proto/http1_head.h"

#include "proto/ascii.h"
#include "proto/authority.h"

/* Saved in `scanned`: bytes seen, and in which class of bytes the input ended, in the low bits.
 */
enum { SPOT_BITS = 3, SPOT_MASK = 7 };

const tusk_http_limits *tusk_http_limits_default(void)
{
    static const tusk_http_limits limits = {
        .line_max = 8192,
        .head_max = 16384,
        .fields_max = 100,
        .chunk_line_max = 256,
        .trailers_max = 4096,
    };
    return &limits;
}

/* ---- the fields that frame a message ---- */
static int on_host(tusk__http_reader *self, tusk_bytes value)
{
    tusk__authority authority;
    if (!self->is_request) {
        return TUSK__HTTP_DONE;
    }
    if ((self->seen & SEEN_HOST) != 0 || !tusk__authority_parse(&authority, value)) {
        return TUSK_EPROTO; /* RFC 9112, 3.2: once, and valid */
    }
    self->seen |= SEEN_HOST;
    self->head->authority = value;
    return TUSK__HTTP_DONE;
}

static int on_content_length(tusk__http_reader *self, tusk_bytes value)
{
    int64_t length = 0;
    if ((self->seen & SEEN_CODING) != 0 || value.len == 0) {
        return TUSK_EPROTO; /* both: RFC 9112, 6.1, the mark of a smuggled request */
    }
    for (size_t i = 0; i < value.len; i++) {
        if (!tusk__is(value.ptr[i], TUSK__DIGIT)) {
            return TUSK_EPROTO; /* also "5, 5": lists are refused, as 6.3 allows */
        }
        int digit = value.ptr[i] - '0';
        if (length > (INT64_MAX - digit) / 10) {
            return TUSK_EPROTO;
        }
        length = length * 10 + digit;
    }
    if ((self->seen & SEEN_LENGTH) != 0 &&
        (self->is_request || length != self->head->content_length)) {
        return TUSK_EPROTO; /* no client has a reason to say it twice; some servers do: 6.3 */
    }
    self->seen |= SEEN_LENGTH;
    self->head->content_length = length;
    return TUSK__HTTP_DONE;
}

/* Not exactly "chunked": which error is it? "chunked" that is not the one and last coding leaves
 * the end of the message open to interpretation (400); anything else that is a list of codings is
 * honest and unknown here (501). */
static int refuse_coding(tusk_bytes value)
{
    tusk_bytes rest = value;
    tusk_bytes element;
    size_t count = 0;
    while (tusk__http_next_element(&rest, &element)) {
        count++;
        tusk_bytes name = element;
        name.len = (size_t)(tusk__skip(name.ptr, name.ptr + name.len, TUSK__TOKEN) - name.ptr);
        bool bare = name.len == element.len;
        if (name.len == 0 || (!bare && memchr(" \t;", element.ptr[name.len], 3) == NULL)) {
            return TUSK_EPROTO;
        }
        bool chunked = name.len == 7 && tusk__same(name.ptr, "chunked", 7);
        if (chunked && (!bare || rest.len > 0 || count == 1)) {
            return TUSK_EPROTO;
        }
    }
    return count == 0 ? TUSK_EPROTO : TUSK_ECODING;
}

static int on_transfer_encoding(tusk__http_reader *self, tusk_bytes value)
{
    if ((self->seen & (SEEN_LENGTH | SEEN_CODING)) != 0 || self->head->minor == 0) {
        return TUSK_EPROTO; /* repeated, beside a length, or in HTTP/1.0 (RFC 9112, 6.1) */
    }
    if (value.len != 7 || !tusk__same(value.ptr, "chunked", 7)) {
        return refuse_coding(value);
    }
    self->seen |= SEEN_CODING;
    self->head->chunked = true;
    return TUSK__HTTP_DONE;
}

static unsigned connection_option(tusk_bytes token)
{
    switch (token.len) {
    case 5: return tusk__same(token.ptr, "close", 5) ? SEEN_CLOSE : 0;
    case 7: return tusk__same(token.ptr, "upgrade", 7) ? SEEN_CONNECTION_UPGRADE : 0;
    case 10: return tusk__same(token.ptr, "keep-alive", 10) ? SEEN_KEEP_ALIVE : 0;
    default: return 0;
    }
}

static int on_connection(tusk__http_reader *self, tusk_bytes value)
{
    tusk_bytes token;
    unsigned option = connection_option(value); /* mostly the only one */
    if (option != 0) {
        self->seen |= option;
        return TUSK__HTTP_DONE;
    }
    while (tusk__http_next_element(&value, &token)) {
        self->seen |= connection_option(token);
    }
    return TUSK__HTTP_DONE;
}

static int on_upgrade(tusk__http_reader *self, tusk_bytes value)
{
    tusk_bytes protocol = value; /* mostly the only one */
    self->seen |= SEEN_UPGRADE;
    do {
        if (protocol.len == 9 && tusk__same(protocol.ptr, "websocket", 9)) {
            self->head->websocket = true;
        }
    } while (!self->head->websocket && tusk__http_next_element(&value, &protocol));
    return TUSK__HTTP_DONE;
}

static int on_expect(tusk__http_reader *self, tusk_bytes value)
{
    if (!self->is_request || self->head->minor == 0) {
        return TUSK__HTTP_DONE; /* RFC 9110, 10.1.1: ignored in HTTP/1.0 */
    }
    tusk_bytes expectation;
    while (tusk__http_next_element(&value, &expectation)) { /* mostly the only one */
        if (expectation.len != 12 || !tusk__same(expectation.ptr, "100-continue", 12)) {
            return TUSK_EEXPECT;
        }
        self->head->expect_continue = true;
    }
    return TUSK__HTTP_DONE;
}

static int on_field(tusk__http_reader *self, const uint8_t *name, size_t len, tusk_bytes value)
{
    switch (len) {
    case 4: return tusk__same(name, "host", 4) ? on_host(self, value) : TUSK__HTTP_DONE;
    case 6: return tusk__same(name, "expect", 6) ? on_expect(self, value) : TUSK__HTTP_DONE;
    case 7: return tusk__same(name, "upgrade", 7) ? on_upgrade(self, value) : TUSK__HTTP_DONE;
    case 10:
        return tusk__same(name, "connection", 10) ? on_connection(self, value) : TUSK__HTTP_DONE;
    case 14:
        return tusk__same(name, "content-length", 14) ? on_content_length(self, value)
                                                      : TUSK__HTTP_DONE;
    case 17:
        return tusk__same(name, "transfer-encoding", 17) ? on_transfer_encoding(self, value)
                                                         : TUSK__HTTP_DONE;
    default: return TUSK__HTTP_DONE;
    }
}

/* ---- the field section ---- */
int tusk__http_line_end(tusk__http_reader *self, const uint8_t *at)
{
    if (at == self->end) {
        return TUSK__HTTP_MORE;
    }
    if (*at != '\r') {
        return TUSK_EPROTO;
    }
    if (at + 1 == self->end) {
        return TUSK__HTTP_MORE;
    }
    if (at[1] != '\n') {
        return TUSK_EPROTO;
    }
    self->at = at + 2;
    return TUSK__HTTP_DONE;
}

int tusk__http_version(tusk__http_reader *self, const uint8_t *at)
{
    static const char name[] = "HTTP/";
    size_t have = (size_t)(self->end - at);
    if (TUSK_LIKELY(have >= TUSK__HTTP_VERSION_LEN && memcmp(at, "HTTP/1.1", 8) == 0)) {
        self->head->minor = 1;
        return TUSK__HTTP_DONE;
    }
    for (size_t i = 0; i < have && i < TUSK__HTTP_VERSION_LEN; i++) {
        bool fine = i < 5    ? at[i] == (uint8_t)name[i]
                    : i == 6 ? at[i] == '.'
                             : tusk__is(at[i], TUSK__DIGIT);
        if (!fine) {
            return TUSK_EPROTO;
        }
    }
    if (have < TUSK__HTTP_VERSION_LEN) {
        return TUSK__HTTP_MORE;
    }
    if (at[5] != '1') {
        return TUSK_EVERSION;
    }
    self->head->minor = at[7] > '0'; /* what comes after 1.1 is read as 1.1: RFC 9110, 2.5 */
    return TUSK__HTTP_DONE;
}

static const uint8_t *skip_spaces(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    return at;
}

static int read_field(tusk__http_reader *self)
{
    const uint8_t *name = self->at;
    const uint8_t *name_end = tusk__skip_token(name, self->end);
    const uint8_t *colon = name_end;
    if (colon == self->end) {
        self->spot = SPOT_NAME;
        return TUSK__HTTP_MORE;
    }
    if (*colon != ':' && self->spaced_names) {
        colon = skip_spaces(colon, self->end);
        if (colon == self->end && name_end != name) {
            self->spot = SPOT_BEFORE_COLON;
            return TUSK__HTTP_MORE;
        }
    }
    if (colon == self->end || *colon != ':' || name_end == name) {
        return TUSK_EPROTO; /* also white space before the colon, and obs-fold: RFC 9112, 5.1
                               and 5.2 */
    }
    const uint8_t *first = skip_spaces(colon + 1, self->end);
    const uint8_t *last = tusk__skip_value(first, self->end);
    if (last == self->end) {
        self->spot = SPOT_VALUE;
        return TUSK__HTTP_MORE;
    }
    int result = tusk__http_line_end(self, last);
    if (result != TUSK__HTTP_DONE) {
        return result;
    }
    while (last > first && (last[-1] == ' ' || last[-1] == '\t')) {
        last--;
    }
    tusk_http_field *field = &self->head->fields[self->head->field_count++];
    field->name = tusk_bytes_of(name, (size_t)(name_end - name));
    field->value = tusk_bytes_of(first, (size_t)(last - first));
    return on_field(self, name, field->name.len, field->value);
}

int tusk__http_fields(tusk__http_reader *self, uint32_t fields_max)
{
    int result;
    if (fields_max > TUSK_HTTP_FIELDS_CAP) {
        fields_max = TUSK_HTTP_FIELDS_CAP;
    }
    do {
        if (self->at == self->end) {
            return TUSK__HTTP_MORE;
        }
        if (*self->at == '\r') {
            return tusk__http_line_end(self, self->at);
        }
        if (self->head->field_count == fields_max) {
            return tusk__is(*self->at, TUSK__TOKEN) ? TUSK_EHEADERS : TUSK_EPROTO;
        }
        result = read_field(self);
    } while (result == TUSK__HTTP_DONE);
    return result;
}

void tusk__http_connection(tusk__http_reader *self)
{
    tusk_http_head *head = self->head;
    unsigned upgrade = SEEN_UPGRADE | SEEN_CONNECTION_UPGRADE;
    head->keep_alive =
        (self->seen & SEEN_CLOSE) == 0 && (head->minor > 0 || (self->seen & SEEN_KEEP_ALIVE) != 0);
    head->upgrade = (self->seen & upgrade) == upgrade;
}

/* ---- whole heads and cut ones ---- */
/* True when all new bytes are more of the same, so that parsing again could tell nothing. A head
 * that comes byte by byte so costs a pass over its beginning per delimiter only, of which the
 * limits allow few. */
static bool more_of_the_same(tusk_bytes in, size_t scanned)
{
    const uint8_t *at = in.ptr + (scanned >> SPOT_BITS);
    const uint8_t *end = in.ptr + in.len;
    if (scanned == 0 || at > end) {
        return false;
    }
    switch ((enum tusk__http_spot)(scanned & SPOT_MASK)) {
    case SPOT_ELSEWHERE: return at == end;
    case SPOT_TARGET: return tusk__skip_target(at, end) == end;
    case SPOT_NAME: return tusk__skip_token(at, end) == end;
    case SPOT_BEFORE_COLON: return skip_spaces(at, end) == end;
    case SPOT_REASON:
    case SPOT_VALUE: return tusk__skip_value(at, end) == end;
    }
    return false;
}

/* The array of fields stays as it is: only field_count of them are read. */
static void reset(tusk_http_head *head)
{
    const tusk_bytes none = {.ptr = NULL, .len = 0};
    head->method = TUSK_HTTP_OTHER;
    head->method_name = none;
    head->target = none;
    head->path = none;
    head->query = none;
    head->authority = none;
    head->status = 0;
    head->minor = 0;
    head->chunked = false;
    head->keep_alive = false;
    head->upgrade = false;
    head->websocket = false;
    head->expect_continue = false;
    head->until_close = false;
    head->no_body = false;
    head->content_length = -1;
    head->field_count = 0;
}

ptrdiff_t tusk__http_head_parse(tusk__http_reader *self, tusk_bytes in,
                                const tusk_http_limits *limits, size_t *scanned,
                                int (*read)(tusk__http_reader *self,
                                            const tusk_http_limits *limits))
{
    int result = TUSK__HTTP_MORE;
    in.len = in.len < limits->head_max ? in.len : limits->head_max;
    self->spot = (enum tusk__http_spot)(*scanned & SPOT_MASK);
    /* First lines have a limit of their own, which the reader knows. */
    bool long_line =
        (self->spot == SPOT_TARGET && in.len + TUSK__HTTP_LINE_REST > limits->line_max) ||
        (self->spot == SPOT_REASON && in.len > limits->line_max);
    if (long_line || !more_of_the_same(in, *scanned)) {
        self->at = in.ptr;
        self->end = in.ptr + in.len;
        self->seen = 0;
        self->spot = SPOT_ELSEWHERE;
        reset(self->head);
        result = read(self, limits);
    }
    if (result == TUSK__HTTP_MORE && in.len == limits->head_max) {
        result = TUSK_EHEADERS;
    }
    if (result == TUSK__HTTP_MORE) {
        *scanned = in.len << SPOT_BITS | (size_t)self->spot;
        return 0;
    }
    *scanned = 0;
    return result < 0 ? result : self->at - in.ptr;
}
