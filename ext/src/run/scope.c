/* SPDX-License-Identifier: MIT */
/* Scope: an object that lives as long as the task, handler or fiber whose code asks for it. */
#include "src/run/call.h"
#include "src/run/wait.h"

/* Of the task that was begun last in the fiber of the user's own that runs here, and has not ended:
 * other fibers may have begun theirs meanwhile. NULL: there is none. */
static tusk_scope_frame *frame_here(void)
{
    tusk_scope_frame *frame = EG(active_fiber) == NULL ? NULL : TUSK_G(scope_frames);
    while (frame != NULL && frame->fiber != EG(active_fiber)) {
        frame = frame->next;
    }
    return frame;
}

/* Where the scope of this stack's code is kept. */
static zend_object **slot(void)
{
    tusk_scope_frame *frame = frame_here();
    if (frame != NULL) {
        return &frame->scope;
    }
    return TUSK_G(call) != NULL ? &TUSK_G(call)->scope : &TUSK_G(scope);
}

void tusk_scope_end(zend_object **scope)
{
    zend_object *object;
    while ((object = *scope) != NULL) { /* a destructor may ask for it again */
        *scope = NULL;
        OBJ_RELEASE(object);
    }
}

void tusk_scope_enter(tusk_scope_frame *self)
{
    *self = (tusk_scope_frame){.next = TUSK_G(scope_frames), .fiber = EG(active_fiber)};
    if (self->fiber != NULL) {
        TUSK_G(scope_frames) = self;
        return;
    }
    zend_object **own = slot();
    self->scope = *own;
    *own = NULL;
}

void tusk_scope_leave(tusk_scope_frame *self)
{
    if (self->fiber == NULL) {
        zend_object **own = slot();
        tusk_scope_end(own);
        *own = self->scope;
        return;
    }
    tusk_scope_end(&self->scope);
    tusk_scope_frame **at = &TUSK_G(scope_frames);
    while (*at != NULL && *at != self) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = self->next;
    }
}

/* A fiber of the user's own ends by itself, whatever it was begun in; a task within it before. */
static zend_object *users_fiber(void)
{
    zend_fiber *fiber = EG(active_fiber);
    return fiber == NULL || frame_here() != NULL ? NULL : &fiber->std;
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
