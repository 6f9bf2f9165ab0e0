/* SPDX-License-Identifier: MIT */
/* What a stream, a Socket or a number stands for: the descriptor that somebody else reads and
 * writes. */
#ifndef TUSK_EXT_RUN_DESCRIPTOR_H
#define TUSK_EXT_RUN_DESCRIPTOR_H

#include "php_tusk.h"

#include <sys/stat.h>

typedef struct tusk_descriptor {
    zend_resource *stream; /* counted; NULL: a plain descriptor, */
    int fd;                /* which should stay this one: */
    struct stat identity;
} tusk_descriptor;

/* Of a method's first argument. False: an exception was thrown. Either way tusk_descriptor_fini. */
bool tusk_descriptor_take(tusk_descriptor *self, zval *value);
void tusk_descriptor_fini(tusk_descriptor *self);
/* Somebody closed it. */
bool tusk_descriptor_closed(const tusk_descriptor *self);
/* A file or a folder, which no poller knows: reading and writing never block there. */
bool tusk_descriptor_always_ready(const tusk_descriptor *self);
/* PHP has bytes of it to read that the descriptor does not tell of. */
bool tusk_descriptor_buffered(const tusk_descriptor *self);
/* Another number for it, to be watched by: it is ours until it is closed, so neither a close by
 * somebody else nor another one who waits for the same can mix up the poller. -1: errno. */
int tusk_descriptor_dup(const tusk_descriptor *self);

#endif
