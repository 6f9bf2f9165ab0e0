/* SPDX-License-Identifier: MIT */
/* Rows of numbers by name, in one anonymous mapping. */
#define _GNU_SOURCE
#include "relay/meters.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if !defined(MAP_ANONYMOUS)
#define MAP_ANONYMOUS MAP_ANON
#endif
#if !defined(MAP_NORESERVE)
#define MAP_NORESERVE 0
#endif

/* A name's key has this bit; what has not is the seat, plus one, of who is taking the row. */
#define KEY_BIT (UINT64_C(1) << 63)

enum {
    NAME_SIZE = METER_NAME_MAX + 1,
    FULL_MS = 1000, /* so long nobody looks for a row to take over again */
    TAKES = 4       /* so often a row that somebody else is faster at is tried */
};

_Static_assert(NAME_SIZE % 8 == 0 && METER_WORDS % 8 == 0, "what follows is aligned");

const uint32_t relay_meter_bounds[METER_BOUNDS] = {500,     1000,    2500,    5000,    10000,
                                                   25000,   50000,   100000,  250000,  500000,
                                                   1000000, 2500000, 5000000, 10000000};

/* ---- where what lies ---- */
/* Keys, then names, then the numbers, seat by seat; the last seat is for those who are gone. */
static size_t all_rows(const relay_meters *self)
{
    return (size_t)METER_KINDS * (self->rows + 1);
}

static _Atomic uint64_t *key_at(const relay_meters *self, size_t row)
{
    return (_Atomic uint64_t *)(void *)self->map + row;
}

static char *name_at(const relay_meters *self, size_t row)
{
    return (char *)self->map + all_rows(self) * sizeof(uint64_t) + row * NAME_SIZE;
}

static size_t numbers_at(const relay_meters *self)
{
    return (all_rows(self) * (sizeof(uint64_t) + NAME_SIZE) + 63) / 64 * 64;
}

static relay_meter *meter_at(const relay_meters *self, uint32_t seat, size_t row)
{
    size_t at = ((size_t)seat * all_rows(self) + row) * METER_WORDS * sizeof(relay_meter);
    return (relay_meter *)(void *)(self->map + numbers_at(self) + at);
}

static size_t other_of(const relay_meters *self, relay_meter_kind kind)
{
    return (size_t)kind * (self->rows + 1) + self->rows;
}

tusk_err relay_meters_open(relay_meters *self, uint32_t rows, uint32_t seats)
{
    self->rows = rows;
    self->seats = seats;
    self->size =
        numbers_at(self) + (seats + (size_t)1) * all_rows(self) * METER_WORDS * sizeof(relay_meter);
    void *map = mmap(NULL, self->size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    self->map = map == MAP_FAILED ? NULL : map;
    return self->map == NULL ? TUSK_ENOMEM : TUSK_OK;
}

void relay_meters_close(relay_meters *self)
{
    if (self->map != NULL && !self->borrowed) {
        (void)munmap(self->map, self->size);
    }
    self->map = NULL;
}

void relay_meters_borrow(relay_meters *self, const relay_meters *from, uint32_t seat)
{
    self->map = from->map;
    self->size = from->size;
    self->rows = from->rows;
    self->seats = from->seats;
    self->seat = seat;
    self->borrowed = true;
}

/* ---- held ---- */
static uint64_t word_of(const relay_meter *meter, unsigned word)
{
    return atomic_load_explicit(&meter[word], memory_order_relaxed);
}

static bool is_held(const relay_meters *self, size_t row)
{
    for (uint32_t seat = 0; seat <= self->seats; seat++) {
        if (atomic_load(&meter_at(self, seat, row)[METER_HELD]) > 0) {
            return true;
        }
    }
    return false;
}

static bool is_stale(const relay_meters *self, size_t row, uint64_t now_ms)
{
    uint64_t left_ms = 0;
    for (uint32_t seat = 0; seat <= self->seats; seat++) {
        const relay_meter *meter = meter_at(self, seat, row);
        uint64_t own_ms = word_of(meter, METER_LEFT_MS);
        if (word_of(meter, METER_HELD) > 0) {
            return false;
        }
        left_ms = own_ms > left_ms ? own_ms : left_ms;
    }
    return now_ms > left_ms && now_ms - left_ms > METER_STALE_MS;
}

/* Held first and looked at afterwards, as who takes it over looks whether it is held: one of the
 * two sees the other. */
static relay_meter *hold(const relay_meters *self, size_t row, uint64_t key)
{
    relay_meter *meter = meter_at(self, self->seat, row);
    uint64_t held = word_of(meter, METER_HELD);
    atomic_store(&meter[METER_HELD], held + 1);
    if (atomic_load(key_at(self, row)) == key) {
        return meter;
    }
    atomic_store(&meter[METER_HELD], held); /* who takes it over may have cleared it meanwhile */
    return NULL;
}

void relay_meter_release(relay_meter *meter, uint64_t now_ms)
{
    uint64_t held = word_of(meter, METER_HELD);
    if (held == 1) {
        atomic_store_explicit(&meter[METER_LEFT_MS], now_ms, memory_order_relaxed);
    }
    atomic_store(&meter[METER_HELD], held - 1);
}

/* A row that is free, or whose name nobody has held for long, is this one's from now on. */
static relay_meter *claim(const relay_meters *self, size_t row, uint64_t was, uint64_t key,
                          tusk_bytes name)
{
    if (!atomic_compare_exchange_strong(key_at(self, row), &was, self->seat + UINT64_C(1))) {
        return NULL;
    }
    if (is_held(self, row)) {
        atomic_store(key_at(self, row), was);
        return NULL;
    }
    for (uint32_t seat = 0; seat <= self->seats; seat++) {
        for (unsigned word = 0; word < METER_WORDS; word++) {
            atomic_store_explicit(&meter_at(self, seat, row)[word], 0, memory_order_relaxed);
        }
    }
    memset(name_at(self, row), 0, NAME_SIZE);
    memcpy(name_at(self, row), name.ptr, name.len);
    relay_meter *meter = meter_at(self, self->seat, row);
    atomic_store(&meter[METER_HELD], 1);
    atomic_store(key_at(self, row), key);
    return meter;
}

static relay_meter *take_over(relay_meters *self, size_t first, uint64_t key, tusk_bytes name,
                              uint64_t now_ms)
{
    if (now_ms < self->full_until_ms) {
        return NULL;
    }
    for (size_t row = first; row < first + self->rows; row++) {
        uint64_t was = atomic_load(key_at(self, row));
        relay_meter *meter = (was & KEY_BIT) != 0 && is_stale(self, row, now_ms)
                                 ? claim(self, row, was, key, name)
                                 : NULL;
        if (meter != NULL) {
            return meter;
        }
    }
    self->full_until_ms = now_ms + FULL_MS;
    return NULL;
}

/* `*again`: somebody else was faster at a row. */
static relay_meter *find(const relay_meters *self, size_t first, uint64_t key, tusk_bytes name,
                         bool *again)
{
    uint32_t at = (uint32_t)(key % self->rows);
    *again = false;
    for (uint32_t i = 0; i < self->rows; i++) {
        uint64_t found = atomic_load_explicit(key_at(self, first + at), memory_order_acquire);
        if (found == key || found == 0) {
            relay_meter *meter =
                found == 0 ? claim(self, first + at, 0, key, name) : hold(self, first + at, key);
            *again = meter == NULL;
            return meter;
        }
        at = at + 1 == self->rows ? 0 : at + 1;
    }
    return NULL;
}

relay_meter *relay_meters_hold(relay_meters *self, relay_meter_kind kind, uint64_t hash,
                               tusk_bytes name, uint64_t now_ms, uint64_t *other)
{
    if (self->map == NULL) {
        return self->lost;
    }
    size_t first = (size_t)kind * (self->rows + 1);
    uint64_t key = hash | KEY_BIT;
    bool again = self->rows > 0 && name.len <= METER_NAME_MAX;
    relay_meter *meter = NULL;
    for (int i = 0; i < TAKES && again && meter == NULL; i++) {
        meter = find(self, first, key, name, &again);
    }
    if (meter == NULL && self->rows > 0 && name.len <= METER_NAME_MAX) {
        meter = take_over(self, first, key, name, now_ms);
    }
    if (meter == NULL) {
        (*other)++;
        meter = meter_at(self, self->seat, other_of(self, kind));
        relay_meter_add(meter, METER_HELD, 1);
    }
    return meter;
}

/* ---- counted ---- */
void relay_meter_observe(relay_meter *meter, unsigned hist, uint64_t us)
{
    unsigned bucket = 0;
    while (bucket < METER_BOUNDS && us > relay_meter_bounds[bucket]) {
        bucket++;
    }
    relay_meter_add(meter, hist + bucket, 1);
    relay_meter_add(meter, hist + METER_HIST_SUM, us);
}

/* ---- of all workers ---- */
/* What says how it is now goes with the process; that it was held, last of all. */
static void bury(const relay_meters *self, uint32_t seat, size_t row, uint64_t now_ms)
{
    relay_meter *dead = meter_at(self, seat, row);
    relay_meter *gone = meter_at(self, self->seats, row);
    if (word_of(dead, METER_HELD) > 0) {
        atomic_store_explicit(&gone[METER_LEFT_MS], now_ms, memory_order_relaxed);
    }
    atomic_store_explicit(&dead[METER_ACTIVE], 0, memory_order_relaxed);
    for (unsigned word = METER_SESSIONS; word < METER_END; word++) {
        relay_meter_add(gone, word, word_of(dead, word));
        atomic_store_explicit(&dead[word], 0, memory_order_relaxed);
    }
    atomic_store(&dead[METER_HELD], 0);
}

void relay_meters_gone(const relay_meters *self, uint32_t seat, uint64_t now_ms)
{
    if (self->map == NULL) {
        return;
    }
    for (size_t row = 0; row < all_rows(self); row++) {
        uint64_t half = seat + UINT64_C(1);
        uint64_t key = atomic_load(key_at(self, row));
        bool other = row == other_of(self, METER_TARGET) || row == other_of(self, METER_ROUTE);
        if (key == half) { /* it may have held it already: nobody else could take it ever again */
            atomic_store(&meter_at(self, seat, row)[METER_HELD], 0);
            (void)atomic_compare_exchange_strong(key_at(self, row), &half, 0);
        } else if (key != 0 || other) {
            bury(self, seat, row, now_ms);
        }
    }
}

/* ---- read ---- */
/* False: it is nobody's, or became somebody else's meanwhile. */
static bool read_row(const relay_meters *self, size_t row, uint64_t key, relay_meter_sum *out)
{
    memset(out, 0, sizeof(*out));
    for (uint32_t seat = 0; seat <= self->seats; seat++) {
        const relay_meter *meter = meter_at(self, seat, row);
        for (unsigned word = 0; word < METER_END; word++) {
            out->words[word] += word_of(meter, word);
        }
    }
    memcpy(out->name, name_at(self, row), NAME_SIZE);
    out->name[METER_NAME_MAX] = '\0';
    out->name_len = (uint16_t)strlen(out->name);
    out->key = key;
    atomic_thread_fence(memory_order_acquire);
    return atomic_load(key_at(self, row)) == key;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const relay_meter_sum *)a)->name, ((const relay_meter_sum *)b)->name);
}

/* Two processes that met a name at the same time may have given it a row each. */
static size_t merge(relay_meter_sum *rows, size_t count)
{
    size_t kept = 0;
    qsort(rows, count, sizeof(rows[0]), by_name);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_name(&rows[kept - 1], &rows[i]) == 0) {
            for (unsigned word = 0; word < METER_END; word++) {
                rows[kept - 1].words[word] += rows[i].words[word];
            }
        } else if (kept++ != i) {
            rows[kept - 1] = rows[i];
        }
    }
    return kept;
}

size_t relay_meters_read(const relay_meters *self, relay_meter_kind kind, uint64_t now_ms,
                         relay_meter_sum *out)
{
    size_t first = (size_t)kind * (self->rows + 1);
    size_t count = 0;
    if (self->map == NULL) {
        return 0;
    }
    for (size_t row = first; row < first + self->rows; row++) {
        uint64_t key = atomic_load_explicit(key_at(self, row), memory_order_acquire);
        count += (key & KEY_BIT) != 0 && !is_stale(self, row, now_ms) &&
                 read_row(self, row, key, &out[count]);
    }
    relay_meter_sum *other = &out[count];
    if (read_row(self, first + self->rows, 0, other) &&
        other->words[METER_HELD] + other->words[METER_DIALS] + other->words[METER_SESSIONS] > 0) {
        memcpy(other->name, "other", sizeof("other"));
        other->name_len = sizeof("other") - 1;
        count++;
    }
    return merge(out, count);
}
