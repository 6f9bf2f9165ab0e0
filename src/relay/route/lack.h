/* SPDX-License-Identifier: MIT */
/* What this process has run out of when a target was to be connected to. That says nothing of the
 * target: it is not blamed, the client is told to come back (503), and the log what to do. */
#ifndef RELAY_ROUTE_LACK_H
#define RELAY_ROUTE_LACK_H

typedef struct relay_target relay_target;

typedef enum relay_lack {
    LACK_DESCRIPTOR, /* of this process's limit, EMFILE */
    LACK_OF_ALL,     /* of the machine's descriptors, ENFILE */
    LACK_PORT,       /* a port of ours towards this target */
    LACK_WATCH,      /* the poller takes no more sockets: ENOSPC of epoll, FD_SETSIZE of select */
    LACK_THREAD      /* to look its name up in */
} relay_lack;

/* What errno tells after TUSK_EEXHAUSTED of a socket. */
relay_lack relay_lack_of(int number);
/* Counted, and one line in ten seconds for each kind (relay/notice.h). */
void relay_lack_tell(const relay_target *target, relay_lack lack);

#endif
