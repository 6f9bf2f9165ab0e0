/* SPDX-License-Identifier: MIT */
/* Closures that are given as handlers, looked at before anybody calls them: a slip is found where
 * it was written, not by each visitor's 500. */
#include "src/closures.h"

#include <Zend/zend_closures.h>

/* What a parameter of one of these takes a string, or a number, for: a core calls by PHP's weak
 * types, whatever the file of the handler declares. */
enum {
    FROM_STRING = MAY_BE_STRING | MAY_BE_LONG | MAY_BE_DOUBLE | MAY_BE_BOOL | MAY_BE_CALLABLE,
    FROM_LONG = MAY_BE_STRING | MAY_BE_LONG | MAY_BE_DOUBLE | MAY_BE_BOOL
};

static ZEND_COLD void refuse_no_closure(const zval *given, bool or_null, uint32_t number)
{
    bool callable =
        Z_TYPE_P(given) == IS_STRING || Z_TYPE_P(given) == IS_ARRAY || Z_TYPE_P(given) == IS_OBJECT;
    zend_argument_type_error(number, "must be of type %sClosure, %s given%s", or_null ? "?" : "",
                             zend_zval_type_name(given),
                             callable ? ": name(...) makes one of a function, $object->method(...) "
                                        "of a method"
                                      : "");
}

/* ---- declared types ---- */
static zend_class_entry *find_class(zend_string *name, zend_class_entry *scope, uint32_t flags)
{
    if (scope != NULL && zend_string_equals_literal_ci(name, "self")) {
        return scope;
    }
    if (scope != NULL && zend_string_equals_literal_ci(name, "parent")) {
        return scope->parent;
    }
    return zend_lookup_class_ex(name, NULL, flags);
}

/* Where subclasses may be given, what one of them could be as well. */
static bool takes_class(zend_string *name, zend_class_entry *scope, zend_class_entry *given,
                        uint32_t flags)
{
    if (zend_string_equals_ci(name, given->name)) {
        return true;
    }
    zend_class_entry *found = find_class(name, scope, flags);
    if (found == NULL || instanceof_function(given, found)) {
        return found != NULL;
    }
    return (given->ce_flags & ZEND_ACC_FINAL) == 0 &&
           ((found->ce_flags & ZEND_ACC_INTERFACE) != 0 || instanceof_function(found, given));
}

static bool takes_classes(zend_type type, zend_class_entry *scope, zend_class_entry *given,
                          uint32_t flags)
{
    if (!ZEND_TYPE_HAS_LIST(type)) {
        return ZEND_TYPE_HAS_NAME(type) && takes_class(ZEND_TYPE_NAME(type), scope, given, flags);
    }
    const bool all = ZEND_TYPE_IS_INTERSECTION(type);
    const zend_type *one;
    ZEND_TYPE_LIST_FOREACH(ZEND_TYPE_LIST(type), one)
    {
        if (takes_classes(*one, scope, given, flags) != all) {
            return !all;
        }
    }
    ZEND_TYPE_LIST_FOREACH_END();
    return all;
}

static uint32_t taken_for_object(const zend_class_entry *ce)
{
    uint32_t mask = MAY_BE_OBJECT;
#if PHP_VERSION_ID < 80200 /* Traversable|array from then on */
    mask |= instanceof_function(ce, zend_ce_traversable) ? MAY_BE_ITERABLE : 0;
#endif
    return mask | (instanceof_function(ce, zend_ce_stringable) ? MAY_BE_STRING : 0);
}

/* Autoloaders are asked last: most of what is named is there. */
static bool takes(zend_type type, zend_class_entry *scope, const tusk_argument *given)
{
    const uint32_t mask = ZEND_TYPE_FULL_MASK(type);
    if (!ZEND_TYPE_IS_SET(type) || (given->or_null && (mask & MAY_BE_NULL) != 0)) {
        return true;
    }
    if (given->ce == NULL) {
        return (mask & (given->scalar == MAY_BE_STRING ? FROM_STRING : FROM_LONG)) != 0;
    }
    return (mask & taken_for_object(*given->ce)) != 0 ||
           takes_classes(type, scope, *given->ce, ZEND_FETCH_CLASS_NO_AUTOLOAD) ||
           takes_classes(type, scope, *given->ce, 0);
}

/* ---- and what is said of them ---- */
static const char *short_name(const zend_string *name, size_t *len)
{
    const char *slash = zend_memrchr(ZSTR_VAL(name), '\\', ZSTR_LEN(name));
    const char *begin = slash == NULL ? ZSTR_VAL(name) : slash + 1;
    *len = (size_t)(ZSTR_VAL(name) + ZSTR_LEN(name) - begin);
    return begin;
}

/* It names a class that is nowhere, and by its last word the one that is given. */
static bool lacks_use(zend_type type, const zend_class_entry *given)
{
    if (!ZEND_TYPE_HAS_NAME(type) ||
        zend_lookup_class_ex(ZEND_TYPE_NAME(type), NULL, ZEND_FETCH_CLASS_NO_AUTOLOAD) != NULL) {
        return false;
    }
    size_t len;
    size_t given_len;
    const char *name = short_name(ZEND_TYPE_NAME(type), &len);
    const char *given_name = short_name(given->name, &given_len);
    return len == given_len && zend_binary_strcasecmp(name, len, given_name, len) == 0;
}

static ZEND_COLD void refuse_type(const zend_function *function, uint32_t i, uint32_t number,
                                  const tusk_arguments *with)
{
    static const char *const places[TUSK_ARGUMENTS_MAX] = {"first", "second", "third"};
    const uint32_t last = function->common.num_args; /* behind it lies what is variadic */
    const zend_arg_info *info = &function->common.arg_info[i < last ? i : last];
    const tusk_argument *given = &with->argument[i];
    const char *name = given->ce != NULL                ? ZSTR_VAL((*given->ce)->name)
                       : given->scalar == MAY_BE_STRING ? "string"
                                                        : "int";
    zend_string *type = zend_type_to_string(info->type);
    bool no_use = given->ce != NULL && lacks_use(info->type, *given->ce);
    zend_argument_type_error(
        number, "must take %s%s as its %s parameter (%s), %s %s$%s declared%s%s%s", name,
        given->or_null ? " or null" : "", places[i], with->names, ZSTR_VAL(type),
        i < last ? "" : "...", ZSTR_VAL(info->name), no_use ? ": is \"use " : "",
        no_use ? name : "", no_use ? ";\" missing?" : "");
    zend_string_release(type);
}

/* Functions of PHP's own look at what they are given themselves. */
static bool types_fit(const zend_function *function, uint32_t number, const tusk_arguments *with)
{
    const uint32_t declared = function->common.num_args;
    const bool variadic = (function->common.fn_flags & ZEND_ACC_VARIADIC) != 0;
    if (!ZEND_USER_CODE(function->type)) {
        return true;
    }
    for (uint32_t i = 0; i < with->count && (i < declared || variadic); i++) {
        zend_type type = function->common.arg_info[i < declared ? i : declared].type;
        if (!takes(type, function->common.scope, &with->argument[i])) {
            if (EG(exception) == NULL) { /* else an autoloader's */
                refuse_type(function, i, number, with);
            }
            return false;
        }
    }
    return true;
}

static bool closure_fits(zend_object *closure, uint32_t number, const tusk_arguments *with)
{
    const zend_function *function = zend_get_closure_method_def(closure);
    uint32_t required = function->common.required_num_args;
    if ((function->common.fn_flags & ZEND_ACC_GENERATOR) != 0) {
        zend_argument_value_error(number, "must not use yield: its code would never run");
        return false;
    }
    if (required > with->count) {
        zend_argument_value_error(number, "must require at most %u parameter%s (%s), %u required",
                                  with->count, with->count == 1 ? "" : "s", with->names, required);
        return false;
    }
    return types_fit(function, number, with);
}

bool tusk_closure_parameter(zval *given, zend_object **closure, bool or_null, uint32_t number,
                            const tusk_arguments *with)
{
    *closure = NULL;
    if (or_null && Z_TYPE_P(given) == IS_NULL) {
        return true;
    }
    if (Z_TYPE_P(given) != IS_OBJECT || Z_OBJCE_P(given) != zend_ce_closure) {
        refuse_no_closure(given, or_null, number);
        return false;
    }
    *closure = Z_OBJ_P(given);
    return closure_fits(*closure, number, with);
}
