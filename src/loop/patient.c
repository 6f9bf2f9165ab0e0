/* SPDX-License-Identifier: MIT */
/* The line of descriptors that may wait: a ring of events, told from its head as far as the time
 * goes. */
#include "loop/patient.h"

#include "base/mem.h"
#include "loop/inner.h"

#define LINE_CAP_MIN 64u
#define LINE_CAP_MAX 16384u /* with LOOP_BATCH_MAX it fits into tusk_io.ready */
#define SERVED_NS UINT64_C(50000000)
#define SERVED_PART 16u /* of their time, while others are served */
#define SERVED_SHARE 8u /* or of what those took in this turn, whichever is more */
#define CHUNK 16u       /* what of it can be named ahead at once */
#define WATCHED_MAX 128u
#define CHUNK_AMID 1u /* the same, while crowds come */

void tusk__loop_patient_ns(tusk_loop *self, uint64_t ns)
{
    self->patient.ns = ns;
}

static tusk__ready *place(const tusk__patient *patient, uint32_t at)
{
    return &patient->line[at & (patient->cap - 1)];
}

static void put(tusk__patient *patient, uint32_t at, tusk__ready ready)
{
    *place(patient, at) = ready;
    if (ready.io != NULL) {
        ready.io->ready = (uint16_t)(LOOP_BATCH_MAX + 1 + (at & (patient->cap - 1)));
    }
}

/* The poller names LOOP_BATCH_MAX at once. Where most of them are for the line there may be more
 * behind them, and somebody among those who should not wait. */
static bool is_amid_crowd(const tusk__patient *patient)
{
    return patient->come > LOOP_BATCH_MAX / 2;
}

static bool grow(tusk_loop *self)
{
    tusk__patient *patient = &self->patient;
    tusk__patient grown = *patient;
    grown.cap = patient->cap == 0 ? LINE_CAP_MIN : patient->cap * 2;
    grown.line = grown.cap > LINE_CAP_MAX
                     ? NULL
                     : tusk__resize(self->mem, NULL, 0, grown.cap * sizeof(patient->line[0]));
    if (grown.line == NULL) {
        return false;
    }
    for (uint32_t at = patient->head; at != patient->tail; at++) {
        put(&grown, at, *place(patient, at));
    }
    tusk__free(self->mem, patient->line, patient->cap * sizeof(patient->line[0]));
    *patient = grown;
    return true;
}

bool tusk__patient_push(tusk_loop *self, tusk_io *io, unsigned events)
{
    tusk__patient *patient = &self->patient;
    if (patient->tail - patient->head == patient->cap && !grow(self)) {
        return false;
    }
    put(patient, patient->tail++, (tusk__ready){.io = io, .events = events});
    patient->come++;
    return true;
}

/* ---- what the poller watches ---- */
static void hold(tusk_loop *self, tusk_io *io)
{
    if (io != NULL && (io->polled & TUSK__IO_BOTH) != 0) {
        self->poller->set(self, io, 0);
        io->polled &= (uint8_t)~TUSK__IO_BOTH;
    }
}

/* A short line is watched on while nobody else is served: that the poller names its members again
 * leaves most of LOOP_BATCH_MAX to who comes, and costs less than to tell it of each twice. */
static bool may_watch(const tusk_loop *self)
{
    const tusk__patient *patient = &self->patient;
    return patient->tail - patient->head <= WATCHED_MAX && !tusk__loop_serves(self);
}

void tusk__patient_hold(tusk_loop *self)
{
    tusk__patient *patient = &self->patient;
    patient->come = 0;
    if (may_watch(self)) {
        return;
    }
    for (; patient->held != patient->tail; patient->held++) {
        hold(self, place(patient, patient->held)->io);
    }
}

/* ---- telling ---- */
/* Those that are named ahead together are told whatever the time, so they are no more than what is
 * left of it takes, by what the last ones took. */
static unsigned fit(const tusk__patient *patient, uint64_t now_ns)
{
    unsigned max = is_amid_crowd(patient) ? CHUNK_AMID : CHUNK;
    uint64_t gone_ns = now_ns - patient->since_ns;
    uint64_t left_ns = gone_ns < patient->part_ns ? patient->part_ns - gone_ns : 0;
    uint64_t fit = patient->each_ns == 0 ? max : left_ns / patient->each_ns;
    return fit == 0 ? 1 : fit < max ? (unsigned)fit : max;
}

static void measure(tusk__patient *patient, uint64_t now_ns)
{
    if (patient->chunk > 0) {
        uint64_t each_ns = (now_ns - patient->chunk_ns) / patient->chunk;
        patient->each_ns = patient->each_ns == 0 ? each_ns : (patient->each_ns * 3 + each_ns) / 4;
    }
    patient->chunk_ns = now_ns;
    patient->chunk = 0;
}

static void take_chunk(tusk_loop *self)
{
    tusk__patient *patient = &self->patient;
    uint64_t now_ns = patient->told ? tusk_loop_clock_ns() : patient->since_ns;
    measure(patient, now_ns);
    unsigned max = fit(patient, now_ns);
    self->batch_at = self->batch_len = self->batch_seen = 0;
    while (patient->head != patient->tail && self->batch_len < max) {
        tusk__ready ready = *place(patient, patient->head++);
        if (ready.io != NULL) {
            self->batch[self->batch_len++] = ready;
            ready.io->ready = (uint16_t)self->batch_len;
        }
    }
    patient->chunk = self->batch_len;
    if ((int32_t)(patient->head - patient->held) > 0) {
        patient->held = patient->head;
    }
}

static void put_back(tusk_loop *self)
{
    tusk__patient *patient = &self->patient;
    uint32_t left = self->batch_len - self->batch_at;
    patient->chunk -= left < patient->chunk ? left : patient->chunk;
    measure(patient, tusk_loop_clock_ns());
    bool watched = may_watch(self);
    while (self->batch_len > self->batch_at) {
        tusk__ready ready = self->batch[--self->batch_len];
        if (ready.io != NULL) {
            if (!watched) {
                hold(self, ready.io);
            }
            put(patient, --patient->head, ready);
        }
    }
    if (watched) {
        patient->held = patient->head;
    }
}

/* ---- whose turn it is ---- */
/* What is set aside comes last. */
static void part(tusk_loop *self)
{
    unsigned end = self->batch_len;
    for (unsigned at = 0; self->asides > 0 && at < end;) {
        tusk__ready ready = self->batch[at];
        if ((ready.io->polled & TUSK__IO_ASIDE) == 0) {
            at++;
            continue;
        }
        self->asides--;
        self->batch[at] = self->batch[--end];
        self->batch[at].io->ready = (uint16_t)(at + 1);
        self->batch[end] = ready;
        ready.io->ready = (uint16_t)(end + 1);
    }
    self->batch_first = end;
}

void tusk__patient_look(tusk_loop *self)
{
    part(self);
    if (self->batch_first > 0) {
        self->patient.other_ns = self->now_ns;
    }
    bool more = self->batch_first < self->batch_len || !tusk__patient_empty(self) ||
                !tusk__node_empty(&self->behind_round);
    self->halves = more && self->batch_first > 0;
    if (!self->halves) {
        self->batch_first = self->batch_len;
    }
}

bool tusk__loop_serves(const tusk_loop *self)
{
    const tusk__patient *patient = &self->patient;
    return patient->other_ns != 0 && self->now_ns < patient->other_ns + SERVED_NS;
}

static bool is_over(const tusk_loop *self)
{
    const tusk__patient *patient = &self->patient;
    if (is_amid_crowd(patient) && patient->told) {
        return self->batch_at == self->batch_len;
    }
    return patient->told && tusk_loop_clock_ns() - patient->since_ns >= patient->part_ns;
}

/* Of `took_ns` for those who may not wait. Where these take all there is, each waits for all
 * others, and who stands behind them would hardly be told at all for a fixed time a turn. */
static uint64_t part_of(const tusk_loop *self, uint64_t took_ns)
{
    uint64_t all_ns = self->patient.ns;
    if (!tusk__loop_serves(self)) {
        return all_ns;
    }
    uint64_t least_ns = all_ns / SERVED_PART;
    uint64_t share_ns = took_ns / SERVED_SHARE;
    share_ns = share_ns > least_ns ? share_ns : least_ns;
    return share_ns < all_ns ? share_ns : all_ns;
}

void tusk__patient_begin(tusk_loop *self)
{
    self->patient.told = false;
    self->patient.chunk = 0;
    /* nothing was told since the loop looked at the clock: it need not look again */
    self->patient.since_ns = self->batch_at == 0 ? self->now_ns : tusk_loop_clock_ns();
    self->patient.part_ns = part_of(self, self->patient.since_ns - self->now_ns);
}

bool tusk__patient_next(tusk_loop *self)
{
    bool more = self->batch_at != self->batch_len || !tusk__patient_empty(self);
    if (more && self->batch_at >= self->batch_seen && is_over(self)) {
        put_back(self);
        return false;
    }
    if (self->batch_at == self->batch_len) {
        take_chunk(self);
    }
    if (self->batch_at == self->batch_len) {
        return false;
    }
    tusk_io *io = self->batch[self->batch_at].io;
    if (io != NULL) {
        (void)tusk_io_set(self, io, io->interest); /* watched again */
    }
    self->patient.told = true;
    return true;
}
