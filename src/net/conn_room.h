/* SPDX-License-Identifier: MIT */
/* The short way into a send queue, for who sends much that is small: its last segment has room, and
 * it leaves at the end of the turn already. */
#ifndef NET_CONN_ROOM_H
#define NET_CONN_ROOM_H

#include "net/inner.h"

/* As tusk_net_room. */
static inline size_t tusk__net_room(const tusk_net *net)
{
    return net->queued_max > net->queued ? net->queued_max - net->queued : 0;
}

/* Where `len` bytes may be written, for whoever has seen that tusk__net_room has as many; NULL:
 * tusk_conn_reserve says where, or that they may not. */
static inline uint8_t *tusk__conn_room(const tusk_conn *conn, size_t len)
{
    tusk_seg *tail = conn->send_tail;
    if (TUSK_UNLIKELY(tail == NULL || !tusk__link_linked(&conn->flush) ||
                      conn->state != CONN_OPEN || conn->half || tail->kind > SEG_EXACT)) {
        return NULL;
    }
    size_t used = (size_t)(tail->ptr - (const uint8_t *)(tail + 1)) + (size_t)tail->len;
    return tail->cap - used < len ? NULL : (uint8_t *)(tail + 1) + used;
}

/* They are written there. */
static inline void tusk__conn_fill(tusk_conn *conn, size_t len)
{
    conn->send_tail->len += len;
    conn->send_bytes += len;
    if (TUSK_UNLIKELY(conn->send_bytes > conn->low_water)) {
        conn->above_low = true;
    }
}

#endif
