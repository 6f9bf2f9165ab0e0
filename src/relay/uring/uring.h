/* SPDX-License-Identifier: MIT */
/*
 * The io_uring engine: joined pairs are watched by one ring per relay instead of the poller.
 *
 * Built where liburing is; else, and where the kernel refuses, relay->uring and relay->ring stay
 * NULL, the engine's text says why, and bytes are copied.
 */
#ifndef RELAY_URING_URING_H
#define RELAY_URING_URING_H

#include "relay/move/pair.h"

/* What a kernel may lack. Tests set bits of these in relay->uring_lacks before it is started, and
 * get what such a kernel gives. */
enum {
    URING_NO_CALLS = 1,    /* io_uring is not compiled in: ENOSYS */
    URING_FORBIDDEN = 2,   /* kernel.io_uring_disabled, or a seccomp filter: EPERM */
    URING_NO_DEFER = 4,    /* before Linux 6.1: completions interrupt, unless COOP */
    URING_NO_COOP = 8,     /* before 5.19 */
    URING_NO_SHELF = 16,   /* before 5.19: no ring of provided buffers */
    URING_NO_CAP = 32,     /* before 6.17: a multishot receive cannot be told where to end */
    URING_NO_RECEIVE = 64, /* receives into provided buffers fail */
    URING_NO_WAIT = 128,   /* the loop cannot wait in the ring */
    URING_FEW = 256,       /* two buffers are all there are */
    URING_NO_SUBMIT = 512  /* the kernel takes nothing for now: EAGAIN; also later */
};

/* io_uring cannot be had. */
static inline void relay_uring_lacks(tusk_relay *relay, const char *reason)
{
    relay_engine_set(relay, false, "%s; bytes are copied", reason);
    relay_engine_tell(relay);
}

#if defined(TUSK_HAVE_LIBURING)

/* Before the relay's first client; says what became of it. */
void relay_uring_open(tusk_relay *relay);
/* No pair is there any more. */
void relay_uring_close(tusk_relay *relay);

#else

static inline void relay_uring_open(tusk_relay *relay)
{
    relay_uring_lacks(relay, "built without liburing");
}
static inline void relay_uring_close(tusk_relay *relay)
{
    (void)relay;
}

#endif
#endif
