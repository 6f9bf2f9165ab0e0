/* SPDX-License-Identifier: MIT */
/* The delivery of a batch: each wire form encoded once, queued by reference to those who are live.
 */
#include "serve/hub.h"

#include "serve/hub_feed.h"
#include "serve/server.h"

struct delivery {
    const hub_message *messages;
    size_t count;
    size_t bytes;
    tusk_blob *forms[3]; /* by hub_form; NULL until somebody needs it */
    uint8_t window_bits; /* the smallest negotiated: one compression serves all */
    bool failed[3];      /* no memory for that form */
};

static tusk_blob *delivery_blob(tusk_hub *self, struct delivery *delivery, hub_form form)
{
    if (delivery->forms[form] == NULL && !delivery->failed[form]) {
        tusk_err err = TUSK_OK;
        tusk_buf_clear(&self->scratch);
        for (size_t i = 0; i < delivery->count && err == TUSK_OK; i++) {
            err = tusk__hub_encode(self, form, delivery->window_bits, &delivery->messages[i],
                                   &self->scratch);
        }
        if (err == TUSK_OK) {
            err = tusk_blob_dup(&delivery->forms[form], self->mem, tusk_buf_view(&self->scratch));
        }
        delivery->failed[form] = err != TUSK_OK;
    }
    return delivery->forms[form];
}

void tusk__hub_close(tusk_session *session)
{
    session->server->stats.overflow_closed++;
    if (session->kind == SESSION_STREAM) {
        tusk__stream_end(session);
        return;
    }
    (void)tusk__ws_send_close(session, TUSK_WS_CODE_TRY_AGAIN_LATER, tusk_bytes_str("queue full"));
}

/* They cannot leave now, but those that drop read them later from the log: it says what it does not
 * hold any more. */
static void postpone(tusk_hub *self, hub_sub *sub, const struct delivery *delivery)
{
    const hub_message *first = delivery->messages;
    tusk__hub_fall_behind(sub, first->offset);
    tusk__hub_wait_more(self, sub, first + delivery->count - 1, delivery->count, delivery->bytes);
}

/* There was no memory for the form they leave in: nobody misses them without being told. */
static void starve(tusk_hub *self, hub_sub *sub, const struct delivery *delivery)
{
    self->server->stats.out_of_memory++;
    if (sub->overflow == TUSK_OVERFLOW_CLOSE) {
        tusk__hub_close(sub->session);
        return;
    }
    postpone(self, sub, delivery);
    tusk__hub_wake(self, sub->session);
}

/* True: the messages, of `payload` bytes and encoded `len`, may be queued now. Otherwise the
 * subscription's policy was carried out. */
static bool admit(tusk_hub *self, hub_sub *sub, size_t len, size_t payload,
                  const struct delivery *delivery)
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
        self->server->stats.dropped_newest += delivery->count;
        return false;
    case TUSK_OVERFLOW_DROP_OLDEST:
    case TUSK_OVERFLOW_CONFLATE:
        if (queued == 0 || queued + len <= tusk__hub_queue_soft(self)) {
            return true;
        }
        postpone(self, sub, delivery);
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
static void deliver_some(tusk_hub *self, hub_sub *sub, const struct delivery *delivery)
{
    hub_form form = tusk__session_form(sub->session);
    tusk_buf_clear(&self->scratch);
    size_t count = 0;
    size_t payload = 0;
    for (size_t i = 0; i < delivery->count; i++) {
        if (excepted(sub->session, &delivery->messages[i])) {
            continue;
        }
        if (tusk__hub_encode(self, form, delivery->window_bits, &delivery->messages[i],
                             &self->scratch) != TUSK_OK) {
            starve(self, sub, delivery);
            return;
        }
        count++;
        payload += delivery->messages[i].data.len;
    }
    if (count > 0 && admit(self, sub, self->scratch.len, payload, delivery)) {
        queue(self, sub->session, NULL, count);
    }
}

static void deliver_to(tusk_hub *self, hub_sub *sub, struct delivery *delivery)
{
    tusk_session *session = sub->session;
    if (sub->behind) {
        tusk__hub_wait_more(self, sub, delivery->messages + delivery->count - 1, delivery->count,
                            delivery->bytes);
        return;
    }
    if (TUSK_UNLIKELY(session->member->behind_count > 0)) {
        postpone(self, sub,
                 delivery); /* one cursor for all its topics: none may overtake another */
        return;
    }
    if (!tusk_conn_open(&session->conn) || session->state != WS_OPEN) {
        return;
    }
    if (TUSK_UNLIKELY(session->member->reset_owed)) {
        if (!tusk__hub_say_gap(self, session, delivery->messages[0].offset - 1)) {
            postpone(self, sub, delivery);
            tusk__hub_wake(self, session);
            return;
        }
        if (!tusk_conn_open(&session->conn) || session->state != WS_OPEN) {
            return;
        }
    }
    hub_form form = tusk__session_form(session);
    if (TUSK_UNLIKELY(session->excepted || form == FORM_STREAM_BARE)) {
        deliver_some(self, sub, delivery);
        return;
    }
    tusk_blob *blob = delivery_blob(self, delivery, form);
    if (blob == NULL) {
        starve(self, sub, delivery);
    } else if (admit(self, sub, blob->len, delivery->bytes, delivery)) {
        queue(self, session, blob, delivery->count);
    }
}

static void mark_excepted(tusk_hub *self, const struct delivery *delivery, bool on)
{
    for (size_t i = 0; i < delivery->count; i++) {
        if (delivery->messages[i].except.generation != 0) {
            tusk_session *session = tusk__session_find(self->server, delivery->messages[i].except);
            if (session != NULL) {
                session->excepted = on;
            }
        }
    }
}

/* Of whom the loop below comes to after AHEAD others, what delivering looks at. */
enum { AHEAD = 4, SESSION_BYTES = 320 };
static const tusk_link *expect(const hub_topic *topic, const tusk_link *at)
{
    if (at == &topic->subs) {
        return at;
    }
    tusk_conn_expect(&TUSK_OWNER(at, const hub_sub, in_topic)->session->conn, SESSION_BYTES);
    return at->next;
}

void tusk__hub_deliver(tusk_hub *self)
{
    struct delivery delivery = {.messages = self->batch,
                                .count = self->batch_count,
                                .bytes = self->batch_bytes,
                                .window_bits = 15};
    hub_topic *topic = self->batch_topic;
    bool excepts = self->batch_excepts > 0;
    self->batch_count =
        0; /* a Close that is sent below settles the batch: nothing is left to settle */
    self->batch_bytes = 0;
    self->batch_ring = 0;
    self->batch_excepts = 0;
    self->batch_topic = NULL;
    for (uint8_t bits = 15; bits >= 9; bits--) {
        if (self->window_counts[bits] > 0) {
            delivery.window_bits = bits;
        }
    }
    if (excepts) {
        mark_excepted(self, &delivery, true);
    }
    const tusk_link *ahead = topic->subs.next;
    for (unsigned i = 0; i < AHEAD && ahead != &topic->subs; i++) {
        ahead = ahead->next;
    }
    tusk_link *next;
    for (tusk_link *link = topic->subs.next; link != &topic->subs; link = next) {
        next = link->next;
        ahead = expect(topic, ahead);
        deliver_to(self, TUSK_OWNER(link, hub_sub, in_topic), &delivery);
    }
    if (excepts) {
        mark_excepted(self, &delivery, false);
    }
    for (size_t i = 0; i < 3; i++) {
        tusk_blob_unref(delivery.forms[i]);
    }
    if (self->scratch.cap > 1024 * 1024) {
        tusk_buf_fini(&self->scratch);
        tusk_buf_init(&self->scratch, self->mem, SIZE_MAX / 2);
    }
    if (self->batch_bytes_kept.cap > 1024 * 1024) {
        tusk_buf_fini(&self->batch_bytes_kept);
        tusk_buf_init(&self->batch_bytes_kept, self->mem, SIZE_MAX / 2);
    }
}
