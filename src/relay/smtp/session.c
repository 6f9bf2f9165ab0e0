/* SPDX-License-Identifier: MIT */
/* An SMTP session from accept to end: our greeting, our own words, deadlines. */
#define _GNU_SOURCE
#include "relay/smtp/session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/socket.h"
#include "net/tls.h"
#include "relay/account.h"

static relay_smtp *of(tusk_conn *conn)
{
    return TUSK_OWNER(conn, relay_smtp, client);
}

/* ---- words ---- */
static void send_reply(relay_smtp *self, tusk_err err, tusk_bytes reply)
{
    err = err == TUSK_OK ? tusk_conn_append(&self->client, reply.ptr, reply.len) : err;
    if (err != TUSK_OK && err != TUSK_ESTATE) {
        tusk_conn_abort(&self->client, err);
    }
}

void relay_smtp_say(relay_smtp *self, unsigned code, const char *status, const char *text)
{
    tusk_buf line;
    tusk_buf_init(&line, relay_smtp_relay(self)->mem, SMTP_TEXT_MAX);
    tusk_err err = tusk__smtp_reply_write(&line, code, status, tusk_bytes_str(text));
    send_reply(self, err, tusk_buf_view(&line));
    tusk_buf_fini(&line);
}

void relay_smtp_quote(relay_smtp *self, unsigned code)
{
    tusk_buf lines;
    tusk_buf_init(&lines, relay_smtp_relay(self)->mem, 2 * SMTP_REPLY_MAX);
    tusk_err err = tusk__smtp_reply_write_lines(&lines, code, tusk_buf_view(&self->hello));
    send_reply(self, err, tusk_buf_view(&lines));
    tusk_buf_fini(&lines);
}

/* Who leaves after a refusal, with a goodbye or without, is still one who was refused. */
static const char *own_end(const relay_smtp *self, const char *end)
{
    return self->status >= 400 && self->refused != NULL ? self->refused : end;
}

void relay_smtp_finish(relay_smtp *self, const char *end)
{
    if (self->state == SMTP_STATE_LAST) {
        return;
    }
    self->state = SMTP_STATE_LAST;
    self->end = end;
    relay_smtp_drop(self, self->mode != SMTP_MODE_MESSAGE && self->mode != SMTP_MODE_CHUNK);
    tusk_timer_stop(relay_smtp_relay(self)->loop, &self->timer);
    tusk_conn_finish(&self->client);
}

static void leave(relay_smtp *self, unsigned code, const char *end)
{
    bool refused = code < 400 && self->status >= 400;
    self->status = refused ? self->status : (uint16_t)code;
    relay_smtp_finish(self, refused ? own_end(self, end) : end);
}

void relay_smtp_leave(relay_smtp *self, unsigned code, const char *status, const char *text,
                      const char *end)
{
    if (self->state != SMTP_STATE_LAST) {
        relay_smtp_say(self, code, status, text);
        leave(self, code, end);
    }
}

void relay_smtp_leave_quoting(relay_smtp *self, unsigned code, const char *end)
{
    if (self->state != SMTP_STATE_LAST) {
        relay_smtp_quote(self, code);
        leave(self, code, end);
    }
}

/* How a status of HTTP's is said in SMTP: one that may pass is 421, and the connection ends, since
 * a client that goes on would meet the same. */
void relay_smtp_refuse(relay_smtp *self, uint16_t status, tusk_bytes reason, const char *end)
{
    char text[TUSK_RELAY_REASON_MAX + 1];
    size_t len = reason.len < sizeof(text) ? reason.len : sizeof(text) - 1;
    if (len > 0) {
        memcpy(text, reason.ptr, len);
    }
    text[len] = '\0';
    self->refused = end;
    if (status == 403 || status == 404) {
        self->state = SMTP_STATE_FRESH;
        self->status = status;
        relay_smtp_say(self, 550, status == 403 ? "5.7.1" : "5.1.2",
                       len > 0 ? text : "no mail server for this name");
        relay_smtp_await(self);
        relay_smtp_go_on(self);
        return;
    }
    relay_smtp_leave(self, 421, status == 429 ? "4.7.0" : "4.4.1",
                     len > 0 ? text : "no mail server answers now", end);
    self->status = status;
}

static void greet(relay_smtp *self)
{
    char text[SMTP_OWN_NAME_MAX + 16];
    self->state = SMTP_STATE_FRESH;
    (void)snprintf(text, sizeof(text), "%s ESMTP", self->own);
    relay_smtp_say(self, 220, NULL, text);
}

/* ---- deadlines ---- */
/* A chunk is answered when it is there, so until then its client is waited for. */
static bool awaits_reply(const relay_smtp *self)
{
    return self->state == SMTP_STATE_PREPARE || (self->owed > 0 && self->mode != SMTP_MODE_CHUNK);
}

static uint32_t patience_ms(const relay_smtp *self)
{
    const tusk_relay_limits *limits = &relay_smtp_relay(self)->limits;
    uint32_t idle = self->answer != NULL && self->answer->route.idle_ms > 0
                        ? self->answer->route.idle_ms
                        : limits->idle_ms;
    switch (self->state) {
    case SMTP_STATE_HEAD: return limits->first_ms > 0 ? limits->first_ms : SMTP_COMMAND_MS;
    case SMTP_STATE_FRESH:
        return limits->first_ms > 0 && self->answer == NULL ? limits->first_ms : SMTP_COMMAND_MS;
    case SMTP_STATE_PREPARE:
        return limits->backend_first_ms > 0 ? limits->backend_first_ms : SMTP_REPLY_MS;
    case SMTP_STATE_ROUTE:
    case SMTP_STATE_RELAY:
    case SMTP_STATE_LAST: break;
    }
    if (awaits_reply(self)) {
        uint32_t reply = self->ends > 0 ? (uint32_t)SMTP_END_MS : (uint32_t)SMTP_REPLY_MS;
        return limits->backend_first_ms > 0 ? limits->backend_first_ms : reply;
    }
    return idle > 0 ? idle : SMTP_COMMAND_MS;
}

/* What is left of the session's age; 0: it is old. A mail that was sent is waited for all the same:
 * its client would send it again. */
static uint64_t left_ms(const relay_smtp *self)
{
    const tusk_relay *relay = relay_smtp_relay(self);
    if (self->ends > 0 && self->mode != SMTP_MODE_CHUNK) {
        return UINT64_MAX;
    }
    uint64_t age_ms = (tusk_loop_now_ns(relay->loop) - self->session.began_ns) / 1000000u;
    uint32_t most = relay->limits.age_ms;
    return most == 0 ? UINT64_MAX : age_ms < most ? most - age_ms : 0;
}

void relay_smtp_await(relay_smtp *self)
{
    tusk_loop *loop = relay_smtp_relay(self)->loop;
    if (self->state == SMTP_STATE_ROUTE || self->state == SMTP_STATE_LAST) {
        tusk_timer_stop(loop, &self->timer); /* lookup and dial have deadlines of their own */
        return;
    }
    uint64_t left = left_ms(self);
    uint64_t patience = patience_ms(self);
    tusk_timer_start(loop, &self->timer, patience < left ? patience : left);
}

static void on_due(tusk_timer *timer)
{
    relay_smtp *self = TUSK_OWNER(timer, relay_smtp, timer);
    tusk_relay_stats *stats = &relay_smtp_relay(self)->stats;
    if (left_ms(self) == 0) {
        stats->aged++;
        relay_smtp_leave(self, 421, "4.3.2", "this session is over its age", "age");
    } else if (awaits_reply(self)) {
        stats->backend_first_timeouts++;
        if (self->backend != NULL) {
            relay_target_count(self->backend->target, METER_ANSWER_TIMEOUTS);
        }
        relay_smtp_lost(self, TUSK_ETIMEOUT, "the mail server does not answer",
                        "backend timed out");
    } else if (self->state == SMTP_STATE_HEAD) {
        stats->first_timeouts++;
        self->end = "first bytes timed out";
        tusk_conn_abort(&self->client, TUSK_ETIMEOUT);
    } else {
        (*(self->state == SMTP_STATE_FRESH ? &stats->first_timeouts : &stats->idle_timeouts))++;
        relay_smtp_leave(self, 421, "4.4.2", "nothing was sent for too long", "idle");
    }
}

/* ---- the client's connection ---- */
/* The client that a balancer tells is within the limits of its own address. */
static bool believe(relay_smtp *self, const tusk_proxy_head *head, tusk_bytes in)
{
    tusk_bytes name;
    if (tusk_proxy_head_find(in, TUSK_PROXY_AUTHORITY, &name) && name.len > 0 &&
        name.len <= sizeof(self->authority)) {
        memcpy(self->authority, name.ptr, name.len);
        self->authority_len = (uint8_t)name.len;
    }
    if (head->local ||
        tusk_addr_from_ip(&self->peer, head->family, head->source, head->source_port) != TUSK_OK) {
        return true;
    }
    (void)tusk_addr_from_ip(&self->local, head->family, head->target, head->target_port);
    return relay_door_admits(&self->session, &self->peer);
}

/* What a trusted balancer says of the client; > 0: bytes of its head. */
static ptrdiff_t take_head(relay_smtp *self, tusk_bytes in)
{
    tusk_proxy_head head;
    ptrdiff_t used = tusk_proxy_head_parse(&head, in);
    return used > 0 && !believe(self, &head, in) ? (ptrdiff_t)TUSK_ELIMIT : used;
}

static ptrdiff_t on_preface(tusk_conn *conn, tusk_bytes in)
{
    ptrdiff_t used = take_head(of(conn), in);
    if (used < 0) {
        of(conn)->end = used == TUSK_ELIMIT ? "over a limit" : "no PROXY head";
    }
    return used;
}

static void read_head(relay_smtp *self)
{
    ptrdiff_t used = take_head(self, tusk_conn_in(&self->client));
    if (used == TUSK_ELIMIT) {
        relay_smtp_leave(self, 421, "4.7.0", "too many connections", "over a limit");
        return;
    }
    if (used < 0) {
        relay_smtp_relay(self)->stats.protocol_errors++;
        self->end = "no PROXY head";
        tusk_conn_abort(&self->client, (tusk_err)used);
        return;
    }
    if (used > 0) {
        tusk_conn_consume(&self->client, (size_t)used);
        greet(self);
        relay_smtp_await(self);
        relay_smtp_drain(self);
    }
}

static void on_data(tusk_conn *conn)
{
    relay_smtp *self = of(conn);
    if (self->state == SMTP_STATE_HEAD) {
        read_head(self);
    }
    if (self->state != SMTP_STATE_HEAD) {
        relay_smtp_read(self);
    }
}

static void on_eof(tusk_conn *conn)
{
    relay_smtp *self = of(conn);
    self->client_eof = true;
    relay_smtp_read(self);
}

static void on_drain(tusk_conn *conn)
{
    relay_smtp *self = of(conn);
    if (self->backend != NULL) {
        tusk_conn_resume(&self->backend->conn);
    }
}

/* Implicit TLS, or the end of STARTTLS: the client begins anew either way (RFC 3207, 4.2). */
static void on_ready(tusk_conn *conn, tusk_err err)
{
    relay_smtp *self = of(conn);
    if (err != TUSK_OK) {
        bool broke = relay_conn_broke_tls(conn, err);
        relay_smtp_relay(self)->stats.protocol_errors += broke ? 1 : 0;
        self->end = self->end != NULL ? self->end : broke ? "TLS failed" : "client left";
        self->state = broke ? self->state : SMTP_STATE_LAST; /* nor did it reset anything */
        return;                                              /* on_close follows */
    }
    bool greeted = self->state != SMTP_STATE_HEAD;
    if (!greeted) {
        greet(self);
    }
    relay_smtp_await(self);
    relay_smtp_drain(self);
}

/* SMTP tells an end by QUIT and a message's end by its dot, so that nothing depends on
 * close_notify, which mail clients leave out: it is who ends without QUIT. */
static void on_close(tusk_conn *conn, tusk_err why)
{
    relay_smtp *self = of(conn);
    tusk_relay *relay = relay_smtp_relay(self);
    bool left = why == TUSK_ERESET && conn->filter != NULL && tusk_filter_was_cut(conn->filter);
    if (self->state != SMTP_STATE_LAST) {
        relay->stats.resets_client += why == TUSK_ERESET && !left ? 1 : 0;
        self->end =
            self->end != NULL ? self->end : own_end(self, left ? "client left" : "client reset");
        self->state = SMTP_STATE_LAST;
    }
    tusk_timer_stop(relay->loop, &self->timer);
    relay_cancel(relay, &self->waiter);
    relay_dial_cancel(&self->dial);
    relay_smtp_drop(self, false);
}

static void on_released(tusk_conn *conn)
{
    relay_smtp_released(of(conn));
}

static const tusk_conn_ops client_ops = {.on_data = on_data,
                                         .on_preface = on_preface,
                                         .on_eof = on_eof,
                                         .on_drain = on_drain,
                                         .on_ready = on_ready,
                                         .on_close = on_close,
                                         .on_released = on_released};

/* ---- its end ---- */
static void tell_record(const relay_smtp *self)
{
    char peer[TUSK_ADDR_TEXT_MAX];
    tusk_relay_record record = {
        .peer = tusk_bytes_str(tusk_addr_text(&self->peer, peer)),
        .target = tusk_bytes_str(self->target),
        .metadata = self->answer == NULL ? tusk_bytes_of(NULL, 0) : self->answer->route.metadata,
        .route = self->answer == NULL ? tusk_bytes_of(NULL, 0) : self->answer->route.name,
        .engine = TUSK_ENGINE_COPY,
        .resolve_us = self->resolve_us,
        .connect_us = self->connect_us,
        .first_byte_us = self->first_us,
        .bytes_up = self->bytes_up,
        .bytes_down = self->bytes_down,
        .status = self->status,
        .end = self->end == NULL ? "done" : self->end,
        .cached = self->cached};
    if (self->refusal != NULL) {
        record.reason = self->refusal->refusal.reason;
    }
    relay_record_tell(&self->session, &record);
}

static void account(const relay_smtp *self)
{
    tusk_relay_stats *stats = &relay_smtp_relay(self)->stats;
    const relay_answer *answer = self->answer;
    bool served = answer != NULL && self->choice != 0;
    const relay_account account = {.target =
                                       served ? answer->choices[self->choice - 1].target : NULL,
                                   .answer = answer,
                                   .bytes_up = self->bytes_up,
                                   .bytes_down = self->bytes_down,
                                   .first_us = (uint32_t)self->first_us,
                                   .status = self->status,
                                   .answered = self->first_us != 0};
    stats->bytes_up += account.bytes_up;
    stats->bytes_down += account.bytes_down;
    relay_account_close(&account);
}

void relay_smtp_released(relay_smtp *self)
{
    tusk_relay *relay = relay_smtp_relay(self);
    if (--self->holds > 0) {
        return;
    }
    account(self);
    relay->stats.done++;
    tell_record(self);
    relay_answer_unref(self->answer);
    relay_answer_unref(self->refusal);
    tusk_buf_fini(&self->hello);
    relay_session_close(&self->session);
    tusk__free(relay->mem, self, sizeof(*self));
}

void relay_smtp_drain(relay_smtp *self)
{
    bool stops = relay_smtp_relay(self)->state == RELAY_STOPPING;
    bool between = self->state == SMTP_STATE_FRESH ||
                   (self->state == SMTP_STATE_RELAY && self->mode == SMTP_MODE_COMMANDS &&
                    self->owed == 0 && !self->in_mail);
    if (stops && between && tusk_conn_open(&self->client)) {
        relay_smtp_leave(self, 421, "4.3.2", "closing", "stopped");
    }
}

static void drain(relay_session *session)
{
    relay_smtp_drain((relay_smtp *)(void *)session);
}

static void cut(relay_session *session, const char *end)
{
    relay_smtp *self = (relay_smtp *)(void *)session;
    self->end = self->end != NULL ? self->end : end;
    relay_smtp_cut(self);
    tusk_conn_abort(&self->client, TUSK_OK);
}

static const relay_session_ops session_ops = {.drain = drain, .cut = cut};

/* ---- its beginning ---- */
static void name_ourselves(relay_smtp *self, int fd)
{
    char host[TUSK_ADDR_TEXT_MAX];
    uint8_t ip[16];
    self->local = tusk__socket_addr(fd);
    uint8_t family = tusk_addr_ip(&self->local, ip);
    (void)tusk_addr_host_text(&self->local, host);
    (void)snprintf(self->own, sizeof(self->own), family == 0 ? "localhost" : "[%s%.40s]",
                   family == 6 ? "IPv6:" : "", host);
}

static tusk_err open_client(relay_smtp *self, int fd, bool trusted)
{
    const tusk_relay_listen_options *options = &self->session.door->options;
    tusk_filter *filter = NULL;
    bool implicit = options->tls != NULL && options->protocol == TUSK_PROTOCOL_TLS;
    tusk_err err =
        implicit ? tusk_tls_filter_new_speaking(&filter, options->tls, NULL, "") : TUSK_OK;
    if (err == TUSK_OK) {
        err = relay_conn_init(relay_smtp_relay(self), &self->client, fd, filter, &client_ops);
    }
    if (err != TUSK_OK) {
        tusk_tls_filter_free(filter);
        return err;
    }
    self->client.preface = implicit && trusted;
    self->state = implicit || trusted ? SMTP_STATE_HEAD : SMTP_STATE_FRESH;
    return TUSK_OK;
}

static bool on_client(tusk_relay *relay, relay_door *door, int fd, const tusk_addr *peer)
{
    relay_smtp *self = tusk__new(relay->mem, sizeof(*self));
    if (self == NULL) {
        relay->stats.out_of_memory++;
        (void)close(fd);
        return false;
    }
    self->session.door = door;
    self->peer = *peer;
    self->timer.on_due = on_due;
    self->timer.deadline = true;
    tusk__list_init(&self->backends);
    name_ourselves(self, fd);
    tusk_buf_init(&self->hello, relay->mem, 2 * SMTP_REPLY_MAX);
    bool trusted = door->options.proxy_protocol && relay_ranges_trust(&relay->trusted, peer);
    tusk_err err = open_client(self, fd, trusted);
    if (err != TUSK_OK) {
        relay_lost(relay, err);
        (void)close(fd);
        tusk__free(relay->mem, self, sizeof(*self));
        return false;
    }
    self->holds = 1;
    relay_session_open(&self->session, door, &session_ops);
    if (self->state == SMTP_STATE_FRESH) {
        greet(self);
    }
    relay_smtp_await(self);
    return true;
}

static void on_refused(relay_door *door, int fd, uint16_t status)
{
    static const char text[] = "421 4.7.0 too many connections\r\n";
    (void)status;
    if (door->options.tls == NULL || door->options.protocol != TUSK_PROTOCOL_TLS) {
        (void)send(fd, text, sizeof(text) - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    (void)close(fd);
}

const relay_kind_ops relay_smtp_ops = {.on_client = on_client, .on_refused = on_refused};
