/* SPDX-License-Identifier: MIT */
/* Lines to backends, and the pools in which they wait for another request. */
#include "base/mem.h"
#include "net/socket.h"
#include "net/tls.h"

#include <unistd.h>

#include "relay/http/inner.h"

/* ---- pools ---- */
static tusk_tls *tls_of(const relay_http *http, const relay_answer *answer)
{
    if (answer->route.upstream_tls == TUSK_TLS_DISABLE) {
        return NULL; /* HTTP has no word to ask for TLS: where it is preferred, it is spoken */
    }
    return answer->route.tls != NULL ? answer->route.tls : http->relay->upstream_tls;
}

static bool is_of(const http_pool *self, const tusk_tls *tls, tusk_bytes name)
{
    tusk_bytes own =
        self->tls_name == NULL ? tusk_bytes_of(NULL, 0) : tusk_bytes_str(self->tls_name);
    return self->tls == tls && (tls == NULL || tusk_bytes_eq(own, name));
}

static char *text_dup(const tusk_mem *mem, tusk_bytes text)
{
    char *copy = tusk__resize(mem, NULL, 0, text.len + 1);
    if (copy != NULL) {
        memcpy(copy, text.ptr, text.len);
        copy[text.len] = '\0';
    }
    return copy;
}

static void pool_free(http_pool *self)
{
    const tusk_mem *mem = self->http->relay->mem;
    if (self->tls_name != NULL) {
        tusk__free(mem, self->tls_name, strlen(self->tls_name) + 1);
    }
    tusk_tls_unref(self->tls);
    tusk__free(mem, self, sizeof(*self));
}

static tusk_bytes name_of(const relay_target *target, const relay_answer *answer)
{
    return answer->route.tls_name.len > 0 ? answer->route.tls_name : relay_target_host(target);
}

bool http_pool_serves(const http_pool *self, const relay_answer *answer)
{
    const relay_target *target = self->target;
    for (uint32_t i = 0; i < answer->choice_count; i++) {
        if (answer->choices[i].target == target) {
            return is_of(self, tls_of(self->http, answer), name_of(target, answer));
        }
    }
    return false;
}

http_pool *http_pool_get(relay_http *http, relay_target *target, const relay_answer *answer)
{
    tusk_tls *tls = tls_of(http, answer);
    tusk_bytes name = name_of(target, answer);
    for (http_pool *pool = target->pools; pool != NULL; pool = pool->next) {
        if (is_of(pool, tls, name)) {
            return pool;
        }
    }
    http_pool *self = tusk__new(http->relay->mem, sizeof(*self));
    if (self == NULL) {
        return NULL;
    }
    self->http = http;
    self->tls = tls == NULL ? NULL : tusk_tls_ref(tls);
    self->tls_name = tls == NULL ? NULL : text_dup(http->relay->mem, name);
    if (tls != NULL && self->tls_name == NULL) {
        pool_free(self);
        return NULL;
    }
    tusk__list_init(&self->idle);
    tusk__list_init(&self->waiting);
    self->target = relay_target_ref(target);
    self->next = target->pools;
    target->pools = self;
    return self;
}

bool http_pool_has_room(const http_pool *self)
{
    uint32_t most = self->http->options.pool_size;
    return most == 0 || self->count < most;
}

void http_pool_settle(http_pool *self)
{
    bool woken = true;
    while (woken && self->waiting_count > 0) {
        http_exchange *first = TUSK_OWNER(self->waiting.next, http_exchange, waiting);
        bool room = http_pool_has_room(self);
        self->count++; /* it stays while somebody is woken */
        woken = http_exchange_wake(first, room);
        self->count--;
    }
    if (self->count > 0 || self->waiting_count > 0) {
        return;
    }
    relay_target *target = self->target;
    http_pool **place = &target->pools;
    while (*place != self) {
        place = &(*place)->next;
    }
    *place = self->next;
    pool_free(self);
    relay_target_unref(target);
}

/* ---- kept lines ---- */
static void leave_kept(http_line *self)
{
    if (tusk__link_linked(&self->idle)) {
        tusk__link_remove(&self->idle);
        tusk__link_remove(&self->kept);
        self->pool->idle_count--;
        self->http->stats.kept--;
    }
}

static void no_more_idle(http_line *self)
{
    if (self->idles) {
        self->idles = false;
        relay_target_unkeep(self->pool->target);
    }
}

/* The youngest is the one whose backend has least reason to have closed it. */
http_line *http_pool_take(http_pool *self, bool once)
{
    for (tusk_link *link = self->idle.prev; link != &self->idle; link = link->prev) {
        http_line *line = TUSK_OWNER(link, http_line, idle);
        if (tusk_conn_open(&line->conn) && line->conn.in_len == 0 &&
            (!once || tusk_conn_quiet(&line->conn))) {
            leave_kept(line);
            no_more_idle(line);
            return line;
        }
    }
    return NULL;
}

static void on_kept_due(tusk_timer *timer)
{
    relay_http *http = TUSK_OWNER(timer, relay_http, kept_timer);
    uint64_t now = tusk_loop_now_ms(http_loop(http));
    while (!tusk__list_empty(&http->kept)) {
        http_line *line = TUSK_OWNER(http->kept.next, http_line, kept);
        if (line->kept_until_ms > now) {
            tusk_timer_start(http_loop(http), timer, line->kept_until_ms - now);
            return;
        }
        http->stats.pool_expired++;
        http_line_drop(line);
    }
}

/* Its target's name has lost an address since: it may lead where nobody should be sent any more. */
static bool is_outdated(const http_line *self)
{
    return self->generation != self->pool->target->generation;
}

void http_line_keep(http_line *self)
{
    relay_http *http = self->http;
    http_pool *pool = self->pool;
    bool full = pool->idle_count >= http->options.pool_idle && pool->waiting_count == 0;
    self->exchange = NULL;
    self->scanned = 0;
    if (is_outdated(self)) {
        http->stats.pool_outdated++;
        http_line_drop(self);
        return;
    }
    if (full || http_stopping(http)) {
        http->stats.pool_full += full ? 1 : 0;
        http_line_drop(self);
        return;
    }
    relay_target_refresh(pool->target);
    if (pool->target->waiters > 0 && http_line_to_who_waits(self)) {
        return;
    }
    if (self->conn.paused) {
        tusk_conn_resume(&self->conn); /* to see its end */
    }
    self->idles = true;
    relay_target_keep(pool->target);
    tusk__list_push(&pool->idle, &self->idle);
    tusk__list_push(&http->kept, &self->kept);
    pool->idle_count++;
    http->stats.kept++;
    self->kept_until_ms = tusk_loop_now_ms(http_loop(http)) + http->options.pool_idle_ms;
    http->kept_timer.on_due = on_kept_due;
    if (!tusk_timer_running(&http->kept_timer)) {
        tusk_timer_start(http_loop(http), &http->kept_timer, http->options.pool_idle_ms);
    }
    if (pool->waiting_count > 0) {
        http_pool_settle(pool);
    }
}

static http_line *oldest_of(const http_pool *pool)
{
    return tusk__list_empty(&pool->idle) ? NULL : TUSK_OWNER(pool->idle.next, http_line, idle);
}

void http_pool_give_way(http_pool *self)
{
    http_line *oldest = oldest_of(self);
    if (oldest != NULL && self->leaving == 0) {
        self->http->stats.pool_given_up++;
        http_line_drop(oldest);
    }
}

void http_line_give_up(relay_target *target)
{
    http_line *oldest = NULL;
    for (http_pool *pool = target->pools; pool != NULL; pool = pool->next) {
        http_line *first = oldest_of(pool);
        if (first != NULL && (oldest == NULL || first->kept_until_ms < oldest->kept_until_ms)) {
            oldest = first;
        }
    }
    if (oldest != NULL) {
        target->relay->http->stats.pool_given_up++;
        http_line_drop(oldest);
    }
}

static http_line *outdated_of(const relay_target *target)
{
    for (http_pool *pool = target->pools; pool != NULL; pool = pool->next) {
        for (tusk_link *link = pool->idle.next; link != &pool->idle; link = link->next) {
            http_line *line = TUSK_OWNER(link, http_line, idle);
            if (is_outdated(line)) {
                return line;
            }
        }
    }
    return NULL;
}

/* One after the other, as the last of a pool may take that along. */
void http_lines_drop_outdated(relay_target *target)
{
    http_line *line;
    while ((line = outdated_of(target)) != NULL) {
        target->relay->http->stats.pool_outdated++;
        http_line_drop(line);
    }
}

void http_line_drop(http_line *self)
{
    self->exchange = NULL;
    leave_kept(self);
    if (self->pool != NULL && !self->leaves) {
        self->leaves = true;
        self->pool->target->leaving++;
        self->pool->leaving++;
    }
    tusk_conn_abort(&self->conn, TUSK_OK);
}

void http_line_reset(http_line *self)
{
    if (self->conn.state != CONN_CLOSED) {
        tusk__socket_will_reset(self->conn.io.fd);
    }
    http_line_drop(self);
}

void http_line_finish(http_line *self)
{
    self->exchange = NULL;
    tusk__list_push(&self->http->ending, &self->kept);
    tusk_conn_finish(&self->conn);
}

void http_lines_cut(relay_http *http)
{
    while (!tusk__list_empty(&http->ending)) {
        http_line *line = TUSK_OWNER(tusk__list_pop(&http->ending), http_line, kept);
        tusk_conn_abort(&line->conn, TUSK_OK);
    }
}

void http_lines_drop_kept(relay_http *http)
{
    while (!tusk__list_empty(&http->kept)) {
        http_line_drop(TUSK_OWNER(http->kept.next, http_line, kept));
    }
    tusk_timer_stop(http_loop(http), &http->kept_timer);
}

/* ---- what its connection tells ---- */
static http_line *line_of(tusk_conn *conn)
{
    return (http_line *)(void *)conn;
}

static void on_data(tusk_conn *conn)
{
    http_line *self = line_of(conn);
    if (self->exchange == NULL) {
        tusk_conn_consume(conn, conn->in_len);
        http_line_drop(self); /* an answer to nothing */
        return;
    }
    http_answer_input(self->exchange);
}

/* Its exchange goes on without it, or ends. */
static void lose(http_line *self, tusk_err why)
{
    http_exchange *exchange = self->exchange;
    if (exchange == NULL) {
        http_line_drop(self);
    } else if (exchange->state == EXCHANGE_DIAL) {
        http_exchange_line_refused(exchange, why);
    } else if (exchange->state == EXCHANGE_HEAD) {
        const relay_target *target = self->pool->target; /* the answer holds it, too */
        exchange->line = NULL;
        http_line_drop(self);
        http_exchange_line_lost(exchange, target, why);
    } else {
        http_answer_end(exchange, why);
    }
}

static void on_eof(tusk_conn *conn)
{
    lose(line_of(conn), TUSK_EEOF);
}

static void on_drain(tusk_conn *conn)
{
    http_exchange *exchange = line_of(conn)->exchange;
    if (exchange != NULL) {
        http_client_go(exchange->client);
    }
}

static void on_ready(tusk_conn *conn, tusk_err err)
{
    http_line *self = line_of(conn);
    self->ready = err == TUSK_OK;
    if (err != TUSK_OK) {
        lose(self, err);
    } else if (self->exchange != NULL && self->exchange->state == EXCHANGE_DIAL) {
        http_exchange_line_ready(self->exchange);
    }
}

static void on_close(tusk_conn *conn, tusk_err why)
{
    http_line *self = line_of(conn);
    if (self->exchange != NULL) {
        lose(self, why == TUSK_OK ? TUSK_ERESET : why);
    }
    leave_kept(self);
    tusk__link_remove(&self->kept); /* from those that end */
}

static void on_released(tusk_conn *conn)
{
    http_line *self = line_of(conn);
    relay_http *http = self->http;
    http_pool *pool = self->pool;
    if (pool != NULL) {
        no_more_idle(self);
        pool->target->leaving -= self->leaves ? 1 : 0;
        pool->leaving -= self->leaves ? 1 : 0;
        relay_target_leave(pool->target);
        pool->count--;
        http->stats.lines--;
        http_pool_settle(pool);
    }
    tusk__free(http->relay->mem, self, sizeof(*self));
    relay_release(http->relay);
}

static const tusk_conn_ops line_ops = {
    .on_data = on_data,
    .on_eof = on_eof,
    .on_drain = on_drain,
    .on_ready = on_ready,
    .on_close = on_close,
    .on_released = on_released,
};

/* ---- birth ---- */
static tusk_err open_line(http_line *self, int fd)
{
    const http_pool *pool = self->pool;
    tusk_filter *filter = NULL;
    tusk_err err = TUSK_OK;
    if (pool->tls != NULL) {
        err = tusk_tls_filter_new(&filter, pool->tls, pool->tls_name);
    }
    if (err == TUSK_OK) {
        err = relay_conn_init(self->http->relay, &self->conn, fd, filter, &line_ops);
    }
    if (err != TUSK_OK) {
        tusk_tls_filter_free(filter);
    }
    self->ready = filter == NULL;
    self->conn.read_on = true;
    return err;
}

tusk_err http_line_new(http_line **out, relay_http *http, int fd, relay_target *target,
                       const relay_answer *answer)
{
    const tusk_mem *mem = http->relay->mem;
    http_pool *pool = http_pool_get(http, target, answer);
    http_line *self = pool == NULL ? NULL : tusk__new(mem, sizeof(*self));
    bool without_tls =
        answer->route.upstream_tls == TUSK_TLS_REQUIRE && pool != NULL && pool->tls == NULL;
    tusk_err err = self == NULL ? TUSK_ENOMEM : without_tls ? TUSK_ENOTSUP : TUSK_OK;
    if (err == TUSK_OK) {
        self->http = http;
        self->pool = pool;
        err = open_line(self, fd);
    }
    if (err != TUSK_OK) {
        (void)close(fd);
        tusk__free(mem, self, sizeof(*self));
        if (pool != NULL) {
            http_pool_settle(pool);
        }
        relay_target_leave(target);
        return err;
    }
    pool->count++;
    http->stats.lines++;
    relay_hold(http->relay);
    *out = self;
    return TUSK_OK;
}
