/* SPDX-License-Identifier: MIT */
/* Positions as text: sixteen hexadecimal digits of the epoch, a colon, the decimal offset. */
#include <tusk/hub.h>

#include <string.h>

#include "base/decimal.h"

size_t tusk_position_text(char out[TUSK_POSITION_TEXT_MAX], tusk_position position)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < 16; i++) {
        out[i] = digits[(position.epoch >> (60 - 4 * i)) & 15];
    }
    out[16] = ':';
    uint8_t decimal[DECIMAL_MAX];
    tusk_bytes offset = tusk__decimal(decimal, position.offset);
    memcpy(out + 17, offset.ptr, offset.len);
    return 17 + offset.len;
}

static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

tusk_err tusk_position_parse(tusk_position *out, tusk_bytes text)
{
    tusk_position position = {0, 0};
    if (text.len < 18 || text.len > 17 + 19 || text.ptr[16] != ':') {
        return TUSK_EINVAL;
    }
    for (size_t i = 0; i < 16; i++) {
        int value = hex_value(text.ptr[i]);
        if (value < 0) {
            return TUSK_EINVAL;
        }
        position.epoch = position.epoch << 4 | (uint64_t)value;
    }
    for (size_t i = 17; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return TUSK_EINVAL;
        }
        position.offset = position.offset * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    *out = position;
    return TUSK_OK;
}
