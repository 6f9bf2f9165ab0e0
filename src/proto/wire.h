/* SPDX-License-Identifier: MIT */
/* Numbers and vectors of binary protocols, taken from the front of borrowed bytes. */
#ifndef PROTO_WIRE_H
#define PROTO_WIRE_H

#include <tusk/bytes.h>

static inline uint16_t tusk__be16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t tusk__be24(const uint8_t *at)
{
    return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

static inline uint32_t tusk__be32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | tusk__be24(at + 1);
}

static inline void tusk__put_be16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void tusk__put_be32(uint8_t *at, uint32_t value)
{
    tusk__put_be16(at, value >> 16);
    tusk__put_be16(at + 2, value);
}

static inline void tusk__put_le16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void tusk__put_le24(uint8_t *at, uint32_t value)
{
    tusk__put_le16(at, value);
    at[2] = (uint8_t)(value >> 16);
}

static inline void tusk__put_le32(uint8_t *at, uint32_t value)
{
    tusk__put_le16(at, value);
    tusk__put_le16(at + 2, value >> 16);
}

/* All of these: false, and nothing is taken, when the bytes are not there. */
static inline bool tusk__skip_bytes(tusk_bytes *rest, size_t len)
{
    if (rest->len < len) {
        return false;
    }
    rest->ptr += len;
    rest->len -= len;
    return true;
}

static inline bool tusk__take_bytes(tusk_bytes *rest, size_t len, tusk_bytes *out)
{
    *out = tusk_bytes_of(rest->ptr, len);
    return tusk__skip_bytes(rest, len);
}

/* A big-endian number of `width` bytes, four at most. */
static inline bool tusk__take_uint(tusk_bytes *rest, size_t width, uint32_t *out)
{
    if (rest->len < width) {
        return false;
    }
    *out = 0;
    for (size_t i = 0; i < width; i++) {
        *out = *out << 8 | rest->ptr[i];
    }
    return tusk__skip_bytes(rest, width);
}

/* The same, the lowest byte first. */
static inline bool tusk__take_uint_le(tusk_bytes *rest, size_t width, uint32_t *out)
{
    if (rest->len < width) {
        return false;
    }
    *out = 0;
    for (size_t i = width; i > 0; i--) {
        *out = *out << 8 | rest->ptr[i - 1];
    }
    return tusk__skip_bytes(rest, width);
}

/* What a length of `width` bytes stands before (RFC 8446, 3.4). */
static inline bool tusk__take_vector(tusk_bytes *rest, size_t width, tusk_bytes *out)
{
    tusk_bytes probe = *rest;
    uint32_t len;
    if (!tusk__take_uint(&probe, width, &len) || !tusk__take_bytes(&probe, len, out)) {
        return false;
    }
    *rest = probe;
    return true;
}

/* Text up to a NUL, which is taken too and is no part of it. */
static inline bool tusk__take_text(tusk_bytes *rest, tusk_bytes *out)
{
    const uint8_t *nul = rest->len == 0 ? NULL : (const uint8_t *)memchr(rest->ptr, 0, rest->len);
    if (nul == NULL) {
        return false;
    }
    *out = tusk_bytes_of(rest->ptr, (size_t)(nul - rest->ptr));
    return tusk__skip_bytes(rest, out->len + 1);
}

#endif
