/* SPDX-License-Identifier: MIT */
/* What differs between PHP 8.1 and 8.6, in this one place. */
#ifndef TUSK_PHP_COMPAT_H
#define TUSK_PHP_COMPAT_H

#include <php.h>
#include <Zend/zend_attributes.h>
#include <Zend/zend_closures.h>
#include <Zend/zend_fibers.h>
#ifdef ZEND_MAX_EXECUTION_TIMERS
#include <Zend/zend_max_execution_timer.h>
#endif

#if PHP_VERSION_ID < 80100
#error "Tusk needs PHP 8.1 or newer"
#endif

/* ---- names that came later ---- */
#if PHP_VERSION_ID < 80200
#define ZSTR_INIT_LITERAL(text, persistent) zend_string_init(text, sizeof(text) - 1, persistent)
/* It takes what it only reads as if it would not. */
#define zend_string_equals(a, b) zend_string_equals((zend_string *)(a), (zend_string *)(b))

static inline bool zend_string_equals_cstr(const zend_string *text, const char *other, size_t len)
{
    return ZSTR_LEN(text) == len && memcmp(ZSTR_VAL(text), other, len) == 0;
}
#endif

#ifndef ZSTR_IS_VALID_UTF8 /* 8.3 */
#define ZSTR_IS_VALID_UTF8(s) ((GC_FLAGS(s) & IS_STR_VALID_UTF8) != 0)
#endif

#ifndef ZEND_STACK_ALIGNED
#define ZEND_STACK_ALIGNED
#endif

#if PHP_VERSION_ID >= 80600
typedef size_t tusk_object_offset;
#define TUSK_JSON_ERROR JSON_G(error_details).code
#else
typedef int tusk_object_offset;
#define TUSK_JSON_ERROR JSON_G(error_code)
#endif

/* ---- settings that became strings of the engine ---- */
/* NULL: none. */
static inline const char *tusk_error_log(void)
{
#if PHP_VERSION_ID >= 80600
    return PG(error_log) == NULL ? NULL : ZSTR_VAL(PG(error_log));
#else
    return PG(error_log);
#endif
}

static inline const char *tusk_unserialize_callback(void)
{
#if PHP_VERSION_ID >= 80600
    return PG(unserialize_callback_func) == NULL ? NULL : ZSTR_VAL(PG(unserialize_callback_func));
#else
    return PG(unserialize_callback_func);
#endif
}

/* ---- arguments ---- */
/* As PHP converts to string where no types are declared strictly, in place; NULL: it does not. */
static inline zend_string *tusk_weak_string(zval *given, uint32_t number)
{
#if PHP_VERSION_ID >= 80600
    return zend_parse_arg_str_weak(given, number);
#else
    zend_string *text;
    return zend_parse_arg_str_weak(given, &text, number) ? text : NULL;
#endif
}

/* ---- closures: from 8.6 on what they are bound to is an object, before a value ---- */
/* NULL: nothing. */
static inline zend_object *tusk_closure_this(zval *closure)
{
#if PHP_VERSION_ID >= 80600
    return zend_get_closure_this_ptr(closure);
#else
    zval *bound = zend_get_closure_this_ptr(closure);
    return Z_TYPE_P(bound) == IS_OBJECT ? Z_OBJ_P(bound) : NULL;
#endif
}

#if PHP_VERSION_ID >= 80600
#define TUSK_BOUND(object) (object)
#else
#define TUSK_BOUND(object)                                                                         \
    ((object) == NULL ? NULL                                                                       \
                      : &(zval){.value = {.obj = (object)}, .u1 = {.type_info = IS_OBJECT_EX}})
#endif

/* ---- calls ---- */
/* How the frame of a closure made by first-class callable syntax is marked. */
static inline uint32_t tusk_fake_closure_info(const zend_function *function)
{
#ifdef ZEND_CALL_FAKE_CLOSURE
    return (function->common.fn_flags & ZEND_ACC_FAKE_CLOSURE) != 0 ? ZEND_CALL_FAKE_CLOSURE : 0;
#else
    (void)function;
    return 0;
#endif
}

/* ---- stacks ---- */
/* From 8.3 on the VM looks where the C stack ends (zend.max_allowed_stack_size). */
static inline void tusk_stack_bounds(const zend_fiber_context *context)
{
#ifdef ZEND_CHECK_STACK_LIMIT
    EG(stack_base) = zend_fiber_stack_base(context->stack);
    EG(stack_limit) = zend_fiber_stack_limit(context->stack);
#else
    (void)context;
#endif
}

/* ---- interrupts ---- */
#if PHP_VERSION_ID >= 80200
typedef zend_atomic_bool tusk_interrupt_flag;
static inline void tusk_interrupt_set(tusk_interrupt_flag *flag)
{
    zend_atomic_bool_store(flag, true);
}
#else
typedef bool tusk_interrupt_flag;
static inline void tusk_interrupt_set(tusk_interrupt_flag *flag)
{
    *(volatile bool *)flag = true;
}
#endif

/* ---- time limits ---- */
/* In a process that was forked: PHP with threads has a timer of the system for max_execution_time
 * (8.3; 8.2 where it was configured so), which forks do not inherit, and where it is set then PHP
 * ends by a fatal error. */
static inline void tusk_time_limit_anew(void)
{
#ifdef ZEND_MAX_EXECUTION_TIMERS
    zend_max_execution_timer_init();
#endif
}

/* ---- limits of memory ---- */
/* What memory_limit may be at most (max_memory_limit, 8.5); none: 0 or less. */
static inline zend_long tusk_memory_limit_most(void)
{
#if PHP_VERSION_ID >= 80500
    return PG(max_memory_limit);
#else
    return 0;
#endif
}

/* ---- attributes ---- */
/* #[\SensitiveParameter]: the argument, counted from 0, is kept out of backtraces; 8.2. */
static inline void tusk_mark_sensitive(zend_function *function, uint32_t argument)
{
#if PHP_VERSION_ID >= 80200
    zend_add_parameter_attribute(function, argument, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);
#else
    (void)function;
    (void)argument;
#endif
}

/* ---- garbage collection ---- */
static inline void tusk_gc_add_object(zend_get_gc_buffer *buffer, zend_object *object)
{
    zval value;
    ZVAL_OBJ(&value, object);
    zend_get_gc_buffer_add_zval(buffer, &value);
}

#endif
