/* SPDX-License-Identifier: MIT */
/* Routes as the owner declares them. */
#include "serve/server.h"

#include <sys/stat.h>

#include "proto/ascii.h"

tusk_err tusk_server_route_http(tusk_server *self, const char *method, const char *pattern,
                                void *route_user)
{
    tusk_route *route;
    if (self->handler->on_request == NULL) {
        return TUSK_EINVAL;
    }
    tusk_err err = tusk__router_add(&self->router, &route, ROUTE_HTTP, method, pattern);
    if (err == TUSK_OK) {
        route->user = route_user;
    }
    return err;
}

tusk_err tusk_server_route_fallback(tusk_server *self, void *route_user)
{
    if (self->handler->on_request == NULL) {
        return TUSK_EINVAL;
    }
    return tusk__router_add_fallback(&self->router, route_user);
}

void tusk_server_fallback_methods(tusk_server *self)
{
    self->router.fallback_methods = true;
}

tusk_err tusk_server_methods(const tusk_server *self, tusk_bytes path, tusk_buf *out)
{
    return tusk__router_allow(&self->router, path, NULL, out);
}

static bool bits_valid(uint8_t bits)
{
    return bits >= 9 && bits <= 15;
}

static bool deflate_valid(const tusk_ws_deflate_options *deflate)
{
    return !deflate->on ||
           (bits_valid(deflate->server_max_window_bits) &&
            bits_valid(deflate->client_max_window_bits) && deflate->level >= 1 &&
            deflate->level <= 9 && deflate->mem_level >= 1 && deflate->mem_level <= 9);
}

/* In lower case, as browsers write them: what answers repeat must be that to the letter. */
static tusk_err keep_origins(tusk_server *self, tusk_route *route, const tusk_bytes *origins,
                             size_t count)
{
    tusk_err err =
        tusk__route_dup_list(&self->router, &route->origins, &route->origin_count, origins, count);
    for (uint8_t i = 0; i < route->origin_count; i++) {
        uint8_t *text = (uint8_t *)(uintptr_t)route->origins[i].ptr;
        for (size_t at = 0; at < route->origins[i].len; at++) {
            text[at] |= text[at] >= 'A' && text[at] <= 'Z' ? 0x20 : 0;
        }
    }
    return err;
}

/* Answers repeat what was agreed on as it stands. */
static bool are_tokens(const tusk_bytes *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].len == 0 || !tusk__all(list[i], TUSK__TOKEN)) {
            return false;
        }
    }
    return true;
}

/* A decision that nobody takes would be owed for ever. */
static bool may_ask(const tusk_server *self, bool authorize)
{
    return !authorize || self->handler->on_authorize != NULL;
}

/* What both kinds of sessions are asked alike. */
static tusk_err add_session_route(tusk_server *self, tusk_route **out, route_kind kind,
                                  const char *pattern, const tusk_events_options *options,
                                  void *route_user)
{
    tusk_route *route;
    if (!may_ask(self, options->authorize)) {
        return TUSK_EINVAL;
    }
    tusk_err err = tusk__router_add(&self->router, &route, kind, NULL, pattern);
    if (err != TUSK_OK) {
        return err;
    }
    route->user = route_user;
    route->authorize = options->authorize;
    route->keep_target = options->keep_target;
    route->any_origin = options->any_origin;
    err = keep_origins(self, route, options->origins, options->origin_count);
    if (err != TUSK_OK) {
        tusk__router_remove(&self->router, route);
    }
    *out = route;
    return err;
}

tusk_err tusk_server_route_websocket(tusk_server *self, const char *pattern,
                                     const tusk_websocket_options *options, void *route_user)
{
    tusk_route *route;
    const tusk_events_options common = {
        .authorize = options->authorize,
        .keep_target = options->keep_target,
        .origins = options->origins,
        .origin_count = options->origin_count,
        .any_origin = options->any_origin,
    };
    if (!deflate_valid(&options->deflate) ||
        !are_tokens(options->subprotocols, options->subprotocol_count)) {
        return TUSK_EINVAL;
    }
    tusk_err err = add_session_route(self, &route, ROUTE_WEBSOCKET, pattern, &common, route_user);
    if (err != TUSK_OK) {
        return err;
    }
    route->direct = options->direct;
    route->deflate = options->deflate;
    err = tusk__route_dup_list(&self->router, &route->subprotocols, &route->subprotocol_count,
                               options->subprotocols, options->subprotocol_count);
    if (err != TUSK_OK) {
        tusk__router_remove(&self->router, route);
        return err;
    }
    if (options->deflate.on) {
        self->hub.level = options->deflate.level;
        self->hub.mem_level = options->deflate.mem_level;
        self->hub.deflate_threshold = options->deflate.threshold;
    }
    return TUSK_OK;
}

tusk_err tusk_server_route_events(tusk_server *self, const char *pattern,
                                  const tusk_events_options *options, void *route_user)
{
    tusk_route *route;
    return add_session_route(self, &route, ROUTE_STREAM, pattern, options, route_user);
}

bool tusk_files_field_own(tusk_bytes name)
{
    static const char *const names[] = {"accept-ranges",
                                        "cache-control",
                                        "connection",
                                        "content-encoding",
                                        "content-length",
                                        "content-range",
                                        "content-type",
                                        "date",
                                        "etag",
                                        "last-modified",
                                        "transfer-encoding",
                                        "vary",
                                        "x-content-type-options"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (tusk_bytes_eq_nocase(name, tusk_bytes_str(names[i]))) {
            return true;
        }
    }
    return false;
}

/* Put together once, for all answers. */
static tusk_err write_fields(tusk_route *route, const tusk_mem *mem,
                             const tusk_files_options *options)
{
    enum { NAME_MAX_BYTES = 64 };
    tusk_err err = TUSK_OK;
    size_t len = options->cache_control == NULL ? 0 : strlen(options->cache_control);
    tusk_buf_init(&route->fields, mem, NAME_MAX_BYTES + len + options->fields.len);
    if (options->cache_control != NULL) {
        err = tusk_http_field_append(&route->fields, tusk_bytes_str("Cache-Control"),
                                     tusk_bytes_of(options->cache_control, len));
    }
    route->own_fields = route->fields.len;
    return err != TUSK_OK || options->fields.len == 0
               ? err
               : tusk_buf_append(&route->fields, options->fields.ptr, options->fields.len);
}

tusk_err tusk_server_route_files(tusk_server *self, const char *prefix,
                                 const tusk_files_options *options)
{
    struct stat info;
    if (options->directory == NULL || stat(options->directory, &info) != 0 ||
        !S_ISDIR(info.st_mode)) {
        return TUSK_ENOENT;
    }
    tusk_route *route;
    tusk_err err = tusk__router_add(&self->router, &route, ROUTE_FILES, NULL, prefix);
    if (err != TUSK_OK) {
        return err;
    }
    err = tusk__route_dup_text(&self->router, &route->directory, options->directory);
    if (err == TUSK_OK && !options->follow_symlinks) {
        route->root = tusk__files_root_new(self->mem, route->directory);
        err = route->root == NULL ? TUSK_ENOMEM : TUSK_OK;
    }
    if (err == TUSK_OK) {
        err = tusk__route_dup_text(&self->router, &route->index, options->index);
    }
    if (err == TUSK_OK) {
        err = write_fields(route, self->mem, options);
    }
    if (err != TUSK_OK) {
        tusk__router_remove(&self->router, route);
    }
    return err;
}
