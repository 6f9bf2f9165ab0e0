/* SPDX-License-Identifier: MIT */
/* What tasks and handlers wait for that is not Tusk's own: descriptors, each other, their end. */
#ifndef TUSK_EXT_RUN_WAIT_H
#define TUSK_EXT_RUN_WAIT_H

#include "src/run/fiber.h"

void tusk_condition_startup(void);

/* ---- scope.c: what lives as long as the code that runs here ---- */
/* A scope inside the one that is here; what is given back goes to tusk_scope_leave. */
zend_object *tusk_scope_enter(void);
void tusk_scope_leave(zend_object *outer);
/* Lets go of the scope, which may run destructors. NULL: nobody asked for it. */
void tusk_scope_end(zend_object **scope);

#endif
