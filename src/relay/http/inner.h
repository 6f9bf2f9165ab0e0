/* SPDX-License-Identifier: MIT */
/*
 * HTTP through the relay: clients, exchanges, lines to backends and their pools.
 *
 * A client has one exchange at a time; what it pipelines waits in its input. An exchange is there
 * from a request's head to the end of its answer, taken from spare ones, so that an idle client is
 * its own object and nothing else. A line belongs to an exchange or is kept in its target's pool.
 */
#ifndef RELAY_HTTP_INNER_H
#define RELAY_HTTP_INNER_H

#include <tusk/relay_http.h>

#include "relay/route/dial.h"
#include "relay/http/flow.h"
#include "relay/account.h"
#include "relay/inner.h"
#include "relay/move/joined.h"

typedef struct relay_http relay_http;
typedef struct http_client http_client;
typedef struct http_exchange http_exchange;
typedef struct http_line http_line;
typedef struct http_pool http_pool;

enum { HTTP_PEER_TEXT_MAX = 48, HTTP_SPARE_MAX = 256, HTTP_HEAD_KEPT = 4096 };

/* What the clients of one relay share. */
struct relay_http {
    tusk_relay *relay;
    tusk_relay_http_options options;
    tusk_relay_http_stats stats;
    http_via via;
    tusk_http_head head; /* parsed and done with inside one callback */
    tusk_buf scratch;    /* heads for clients, on their way into the queue */
    tusk_link kept;      /* lines without an exchange, the oldest first */
    tusk_link ending;    /* and those of which the last still leaves */
    tusk_timer kept_timer;
    http_exchange *spare;
    uint32_t spare_count;
};

/* ---- clients ---- */
typedef enum http_client_state {
    CLIENT_PREFACE, /* its PROXY head is awaited */
    CLIENT_IDLE,    /* between requests */
    CLIENT_HEAD,    /* some of a head is here */
    CLIENT_BUSY,    /* an exchange is under way */
    CLIENT_TUNNEL,  /* bytes both ways after an upgrade */
    CLIENT_DONE     /* its last answer leaves */
} http_client_state;

/* What a PROXY head told beside the client. */
typedef struct http_told {
    tusk_addr destination; /* len 0: not that */
    uint8_t authority_len;
    uint8_t authority[255];
} http_told;

struct http_client {
    tusk_conn conn; /* first */
    relay_session session;
    relay_http *http;
    http_exchange *exchange;
    http_told *told; /* NULL: it came without a PROXY head */
    tusk_timer timer;
    uint64_t deadline_ms; /* UINT64_MAX: none */
    size_t scanned;
    uint32_t requests;
    uint32_t last_queued; /* when its deadline was last looked at */
    uint16_t peer_port;
    uint8_t family; /* 4, 6, or 0: a Unix path */
    uint8_t state;
    bool secure : 1;
    bool trusted : 1;
    bool keep_alive : 1;
    bool minor1 : 1;  /* it speaks HTTP/1.1 */
    bool ended : 1;   /* it sends no more */
    bool fin_due : 1; /* ... and that is why its deadline is where it is */
    bool in_on_data : 1;
    char peer[HTTP_PEER_TEXT_MAX];
};

/* What the relay's door does with who came (relay_kind_ops). */
bool http_client_open(tusk_relay *relay, relay_door *door, int fd, const tusk_addr *peer);
void http_client_refused(relay_door *door, int fd, uint16_t status);
void http_client_deadline(http_client *self, uint32_t in_ms); /* 0: none */
/* Slow is allowed, stuck is not: of what is queued for it, here or in the kernel, something has
 * left since its deadline was set `within_ms` ago. */
bool http_client_takes(const http_client *self, uint32_t within_ms);
/* Reads or does not, as back-pressure says, and looks at what is unread. */
void http_client_go(http_client *self);
/* Its connection is over Limits::ageMs: what it is answered now is the last. */
bool http_client_is_old(const http_client *self);
uint32_t http_client_until_old(const http_client *self, uint32_t in_ms); /* the sooner; 0: none */
/* Its answer is queued: the next request, or the end. */
void http_client_answered(http_client *self);
/* What is queued leaves, then its connection ends in order. */
void http_client_finish(http_client *self);
/* Now. `reset`: it must not take what it has for the whole. */
void http_client_cut(http_client *self, bool reset);
tusk_err http_client_send(http_client *self, tusk_bytes bytes);

/* peer.c */
/* It is `peer` from now on; whether what it says of others is believed is judged by that. */
void http_client_peer(http_client *self, const tusk_addr *peer);
/* Its PROXY head: > 0 bytes it took, 0: not all there, TUSK_EPROTO, TUSK_ELIMIT (whom it tells is
 * over a limit), TUSK_ENOMEM. */
ptrdiff_t http_client_preface(http_client *self, tusk_bytes in);
/* Where it connected to, as a PROXY head told, or as its socket says; len 0: nobody knows. */
tusk_addr http_client_destination(const http_client *self);

/* ---- exchanges ---- */
typedef enum http_exchange_state {
    EXCHANGE_ROUTE,  /* the resolver is asked; the head is still in the client's input */
    EXCHANGE_ROUTED, /* it has answered, later than at once */
    EXCHANGE_WAIT,   /* for room in a pool */
    EXCHANGE_DIAL,   /* with a line: whose TLS is awaited */
    EXCHANGE_HEAD,   /* sent, or being sent; the answer's head is awaited */
    EXCHANGE_BODY,   /* the answer's body */
    EXCHANGE_TUNNEL,
    EXCHANGE_OVER
} http_exchange_state;

struct http_exchange {
    http_exchange *next; /* in the spare ones */
    relay_http *http;
    http_client *client;
    http_line *line; /* NULL: none yet */
    http_pool *pool; /* where it waits, or whose dial it counts as; NULL: neither */
    tusk_link waiting;
    relay_waiter waiter;
    relay_dial dial;
    relay_answer *answer; /* NULL: none yet */
    tusk_bytes reason;    /* for the record, while it is told */
    tusk_buf head;        /* for the backend; kept, as it may be sent twice */
    http_flow up;         /* request's body */
    http_flow down;       /* answer's */
    uint64_t began_ns, asked_ns, dialled_ns, attached_ns;
    relay_joined joined; /* after an upgrade */
    uint64_t bytes[2];   /* and what came from each side */
    uint64_t told[2];    /* of all that came from it, the meters have so much */
    uint32_t resolve_us, connect_us, first_us;
    uint32_t interim;
    size_t unread;   /* of the head, still in the client's input */
    uint16_t status; /* of the answer that went to the client; 0: none yet */
    uint8_t state;
    tusk_http_method method;
    bool has_body : 1;
    bool upgrade : 1;
    bool reused : 1;   /* its line was kept before */
    bool retried : 1;  /* it is the second try */
    bool routed : 1;   /* at the meter of its route */
    bool answered : 1; /* a byte of the answer came */
    bool cached : 1;
    bool asking : 1; /* inside relay_ask_route */
    bool line_keeps : 1;
    bool line_doubted : 1; /* an interim answer promised a body, which may come late */
    bool counts : 1;       /* its dial counts in `pool` */
    bool deaf : 1;         /* the backend hears no more of the request */
    bool finishes : 1;     /* what is queued for the backend still leaves */
    bool resets : 1;       /* of a tunnel: the backend has heard a part of what was said */
};

/* From the spare ones; NULL: no memory. */
http_exchange *http_exchange_new(http_client *client);
/* The request whose head is parsed in http->head: routed, and begun when that is known at once. */
void http_exchange_route(http_exchange *self, tusk_bytes raw);
/* The client's input may hold more for it. True: the client may look at its input again. */
bool http_exchange_input(http_exchange *self);
/* The client sends no more. */
void http_exchange_client_ended(http_exchange *self);
/* A line for it: kept, or a new one by dialling, or a place in the queue. */
void http_exchange_connect(http_exchange *self, bool fresh);
void http_exchange_leave_pool(http_exchange *self); /* harmless where it is in none */
/* First in its pool: a line that is kept there and suits it, or a new one where there is `room`.
 * False: neither, and it waits on. */
bool http_exchange_wake(http_exchange *self, bool room);
/* Its target was full, and this line there is free now. False: nobody in line can use it. */
bool http_line_to_who_waits(http_line *line);
/* Its line, whose TLS was awaited, is there; is not: the dial goes on. */
void http_exchange_line_ready(http_exchange *self);
void http_exchange_line_refused(http_exchange *self, tusk_err why);
/* Its line is gone, for `why`; `line` is no more its. `target`: where that led, not read. */
void http_exchange_line_lost(http_exchange *self, const relay_target *target, tusk_err why);
/* Over, and nobody is told: who goes on has taken what it needs. */
void http_exchange_retire(http_exchange *self);
/* Over: told to the access log, the line given back or dropped, and the client freed of it. `end`
 * is static text. */
void http_exchange_end(http_exchange *self, const char *end);

/* question.c: `answer` is there when this returns, or the client looks at its input again when
 * it is (EXCHANGE_ROUTED). */
void http_exchange_ask(http_exchange *self, const tusk_http_head *head);

/* times.c */
/* Silence that is borne on this exchange's route, and what counts its end: the route's time, else
 * the shorter of all sessions' and `own_ms` (0: off). */
typedef struct http_patience {
    uint32_t ms; /* 0: for ever */
    uint64_t *counter;
} http_patience;
http_patience http_exchange_patience(const http_exchange *self, uint32_t own_ms,
                                     uint64_t *own_counter);
/* Its deadline, begun anew: for the answer's head; for more of its body. */
void http_exchange_await_answer(http_exchange *self);
void http_exchange_body_moved(http_exchange *self);
/* Its deadline has come. */
void http_exchange_due(http_exchange *self);

/* record.c */
/* With its port, as other sessions tell it. */
const char *http_peer_text(const http_client *client, char text[TUSK_ADDR_TEXT_MAX]);
/* Of the request, for its record: what was made for the backend tells. */
void http_exchange_tell_request(const http_exchange *self, tusk_relay_record *record);
/* To the access log, if there is one; `end` is static text. */
void http_exchange_tell(const http_exchange *self, const char *end);
void http_exchange_account(const http_exchange *self); /* at the meters */
void http_exchange_account_so_far(http_exchange *self);

/* ---- answers ---- */
void http_answer_input(http_exchange *self);             /* its line shows bytes */
void http_answer_end(http_exchange *self, tusk_err why); /* its line has ended */
/* What went to the client cannot be made whole, and it shall see that. */
void http_answer_break_off(http_exchange *self, const char *end);

/* ---- answers of our own ---- */
/* Instead of a backend's, or of none at all; ends the exchange. `head`: the request, NULL where
 * none was understood. */
void http_refuse(http_exchange *self, const tusk_http_head *head, uint16_t status,
                 tusk_bytes reason);
/* The same where the head went away: it is read again from what was made for the backend. */
void http_refuse_late(http_exchange *self, uint16_t status, const char *reason);
/* The route's own answer. */
void http_answer_directly(http_exchange *self);

/* ---- lines ---- */
struct http_line {
    tusk_conn conn; /* first */
    relay_http *http;
    http_pool *pool;         /* NULL: a tunnel took its place there, with the socket */
    http_exchange *exchange; /* NULL: kept, or ending */
    tusk_link idle;          /* in its pool's, */
    tusk_link kept;          /* and in the relay's, or among those that end */
    uint64_t kept_until_ms;
    size_t scanned;      /* of an answer's head */
    uint16_t generation; /* of its target's addresses, as it was dialled */
    bool ready;          /* connected, TLS done */
    bool leaves;         /* it is being closed, and its target counts it as such */
    bool idles;          /* its target counts it as kept, until it serves again or is gone */
};

/* Which connections can serve each other's requests. */
struct http_pool {
    relay_http *http;
    http_pool *next; /* of the same target */
    relay_target *target;
    tusk_tls *tls;     /* NULL: plain */
    char *tls_name;    /* NULL: none */
    tusk_link idle;    /* kept, the youngest last */
    tusk_link waiting; /* exchanges */
    uint32_t idle_count;
    uint32_t count; /* lines, and dials that were begun for it */
    uint32_t waiting_count;
    uint32_t leaving; /* of its lines, being closed */
};

/* The pool of a target under this answer's TLS; NULL: no memory. It goes when nothing of it is left
 * (http_pool_settle). */
http_pool *http_pool_get(relay_http *http, relay_target *target, const relay_answer *answer);
bool http_pool_serves(const http_pool *self, const relay_answer *answer);
void http_pool_settle(http_pool *self);
bool http_pool_has_room(const http_pool *self);
/* A kept line, or NULL. `once`: what goes there cannot be repeated, so its socket is asked (a
 * system call) whether the backend has said anything or closed it, which it has not told us yet. */
http_line *http_pool_take(http_pool *self, bool once);
/* Takes `fd` and `target` (entered) in any case. */
tusk_err http_line_new(http_line **out, relay_http *http, int fd, relay_target *target,
                       const relay_answer *answer);
void http_line_keep(http_line *self);
void http_line_drop(http_line *self);
void http_line_reset(http_line *self); /* the same, and the backend hears it */
void http_lines_drop_kept(relay_http *http);
/* What is queued for its backend leaves, and then it ends; and all of these, at once. */
void http_line_finish(http_line *self);
void http_lines_cut(relay_http *http);
void http_line_give_up(relay_target *target);        /* relay_kind_ops */
void http_lines_drop_outdated(relay_target *target); /* the same */
/* For who cannot use what is kept: the oldest goes, unless one of them goes already. */
void http_pool_give_way(http_pool *self);

/* ---- tunnels ---- */
/* In the hands of the relay's engine, where both sockets are plain; else over their connections.
 * The exchange may be over. */
void http_tunnel_begin(http_exchange *self);
void http_tunnel_cut(http_exchange *self, const char *end); /* both sides hear a reset */
/* Its deadline has come, which ends it if it is old or silent. */
void http_tunnel_due(http_exchange *self);
/* Something that one side has said has not left for the other one. */
bool http_tunnel_lacks(const http_exchange *self);

/* ---- the relay's HTTP part ---- */
static inline bool http_stopping(const relay_http *self)
{
    return self->relay->state != RELAY_RUNNING;
}
static inline tusk_loop *http_loop(const relay_http *self)
{
    return self->relay->loop;
}

#endif
