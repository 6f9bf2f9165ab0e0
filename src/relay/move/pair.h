/* SPDX-License-Identifier: MIT */
/*
 * A pair: a client's socket and a backend's, plain, and the bytes between them.
 *
 * Each direction has its own state; the pair is over when both are shut, when a side resets (the
 * other is reset as well), or when a deadline passes. Idle it owns this object and no buffer.
 */
#ifndef RELAY_MOVE_PAIR_H
#define RELAY_MOVE_PAIR_H

#include <errno.h>

#include "relay/inner.h"

enum { RELAY_CLIENT, RELAY_BACKEND };

/* A direction is named by the end that its bytes come from. */
typedef enum relay_direction {
    DIR_OPEN,
    DIR_EOF,     /* the end has said all; something of it is still held */
    DIR_DRAINED, /* all of it was taken by the other side's socket */
    DIR_SHUT     /* and the other side was told: shutdown(SHUT_WR) */
} relay_direction;

typedef enum pair_state {
    PAIR_FIRST, /* its first bytes are awaited */
    PAIR_ROUTE, /* an answer is */
    PAIR_DIAL,  /* a backend is */
    PAIR_LOGIN, /* what both say before they may speak freely is */
    PAIR_JOINED,
    PAIR_OVER
} pair_state;

/* Bytes read from one end that the other did not take at once. */
typedef struct relay_held {
    uint32_t start;
    uint32_t len;
    uint32_t cap;
    uint8_t bytes[];
} relay_held;

/* A pipe that a direction splices through. */
typedef struct relay_pipe {
    struct relay_pipe *next; /* in the relay's pool */
    int fd[2];
    uint32_t len; /* bytes in it */
    uint32_t cap;
    uint64_t moved; /* since the direction came here, or the last wake-up */
} relay_pipe;

/* What a receive of many ends at once takes of each (crowd.h). */
enum { RELAY_CROWD_BYTES = 2048 };
/* Full reads in a row after which a direction splices. */
enum { RELAY_FULL_READS = 2 };

typedef struct relay_end {
    tusk_io io;
    relay_held *held;
    relay_pipe *pipe;   /* NULL: it is copied */
    uint64_t bytes;     /* read from this end */
    uint8_t state;      /* relay_direction */
    uint8_t full_reads; /* in a row; counted where they matter */
    bool readable : 1;  /* more may be there: nobody says so again */
    bool ended : 1;     /* its end has arrived as well: read until that is seen */
    bool hung_up : 1;   /* out of the poller, which would report it for ever */
    bool lost : 1;      /* its socket is gone by a reset, and the pair with it */
    bool is_backend : 1;
    bool wide : 1;   /* its last receive was longer than crowds take */
    bool served : 1; /* ahead of its event: what it had is relayed; with `failed`: could not be held
                      */
    bool failed : 1; /* ahead of its event: reset */
    /* In the ring: what came from this end and is not sent yet, as a queue of buffers. */
    uint8_t sending; /* the first ones are being sent */
    uint16_t queued; /* the first one's number + 1; 0: none */
    uint16_t queued_last;
} relay_end;

/* What a pair was before its ends were joined, where that was another protocol's session: its
 * record tells of that, and it has times and counters of its own. */
typedef struct relay_origin relay_origin;
struct relay_origin {
    tusk_bytes peer, method, host, path;
    uint64_t began_ns;
    uint64_t before[2]; /* read from each end, and no part of what was joined */
    uint64_t *paused[2];
    uint64_t *idle_timeouts;
    uint32_t idle_ms; /* 0: off */
    uint16_t status;
    void (*on_over)(relay_origin *self); /* the pair is; this may free it */
};

typedef struct relay_setup relay_setup;
typedef struct relay_tunnel relay_tunnel;
typedef struct relay_shortcut relay_shortcut;

typedef struct relay_pair {
    relay_session session; /* first */
    relay_end end[2];
    tusk_timer timer;
    tusk_link busy;
    struct relay_watch *watch; /* the backend's start is looked at; NULL: no more */
    struct relay_key *key;     /* its cancel key; NULL: none */
    relay_tunnel *tunnel;      /* NULL: both ends are sockets of its own */
    union {
        relay_setup *setup;   /* until it is joined */
        relay_origin *origin; /* `upgraded`: from its beginning on */
    };
    relay_shortcut *shortcut; /* the kernel relays; NULL: user space does */
    relay_answer *answer;     /* NULL: none yet */
    relay_target *target;     /* entered; NULL: none yet */
    uint32_t last_ms;         /* bytes moved, low 32 bits */
    uint32_t joined_ms;       /* the same */
    uint32_t resolve_us, connect_us, first_us;
    uint32_t told_kib[2]; /* bytes of each end that the meters have, in whole KiB, low 32 bits */
    uint16_t peer_port;
    uint8_t peer_family; /* 4, 6, or 0: a Unix path */
    uint8_t state;       /* pair_state */
    bool cached;
    bool spliced;          /* in either direction, at any time */
    bool bridged : 1;      /* it had a shortcut */
    bool offered : 1;      /* to the kernel, whether that took it or not */
    bool deferred : 1;     /* it was not still when it was joined */
    bool upgraded : 1;     /* it was another protocol's session before */
    bool ringed : 1;       /* it is io_uring's (uring/) */
    bool keeps : 1;        /* its backend's socket has keep-alive */
    bool ring_leaves : 1;  /* it is being ended: a completion must not free it */
    bool answered : 1;     /* first_us is what it says; before, when its backend was connected */
    bool backend_last : 1; /* its client ended first, and then its backend: all was said */
    uint8_t fins : 2;      /* a bit for each side whose end has come: its kernel counts it */
    uint8_t under_way; /* in the ring: a bit for each thing that the kernel will still complete */
    uint8_t peer_ip[16];
    uint8_t choice;    /* the last target that failed, as relay_dial.last has it */
    uint16_t head_len; /* of a PROXY head: the client's first bytes, and none that it said */
} relay_pair;

_Static_assert(sizeof(relay_pair) <= 320, "an idle pair is this and nothing else");

/* What the protocol in front hung on a pair, and does with it. */
typedef struct relay_pair_ops {
    /* Before it is joined: an end's event, its deadline. It may be over afterwards. */
    void (*on_event)(relay_pair *pair, int side, unsigned events);
    void (*on_due)(relay_pair *pair);
    /* While pair->watch is there: what the backend says. */
    void (*on_watched)(relay_pair *pair, tusk_bytes bytes);
    /* It is over: pair->setup is given back; pair->watch and pair->key, which come to an end later
     * than both connections of a tunnel. */
    void (*drop_setup)(relay_pair *pair);
    void (*drop_key)(relay_pair *pair);
    /* Both connections of its tunnel end; then relay_pair_gone. Or at once: the pair may be gone
     * already. */
    void (*close_tunnel)(relay_pair *pair, uint16_t status, const char *end, bool reset);
    void (*abort_tunnel)(relay_tunnel *tunnel);
    /* Something that one side of a joined pair's tunnel has said cannot go on to the other. */
    bool (*tunnel_owes)(const relay_tunnel *tunnel);
    uint32_t (*tunnel_taken_ms)(const relay_tunnel *tunnel); /* as relay_joined_taken_ms */
} relay_pair_ops;

/* A ring of the kernel's that moves the bytes of joined pairs (uring/). */
typedef struct relay_ring_ops {
    /* A pair that is joined leaves the poller for the ring. It may be over when this returns. */
    void (*take)(relay_pair *pair);
    /* The poller says that this side's socket, which has said all, is hung up. */
    void (*hang_up)(relay_pair *pair, int side);
    /* The pair ends: what was said goes out, what is under way is cancelled, and its sockets may
     * be closed. */
    void (*leave)(relay_pair *pair);
    /* Asked right before the pair's memory is given back. True: completions are still due, and the
     * last of them gives it back; the relay is held until then. */
    bool (*keeps)(relay_pair *pair);
    /* Something that came from a side, completed or not yet looked at, has not gone on. */
    bool (*owes)(const relay_pair *pair);
    /* Bytes of this side that a receive has taken and that are not looked at. */
    size_t (*unread)(const relay_pair *pair, int side);
} relay_ring_ops;

/* False: this state cannot follow the present one. */
bool relay_direction_become(relay_end *end, relay_direction state);

/* What a pump says of one direction. */
typedef enum relay_moved {
    MOVED_ALL,       /* the end has no more for now */
    MOVED_PART,      /* it has, but had its part of the turn */
    MOVED_BLOCKED,   /* the other side does not take more */
    MOVED_EOF,       /* the end has said all, and the other side's socket has it */
    MOVED_FROM_LOST, /* reset */
    MOVED_TO_LOST,
    MOVED_NO_MEMORY
} relay_moved;

/* Moves bytes from end `side` to the other one. */
relay_moved relay_copy_move(relay_pair *pair, int side);
relay_moved relay_splice_move(relay_pair *pair, int side); /* it has a pipe */
/* A pipe for this direction; false: there is none to be had, and it is copied. */
bool relay_splice_begin(relay_pair *pair, int side);
void relay_pipe_give(tusk_relay *relay, relay_end *end); /* harmless without one */

static inline relay_pair *relay_pair_of(const relay_end *end)
{
    const relay_end *first = end - (end->is_backend ? 1 : 0);
    return (relay_pair *)(void *)((char *)(uintptr_t)first - offsetof(relay_pair, end));
}

static inline tusk_relay *relay_of(const relay_pair *self)
{
    return self->session.door->relay;
}

static inline const relay_pair_ops *relay_pair_ops_of(const relay_pair *self)
{
    return relay_of(self)->ops->pairs;
}

/* For whatever moves bytes: these came from `side`, and are about to go on. */
static inline void relay_pair_look(relay_pair *self, int side, tusk_bytes bytes)
{
    if (self->watch != NULL && side == RELAY_BACKEND) {
        relay_pair_ops_of(self)->on_watched(self, bytes);
    }
}

/* What a pair's times are told in. */
static inline uint32_t relay_now_low(const tusk_relay *relay)
{
    return (uint32_t)tusk_loop_now_ms(relay->loop);
}

/* Something read from this end waits for room at the other one. */
static inline bool relay_end_waits(const relay_end *self)
{
    return self->held != NULL || (self->pipe != NULL && self->pipe->len > 0);
}

/* Takes `fd`; NULL: no memory or no room in the poller, and it is closed. */
relay_pair *relay_pair_new(relay_door *door, int fd, const tusk_addr *peer);
/* Of a session that was served otherwise so far, with both sockets, of which `unread` bytes each
 * were read, are no part of anything before and stand in relay_pair_hold next. Takes the session
 * and both sockets; NULL, and takes nothing: no memory, or no room in the poller. */
relay_pair *relay_pair_adopt(relay_session *session, const int fd[2], relay_origin *origin,
                             const size_t unread[2]);
tusk_addr relay_pair_peer(const relay_pair *self);
/* Bytes of end `side` that its pump has not read itself: they go first. */
tusk_err relay_pair_hold(relay_pair *self, int side, tusk_bytes bytes);
/* Both ends are watched; `end[].readable` and `ended` say what is known of them. */
void relay_pair_join(relay_pair *self);
/* For shortcuts. Moves bytes of `side`; all of it was taken, and the other end hears it; it is over
 * by a reset of `side`: these return true when the pair is gone. What `side` has still said is
 * moved, as far as it is taken at once. */
bool relay_pair_move(relay_pair *self, int side);
bool relay_pair_shut(relay_pair *self, int side);
void relay_pair_lose(relay_pair *self, int side);
void relay_pair_empty(relay_pair *self, int side);
bool relay_pair_is_reset(relay_pair *self, int side);
/* Its end has come, read or not. */
static inline void relay_pair_saw_end(relay_pair *self, int side)
{
    self->fins = (self->fins | (1u << side)) & 3u;
}
/* What its socket tells of its reset, once: EPIPE where its end had come before. */
static inline void relay_pair_failed(relay_pair *self, int side, int number)
{
    if (number == EPIPE && !self->end[side].lost) {
        relay_pair_saw_end(self, side);
    }
}
/* At once; `reset`: the peers hear a reset, else what they have been sent and an end. `end` is
 * static text. */
void relay_pair_close(relay_pair *self, const char *end, bool reset);
/* By a deadline or a stop. Where bytes of one side have not gone on to the other, which would take
 * what it has for the whole, it is a reset. */
void relay_pair_cut_short(relay_pair *self, const char *end);
/* A refusal: its status is in the record. */
void relay_pair_refuse(relay_pair *self, uint16_t status, const char *end);

/* For tunnels: so many bytes came from `side`; both sides are there; both connections are gone, and
 * the session is told. */
void relay_pair_moved(relay_pair *self, int side, size_t len);
void relay_pair_stopped_reading(relay_pair *self, int side); /* its other side takes no more */
void relay_pair_joined(relay_pair *self);
void relay_pair_gone(relay_pair *self, uint16_t status, const char *end);

/* pair_times.c: a deadline may be nearer now; the timer's on_due. */
void relay_pair_rearm(relay_pair *self);
void relay_pair_due(tusk_timer *timer);

/* pair_record.c. Bytes of both ends, before their sockets go; the record; of an upgraded pair, what
 * the kernel's relay will count beside. */
void relay_pair_count(relay_pair *self);
void relay_pair_account(const relay_pair *self, uint16_t status); /* at the meters */
void relay_pair_account_so_far(relay_pair *self);
void relay_pair_tell(const relay_pair *self, uint16_t status, const char *end);
void relay_pair_count_from_the_start(relay_pair *self);

#endif
