/* SPDX-License-Identifier: MIT */
/*
 * The loop: descriptors, timers, signals, wake-ups and what is put off to the end of a turn.
 *
 * A turn is: wait (at most until the next timer), dispatch events, run due timers, run deferred
 * tasks until none is left. All cursors of a turn live in the loop and none on the stack: a
 * callback may leave its stack aside (a parked PHP fiber) and another stack may call tusk_loop_run
 * on the same loop; it goes on with the very next event of the same turn. The older call then
 * returns TUSK_ESTATE as soon as its callback comes back to it ("superseded").
 *
 * Everything is called from one thread, but tusk_wakeup_send, which is safe from threads and signal
 * handlers.
 */
#ifndef TUSK_LOOP_H
#define TUSK_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <tusk/err.h>
#include <tusk/mem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tusk_loop tusk_loop;
struct tusk_loop_node {
    struct tusk_loop_node *prev;
    struct tusk_loop_node *next;
};

typedef struct tusk_loop_options {
    const tusk_mem *mem;  /* NULL: the default */
    const char *poller;   /* "epoll", "poll", "select", "kqueue"; NULL: the best one here */
    size_t landing_bytes; /* the loop's one read buffer; 0: 64 KiB */
    /* How often this process has forked, as the owner counts it: tusk_io_close goes by that. NULL:
     * nobody counts, so any descriptor may be held by a child as well. */
    const volatile uint32_t *forks;
} tusk_loop_options;

/* `options` NULL: all by default. TUSK_ENOTSUP: no such poller here; TUSK_ENOMEM, TUSK_ESYS. Where
 * 0, 1 or 2 is closed /dev/null is opened there, so that no socket is taken for standard output. */
TUSK_API tusk_err tusk_loop_new(tusk_loop **out, const tusk_loop_options *options);
TUSK_API void tusk_loop_free(tusk_loop *self); /* nothing may be registered any more */
TUSK_API const char *tusk_loop_driver(const tusk_loop *self);
TUSK_API const tusk_mem *tusk_loop_mem(const tusk_loop *self);
/* Monotonic, read once after each wait; tusk_loop_clock_ns reads the clock itself. */
TUSK_API uint64_t tusk_loop_now_ms(const tusk_loop *self);
TUSK_API uint64_t tusk_loop_now_ns(const tusk_loop *self); /* the same reading */
TUSK_API uint64_t tusk_loop_clock_ns(void);
/* Processors that this process may use at once: those of its mask (sched_setaffinity, a container's
 * cpuset), no more than the quotas of its control group and of those around it let run, rounded up
 * (`docker run --cpus`, `CPUQuota=`); 1 or more. It reads some small files. */
TUSK_API uint32_t tusk_loop_cpus(void);
/* Reads it once more: for who comes back from somebody who may have computed for long. */
TUSK_API void tusk_loop_catch_up(tusk_loop *self);
TUSK_API int64_t tusk_loop_wall_s(void);   /* seconds since 1970, for dates that people read */
TUSK_API uint64_t tusk_loop_wall_ms(void); /* the same, in ms */
/* Until tusk_loop_stop, or until nothing is registered: TUSK_OK. Superseded: TUSK_ESTATE, for good:
 * whoever called run or turn last owns the loop; a caller on the same stack that still wants it
 * calls again. TUSK_ESYS: the poller failed. */
TUSK_API tusk_err tusk_loop_run(tusk_loop *self);
/* Something is registered that can still happen: what tusk_loop_run goes on for. */
TUSK_API bool tusk_loop_alive(const tusk_loop *self);
/* One turn, or the rest of the one that was set aside; waits at most `timeout_ms` (-1: until
 * something happens). */
TUSK_API tusk_err tusk_loop_turn(tusk_loop *self, int timeout_ms);
/* The same, waiting at most until tusk_loop_clock_ns() says `until_ns`: finer than a timer's tick.
 */
TUSK_API tusk_err tusk_loop_turn_until(tusk_loop *self, uint64_t until_ns);
/* Turns that do not wait, until nothing is registered, at most eight of them: before the loop is
 * freed, what was left for the end of a turn is done. The first turn may be the rest of one that
 * was set aside. */
TUSK_API void tusk_loop_settle(tusk_loop *self);
/* The running call returns after the current callback; a new tusk_loop_run may go on later, with
 * the rest of the turn. It holds until a run or turn returned for it: stopping a loop that does not
 * run stops the next run at once. */
TUSK_API void tusk_loop_stop(tusk_loop *self);
/* Before a fork: whether a child can go on with this loop. It can with timers, tasks, signals and
 * wake-ups; not with descriptors of others, which two processes would then read in turns. */
TUSK_API bool tusk_loop_may_fork(const tusk_loop *self);
/* In the child, with signals blocked, once and before anything else of the loop: what is shared
 * with the parent (poller, bells) is replaced by its own. Every other loop of the process is the
 * parent's: its signals are let go of here, and it must not be touched again. NULL: just that.
 * TUSK_ESTATE: not tusk_loop_may_fork; after any error the loop cannot be used. */
TUSK_API tusk_err tusk_loop_forked(tusk_loop *self);
/* The loop's landing buffer: bytes in it live until the next read of anybody. */
TUSK_API uint8_t *tusk_loop_landing(tusk_loop *self, size_t *cap);

/* ---- descriptors ---- */
enum { TUSK_IO_READ = 1, TUSK_IO_WRITE = 2, TUSK_IO_HUP = 4, TUSK_IO_EDGE = 8, TUSK_IO_NEW = 16 };

/* Embedded in its owner. `on_event` gets what happened; HUP (peer gone, both ways, or an error on
 * the descriptor) comes whatever the interest (but "select" cannot see it, and "kqueue" only beside
 * an interest). Level
 * triggered: who neither reads, closes nor removes gets it again; with TUSK_IO_EDGE in the interest
 * (a wish, which only "epoll" grants) only when more arrives, or after a set that changes it; then
 * TUSK_IO_EDGE among the events says that the peer's end has arrived as well.
 * tusk_io_set costs no system call by itself: what is left of all changes is told to the poller
 * before the next wait. TUSK_IO_NEW in what tusk_io_add gets: the descriptor was made just now, so
 * that no fork came between, and nobody else holds it (tusk_io_close). Removing (also inside any
 * callback) drops events of this turn not yet delivered. */
typedef struct tusk_io {
    int fd;
    uint8_t interest;
    uint8_t polled;  /* this and the next three are the loop's: what the poller knows, */
    uint16_t ready;  /* place in the batch of this turn + 1, */
    uint32_t slot;   /* what the poller keeps for itself, */
    uint32_t change; /* place in the list of changes not yet told to the poller + 1 */
    void (*on_event)(struct tusk_io *self, unsigned events);
} tusk_io;

/* TUSK_ENOMEM, TUSK_ESYS where the poller refuses; of tusk_io_set TUSK_ESTATE: it is not added. */
TUSK_API tusk_err tusk_io_add(tusk_loop *loop, tusk_io *self, unsigned interest);
TUSK_API tusk_err tusk_io_set(tusk_loop *loop, tusk_io *self, unsigned interest);
TUSK_API void tusk_io_remove(tusk_loop *loop, tusk_io *self); /* harmless twice; before close(fd) */
/* Removes it, if it was added, and closes its descriptor, which is -1 then. Cheaper than both where
 * closing alone is known to take the descriptor out of the poller: it was added as TUSK_IO_NEW, and
 * nobody was forked since. Not while a request of io_uring's holds the socket. */
TUSK_API void tusk_io_close(tusk_loop *loop, tusk_io *self);

/* ---- timers: a hierarchical wheel of 1 ms ticks; start, stop and restart are O(1) ---- */
#define TUSK_TIMER_DUE_MAX ((UINT64_C(1) << 62) - 1)

/* `deadline`, which its owner sets before it is started: a peer has that long. Told 100 ms late or
 * more (the process slept, or was busy for long), what the peer said meanwhile may not have been
 * read yet, and to what it asked nobody could answer: the loop puts it off once, by as much again,
 * a second at most, before on_due is called. Not for tusk_timer_start_ns. */
typedef struct tusk_timer {
    struct tusk_loop_node node;
    uint64_t deadline : 1;
    uint64_t put_off : 1; /* it was; a start clears it, and so does an owner whose deadline moved */
    uint64_t due_ms : 62; /* its tick; nanoseconds of one that tusk_timer_start_ns started */
    void (*on_due)(struct tusk_timer *self);
} tusk_timer;

/* Starting a running timer moves it. 0 ms: in this turn, after the events (from a timer or a task:
 * in the next turn, which then does not wait). Never early: the clock is read, some 25 ns; a
 * deadline that moves with every message is better kept as a number (tusk_loop_now_ms) and the
 * timer started again when it comes too soon. */
TUSK_API void tusk_timer_start(tusk_loop *loop, tusk_timer *self, uint64_t delay_ms);
/* Due when tusk_loop_now_ms reaches `due_ms`, at most TUSK_TIMER_DUE_MAX: for deadlines that are
 * counted from the turn's own time, so that no clock is read. */
TUSK_API void tusk_timer_start_at(tusk_loop *loop, tusk_timer *self, uint64_t due_ms);
/* As tusk_timer_start, but late by less than a tick where the poller can: for who waits for a short
 * time. Such timers stand in a list by their time, looked through from the latest: where more than
 * 64 would have to be passed, it is a timer of ticks. */
TUSK_API void tusk_timer_start_ns(tusk_loop *loop, tusk_timer *self, uint64_t delay_ns);
TUSK_API void tusk_timer_stop(tusk_loop *loop, tusk_timer *self);
TUSK_API bool tusk_timer_running(const tusk_timer *self);

/* ---- tasks: run once at the end of the turn, after events and timers, in order ---- */
typedef struct tusk_task {
    struct tusk_loop_node node;
    void (*run)(struct tusk_task *self);
} tusk_task;

/* Deferring twice before it ran is once. LATE tasks (flushing sockets) run when no normal task is
 * left. Tasks deferred by tasks run in the same turn, eight generations deep; what is deferred
 * beyond that runs in the next turn, which then does not wait, so that descriptors are looked at
 * between. */
TUSK_API void tusk_task_defer(tusk_loop *loop, tusk_task *self);
TUSK_API void tusk_task_defer_late(tusk_loop *loop, tusk_task *self);
TUSK_API void tusk_task_cancel(tusk_task *self);

/* ---- signals ---- */
typedef struct tusk_signal {
    struct tusk_loop_node node;
    int number;
    void (*on_signal)(struct tusk_signal *self);
} tusk_signal;

/* The former disposition is restored when the last watcher of a number goes. */
TUSK_API tusk_err tusk_signal_start(tusk_loop *loop, tusk_signal *self, int number);
TUSK_API void tusk_signal_stop(tusk_loop *loop, tusk_signal *self);

/* ---- wake-ups ---- */
typedef struct tusk_wakeup tusk_wakeup;
TUSK_API tusk_err tusk_wakeup_open(tusk_wakeup **out, tusk_loop *loop,
                                   void (*on_wakeup)(void *user), void *user);
TUSK_API void tusk_wakeup_send(tusk_wakeup *self); /* many sends before a turn are one call */
TUSK_API void tusk_wakeup_close(tusk_wakeup *self);

/* ---- work that keeps tusk_loop_run going ---- */
/* A registered descriptor, a running timer or a signal keeps the loop running unless unref'd as a
 * count here: +1 / -1 change how many registrations are not counted. */
TUSK_API void tusk_loop_background(tusk_loop *self, int change);

/* Counters since the loop was made. */
typedef struct tusk_loop_counters {
    uint64_t turns;
    uint64_t events;
    uint64_t timers;
    uint64_t tasks;
    uint64_t waited_ns; /* inside the poller */
} tusk_loop_counters;
TUSK_API void tusk_loop_count(const tusk_loop *self, tusk_loop_counters *out);

#ifdef __cplusplus
}
#endif
#endif
