/* SPDX-License-Identifier: MIT */
/* The master's insides, for the files of this layer. */
#ifndef CREW_INNER_H
#define CREW_INNER_H

#include <signal.h>
#include <tusk/crew.h>

#include "net/addr.h"

/* One byte each way; what is for a slot carries its number. */
enum { ORDER_DRAIN = 1, ORDER_CUT = 2, ORDER_ASK = 3, ORDER_ADOPT = 0x40, ORDER_GIVE_BACK = 0x80 };
enum { TOLD_READY = 1, TOLD_LEAVING = 2, TOLD_STOP = 3, TOLD_HERE = 4 };
#define NONE UINT32_MAX

/* Whoever drains has this much more than its time; how a worker ends that cannot begin. */
enum { KILL_MARGIN_MS = 1000, CREW_UNFIT = 70 };

typedef enum seat_state {
    SEAT_EMPTY,
    SEAT_STARTING, /* forked, accepts not yet */
    SEAT_SERVING,
    SEAT_DRAINING
} seat_state;

/* A worker process, seen from the master. */
typedef struct crew_seat {
    tusk_crew *crew;
    uint32_t index;
    uint32_t slot;
    seat_state state;
    int pid;
    tusk_io end;      /* pidfd; -1: there is none, its control's end tells */
    tusk_io control;  /* orders out, what it tells in */
    tusk_timer late;  /* not ready in time, or not drained in time */
    tusk_timer again; /* its control ended, it has not yet */
    uint64_t born_ms;
    uint64_t asked_ms; /* when; of no meaning where `asked` is 0 */
    uint32_t asked;    /* rounds of the roll that it has not answered for; 0: it has */
    uint32_t pass;     /* of reloads, when it was forked */
    bool killed;       /* by us, past a deadline */
    bool unwanted;     /* ended by us before it was ready */
} crew_seat;

typedef struct crew_slot {
    tusk_crew *crew;
    uint32_t index;
    uint32_t adopter;  /* seat that accepts for it; NONE */
    uint32_t failures; /* in a row */
    uint32_t yields;   /* who was ended for a reload, since one was ready */
    tusk_timer pause;
    bool first; /* nobody had it yet */
} crew_slot;

typedef struct crew_listener {
    struct crew_listener *next;
    tusk_addr addr;
    int backlog;
    bool shared; /* a Unix path, or handed over: one socket for all slots */
    bool handed; /* somebody else's, who keeps its path */
    char text[TUSK_ADDR_TEXT_MAX];
    int sockets[TUSK_CREW_WORKERS_MAX];
} crew_listener;

typedef enum crew_state { CREW_NEW, CREW_RUNNING, CREW_STOPPING, CREW_STOPPED } crew_state;

/* What seats tell of their workers. */
typedef struct crew_told {
    void (*on_ready)(crew_seat *seat);
    void (*on_leaving)(crew_seat *seat);
    void (*on_here)(crew_seat *seat); /* it answered ORDER_ASK */
    void (*on_end)(crew_seat *seat, int status);
    void (*on_stop)(tusk_crew *crew); /* a worker wants all to stop */
} crew_told;

struct tusk_crew {
    const tusk_mem *mem;
    const crew_told *told;
    tusk_crew_options options;
    crew_state state;
    int pid; /* the master's: a forked copy closes nothing */
    crew_listener *listeners;
    int *kept; /* descriptors that were open before: workers keep them */
    size_t kept_count;
    uint32_t reload_slot; /* whose successor is next; NONE: no reload */
    uint32_t pass;        /* through the slots, by a reload */
    bool reload_again;
    bool ever_ready;  /* somebody was */
    tusk_timer yield; /* who gets ready, and a reload waits for it */
    tusk_task stopped_task;
    tusk_timer roll;
    tusk_timer orphans; /* what a worker leaves behind is looked for when it has ended, too */
    tusk_crew_stats stats;
    crew_slot slots[TUSK_CREW_WORKERS_MAX];
    crew_seat seats[TUSK_CREW_SEATS_MAX];
};

struct tusk_crew_worker {
    tusk_crew *crew; /* as it was at the fork: numbers and sockets */
    uint32_t seat;
    bool first;
    tusk_io control; /* first to be closed by the end of either side */
    tusk_loop *loop;
    const tusk_crew_orders *orders;
    void *user;
    tusk_timer look; /* at what it weighs */
    uint64_t bytes_max;
    void (*on_heavy)(void *user, uint64_t now);
};

/* ---- log.c ---- */
void crew_log(const tusk_crew *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- sockets.c ---- */
tusk_err crew_sockets_open(tusk_crew *self, char *reason, size_t cap);
/* `unlink_paths`: in the master; a worker closes its copies. */
void crew_sockets_close(tusk_crew *self, bool unlink_paths);

/* ---- seat.c ---- */
tusk_err crew_seat_fork(crew_seat *self);
void crew_seat_order(crew_seat *self, unsigned order);
void crew_seat_drain(crew_seat *self, bool cut);
/* It is not ready, serves nobody, and is wanted no more. */
void crew_seat_end(crew_seat *self);
/* It ended; 0: it has not yet, else as tusk__reap. */
int crew_seat_reap(crew_seat *self, int *status);
void crew_seat_clear(crew_seat *self);

/* ---- roll.c ---- */
void crew_roll_begin(tusk_crew *self);
void crew_roll_end(tusk_crew *self);
/* It answered. */
void crew_roll_hear(crew_seat *seat);
/* It serves, and has not answered for two rounds. */
bool crew_roll_silent(const crew_seat *seat);

/* ---- worker.c ---- */
_Noreturn void crew_worker_main(tusk_crew *crew, const crew_seat *seat, int control, int parent,
                                const sigset_t *mask);

/* ---- identity.c: in the worker ---- */
tusk_err crew_identity_take(const tusk_identity *identity);

/* The pause before a slot's next worker after so many failures in a row. */
uint32_t crew_pause_ms(const tusk_crew_options *options, uint32_t failures);

#endif
