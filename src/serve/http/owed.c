/* SPDX-License-Identifier: MIT */
/* What an answer of the owner's has to say by its status, where the owner does not say it. */
#include "serve/http/http.h"

#include "proto/problem.h"

/* Of the request in hand. Of one that was parked nobody has it any more, but its route's pattern is
 * a path of that route as well. Empty: of the fallback's, which has none. */
static tusk_bytes path_of(const tusk_session *self)
{
    const tusk_server *server = self->server;
    const tusk_route *route = self->route;
    if (server->current == self) {
        return server->current_request->head->path;
    }
    return route == server->router.fallback ? tusk_bytes_of(NULL, 0)
                                            : tusk_bytes_of(route->pattern, route->pattern_len);
}

/* What the path takes but for that which its route has just refused. The fallback is asked for what
 * no route takes, and of a path that none knows it alone can tell. OPTIONS is answered by us. */
static tusk_err append_allow(tusk_session *self, tusk_bytes path)
{
    static const char name[] = "Allow: ";
    tusk_server *server = self->server;
    tusk_buf *out = &server->scratch;
    const tusk_route *route = self->route;
    bool fallback = route == server->router.fallback;
    bool options = route->method != NULL && strcmp(route->method, "OPTIONS") == 0;
    size_t from = out->len;
    tusk_err err = tusk_buf_append_str(out, name);
    err = err != TUSK_OK ? err
                         : tusk__router_allow(&server->router, path, fallback ? NULL : route, out);
    bool none = err == TUSK_OK && out->len == from + sizeof(name) - 1;
    if (none && fallback) {
        out->len = from;
        return TUSK_OK;
    }
    if (err == TUSK_OK && !options) {
        err = tusk_buf_append_str(out, none ? "OPTIONS" : ", OPTIONS");
    }
    return err != TUSK_OK ? err : tusk_buf_append_str(out, "\r\n");
}

tusk_err tusk__reply_owed_field(tusk_session *self, int status, tusk_bytes fields)
{
    const char *line = tusk__field_owed(status, fields);
    if (line == NULL) {
        return TUSK_OK;
    }
    tusk_server *server = self->server;
    tusk_bytes path = path_of(self);
    if (status == 405) {
        return path.len == 0 ? TUSK_OK : append_allow(self, path);
    }
    if (status == 426 && !tusk__router_upgrades(&server->router, path)) {
        return TUSK_OK; /* to what is its owner's to say */
    }
    tusk_err err = tusk_buf_append_str(&server->scratch, line);
    return err != TUSK_OK || status != 426
               ? err /* Upgrade goes with its option: 7.8 */
               : tusk_buf_append_str(&server->scratch, "Connection: upgrade\r\n");
}
