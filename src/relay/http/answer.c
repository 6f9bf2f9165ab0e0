/* SPDX-License-Identifier: MIT */
/* A backend's answer on its way to the client: interim ones, its head, its body, its end. */
#include "relay/http/inner.h"

#define FLUSH_AT ((size_t)16 * 1024)

/* No head went to the client yet: it hears of the failure. */
static void fail(http_exchange *self, const char *reason)
{
    self->http->stats.bad_answers++;
    self->http->relay->stats.protocol_errors++;
    http_refuse_late(self, 502, reason);
}

/* A head went: what follows it cannot be made whole. The client must see that: by its framing if
 * that tells, else by a reset. */
void http_answer_break_off(http_exchange *self, const char *end)
{
    http_client *client = self->client;
    bool framing_tells = self->down.framing != HTTP_BODY_CLOSE;
    self->http->stats.truncated++;
    client->state = CLIENT_DONE;
    http_exchange_end(self, end);
    if (framing_tells) {
        http_client_finish(client);
    } else {
        http_client_cut(client, true);
    }
}

static void count_status(relay_http *http, uint16_t status)
{
    tusk_relay_http_stats *stats = &http->stats;
    uint64_t *const by_class[] = {&stats->answers_1xx, &stats->answers_2xx, &stats->answers_3xx,
                                  &stats->answers_4xx, &stats->answers_5xx};
    if (status < 600) {
        (*by_class[status / 100 - 1])++;
    }
}

static tusk_err send_head(http_exchange *self, const http_response_how *how)
{
    relay_http *http = self->http;
    tusk_buf_clear(&http->scratch);
    tusk_err err = http_response_write(&http->scratch, &http->head, how);
    return err != TUSK_OK ? err : http_client_send(self->client, tusk_buf_view(&http->scratch));
}

/* Nobody but the client may be told what is wrong with its queue. One that is closed already is
 * told so next, and says why itself. */
static void client_failed(http_exchange *self, tusk_err err)
{
    http_client *client = self->client;
    if (err == TUSK_ESTATE) {
        return;
    }
    client->state = CLIENT_DONE;
    http_exchange_end(self, "no memory");
    http_client_cut(client, true);
}

/* What may have no body, and says that one follows (RFC 9110, 8.6; RFC 9112, 6.1): where it comes
 * after all, late, it would be the answer to who uses the line next. */
static bool promises_body(const tusk_http_head *head)
{
    bool never = head->status < 200 || head->status == 204;
    return never && (head->chunked || head->content_length > 0);
}

/* ---- interim answers ---- */
static bool pass_interim(http_exchange *self, tusk_bytes raw)
{
    relay_http *http = self->http;
    const http_response_how how = {.raw = raw, .minor = 1, .via = http->via};
    if (++self->interim > http->options.interim) {
        http->stats.interim_too_many++;
        fail(self, "the backend sends interim answers without end");
        return false;
    }
    self->line_doubted = self->line_doubted || promises_body(&http->head);
    count_status(http, http->head.status);
    tusk_err err = self->client->minor1 ? send_head(self, &how) : TUSK_OK;
    if (err != TUSK_OK) {
        client_failed(self, err);
        return false;
    }
    tusk_conn_consume(&self->line->conn, raw.len);
    return true;
}

static bool switch_protocols(http_exchange *self, tusk_bytes raw)
{
    relay_http *http = self->http;
    const http_response_how how = {.raw = raw, .minor = 1, .via = http->via};
    if (!self->upgrade || !self->client->minor1) {
        fail(self, "the backend changes the protocol, which nobody asked for");
        return false;
    }
    count_status(http, http->head.status);
    tusk_err err = send_head(self, &how);
    if (err != TUSK_OK) {
        client_failed(self, err);
        return false;
    }
    tusk_conn_consume(&self->line->conn, raw.len);
    self->status = 101;
    http_tunnel_begin(self);
    return false;
}

/* ---- the answer ---- */
static http_framing framing_for(const http_client *client, const tusk_http_head *head)
{
    if (head->no_body) {
        return HTTP_BODY_NONE;
    }
    if (!head->chunked && head->content_length >= 0) {
        return HTTP_BODY_LENGTH;
    }
    return client->minor1 ? HTTP_BODY_CHUNKED : HTTP_BODY_CLOSE;
}

static bool client_may_go_on(const http_exchange *self, http_framing framing)
{
    const http_client *client = self->client;
    uint32_t most = self->http->options.requests;
    return client->keep_alive && framing != HTTP_BODY_CLOSE && self->up.done && !client->ended &&
           !http_stopping(self->http) && !http_client_is_old(client) &&
           (most == 0 || client->requests < most);
}

static bool take_answer(http_exchange *self, tusk_bytes raw)
{
    relay_http *http = self->http;
    http_client *client = self->client;
    const tusk_http_head *head = &http->head;
    http_framing framing = framing_for(client, head);
    count_status(http, head->status);
    http->stats.early_answers += self->up.done ? 0 : 1;
    client->keep_alive = client_may_go_on(self, framing);
    const http_response_how how = {.raw = raw,
                                   .framing = framing,
                                   .keep_alive = client->keep_alive,
                                   .minor = client->minor1 ? 1 : 0,
                                   .now_s = tusk_loop_wall_s(),
                                   .via = http->via};
    tusk_err err = send_head(self, &how);
    if (err == TUSK_EHEADERS) {
        fail(self, "the backend names too many fields of its own hop");
        return false;
    }
    if (err != TUSK_OK) {
        client_failed(self, err);
        return false;
    }
    self->status = head->status;
    self->line_keeps = head->keep_alive && !self->line_doubted && !promises_body(head) &&
                       self->answer->route.proxy_version == 0;
    self->state = EXCHANGE_BODY;
    http_flow_init(&self->down, http->relay->mem, head, framing, UINT64_MAX, &http->options.heads);
    tusk_conn_consume(&self->line->conn, raw.len);
    return true;
}

/* True: there may be more to look at. */
static bool read_head(http_exchange *self)
{
    relay_http *http = self->http;
    tusk_bytes in = tusk_conn_in(&self->line->conn);
    if (in.len == 0) {
        return false;
    }
    if (!self->answered) {
        self->answered = true;
        relay_dial_accept(&self->dial); /* of a kept line there is none */
        self->first_us = relay_us_since(http->relay, self->attached_ns);
    }
    ptrdiff_t n = tusk_http_response_parse(&http->head, in, &http->options.heads, self->method,
                                           &self->line->scanned);
    if (n == 0) {
        return false;
    }
    if (n < 0) {
        fail(self, n == TUSK_EHEADERS ? "the backend's header section is too large"
                                      : "the backend's answer is not HTTP");
        return false;
    }
    tusk_bytes raw = tusk_bytes_of(in.ptr, (size_t)n);
    if (http->head.status == 101) {
        return switch_protocols(self, raw);
    }
    return http->head.status < 200 ? pass_interim(self, raw) : take_answer(self, raw);
}

static void finish(http_exchange *self)
{
    http_client *client = self->client;
    client->keep_alive = client->keep_alive && self->up.done;
    http_exchange_end(self, "done");
    http_client_answered(client);
}

/* The client takes less than the backend sends: no more is read until its queue is short. */
static void balance(http_exchange *self)
{
    http_client *client = self->client;
    uint32_t held_max = self->http->relay->limits.pending_bytes;
    if (client->conn.send_bytes >= FLUSH_AT) {
        tusk_conn_flush(&client->conn); /* in pieces as they come, from the cache */
    }
    if (client->conn.send_bytes > held_max && tusk_conn_open(&client->conn) &&
        !self->line->conn.paused) {
        self->http->stats.paused_backend++;
        tusk_conn_pause(&self->line->conn);
    }
}

static void read_body(http_exchange *self)
{
    tusk_err err = http_flow_move(&self->down, &self->line->conn, &self->client->conn);
    if (http_flow_is_senders(err)) {
        self->http->stats.bad_answers++;
        http_answer_break_off(self, "bad answer");
        return;
    }
    if (err != TUSK_OK) {
        client_failed(self, err);
        return;
    }
    if (self->down.done) {
        finish(self);
        return;
    }
    http_exchange_body_moved(self);
    balance(self);
}

void http_answer_input(http_exchange *self)
{
    const http_line *line = self->line;
    bool more = true;
    while (more && self->state == EXCHANGE_HEAD) {
        more = read_head(self);
        if (line->exchange != self) {
            return; /* it is over */
        }
    }
    if (self->state == EXCHANGE_BODY) {
        read_body(self);
    } else if (self->state == EXCHANGE_TUNNEL) {
        relay_joined_data(&self->joined, RELAY_BACKEND);
    }
}

static void count_reset(const http_exchange *self, tusk_err why)
{
    if (why == TUSK_ERESET) {
        self->http->relay->stats.resets_backend++;
        relay_target_count(self->line->pool->target, METER_RESETS);
    }
}

void http_answer_end(http_exchange *self, tusk_err why)
{
    switch ((http_exchange_state)self->state) {
    case EXCHANGE_BODY:
        self->line_keeps = false;
        if (why == TUSK_EEOF && http_flow_end(&self->down, &self->client->conn) == TUSK_OK) {
            finish(self);
        } else {
            count_reset(self, why);
            http_answer_break_off(self, why == TUSK_EEOF ? "answer cut short" : "backend reset");
        }
        break;
    case EXCHANGE_TUNNEL:
        if (why == TUSK_EEOF && !relay_joined_is_deaf(&self->joined, RELAY_BACKEND)) {
            relay_joined_eof(&self->joined, RELAY_BACKEND);
        } else {
            self->http->relay->stats.resets_backend++;
            relay_target_count(self->line->pool->target, METER_RESETS);
            http_tunnel_cut(self, "backend reset");
        }
        break;
    case EXCHANGE_ROUTE:
    case EXCHANGE_ROUTED:
    case EXCHANGE_WAIT:
    case EXCHANGE_DIAL:
    case EXCHANGE_HEAD:
    case EXCHANGE_OVER: break;
    }
}
