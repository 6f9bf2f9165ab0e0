/* SPDX-License-Identifier: MIT */
/* Running a task, in whichever process; and what is told of it. */
#include "src/parallel/parallel.h"

#include "src/parallel/answer.h"
#include "src/parallel/output.h"
#include "src/run/call.h"
#include "src/run/inner.h"
#include "src/run/wait.h"

#include <Zend/zend_exceptions.h>
#include <Zend/zend_interfaces.h>
#include <main/php_output.h>
#include <unistd.h>

typedef struct attempt {
    const tusk_errand *errand;
    tusk_pool *pool;
    zval result;
    uint8_t kind;
    zend_object *error;
    zend_string *text; /* of a fatal error or a fault */
    zend_long status;
    tusk_packer *out;
    int level;         /* of the buffer that has what it echoes */
    smart_str flushed; /* out of that one */
    zend_string *output;
    uint64_t us;
} attempt;

/* ---- one attempt ---- */
static void take_exception(attempt *self)
{
    zend_object *error = EG(exception);
    if (zend_is_unwind_exit(error) || zend_is_graceful_exit(error)) {
        if (zend_is_graceful_exit(error) && self->errand->unwound != NULL) {
            *self->errand->unwound = true;
        }
        self->kind = CG(unclean_shutdown) ? ANSWER_FATAL : ANSWER_EXIT;
        self->status = EG(exit_status);
        tusk_clear_exception();
        EG(exit_status) = 0;
        return;
    }
    self->kind = ANSWER_ERROR;
    self->error = error;
    GC_ADDREF(error);
    tusk_clear_exception();
}

/* What is small may be more than there is: then it is the memory limit that ends it. */
enum { SMALL_REQUEST = 4096 };

static void run_request(attempt *self)
{
    tusk_unpacker in;
    tusk_unpacker_init(&in, self->errand->request);
    in.made = self->pool->made;
    if (self->errand->request.len > SMALL_REQUEST) {
        tusk_unpacker_limit(&in, tusk_memory_left());
    }
    if (!tusk_run_job(&in, &self->result) && EG(exception) == NULL) {
        self->kind = ANSWER_FAULT;
        self->text = in.too_large
                         ? zend_strpprintf(0, "$args: they take more than the memory limit where "
                                              "the task runs leaves: raise memory: of the pool, or "
                                              "pass less")
                         : zend_strpprintf(0, "the request means nothing: %s",
                                           in.fault == NULL ? "bytes are missing" : in.fault);
    }
    tusk_unpacker_fini(&in);
}

static void run_attempt(attempt *self)
{
    self->kind = ANSWER_VALUE;
    const tusk_errand *errand = self->errand;
    if (errand->job != NULL) {
        (void)tusk_call_job(errand->job, errand->argc, errand->argv, &self->result);
    } else {
        run_request(self);
    }
    if (EG(exception) != NULL) {
        take_exception(self);
    }
}

/* Runs a part of it in which code of the user's may be called: nothing of that jumps over us, or it
 * would be the application that ends here, with its destructors and shutdown functions. */
static bool guarded(attempt *self, void (*part)(attempt *self))
{
    zend_execute_data *frame = EG(current_execute_data);
    volatile bool done = false;
    zend_try
    {
        part(self);
        done = true;
    }
    zend_catch
    {
        EG(current_execute_data) = frame;
        self->kind = ANSWER_FATAL;
    }
    zend_end_try();
    if (self->kind == ANSWER_FATAL && self->text == NULL) {
        self->text =
            PG(last_error_message) == NULL
                ? zend_string_init(ZEND_STRL("a fatal error"), 0)
                : zend_strpprintf(0, "%s in %s:%d", ZSTR_VAL(PG(last_error_message)),
                                  PG(last_error_file) == NULL ? "?" : ZSTR_VAL(PG(last_error_file)),
                                  PG(last_error_lineno));
    }
    return done;
}

/* ---- what it echoed ---- */
/* The first task of a worker uses a buffer that is always there, unless one before it ended that;
 * one inside another needs its own. */
static void begin_output(attempt *self)
{
    if (self->pool->worker == NULL || TUSK_G(task_depth) > 0 || php_output_get_level() == 0) {
        tusk_output_start();
    }
    tusk_output_keep(&self->flushed);
    TUSK_G(task_depth)++;
    self->level = php_output_get_level();
}

/* A task may have ended its buffer: what it echoed then is gone; those below are not its own. */
static void end_output(attempt *self)
{
    while (php_output_get_level() > self->level) {
        OG(active)->flags |=
            PHP_OUTPUT_HANDLER_REMOVABLE; /* or it would stay: ob_start(flags: 0) */
        (void)php_output_end();
    }
    TUSK_G(task_depth)--;
    if (php_output_get_level() == self->level) {
        if (OG(active)->buffer.used > 0) {
            (void)php_output_flush();
        }
        tusk_output_keep(NULL);
        if (self->pool->worker == NULL || TUSK_G(task_depth) > 0) {
            (void)php_output_discard();
        }
    }
    self->output = self->flushed.s == NULL ? NULL : smart_str_extract(&self->flushed);
}

/* A buffer that the task left open may have a callback. */
static void capture(attempt *self)
{
    end_output(self);
    if (EG(exception) != NULL && self->kind == ANSWER_VALUE) {
        take_exception(self);
    }
}

/* ---- telling ---- */
static bool write_payload(tusk_packer *out, attempt *self)
{
    pack_path path = {.root = "$result"};
    switch (self->kind) {
    case ANSWER_VALUE: return tusk_pack(out, &self->result, &path);
    case ANSWER_ERROR: return tusk_pack_error(out, self->error);
    case ANSWER_EXIT: return tusk_pack_number(out, (uint64_t)self->status);
    default: return tusk_pack_text(out, self->text);
    }
}

static bool write_head(const attempt *self, uint8_t kind, const zend_string *output)
{
    return tusk_pack_bytes(self->out, &kind, 1) && tusk_pack_number(self->out, self->us) &&
           tusk_pack_number(self->out, zend_memory_peak_usage(0)) &&
           tusk_pack_text(self->out, output);
}

static bool write_all(attempt *self)
{
    tusk_packer *out = self->out;
    return write_head(self, self->kind, self->output) && write_payload(out, self) &&
           tusk_pack_end(out);
}

/* The fault of what does not fit has no path. What was echoed goes along, unless it is what does
 * not fit. */
static bool tell_fault(const attempt *self, zend_string *fault, bool full)
{
    const zend_string *output = self->output;
    bool wordy = output != NULL && ZSTR_LEN(output) > self->out->cap / 2;
    const char *root = !full ? "" : wordy ? "$output: " : "$result: ";
    zend_string *text = zend_strpprintf(0, "%s%s", root, fault == NULL ? "?" : ZSTR_VAL(fault));
    bool ok = write_head(self, ANSWER_FAULT, full && wordy ? NULL : output) &&
              tusk_pack_text(self->out, text);
    zend_string_release(text);
    return ok;
}

/* What a value's own code threw where nothing can be told of the value is the task's. */
static void tell(attempt *self)
{
    tusk_packer *out = self->out;
    bool ok = write_all(self);
    zend_string *fault = out->fault;
    bool full = out->full;
    if (ok && EG(exception) == NULL) {
        return;
    }
    out->fault = NULL;
    tusk_packer_again(out);
    if (fault == NULL && EG(exception) != NULL && self->kind == ANSWER_VALUE) {
        take_exception(self);
        ok = self->kind != ANSWER_FATAL && write_all(self);
    } else {
        if (EG(exception) != NULL) {
            tusk_clear_exception();
        }
        ok = tell_fault(self, fault, full);
    }
    if (fault != NULL) {
        zend_string_release(fault);
    }
}

/* After a fatal error in the midst of that: no more of the user's code. */
static void tell_fatal(attempt *self)
{
    self->out->objects = NULL; /* they stay where they are */
    tusk_packer_again(self->out);
    (void)write_all(self);
}

static void forget(attempt *self)
{
    zval_ptr_dtor(&self->result);
    ZVAL_UNDEF(&self->result);
    if (self->error != NULL) {
        OBJ_RELEASE(self->error);
    }
    if (self->out->objects != NULL) {
        tusk_pack_objects_free(self->out);
    }
    if (CG(unclean_shutdown)) { /* a destructor met a fatal error that the engine unwinds */
        self->kind = ANSWER_FATAL;
    }
}

/* A child that the task forked came out of it, too: what it would write here is the worker's. */
static ZEND_COLD ZEND_NORETURN void leave_as_child(const attempt *self)
{
    tusk_worker_detach(self->pool->worker);
    _exit(self->kind == ANSWER_VALUE ? 0 : self->kind == ANSWER_EXIT ? (int)self->status : 255);
}

bool tusk_answer_write(tusk_packer *out, tusk_pool *pool, const tusk_errand *errand)
{
    attempt self = {.errand = errand, .pool = pool, .out = out};
    uint32_t forks = tusk_calls_forks();
    ZVAL_UNDEF(&self.result);
    uint64_t began_ns = errand->timed ? tusk_loop_clock_ns() : 0;
#if PHP_VERSION_ID >= 80200
    if (errand->to != NULL && errand->timed && TUSK_G(task_depth) == 0) {
        zend_memory_reset_peak_usage(); /* or it would be the greatest of all tasks before */
    }
#endif
    begin_output(&self);
    int captured = TUSK_G(captured);
    if (pool->worker == NULL && captured == 0) {
        TUSK_G(captured) = self.level;
    }
    tusk_inner around;
    bool amid = tusk_inner_enter(&around);
    tusk_scope_frame scope;
    tusk_scope_enter(&scope);
    (void)guarded(&self, run_attempt);
    if (pool->worker != NULL && UNEXPECTED(forks != tusk_calls_forks())) {
        leave_as_child(&self);
    }
    tusk_scope_leave(&scope);
    if (amid) {
        tusk_inner_leave(&around);
    }
    (void)guarded(&self, capture);
    TUSK_G(captured) = captured;
    self.us = errand->timed ? (tusk_loop_clock_ns() - began_ns) / 1000 : 0;
    if (errand->to != NULL) {
        size_t cap = 0; /* after the task: what it submitted itself lies in the same arena */
        out->ptr = tusk_worker_room(errand->to, &cap);
        out->cap = cap;
        out->fixed = true;
    }
    out->allowed = pool->allowed;
    pool->packing = true;
    if ((out->ptr != NULL || errand->to == NULL) &&
        (!guarded(&self, tell) || self.kind == ANSWER_FATAL)) {
        tell_fatal(&self);
    }
    pool->packing = false;
    (void)guarded(&self, forget);
    if (self.text != NULL) {
        zend_string_release(self.text);
    }
    if (self.output != NULL) {
        zend_string_release(self.output);
    }
    return self.kind != ANSWER_FATAL;
}
