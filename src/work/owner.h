/* SPDX-License-Identifier: MIT */
/* The application's side, as its files share it: lane, template, what is known of workers. */
#ifndef WORK_OWNER_H
#define WORK_OWNER_H

#include <unistd.h>

#include "work/template.h"

/* Of a worker's place, as the template reported it. */
typedef struct known_hand {
    int pid, dead_pid;
    uint32_t incarnation; /* the last that was born */
    uint32_t dead;        /* the last that died */
    int status;
    bool any_dead;
} known_hand;

typedef struct guest {
    int pid; /* 0: the seat is empty */
    int last_pid;
    int pidfd;
    uint32_t incarnation;
    uint32_t slot;
    uint32_t generation;
    int status;
} guest;

/* The template as the application sees it; its place is taken by another one when it dies. */
typedef struct work_heir {
    int commands, reports;
    int commands_end;           /* the template's end, kept so that writing never raises SIGPIPE */
    int life;                   /* at its end when the template and all its workers are gone */
    int pid, pidfd;             /* 0, -1: none */
    bool ready;                 /* it has prepared */
    bool idled;                 /* a worker has ended for want of work */
    uint32_t coming;            /* workers that it was asked for, and has not told of */
    uint32_t failures;          /* in a row that did not live long */
    uint32_t unready;           /* in a row that did not get ready, or could not be forked */
    uint64_t born_ns, again_ns; /* when the next one may be forked */
    uint8_t partial[sizeof(work_report) + TUSK_WORK_REASON_MAX];
    size_t partial_len;
} work_heir;

struct tusk_work {
    const tusk_mem *mem;
    work_shape shape;
    tusk_lane lane;
    work_arena arena;
    work_heir heir;
    int owner_pid;
    bool ended;
    uint32_t news; /* reports read so far, as the region counts them */
    char reason[TUSK_WORK_REASON_MAX];
    known_hand hands[TUSK_WORK_WORKERS_MAX];
    guest guests[TUSK_WORK_GUESTS_MAX];
    tusk_work_counters counters;
};

static inline void owner_close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
    *fd = -1;
}

/* ---- owner.c: the template's birth, words, death and successor ---- */
void tusk__heir_init(work_heir *self);
tusk_err tusk__heir_fork(tusk_work *self);
/* False: it was not told, as its pipe is full. */
bool tusk__heir_command(tusk_work *self, work_command what);
/* Asks for so many more workers, as far as there are places. */
void tusk__heir_grow(tusk_work *self, uint32_t count);
void tusk__heir_read(tusk_work *self);
/* Whether it lives; when not, its workers do not either, and another one is forked, at once or a
 * little later. */
void tusk__heir_look(tusk_work *self);
/* Ends it, by itself or by force. */
void tusk__heir_end(tusk_work *self, bool ours);

#endif
