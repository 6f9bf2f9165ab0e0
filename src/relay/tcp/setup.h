/* SPDX-License-Identifier: MIT */
/* What a pair needs until it is joined, and not a byte longer. */
#ifndef RELAY_TCP_SETUP_H
#define RELAY_TCP_SETUP_H

#include "relay/route/dial.h"
#include "relay/tcp/first.h"
#include "relay/tcp/peek.h"

typedef struct relay_login relay_login;

/* What became of bytes that were looked at. */
typedef enum relay_looked {
    LOOK_AGAIN, /* at what is left */
    LOOK_WAIT,  /* for more */
    LOOK_DONE   /* the pair has gone on, or is gone */
} relay_looked;

struct relay_setup {
    relay_waiter waiter;
    relay_dial dial;
    relay_pair *pair;
    relay_login *login; /* NULL: the client is not greeted here */
    uint64_t asked_ns;
    uint64_t dialled_ns;
    tusk_addr destination; /* of the PROXY head; len 0: what the socket says */
    uint32_t first_len;    /* of the packet that it was routed by, still in the socket */
    uint16_t authority_len;
    uint8_t kind;   /* relay_first_kind, when first_len > 0 */
    uint8_t tongue; /* relay_tongue */
    bool head_expected;
    bool unheard; /* routed as soon as its socket is told of for the first time */
    bool speaks;  /* and something was in it then */
    bool waited;  /* TUSK_FIRST_WAIT is over */
    bool secure;  /* TLS ended here */
    bool spoke;   /* it has asked for TLS, by PostgreSQL's request or a hello of its kind */
    bool agreed;  /* and was told to begin: nothing but a hello may follow */
    uint8_t asks; /* bits of relay_first_kind: PostgreSQL's requests, each may come once */
    relay_peek peek[2];
    uint8_t authority[255];
    bool drafted;   /* `late` is written: for whichever backend it will be */
    tusk_buf late;  /* what a tunnel's backend hears first inside of TLS */
    tusk_err fault; /* of a backend that serves nobody, until its connection is gone */
    bool blameless;
    const char *fault_end;
    uint16_t name_len; /* what the ClientHello told, when TLS ends here; 0: nothing */
    uint16_t alpn_len;
    uint8_t *hello; /* both, the name first */
};

/* Nothing is under way for the pair any more. */
void relay_setup_free(relay_pair *pair);
/* Where the client connected to: what a PROXY head told, or its socket; len 0: nobody knows. */
tusk_addr relay_setup_destination(const relay_pair *pair);
/* These bytes were peeked at and are ours. */
void relay_setup_take(relay_pair *pair, size_t len);
/* What the backend hears before anything else: a PROXY head, a first packet written anew. */
tusk_err relay_setup_words(relay_pair *pair);
/* The head alone, at once and in the clear; TUSK_ERESET: the backend did not take it. */
tusk_err relay_setup_head(relay_pair *pair);
/* As relay_setup_words for a tunnel: the head like that; the packet over its connection. */
tusk_err relay_setup_early_words(relay_pair *pair);
tusk_err relay_setup_late_words(relay_pair *pair);

/* opening.c */
/* The client's bytes so far, once more. */
void relay_setup_look(relay_pair *pair);
/* For tunnels: TLS with the client stands; it said something. */
void relay_setup_secured(relay_pair *pair);
void relay_setup_inner(relay_pair *pair);
/* Its door ends TLS, which has not begun; and nothing else is served without it. */
bool relay_setup_offers_tls(const relay_pair *pair);
bool relay_setup_demands_tls(const relay_pair *pair);

/* tcp.c */
/* The client hears `reason` in the words of who it believes to speak to; `end` is static text, for
 * the record, and without a reason it is that. */
void relay_setup_refuse_as(relay_pair *pair, uint16_t status, tusk_bytes reason, const char *end);
void relay_setup_refuse(relay_pair *pair, uint16_t status, const char *end);
/* To the client, before the pair is closed: what it sent meanwhile is read away. */
void relay_setup_tell(relay_pair *pair, tusk_bytes words);
/* What was dialled fails. As long as nothing of the client's went there, somebody else is tried,
 * and only when nobody is left the client hears `end`; else it does at once. `blameless`: it may be
 * about this client alone. The pair may be over afterwards. */
void relay_setup_lost(relay_pair *pair, tusk_err why, const char *end, bool blameless);
/* For tunnels: the connection of that backend is gone. */
void relay_setup_redial(relay_pair *pair);
/* So long the backend may take to say what it has to say first; nothing: for ever. */
void relay_setup_await_backend(relay_pair *pair);
/* A resolver is asked; `lookup` has what the protocol told, all else is filled in. */
void relay_setup_route(relay_pair *pair, tusk_relay_lookup *lookup);
void relay_setup_route_unheard(relay_pair *pair); /* before the client said a word */
/* Behind a PROXY head the client's first bytes are waited for anew. */
void relay_setup_await_first(relay_pair *pair);
void relay_setup_dial(relay_pair *pair, relay_answer *answer);
/* The client's socket becomes a connection: relay_tunnel_client. */
tusk_err relay_setup_move_client(relay_pair *pair, tusk_tls *tls);

#endif
