/* SPDX-License-Identifier: MIT */
/* Calls from the core into the user's closures: what is caught, what is measured, what is told. */
#ifndef TUSK_EXT_RUN_CALL_H
#define TUSK_EXT_RUN_CALL_H

#include "php_tusk.h"

#include <tusk/server.h>

typedef struct tusk_host tusk_host;
typedef struct tusk_arguments tusk_arguments;

/* How a function is entered without zend_call_function() (enter.h), worked out before its calls. */
typedef struct tusk_entry {
    zend_function *function;
    void *scope; /* its object or class */
    uint32_t info;
    uint32_t argc;        /* arguments that it is always given */
    uint32_t frame_bytes; /* of a frame with as many */
    uint32_t proven;      /* parameters that take what they are given, whatever it holds */
    bool quick;           /* may be entered so */
} tusk_entry;

/* A closure ready to be called; all zero: none. */
typedef struct tusk_callback {
    zend_fcall_info fci;
    zend_fcall_info_cache fcc;
    tusk_entry entry;
} tusk_callback;

/* Replaces what is there. */
void tusk_callback_set(tusk_callback *self, zend_object *closure);
/* Inside a method of PHP whose one parameter is the closure, which is called `with` that; without
 * one that takes it an exception is thrown. */
void tusk_callback_parameter(INTERNAL_FUNCTION_PARAMETERS, tusk_callback *self,
                             const tusk_arguments *with);
/* A public method of an object, which is held. */
void tusk_callback_set_method(tusk_callback *self, zend_object *object, const char *method);
/* What it is called with, always: objects of these final classes, strings where one is NULL. */
void tusk_callback_given_always(tusk_callback *self, const zend_class_entry *const *given,
                                uint32_t count);
void tusk_callback_fini(tusk_callback *self);
static inline bool tusk_callback_given(const tusk_callback *self)
{
    return self->fci.size != 0;
}
/* For get_gc. */
static inline void tusk_callback_gc(const tusk_callback *self, zend_get_gc_buffer *buffer)
{
    if (tusk_callback_given(self)) {
        zend_get_gc_buffer_add_zval(buffer, (zval *)&self->fci.function_name);
    }
}

typedef enum tusk_call_end {
    CALL_DONE,
    CALL_THREW,    /* the exception was told to onError or logged */
    CALL_REFUSED,  /* what was asked is no request that it takes: told to onError, never logged */
    CALL_EXITED,   /* the handler called exit(): logged */
    CALL_CANCELLED /* the server stops: as CALL_THREW, or it was unwound */
} tusk_call_end;

/* One call, on the stack of the handler's fiber. */
typedef struct tusk_call {
    struct tusk_call *outer;
    tusk_host *host;
    tusk_handle session; /* generation 0: none */
    const tusk_callback *callback;
    void (*keep)(void *borrowed); /* makes copies of it; due before the stack is left aside. NULL:
                                     nothing is borrowed */
    void *borrowed;
    zend_object **refusal; /* where an exception of `refusal_class` goes instead of onError; NULL:
                              it is none of its places */
    const zend_class_entry *refusal_class;
    zend_object *about; /* the Request, which onError is told with what was thrown; NULL: none */
    zval *answer; /* null; a Response that onError returns goes there, else the code of what was
                     refused. NULL: nobody wants it */
    zend_object *scope; /* made when it is asked for, let go at the end */
    uint64_t started_ns;
    uint64_t busy_ns; /* before the last wait */
    uint32_t waits;
    int output_level; /* of PHP's output buffers as it began: those above are its own */
    bool watched;     /* may not compute for long */
    bool overdue;     /* and did: an exception says so in the log */
    bool opens;       /* an open handler: it may wait for the session's own messages */
    bool listening;   /* it waits for the session's own messages */
    bool reports;     /* it is onError's: what it throws is logged */
    bool session_parked;
} tusk_call;

/* Calls; `self` was all zero but what is borrowed and where a refusal goes. `result` is the
 * caller's to release, null unless CALL_DONE. */
tusk_call_end tusk_call_run(tusk_call *self, tusk_host *host, tusk_handle session,
                            const tusk_callback *callback, uint32_t argc, zval *argv, zval *result);
/* Before a call outside of the loop's turns, where its clock stands still: the call begins now. */
void tusk_calls_outside(void);
/* The two halves around it, for what is run otherwise; an exception is taken at the end. */
void tusk_call_enter(tusk_call *self, tusk_host *host, tusk_handle session,
                     const tusk_callback *callback);
tusk_call_end tusk_call_leave(tusk_call *self);
/* The second half of tusk_call_run, for who entered the callback itself. */
static inline tusk_call_end tusk_call_finish(tusk_call *self, zval *result)
{
    if (UNEXPECTED(EG(exception) != NULL)) {
        zval_ptr_dtor(result);
        ZVAL_NULL(result);
    } else if (UNEXPECTED(Z_ISUNDEF_P(result))) {
        ZVAL_NULL(result);
    } else if (UNEXPECTED(Z_ISREF_P(result))) {
        zend_unwrap_reference(result);
    }
    return tusk_call_leave(self);
}
/* After that: the next call of the same callback for the same session, in the same turn and on the
 * same stack. */
static inline void tusk_call_again(tusk_call *self)
{
    self->busy_ns = 0;
    self->waits = 0;
    self->overdue = false;
    if (TUSK_G(clock_ns) > self->started_ns) {
        self->started_ns = TUSK_G(clock_ns);
    }
    TUSK_G(call) = self;
}
/* By zend_call_function(). */
ZEND_COLD void tusk_call_plainly(const tusk_callback *callback, uint32_t argc, zval *argv,
                                 zval *result);
/* set_time_limit() counts the whole process's computing, everybody's. Ends what it set; gives how
 * many seconds those were. */
zend_long tusk_time_limit_lift(void);
/* The running call's stack is left aside, and comes back. NULL: no call. */
void tusk_call_park(tusk_call *self);
void tusk_call_unpark(tusk_call *self);

/* The running call is watched and has computed for longer: an exception is due, which names it in
 * the log. */
bool tusk_call_overdue(uint32_t limit_ms);

/* Runs `body` so that a fatal error in it cannot jump over the core's frames: the host fails then.
 * False: it failed. */
bool tusk_guarded(tusk_host *host, void (*body)(void *arg), void *arg);

/* ---- what nobody caught; `self` NULL: it is no host's ---- */
/* fault_log.c: to the log. `about`: the Request that it is of; NULL: none. */
void tusk_log_uncaught(tusk_host *self, zend_object *exception, zend_object *about);
/* The server stops, and waits were ended: what handlers throw from then on is of that, however it
 * is wrapped. */
bool tusk_waits_are_ended(void);

/* To onError; to the log where there is none, or where it is what onError itself led to. */
void tusk_host_report(tusk_host *self, zend_object *exception);

/* A child that a handler forked ends with that handler; its parent is the server. */
void tusk_calls_startup(void);
void tusk_calls_begin(void);
bool tusk_calls_forked(void);
uint32_t tusk_calls_forks(void); /* another number in each child than in its parent */
/* For a loop's `forks`. */
const volatile uint32_t *tusk_calls_fork_marks(void);

/* ---- output.c ---- */
/* If that call's echo has no end of line yet. */
void tusk_output_end_line(const tusk_call *call);
/* A server may run in this PHP. Where a web server has PHP in it nobody serves, and what it does is
 * left alone. */
bool tusk_sapi_serves(void);
void tusk_output_startup(void);
void tusk_output_shutdown(void);

/* ---- web_functions.c ---- */
void tusk_web_functions_startup(void);
void tusk_web_functions_shutdown(void);

/* ---- log.c ---- */
/* As error_log(), but for a pipe of standard error that nobody reads: no call waits for its reader.
 */
void tusk_log_line(const char *text);
/* run() has thrown what lies outside of the program (a port that is taken). Where nobody would
 * catch it, it is a line of the log, and the script ends, as by an uncaught one but without its
 * trace. */
void tusk_say_uncaught(void);
/* The same with our name in front. */
void tusk_log(const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 1, 2);
/* The same of a handler (NULL: nobody knows which): text and ": file:line", where it stands. */
void tusk_log_handler(const tusk_callback *callback, const char *text);

#endif
