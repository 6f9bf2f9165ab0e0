/* SPDX-License-Identifier: MIT */
/* Stream sockets as every platform has them: non-blocking, close-on-exec, and no SIGPIPE. */
#ifndef NET_SOCKET_H
#define NET_SOCKET_H

#include <sys/socket.h>

#include "net/addr.h"

/* macOS has neither; SO_NOSIGPIPE is set on each socket there (tusk__socket_quiet). */
#if !defined(MSG_NOSIGNAL)
#define MSG_NOSIGNAL 0
#endif
#if !defined(MSG_MORE)
#define MSG_MORE 0
#endif

/* All three: -1 when it failed, errno tells. */
int tusk__socket_open(int family);
int tusk__socket_accept(int listener, tusk_addr *peer); /* interrupted: once more */
int tusk__socket_pair(int ends[2]);
/* For a descriptor that was made elsewhere: writing where nobody reads is EPIPE and no signal. */
void tusk__socket_quiet(int fd);
/* A TCP socket that talks or listens at that address: what is small leaves at once, and on
 * loopback, where there is no congestion, none is controlled. What a listener has, those it accepts
 * have. */
void tusk__socket_set_manners(int fd, const tusk_addr *at);
/* connect(2) from any port of the lower three quarters of the system's range, in the order in which
 * they come; from all of it when those are used up. By itself Linux looks at all even ports before
 * an odd one, and with thousands of connections a second to one backend each search goes over
 * thousands of ports that are in TIME_WAIT; the odd ones it leaves to who binds to port 0, as we do
 * the upper quarter. Needs 6.3, and 6.9 to be of use; elsewhere it is connect(2). TUSK_OK: it is
 * connected, or about to be; else `errno` is kept. A Unix socket whose backlog is full refuses;
 * without a port it is TUSK_EEXHAUSTED. */
tusk_err tusk__socket_connect(int fd, const tusk_addr *to);
/* The same for one that was connected so before and disconnected, but with its ports used up it
 * fails. */
tusk_err tusk__socket_connect_again(int fd, const tusk_addr *to);
/* A connected socket whose two sides have ended, and all that was said has arrived: neither can say
 * anything more, and the system has kept what it still needs of it elsewhere (TIME_WAIT). Only
 * Linux tells. */
bool tusk__socket_is_over(int fd);
/* Such a one is as it was before it was connected, with its options, and may be connected again; it
 * gets another port. False: it cannot be, and is to be closed. */
bool tusk__socket_disconnect(int fd);
/* Whether the peer has said all, or is gone, however much of it is still to be read; false as well
 * where the system does not tell (only Linux does). */
bool tusk__socket_ended(int fd);
/* Where it is bound; len 0: nobody knows. */
tusk_addr tusk__socket_addr(int fd);
/* Bytes that have come and that nobody has read; an end is none. 0 where that cannot be had. */
size_t tusk__socket_unread(int fd);
/* Bytes have come that nobody has read. Of a descriptor that is none (-1): no. */
bool tusk__socket_has_bytes(int fd);
/* Closing it will be a reset, whatever is queued. */
void tusk__socket_will_reset(int fd);
/* What went wrong with it, as a number of errno's, told once (SO_ERROR); 0: nothing. */
int tusk__socket_error(int fd);
/* What errno says of a stream socket. */
tusk_err tusk__socket_err_of(int number);

#endif
