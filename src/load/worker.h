/* SPDX-License-Identifier: MIT */
/*
 * A worker: the loop, the clock, the windows, and the connections that carry operations.
 *
 * A link is a connection with room for `depth` unanswered operations. Links that can take one wait
 * in line; the worker gives each due operation to the first. In the closed model an operation is
 * due as soon as there is room for it.
 */
#ifndef LOAD_WORKER_H
#define LOAD_WORKER_H

#include <tusk/loop.h>

#include "load/board.h"
#include "load/pace.h"
#include "net/tls.h"

typedef struct load_worker load_worker;
typedef struct load_link load_link;
typedef struct load_round load_round;

typedef enum load_link_state {
    LINK_FREE,
    LINK_CONNECTING,
    LINK_SECURING, /* TLS handshake */
    LINK_OPEN      /* the transport is up; the mode says when it carries operations */
} load_link_state;

struct load_link {
    tusk_io io; /* first */
    load_worker *worker;
    tusk_filter *filter;
    uint64_t began_ns; /* connect() */
    uint64_t tcp_ns;   /* TCP is up */
    uint64_t up_ns;    /* TCP and TLS are up; the mode may move it to the phase under way */
    uint64_t retry_ns; /* not to be opened before */
    uint64_t due_ns;   /* think time or hold ends; in the worker's line of waiting links */
    uint8_t *rest;     /* input that the mode did not take */
    uint8_t *out;      /* what the kernel did not take */
    size_t rest_len, rest_cap, out_at, out_len, out_cap;
    const load_target *target; /* where it is going */
    uint32_t index;
    uint32_t life;      /* one more with each close: a callback sees whether its link is still it */
    uint32_t next;      /* in the worker's line of waiting links; index + 1 */
    uint32_t op_head;   /* oldest unanswered operation in the ring */
    uint32_t op_count;  /* unanswered */
    uint8_t state;      /* load_link_state */
    uint8_t step;       /* the mode's own */
    uint8_t again;      /* failed attempts in a row */
    uint8_t address;    /* of the target's, the one under way */
    uint8_t refusals;   /* addresses that were tried in vain in this attempt */
    bool usable : 1;    /* carries operations */
    bool in_line : 1;   /* waits for one */
    bool is_next : 1;   /* is in `next_up` */
    bool waiting : 1;   /* for due_ns */
    bool paused : 1;    /* not read */
    bool handshake : 1; /* has not become usable yet: the timeout is that of opening */
    bool was_up : 1;    /* opened before in this run */
    bool extra : 1;     /* not one that carries operations: idle, or a publisher */
    bool counted : 1;   /* in the gauge of open ones */
    bool measured : 1;  /* its last operation belongs to the window */
    bool posted : 1;    /* what it sends waits for the end of its round */
    bool rightful : 1;  /* its end was nobody's fault: no pause before it is opened again */
};

typedef struct load_op {
    uint64_t intended;
    uint64_t actual;
} load_op;

typedef struct load_mode {
    const char *name;
    size_t link_bytes;  /* of the mode's own link, which begins with a load_link */
    size_t state_bytes; /* of worker->state */
    bool each;          /* an operation is a whole connection */
    bool unpaced;       /* the mode starts its operations itself */
    bool own_slices;    /* it records into the intervals itself */
    tusk_err (*begin)(load_worker *self);
    void (*end)(load_worker *self);                               /* may be NULL */
    void (*on_up)(load_link *link);                               /* TCP and TLS are up */
    size_t (*on_bytes)(load_link *link, uint8_t *in, size_t len); /* how many were taken */
    void (*on_drained)(load_link *link);                          /* may be NULL */
    /* It ended by the peer's doing, or failed (TUSK_EEOF, TUSK_ERESET, ...). The link is closed
     * already. True: that was in order. */
    bool (*on_ended)(load_link *link, tusk_err why);
    void (*on_lost)(load_link *link); /* it failed, is closed and counted; may be NULL */
    void (*start)(load_link *link, uint32_t count); /* so many operations begin */
    bool (*may_start)(load_worker *self);           /* may be NULL */
    void (*on_tick)(load_worker *self,
                    uint64_t now);               /* every few ms, and at phase edges; or NULL */
    void (*on_due)(load_link *link);             /* what it waited for has come; or NULL */
    void (*on_turn)(load_worker *self);          /* between ready and drained; or NULL */
    bool (*is_drained)(const load_worker *self); /* nothing more is to come; or NULL */
    /* The closing phase: says goodbye and closes, or closes at once. NULL: closes. */
    void (*goodbye)(load_link *link);
} load_mode;

typedef struct load_usage {
    uint64_t user, system, switches;
} load_usage;

struct load_worker {
    const load_plan *plan;
    load_board *board;
    load_cell *cell;
    const load_mode *mode;
    void *state; /* the mode's */
    const tusk_mem *mem;
    tusk_loop *loop;
    tusk_tls *tls;
    uint32_t index;
    /* the clock */
    uint64_t turn_ns;
    uint64_t now;
    uint32_t served;
    /* the windows; UINT64_MAX until all are ready */
    uint64_t go_ns, measure_from, measure_to, drain_to, close_to;
    uint64_t slice_from, slice_to;
    uint32_t slice_index;
    uint64_t slice_base[LOAD_COUNTER_COUNT];
    uint64_t window_base[LOAD_COUNTER_COUNT];
    load_usage usage_base; /* at the window's edge */
    uint64_t flight_from;  /* since when in_flight is what it is */
    bool is_ready;
    bool stopping; /* the run was told to stop */
    load_phase phase;
    tusk_hist *slice; /* response times of this interval; see tusk__load_settle */
    tusk_hist *fresh; /* those of the window among them, since the last settling */
    tusk_io alarm;    /* a timer's descriptor, on which the closed model waits: see await() */
    uint64_t alarm_ns;
    /* rounds */
    load_round *round; /* NULL until the first */
    bool gathers;      /* sends may be posted */
    bool alone;        /* there is no ring: each link receives and sends for itself */
    /* links */
    uint8_t *links;
    size_t link_bytes;
    uint32_t link_count; /* with the extra ones behind */
    uint32_t carriers;   /* that carry operations */
    uint32_t depth;
    uint32_t op_mask;
    load_op *ops;   /* a ring for each link */
    uint32_t *line; /* links with room, in order */
    uint32_t line_head, line_count;
    uint32_t wait_head, wait_tail; /* links that think or hold, index + 1 */
    uint32_t opening, opening_max; /* being opened */
    uint32_t next_open;            /* the next to be looked at */
    uint32_t unopened;             /* links that are to be opened and are not */
    uint32_t *next_up;             /* those of them that need not be looked for, in order */
    uint32_t next_up_head, next_up_count;
    uint32_t tried;      /* first attempts that have ended */
    uint8_t favoured[2]; /* address where an attempt begins: target, publish_target */
    uint64_t sweep_ns, tick_ns;
    /* operations */
    load_pace pace;
    bool paced;
    bool headlong;  /* closed, and nothing that could hold a link back: see line.c */
    uint32_t lanes; /* workers that start operations: the first so many */
    uint64_t quota; /* operations of `count` still to be started; UINT64_MAX: no such end */
    uint64_t starved_ns;
    bool starving; /* unpaced: something is due and nobody can start it */
};

static inline load_link *tusk__load_link_at(load_worker *self, uint32_t index)
{
    return (load_link *)(void *)(self->links + (size_t)index * self->link_bytes);
}

/* ---- counting ---- */
static inline bool tusk__load_in_window(const load_worker *self, uint64_t intended)
{
    return intended >= self->measure_from && intended < self->measure_to;
}

/* What is no operation's belongs to the phase it happens in. */
static inline void tusk__load_count(load_worker *self, load_counter which, uint64_t n)
{
    self->cell->totals[which] += n;
    if (self->phase == LOAD_PHASE_MEASURE) {
        self->cell->measured[which] += n;
    }
}
static inline void tusk__load_count_op(load_worker *self, load_counter which, bool measured,
                                       uint64_t n)
{
    self->cell->totals[which] += n;
    self->cell->measured[which] += measured ? n : 0;
}
/* A time that belongs to the phase in which it was taken. */
static inline void tusk__load_record(load_worker *self, load_hist which, uint64_t ns)
{
    if (self->phase == LOAD_PHASE_MEASURE) {
        tusk_hist_record(self->cell->hists[which], ns);
    }
}
/* What happens to a connection: where each is an operation, it belongs to that operation's phase.
 */
static inline bool tusk__load_link_measured(const load_link *link)
{
    return link->worker->mode->each ? link->measured : link->worker->phase == LOAD_PHASE_MEASURE;
}
static inline void tusk__load_link_count(const load_link *link, load_counter which)
{
    tusk__load_count_op(link->worker, which, tusk__load_link_measured(link), 1);
}
static inline void tusk__load_link_record(const load_link *link, load_hist which, uint64_t ns)
{
    if (tusk__load_link_measured(link)) {
        tusk_hist_record(link->worker->cell->hists[which], ns);
    }
}
static inline uint64_t tusk__load_since(uint64_t from, uint64_t now)
{
    return now > from ? now - from : 0;
}

/* ---- op.c ---- */
/* Pushes the next operation of `link`: planned, or due now. Returns it. */
const load_op *tusk__load_op_begin(load_link *link);
/* The oldest unanswered operation has its answer; false: there is none. */
bool tusk__load_op_end(load_link *link);
/* The oldest is done, and nothing is learnt from when. */
void tusk__load_op_done(load_link *link);
/* It will never have one, for this reason (LOAD_LOST, LOAD_WRONG, LOAD_FAILED_STATUS, ...). */
bool tusk__load_op_fail(load_link *link, load_counter why);
/* All that are unanswered, with their age as the least their response can be. */
void tusk__load_op_overdue(load_link *link, load_counter why);
/* Whether another operation may begin now, by plan, quota and window. */
bool tusk__load_op_due(load_worker *self);
/* What was planned and never started, at the end of the drain. */
void tusk__load_op_drop_rest(load_worker *self);
/* The oldest has its answer and the next one begins at the same instant, in the closed model: as
 * many are in flight as before. */
void tusk__load_op_renew(load_link *link);
/* Response times go into one histogram and from it into the window's and the interval's, which have
 * the same of them: an operation is recorded once. */
void tusk__load_settle(load_worker *self);
static inline const load_op *tusk__load_op_oldest(const load_link *link)
{
    return &link->worker->ops[(size_t)link->index * (link->worker->op_mask + 1) +
                              (link->op_head & link->worker->op_mask)];
}
void tusk__load_flight(load_worker *self, int64_t change);

/* ---- line.c: who gets the next operation ---- */
/* The link carries operations from now on. */
void tusk__load_usable(load_link *link);
/* `link` has room again: it gets what is due at once, or waits in line. */
void tusk__load_room(load_link *link);
/* `link` has its oldest answer, and another operation would follow at once: see line.c. */
bool tusk__load_goes_round(const load_link *link);
/* Gives due operations to links in line. */
void tusk__load_dispatch(load_worker *self);
/* Opens what is to be opened, as many at once as allowed. */
void tusk__load_open_more(load_worker *self);
/* Puts the link aside until `due_ns`; all waits of a run have the same length. */
void tusk__load_wait(load_link *link, uint64_t due_ns);
void tusk__load_wait_over(load_worker *self, uint64_t now);
/* Timeouts. */
void tusk__load_sweep(load_worker *self, uint64_t now);

/* The link closed in order, and is opened again in its turn; at once, where that was rightful. */
void tusk__load_link_gone(load_link *link);
/* The link (closed already) failed: counted by cause, its operations with it. */
void tusk__load_link_lost(load_link *link, tusk_err why, const char *what);

/* ---- link.c: from connect() to the end ---- */
/* Connects to `target`, to one address of its name after the other; failure of the last is told by
 * on_ended like any other. */
void tusk__load_link_open(load_link *self, const load_target *target);
/* It connects for `waited` of `timeout` and nothing came: on to the next address, if there is one,
 * once this one has had its share of the time. */
void tusk__load_link_impatient(load_link *self, uint64_t waited, uint64_t timeout);
/* Closes on our side; nothing is told. */
void tusk__load_link_close(load_link *self);
/* Closes for a reason that is counted, and tells. */
void tusk__load_link_fail(load_link *self, tusk_err why, const char *what);
/* It ended by the peer's doing, or the network's: closes, and tells the mode. */
void tusk__load_link_ended(load_link *self, tusk_err why);

/* ---- link_io.c: bytes of an open one ---- */
/* What the poller has to say about it. */
void tusk__load_link_io(load_link *self, unsigned events);
/* Has the poller tell of what is needed, and of `more`. */
void tusk__load_link_watch(load_link *self, unsigned more);
/* What TLS has decoded already, of which no event tells; the filter is there. */
void tusk__load_link_read_pending(load_link *self);
void tusk__load_link_drop_bytes(load_link *self);
/* False: the link failed meanwhile. */
bool tusk__load_link_send(load_link *self, const uint8_t *ptr, size_t len);
/* The same for bytes that lie where they lie for the whole run: in a round they leave with those of
 * other links, at its end. */
bool tusk__load_link_post(load_link *self, const uint8_t *ptr, size_t len);
/* What was posted has been sent, with this result: bytes, or a negative errno. */
void tusk__load_link_sent(load_link *self, const uint8_t *ptr, size_t len, int result);
/* The mode gets what was received, and a rest is kept; false: the link is gone. */
bool tusk__load_link_show(load_link *self, uint8_t *in, size_t len);
/* on_drained as soon as the kernel takes more. */
void tusk__load_link_want_write(load_link *self);
void tusk__load_link_pause(load_link *self, bool paused);
/* Reads at most `most` bytes of a paused link. */
void tusk__load_link_sip(load_link *self, size_t most);

/* ---- round.c: many links in one call ---- */
/* `first` is readable, and nothing else: receives for it and for others of this turn. True: its
 * event is done with. */
bool tusk__load_round_serve(load_link *first);
/* A link posts once in a round: a second send after one that the kernel took in part would stand in
 * its middle. */
void tusk__load_round_post(load_link *link, const uint8_t *ptr, size_t len);
/* Sends what is posted. */
void tusk__load_round_flush(load_worker *self);
/* The link closes: nothing of it is sent any more. */
void tusk__load_round_forget(load_link *link);
void tusk__load_round_free(load_worker *self);

/* ---- dial.c: the socket of a link, and the addresses of its target's name ---- */
tusk_err tusk__load_err_of(int number); /* of errno */
/* Begins to connect, at the address that answered last. */
tusk_err tusk__load_dial(load_link *self);
/* The address under way has failed with `why`: on to the next. Returns `why` when there is none. */
tusk_err tusk__load_dial_on(load_link *self, tusk_err why);
void tusk__load_dial_answered(const load_link *self);

/* ---- windows.c: phases of the run, and its intervals ---- */
/* Of no phase but the first is it known yet when it begins. */
void tusk__load_windows_begin(load_worker *self);
/* On to the phase and interval of `now`; a run that was told to stop goes on to its end. */
void tusk__load_windows_advance(load_worker *self);
/* The last word: nothing of the worker is touched any more. */
void tusk__load_windows_done(load_worker *self);

/* ---- worker.c ---- */
typedef struct load_start {
    const load_plan *plan;
    load_board *board;
    tusk_tls *tls;
    uint32_t index;
} load_start;
/* The whole life of a worker process. */
void tusk__load_worker_run(void *user); /* a load_start */
void tusk__load_hiccup_run(void *user);

/* ---- the modes ---- */
const load_mode *tusk__load_mode_of(const load_plan *plan);
extern const load_mode tusk__load_ws_echo;
extern const load_mode tusk__load_ws_handshake;
extern const load_mode tusk__load_ws_storm;
extern const load_mode tusk__load_http;
extern const load_mode tusk__load_http_each;
extern const load_mode tusk__load_tcp_rr;
extern const load_mode tusk__load_tcp_rate;
extern const load_mode tusk__load_tcp_bulk;
extern const load_mode tusk__load_tcp_hold;
extern const load_mode tusk__load_stream;

#endif
