/* SPDX-License-Identifier: MIT */
/* What a process has of its supervisor (systemd, and those with the same conventions): sockets that
 * it has bound, and an address to tell it how things are. The environment that says so is the
 * caller's to read. */
#ifndef TUSK_SUPERVISOR_H
#define TUSK_SUPERVISOR_H

#include <tusk/bytes.h>
#include <tusk/err.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first of them, as sd_listen_fds(3) has it, and how many are looked at at most. */
enum { TUSK_SUPERVISOR_FD = 3, TUSK_SUPERVISOR_FDS_MAX = 64 };

/* A copy of the stream socket that listens at this very address ("127.0.0.1:80", "*:80",
 * "unix:/path") among the `count` descriptors that were handed over: non-blocking, the caller's.
 * Neither it nor the one handed over outlives exec. TUSK_ENOENT: none is; TUSK_EINVAL: that is no
 * address; TUSK_ESYS, or a limit of descriptors: it cannot be copied. */
TUSK_API tusk_err tusk_supervisor_socket(int *out, int count, const char *address);
/* One datagram of sd_notify(3), "READY=1", to a Unix socket: "/path", or "@name" in Linux's own
 * space. TUSK_EINVAL: that is no such address; others: nobody took it. */
TUSK_API tusk_err tusk_supervisor_tell(const char *socket, tusk_bytes text);

#ifdef __cplusplus
}
#endif
#endif
