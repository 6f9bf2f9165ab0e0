/* SPDX-License-Identifier: MIT */
/* IP addresses as text, four octets or eight groups. */
#include "proto/ip_text.h"

#include "proto/ascii.h"

enum { IPV6_LEN = 16, IPV6_TEXT_MAX = 45, NOWHERE = -1 };

bool tusk__ipv4_parse(uint8_t out[4], tusk_bytes text)
{
    size_t i = 0;
    for (unsigned octet = 0; octet < 4; octet++) {
        unsigned value = 0;
        size_t first = i;
        while (i < text.len && tusk__is(text.ptr[i], TUSK__DIGIT) && i - first < 3) {
            value = value * 10 + (unsigned)(text.ptr[i++] - '0');
        }
        if (i == first || value > 255 || (i - first > 1 && text.ptr[first] == '0')) {
            return false;
        }
        if (octet < 3 && (i == text.len || text.ptr[i++] != '.')) {
            return false;
        }
        out[octet] = (uint8_t)value;
    }
    return i == text.len;
}

/* One group, or the IPv4 address at the end; returns the bytes of text, 0 for a fault. */
static size_t take_group(uint8_t *out, size_t *len, tusk_bytes text)
{
    unsigned value = 0;
    size_t digits = 0;
    while (digits < text.len && tusk__is(text.ptr[digits], TUSK__HEX) && digits < 5) {
        value = value << 4 | tusk__hex(text.ptr[digits++]);
    }
    if (digits < text.len && text.ptr[digits] == '.') {
        bool fine = *len + 4 <= IPV6_LEN && tusk__ipv4_parse(out + *len, text);
        *len += 4;
        return fine ? text.len : 0;
    }
    if (digits == 0 || digits > 4 || *len + 2 > IPV6_LEN) {
        return 0;
    }
    out[(*len)++] = (uint8_t)(value >> 8);
    out[(*len)++] = (uint8_t)value;
    return digits;
}

/* Moves what came after "::" to the end. */
static bool spread(uint8_t out[16], size_t len, size_t gap)
{
    if (len > IPV6_LEN - 2) {
        return false; /* "::" stands for one group at least */
    }
    size_t tail = len - gap;
    memmove(out + IPV6_LEN - tail, out + gap, tail);
    memset(out + gap, 0, IPV6_LEN - len);
    return true;
}

bool tusk__ipv6_parse(uint8_t out[16], tusk_bytes text)
{
    ptrdiff_t gap = NOWHERE;
    size_t len = 0;
    bool apart = true; /* a group may begin here */
    size_t i = 0;
    if (text.len > IPV6_TEXT_MAX) {
        return false;
    }
    while (i < text.len) {
        if (text.ptr[i] == ':') {
            bool twice = i + 1 < text.len && text.ptr[i + 1] == ':';
            bool early = apart && (i > 0 || !twice);
            if (early || (twice && gap != NOWHERE) || (!twice && i + 1 == text.len)) {
                return false;
            }
            gap = twice ? (ptrdiff_t)len : gap;
            apart = true;
            i += twice ? 2 : 1;
            continue;
        }
        size_t used = apart ? take_group(out, &len, tusk_bytes_of(text.ptr + i, text.len - i)) : 0;
        if (used == 0) {
            return false;
        }
        apart = false;
        i += used;
    }
    return gap == NOWHERE ? len == IPV6_LEN : spread(out, len, (size_t)gap);
}
