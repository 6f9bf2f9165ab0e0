/* SPDX-License-Identifier: MIT */
/* Task: a piece of work on its way, and what came of it. */
#include "src/parallel/parallel.h"

#include "src/parallel/answer.h"
#include "src/parallel/async.h"
#include "src/parameters.h"

#include <Zend/zend_enum.h>
#include <Zend/zend_exceptions.h>
#include <ext/spl/spl_exceptions.h>

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(tusk_php_task, ce, &handlers)->std;
}

static void forget_pool(tusk_php_task *self)
{
    tusk_pool *pool = self->pool;
    self->pool = NULL;
    if (pool != NULL) {
        OBJ_RELEASE(&pool->std);
    }
}

static void forget_job(tusk_php_task *self)
{
    if (self->request != NULL) {
        zend_string_release(self->request);
        self->request = NULL;
    }
    zval_ptr_dtor(&self->job);
    ZVAL_UNDEF(&self->job);
    for (uint32_t i = 0; i < self->argc; i++) {
        zval_ptr_dtor(&self->argv[i]);
    }
    if (self->argv != NULL) {
        efree(self->argv);
    }
    self->argv = NULL;
    self->argc = 0;
}

void tusk_task_keep_job(tusk_php_task *self, zval *job, uint32_t argc, zval *argv)
{
    ZVAL_COPY_DEREF(&self->job, job);
    self->argc = argc;
    self->argv = argc == 0 ? NULL : safe_emalloc(argc, sizeof(zval), 0);
    for (uint32_t i = 0; i < argc; i++) {
        ZVAL_COPY(&self->argv[i], &argv[i]);
    }
}

static void free_task(zend_object *object)
{
    tusk_php_task *self = tusk_task_of(object);
    forget_job(self);
    forget_pool(self);
    zval_ptr_dtor(&self->result);
    ZVAL_UNDEF(&self->result);
    if (self->error != NULL) {
        OBJ_RELEASE(self->error);
    }
    if (self->output != NULL) {
        zend_string_release(self->output);
    }
    zend_object_std_dtor(object);
}

static HashTable *task_gc(zend_object *object, zval **table, int *n)
{
    tusk_php_task *self = tusk_task_of(object);
    zend_get_gc_buffer *buffer = zend_get_gc_buffer_create();
    if (self->pool != NULL) {
        tusk_gc_add_object(buffer, &self->pool->std);
    }
    if (self->error != NULL) {
        tusk_gc_add_object(buffer, self->error);
    }
    zend_get_gc_buffer_add_zval(buffer, &self->result);
    zend_get_gc_buffer_add_zval(buffer, &self->job);
    for (uint32_t i = 0; i < self->argc; i++) {
        zend_get_gc_buffer_add_zval(buffer, &self->argv[i]);
    }
    zend_get_gc_buffer_use(buffer, table, n);
    return NULL;
}

tusk_php_task *tusk_task_make(tusk_pool *pool, uint64_t now_ns)
{
    tusk_php_task *self = tusk_task_of(create(tusk_ce_task));
    self->pool = pool;
    GC_ADDREF(&pool->std);
    self->attempts = 1;
    self->submitted_ns = now_ns;
    return self;
}

/* ---- ending ---- */
void tusk_task_end(tusk_php_task *self, uint8_t state)
{
    self->state = state;
    if (self->submitted_ns != 0) {
        uint64_t all_us = (tusk_loop_clock_ns() - self->submitted_ns) / 1000;
        self->wait_us = all_us > self->run_us ? all_us - self->run_us : 0;
    }
    forget_job(self);
}

void tusk_task_fail(tusk_php_task *self, zend_class_entry *ce, const char *format, ...)
{
    zval error;
    va_list args;
    va_start(args, format);
    zend_string *text = zend_vstrpprintf(0, format, args);
    va_end(args);
    object_init_ex(&error, ce);
    zend_update_property_str(zend_ce_exception, Z_OBJ(error), ZEND_STRL("message"), text);
    zend_string_release(text);
    if (self->error != NULL) {
        OBJ_RELEASE(self->error);
    }
    self->error = Z_OBJ(error);
    tusk_task_end(self, TASK_FAILED);
}

void tusk_task_late(tusk_php_task *self)
{
    tusk_task_fail(self, tusk_ce_deadline_exceeded, "The deadline passed before the task began");
    self->pool->counters.late++;
}

void tusk_task_exited(tusk_php_task *self, zend_long status)
{
    tusk_task_fail(self, tusk_ce_task_exited, "The task called exit(" ZEND_LONG_FMT ")", status);
    zend_update_property_long(zend_ce_exception, self->error, ZEND_STRL("code"), status);
}

static bool read_head(tusk_unpacker *in, tusk_php_task *self, uint8_t *kind)
{
    if (in->at >= in->end) {
        return false;
    }
    *kind = *in->at++;
    if (!tusk_unpack_number(in, &self->run_us) || !tusk_unpack_number(in, &self->memory)) {
        return false;
    }
    zend_string *output = tusk_unpack_text(in);
    if (self->output != NULL) {
        zend_string_release(self->output);
    }
    self->output = output;
    return output != NULL;
}

/* What ended a worker is told with that worker, as a signal is. */
static void fail_with_text(tusk_unpacker *in, tusk_php_task *self, zend_class_entry *ce)
{
    zend_string *text = tusk_unpack_text(in);
    const char *why = text == NULL ? "?" : ZSTR_VAL(text);
    if (ce == tusk_ce_worker_crashed) {
        tusk_task_fail(self, ce, "%s (worker %u, process %d)", why, self->worker, self->pid);
    } else {
        tusk_task_fail(self, ce, "%s", why);
    }
    if (text != NULL) {
        zend_string_release(text);
    }
}

static void take_error(tusk_unpacker *in, tusk_php_task *self)
{
    zend_object *error = tusk_unpack_error(in);
    if (error == NULL) {
        return;
    }
    self->error = error;
    tusk_task_end(self,
                  self->cancelled && error->ce == tusk_ce_cancelled ? TASK_CANCELLED : TASK_FAILED);
}

static void take_payload(tusk_unpacker *in, tusk_php_task *self, uint8_t kind)
{
    uint64_t status;
    switch (kind) {
    case ANSWER_VALUE:
        if (tusk_unpack(in, &self->result)) {
            tusk_task_end(self, TASK_DONE);
        }
        break;
    case ANSWER_ERROR: take_error(in, self); break;
    case ANSWER_EXIT:
        if (tusk_unpack_number(in, &status)) {
            tusk_task_exited(self, (zend_long)status);
        }
        break;
    case ANSWER_FATAL: fail_with_text(in, self, tusk_ce_worker_crashed); break;
    case ANSWER_FAULT: fail_with_text(in, self, tusk_ce_cannot_travel); break;
    default: break;
    }
}

void tusk_task_answer(tusk_php_task *self, tusk_bytes bytes)
{
    tusk_unpacker in;
    uint8_t kind = 0;
    zend_object *outer = EG(exception);
    EG(exception) = NULL;
    tusk_unpacker_init(&in, bytes);
    in.allowed = self->pool->allowed;
    tusk_unpacker_limit(&in, tusk_memory_left());
    if (bytes.len == 0) {
        tusk_task_fail(self, tusk_ce_cannot_travel,
                       "$result: too large, or too many results wait to be taken");
    } else if (read_head(&in, self, &kind)) {
        take_payload(&in, self, kind);
    }
    if (EG(exception) != NULL) {
        zend_object *error = EG(exception);
        GC_ADDREF(error);
        zend_clear_exception();
        self->error = error;
        tusk_task_end(self, TASK_FAILED);
    }
    if (!tusk_task_ended(self) && in.too_large) {
        tusk_task_fail(self, tusk_ce_cannot_travel,
                       "$result: it takes more than the memory limit of this process leaves: raise "
                       "memory_limit, or return less");
    } else if (!tusk_task_ended(self)) {
        tusk_task_fail(self, tusk_ce_worker_crashed, "The result of worker %u does not decode: %s",
                       self->worker, in.fault == NULL ? "it means nothing" : in.fault);
    }
    tusk_unpacker_fini(&in);
    EG(exception) = outer;
}

/* ---- one that runs here ---- */
static void run_here(tusk_php_task *self)
{
    tusk_pool *pool = self->pool;
    tusk_packer out;
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
                                .timed = self->submitted_ns != 0};
    bool fit = tusk_answer_write(&out, pool, &errand);
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
        pool->counters.late++;
    }
    pool->counters.done += self->state == TASK_DONE;
    pool->counters.failed += self->state == TASK_FAILED;
}

/* ---- methods ---- */
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
        return true;
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

void tusk_parallel_task_startup(void)
{
    tusk_handlers_init(&handlers, XtOffsetOf(tusk_php_task, std), free_task);
    handlers.get_gc = task_gc;
    tusk_ce_task->create_object = create;
}
