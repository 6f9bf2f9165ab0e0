/* SPDX-License-Identifier: MIT */
/* Memory of what is on its way in: messages, bodies and heads that are not whole. One account, that
 * is asked before a payload becomes large. docs/guide/limits.md adds it up. */
#include "serve/unfinished.h"

#include "serve/pressure.h"

#define UNASKED ((size_t)TUSK__UNFINISHED_UNASKED)
#define SHED_SLACK ((size_t)1 << 20)

/* ---- the one that may go on over the limit ---- */

/* What it takes is room in the send queues: for its answer, of which nothing is there before the
 * last byte of it is. Some of that room is always the others'. */
void tusk__unfinished_reserve(tusk_server *server)
{
    const tusk_session *owner = server->unfinished_owner;
    size_t most = server->limits.queued_bytes_total - server->limits.queued_bytes_total / 8;
    size_t held = owner == NULL ? 0 : owner->unfinished;
    held = held > server->unfinished_granted ? held : server->unfinished_granted;
    held += server->retired.left;
    tusk_net_reserve(server->net, held < most ? held : most);
}

void tusk__unfinished_wake(tusk_server *server)
{
    if (server->unfinished_waits) {
        tusk_task_defer(server->loop, &server->unfinished_task);
    }
}

static void release_owner(tusk_server *server)
{
    server->unfinished_owner = NULL;
    server->unfinished_granted = 0;
    tusk_timer_stop(server->loop, &server->unfinished_timer);
    tusk__unfinished_reserve(server);
    tusk__unfinished_wake(server); /* also when it leaves with nothing of its place taken */
}

void tusk__unfinished_leave(tusk_session *self)
{
    if (self->server->unfinished_owner == self) {
        release_owner(self->server);
    }
}

static void own(tusk_session *self)
{
    tusk_server *server = self->server;
    server->unfinished_owner = self;
    server->unfinished_young = false;
    if (server->young_turns > 0) {
        server->young_turns--;
    }
    server->unfinished_next = self->slot + 1;
    tusk__silence_watch_owner(server);
}

/* ---- the account ---- */

/* Without the owner's. */
static size_t held_by_others(const tusk_server *server)
{
    const tusk_session *owner = server->unfinished_owner;
    return server->unfinished - (owner == NULL ? 0 : owner->unfinished);
}

void tusk__session_count_unfinished(tusk_session *self, size_t now)
{
    tusk_server *server = self->server;
    bool less = now < self->unfinished;
    if (self->unfinished == 0) {
        server->slots[self->slot].began_ms = tusk__server_ms(server);
    }
    server->unfinished = server->unfinished - self->unfinished + now;
    tusk_net_hold(server->net, server->unfinished);
    self->unfinished = now;
    if (server->unfinished_owner == self) {
        if (now == 0) {
            release_owner(server);
        } else {
            tusk__unfinished_reserve(server);
        }
    }
    if (less) {
        tusk__unfinished_wake(server);
    }
}

/* Each in its turn: who has just had the place, and wants it for its next message, is asked last.
 * Where it was given in vain, there may be thousands of that kind: then who began last is asked
 * first, for a while. */
void tusk__unfinished_on_task(tusk_task *task)
{
    tusk_server *self = TUSK_OWNER(task, tusk_server, unfinished_task);
    uint32_t next = self->unfinished_next;
    self->unfinished_waits = false; /* whoever does says so again */
    self->unfinished_asks = true;
    if (self->young_turns > 0 && self->unfinished_owner == NULL) {
        tusk_session *young = tusk__silence_youngest(self);
        if (young != NULL) {
            tusk__session_balance(young);
            self->unfinished_young = self->unfinished_owner == young;
            self->unfinished_next = next; /* the others' order stays what it was */
        }
    }
    for (uint32_t i = 0; i < self->slot_count; i++) {
        next = next < self->slot_count ? next : 0;
        tusk_session *session = self->slots[next++].session;
        if (session != NULL && session->paused_unfinished) {
            tusk__session_balance(session);
        }
    }
    self->unfinished_asks = false;
}

/* ---- who may go on ---- */

static size_t slack_of(const tusk_server *server)
{
    size_t quarter = server->limits.unfinished_bytes / 4;
    return quarter > SHED_SLACK ? quarter : SHED_SLACK;
}

/* There is one place for whoever goes on over the limit: another one has it, it is not empty yet,
 * or others have waited for it: those are asked first. */
static bool is_place_taken(tusk_session *self)
{
    tusk_server *server = self->server;
    if (server->unfinished_owner != NULL || server->retired.payload != NULL) {
        return server->unfinished_owner != self;
    }
    if (server->unfinished_asks || !server->unfinished_waits) {
        return false;
    }
    tusk__unfinished_wake(server);
    return true;
}

/* What it will have taken when it is whole, as far as it has said. */
static size_t whole(const tusk_session *self)
{
    size_t said = tusk__session_ops(self)->said(self);
    return said > self->unfinished ? said : self->unfinished;
}

/* Whose answer would not fit would but hold the place, before those who came first. */
static bool may_have_place(tusk_session *self)
{
    if (is_place_taken(self)) {
        return false;
    }
    if (self->server->unfinished_owner == NULL && !tusk__pressure_fits(self, whole(self))) {
        tusk__pressure_wait(self);
        return false;
    }
    return true;
}

/* A place of `cap` bytes, while that of before is still counted where it was: 0, or it may be had.
 */
static size_t grant(tusk_session *self, size_t next, size_t most)
{
    tusk_server *server = self->server;
    tusk_session *owner = server->unfinished_owner;
    size_t held = held_by_others(server) + tusk_net_rests(server->net);
    if (owner != self && held + next <= server->limits.unfinished_bytes) {
        return next;
    }
    if (!may_have_place(self)) {
        return 0;
    }
    size_t before = owner == self ? self->unfinished : 0;
    /* Soon it is moved this once, and not again: half now would never fit beside the whole later.
     */
    size_t cap = next > most / 8 ? most : next;
    if (!tusk__pressure_fits(self, before + cap)) {
        tusk__pressure_wait(self);
        return 0;
    }
    if (owner == NULL) {
        own(self);
    }
    server->unfinished_granted = cap;
    tusk__unfinished_reserve(server);
    return cap;
}

static bool may_grow(tusk_session *self)
{
    size_t most = 0;
    size_t next = tusk__session_ops(self)->wants(self, &most);
    if (TUSK_LIKELY(next == 0)) {
        return true;
    }
    size_t cap = grant(self, next, most);
    if (cap == 0) {
        return false;
    }
    tusk__session_ops(self)->allow(self, cap);
    tusk_conn_later(&self->conn); /* to go on with what it has */
    return true;
}

/* Past the limit, up to which others may read on as well. Half of what is past it is for what is
 * small, a compressed message and its inflater among it: large ones, and those who wait for the
 * queues of all with theirs, keep no such out. */
static size_t limit_of(const tusk_session *self)
{
    enum { SMALL = 2 * TUSK__UNFINISHED_UNASKED };
    const tusk_server *server = self->server;
    size_t limit = server->limits.unfinished_bytes;
    return self->unfinished <= SMALL ? limit + slack_of(server) / 2 : limit;
}

static bool may_read(tusk_session *self)
{
    tusk_server *server = self->server;
    if (TUSK_LIKELY(held_by_others(server) <= limit_of(self)) || self->unfinished == 0 ||
        server->unfinished_owner == self || self->conn.goes_on) {
        return true; /* of those that hold something one may always go on, so that all come to an
                        end; and who has the rest of it in its socket comes to its end at once */
    }
    if (!may_have_place(self)) {
        return false;
    }
    own(self);
    tusk__unfinished_reserve(server);
    return true;
}

bool tusk__unfinished_admits(tusk_session *self)
{
    bool admitted = may_read(self) && may_grow(self);
    if (!admitted) {
        self->server->unfinished_waits = true;
        tusk__silence_watch(self->server);
    }
    return admitted;
}

bool tusk__unfinished_is_much(const tusk_server *server)
{
    return server->unfinished + tusk_net_rests(server->net) > server->limits.unfinished_bytes;
}

static bool others_hold_more(const tusk_server *server, size_t bytes)
{
    return held_by_others(server) + tusk_net_rests(server->net) > bytes;
}

bool tusk__unfinished_is_past_limit(const tusk_server *server)
{
    return others_hold_more(server, server->limits.unfinished_bytes);
}

bool tusk__unfinished_leaves_room(const tusk_server *server)
{
    return !others_hold_more(server,
                             server->limits.unfinished_bytes - server->limits.unfinished_bytes / 4);
}

bool tusk__unfinished_is_past_slack(const tusk_server *server)
{
    return others_hold_more(server, server->limits.unfinished_bytes + slack_of(server));
}

bool tusk__session_is_shed(tusk_session *self)
{
    tusk_server *server = self->server;
    const tusk_session *owner = server->unfinished_owner;
    if (TUSK_LIKELY(!tusk__unfinished_is_past_slack(server)) || self == owner || self->parks > 0 ||
        (self->unfinished == 0 && self->conn.in_len == 0)) {
        return false;
    }
    if (owner == NULL && self->unfinished > 0) { /* it becomes the one that may go on */
        return false;
    }
    if (tusk__silence_makes_room(server)) {
        return false; /* who sends nothing goes before who does */
    }
    server->stats.unfinished_closed++;
    return true;
}
