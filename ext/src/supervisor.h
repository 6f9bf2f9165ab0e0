/* SPDX-License-Identifier: MIT */
/* A server or a proxy under a supervisor, systemd or one with its conventions. */
#ifndef TUSK_EXT_SUPERVISOR_H
#define TUSK_EXT_SUPERVISOR_H

typedef enum tusk_supervised {
    TUSK_SUPERVISED_READY,     /* sockets are bound: READY=1; also when a reload is done */
    TUSK_SUPERVISED_RELOADING, /* RELOADING=1 and MONOTONIC_USEC; READY follows */
    TUSK_SUPERVISED_STOPPING   /* it drains: STOPPING=1 */
} tusk_supervised;

/* To the datagram socket that NOTIFY_SOCKET names (sd_notify(3)); nothing without one. */
void tusk_supervised_tell(tusk_supervised what);
/* A copy of the listening socket at that address which was handed to this process (LISTEN_FDS of
 * sd_listen_fds(3)), the caller's; -1: there is none. */
int tusk_supervised_socket(const char *address);

#endif
