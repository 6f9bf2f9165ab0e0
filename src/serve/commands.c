/* SPDX-License-Identifier: MIT */
/* What the owner asks of sessions and topics by handle. */
#include "serve/hub/shared.h"

#include <stdio.h>

#include "net/tls.h"
#include "proto/problem.h"
#include "serve/http/http.h"
#include "serve/share.h"
#include "serve/ws/ws.h"

bool tusk_session_exists(const tusk_server *self, tusk_handle session)
{
    return tusk__session_find(self, session) != NULL;
}

bool tusk_session_open(const tusk_server *self, tusk_handle handle)
{
    const tusk_session *session = tusk__session_find(self, handle);
    return session != NULL && session->opened && session->kind != SESSION_HTTP &&
           session->state == WS_OPEN && tusk_conn_open(&session->conn);
}

void *tusk_session_user(const tusk_server *self, tusk_handle handle)
{
    const tusk_session *session = tusk__session_find(self, handle);
    return session == NULL ? NULL : session->user;
}

void tusk_session_set_user(tusk_server *self, tusk_handle handle, void *session_user)
{
    tusk_session *session = tusk__session_find(self, handle);
    if (session != NULL) {
        session->user = session_user;
    }
}

/* Every request asks for it: a tenth of what inet_ntop costs. */
static size_t ipv4_text(char *text, const uint8_t *ip)
{
    size_t n = 0;
    for (size_t i = 0; i < 4; i++) {
        unsigned octet = ip[i];
        if (i > 0) {
            text[n++] = '.';
        }
        if (octet >= 100) {
            text[n++] = (char)('0' + octet / 100);
        }
        if (octet >= 10) {
            text[n++] = (char)('0' + octet / 10 % 10);
        }
        text[n++] = (char)('0' + octet % 10);
    }
    text[n] = '\0';
    return n;
}

size_t tusk_session_address(const tusk_server *self, tusk_handle handle, char text[64])
{
    const tusk_session *session = tusk__session_find(self, handle);
    text[0] = '\0';
    if (session == NULL) {
        return 0;
    }
    if (session->family == 4) {
        return ipv4_text(text, session->ip);
    }
    char host[TUSK_ADDR_TEXT_MAX] = "unix";
    tusk_addr addr;
    if (session->family != 0 &&
        tusk_addr_from_ip(&addr, session->family, session->ip, 0) == TUSK_OK) {
        (void)tusk_addr_host_text(&addr, host);
    }
    return (size_t)snprintf(text, 64, "%.63s", host);
}

static const tusk_filter *filter_of(const tusk_server *self, tusk_handle handle)
{
    const tusk_session *session = tusk__session_find(self, handle);
    return session == NULL || session->conn.state == CONN_OPENING ? NULL : session->conn.filter;
}

bool tusk_session_tls(const tusk_server *self, tusk_handle handle, tusk_tls_info *out)
{
    const tusk_filter *filter = filter_of(self, handle);
    if (filter != NULL) {
        tusk_filter_info(filter, out);
    }
    return filter != NULL;
}

tusk_err tusk_session_certificate(const tusk_server *self, tusk_handle handle,
                                  tusk_certificate **out)
{
    const tusk_filter *filter = filter_of(self, handle);
    *out = NULL;
    return filter == NULL ? TUSK_ENOENT : tusk_filter_certificate(filter, out);
}

tusk_bytes tusk_session_subprotocol(const tusk_server *self, tusk_handle handle)
{
    const tusk_session *session = tusk__session_find(self, handle);
    if (session == NULL || session->picked < 0 || session->route->kind != ROUTE_WEBSOCKET) {
        return tusk_bytes_of(NULL, 0);
    }
    return session->route->subprotocols[session->picked];
}

tusk_bytes tusk_session_target(const tusk_server *self, tusk_handle handle)
{
    const tusk_session *session = tusk__session_find(self, handle);
    return session == NULL || session->target == NULL ? tusk_bytes_of(NULL, 0)
                                                      : tusk_bytes_str(session->target);
}

size_t tusk_session_params(const tusk_server *self, tusk_handle handle,
                           tusk_param params[TUSK_ROUTE_PARAMS_CAP])
{
    const tusk_session *session = tusk__session_find(self, handle);
    if (session == NULL || session->target == NULL || session->route == NULL) {
        return 0;
    }
    tusk_bytes path = tusk_bytes_str(session->target);
    tusk_url url;
    if (path.len > 0 && path.ptr[0] != '/') { /* absolute-form */
        if (tusk_url_parse(&url, path) != TUSK_OK) {
            return 0;
        }
        path = url.path;
    }
    const uint8_t *query = memchr(path.ptr, '?', path.len);
    if (query != NULL) {
        path.len = (size_t)(query - path.ptr);
    }
    return tusk__route_params(session->route, path, params);
}

size_t tusk_session_buffered(const tusk_server *self, tusk_handle handle)
{
    const tusk_session *session = tusk__session_find(self, handle);
    return session == NULL ? 0 : session->conn.send_bytes;
}

/* Its bytes will be overwritten. */
static void forget_request(tusk_server *self, const tusk_session *session)
{
    if (self->current == session) {
        self->current = NULL;
        self->current_request = NULL;
    }
}

void tusk_session_park(tusk_server *self, tusk_handle handle)
{
    tusk_session *session = tusk__session_find(self, handle);
    if (session != NULL && self->current == session) {
        session->json_wanted = tusk__problem_wanted(self->current_request->head);
    }
    forget_request(self, session);
    self->telling = self->telling == session ? NULL : self->telling;
    if (session != NULL && session->parks++ == 0) {
        self->stats.parked++;
        tusk_conn_park(&session->conn);
    }
}

void tusk_session_unpark(tusk_server *self, tusk_handle handle)
{
    tusk_session *session = tusk__session_find(self, handle);
    if (session != NULL && session->parks > 0 && --session->parks == 0) {
        self->stats.parked--;
        if (session->kind == SESSION_WEBSOCKET) {
            tusk__ws_alive(session);
        }
        tusk_conn_unpark(&session->conn);
    }
}

void tusk_session_detach(tusk_server *self, tusk_handle handle)
{
    tusk_session *session = tusk__session_find(self, handle);
    if (session == NULL || !session->opened || !session->conn.busy || session->conn.detached) {
        return;
    }
    forget_request(self, session);
    tusk_conn_detach(&session->conn);
    tusk__session_balance(session); /* reading had stopped while its request was answered */
}

void tusk_session_terminate(tusk_server *self, tusk_handle handle)
{
    tusk_session *session = tusk__session_find(self, handle);
    if (session != NULL) {
        session->close_kind = TUSK_CLOSED_BY_US;
        session->close_code = TUSK_WS_CODE_ABNORMAL;
        if (session->kind == SESSION_HTTP) {
            tusk__http_break_off(session, TUSK_OK);
        } else {
            tusk__session_abort(session, TUSK_OK);
        }
    }
}

/* ---- topics ---- */

tusk_err tusk_server_publish(tusk_server *self, const tusk_publication *publication,
                             tusk_position *position)
{
    tusk__share_publish_soon(self);
    return tusk__hub_publish(&self->hub, publication, position);
}

tusk_err tusk_server_share_log(tusk_server *self, tusk_shared_log *log, unsigned member)
{
    hub_store *store;
    hub_bus *bus;
    tusk_err err = tusk__shared_log_join(&store, &bus, log, member);
    if (err != TUSK_OK) {
        return err;
    }
    err = tusk__hub_join(&self->hub, store, bus);
    if (err != TUSK_OK) {
        bus->ops->close(bus);
        store->ops->close(store);
    }
    return err;
}

tusk_position tusk_server_position(const tusk_server *self)
{
    return (tusk_position){self->hub.store->epoch, self->hub.seen};
}

size_t tusk_server_subscribers(const tusk_server *self, tusk_bytes topic)
{
    return tusk__hub_subscribers(&self->hub, topic);
}

static tusk_session *subscriber(const tusk_server *self, tusk_handle handle, tusk_err *err)
{
    tusk_session *session = tusk__session_find(self, handle);
    *err = session == NULL ? TUSK_ENOENT : TUSK_ESTATE;
    return session != NULL && session->kind != SESSION_HTTP && session->state == WS_OPEN &&
                   !session->close_told
               ? session
               : NULL;
}

tusk_err tusk_session_subscribe(tusk_server *self, tusk_handle handle, tusk_bytes topic,
                                const tusk_position *since, tusk_overflow overflow)
{
    tusk_err err;
    tusk_session *session = subscriber(self, handle, &err);
    return session == NULL ? err : tusk__hub_subscribe(&self->hub, session, topic, since, overflow);
}

tusk_err tusk_session_unsubscribe(tusk_server *self, tusk_handle handle, tusk_bytes topic)
{
    tusk_err err;
    tusk_session *session = subscriber(self, handle, &err);
    return session == NULL ? err : tusk__hub_unsubscribe(&self->hub, session, topic);
}
