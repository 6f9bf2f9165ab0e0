/* SPDX-License-Identifier: MIT */
/*
 * An SMTP session: a client, the backend that its EHLO led to, and what each owes the other.
 *
 * Commands go on in order and each is answered by one reply, so all that is kept of them is how
 * many replies the backend owes. A command that is answered here waits until nothing is owed. After
 * one whose reply decides how to read on (DATA, AUTH, STARTTLS, EHLO, QUIT) the client's bytes wait
 * unread.
 */
#ifndef RELAY_SMTP_SESSION_H
#define RELAY_SMTP_SESSION_H

#include <tusk/http.h>

#include "proto/smtp.h"
#include "relay/route/dial.h"
#include "relay/inner.h"

enum {
    SMTP_OWED_MAX = 100,         /* replies; then commands wait */
    SMTP_UNREAD_MAX = 16 * 1024, /* of a client that waits; more than any line has */
    SMTP_ERRORS_MAX = 20,        /* of commands that are answered here; then 421 */
    SMTP_COMMAND_MS = 300000,    /* RFC 5321, 4.5.3.2.7; unless idle_ms is set */
    SMTP_REPLY_MS = 300000,      /* of a backend; unless backend_first_ms is set */
    SMTP_END_MS = 600000,        /* of a backend for a message's end: 4.5.3.2.6 */
    SMTP_OWN_NAME_MAX = 64
};

typedef enum relay_smtp_state {
    SMTP_STATE_HEAD,    /* a PROXY head, or a TLS handshake, comes before our greeting */
    SMTP_STATE_FRESH,   /* EHLO is awaited; other commands are answered here */
    SMTP_STATE_ROUTE,   /* asked or dialling: the client waits */
    SMTP_STATE_PREPARE, /* the backend greets, shakes hands, hears EHLO: the client waits */
    SMTP_STATE_RELAY,
    SMTP_STATE_LAST /* our last words leave */
} relay_smtp_state;

/* How the client's bytes are read in SMTP_STATE_RELAY (and chunks also before). */
typedef enum relay_smtp_mode {
    SMTP_MODE_COMMANDS,
    SMTP_MODE_WAIT, /* until nothing is owed */
    SMTP_MODE_DATA, /* the same, and 354 begins a message */
    SMTP_MODE_AUTH, /* the same, and 334 asks for a line */
    SMTP_MODE_AUTH_LINE,
    SMTP_MODE_QUIT, /* the same, and then the session is over */
    SMTP_MODE_MESSAGE,
    SMTP_MODE_CHUNK
} relay_smtp_mode;

/* What a backend is asked before the client may go on. */
typedef enum relay_smtp_step {
    STEP_GREETING,
    STEP_HELLO,
    STEP_TLS,
    STEP_SHAKE,
    STEP_XCLIENT
} relay_smtp_step;

typedef struct relay_smtp relay_smtp;

/* Outlives its use: QUIT and what is queued leave while the session may have another one. */
typedef struct relay_smtp_backend {
    tusk_conn conn; /* first */
    tusk_link link; /* in the session's list, until its memory is back */
    relay_smtp *smtp;
    relay_target *target;
    tusk__smtp_reply reply;
    relay_smtp_step step;
    unsigned extensions; /* of its last EHLO */
    uint16_t code;       /* of the reply to EHLO under way */
    bool current;        /* the session's; else it only ends */
    bool secure;
    bool plain;      /* it knows no EHLO */
    bool introduced; /* XCLIENT was sent */
    bool refuses;    /* the reply under way is a refusal: its lines are in the session's `hello` */
    bool xclient_port, xclient_proto, xclient_helo;
} relay_smtp_backend;

struct relay_smtp {
    relay_session session; /* first */
    tusk_conn client;
    relay_smtp_backend *backend; /* NULL: none */
    tusk_link backends;          /* with those that only end */
    relay_waiter waiter;
    relay_dial dial;
    relay_answer *answer;
    tusk_timer timer;
    tusk_buf hello; /* our answer to EHLO while the backend's comes; or lines of its refusal */
    tusk_addr peer;
    tusk_addr local;
    relay_smtp_state state;
    relay_smtp_mode mode;
    tusk__smtp_verb verb; /* that `domain` was named with */
    tusk__smtp_data data;
    uint64_t chunk;  /* octets left of a BDAT */
    uint32_t owed;   /* replies of the backend */
    uint32_t ends;   /* of these, up to that of a message's end; 0: none is awaited */
    uint32_t errors; /* commands answered here with an error */
    uint32_t holds;  /* connections whose memory is not back */
    uint8_t domain_len;
    uint8_t authority_len; /* 0: no PROXY head told one */
    bool discard;          /* the message or chunk goes nowhere */
    bool lost;             /* and then the session ends: the backend is gone */
    bool early;            /* what the backend said before the message's end is in `hello` */
    bool bare;             /* it is thrown away for a bare CR or LF */
    bool in_mail;          /* a MAIL is not finished: draining waits */
    bool client_eof;
    bool named;     /* its route was asked for with the name of a TLS handshake */
    bool certified; /* and with the client's certificate */
    bool cached;
    uint8_t choice; /* the answer's target that was connected to last, counted from 1; 0: none */
    uint16_t status;
    const char *end;
    uint8_t denied;        /* backends of this dial that greeted with a 5xx */
    uint16_t denial;       /* the code of the last one that greeted with a refusal */
    const char *fault;     /* what the client hears of the last one that failed */
    const char *refused;   /* how it ends for who leaves after a refusal: its `status` */
    relay_answer *refusal; /* the last one of a resolver, for the record; NULL: none */
    uint64_t asked_ns, dialled_ns;
    uint64_t resolve_us, connect_us, first_us;
    uint64_t bytes_up, bytes_down;
    char domain[SMTP_DOMAIN_MAX];
    char authority[SMTP_DOMAIN_MAX];
    char own[SMTP_OWN_NAME_MAX]; /* "[192.0.2.1]" */
    char target[TUSK_ADDR_TEXT_MAX];
};

static inline tusk_relay *relay_smtp_relay(const relay_smtp *self)
{
    return self->session.door->relay;
}

/* session.c: the session */
/* One line of ours to the client. */
void relay_smtp_say(relay_smtp *self, unsigned code, const char *status, const char *text);
/* The last one; then the client's connection ends in order. */
void relay_smtp_leave(relay_smtp *self, unsigned code, const char *status, const char *text,
                      const char *end);
/* The same two in a backend's words, which are in `hello`. */
void relay_smtp_quote(relay_smtp *self, unsigned code);
void relay_smtp_leave_quoting(relay_smtp *self, unsigned code, const char *end);
/* Ends in order, without a word. */
void relay_smtp_finish(relay_smtp *self, const char *end);
void relay_smtp_await(relay_smtp *self); /* the deadline, begun anew */
void relay_smtp_released(relay_smtp *self);
void relay_smtp_drain(relay_smtp *self); /* where the relay stops: ends if nothing is under way */
/* A route's refusal or a failed dial, as the answer to EHLO. */
void relay_smtp_refuse(relay_smtp *self, uint16_t status, tusk_bytes reason, const char *end);

/* client.c: what the client sends */
void relay_smtp_read(relay_smtp *self);
void relay_smtp_go_on(relay_smtp *self); /* what was left unread is looked at again */

/* prepare.c: what the backend is asked before the client may go on */
void relay_smtp_prepare(relay_smtp *self); /* the backend is there: EHLO again */
void relay_smtp_hello(relay_smtp_backend *self);
void relay_smtp_prepared(relay_smtp_backend *self, const tusk__smtp_line *line); /* it replied */

/* backend.c: what the backend sends */
void relay_smtp_route(relay_smtp *self);
void relay_smtp_drop(relay_smtp *self, bool in_order);
void relay_smtp_cut(relay_smtp *self); /* all of them, at once */
/* It is gone, or said what cannot be. Before it has answered this client's EHLO another one is
 * tried (relay_dial_reject); then, and when nobody is left: 4xx, now or behind what the client is
 * sending. */
void relay_smtp_lost(relay_smtp *self, tusk_err why, const char *text, const char *end);
/* Its greeting is a refusal: no session has begun, so another one is tried. */
void relay_smtp_denied(relay_smtp_backend *self, uint16_t code);

#endif
