/* SPDX-License-Identifier: MIT */
/* A server's bootstrap: what loads the application in each worker, and what a reload forgets so
 * that files that changed are read anew. */
#include "src/serve/server.h"

#include "src/run/bootstrap.h"

#include <Zend/zend_exceptions.h>
#include <ext/standard/php_filestat.h>

bool tusk_server_boot(zend_object *object)
{
    tusk_php_server *self = TUSK_FROM(tusk_php_server, object);
    if (self->booted || self->booting || Z_TYPE(self->bootstrap) <= IS_NULL) {
        return true;
    }
    zval closure;
    zval server;
    if (Z_TYPE(self->unbooted) == IS_OBJECT) { /* called again, it would stumble over its routes */
        Z_ADDREF(self->unbooted);
        zend_throw_exception_object(&self->unbooted);
        return false;
    }
    ZVAL_COPY(&closure, &self->bootstrap); /* it may let go of the server */
    ZVAL_OBJ_COPY(&server, object);
    self->booting = true;
    bool ok = tusk_bootstrap_call(&closure, 1, &server);
    self->booting = false;
    self->booted = ok; /* a Loopback may ask again */
    if (!ok && EG(exception) != NULL && !zend_is_unwind_exit(EG(exception)) &&
        !zend_is_graceful_exit(EG(exception))) {
        ZVAL_OBJ_COPY(&self->unbooted, EG(exception));
    }
    zval_ptr_dtor(&server);
    zval_ptr_dtor(&closure);
    return ok;
}

/* What the application's error handler would be told stays here: it runs in the master, whom an
 * exception would end. */
static bool call(const char *name, uint32_t argc, zval *argv, zval *result)
{
    zval function;
    ZVAL_UNDEF(result);
    if (!zend_hash_str_exists(CG(function_table), name, strlen(name))) {
        return false;
    }
    ZVAL_STRING(&function, name);
    int reporting = EG(error_reporting);
    int handled = EG(user_error_handler_error_reporting);
    EG(error_reporting) = EG(user_error_handler_error_reporting) = 0;
    bool called = call_user_function(NULL, NULL, &function, result, argc, argv) == SUCCESS;
    EG(error_reporting) = reporting;
    EG(user_error_handler_error_reporting) = handled;
    zval_ptr_dtor(&function);
    return called;
}

/* opcache looks at a file's time again some seconds after the request began that compiled it, and
 * the master's request never ends. False: it may not be asked, and keeps what it has. */
static bool forget_compiled(void)
{
    zval status;
    zval *scripts;
    zend_string *path;
    if (!call("opcache_get_status", 0, NULL, &status) || Z_TYPE(status) != IS_ARRAY ||
        (scripts = zend_hash_str_find(Z_ARRVAL(status), ZEND_STRL("scripts"))) == NULL ||
        Z_TYPE_P(scripts) != IS_ARRAY) {
        zval_ptr_dtor(&status);
        return false;
    }
    ZEND_HASH_FOREACH_STR_KEY(Z_ARRVAL_P(scripts), path)
    {
        zval argument;
        zval done;
        if (path != NULL) {
            ZVAL_STR(&argument, path);
            (void)call("opcache_invalidate", 1, &argument, &done); /* if it has changed */
            zval_ptr_dtor(&done);
        }
    }
    ZEND_HASH_FOREACH_END();
    zval_ptr_dtor(&status);
    return zend_hash_str_exists(CG(function_table), ZEND_STRL("opcache_invalidate"));
}

static bool is_on(const char *setting, size_t len)
{
    return zend_ini_long(setting, len, false) != 0;
}

static bool compiles_once(void)
{
    return zend_hash_str_exists(&module_registry, ZEND_STRL("zend opcache")) &&
           is_on(ZEND_STRL("opcache.enable")) && is_on(ZEND_STRL("opcache.enable_cli")) &&
           !is_on(ZEND_STRL("opcache.file_cache_only")); /* its files are compared each time */
}

void tusk_server_forget_code(void)
{
    if (!forget_compiled() && compiles_once()) {
        tusk_log("opcache may not be asked (opcache.restrict_api, disable_functions): files that "
                 "it holds are not read anew");
    }
    php_clear_stat_cache(true, NULL, 0);
}
