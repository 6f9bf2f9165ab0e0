/* SPDX-License-Identifier: MIT */
/* A poller that watches no more, between full_begin and full_end, as epoll says it at
 * fs.epoll.max_user_watches, which is the whole machine's to set. What is watched stays so. */
#ifndef TEST_FULL_POLLER_H
#define TEST_FULL_POLLER_H

#include "loop/inner.h"

typedef struct full_poller {
    tusk__poller table;
    const tusk__poller *real;
} full_poller;

static inline tusk_err full_add(tusk_loop *loop, tusk_io *io, unsigned interest)
{
    (void)loop;
    (void)io;
    (void)interest;
    return TUSK_ESYS;
}

static inline void full_begin(full_poller *self, tusk_loop *loop)
{
    self->real = loop->poller;
    self->table = *self->real;
    self->table.add = full_add;
    loop->poller = &self->table;
}

static inline void full_end(const full_poller *self, tusk_loop *loop)
{
    loop->poller = self->real;
}

#endif
