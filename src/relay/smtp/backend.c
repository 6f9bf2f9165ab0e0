/* SPDX-License-Identifier: MIT */
/* An SMTP session's backend: found, dialled, what it answers, lost. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "relay/smtp/session.h"
#include "relay/account.h"

static relay_smtp_backend *of(tusk_conn *conn)
{
    return (relay_smtp_backend *)(void *)conn;
}

/* ---- its end ---- */
void relay_smtp_drop(relay_smtp *self, bool in_order)
{
    relay_smtp_backend *backend = self->backend;
    self->owed = 0;
    self->ends = 0;
    if (backend == NULL) {
        return;
    }
    self->backend = NULL;
    backend->current = false;
    if (in_order && tusk_conn_open(&backend->conn)) {
        if (self->mode != SMTP_MODE_QUIT) {
            (void)tusk_conn_append(&backend->conn, "QUIT\r\n", 6);
        }
        tusk_conn_finish(&backend->conn);
    } else {
        tusk_conn_abort(&backend->conn, TUSK_OK);
    }
}

void relay_smtp_cut(relay_smtp *self)
{
    relay_smtp_drop(self, false);
    for (tusk_link *link = self->backends.next; link != &self->backends; link = link->next) {
        tusk_conn_abort(&TUSK_OWNER(link, relay_smtp_backend, link)->conn, TUSK_OK);
    }
}

/* ---- before it serves ---- */
static const char end_denied[] = "backend refused";

static void try_elsewhere(relay_smtp *self, bool in_order, tusk_err why, const char *end,
                          bool blameless)
{
    self->backend->target = NULL; /* the dial's again */
    relay_smtp_drop(self, in_order);
    self->state = SMTP_STATE_ROUTE;
    relay_smtp_await(self);
    relay_dial_reject(&self->dial, why, end, blameless);
}

/* Who was told by a PROXY head whose connection it is may have meant just that client. */
void relay_smtp_denied(relay_smtp_backend *self, uint16_t code)
{
    relay_smtp *smtp = self->smtp;
    smtp->denial = code;
    smtp->denied = (uint8_t)(smtp->denied + (code >= 500 && smtp->denied < UINT8_MAX));
    try_elsewhere(smtp, true, TUSK_EREFUSED, end_denied, smtp->answer->route.proxy_version != 0);
}

/* Nobody is left: what the last one said. A mail comes back for good only where each of them said
 * that it never will be taken; else its sender tries again. */
static void tell_denial(relay_smtp *self)
{
    if (self->denial < 500 || self->denied != self->dial.failed) {
        relay_smtp_leave_quoting(self, 421, end_denied);
        return;
    }
    self->state = SMTP_STATE_FRESH;
    self->status = self->denial;
    self->refused = end_denied;
    relay_smtp_quote(self, self->denial);
    relay_smtp_await(self);
    relay_smtp_go_on(self);
}

/* For the record, which is told when the target may be gone. */
static void name_target(relay_smtp *self, const relay_target *target)
{
    tusk_bytes text = relay_target_text(target);
    (void)snprintf(self->target, sizeof(self->target), "%.*s", (int)text.len,
                   (const char *)text.ptr);
}

static void tell_failure(relay_smtp *self)
{
    const relay_dial *dial = &self->dial;
    const char *reason = relay_dial_reason(dial);
    self->choice = 0;
    if (dial->last != 0) {
        name_target(self, self->answer->choices[dial->last - 1].target);
    }
    if (dial->end == end_denied) {
        tell_denial(self);
    } else if (dial->end != NULL) {
        relay_smtp_leave(self, 421, "4.4.2", self->fault, dial->end);
    } else {
        relay_smtp_refuse(self, relay_dial_status(dial), tusk_bytes_str(reason), reason);
    }
}

void relay_smtp_lost(relay_smtp *self, tusk_err why, const char *text, const char *end)
{
    if (relay_dial_offers(&self->dial) && self->backend != NULL) {
        self->fault = text;
        try_elsewhere(self, false, why, end, false);
        return;
    }
    bool sending = self->state == SMTP_STATE_RELAY &&
                   (self->mode == SMTP_MODE_MESSAGE || self->mode == SMTP_MODE_CHUNK);
    relay_smtp_drop(self, false);
    if (!sending) {
        relay_smtp_leave(self, 421, "4.4.2", text, end);
        return;
    }
    /* In the middle of a message nobody listens: what is left of it is read away first. */
    self->lost = true;
    self->discard = true;
    self->data.lenient = true;
    self->end = end;
    relay_smtp_go_on(self);
}

/* ---- replies ---- */
/* Which mode follows the last reply that was owed. False: a reply that nothing led to. */
static bool settle(relay_smtp *self, uint16_t code)
{
    bool message = self->mode == SMTP_MODE_DATA && self->owed == 0 && code == 354;
    bool answer = self->mode == SMTP_MODE_AUTH && self->owed == 0 && code == 334;
    if (code < 400 && code >= 300 && !message && !answer) {
        return false;
    }
    if (message) {
        self->mode = SMTP_MODE_MESSAGE;
        self->data = (tusk__smtp_data){.done = false};
        self->discard = false;
    } else if (answer) {
        self->mode = SMTP_MODE_AUTH_LINE;
    } else if (self->owed == 0 && (self->mode == SMTP_MODE_WAIT || self->mode == SMTP_MODE_DATA ||
                                   self->mode == SMTP_MODE_AUTH)) {
        self->mode = SMTP_MODE_COMMANDS;
    }
    return true;
}

/* A backend that refuses a message before its end: the client hears it when it has sent its end, as
 * it expects an answer only then. */
static void refuse_early(relay_smtp_backend *self, const tusk__smtp_line *line, tusk_bytes bytes)
{
    relay_smtp *smtp = self->smtp;
    bool kept = tusk_buf_append(&smtp->hello, bytes.ptr, bytes.len) == TUSK_OK;
    smtp->early = kept && line->last;
    if (line->last || !kept) {
        relay_smtp_lost(smtp, TUSK_EREFUSED, "the mail server is gone", "backend refused");
    }
}

static void on_reply_line(relay_smtp_backend *self, const tusk__smtp_line *line, tusk_bytes bytes)
{
    relay_smtp *smtp = self->smtp;
    tusk_conn *client = &smtp->client;
    bool sending = smtp->mode == SMTP_MODE_MESSAGE;
    if (sending && line->code >= 400) {
        refuse_early(self, line, bytes);
        return;
    }
    if (smtp->owed == 0 && (line->code != 421 || sending)) {
        relay_smtp_lost(smtp, TUSK_EPROTO, "the mail server spoke out of turn", "protocol error");
        return;
    }
    /* 3xx to what asked for nothing would turn the client's next words into something else. */
    if (line->last) {
        smtp->owed -= smtp->owed > 0 ? 1 : 0;
        smtp->ends -= smtp->ends > 0 ? 1 : 0;
        if (!settle(smtp, line->code)) {
            relay_smtp_lost(smtp, TUSK_EPROTO, "the mail server spoke out of turn",
                            "protocol error");
            return;
        }
    }
    smtp->bytes_down += bytes.len;
    if (tusk_conn_append(client, bytes.ptr, bytes.len) != TUSK_OK) {
        tusk_conn_abort(client, TUSK_ENOMEM);
        return;
    }
    if (client->send_bytes > relay_smtp_relay(smtp)->limits.pending_bytes) {
        tusk_conn_pause(&self->conn);
    }
    if (!line->last) {
        return;
    }
    if (line->code == 421 || (smtp->mode == SMTP_MODE_QUIT && smtp->owed == 0)) {
        relay_smtp_finish(smtp, line->code == 421 ? "backend closed" : "done");
        return;
    }
    relay_smtp_await(smtp);
    relay_smtp_go_on(smtp);
}

static void on_data(tusk_conn *conn)
{
    relay_smtp_backend *self = of(conn);
    while (self->current && tusk_conn_open(conn) && !conn->paused) {
        tusk__smtp_line line;
        tusk_bytes in = tusk_conn_in(conn);
        ptrdiff_t used =
            self->step == STEP_SHAKE ? 0 : tusk__smtp_reply_parse(&self->reply, &line, in);
        if (used == 0) {
            return;
        }
        if (used < 0) {
            relay_smtp_relay(self->smtp)->stats.protocol_errors++;
            relay_smtp_lost(self->smtp, TUSK_EPROTO, "the mail server cannot be understood",
                            "protocol error");
            return;
        }
        tusk_conn_consume(conn, (size_t)used);
        if (self->smtp->state == SMTP_STATE_PREPARE) {
            relay_smtp_prepared(self, &line);
        } else {
            on_reply_line(self, &line, tusk_bytes_of(in.ptr, (size_t)used));
        }
    }
    if (!self->current) {
        tusk_conn_consume(conn, SIZE_MAX);
    }
}

static void gone(relay_smtp_backend *self)
{
    if (self->current) {
        relay_smtp_relay(self->smtp)->stats.resets_backend++;
        relay_target_count(self->target, METER_RESETS);
        relay_smtp_lost(self->smtp, TUSK_ERESET, "the mail server is gone", "backend reset");
    }
}

static void on_eof(tusk_conn *conn)
{
    gone(of(conn));
}

static void on_drain(tusk_conn *conn)
{
    if (of(conn)->current) {
        relay_smtp_go_on(of(conn)->smtp);
    }
}

static void on_ready(tusk_conn *conn, tusk_err err)
{
    relay_smtp_backend *self = of(conn);
    if (err == TUSK_OK && self->current) {
        self->secure = true;
        relay_smtp_hello(self);
    } else if (self->current) {
        relay_smtp_lost(self->smtp, TUSK_ETLS, "no TLS with the mail server",
                        "TLS to the backend failed");
    }
}

static void on_close(tusk_conn *conn, tusk_err why)
{
    (void)why;
    gone(of(conn));
}

static void on_released(tusk_conn *conn)
{
    relay_smtp_backend *self = of(conn);
    relay_smtp *smtp = self->smtp;
    if (self->target != NULL) {
        relay_target_leave(self->target);
    }
    tusk__link_remove(&self->link);
    tusk__free(relay_smtp_relay(smtp)->mem, self, sizeof(*self));
    relay_smtp_released(smtp);
}

static const tusk_conn_ops backend_ops = {.on_data = on_data,
                                          .on_eof = on_eof,
                                          .on_drain = on_drain,
                                          .on_ready = on_ready,
                                          .on_close = on_close,
                                          .on_released = on_released};

/* ---- its beginning ---- */
static tusk_err send_proxy_head(relay_smtp_backend *self)
{
    relay_smtp *smtp = self->smtp;
    int version = smtp->answer->route.proxy_version;
    tusk_proxy_head head = {.source_port = tusk_addr_port(&smtp->peer),
                            .target_port = tusk_addr_port(&smtp->local)};
    if (version == 0) {
        return TUSK_OK;
    }
    tusk_buf bytes;
    head.family = tusk_addr_ip(&smtp->peer, head.source);
    head.local = head.family == 0 || head.family != tusk_addr_ip(&smtp->local, head.target);
    tusk_buf_init(&bytes, relay_smtp_relay(smtp)->mem, TUSK_PROXY_HEAD_MAX);
    tusk_err err = tusk_proxy_head_write(&bytes, &head, version, NULL);
    err = err == TUSK_OK ? tusk_conn_append(&self->conn, bytes.ptr + bytes.start, bytes.len) : err;
    tusk_buf_fini(&bytes);
    return err;
}

static void on_dialed(relay_dial *dial, tusk_err err, int fd, relay_target *target)
{
    relay_smtp *smtp = TUSK_OWNER(dial, relay_smtp, dial);
    tusk_relay *relay = relay_smtp_relay(smtp);
    if (err != TUSK_OK) {
        tell_failure(smtp);
        return;
    }
    relay_smtp_backend *self = tusk__new(relay->mem, sizeof(*self));
    err = self == NULL ? TUSK_ENOMEM : relay_conn_init(relay, &self->conn, fd, NULL, &backend_ops);
    if (err != TUSK_OK) {
        relay->stats.out_of_memory++;
        (void)close(fd);
        relay_dial_cancel(dial);
        relay_target_leave(target);
        tusk__free(relay->mem, self, sizeof(*self));
        relay_smtp_refuse(smtp, 500, tusk_bytes_str("out of memory"), "out of memory");
        return;
    }
    self->smtp = smtp;
    self->target = target;
    self->current = true;
    self->step = STEP_GREETING;
    tusk__list_push(&smtp->backends, &self->link);
    smtp->holds++;
    smtp->backend = self;
    smtp->state = SMTP_STATE_PREPARE;
    smtp->connect_us = relay_us_since(relay, smtp->dialled_ns);
    smtp->choice = smtp->dial.last;
    name_target(smtp, target);
    if (send_proxy_head(self) != TUSK_OK) {
        relay_smtp_lost(smtp, TUSK_ENOMEM, "out of memory", "out of memory");
        return;
    }
    relay_smtp_await(smtp);
}

static void on_route(relay_waiter *waiter, relay_answer *answer, bool cached)
{
    relay_smtp *smtp = TUSK_OWNER(waiter, relay_smtp, waiter);
    tusk_relay *relay = relay_smtp_relay(smtp);
    smtp->resolve_us = relay_us_since(relay, smtp->asked_ns);
    smtp->cached = cached;
    if (relay_answer_refuses(answer)) {
        relay->stats.refused_resolver++;
        relay_answer_unref(smtp->refusal);
        smtp->refusal = relay_answer_ref(answer);
        relay_smtp_refuse(smtp, answer->refusal.status, answer->refusal.reason, "refused");
        return;
    }
    if (smtp->answer != NULL) {
        relay_account_leave(smtp->answer);
        relay_answer_unref(smtp->answer);
    }
    relay_answer_unref(smtp->refusal);
    smtp->refusal = NULL;
    smtp->answer = relay_answer_ref(answer);
    smtp->choice = 0;
    relay_account_open(answer);
    smtp->status = 0; /* of a refusal before */
    smtp->dialled_ns = tusk_loop_now_ns(relay->loop);
    memset(&smtp->dial, 0, sizeof(smtp->dial));
    smtp->dial.on_dialed = on_dialed;
    smtp->denied = 0;
    relay_dial_start(&smtp->dial, relay, answer);
}

void relay_smtp_route(relay_smtp *self)
{
    tusk_relay *relay = relay_smtp_relay(self);
    char peer[TUSK_ADDR_TEXT_MAX];
    char destination[TUSK_ADDR_TEXT_MAX];
    char port[8];
    uint8_t name[RELAY_SERVER_NAME_MAX];
    uint8_t fingerprint[RELAY_FINGERPRINT_LEN];
    tusk_relay_lookup lookup = {.secure = self->client.filter != NULL};
    (void)snprintf(port, sizeof(port), "%u", (unsigned)tusk_addr_port(&self->peer));
    lookup.field[TUSK_LOOKUP_LISTENER] = tusk_bytes_str(self->session.door->gate.text);
    lookup.field[TUSK_LOOKUP_PEER] = tusk_bytes_str(tusk_addr_host_text(&self->peer, peer));
    lookup.field[TUSK_LOOKUP_PEER_PORT] = tusk_bytes_str(port);
    lookup.field[TUSK_LOOKUP_DESTINATION] =
        tusk_bytes_str(tusk_addr_text(&self->local, destination));
    lookup.field[TUSK_LOOKUP_DOMAIN] = tusk_bytes_of(self->domain, self->domain_len);
    lookup.field[TUSK_LOOKUP_SERVER_NAME] = relay_server_name(&self->client, name);
    self->named = lookup.field[TUSK_LOOKUP_SERVER_NAME].ptr != NULL;
    lookup.field[TUSK_LOOKUP_CERTIFICATE] = relay_fingerprint(self->client.filter, fingerprint);
    self->certified = lookup.field[TUSK_LOOKUP_CERTIFICATE].ptr != NULL;
    if (self->authority_len > 0) {
        lookup.field[TUSK_LOOKUP_AUTHORITY] = tusk_bytes_of(self->authority, self->authority_len);
    }
    self->state = SMTP_STATE_ROUTE;
    self->mode = SMTP_MODE_COMMANDS;
    self->asked_ns = tusk_loop_now_ns(relay->loop);
    self->waiter.on_route = on_route;
    relay_smtp_await(self);
    self->waiter.filter = self->client.filter;
    relay_ask_route(relay, &self->waiter, &lookup);
}
