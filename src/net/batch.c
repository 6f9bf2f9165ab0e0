/* SPDX-License-Identifier: MIT */
/* Sends and receives of a batch: in a ring where there is one, else one by one. */
#define _GNU_SOURCE
#include "net/batch.h"

#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

typedef enum batch_kind { BATCH_SEND, BATCH_RECEIVE } batch_kind;

static void do_plainly(tusk_batch_item *item, batch_kind kind)
{
    ssize_t len;
    size_t most = item->len < INT_MAX ? item->len : INT_MAX;
    do {
        len = kind == BATCH_SEND
                  ? send(item->fd, item->bytes.from, most, MSG_DONTWAIT | MSG_NOSIGNAL)
                  : recv(item->fd, item->bytes.to, most, MSG_DONTWAIT);
    } while (len < 0 && errno == EINTR);
    item->result = len < 0 ? -errno : (int)len;
}

#if defined(TUSK_HAVE_LIBURING)

#include <liburing.h>

#define NOT_DONE (-EINTR) /* no result: MSG_DONTWAIT is never interrupted, and is tried again */

struct tusk_batch {
    struct io_uring ring;
    const tusk_mem *mem;
    unsigned lacks;
    bool open;
};

static void give_up(tusk_batch *self)
{
    if (self->open) {
        self->open = false;
        io_uring_queue_exit(&self->ring);
    }
}

static void put(struct io_uring_sqe *sqe, const tusk_batch_item *item, batch_kind kind)
{
    size_t most = item->len < INT_MAX ? item->len : INT_MAX;
    if (kind == BATCH_SEND) {
        io_uring_prep_send(sqe, item->fd, item->bytes.from, most, MSG_DONTWAIT | MSG_NOSIGNAL);
    } else {
        io_uring_prep_recv(sqe, item->fd, item->bytes.to, most, MSG_DONTWAIT);
    }
}

static int enter(tusk_batch *self)
{
    if ((self->lacks & BATCH_REFUSES) != 0) {
        return -EAGAIN;
    }
    return io_uring_submit(&self->ring);
}

/* What is done so far; how many that are. */
static unsigned collect(tusk_batch *self, tusk_batch_item *items)
{
    unsigned head;
    unsigned seen = 0;
    struct io_uring_cqe *cqe; /* not const: newer ones of liburing set it by its address */
    io_uring_for_each_cqe(&self->ring, head, cqe)
    {
        items[cqe->user_data].result = cqe->res;
        seen++;
    }
    io_uring_cq_advance(&self->ring, seen);
    return seen;
}

/* The entries stand in the ring in order, so what the kernel took is the first of them. False: not
 * all was taken, of those that were put in. */
static bool run(tusk_batch *self, tusk_batch_item *items, unsigned count, batch_kind kind,
                unsigned *put_in)
{
    unsigned wanted = (self->lacks & BATCH_HALF) != 0 ? count / 2 : count;
    *put_in = wanted;
    for (unsigned i = 0; i < wanted; i++) {
        struct io_uring_sqe *sqe = io_uring_get_sqe(&self->ring);
        put(sqe, &items[i], kind);
        io_uring_sqe_set_data64(sqe, i);
        items[i].result = NOT_DONE;
    }
    int taken = enter(self);
    unsigned seen = collect(self, items);
    /* Nothing that may not wait is ever left: was tried as the ring was opened. If it were, its
     * bytes must not move before it is done. */
    while ((int)seen < taken) {
        struct io_uring_cqe *cqe;
        (void)io_uring_wait_cqe(&self->ring, &cqe);
        seen += collect(self, items);
    }
    return taken == (int)count;
}

static void do_all(tusk_batch *self, tusk_batch_item *items, unsigned count, batch_kind kind)
{
    unsigned put_in = 0;
    if (tusk_batch_works(self)) {
        if (TUSK_LIKELY(run(self, items, count, kind, &put_in))) {
            return;
        }
        give_up(self); /* what it still holds must not be done later */
    }
    for (unsigned i = 0; i < count; i++) {
        if (i >= put_in || items[i].result == NOT_DONE) {
            do_plainly(&items[i], kind);
        }
    }
}

/* Whether this kernel answers at once what may not wait: asked of a socket that nothing is in, and
 * of one that is full. */
static bool answers_at_once(tusk_batch *self)
{
    int fd[2];
    uint8_t bytes[1024] = {0};
    bool good = false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) != 0) {
        return false;
    }
    while (send(fd[0], bytes, sizeof(bytes), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    }
    for (int kind = 0; kind <= 1; kind++) {
        struct io_uring_sqe *sqe = io_uring_get_sqe(&self->ring);
        tusk_batch_item item = {
            .fd = fd[0], .bytes.to = bytes, .len = sizeof(bytes), .result = NOT_DONE};
        put(sqe, &item, kind == 0 ? BATCH_SEND : BATCH_RECEIVE);
        io_uring_sqe_set_data64(sqe, 0);
        good = io_uring_submit(&self->ring) == 1 && collect(self, &item) == 1 &&
               item.result == -EAGAIN && (self->lacks & BATCH_WAITS) == 0;
        if (!good) {
            break;
        }
    }
    (void)close(fd[0]);
    (void)close(fd[1]);
    return good;
}

static int open_ring(tusk_batch *self)
{
    struct io_uring_params params = {.flags = IORING_SETUP_SUBMIT_ALL};
    if ((self->lacks & (BATCH_NO_CALLS | BATCH_FORBIDDEN | BATCH_OLD | BATCH_NO_MEMORY)) != 0) {
        return (self->lacks & BATCH_NO_CALLS) != 0    ? -ENOSYS
               : (self->lacks & BATCH_FORBIDDEN) != 0 ? -EPERM
               : (self->lacks & BATCH_OLD) != 0       ? -EINVAL
                                                      : -ENOMEM;
    }
    return io_uring_queue_init_params(NET_BATCH_MAX, &self->ring, &params);
}

const char *tusk__uring_refusal(int err)
{
    switch (-err) {
    case ENOSYS: return "this kernel has no io_uring";
    case EPERM:
    case EACCES: return "io_uring is not permitted: kernel.io_uring_disabled, or a seccomp filter";
    case EINVAL: return "this kernel's io_uring is too old";
    case ENOMEM: return "no memory for the ring";
    case EMFILE:
    case ENFILE: return "no descriptor for the ring";
    default: return "the ring cannot be set up";
    }
}

tusk_err tusk_batch_new(tusk_batch **out, const tusk_mem *mem, unsigned lacks, const char **reason)
{
    *out = NULL;
    *reason = "no memory for the ring";
    tusk_batch *self = tusk__new(mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->mem = mem;
    self->lacks = lacks;
    int err = open_ring(self);
    self->open = err == 0;
    if (err == 0 && !answers_at_once(self)) {
        err = -EINVAL;
    }
    if (err != 0) {
        *reason = tusk__uring_refusal(err);
        tusk_batch_free(self);
        return err == -ENOMEM ? TUSK_ENOMEM : TUSK_ENOTSUP;
    }
    *reason = NULL;
    *out = self;
    return TUSK_OK;
}

void tusk_batch_free(tusk_batch *self)
{
    if (self != NULL) {
        give_up(self);
        tusk__free(self->mem, self, sizeof(*self));
    }
}

bool tusk_batch_works(const tusk_batch *self)
{
    return self != NULL && self->open;
}

#else

static void do_all(tusk_batch *self, tusk_batch_item *items, unsigned count, batch_kind kind)
{
    (void)self;
    for (unsigned i = 0; i < count; i++) {
        do_plainly(&items[i], kind);
    }
}

tusk_err tusk_batch_new(tusk_batch **out, const tusk_mem *mem, unsigned lacks, const char **reason)
{
    (void)mem;
    (void)lacks;
    *out = NULL;
    *reason = "built without liburing";
    return TUSK_ENOTSUP;
}

void tusk_batch_free(tusk_batch *self)
{
    (void)self;
}

bool tusk_batch_works(const tusk_batch *self)
{
    (void)self;
    return false;
}

#endif

bool tusk_late_batch_works(tusk_late_batch *self, const tusk_mem *mem, const char **reason)
{
    *reason = NULL;
    if (!self->tried) {
        self->tried = true;
        (void)tusk_batch_new(&self->ring, mem, self->lacks, reason);
    }
    return tusk_batch_works(self->ring);
}

void tusk_late_batch_fini(tusk_late_batch *self)
{
    tusk_batch_free(self->ring);
    *self = (tusk_late_batch){.ring = NULL};
}

void tusk_batch_send(tusk_batch *self, tusk_batch_item *items, unsigned count)
{
    do_all(self, items, count, BATCH_SEND);
}

void tusk_batch_receive(tusk_batch *self, tusk_batch_item *items, unsigned count)
{
    do_all(self, items, count, BATCH_RECEIVE);
}
