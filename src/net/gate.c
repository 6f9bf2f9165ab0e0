/* SPDX-License-Identifier: MIT */
/* Gates: who gets a place, who waits for one, and when accepting goes on. */
#include "net/gate.h"

#include <assert.h>
#include <stdio.h>
#include <unistd.h>

#include "loop/process.h"
#include "net/descriptors.h"

/* So long until a process that waits for a place looks whether one is free elsewhere; spread, so
 * that they do not look at once. */
enum { PLACE_AGAIN_MS = 5, PLACE_SPREAD_MS = 8 };
enum { ASKED_MS = 100 }; /* a turn of who asks may be long */

static net_gate *gate_of(tusk_link *link)
{
    return TUSK_OWNER(link, net_gate, link);
}

/* ---- places ---- */
static _Atomic uint64_t *taken_at(const net_gates_shared *self, uint32_t seat, uint32_t gate)
{
    return &self->taken[(size_t)seat * self->number + gate];
}

static uint64_t taken_by_all(const net_gates_shared *self, uint32_t gate)
{
    uint64_t sum = 0;
    for (uint32_t seat = 0; seat < self->seats->count; seat++) {
        sum += atomic_load(taken_at(self, seat, gate));
    }
    return sum;
}

static uint64_t taken(const net_gates *self)
{
    return self->shared == NULL ? self->taken : net_seats_held_by_all(self->shared->seats);
}

static uint64_t taken_of(const net_gate *self)
{
    const net_gates_shared *shared = self->all->shared;
    return shared == NULL ? self->taken : taken_by_all(shared, self->index);
}

/* With `by` -1 a place is given back; `gate` NULL: of no gate's. */
static void count(net_gates *self, net_gate *gate, int by)
{
    const net_gates_shared *shared = self->shared;
    self->taken += (uint32_t)by;
    if (by > 0) {
        net_heap_watch(&self->heap);
    } else if (self->taken == 0 && !self->open) {
        net_heap_fini(&self->heap);
    }
    if (gate != NULL) {
        gate->taken += (uint32_t)by;
    }
    if (shared != NULL) {
        atomic_fetch_add(net_seats_held(shared->seats, self->seat), (uint64_t)by);
        if (gate != NULL && shared->taken != NULL) {
            atomic_fetch_add(taken_at(shared, self->seat, gate->index), (uint64_t)by);
        }
    }
}

/* Taken first and looked at afterwards, in one order for all: two that take the last place at once
 * both see it, and give it back. */
static bool take_place(net_gate *self)
{
    net_gates *all = self->all;
    count(all, self, 1);
    uint64_t sum = taken(all);
    uint64_t own = self->limit == 0 ? 0 : taken_of(self);
    if (all->shared != NULL && (sum > all->limit || own > self->limit)) {
        count(all, self, -1);
        return false;
    }
    if (sum >= all->limit || (self->limit > 0 && own >= self->limit)) {
        net_gates_settle(all);
    }
    return true;
}

void net_gates_add(net_gates *self)
{
    count(self, NULL, 1);
}

void net_gates_leave(net_gates *self, net_gate *gate)
{
    count(self, gate, -1);
    if (self->waits) {
        net_gates_settle(self);
    }
}

/* ---- accepting, or not ---- */
static void pause_one(net_gate *self, bool pause)
{
    if (self->paused == pause) {
        return;
    }
    self->paused = pause;
    if (pause) {
        tusk_listener_pause(self->listener);
    } else {
        tusk_listener_resume(self->listener);
    }
}

void net_gates_settle(net_gates *self)
{
    if (!self->open) {
        return;
    }
    bool lacks = net_gates_full(self);
    bool full = lacks || self->busy;
    if (full && !self->full) {
        self->ops->on_wait(self, NULL);
    }
    self->full = full;
    self->waits = full;
    for (tusk_link *link = self->list.next; link != &self->list; link = link->next) {
        net_gate *gate = gate_of(link);
        bool own = gate->held.fd >= 0 || (gate->limit > 0 && taken_of(gate) >= gate->limit);
        if (own && !full && !gate->paused) {
            self->ops->on_wait(self, gate);
        }
        pause_one(gate, full || own);
        self->waits = self->waits || own;
        lacks = lacks || own;
    }
    /* Places become free in other processes, which nobody tells. */
    if (lacks && self->shared != NULL && !tusk_timer_running(&self->again)) {
        tusk_timer_start(self->loop, &self->again, PLACE_AGAIN_MS + self->seat % PLACE_SPREAD_MS);
    }
}

bool net_gates_full(const net_gates *self)
{
    return taken(self) >= self->limit;
}

void net_gates_ask(const net_gates *self, bool waits)
{
    if (self->shared != NULL && self->shared->asked != NULL) {
        atomic_store(&self->shared->asked[self->seat],
                     waits && net_gates_full(self) ? tusk_loop_now_ms(self->loop) : 0);
    }
}

bool net_gates_asked(const net_gates *self)
{
    uint64_t now = tusk_loop_now_ms(self->loop);
    if (self->shared == NULL || self->shared->asked == NULL) {
        return false;
    }
    for (uint32_t seat = 0; seat < self->shared->seats->count; seat++) {
        /* in its own time, which may be ahead of ours by a turn */
        if (seat != self->seat && atomic_load(&self->shared->asked[seat]) + ASKED_MS > now) {
            return true;
        }
    }
    return false;
}

bool net_gates_wanted(const net_gates *self)
{
    for (tusk_link *link = self->list.next; link != &self->list; link = link->next) {
        const net_gate *gate = gate_of(link);
        if (gate->held.fd >= 0 ||
            (gate->listener != NULL && tusk_listener_wanted(gate->listener))) {
            return true;
        }
    }
    return false;
}

/* ---- clients ---- */
static void welcome(net_gate *self, const net_client *client)
{
    if (!self->all->ops->on_client(self, client)) {
        net_gates_leave(self->all, self);
    }
}

static void forget(net_gate *self, const net_client *client)
{
    if (self->all->ops->forget != NULL) {
        self->all->ops->forget(self, client->counted);
    }
}

/* As the only one: accepting pauses with it, at the inlets, too, before the next accept. */
static void hold(net_gate *self, const net_client *client)
{
    assert(self->held.fd < 0);
    self->held_peer = *client->peer;
    self->held = (net_client){
        .fd = client->fd, .peer = &self->held_peer, .counted = client->counted, .waited = true};
    net_gates_settle(self->all);
}

void net_gate_let_in(net_gate *self, const net_client *client)
{
    if (take_place(self)) {
        welcome(self, client);
    } else {
        hold(self, client);
    }
}

static void on_accept(void *user, int fd, const tusk_addr *peer)
{
    net_gate *self = user;
    const net_gates_ops *ops = self->all->ops;
    net_client client = {.fd = fd, .peer = peer};
    if (ops->admit == NULL || ops->admit(self, &client)) {
        net_gate_let_in(self, &client);
    }
}

static void on_again(tusk_timer *timer)
{
    net_gates *self = TUSK_OWNER(timer, net_gates, again);
    for (tusk_link *link = self->list.next; link != &self->list; link = link->next) {
        net_gate *gate = gate_of(link);
        if (gate->held.fd >= 0 && take_place(gate)) {
            const tusk_addr peer = gate->held_peer;
            net_client client = gate->held;
            client.peer = &peer;
            gate->held.fd = -1;
            welcome(gate, &client);
        }
    }
    net_gates_settle(self);
}

static void on_exhausted(void *user, int error)
{
    net_gates *self = ((net_gate *)user)->all;
    self->ops->on_exhausted(self, error);
}

/* ---- made, opened, closed ---- */
void net_gates_init(net_gates *self, tusk_loop *loop, const net_gates_ops *ops)
{
    *self = (net_gates){.loop = loop, .ops = ops, .each = 1, .again.on_due = on_again};
    tusk__list_init(&self->list);
    net_heap_init(&self->heap, loop, &self->taken);
}

void net_gate_add(net_gate *self, net_gates *gates, const tusk_addr *addr, const char *text, int fd)
{
    self->all = gates;
    self->addr = *addr;
    self->fd = fd;
    self->held.fd = -1;
    self->index = gates->number++;
    (void)snprintf(self->text, sizeof(self->text), "%s", text);
    tusk__list_push(&gates->list, &self->link);
}

/* Of several processes each may come to hold all clients; one says it. */
static void make_room(net_gates *self)
{
    char text[NET_ROOM_TEXT];
    const net_room room = {
        .clients = self->limit, .each = self->each, .asked = self->limit != self->usual};
    if (net_room_lacks(&room, text) && net_gates_speaks(self)) {
        self->ops->on_log(self, text);
    }
}

static tusk_err open_one(net_gate *self)
{
    const tusk_listener_options options = {.backlog = self->backlog,
                                           .reuse_port = self->reuse_port,
                                           .keep_path = self->inherited,
                                           .for_operators = self->all->for_operators,
                                           .on_exhausted = on_exhausted};
    tusk_loop *loop = self->all->loop;
    tusk_err err =
        self->fd >= 0
            ? tusk_listener_adopt(&self->listener, loop, self->fd, NULL, &options, on_accept, self)
            : tusk_listener_open(&self->listener, loop, &self->addr, &options, on_accept, self);
    if (err == TUSK_OK) {
        self->addr = *tusk_listener_addr(self->listener);
        self->paused = true;
    }
    return err;
}

tusk_err net_gates_open(net_gates *self, char *reason, size_t reason_cap)
{
    make_room(self);
    tusk__outlive_full_files();
    for (tusk_link *link = self->list.next; link != &self->list; link = link->next) {
        const net_gate *gate = gate_of(link);
        tusk_err err = open_one(gate_of(link));
        if (err != TUSK_OK) {
            tusk_listener_explain(reason, reason_cap, err, gate->text);
            net_gates_close(self);
            return err;
        }
    }
    self->open = true;
    return TUSK_OK;
}

void net_gates_close(net_gates *self)
{
    self->open = false;
    tusk_timer_stop(self->loop, &self->again);
    if (self->taken == 0) {
        net_heap_fini(&self->heap);
    }
    for (tusk_link *link = self->list.next; link != &self->list; link = link->next) {
        net_gate *gate = gate_of(link);
        tusk_listener_close(gate->listener);
        gate->listener = NULL;
        if (gate->held.fd >= 0) {
            forget(gate, &gate->held);
            (void)close(gate->held.fd);
            gate->held.fd = -1;
        }
    }
}

void net_gates_fini(net_gates *self)
{
    net_gates_close(self);
    net_heap_fini(&self->heap);
}

/* ---- several processes ---- */
void net_gates_share(net_gates *self, const net_gates_shared *shared, uint32_t seat)
{
    self->shared = shared;
    self->seat = seat;
}

void net_gates_gone(const net_gates_shared *self, uint32_t seat)
{
    net_seats_gone(self->seats, seat);
    for (uint32_t i = 0; i < self->number && self->taken != NULL; i++) {
        atomic_store(taken_at(self, seat, i), 0);
    }
}

/* ---- one of them ---- */
net_gate *net_gates_at(const net_gates *self, size_t index)
{
    for (tusk_link *link = self->list.next; link != &self->list; link = link->next) {
        if (index-- == 0) {
            return gate_of(link);
        }
    }
    return NULL;
}

uint16_t net_gates_port(const net_gates *self, size_t index)
{
    const net_gate *gate = net_gates_at(self, index);
    return gate == NULL ? 0 : tusk_addr_port(&gate->addr);
}

const char *net_gates_address(const net_gates *self, size_t index)
{
    const net_gate *gate = net_gates_at(self, index);
    return gate == NULL ? NULL : gate->text;
}

tusk_err net_gates_inherit(net_gates *self, size_t index, int fd)
{
    net_gate *gate = net_gates_at(self, index);
    if (gate == NULL || gate->fd >= 0) {
        return TUSK_ESTATE;
    }
    gate->fd = fd;
    gate->inherited = true;
    return TUSK_OK;
}

tusk_err net_gates_add_inlet(net_gates *self, size_t index, uint32_t key, int fd)
{
    const net_gate *gate = net_gates_at(self, index);
    return !self->open || gate == NULL ? TUSK_ESTATE
                                       : tusk_listener_add_inlet(gate->listener, key, fd);
}

void net_gates_drop_inlets(net_gates *self, uint32_t key)
{
    for (tusk_link *link = self->list.next; link != &self->list; link = link->next) {
        if (gate_of(link)->listener != NULL) {
            tusk_listener_drop_inlets(gate_of(link)->listener, key);
        }
    }
}

uint64_t net_gates_exhausted(const net_gates *self)
{
    uint64_t sum = 0;
    for (tusk_link *link = self->list.next; link != &self->list; link = link->next) {
        const net_gate *gate = gate_of(link);
        sum += gate->listener == NULL ? 0 : tusk_listener_exhausted(gate->listener);
    }
    return sum;
}
