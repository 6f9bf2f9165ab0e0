/* SPDX-License-Identifier: MIT */
/* A pool's processes: begun, ended, begun again. */
#include "src/parallel/async.h"

#include "src/run/call.h"

#include <Zend/zend_exceptions.h>
#include <errno.h>

enum { SPIN_US = 50, GRACE_MS = 250 };

/* ---- opened ---- */
/* A pool and its tasks know each other: one that nobody holds is found by PHP's collector, which
 * counts values and not processes. */
static void collect_lost_pools(void)
{
    enum { POOLS_FEW = 8 };
    uint32_t bound = TUSK_G(pools_kept) * 2;
    if (UNEXPECTED(TUSK_G(pools) >= (bound < POOLS_FEW ? POOLS_FEW : bound))) {
        (void)zend_gc_collect_cycles();
        TUSK_G(pools_kept) = TUSK_G(pools);
    }
}

bool tusk_pool_open(tusk_pool *self)
{
    collect_lost_pools();
    self->options.calls = &tusk_pool_calls;
    self->options.user = self;
    self->options.spin_us = SPIN_US;
    self->options.grace_ms = GRACE_MS;
    self->made = tusk_moment_now();
    if (self->fresh && !tusk_fresh_prepare(self)) {
        return false;
    }
    self->slots = self->options.queue;
    if (self->by_slot != NULL) {
        efree(self->by_slot);
    }
    self->by_slot = ecalloc(self->slots, sizeof(*self->by_slot));
    tusk_err err = tusk_work_open(&self->core, &self->options);
    if (err != TUSK_OK) {
        zend_throw_exception_ex(tusk_ce_exception, err,
                                "Cannot start worker processes: %s (new Tusk\\Parallel\\Sync() "
                                "runs the same tasks in this process)",
                                err == TUSK_ESYS ? strerror(errno) : tusk_err_text(err));
        return false;
    }
    self->lane = tusk_work_lane(self->core);
    self->forks = tusk_calls_forks();
    self->closed = false;
    TUSK_G(pools)++;
    return true;
}

/* ---- closed ---- */
static void cancel_closed(tusk_pool *self, tusk_php_task *task)
{
    tusk_task_fail(task, tusk_ce_cancelled, "The pool was closed");
    task->state = TASK_CANCELLED;
    tusk_task_count(task, &self->counters);
}

static void drop_tasks(tusk_pool *self)
{
    for (uint32_t i = 0; i < self->slots && self->by_slot != NULL; i++) {
        tusk_php_task *task = self->by_slot[i];
        if (task != NULL) {
            self->by_slot[i] = NULL;
            task->in_slot = false;
            bool freed = (OBJ_FLAGS(&task->std) & IS_OBJ_FREE_CALLED) != 0; /* by the collector */
            if (!freed && !tusk_task_ended(task)) {
                cancel_closed(self, task);
            }
            OBJ_RELEASE(&task->std);
        }
    }
}

/* One that runs, and closes what runs it, goes on. */
static void drop_tasks_here(tusk_pool *self)
{
    tusk_php_task *task = self->here;
    while (task != NULL) {
        bool ends = task->state != TASK_RUNNING;
        if (ends) {
            cancel_closed(self, task); /* with the destructors of its job */
        }
        task = ends ? self->here : task->here_next;
    }
}

void tusk_pool_close(tusk_pool *self)
{
    if (self->closed) {
        return;
    }
    self->closed = true;
    if (self->spare != NULL) {
        OBJ_RELEASE(&self->spare->std);
        self->spare = NULL;
    }
    if (self->worker != NULL) {
        return; /* the application's, in a copy of it */
    }
    if (self->async != NULL) {
        tusk_async_close(self->async);
        return;
    }
    tusk_pool_leave_loop(self);
    drop_tasks(self);
    drop_tasks_here(self);
    for (pool_waiter *waiter = self->waiters; waiter != NULL; waiter = waiter->next) {
        tusk_wait_wake(&waiter->wait);
    }
    TUSK_G(pools) -= self->core != NULL;
    tusk_work_close(self->core);
    self->core = NULL;
    self->lane = NULL;
}

/* ---- opened again ---- */
/* With a new template. What kept it from its processes passes: so a pool that has none is not
 * closed, and the next task asks again. */
bool tusk_pool_open_again(tusk_pool *self)
{
    enum { AGAIN_NS = 100 * 1000 * 1000 };
    tusk_pool_close(self);
    if (self->broken != NULL) {
        zend_string_release(self->broken);
        self->broken = NULL;
    }
    self->unready = false;
    self->again_ns = 0;
    if (!tusk_pool_open(self)) {
        self->again_ns = tusk_loop_clock_ns() + AGAIN_NS;
        self->broken = zend_string_init(ZEND_STRL("The pool has no processes: they could not be "
                                                  "started when it was opened again"),
                                        0);
        return false;
    }
    return true;
}
