/* SPDX-License-Identifier: MIT */
/* Feeding those behind: records of all their topics in the log's order, until they are live or
 * their queue is long. */
#include "serve/hub/feed.h"

#include "serve/hub/newest.h"
#include "serve/pressure.h"

#define QUEUE_SOFT (64u * 1024u)
#define GAP_BYTES_MAX 192u /* of a reset in any form */

/* What one run may do for all that are behind together, so that nobody else waits for a crowd that
 * resumes from the oldest record: a look at a record by one subscription is one, as are so many
 * bytes written. */
#define WORK_PER_RUN ((size_t)8192)
#define WORK_BYTES_PLAIN 64u
#define WORK_BYTES_DEFLATE 8u

size_t tusk__hub_queue_soft(const tusk_hub *self)
{
    size_t limit = self->server->limits.queued_bytes;
    return limit < QUEUE_SOFT ? limit : QUEUE_SOFT;
}

void tusk__hub_fall_behind(hub_sub *sub, uint64_t next)
{
    if (!sub->behind) {
        sub->behind = true;
        sub->session->member->behind_count++;
    }
    sub->next = next;
    sub->waiting = 0;
    sub->owed = 0;
}

static bool of_topic(const hub_record *record, const hub_topic *topic)
{
    return tusk__record_is_of(record, topic->in_table.hash,
                              tusk_bytes_of(topic->name, topic->name_len));
}

/* Of what the ring has let go something may have been for it, which its policy does not allow to
 * drop. Whoever conflates had the newest, unless it still waits for that, or begins in the history.
 */
static bool misses(const hub_sub *sub)
{
    return sub->overflow == TUSK_OVERFLOW_CONFLATE ? sub->owed > 0 || !sub->keeps
                                                   : sub->overflow != TUSK_OVERFLOW_DROP_OLDEST;
}

/* The ring has let go what was waited for. How much of it was of this topic nobody can tell now:
 * what comes waits from nothing on, and what was never passed is found when it is live (`owed`). */
static void be_overtaken(hub_sub *sub, uint64_t tail)
{
    sub->next = tail;
    sub->waiting = 0;
}

static void no_longer_waits(hub_sub *sub, size_t data_len)
{
    sub->waiting -= data_len < sub->waiting ? data_len : sub->waiting;
    sub->owed -= sub->owed > 0;
}

/* The oldest that waits gives way. False: nothing waits any more. This is in the midst of
 * delivering what the store shows. */
static bool drop_oldest(tusk_hub *self, hub_sub *sub)
{
    const tusk_bytes name = tusk_bytes_of(sub->topic->name, sub->topic->name_len);
    while (sub->next <= self->seen) {
        const hub_sight sight =
            self->store->ops->look(self->store, sub->next, sub->topic->in_table.hash, name);
        if (!sight.held) { /* the ring has let it go already */
            uint64_t tail = self->store->ops->tail(self->store);
            sub->next = tail > sub->next ? tail : sub->next + 1;
            continue;
        }
        sub->next++;
        if (sight.of_topic) {
            no_longer_waits(sub, sight.data_len);
            self->server->stats.dropped_oldest++;
            return true;
        }
    }
    sub->waiting = 0;
    return false;
}

void tusk__hub_wait_more(tusk_hub *self, hub_sub *sub, const hub_message *last, size_t count,
                         size_t bytes)
{
    if (sub->overflow == TUSK_OVERFLOW_CONFLATE) {
        self->server->stats.conflated += count - 1 + sub->owed;
        sub->next = last->offset;
        sub->waiting = last->data.len;
        sub->owed = 1;
        tusk__newest_keep(self, sub, last);
        return;
    }
    uint64_t tail = self->store->ops->tail(self->store);
    if (sub->overflow == TUSK_OVERFLOW_DROP_OLDEST && sub->next < tail) {
        be_overtaken(sub, tail);
    }
    sub->owed += (uint32_t)count;
    sub->waiting += bytes;
    while (sub->overflow == TUSK_OVERFLOW_DROP_OLDEST &&
           sub->waiting > self->server->limits.queued_bytes) {
        if (!drop_oldest(self, sub)) {
            break;
        }
    }
}

void tusk__hub_wake(tusk_hub *self, tusk_session *session)
{
    if (!tusk__link_linked(&session->member->behind)) {
        tusk__list_push(&self->behind, &session->member->behind);
    }
    tusk_task_defer(self->server->loop, &self->task);
}

static bool has_room(tusk_session *session, size_t len)
{
    size_t queued = session->conn.send_bytes; /* an empty queue takes a message of any size */
    return (queued == 0 || queued + len <= session->server->limits.queued_bytes) &&
           tusk__session_make_room(session, len);
}

bool tusk__hub_say_gap(tusk_hub *self, tusk_session *session, uint64_t offset)
{
    char position[TUSK_POSITION_TEXT_MAX];
    if (!has_room(session, GAP_BYTES_MAX)) {
        return false;
    }
    session->member->reset_owed = false;
    self->server->stats.resets_sent++;
    size_t len = tusk_position_text(position, (tusk_position){self->store->epoch, offset});
    tusk__session_ops(session)->reset(session, tusk_bytes_of(position, len));
    return true;
}

/* The next offset that anybody of this session waits for. */
static uint64_t lowest_next(const tusk_session *session)
{
    uint64_t lowest = UINT64_MAX;
    for (tusk_link *link = session->member->subs.next; link != &session->member->subs;
         link = link->next) {
        const hub_sub *sub = TUSK_OWNER(link, hub_sub, in_session);
        if (sub->behind && sub->next < lowest) {
            lowest = sub->next;
        }
    }
    return lowest;
}

/* Dropped by policy, or a gap that is said; but for the newest that is kept beside the log. */
static void skip_lost(tusk_session *session, uint64_t tail)
{
    for (tusk_link *link = session->member->subs.next; link != &session->member->subs;
         link = link->next) {
        hub_sub *sub = TUSK_OWNER(link, hub_sub, in_session);
        if (!sub->behind || sub->next >= tail) {
            continue;
        }
        const hub_record *newest = tusk__newest_for(sub);
        if (newest != NULL && newest->offset < tail) {
            sub->next = newest->offset;
            continue;
        }
        be_overtaken(sub, tail);
        session->member->reset_owed = session->member->reset_owed || misses(sub);
    }
}

/* What is kept of that offset, which the log has let go. */
static const hub_record *kept_at(const tusk_session *session, uint64_t offset)
{
    const hub_record *found = NULL;
    for (tusk_link *link = session->member->subs.next;
         found == NULL && link != &session->member->subs; link = link->next) {
        const hub_record *newest = tusk__newest_for(TUSK_OWNER(link, hub_sub, in_session));
        found = newest != NULL && newest->offset == offset ? newest : NULL;
    }
    return found;
}

static bool is_wanted(const tusk_hub *self, const tusk_session *session, const hub_record *record)
{
    bool wanted = false;
    for (tusk_link *link = session->member->subs.next; !wanted && link != &session->member->subs;
         link = link->next) {
        const hub_sub *sub = TUSK_OWNER(link, hub_sub, in_session);
        wanted = sub->behind && sub->next <= record->offset && of_topic(record, sub->topic);
    }
    return wanted &&
           (record->except_generation != session->generation ||
            record->except_slot != session->slot || record->origin != self->store->member);
}

static void pass_record(tusk_session *session, const hub_record *record)
{
    for (tusk_link *link = session->member->subs.next; link != &session->member->subs;
         link = link->next) {
        hub_sub *sub = TUSK_OWNER(link, hub_sub, in_session);
        if (!sub->behind || sub->next > record->offset) {
            continue;
        }
        sub->next = record->offset + 1;
        if (of_topic(record, sub->topic)) {
            no_longer_waits(sub, record->data_len);
        }
    }
}

static void become_live(tusk_hub *self, tusk_session *session)
{
    for (tusk_link *link = session->member->subs.next; link != &session->member->subs;
         link = link->next) {
        hub_sub *sub = TUSK_OWNER(link, hub_sub, in_session);
        if (sub->overflow == TUSK_OVERFLOW_DROP_OLDEST) {
            self->server->stats.dropped_oldest += sub->owed;
        } else if (sub->overflow == TUSK_OVERFLOW_CONFLATE) {
            self->server->stats.conflated += sub->owed;
        }
        tusk__newest_release(self, sub);
        sub->behind = false;
        sub->waiting = 0;
        sub->owed = 0;
    }
    session->member->behind_count = 0;
}

/* There is no room: on_drain goes on, however little is queued; with nothing queued it would never
 * come. */
static void await_room(tusk_session *session)
{
    if (session->conn.send_bytes > 0) {
        session->conn.above_low = true;
    } else {
        tusk__hub_close(session);
    }
}

/* False: it waits for room, or the session ends. */
static bool write_record(tusk_hub *self, tusk_session *session, const hub_record *record)
{
    /* The log keeps what waits; asked before anything is encoded. */
    if (!tusk__pressure_lets(session, record->data_len)) {
        await_room(session);
        return false;
    }
    const hub_message message = tusk__record_message(record);
    uint8_t bits = session->kind == SESSION_WEBSOCKET ? session->deflate_bits : 15;
    tusk_buf_clear(&self->scratch);
    tusk_err err =
        tusk__hub_encode(self, tusk__session_form(session), bits, &message, &self->scratch);
    tusk_bytes bytes = tusk_buf_view(&self->scratch);
    if (err == TUSK_OK && !has_room(session, bytes.len)) {
        await_room(session);
        return false;
    }
    err = err != TUSK_OK ? err : tusk_conn_append(&session->conn, bytes.ptr, bytes.len);
    if (err != TUSK_OK) {
        self->server->stats.out_of_memory += err != TUSK_ETOOBIG; /* which no queue may hold */
        tusk__hub_close(session);
        return false;
    }
    if (session->kind == SESSION_STREAM) {
        session->last_out_ms = tusk__server_ms(self->server);
    }
    self->server->stats.delivered++;
    return true;
}

/* In a shared log another process lets go what it will, and what is shown is a copy. */
static void miss_record(tusk_hub *self, tusk_session *session, uint64_t offset)
{
    if (self->store->ops->tail(self->store) <= offset) { /* it is there, but no memory for it */
        self->server->stats.out_of_memory++;
        tusk__hub_close(session);
    }
}

static size_t work_of(const tusk_session *session, const hub_record *record, bool written)
{
    size_t per =
        tusk__session_form(session) == FORM_DEFLATE ? WORK_BYTES_DEFLATE : WORK_BYTES_PLAIN;
    return 1 + session->member->sub_count + (written ? record->data_len / per : 0);
}

/* Until it is live or has to wait; false: the run's work is done before that. */
static bool feed(tusk_hub *self, tusk_session *session, size_t *work)
{
    size_t soft = tusk__hub_queue_soft(self);
    session->member->fresh = false;
    while (session->member->behind_count > 0 || session->member->reset_owed) {
        if (!tusk_conn_open(&session->conn) || session->kind == SESSION_HTTP ||
            session->state != WS_OPEN) {
            return true;
        }
        if (session->conn.send_bytes >= soft) {
            await_room(session);
            return true;
        }
        uint64_t at = session->member->behind_count > 0 ? lowest_next(session) : UINT64_MAX;
        uint64_t tail = self->store->ops->tail(self->store);
        if (at < tail) {
            skip_lost(session, tail);
            at = lowest_next(session);
        }
        if (session->member->reset_owed) {
            if (!tusk__hub_say_gap(self, session, at == UINT64_MAX ? self->seen : at - 1)) {
                await_room(session);
                return true;
            }
            continue;
        }
        if (at > self->seen) {
            become_live(self, session);
            return true;
        }
        if (*work == 0) {
            return false;
        }
        const hub_record *record =
            at < tail ? kept_at(session, at) : self->store->ops->at(self->store, at);
        if (TUSK_UNLIKELY(record == NULL)) {
            miss_record(self, session, at);
            continue;
        }
        bool wanted = is_wanted(self, session, record);
        size_t cost = work_of(session, record, wanted);
        *work -= cost < *work ? cost : *work;
        if (wanted && !write_record(self, session, record)) {
            return true;
        }
        pass_record(session, record);
    }
    return true;
}

static void feed_next(tusk_hub *self, tusk_session *session, size_t *work)
{
    tusk_link *link = &session->member->behind;
    tusk__hub_settle(self, session); /* what it is given of the log was all published before */
    tusk__link_remove(link);
    if (!feed(self, session, work)) {
        tusk__list_push(&self->behind, link); /* others first, then it goes on */
    }
}

void tusk__hub_feed_all(tusk_hub *self)
{
    size_t work = WORK_PER_RUN;
    tusk_link *link;
    while (work > 0 && (link = self->behind.next) != &self->behind) {
        feed_next(self, TUSK_OWNER(link, hub_member, behind)->session, &work);
    }
    tusk__hub_spare_scratch(self);
    if (!tusk__list_empty(&self->behind)) {
        tusk_task_defer(self->server->loop, &self->task);
    }
}

/* Not from inside of what is given to it. */
static bool waits_for_its_turn(const tusk_hub *self, const tusk_session *session)
{
    return session->member != NULL && tusk__link_linked(&session->member->behind) &&
           !self->delivering;
}

void tusk__hub_feed_fresh(tusk_hub *self, tusk_session *session)
{
    size_t work = WORK_PER_RUN;
    if (waits_for_its_turn(self, session) && session->member->fresh &&
        lowest_next(session) <= self->seen) {
        feed_next(self, session, &work);
        tusk__hub_spare_scratch(self);
    }
}

void tusk__hub_settle_end(tusk_hub *self, tusk_session *session)
{
    size_t work = WORK_PER_RUN;
    tusk__hub_settle(self, session);
    if (waits_for_its_turn(self, session)) {
        feed_next(self, session, &work);
        tusk__hub_spare_scratch(self);
    }
}

void tusk__hub_on_drain(tusk_hub *self, tusk_session *session)
{
    const hub_member *member = session->member;
    if (member != NULL && (member->behind_count > 0 || member->reset_owed)) {
        tusk__hub_wake(self, session);
    }
}
