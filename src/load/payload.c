/* SPDX-License-Identifier: MIT */
/* Payloads: the stamp's digits, patterns, texts with places in them. */
#define _GNU_SOURCE
#include "load/payload.h"

#include <string.h>

#define MARK '~'

static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

static uint8_t *put_number(uint8_t *at, uint64_t value, size_t len)
{
    for (size_t i = len; i > 0; i--) {
        at[i - 1] = (uint8_t)digits[value & 63];
        value >>= 6;
    }
    return at + len;
}

static int digit_of(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'A' && c <= 'Z') {
        return c - 'A' + 10;
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 36;
    }
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

static bool get_number(const uint8_t *at, size_t len, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < len; i++) {
        int digit = digit_of(at[i]);
        if (digit < 0) {
            return false;
        }
        *out = *out << 6 | (uint64_t)digit;
    }
    return true;
}

void tusk__load_stamp_put(uint8_t out[LOAD_STAMP_BYTES], const load_stamp *stamp)
{
    out[0] = MARK;
    uint8_t *at = put_number(out + 1, stamp->run, 4);
    at = put_number(at, stamp->publisher, 2);
    at = put_number(at, stamp->sequence, 6);
    (void)put_number(at, stamp->intended, 11);
}

static bool read_stamp(load_stamp *out, const uint8_t *at, uint32_t run)
{
    uint64_t number;
    if (!get_number(at + 1, 4, &number) || number != run ||
        !get_number(at + 7, 6, &out->sequence) || !get_number(at + 13, 11, &out->intended) ||
        !get_number(at + 5, 2, &number)) {
        return false;
    }
    out->run = run;
    out->behind = at + LOAD_STAMP_BYTES;
    out->publisher = (uint32_t)number;
    return true;
}

bool tusk__load_stamp_find(load_stamp *out, tusk_bytes in, uint32_t run)
{
    while (in.len >= LOAD_STAMP_BYTES) {
        const uint8_t *at = memchr(in.ptr, MARK, in.len - LOAD_STAMP_BYTES + 1);
        if (at == NULL) {
            return false;
        }
        if (read_stamp(out, at, run)) {
            return true;
        }
        in.len -= (size_t)(at + 1 - in.ptr);
        in.ptr = at + 1;
    }
    return false;
}

void tusk__load_pattern(uint8_t *out, size_t len, uint64_t seed)
{
    uint64_t word = 0;
    for (size_t i = 0; i < len; i++) {
        if (i % 8 == 0) {
            word = tusk__load_random(seed + i);
        }
        out[i] = (uint8_t)digits[word & 63];
        word >>= 8;
    }
}

bool tusk__load_next_line(tusk_bytes *rest, tusk_bytes *line)
{
    while (rest->len > 0) {
        const uint8_t *end = memchr(rest->ptr, '\n', rest->len);
        size_t len = end == NULL ? rest->len : (size_t)(end - rest->ptr);
        *line = tusk_bytes_of(rest->ptr, len);
        size_t taken = end == NULL ? len : len + 1;
        rest->ptr += taken;
        rest->len -= taken;
        if (line->len > 0 && line->ptr[line->len - 1] == '\r') {
            line->len--;
        }
        if (line->len > 0) {
            return true;
        }
    }
    return false;
}

tusk_err tusk__load_fill(tusk_buf *out, tusk_bytes text, const char *name, tusk_bytes value)
{
    size_t name_len = strlen(name);
    tusk_err err = TUSK_OK;
    while (err == TUSK_OK && text.len > 0) {
        const uint8_t *at = memmem(text.ptr, text.len, name, name_len);
        size_t before = at == NULL ? text.len : (size_t)(at - text.ptr);
        err = tusk_buf_append(out, text.ptr, before);
        if (err == TUSK_OK && at != NULL) {
            err = tusk_buf_append(out, value.ptr, value.len);
        }
        size_t taken = at == NULL ? before : before + name_len;
        text.ptr += taken;
        text.len -= taken;
    }
    return err;
}
