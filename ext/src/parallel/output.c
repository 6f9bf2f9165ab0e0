/* SPDX-License-Identifier: MIT */
/* A buffer like ob_start()'s own, but for what ob_flush() and ob_end_flush() do to it: a task's
 * output stays the task's. */
#include "src/parallel/output.h"

#include "php_tusk.h"
#include "src/run/call.h"

#include <main/SAPI.h>
#include <main/php_output.h>

static zend_result on_output(void **context, php_output_context *what)
{
    smart_str *flushed = *context;
    if (flushed != NULL && (what->op & PHP_OUTPUT_HANDLER_CLEAN) == 0 && what->in.used > 0) {
        smart_str_appendl(flushed, what->in.data, what->in.used);
    }
    return SUCCESS;
}

static size_t write_nowhere(const char *text, size_t len)
{
    (void)text;
    return len;
}

static void flush_nowhere(void *context)
{
    (void)context;
}

static size_t read_nothing(char *into, size_t cap)
{
    (void)into;
    (void)cap;
    return 0;
}

static void log_to_stderr(const char *message, int level)
{
    (void)level;
    (void)fprintf(stderr, "%s\n", message);
}

void tusk_output_detach(void)
{
    if (!tusk_sapi_serves()) {
        sapi_module.ub_write = write_nowhere;
        sapi_module.flush = flush_nowhere;
        sapi_module.read_post = read_nothing;
        sapi_module.log_message = log_to_stderr;
    }
}

void tusk_output_start(void)
{
    php_output_handler *handler = php_output_handler_create_internal(
        ZEND_STRL("default output handler"), on_output, 0, PHP_OUTPUT_HANDLER_STDFLAGS);
    if (php_output_handler_start(handler) != SUCCESS) {
        php_output_handler_free(&handler);
    }
}

void tusk_output_keep(smart_str *flushed)
{
    php_output_handler *handler = OG(active);
    if (handler != NULL && (handler->flags & PHP_OUTPUT_HANDLER_USER) == 0 &&
        handler->func.internal == on_output) {
        handler->opaq = flushed;
    }
}
