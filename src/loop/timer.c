/* SPDX-License-Identifier: MIT */
/* Timers: a hierarchical wheel of millisecond ticks, and a list of those that are finer. */
#include <assert.h>
#include <string.h>

#include "loop/inner.h"

#define WHEEL_BITS 6
#define WHEEL_MASK (WHEEL_SLOTS - 1)
#define FINE_STEPS_MAX 64
#define LATE_MS_MIN 100u
#define LATE_MS_MAX 1000u

/*
 * A timer stands at the level of the highest digit (base 64) in which its due time differs from the
 * wheel's present, in the slot of that digit. So a slot is never shared by two rounds of the wheel,
 * all slots in use lie ahead of the present, and every slot of a lower level comes before every
 * slot of a higher one.
 */
static unsigned digit(uint64_t tick, unsigned level)
{
    return (unsigned)(tick >> (level * WHEEL_BITS)) & WHEEL_MASK;
}

static unsigned level_of(uint64_t difference)
{
    return (63u - (unsigned)__builtin_clzll(difference)) / WHEEL_BITS;
}

static void mark(tusk__wheel *self, unsigned level, unsigned slot)
{
    self->used[level] |= UINT64_C(1) << slot;
    self->levels |= 1u << level;
}

static void unmark(tusk__wheel *self, unsigned level, unsigned slot)
{
    self->used[level] &= ~(UINT64_C(1) << slot);
    if (self->used[level] == 0) {
        self->levels &= ~(1u << level);
    }
}

void tusk__wheel_insert(tusk__wheel *self, tusk_timer *timer)
{
    unsigned level = level_of(timer->due_ms ^ self->now);
    unsigned slot = digit(timer->due_ms, level);
    tusk__node_push(&self->slots[level][slot], &timer->node);
    mark(self, level, slot);
}

void tusk__wheel_init(tusk__wheel *self, uint64_t now)
{
    memset(self->used, 0, sizeof(self->used));
    self->levels = 0;
    self->now = now;
    for (unsigned level = 0; level < WHEEL_LEVELS; level++) {
        for (unsigned slot = 0; slot < WHEEL_SLOTS; slot++) {
            tusk__node_init(&self->slots[level][slot]);
        }
    }
}

static bool find_next(const tusk__wheel *self, unsigned *level, unsigned *slot, uint64_t *when)
{
    if (self->levels == 0) {
        return false;
    }
    unsigned l = (unsigned)__builtin_ctz(self->levels);
    unsigned shift = l * WHEEL_BITS;
    *level = l;
    *slot = (unsigned)__builtin_ctzll(self->used[l]);
    uint64_t above =
        l + 1 == WHEEL_LEVELS ? 0 : self->now >> (shift + WHEEL_BITS) << (shift + WHEEL_BITS);
    *when = above | (uint64_t)*slot << shift;
    return true;
}

bool tusk__wheel_next(const tusk__wheel *self, uint64_t *when)
{
    unsigned level;
    unsigned slot;
    return find_next(self, &level, &slot, when);
}

void tusk__wheel_advance(tusk__wheel *self, uint64_t now, struct tusk_loop_node *due)
{
    unsigned level;
    unsigned slot;
    uint64_t when;
    while (find_next(self, &level, &slot, &when) && when <= now) {
        struct tusk_loop_node moving;
        struct tusk_loop_node *node;
        tusk__node_init(&moving);
        tusk__node_splice(&moving, &self->slots[level][slot]);
        unmark(self, level, slot);
        self->now = when;
        while ((node = tusk__node_pop(&moving)) != NULL) {
            tusk_timer *timer = TUSK_OWNER(node, tusk_timer, node);
            if (timer->due_ms <= when) {
                tusk__node_push(due, node);
            } else {
                tusk__wheel_insert(self, timer);
            }
        }
    }
    if (now > self->now) {
        self->now = now;
    }
}

/* The last timer of a slot leaves: its neighbour on both sides is the slot's head. */
static void forget_slot(tusk__wheel *self, const struct tusk_loop_node *node)
{
    const struct tusk_loop_node *head = node->prev;
    const struct tusk_loop_node *first = &self->slots[0][0];
    if (head == node->next && head >= first && head < first + WHEEL_LEVELS * WHEEL_SLOTS) {
        size_t index = (size_t)(head - first);
        unmark(self, (unsigned)(index / WHEEL_SLOTS), (unsigned)(index % WHEEL_SLOTS));
    }
}

void tusk_timer_stop(tusk_loop *loop, tusk_timer *self)
{
    if (tusk__node_linked(&self->node)) {
        forget_slot(&loop->wheel, &self->node);
        tusk__node_remove(&self->node);
        loop->timers--;
    }
}

void tusk_timer_start_at(tusk_loop *loop, tusk_timer *self, uint64_t due_ms)
{
    tusk_timer_stop(loop, self);
    loop->timers++;
    self->put_off = false;
    self->due_ms = due_ms & TUSK_TIMER_DUE_MAX;
    if (due_ms <= loop->now_ms) {
        tusk__node_push(&loop->due, &self->node);
    } else {
        tusk__wheel_insert(&loop->wheel, self);
    }
}

void tusk_timer_start(tusk_loop *loop, tusk_timer *self, uint64_t delay_ms)
{
    if (delay_ms == 0) {
        tusk_timer_start_at(loop, self, loop->now_ms);
        return;
    }
    /* Up to the next whole tick: a timer may be late by part of a tick, never early. */
    uint64_t from = (tusk_loop_clock_ns() + 999999u) / 1000000u;
    tusk_timer_start_at(
        loop, self, delay_ms > TUSK_TIMER_DUE_MAX - from ? TUSK_TIMER_DUE_MAX : from + delay_ms);
}

bool tusk__timer_put_off(tusk_loop *loop, tusk_timer *self)
{
    uint64_t late_ms = loop->now_ms - self->due_ms;
    if (late_ms < LATE_MS_MIN || self->put_off) {
        return false;
    }
    tusk_timer_start(loop, self, late_ms < LATE_MS_MAX ? late_ms : LATE_MS_MAX);
    self->put_off = true;
    return true;
}

/* The latest that is not later; NULL: too many are. */
static struct tusk_loop_node *place_of(struct tusk_loop_node *fine, uint64_t due_ns)
{
    struct tusk_loop_node *at = fine->prev;
    for (int steps = 0; at != fine; steps++) {
        if (TUSK_OWNER(at, tusk_timer, node)->due_ms <= due_ns) {
            return at;
        }
        if (steps == FINE_STEPS_MAX) {
            return NULL;
        }
        at = at->prev;
    }
    return at;
}

void tusk_timer_start_ns(tusk_loop *loop, tusk_timer *self, uint64_t delay_ns)
{
    assert(!self->deadline);
    uint64_t now_ns = tusk_loop_clock_ns();
    uint64_t due_ns =
        delay_ns > TUSK_TIMER_DUE_MAX - now_ns ? TUSK_TIMER_DUE_MAX : now_ns + delay_ns;
    tusk_timer_stop(loop, self);
    struct tusk_loop_node *at = delay_ns == 0 ? NULL : place_of(&loop->fine, due_ns);
    if (at == NULL) {
        tusk_timer_start(loop, self, delay_ns / 1000000 + (delay_ns % 1000000 != 0));
        return;
    }
    loop->timers++;
    self->due_ms = due_ns & TUSK_TIMER_DUE_MAX;
    tusk__node_push(at->next, &self->node);
}

bool tusk__fine_next(const tusk_loop *loop, uint64_t *due_ns)
{
    const struct tusk_loop_node *first = loop->fine.next;
    if (first == &loop->fine) {
        return false;
    }
    *due_ns = TUSK_OWNER(first, tusk_timer, node)->due_ms;
    return true;
}

void tusk__fine_advance(tusk_loop *loop)
{
    uint64_t due_ns;
    while (tusk__fine_next(loop, &due_ns) && due_ns <= loop->now_ns) {
        tusk__node_push(&loop->due, tusk__node_pop(&loop->fine));
    }
}

bool tusk_timer_running(const tusk_timer *self)
{
    return tusk__node_linked(&self->node);
}
