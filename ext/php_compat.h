/* SPDX-License-Identifier: MIT */
/* What differs between PHP 8.1 and 8.6, in this one place. */
#ifndef TUSK_PHP_COMPAT_H
#define TUSK_PHP_COMPAT_H

#include <php.h>
#include <Zend/zend_attributes.h>
#include <Zend/zend_fibers.h>

#if PHP_VERSION_ID < 80100
#error "Tusk needs PHP 8.1 or newer"
#endif

/* ---- names that came later ---- */
#if PHP_VERSION_ID < 80200
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
