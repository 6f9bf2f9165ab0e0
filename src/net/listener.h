/* SPDX-License-Identifier: MIT */
/* A listening socket: TCP over either family, or a Unix path; accepts in bounded batches. */
#ifndef NET_LISTENER_H
#define NET_LISTENER_H

#include <tusk/bytes.h>
#include <tusk/loop.h>

#include "net/addr.h"

typedef struct tusk_listener tusk_listener;

typedef struct tusk_listener_options {
    int backlog;     /* 0: 4096 */
    bool reuse_port; /* SO_REUSEPORT, for several processes on one port */
    bool ipv6_only;
    bool for_operators;    /* its clients may have descriptors that are kept back from others */
    bool keep_path;        /* a Unix path is somebody else's: closing leaves it */
    uint32_t unix_mode;    /* permissions of a Unix path; 0: 0660 */
    unsigned accept_batch; /* at most so many per turn; 0: 64 */
    unsigned accept_us;    /* at most for so long in a turn in which others are served, but one at
                              least; 0: 25 */
    /* Told each time that descriptors or memory ran out on accept (0), or that the socket accepts
     * nothing, by this errno; NULL: not. */
    void (*on_exhausted)(void *user, int error);
} tusk_listener_options;

/* `fd` is non-blocking, close-on-exec, TCP_NODELAY set. The callback owns it. */
typedef void (*tusk_accept_cb)(void *user, int fd, const tusk_addr *peer);

/* As people write it: what tusk_addr_parse takes, or a name such as "localhost:8080", which is
 * looked up; that blocks. TUSK_EINVAL; TUSK_ENOENT: there is no such host. */
tusk_err tusk_listener_address(tusk_addr *out, const char *text);
/* Binds and listens, but accepts only after tusk_listener_resume. A stale Unix path (nobody
 * answers) is replaced. TUSK_EADDRINUSE, TUSK_EADDRNOTAVAIL, TUSK_EACCES, TUSK_EEXHAUSTED (no
 * descriptor), TUSK_ESYS (errno tells). */
tusk_err tusk_listener_open(tusk_listener **out, tusk_loop *loop, const tusk_addr *addr,
                            const tusk_listener_options *options, tusk_accept_cb on_accept,
                            void *user);
/* A sentence that names the address, the error (errno where it is TUSK_ESYS, so at once) and what
 * can be done about it, of the function above and of tusk_listener_socket. */
void tusk_listener_explain(char *reason, size_t cap, tusk_err err, const char *address);
/* In two steps, for processes that share one socket: bound and listening, with the port the kernel
 * chose in `*addr`; then, in each of them, `fd` becomes a listener's (on failure it stays the
 * caller's). `addr` NULL: what the socket says. */
tusk_err tusk_listener_socket(int *out, tusk_addr *addr, const tusk_listener_options *options);
tusk_err tusk_listener_adopt(tusk_listener **out, tusk_loop *loop, int fd, const tusk_addr *addr,
                             const tusk_listener_options *options, tusk_accept_cb on_accept,
                             void *user);
/* The path of a Unix address is taken away; of another there is none. */
void tusk__listener_unlink(const tusk_addr *addr);
const tusk_addr *tusk_listener_addr(const tusk_listener *self); /* with the port the kernel chose */
int tusk_listener_fd(const tusk_listener *self); /* for options that its clients inherit */
void tusk_listener_pause(tusk_listener *self);   /* connections wait in the kernel's backlog */
void tusk_listener_resume(tusk_listener *self);
bool tusk_listener_wanted(const tusk_listener *self); /* somebody waits in the backlog */
/* ---- inlets: further sockets, each by a key, whose clients are this listener's for a while ----
 */
/* Its Unix path is somebody else's. On failure `fd` stays the caller's. */
tusk_err tusk_listener_add_inlet(tusk_listener *self, uint32_t key, int fd);
/* Those with this key. */
void tusk_listener_drop_inlets(tusk_listener *self, uint32_t key);
/* Where a descriptor of a client would be one of the last 32 below RLIMIT_NOFILE (of the last
 * eighth where that is less), or there is none (EMFILE, ENFILE), accepting pauses by itself for 100
 * ms and goes on, without spinning; counted here. So who is served can still open files, resolve
 * names and call backends, and who watches is answered (for_operators: all but a few of those). */
uint64_t tusk_listener_exhausted(const tusk_listener *self);
void tusk_listener_close(tusk_listener *self);

/* Closes an accepted descriptor that nobody wants, after `last_words` if the socket takes them at
 * once (an empty view: without a word). */
void tusk_accepted_refuse(int fd, tusk_bytes last_words);

#endif
