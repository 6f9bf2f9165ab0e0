/* SPDX-License-Identifier: MIT */
/* A connection's socket, taken out of it with all that is under way. */
#include "net/inner.h"

static bool has_file(const tusk_conn *conn)
{
    const tusk_seg *seg = conn->send_head;
    while (seg != NULL && seg->kind != SEG_FILE) {
        seg = seg->next;
    }
    return seg != NULL;
}

static tusk_err may_be_taken(const tusk_conn *conn)
{
    if (conn->state != CONN_OPEN || conn->parked > 0 || conn->half) {
        return TUSK_ESTATE;
    }
    return conn->filter != NULL || has_file(conn) ? TUSK_ENOTSUP : TUSK_OK;
}

static tusk_err copy_queue(const tusk_conn *conn, tusk_buf *out)
{
    tusk_err err = TUSK_OK;
    for (const tusk_seg *seg = conn->send_head; seg != NULL && err == TUSK_OK; seg = seg->next) {
        err = seg->len == 0 ? TUSK_OK : tusk_buf_append(out, seg->ptr, (size_t)seg->len);
    }
    return err;
}

tusk_err tusk_conn_take(tusk_conn *self, tusk_conn_taken *out)
{
    tusk_bytes in = tusk_conn_in(self);
    tusk_buf_init(&out->unread, self->net->mem, SIZE_MAX);
    tusk_buf_init(&out->unsent, self->net->mem, SIZE_MAX);
    out->fd = -1;
    tusk_err err = may_be_taken(self);
    if (err != TUSK_OK) {
        return err;
    }
    tusk_conn_flush(self);
    err = may_be_taken(self); /* the peer may have been gone */
    err = err == TUSK_OK && in.len > 0 ? tusk_buf_append(&out->unread, in.ptr, in.len) : err;
    err = err == TUSK_OK ? copy_queue(self, &out->unsent) : err;
    if (err != TUSK_OK) {
        tusk_conn_taken_fini(out);
        return err;
    }
    out->fd = self->io.fd;
    tusk_io_remove(self->net->loop, &self->io);
    self->io.fd = -1;
    tusk__conn_leave(self, TUSK_OK);
    return TUSK_OK;
}

void tusk_conn_taken_fini(tusk_conn_taken *self)
{
    tusk_buf_fini(&self->unread);
    tusk_buf_fini(&self->unsent);
}
