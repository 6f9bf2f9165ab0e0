/* SPDX-License-Identifier: MIT */
/* Task as PHP has it: awaited, asked, cancelled; one that runs where it is awaited. */
#include "src/parallel/async.h"

#include "src/parameters.h"

#include <Zend/zend_enum.h>
#include <Zend/zend_exceptions.h>
#include <Zend/zend_interfaces.h>
#include <ext/spl/spl_exceptions.h>

/* ---- one that runs here ---- */
typedef struct writing {
    tusk_packer *out;
    tusk_pool *pool;
    const tusk_errand *errand;
} writing;

static bool write_answer(void *arg)
{
    const writing *self = arg;
    return tusk_answer_write(self->out, self->pool, self->errand);
}

/* What runs within a task of a worker heeds its deadline as that one does; of Sync it is looked at
 * when it has ended, wherever that runs. */
static bool write_by_deadline(const tusk_php_task *self, writing *what)
{
    tusk_worker *worker = what->pool->std.ce == tusk_ce_sync ? NULL : TUSK_G(worker);
    return worker == NULL ? write_answer(what)
                          : tusk_worker_within(worker, self->deadline_ns, write_answer, what);
}

static void run_here(tusk_php_task *self)
{
    tusk_pool *pool = self->pool;
    tusk_packer out;
    bool unwound = false;
    if (self->deadline_ns != 0 && tusk_loop_clock_ns() >= self->deadline_ns) {
        tusk_task_late(self);
        return;
    }
    self->state = TASK_RUNNING;
    pool->counters.here++;
    self->pid = (int)getpid();
    tusk_packer_init(&out, NULL, 0);
    const tusk_errand errand = {.request = self->request == NULL ? tusk_bytes_of(NULL, 0)
                                                                 : tusk_zstr(self->request),
                                .job = Z_TYPE(self->job) == IS_UNDEF ? NULL : &self->job,
                                .argc = self->argc,
                                .argv = self->argv,
                                .timed = self->submitted_ns != 0,
                                .unwound = &unwound};
    bool fit = write_by_deadline(self, &(writing){&out, pool, &errand});
    if (!fit) {
        tusk_packer_fini(&out);
        zend_bailout(); /* a fatal error is this process's own */
    }
    tusk_task_answer(self, tusk_bytes_of(out.ptr, out.len));
    tusk_packer_fini(&out);
    if (self->state == TASK_DONE && self->deadline_ns != 0 &&
        tusk_loop_clock_ns() >= self->deadline_ns) {
        zval_ptr_dtor(&self->result);
        ZVAL_UNDEF(&self->result);
        tusk_task_fail(self, tusk_ce_deadline_exceeded, "The deadline passed while the task ran");
    }
    if (unwound) {
        tusk_task_fail(self, tusk_ce_cancelled, "The fiber that ran the task was let go");
        self->state = TASK_CANCELLED;
    }
    tusk_task_count(self, &pool->counters);
    if (unwound) {
        zend_throw_graceful_exit(); /* who awaits it here is in that fiber, too */
    }
}

bool tusk_pool_run_here(tusk_php_task **tasks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!tasks[i]->in_slot && tasks[i]->async == NULL && !tusk_task_ended(tasks[i])) {
            zval object;
            ZVAL_OBJ(&object, &tasks[i]->std);
            zend_call_method_with_0_params(Z_OBJ(object), tusk_ce_task, NULL, "error", NULL);
            return true;
        }
    }
    return false;
}

/* ---- methods ---- */
/* What ended a task from outside is made in a turn of the loop, whose place tells nothing: it is
 * that of who first asks for it. */
static void place_error(tusk_php_task *self)
{
    static const char *const names[] = {"file", "line", "trace"};
    zval here;
    if (EXPECTED(!self->unplaced)) {
        return;
    }
    self->unplaced = false;
    object_init_ex(&here, zend_ce_exception);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t len = strlen(names[i]);
        zval rv;
        zval *value = zend_read_property(zend_ce_exception, Z_OBJ(here), names[i], len, 1, &rv);
        zend_update_property(zend_ce_exception, self->error, names[i], len, value);
    }
    zval_ptr_dtor(&here);
}

static bool until_of(double seconds, bool none, uint64_t *until_ns)
{
    *until_ns = 0;
    if (none) {
        return true;
    }
    if (!tusk_seconds_valid(seconds, 1)) {
        return false;
    }
    *until_ns = tusk_loop_clock_ns() + (uint64_t)(seconds * 1e9);
    return true;
}

/* False: an exception was thrown. */
static bool finish(tusk_php_task *self, uint64_t until_ns)
{
    bool late = false;
    if (tusk_task_ended(self)) {
        return true;
    }
    if (self->pool == NULL) {
        zend_throw_exception(tusk_ce_exception, "The pool is closed", 0);
        return false;
    }
    if (!self->in_slot && self->async == NULL) {
        if (self->state == TASK_RUNNING) {
            zend_throw_exception(spl_ce_LogicException, "The task waits for itself", 0);
            return false;
        }
        run_here(self);
        return EG(exception) == NULL && tusk_interrupt_again();
    }
    if (!tusk_pool_wait(self->pool, &self, 1, until_ns, &late)) {
        return false;
    }
    if (late && !tusk_task_ended(self)) {
        zend_throw_exception(tusk_ce_deadline_exceeded,
                             "The task has not ended in the time that one waited; it goes on", 0);
        return false;
    }
    return true;
}

TUSK_METHOD(Tusk_Parallel_Task, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_Parallel_Task, await)
{
    double seconds = 0;
    bool none = true;
    uint64_t until_ns;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_DOUBLE_OR_NULL(seconds, none)
    ZEND_PARSE_PARAMETERS_END();

    tusk_php_task *self = tusk_task_of(Z_OBJ_P(ZEND_THIS));
    if (!until_of(seconds, none, &until_ns) || !finish(self, until_ns)) {
        RETURN_THROWS();
    }
    if (self->error != NULL) {
        zval error;
        place_error(self);
        ZVAL_OBJ_COPY(&error, self->error);
        zend_throw_exception_object(&error);
        RETURN_THROWS();
    }
    RETURN_COPY(&self->result);
}

TUSK_METHOD(Tusk_Parallel_Task, error)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_php_task *self = tusk_task_of(Z_OBJ_P(ZEND_THIS));
    if (!finish(self, 0)) {
        RETURN_THROWS();
    }
    if (self->error == NULL) {
        RETURN_NULL();
    }
    place_error(self);
    RETURN_OBJ_COPY(self->error);
}

TUSK_METHOD(Tusk_Parallel_Task, cancel)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_php_task *self = tusk_task_of(Z_OBJ_P(ZEND_THIS));
    RETURN_BOOL(tusk_pool_cancel(self->pool, self));
}

TUSK_METHOD(Tusk_Parallel_Task, state)
{
    static const char *const names[] = {"Queued", "Running", "Done", "Failed", "Cancelled"};
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_php_task *self = tusk_task_of(Z_OBJ_P(ZEND_THIS));
    if (self->in_slot) {
        tusk_pool_settle(self->pool, self);
    }
    RETURN_OBJ_COPY(zend_enum_get_case_cstr(tusk_ce_task_state, names[self->state]));
}

TUSK_METHOD(Tusk_Parallel_Task, output)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_php_task *self = tusk_task_of(Z_OBJ_P(ZEND_THIS));
    if (self->output == NULL) {
        RETURN_EMPTY_STRING();
    }
    RETURN_STR_COPY(self->output);
}

TUSK_METHOD(Tusk_Parallel_Task, stats)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_php_task *self = tusk_task_of(Z_OBJ_P(ZEND_THIS));
    if (self->in_slot) {
        tusk_pool_settle(self->pool, self);
    }
    array_init(return_value);
    add_assoc_long(return_value, "worker", (zend_long)self->worker);
    add_assoc_long(return_value, "pid", self->pid);
    add_assoc_long(return_value, "attempts", (zend_long)self->attempts);
    add_assoc_long(return_value, "wait_us", (zend_long)self->wait_us);
    add_assoc_long(return_value, "run_us", (zend_long)self->run_us);
    add_assoc_long(return_value, "memory", (zend_long)self->memory);
}

TUSK_METHOD(Tusk_Parallel_Task, stopping)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_BOOL(tusk_async_stopping() ||
                (TUSK_G(worker) != NULL && tusk_worker_why(TUSK_G(worker)) != TUSK_WORK_GO_ON));
}
