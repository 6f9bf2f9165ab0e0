/* SPDX-License-Identifier: MIT */
/* What connections of one loop share: limits, counters, pools, and the lists walked at the end of a
 * turn. */
#include "net/conn_room.h"
#include "net/inner.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "loop/patient.h"

#define QUEUED_BYTES_TOTAL ((size_t)256 * 1024 * 1024)
#define LINGER_MS 2000
#define SLICE_US 250
#define LINGER_BYTES ((size_t)1024 * 1024)
#define RESTS_KEPT 64
#define NEWCOMERS_SLICES UINT64_C(4) /* while nobody else is served */

/* ---- what leaves at the end of a turn ---- */
/* Flushing calls no owner back. */
static void flush_some(tusk_net *self, tusk_link *list, unsigned most)
{
    if (self->limits.batch_min > 0) {
        tusk__conns_flush_some(self, list, most);
        return;
    }
    tusk_link *link;
    for (unsigned i = 0; i < most && (link = tusk__list_pop(list)) != NULL; i++) {
        tusk__conn_write(TUSK_OWNER(link, tusk_conn, flush));
    }
}

/* For as long as others were served in this turn, so that half of the time is theirs however busy
 * those are, and for one share at least; then those are looked at who have asked for something
 * meanwhile. Once a turn: what this takes is not what others took. */
static void flush_others(tusk_net *self)
{
    uint64_t turn_ns = tusk_loop_now_ns(self->loop);
    uint64_t start_ns = tusk_loop_clock_ns();
    uint64_t served_ns = self->lags ? start_ns : self->others_ns;
    uint64_t share_ns = served_ns > turn_ns ? served_ns - turn_ns : 0;
    do {
        flush_some(self, &self->flush_others, NET_OTHERS_SHARE);
        self->lags = !tusk__list_empty(&self->flush_others);
    } while (self->lags && tusk_loop_clock_ns() - start_ns < share_ns);
    if (self->lags) {
        self->others_later = true;
        tusk__task_defer_behind(self->loop, &self->others_task);
    }
}

static void flush_all(tusk_net *self, tusk_link *list)
{
    while (!tusk__list_empty(list)) {
        flush_some(self, list, NET_BATCH_MAX);
    }
}

static void flush_large(tusk_net *self)
{
    self->large_bytes = 0;
    flush_all(self, &self->flush_large);
}

static void run_flush(tusk_task *task)
{
    tusk_net *self = TUSK_OWNER(task, tusk_net, flush_task);
    flush_large(self);
    flush_all(self, &self->flush);
    if (tusk__list_empty(&self->flush_others)) {
        self->lags = false;
    } else if (!self->others_later) {
        flush_others(self);
    }
}

static void run_others(tusk_task *task)
{
    tusk_net *self = TUSK_OWNER(task, tusk_net, others_task);
    self->others_later = false;
    tusk_task_defer_late(self->loop, &self->flush_task);
}

void tusk__net_schedule_flush(tusk_conn *conn)
{
    if (tusk__link_linked(&conn->flush)) {
        return;
    }
    tusk_net *self = conn->net;
    conn->others = !conn->busy && conn->parked == 0 && !conn->detached;
    if (conn->others && tusk__list_empty(&self->flush_others)) {
        self->others_ns = tusk_loop_clock_ns();
    }
    tusk__list_push(conn->others ? &self->flush_others : &self->flush, &conn->flush);
    tusk_task_defer_late(self->loop, &self->flush_task);
}

/* ---- what is large ---- */
/* Who has more goes to the end of the line. */
static void run_more(tusk_task *task)
{
    tusk_net *self = TUSK_OWNER(task, tusk_net, more_task);
    uint64_t before = self->counters.bytes_out;
    while (!tusk__list_empty(&self->flush_more) &&
           self->counters.bytes_out - before < NET_SEND_TURN) {
        flush_some(self, &self->flush_more, 1);
    }
    if (!tusk__list_empty(&self->flush_more)) {
        tusk__task_defer_behind(self->loop, task);
    }
}

/* What is sealed first, or waits for its peer, has nothing to gain from a call for several. */
void tusk__net_schedule_large(tusk_conn *conn)
{
    tusk_net *self = conn->net;
    if (conn->filter != NULL || !tusk__link_linked(&conn->flush)) {
        tusk_conn_flush(conn);
        return;
    }
    tusk__link_remove(&conn->flush);
    tusk__list_push(&self->flush_large, &conn->flush);
    tusk_task_defer_late(self->loop, &self->flush_task);
    self->large_bytes += conn->send_bytes;
    if (self->large_bytes >= NET_LARGE_TOGETHER) {
        flush_large(self);
    }
}

void tusk__net_schedule_more(tusk_conn *conn)
{
    conn->others = false;
    tusk__link_remove(&conn->flush);
    tusk__list_push(&conn->net->flush_more, &conn->flush);
    tusk__task_defer_behind(conn->net->loop, &conn->net->more_task);
}

void tusk__net_flush_as_answer(tusk_conn *conn)
{
    conn->others = false;
    if (tusk__link_linked(&conn->flush)) {
        tusk__link_remove(&conn->flush);
        tusk__list_push(&conn->net->flush, &conn->flush);
        tusk_task_defer_late(conn->net->loop, &conn->net->flush_task);
    }
}

bool tusk_net_lags(const tusk_net *self)
{
    return self->lags;
}

/* ---- what owners are told ---- */
/* A callback may set its stack aside in the middle of the list: the task is deferred before each
 * call while anything is left, so that another stack goes on; this run then sees that it was
 * superseded. */
static void run_tell(tusk_task *task)
{
    tusk_net *self = TUSK_OWNER(task, tusk_net, tell_task);
    uint64_t drive = ++self->drives;
    tusk_link *link;
    tusk__list_splice(&self->telling, &self->pending);
    while ((link = tusk__list_pop(&self->telling)) != NULL) {
        if (!tusk__list_empty(&self->telling)) {
            tusk_task_defer(self->loop, &self->tell_task);
        }
        tusk__conn_tell(TUSK_OWNER(link, tusk_conn, pending));
        if (self->drives != drive) {
            return;
        }
    }
    if (tusk__list_empty(&self->pending)) {
        tusk_task_cancel(&self->tell_task);
    }
}

void tusk__net_schedule_tell(tusk_conn *conn, unsigned tell)
{
    conn->tell = (uint8_t)(conn->tell | tell);
    if (!tusk__link_linked(&conn->pending)) {
        tusk__list_push(&conn->net->pending, &conn->pending);
        tusk_task_defer(conn->net->loop, &conn->net->tell_task);
    }
}

/* ---- finishing connections: one delay for all keeps the list in order of deadline ---- */
static uint32_t left_ms(const tusk_net *self, const tusk_conn *conn)
{
    int32_t left = (int32_t)(conn->linger_until - (uint32_t)tusk_loop_now_ms(self->loop));
    return left > 0 ? (uint32_t)left : 0;
}

static void linger_on(tusk_conn *conn)
{
    tusk_net *self = conn->net;
    tusk__link_remove(&conn->linger);
    uint64_t until = tusk_loop_now_ms(self->loop) + self->limits.linger_ms;
    conn->linger_until = (uint32_t)until;
    tusk__list_push(&self->lingering, &conn->linger);
    if (!tusk_timer_running(&self->linger_timer)) {
        tusk_timer_start_at(self->loop, &self->linger_timer, until);
    }
}

static bool may_stand_still(const tusk_net *self, const tusk_conn *conn)
{
    uint64_t stood = (conn->still + UINT64_C(1)) * self->limits.linger_ms;
    return conn->send_head != NULL && stood < self->limits.stall_ms && conn->still < UINT16_MAX;
}

static void on_linger(tusk_timer *timer)
{
    tusk_net *self = TUSK_OWNER(timer, tusk_net, linger_timer);
    while (!tusk__list_empty(&self->lingering)) {
        tusk_conn *conn = TUSK_OWNER(self->lingering.next, tusk_conn, linger);
        uint32_t left = left_ms(self, conn);
        if (left > 0) {
            tusk_timer_start(self->loop, timer, left);
            return;
        }
        if (may_stand_still(self, conn)) {
            conn->still++;
            linger_on(conn);
            continue;
        }
        if (conn->send_head != NULL && tusk_conn_takes(conn, self->limits.stall_ms)) {
            tusk__net_linger(conn);
            continue;
        }
        self->counters.linger_timeouts++;
        tusk__conn_close(conn, conn->send_head == NULL ? TUSK_OK : TUSK_ETIMEOUT);
    }
}

void tusk__net_linger(tusk_conn *conn)
{
    conn->still = 0;
    linger_on(conn);
}

void tusk__net_unlinger(tusk_conn *conn)
{
    tusk__link_remove(&conn->linger);
    if (tusk__list_empty(&conn->net->lingering)) {
        tusk_timer_stop(conn->net->loop,
                        &conn->net->linger_timer); /* it would keep the loop running */
    }
}

/* ---- buffers for unfinished rests: powers of two; the small ones are kept for the next ---- */
static unsigned class_of(uint32_t cap)
{
    unsigned size = 0;
    while (((uint32_t)NET_REST_MIN << size) < cap) {
        size++;
    }
    return size;
}

uint8_t *tusk__net_rest_take(tusk_net *self, size_t len, uint32_t *cap)
{
    if (len > UINT32_MAX / 2) {
        return NULL;
    }
    unsigned size = class_of((uint32_t)len);
    *cap = (uint32_t)NET_REST_MIN << size;
    self->rest_bytes += *cap;
    if (size < NET_REST_CLASSES && self->rests[size] != NULL) {
        void *rest = self->rests[size];
        memcpy(&self->rests[size], rest, sizeof(void *));
        self->rest_counts[size]--;
        return rest;
    }
    uint8_t *rest = tusk__resize(self->mem, NULL, 0, *cap);
    self->rest_bytes -= rest == NULL ? *cap : 0;
    return rest;
}

void tusk__net_rest_give(tusk_net *self, uint8_t *rest, uint32_t cap)
{
    if (rest == NULL) {
        return;
    }
    self->rest_bytes -= cap;
    unsigned size = class_of(cap);
    if (size >= NET_REST_CLASSES || self->rest_counts[size] >= RESTS_KEPT) {
        tusk__free(self->mem, rest, cap);
        return;
    }
    memcpy(rest, &self->rests[size], sizeof(void *));
    self->rests[size] = rest;
    self->rest_counts[size]++;
}

/* ---- life ---- */
tusk_err tusk_net_new(tusk_net **out, tusk_loop *loop, const tusk_net_limits *limits)
{
    *out = NULL;
    tusk_net *self = tusk__new(tusk_loop_mem(loop), sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->loop = loop;
    self->mem = tusk_loop_mem(loop);
    if (limits != NULL) {
        self->limits = *limits;
    }
    if (self->limits.queued_bytes_total == 0) {
        self->limits.queued_bytes_total = QUEUED_BYTES_TOTAL;
    }
    self->queued_max = self->limits.queued_bytes_total;
    if (self->limits.linger_ms == 0) {
        self->limits.linger_ms = LINGER_MS;
    }
    if (self->limits.stall_ms == 0) {
        self->limits.stall_ms = self->limits.linger_ms;
    }
    if (self->limits.slice_us == 0) {
        self->limits.slice_us = SLICE_US;
    }
    if (self->limits.linger_bytes == 0) {
        self->limits.linger_bytes = LINGER_BYTES;
    }
    if (self->limits.settled_reads > 0) {
        tusk__loop_patient_ns(loop, NEWCOMERS_SLICES * UINT64_C(1000) * self->limits.slice_us);
    }
    tusk__list_init(&self->flush);
    tusk__list_init(&self->flush_large);
    tusk__list_init(&self->flush_others);
    tusk__list_init(&self->flush_more);
    tusk__list_init(&self->pending);
    tusk__list_init(&self->telling);
    tusk__list_init(&self->lingering);
    tusk__list_init(&self->cut);
    tusk__list_init(&self->working);
    self->flush_task.run = run_flush;
    self->others_task.run = run_others;
    self->more_task.run = run_more;
    self->tell_task.run = run_tell;
    self->linger_timer.on_due = on_linger;
    self->behind_task.run = tusk__net_run_behind;
    *out = self;
    return TUSK_OK;
}

void tusk_net_free(tusk_net *self)
{
    if (self == NULL) {
        return;
    }
    assert(self->conns == 0);
    tusk_task_cancel(&self->flush_task);
    tusk_task_cancel(&self->others_task);
    tusk_task_cancel(&self->more_task);
    tusk_task_cancel(&self->tell_task);
    tusk_timer_stop(self->loop, &self->linger_timer);
    tusk_task_cancel(&self->behind_task);
    for (unsigned size = 0; size < NET_REST_CLASSES; size++) {
        while (self->rests[size] != NULL) {
            void *rest = self->rests[size];
            memcpy(&self->rests[size], rest, sizeof(void *));
            tusk__free(self->mem, rest, (size_t)NET_REST_MIN << size);
        }
    }
    tusk__seg_pools_fini(self);
    tusk_late_batch_fini(&self->batch);
    tusk__free(self->mem, self->early, NET_PLACES_BYTES);
    tusk__free(self->mem, self->gather, NET_GATHER_BYTES);
    tusk__free(self->mem, self, sizeof(*self));
}

/* Of peers that take no more, what leaves only fills their kernel. */
static bool flush_makes_room(tusk_net *self, tusk_link *list)
{
    size_t had = tusk_net_room(self);
    uint64_t sent = self->counters.bytes_out;
    flush_some(self, list, NET_OTHERS_SHARE);
    sent = self->counters.bytes_out - sent;
    size_t has = tusk_net_room(self);
    return has > had && has - had >= sent / 2;
}

void tusk_net_flush(tusk_net *self, size_t room)
{
    tusk_link *lists[] = {&self->flush_large, &self->flush, &self->flush_others, &self->flush_more};
    uint64_t turn_ns = tusk_loop_now_ns(self->loop);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        while (!tusk__list_empty(lists[i]) && tusk_net_room(self) < room &&
               self->in_vain_ns != turn_ns) {
            self->in_vain_ns = flush_makes_room(self, lists[i]) ? 0 : turn_ns;
        }
    }
    self->lags = self->lags && !tusk__list_empty(&self->flush_others);
}

void tusk_net_on_full(tusk_net *self, bool (*make_room)(void *user, tusk_conn *conn, size_t len),
                      void *user)
{
    self->make_room = make_room;
    self->room_user = user;
}

const tusk_net_counters *tusk_net_count(const tusk_net *self)
{
    return &self->counters;
}

size_t tusk_net_rests(const tusk_net *self)
{
    return self->rest_bytes;
}

void tusk_net_hold(tusk_net *self, size_t bytes)
{
    self->held_outside = bytes;
}

void tusk_net_reserve(tusk_net *self, size_t bytes)
{
    size_t total = self->limits.queued_bytes_total;
    self->queued_max = total - (bytes < total ? bytes : total);
}

size_t tusk_net_room(const tusk_net *self)
{
    return tusk__net_room(self);
}

size_t tusk_net_queued(const tusk_net *self)
{
    return self->queued;
}
