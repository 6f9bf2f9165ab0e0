/* SPDX-License-Identifier: MIT */
/* Sync and Async: the engines that run jobs in this process. */
#include "src/parallel/async.h"

enum { ASYNC_CONCURRENCY_MAX = 30000 };

/* ---- Sync ---- */
TUSK_METHOD(Tusk_Parallel_Sync, __construct)
{
    HashTable *classes = NULL;

    TUSK_PARSE_CONSTRUCTOR_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT(classes)
    TUSK_PARSE_CONSTRUCTOR_END();

    tusk_pool *self = tusk_pool_of(Z_OBJ_P(ZEND_THIS));
    if (self->allowed == NULL && tusk_pool_allow(self, classes, 1)) {
        self->closed = false;
    }
}

TUSK_METHOD(Tusk_Parallel_Sync, submit)
{
    tusk_engine_submit(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Parallel_Sync, wait)
{
    tusk_engine_wait(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Parallel_Sync, stats)
{
    tusk_engine_stats(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Parallel_Sync, close)
{
    tusk_engine_close(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/* ---- Async ---- */
TUSK_METHOD(Tusk_Parallel_Async, __construct)
{
    zend_long concurrency = 1000;

    TUSK_PARSE_CONSTRUCTOR_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(concurrency)
    TUSK_PARSE_CONSTRUCTOR_END();

    tusk_pool *self = tusk_pool_of(Z_OBJ_P(ZEND_THIS));
    if (concurrency < 1 || concurrency > ASYNC_CONCURRENCY_MAX) {
        zend_argument_value_error(1, "must be between 1 and %d", ASYNC_CONCURRENCY_MAX);
    } else if (self->async == NULL) {
        self->async = tusk_async_new(self, (uint32_t)concurrency);
        self->closed = false;
    }
}

TUSK_METHOD(Tusk_Parallel_Async, submit)
{
    tusk_engine_submit(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Parallel_Async, wait)
{
    tusk_engine_wait(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Parallel_Async, stats)
{
    tusk_engine_stats(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Parallel_Async, close)
{
    tusk_engine_close(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}
