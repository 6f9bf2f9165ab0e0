/* SPDX-License-Identifier: MIT */
/* Batches: closed they reach their subscribers, few at once, many in shares; who is written to
 * directly has his before his turn. */
#include "serve/hub/hub.h"

#include "serve/session.h"

#define KEPT_BYTES ((size_t)2 * HUB_BATCH_BYTES) /* of a batch what is not given back */
#define UNDER_WAY_BYTES ((size_t)1024 * 1024) /* of several at once: each has a copy, and forms */
#define AT_ONCE_SHARES 4u                     /* of so few queuing is not worth parting */
#define SERVED_PART 8u /* of what others took: queuing is to sending as one to eight, or less */

/* Those under way in order, the oldest is 0; behind them the open one. */
static hub_batch *nth(tusk_hub *self, unsigned n)
{
    return &self->batches[(self->first + n) % HUB_BATCHES];
}

void tusk__hub_batches_init(tusk_hub *self)
{
    self->open = nth(self, 0);
    self->share = NET_OTHERS_SHARE; /* no more leave of it */
    for (size_t i = 0; i < HUB_BATCHES; i++) {
        tusk_buf_init(&self->batches[i].kept, self->mem, SIZE_MAX / 2);
    }
}

static void forms_unref(hub_batch *batch)
{
    for (size_t i = 0; i < 3; i++) {
        tusk_blob_unref(batch->forms[i]);
        batch->forms[i] = NULL;
        batch->failed[i] = TUSK_OK;
    }
}

void tusk__hub_batches_fini(tusk_hub *self)
{
    for (size_t i = 0; i < HUB_BATCHES; i++) {
        forms_unref(&self->batches[i]);
        tusk_buf_fini(&self->batches[i].kept);
    }
}

/* ---- filling ---- */

void tusk__hub_batch_add(tusk_hub *self, hub_topic *topic, const hub_message *message)
{
    hub_batch *batch = self->open;
    batch->messages[batch->count++] = *message;
    batch->topic = topic;
    batch->bytes += message->data.len;
    batch->excepts += message->except.generation != 0;
}

size_t tusk__hub_message_size(const hub_message *message)
{
    return message->topic.len + message->data.len + message->type.len + message->id.len;
}

static tusk_bytes keep(tusk_buf *buf, tusk_bytes bytes)
{
    size_t at = buf->len;
    if (bytes.len == 0) {
        return bytes;
    }
    (void)tusk_buf_append(buf, bytes.ptr, bytes.len); /* there is room */
    return tusk_bytes_of(tusk_buf_view(buf).ptr + at, bytes.len);
}

void tusk__hub_message_keep(hub_message *self, tusk_buf *buf)
{
    self->topic = keep(buf, self->topic);
    self->data = keep(buf, self->data);
    self->type = keep(buf, self->type);
    self->id = keep(buf, self->id);
}

/* Its messages are its own from now on, whatever is published while it is under way. False: no
 * memory. */
static bool make_last(hub_batch *batch)
{
    size_t size = 0;
    uint8_t *place;
    if (batch->lasts) {
        return true;
    }
    for (size_t i = 0; i < batch->count; i++) {
        size += tusk__hub_message_size(&batch->messages[i]);
    }
    tusk_buf_clear(&batch->kept);
    if (tusk_buf_reserve(&batch->kept, size, &place) != TUSK_OK) {
        return false;
    }
    for (size_t i = 0; i < batch->count; i++) {
        tusk__hub_message_keep(&batch->messages[i], &batch->kept);
    }
    batch->lasts = true;
    return true;
}

/* ---- the beginning and the end of its way ---- */

/* Delivering looks at the messages only for those whom one of them leaves out. */
static void count_excepted(tusk_hub *self, const hub_batch *batch, int change)
{
    for (size_t i = 0; batch->excepts > 0 && i < batch->count; i++) {
        tusk_session *session = tusk__session_find(self->server, batch->messages[i].except);
        if (session != NULL) {
            session->excepted = (uint16_t)(session->excepted + change);
        }
    }
}

static uint8_t smallest_window(const tusk_hub *self)
{
    uint8_t bits = 9;
    while (bits < 15 && self->window_counts[bits] == 0) {
        bits++;
    }
    return bits;
}

static void begin(tusk_hub *self, hub_batch *batch)
{
    batch->number = ++batch->topic->batches;
    batch->window_bits = smallest_window(self);
    batch->next = batch->topic->subs.next;
    count_excepted(self, batch, 1);
}

static void finish(tusk_hub *self, hub_batch *batch)
{
    if (batch->next != NULL) {
        count_excepted(self, batch, -1);
    }
    forms_unref(batch);
    batch->topic = NULL;
    batch->count = 0;
    batch->bytes = 0;
    batch->ring = 0;
    batch->excepts = 0;
    batch->next = NULL;
    batch->lasts = false;
    tusk_buf_clear(&batch->kept);
    if (batch->kept.cap > KEPT_BYTES) {
        tusk_buf_fini(&batch->kept);
        tusk_buf_init(&batch->kept, self->mem, SIZE_MAX / 2);
    }
    tusk__hub_spare_scratch(self);
}

static void finish_oldest(tusk_hub *self)
{
    finish(self, nth(self, 0));
    self->first = (self->first + 1) % HUB_BATCHES;
    self->under_way--;
}

/* ---- on its way ---- */

/* Each subscriber is given all batches of its topic, so it is never more than those under way
 * behind the newest. */
static void give(tusk_hub *self, hub_batch *batch, hub_sub *sub)
{
    if ((int16_t)(uint16_t)(batch->number - sub->given) > 0) {
        sub->given = batch->number;
        tusk__hub_deliver(self, batch, sub);
    }
}

static hub_sub *sub_of(const tusk_session *session, const hub_topic *topic)
{
    for (tusk_link *link = session->member->subs.next; link != &session->member->subs;
         link = link->next) {
        hub_sub *sub = TUSK_OWNER(link, hub_sub, in_session);
        if (sub->topic == topic) {
            return sub;
        }
    }
    return NULL;
}

/* Of those under way. */
static void give_session(tusk_hub *self, const tusk_session *session)
{
    for (unsigned i = 0; i < self->under_way; i++) {
        hub_batch *batch = nth(self, i);
        hub_sub *sub = batch->topic == NULL ? NULL : sub_of(session, batch->topic);
        if (sub != NULL) {
            give(self, batch, sub);
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

/* On to the next `most` subscribers at most; what is left of them is returned. The open batch
 * overtakes others: those come first to each of its subscribers. */
static size_t walk(tusk_hub *self, hub_batch *batch, size_t most)
{
    const hub_topic *topic = batch->topic;
    const bool overtakes = batch == self->open && self->under_way > 0;
    const tusk_link *ahead = batch->next;
    for (unsigned i = 0; i < AHEAD && ahead != &topic->subs; i++) {
        ahead = ahead->next;
    }
    self->delivering = true;
    for (; most > 0 && batch->next != &topic->subs; most--) {
        hub_sub *sub = TUSK_OWNER(batch->next, hub_sub, in_topic);
        batch->next = batch->next->next;
        ahead = expect(topic, ahead);
        if (TUSK_UNLIKELY(overtakes)) {
            give_session(self, sub->session);
        }
        give(self, batch, sub);
    }
    self->delivering = false;
    return most;
}

static bool is_done(const hub_batch *batch)
{
    return batch->topic == NULL || batch->next == &batch->topic->subs;
}

static void complete_oldest(tusk_hub *self)
{
    if (!is_done(nth(self, 0))) {
        (void)walk(self, nth(self, 0), SIZE_MAX);
    }
    finish_oldest(self);
}

/* As far as `most` subscribers go. */
static void serve(tusk_hub *self, size_t most)
{
    while (self->under_way > 0) {
        hub_batch *batch = nth(self, 0);
        most = is_done(batch) ? most : walk(self, batch, most);
        if (!is_done(batch)) {
            return;
        }
        finish_oldest(self);
    }
}

static bool is_small(const tusk_hub *self, const hub_batch *batch)
{
    return batch->topic->sub_count <= (size_t)AT_ONCE_SHARES * self->share;
}

/* Beside this one: long ones are under way one after the other. */
static bool are_long(tusk_hub *self, const hub_batch *batch)
{
    size_t bytes = batch->bytes;
    for (unsigned i = 0; i < self->under_way; i++) {
        bytes += nth(self, i)->bytes;
    }
    return self->under_way > 0 && bytes > UNDER_WAY_BYTES;
}

void tusk__hub_batch_close(tusk_hub *self)
{
    hub_batch *batch = self->open;
    begin(self, batch);
    bool is_held_by_none = batch->bytes > self->server->limits.queued_bytes_total;
    if (is_small(self, batch) || is_held_by_none || !make_last(batch)) {
        (void)walk(self, batch, SIZE_MAX);
        finish(self, batch);
        return;
    }
    while (self->under_way == HUB_BATCHES - 1 || are_long(self, batch)) {
        complete_oldest(self);
    }
    self->under_way++;
    self->open = nth(self, self->under_way);
    tusk_task_defer(self->server->loop, &self->task);
}

/* One share, and more as others were served meanwhile, so that publications have their half of the
 * time however busy those are; not while sends stand in line, or those would stand behind more and
 * more. */
static void serve_turn(tusk_hub *self)
{
    uint64_t turn_ns = tusk_loop_now_ns(self->server->loop);
    if (self->share_ns == turn_ns) {
        return; /* the task runs again in a turn in which somebody fell behind */
    }
    self->share_ns = turn_ns;
    uint64_t start_ns = tusk_loop_clock_ns();
    uint64_t part_ns = (start_ns - turn_ns) / SERVED_PART;
    do {
        serve(self, self->share);
    } while (self->under_way > 0 && !tusk_net_lags(self->server->net) &&
             tusk_loop_clock_ns() - start_ns < part_ns);
}

bool tusk__hub_go_on(tusk_hub *self)
{
    /* One for many stays open while another is under way: a longer one costs less than two. */
    if (self->open->count > 0 && (self->under_way == 0 || is_small(self, self->open))) {
        tusk__hub_batch_close(self);
    }
    if (TUSK_UNLIKELY(self->under_way > 0)) {
        serve_turn(self);
    }
    return self->under_way > 0 || self->open->count > 0;
}

void tusk__hub_settle_session(tusk_hub *self, tusk_session *session)
{
    if (session->member == NULL || self->delivering) {
        return;
    }
    if (self->open->count > 0 &&
        (is_small(self, self->open) || sub_of(session, self->open->topic) != NULL)) {
        tusk__hub_batch_close(self);
    }
    if (self->under_way > 0) {
        self->delivering = true;
        give_session(self, session);
        self->delivering = false;
    }
}

void tusk__hub_settle_all(tusk_hub *self)
{
    if (self->open->count > 0) {
        tusk__hub_batch_close(self);
    }
    serve(self, SIZE_MAX);
}

/* ---- those who go ---- */

void tusk__hub_batches_drop_sub(tusk_hub *self, const hub_sub *sub)
{
    for (unsigned i = 0; i < self->under_way; i++) {
        hub_batch *batch = nth(self, i);
        if (batch->next == &sub->in_topic) {
            batch->next = sub->in_topic.next;
        }
    }
}

void tusk__hub_batches_drop_topic(tusk_hub *self, const hub_topic *topic)
{
    for (unsigned i = 0; i < self->under_way; i++) {
        hub_batch *batch = nth(self, i);
        batch->topic = batch->topic == topic ? NULL : batch->topic;
    }
    if (self->open->topic == topic) {
        finish(self, self->open);
    }
}
