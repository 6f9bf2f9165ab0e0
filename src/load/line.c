/* SPDX-License-Identifier: MIT */
/* The line: links with room for an operation, in order; links that wait; links that are not open
 * yet; answers that come too late. */
#include "load/worker.h"

#define RETRY_MIN_NS (100 * UINT64_C(1000000))
#define RETRY_MAX_NS (2000 * UINT64_C(1000000))
#define CLOCK_EVERY 16
#define BATCH_MAX 256 /* operations that one link gets at once from a schedule */

static void enter_line(load_worker *self, load_link *link)
{
    if (!link->in_line) {
        link->in_line = true;
        self->line[(self->line_head + self->line_count++) % self->link_count] = link->index;
    }
}

static load_link *leave_line(load_worker *self)
{
    load_link *link = tusk__load_link_at(self, self->line[self->line_head]);
    self->line_head = (self->line_head + 1) % self->link_count;
    self->line_count--;
    link->in_line = false;
    return link;
}

static uint32_t room_of(const load_link *link)
{
    if (link->worker->mode->each) {
        return link->state == LINK_FREE && link->op_count == 0 && !link->waiting ? 1 : 0;
    }
    return link->usable && !link->waiting ? link->worker->depth - link->op_count : 0;
}

/* How many operations this link is to begin now. */
static uint32_t portion(load_worker *self, const load_link *link, uint32_t others)
{
    uint32_t room = room_of(link);
    uint64_t most = room;
    if (self->quota < most) {
        most = self->quota;
    }
    if (self->paced && most > 1) {
        uint64_t due =
            tusk__load_pace_due(&self->pace, self->now, most < BATCH_MAX ? most : BATCH_MAX);
        most = due / (others + 1) > 0 ? due / (others + 1) : 1;
    }
    return (uint32_t)most;
}

static bool allowed(load_worker *self)
{
    return self->mode->may_start == NULL || self->mode->may_start(self);
}

/* The closed model's ramp: link after link begins. */
static bool ramp_allows(load_worker *self, const load_link *link)
{
    if (self->paced || self->plan->ramp <= 0) {
        return true;
    }
    double passed = (double)tusk__load_since(self->go_ns, self->now) / 1e9;
    return passed >= self->plan->ramp ||
           (double)link->index < passed / self->plan->ramp * (double)self->carriers;
}

/* The closed model without pauses, ramps and ends by count, where each answer is followed by the
 * next operation at once: nobody is asked, and nobody waits in line. */
static inline bool goes_on(const load_worker *self, const load_link *link)
{
    return self->headlong && self->now >= self->go_ns && self->now < self->measure_to &&
           !self->stopping && link->usable && !link->in_line && !link->waiting;
}

bool tusk__load_goes_round(const load_link *link)
{
    return goes_on(link->worker, link) && link->op_count == link->worker->depth;
}

static bool goes_on_at_once(load_worker *self, load_link *link)
{
    if (!goes_on(self, link)) {
        return false;
    }
    if (link->op_count < self->depth) {
        self->mode->start(link, self->depth - link->op_count);
    }
    return true;
}

void tusk__load_room(load_link *link)
{
    load_worker *self = link->worker;
    if (goes_on_at_once(self, link) || self->mode->unpaced || link->extra || link->in_line ||
        room_of(link) == 0) {
        return;
    }
    if (self->plan->think > 0 && link->op_head > 0 && !self->mode->each) {
        if (link->op_count == 0) {
            tusk__load_wait(link, self->now + (uint64_t)(self->plan->think * 1e9));
        }
        return;
    }
    if (self->paced && self->line_count == 0) {
        self->starved_ns = self->now; /* until now nobody had room for what is due already */
    }
    bool first = self->paced ? self->line_count == 0 : ramp_allows(self, link);
    if (first && !self->mode->each && tusk__load_op_due(self) && allowed(self)) {
        self->mode->start(link, portion(self, link, 0));
    }
    if (room_of(link) > 0) {
        enter_line(self, link);
    }
}

void tusk__load_dispatch(load_worker *self)
{
    uint32_t given = 0;
    for (uint32_t looked = self->line_count;
         looked > 0 && self->line_count > 0 && tusk__load_op_due(self) && allowed(self); looked--) {
        load_link *link = leave_line(self);
        if (room_of(link) > 0 && ramp_allows(self, link)) {
            self->mode->start(link, portion(self, link, self->line_count));
            if (++given % CLOCK_EVERY == 0) {
                self->now = tusk_loop_clock_ns();
            }
        }
        if (room_of(link) > 0) {
            enter_line(self, link);
        }
    }
    if (self->paced && self->line_count == 0 && tusk__load_op_due(self)) {
        self->starved_ns = self->now;
    }
}

void tusk__load_usable(load_link *link)
{
    load_worker *self = link->worker;
    if (!self->mode->each && link->was_up) {
        tusk__load_count(self, LOAD_RECONNECTS, 1);
    } else if (!self->mode->each) {
        self->tried += link->again == 0;
    }
    tusk__load_link_count(link, LOAD_OPENED);
    link->was_up = true;
    link->again = 0;
    link->counted = true;
    self->cell->totals[LOAD_OPEN]++;
    if (link->handshake) {
        link->handshake = false;
        self->opening--;
    }
    if (!self->mode->each) {
        link->usable = !link->extra;
        tusk__load_room(link);
        tusk__load_open_more(self);
    }
}

/* ---- waiting ---- */
void tusk__load_wait(load_link *link, uint64_t due_ns)
{
    load_worker *self = link->worker;
    link->due_ns = due_ns;
    link->waiting = true;
    link->next = 0;
    if (self->wait_tail == 0) {
        self->wait_head = link->index + 1;
    } else {
        tusk__load_link_at(self, self->wait_tail - 1)->next = link->index + 1;
    }
    self->wait_tail = link->index + 1;
}

/* A link that was closed meanwhile stays in the list until its time: `life` is not looked at, for
 * the mode sees its state. */
void tusk__load_wait_over(load_worker *self, uint64_t now)
{
    while (self->wait_head != 0) {
        load_link *link = tusk__load_link_at(self, self->wait_head - 1);
        if (link->due_ns > now) {
            return;
        }
        self->wait_head = link->next;
        self->wait_tail = self->wait_head == 0 ? 0 : self->wait_tail;
        link->waiting = false;
        if (self->mode->on_due != NULL) {
            self->mode->on_due(link);
        } else if (room_of(link) > 0) {
            if (tusk__load_op_due(self) && allowed(self)) {
                self->mode->start(link, portion(self, link, 0));
            } else {
                enter_line(self, link);
            }
        }
    }
}

/* ---- opening ---- */
static const load_target *target_of(const load_worker *self, const load_link *link)
{
    bool publishes = tusk__load_streams(self->plan) && link->extra;
    return publishes ? &self->plan->publish_target : &self->plan->target;
}

static void open_link(load_worker *self, load_link *link)
{
    self->unopened--;
    tusk__load_link_open(link, target_of(self, link));
}

/* A server that ends a connection with each answer has one opened again for each: to look for it
 * among all would cost more than the request. */
static void to_be_opened_next(load_worker *self, load_link *link)
{
    link->retry_ns = 0;
    link->again = 0;
    link->is_next = true;
    self->next_up[(self->next_up_head + self->next_up_count++) % self->link_count] = link->index;
    self->unopened++;
}

static void open_next_up(load_worker *self)
{
    while (self->next_up_count > 0 && self->opening < self->opening_max) {
        load_link *link = tusk__load_link_at(self, self->next_up[self->next_up_head]);
        self->next_up_head = (self->next_up_head + 1) % self->link_count;
        self->next_up_count--;
        link->is_next = false;
        open_link(self, link);
    }
}

void tusk__load_open_more(load_worker *self)
{
    if (self->mode->each || self->stopping || self->phase >= LOAD_PHASE_DRAIN) {
        return;
    }
    open_next_up(self);
    for (uint32_t seen = 0; seen < self->link_count && self->unopened > self->next_up_count &&
                            self->opening < self->opening_max;
         seen++) {
        load_link *link = tusk__load_link_at(self, self->next_open);
        self->next_open = (self->next_open + 1) % self->link_count;
        if (link->state == LINK_FREE && !link->is_next && link->retry_ns <= self->now) {
            open_link(self, link);
        }
    }
}

/* ---- the end of a link ---- */
static load_counter cause_of(tusk_err why)
{
    switch (why) {
    case TUSK_EREFUSED: return LOAD_FAILED_REFUSED;
    case TUSK_ETIMEOUT: return LOAD_FAILED_TIMEOUT;
    case TUSK_ERESET: return LOAD_FAILED_RESET;
    case TUSK_ETLS: return LOAD_FAILED_TLS;
    case TUSK_EPOLICY: return LOAD_FAILED_STATUS;
    case TUSK_EEOF: return LOAD_FAILED_CLOSED;
    case TUSK_ENOENT: return LOAD_FAILED_RESOLVE;
    case TUSK_EPROTO:
    case TUSK_EUTF8:
    case TUSK_ETOOBIG:
    case TUSK_EHEADERS:
    case TUSK_EVERSION:
    case TUSK_ECODING:
    case TUSK_ELIMIT:
    case TUSK_EDEFLATE: return LOAD_FAILED_PROTOCOL;
    case TUSK_OK:
    case TUSK_ENOMEM:
    case TUSK_EINVAL:
    case TUSK_ESTATE:
    case TUSK_EAGAIN:
    case TUSK_ESYS:
    case TUSK_ENOTSUP:
    case TUSK_EADDRINUSE:
    case TUSK_EADDRNOTAVAIL:
    case TUSK_EEXHAUSTED:
    case TUSK_EACCES:
    case TUSK_EURI:
    case TUSK_EMETHOD:
    case TUSK_EEXPECT: return LOAD_FAILED_OTHER;
    }
    return LOAD_FAILED_OTHER;
}

static void to_be_opened_again(load_worker *self, load_link *link)
{
    if (!link->was_up && link->again == 0) {
        self->tried++;
    }
    uint64_t pause = RETRY_MIN_NS << (link->again < 5 ? link->again : 5);
    link->retry_ns = self->now + (pause < RETRY_MAX_NS ? pause : RETRY_MAX_NS);
    link->again = (uint8_t)(link->again < 100 ? link->again + 1 : 100);
    self->unopened++;
}

void tusk__load_link_gone(load_link *link)
{
    load_worker *self = link->worker;
    if (self->mode->each) {
        return;
    }
    if (!link->rightful) {
        to_be_opened_again(self, link);
        return;
    }
    link->rightful = false;
    to_be_opened_next(self, link);
    tusk__load_open_more(self);
}

void tusk__load_link_lost(load_link *link, tusk_err why, const char *what)
{
    load_worker *self = link->worker;
    load_counter cause = cause_of(why);
    bool was_open = link->was_up && !self->mode->each;
    tusk__load_cell_error(self->cell, "%s%s", was_open ? "a connection was lost: " : "", what);
    if (self->mode->each) {
        if (why == TUSK_ETIMEOUT) {
            tusk__load_op_overdue(link, LOAD_TIMED_OUT);
            tusk__load_link_count(link, cause);
        } else if (!tusk__load_op_fail(link, cause)) {
            tusk__load_link_count(link, cause);
        }
        self->tried++;
        if (self->mode->on_lost != NULL) {
            self->mode->on_lost(link);
        }
        return;
    }
    tusk__load_count(self, cause, 1);
    while (tusk__load_op_fail(link, LOAD_LOST)) {
    }
    to_be_opened_again(self, link);
}

/* ---- timeouts ---- */
static void look_at(load_link *link, uint64_t now, uint64_t timeout)
{
    load_worker *self = link->worker;
    if (link->state == LINK_FREE) {
        return;
    }
    if (link->handshake) {
        uint64_t waited = tusk__load_since(link->began_ns, now);
        if (waited > timeout) {
            tusk__load_link_fail(link, TUSK_ETIMEOUT, "no connection within the timeout");
        } else if (link->state == LINK_CONNECTING) {
            tusk__load_link_impatient(link, waited, timeout);
        }
        return;
    }
    if (self->mode->each) {
        if (!link->waiting && tusk__load_since(link->up_ns, now) > timeout) {
            tusk__load_link_fail(link, TUSK_ETIMEOUT, "no answer within the timeout");
        }
        return;
    }
    if (link->op_count > 0 && tusk__load_since(tusk__load_op_oldest(link)->actual, now) > timeout) {
        tusk__load_op_overdue(link, LOAD_TIMED_OUT);
        tusk__load_cell_error(self->cell, "no answer within the timeout");
        tusk__load_link_close(link);
        tusk__load_link_gone(link);
    }
}

void tusk__load_sweep(load_worker *self, uint64_t now)
{
    uint64_t timeout = (uint64_t)(self->plan->timeout * 1e9);
    uint64_t period = timeout / 8;
    self->sweep_ns = now + (period < 250000000 ? period : 250000000);
    for (uint32_t i = 0; i < self->link_count; i++) {
        look_at(tusk__load_link_at(self, i), now, timeout);
    }
}
