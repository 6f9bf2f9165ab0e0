/* SPDX-License-Identifier: MIT */
/* Setting the ring up, in steps: the best that this kernel has, down to what is worth having. */
#define _GNU_SOURCE
#include "relay/uring/ring.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/batch.h"

/* How completions come, best first: when we ask for them; at the next system call; by an
 * interruption. */
enum { WAY_DEFER, WAY_COOP, WAY_INTERRUPT, WAYS };

static bool lacks(const relay_uring *self, unsigned what)
{
    return (self->relay->uring_lacks & what) != 0;
}

static int refusal(const relay_uring *self, int way)
{
    return lacks(self, URING_NO_CALLS)                       ? -ENOSYS
           : lacks(self, URING_FORBIDDEN)                    ? -EPERM
           : way == WAY_DEFER && lacks(self, URING_NO_DEFER) ? -EINVAL
           : way == WAY_COOP && lacks(self, URING_NO_COOP)   ? -EINVAL
                                                             : 0;
}

/* The way, or a negative errno. Deferred completions wake only who waits in the ring. */
static int open_ring(relay_uring *self)
{
    static const unsigned flags[WAYS] = {[WAY_DEFER] = IORING_SETUP_SINGLE_ISSUER |
                                                       IORING_SETUP_DEFER_TASKRUN,
                                         [WAY_COOP] = IORING_SETUP_COOP_TASKRUN,
                                         [WAY_INTERRUPT] = 0};
    int err = -EINVAL;
    for (int way = self->poller >= 0 ? WAY_DEFER : WAY_COOP; way < WAYS && err == -EINVAL; way++) {
        struct io_uring_params params = {.flags = flags[way] | IORING_SETUP_CQSIZE |
                                                  IORING_SETUP_SUBMIT_ALL,
                                         .cq_entries = URING_COMPLETIONS};
        err = refusal(self, way);
        if (err == 0) {
            err = io_uring_queue_init_params(URING_ASKS, &self->ring, &params);
        }
        if (err == 0) {
            return way;
        }
    }
    return err;
}

static void *map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void unmap(void *at, size_t bytes)
{
    if (at != NULL) {
        (void)munmap(at, bytes);
    }
}

static void close_shelf(relay_uring *self)
{
    unmap(self->bytes, (size_t)self->buffers * self->buffer_bytes);
    unmap(self->shelf, sizeof(struct io_uring_buf) * self->buffers);
    self->bytes = NULL;
    self->shelf = NULL;
}

static int open_shelf(relay_uring *self)
{
    self->shelf = map(sizeof(struct io_uring_buf) * self->buffers);
    self->bytes = map((size_t)self->buffers * self->buffer_bytes);
    if (self->shelf == NULL || self->bytes == NULL) {
        return -ENOMEM;
    }
    struct io_uring_buf_reg reg = {.ring_addr = (uint64_t)(uintptr_t)self->shelf,
                                   .ring_entries = self->buffers,
                                   .bgid = URING_GROUP};
    int err =
        lacks(self, URING_NO_SHELF) ? -EINVAL : io_uring_register_buf_ring(&self->ring, &reg, 0);
    if (err != 0) {
        return err;
    }
    self->wanted = URING_SHELF_LEAST;
    for (unsigned i = self->buffers; i-- > 0;) {
        uring_give(self, i);
    }
    uring_stock(self);
    return 0;
}

/* Receives are tried on sockets of our own: whether a kernel knows one cannot be asked otherwise.
 * The byte is there already, so what is asked for is completed at once. */
static bool try_receive(relay_uring *self, int fd, bool capped)
{
    struct io_uring_cqe cqe = {.res = -EINVAL};
    struct io_uring_sqe *sqe = io_uring_get_sqe(&self->ring);
    self->capped = capped;
    if (sqe == NULL) {
        return false;
    }
    uring_prepare_receive(self, sqe, fd, self->buffer_bytes);
    io_uring_sqe_set_data64(sqe, 0);
    if (!uring_enter(self) || !uring_next(self, &cqe)) {
        return false;
    }
    if ((cqe.flags & IORING_CQE_F_BUFFER) != 0) {
        uring_took(self);
        uring_give(self, cqe.flags >> IORING_CQE_BUFFER_SHIFT);
        uring_stock(self);
    }
    return cqe.res > 0 && (cqe.flags & IORING_CQE_F_MORE) == 0;
}

static bool choose_receive(relay_uring *self)
{
    int fd[2];
    bool works = false;
    if (lacks(self, URING_NO_RECEIVE) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd) != 0) {
        return false;
    }
    works =
        !lacks(self, URING_NO_CAP) && write(fd[1], "x", 1) == 1 && try_receive(self, fd[0], true);
    works = works || (write(fd[1], "x", 1) == 1 && try_receive(self, fd[0], false));
    (void)close(fd[0]);
    (void)close(fd[1]);
    return works;
}

static void on_event(tusk_io *io, unsigned events)
{
    relay_uring *self = TUSK_OWNER(io, relay_uring, io);
    (void)events;
    tusk_task_defer_late(self->relay->loop, &self->task);
}

static void on_task(tusk_task *task)
{
    uring_reap(TUSK_OWNER(task, relay_uring, task));
}

static const char *watch(relay_uring *self)
{
    self->task.run = on_task;
    if (self->poller >= 0) {
        return NULL;
    }
    self->io = (tusk_io){.fd = self->ring.ring_fd, .on_event = on_event};
    if (tusk_io_add(self->relay->loop, &self->io, TUSK_IO_READ) != TUSK_OK) {
        return "no room in the poller";
    }
    tusk_loop_background(self->relay->loop, 1); /* without pairs it keeps nobody waiting */
    return NULL;
}

static void unwatch(relay_uring *self)
{
    if (self->poller >= 0) {
        tusk__loop_waits_itself(self->relay->loop);
        return;
    }
    tusk_loop_background(self->relay->loop, -1);
    tusk_io_remove(self->relay->loop, &self->io);
}

/* NULL, or what is missing; then all is undone. */
static const char *set_up(relay_uring *self, int *way)
{
    const char *reason;
    self->waiter.wait = uring_wait;
    self->poller =
        lacks(self, URING_NO_WAIT) ? -1 : tusk__loop_wait_in(self->relay->loop, &self->waiter);
    *way = open_ring(self);
    if (*way < 0) {
        return tusk__uring_refusal(*way);
    }
    int err = open_shelf(self);
    if (err == 0) {
        reason = choose_receive(self) ? watch(self) : "receives into shared buffers fail";
    } else {
        reason = err == -EINVAL ? "no shared buffers before Linux 5.19" : tusk__uring_refusal(err);
    }
    if (reason != NULL) {
        io_uring_queue_exit(&self->ring);
        close_shelf(self);
    }
    return reason;
}

static void tell_steps(tusk_relay *relay, int way, bool capped)
{
    static const char *const ways[WAYS] = {
        [WAY_DEFER] = "deferred", [WAY_COOP] = "cooperative", [WAY_INTERRUPT] = "interrupting"};
    assert(way >= 0 && way < WAYS);
    relay_engine_set(relay, true, "io_uring, %s completions, %s receives", ways[way],
                     capped ? "multishot" : "single");
}

void relay_uring_open(tusk_relay *relay)
{
    uint32_t quarter = relay->limits.pending_bytes / 4;
    int way = 0;
    relay_uring *self = tusk__new(relay->mem, sizeof(*self));
    if (self == NULL) {
        relay_uring_lacks(relay, "out of memory");
        return;
    }
    self->relay = relay;
    self->buffers = lacks(self, URING_FEW) ? 2 : URING_BUFFERS;
    self->room = relay->limits.pending_bytes;
    self->buffer_bytes = quarter == 0                   ? 1
                         : quarter < URING_BUFFER_BYTES ? quarter
                                                        : URING_BUFFER_BYTES;
    tusk__list_init(&self->hungry);
    const char *reason = set_up(self, &way);
    if (reason != NULL) {
        if (self->poller >= 0) {
            tusk__loop_waits_itself(relay->loop);
        }
        tusk__free(relay->mem, self, sizeof(*self));
        relay_uring_lacks(relay, reason);
        return;
    }
    relay->uring = self;
    relay->ring = &uring_ops;
    tell_steps(relay, way, self->capped);
}

void relay_uring_close(tusk_relay *relay)
{
    relay_uring *self = relay->uring;
    if (self == NULL) {
        return;
    }
    relay->uring = NULL;
    relay->ring = NULL;
    tusk_task_cancel(&self->task);
    unwatch(self);
    io_uring_queue_exit(&self->ring);
    close_shelf(self);
    tusk__free(relay->mem, self, sizeof(*self));
}
