/* SPDX-License-Identifier: MIT */
/* One worker process as the master sees it: forked, told, heard, reaped. */
#define _GNU_SOURCE
#include "crew/inner.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "loop/process.h"
#include "net/socket.h"

#define SEAT_OF(pointer, member)                                                                   \
    ((crew_seat *)(void *)((char *)(pointer)-offsetof(crew_seat, member)))

enum { REAP_AGAIN_MS = 5, TOLD_MAX = 64 };

static void close_io(tusk_loop *loop, tusk_io *io)
{
    if (io->fd >= 0) {
        tusk_io_close(loop, io);
    }
}

void crew_seat_clear(crew_seat *self)
{
    tusk_loop *loop = self->crew->options.loop;
    tusk_timer_stop(loop, &self->late);
    tusk_timer_stop(loop, &self->again);
    close_io(loop, &self->end);
    close_io(loop, &self->control);
    self->state = SEAT_EMPTY;
    self->pid = 0;
    self->killed = self->unwanted = false;
    self->asked = 0;
}

int crew_seat_reap(crew_seat *self, int *status)
{
    *status = 0;
    return self->pid == 0 ? -1 : tusk__reap(self->pid, self->end.fd, status);
}

/* It drains: until then. */
static void go_in_time(crew_seat *self)
{
    tusk_timer_start(self->crew->options.loop, &self->late,
                     self->crew->options.drain_ms + KILL_MARGIN_MS);
}

/* ---- heard ---- */
static void look(crew_seat *self)
{
    int status;
    int ended = crew_seat_reap(self, &status);
    if (ended != 0) {
        self->crew->told->on_end(self, ended < 0 ? -1 : status);
    } else {
        tusk_timer_start(self->crew->options.loop, &self->again, REAP_AGAIN_MS);
    }
}

static void on_end(tusk_io *io, unsigned events)
{
    (void)events;
    look(SEAT_OF(io, end));
}

static void on_again(tusk_timer *timer)
{
    look(SEAT_OF(timer, again));
}

static void hear(crew_seat *self, uint8_t told)
{
    if (told == TOLD_READY && self->state == SEAT_STARTING) {
        self->crew->told->on_ready(self);
    } else if (told == TOLD_READY && self->state == SEAT_DRAINING) {
        go_in_time(self); /* it was ready when it was told to go: somebody may be there */
    } else if (told == TOLD_LEAVING &&
               (self->state == SEAT_SERVING || self->state == SEAT_STARTING)) {
        self->crew->told->on_leaving(self);
    } else if (told == TOLD_HERE) {
        self->crew->told->on_here(self);
    } else if (told == TOLD_STOP) {
        self->crew->told->on_stop(self->crew);
    }
}

/* A worker may be anybody's by now: bytes that mean nothing are not heard. Its end of the pair is
 * closed by its death, which is looked for as long as a child of its own holds nothing open. */
static void on_control(tusk_io *io, unsigned events)
{
    (void)events;
    crew_seat *self = SEAT_OF(io, control);
    uint8_t told[TOLD_MAX];
    ssize_t got = read(io->fd, told, sizeof(told));
    for (ssize_t i = 0; i < got; i++) {
        hear(self, told[i]);
    }
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        close_io(self->crew->options.loop, io);
        look(self);
    }
}

/* Not ready in time, or not gone in time: there is nothing left to ask. */
static void on_late(tusk_timer *timer)
{
    crew_seat *self = SEAT_OF(timer, late);
    crew_log(self->crew, "worker %u (process %d) is %s in time: killed", self->slot, self->pid,
             self->state == SEAT_STARTING ? "not ready" : "not drained");
    self->killed = true;
    self->crew->stats.killed++;
    (void)kill(self->pid, SIGKILL);
}

/* ---- told ---- */
void crew_seat_order(crew_seat *self, unsigned order)
{
    uint8_t byte = (uint8_t)order;
    if (self->control.fd >= 0) {
        (void)!write(self->control.fd, &byte, 1); /* a few bytes in its life: never full */
    }
}

void crew_seat_drain(crew_seat *self, bool cut)
{
    bool starting = self->state == SEAT_STARTING;
    self->state = SEAT_DRAINING;
    crew_seat_order(self, cut ? ORDER_CUT : ORDER_DRAIN);
    if (starting) {
        crew_seat_end(self);
    } else if (cut) {
        tusk_timer_start(self->crew->options.loop, &self->late, KILL_MARGIN_MS);
    } else {
        go_in_time(self);
    }
}

/* What it computes or waits for it does before it hears orders; a signal it hears. Who has become
 * ready meanwhile drains at it. */
void crew_seat_end(crew_seat *self)
{
    self->unwanted = true;
    (void)kill(self->pid, SIGTERM);
    tusk_timer_start(self->crew->options.loop, &self->late, KILL_MARGIN_MS);
}

/* ---- forked ---- */
static tusk_err watch(crew_seat *self, int pid, int control)
{
    tusk_loop *loop = self->crew->options.loop;
    self->pid = pid;
    self->state = SEAT_STARTING;
    self->pass = self->crew->pass;
    self->born_ms = tusk_loop_clock_ns() / 1000000u;
    self->end = (tusk_io){.fd = tusk__pidfd_open(pid), .on_event = on_end};
    self->control = (tusk_io){.fd = control, .on_event = on_control};
    self->late.on_due = on_late;
    self->late.deadline = true;
    self->again.on_due = on_again;
    tusk_timer_start(loop, &self->late, self->crew->options.ready_ms);
    tusk_err err = tusk_io_add(loop, &self->control, TUSK_IO_READ);
    return err == TUSK_OK && self->end.fd >= 0 ? tusk_io_add(loop, &self->end, TUSK_IO_READ) : err;
}

/* Signals wait until the child has let go of the master's handlers (crew_worker_main), which would
 * ring the master's bells. */
static int fork_quietly(crew_seat *self, int control)
{
    sigset_t all;
    sigset_t former;
    int parent = (int)getpid();
    (void)fflush(NULL);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &former);
    int pid = (int)fork();
    if (pid == 0) {
        crew_worker_main(self->crew, self, control, parent, &former);
    }
    (void)sigprocmask(SIG_SETMASK, &former, NULL);
    return pid;
}

tusk_err crew_seat_fork(crew_seat *self)
{
    int ends[2];
    if (tusk__socket_pair(ends) != 0) {
        return TUSK_ESYS;
    }
    int pid = fork_quietly(self, ends[1]);
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        return TUSK_ESYS;
    }
    self->crew->stats.started++;
    tusk_err err = watch(self, pid, ends[0]);
    if (err != TUSK_OK) { /* it could not be looked after */
        int status;
        (void)kill(pid, SIGKILL);
        while (tusk__reap(pid, -1, &status) == 0) {
            (void)usleep(1000);
        }
        crew_seat_clear(self);
    }
    return err;
}
