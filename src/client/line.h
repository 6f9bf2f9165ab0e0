/* SPDX-License-Identifier: MIT */
/*
 * A line: one connection to an origin, from name lookup to its end, lent to one user at a time.
 *
 * It has a user from open (or take) until the user keeps or drops it, or until on_lost has
 * returned. Without one it closes by itself and gives its memory back when the network layer has
 * let go.
 */
#ifndef CLIENT_LINE_H
#define CLIENT_LINE_H

#include "client/target.h"

enum { LINE_TEXT_MAX = 160 };

typedef struct tusk__line tusk__line;
typedef struct tusk__line_user tusk__line_user;

/* What a kind of handle does. It is held while one of the `on_` runs. */
typedef struct tusk__line_ops {
    void (*on_ready)(tusk__line_user *self); /* connected, TLS done; not for a taken one */
    void (*on_data)(tusk__line_user *self);
    void (*on_eof)(tusk__line_user *self);
    void (*on_drain)(tusk__line_user *self);                 /* may be NULL */
    uint8_t *(*landing)(tusk__line_user *self, size_t *cap); /* may be NULL, with on_landed */
    void (*on_landed)(tusk__line_user *self, size_t len);
    /* Never from inside open or take; the line is its user's until it returns, or is dropped. */
    void (*on_lost)(tusk__line_user *self, const tusk_failure *failure);
    void (*on_due)(tusk__line_user *self); /* its timer */
    void (*abort)(tusk__client_handle *self);
    void (*destroy)(tusk__line_user *self); /* ends with tusk__line_user_fini */
} tusk__line_ops;

struct tusk__line {
    tusk_conn conn; /* first: its callbacks find the line */
    tusk_client *client;
    tusk__line_user *user; /* NULL: nobody's */
    tusk_link idle;
    tusk_link ending;    /* finished, the network layer has not let go yet */
    tusk_timer timer;    /* connecting, or kept */
    uint64_t due_ms;     /* when it has to be ready */
    tusk_task late_task; /* tells at the end of the turn what open already knows */
    tusk_lookup lookup;
    tusk__target origin; /* without URL and fields */
    tusk_addr addrs[RESOLVER_ADDRS_MAX];
    uint8_t addr_count;
    uint8_t addr_next;
    bool attached; /* the network layer has `conn` */
    bool ready;
    bool taken; /* it served another request before */
    tusk_failure failure;
    char text[LINE_TEXT_MAX];
};

/* What every kind of handle is to the lines: who may use one. Embedded first. It lives until its
 * last callback has returned. */
struct tusk__line_user {
    tusk__client_handle handle;
    tusk_client *client;
    const tusk__line_ops *ops;
    tusk__line *line;    /* NULL: none */
    tusk__target target; /* of the next line */
    tusk_timer timer;
    unsigned holds; /* callbacks under way */
    bool gone;      /* it is not its owner's any more */
    bool paused;    /* nothing is read for it, nor by the line that comes */
};

void tusk__line_user_init(tusk__line_user *self, tusk_client *client, const tusk__line_ops *ops);
/* Leaves its client; the line has been dropped. */
void tusk__line_user_fini(tusk__line_user *self);
/* A new line to its target. */
tusk_err tusk__line_user_open(tusk__line_user *user);
/* A kept one to the same origin; false: there is none. */
bool tusk__line_user_take(tusk__line_user *user);
void tusk__line_user_enter(tusk__line_user *self);
void tusk__line_user_leave(tusk__line_user *self); /* perhaps it is no more */
void tusk__line_user_drop(tusk__line_user *self);  /* its line, at once; harmless without one */
/* It is over, which its owner is told next. */
void tusk__line_user_end(tusk__line_user *self);
/* How far its line has come that is not ready yet: "resolve", "connect" or "tls". */
const char *tusk__line_user_stage(const tusk__line_user *self);
/* Its owner wants no callback any more. */
void tusk__line_user_abandon(tusk__line_user *self);
void tusk__line_user_pause(tusk__line_user *self);
/* `again`: what is decoded or half read may wait without a byte behind it. Harmless unless paused.
 */
void tusk__line_user_resume(tusk__line_user *self, bool again);

/* For another request: its user has read a whole answer and nothing is queued. */
void tusk__line_keep(tusk__line *self);
/* At once. */
void tusk__line_drop(tusk__line *self);
/* After what is queued has left, in order. */
void tusk__line_finish(tusk__line *self);

#endif
