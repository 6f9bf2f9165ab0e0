/* SPDX-License-Identifier: MIT */
/* A loop whose poller says what the test has written. */
#ifndef TESTS_LOOP_SCRIPT_H
#define TESTS_LOOP_SCRIPT_H

#include "loop/patient.h"

#include "loop/coming.h"
#include "loop/inner.h"

#include "../test.h"

enum { MANY = 400 };

typedef struct end {
    tusk_io io;       /* first */
    unsigned pending; /* what a level triggered poller would tell */
    unsigned watched;
    unsigned sets; /* how often the poller was told */
    unsigned told;
    void (*then)(struct end *self);
} end;

static struct {
    test_mem mem;
    tusk_loop *loop;
    const tusk__poller *real;
    end ends[MANY];
    int64_t timeout_ns; /* of the last wait */
    char log[MANY * 4];
} t;

/* ---- the poller ---- */
static tusk_err add(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    (void)loop;
    ((end *)(void *)io)->watched = interest;
    return TUSK_OK;
}

static void set(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    (void)loop;
    ((end *)(void *)io)->watched = interest;
    ((end *)(void *)io)->sets++;
}

static void forget(tusk_loop *loop, tusk_io *io)
{
    (void)loop;
    ((end *)(void *)io)->watched = 0;
}

static tusk_err tell(tusk_loop *loop, int64_t timeout_ns)
{
    t.timeout_ns = timeout_ns;
    for (int i = 0; i < MANY; i++) {
        end *one = &t.ends[i];
        bool added = (one->io.polled & TUSK__IO_ADDED) != 0;
        unsigned events = one->pending & (one->watched | (unsigned)TUSK_IO_HUP);
        if (added && events != 0 && tusk__loop_room(loop) > 0) {
            tusk__loop_ready(loop, &one->io, events);
        }
    }
    return TUSK_OK;
}

static const tusk__poller script = {
    .name = "script", .add = add, .set = set, .remove = forget, .wait = tell};

/* ---- the test's own ---- */
static void on_event(tusk_io *io, unsigned events)
{
    end *self = (end *)(void *)io;
    char text[16];
    self->told |= events;
    self->pending = 0;
    (void)snprintf(text, sizeof(text), "%d ", (int)(self - t.ends));
    strncat(t.log, text, sizeof(t.log) - strlen(t.log) - 1);
    if (self->then != NULL) {
        self->then(self);
    }
}

static int set_up(void **state)
{
    (void)state;
    memset(&t, 0, sizeof(t));
    test_mem_init(&t.mem, 0);
    assert_err(tusk_loop_new(&t.loop, &(tusk_loop_options){.mem = &t.mem.mem}), TUSK_OK);
    t.real = t.loop->poller;
    t.loop->poller = &script;
    tusk__loop_patient_ns(t.loop, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < MANY; i++) {
        tusk_io_remove(t.loop, &t.ends[i].io);
    }
    t.loop->poller = t.real;
    tusk_loop_free(t.loop);
    test_mem_assert_empty(&t.mem);
    return 0;
}

static void enter(int from, int to, bool may_wait)
{
    for (int i = from; i < to; i++) {
        t.ends[i].io.on_event = on_event;
        t.ends[i].io.fd = i;
        assert_err(tusk_io_add(t.loop, &t.ends[i].io, TUSK_IO_READ), TUSK_OK);
        tusk__io_may_wait(&t.ends[i].io, may_wait);
    }
}

static void poke(int from, int to)
{
    for (int i = from; i < to; i++) {
        t.ends[i].pending = TUSK_IO_READ;
    }
}

static void assert_turn(const char *expected)
{
    t.log[0] = '\0';
    assert_err(tusk_loop_turn(t.loop, 1000), TUSK_OK);
    assert_string_equal(t.log, expected);
}

#endif
