/* SPDX-License-Identifier: MIT */
/* Copying the text of strings, most of which are short: a call of memcpy() costs more than they. */
#ifndef TUSK_EXT_TRAVEL_TEXT_H
#define TUSK_EXT_TRAVEL_TEXT_H

#include "src/travel/travel.h"

enum { TEXT_WORD = 8, TEXT_HALF = 4, TEXT_SHORT = 64 };

/* In words, of which the last overlaps the one before: not a byte more than there is, as what lies
 * behind a string was never written. */
static zend_always_inline void tusk_copy_text(char *to, const char *from, size_t len)
{
    if (UNEXPECTED(len >= TEXT_SHORT)) {
        memcpy(to, from, len);
    } else if (len >= TEXT_WORD) {
        for (size_t i = 0; i < len - TEXT_WORD; i += TEXT_WORD) {
            memcpy(to + i, from + i, TEXT_WORD);
        }
        memcpy(to + len - TEXT_WORD, from + len - TEXT_WORD, TEXT_WORD);
    } else if (len >= TEXT_HALF) {
        memcpy(to, from, TEXT_HALF);
        memcpy(to + len - TEXT_HALF, from + len - TEXT_HALF, TEXT_HALF);
    } else if (len > 0) {
        to[0] = from[0];
        to[len / 2] = from[len / 2];
        to[len - 1] = from[len - 1];
    }
}

#endif
