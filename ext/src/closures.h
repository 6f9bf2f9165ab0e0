/* SPDX-License-Identifier: MIT */
/* Closures that are given as handlers: what each will be called with, so that one that can never
 * take it is refused where it is given. */
#ifndef TUSK_EXT_CLOSURES_H
#define TUSK_EXT_CLOSURES_H

#include "php_tusk.h"

/* One argument. */
typedef struct tusk_argument {
    zend_class_entry *const *ce; /* an object of it; NULL: a scalar */
    uint32_t scalar;             /* MAY_BE_STRING or MAY_BE_LONG */
    bool or_null;                /* or null, at times */
} tusk_argument;

enum { TUSK_ARGUMENTS_MAX = 3 };

/* What a closure is called with. */
typedef struct tusk_arguments {
    uint32_t count;
    const char *names; /* for who declares others, or more */
    tusk_argument argument[TUSK_ARGUMENTS_MAX];
} tusk_arguments;

/* False: an exception was thrown, for what is no closure (it tells how to make one), or one that
 * can never run to its end: it is a generator, requires more than it will be given, or declares a
 * type that is never given. */
bool tusk_closure_parameter(zval *given, zend_object **closure, bool or_null, uint32_t number,
                            const tusk_arguments *with);
#define TUSK_PARAM_CLOSURE_EX(closure, or_null, with)                                              \
    Z_PARAM_PROLOGUE(0, 0);                                                                        \
    if (UNEXPECTED(!tusk_closure_parameter(_arg, &closure, or_null, (uint32_t)_i, with))) {        \
        _error_code = ZPP_ERROR_FAILURE;                                                           \
        break;                                                                                     \
    }
#define Z_PARAM_CLOSURE_OF(closure, with) TUSK_PARAM_CLOSURE_EX(closure, false, with)
#define Z_PARAM_CLOSURE_OF_OR_NULL(closure, with) TUSK_PARAM_CLOSURE_EX(closure, true, with)

#endif
