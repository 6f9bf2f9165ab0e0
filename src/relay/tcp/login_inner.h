/* SPDX-License-Identifier: MIT */
/* The inside of a login, for its two files: the client's half and the backend's. */
#ifndef RELAY_TCP_LOGIN_INNER_H
#define RELAY_TCP_LOGIN_INNER_H

#include "proto/mysql.h"
#include "relay/tcp/login.h"

enum { LOGIN_WORDS_MAX = MYSQL_HEAD + MYSQL_RESPONSE_MAX };

typedef enum login_step {
    LOGIN_ANSWER,   /* the client's, or its wish for TLS */
    LOGIN_HELLO,    /* its ClientHello, and hands are shaken */
    LOGIN_ROUTE,    /* a resolver, then a connection */
    LOGIN_GREETING, /* the backend's */
    LOGIN_SECURING, /* hands are shaken with the backend */
    LOGIN_ASK       /* packets pass until OK or ERR */
} login_step;

/* How a plugin's password travels. */
typedef enum login_plugin {
    PLUGIN_SIGNS,       /* never itself */
    PLUGIN_CLEAR,       /* as it is, asked for by the server */
    PLUGIN_SHA256,      /* over TLS as it is, else encrypted for the server's key */
    PLUGIN_CACHING_SHA2 /* the same, but only where the server has not seen it before */
} login_plugin;

struct relay_login {
    tusk_buf answer;  /* the client's whole packet */
    tusk_buf refusal; /* what a backend said in place of a greeting */
    uint32_t backend_caps;
    uint32_t seen[2]; /* bytes that were peeked at and are there still */
    uint16_t packets;
    uint8_t next[2]; /* the number of the next packet on each side */
    uint8_t step;    /* login_step */
    uint8_t plugin;  /* login_plugin */
    bool owes;       /* the client was asked for something */
    bool sealed;     /* nobody listens between us and the backend: TLS, or a path */
};

/* What is told to a client, and how the session ends. */
typedef struct login_fault {
    uint16_t status;
    uint16_t code; /* the server's error messages have them */
    const char *state;
    const char *text;
    const char *end;
} login_fault;

extern const login_fault relay_login_out_of_order;
extern const login_fault relay_login_too_large;

typedef struct relay_peeked {
    uint8_t *ptr;
    size_t len;
} relay_peeked;

/* Bytes of either side, over sockets or connections. */
/* LOOK_AGAIN: something is there; LOOK_WAIT: nothing; LOOK_DONE: the pair is over. */
relay_looked relay_login_peek(relay_pair *pair, int side, relay_peeked *out);
void relay_login_take(relay_pair *pair, int side, size_t len);
/* A login is a dialogue: what is said finds the other one's socket empty, so it is taken at once,
 * or (TUSK_ERESET) the other one is gone. */
tusk_err relay_login_say(relay_pair *pair, int side, tusk_bytes bytes);
/* The client is told, and the pair is over. */
void relay_login_fail(relay_pair *pair, const login_fault *fault);

#endif
