/* SPDX-License-Identifier: MIT */
/* Comparisons of borrowed bytes. */
#include <tusk/bytes.h>

static uint8_t lower(uint8_t c)
{
    return (uint8_t)(c - 'A') < 26 ? (uint8_t)(c | 0x20) : c;
}

bool tusk_bytes_eq_nocase(tusk_bytes a, tusk_bytes b)
{
    if (a.len != b.len) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i])) {
            return false;
        }
    }
    return true;
}
