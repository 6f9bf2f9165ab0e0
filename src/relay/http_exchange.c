/* SPDX-License-Identifier: MIT */
/* An exchange: a request from its head to a backend, until its answer is over. */
#include <stdio.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "net/tls.h"
#include "relay/http_inner.h"

static relay_http *http_of(const http_exchange *self)
{
    return self->http;
}

static uint32_t us_since(const http_exchange *self, uint64_t ns)
{
    return (uint32_t)((tusk_loop_now_ns(http_loop(self->http)) - ns) / 1000u);
}

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

/* ---- what is asked ---- */
typedef struct words {
    char port[8];
    char destination[TUSK_ADDR_TEXT_MAX];
    uint8_t host[TUSK_ADDR_TEXT_MAX * 2];
    uint8_t name[RELAY_SERVER_NAME_MAX];
} words;

static void fill_destination(const http_client *client, tusk_relay_lookup *lookup, words *text)
{
    tusk_addr to = http_client_destination(client);
    if (to.len > 0) {
        lookup->field[TUSK_LOOKUP_DESTINATION] =
            tusk_bytes_str(tusk_addr_text(&to, text->destination));
    }
}

/* Only what somebody will read is made into text. */
static void fill_lookup(const http_client *client, const tusk_http_head *head,
                        tusk_relay_lookup *lookup, uint32_t fields, words *text)
{
    tusk_bytes *field = lookup->field;
    lookup->secure = client->secure;
    field[TUSK_LOOKUP_LISTENER] = tusk_bytes_str(client->session.door->text);
    field[TUSK_LOOKUP_METHOD] = head->method_name;
    field[TUSK_LOOKUP_PATH] = head->path;
    field[TUSK_LOOKUP_PEER] =
        client->family == 0 ? tusk_bytes_str("unix") : tusk_bytes_str(client->peer);
    if (client->told != NULL && client->told->authority_len > 0) {
        field[TUSK_LOOKUP_AUTHORITY] =
            tusk_bytes_of(client->told->authority, client->told->authority_len);
    }
    if (head->authority.len <= sizeof(text->host)) {
        field[TUSK_LOOKUP_HOST] = http_host_of(text->host, head->authority);
    }
    if ((fields & 1u << TUSK_LOOKUP_PEER_PORT) != 0 && client->family != 0) {
        (void)snprintf(text->port, sizeof(text->port), "%u", (unsigned)client->peer_port);
        field[TUSK_LOOKUP_PEER_PORT] = tusk_bytes_str(text->port);
    }
    if ((fields & 1u << TUSK_LOOKUP_SERVER_NAME) != 0) {
        field[TUSK_LOOKUP_SERVER_NAME] = relay_server_name(&client->conn, text->name);
    }
    if (client->conn.filter != NULL) {
        field[TUSK_LOOKUP_ALPN] = tusk_filter_alpn(client->conn.filter);
    }
    if ((fields & 1u << TUSK_LOOKUP_DESTINATION) != 0) {
        fill_destination(client, lookup, text);
    }
}

static void on_route(relay_waiter *waiter, relay_answer *answer, bool cached)
{
    http_exchange *self = TUSK_OWNER(waiter, http_exchange, waiter);
    self->answer = relay_answer_ref(answer);
    self->cached = cached;
    self->resolve_us = us_since(self, self->asked_ns);
    if (!self->asking) {
        self->state = EXCHANGE_ROUTED;
        http_client_go(self->client);
    }
}

static void ask(http_exchange *self, const tusk_http_head *head)
{
    tusk_relay *relay = http_of(self)->relay;
    tusk_relay_lookup lookup = {.secure = false};
    words text;
    self->state = EXCHANGE_ROUTE;
    self->asked_ns = tusk_loop_now_ns(relay->loop);
    self->waiter.on_route = on_route;
    fill_lookup(self->client, head, &lookup, relay_fields_known(&relay->routes), &text);
    relay_answer *answer = relay_known(relay, &lookup);
    if (answer != NULL) {
        self->answer = relay_answer_ref(answer);
        self->cached = true;
        return;
    }
    fill_lookup(self->client, head, &lookup, UINT32_MAX, &text);
    self->asking = true;
    relay_ask_route(relay, &self->waiter, &lookup);
    self->asking = false;
}

/* ---- what is not asked at all ---- */
static uint16_t refusal_of(const http_exchange *self, const tusk_http_head *head,
                           const char **reason)
{
    uint64_t most = http_of(self)->options.body_bytes;
    if (head->method == TUSK_HTTP_CONNECT || head->method == TUSK_HTTP_TRACE) {
        *reason = "this method is not passed on";
        return 405;
    }
    if (head->method == TUSK_HTTP_OPTIONS && http_max_forwards(head) == 0) {
        *reason = "";
        return 204; /* meant for us: RFC 9110, 7.6.2 */
    }
    if (most > 0 && head->content_length > 0 && (uint64_t)head->content_length > most) {
        http_of(self)->stats.bodies_too_big++;
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

static void begin(http_exchange *self, const tusk_http_head *head, tusk_bytes raw)
{
    relay_http *http = http_of(self);
    relay_answer *answer = self->answer;
    if (relay_answer_refuses(answer)) {
        http->relay->stats.refused_resolver++;
        http_refuse(self, head, answer->refusal.status, answer->refusal.reason);
        return;
    }
    if (answer->route.status != 0) {
        http_answer_directly(self);
        return;
    }
    self->has_body = head->chunked || head->content_length > 0;
    /* HTTP/2 in a tunnel would be requests that nobody here reads. */
    self->upgrade =
        head->upgrade && !self->has_body && !tusk_http_has_token(head, "upgrade", "h2c");
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
    const tusk_http_head *head = &http_of(self)->head;
    const char *reason;
    uint16_t status = refusal_of(self, head, &reason);
    self->method = head->method;
    self->unread = raw.len;
    if (status != 0) {
        http_refuse(self, head, status, tusk_bytes_str(reason));
        return;
    }
    ask(self, head);
    if (self->answer != NULL) {
        begin(self, head, raw);
    }
}

/* The answer came later than at once: the head lies where it was, and is read again. */
static void begin_late(http_exchange *self)
{
    relay_http *http = http_of(self);
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
    relay_http *http = http_of(self);
    self->client->keep_alive = false;
    if (!http_flow_is_senders(err)) {
        http_refuse_late(self, 503, "the proxy has no memory for this now");
        return;
    }
    http->stats.bodies_too_big += err == TUSK_ETOOBIG ? 1 : 0;
    http->stats.bad_requests += err == TUSK_ETOOBIG ? 0 : 1;
    http_refuse_late(self, (uint16_t)tusk_http_status_of(err), tusk_err_text(err));
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
    if (err != TUSK_OK) {
        body_failed(self, err);
        return;
    }
    if (self->client->conn.in_len < had && self->state == EXCHANGE_HEAD) {
        if (self->up.done) {
            http_exchange_await_answer(self);
        } else {
            http_client_deadline(self->client, http_of(self)->options.body_ms);
        }
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
    if (self->line != NULL && !self->up.done && !self->deaf) {
        http_refuse_late(self, 400, "the request ended before its body did");
        return;
    }
    if (self->state == EXCHANGE_HEAD) {
        http_exchange_await_answer(self);
    } else if (self->state == EXCHANGE_BODY) {
        http_exchange_body_moved(self);
    }
}

/* ---- deadlines ---- */
http_patience http_exchange_patience(const http_exchange *self, uint32_t own_ms,
                                     uint64_t *own_counter)
{
    tusk_relay *relay = http_of(self)->relay;
    uint32_t routes = self->answer->route.idle_ms;
    uint32_t all = routes != 0 ? routes : relay->limits.idle_ms;
    if (all == 0 || (routes == 0 && own_ms != 0 && own_ms <= all)) {
        return (http_patience){.ms = own_ms, .counter = own_counter};
    }
    return (http_patience){.ms = all == UINT32_MAX ? 0 : all,
                           .counter = &relay->stats.idle_timeouts};
}

static http_patience patience_in_body(const http_exchange *self)
{
    relay_http *http = http_of(self);
    return http_exchange_patience(self, http->options.idle_ms, &http->stats.idle_timeouts);
}

void http_exchange_body_moved(http_exchange *self)
{
    http_client_deadline(self->client, patience_in_body(self).ms);
}

/* For the answer's head. */
static http_patience patience_in_head(const http_exchange *self)
{
    relay_http *http = http_of(self);
    uint32_t first_ms = http->relay->limits.backend_first_ms;
    if (first_ms != 0 && first_ms < http->options.answer_ms) {
        return (http_patience){.ms = first_ms,
                               .counter = &http->relay->stats.backend_first_timeouts};
    }
    return (http_patience){.ms = http->options.answer_ms, .counter = &http->stats.answer_timeouts};
}

void http_exchange_await_answer(http_exchange *self)
{
    http_client_deadline(self->client, patience_in_head(self).ms);
}

static void due_in_head(http_exchange *self)
{
    relay_http *http = http_of(self);
    bool clients = !self->up.done && !self->client->conn.paused;
    if (clients) {
        http->stats.body_timeouts++;
        self->client->keep_alive = false;
        http_refuse_late(self, 408, "the request's body did not arrive in time");
    } else if (self->client->fin_due) {
        http->stats.client_fin_timeouts++;
        http_refuse_late(self, 504, "the client ended its side, and the backend says nothing");
    } else {
        (*patience_in_head(self).counter)++;
        http_refuse_late(self, 504, "the backend did not answer in time");
    }
}

/* Slow is allowed, stuck is not: of an answer that leaves something must go. */
static void due_in_body(http_exchange *self)
{
    http_client *client = self->client;
    relay_http *http = http_of(self);
    uint32_t queued = (uint32_t)client->conn.send_bytes;
    if (queued > 0 && queued != client->last_queued) {
        http_exchange_body_moved(self);
        return;
    }
    bool fin = client->fin_due;
    (*(fin ? &http->stats.client_fin_timeouts : patience_in_body(self).counter))++;
    client->state = CLIENT_DONE;
    http_exchange_end(self, fin ? "client half-closed" : "idle");
    http_client_cut(client, true);
}

static void due_in_tunnel(http_exchange *self)
{
    http_client *client = self->client;
    bool old = http_client_is_old(client);
    (*(old ? &http_of(self)->relay->stats.aged : http_tunnel_patience(self).counter))++;
    client->state = CLIENT_DONE;
    http_exchange_end(self, old ? "age" : "idle");
    http_client_cut(client, false);
}

void http_exchange_due(http_exchange *self)
{
    relay_http *http = http_of(self);
    switch ((http_exchange_state)self->state) {
    case EXCHANGE_WAIT:
        http->stats.pool_wait_timeouts++;
        http_refuse_late(self, 503, "the backend is busy");
        break;
    case EXCHANGE_HEAD: due_in_head(self); break;
    case EXCHANGE_BODY: due_in_body(self); break;
    case EXCHANGE_TUNNEL: due_in_tunnel(self); break;
    case EXCHANGE_ROUTE:
    case EXCHANGE_ROUTED:
    case EXCHANGE_DIAL:
    case EXCHANGE_OVER: break;
    }
}

/* ---- the end ---- */
/* Method, path and Host stand in what was made for the backend, in this order. */
void http_exchange_tell_request(const http_exchange *self, tusk_relay_record *record)
{
    static const char before_host[] = " HTTP/1.1\r\nHost: ";
    tusk_bytes text = tusk_buf_view(&self->head);
    const uint8_t *space = text.len == 0 ? NULL : memchr(text.ptr, ' ', text.len);
    if (space == NULL) {
        return;
    }
    const uint8_t *end = text.ptr + text.len;
    const uint8_t *path = space + 1;
    const uint8_t *after = memchr(path, ' ', (size_t)(end - path));
    const uint8_t *query = after == NULL ? NULL : memchr(path, '?', (size_t)(after - path));
    if (after == NULL || (size_t)(end - after) < sizeof(before_host)) {
        return;
    }
    const uint8_t *host = after + sizeof(before_host) - 1;
    const uint8_t *cr = memchr(host, '\r', (size_t)(end - host));
    record->method = tusk_bytes_of(text.ptr, (size_t)(space - text.ptr));
    record->path = tusk_bytes_of(path, (size_t)((query != NULL ? query : after) - path));
    record->host = tusk_bytes_of(host, cr == NULL ? 0 : (size_t)(cr - host));
}

static void tell(const http_exchange *self, const char *end)
{
    const http_client *client = self->client;
    tusk_relay *relay = self->http->relay;
    const http_line *line = self->line;
    if (!relay_record_wanted(relay)) {
        return;
    }
    tusk_relay_record record = {.peer = tusk_bytes_str(client->family == 0 ? "unix" : client->peer),
                                .engine = TUSK_ENGINE_COPY,
                                .resolve_us = self->resolve_us,
                                .connect_us = self->connect_us,
                                .first_byte_us = self->first_us,
                                .bytes_up = self->up.body.total + self->bytes[RELAY_CLIENT],
                                .bytes_down = self->down.body.total + self->bytes[RELAY_BACKEND],
                                .status = self->status,
                                .end = end,
                                .cached = self->cached};
    if (line != NULL) {
        record.target = relay_target_text(line->pool->target);
    }
    http_exchange_tell_request(self, &record);
    if (self->answer != NULL) {
        record.metadata = self->answer->route.metadata;
    }
    const relay_session session = {.door = client->session.door, .began_ns = self->began_ns};
    relay_record_tell(&session, &record);
}

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
        line->exchange = NULL;
        tusk_conn_finish(&line->conn);
    } else {
        http_line_drop(line);
    }
}

void http_exchange_end(http_exchange *self, const char *end)
{
    tusk_relay *relay = self->http->relay;
    self->client->exchange = NULL; /* a stop inside of the record does not end it again */
    tell(self, end);
    relay->stats.bytes_up += self->up.body.total + self->bytes[RELAY_CLIENT];
    relay->stats.bytes_down += self->down.body.total + self->bytes[RELAY_BACKEND];
    self->http->stats.tunnels -= self->state == EXCHANGE_TUNNEL ? 1 : 0;
    self->state = EXCHANGE_OVER;
    if (self->line != NULL) {
        let_go_of_line(self);
    }
    http_exchange_retire(self);
}
