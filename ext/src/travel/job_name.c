/* SPDX-License-Identifier: MIT */
/* What a job is called in messages: taken when it is submitted, made a text when it failed. */
#include "src/travel/path.h"

#include <Zend/zend_closures.h>

/* What stands second in a job is a method's name, or an argument, which may be long. */
enum { METHOD_MAX = 255 };

static void take_closure(tusk_job_name *self, zend_object *closure)
{
    zend_class_entry *called;
    zend_object *bound;
    const zend_function *function = tusk_closure_parts(closure, &called, &bound);
    if (function == NULL) {
        return;
    }
    bool named = (function->common.fn_flags & ZEND_ACC_FAKE_CLOSURE) != 0; /* strlen(...) */
    if (!named && ZEND_USER_CODE(function->type)) {
        self->text = zend_string_copy(function->op_array.filename);
        self->line = function->op_array.line_start;
        return;
    }
    zend_class_entry *scope = function->common.scope;
    zend_string *name = function->common.function_name;
    self->text = zend_string_copy(scope != NULL ? scope->name : name);
    self->method = scope != NULL ? zend_string_copy(name) : NULL;
}

/* Of array_map() over a piece, as Parallel::map() sends it, it is the function that is mapped: who
 * reads the message has written that one. */
static zval *mapped(zval *job)
{
    zval *first;
    if (Z_TYPE_P(job) != IS_ARRAY ||
        (first = zend_hash_index_find_deref(Z_ARRVAL_P(job), 0)) == NULL ||
        Z_TYPE_P(first) != IS_STRING ||
        !zend_string_equals_literal_ci(Z_STR_P(first), "array_map")) {
        return job;
    }
    zval *function = zend_hash_index_find_deref(Z_ARRVAL_P(job), 1);
    return function == NULL ? job : function;
}

void tusk_job_name_take(tusk_job_name *self, zval *job)
{
    zval *second = NULL;
    ZVAL_DEREF(job);
    job = mapped(job);
    if (Z_TYPE_P(job) == IS_ARRAY) {
        second = zend_hash_index_find_deref(Z_ARRVAL_P(job), 1);
        job = zend_hash_index_find_deref(Z_ARRVAL_P(job), 0);
    }
    if (job == NULL || (Z_TYPE_P(job) != IS_STRING && Z_TYPE_P(job) != IS_OBJECT)) {
        return; /* no job, which is told as that */
    }
    if (Z_TYPE_P(job) == IS_OBJECT && Z_OBJCE_P(job) == zend_ce_closure) {
        take_closure(self, Z_OBJ_P(job));
        return;
    }
    bool method = second != NULL && Z_TYPE_P(second) == IS_STRING && Z_STRLEN_P(second) > 0 &&
                  Z_STRLEN_P(second) <= METHOD_MAX;
    if (Z_TYPE_P(job) == IS_OBJECT && !method) {
        return;
    }
    self->text = zend_string_copy(Z_TYPE_P(job) == IS_STRING ? Z_STR_P(job) : Z_OBJCE_P(job)->name);
    self->method = method ? zend_string_copy(Z_STR_P(second)) : NULL;
}

void tusk_job_name_key(tusk_job_name *self, zend_string *key, zend_ulong index)
{
    self->keyed = true;
    self->key = key == NULL ? NULL : zend_string_copy(key);
    self->index = index;
}

void tusk_job_name_drop(tusk_job_name *self)
{
    zend_string *held[] = {self->text, self->method, self->key};
    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
        if (held[i] != NULL) {
            zend_string_release(held[i]);
        }
    }
    memset(self, 0, sizeof(*self));
}

static void append_callee(smart_str *out, const tusk_job_name *self)
{
    if (self->line != 0) {
        smart_str_append_printf(out, "closure of %s:%" PRIu32, ZSTR_VAL(self->text), self->line);
        return;
    }
    smart_str_appends(out, ZSTR_VAL(self->text)); /* of an anonymous class up to its NUL */
    bool alone = self->method == NULL || strstr(ZSTR_VAL(self->text), "::") != NULL ||
                 tusk_job_is_function(self->text);
    if (!alone) {
        smart_str_appends(out, "::");
        smart_str_append(out, self->method);
    }
    smart_str_appends(out, "()");
}

zend_string *tusk_job_name_add(const tusk_job_name *self, zend_string *message)
{
    if (self->text == NULL) {
        return message;
    }
    const pack_path jobs = {.root = "$jobs"};
    const pack_path path = {.outer = &jobs, .key = self->key, .index = self->index};
    smart_str out = {0};
    smart_str_append(&out, message);
    smart_str_appends(&out, " (task: ");
    if (self->keyed) {
        tusk_path_text(&out, &path);
        smart_str_appends(&out, ", ");
    }
    append_callee(&out, self);
    smart_str_appendc(&out, ')');
    smart_str_0(&out);
    zend_string_release(message);
    return out.s;
}
