/* SPDX-License-Identifier: MIT */
/* How a pool takes a job: into a slot, into a fork of this process, or to be run here. */
#include "src/parallel/async.h"

#include "src/run/call.h"

#include <Zend/zend_closures.h>
#include <Zend/zend_exceptions.h>
#include <ext/spl/spl_exceptions.h>

/* ---- a job ---- */
static zend_object *closure_of(zval *job)
{
    ZVAL_DEREF(job);
    if (Z_TYPE_P(job) == IS_ARRAY) {
        job = zend_hash_index_find(Z_ARRVAL_P(job), 0);
        if (job == NULL) {
            return NULL;
        }
        ZVAL_DEREF(job);
    }
    return Z_TYPE_P(job) == IS_OBJECT && Z_OBJCE_P(job) == zend_ce_closure ? Z_OBJ_P(job) : NULL;
}

static void throw_fault(const tusk_packer *packer)
{
    if (EG(exception) == NULL) {
        zend_throw_exception_ex(tusk_ce_cannot_travel, 0, "%s%s", packer->full ? "$job: " : "",
                                packer->fault == NULL ? "?" : ZSTR_VAL(packer->fault));
    }
}

/* Whether a fork of this process can do what bytes cannot; else it was said why not. */
static bool may_fork(const tusk_packer *packer, zval *job, uint32_t argc, zval *argv)
{
    zend_object *closure = closure_of(job);
    if (!packer->forkable || closure == NULL || EG(exception) != NULL) {
        throw_fault(packer);
        return false;
    }
    zend_string *live = tusk_job_unshareable(job, argc, argv);
    if (live != NULL) {
        zend_throw_exception(tusk_ce_cannot_travel, ZSTR_VAL(live), 0);
        zend_string_release(live);
        return false;
    }
    return true;
}

/* What is packed may be changed by others as long as nobody holds them up. */
static bool pack(tusk_pool *self, tusk_packer *packer, zval *job, uint32_t argc, zval *argv)
{
    zend_fiber_switch_block();
    self->packing = true;
    bool ok = tusk_pack_job(packer, job, argc, argv) && EG(exception) == NULL;
    self->packing = false;
    zend_fiber_switch_unblock();
    return ok;
}

/* It runs in this process, when somebody waits for it. */
static bool put_here(tusk_pool *self, tusk_php_task *task, zval *job, uint32_t argc, zval *argv)
{
    tusk_packer packer;
    tusk_packer_init(&packer, NULL, 0);
    bool ok = pack(self, &packer, job, argc, argv);
    if (ok) {
        task->request = zend_string_init((const char *)packer.ptr, packer.len, 0);
    } else {
        ok = may_fork(&packer, job, argc, argv);
        if (ok) {
            tusk_task_keep_job(task, job, argc, argv);
        }
    }
    tusk_packer_fini(&packer);
    if (ok) {
        tusk_task_enter_here(task);
    }
    return ok;
}

static void in_slot(tusk_pool *self, tusk_php_task *task, uint32_t slot)
{
    task->slot = slot;
    task->in_slot = true;
    GC_ADDREF(&task->std);
    self->by_slot[slot] = task;
}

/* While one waited. */
static bool throw_closed(void)
{
    if (EG(exception) == NULL) {
        zend_throw_exception(tusk_ce_exception, "The pool is closed", 0);
    }
    return false;
}

static bool put_in_fork(tusk_pool *self, tusk_php_task *task, uint32_t slot, zval *job,
                        uint32_t argc, zval *argv)
{
    const tusk_work *core = self->core;
    tusk_err err = TUSK_ENOTSUP;
    bool late = false;
    while (core != NULL) {
        self->guest_job = job; /* somebody else's stands there after a wait */
        self->guest_argc = argc;
        self->guest_argv = argv;
        err = tusk_lane_fork(self->lane, slot, 0, task->deadline_ns);
        self->guest_job = NULL;
        uint64_t now_ns = tusk_loop_clock_ns();
        if (err != TUSK_ELIMIT || (task->deadline_ns != 0 && now_ns >= task->deadline_ns) ||
            !tusk_pool_wait(self, NULL, 0, now_ns + 5000000, &late)) {
            break;
        }
        if (self->core != core) {
            break;
        }
    }
    if (self->core != core) { /* the slot was that pool's */
        return throw_closed();
    }
    if (err == TUSK_OK) {
        tusk_task_keep_job(task, job, argc, argv);
        in_slot(self, task, slot);
        return true;
    }
    tusk_lane_drop(self->lane, slot);
    if (err == TUSK_ENOTSUP) { /* in a worker: here, as this process has what it captures */
        tusk_task_keep_job(task, job, argc, argv);
        tusk_task_enter_here(task);
        return true;
    }
    if (EG(exception) == NULL && err == TUSK_ELIMIT) {
        tusk_task_late(task);
    } else if (EG(exception) == NULL) {
        tusk_throw(err, "Cannot fork for a closure");
    }
    return tusk_task_ended(task);
}

/* No place is free, or too little room. True: there may be some now; false: an exception, the task
 * is too late, or `*here`: the caller runs it. */
static bool await_room(tusk_pool *self, tusk_php_task *task, const char *of, bool *here)
{
    bool late = false;
    uint64_t before = self->settled;
    tusk_pool_collect(self);
    if (self->settled != before) {
        return true;
    }
    if (self->on_full == ON_FULL_RUN || self->worker != NULL) {
        *here = true;
        return false;
    }
    if (self->on_full == ON_FULL_REFUSE) {
        zend_throw_exception_ex(tusk_ce_queue_full, TUSK_ELIMIT,
                                "The queue of the pool is full (%s)", of);
        return false;
    }
    tusk_lane_flush(self->lane);
    if (!tusk_pool_wait(self, NULL, 0, task->deadline_ns, &late)) {
        return false;
    }
    if (late) {
        tusk_task_late(task);
        return false;
    }
    return self->lane != NULL || throw_closed();
}

static bool may_step_aside(void)
{
    return TUSK_G(run) != NULL && TUSK_G(fiber) != NULL && OG(running) == NULL &&
           !zend_fiber_switch_blocked();
}

/* Who reloads the pool waits for the tasks that there are, not for those that come meanwhile: they
 * wait for it. */
static bool await_reload(tusk_pool *self, tusk_php_task *task)
{
    enum { LOOK_MS = 5 };
    bool late;
    while (UNEXPECTED(self->reloads > 0) && may_step_aside()) {
        tusk_lane_flush(self->lane);
        uint64_t look_ns = tusk_loop_clock_ns() + (uint64_t)LOOK_MS * 1000000;
        if (!tusk_pool_wait(self, NULL, 0, look_ns, &late)) {
            return false;
        }
        if (tusk_task_is_late(task)) {
            tusk_task_late(task);
            return false;
        }
        if (self->lane == NULL) {
            return throw_closed();
        }
    }
    return true;
}

static bool take_slot(tusk_pool *self, tusk_php_task *task, uint32_t *slot, uint8_t **room,
                      size_t *cap, bool *here)
{
    while (await_reload(self, task)) {
        tusk_err err = tusk_lane_take(self->lane, slot, room, cap);
        if (err == TUSK_OK) {
            return true;
        }
        if (!await_room(self, task, err == TUSK_ELIMIT ? "tasks" : "bytes", here)) {
            return false;
        }
    }
    return false;
}

/* Whether there are tasks that will leave their room to others. */
static bool any_open(const tusk_pool *self)
{
    uint32_t i = 0;
    while (i < self->slots && self->by_slot[i] == NULL) {
        i++;
    }
    return i < self->slots;
}

/* OnFull::Run: who submits too much is held up by its own tasks. A task's task and one of Sync run
 * when somebody waits for them. */
static bool run_at_once(tusk_pool *self, tusk_php_task *task)
{
    if (self->lane != NULL && self->worker == NULL) {
        tusk_lane_flush(self->lane);
        (void)tusk_pool_run_here(&task, 1);
    }
    return EG(exception) == NULL;
}

typedef enum put_end { PUT_DONE, PUT_FAILED, PUT_FULL } put_end;

static put_end put_in_slot(tusk_pool *self, tusk_php_task *task, zval *job, uint32_t argc,
                           zval *argv, bool *here)
{
    uint32_t slot;
    uint8_t *room;
    size_t cap;
    tusk_packer packer;
    if (!take_slot(self, task, &slot, &room, &cap, here)) {
        return *here || !tusk_task_ended(task) ? PUT_FAILED : PUT_DONE;
    }
    if (task->submitted_ns == 0) { /* run(): nothing happens here before it has ended */
        tusk_lane_watch(self->lane, slot);
    }
    tusk_packer_init(&packer, room, cap);
    put_end end = PUT_DONE;
    if (pack(self, &packer, job, argc, argv)) {
        tusk_lane_submit(self->lane, slot, packer.len, task->deadline_ns);
        in_slot(self, task, slot);
    } else if (packer.full && EG(exception) == NULL && any_open(self)) {
        tusk_lane_drop(self->lane, slot);
        end = PUT_FULL;
    } else if (may_fork(&packer, job, argc, argv)) {
        end = put_in_fork(self, task, slot, job, argc, argv) ? PUT_DONE : PUT_FAILED;
    } else {
        tusk_lane_drop(self->lane, slot);
        end = PUT_FAILED;
    }
    tusk_packer_fini(&packer);
    return end;
}

static bool put(tusk_pool *self, tusk_php_task *task, zval *job, uint32_t argc, zval *argv)
{
    bool here = self->lane == NULL;
    put_end end = PUT_FAILED;
    if (self->async != NULL) {
        return tusk_async_put(self->async, task, job, argc, argv);
    }
    while (!here && (end = put_in_slot(self, task, job, argc, argv, &here)) == PUT_FULL) {
        if (!await_room(self, task, "bytes", &here) && !here) {
            return tusk_task_ended(task);
        }
    }
    return here ? put_here(self, task, job, argc, argv) && run_at_once(self, task)
                : end == PUT_DONE;
}

/* ---- taking ---- */
bool tusk_pool_open_for(tusk_pool *self)
{
    if (!tusk_pool_at_rest(self, "submits a task") || !tusk_pool_own(self)) {
        return false;
    }
    if (self->core != NULL && UNEXPECTED(tusk_work_ended(self->core)) && self->broken == NULL) {
        tusk_php_task *none = NULL;
        bool late;
        (void)tusk_pool_wait(self, &none, 0, tusk_loop_clock_ns(), &late);
    }
    if (self->broken != NULL && self->again_ns != 0 && tusk_pool_is_ours(self) &&
        tusk_loop_clock_ns() >= self->again_ns) {
        return tusk_pool_open_again(self);
    }
    if (self->closed || self->broken != NULL) {
        zend_throw_exception(self->unready ? tusk_ce_bootstrap_failed : tusk_ce_exception,
                             self->broken == NULL ? "The pool is closed" : ZSTR_VAL(self->broken),
                             0);
        return false;
    }
    return true;
}

tusk_php_task *tusk_pool_take(tusk_pool *self, zval *job, uint32_t argc, zval *argv,
                              uint64_t now_ns, uint64_t deadline_ns, uint32_t retry,
                              const pack_path *of)
{
    tusk_php_task *task = tusk_task_make(self, now_ns);
    task->deadline_ns = deadline_ns;
    task->retry = retry;
    tusk_job_name_take(&task->name, job);
    if (of != NULL) {
        tusk_job_name_key(&task->name, of->key, of->index);
    }
    self->counters.submitted++;
    if (deadline_ns == UINT64_MAX) {
        task->deadline_ns = 0;
        tusk_task_late(task);
    } else if (!put(self, task, job, argc, argv)) {
        self->counters.submitted--;
        task->name.keyed = false; /* what is thrown begins with it */
        tusk_task_name(task, EG(exception));
        tusk_task_leave_here(task);
        OBJ_RELEASE(&task->std);
        return NULL;
    }
    return task;
}
