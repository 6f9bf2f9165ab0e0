/* SPDX-License-Identifier: MIT */
/* The buffer that has what a task echoes. */
#ifndef TUSK_EXT_PARALLEL_OUTPUT_H
#define TUSK_EXT_PARALLEL_OUTPUT_H

#include <Zend/zend_smart_str.h>

/* One more buffer. What is flushed out of it goes to no buffer below. */
void tusk_output_start(void);
/* The innermost buffer, if it is such a one: what is flushed out of it from now on is kept there.
 * NULL: it is dropped. */
void tusk_output_keep(smart_str *flushed);

/* Under a web server (PHP-FPM, mod_php) its client is not this process's to answer: what is in no
 * buffer goes nowhere, where PHP would take the closed socket for a client that left, and end the
 * task. What would be the web server's log goes to stderr, which is that of FPM's workers. */
void tusk_output_detach(void);

#endif
