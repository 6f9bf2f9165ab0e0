/* SPDX-License-Identifier: MIT */
/* Pool: its life and its options. */
#include "src/parallel/async.h"

#include "src/closures.h"
#include "src/parameters.h"
#include "src/run/call.h"

#include <Zend/zend_closures.h>
#include <Zend/zend_enum.h>
#include <Zend/zend_exceptions.h>
#include <ext/spl/spl_exceptions.h>
#include <math.h>
#include <unistd.h>

static zend_object_handlers handlers;

static const char *const always_allowed[] = {"stdclass",     "datetime",     "datetimeimmutable",
                                             "datetimezone", "dateinterval", "dateperiod"};

/* ---- life ---- */
static zend_object *create(zend_class_entry *ce)
{
    tusk_pool *self = TUSK_OBJECT_NEW(tusk_pool, ce, &handlers);
    self->closed = true;
    tusk_packer_init(&self->payload, NULL, 0);
    return &self->std;
}

static void free_pool(zend_object *object)
{
    tusk_pool *self = tusk_pool_of(object);
    if (self->async != NULL) {
        tusk_async_free(self->async);
        self->async = NULL;
    }
    tusk_pool_close(self);
    if (self->by_slot != NULL) {
        efree(self->by_slot);
    }
    if (self->allowed != NULL) {
        zend_array_release(self->allowed);
    }
    if (self->memory != NULL) {
        zend_string_release(self->memory);
    }
    if (self->broken != NULL) {
        zend_string_release(self->broken);
    }
    zval_ptr_dtor(&self->bootstrap);
    tusk_fresh_forget(self);
    zend_object_std_dtor(object);
}

static HashTable *pool_gc(zend_object *object, zval **table, int *n)
{
    tusk_pool *self = tusk_pool_of(object);
    zend_get_gc_buffer *buffer = zend_get_gc_buffer_create();
    zend_get_gc_buffer_add_zval(buffer, &self->bootstrap);
    if (self->async != NULL) {
        tusk_async_gc(self->async, buffer);
    }
    for (uint32_t i = 0; i < self->slots && self->by_slot != NULL; i++) {
        if (self->by_slot[i] != NULL) {
            tusk_gc_add_object(buffer, &self->by_slot[i]->std);
        }
    }
    zend_get_gc_buffer_use(buffer, table, n);
    return NULL;
}

static void allow(tusk_pool *self, zend_string *name)
{
    zval value;
    size_t skip = ZSTR_VAL(name)[0] == '\\' ? 1 : 0; /* as a class may be written in code */
    zend_string *plain = zend_string_init(ZSTR_VAL(name) + skip, ZSTR_LEN(name) - skip, 0);
    zend_string *lower = zend_string_tolower(plain);
    zend_string_release(plain);
    ZVAL_STR_COPY(&value, lower);
    zend_hash_update(self->allowed, lower, &value);
    zend_string_release(lower);
}

bool tusk_pool_allow(tusk_pool *self, HashTable *classes, uint32_t number)
{
    zval *name;
    self->allowed = zend_new_array(16);
    for (size_t i = 0; i < sizeof(always_allowed) / sizeof(always_allowed[0]); i++) {
        zend_string *text = zend_string_init(always_allowed[i], strlen(always_allowed[i]), 0);
        allow(self, text);
        zend_string_release(text);
    }
    if (classes == NULL) {
        return true;
    }
    ZEND_HASH_FOREACH_VAL(classes, name)
    {
        ZVAL_DEREF(name);
        if (Z_TYPE_P(name) != IS_STRING || Z_STRLEN_P(name) == 0) {
            zend_argument_value_error(number, "must be a list of class names");
            return false;
        }
        allow(self, Z_STR_P(name));
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

/* ---- Pool ---- */
static bool worker_count(zend_string *text, zend_long number, zend_long max, uint32_t *out)
{
    if (text != NULL && !tusk_automatic_count(text, 1, max, &number)) {
        return false;
    }
    if (number < 1 || number > max) {
        zend_argument_value_error(1, "must be between 1 and $max");
        return false;
    }
    *out = (uint32_t)number;
    return true;
}

static uint8_t on_full_of(zend_object *full_case)
{
    const char *name = Z_STRVAL_P(zend_enum_fetch_case_name(full_case));
    return name[0] == 'W' ? ON_FULL_WAIT : name[2] == 'f' ? ON_FULL_REFUSE : ON_FULL_RUN;
}

TUSK_METHOD(Tusk_Parallel_Pool, __construct)
{
    static const tusk_arguments of_nothing = {.names = "none is given"};
    zend_string *workers_text = ZSTR_KNOWN(ZEND_STR_UNKNOWN);
    zend_string *memory = NULL;
    zend_long workers = 0;
    zend_long max = 32;
    zend_long tasks = 10000;
    zend_long queue = 1024;
    double age = 3600;
    zend_object *bootstrap = NULL;
    zend_object *on_full = NULL;
    zend_object *template = NULL;
    HashTable *classes = NULL;
    bool automatic = true;

    TUSK_PARSE_CONSTRUCTOR_START(0, 10)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR_OR_LONG(workers_text, workers)
    Z_PARAM_LONG(max)
    Z_PARAM_CLOSURE_OF_OR_NULL(bootstrap, &of_nothing)
    Z_PARAM_LONG(tasks)
    Z_PARAM_STR(memory)
    Z_PARAM_DOUBLE(age)
    Z_PARAM_LONG(queue)
    Z_PARAM_OBJ_OF_CLASS(on_full, tusk_ce_on_full)
    Z_PARAM_ARRAY_HT(classes)
    Z_PARAM_OBJ_OF_CLASS(template, tusk_ce_template)
    TUSK_PARSE_CONSTRUCTOR_END();

    tusk_pool *self = tusk_pool_of(Z_OBJ_P(ZEND_THIS));
    automatic = workers_text == ZSTR_KNOWN(ZEND_STR_UNKNOWN);
    zend_string *text = automatic ? zend_string_init(ZEND_STRL("auto"), 0) : workers_text;
    if (max < 1 || max > TUSK_WORK_WORKERS_MAX) {
        zend_argument_value_error(2, "must be between 1 and %d", TUSK_WORK_WORKERS_MAX);
    } else if (tasks < 0 || tasks > UINT32_MAX) {
        zend_argument_value_error(4, "must be between 0 and 4294967295");
    } else if (memory != NULL && tusk_memory_bytes(memory) == 0) {
        zend_argument_value_error(5, "must be a limit like \"128M\", or \"-1\" for none");
    } else if (!tusk_seconds_valid(age, 6)) {
        /* it says so */
    } else if (queue < 1 || queue > 65536) {
        zend_argument_value_error(7, "must be between 1 and 65536");
    } else if (!self->closed || self->by_slot != NULL) {
        zend_throw_error(NULL, "The pool was made already");
    } else if (worker_count(text, workers, max, &self->options.workers) &&
               tusk_pool_allow(self, classes, 9)) {
        self->options.workers_max = (uint32_t)max;
        self->options.tasks_max = (uint32_t)tasks;
        self->options.age_ms_max = (uint64_t)ceil(age * 1000);
        self->options.queue = (uint32_t)queue;
        self->fresh =
            template != NULL &&
            zend_string_equals_literal(Z_STR_P(zend_enum_fetch_case_name(template)), "Fresh");
        self->on_full = on_full == NULL ? ON_FULL_WAIT : on_full_of(on_full);
        self->memory =
            memory == NULL ? zend_string_init(ZEND_STRL("128M"), 0) : zend_string_copy(memory);
        if (bootstrap != NULL) {
            ZVAL_OBJ_COPY(&self->bootstrap, bootstrap);
        }
        (void)tusk_pool_open(self);
    }
    if (automatic) {
        zend_string_release(text);
    }
}

static tusk_php_task *one(INTERNAL_FUNCTION_PARAMETERS, uint64_t now_ns)
{
    zval *job;
    zval *argv = NULL;
    uint32_t argc = 0;

    ZEND_PARSE_PARAMETERS_START(1, -1)
    Z_PARAM_ZVAL(job)
    Z_PARAM_VARIADIC('*', argv, argc)
    ZEND_PARSE_PARAMETERS_END_EX(return NULL);

    (void)return_value;
    tusk_pool *self = tusk_pool_of(Z_OBJ_P(ZEND_THIS));
    if (!tusk_pool_open_for(self)) {
        return NULL;
    }
    if (now_ns != 0) { /* as submit() does; run() looks when it waits */
        tusk_pool_make_room(self);
    }
    tusk_php_task *task = tusk_pool_take(self, job, argc, argv, now_ns, 0, 0, NULL);
    if (task != NULL && self->lane != NULL) {
        tusk_lane_flush(self->lane);
    }
    return task;
}

TUSK_METHOD(Tusk_Parallel_Pool, task)
{
    tusk_php_task *task = one(INTERNAL_FUNCTION_PARAM_PASSTHRU, tusk_loop_clock_ns());
    if (task == NULL) {
        RETURN_THROWS();
    }
    RETURN_OBJ(&task->std);
}

TUSK_METHOD(Tusk_Parallel_Pool, run)
{
    tusk_php_task *task = one(INTERNAL_FUNCTION_PARAM_PASSTHRU, 0);
    bool late;
    if (task == NULL) {
        RETURN_THROWS();
    }
    if (!tusk_pool_run_here(&task, 1)) {
        (void)tusk_pool_wait(tusk_pool_of(Z_OBJ_P(ZEND_THIS)), &task, 1, 0, &late);
    }
    if (EG(exception) == NULL && task->error != NULL) {
        zval error;
        ZVAL_OBJ_COPY(&error, task->error);
        zend_throw_exception_object(&error);
    } else if (EG(exception) == NULL) {
        ZVAL_COPY_VALUE(return_value, &task->result);
        ZVAL_UNDEF(&task->result);
    }
    tusk_task_give(task);
}

TUSK_METHOD(Tusk_Parallel_Pool, submit)
{
    tusk_engine_submit(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Parallel_Pool, wait)
{
    tusk_engine_wait(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Parallel_Pool, stats)
{
    tusk_engine_stats(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Parallel_Pool, close)
{
    tusk_pool_of(Z_OBJ_P(ZEND_THIS))->again_ns = 0;
    tusk_engine_close(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/* What breaks the pool meanwhile is what a reload mends. False: an exception that is the caller's.
 */
static bool wait_to_reload(tusk_pool *self, tusk_php_task **tasks, uint32_t count,
                           uint64_t until_ns)
{
    bool late = false;
    bool ok = tusk_pool_wait(self, tasks, count, until_ns, &late);
    if (!ok && self->broken == NULL) {
        return false;
    }
    if (EG(exception) != NULL) {
        tusk_clear_exception();
    }
    return true;
}

static bool drain(tusk_pool *self)
{
    for (uint32_t i = 0; i < self->slots && self->broken == NULL; i++) {
        tusk_php_task *task = self->by_slot[i];
        if (task != NULL) {
            GC_ADDREF(&task->std);
            bool ok = wait_to_reload(self, &task, 1, 0);
            OBJ_RELEASE(&task->std);
            if (!ok) {
                return false;
            }
        }
    }
    return true;
}

/* A bootstrap that runs is let end, while the others of a server are served; one that takes longer
 * is cut. */
static bool await_bootstrap(tusk_pool *self)
{
    enum { BOOTSTRAP_MS = 2000, LOOK_MS = 5 };
    const uint64_t ms = 1000000;
    uint64_t end_ns = tusk_loop_clock_ns() + BOOTSTRAP_MS * ms;
    while (self->core != NULL && self->broken == NULL && !tusk_work_ready(self->core) &&
           tusk_loop_clock_ns() < end_ns) {
        if (!wait_to_reload(self, NULL, 0, tusk_loop_clock_ns() + LOOK_MS * ms)) {
            return false;
        }
    }
    return true;
}

TUSK_METHOD(Tusk_Parallel_Pool, expect)
{
    zend_long tasks;
    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_LONG(tasks)
    ZEND_PARSE_PARAMETERS_END();

    tusk_pool *self = tusk_pool_of(Z_OBJ_P(ZEND_THIS));
    if (tasks < 1) {
        zend_argument_value_error(1, "must be positive");
        RETURN_THROWS();
    }
    if (self->lane != NULL && tusk_pool_is_ours(self)) {
        tusk_lane_expect(self->lane, tasks > UINT32_MAX ? UINT32_MAX : (uint32_t)tasks);
    }
}

TUSK_METHOD(Tusk_Parallel_Pool, reload)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_pool *self = tusk_pool_of(Z_OBJ_P(ZEND_THIS));
    if (self->closed && self->worker == NULL && self->again_ns == 0) {
        zend_throw_exception(tusk_ce_exception, "The pool is closed", 0);
        RETURN_THROWS();
    }
    if (self->worker != NULL || !tusk_pool_is_ours(self)) {
        zend_throw_exception(spl_ce_LogicException, "Only the process that made a pool reloads it",
                             0);
        RETURN_THROWS();
    }
    if (!tusk_pool_at_rest(self, "reloads the pool")) {
        RETURN_THROWS();
    }
    self->reloads++;
    bool drained = drain(self) && await_bootstrap(self);
    self->reloads--;
    if (drained && self->closed && self->again_ns == 0) { /* by another one, meanwhile */
        zend_throw_exception(tusk_ce_exception, "The pool is closed", 0);
    }
    if (!drained || EG(exception) != NULL) {
        RETURN_THROWS();
    }
    (void)tusk_pool_open_again(self);
}

TUSK_METHOD(Tusk_Parallel_Pool, current)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_pool *pool = TUSK_G(worker_pool);
    if (pool == NULL || pool->forks != tusk_calls_forks()) {
        RETURN_NULL();
    }
    RETURN_OBJ_COPY(&pool->std);
}

TUSK_METHOD(Tusk_Parallel_Pool, template)
{
    zend_string *where;
    zval pool;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(where)
    ZEND_PARSE_PARAMETERS_END();

    object_init_ex(&pool, tusk_ce_pool);
    (void)tusk_work_become(ZSTR_VAL(where), &tusk_pool_calls, tusk_pool_of(Z_OBJ(pool)));
    zval_ptr_dtor(&pool);
    zend_argument_value_error(1, "is not what a fresh template is begun with");
}

void tusk_parallel_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(tusk_pool, std), free_pool);
    handlers.get_gc = pool_gc;
    tusk_ce_pool->create_object = create;
    tusk_ce_sync->create_object = create;
    tusk_ce_async->create_object = create;
    tusk_parallel_task_startup();
    tusk_parallel_interrupt_startup();
}
