/* SPDX-License-Identifier: MIT */
/* How tasks end, and how one waits for that: plainly, inside a server, or inside a task. */
#include "src/parallel/async.h"

#include "src/parameters.h"
#include "src/run/call.h"

#include <Zend/zend_exceptions.h>
#include <ext/spl/spl_exceptions.h>
#include <signal.h>
#include <sys/wait.h>

#define OWNER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))
#define TICK_MS 100

/* ---- ending ---- */
static bool is_for(const pool_waiter *waiter, const tusk_php_task *task)
{
    for (uint32_t i = 0; i < waiter->count; i++) {
        if (waiter->tasks[i] == task) {
            return true;
        }
    }
    return waiter->count == 0;
}

/* Whoever waits for it, whoever looked: it may be somebody else who took it in. */
static void wake_waiters(tusk_pool *pool, const tusk_php_task *task)
{
    for (pool_waiter *waiter = pool->waiters; waiter != NULL; waiter = waiter->next) {
        if (is_for(waiter, task)) {
            tusk_wait_wake(&waiter->wait);
        }
    }
}

static void leave_slot(tusk_pool *pool, tusk_php_task *task)
{
    if (task->in_slot) {
        task->in_slot = false;
        pool->by_slot[task->slot] = NULL;
        pool->settled++;
        wake_waiters(pool, task);
        OBJ_RELEASE(&task->std);
    }
}

static void tell_loss(tusk_pool *pool, tusk_php_task *task, int status)
{
    if (task->cancelled) {
        tusk_task_fail(task, tusk_ce_cancelled,
                       "The task did not heed its cancellation: worker %u of the pool "
                       "(process %d) was killed",
                       task->worker, task->pid);
        task->state = TASK_CANCELLED;
    } else if (tusk_task_is_late(task)) {
        tusk_task_fail(task, tusk_ce_deadline_exceeded,
                       "The deadline passed while the task ran, "
                       "and it did not heed that: worker %u of the pool (process %d) was killed",
                       task->worker, task->pid);
    } else if (status < 0) {
        tusk_task_fail(task, tusk_ce_worker_crashed,
                       "Worker %u of the pool (process %d) wrote over the "
                       "memory of the task, or vanished",
                       task->worker, task->pid);
    } else if (WIFSIGNALED(status)) {
        tusk_task_fail(task, tusk_ce_worker_crashed,
                       "Worker %u of the pool (process %d) was ended by signal "
                       "%d (%s) while it ran the task",
                       task->worker, task->pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        tusk_task_fail(task, tusk_ce_worker_crashed,
                       "Worker %u of the pool (process %d) ended with status %d "
                       "while it ran the task",
                       task->worker, task->pid, WEXITSTATUS(status));
    }
}

static bool try_again(tusk_pool *pool, tusk_php_task *task)
{
    if (task->retry == 0 || task->cancelled || tusk_task_is_late(task) || pool->closed) {
        return false;
    }
    task->retry--;
    task->attempts++;
    task->pid = 0;
    task->state = TASK_QUEUED;
    task->crashed = false;
    pool->counters.retried++;
    return true;
}

/* Code of what arrives may run, and looks at tasks as well: it finds them as they are. */
static void take_answer(tusk_pool *pool, tusk_php_task *task, tusk_bytes bytes)
{
    zend_fiber_switch_block();
    pool->packing = true;
    tusk_task_answer(task, bytes);
    pool->packing = false;
    zend_fiber_switch_unblock();
}

void tusk_pool_settle(tusk_pool *pool, tusk_php_task *task)
{
    tusk_work_result result;
    if (UNEXPECTED(pool->packing) || !tusk_pool_is_ours(pool)) {
        return;
    }
    tusk_work_state state = tusk_lane_look(pool->lane, task->slot, &result);
    task->worker = result.worker;
    task->pid = result.pid == 0 ? task->pid : result.pid;
    if (state <= TUSK_WORK_RUNNING) {
        task->state = state == TUSK_WORK_RUNNING ? TASK_RUNNING : TASK_QUEUED;
        return;
    }
    if (state == TUSK_WORK_LOST) {
        if (try_again(pool, task)) {
            tusk_lane_again(pool->lane, task->slot, task->deadline_ns);
            tusk_lane_flush(pool->lane);
            return;
        }
        tell_loss(pool, task, result.status);
    } else {
        take_answer(pool, task, result.bytes);
        if (task->crashed && try_again(pool, task)) {
            OBJ_RELEASE(task->error);
            task->error = NULL;
            tusk_lane_again(pool->lane, task->slot, task->deadline_ns);
            tusk_lane_flush(pool->lane);
            return;
        }
    }
    tusk_task_count(task, &pool->counters);
    tusk_lane_release(pool->lane, task->slot);
    leave_slot(pool, task);
}

static void withdraw(tusk_pool *pool, tusk_php_task *task, bool late)
{
    if (late) {
        tusk_task_late(task);
    } else {
        tusk_task_fail(task, tusk_ce_cancelled, "The task was cancelled before it began");
        task->state = TASK_CANCELLED;
        tusk_task_count(task, &pool->counters);
    }
    leave_slot(pool, task);
}

bool tusk_pool_cancel(tusk_pool *pool, tusk_php_task *task)
{
    if (tusk_task_ended(task) || pool == NULL) {
        return false;
    }
    if (pool->async != NULL) {
        return tusk_async_cancel(task);
    }
    if (!task->in_slot) {
        if (task->state == TASK_RUNNING) {
            return false; /* by itself, on this very stack */
        }
        withdraw(pool, task, false);
        return true;
    }
    if (!tusk_pool_is_ours(pool)) {
        return false;
    }
    if (tusk_lane_withdraw(pool->lane, task->slot)) {
        withdraw(pool, task, false);
        return true;
    }
    tusk_pool_settle(pool, task);
    if (tusk_task_ended(task)) {
        return false;
    }
    task->cancelled = true;
    tusk_lane_cancel(pool->lane, task->slot);
    return true;
}

/* ---- collecting ---- */
static void fail_everything(tusk_pool *pool)
{
    for (uint32_t i = 0; i < pool->slots; i++) {
        tusk_php_task *task = pool->by_slot[i];
        if (task == NULL) {
            continue;
        }
        tusk_pool_settle(pool, task);
        if (pool->by_slot[i] != NULL && tusk_lane_withdraw(pool->lane, i)) {
            tusk_task_fail(task, pool->unready ? tusk_ce_bootstrap_failed : tusk_ce_worker_crashed,
                           "%s", ZSTR_VAL(pool->broken));
            tusk_task_count(task, &pool->counters);
            leave_slot(pool, task);
        }
    }
}

static void look(tusk_pool *pool)
{
    const char *reason;
    if (pool->core != NULL && !tusk_work_look(pool->core, &reason)) {
        if (pool->broken == NULL) {
            pool->unready = !tusk_work_ready(pool->core);
            pool->broken = pool->unready ? zend_strpprintf(0, "The bootstrap failed: %s", reason)
                                         : zend_strpprintf(0, "The pool is broken: %s", reason);
            pool->again_ns = pool->unready ? 0 : tusk_loop_clock_ns() + 1;
        }
        fail_everything(pool);
    }
}

void tusk_pool_collect(tusk_pool *pool)
{
    uint32_t slot;
    if (!tusk_pool_is_ours(pool)) {
        return;
    }
    while (pool->lane != NULL && !pool->packing && tusk_lane_ended(pool->lane, &slot)) {
        if (slot < pool->slots && pool->by_slot[slot] != NULL) {
            tusk_pool_settle(pool, pool->by_slot[slot]);
        }
    }
}

void tusk_pool_make_room(tusk_pool *self)
{
    const pool_counters *now = &self->counters;
    uint64_t ended = now->done + now->failed + now->cancelled + now->late + now->crashed;
    if (now->submitted - ended > self->options.workers) {
        tusk_pool_collect(self);
    }
}

/* ---- on a server's loop ---- */
static void wake_all(tusk_pool *self)
{
    for (pool_waiter *waiter = self->waiters; waiter != NULL; waiter = waiter->next) {
        tusk_wait_wake(&waiter->wait);
    }
}

static void turn(tusk_pool *self)
{
    if (self->core == NULL) {
        wake_all(self);
        return;
    }
    look(self);
    tusk_work_listen(self->core, true);
    tusk_pool_collect(self);
    if (self->broken != NULL) {
        wake_all(self);
    }
}

static void take_turn(void *arg)
{
    turn(arg);
}

/* Answers come to life, which may be a fatal error: it would jump over the frames of the loop. */
static void turn_on_loop(tusk_pool *self)
{
    if (tusk_run_failed()) {
        return;
    }
    if (TUSK_G(running_host) == NULL) {
        turn(self); /* who waits outside of a server is ended by it */
    } else {
        (void)tusk_guarded(TUSK_G(running_host), take_turn, self);
    }
}

static void on_event(tusk_io *io, unsigned events)
{
    (void)events;
    turn_on_loop(OWNER(io, tusk_pool, io));
}

static void on_tick(tusk_timer *timer)
{
    tusk_pool *self = OWNER(timer, tusk_pool, tick);
    tusk_timer_start(self->loop, &self->tick, TICK_MS);
    turn_on_loop(self);
}

static void on_due(tusk_timer *timer)
{
    tusk_wait_wake(&OWNER(timer, pool_waiter, timer)->wait);
}

static bool enter_loop(tusk_pool *self)
{
    if (self->loop != NULL) {
        return true;
    }
    self->io = (tusk_io){.fd = tusk_work_fd(self->core), .on_event = on_event};
    tusk_err err = tusk_io_add(TUSK_G(loop), &self->io, TUSK_IO_READ);
    if (err != TUSK_OK) {
        tusk_throw(err, "Cannot wait for the pool");
        return false;
    }
    self->loop = TUSK_G(loop);
    self->tick.on_due = on_tick;
    tusk_timer_start(self->loop, &self->tick, TICK_MS);
    return true;
}

void tusk_pool_leave_loop(tusk_pool *self)
{
    if (!tusk_pool_is_ours(self)) {
        self->loop = NULL; /* its maker waits there, and goes on */
    }
    if (self->loop != NULL) {
        tusk_io_remove(self->loop, &self->io);
        tusk_timer_stop(self->loop, &self->tick);
        self->loop = NULL;
        if (self->core != NULL) {
            tusk_work_listen(self->core, false);
        }
    }
}

/* The handler's stack is left aside once. False: an exception; `*plainly`: wait by blocking. */
static bool park(tusk_pool *self, tusk_php_task **tasks, uint32_t count, uint64_t until_ns,
                 bool *plainly)
{
    pool_waiter waiter = {
        .timer = {.on_due = on_due}, .tasks = tasks, .count = count, .next = self->waiters};
    *plainly = false;
    if (!enter_loop(self)) {
        return false;
    }
    tusk_work_listen(self->core, true);
    uint64_t before = self->settled;
    tusk_pool_collect(self);
    if (self->settled != before) { /* between the last look and the listening */
        if (self->waiters == NULL) {
            tusk_pool_leave_loop(self);
        }
        return true;
    }
    self->waiters = &waiter;
    if (until_ns != 0) {
        tusk_timer_start(self->loop, &waiter.timer, tusk_ms_until(until_ns));
    }
    tusk_wait_end end = tusk_wait_park(&waiter.wait, TUSK_WAIT_ANY_TIME);
    if (TUSK_G(loop) != NULL) {
        tusk_timer_stop(TUSK_G(loop), &waiter.timer);
    }
    for (pool_waiter **at = &self->waiters; *at != NULL; at = &(*at)->next) {
        if (*at == &waiter) {
            *at = waiter.next;
            break;
        }
    }
    if (self->waiters == NULL) {
        tusk_pool_leave_loop(self);
    }
    *plainly = end == WAIT_BLOCK;
    return end == WAIT_WOKEN || end == WAIT_BLOCK;
}

/* ---- waiting ---- */
static bool any_ended(tusk_pool *self, tusk_php_task **tasks, uint32_t count, uint64_t before)
{
    if (count == 0) {
        return self->settled != before;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (tusk_task_ended(tasks[i])) {
            return true;
        }
    }
    return false;
}

/* Those that are late and have not begun are taken back; gives when the next one is. */
static uint64_t next_deadline(tusk_pool *self, tusk_php_task **tasks, uint32_t count,
                              uint64_t until_ns)
{
    uint64_t now_ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        tusk_php_task *task = tasks[i];
        if (task->deadline_ns == 0 || tusk_task_ended(task) || !task->in_slot) {
            continue;
        }
        now_ns = now_ns == 0 ? tusk_loop_clock_ns() : now_ns;
        if (now_ns >= task->deadline_ns) {
            if (tusk_lane_withdraw(self->lane, task->slot)) {
                withdraw(self, task, true);
            }
        } else if (until_ns == 0 || task->deadline_ns < until_ns) {
            until_ns = task->deadline_ns;
        }
    }
    return until_ns;
}

static bool wait_once(tusk_pool *self, tusk_php_task **tasks, uint32_t count, uint64_t until_ns)
{
    bool plainly = true;
    if (self->worker == NULL && self->core != NULL && TUSK_G(run) != NULL &&
        TUSK_G(fiber) != NULL) {
        if (!park(self, tasks, count, until_ns, &plainly)) {
            return false;
        }
        if (!plainly) {
            return true;
        }
    }
    if (self->worker != NULL && tusk_lane_help(self->lane)) {
        if (UNEXPECTED(CG(unclean_shutdown))) {
            zend_bailout(); /* what ran here met a fatal error: no code of PHP goes on behind it */
        }
    } else {
        tusk_lane_wait(self->lane, until_ns);
        if (self->core != NULL && UNEXPECTED(tusk_work_ended(self->core))) {
            look(self);
        }
    }
    return tusk_serve_interrupts();
}

bool tusk_pool_own(const tusk_pool *self)
{
    if (!tusk_pool_is_ours(self)) {
        zend_throw_exception(tusk_ce_exception,
                             "The pool belongs to the process that made it: this one is its fork, "
                             "and makes a pool of its own",
                             0);
        return false;
    }
    return true;
}

bool tusk_pool_at_rest(const tusk_pool *self, const char *what)
{
    if (UNEXPECTED(self->packing)) {
        zend_throw_exception_ex(spl_ce_LogicException, 0,
                                "A value %s while it is itself on its way", what);
    }
    return !self->packing;
}

bool tusk_pool_wait(tusk_pool *self, tusk_php_task **tasks, uint32_t count, uint64_t timeout_ns,
                    bool *late)
{
    uint64_t before = self->settled;
    *late = false;
    if (self->async != NULL) {
        return tusk_async_wait(tasks, count, timeout_ns, late);
    }
    if (!tusk_pool_at_rest(self, "waits for a task") || !tusk_pool_own(self)) {
        return false;
    }
    for (;;) {
        tusk_pool_collect(self);
        uint64_t until_ns = next_deadline(self, tasks, count, timeout_ns);
        if (any_ended(self, tasks, count, before)) {
            return true;
        }
        if (timeout_ns != 0 && tusk_loop_clock_ns() >= timeout_ns) {
            *late = true;
            return true;
        }
        if (self->broken != NULL || self->closed) {
            zend_throw_exception(
                self->unready ? tusk_ce_bootstrap_failed : tusk_ce_exception,
                self->broken == NULL ? "The pool is closed" : ZSTR_VAL(self->broken), 0);
            return false;
        }
        if (!wait_once(self, tasks, count, until_ns)) {
            return false;
        }
    }
}
