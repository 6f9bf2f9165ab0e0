/* SPDX-License-Identifier: MIT */
/* Task: a piece of work on its way, and what came of it. */
#include "src/parallel/parallel.h"

#include "src/parallel/answer.h"

#include <Zend/zend_exceptions.h>

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

/* What is kept has not travelled: it cannot be begun again in another process. */
void tusk_task_keep_job(tusk_php_task *self, zval *job, uint32_t argc, zval *argv)
{
    self->retry = 0;
    ZVAL_COPY_DEREF(&self->job, job);
    self->argc = argc;
    self->argv = argc == 0 ? NULL : safe_emalloc(argc, sizeof(zval), 0);
    for (uint32_t i = 0; i < argc; i++) {
        ZVAL_COPY(&self->argv[i], &argv[i]);
    }
}

void tusk_task_enter_here(tusk_php_task *self)
{
    tusk_pool *pool = self->pool;
    self->is_here = true;
    self->here_prev = NULL;
    self->here_next = pool->here;
    if (pool->here != NULL) {
        pool->here->here_prev = self;
    }
    pool->here = self;
    pool->here_count++;
}

void tusk_task_leave_here(tusk_php_task *self)
{
    tusk_pool *pool = self->pool;
    if (EXPECTED(!self->is_here)) {
        return;
    }
    self->is_here = false;
    *(self->here_prev == NULL ? &pool->here : &self->here_prev->here_next) = self->here_next;
    if (self->here_next != NULL) {
        self->here_next->here_prev = self->here_prev;
    }
    pool->here_count--;
}

static void forget(tusk_php_task *self)
{
    if (UNEXPECTED(self->is_here)) { /* nobody can wait for it any more */
        self->pool->counters.cancelled++;
        tusk_task_leave_here(self);
    }
    forget_job(self);
    tusk_job_name_drop(&self->name);
    forget_pool(self);
    zval_ptr_dtor(&self->result);
    ZVAL_UNDEF(&self->result);
    if (self->error != NULL) {
        OBJ_RELEASE(self->error);
    }
    if (self->output != NULL) {
        zend_string_release(self->output);
    }
}

static void free_task(zend_object *object)
{
    forget(tusk_task_of(object));
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
    tusk_php_task *self = now_ns == 0 ? pool->spare : NULL;
    if (self != NULL) {
        pool->spare = NULL;
    } else {
        self = tusk_task_of(create(tusk_ce_task));
    }
    self->pool = pool;
    GC_ADDREF(&pool->std);
    self->attempts = 1;
    self->submitted_ns = now_ns;
    return self;
}

void tusk_task_give(tusk_php_task *self)
{
    tusk_pool *pool = self->pool;
    if (EXPECTED(tusk_object_is_spare(&self->std))) {
        forget(self); /* destructors may run, and run() as well, or close the pool */
        memset(self, 0, offsetof(tusk_php_task, std));
        if (EXPECTED(!pool->closed && pool->spare == NULL)) {
            pool->spare = self;
            return;
        }
    }
    OBJ_RELEASE(&self->std);
}

/* ---- ending ---- */
void tusk_task_end(tusk_php_task *self, uint8_t state)
{
    self->state = state;
    tusk_task_leave_here(self);
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
    if (ce != tusk_ce_bootstrap_failed) { /* which is no task's */
        text = tusk_job_name_add(&self->name, text);
    }
    va_end(args);
    object_init_ex(&error, ce);
    zend_update_property_str(zend_ce_exception, Z_OBJ(error), ZEND_STRL("message"), text);
    zend_string_release(text);
    if (self->error != NULL) {
        OBJ_RELEASE(self->error);
    }
    self->error = Z_OBJ(error);
    self->crashed = ce == tusk_ce_worker_crashed;
    self->unplaced = true;
    tusk_task_end(self, TASK_FAILED);
}

void tusk_task_name(const tusk_php_task *self, zend_object *error)
{
    zval none;
    zval *message =
        zend_read_property_ex(zend_ce_exception, error, ZSTR_KNOWN(ZEND_STR_MESSAGE), true, &none);
    ZVAL_DEREF(message);
    if (error->ce == tusk_ce_cannot_travel && Z_TYPE_P(message) == IS_STRING) {
        zend_string *text = tusk_job_name_add(&self->name, zend_string_copy(Z_STR_P(message)));
        zend_update_property_str(zend_ce_exception, error, ZEND_STRL("message"), text);
        zend_string_release(text);
    }
}

void tusk_task_count(const tusk_php_task *self, pool_counters *counters)
{
    bool late = self->deadline_ns != 0 && self->error != NULL &&
                self->error->ce == tusk_ce_deadline_exceeded;
    if (self->state == TASK_DONE) {
        counters->done++;
    } else if (self->state == TASK_CANCELLED) {
        counters->cancelled++;
    } else if (self->crashed) {
        counters->crashed++;
    } else {
        *(late ? &counters->late : &counters->failed) += 1;
    }
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
    self->unplaced = false;
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

/* exit() in the code of a value is the task's, as one while it ran; after a fatal error that the
 * engine unwinds, this process is what ends. Gives what is to go on. */
static zend_object *take_exit(tusk_php_task *self)
{
    zend_object *unwinding = CG(unclean_shutdown) ? EG(exception) : NULL;
    if (unwinding != NULL) {
        EG(exception) = NULL;
        tusk_task_fail(self, tusk_ce_cannot_travel, "$result: a fatal error as it arrived");
    } else {
        tusk_clear_exception();
        tusk_task_exited(self, EG(exit_status));
        EG(exit_status) = 0;
    }
    return unwinding;
}

void tusk_task_answer(tusk_php_task *self, tusk_bytes bytes)
{
    tusk_unpacker in;
    uint8_t kind = 0;
    tusk_thrown outer = tusk_thrown_aside();
    tusk_unpacker_init(&in, bytes);
    in.allowed = self->pool->allowed;
    tusk_unpacker_limit(&in, tusk_memory_left());
    if (bytes.len == 0) {
        tusk_task_fail(self, tusk_ce_cannot_travel,
                       "$result: no room is left for it: give fewer or smaller values at once, or "
                       "take results as they come");
    } else if (read_head(&in, self, &kind)) {
        take_payload(&in, self, kind);
    }
    tusk_unpacker_fini(&in); /* of objects that nothing asked for, destructors may throw */
    if (EG(exception) != NULL && zend_is_unwind_exit(EG(exception))) {
        zend_object *unwinding = take_exit(self);
        outer.exception = unwinding == NULL ? outer.exception : unwinding;
    } else if (EG(exception) != NULL && tusk_task_ended(self)) {
        tusk_clear_exception(); /* they were a lie */
    } else if (EG(exception) != NULL) {
        zend_object *error = EG(exception);
        GC_ADDREF(error);
        tusk_clear_exception();
        self->error = error;
        self->unplaced = error->ce == tusk_ce_cannot_travel;
        tusk_task_name(self, error);
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
    tusk_thrown_back(&outer);
}

void tusk_parallel_task_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(tusk_php_task, std), free_task);
    handlers.get_gc = task_gc;
    tusk_ce_task->create_object = create;
}
