/* SPDX-License-Identifier: MIT */
/* Two loops in one process share nothing: each has its own allocator, clock, timers, descriptors
 * and end. */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tusk/loop.h>
#include <tusk/mem.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

typedef struct heap {
    tusk_mem mem;
    size_t live;
} heap;

typedef struct side {
    tusk_timer timer; /* first: a timer's callback finds its side here */
    tusk_io io;
    heap heap;
    tusk_loop *loop;
    tusk_wakeup *wakeup;
    int pipe[2];
    unsigned fired;
    unsigned received;
    unsigned woken;
    bool stop_on_wakeup;
} side;

static void *resize(void *user, void *old, size_t old_size, size_t size)
{
    heap *self = user;
    (void)old_size;
    if (size == 0) {
        self->live -= old != NULL ? 1 : 0;
        free(old);
        return NULL;
    }
    void *place = realloc(old, size);
    self->live += place != NULL && old == NULL ? 1 : 0;
    return place;
}

static void on_due(tusk_timer *timer)
{
    side *self = (side *)(void *)timer;
    self->fired++;
    if (self->fired < 3) {
        tusk_timer_start(self->loop, timer, 1);
    }
}

static void on_readable(tusk_io *io, unsigned events)
{
    side *self = (side *)(void *)((char *)io - offsetof(side, io));
    char bytes[64];
    CHECK((events & TUSK_IO_READ) != 0);
    ssize_t len = read(io->fd, bytes, sizeof(bytes));
    CHECK(len > 0);
    self->received += (unsigned)len;
}

static void on_wakeup(void *user)
{
    side *self = user;
    self->woken++;
    if (self->stop_on_wakeup) {
        tusk_loop_stop(self->loop);
    }
}

static void begin(side *self)
{
    *self = (side){0};
    self->heap.mem = (tusk_mem){resize, &self->heap};
    tusk_loop_options options = {0};
    options.mem = &self->heap.mem;
    CHECK(tusk_loop_new(&self->loop, &options) == TUSK_OK);
    CHECK(tusk_loop_mem(self->loop) == &self->heap.mem);
    CHECK(pipe(self->pipe) == 0);
    self->io.fd = self->pipe[0];
    self->io.on_event = on_readable;
    CHECK(tusk_io_add(self->loop, &self->io, TUSK_IO_READ) == TUSK_OK);
    self->timer.on_due = on_due;
    CHECK(tusk_wakeup_open(&self->wakeup, self->loop, on_wakeup, self) == TUSK_OK);
}

static void end(side *self)
{
    tusk_wakeup_close(self->wakeup);
    tusk_timer_stop(self->loop, &self->timer);
    tusk_io_remove(self->loop, &self->io);
    close(self->pipe[0]);
    close(self->pipe[1]);
    tusk_loop_free(self->loop);
    CHECK(self->heap.live == 0);
}

int main(void)
{
    side left;
    side right;
    begin(&left);
    begin(&right);

    /* A turn of one loop delivers nothing of the other. */
    CHECK(write(left.pipe[1], "abc", 3) == 3);
    CHECK(write(right.pipe[1], "defgh", 5) == 5);
    CHECK(tusk_loop_turn(left.loop, 1000) == TUSK_OK);
    CHECK(left.received == 3 && right.received == 0);
    CHECK(tusk_loop_turn(right.loop, 1000) == TUSK_OK);
    CHECK(left.received == 3 && right.received == 5);

    /* Timers run where they were started. */
    tusk_timer_start(left.loop, &left.timer, 0);
    for (int i = 0; i < 1000 && left.fired < 3; i++) {
        CHECK(tusk_loop_turn(left.loop, 10) == TUSK_OK);
        CHECK(tusk_loop_turn(right.loop, 0) == TUSK_OK);
    }
    CHECK(left.fired == 3 && right.fired == 0);

    /* A loop may be stopped while the other goes on. */
    left.stop_on_wakeup = true;
    tusk_wakeup_send(left.wakeup);
    CHECK(tusk_loop_run(left.loop) == TUSK_OK);
    CHECK(left.woken == 1 && right.woken == 0);
    tusk_wakeup_send(right.wakeup);
    CHECK(tusk_loop_turn(right.loop, 1000) == TUSK_OK);
    CHECK(right.woken == 1);

    /* One ends, the other is as alive as before. */
    end(&left);
    CHECK(write(right.pipe[1], "x", 1) == 1);
    CHECK(tusk_loop_turn(right.loop, 1000) == TUSK_OK);
    CHECK(right.received == 6);
    end(&right);
    return 0;
}
