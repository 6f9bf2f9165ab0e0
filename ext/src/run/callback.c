/* SPDX-License-Identifier: MIT */
/* A closure of the user's that is kept, to be called later. */
#include "src/closures.h"
#include "src/run/call.h"
#include "src/run/enter.h"

static void set_callable(tusk_callback *self, zval *callable)
{
    tusk_callback old = *self;
    zend_fcall_info_init(callable, 0, &self->fci, &self->fcc, NULL, NULL);
    tusk_enter_prepare(&self->entry, &self->fcc, 1);
    if (old.fci.size != 0) {
        zval_ptr_dtor(&old.fci.function_name);
    }
}

void tusk_callback_set(tusk_callback *self, zend_object *closure)
{
    zval value;
    ZVAL_OBJ_COPY(&value, closure);
    set_callable(self, &value);
}

void tusk_callback_parameter(INTERNAL_FUNCTION_PARAMETERS, tusk_callback *self,
                             const tusk_arguments *with)
{
    zend_object *closure;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_CLOSURE_OF(closure, with)
    ZEND_PARSE_PARAMETERS_END();

    tusk_callback_set(self, closure);
}

void tusk_callback_set_method(tusk_callback *self, zend_object *object, const char *method)
{
    zval pair;
    zval value;
    array_init_size(&pair, 2);
    ZVAL_OBJ_COPY(&value, object);
    zend_hash_next_index_insert_new(Z_ARRVAL(pair), &value);
    ZVAL_STRING(&value, method);
    zend_hash_next_index_insert_new(Z_ARRVAL(pair), &value);
    set_callable(self, &pair);
}

void tusk_callback_given_always(tusk_callback *self, const zend_class_entry *const *given,
                                uint32_t count)
{
    if (tusk_callback_given(self)) {
        tusk_enter_prepare(&self->entry, &self->fcc, count);
        self->entry.proven = tusk_enter_proven(self->fcc.function_handler, given, count);
    }
}

void tusk_callback_fini(tusk_callback *self)
{
    tusk_callback old = *self;
    memset(self, 0, sizeof(*self));
    if (old.fci.size != 0) {
        zval_ptr_dtor(&old.fci.function_name);
    }
}
