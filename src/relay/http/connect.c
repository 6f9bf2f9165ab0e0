/* SPDX-License-Identifier: MIT */
/* From an exchange to its line: a kept one, a new one by dialling, a place in the queue; and what
 * happens when the line is gone before the answer. */
#include "relay/http/inner.h"

#include <sys/socket.h>
#include <unistd.h>

static void attach(http_exchange *self, http_line *line)
{
    relay_http *http = self->http;
    tusk_bytes head = tusk_buf_view(&self->head);
    self->line = line;
    self->attached_ns = tusk_loop_now_ns(http_loop(http));
    self->state = EXCHANGE_HEAD;
    line->exchange = self;
    if (tusk_conn_append(&line->conn, head.ptr, head.len) != TUSK_OK) {
        http_line_drop(line);
        self->line = NULL;
        http_refuse_late(self, 503, "the proxy has no memory for this now");
        return;
    }
    if (self->up.done) {
        http_exchange_await_answer(self);
    } else {
        http_client_deadline(self->client, http->options.body_ms);
        http_client_go(self->client);
    }
}

/* Who the client is, before anything else is said, TLS too: on a new socket, which takes as much at
 * once. */
static tusk_err send_proxy_head(const http_exchange *self, int fd)
{
    const http_client *client = self->client;
    int version = self->answer->route.proxy_version;
    tusk_proxy_head head = {.family = client->family, .source_port = client->peer_port};
    tusk_addr peer;
    tusk_buf bytes;
    if (version == 0) {
        return TUSK_OK;
    }
    tusk_addr local = http_client_destination(client);
    head.target_port = tusk_addr_port(&local);
    head.local = client->family == 0 || tusk_addr_ip(&local, head.target) != client->family ||
                 tusk_addr_from_host(&peer, client->peer, 0) != TUSK_OK;
    if (!head.local) {
        (void)tusk_addr_ip(&peer, head.source);
    }
    tusk_buf_init(&bytes, self->http->relay->mem, TUSK_PROXY_HEAD_MAX);
    tusk_err err = tusk_proxy_head_write(&bytes, &head, version, NULL);
    tusk_bytes view = tusk_buf_view(&bytes);
    if (err == TUSK_OK && send(fd, view.ptr, view.len, MSG_NOSIGNAL) != (ssize_t)view.len) {
        err = TUSK_ERESET;
    }
    tusk_buf_fini(&bytes);
    return err;
}

/* So long hands may be shaken with a backend; 0: for ever. */
static uint32_t tls_ms(const http_exchange *self)
{
    uint32_t own = self->answer->route.connect_ms;
    return own != 0 ? own : self->http->relay->limits.connect_ms;
}

/* With TLS nothing of the request goes to the line before hands are shaken. */
static void offer(http_exchange *self, http_line *line)
{
    if (line->ready) {
        attach(self, line);
        return;
    }
    self->line = line;
    line->exchange = self;
    http_client_deadline(self->client, tls_ms(self));
}

static void on_dialed(relay_dial *dial, tusk_err err, int fd, relay_target *target)
{
    http_exchange *self = TUSK_OWNER(dial, http_exchange, dial);
    http_pool *pool = self->pool;
    http_line *line = NULL;
    tusk_err sent = err == TUSK_OK ? send_proxy_head(self, fd) : err;
    if (err == TUSK_OK && sent != TUSK_OK) {
        (void)close(fd);
        relay_dial_reject(dial, sent, NULL, false);
        return;
    }
    self->connect_us = relay_us_since(self->http->relay, self->dialled_ns);
    self->pool = NULL;
    self->counts = false;
    if (err != TUSK_OK) {
        http_refuse_late(self, relay_dial_status(dial), relay_dial_reason(dial));
    } else if ((err = http_line_new(&line, self->http, fd, target, self->answer)) == TUSK_OK) {
        line->generation = dial->generation;
        offer(self, line);
    } else {
        relay_dial_accept(dial); /* the target is well */
        http_refuse_late(self, relay_status_of(err), relay_reason_of(err));
    }
    pool->count--; /* it stays as long as this needs it */
    http_pool_settle(pool);
}

void http_exchange_line_ready(http_exchange *self)
{
    attach(self, self->line);
}

void http_exchange_line_refused(http_exchange *self, tusk_err why)
{
    http_line *line = self->line;
    self->pool = line->pool;
    self->pool->count++; /* the dial goes on */
    self->counts = true;
    self->line = NULL;
    relay_target_enter(line->pool->target); /* which the line leaves, and then the dial */
    http_line_drop(line);
    http_client_deadline(self->client, 0);
    relay_dial_reject(&self->dial, why,
                      why == TUSK_ETIMEOUT ? "the backend did not shake hands for TLS in time"
                                           : "the backend's TLS failed",
                      false);
}

/* Counted from 1. */
static uint8_t choice_of(const relay_answer *answer, const relay_target *target)
{
    uint32_t at = 0;
    while (at < answer->choice_count && answer->choices[at].target != target) {
        at++;
    }
    return at < answer->choice_count ? (uint8_t)(at + 1) : 0;
}

/* The pool has room for its own target: that one is tried before the others. */
static void dial(http_exchange *self, http_pool *pool)
{
    pool->count++;
    self->pool = pool;
    self->counts = true;
    self->state = EXCHANGE_DIAL;
    self->dialled_ns = tusk_loop_now_ns(http_loop(self->http));
    self->dial.on_dialed = on_dialed;
    self->dial.first = choice_of(self->answer, pool->target);
    http_client_deadline(self->client, 0); /* the dial has its own */
    relay_dial_start(&self->dial, self->http->relay, self->answer);
}

/* A line of this client's own: what a PROXY head says holds for all that follows it. */
static bool wants_own_line(const http_exchange *self)
{
    return self->answer->route.proxy_version != 0;
}

static void wait_in(http_exchange *self, http_pool *pool)
{
    relay_http *http = self->http;
    bool frees = pool->target->leaving > 0; /* such as the one that this request has just lost */
    if (pool->waiting_count >= http->options.pool_waiting && !frees) {
        http->stats.pool_wait_refused++;
        http_refuse_late(self, 503, "too many requests wait for the backend");
        return;
    }
    http->stats.pool_waits++;
    pool->waiting_count++;
    tusk__list_push(&pool->waiting, &self->waiting);
    self->pool = pool;
    self->state = EXCHANGE_WAIT;
    http_client_deadline(self->client, http->options.pool_wait_ms);
    if (wants_own_line(self)) {
        http_pool_give_way(pool);
    }
}

void http_exchange_leave_pool(http_exchange *self)
{
    http_pool *pool = self->pool;
    if (pool == NULL) {
        return;
    }
    self->pool = NULL;
    if (self->counts) {
        self->counts = false;
        pool->count--;
    } else {
        tusk__link_remove(&self->waiting);
        pool->waiting_count--;
    }
    http_pool_settle(pool);
}

/* RFC 9110, 9.2.2; of a body, what has left is not kept. */
static bool may_repeat(const http_exchange *self)
{
    return !self->has_body && tusk_http_idempotent(self->method);
}

/* Which target's kept lines are looked at, and who is dialled first. The dial asks again, so
 * nothing is promised to the one that is tried again after its ejection. */
static relay_target *choose(const http_exchange *self, tusk_err *why)
{
    const relay_answer *answer = self->answer;
    *why = TUSK_EREFUSED;
    int chosen = relay_pick(answer, self->dial.avoid, false, why);
    if (chosen < 0) {
        return NULL;
    }
    relay_target *target = answer->choices[chosen].target;
    relay_health_leave(target);
    return target;
}

/* All targets have as many connections as they may; some of them may be waiting for a request. */
static http_line *take_any(http_exchange *self)
{
    for (uint32_t i = 0; i < self->answer->choice_count; i++) {
        http_pool *pool = http_pool_get(self->http, self->answer->choices[i].target, self->answer);
        http_line *line = pool == NULL ? NULL : http_pool_take(pool, !may_repeat(self));
        if (line != NULL) {
            return line;
        }
        if (pool != NULL) {
            http_pool_settle(pool);
        }
    }
    return NULL;
}

static void reuse(http_exchange *self, http_line *line)
{
    self->http->stats.reused++;
    self->reused = true;
    attach(self, line);
}

void http_exchange_connect(http_exchange *self, bool fresh)
{
    tusk_err why;
    relay_target *target = choose(self, &why);
    fresh = fresh || wants_own_line(self);
    http_line *line = target == NULL && !fresh ? take_any(self) : NULL;
    if (target == NULL && line == NULL && why != TUSK_ELIMIT) {
        http_refuse_late(self, relay_status_of(why), relay_reason_of(why));
        return;
    }
    /* Where all are full the dial waits in line for a place, as long as it may. */
    target = target != NULL ? target : self->answer->choices[0].target;
    http_pool *pool = line != NULL ? line->pool : http_pool_get(self->http, target, self->answer);
    if (pool == NULL) {
        http_refuse_late(self, 503, "the proxy has no memory for this now");
        return;
    }
    line = line == NULL && !fresh ? http_pool_take(pool, !may_repeat(self)) : line;
    if (line != NULL) {
        reuse(self, line);
    } else if (http_pool_has_room(pool)) {
        dial(self, pool);
    } else {
        wait_in(self, pool);
    }
}

bool http_exchange_wake(http_exchange *self, bool room)
{
    http_pool *pool = self->pool;
    bool own = wants_own_line(self);
    http_line *line = own ? NULL : http_pool_take(pool, !may_repeat(self));
    if (line == NULL && !room) {
        if (own) {
            http_pool_give_way(pool);
        }
        return false;
    }
    tusk__link_remove(&self->waiting);
    pool->waiting_count--;
    self->pool = NULL;
    if (line != NULL) {
        reuse(self, line);
    } else {
        dial(self, pool);
    }
    return true;
}

/* The dials in line are those of exchanges, as a relay has one kind. A line that is just free has
 * told nothing of an end, so who may not repeat its request can have it, too. */
bool http_line_to_who_waits(http_line *line)
{
    const tusk_link *queue = &line->http->relay->queue;
    for (const tusk_link *link = queue->next; link != queue; link = link->next) {
        http_exchange *first = TUSK_OWNER(link, http_exchange, dial.waiting);
        if (!wants_own_line(first) && http_pool_serves(line->pool, first->answer)) {
            relay_dial_cancel(&first->dial);
            http_exchange_leave_pool(first);
            reuse(first, line);
            return true;
        }
    }
    return false;
}

/* ---- a line that is gone ---- */
/* Another target than the one that ended a new connection so; false: there is none. */
static bool avoid(http_exchange *self, const relay_target *target)
{
    const relay_answer *answer = self->answer;
    for (uint32_t i = 0; i < answer->choice_count; i++) {
        if (answer->choices[i].target == target) {
            self->dial.avoid |= UINT64_C(1) << i;
        }
    }
    return answer->choice_count > 1;
}

/* A backend may close a kept connection at any time (RFC 9112, 9.3.1); one that ends a new one
 * without a word has failed, and would do so again. Either way the request may have been acted on,
 * so it goes once more if that does no harm (RFC 9110, 9.2.2), and never a third time. */
void http_exchange_line_lost(http_exchange *self, const relay_target *target, tusk_err why)
{
    relay_http *http = self->http;
    bool somewhere = true;
    if (!self->answered && !self->reused) {
        relay_dial_blame(&self->dial);
        somewhere = avoid(self, target);
    }
    if (!self->answered && !self->retried && somewhere && may_repeat(self)) {
        http->stats.retried++;
        self->retried = true;
        self->reused = false;
        http_exchange_connect(self, true);
        return;
    }
    if (why == TUSK_ERESET) {
        http->relay->stats.resets_backend++;
        relay_target_count(target, METER_RESETS);
    }
    http_refuse_late(self, 502, "the backend ended the connection without an answer");
}
