/* SPDX-License-Identifier: MIT */
/* Answers of our own: refusals in text or JSON, and the route's own answer. */
#include <stdio.h>

#include "proto/problem.h"
#include "relay/http/inner.h"

enum { REFUSAL_FIELDS_MAX = 160 };

static tusk_err append_body(tusk_buf *out, bool json, uint16_t status, tusk_bytes reason)
{
    char start[96]; /* the longest phrase has 31 bytes */
    const char *name = tusk_http_reason(status);
    if (json) {
        return tusk__problem_append(out, status, reason);
    }
    int n = snprintf(start, sizeof(start), "%u%s%s", (unsigned)status, name[0] == '\0' ? "" : " ",
                     name);
    tusk_err err = tusk_buf_append(out, start, (size_t)n);
    if (err == TUSK_OK && reason.len > 0) {
        err = tusk_buf_append(out, ": ", 2);
        err = err != TUSK_OK ? err : tusk_buf_append(out, reason.ptr, reason.len);
    }
    return err != TUSK_OK ? err : tusk_buf_append(out, "\n", 1);
}

static tusk_err append_length(tusk_buf *out, size_t len)
{
    char text[64];
    int n = snprintf(text, sizeof(text), "Content-Length: %zu\r\n", len);
    return tusk_buf_append(out, text, (size_t)n);
}

/* Upgrade goes with its option (RFC 9110, 7.8). */
static tusk_err append_connection(tusk_buf *out, uint16_t status, const http_client *client)
{
    const char *option = !client->keep_alive ? "close" : client->minor1 ? "" : "keep-alive";
    const char *upgrade = status == 426 ? "upgrade" : "";
    char line[64] = "\r\n";
    if (option[0] != '\0' || upgrade[0] != '\0') {
        (void)snprintf(line, sizeof(line), "Connection: %s%s%s\r\n\r\n", upgrade,
                       option[0] != '\0' && upgrade[0] != '\0' ? ", " : "", option);
    }
    return tusk_buf_append_str(out, line);
}

static tusk_err append_date(tusk_buf *out)
{
    char date[29];
    tusk_http_date(date, tusk_loop_wall_s());
    tusk_err err = tusk_buf_append(out, "Date: ", 6);
    err = err != TUSK_OK ? err : tusk_buf_append(out, date, sizeof(date));
    return err != TUSK_OK ? err : tusk_buf_append(out, "\r\n", 2);
}

/* Status line, Date, `fields`, what else the status wants, length, Connection, and the body unless
 * none may follow. */
static tusk_err send_own(http_exchange *self, uint16_t status, tusk_bytes fields, tusk_bytes body)
{
    tusk_buf *out = &self->http->scratch;
    tusk_http_content content = tusk_http_content_of(status);
    bool bodiless = content == TUSK_HTTP_CONTENT_NONE;
    body = content == TUSK_HTTP_CONTENT ? body : tusk_bytes_of(NULL, 0);
    tusk_buf_clear(out);
    tusk_err err = tusk_http_status_line(out, status);
    err = err != TUSK_OK ? err : append_date(out);
    if (err == TUSK_OK && fields.len > 0) {
        err = tusk_buf_append(out, fields.ptr, fields.len);
    }
    const char *owed = tusk__field_owed(status, fields);
    err = err != TUSK_OK || owed == NULL ? err : tusk_buf_append_str(out, owed);
    err = err != TUSK_OK || bodiless ? err : append_length(out, body.len);
    err = err != TUSK_OK ? err : append_connection(out, status, self->client);
    err = err != TUSK_OK ? err : http_client_send(self->client, tusk_buf_view(out));
    if (err == TUSK_OK && self->method != TUSK_HTTP_HEAD && body.len > 0) {
        err = http_client_send(self->client, body);
    }
    return err;
}

/* What is left of the request would be read as the next one. */
static void settle_client(http_exchange *self, const tusk_http_head *head)
{
    http_client *client = self->client;
    uint32_t most = self->http->options.requests;
    /* What follows CONNECT may be meant for the tunnel that it asked for. */
    bool whole = head != NULL && !head->chunked && head->content_length <= 0 && !head->upgrade &&
                 head->method != TUSK_HTTP_CONNECT;
    if (self->unread == 0) { /* it was begun */
        whole = self->up.done && !self->upgrade;
    }
    client->keep_alive = client->keep_alive && whole && !client->ended &&
                         !http_stopping(self->http) && (most == 0 || client->requests < most);
    tusk_conn_consume(&client->conn, self->unread);
    self->unread = 0;
}

static void close_answered(http_exchange *self, tusk_err err, const char *end)
{
    http_client *client = self->client;
    client->state = CLIENT_DONE;
    http_exchange_end(self, end);
    if (err != TUSK_OK) {
        http_client_cut(client, true);
    } else {
        http_client_answered(client);
    }
}

/* A resolver's refusal holds as long as it is remembered; what is full now may not be in a second.
 */
static unsigned retry_after_s(const http_exchange *self)
{
    const relay_answer *answer = self->answer;
    uint32_t ms = answer != NULL && relay_answer_refuses(answer) ? answer->refusal.ttl_ms : 0;
    return ms < 1000 ? 1 : (ms + 999) / 1000;
}

static void write_fields(const http_exchange *self, char out[REFUSAL_FIELDS_MAX], uint16_t status,
                         bool json)
{
    const char *type = json ? TUSK__PROBLEM_TYPE : "text/plain; charset=utf-8";
    char more[80] = "";
    if (status == 503) {
        (void)snprintf(more, sizeof(more), "Retry-After: %u\r\n", retry_after_s(self));
    }
    (void)snprintf(out, REFUSAL_FIELDS_MAX, "Content-Type: %s\r\n%s", type, more);
}

void http_refuse(http_exchange *self, const tusk_http_head *head, uint16_t status,
                 tusk_bytes reason)
{
    tusk_relay_http_stats *stats = &self->http->stats;
    bool as_json = tusk__problem_wanted(head);
    char fields[REFUSAL_FIELDS_MAX];
    tusk_buf body;
    write_fields(self, fields, status, as_json);
    stats->refused_4xx += status >= 400 && status < 500 ? 1 : 0;
    stats->refused_5xx += status >= 500 ? 1 : 0;
    settle_client(self, head);
    tusk_buf_init(&body, self->http->relay->mem, 8192);
    tusk_err err = append_body(&body, as_json, status, reason);
    if (err == TUSK_OK) {
        err =
            send_own(self, status, status == 204 ? tusk_bytes_of(NULL, 0) : tusk_bytes_str(fields),
                     tusk_buf_view(&body));
    }
    tusk_buf_fini(&body);
    self->status = status;
    self->reason = status < 400 ? tusk_bytes_of(NULL, 0) : reason;
    close_answered(self, err, status < 400 ? "done" : "refused");
}

void http_refuse_late(http_exchange *self, uint16_t status, const char *reason)
{
    relay_http *http = self->http;
    size_t scanned = 0;
    if (self->state == EXCHANGE_BODY || self->state == EXCHANGE_TUNNEL) {
        http_answer_break_off(self, reason);
        return;
    }
    tusk_http_limits all = http->options.heads;
    all.head_max = UINT32_MAX;
    all.line_max = UINT32_MAX;
    all.fields_max = TUSK_HTTP_FIELDS_CAP;
    ptrdiff_t n = tusk_http_request_parse(&http->head, tusk_buf_view(&self->head), &all, &scanned);
    http_refuse(self, n > 0 ? &http->head : NULL, status, tusk_bytes_str(reason));
}

void http_answer_directly(http_exchange *self)
{
    const tusk_relay_route *route = &self->answer->route;
    const tusk_http_head *head = &self->http->head;
    self->http->stats.direct++;
    settle_client(self, head);
    self->status = route->status;
    tusk_err err = send_own(self, route->status, route->fields, route->body);
    close_answered(self, err, "direct");
}
