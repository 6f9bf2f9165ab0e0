/* SPDX-License-Identifier: MIT */
/* Dials in line for a place, while all their targets are full. */
#include "relay/route/queue.h"

#include "relay/shared.h"

/* As often a worker looks for a place that became free in another one; spread. */
enum { QUEUE_AGAIN_MS = 5, QUEUE_SPREAD_MS = 8 };
/* So long a kept connection may take to give its place up: its worker may be in a resolver. */
enum { GIVEN_UP_MS = 1000 };

static void count_waiters(const relay_dial *self, uint32_t change)
{
    for (uint32_t i = 0; i < self->answer->choice_count; i++) {
        self->answer->choices[i].target->waiters += change;
    }
}

void relay_queue_leave(relay_dial *self)
{
    if (self->state == DIAL_LINE) {
        tusk__link_remove(&self->waiting);
        count_waiters(self, UINT32_MAX); /* one less */
    }
}

/* Where a connection is kept for nothing, or is being closed, somebody waits for its place,
 * whatever queue_ms says: to the client that target has room. */
static uint32_t patience(const relay_dial *self)
{
    uint32_t limit_ms = self->relay->limits.queue_ms;
    for (uint32_t i = 0; i < self->answer->choice_count; i++) {
        relay_target *target = self->answer->choices[i].target;
        if ((self->tried >> i & 1) == 0 &&
            (target->leaving > 0 || relay_target_make_room(target))) {
            return limit_ms > GIVEN_UP_MS ? limit_ms : GIVEN_UP_MS;
        }
    }
    return limit_ms;
}

void relay_queue_say_full(const relay_dial *self)
{
    tusk_relay *relay = self->relay;
    const relay_target *target = self->answer->choices[0].target;
    relay->stats.refused_target++;
    relay_say(relay, NOTICE_TARGET, "%s%s as many connections as may be (perTarget %u): refused",
              target->text, self->answer->choice_count > 1 ? " and those beside it have" : " has",
              (unsigned)relay->limits.per_target);
}

bool relay_queue_wait(relay_dial *self)
{
    tusk_relay *relay = self->relay;
    uint32_t limit_ms = patience(self);
    if (self->waited_ms >= limit_ms) {
        relay->stats.queue_timeouts += self->queued_ms != 0; /* its turn came before its timer's */
        relay_queue_say_full(self);
        return false;
    }
    relay->stats.queue_waits += self->queued_ms == 0 ? 1 : 0;
    self->queued_ms = tusk_loop_now_ms(relay->loop);
    self->state = DIAL_LINE;
    count_waiters(self, 1);
    tusk__list_push(&relay->queue, &self->waiting);
    tusk_timer_start(relay->loop, &self->timer, limit_ms - self->waited_ms);
    if (relay->share != NULL && !tusk_timer_running(&relay->queue_timer)) {
        tusk_timer_start(relay->loop, &relay->queue_timer,
                         QUEUE_AGAIN_MS + relay->share->seat % QUEUE_SPREAD_MS);
    }
    return true;
}

static void go_on(tusk_relay *relay)
{
    tusk_link *link;
    tusk__list_splice(&relay->queue_round, &relay->queue);
    while ((link = relay->queue_round.next) != &relay->queue_round) {
        relay_dial *self = TUSK_OWNER(link, relay_dial, waiting);
        uint64_t waited = tusk_loop_now_ms(relay->loop) - self->queued_ms;
        relay_queue_leave(self);
        tusk_timer_stop(relay->loop, &self->timer);
        self->waited_ms += (uint32_t)waited;
        self->started_ms += waited;
        relay_dial_next(self);
    }
}

void relay_queue_due(tusk_timer *timer)
{
    go_on(TUSK_OWNER(timer, tusk_relay, queue_timer));
}

void relay_queue_run(tusk_task *task)
{
    go_on(TUSK_OWNER(task, tusk_relay, queue_task));
}
