/* SPDX-License-Identifier: MIT */
/* Rounds: links whose answers a turn has are received for in one call, and what they send next
 * leaves in one. The clock is read once for each round. */
#include "load/worker.h"

#include <errno.h>

#include "base/mem.h"
#include "loop/coming.h"
#include "net/batch.h"

#define ROUND_MAX 16 /* as many links as one reading of the clock may serve */
#define ROUND_MIN 3  /* fewer are as cheap one by one */
#define PLACE_BYTES ((size_t)2048)

struct load_round {
    tusk_late_batch batch;
    unsigned posted; /* in `out` */
    tusk_batch_item in[ROUND_MAX];
    tusk_batch_item out[ROUND_MAX];
    uint32_t in_life[ROUND_MAX]; /* of the items' links, as they were put in */
    uint32_t out_life[ROUND_MAX];
    uint8_t places[ROUND_MAX][PLACE_BYTES]; /* zeroed: valgrind does not see what a ring writes */
};

/* Its places are as late as its ring. */
static bool has_round(load_worker *self)
{
    const char *reason;
    if (self->round == NULL) {
        self->round = tusk__new(self->mem, sizeof(*self->round));
    }
    self->alone =
        self->round == NULL || !tusk_late_batch_works(&self->round->batch, self->mem, &reason);
    return !self->alone;
}

void tusk__load_round_free(load_worker *self)
{
    if (self->round != NULL) {
        tusk_late_batch_fini(&self->round->batch);
        tusk__free(self->mem, self->round, sizeof(*self->round));
        self->round = NULL;
    }
}

/* ---- sends ---- */
void tusk__load_round_post(load_link *link, const uint8_t *ptr, size_t len)
{
    load_round *round = link->worker->round;
    if (round->posted == ROUND_MAX) {
        tusk__load_round_flush(link->worker);
    }
    link->posted = true;
    round->out_life[round->posted] = link->life;
    round->out[round->posted++] =
        (tusk_batch_item){.owner = link, .bytes.from = ptr, .len = len, .fd = link->io.fd};
}

void tusk__load_round_flush(load_worker *self)
{
    load_round *round = self->round;
    unsigned count = round->posted;
    bool gathers = self->gathers;
    round->posted = 0;
    self->gathers = false; /* the items are in use */
    tusk_batch_send(count < ROUND_MIN ? NULL : round->batch.ring, round->out, count);
    for (unsigned i = 0; i < count; i++) {
        const tusk_batch_item *item = &round->out[i];
        load_link *link = item->owner;
        link->posted = false;
        if (link->life == round->out_life[i] && item->result != (int)item->len) {
            tusk__load_link_sent(link, item->bytes.from, item->len, item->result);
        }
    }
    self->gathers = gathers;
}

void tusk__load_round_forget(load_link *link)
{
    load_round *round = link->worker->round;
    unsigned kept = 0;
    for (unsigned i = 0; i < round->posted; i++) {
        if (round->out[i].owner != link) {
            round->out_life[kept] = round->out_life[i];
            round->out[kept++] = round->out[i];
        }
    }
    round->posted = kept;
    link->posted = false;
}

/* ---- receives ---- */
static inline bool takes_part(const load_link *link)
{
    return link->state == LINK_OPEN && link->filter == NULL && !link->handshake && !link->paused &&
           link->rest_len == 0 && link->out_len == 0;
}

static unsigned choose(load_round *round, tusk_io *const *coming, unsigned readable)
{
    unsigned count = 0;
    for (unsigned i = 0; i < readable; i++) {
        load_link *link = (load_link *)(void *)coming[i];
        if (takes_part(link)) {
            round->in_life[count] = link->life;
            round->in[count] = (tusk_batch_item){.owner = link,
                                                 .bytes.to = round->places[count],
                                                 .len = PLACE_BYTES,
                                                 .fd = link->io.fd};
            count++;
        }
    }
    return count;
}

/* The end, or nothing at all: its own event asks again and hears the same. So does it where a place
 * is full. An error is told once by the kernel. */
static void received(load_link *link, uint8_t *place, int result)
{
    load_worker *self = link->worker;
    if (TUSK_UNLIKELY(result <= 0)) {
        if (result < 0 && result != -EAGAIN && result != -EWOULDBLOCK) {
            tusk__load_link_ended(link, tusk__load_err_of(-result));
        }
        return;
    }
    if (TUSK_LIKELY((size_t)result < PLACE_BYTES)) {
        tusk__loop_told(self->loop, &link->io);
    }
    tusk__load_count(self, LOAD_BYTES_RECEIVED, (uint64_t)result);
    (void)tusk__load_link_show(link, place, (size_t)result);
}

static void look_at_clock(load_worker *self, unsigned count)
{
    if (self->served > 0) {
        self->now = tusk_loop_clock_ns();
    }
    self->served += count;
}

bool tusk__load_round_serve(load_link *first)
{
    load_worker *self = first->worker;
    tusk_io *coming[ROUND_MAX];
    uint32_t life = first->life;
    unsigned readable = tusk__loop_coming(self->loop, &first->io, 0, coming, ROUND_MAX);
    if (readable < ROUND_MIN || !has_round(self)) {
        return false;
    }
    load_round *round = self->round;
    unsigned count = choose(round, coming, readable);
    if (count < ROUND_MIN) {
        return false;
    }
    look_at_clock(self, count);
    tusk_batch_receive(round->batch.ring, round->in, count);
    self->gathers = true;
    bool done = false;
    for (unsigned i = 0; i < count; i++) {
        load_link *link = round->in[i].owner;
        int result = round->in[i].result;
        if (link->life == round->in_life[i]) {
            done = done || (link == first && result > 0 && (size_t)result < PLACE_BYTES);
            received(link, round->places[i], result);
        }
    }
    tusk__load_round_flush(self);
    self->gathers = false;
    return done || first->life != life;
}
