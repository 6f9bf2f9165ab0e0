/* SPDX-License-Identifier: MIT */
/*
 * Waiting for more of what is only peeked at, before a pair is joined. A poller with edges tells
 * when there is more; one without them would tell for ever of what is there. It is kept quiet by
 * SO_RCVLOWAT, and where Linux does not heed that (Unix sockets) by looking again after a time.
 */
#ifndef RELAY_TCP_PEEK_H
#define RELAY_TCP_PEEK_H

#include "relay/move/pair.h"

/* Of one side, in the setup; all zero is none. */
typedef struct relay_peek {
    tusk_timer again;
    relay_pair *pair;
    uint32_t len; /* that are waited for */
    uint8_t again_ms;
    bool low_water; /* SO_RCVLOWAT is not 1 */
} relay_peek;

/* Told again when there are `len` bytes, if anybody wants them; of a Unix socket a moment later
 * (1 ms, doubled to 32 ms while nothing comes). Where there are edges nothing is done. */
void relay_peek_wait_for(relay_pair *pair, int side, size_t len, bool wanted);
/* The socket goes on as others know it. */
void relay_peek_end(relay_pair *pair, int side);
/* Another socket takes its place. */
void relay_peek_renew(relay_pair *pair, int side);
void relay_peeks_stop(relay_pair *pair); /* the pair is closed, or its setup freed */
/* With the bytes at hand nothing goes on: whether no more will come, where no edge told that. */
bool relay_peek_is_all(const relay_pair *pair, int side, size_t len);

#endif
