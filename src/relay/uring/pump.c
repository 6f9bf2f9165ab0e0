/* SPDX-License-Identifier: MIT */
/*
 * Pairs in the ring: from one completion to the next request.
 *
 * A send never waits in the kernel (MSG_DONTWAIT): what the other side does not take at once is
 * held as the copying pump holds it, and its buffer is free again. So buffers are in use for one
 * round only, and no pair, however stalled, keeps one.
 */
#define _GNU_SOURCE
#include "relay/uring/queue.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/mem.h"

/* Rounds of one turn: more, and the other descriptors would wait. */
enum { ROUNDS_MAX = 8 };

static relay_uring *ring_of(const relay_pair *pair)
{
    return relay_of(pair)->uring;
}

/* ---- requests ---- */
static bool ask_room(relay_pair *pair, int side)
{
    unsigned kind = URING_ROOM + (unsigned)side;
    struct io_uring_sqe *sqe = uring_ask(ring_of(pair), pair, kind);
    if (sqe == NULL) {
        return false;
    }
    io_uring_prep_poll_add(sqe, pair->end[1 - side].io.fd, POLLOUT);
    io_uring_sqe_set_data64(sqe, uring_data(pair, kind));
    return true;
}

static bool ask_receive(relay_pair *pair, int side, uint32_t room)
{
    relay_uring *self = ring_of(pair);
    unsigned kind = URING_RECEIVE + (unsigned)side;
    struct io_uring_sqe *sqe = uring_ask(self, pair, kind);
    if (sqe == NULL) {
        return false;
    }
    uring_prepare_receive(self, sqe, pair->end[side].io.fd, room);
    io_uring_sqe_set_data64(sqe, uring_data(pair, kind));
    return true;
}

static uring_list *list_of(relay_uring *self, const relay_end *from, unsigned *count)
{
    uring_list *list = &self->list[self->lists];
    unsigned at = from->queued;
    *count = 0;
    for (; at != 0 && *count < URING_PIECES; at = self->next[at - 1], (*count)++) {
        list->piece[*count] =
            (struct iovec){.iov_base = uring_buffer(self, at - 1), .iov_len = self->len[at - 1]};
    }
    list->head = (struct msghdr){.msg_iov = list->piece, .msg_iovlen = *count};
    return list;
}

static bool ask_send(relay_pair *pair, int side)
{
    relay_uring *self = ring_of(pair);
    relay_end *from = &pair->end[side];
    int fd = pair->end[1 - side].io.fd;
    unsigned first = from->queued - 1u;
    unsigned kind = URING_SEND + (unsigned)side;
    unsigned count = 1;
    struct io_uring_sqe *sqe = uring_ask(self, pair, kind);
    if (sqe == NULL) {
        return false;
    }
    if (self->next[first] == 0 || self->lists == URING_LISTS) {
        io_uring_prep_send(sqe, fd, uring_buffer(self, first), self->len[first],
                           MSG_DONTWAIT | MSG_NOSIGNAL);
    } else {
        uring_list *list = list_of(self, from, &count);
        self->lists++;
        io_uring_prep_sendmsg(sqe, fd, &list->head, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    from->sending = (uint8_t)count;
    io_uring_sqe_set_data64(sqe, uring_data(pair, kind));
    return true;
}

/* ---- what is held ---- */
/* Room doubles up to the limit: who sends byte by byte does not make us copy all of it each time.
 */
static tusk_err hold_more(const relay_uring *self, relay_end *from, const uint8_t *ptr,
                          uint32_t len)
{
    relay_held *held = from->held;
    uint32_t need = held->len + len;
    if (held->start + need > held->cap) {
        uint32_t cap = held->cap * 2 < self->room ? held->cap * 2 : self->room;
        cap = cap < need ? need : cap;
        relay_held *larger = tusk__resize(self->relay->mem, NULL, 0, sizeof(*larger) + cap);
        if (larger == NULL) {
            return TUSK_ENOMEM;
        }
        *larger = (relay_held){.len = held->len, .cap = cap};
        memcpy(larger->bytes, held->bytes + held->start, held->len);
        tusk__free(self->relay->mem, held, sizeof(*held) + held->cap);
        from->held = held = larger;
    }
    memcpy(held->bytes + held->start + held->len, ptr, len);
    held->len += len;
    return TUSK_OK;
}

static tusk_err hold(relay_pair *pair, int side, const uint8_t *ptr, uint32_t len)
{
    if (pair->end[side].held == NULL) {
        relay_pair_stopped_reading(pair, side);
        return relay_pair_hold(pair, side, tusk_bytes_of(ptr, len));
    }
    return hold_more(ring_of(pair), &pair->end[side], ptr, len);
}

/* The queue, but for what was taken of it. */
static tusk_err hold_queue(relay_pair *pair, int side, uint32_t taken)
{
    relay_uring *self = ring_of(pair);
    relay_end *from = &pair->end[side];
    tusk_err err = TUSK_OK;
    while (from->queued != 0 && err == TUSK_OK) {
        unsigned number = from->queued - 1u;
        uint32_t len = self->len[number];
        uint32_t skipped = taken < len ? taken : len;
        taken -= skipped;
        if (skipped < len) {
            err = hold(pair, side, uring_buffer(self, number) + skipped, len - skipped);
        }
        uring_queue_pop(self, from);
    }
    return err;
}

/* ---- what is next; true: the pair is over, and its memory may be gone ---- */
static bool no_memory(relay_pair *pair)
{
    relay_pair_close(pair, "out of memory", true);
    return true;
}

/* The socket of `side` is gone. What it had said is still to come: first what is received already,
 * then, once the kernel has let go of it, what can be read. */
static void note_lost(relay_pair *pair, int side)
{
    relay_end *end = &pair->end[side];
    unsigned receive = URING_RECEIVE + (unsigned)side;
    if (!end->lost && uring_is_under_way(pair, receive)) {
        (void)uring_cancel(ring_of(pair), pair, receive);
    }
    end->lost = true;
}

/* Nothing is read from it any more: the poller tells when it is reset (a poll of the ring's would
 * tell of its end, too). */
static bool watch_end(relay_pair *pair, int side)
{
    tusk_err err = tusk_io_add(ring_of(pair)->relay->loop, &pair->end[side].io, 0);
    return err != TUSK_OK && no_memory(pair);
}

static bool wait_for_room(relay_pair *pair, int side)
{
    return !uring_is_under_way(pair, URING_ROOM + (unsigned)side) && !ask_room(pair, side) &&
           no_memory(pair);
}

static bool receive_more(relay_pair *pair, int side)
{
    relay_uring *self = ring_of(pair);
    relay_end *from = &pair->end[side];
    uint32_t queued = uring_queue_bytes(self, from, URING_BUFFERS);
    uint32_t room = self->room > queued ? self->room - queued : 0;
    return from->held == NULL && room >= self->buffer_bytes && !ask_receive(pair, side, room) &&
           no_memory(pair);
}

static bool end_direction(relay_pair *pair, int side)
{
    (void)relay_direction_become(&pair->end[side], DIR_DRAINED);
    return relay_pair_shut(pair, side) || watch_end(pair, side);
}

/* What the lost side has still said goes on, as far as the other one takes it at once. */
static void empty(relay_pair *pair, int side)
{
    relay_end *from = &pair->end[side];
    if (!from->ended) {
        relay_pair_empty(pair, side);
    } else if (from->held != NULL) {
        (void)relay_copy_move(pair, side);
    }
}

/* After anything that changed this direction. */
static bool go_on(relay_pair *pair, int side)
{
    relay_end *from = &pair->end[side];
    if (from->queued != 0 && !uring_is_under_way(pair, URING_SEND + (unsigned)side) &&
        !ask_send(pair, side)) {
        return no_memory(pair);
    }
    bool receives = uring_is_under_way(pair, URING_RECEIVE + (unsigned)side);
    if (from->lost) {
        if (from->queued == 0 && !receives) {
            empty(pair, side);
            relay_pair_lose(pair, side);
            return true;
        }
        return false;
    }
    if (from->state == DIR_EOF && from->queued == 0 && from->held == NULL) {
        return end_direction(pair, side);
    }
    bool wants = from->state == DIR_OPEN && !receives && !tusk__link_linked(&pair->busy);
    return wants && receive_more(pair, side);
}

static bool lose(relay_pair *pair, int side)
{
    note_lost(pair, side);
    return go_on(pair, side);
}

/* ---- completions ---- */
static bool take_in(relay_pair *pair, int side, unsigned number, uint32_t len)
{
    relay_uring *self = ring_of(pair);
    relay_end *from = &pair->end[side];
    const uint8_t *bytes = uring_buffer(self, number);
    relay_pair_moved(pair, side, len);
    relay_pair_look(pair, side, tusk_bytes_of(bytes, len));
    if (from->held == NULL) {
        uring_queue_push(self, from, number, len);
        return false;
    }
    tusk_err err = hold_more(self, from, bytes, len);
    uring_give(self, number);
    return err != TUSK_OK && no_memory(pair);
}

/* The buffer of a receive, if it took one. */
static bool take_buffer(relay_uring *self, relay_pair *pair, int side,
                        const struct io_uring_cqe *cqe)
{
    if ((cqe->flags & IORING_CQE_F_BUFFER) == 0) {
        return false;
    }
    unsigned number = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
    uring_took(self);
    if (cqe->res <= 0 || pair->end[1 - side].lost) {
        pair->end[side].bytes += cqe->res > 0 ? (uint64_t)cqe->res : 0;
        uring_give(self, number);
        return false;
    }
    return take_in(pair, side, number, (uint32_t)cqe->res);
}

static void starve(relay_uring *self, relay_pair *pair)
{
    self->relay->stats.uring_starved++;
    uring_shelve_all(self);
    if (!tusk__link_linked(&pair->busy)) {
        tusk__list_push(&self->hungry, &pair->busy);
    }
}

static bool is_failure(int result)
{
    return result < 0 && result != -ENOBUFS && result != -ECANCELED && result != -EINTR &&
           result != -EAGAIN;
}

static void on_received(relay_uring *self, relay_pair *pair, int side,
                        const struct io_uring_cqe *cqe)
{
    if (take_buffer(self, pair, side, cqe)) {
        return;
    }
    if (cqe->res == 0) {
        (void)relay_direction_become(&pair->end[side], DIR_EOF);
    } else if (cqe->res == -ENOBUFS) {
        starve(self, pair);
    } else if (is_failure(cqe->res)) {
        pair->end[side].ended = true; /* and there is nothing more to be read */
        note_lost(pair, side);
    }
    (void)go_on(pair, side);
}

static void on_sent(relay_uring *self, relay_pair *pair, int side, int result)
{
    relay_end *from = &pair->end[side];
    unsigned count = from->sending;
    uint32_t wanted = uring_queue_bytes(self, from, count);
    from->sending = 0;
    if (is_failure(result)) {
        uring_queue_drop(self, from, 0);
        relay_pair_failed(pair, 1 - side, -result);
        (void)lose(pair, 1 - side);
        return;
    }
    if (result >= 0 && (uint32_t)result == wanted) {
        for (; count > 0; count--) {
            uring_queue_pop(self, from);
        }
    } else if (hold_queue(pair, side, result > 0 ? (uint32_t)result : 0) != TUSK_OK) {
        (void)no_memory(pair);
        return;
    } else if (wait_for_room(pair, side)) {
        return;
    }
    (void)go_on(pair, side);
}

/* What is held goes on as the copying pump does it. */
static bool on_room(relay_pair *pair, int side)
{
    relay_end *from = &pair->end[side];
    if (from->held == NULL) {
        return false;
    }
    relay_moved moved = relay_copy_move(pair, side);
    if (moved == MOVED_BLOCKED) {
        return wait_for_room(pair, side);
    }
    if (moved == MOVED_TO_LOST) {
        return lose(pair, 1 - side);
    }
    if (moved == MOVED_EOF) {
        return relay_pair_shut(pair, side) || watch_end(pair, side);
    }
    return go_on(pair, side);
}

static void hang_up(relay_pair *pair, int side)
{
    tusk_io_remove(ring_of(pair)->relay->loop, &pair->end[side].io);
    if (relay_pair_is_reset(pair, side)) {
        (void)lose(pair, side);
    }
}

/* ---- rounds ---- */
static void on_completion(relay_uring *self, const struct io_uring_cqe *cqe)
{
    relay_pair *pair = uring_pair(cqe->user_data);
    unsigned kind = (unsigned)(cqe->user_data & (URING_KINDS - 1));
    int side = (int)(kind & 1u);
    if (pair == NULL) { /* of a cancellation nothing: what it cancelled tells */
        self->poller_asked = self->poller_asked && kind != URING_POLLER;
        return;
    }
    if ((cqe->flags & IORING_CQE_F_MORE) == 0) {
        pair->under_way = (uint8_t)(pair->under_way & ~(1u << kind));
    }
    if (pair->state == PAIR_OVER) {
        uring_late(self, pair, kind, cqe);
        return;
    }
    switch (kind & ~1u) {
    case URING_RECEIVE: on_received(self, pair, side, cqe); break;
    case URING_SEND: on_sent(self, pair, side, cqe->res); break;
    case URING_ROOM: (void)on_room(pair, side); break;
    default: break;
    }
}

/* Those who found no buffer, or no entry to be cancelled by, try again. */
static void feed(relay_uring *self)
{
    tusk_link *link = self->hungry.next;
    while (self->free > 0 && link != &self->hungry) {
        relay_pair *pair = TUSK_OWNER(link, relay_pair, busy);
        link = link->next;
        tusk__link_remove(&pair->busy);
        if (pair->state == PAIR_OVER) {
            if (!uring_cancel_all(self, pair)) {
                tusk__list_push(&self->hungry, &pair->busy);
                return;
            }
        } else if (!go_on(pair, RELAY_CLIENT)) {
            (void)go_on(pair, RELAY_BACKEND);
        }
    }
}

static bool reap_round(relay_uring *self, uint64_t run)
{
    struct io_uring_cqe cqe;
    while (uring_next(self, &cqe)) {
        on_completion(self, &cqe);
        if (self->runs != run) {
            return false;
        }
    }
    uring_shelve(self);
    uring_stock(self);
    feed(self);
    return self->runs == run;
}

/* Until nothing is left: nobody waits in the ring. */
static void reap_rounds(relay_uring *self, uint64_t run)
{
    bool taken = true;
    for (int round = 0; taken && round < ROUNDS_MAX; round++) {
        taken = uring_enter(self);
        if (!reap_round(self, run)) {
            return;
        }
        if (io_uring_sq_ready(&self->ring) == 0) {
            tusk_task_cancel(&self->task);
            return;
        }
    }
    if (!uring_enter(self)) {
        tusk_task_defer_late(self->relay->loop, &self->task); /* the kernel takes nothing now */
    }
}

void uring_reap(relay_uring *self)
{
    uint64_t run = ++self->runs;
    if (self->poller >= 0) {
        (void)reap_round(self, run); /* the next wait submits */
    } else {
        reap_rounds(self, run);
    }
}

/* ---- joined ---- */
static void take(relay_pair *pair)
{
    relay_uring *self = ring_of(pair);
    if (self->pairs++ == 0) {
        tusk_loop_background(self->relay->loop, -1);
    }
    pair->ringed = true;
    self->relay->stats.switched_to_uring++;
    for (int side = 0; side < 2; side++) {
        tusk_io_remove(self->relay->loop, &pair->end[side].io);
        pair->end[side].readable = pair->end[side].ended = false; /* the ring looks itself */
    }
    for (int side = 0; side < 2; side++) {
        bool over = pair->end[side].held != NULL ? on_room(pair, side) : go_on(pair, side);
        if (over) {
            return;
        }
    }
}

const relay_ring_ops uring_ops = {.take = take,
                                  .hang_up = hang_up,
                                  .leave = uring_leave,
                                  .keeps = uring_keeps,
                                  .owes = uring_owes,
                                  .unread = uring_unread};
