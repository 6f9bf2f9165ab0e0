/* SPDX-License-Identifier: MIT */
/* Output buffers of a task that runs in this process, while its stack is left aside. */
#ifndef TUSK_EXT_RUN_ASIDE_H
#define TUSK_EXT_RUN_ASIDE_H

#include "php_tusk.h"

#include <main/php_output.h>

typedef struct tusk_aside {
    php_output_handler **handlers; /* innermost first; NULL: there were none */
    int count;
} tusk_aside;

/* Takes the buffers from TUSK_G(captured) on from PHP's, which has one stack of them for all
 * fibers: what runs meanwhile neither writes into them nor ends them. */
void tusk_aside_put(tusk_aside *self);
/* And gives them back, on top of those that are there now. */
void tusk_aside_take(tusk_aside *self);

#endif
