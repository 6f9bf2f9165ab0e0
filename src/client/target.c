/* SPDX-License-Identifier: MIT */
/* Where a URL leads, and the head of a request for it; nothing a caller gives can add a line to it.
 */
#include "client/target.h"

#include "base/mem.h"
#include "proto/url.h"

enum { TEXT_MAX = 64 * 1024, HTTP_PORT = 80, HTTPS_PORT = 443 };

/* What frames a message, or is the handshake's own. */
static const char *const reserved[] = {
    "Connection", "Upgrade", "Content-Length", "Transfer-Encoding", "Keep-Alive", "Last-Event-ID",
    "Expect",     "TE",      "Trailer",        "Proxy-Connection"};
static const char *const credentials[] = {"Authorization", "Cookie", "Proxy-Authorization"};

static bool is_one_of(tusk_bytes name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tusk_bytes_eq_nocase(name, tusk_bytes_str(names[i]))) {
            return true;
        }
    }
    return false;
}

/* Takes "Name: value\r\n" off `rest`; false when that is not what stands there. */
static bool take_field(tusk_bytes *rest, tusk_bytes *name, tusk_bytes *line)
{
    const uint8_t *end = memchr(rest->ptr, '\n', rest->len);
    if (end == NULL || end == rest->ptr || end[-1] != '\r') {
        return false;
    }
    *line = tusk_bytes_of(rest->ptr, (size_t)(end - rest->ptr) + 1);
    const uint8_t *colon = memchr(line->ptr, ':', line->len);
    if (colon == NULL) {
        return false;
    }
    *name = tusk_bytes_of(line->ptr, (size_t)(colon - line->ptr));
    rest->ptr += line->len;
    rest->len -= line->len;
    return tusk_http_name_valid(*name) &&
           tusk_http_value_valid(tusk_bytes_of(colon + 1, line->len - name->len - 3));
}

static bool are_fields(tusk_bytes rest)
{
    const tusk_bytes websocket = tusk_bytes_str("Sec-WebSocket-");
    tusk_bytes name;
    tusk_bytes line;
    while (rest.len > 0) {
        if (!take_field(&rest, &name, &line) ||
            is_one_of(name, reserved, sizeof(reserved) / sizeof(reserved[0])) ||
            (name.len >= websocket.len &&
             tusk_bytes_eq_nocase(tusk_bytes_of(name.ptr, websocket.len), websocket))) {
            return false;
        }
    }
    return true;
}

static bool has_field(tusk_bytes rest, const char *wanted)
{
    tusk_bytes name;
    tusk_bytes line;
    while (rest.len > 0 && take_field(&rest, &name, &line)) {
        if (tusk_bytes_eq_nocase(name, tusk_bytes_str(wanted))) {
            return true;
        }
    }
    return false;
}

static bool is_scheme(tusk_bytes scheme, const char *name)
{
    return tusk_bytes_eq_nocase(scheme, tusk_bytes_str(name));
}

/* Everything that follows from the URL in `text`. */
static tusk_err read_url(tusk__target *self, bool websocket)
{
    tusk_bytes text = tusk_buf_view(&self->text);
    tusk_bytes url = tusk_bytes_of(text.ptr, self->url_len);
    if (tusk_url_parse(&self->url, url) != TUSK_OK || self->url.host.len > TARGET_HOST_MAX) {
        return TUSK_EINVAL;
    }
    self->fields = tusk_bytes_of(text.ptr + self->url_len, text.len - self->url_len);
    self->secure =
        is_scheme(self->url.scheme, "https") || (websocket && is_scheme(self->url.scheme, "wss"));
    if (!self->secure && !is_scheme(self->url.scheme, "http") &&
        !(websocket && is_scheme(self->url.scheme, "ws"))) {
        return TUSK_EINVAL;
    }
    self->port = self->url.port > 0 ? self->url.port : self->secure ? HTTPS_PORT : HTTP_PORT;
    memcpy(self->host, self->url.host.ptr, self->url.host.len);
    self->host[self->url.host.len] = '\0';
    return TUSK_OK;
}

tusk_err tusk__target_init(tusk__target *self, const tusk_mem *mem,
                           const tusk_client_target *source, bool websocket)
{
    memset(self, 0, sizeof(*self));
    self->mem = mem;
    self->url_len = source->url.len;
    tusk_buf_init(&self->text, mem, TEXT_MAX);
    tusk_err err = are_fields(source->fields) && source->url.len > 0 ? TUSK_OK : TUSK_EINVAL;
    if (err == TUSK_OK) {
        err = tusk_buf_append(&self->text, source->url.ptr, source->url.len);
    }
    if (err == TUSK_OK) {
        err = tusk_buf_append(&self->text, source->fields.ptr, source->fields.len);
    }
    if (err == TUSK_OK) {
        err = read_url(self, websocket);
    }
    if (err != TUSK_OK) {
        tusk__target_fini(self);
        return err == TUSK_ETOOBIG ? TUSK_EINVAL : err;
    }
    self->tls = source->tls != NULL ? tusk_tls_ref(source->tls) : NULL;
    return TUSK_OK;
}

void tusk__target_fini(tusk__target *self)
{
    if (self->tls != NULL) {
        tusk_tls_unref(self->tls);
    }
    tusk_buf_fini(&self->text);
    memset(self, 0, sizeof(*self));
}

bool tusk__target_same_origin(const tusk__target *a, const tusk__target *b)
{
    return a->secure == b->secure && a->port == b->port && a->tls == b->tls &&
           tusk_bytes_eq_nocase(tusk_bytes_str(a->host), tusk_bytes_str(b->host));
}

/* ---- redirects ---- */
static tusk_err append_bytes(tusk_buf *out, tusk_bytes bytes)
{
    return tusk_buf_append(out, bytes.ptr, bytes.len);
}

/* A fragment is no part of what is asked for, and leads nowhere (RFC 3986, 3.5). */
static tusk_bytes without_fragment(tusk_bytes url)
{
    const uint8_t *mark = url.len == 0 ? NULL : memchr(url.ptr, '#', url.len);
    return tusk_bytes_of(url.ptr, mark == NULL ? url.len : (size_t)(mark - url.ptr));
}

/* "//host/path", "/path", "?query", "name" or nothing against what was asked (RFC 3986, 5.2). */
static tusk_err append_relative(tusk_buf *out, const tusk__target *base, tusk_bytes location)
{
    const uint8_t *start = base->url.scheme.ptr;
    const uint8_t *path = base->url.path.ptr;
    size_t len = without_fragment(tusk_bytes_of(start, base->url_len)).len;
    bool has_path = path >= start && path < start + len;
    size_t authority = has_path ? (size_t)(path - start) : len;
    if (!has_path) {
        /* "http://a?q": the host ends where the query begins */
        const uint8_t *mark = memchr(start, '?', len);
        authority = mark != NULL ? (size_t)(mark - start) : len;
    }
    size_t keep = authority;
    if (location.len == 0) {
        return tusk_buf_append(out, start, len);
    }
    if (location.len > 1 && location.ptr[0] == '/' && location.ptr[1] == '/') {
        keep = base->url.scheme.len + 1;
    } else if (location.ptr[0] == '?' && has_path) {
        keep = authority + base->url.path.len;
    } else if (location.ptr[0] != '/' && location.ptr[0] != '?' && has_path) {
        keep = authority + base->url.path.len;
        while (keep > authority && start[keep - 1] != '/') {
            keep--;
        }
    }
    tusk_err err = tusk_buf_append(out, start, keep);
    if (err == TUSK_OK && keep == authority && location.ptr[0] != '/') {
        err = tusk_buf_append(out, "/", 1);
    }
    return err == TUSK_OK ? append_bytes(out, location) : err;
}

/* A ":" before any "/" or "?" ends a scheme: a relative reference has none there (RFC 3986, 4.2).
 */
static bool is_absolute(tusk_bytes location)
{
    for (size_t i = 0; i < location.len && location.ptr[i] != '/' && location.ptr[i] != '?'; i++) {
        if (location.ptr[i] == ':') {
            return true;
        }
    }
    return false;
}

/* Of an URL in `text`, of which nothing else refers to. */
static void remove_dots(tusk__target *self)
{
    uint8_t *start = self->text.ptr + self->text.start;
    uint8_t *end = start + self->url_len;
    const uint8_t *path = self->url.path.ptr;
    if (path < start || path >= end) {
        return; /* the URL has none */
    }
    size_t len = self->url.path.len;
    uint8_t *at = start + (path - start);
    bool leaves;
    size_t kept = tusk__url_remove_dots((char *)at, len, &leaves);
    memmove(at + kept, at + len, (size_t)(end - at) - len);
    self->url_len -= len - kept;
    self->text.len -= len - kept;
}

static tusk_err append_harmless(tusk_buf *out, tusk_bytes fields, bool same_origin)
{
    tusk_err err = TUSK_OK;
    tusk_bytes name;
    tusk_bytes line;
    while (fields.len > 0 && err == TUSK_OK && take_field(&fields, &name, &line)) {
        bool secret = is_one_of(name, credentials, sizeof(credentials) / sizeof(credentials[0]));
        if (same_origin || (!secret && !tusk_bytes_eq_nocase(name, tusk_bytes_str("Host")))) {
            err = append_bytes(out, line);
        }
    }
    return err;
}

tusk_err tusk__target_redirect(tusk__target *self, tusk_bytes location)
{
    tusk__target next;
    memset(&next, 0, sizeof(next));
    next.mem = self->mem;
    next.tls = self->tls;
    tusk_buf_init(&next.text, self->mem, TEXT_MAX);
    tusk_err err = location.len == 0 ? TUSK_EPROTO : TUSK_OK;
    location = without_fragment(location);
    if (err == TUSK_OK) {
        err = is_absolute(location) ? append_bytes(&next.text, location)
                                    : append_relative(&next.text, self, location);
    }
    next.url_len = next.text.len;
    if (err == TUSK_OK) {
        err = read_url(&next, false);
    }
    if (err == TUSK_OK && self->secure && !next.secure) {
        err = TUSK_EPROTO;
    }
    if (err == TUSK_OK) {
        remove_dots(&next);
        err = append_harmless(&next.text, self->fields, tusk__target_same_origin(self, &next));
    }
    if (err == TUSK_OK) {
        err = read_url(&next, false); /* the text may have moved */
    }
    if (err != TUSK_OK) {
        tusk_buf_fini(&next.text);
        return err == TUSK_ENOMEM ? err : TUSK_EPROTO;
    }
    tusk_buf_fini(&self->text);
    *self = next;
    return TUSK_OK;
}

/* ---- the request's head ---- */
static tusk_err append_host(const tusk__target *self, tusk_buf *out)
{
    char text[TARGET_HOST_MAX + 16];
    bool is_v6 = strchr(self->host, ':') != NULL;
    bool plain_port = self->port == (self->secure ? HTTPS_PORT : HTTP_PORT);
    size_t len = 0;
    size_t host_len = strlen(self->host);
    text[len] = '[';
    len += is_v6;
    memcpy(text + len, self->host, host_len);
    len += host_len;
    text[len] = ']';
    len += is_v6;
    if (!plain_port) {
        char digits[5];
        size_t first = sizeof(digits);
        for (unsigned rest = self->port; rest > 0; rest /= 10) {
            digits[--first] = (char)('0' + rest % 10);
        }
        text[len++] = ':';
        memcpy(text + len, digits + first, sizeof(digits) - first);
        len += sizeof(digits) - first;
    }
    return tusk_http_field_append(out, tusk_bytes_str("Host"), tusk_bytes_of(text, len));
}

tusk_err tusk__target_head(const tusk__target *self, tusk_buf *out, tusk_bytes method)
{
    tusk_err err = append_bytes(out, method);
    if (err == TUSK_OK) {
        err = tusk_buf_append(out, " ", 1);
    }
    if (err == TUSK_OK) {
        err = append_bytes(out, self->url.path);
    }
    if (err == TUSK_OK && self->url.query.ptr != NULL) {
        err = tusk_buf_append(out, "?", 1);
    }
    if (err == TUSK_OK) {
        err = append_bytes(out, self->url.query);
    }
    if (err == TUSK_OK) {
        err = tusk_buf_append_str(out, " HTTP/1.1\r\n");
    }
    if (err == TUSK_OK && !has_field(self->fields, "Host")) {
        err = append_host(self, out);
    }
    if (err == TUSK_OK) {
        err = append_bytes(out, self->fields);
    }
    if (err == TUSK_OK && !has_field(self->fields, "User-Agent")) {
        err = tusk_buf_append_str(out, "User-Agent: tusk/" TUSK_VERSION "\r\n");
    }
    return err;
}
