/* SPDX-License-Identifier: MIT */
/* One subscriber is given a batch: each wire form encoded once, queued by reference to those who
 * are live. */
#include "serve/hub/hub.h"

#include "serve/hub/feed.h"
#include "serve/pressure.h"

static tusk_blob *blob_of(tusk_hub *self, hub_batch *batch, hub_form form, tusk_err *failed)
{
    if (form == FORM_DEFLATE && batch->bytes > HUB_PACK_MAX) {
        form = FORM_PLAIN; /* so much is one message, which leaves as it is: not made twice */
    }
    if (batch->forms[form] == NULL && batch->failed[form] == TUSK_OK) {
        tusk_err err = TUSK_OK;
        tusk_buf_clear(&self->scratch);
        for (size_t i = 0; i < batch->count && err == TUSK_OK; i++) {
            err = tusk__hub_encode(self, form, batch->window_bits, &batch->messages[i],
                                   &self->scratch);
        }
        if (err == TUSK_OK) {
            err = tusk__hub_scratch_blob(self, &batch->forms[form]);
        }
        batch->failed[form] = err;
    }
    *failed = batch->failed[form];
    return batch->forms[form];
}

void tusk__hub_close(tusk_session *session)
{
    session->server->stats.overflow_closed++;
    tusk__session_ops(session)->overflow(session);
}

/* They cannot leave now, but those that drop read them later from the log: it says what it does not
 * hold any more. */
static void postpone(tusk_hub *self, hub_sub *sub, const hub_batch *batch)
{
    const hub_message *first = batch->messages;
    tusk__hub_fall_behind(sub, first->offset);
    tusk__hub_wait_more(self, sub, first + batch->count - 1, batch->count, batch->bytes);
}

/* Longer than all queues together may be: there will never be room. */
static void refuse(tusk_hub *self, hub_sub *sub, const hub_batch *batch)
{
    if (sub->overflow == TUSK_OVERFLOW_DROP_NEWEST) {
        self->server->stats.dropped_newest += batch->count;
    } else {
        tusk__hub_close(sub->session);
    }
}

/* There was no memory for the form they leave in: nobody misses them without being told. */
static void starve(tusk_hub *self, hub_sub *sub, const hub_batch *batch, tusk_err failed)
{
    if (failed == TUSK_ETOOBIG) {
        refuse(self, sub, batch);
        return;
    }
    self->server->stats.out_of_memory++;
    if (sub->overflow == TUSK_OVERFLOW_CLOSE) {
        tusk__hub_close(sub->session);
        return;
    }
    postpone(self, sub, batch);
    tusk__hub_wake(self, sub->session);
}

/* True: the messages, of `payload` bytes and encoded `len`, may be queued now. Otherwise the
 * subscription's policy was carried out. */
static bool admit(tusk_hub *self, hub_sub *sub, size_t len, size_t payload, const hub_batch *batch)
{
    tusk_session *session = sub->session;
    size_t queued = session->conn.send_bytes;
    switch ((tusk_overflow)sub->overflow) {
    case TUSK_OVERFLOW_CLOSE:
        if (tusk__session_takes(session, len, payload)) {
            return true;
        }
        tusk__hub_close(session);
        return false;
    case TUSK_OVERFLOW_DROP_NEWEST:
        if (tusk__session_takes(session, len, payload)) {
            return true;
        }
        self->server->stats.dropped_newest += batch->count;
        return false;
    case TUSK_OVERFLOW_DROP_OLDEST:
    case TUSK_OVERFLOW_CONFLATE:
        if (queued == 0 || queued + len <= tusk__hub_queue_soft(self)) {
            return true;
        }
        postpone(self, sub, batch);
        if (queued < tusk__hub_queue_soft(self)) {
            tusk__hub_wake(self, session); /* so short a queue may never be told to have drained */
        }
        return false;
    }
    return false;
}

/* The blob, or what is in the scratch. */
static void queue(tusk_hub *self, tusk_session *session, tusk_blob *blob, size_t count)
{
    tusk_bytes own = tusk_buf_view(&self->scratch);
    tusk_err err = TUSK_ELIMIT;
    if (tusk__session_make_room(session, blob == NULL ? own.len : blob->len)) {
        err = blob == NULL ? tusk_conn_append(&session->conn, own.ptr, own.len)
                           : tusk_conn_append_blob(&session->conn, blob);
    }
    if (err == TUSK_OK) {
        if (session->kind == SESSION_STREAM) {
            session->last_out_ms = tusk__server_ms(self->server);
        }
        self->server->stats.delivered += count;
    } else {
        tusk__hub_close(session); /* no memory, or the total limit: a gap must not go unnoticed */
    }
}

static bool excepted(const tusk_session *session, const hub_message *message)
{
    return message->except.generation == session->generation &&
           message->except.slot == session->slot;
}

/* One session that is left out of some messages of the batch. */
static void deliver_some(tusk_hub *self, hub_sub *sub, const hub_batch *batch)
{
    hub_form form = tusk__session_form(sub->session);
    tusk_buf_clear(&self->scratch);
    size_t count = 0;
    size_t payload = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (excepted(sub->session, &batch->messages[i])) {
            continue;
        }
        tusk_err err =
            tusk__hub_encode(self, form, batch->window_bits, &batch->messages[i], &self->scratch);
        if (err != TUSK_OK) {
            starve(self, sub, batch, err);
            return;
        }
        count++;
        payload += batch->messages[i].data.len;
    }
    if (count > 0 && admit(self, sub, self->scratch.len, payload, batch)) {
        queue(self, sub->session, NULL, count);
    }
}

void tusk__hub_deliver(tusk_hub *self, hub_batch *batch, hub_sub *sub)
{
    tusk_session *session = sub->session;
    if (sub->behind) {
        tusk__hub_wait_more(self, sub, batch->messages + batch->count - 1, batch->count,
                            batch->bytes);
        return;
    }
    if (TUSK_UNLIKELY(session->member->behind_count > 0)) {
        postpone(self, sub, batch); /* one cursor for all its topics: none may overtake another */
        return;
    }
    if (!tusk_conn_open(&session->conn) || session->state != WS_OPEN) {
        return;
    }
    if (TUSK_UNLIKELY(session->member->reset_owed)) {
        if (!tusk__hub_say_gap(self, session, batch->messages[0].offset - 1)) {
            postpone(self, sub, batch);
            tusk__hub_wake(self, session);
            return;
        }
        if (!tusk_conn_open(&session->conn) || session->state != WS_OPEN) {
            return;
        }
    }
    hub_form form = tusk__session_form(session);
    if (TUSK_UNLIKELY(session->excepted > 0 || form == FORM_STREAM_BARE)) {
        deliver_some(self, sub, batch);
        return;
    }
    tusk_err failed;
    tusk_blob *blob = blob_of(self, batch, form, &failed);
    if (blob == NULL) {
        starve(self, sub, batch, failed);
    } else if (admit(self, sub, blob->len, batch->bytes, batch)) {
        queue(self, session, blob, batch->count);
    }
}
