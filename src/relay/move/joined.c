/* SPDX-License-Identifier: MIT */
/* Joined connections: bytes across, ends one by one, back-pressure by pausing. */
#include "relay/move/joined.h"

#include "net/socket.h"
#include "net/tls.h"
#include "net/tcp_info.h"

/* What is queued leaves in pieces as it comes, from the cache. */
#define FLUSH_AT ((size_t)16 * 1024)

void relay_joined_init(relay_joined *self, tusk_conn *client, tusk_conn *backend, uint32_t held_max,
                       const relay_joined_ops *ops)
{
    *self = (relay_joined){.ops = ops, .conn = {client, backend}, .held_max = held_max};
}

void relay_joined_data(relay_joined *self, int side)
{
    tusk_conn *from = self->conn[side];
    tusk_conn *to = self->conn[1 - side];
    tusk_bytes in = tusk_conn_in(from);
    if (in.len == 0) {
        return;
    }
    tusk_err err = tusk_conn_append(to, in.ptr, in.len);
    if (err == TUSK_ESTATE && relay_joined_is_deaf(self, 1 - side)) {
        tusk_conn_consume(from, in.len);
        return;
    }
    if (err != TUSK_OK && to->state == CONN_OPEN) {
        const char *refuses = side == RELAY_CLIENT ? "backend reset" : "client reset";
        self->ops->on_over(self, err == TUSK_ESTATE ? refuses : "out of memory", true);
        return;
    }
    tusk_conn_consume(from, in.len);
    if (to->send_bytes >= FLUSH_AT) {
        tusk_conn_flush(to);
    }
    if (to->send_bytes > self->held_max && tusk_conn_open(to) && !from->paused) {
        tusk_conn_pause(from);
        if (self->ops->on_paused != NULL) {
            self->ops->on_paused(self, side);
        }
    }
    self->ops->on_moved(self, side, in.len);
}

bool relay_joined_is_deaf(const relay_joined *self, int side)
{
    const tusk_conn *conn = self->conn[side];
    return conn->read_on && conn->state == CONN_OPEN && conn->half && !self->eof[1 - side];
}

void relay_joined_eof(relay_joined *self, int side)
{
    self->eof[side] = true;
    if (self->eof[1 - side]) {
        self->ops->on_over(self, "done", false);
        return;
    }
    tusk_conn_shutdown(self->conn[1 - side]);
    self->ops->on_half(self, side);
}

void relay_joined_drain(relay_joined *self, int side)
{
    tusk_conn_resume(self->conn[1 - side]);
}

static bool is_unread(const tusk_conn *conn)
{
    return conn->in_len > 0 || (conn->filter != NULL && tusk_filter_pending(conn->filter)) ||
           tusk__socket_has_bytes(conn->io.fd);
}

bool relay_joined_owes(const relay_joined *self)
{
    for (int side = 0; side < 2; side++) {
        if (!self->eof[side] && self->conn[side]->state != CONN_CLOSED &&
            is_unread(self->conn[side])) {
            return true;
        }
    }
    return false;
}

uint32_t relay_joined_taken_ms(const relay_joined *self)
{
    uint32_t least = UINT32_MAX;
    for (int side = 0; side < 2; side++) {
        const tusk_conn *to = self->conn[1 - side];
        net_tcp_info info;
        if (self->conn[side]->paused && to->send_bytes == 0) {
            return 0; /* of late: the other one is told next */
        }
        if (self->conn[side]->paused && tusk__tcp_info_get(&info, to->io.fd)) {
            least = info.taken_ms < least ? info.taken_ms : least;
        }
    }
    return least;
}

bool relay_joined_queues(const relay_joined *self)
{
    return self->conn[RELAY_CLIENT]->send_bytes > 0 || self->conn[RELAY_BACKEND]->send_bytes > 0;
}
