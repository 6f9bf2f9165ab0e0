/* SPDX-License-Identifier: MIT */
/* Output buffers of a call or a task of this process, while its stack is left aside. */
#ifndef TUSK_EXT_RUN_ASIDE_H
#define TUSK_EXT_RUN_ASIDE_H

#include "php_tusk.h"

#include <main/php_output.h>

typedef struct tusk_aside {
    php_output_handler **handlers; /* innermost first; NULL: there were none */
    int count;
    int first;    /* level of the outermost that is this stack's own */
    int captured; /* TUSK_G(captured) of this stack */
} tusk_aside;

/* php_output_get_level(), for every call. */
static inline int tusk_output_level(void)
{
    return EXPECTED(OG(active) == NULL) ? 0 : OG(handlers).top;
}

/* Takes the buffers of the calls that lie on this stack, or of the task that TUSK_G(captured)
 * tells of, from PHP's, which has one stack of them for all fibers: what runs meanwhile neither
 * writes into them nor ends them. */
void tusk_aside_put(tusk_aside *self);
/* And gives them back, on top of those that are there now. */
void tusk_aside_take(tusk_aside *self);
/* Ends the buffers above a level, whatever they are; what is in them goes nowhere. */
void tusk_aside_drop(int level);

#endif
