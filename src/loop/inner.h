/* SPDX-License-Identifier: MIT */
/* What the files of the loop share: its struct, the nodes of its lists, the wheel, the poller
 * table. */
#ifndef LOOP_INNER_H
#define LOOP_INNER_H

#include <tusk/loop.h>

#include "base/list.h"
#include "loop/bell.h"
#include "loop/patient.h"
#include "loop/waiter.h"

#define LOOP_BATCH_MAX 512
#define LOOP_LANDING_BYTES ((size_t)64 * 1024)
#define LOOP_TASK_ROUNDS 8
#define LOOP_SETTLE_TURNS 8
#define LOOP_PATIENT_NS UINT64_C(2000000)
#define LOOP_WAIT_MS_MAX ((uint64_t)3600 * 1000)

/* ---- list nodes: all zero is "in no list"; removing twice is harmless ---- */
static inline void tusk__node_init(struct tusk_loop_node *head)
{
    head->prev = head;
    head->next = head;
}
static inline bool tusk__node_empty(const struct tusk_loop_node *head)
{
    return head->next == head;
}
static inline bool tusk__node_linked(const struct tusk_loop_node *node)
{
    return node->next != NULL;
}
static inline void tusk__node_push(struct tusk_loop_node *head, struct tusk_loop_node *node)
{
    node->prev = head->prev;
    node->next = head;
    head->prev->next = node;
    head->prev = node;
}
static inline void tusk__node_remove(struct tusk_loop_node *node)
{
    if (node->next != NULL) {
        node->next->prev = node->prev;
        node->prev->next = node->next;
        node->next = NULL;
        node->prev = NULL;
    }
}
static inline struct tusk_loop_node *tusk__node_pop(struct tusk_loop_node *head)
{
    struct tusk_loop_node *first = head->next;
    if (first == head) {
        return NULL;
    }
    tusk__node_remove(first);
    return first;
}
static inline void tusk__node_splice(struct tusk_loop_node *to, struct tusk_loop_node *from)
{
    if (tusk__node_empty(from)) {
        return;
    }
    from->next->prev = to->prev;
    to->prev->next = from->next;
    from->prev->next = to;
    to->prev = from->prev;
    tusk__node_init(from);
}

/* ---- the poller table: one per platform, chosen when the loop is made ---- */
#define TUSK__IO_ADDED 0x80u
#define TUSK__IO_BOTH 0x0Bu /* what an owner may ask for: read, write, edge */

typedef struct tusk__poller {
    const char *name;
    tusk_err (*open)(tusk_loop *loop);
    void (*close)(tusk_loop *loop);
    tusk_err (*add)(tusk_loop *loop, tusk_io *io, unsigned interest);
    void (*set)(tusk_loop *loop, tusk_io *io, unsigned interest);
    /* This tusk_io has the descriptor of another one from now on, watched as it is; NULL: a
     * descriptor is its tusk_io's as long as it is watched. */
    void (*take_over)(tusk_loop *loop, tusk_io *io);
    void (*remove)(tusk_loop *loop, tusk_io *io);
    /* The same, of one whose descriptor is closed next, which may do it; NULL: `remove`. */
    void (*closing)(tusk_loop *loop, tusk_io *io);
    /* Waits (-1: without end) and reports by tusk__loop_ready. TUSK_EAGAIN: interrupted by a
     * signal before it looked. */
    tusk_err (*wait)(tusk_loop *loop, int64_t timeout_ns);
    /* A descriptor that is readable when `wait` would report something; NULL: there is none. */
    int (*descriptor)(const tusk_loop *loop);
} tusk__poller;

/* NULL where the platform has none. */
const tusk__poller *tusk__poller_epoll(void);
const tusk__poller *tusk__poller_poll(void);
const tusk__poller *tusk__poller_select(void);
const tusk__poller *tusk__poller_kqueue(void);

/* ---- the wheel: eleven levels of 64 slots hold every 64-bit tick, no timer is "too far" ---- */
#define WHEEL_LEVELS 11
#define WHEEL_SLOTS 64

typedef struct tusk__wheel {
    uint64_t now;                /* everything due up to here has left the wheel */
    uint64_t used[WHEEL_LEVELS]; /* a bit for each slot that has timers */
    unsigned levels;             /* a bit for each level that has any */
    struct tusk_loop_node slots[WHEEL_LEVELS][WHEEL_SLOTS];
} tusk__wheel;

void tusk__wheel_init(tusk__wheel *self, uint64_t now);
/* `due_ms` lies after the wheel's present. */
void tusk__wheel_insert(tusk__wheel *self, tusk_timer *timer);
/* Moves what is due up to `now` to the end of `due`, in order of due time, then of starting. */
void tusk__wheel_advance(tusk__wheel *self, uint64_t now, struct tusk_loop_node *due);
/* When the wheel wants to be advanced next; false: never. Not later than the next due time. */
bool tusk__wheel_next(const tusk__wheel *self, uint64_t *when);

/* ---- deadlines that are told late ---- */
/* Of one that is about to be told: true: it is started again instead. */
bool tusk__timer_put_off(tusk_loop *loop, tusk_timer *self);

/* ---- timers finer than a tick: a list by due time ---- */
bool tusk__fine_next(const tusk_loop *loop, uint64_t *due_ns);
/* Moves what is due by the loop's clock to its due timers. */
void tusk__fine_advance(tusk_loop *loop);

/* ---- the loop ---- */
typedef enum tusk__phase {
    PHASE_WAIT,
    PHASE_EVENTS,
    PHASE_PATIENT, /* events of those that may wait */
    PHASE_TIMERS,
    PHASE_TASKS,
    PHASE_LATE
} tusk__phase;

typedef struct tusk__ready {
    tusk_io *io; /* NULL: removed meanwhile */
    unsigned events;
} tusk__ready;

/* The line of those that may wait (patient.c). */
typedef struct tusk__patient {
    tusk__ready *line; /* a ring; its places are counted on and on */
    uint32_t cap;      /* a power of two, or 0 */
    uint32_t head;
    uint32_t tail;
    uint32_t held; /* the poller watches none of those before this one */
    uint32_t come; /* so many of them came in this turn */
    bool told;     /* one of them was, in this turn */
    uint64_t since_ns;
    uint64_t ns;       /* their part of a turn where nobody else is served */
    uint64_t part_ns;  /* of this turn */
    uint64_t other_ns; /* when somebody else was told last */
    uint64_t each_ns;  /* what telling one takes, lately; 0: not known */
    uint64_t chunk_ns; /* when the last chunk of the line began */
    uint32_t chunk;    /* so many it has */
} tusk__patient;

typedef struct tusk__signals tusk__signals;

struct tusk_loop {
    const tusk_mem *mem;
    const tusk__poller *poller;
    const volatile uint32_t *forks; /* NULL: not counted */
    void *poll;                     /* the poller's own */
    tusk__waiter *waiter;           /* NULL: the poller waits */
    uint64_t now_ns;                /* as the last wait ended */
    uint64_t now_ms;
    uint64_t runs; /* calls of run and turn so far: who has an older number is superseded */
    tusk__phase phase;
    bool stopping;
    unsigned batch_at; /* the next event to deliver */
    unsigned batch_len;
    unsigned batch_first; /* those before this one go first, and what they cause leaves */
    unsigned batch_seen;  /* events before this one were named ahead (coming.h) */
    unsigned asides;      /* so many of a new batch are set aside */
    bool halves;          /* a second half of this turn follows, for those that may wait */
    unsigned rounds;      /* generations of tasks in this turn */
    tusk_io **changed;
    uint32_t changed_len;
    uint32_t changed_cap; /* never less than there are descriptors, so that a change cannot fail */
    uint32_t ios;
    long timers;
    long signals;
    long background;
    uint8_t *landing;
    size_t landing_cap;
    struct tusk_loop_node fine;    /* timers by their nanosecond */
    struct tusk_loop_node due;     /* timers whose time has come */
    struct tusk_loop_node running; /* those of them that this turn delivers */
    struct tusk_loop_node tasks;
    struct tusk_loop_node round; /* the generation that runs now */
    struct tusk_loop_node late;
    struct tusk_loop_node late_round;
    struct tusk_loop_node behind;       /* tasks that the next turn runs in its last half */
    struct tusk_loop_node behind_round; /* those of this turn */
    tusk__signals *watched;
    struct tusk_loop_node wakeups; /* all that are open */
    tusk_loop_counters counters;
    tusk__patient patient;
    tusk__wheel wheel;
    tusk__ready batch[LOOP_BATCH_MAX];
};

/* What changed since the last turn is told to the poller. */
void tusk__io_apply(tusk_loop *self);

static inline unsigned tusk__loop_room(const tusk_loop *self)
{
    return LOOP_BATCH_MAX - self->batch_len;
}

/* ---- patient.c ---- */
/* To the end of the line; false: no memory, or it is too long. */
bool tusk__patient_push(tusk_loop *self, tusk_io *io, unsigned events);
/* What stands in the line now is no longer watched. */
void tusk__patient_hold(tusk_loop *self);
/* Of a batch that is new, before any of it is told. */
void tusk__patient_look(tusk_loop *self);
void tusk__patient_begin(tusk_loop *self);
/* True: the next event of the batch is the next of the line. False: nobody stands there, or their
 * part of the turn is over. */
bool tusk__patient_next(tusk_loop *self);

static inline bool tusk__patient_empty(const tusk_loop *self)
{
    return self->patient.head == self->patient.tail;
}

static inline tusk__ready *tusk__ready_of(tusk_loop *self, const tusk_io *io)
{
    return io->ready <= LOOP_BATCH_MAX ? &self->batch[io->ready - 1]
                                       : &self->patient.line[io->ready - LOOP_BATCH_MAX - 1];
}

/* Two events of one descriptor in one batch are one. The caller looked at tusk__loop_room. */
static inline void tusk__loop_ready(tusk_loop *self, tusk_io *io, unsigned events)
{
    if (io->ready != 0) {
        tusk__ready_of(self, io)->events |= events;
        return;
    }
    if ((io->polled & (TUSK__IO_PATIENT | TUSK__IO_ASIDE)) != 0) {
        if (tusk__io_is_patient(io) && tusk__patient_push(self, io, events)) {
            return;
        }
        self->asides += (io->polled & TUSK__IO_ASIDE) != 0;
    }
    self->batch[self->batch_len].io = io;
    self->batch[self->batch_len].events = events;
    io->ready = (uint16_t)++self->batch_len;
}

static inline int tusk__ms_up(int64_t timeout_ns)
{
    if (timeout_ns < 0) {
        return -1;
    }
    int64_t ms = timeout_ns / 1000000 + (timeout_ns % 1000000 != 0);
    return ms > (int64_t)LOOP_WAIT_MS_MAX ? (int)LOOP_WAIT_MS_MAX : (int)ms;
}

/* ---- after a fork, in the child (tusk_loop_forked): the poller is new and knows nothing ---- */
/* The process lets go of all signals; those of this loop (NULL: none) are taken again, with a bell
 * of its own. */
tusk_err tusk__signals_forked(tusk_loop *loop);
/* Every wake-up gets a bell of its own. */
tusk_err tusk__wakeups_forked(tusk_loop *loop);

#endif
