/* SPDX-License-Identifier: MIT */
/* What Pool, Sync and Async have alike: jobs are submitted, tasks waited for, and they are closed.
 */
#include "src/parallel/async.h"

#include "src/parameters.h"
#include "src/travel/path.h"

/* ---- submitting and waiting ---- */
static void cancel_all(HashTable *tasks)
{
    zval *entry;
    ZEND_HASH_FOREACH_VAL(tasks, entry)
    {
        tusk_php_task *task = tusk_task_of(Z_OBJ_P(entry));
        (void)tusk_pool_cancel(task->pool, task);
    }
    ZEND_HASH_FOREACH_END();
}

/* Of several jobs the one that cannot travel: the path within it follows. */
static void tell_job(const HashTable *jobs, const pack_path *job)
{
    zend_object *error = EG(exception);
    if (error == NULL || error->ce != tusk_ce_cannot_travel || zend_hash_num_elements(jobs) < 2) {
        return;
    }
    zval none;
    smart_str text = {0};
    zval *message =
        zend_read_property_ex(zend_ce_exception, error, ZSTR_KNOWN(ZEND_STR_MESSAGE), true, &none);
    ZVAL_DEREF(message);
    if (Z_TYPE_P(message) != IS_STRING) {
        return;
    }
    tusk_path_text(&text, job);
    smart_str_appends(&text, ", ");
    smart_str_append(&text, Z_STR_P(message));
    smart_str_0(&text);
    zend_update_property_str(zend_ce_exception, error, ZEND_STRL("message"), text.s);
    smart_str_free(&text);
}

void tusk_engine_submit(INTERNAL_FUNCTION_PARAMETERS)
{
    HashTable *jobs;
    double deadline = 0;
    bool none = true;
    zend_long retry = 0;
    zend_string *key;
    zend_ulong index;
    zval *job;

    ZEND_PARSE_PARAMETERS_START(1, 3)
    Z_PARAM_ARRAY_HT(jobs)
    Z_PARAM_OPTIONAL
    Z_PARAM_DOUBLE_OR_NULL(deadline, none)
    Z_PARAM_LONG(retry)
    ZEND_PARSE_PARAMETERS_END();

    tusk_pool *self = tusk_pool_of(Z_OBJ_P(ZEND_THIS));
    if (!none && !tusk_seconds_valid(deadline, 2)) {
        RETURN_THROWS();
    }
    if (retry < 0 || retry > 1000) {
        zend_argument_value_error(3, "must be between 0 and 1000");
        RETURN_THROWS();
    }
    if (!tusk_pool_open_for(self)) {
        RETURN_THROWS();
    }
    tusk_pool_make_room(self);
    uint64_t now_ns = tusk_loop_clock_ns(); /* for all of them */
    uint64_t deadline_ns = none            ? 0
                           : deadline == 0 ? UINT64_MAX
                                           : now_ns + (uint64_t)(deadline * 1e9);
    array_init_size(return_value, zend_hash_num_elements(jobs));
    ZEND_HASH_FOREACH_KEY_VAL(jobs, index, key, job)
    {
        zval value;
        const pack_path all = {.root = "$jobs"};
        const pack_path of = {.outer = &all, .key = key, .index = index};
        tusk_php_task *task =
            tusk_pool_take(self, job, 0, NULL, now_ns, deadline_ns, (uint32_t)retry,
                           zend_hash_num_elements(jobs) > 1 ? &of : NULL);
        if (task == NULL) {
            tell_job(jobs, &of);
            cancel_all(Z_ARRVAL_P(return_value));
            break;
        }
        ZVAL_OBJ(&value, &task->std);
        if (key != NULL) {
            zend_hash_update(Z_ARRVAL_P(return_value), key, &value);
        } else {
            zend_hash_index_update(Z_ARRVAL_P(return_value), index, &value);
        }
    }
    ZEND_HASH_FOREACH_END();
    if (self->lane != NULL) {
        tusk_lane_flush(self->lane);
    }
}

static uint32_t first_ended(tusk_php_task **tasks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tusk_task_ended(tasks[i])) {
            return i;
        }
    }
    return count;
}

static bool tasks_of(HashTable *from, tusk_pool *self, tusk_php_task **out)
{
    zval *entry;
    uint32_t count = 0;
    ZEND_HASH_FOREACH_VAL(from, entry)
    {
        ZVAL_DEREF(entry);
        if (Z_TYPE_P(entry) != IS_OBJECT || Z_OBJCE_P(entry) != tusk_ce_task ||
            (tusk_task_of(Z_OBJ_P(entry))->pool != self &&
             !tusk_task_ended(tusk_task_of(Z_OBJ_P(entry))))) {
            zend_argument_value_error(1, "must be tasks of this pool");
            return false;
        }
        out[count++] = tusk_task_of(Z_OBJ_P(entry));
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static void return_key(HashTable *tasks, uint32_t at, zval *return_value)
{
    zend_string *key;
    zend_ulong index;
    ZEND_HASH_FOREACH_KEY(tasks, index, key)
    {
        if (at-- == 0) {
            if (key != NULL) {
                RETURN_STR_COPY(key);
            }
            RETURN_LONG((zend_long)index);
        }
    }
    ZEND_HASH_FOREACH_END();
}

void tusk_engine_wait(INTERNAL_FUNCTION_PARAMETERS)
{
    HashTable *from;
    double seconds = 0;
    bool none = true;
    bool late = false;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_ARRAY_HT(from)
    Z_PARAM_OPTIONAL
    Z_PARAM_DOUBLE_OR_NULL(seconds, none)
    ZEND_PARSE_PARAMETERS_END();

    tusk_pool *self = tusk_pool_of(Z_OBJ_P(ZEND_THIS));
    uint32_t count = zend_hash_num_elements(from);
    if (count == 0) {
        zend_argument_value_error(1, "must have a task");
        RETURN_THROWS();
    }
    if (!none && !tusk_seconds_valid(seconds, 2)) {
        RETURN_THROWS();
    }
    tusk_php_task **tasks = safe_emalloc(count, sizeof(*tasks), 0);
    if (!tasks_of(from, self, tasks)) {
        efree(tasks);
        RETURN_THROWS();
    }
    uint64_t until_ns = none ? 0 : tusk_loop_clock_ns() + (uint64_t)(seconds * 1e9) + 1;
    tusk_pool_collect(self);
    uint32_t at = first_ended(tasks, count);
    if (at == count && !tusk_pool_run_here(tasks, count)) {
        (void)tusk_pool_wait(self, tasks, count, until_ns, &late);
    }
    at = first_ended(tasks, count);
    efree(tasks);
    if (EG(exception) == NULL && at < count) {
        return_key(from, at, return_value);
    }
}

/* ---- numbers ---- */
static void count(tusk_pool *self, zval *out)
{
    tusk_work_counters core = {0};
    uint32_t open = self->async == NULL ? self->here_count : tusk_async_open(self->async);
    if (self->core != NULL && tusk_pool_is_ours(self)) {
        const char *reason;
        (void)tusk_work_look(self->core, &reason);
        tusk_pool_collect(self);
        tusk_work_count(self->core, &core);
    }
    for (uint32_t i = 0; i < self->slots && self->by_slot != NULL; i++) {
        open += self->by_slot[i] != NULL;
    }
    array_init(out);
#define TELL(name, value) add_assoc_long(out, name, (zend_long)(value))
    TELL("workers", core.workers);
    TELL("idle", core.idle);
    TELL("open", open);
    TELL("submitted", self->counters.submitted);
    TELL("done", self->counters.done);
    TELL("failed", self->counters.failed);
    TELL("cancelled", self->counters.cancelled);
    TELL("late", self->counters.late);
    TELL("crashed", self->counters.crashed);
    TELL("retried", self->counters.retried);
    TELL("run_here", self->counters.here);
    TELL("forked", core.forked);
    TELL("died", core.died);
    TELL("killed", core.killed);
    TELL("retired", core.retired);
    TELL("guests", core.guests);
    TELL("corrupt", core.corrupt);
    TELL("templates", core.templates);
#undef TELL
}

void tusk_engine_stats(INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_NONE();
    count(tusk_pool_of(Z_OBJ_P(ZEND_THIS)), return_value);
}

/* ---- the end ---- */
void tusk_engine_close(INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_NONE();
    tusk_pool *self = tusk_pool_of(Z_OBJ_P(ZEND_THIS));
    if (tusk_pool_at_rest(self, "closes the pool")) {
        tusk_pool_close(self);
    }
}
