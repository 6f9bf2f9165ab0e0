/* SPDX-License-Identifier: MIT */
/* A link: a load connection from connect() through TLS to its end. */
#include "load/worker.h"

#include <stdio.h>
#include <unistd.h>

#include "net/socket.h"

#define CLOCK_EVERY 16

/* ---- the clock: read by the loop after each wait, and again for large batches ---- */
/* Opening takes so long, and TLS computes for so long, that the link before is none too old. */
static void look_at_clock(load_worker *self, const load_link *link)
{
    uint64_t turn = tusk_loop_now_ns(self->loop);
    if (turn != self->turn_ns) {
        self->turn_ns = turn;
        self->served = 0;
        self->now = turn > self->now ? turn : self->now;
    } else if (++self->served % CLOCK_EVERY == 0 || link->filter != NULL || link->handshake ||
               link->worker->mode->each) {
        self->now = tusk_loop_clock_ns();
    }
}

/* ---- ends ---- */
void tusk__load_link_close(load_link *self)
{
    load_worker *worker = self->worker;
    if (self->state == LINK_FREE) {
        return;
    }
    if (self->posted) {
        tusk__load_round_forget(self);
    }
    if (self->io.fd >= 0) {
        tusk_io_close(worker->loop, &self->io);
    }
    tusk_tls_filter_free(self->filter);
    self->filter = NULL;
    tusk__load_link_drop_bytes(self);
    self->state = LINK_FREE;
    self->usable = false;
    self->paused = false;
    self->life++;
    if (self->handshake) {
        self->handshake = false;
        worker->opening--;
    }
    if (self->counted) {
        self->counted = false;
        worker->cell->totals[LOAD_OPEN]--;
        tusk__load_link_count(self, LOAD_CLOSED);
    }
}

static const char *words_of(tusk_err why)
{
    switch ((int)why) {
    case TUSK_EEOF: return "the server closed it";
    case TUSK_ERESET: return "connection reset";
    case TUSK_EREFUSED: return "connection refused";
    case TUSK_EADDRINUSE: return "no source port is free: give more sources";
    default: return tusk_err_text(why);
    }
}

void tusk__load_link_ended(load_link *self, tusk_err why)
{
    char text[LOAD_ERROR_MAX];
    const char *reason = why == TUSK_ETLS ? tusk_filter_reason(self->filter) : NULL;
    (void)snprintf(text, sizeof(text), "%s%s", reason != NULL ? "TLS: " : "",
                   reason != NULL ? reason : words_of(why));
    tusk__load_link_close(self);
    if (!self->worker->mode->on_ended(self, why)) {
        tusk__load_link_lost(self, why, text);
    } else if (!self->worker->mode->each) {
        tusk__load_link_gone(self);
    }
    tusk__load_room(self);
}

void tusk__load_link_fail(load_link *self, tusk_err why, const char *what)
{
    tusk__load_link_close(self);
    tusk__load_link_lost(self, why, what);
    tusk__load_room(self);
}

/* ---- opening ---- */
static void went_up(load_link *self)
{
    load_worker *worker = self->worker;
    self->state = LINK_OPEN;
    self->up_ns = worker->now;
    tusk__load_link_watch(self, 0);
    uint32_t life = self->life;
    worker->mode->on_up(self);
    if (self->life == life && self->filter != NULL) {
        tusk__load_link_read_pending(self);
    }
}

static void shake_hands(load_link *self)
{
    load_worker *worker = self->worker;
    unsigned want = 0;
    ptrdiff_t result = tusk_filter_handshake(self->filter, self->io.fd, &want);
    if (result == TUSK_EAGAIN) {
        (void)tusk_io_set(worker->loop, &self->io, want);
        return;
    }
    if (result < 0) {
        tusk__load_link_ended(self, result == TUSK_ERESET ? TUSK_ERESET : TUSK_ETLS);
        return;
    }
    worker->now = tusk_loop_clock_ns(); /* our own half of the handshake is a part of it */
    tusk__load_link_record(self, LOAD_HIST_TLS, tusk__load_since(self->up_ns, worker->now));
    if (tusk_filter_resumed(self->filter)) {
        tusk__load_link_count(self, LOAD_RESUMED_TLS);
    }
    if (worker->cell->tls_version[0] == '\0') {
        (void)snprintf(worker->cell->tls_version, LOAD_TLS_MAX, "%s",
                       tusk_filter_version(self->filter));
        (void)snprintf(worker->cell->tls_cipher, LOAD_TLS_MAX, "%s",
                       tusk_filter_cipher(self->filter));
    }
    went_up(self);
}

static void connected(load_link *self)
{
    load_worker *worker = self->worker;
    int number = tusk__socket_error(self->io.fd);
    if (number != 0) {
        tusk_err err = tusk__load_dial_on(self, tusk__load_err_of(number));
        if (err != TUSK_OK) {
            tusk__load_link_ended(self, err);
        }
        return;
    }
    tusk__load_dial_answered(self);
    tusk__load_link_count(self, LOAD_CONNECTED);
    tusk__load_link_record(self, LOAD_HIST_TCP, tusk__load_since(self->began_ns, worker->now));
    self->tcp_ns = self->up_ns = worker->now;
    if (self->filter != NULL) {
        self->state = LINK_SECURING;
        shake_hands(self);
        return;
    }
    went_up(self);
}

static void on_event(tusk_io *io, unsigned events);

void tusk__load_link_open(load_link *self, const load_target *target)
{
    load_worker *worker = self->worker;
    const load_plan *plan = worker->plan;
    self->state = LINK_CONNECTING;
    self->handshake = true;
    worker->opening++;
    self->began_ns = worker->now;
    self->up_ns = worker->now;
    self->target = target;
    self->io.on_event = on_event;
    tusk_err err = TUSK_OK;
    if (target->secure) {
        const char *name = plan->tls_server_name.len > 0 ? plan->tls_server_name.ptr : target->host;
        err = tusk_tls_filter_new(&self->filter, worker->tls, name);
    }
    if (err == TUSK_OK) {
        err = tusk__load_dial(self);
    }
    if (err != TUSK_OK) {
        tusk__load_link_ended(self, err);
    }
}

void tusk__load_link_impatient(load_link *self, uint64_t waited, uint64_t timeout)
{
    if (waited <= timeout / self->target->addr_count * (self->refusals + 1U)) {
        return;
    }
    if (tusk__load_dial_on(self, TUSK_ETIMEOUT) != TUSK_OK) {
        tusk__load_link_fail(self, TUSK_ETIMEOUT, "no connection within the timeout");
    }
}

static void on_event(tusk_io *io, unsigned events)
{
    load_link *self = (load_link *)(void *)io;
    look_at_clock(self->worker, self);
    switch ((load_link_state)self->state) {
    case LINK_FREE: break;
    case LINK_CONNECTING: connected(self); break;
    case LINK_SECURING: shake_hands(self); break;
    case LINK_OPEN:
        if (events != TUSK_IO_READ || !self->worker->headlong || self->worker->alone ||
            !tusk__load_round_serve(self)) {
            tusk__load_link_io(self, events);
        }
        break;
    }
}
