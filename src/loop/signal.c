/* SPDX-License-Identifier: MIT */
/* Signals: a handler notes the number for every loop that watches it and rings that loop's bell. */
#define _GNU_SOURCE
#include <tusk/loop.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "loop/inner.h"

#define SIGNAL_NUMBER_MAX 63
#define SIGNAL_LOOPS_MAX 64

/*
 * Dispositions belong to the process, so this table does too: it is the one writable global of the
 * core. A handler reads it without a lock, hence the atomics; starting and stopping change it under
 * the lock. signalfd would need no table, but it wants the signal blocked in every thread and
 * child, and gives a signal to one loop of several.
 */
struct place {
    atomic_int bell;       /* write side + 1; 0: free */
    atomic_ullong watched; /* bit n: this loop watches signal n */
    atomic_ullong pending;
};

static struct {
    pthread_mutex_t lock;
    struct place places[SIGNAL_LOOPS_MAX];
    unsigned users[SIGNAL_NUMBER_MAX + 1];
    struct sigaction former[SIGNAL_NUMBER_MAX + 1];
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct tusk__signals {
    tusk_io io; /* first */
    tusk_loop *loop;
    tusk__bell bell;
    struct place *place;
    unsigned count;
    struct tusk_loop_node watchers;
    struct tusk_loop_node calling; /* whom this delivery has still to call */
};

static void on_process_signal(int number)
{
    unsigned long long bit = 1ull << number;
    for (unsigned i = 0; i < SIGNAL_LOOPS_MAX; i++) {
        struct place *place = &process.places[i];
        if ((atomic_load(&place->watched) & bit) != 0) {
            (void)atomic_fetch_or(&place->pending, bit);
            int bell = atomic_load(&place->bell);
            if (bell != 0) {
                tusk__bell_ring(bell - 1);
            }
        }
    }
}

/* One watcher per event, the bell ringing for the rest: a callback may stop any watcher, close all
 * this, or leave its stack aside. */
static void on_bell(tusk_io *io, unsigned events)
{
    (void)events;
    tusk__signals *self = (tusk__signals *)(void *)io;
    tusk__bell_hush(&self->bell);
    unsigned long long pending = atomic_exchange(&self->place->pending, 0);
    struct tusk_loop_node *node = self->watchers.next;
    while (pending != 0 && node != &self->watchers) {
        struct tusk_loop_node *next = node->next;
        if ((pending >> TUSK_OWNER(node, tusk_signal, node)->number & 1) != 0) {
            tusk__node_remove(node);
            tusk__node_push(&self->calling, node);
        }
        node = next;
    }
    node = tusk__node_pop(&self->calling);
    if (node == NULL) {
        return;
    }
    tusk__node_push(&self->watchers, node);
    if (!tusk__node_empty(&self->calling)) {
        tusk__bell_ring(self->bell.write_fd);
    }
    tusk_signal *signal = TUSK_OWNER(node, tusk_signal, node);
    signal->on_signal(signal);
}

static struct place *take_place(int write_fd)
{
    for (unsigned i = 0; i < SIGNAL_LOOPS_MAX; i++) {
        struct place *place = &process.places[i];
        if (atomic_load(&place->bell) == 0) {
            atomic_store(&place->pending, 0);
            atomic_store(&place->watched, 0);
            atomic_store(&place->bell, write_fd + 1);
            return place;
        }
    }
    return NULL;
}

static tusk_err open_signals(tusk_loop *loop)
{
    tusk__signals *self = tusk__new(loop->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->loop = loop;
    tusk__node_init(&self->watchers);
    tusk__node_init(&self->calling);
    tusk_err err = tusk__bell_open(&self->bell);
    if (err != TUSK_OK) {
        goto fail_bell;
    }
    self->io.fd = self->bell.read_fd;
    self->io.on_event = on_bell;
    err = tusk_io_add(loop, &self->io, TUSK_IO_READ);
    if (err != TUSK_OK) {
        goto fail_io;
    }
    err = TUSK_ELIMIT;
    self->place = take_place(self->bell.write_fd);
    if (self->place == NULL) {
        goto fail_place;
    }
    tusk_loop_background(loop, 1);
    loop->watched = self;
    return TUSK_OK;

fail_place:
    tusk_io_remove(loop, &self->io);
fail_io:
    tusk__bell_close(&self->bell);
fail_bell:
    tusk__free(loop->mem, self, sizeof(*self));
    return err;
}

static void close_signals(tusk_loop *loop)
{
    tusk__signals *self = loop->watched;
    loop->watched = NULL;
    tusk_loop_background(loop, -1);
    atomic_store(&self->place->bell, 0);
    tusk_io_remove(loop, &self->io);
    tusk__bell_close(&self->bell);
    tusk__free(loop->mem, self, sizeof(*self));
}

static tusk_err install(int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_process_signal;
    action.sa_flags = SA_RESTART;
    (void)sigfillset(&action.sa_mask);
    return sigaction(number, &action, &process.former[number]) == 0 ? TUSK_OK : TUSK_EINVAL;
}

static bool watches(const tusk__signals *self, int number)
{
    const struct tusk_loop_node *heads[] = {&self->watchers, &self->calling};
    for (unsigned i = 0; i < 2; i++) {
        for (struct tusk_loop_node *node = heads[i]->next; node != heads[i]; node = node->next) {
            if (TUSK_OWNER(node, tusk_signal, node)->number == number) {
                return true;
            }
        }
    }
    return false;
}

/* Where it is nobody's any more. */
static void look_away(const tusk__signals *self, int number)
{
    if (!watches(self, number)) {
        (void)atomic_fetch_and(&self->place->watched, ~(1ull << number));
    }
}

tusk_err tusk_signal_start(tusk_loop *loop, tusk_signal *self, int number)
{
    if (number < 1 || number > SIGNAL_NUMBER_MAX) {
        return TUSK_EINVAL;
    }
    tusk_signal_stop(loop, self);
    tusk_err err = TUSK_OK;
    (void)pthread_mutex_lock(&process.lock);
    if (loop->watched == NULL) {
        err = open_signals(loop);
    }
    if (err == TUSK_OK) { /* before the handler is there: a signal between the two would be lost */
        (void)atomic_fetch_or(&loop->watched->place->watched, 1ull << number);
        err = process.users[number] == 0 ? install(number) : TUSK_OK;
    }
    if (err == TUSK_OK) {
        process.users[number]++;
        self->number = number;
        tusk__node_push(&loop->watched->watchers, &self->node);
        loop->watched->count++;
        loop->signals++;
    } else if (loop->watched != NULL) {
        look_away(loop->watched, number);
        if (loop->watched->count == 0) {
            close_signals(loop);
        }
    }
    (void)pthread_mutex_unlock(&process.lock);
    return err;
}

void tusk_signal_stop(tusk_loop *loop, tusk_signal *self)
{
    if (!tusk__node_linked(&self->node)) {
        return;
    }
    (void)pthread_mutex_lock(&process.lock);
    tusk__signals *signals = loop->watched;
    tusk__node_remove(&self->node);
    loop->signals--;
    look_away(signals, self->number);
    if (--process.users[self->number] == 0) {
        (void)sigaction(self->number, &process.former[self->number], NULL);
    }
    if (--signals->count == 0) {
        close_signals(loop);
    }
    (void)pthread_mutex_unlock(&process.lock);
}

/* ---- after a fork ---- */
/* Somebody may have set another handler since. */
static bool is_ours(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
           now.sa_handler == on_process_signal;
}

static void let_go_of_all(void)
{
    for (unsigned i = 0; i < SIGNAL_LOOPS_MAX; i++) {
        atomic_store(&process.places[i].bell, 0); /* a number that is another descriptor's soon */
        atomic_store(&process.places[i].watched, 0);
    }
    for (int number = 1; number <= SIGNAL_NUMBER_MAX; number++) {
        if (process.users[number] > 0 && is_ours(number)) {
            (void)sigaction(number, &process.former[number], NULL);
        }
        process.users[number] = 0;
    }
}

static tusk_err take_again(tusk__signals *self, struct tusk_loop_node *list)
{
    tusk_err err = TUSK_OK;
    for (struct tusk_loop_node *node = list->next; node != list && err == TUSK_OK;
         node = node->next) {
        int number = TUSK_OWNER(node, tusk_signal, node)->number;
        err = process.users[number]++ == 0 ? install(number) : TUSK_OK;
        (void)atomic_fetch_or(&self->place->watched, 1ull << number);
    }
    return err;
}

tusk_err tusk__signals_forked(tusk_loop *loop)
{
    (void)pthread_mutex_init(&process.lock, NULL); /* a thread that is not here may have had it */
    let_go_of_all();
    tusk__signals *self = loop == NULL ? NULL : loop->watched;
    if (self == NULL) {
        return TUSK_OK;
    }
    tusk_err err = tusk__bell_forked(&self->bell, loop, &self->io);
    if (err != TUSK_OK) {
        return err;
    }
    self->place = take_place(self->bell.write_fd);
    if (self->place == NULL) {
        return TUSK_ELIMIT;
    }
    err = take_again(self, &self->watchers);
    return err == TUSK_OK ? take_again(self, &self->calling) : err;
}
