/* SPDX-License-Identifier: MIT */
/* Calls from the core into the user's closures, and what becomes of what nobody caught: onError, or
 * the log. */
#include "src/run/call.h"

#include "src/run/aside.h"
#include "src/run/enter.h"
#include "src/run/host.h"
#include "src/run/wait.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

/* In a process that was forked while a server runs. The one thing here that a fork's handler can
 * reach. */
static bool forked;
static uint32_t forks; /* how many forks this process is from the first */
/* Grows around every fork that this process makes, or is the child of. */
static volatile uint32_t fork_marks;

/* A few nanoseconds, and exact enough for what is called slow. Read as a call ends only: the next
 * one began no earlier than that, and no earlier than the loop last woke. */
static uint64_t coarse_ns(void)
{
    struct timespec ts;
#ifdef CLOCK_MONOTONIC_COARSE
    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
#else
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
#endif
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

bool tusk_call_overdue(uint32_t limit_ms)
{
    tusk_call *call = TUSK_G(call);
    bool overdue = call != NULL && call->watched &&
                   coarse_ns() > call->started_ns + (uint64_t)limit_ms * 1000000u;
    if (overdue) {
        call->overdue = true;
    }
    return overdue;
}

void tusk_calls_outside(void)
{
    TUSK_G(clock_ns) = coarse_ns();
}

static void mark_fork(void)
{
    fork_marks = fork_marks + 1;
}

static void on_fork(void)
{
    mark_fork();
    forked = true;
    forks++;
    (void)tusk_loop_forked(NULL); /* or no signal that the server heeds would end the child */
}

void tusk_calls_startup(void)
{
    (void)pthread_atfork(mark_fork, mark_fork, on_fork);
}

const volatile uint32_t *tusk_calls_fork_marks(void)
{
#if defined(ZTS)
    return NULL; /* another thread may fork while this one opens or closes */
#else
    return &fork_marks;
#endif
}

void tusk_calls_begin(void)
{
    forked = false;
}

bool tusk_calls_forked(void)
{
    return forked;
}

uint32_t tusk_calls_forks(void)
{
    return forks;
}

/* The child shares the sockets and the poller with its parent: it must neither serve them nor tidy
 * them away. */
static ZEND_COLD ZEND_NORETURN void end_child(void)
{
    bool exits = EG(exception) != NULL && zend_is_unwind_exit(EG(exception));
    if (!exits && !CG(unclean_shutdown)) {
        tusk_log("a forked child came back from its handler: it ends here, in place of exit()");
        EG(exit_status) = 255;
    }
    zend_try
    {
        php_output_end_all();
    }
    zend_end_try();
    _exit(EG(exit_status));
}

void tusk_log_handler(const tusk_callback *callback, const char *text)
{
    const zend_function *function = callback == NULL ? NULL : callback->fcc.function_handler;
    if (function != NULL && ZEND_USER_CODE(function->type)) {
        tusk_log("%s: %s:%u", text, ZSTR_VAL(function->op_array.filename),
                 function->op_array.line_start);
    } else {
        tusk_log("%s", text);
    }
}

static ZEND_COLD void tell_slow(const tusk_call *self, uint64_t busy_ms)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "a handler held the loop for %" PRIu64 " ms", busy_ms);
    tusk_log_handler(self->callback, text);
}

/* Who comes from PHP-FPM writes it behind each answer. */
static ZEND_COLD void tell_exit(const tusk_call *call, const tusk_host *host)
{
    char text[192];
    const char *what = host == NULL ? "server" : host->kind->what;
    bool of_session = call != NULL && call->session.generation != 0;
    (void)snprintf(text, sizeof(text),
                   "a handler called exit(): %s, the %s goes on. Write return%s or throw; "
                   "$%s->stop() ends the %s",
                   of_session ? "its request or connection fails" : "it ends", what,
                   of_session ? " (in HTTP of a Response)" : "", what, what);
    tusk_log_handler(call == NULL ? NULL : call->callback, text);
}

/* ---- what nobody caught ---- */

/* On this stack: one that waits on another is no reason to keep something from it. */
static bool inside_on_error(const tusk_host *self)
{
    const tusk_call *call = TUSK_G(call);
    while (call != NULL && !(call->reports && call->host == self)) {
        call = call->outer;
    }
    return call != NULL;
}

/* With the Request that it is about (NULL: none), whose answer onError may return: `answer` (null
 * before; NULL: nobody wants one) is then that Response. CALL_REFUSED: the fault is the request's,
 * nothing is logged, and 400 is its answer, with the exception's code as `answer` where onError
 * gave none; else CALL_CANCELLED where the server stops, or CALL_THREW. */
static tusk_call_end report_about(tusk_host *self, zend_object *exception, zend_object *about,
                                  zval *answer)
{
    bool refused = about != NULL && exception->ce == tusk_ce_invalid_json;
    tusk_call_end thrown = refused                  ? CALL_REFUSED
                           : tusk_waits_are_ended() ? CALL_CANCELLED
                                                    : CALL_THREW;
    if (self != NULL && tusk_callback_given(&self->on_error) && !inside_on_error(self)) {
        tusk_call call = {.reports = true};
        zval args[2];
        zval result;
        ZVAL_OBJ(&args[0], exception);
        ZVAL_NULL(&args[1]);
        if (about != NULL) {
            ZVAL_OBJ(&args[1], about);
        }
        tusk_call_end end = tusk_call_run(&call, self, (tusk_handle){0}, &self->on_error,
                                          self->compat ? 1 : 2, args, &result);
        if (answer != NULL && Z_TYPE(result) == IS_OBJECT &&
            Z_OBJCE(result) == tusk_ce_http_response) {
            ZVAL_COPY(answer, &result);
        }
        zval_ptr_dtor(&result);
        if (end == CALL_DONE && !refused) {
            return thrown;
        }
    }
    if (refused && answer != NULL && Z_TYPE_P(answer) == IS_NULL) {
        zval rv;
        ZVAL_COPY(answer, zend_read_property_ex(exception->ce, exception, ZSTR_KNOWN(ZEND_STR_CODE),
                                                1, &rv));
    }
    if (!refused) { /* a stranger who sends it a thousand times must not fill the log */
        tusk_log_uncaught(self, exception, about);
    }
    return thrown;
}

void tusk_host_report(tusk_host *self, zend_object *exception)
{
    (void)report_about(self, exception, NULL, NULL);
}

/* A fatal error: no PHP runs for it any more. In a child it is the child's alone. */
static ZEND_COLD void fail(tusk_host *host)
{
    if (forked && TUSK_G(run) != NULL) {
        end_child();
    }
    if (host != NULL) {
        host->fail(host);
    }
}

/* exit() in a callback ends a script that turns the loop itself: whoever waits there exits. False:
 * somebody else turns it. */
static ZEND_COLD bool ends_script(void)
{
    tusk_run *run = TUSK_G(run);
    if (run == NULL || run->host != NULL) {
        return false;
    }
    run->exits = true;
    run->over = true;
    tusk_loop_stop(TUSK_G(loop));
    return true;
}

/* What was thrown is told to onError or logged, but what `call` (it may be NULL) takes itself. */
static ZEND_COLD tusk_call_end take_exception(const tusk_call *call, tusk_host *host)
{
    zend_object *exception = EG(exception);
    if (zend_is_unwind_exit(exception)) {
        tusk_clear_exception();
        if (CG(unclean_shutdown)) { /* not exit() but a fatal error that the engine unwinds so */
            fail(host);
            return CALL_EXITED;
        }
        if (host == NULL && ends_script()) {
            return CALL_EXITED;
        }
        EG(exit_status) = 0;
        tell_exit(call, host);
        return CALL_EXITED;
    }
    if (zend_is_graceful_exit(exception)) {
        tusk_clear_exception();
        return CALL_CANCELLED;
    }
    GC_ADDREF(exception);
    tusk_clear_exception();
    if (call != NULL && call->refusal != NULL &&
        instanceof_function(exception->ce, call->refusal_class)) {
        *call->refusal = exception;
        return CALL_THREW;
    }
    tusk_call_end end = CALL_THREW;
    if (call == NULL) {
        tusk_host_report(host, exception);
    } else if (call->reports) {
        tusk_log_uncaught(host, exception, NULL);
    } else {
        if (call->keep != NULL) { /* onError may wait, and what it is told of is borrowed */
            call->keep(call->borrowed);
        }
        end = report_about(host, exception, call->about, call->answer);
    }
    OBJ_RELEASE(exception);
    return end;
}

/* ---- one call ---- */
void tusk_call_enter(tusk_call *self, tusk_host *host, tusk_handle session,
                     const tusk_callback *callback)
{
    self->outer = TUSK_G(call);
    self->host = host;
    self->session = session;
    self->callback = callback;
    self->output_level = tusk_output_level();
    uint64_t woken_ns = TUSK_G(loop) == NULL ? 0 : tusk_loop_now_ms(TUSK_G(loop)) * 1000000u;
    self->started_ns = woken_ns > TUSK_G(clock_ns) ? woken_ns : TUSK_G(clock_ns);
    TUSK_G(call) = self;
}

/* What it took is more than its host calls slow. */
static ZEND_COLD void measure(tusk_call *self, uint64_t now_ns)
{
    tusk_host *host = self->host;
    uint64_t busy_ms =
        (self->busy_ns + (now_ns > self->started_ns ? now_ns - self->started_ns : 0)) / 1000000u;
    if (host != NULL && busy_ms > host->slow_ms && host->slow_ms != 0 && !self->overdue) {
        host->slow_handlers++;
        tell_slow(self, busy_ms);
    }
}

zend_long tusk_time_limit_lift(void)
{
    zend_long seconds = EG(timeout_seconds);
    zend_unset_timeout();
    EG(timeout_seconds) = 0;
    return seconds;
}

/* A limit that a handler set is not the next one's. */
static inline void lift_own_limit(const tusk_host *host)
{
    if (UNEXPECTED(EG(timeout_seconds) != 0) && host != NULL && host->running) {
        (void)tusk_time_limit_lift();
    }
}

/* Buffers that it did not close would take what others echo, and be there for as long as the server
 * is: one more with each exception between ob_start() and ob_get_clean(). */
static ZEND_COLD void drop_output(const tusk_call *self, tusk_call_end end)
{
    tusk_aside_drop(self->output_level);
    if (EG(exception) != NULL) { /* a buffer's own callback threw it */
        (void)take_exception(NULL, self->host);
    }
    if (end == CALL_DONE && self->callback != NULL) {
        tusk_log_handler(self->callback, "a handler left an output buffer open, which is dropped");
    }
}

/* Or it is left aside: what holds for one call ends with it. */
static inline void call_over(tusk_host *host)
{
    host->seen = NULL; /* something else may lie there next time */
    if (UNEXPECTED(host->holds)) {
        host->kind->call_over(host);
    }
}

tusk_call_end tusk_call_leave(tusk_call *self)
{
    tusk_host *host = self->host;
    if (UNEXPECTED(forked && TUSK_G(run) != NULL)) {
        end_child();
    }
    if (UNEXPECTED(self->scope != NULL)) {
        tusk_scope_end(&self->scope);
    }
    if (UNEXPECTED(TUSK_G(open_line) == self)) {
        tusk_output_end_line(self);
    }
    TUSK_G(call) = self->outer;
    uint64_t now_ns = TUSK_G(clock_ns) = coarse_ns();
    if (UNEXPECTED(now_ns > self->started_ns || self->busy_ns > 0)) { /* else no tick has passed */
        measure(self, now_ns);
    }
    tusk_call_end end = CALL_DONE;
    if (UNEXPECTED(EG(exception) != NULL)) {
        end = take_exception(self, host);
    }
    if (UNEXPECTED(tusk_output_level() > self->output_level)) {
        drop_output(self, end);
    }
    lift_own_limit(host);
    if (UNEXPECTED(self->session_parked)) {
        self->session_parked = false;
        tusk_session_unpark(host->sessions, self->session);
    }
    if (host != NULL) {
        call_over(host);
    }
    return end;
}

ZEND_COLD void tusk_call_plainly(const tusk_callback *callback, uint32_t argc, zval *argv,
                                 zval *result)
{
    zend_fcall_info fci = callback->fci;
    zend_fcall_info_cache fcc = callback->fcc;
    fci.retval = result;
    fci.params = argv;
    fci.param_count = argc;
    zend_call_function(&fci, &fcc);
}

tusk_call_end tusk_call_run(tusk_call *self, tusk_host *host, tusk_handle session,
                            const tusk_callback *callback, uint32_t argc, zval *argv, zval *result)
{
    ZVAL_UNDEF(result);
    tusk_call_enter(self, host, session, callback);
    zend_execute_data *frame = tusk_enter_frame(&callback->entry, argc);
    if (EXPECTED(frame != NULL)) {
        for (uint32_t i = 0; i < argc; i++) {
            ZVAL_COPY(ZEND_CALL_ARG(frame, i + 1), &argv[i]);
        }
        tusk_enter_run(&callback->entry, frame, result);
    } else {
        tusk_call_plainly(callback, argc, argv, result);
    }
    return tusk_call_finish(self, result);
}

void tusk_call_park(tusk_call *self)
{
    if (self == NULL) {
        return;
    }
    uint64_t now_ns = TUSK_G(clock_ns) = coarse_ns(); /* the next call of this turn begins here */
    self->busy_ns += now_ns > self->started_ns ? now_ns - self->started_ns : 0;
    self->waits++;
    lift_own_limit(self->host);
    if (self->keep != NULL) {
        self->keep(self->borrowed);
    }
    if (self->host != NULL) {
        call_over(self->host);
        if (self->session.generation != 0 && !self->session_parked && !self->listening) {
            self->session_parked = true;
            tusk_session_park(self->host->sessions, self->session);
        }
    }
}

void tusk_call_unpark(tusk_call *self)
{
    if (self != NULL) {
        self->started_ns = TUSK_G(clock_ns) = coarse_ns();
    }
}

bool tusk_guarded(tusk_host *host, void (*body)(void *arg), void *arg)
{
    volatile bool done = false;
    zend_execute_data *frame = EG(current_execute_data);
    tusk_call *call = TUSK_G(call);
    const zend_object *inherited = EG(exception);
    zend_try
    {
        body(arg);
        if (UNEXPECTED(EG(exception) != NULL && inherited == NULL)) {
            (void)take_exception(NULL, host); /* a destructor's, of something that was let go */
        }
        done = true;
    }
    zend_catch
    {
        EG(current_execute_data) = frame;
        TUSK_G(call) = call;
        fail(host);
    }
    zend_end_try();
    return done;
}
