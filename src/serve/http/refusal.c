/* SPDX-License-Identifier: MIT */
/* Answers with a reason of ours: in words, or as problem details (RFC 9457) for who accepts JSON.
 */
#include "serve/http/http.h"

#include <stdio.h>

#include "proto/problem.h"

/* In words, or as problem details for who accepts JSON first: which of them it is depends on that
 * field, where a head was read. */
static tusk_err put_reason(tusk_session *self, const tusk_http_head *head, int status,
                           const char *why, tusk_buf *body)
{
    tusk_buf *out = &self->server->scratch;
    bool json = tusk__problem_wanted(head);
    tusk_err err = head == NULL ? TUSK_OK : tusk_buf_append_str(out, "Vary: Accept\r\n");
    err = err != TUSK_OK
              ? err
              : tusk_buf_append_str(out, json ? "Content-Type: " TUSK__PROBLEM_TYPE "\r\n"
                                              : "Content-Type: text/plain; charset=utf-8\r\n");
    if (err == TUSK_OK && json) {
        err = tusk__problem_append(body, status, tusk_bytes_str(why));
    } else if (err == TUSK_OK) {
        err = tusk_buf_append_str(body, why);
        err = err != TUSK_OK ? err : tusk_buf_append_str(body, "\n");
    }
    return err != TUSK_OK ? err : tusk__reply_length(self->server, body->len);
}

static tusk_err put_refusal(tusk_session *self, const tusk_http_head *head, int status,
                            const char *fields, const char *why, tusk_buf *body)
{
    tusk_server *server = self->server;
    tusk_err err = tusk__reply_start(server, status);
    if (err == TUSK_OK && fields != NULL) {
        err = tusk_buf_append_str(&server->scratch, fields);
    }
    if (err == TUSK_OK && why[0] != '\0') {
        err = put_reason(self, head, status, why, body);
    } else if (err == TUSK_OK && tusk_http_content_of(status) != TUSK_HTTP_CONTENT_NONE) {
        err = tusk__reply_length(server, 0);
    }
    if (err == TUSK_OK && status == 426) { /* Upgrade goes with its option (RFC 9110, 7.8) */
        err = tusk_buf_append_str(&server->scratch, "Connection: upgrade, close\r\n\r\n");
    } else if (err == TUSK_OK) {
        err = tusk__reply_finish_head(self);
    }
    if (err == TUSK_OK && !self->head_only && body->len > 0) {
        err = tusk_buf_append(&server->scratch, body->ptr, body->len);
    }
    return err != TUSK_OK ? err : tusk__reply_queue(self);
}

static void refuse(tusk_session *self, const tusk_http_head *head, int status, const char *fields,
                   const char *why, bool keep)
{
    enum { BODY_MAX = 1024 };
    tusk_server *server = self->server;
    tusk_buf body;
    tusk__reply_count(server, status);
    self->keep_alive = self->keep_alive && keep;
    self->chunked_out = self->sized_out = false;
    tusk_buf_init(&body, server->mem, BODY_MAX);
    tusk_err err = put_refusal(self, head, status, fields, why, &body);
    tusk_buf_fini(&body);
    if (err != TUSK_OK) {
        tusk__session_abort(self, err);
        return;
    }
    tusk__http_answered(self);
}

void tusk__http_refuse(tusk_session *self, const tusk_http_head *head, int status,
                       const char *fields, const char *why)
{
    refuse(self, head, status, fields, why, false);
}

void tusk__http_decline(tusk_session *self, const tusk_http_head *head, int status,
                        const char *fields, const char *why)
{
    bool whole = !head->chunked && head->content_length <= 0 && !head->upgrade;
    refuse(self, head, status, fields, why, whole);
}

tusk_err tusk_reply_reason(tusk_server *server, tusk_handle session, int status, const char *why)
{
    enum { REASON_MAX = 256 };
    const tusk_session *self = tusk__session_find(server, session);
    tusk_buf body;
    tusk_buf_init(&body, server->mem, REASON_MAX);
    bool json = self != NULL &&
                (server->current == self ? tusk__problem_wanted(server->current_request->head)
                                         : self->json_wanted);
    char fields[160];
    (void)snprintf(fields, sizeof(fields), "Content-Type: %s\r\nVary: Accept\r\n%s",
                   json ? TUSK__PROBLEM_TYPE : "text/plain; charset=utf-8",
                   status == 401 ? TUSK__CHALLENGE : "");
    tusk_err err;
    if (json) {
        err = tusk__problem_append(&body, status, tusk_bytes_str(why == NULL ? "" : why));
    } else if (why != NULL) {
        err = tusk_buf_append_str(&body, why);
        err = err != TUSK_OK ? err : tusk_buf_append_str(&body, "\n");
    } else {
        char text[64]; /* the longest phrase has 31 bytes */
        int len = snprintf(text, sizeof(text), "%d %s\n", status, tusk_http_reason(status));
        err = tusk_buf_append(&body, text, (size_t)len);
    }
    err = err != TUSK_OK ? err
                         : tusk_reply(server, session, status, tusk_bytes_str(fields),
                                      tusk_buf_view(&body), NULL);
    tusk_buf_fini(&body);
    return err;
}
