/* SPDX-License-Identifier: MIT */
/* Routes are kept most specific first, so that the first one that matches is the one meant. */
#include "serve/router.h"

#include <string.h>

#include "base/mem.h"

void tusk__router_init(tusk_router *self, const tusk_mem *mem)
{
    self->mem = mem;
    tusk__list_init(&self->routes);
}

static void free_text(const tusk_mem *mem, char *text)
{
    if (text != NULL) {
        tusk__free(mem, text, strlen(text) + 1);
    }
}

static void free_list(const tusk_mem *mem, tusk_bytes *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tusk__free(mem, (void *)(uintptr_t)list[i].ptr, list[i].len + 1);
    }
    tusk__free(mem, list, count * sizeof(*list));
}

static void route_free(const tusk_mem *mem, tusk_route *route)
{
    free_text(mem, route->pattern);
    free_text(mem, route->method);
    tusk__files_root_free(mem, route->root);
    free_text(mem, route->directory);
    free_text(mem, route->index);
    tusk_buf_fini(&route->fields);
    free_list(mem, route->subprotocols, route->subprotocol_count);
    free_list(mem, route->origins, route->origin_count);
    tusk__free(mem, route->segments, route->segment_count * sizeof(*route->segments));
    tusk__free(mem, route, sizeof(*route));
}

void tusk__router_remove(tusk_router *self, tusk_route *route)
{
    tusk__link_remove(&route->link);
    self->methods_bytes -= route->method == NULL ? 0 : strlen(route->method) + 2;
    route_free(self->mem, route);
}

void tusk__router_fini(tusk_router *self)
{
    tusk_link *link;
    while ((link = tusk__list_pop(&self->routes)) != NULL) {
        route_free(self->mem, TUSK_OWNER(link, tusk_route, link));
    }
    tusk__free(self->mem, self->fallback, sizeof(*self->fallback));
    self->fallback = NULL;
}

tusk_err tusk__route_dup_text(tusk_router *self, char **out, const char *text)
{
    *out = NULL;
    if (text == NULL) {
        return TUSK_OK;
    }
    size_t size = strlen(text) + 1;
    char *copy = tusk__new(self->mem, size);
    if (copy == NULL) {
        return TUSK_ENOMEM;
    }
    memcpy(copy, text, size);
    *out = copy;
    return TUSK_OK;
}

tusk_err tusk__route_dup_list(tusk_router *self, tusk_bytes **list, uint8_t *count,
                              const tusk_bytes *from, size_t n)
{
    *list = NULL;
    *count = 0;
    if (n > TUSK_ROUTE_LIST_CAP) {
        return TUSK_EINVAL;
    }
    if (n == 0) {
        return TUSK_OK;
    }
    tusk_bytes *made = tusk__new(self->mem, n * sizeof(*made));
    if (made == NULL) {
        return TUSK_ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        uint8_t *copy = tusk__new(self->mem, from[i].len + 1);
        if (copy == NULL) {
            for (size_t k = 0; k < i; k++) {
                tusk__free(self->mem, (void *)(uintptr_t)made[k].ptr, made[k].len + 1);
            }
            tusk__free(self->mem, made, n * sizeof(*made));
            return TUSK_ENOMEM;
        }
        if (from[i].len > 0) {
            memcpy(copy, from[i].ptr, from[i].len);
        }
        made[i] = tusk_bytes_of(copy, from[i].len);
    }
    *list = made;
    *count = (uint8_t)n;
    return TUSK_OK;
}

/* Where the segment that starts at `at` ends. */
static size_t segment_end(const char *text, size_t len, size_t at)
{
    while (at < len && text[at] != '/') {
        at++;
    }
    return at;
}

/* Letters, digits, "_", "-" and UTF-8. What other routers write into the braces ("{id:[0-9]+}",
 * "{id?}") means nothing here, so it is refused rather than taken for a part of the name. */
static bool is_name(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-' && c < 0x80) {
            return false;
        }
    }
    return len > 0;
}

static bool parse_segment(route_segment *out, const char *pattern, size_t start, size_t end,
                          bool last)
{
    const char *text = pattern + start;
    size_t len = end - start;
    bool open = memchr(text, '{', len) != NULL;
    bool close = memchr(text, '}', len) != NULL;
    if (!open && !close) {
        *out = (route_segment){SEGMENT_LITERAL, (uint32_t)start, (uint32_t)len};
        return true;
    }
    if (len < 3 || text[0] != '{' || text[len - 1] != '}' ||
        memchr(text + 1, '{', len - 1) != NULL) {
        return false;
    }
    bool rest = text[len - 2] == '*';
    size_t name_len = len - (rest ? 3 : 2);
    if (!is_name(text + 1, name_len) || (rest && !last)) {
        return false;
    }
    *out = (route_segment){rest ? SEGMENT_REST : SEGMENT_NAME, (uint32_t)start + 1,
                           (uint32_t)name_len};
    return true;
}

/* A name stands once in a pattern: the second would hide the first. */
static bool name_is_new(const tusk_route *route, size_t index)
{
    const route_segment *segment = &route->segments[index];
    for (size_t i = 0; segment->kind != SEGMENT_LITERAL && i < index; i++) {
        const route_segment *other = &route->segments[i];
        if (other->kind != SEGMENT_LITERAL && other->len == segment->len &&
            memcmp(route->pattern + other->start, route->pattern + segment->start, segment->len) ==
                0) {
            return false;
        }
    }
    return true;
}

static tusk_err parse_pattern(const tusk_mem *mem, tusk_route *route)
{
    const char *pattern = route->pattern;
    size_t len = route->pattern_len;
    if (len == 0 || pattern[0] != '/') {
        return TUSK_EINVAL;
    }
    size_t count = 0;
    for (size_t i = 0; i < len; i++) {
        count += pattern[i] == '/';
    }
    route->segments = tusk__new(mem, count * sizeof(*route->segments));
    if (route->segments == NULL) {
        return TUSK_ENOMEM;
    }
    route->segment_count = count;
    size_t names = 0;
    size_t at = 1;
    for (size_t i = 0; i < count; i++) {
        size_t end = segment_end(pattern, len, at);
        if (!parse_segment(&route->segments[i], pattern, at, end, i + 1 == count) ||
            !name_is_new(route, i)) {
            return TUSK_EINVAL;
        }
        names += route->segments[i].kind != SEGMENT_LITERAL;
        at = end + 1;
    }
    route->literal = names == 0;
    return names > TUSK_ROUTE_PARAMS_CAP ? TUSK_EINVAL : TUSK_OK;
}

/* < 0: `a` is more specific and comes first. */
static int compare(const tusk_route *a, const tusk_route *b)
{
    if (a->direct != b->direct) {
        return a->direct ? 1 : -1;
    }
    size_t n = a->segment_count < b->segment_count ? a->segment_count : b->segment_count;
    for (size_t i = 0; i < n; i++) {
        if (a->segments[i].kind != b->segments[i].kind) {
            return a->segments[i].kind < b->segments[i].kind ? -1 : 1;
        }
    }
    return a->segment_count > b->segment_count ? -1 : a->segment_count < b->segment_count ? 1 : 0;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

tusk_err tusk__router_add_fallback(tusk_router *self, void *user)
{
    if (self->fallback != NULL) {
        return TUSK_ESTATE;
    }
    self->fallback = tusk__new(self->mem, sizeof(*self->fallback));
    if (self->fallback == NULL) {
        return TUSK_ENOMEM;
    }
    self->fallback->kind = ROUTE_HTTP;
    self->fallback->user = user;
    return TUSK_OK;
}

tusk_err tusk__router_add(tusk_router *self, tusk_route **out, route_kind kind, const char *method,
                          const char *pattern)
{
    *out = NULL;
    tusk_route *route = tusk__new(self->mem, sizeof(*route));
    if (route == NULL) {
        return TUSK_ENOMEM;
    }
    route->kind = kind;
    tusk_err err = tusk__route_dup_text(self, &route->pattern, pattern);
    if (err == TUSK_OK) {
        route->pattern_len = strlen(pattern);
        err = tusk__route_dup_text(self, &route->method, method);
        route->gets = method == NULL || strcmp(method, "GET") == 0;
    }
    if (err == TUSK_OK) {
        err = parse_pattern(self->mem, route);
    }
    tusk_link *before = &self->routes;
    for (tusk_link *link = self->routes.next; err == TUSK_OK && link != &self->routes;
         link = link->next) {
        const tusk_route *other = TUSK_OWNER(link, tusk_route, link);
        if (other->kind == kind && same_text(other->method, method) &&
            strcmp(other->pattern, pattern) == 0) {
            err = TUSK_ESTATE;
        }
        if (before == &self->routes && compare(route, other) < 0) {
            before = link;
        }
    }
    if (err != TUSK_OK) {
        route_free(self->mem, route);
        return err;
    }
    self->methods_bytes += method == NULL ? 0 : strlen(method) + 2;
    tusk__list_push(before, &route->link); /* in front of `before` */
    *out = route;
    return TUSK_OK;
}

/* How many bytes at the front of a path stand for `literal`; -1: none do. A percent-encoded byte is
 * the byte (RFC 9110, 4.2.3), so that "/%61dmin" is no way around a route for "/admin", and a
 * pattern in UTF-8 meets what browsers make of it. An encoded "/" separates nothing, and so is no
 * part of a literal. */
static ptrdiff_t literal_at(tusk_bytes path, tusk_bytes literal)
{
    if (path.len >= literal.len && memcmp(path.ptr, literal.ptr, literal.len) == 0) {
        return (ptrdiff_t)literal.len;
    }
    size_t at = 0;
    for (size_t i = 0; i < literal.len; i++) {
        char byte;
        size_t step = at < path.len && path.ptr[at] == '%' ? 3 : 1;
        if (path.len - at < step ||
            tusk_url_decode(&byte, tusk_bytes_of(path.ptr + at, step), false) != 1 ||
            (uint8_t)byte != literal.ptr[i] || (step == 3 && byte == '/')) {
            return -1;
        }
        at += step;
    }
    return (ptrdiff_t)at;
}

static bool match_path(const tusk_route *route, tusk_bytes path, tusk_param *params, size_t *count)
{
    *count = 0;
    if (route->direct || (route->literal && path.len == route->pattern_len &&
                          memcmp(path.ptr, route->pattern, path.len) == 0)) {
        return true;
    }
    if (path.len == 0 || path.ptr[0] != '/') {
        return false;
    }
    const char *text = (const char *)path.ptr;
    size_t at = 1;
    for (size_t i = 0; i < route->segment_count; i++) {
        const route_segment *segment = &route->segments[i];
        if (at > path.len) {
            return false; /* the path has fewer segments */
        }
        size_t end = segment->kind == SEGMENT_REST ? path.len : segment_end(text, path.len, at);
        if (segment->kind == SEGMENT_LITERAL) {
            tusk_bytes piece = tusk_bytes_of(text + at, end - at);
            tusk_bytes literal = tusk_bytes_of(route->pattern + segment->start, segment->len);
            if (literal_at(piece, literal) != (ptrdiff_t)piece.len) {
                return false;
            }
        } else {
            if (end == at && segment->kind == SEGMENT_NAME) {
                return false; /* a name stands for at least one character */
            }
            params[*count].name = tusk_bytes_of(route->pattern + segment->start, segment->len);
            params[*count].value = tusk_bytes_of(text + at, end - at);
            *count += 1;
        }
        at = end + 1;
    }
    return at == path.len + 1;
}

size_t tusk__route_params(const tusk_route *route, tusk_bytes path,
                          tusk_param params[TUSK_ROUTE_PARAMS_CAP])
{
    size_t count;
    return match_path(route, path, params, &count) ? count : 0;
}

static bool method_fits(const tusk_route *route, const tusk_http_head *request)
{
    if (TUSK_LIKELY(route->gets)) {
        return request->method == TUSK_HTTP_GET || request->method == TUSK_HTTP_HEAD;
    }
    return tusk_bytes_eq(request->method_name, tusk_bytes_str(route->method));
}

/* What a browser asks before it asks (OPTIONS) makes a path no more known than it is without: a
 * route for all of them may stand beside a fallback. */
static bool makes_known(const tusk_route *route)
{
    return route->gets || route->kind != ROUTE_HTTP || strcmp(route->method, "OPTIONS") != 0;
}

ptrdiff_t tusk__route_prefix(const tusk_route *route, tusk_bytes path)
{
    size_t len = route->pattern_len;
    if (len > 0 && route->pattern[len - 1] == '/') {
        len--; /* "/" and "/static/" mean everything below */
    }
    ptrdiff_t at = path.len == 0 ? -1 : literal_at(path, tusk_bytes_of(route->pattern, len));
    /* The prefix itself is a folder asked for without its slash. */
    return at < 0 || (size_t)at == path.len || path.ptr[at] == '/' ? at : -1;
}

/* The folder with the longest prefix. */
static tusk_route *folder_of(const tusk_router *self, tusk_bytes path)
{
    tusk_route *files = NULL;
    for (tusk_link *link = self->routes.next; link != &self->routes; link = link->next) {
        tusk_route *route = TUSK_OWNER(link, tusk_route, link);
        if (route->kind == ROUTE_FILES && tusk__route_prefix(route, path) >= 0 &&
            (files == NULL || route->pattern_len > files->pattern_len)) {
            files = route;
        }
    }
    return files;
}

void tusk__router_match(const tusk_router *self, const tusk_http_head *request, bool websocket,
                        route_match *match)
{
    match->route = NULL;
    match->param_count = 0;
    match->path_known = false;
    tusk_route *refused = NULL; /* a WebSocket route asked without an upgrade */
    for (tusk_link *link = self->routes.next; link != &self->routes; link = link->next) {
        tusk_route *route = TUSK_OWNER(link, tusk_route, link);
        if (route->kind == ROUTE_FILES) {
            continue; /* they get what nobody else takes */
        }
        size_t count;
        tusk_param params[TUSK_ROUTE_PARAMS_CAP];
        if (!match_path(route, request->path, params, &count)) {
            continue;
        }
        match->path_known = match->path_known || makes_known(route);
        if (route->kind == ROUTE_WEBSOCKET) {
            if (!websocket && !route->direct) {
                refused = refused == NULL ? route : refused;
                continue;
            }
        } else if (websocket || !method_fits(route, request)) {
            continue;
        }
        match->route = route;
        match->param_count = count;
        if (count > 0) {
            memcpy(match->params, params, count * sizeof(params[0]));
        }
        return;
    }
    tusk_route *files = websocket ? NULL : folder_of(self, request->path);
    if (files != NULL) {
        match->path_known = true;
        if (method_fits(files, request)) {
            match->route = files;
            return;
        }
    }
    if (refused != NULL &&
        (request->method == TUSK_HTTP_GET || request->method == TUSK_HTTP_HEAD)) {
        match->route = refused; /* the handshake check says 426 */
    }
    bool falls =
        !match->path_known || (self->fallback_methods && request->method != TUSK_HTTP_OPTIONS);
    if (match->route == NULL && falls && !websocket && request->path.len > 0 &&
        request->path.ptr[0] == '/') {
        match->route = self->fallback; /* not for "OPTIONS *" */
    }
}

bool tusk__router_knows(const tusk_router *self, const tusk_http_head *request)
{
    for (tusk_link *link = self->routes.next;
         request->method == TUSK_HTTP_OTHER && link != &self->routes; link = link->next) {
        const tusk_route *route = TUSK_OWNER(link, tusk_route, link);
        if (route->kind == ROUTE_HTTP && method_fits(route, request)) {
            return true;
        }
    }
    return request->method != TUSK_HTTP_OTHER && request->method != TUSK_HTTP_CONNECT;
}

static bool takes(const tusk_route *route, tusk_bytes path)
{
    size_t count;
    tusk_param params[TUSK_ROUTE_PARAMS_CAP];
    return route->kind == ROUTE_FILES ? tusk__route_prefix(route, path) >= 0
                                      : match_path(route, path, params, &count);
}

/* One that is there already is not there twice. */
static tusk_err allow(tusk_buf *out, size_t from, const char *method)
{
    tusk_bytes all = tusk_buf_view(out);
    size_t len = strlen(method);
    for (size_t at = from; at < all.len; at++) {
        const uint8_t *comma = memchr(all.ptr + at, ',', all.len - at);
        size_t end = comma == NULL ? all.len : (size_t)(comma - all.ptr);
        if (end - at == len && memcmp(all.ptr + at, method, len) == 0) {
            return TUSK_OK;
        }
        at = end + 1; /* its space is passed next */
    }
    tusk_err err = all.len == from ? TUSK_OK : tusk_buf_append_str(out, ", ");
    return err != TUSK_OK ? err : tusk_buf_append_str(out, method);
}

static const char *method_of(const tusk_route *route)
{
    return route->method == NULL ? "GET" : route->method;
}

/* A WebSocket's GET is another one than a page's at the same path. */
static bool takes_the_same(const tusk_route *self, const tusk_route *other)
{
    return (self->kind == ROUTE_WEBSOCKET) == (other->kind == ROUTE_WEBSOCKET) &&
           strcmp(method_of(self), method_of(other)) == 0;
}

tusk_err tusk__router_allow(const tusk_router *self, tusk_bytes path, const tusk_route *but,
                            tusk_buf *out)
{
    static const char *const known[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
    enum { KNOWN = sizeof(known) / sizeof(known[0]) };
    size_t from = tusk_buf_view(out).len;
    tusk_err err = TUSK_OK;
    for (size_t i = 0; i <= KNOWN; i++) { /* these in their order, and then what else there is */
        for (tusk_link *link = self->routes.next; link != &self->routes && err == TUSK_OK;
             link = link->next) {
            const tusk_route *route = TUSK_OWNER(link, tusk_route, link);
            const char *method = method_of(route);
            bool wanted = i == KNOWN ? makes_known(route) : strcmp(method, known[i]) == 0;
            if (wanted && (but == NULL || !takes_the_same(route, but)) && takes(route, path)) {
                err = allow(out, from, method);
                /* HEAD wherever GET is: RFC 9110, 9.1 */
                err = err == TUSK_OK && i == 0 ? allow(out, from, known[1]) : err;
            }
        }
    }
    return err;
}

bool tusk__router_upgrades(const tusk_router *self, tusk_bytes path)
{
    for (tusk_link *link = self->routes.next; link != &self->routes; link = link->next) {
        const tusk_route *route = TUSK_OWNER(link, tusk_route, link);
        if (route->kind == ROUTE_WEBSOCKET && takes(route, path)) {
            return true;
        }
    }
    return false;
}
