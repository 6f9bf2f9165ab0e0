/* SPDX-License-Identifier: MIT */
/*
 * Many sends, or receives, for one system call: a ring of io_uring into which they are put and
 * which is entered once. Nothing of it is asynchronous: none may wait (MSG_DONTWAIT), so the kernel
 * does them one after the other within that call, and answers what send(2) and recv(2) answer.
 *
 * Where there is no ring (built without liburing, an old kernel, forbidden), and whatever a ring
 * does not take, is done by those calls themselves: who uses this sees no difference.
 */
#ifndef NET_BATCH_H
#define NET_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <tusk/err.h>
#include <tusk/mem.h>

#define NET_BATCH_MAX 128u

typedef struct tusk_batch tusk_batch;

typedef struct tusk_batch_item {
    void *owner; /* the caller's */
    union {
        const void *from; /* to be sent */
        void *to;         /* room for what is received */
    } bytes;
    size_t len;
    int fd;
    int result; /* bytes; or the negative errno, never EINTR */
} tusk_batch_item;

/* What a kernel may lack or refuse. Tests ask for it, and get what such a kernel gives. */
enum {
    BATCH_NO_CALLS = 1,  /* io_uring is not compiled in: ENOSYS */
    BATCH_FORBIDDEN = 2, /* kernel.io_uring_disabled, or a seccomp filter: EPERM */
    BATCH_OLD = 4,       /* before Linux 5.18: one bad entry ends a submission */
    BATCH_WAITS = 8,     /* what may not wait is waited for all the same */
    BATCH_NO_MEMORY = 16,
    BATCH_REFUSES = 32, /* later on: entering it fails (EAGAIN, EBUSY) */
    BATCH_HALF = 64     /* later on: it takes half of what was put in, then refuses */
};

/* TUSK_ENOMEM, or TUSK_ENOTSUP, and `reason` says why (static text): there is no ring. */
tusk_err tusk_batch_new(tusk_batch **out, const tusk_mem *mem, unsigned lacks, const char **reason);
void tusk_batch_free(tusk_batch *self);
/* Words for the negative errno with which a kernel refuses a ring. */
const char *tusk__uring_refusal(int err);
/* A ring that entering has failed for stays away. */
bool tusk_batch_works(const tusk_batch *self);

/* A ring that is made when it is first of use: most owners never have so much to do at once. All
 * zero at first. */
typedef struct tusk_late_batch {
    tusk_batch *ring; /* NULL: not needed yet, or not to be had */
    unsigned lacks;   /* tests set it */
    bool tried;
} tusk_late_batch;

/* Whether there is one that works. `reason` is NULL, but for the one call that finds that there can
 * be none. */
bool tusk_late_batch_works(tusk_late_batch *self, const tusk_mem *mem, const char **reason);
void tusk_late_batch_fini(tusk_late_batch *self);

/* At most NET_BATCH_MAX of them, in their order, each as send(fd, from, len, MSG_DONTWAIT |
 * MSG_NOSIGNAL) and recv(fd, to, len, MSG_DONTWAIT). `self` may be NULL. */
void tusk_batch_send(tusk_batch *self, tusk_batch_item *items, unsigned count);
void tusk_batch_receive(tusk_batch *self, tusk_batch_item *items, unsigned count);

#endif
