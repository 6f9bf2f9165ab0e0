/* SPDX-License-Identifier: MIT */
/* Requests and their answers: what the files of this room, and who begins or ends a request's
 * session, know of each other. */
#ifndef SERVE_HTTP_HTTP_H
#define SERVE_HTTP_HTTP_H

#include "serve/session.h"

/* What a request keeps while its body is not whole; freed with the answer. */
typedef struct http_exchange {
    tusk_http_head head; /* points into `bytes` */
    tusk_buf bytes;
    tusk_http_body body;
    void *payload; /* body so far, in the server's store */
    uint8_t *place;
    size_t len, cap;
    size_t allowed; /* capacity that was asked for */
    size_t wanted;  /* and that is waited for; 0: none */
    route_match match;
} http_exchange;

/* What the answer to an opening handshake needs, kept while the owner decides. */
typedef struct http_upgrade {
    tusk_ws_deflate deflate;
    char extension[160];
    char accept[TUSK_WS_ACCEPT_LEN];
} http_upgrade;

/* ---- session.c: requests ---- */
extern const tusk_conn_ops tusk__http_ops;
void tusk__http_on_due(tusk_session *self, uint64_t now_ms);
/* A request is whole: it is the owner's to answer. */
void tusk__http_call_owner(tusk_session *self, const tusk_request *request, tusk_route *route);
/* The answer is queued whole: next request, or the end. */
void tusk__http_answered(tusk_session *self);
/* 503, for too much that is unfinished; cut where an earlier answer is still owed. */
void tusk__http_shed(tusk_session *self);
/* What came breaks a rule or a limit of the parsers. */
void tusk__http_refuse_error(tusk_session *self, tusk_err err);

/* ---- body.c: a request whose body is under way ---- */
/* `head_bytes`: what `head` was parsed from. */
void tusk__http_body_begin(tusk_session *self, const tusk_http_head *head, tusk_bytes head_bytes);
/* More of it is here. True: go on with the input. */
bool tusk__http_body_take(tusk_session *self);
/* The capacity that a body waits for, at most `*most` in the end; 0: it does not wait. */
size_t tusk__http_body_wants(const tusk_session *self, size_t *most);
void tusk__http_body_allow(tusk_session *self, size_t cap);
/* Frees what the exchange kept. */
void tusk__http_exchange_free(tusk_session *self);

/* ---- form.c ---- */
/* Sets `request->form` to `form` when the body is one; then somebody has to finish it. False: the
 * body says that it is a form and is none, or is over a limit; refused. */
bool tusk__form_admits(tusk_session *self, tusk_request *request, tusk_form *form);

/* ---- refusal.c: answers with a reason of ours ---- */
/* An answer of ours with a short reason, then the connection ends. `head`: of the request, which
 * says in what form its client reads the reason; NULL: it is not there. */
void tusk__http_refuse(tusk_session *self, const tusk_http_head *head, int status,
                       const char *fields, const char *why);
/* A well-formed request that nothing serves: costs the connection only when more of it is under way
 * (a body, the frames of an upgrade). */
void tusk__http_decline(tusk_session *self, const tusk_http_head *head, int status,
                        const char *fields, const char *why);

/* ---- reply.c: answers ---- */
/* The session that owes an answer; NULL: none, with the reason. */
tusk_session *tusk__reply_owed(tusk_server *server, tusk_handle handle, tusk_err *err);
/* Status line, Date, Server into the server's scratch. */
tusk_err tusk__reply_start(tusk_server *server, int status);
/* "Connection: ..." as the session needs it, and the empty line. */
tusk_err tusk__reply_finish_head(tusk_session *self);
/* Content-Length. */
tusk_err tusk__reply_length(tusk_server *server, uint64_t value);
/* Queues the scratch. */
tusk_err tusk__reply_queue(tusk_session *self);
/* ---- owed.c ---- */
/* The field that an answer of this status has to have (RFC 9110, 15.5), into the scratch, unless it
 * is among `fields` or the server does not know it. */
tusk_err tusk__reply_owed_field(tusk_session *self, int status, tusk_bytes fields);
static inline void tusk__reply_count(tusk_server *server, int status)
{
    server->stats.responses_4xx += status >= 400 && status < 500;
    server->stats.responses_5xx += status >= 500;
}

/* ---- pieces.c: answers in pieces ---- */
/* The answer under way ends where its connection does (RFC 9112, 6.3): an end in the middle has to
 * be a reset, or the client takes what it has for the whole. */
static inline bool tusk__http_ends_with_conn(const tusk_session *self)
{
    return self->state == HTTP_STREAMING && !self->chunked_out && !self->sized_out &&
           !self->head_only;
}
/* What was said so far leaves, earlier answers among it, and the connection ends. */
void tusk__http_break_off(tusk_session *self, tusk_err why);

/* ---- upgrade.c: from HTTP to WebSocket or an event stream ---- */
void tusk__upgrade_begin(tusk_session *self, const tusk_request *request, tusk_route *route);
void tusk__stream_begin(tusk_session *self, const tusk_request *request, tusk_route *route);

/* ---- forwarded.c: the client behind trusted proxies ---- */
/* X-Forwarded-For and X-Forwarded-Proto of a trusted peer: the session is counted under the
 * client's address. False: that one has too many. */
bool tusk__forwarded_apply(tusk_session *self, const tusk_http_head *head);
/* A request as its owner is told of it, but for its body; `match` NULL: of no route. */
static inline tusk_request tusk__http_request(const tusk_session *self, const tusk_http_head *head,
                                              const route_match *match)
{
    return (tusk_request){.head = head,
                          .params = match == NULL ? NULL : match->params,
                          .param_count = match == NULL ? 0 : match->param_count,
                          .secure = self->secure,
                          .client_secure = self->secure || self->u.http.proxy.secure};
}
/* A PROXY head in front: > 0 consumed, 0 need more, < 0 refused. */
ptrdiff_t tusk__forwarded_proxy_head(tusk_session *self, tusk_bytes in);
bool tusk__forwarded_trusts(const tusk_server *server, const tusk_addr *peer);

/* ---- files.c ---- */
void tusk__files_serve(tusk_session *self, tusk_route *route, const tusk_http_head *head);

#endif
