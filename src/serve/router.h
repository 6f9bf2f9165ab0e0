/* SPDX-License-Identifier: MIT */
/* Routes: patterns of literal segments, {name} for one segment and {name*} for the rest; literals
 * win over names. */
#ifndef SERVE_ROUTER_H
#define SERVE_ROUTER_H

#include <tusk/server.h>

#include "base/list.h"
#include "serve/files_root.h"

typedef enum route_kind { ROUTE_HTTP, ROUTE_WEBSOCKET, ROUTE_STREAM, ROUTE_FILES } route_kind;

typedef enum segment_kind { SEGMENT_LITERAL, SEGMENT_NAME, SEGMENT_REST } segment_kind;

typedef struct route_segment {
    segment_kind kind;
    uint32_t start; /* in the route's pattern */
    uint32_t len;
} route_segment;

struct tusk_route {
    tusk_link link; /* in the router, most specific first */
    char *pattern;
    size_t pattern_len;
    char *method; /* HTTP routes; NULL: GET */
    bool gets;    /* it is GET */
    bool literal; /* without placeholders: its pattern is a path that it matches */
    route_segment *segments;
    size_t segment_count;
    route_kind kind;
    void *user;
    bool authorize;
    bool keep_target;
    bool direct; /* matches every path */
    bool any_origin;
    uint8_t subprotocol_count;
    uint8_t origin_count;
    tusk_bytes *subprotocols; /* owned copies */
    tusk_bytes *origins;
    tusk_ws_deflate_options deflate;
    char *directory;
    char *index;
    tusk_buf fields;   /* of a folder: lines of each answer with a file, Cache-Control the first */
    size_t own_fields; /* where those begin that its owner gave */
    files_root *root;  /* NULL: links may lead out of the directory */
};

enum { TUSK__ALLOW_OWN = 16 }; /* what Allow tells without a route of that name: "GET, HEAD" */

typedef struct tusk_router {
    const tusk_mem *mem;
    tusk_link routes;
    tusk_route *fallback;  /* for paths that nobody knows; of no link. NULL: none */
    bool fallback_methods; /* and for known ones whose method is another */
    size_t methods_bytes;  /* of all names of methods that routes have, with what separates them */
} tusk_router;

/* What a path leads to. `route` NULL: nothing with this method; `allow` then tells whether the path
 * exists. */
typedef struct route_match {
    tusk_route *route;
    size_t param_count;
    tusk_param params[TUSK_ROUTE_PARAMS_CAP];
    bool path_known;
} route_match;

void tusk__router_init(tusk_router *self, const tusk_mem *mem);
void tusk__router_fini(tusk_router *self);
/* What takes a path that nobody knows, whatever the method. TUSK_ESTATE: there is one;
 * TUSK_ENOMEM. */
tusk_err tusk__router_add_fallback(tusk_router *self, void *user);
/* TUSK_EINVAL: malformed; TUSK_ESTATE: there is one of that kind, method and pattern; TUSK_ENOMEM.
 */
tusk_err tusk__router_add(tusk_router *self, tusk_route **out, route_kind kind, const char *method,
                          const char *pattern);
void tusk__router_remove(tusk_router *self, tusk_route *route);
/* HEAD finds GET routes. `websocket`: the request asks for an upgrade, so WebSocket routes win over
 * others. */
void tusk__router_match(const tusk_router *self, const tusk_http_head *request, bool websocket,
                        route_match *match);
/* How many bytes of `path` are the prefix of this route for files; -1: it is not below it. */
ptrdiff_t tusk__route_prefix(const tusk_route *route, tusk_bytes path);
/* Placeholders of `path` under this very route. */
size_t tusk__route_params(const tusk_route *route, tusk_bytes path,
                          tusk_param params[TUSK_ROUTE_PARAMS_CAP]);
/* Whether there may be anything that takes the method of a request (RFC 9110, 9.1 and 15.6.2): one
 * of RFC 9110 or RFC 5789, or one that a route has. CONNECT asks for a tunnel, which none is. */
bool tusk__router_knows(const tusk_router *self, const tusk_http_head *request);
/* "GET, HEAD, POST" for a known path, appended to `out`: TUSK__ALLOW_OWN and methods_bytes at most.
 * `but`: without what that route takes, which refused it; NULL: all. */
tusk_err tusk__router_allow(const tusk_router *self, tusk_bytes path, const tusk_route *but,
                            tusk_buf *out);
/* Whether a WebSocket is at that path. */
bool tusk__router_upgrades(const tusk_router *self, tusk_bytes path);
/* Copies into the route; freed with it. */
tusk_err tusk__route_dup_list(tusk_router *self, tusk_bytes **list, uint8_t *count,
                              const tusk_bytes *from, size_t n);
tusk_err tusk__route_dup_text(tusk_router *self, char **out, const char *text);

#endif
