/* SPDX-License-Identifier: MIT */
/* A closure that makes a process ready, before it serves or works. */
#ifndef TUSK_EXT_RUN_BOOTSTRAP_H
#define TUSK_EXT_RUN_BOOTSTRAP_H

#include "php_tusk.h"

/* False: it threw, called exit(), or ended by a fatal error (EG(exception) is as it left it). A
 * child that it forked and that came out of it, too, ends here. */
bool tusk_bootstrap_call(zval *closure, uint32_t argc, zval *argv);
/* Why it failed: "RuntimeException: no database", with `place` followed by file and line. */
void tusk_bootstrap_why(char *reason, size_t cap, bool place);

#endif
