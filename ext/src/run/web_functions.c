/* SPDX-License-Identifier: MIT */
/* Functions of PHP's that speak to the web server which has PHP in it. In a handler there is none:
 * they do nothing and say nothing, or (a session's) join strangers. The log says so, once for each,
 * when it is called there: who does not call them pays nothing. */
#include "src/run/call.h"

#include <SAPI.h>

typedef void (*function_handler)(INTERNAL_FUNCTION_PARAMETERS);

static struct {
    const char *const name;
    const char *const text; /* goes on the name of the function, or stream */
    function_handler run;   /* PHP's own */
} functions[] = {
    {"header", "() in a handler reaches no client, $response->withHeader('Name', 'value') does",
     NULL},
    {"http_response_code", "() in a handler reaches no client, new Response($status) does", NULL},
    {"setcookie", "() in a handler reaches no client, $response->withCookie('name', 'value') does",
     NULL},
    {"setrawcookie",
     "() in a handler reaches no client, $response->withCookie('name', 'value') does", NULL},
    {"session_start",
     "() in a handler begins one session for all clients of this process, whoever they are: keep "
     "your own by $request->cookie('name') and $response->withCookie('name', 'value')",
     NULL},
    {"move_uploaded_file", "() in a handler knows no upload, $request->file('name') does", NULL},
    {"php://input", " is empty in a handler, $request->body is what came", NULL},
};

enum {
    FUNCTIONS = sizeof(functions) / sizeof(functions[0]) - 1,
    INPUT = FUNCTIONS /* no function */
};

static ZEND_COLD void tell(size_t i)
{
    if ((TUSK_G(web_told) & (1u << i)) != 0) {
        return;
    }
    TUSK_G(web_told) |= 1u << i;
    tusk_log("%s%s: %s:%u", functions[i].name, functions[i].text, zend_get_executed_filename(),
             zend_get_executed_lineno());
}

static bool in_handler(void)
{
    return TUSK_G(call) != NULL && TUSK_G(call)->host != NULL;
}

/* Whoever names a session before it begins has looked at a client's cookie. */
static bool is_named(void)
{
    zval name;
    zval id;
    ZVAL_STRING(&name, "session_id");
    bool named = call_user_function(NULL, NULL, &name, &id, 0, NULL) == SUCCESS &&
                 Z_TYPE(id) == IS_STRING && Z_STRLEN(id) > 0;
    zval_ptr_dtor(&id);
    zval_ptr_dtor(&name);
    return named;
}

static bool is_meant(const char *name, uint32_t argc)
{
    if (strcmp(name, "http_response_code") == 0) {
        return argc == 0; /* asks */
    }
    return strcmp(name, "session_start") == 0 && is_named();
}

static ZEND_FUNCTION(told)
{
    const zend_string *name = EX(func)->common.function_name;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        if (zend_string_equals_cstr(name, functions[i].name, strlen(functions[i].name))) {
            if (in_handler() && !is_meant(functions[i].name, EX_NUM_ARGS())) {
                tell(i);
            }
            functions[i].run(INTERNAL_FUNCTION_PARAM_PASSTHRU);
            return;
        }
    }
}

/* PHP asks once, and never again after this answer. */
static size_t read_nothing(char *buffer, size_t size)
{
    (void)buffer;
    (void)size;
    if (in_handler()) {
        tell(INPUT);
    }
    return 0;
}

void tusk_web_functions_startup(void)
{
    if (!tusk_sapi_serves()) {
        return;
    }
    for (size_t i = 0; i < FUNCTIONS; i++) {
        zend_function *function = zend_hash_str_find_ptr(CG(function_table), functions[i].name,
                                                         strlen(functions[i].name));
        if (function != NULL && function->type == ZEND_INTERNAL_FUNCTION &&
            function->internal_function.handler != ZEND_FN(told)) {
            functions[i].run = function->internal_function.handler;
            function->internal_function.handler = ZEND_FN(told);
        }
    }
    if (sapi_module.read_post == NULL) {
        sapi_module.read_post = read_nothing;
    }
}

/* No code of ours stays where PHP would look for it. */
void tusk_web_functions_shutdown(void)
{
    if (sapi_module.read_post == read_nothing) {
        sapi_module.read_post = NULL;
    }
    for (size_t i = 0; i < FUNCTIONS && tusk_sapi_serves(); i++) {
        zend_function *function = zend_hash_str_find_ptr(CG(function_table), functions[i].name,
                                                         strlen(functions[i].name));
        if (function != NULL && function->type == ZEND_INTERNAL_FUNCTION &&
            function->internal_function.handler == ZEND_FN(told)) {
            function->internal_function.handler = functions[i].run;
        }
    }
}
