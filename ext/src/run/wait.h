/* SPDX-License-Identifier: MIT */
/* What tasks and handlers wait for that is not Tusk's own: descriptors, each other, their end. */
#ifndef TUSK_EXT_RUN_WAIT_H
#define TUSK_EXT_RUN_WAIT_H

#include "src/run/fiber.h"

void tusk_condition_startup(void);

/* ---- scope.c: what lives as long as the code that runs here ---- */
/* A scope inside the one that is here, until tusk_scope_leave. */
typedef struct tusk_scope_frame {
    struct tusk_scope_frame *next;
    zend_fiber *fiber;  /* of the user's own, which it is entered in; NULL: none */
    zend_object *scope; /* there this one, else the outer one that is set aside */
} tusk_scope_frame;

void tusk_scope_enter(tusk_scope_frame *self);
void tusk_scope_leave(tusk_scope_frame *self);
/* Lets go of the scope, which may run destructors. NULL: nobody asked for it. */
void tusk_scope_end(zend_object **scope);

#endif
