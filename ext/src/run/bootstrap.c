/* SPDX-License-Identifier: MIT */
/* A bootstrap: called plainly, and why it failed. */
#include "src/run/bootstrap.h"

#include "src/run/call.h"

#include <Zend/zend_exceptions.h>
#include <unistd.h>

static bool call(zval *closure, uint32_t argc, zval *argv)
{
    volatile bool ok = true;
    zend_try
    {
        zval result;
        zend_fcall_info fci;
        zend_fcall_info_cache fcc;
        ZVAL_UNDEF(&result);
        ok = zend_fcall_info_init(closure, 0, &fci, &fcc, NULL, NULL) == SUCCESS;
        fci.retval = &result;
        fci.param_count = argc;
        fci.params = argv;
        ok = ok && zend_call_function(&fci, &fcc) == SUCCESS;
        zval_ptr_dtor(&result); /* a destructor may throw, too */
        ok = ok && EG(exception) == NULL;
    }
    zend_catch
    {
        ok = false;
    }
    zend_end_try();
    return ok;
}

bool tusk_bootstrap_call(zval *closure, uint32_t argc, zval *argv)
{
    uint32_t forks = tusk_calls_forks();
    bool ok = call(closure, argc, argv);
    if (forks != tusk_calls_forks()) { /* a child is not who was to be made ready */
        _exit(ok                                                            ? 0
              : EG(exception) != NULL && zend_is_unwind_exit(EG(exception)) ? EG(exit_status)
                                                                            : 255);
    }
    return ok;
}

typedef struct ending {
    const char *class; /* of the exception; NULL: it was none */
    const char *text;
    const char *file; /* NULL: nobody knows */
    zend_long line;
} ending;

static const char *last_error_file(void)
{
    return PG(last_error_file) == NULL ? NULL : ZSTR_VAL(PG(last_error_file));
}

static zval *property_of(zend_object *error, const char *name)
{
    static zval none;
    zend_class_entry *base =
        instanceof_function(error->ce, zend_ce_exception) ? zend_ce_exception : zend_ce_error;
    return zend_read_property(base, error, name, strlen(name), true, &none);
}

static const char *text_of(zend_object *error, const char *name)
{
    zval *value = property_of(error, name);
    return Z_TYPE_P(value) == IS_STRING ? Z_STRVAL_P(value) : "";
}

static ending how_it_ended(void)
{
    zend_object *error = EG(exception);
    if (error == NULL || (CG(unclean_shutdown) && zend_is_unwind_exit(error))) {
        bool known = PG(last_error_message) != NULL;
        return (ending){.text = known ? ZSTR_VAL(PG(last_error_message)) : "a fatal error",
                        .file = known ? last_error_file() : NULL,
                        .line = PG(last_error_lineno)};
    }
    if (zend_is_unwind_exit(error)) {
        return (ending){.text = "exit() was called"};
    }
    return (ending){.class = ZSTR_VAL(error->ce->name),
                    .text = text_of(error, "message"),
                    .file = text_of(error, "file"),
                    .line = zval_get_long(property_of(error, "line"))};
}

void tusk_bootstrap_why(char *reason, size_t cap, bool place)
{
    ending end = how_it_ended();
    int len = snprintf(reason, cap, "%s%s%s", end.class == NULL ? "" : end.class,
                       end.class == NULL ? "" : ": ", end.text);
    if (place && end.file != NULL && len > 0 && (size_t)len < cap) {
        (void)snprintf(reason + len, cap - (size_t)len, " (%s:" ZEND_LONG_FMT ")", end.file,
                       end.line);
    }
}
