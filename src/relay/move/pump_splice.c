/* SPDX-License-Identifier: MIT */
/* The splicing pump: bytes go from socket to pipe to socket and are never copied to user space. It
 * wins where much flows; so a direction comes here after two full reads in a row, and goes back
 * when a wake-up brought little. */
#define _GNU_SOURCE
#include "relay/move/pair.h"

#include "base/mem.h"
#include "net/descriptors.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum {
    PIPE_BYTES = 256 * 1024, /* asked for; less works too */
    PIPES_KEPT = 64,
    MOVES_MAX = 4,            /* of one direction in one turn */
    WORTH_BYTES = 128 * 1024, /* moved by one wake-up: else copying is cheaper */
    SPLICE_FLAGS = SPLICE_F_MOVE | SPLICE_F_NONBLOCK
};

static void close_pipe(tusk_relay *relay, relay_pipe *pipe)
{
    (void)close(pipe->fd[0]);
    (void)close(pipe->fd[1]);
    tusk__free(relay->mem, pipe, sizeof(*pipe));
}

static relay_pipe *take_pipe(tusk_relay *relay)
{
    relay_pipe *pipe = relay->pipes;
    if (pipe != NULL) {
        relay->pipes = pipe->next;
        relay->pipe_count--;
        return pipe;
    }
    pipe = tusk__new(relay->mem, sizeof(*pipe));
    if (pipe == NULL || pipe2(pipe->fd, O_NONBLOCK | O_CLOEXEC) != 0) {
        tusk__free(relay->mem, pipe, sizeof(*pipe));
        return NULL;
    }
    if (!net_descriptors_has(pipe->fd[1], FOR_BACKENDS, &relay->descriptors_end)) {
        close_pipe(relay, pipe);
        return NULL;
    }
    int size = fcntl(pipe->fd[0], F_SETPIPE_SZ, PIPE_BYTES);
    pipe->cap = size > 0 ? (uint32_t)size : 64 * 1024;
    return pipe;
}

void relay_pipe_give(tusk_relay *relay, relay_end *end)
{
    relay_pipe *pipe = end->pipe;
    end->pipe = NULL;
    if (pipe == NULL) {
        return;
    }
    if (pipe->len > 0 || relay->pipe_count >= PIPES_KEPT) {
        close_pipe(relay, pipe);
        return;
    }
    pipe->next = relay->pipes;
    relay->pipes = pipe;
    relay->pipe_count++;
}

void relay_pipes_fini(tusk_relay *relay)
{
    while (relay->pipes != NULL) {
        relay_pipe *pipe = relay->pipes;
        relay->pipes = pipe->next;
        close_pipe(relay, pipe);
    }
    relay->pipe_count = 0;
}

bool relay_splice_begin(relay_pair *pair, int side)
{
    tusk_relay *relay = relay_of(pair);
    relay_end *from = &pair->end[side];
    from->full_reads = 0;
    from->pipe = take_pipe(relay);
    if (from->pipe == NULL) {
        return false;
    }
    from->pipe->moved = 0;
    relay->stats.switched_to_splice += pair->spliced ? 0 : 1;
    pair->spliced = true;
    return true;
}

static relay_moved fill(relay_end *from)
{
    relay_pipe *pipe = from->pipe;
    ssize_t got;
    do {
        got = splice(from->io.fd, NULL, pipe->fd[1], NULL, pipe->cap, SPLICE_FLAGS);
    } while (got < 0 && errno == EINTR);
    if (got == 0) {
        (void)relay_direction_become(from, DIR_EOF);
        return MOVED_ALL;
    }
    if (got < 0) {
        return errno == EAGAIN ? MOVED_ALL : MOVED_FROM_LOST;
    }
    pipe->len += (uint32_t)got;
    pipe->moved += (uint32_t)got;
    from->bytes += (uint64_t)got;
    return MOVED_PART;
}

static relay_moved drain(relay_pipe *pipe, const relay_end *to)
{
    while (pipe->len > 0) {
        ssize_t sent = splice(pipe->fd[0], NULL, to->io.fd, NULL, pipe->len, SPLICE_FLAGS);
        if (sent < 0 && errno != EINTR) {
            return errno == EAGAIN ? MOVED_BLOCKED : MOVED_TO_LOST;
        }
        pipe->len -= sent > 0 ? (uint32_t)sent : 0;
    }
    return MOVED_ALL;
}

/* Nothing is there and nothing in the pipe: what did this wake-up bring? */
static relay_moved rest(relay_pair *pair, relay_end *from)
{
    bool worth = from->pipe->moved >= WORTH_BYTES;
    relay_pipe_give(relay_of(pair), from);
    from->full_reads = worth ? RELAY_FULL_READS : 0; /* the next wake-up splices again, or copies */
    if (from->state == DIR_EOF) {
        (void)relay_direction_become(from, DIR_DRAINED);
        return MOVED_EOF;
    }
    return MOVED_ALL;
}

relay_moved relay_splice_move(relay_pair *pair, int side)
{
    relay_end *from = &pair->end[side];
    relay_end *to = &pair->end[1 - side];
    for (int i = 0; i < MOVES_MAX; i++) {
        relay_moved moved = drain(from->pipe, to);
        if (moved != MOVED_ALL) {
            return moved;
        }
        moved = from->state == DIR_OPEN && from->readable ? fill(from) : MOVED_ALL;
        if (moved == MOVED_ALL) {
            return rest(pair, from);
        }
        if (moved != MOVED_PART) {
            return moved;
        }
    }
    relay_moved moved = drain(from->pipe, to);
    return moved == MOVED_ALL ? MOVED_PART : moved;
}

#else

void relay_pipe_give(tusk_relay *relay, relay_end *end)
{
    (void)relay;
    (void)end;
}

void relay_pipes_fini(tusk_relay *relay)
{
    (void)relay;
}

bool relay_splice_begin(relay_pair *pair, int side)
{
    pair->end[side].full_reads = 0;
    return false;
}

relay_moved relay_splice_move(relay_pair *pair, int side)
{
    return relay_copy_move(pair, side);
}

#endif
