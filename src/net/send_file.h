/* SPDX-License-Identifier: MIT */
/* sendfile without SIGPIPE, which no flag keeps it from. Who includes this defines _GNU_SOURCE. */
#ifndef NET_SEND_FILE_H
#define NET_SEND_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* SIGPIPE is blocked in this thread from begin to end, and taken back at the end if it came of a
 * send in between. */
typedef struct net_hush {
    sigset_t before;
    bool broken;
} net_hush;

void tusk__hush_begin(net_hush *self);
void tusk__hush_end(net_hush *self);
/* Bytes of `file` from `offset` on that the socket took, or the negative errno, never EINTR. */
ssize_t tusk__hush_send(net_hush *self, int fd, int file, uint64_t offset, size_t wanted);

#endif
