/* SPDX-License-Identifier: MIT */
/* Async: jobs as strands of this process, side by side as far as they wait. */
#ifndef TUSK_EXT_PARALLEL_ASYNC_H
#define TUSK_EXT_PARALLEL_ASYNC_H

#include "src/parallel/parallel.h"

/* At most `concurrency` jobs are under way at once, the others wait in order. */
struct tusk_async *tusk_async_new(tusk_pool *pool, uint32_t concurrency);
/* Cancels what has not ended. Harmless twice. */
void tusk_async_close(struct tusk_async *self);
void tusk_async_free(struct tusk_async *self);
void tusk_async_gc(const struct tusk_async *self, zend_get_gc_buffer *buffer);
uint32_t tusk_async_open(const struct tusk_async *self); /* tasks that have not ended */

/* Queues it; it begins when the loop turns. False: an exception was thrown. */
bool tusk_async_put(struct tusk_async *self, tusk_php_task *task, zval *job, uint32_t argc,
                    zval *argv);
/* As tusk_pool_wait. */
bool tusk_async_wait(tusk_php_task **tasks, uint32_t count, uint64_t timeout_ns, bool *late);
/* It had not ended before; a task that waits has ended by then. */
bool tusk_async_cancel(tusk_php_task *task);
/* The code that runs here belongs to a task that should end. */
bool tusk_async_stopping(void);

#endif
