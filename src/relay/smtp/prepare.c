/* SPDX-License-Identifier: MIT */
/* An SMTP backend before the client may go on: its greeting, TLS, XCLIENT, EHLO, and what the
 * client is told of that. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "net/tls.h"
#include "relay/smtp/session.h"

/* ---- commands of our own ---- */
static void send_text(relay_smtp_backend *self, const char *text, size_t len)
{
    if (tusk_conn_append(&self->conn, text, len) != TUSK_OK) {
        relay_smtp_lost(self->smtp, TUSK_ERESET, "the mail server cannot be reached",
                        "backend reset");
    }
}

void relay_smtp_hello(relay_smtp_backend *self)
{
    relay_smtp *smtp = self->smtp;
    char line[SMTP_DOMAIN_MAX + 16];
    /* A client that said HELO may need what only EHLO tells of: TLS, XCLIENT. */
    const char *verb = self->plain ? "HELO" : "EHLO";
    int len =
        snprintf(line, sizeof(line), "%s %.*s\r\n", verb, (int)smtp->domain_len, smtp->domain);
    self->step = STEP_HELLO;
    self->extensions = 0;
    self->code = 0;
    tusk_buf_clear(&smtp->hello);
    send_text(self, line, (size_t)len);
}

/* Who the client is, as far as the backend lists that it wants to know. */
static void send_xclient(relay_smtp_backend *self)
{
    relay_smtp *smtp = self->smtp;
    char host[TUSK_ADDR_TEXT_MAX];
    char line[SMTP_TEXT_MAX + SMTP_DOMAIN_MAX];
    char port[16] = "";
    uint8_t ip[16];
    uint8_t family = tusk_addr_ip(&smtp->peer, ip);
    (void)tusk_addr_host_text(&smtp->peer, host);
    if (self->xclient_port && family != 0) {
        (void)snprintf(port, sizeof(port), " PORT=%u", (unsigned)tusk_addr_port(&smtp->peer));
    }
    int len = snprintf(line, sizeof(line), "XCLIENT ADDR=%s%s%s%s%s%.*s\r\n",
                       family == 6 ? "IPV6:" : "", family == 0 ? "[UNAVAILABLE]" : host, port,
                       !self->xclient_proto      ? ""
                       : smtp->verb == SMTP_HELO ? " PROTO=SMTP"
                                                 : " PROTO=ESMTP",
                       self->xclient_helo ? " HELO=" : "",
                       self->xclient_helo ? (int)smtp->domain_len : 0, smtp->domain);
    self->introduced = true;
    self->step = STEP_XCLIENT;
    send_text(self, line, (size_t)len);
}

static void start_tls(relay_smtp_backend *self)
{
    relay_smtp *smtp = self->smtp;
    const tusk_relay_route *route = &smtp->answer->route;
    tusk_tls *context = route->tls != NULL ? route->tls : relay_smtp_relay(smtp)->upstream_tls;
    tusk_bytes name = route->tls_name.len > 0 ? route->tls_name : relay_target_host(self->target);
    char text[TUSK_ADDR_TEXT_MAX * 2];
    tusk_filter *filter = NULL;
    tusk_err err = name.len < sizeof(text) ? TUSK_OK : TUSK_EINVAL;
    if (err == TUSK_OK) {
        memcpy(text, name.ptr, name.len);
        text[name.len] = '\0';
        err = tusk_tls_filter_new_speaking(&filter, context, text, "");
    }
    if (err == TUSK_OK) {
        err = tusk_conn_secure(&self->conn, filter);
    }
    if (err != TUSK_OK) {
        tusk_tls_filter_free(filter);
        relay_smtp_lost(smtp, TUSK_ETLS, "no TLS with the mail server",
                        "TLS to the backend failed");
        return;
    }
    self->step = STEP_SHAKE;
}

/* ---- the answer to EHLO ---- */
static tusk_err put_hello_line(relay_smtp *smtp, const char *head, tusk_bytes text)
{
    tusk_err err = tusk_buf_append_str(&smtp->hello, head);
    err = err == TUSK_OK && text.len > 0 ? tusk_buf_append(&smtp->hello, text.ptr, text.len) : err;
    return err == TUSK_OK ? tusk_buf_append_str(&smtp->hello, "\r\n") : err;
}

static bool offers_tls(const relay_smtp *smtp)
{
    const tusk_relay_listen_options *options = &smtp->session.door->options;
    return options->tls != NULL && options->downstream_tls != TUSK_TLS_DISABLE &&
           smtp->client.filter == NULL;
}

/* Ours in front, the backend's behind it; the hyphen of the last line becomes a space. */
static void answer_hello(relay_smtp *smtp)
{
    relay_dial_accept(&smtp->dial);
    char line[SMTP_OWN_NAME_MAX + 8];
    tusk_conn *client = &smtp->client;
    bool plain = smtp->verb == SMTP_HELO;
    tusk_err err = TUSK_OK;
    if (offers_tls(smtp) && !plain) {
        err = put_hello_line(smtp, "250-STARTTLS", tusk_bytes_of(NULL, 0));
    }
    bool alone = plain || smtp->hello.len == 0;
    int len = snprintf(line, sizeof(line), "250%s%s\r\n", alone ? " " : "-", smtp->own);
    err = err == TUSK_OK ? tusk_conn_append(client, line, (size_t)len) : err;
    if (err == TUSK_OK && !alone) {
        uint8_t *bytes = smtp->hello.ptr + smtp->hello.start;
        size_t last = smtp->hello.len - 2;
        while (last > 0 && bytes[last - 1] != '\n') {
            last--;
        }
        bytes[last + 3] = ' ';
        err = tusk_conn_append(client, bytes, smtp->hello.len);
    }
    tusk_buf_fini(&smtp->hello);
    tusk_buf_init(&smtp->hello, relay_smtp_relay(smtp)->mem, 2 * SMTP_REPLY_MAX);
    if (err != TUSK_OK) {
        tusk_conn_abort(client, err);
        return;
    }
    smtp->state = SMTP_STATE_RELAY;
    smtp->mode = SMTP_MODE_COMMANDS;
    relay_smtp_await(smtp);
    relay_smtp_go_on(smtp);
}

static bool has_word(tusk_bytes text, const char *word)
{
    size_t len = strlen(word);
    for (size_t at = 0; at + len <= text.len; at++) {
        bool begins = at > 0 && text.ptr[at - 1] == ' ';
        bool ends = at + len == text.len || text.ptr[at + len] == ' ';
        if (begins && ends &&
            tusk_bytes_eq_nocase(tusk_bytes_of(text.ptr + at, len), tusk_bytes_of(word, len))) {
            return true;
        }
    }
    return false;
}

static tusk_err note_extension(relay_smtp_backend *self, tusk_bytes text)
{
    relay_smtp *smtp = self->smtp;
    unsigned bit = tusk__smtp_extension(text);
    self->extensions |= bit;
    if (bit == SMTP_EXT_XCLIENT && has_word(text, "ADDR")) {
        self->xclient_port = has_word(text, "PORT");
        self->xclient_proto = has_word(text, "PROTO");
        self->xclient_helo = has_word(text, "HELO");
    } else if (bit == SMTP_EXT_XCLIENT) {
        self->introduced = true; /* there is nothing that it wants to know */
    }
    bool needs_tls =
        offers_tls(smtp) && smtp->session.door->options.downstream_tls == TUSK_TLS_REQUIRE;
    bool carried = (bit & SMTP_EXT_CARRIED) != 0 && !(bit == SMTP_EXT_AUTH && needs_tls);
    return carried ? put_hello_line(smtp, "250-", text) : TUSK_OK;
}

/* Its whole answer is there: TLS first, then who the client is, then the client's turn. */
static void after_hello(relay_smtp_backend *self)
{
    relay_smtp *smtp = self->smtp;
    const tusk_relay_route *route = &smtp->answer->route;
    bool has_context = route->tls != NULL || relay_smtp_relay(smtp)->upstream_tls != NULL;
    bool offers = (self->extensions & SMTP_EXT_STARTTLS) != 0 && has_context;
    if (!self->secure && route->upstream_tls == TUSK_TLS_REQUIRE && !offers) {
        relay_smtp_lost(smtp, TUSK_ETLS, "the mail server offers no TLS", "no TLS at the backend");
    } else if (!self->secure && route->upstream_tls != TUSK_TLS_DISABLE && offers) {
        self->step = STEP_TLS;
        send_text(self, "STARTTLS\r\n", 10);
    } else if ((self->extensions & SMTP_EXT_XCLIENT) != 0 && !self->introduced) {
        send_xclient(self);
    } else {
        answer_hello(smtp);
    }
}

/* What it refuses with, line by line; where there is no memory the code will do. */
static void gather_refusal(relay_smtp_backend *self, const tusk__smtp_line *line)
{
    relay_smtp *smtp = self->smtp;
    if (!self->refuses) {
        tusk_buf_clear(&smtp->hello);
    }
    self->refuses = !line->last;
    if (tusk_buf_append(&smtp->hello, line->text.ptr, line->text.len) != TUSK_OK ||
        tusk_buf_append(&smtp->hello, "\n", 1) != TUSK_OK) {
        relay_smtp_relay(smtp)->stats.out_of_memory++;
        tusk_buf_clear(&smtp->hello);
    }
}

/* Whether a refusal is about the client, who hears it as it is, or about what the proxy asked for:
 * TLS, or an XCLIENT that it does not take. What it thinks of a client that it got to know by
 * XCLIENT is its greeting once more. */
static bool is_about_client(const relay_smtp_backend *self, uint16_t code)
{
    bool unknown = code >= 500 && code <= 504;
    return self->step == STEP_HELLO || (self->step == STEP_XCLIENT && !unknown);
}

/* An EHLO that the backend refuses is refused with its words; what may pass is 421. So is what the
 * client has no part in: a 5xx would be the end of its mail. */
static void refuse_hello(relay_smtp_backend *self, uint16_t code)
{
    relay_smtp *smtp = self->smtp;
    if (self->step == STEP_TLS && relay_dial_offers(&smtp->dial)) {
        relay_smtp_denied(self, 454); /* whatever it said */
        return;
    }
    bool final = code >= 500 && is_about_client(self, code);
    relay_dial_accept(&smtp->dial); /* it speaks; this client is not welcome */
    relay_smtp_drop(smtp, true);
    if (!final) {
        relay_smtp_leave_quoting(smtp, 421, "backend refused");
        return;
    }
    smtp->status = code;
    smtp->refused = "backend refused";
    smtp->state = SMTP_STATE_FRESH;
    smtp->mode = SMTP_MODE_COMMANDS;
    relay_smtp_quote(smtp, code);
    relay_smtp_await(smtp);
    relay_smtp_go_on(smtp);
}

/* ---- the replies that it waits for ---- */
void relay_smtp_prepared(relay_smtp_backend *self, const tusk__smtp_line *line)
{
    relay_smtp *smtp = self->smtp;
    bool fine = line->code / 100 == 2;
    if (self->step == STEP_HELLO && fine) {
        bool first = self->code == 0;
        self->code = line->code;
        if (!first && note_extension(self, line->text) != TUSK_OK) {
            relay_smtp_lost(smtp, TUSK_ETOOBIG, "the mail server says too much", "protocol error");
            return;
        }
    }
    if (!fine) {
        gather_refusal(self, line);
    }
    if (!line->last) {
        return;
    }
    if (!fine && self->step == STEP_HELLO && smtp->verb == SMTP_HELO && !self->plain &&
        line->code >= 500) {
        self->plain = true;
        relay_smtp_hello(self);
        return;
    }
    if (!fine && self->step == STEP_GREETING) {
        relay_smtp_denied(self, line->code);
        return;
    }
    if (!fine) {
        refuse_hello(self, line->code);
        return;
    }
    switch (self->step) {
    case STEP_GREETING:
        smtp->first_us =
            relay_us_since(relay_smtp_relay(smtp), smtp->dialled_ns) - smtp->connect_us;
        relay_smtp_hello(self);
        break;
    case STEP_HELLO: after_hello(self); break;
    case STEP_TLS: start_tls(self); break;
    case STEP_XCLIENT: relay_smtp_hello(self); break;
    case STEP_SHAKE:
        relay_smtp_lost(smtp, TUSK_EPROTO, "the mail server is confused", "protocol error");
        break;
    }
}

void relay_smtp_prepare(relay_smtp *self)
{
    self->state = SMTP_STATE_PREPARE;
    relay_smtp_await(self);
    relay_smtp_hello(self->backend);
}
