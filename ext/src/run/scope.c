/* SPDX-License-Identifier: MIT */
/* Scope: an object that lives as long as the task, handler or fiber whose code asks for it. */
#include "src/run/call.h"
#include "src/run/wait.h"

/* Where the scope of this stack's code is kept. */
static zend_object **slot(void)
{
    return TUSK_G(call) != NULL ? &TUSK_G(call)->scope : &TUSK_G(scope);
}

void tusk_scope_end(zend_object **scope)
{
    zend_object *object = *scope;
    *scope = NULL;
    if (object != NULL) {
        OBJ_RELEASE(object);
    }
}

zend_object *tusk_scope_enter(void)
{
    zend_object **own = slot();
    zend_object *outer = *own;
    *own = NULL;
    return outer;
}

void tusk_scope_leave(zend_object *outer)
{
    zend_object **own = slot();
    tusk_scope_end(own);
    *own = outer;
}

/* A fiber of the user's own ends by itself, whatever it was begun in. */
static zend_object *users_fiber(void)
{
    zend_fiber *fiber = EG(active_fiber);
    return fiber == NULL ? NULL : &fiber->std;
}

TUSK_METHOD(Tusk_Scope, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_Scope, current)
{
    ZEND_PARSE_PARAMETERS_NONE();
    zend_object *fiber = users_fiber();
    if (fiber != NULL) {
        RETURN_OBJ_COPY(fiber);
    }
    zend_object **own = slot();
    if (*own == NULL) {
        *own = zend_objects_new(tusk_ce_scope);
    }
    RETURN_OBJ_COPY(*own);
}
