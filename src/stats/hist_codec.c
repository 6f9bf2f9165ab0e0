/* SPDX-License-Identifier: MIT */
/* Histogram codec: the version 2 payload, a 40-byte header and ZigZag LEB128 runs. */
#include <tusk/stats.h>

#include <string.h>

#include "stats/hist.h"

#define COOKIE UINT32_C(0x1c849313)
#define HEADER_LEN 40
#define VARINT_LEN_MAX 9

static void put_be(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--) {
        at[i] = (uint8_t)value;
        value >>= 8;
    }
}

static uint64_t get_be(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

static tusk_err put_varint(tusk_buf *out, uint64_t value)
{
    uint8_t bytes[VARINT_LEN_MAX];
    size_t n = 0;
    while (value > 0x7f && n < VARINT_LEN_MAX - 1) {
        bytes[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    bytes[n++] = (uint8_t)value; /* the ninth holds eight bits */
    return tusk_buf_append(out, bytes, n);
}

/* Bytes read, 0 when they end too early. */
static size_t get_varint(const uint8_t *at, size_t len, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < len && i < VARINT_LEN_MAX; i++) {
        if (i == VARINT_LEN_MAX - 1) {
            *value |= (uint64_t)at[i] << 56;
            return VARINT_LEN_MAX;
        }
        *value |= (uint64_t)(at[i] & 0x7f) << (7 * i);
        if ((at[i] & 0x80) == 0) {
            return i + 1;
        }
    }
    return 0;
}

static tusk_err put_counts(const tusk_hist *self, tusk_buf *out)
{
    size_t end = self->total == 0 ? 0 : tusk_hist_slot(self, self->max) + 1;
    tusk_err err = TUSK_OK;
    for (size_t i = 0; i < end && err == TUSK_OK;) {
        size_t zeros = 0;
        while (i + zeros < end && self->counts[i + zeros] == 0) {
            zeros++;
        }
        if (zeros != 0) {
            err = put_varint(out, (uint64_t)zeros * 2 - 1);
            i += zeros;
        } else {
            err = put_varint(out, self->counts[i] << 1);
            i++;
        }
    }
    return err;
}

tusk_err tusk_hist_encode(const tusk_hist *self, tusk_buf *out)
{
    uint8_t header[HEADER_LEN];
    const double ratio = 1.0;
    uint64_t ratio_bits;
    memcpy(&ratio_bits, &ratio, sizeof(ratio_bits));
    put_be(header, COOKIE, 4);
    put_be(header + 4, 0, 8); /* the length comes below; normalizing offset 0 */
    put_be(header + 12, (uint64_t)self->range.digits, 4);
    put_be(header + 16, self->range.lowest, 8);
    put_be(header + 24, self->range.highest, 8);
    put_be(header + 32, ratio_bits, 8);
    size_t before = out->len;
    tusk_err err = tusk_buf_append(out, header, sizeof(header));
    if (err != TUSK_OK) {
        return err;
    }
    err = put_counts(self, out);
    if (err != TUSK_OK) {
        return err;
    }
    put_be(out->ptr + out->start + before + 4, out->len - before - HEADER_LEN, 4);
    return TUSK_OK;
}

/* One word of the runs: a count for this slot, or a number of slots to leave out. */
static tusk_err apply(tusk_hist *self, uint64_t word, size_t *slot)
{
    if ((word & 1) != 0) {
        uint64_t zeros = (word >> 1) + 1;
        if (zeros > self->slots - *slot) {
            return TUSK_EPROTO;
        }
        *slot += (size_t)zeros;
        return TUSK_OK;
    }
    uint64_t n = word >> 1;
    if (*slot >= self->slots || n == 0 || n > UINT64_MAX / 2 - self->total) {
        return TUSK_EPROTO;
    }
    tusk__hist_touch(self, (*slot)++, n);
    return TUSK_OK;
}

tusk_err tusk_hist_decode(tusk_hist **out, const tusk_mem *mem, tusk_bytes in, size_t slots_max)
{
    *out = NULL;
    if (in.len < HEADER_LEN || get_be(in.ptr, 4) != COOKIE || get_be(in.ptr + 8, 4) != 0 ||
        get_be(in.ptr + 4, 4) != in.len - HEADER_LEN || get_be(in.ptr + 12, 4) > 5) {
        return TUSK_EPROTO;
    }
    tusk_hist_range range;
    range.digits = (int)get_be(in.ptr + 12, 4);
    range.lowest = get_be(in.ptr + 16, 8);
    range.highest = get_be(in.ptr + 24, 8);
    size_t size = tusk_hist_size(range);
    if (size == 0) {
        return TUSK_EPROTO;
    }
    if ((size - sizeof(tusk_hist)) / sizeof(uint64_t) > slots_max) {
        return TUSK_ELIMIT;
    }
    tusk_hist *self;
    tusk_err err = tusk_hist_new(&self, mem, range);
    if (err != TUSK_OK) {
        return err;
    }
    size_t slot = 0;
    for (size_t at = HEADER_LEN; at < in.len;) {
        uint64_t word;
        size_t n = get_varint(in.ptr + at, in.len - at, &word);
        err = n == 0 ? TUSK_EPROTO : apply(self, word, &slot);
        if (err != TUSK_OK) {
            tusk_hist_free(self);
            return err;
        }
        at += n;
    }
    *out = self;
    return TUSK_OK;
}
