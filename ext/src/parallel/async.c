/* SPDX-License-Identifier: MIT */
/* How Async queues, begins, ends and waits for jobs that run as strands of this process. */
#include "src/parallel/async.h"

#include "src/parameters.h"
#include "src/run/host.h"
#include "src/run/wait.h"

#include <Zend/zend_exceptions.h>
#include <ext/spl/spl_exceptions.h>

#define OWNER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* A task on its way: in the queue until it begins, under way until it ends. */
typedef struct async_job {
    tusk_strand strand;
    tusk_timer deadline;
    struct tusk_async *engine;
    tusk_php_task *task; /* counted */
    bool fatal;
    struct async_job *prev, *next;
} async_job;

typedef struct async_waiter {
    tusk_wait wait;
    tusk_timer timer;
    tusk_php_task **tasks;
    uint32_t count;
    bool late;
    struct async_waiter *next;
} async_waiter;

typedef struct job_list {
    async_job *first, *last;
    uint32_t count;
} job_list;

struct tusk_async {
    tusk_pool *pool;
    tusk_loop *loop; /* of the tasks there are */
    uint32_t forks;  /* tusk_calls_forks() where that was */
    tusk_task begin; /* deferred while the queue may have something to begin */
    bool told;       /* who waits for the first of several has one: none begins until he goes on */
    uint32_t concurrency;
    uint32_t lent; /* places of tasks that wait for others of this engine, which need them */
    job_list queued, running;
    async_waiter *waiters;
};

static void push(job_list *list, async_job *job)
{
    job->next = NULL;
    job->prev = list->last;
    *(list->last == NULL ? &list->first : &list->last->next) = job;
    list->last = job;
    list->count++;
}

static void drop(job_list *list, async_job *job)
{
    *(job->prev == NULL ? &list->first : &job->prev->next) = job->next;
    *(job->next == NULL ? &list->last : &job->next->prev) = job->prev;
    list->count--;
}

/* ---- ending ---- */
static void wake_waiters(struct tusk_async *self, const tusk_php_task *task)
{
    for (async_waiter *waiter = self->waiters; waiter != NULL; waiter = waiter->next) {
        for (uint32_t i = 0; i < waiter->count; i++) {
            if (waiter->tasks[i] == task) {
                tusk_wait_wake(&waiter->wait);
                self->told |= waiter->count > 1;
                break;
            }
        }
    }
}

static bool may_begin(const struct tusk_async *self)
{
    return self->queued.count > 0 && self->running.count - self->lent < self->concurrency &&
           !self->told;
}

static void begin_more(struct tusk_async *self)
{
    if (may_begin(self)) {
        tusk_task_defer(self->loop, &self->begin);
    }
}

/* The task has its end; what it held of the engine goes. */
static void finish(async_job *self, job_list *list)
{
    struct tusk_async *engine = self->engine;
    tusk_php_task *task = self->task;
    tusk_timer_stop(engine->loop, &self->deadline);
    drop(list, self);
    task->async = NULL;
    efree(self);
    wake_waiters(engine, task);
    begin_more(engine);
    OBJ_RELEASE(&task->std);
}

static void fail_queued(async_job *self, zend_class_entry *ce, const char *text)
{
    tusk_task_fail(self->task, ce, "%s", text);
    finish(self, &self->engine->queued);
}

static void fail_late(async_job *self)
{
    self->engine->pool->counters.late++;
    fail_queued(self, tusk_ce_deadline_exceeded, "The deadline passed before the task began");
}

static void on_deadline(tusk_timer *timer)
{
    async_job *self = OWNER(timer, async_job, deadline);
    if (self->strand.fiber == NULL) {
        fail_late(self);
    } else {
        tusk_strand_end(&self->strand, tusk_ce_deadline_exceeded,
                        "The deadline passed while the task ran");
    }
}

/* ---- running, on the strand's own stack ---- */
static void take_exception(async_job *self)
{
    tusk_php_task *task = self->task;
    zend_object *error = EG(exception);
    if (zend_is_unwind_exit(error)) {
        self->fatal = CG(unclean_shutdown);
        tusk_clear_exception();
        tusk_task_exited(task, EG(exit_status));
        EG(exit_status) = 0;
    } else if (zend_is_graceful_exit(error)) {
        tusk_clear_exception();
        tusk_task_fail(task, tusk_ce_cancelled, "The request ended before the task");
        task->cancelled = true;
    } else {
        GC_ADDREF(error);
        tusk_clear_exception();
        task->error = error;
    }
}

static void call_job(void *arg)
{
    async_job *self = arg;
    tusk_php_task *task = self->task;
    (void)tusk_call_job(&task->job, task->argc, task->argv, &task->result);
    if (EG(exception) != NULL) {
        zval_ptr_dtor(&task->result);
        ZVAL_UNDEF(&task->result);
        take_exception(self);
    } else if (Z_ISREF(task->result)) {
        zend_unwrap_reference(&task->result);
    }
}

static void settle(async_job *self, uint64_t began_ns)
{
    tusk_php_task *task = self->task;
    task->run_us = (tusk_loop_clock_ns() - began_ns) / 1000;
    if (task->error == NULL && tusk_task_is_late(task)) {
        zval_ptr_dtor(&task->result);
        ZVAL_UNDEF(&task->result);
        tusk_task_fail(task, tusk_ce_deadline_exceeded, "The deadline passed while the task ran");
    } else {
        bool cancelled =
            task->cancelled && task->error != NULL && task->error->ce == tusk_ce_cancelled;
        tusk_task_end(task, task->error == NULL ? TASK_DONE
                            : cancelled         ? TASK_CANCELLED
                                                : TASK_FAILED);
    }
    tusk_task_count(task, &self->engine->pool->counters);
}

static void fail_run(tusk_host *host)
{
    tusk_run *run = TUSK_G(run);
    tusk_host_fail(host);
    if (run == NULL || run->host == NULL) {
        tusk_run_fail();
    }
    if (run != NULL && run->host == NULL) {
        run->over = true;
    }
}

static void run_job(tusk_strand *strand)
{
    async_job *self = OWNER(strand, async_job, strand);
    tusk_host *host = TUSK_G(running_host);
    tusk_call call = {0};
    uint64_t began_ns = tusk_loop_clock_ns();
    tusk_call_enter(&call, host, (tusk_handle){0}, NULL);
    if (!tusk_guarded(host, call_job, self) || self->fatal) {
        fail_run(host);
        TUSK_G(call) = call.outer;
        return; /* what stands here is not touched any more: the request ends */
    }
    tusk_scope_end(&call.scope);
    tusk_strand_ended(strand);
    settle(self, began_ns);
    finish(self, &self->engine->running);
    tusk_interrupt_pass_on();
    (void)tusk_call_leave(&call);
}

/* ---- beginning, on the loop's ---- */
static void begin(struct tusk_async *self, async_job *job)
{
    tusk_php_task *task = job->task;
    drop(&self->queued, job);
    push(&self->running, job);
    task->state = TASK_RUNNING;
    task->pid = (int)getpid();
    self->pool->counters.here++;
    if (tusk_strand_begin(&job->strand)) {
        return;
    }
    if (EG(exception) != NULL) {
        tusk_clear_exception();
    }
    tusk_task_fail(task, tusk_ce_exception, "There is no stack for one more fiber");
    self->pool->counters.failed++;
    finish(job, &self->running);
}

static void on_begin(tusk_task *task)
{
    struct tusk_async *self = OWNER(task, struct tusk_async, begin);
    zend_object *pool = &self->pool->std;
    if (!tusk_loop_is_run(self->loop)) {
        tusk_task_defer(self->loop, task);
        return;
    }
    GC_ADDREF(pool);
    while (may_begin(self) && !tusk_run_failed()) {
        async_job *next = self->queued.first;
        if (tusk_task_is_late(next->task)) {
            fail_late(next); /* its timer is at most a millisecond behind: they are whole ones */
        } else {
            begin(self, next); /* what never waits has ended with this */
        }
    }
    OBJ_RELEASE(pool);
}

/* In a forked child: tasks that its parent began are not its own. */
static void forget_parents(struct tusk_async *self)
{
    memset(&self->begin, 0, sizeof(self->begin));
    self->begin.run = on_begin;
    self->queued = self->running = (job_list){0};
    self->waiters = NULL;
    self->lent = 0;
    self->told = false;
}

/* Tasks of one engine are all on one loop. False: an exception was thrown. */
static bool enter_loop(struct tusk_async *self, tusk_loop *loop)
{
    if (self->forks != tusk_calls_forks()) {
        forget_parents(self);
    } else if (self->queued.count + self->running.count > 0) {
        zend_throw_exception(spl_ce_LogicException,
                             "This Async has tasks of the task around this one: take another one",
                             0);
        return false;
    }
    tusk_task_cancel(&self->begin);
    self->loop = loop;
    self->forks = tusk_calls_forks();
    return true;
}

bool tusk_async_put(struct tusk_async *self, tusk_php_task *task, zval *job, uint32_t argc,
                    zval *argv)
{
    tusk_loop *loop;
    const char *fault = tusk_job_fault(job);
    if (fault != NULL) {
        zend_throw_exception_ex(tusk_ce_cannot_travel, 0, "$job: %s", fault);
        return false;
    }
    if ((loop = tusk_loop_get()) == NULL) {
        return false;
    }
    if (self->loop != loop && !enter_loop(self, loop)) {
        return false;
    }
    async_job *own = ecalloc(1, sizeof(*own));
    own->strand.run = run_job;
    own->strand.on_wait = tusk_interrupt_pass_on; /* it may have caught what was meant for all */
    own->deadline.on_due = on_deadline;
    own->engine = self;
    own->task = task;
    GC_ADDREF(&task->std);
    task->async = own;
    tusk_task_keep_job(task, job, argc, argv);
    push(&self->queued, own);
    if (task->deadline_ns != 0) {
        tusk_timer_start(loop, &own->deadline, tusk_ms_until(task->deadline_ns));
    }
    begin_more(self);
    return true;
}

/* It ends here and now, and a fatal error of its last words is that of whoever ends it. */
static void end_strand(async_job *self)
{
    bool unusable = TUSK_G(unusable);
    tusk_strand_end(&self->strand, tusk_ce_cancelled, "The task was cancelled while it ran");
    if (TUSK_G(unusable) && !unusable && EG(bailout) != NULL) {
        zend_bailout();
    }
}

bool tusk_async_cancel(tusk_php_task *task)
{
    async_job *self = task->async;
    if (self == NULL) {
        return false;
    }
    task->cancelled = true;
    if (self->strand.fiber == NULL) {
        tusk_task_fail(task, tusk_ce_cancelled, "The task was cancelled before it began");
        task->state = TASK_CANCELLED;
        tusk_task_count(task, &self->engine->pool->counters);
        finish(self, &self->engine->queued);
    } else {
        end_strand(self);
    }
    return true;
}

bool tusk_async_stopping(void)
{
    const tusk_strand *strand = tusk_strand_current();
    return strand != NULL && strand->end_class != NULL;
}

/* ---- waiting ---- */
static bool any_ended(tusk_php_task **tasks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tusk_task_ended(tasks[i])) {
            return true;
        }
    }
    return false;
}

static void on_late(tusk_timer *timer)
{
    async_waiter *self = OWNER(timer, async_waiter, timer);
    self->late = true;
    tusk_wait_wake(&self->wait);
}

static bool waits_for_itself(tusk_php_task *const *tasks, uint32_t count)
{
    const tusk_strand *strand = tusk_strand_current();
    return count == 1 && strand != NULL && tasks[0]->async != NULL &&
           &tasks[0]->async->strand == strand;
}

static void unlink_waiter(async_waiter **list, async_waiter *waiter)
{
    while (*list != NULL && *list != waiter) {
        list = &(*list)->next;
    }
    if (*list != NULL) {
        *list = waiter->next;
    }
}

/* Whether a task of this engine runs here: were its place taken while it waits for another one,
 * tasks of tasks could all wait for places that come to nobody. */
static bool is_own(const struct tusk_async *self)
{
    tusk_strand *strand = tusk_strand_current();
    return strand != NULL && strand->run == run_job &&
           OWNER(strand, async_job, strand)->engine == self;
}

/* Once; false: an exception was thrown. */
static bool rest(struct tusk_async *self, async_waiter *waiter)
{
    uint32_t lent = is_own(self) ? 1 : 0;
    waiter->next = self->waiters;
    self->waiters = waiter;
    self->lent += lent;
    begin_more(self);
    tusk_wait_end end = tusk_wait_drive(&waiter->wait, TUSK_WAIT_ANY_TIME);
    self->lent -= lent;
    unlink_waiter(&self->waiters, waiter);
    self->told = false;
    begin_more(self); /* at the loop's next turn: who was told may cancel them first */
    if (end == WAIT_BLOCK) {
        zend_throw_exception(
            spl_ce_LogicException,
            "A task of this process cannot be waited for here: in a destructor, or "
            "in a forked child",
            0);
    }
    return end == WAIT_WOKEN;
}

bool tusk_async_wait(tusk_php_task **tasks, uint32_t count, uint64_t timeout_ns, bool *late)
{
    async_waiter waiter = {.timer = {.on_due = on_late}, .tasks = tasks, .count = count};
    bool ok = true;
    if (any_ended(tasks, count)) {
        return true;
    }
    if (waits_for_itself(tasks, count)) {
        zend_throw_exception(spl_ce_LogicException, "The task waits for itself", 0);
        return false;
    }
    if (tusk_loop_get() == NULL) {
        return false;
    }
    tusk_pool *pool = tasks[0]->pool; /* the last task of an engine may be what holds it */
    GC_ADDREF(&pool->std);
    if (timeout_ns != 0) {
        tusk_timer_start(TUSK_G(loop), &waiter.timer, tusk_ms_until(timeout_ns));
    }
    while (ok && !waiter.late && !any_ended(tasks, count)) {
        ok = rest(pool->async, &waiter) && tusk_interrupt_again();
    }
    tusk_timer_stop(TUSK_G(loop), &waiter.timer);
    OBJ_RELEASE(&pool->std);
    *late = waiter.late && !any_ended(tasks, count);
    return ok;
}

/* ---- life ---- */
struct tusk_async *tusk_async_new(tusk_pool *pool, uint32_t concurrency)
{
    struct tusk_async *self = ecalloc(1, sizeof(*self));
    self->pool = pool;
    self->concurrency = concurrency;
    forget_parents(self);
    return self;
}

void tusk_async_close(struct tusk_async *self)
{
    zend_object *pool = &self->pool->std;
    GC_ADDREF(pool);
    while (self->queued.first != NULL) {
        (void)tusk_async_cancel(self->queued.first->task);
    }
    async_job *job = self->running.first;
    while (job != NULL) {
        bool ends = !job->task->cancelled;
        if (ends) {
            (void)tusk_async_cancel(job->task);
        }
        job = ends ? self->running.first : job->next; /* its end may have been that of others */
    }
    tusk_task_cancel(&self->begin);
    GC_DELREF(pool);
}

void tusk_async_free(struct tusk_async *self)
{
    while (self->queued.first != NULL) { /* the request ends, or nobody can ask for them any more */
        async_job *job = self->queued.first;
        drop(&self->queued, job);
        tusk_timer_stop(self->loop, &job->deadline);
        job->task->async = NULL;
        OBJ_RELEASE(&job->task->std);
        efree(job);
    }
    tusk_task_cancel(&self->begin);
    efree(self);
}

void tusk_async_gc(const struct tusk_async *self, zend_get_gc_buffer *buffer)
{
    for (const async_job *job = self->queued.first; job != NULL; job = job->next) {
        tusk_gc_add_object(buffer, &job->task->std);
    }
}

uint32_t tusk_async_open(const struct tusk_async *self)
{
    return self->queued.count + self->running.count;
}
