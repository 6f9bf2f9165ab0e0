/* SPDX-License-Identifier: MIT */
/* The copying pump: a receive into the loop's buffer, a send at once. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "net/socket.h"
#include "relay/move/shortcut.h"

/* Receives of one direction in one turn: more, and one busy pair would hold up the others. */
enum { READS_MAX = 4 };

static bool would_block(int number)
{
    return number == EAGAIN || number == EWOULDBLOCK;
}

static void free_held(const tusk_relay *relay, relay_end *end)
{
    tusk__free(relay->mem, end->held, sizeof(relay_held) + end->held->cap);
    end->held = NULL;
}

static relay_moved flush(relay_pair *pair, int side)
{
    relay_end *from = &pair->end[side];
    const relay_end *to = &pair->end[1 - side];
    relay_held *held = from->held;
    while (held->len > 0) {
        ssize_t sent = send(to->io.fd, held->bytes + held->start, held->len, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR) {
                continue;
            }
            if (would_block(errno)) {
                return MOVED_BLOCKED;
            }
            relay_pair_failed(pair, 1 - side, errno);
            return MOVED_TO_LOST;
        }
        held->start += (uint32_t)sent;
        held->len -= (uint32_t)sent;
    }
    free_held(relay_of(pair), from);
    return MOVED_ALL;
}

/* What the other side took; less than `len`: the rest is held. */
static relay_moved pass(relay_pair *pair, int side, const uint8_t *ptr, size_t len)
{
    const relay_end *to = &pair->end[1 - side];
    ssize_t sent;
    do {
        sent = send(to->io.fd, ptr, len, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent == (ssize_t)len) {
        return MOVED_ALL;
    }
    if (sent < 0 && !would_block(errno)) {
        relay_pair_failed(pair, 1 - side, errno);
        return MOVED_TO_LOST;
    }
    size_t taken = sent < 0 ? 0 : (size_t)sent;
    tusk_err err = relay_pair_hold(pair, side, tusk_bytes_of(ptr + taken, len - taken));
    return err == TUSK_OK ? MOVED_BLOCKED : MOVED_NO_MEMORY;
}

static relay_moved ended(relay_end *from)
{
    (void)relay_direction_become(from, DIR_DRAINED);
    return MOVED_EOF;
}

/* One receive and one send. MOVED_PART: there may be more. */
static relay_moved move_once(relay_pair *pair, int side, uint8_t *buffer, size_t cap)
{
    relay_end *from = &pair->end[side];
    ssize_t got;
    do {
        got = recv(from->io.fd, buffer, cap, 0);
    } while (got < 0 && errno == EINTR);
    if (got == 0) {
        bool early = pair->shortcut != NULL && !relay_shortcut_has_arrived(pair, side);
        return early ? MOVED_ALL : relay_shortcut_lost(pair, side) ? MOVED_FROM_LOST : ended(from);
    }
    if (got < 0) {
        return would_block(errno) ? MOVED_ALL : MOVED_FROM_LOST;
    }
    from->bytes += (uint64_t)got;
    from->wide = (size_t)got >= RELAY_CROWD_BYTES;
    relay_pair_look(pair, side, tusk_bytes_of(buffer, (size_t)got));
    if (relay_splices(relay_of(pair)) && pair->shortcut == NULL) {
        from->full_reads = (size_t)got < cap ? 0 : (uint8_t)(from->full_reads + 1);
    }
    relay_moved moved = pass(pair, side, buffer, (size_t)got);
    if (moved != MOVED_ALL) {
        return moved;
    }
    /* A short receive is the end of what is there, but for the end itself. */
    return (size_t)got == cap || from->ended ? MOVED_PART : MOVED_ALL;
}

relay_moved relay_copy_move(relay_pair *pair, int side)
{
    const tusk_relay *relay = relay_of(pair);
    relay_end *from = &pair->end[side];
    relay_moved moved = MOVED_ALL;
    if (from->held != NULL) {
        moved = flush(pair, side);
        if (moved == MOVED_ALL && from->state == DIR_EOF) {
            return ended(from);
        }
        if (moved != MOVED_ALL) {
            return moved;
        }
    }
    size_t cap;
    uint8_t *buffer = tusk_loop_landing(relay->loop, &cap);
    cap = cap < relay->limits.pending_bytes ? cap : relay->limits.pending_bytes;
    for (int i = 0; i < READS_MAX && from->readable; i++) {
        moved = move_once(pair, side, buffer, cap);
        if (moved != MOVED_PART || from->full_reads >= RELAY_FULL_READS) {
            return moved;
        }
    }
    return moved;
}
