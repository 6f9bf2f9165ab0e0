/* SPDX-License-Identifier: MIT */
/* The bell: a descriptor, or a pair of them, that anything may ring (a thread, a signal handler,
 * another process) and a loop hears. */
#ifndef LOOP_BELL_H
#define LOOP_BELL_H

#include <tusk/loop.h>

typedef struct tusk__bell {
    int read_fd;
    int write_fd; /* the same where eventfd exists */
} tusk__bell;

tusk_err tusk__bell_open(tusk__bell *self);
void tusk__bell_ring(int write_fd); /* safe in a signal handler; keeps errno */
void tusk__bell_hush(const tusk__bell *self);
void tusk__bell_close(tusk__bell *self);
/* The same bell, no longer shared with the parent, and heard by the child's poller. */
tusk_err tusk__bell_forked(tusk__bell *self, tusk_loop *loop, tusk_io *io);

#endif
