/* SPDX-License-Identifier: MIT */
/* An exchange: a request from its head to a backend, until its answer is over. */
#include "base/mem.h"
#include "relay/http/inner.h"

/* ---- from and to the spare ones ---- */
http_exchange *http_exchange_new(http_client *client)
{
    relay_http *http = client->http;
    http_exchange *self = http->spare;
    tusk_buf head;
    if (self != NULL) {
        http->spare = self->next;
        http->spare_count--;
        head = self->head;
        memset(self, 0, sizeof(*self));
        self->head = head;
    } else {
        self = tusk__new(http->relay->mem, sizeof(*self));
        if (self == NULL) {
            http->relay->stats.out_of_memory++;
            return NULL;
        }
        const tusk_relay_http_options *options = &http->options;
        tusk_buf_init(&self->head, http->relay->mem, (size_t)options->heads.head_max * 2 + 4096);
    }
    self->http = http;
    self->client = client;
    self->method = TUSK_HTTP_OTHER;
    self->began_ns = tusk_loop_now_ns(http_loop(http));
    return self;
}

static void spare(http_exchange *self)
{
    relay_http *http = self->http;
    http_flow_fini(&self->up);
    http_flow_fini(&self->down);
    relay_answer_unref(self->answer);
    tusk_buf_clear(&self->head);
    if (http->spare_count >= HTTP_SPARE_MAX || self->head.cap > HTTP_HEAD_KEPT) {
        tusk_buf_fini(&self->head);
        tusk__free(http->relay->mem, self, sizeof(*self));
        return;
    }
    self->next = http->spare;
    http->spare = self;
    http->spare_count++;
}

/* ---- what is not asked at all ---- */
static uint16_t refusal_of(const http_exchange *self, const tusk_http_head *head,
                           const char **reason)
{
    uint64_t most = self->http->options.body_bytes;
    if (head->method == TUSK_HTTP_CONNECT || head->method == TUSK_HTTP_TRACE) {
        *reason = "this method is not passed on";
        return 405;
    }
    if (head->method == TUSK_HTTP_OPTIONS && http_max_forwards(head) == 0) {
        *reason = "";
        return 204; /* meant for us: RFC 9110, 7.6.2 */
    }
    if (most > 0 && head->content_length > 0 && (uint64_t)head->content_length > most) {
        self->http->stats.bodies_too_big++;
        *reason = "the request's body is too large";
        return 413;
    }
    return 0;
}

/* ---- the request as it goes on ---- */
/* For a client that says none (HTTP/1.0); a Unix path is no host. */
static tusk_bytes fallback_host(const relay_answer *answer)
{
    tusk_bytes text = relay_target_text(answer->choices[0].target);
    return tusk_relay_host_valid(text) ? text : tusk_bytes_str("localhost");
}

static tusk_err write_head(http_exchange *self, const tusk_http_head *head, tusk_bytes raw)
{
    const http_client *client = self->client;
    const relay_http *http = self->http;
    const http_forward forward = {.x_forwarded = http->options.x_forwarded,
                                  .standard = http->options.forwarded,
                                  .trusted = client->trusted,
                                  .secure = client->secure,
                                  .ipv6 = client->family == 6,
                                  .peer = tusk_bytes_str(client->peer),
                                  .via = http->via};
    int max_forwards = head->method == TUSK_HTTP_OPTIONS ? http_max_forwards(head) : -1;
    const http_request_how how = {.raw = raw,
                                  .host = self->answer->route.host,
                                  .fallback_host = fallback_host(self->answer),
                                  .upgrade = self->upgrade,
                                  .max_forwards = max_forwards > 0 ? max_forwards - 1 : -1,
                                  .forward = &forward};
    return http_request_write(&self->head, head, &how);
}

/* HTTP/2 in a tunnel would be requests that nobody here reads. A protocol's name is a token: what
 * is quoted some take apart at its commas, and find h2c in it. In HTTP/1.0 the field says nothing
 * (RFC 9110, 7.8), and nobody there could be told of a 101. */
static bool passes_upgrade(const tusk_http_head *head)
{
    if (!head->upgrade || head->minor == 0 || tusk_http_has_token(head, "upgrade", "h2c")) {
        return false;
    }
    for (uint32_t i = 0; i < head->field_count; i++) {
        tusk_bytes value = head->fields[i].value;
        if (value.len > 0 && memchr(value.ptr, '"', value.len) != NULL &&
            tusk_bytes_eq_nocase(head->fields[i].name, tusk_bytes_str("upgrade"))) {
            return false;
        }
    }
    return true;
}

static void begin(http_exchange *self, const tusk_http_head *head, tusk_bytes raw)
{
    relay_http *http = self->http;
    relay_answer *answer = self->answer;
    if (relay_answer_refuses(answer)) {
        http->relay->stats.refused_resolver++;
        http_refuse(self, head, answer->refusal.status, answer->refusal.reason);
        return;
    }
    self->routed = true;
    relay_account_open(answer);
    if (answer->route.status != 0) {
        http_answer_directly(self);
        return;
    }
    self->has_body = head->chunked || head->content_length > 0;
    self->upgrade = !self->has_body && passes_upgrade(head);
    tusk_err err = write_head(self, head, raw);
    if (err != TUSK_OK) {
        http_refuse(self, head, err == TUSK_EHEADERS ? 431 : 503,
                    tusk_bytes_str(tusk_err_text(err)));
        return;
    }
    uint64_t most = http->options.body_bytes;
    http_flow_init(&self->up, http->relay->mem, head,
                   head->chunked ? HTTP_BODY_CHUNKED : HTTP_BODY_LENGTH,
                   most == 0 ? UINT64_MAX : most, &http->options.heads);
    self->up.done = !self->has_body;
    tusk_conn_consume(&self->client->conn, raw.len);
    self->unread = 0;
    http_exchange_connect(self, false);
}

void http_exchange_route(http_exchange *self, tusk_bytes raw)
{
    const tusk_http_head *head = &self->http->head;
    const char *reason;
    uint16_t status = refusal_of(self, head, &reason);
    self->method = head->method;
    self->unread = raw.len;
    if (status != 0) {
        http_refuse(self, head, status, tusk_bytes_str(reason));
        return;
    }
    http_exchange_ask(self, head);
    if (self->answer != NULL) {
        begin(self, head, raw);
    }
}

/* The answer came later than at once: the head lies where it was, and is read again. */
static void begin_late(http_exchange *self)
{
    relay_http *http = self->http;
    tusk_bytes in = tusk_conn_in(&self->client->conn);
    size_t scanned = 0;
    ptrdiff_t n = tusk_http_request_parse(&http->head, in, &http->options.heads, &scanned);
    if (n <= 0) { /* it is not there any more: closed meanwhile */
        http_client_cut(self->client, true);
        return;
    }
    begin(self, &http->head, tusk_bytes_of(in.ptr, (size_t)n));
}

/* ---- the request's body ---- */
static void body_failed(http_exchange *self, tusk_err err)
{
    relay_http *http = self->http;
    self->client->keep_alive = false;
    if (!http_flow_is_senders(err)) {
        http_refuse_late(self, 503, "the proxy has no memory for this now");
        return;
    }
    http->stats.bodies_too_big += err == TUSK_ETOOBIG ? 1 : 0;
    http->stats.bad_requests += err == TUSK_ETOOBIG ? 0 : 1;
    http_refuse_late(self, (uint16_t)tusk_http_status_of(err), tusk_err_text(err));
}

static void moved_up(http_exchange *self)
{
    if (self->state == EXCHANGE_BODY) {
        http_exchange_body_moved(self); /* answered early, and not silent while it is sent */
    } else if (self->up.done) {
        http_exchange_await_answer(self);
    } else {
        http_client_deadline(self->client, self->http->options.body_ms);
    }
}

static void move_up(http_exchange *self)
{
    size_t had = self->client->conn.in_len;
    tusk_err err = http_flow_move(&self->up, &self->client->conn, &self->line->conn);
    if (err == TUSK_ESTATE && self->line->conn.half) {
        self->deaf = true; /* it has answered already, perhaps: wait for what it said */
        http_exchange_await_answer(self);
        return;
    }
    if (err == TUSK_ESTATE) {
        return; /* it is closed, which is told next */
    }
    if (err != TUSK_OK) {
        body_failed(self, err);
        return;
    }
    if (self->client->conn.in_len < had) {
        moved_up(self);
    }
    if (!self->up.done && self->client->ended) {
        http_refuse_late(self, 400, "the request ended before its body did");
    }
}

bool http_exchange_input(http_exchange *self)
{
    http_client *client = self->client;
    switch ((http_exchange_state)self->state) {
    case EXCHANGE_ROUTE:
    case EXCHANGE_WAIT:
    case EXCHANGE_DIAL: return false;
    case EXCHANGE_ROUTED: begin_late(self); return true;
    case EXCHANGE_HEAD:
    case EXCHANGE_BODY:
        if (!self->up.done && self->line != NULL && !self->deaf) {
            move_up(self);
        }
        break;
    case EXCHANGE_TUNNEL:
    case EXCHANGE_OVER: break;
    }
    return client->exchange != self;
}

void http_exchange_client_ended(http_exchange *self)
{
    http_client *client = self->client;
    client->keep_alive = false;
    bool sends = self->line != NULL && self->state != EXCHANGE_DIAL;
    if (sends && !self->up.done && !self->deaf) {
        http_refuse_late(self, 400, "the request ended before its body did");
        return;
    }
    if (self->state == EXCHANGE_HEAD) {
        http_exchange_await_answer(self);
    } else if (self->state == EXCHANGE_BODY) {
        http_exchange_body_moved(self);
    }
}

/* ---- the end ---- */
static bool line_is_clean(const http_exchange *self)
{
    const http_line *line = self->line;
    return self->line_keeps && self->up.done && self->down.done && line->conn.in_len == 0 &&
           line->conn.send_bytes == 0 && !line->conn.eof_seen;
}

void http_exchange_retire(http_exchange *self)
{
    tusk_relay *relay = self->http->relay;
    self->state = EXCHANGE_OVER;
    self->client->exchange = NULL;
    relay_cancel(relay, &self->waiter);
    relay_dial_cancel(&self->dial);
    http_exchange_leave_pool(self);
    spare(self);
}

static void let_go_of_line(http_exchange *self)
{
    http_line *line = self->line;
    bool clean = line_is_clean(self);
    self->line = NULL;
    if (clean) {
        http_line_keep(line);
    } else if (self->finishes) {
        http_line_finish(line);
    } else if (self->resets) {
        http_line_reset(line);
    } else {
        http_line_drop(line);
    }
}

void http_exchange_end(http_exchange *self, const char *end)
{
    self->client->exchange = NULL; /* a stop inside of the record does not end it again */
    http_exchange_tell(self, end);
    http_exchange_account(self);
    self->http->stats.tunnels -= self->state == EXCHANGE_TUNNEL ? 1 : 0;
    self->state = EXCHANGE_OVER;
    if (self->line != NULL) {
        let_go_of_line(self);
    }
    http_exchange_retire(self);
}
