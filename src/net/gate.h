/* SPDX-License-Identifier: MIT */
/*
 * Gates: listeners that know their limit.
 *
 * An owner (a server, a relay) has gates, and so many places for the clients of all of them; a gate
 * may have a limit of its own, and other processes may share both. A client has a place before
 * anything is made of it. While there is none accepting waits and clients stay in the kernel's
 * queue. Of several processes another one may take the last place between an accept and the look
 * at it: such a client waits here, one at each gate.
 */
#ifndef NET_GATE_H
#define NET_GATE_H

#include "base/list.h"
#include "net/heap.h"
#include "net/listener.h"
#include "net/seats.h"

typedef struct net_gate net_gate;
typedef struct net_gates net_gates;

/* What is asked for a place. */
typedef struct net_client {
    int fd;
    const tusk_addr *peer;
    void *counted; /* what `admit` has counted for it */
    bool waited;   /* was not accepted just now: others ran meanwhile, and may have forked */
} net_client;

typedef struct net_gates_ops {
    /* Whether it may have a place when there is one; false: it is closed. NULL: all may. */
    bool (*admit)(net_gate *gate, net_client *client);
    /* It has a place and its descriptor is the owner's, who says net_gates_leave at its end. False:
     * nothing came of it (and it is closed), so that its place is free. */
    bool (*on_client)(net_gate *gate, const net_client *client);
    /* What `admit` has counted is given back: nothing comes of this client. NULL: nothing is. */
    void (*forget)(net_gate *gate, void *counted);
    /* Accepting begins to wait, at all gates (NULL) or at this one. */
    void (*on_wait)(net_gates *gates, const net_gate *gate);
    /* Descriptors or memory ran out on accept (0), or the socket accepts nothing: an errno. */
    void (*on_exhausted)(net_gates *gates, int error);
    /* A line about a limit of descriptors that is too low for these places. */
    void (*on_log)(net_gates *gates, const char *text);
} net_gates_ops;

/* What several processes know of each other's places. */
typedef struct net_gates_shared {
    const net_seats *seats;
    _Atomic uint64_t *taken; /* of each gate, seat by seat; NULL: no gate has its own limit */
    _Atomic uint64_t *asked; /* by seat: when net_gates_ask was last called; NULL: nobody does */
    uint32_t number;         /* of gates */
} net_gates_shared;

/* First in what an owner makes of it. */
struct net_gate {
    tusk_link link; /* in the owner's */
    net_gates *all;
    tusk_listener *listener; /* NULL: not open */
    tusk_addr addr;          /* once open with the port that the kernel chose */
    int fd;                  /* given: it listens already; else -1 */
    int backlog;             /* 0: the listener's default */
    uint32_t index;          /* among the owner's */
    uint32_t limit;          /* of its own; 0: none */
    uint32_t taken;          /* places, here */
    bool reuse_port;
    bool inherited; /* from whoever keeps it open, and its Unix path */
    bool paused;
    net_client held; /* has no place yet; -1: nobody */
    tusk_addr held_peer;
    char text[TUSK_ADDR_TEXT_MAX]; /* its address as it was given */
};

struct net_gates {
    tusk_loop *loop;
    const net_gates_ops *ops;
    tusk_link list;
    uint32_t number;
    uint32_t limit;     /* of places, at all gates and in all processes */
    uint32_t usual;     /* that limit when nobody chose one */
    uint32_t each;      /* descriptors of one client */
    uint32_t taken;     /* places, here */
    uint32_t seat;      /* of this process */
    bool for_operators; /* as tusk_listener_options has it */
    bool open;
    bool busy;  /* the owner has enough to do: accepting waits as if there were no place */
    bool full;  /* all wait */
    bool waits; /* at least one does */
    const net_gates_shared *shared; /* NULL: this process alone */
    tusk_timer again;               /* a place may have become free elsewhere */
    net_heap heap;                  /* of this process, which all who have a place share */
};

void net_gates_init(net_gates *self, tusk_loop *loop, const net_gates_ops *ops);
/* `addr` is bound when it is opened; `fd` listens already, or is -1. */
void net_gate_add(net_gate *self, net_gates *gates, const tusk_addr *addr, const char *text,
                  int fd);
/* Asks for the descriptors that so many clients need, and opens all, but accepts only after
 * net_gates_settle. On failure none is open and `reason` is a sentence that names the address. */
tusk_err net_gates_open(net_gates *self, char *reason, size_t reason_cap);
/* For good; who waits is closed. */
void net_gates_close(net_gates *self);
/* The same, and nobody's leaving is waited for. */
void net_gates_fini(net_gates *self);

/* ---- places ---- */
/* As one that was accepted and may come in: it gets a place, or waits for one. */
void net_gate_let_in(net_gate *self, const net_client *client);
/* One more in any case, of no gate. */
void net_gates_add(net_gates *self);
/* A place is free again; `gate` NULL: it was of no gate's. */
void net_gates_leave(net_gates *self, net_gate *gate);
/* Accepts, or does not, as the limits say. */
void net_gates_settle(net_gates *self);
/* Where accepting waits: somebody is there who would come in. */
bool net_gates_wanted(const net_gates *self);
/* There is no place, here and in all processes. */
bool net_gates_full(const net_gates *self);
/* Tells the other processes whether somebody waits here for a place that they may have; it holds
 * for a tenth of a second. */
void net_gates_ask(const net_gates *self, bool waits);
bool net_gates_asked(const net_gates *self); /* another one has told so */
/* The same, when the owner got busy or is no longer. */
static inline void net_gates_set_busy(net_gates *self, bool busy)
{
    self->busy = busy;
    if (busy || self->waits) {
        net_gates_settle(self);
    }
}

/* ---- several processes ---- */
static inline size_t net_gates_shared_size(const net_gates *self, uint32_t seats)
{
    return (size_t)seats * self->number * sizeof(uint64_t);
}
/* Of several processes one says what is so of all: worker 0, whose two seats are the first ones. */
static inline bool net_gates_speaks(const net_gates *self)
{
    return self->shared == NULL || self->seat < 2;
}
/* Before they are opened; NULL: alone again. */
void net_gates_share(net_gates *self, const net_gates_shared *shared, uint32_t seat);
/* The process of this seat is gone, and has no place. */
void net_gates_gone(const net_gates_shared *self, uint32_t seat);

/* ---- one of them; `index` in the order in which they were added ---- */
net_gate *net_gates_at(const net_gates *self, size_t index);        /* NULL: there is none */
uint16_t net_gates_port(const net_gates *self, size_t index);       /* 0: there is none */
const char *net_gates_address(const net_gates *self, size_t index); /* NULL: there is none */
/* Before they are opened: `fd` listens already, and its Unix path is somebody else's.
 * TUSK_ESTATE: there is no such gate, or it has a socket. */
tusk_err net_gates_inherit(net_gates *self, size_t index, int fd);
/* While they are open: clients of `fd` are this gate's as well. TUSK_ESTATE: there is none. */
tusk_err net_gates_add_inlet(net_gates *self, size_t index, uint32_t key, int fd);
void net_gates_drop_inlets(net_gates *self, uint32_t key);
uint64_t net_gates_exhausted(const net_gates *self); /* tusk_listener_exhausted of all */

/* What an owner says of a client that the poller does not take: ENOSPC of epoll, FD_SETSIZE of
 * select. */
#define NET_GATE_WATCHES_SPENT                                                                     \
    "new connections are closed: the system watches no more sockets for this user; raise sysctl "  \
    "fs.epoll.max_user_watches, or run it as a user of its own"

#endif
