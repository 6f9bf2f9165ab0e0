/* SPDX-License-Identifier: MIT */
/* A loop's life; what a fork leaves of it. */
#define _GNU_SOURCE
#include <tusk/loop.h>

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "loop/inner.h"
#include "loop/process.h"

static const tusk__poller *poller_named(const char *name)
{
    const tusk__poller *all[] = {tusk__poller_epoll(), tusk__poller_kqueue(), tusk__poller_poll(),
                                 tusk__poller_select()};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i] != NULL && (name == NULL || strcmp(name, all[i]->name) == 0)) {
            return all[i];
        }
    }
    return NULL;
}

tusk_err tusk_loop_new(tusk_loop **out, const tusk_loop_options *options)
{
    *out = NULL;
    static const tusk_loop_options defaults;
    options = options == NULL ? &defaults : options;
    const tusk_mem *mem = options->mem == NULL ? tusk_mem_default() : options->mem;
    const tusk__poller *poller = poller_named(options->poller);
    if (poller == NULL) {
        return TUSK_ENOTSUP;
    }
    tusk__hold_standard();
    tusk_err err = TUSK_ENOMEM;
    tusk_loop *self = tusk__new(mem, sizeof(*self));
    if (self == NULL) {
        return err;
    }
    self->mem = mem;
    self->poller = poller;
    self->forks = options->forks;
    self->patient.ns = LOOP_PATIENT_NS;
    self->landing_cap = options->landing_bytes == 0 ? LOOP_LANDING_BYTES : options->landing_bytes;
    self->landing = tusk__resize(mem, NULL, 0, self->landing_cap);
    if (self->landing == NULL) {
        goto fail;
    }
    tusk__node_init(&self->fine);
    tusk__node_init(&self->due);
    tusk__node_init(&self->running);
    tusk__node_init(&self->tasks);
    tusk__node_init(&self->round);
    tusk__node_init(&self->late);
    tusk__node_init(&self->late_round);
    tusk__node_init(&self->behind);
    tusk__node_init(&self->behind_round);
    tusk__node_init(&self->wakeups);
    tusk_loop_catch_up(self);
    tusk__wheel_init(&self->wheel, self->now_ms);
    err = poller->open(self);
    if (err != TUSK_OK) {
        goto fail;
    }
    *out = self;
    return TUSK_OK;

fail:
    tusk__free(mem, self->landing, self->landing_cap);
    tusk__free(mem, self, sizeof(*self));
    return err;
}

void tusk_loop_free(tusk_loop *self)
{
    if (self == NULL) {
        return;
    }
    assert(self->ios == 0 && self->timers == 0 && self->signals == 0);
    self->poller->close(self);
    tusk__free(self->mem, self->changed, self->changed_cap * sizeof(self->changed[0]));
    tusk__free(self->mem, self->patient.line, self->patient.cap * sizeof(self->patient.line[0]));
    tusk__free(self->mem, self->landing, self->landing_cap);
    tusk__free(self->mem, self, sizeof(*self));
}

const char *tusk_loop_driver(const tusk_loop *self)
{
    return self->poller->name;
}

const tusk_mem *tusk_loop_mem(const tusk_loop *self)
{
    return self->mem;
}

uint64_t tusk_loop_now_ms(const tusk_loop *self)
{
    return self->now_ms;
}

void tusk_loop_catch_up(tusk_loop *self)
{
    self->now_ns = tusk_loop_clock_ns();
    self->now_ms = self->now_ns / 1000000u;
}

uint64_t tusk_loop_now_ns(const tusk_loop *self)
{
    return self->now_ns;
}

uint8_t *tusk_loop_landing(tusk_loop *self, size_t *cap)
{
    *cap = self->landing_cap;
    return self->landing;
}

void tusk_loop_count(const tusk_loop *self, tusk_loop_counters *out)
{
    *out = self->counters;
}

/* ---- fork ---- */
bool tusk_loop_may_fork(const tusk_loop *self)
{
    uint32_t own = self->watched == NULL ? 0 : 1;
    for (const struct tusk_loop_node *node = self->wakeups.next; node != &self->wakeups;
         node = node->next) {
        own++;
    }
    return self->ios == own;
}

tusk_err tusk_loop_forked(tusk_loop *self)
{
    if (self == NULL) {
        return tusk__signals_forked(NULL);
    }
    if (!tusk_loop_may_fork(self)) {
        return TUSK_ESTATE;
    }
    self->ios = 0;
    tusk_loop_catch_up(self); /* its parent may have turned another one for hours */
    self->changed_len = 0;
    self->batch_at = self->batch_len = self->batch_first = self->batch_seen = 0;
    self->halves = false;
    self->patient.head = self->patient.held = self->patient.tail;
    self->poller->close(self);
    tusk_err err = self->poller->open(self);
    err = err == TUSK_OK ? tusk__wakeups_forked(self) : err;
    return err == TUSK_OK ? tusk__signals_forked(self) : err;
}
