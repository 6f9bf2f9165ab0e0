/* SPDX-License-Identifier: MIT */
/* Copying the text of strings, most of which are short: a call of memcpy() costs more than they. */
#ifndef TUSK_EXT_TRAVEL_TEXT_H
#define TUSK_EXT_TRAVEL_TEXT_H

#include "src/travel/travel.h"

enum { TEXT_WORD = 8, TEXT_SHORT = 64 };

/* PHP makes strings with room up to a multiple of eight, so those under TEXT_SHORT are copied in
 * words: both sides have that room. */
static zend_always_inline void tusk_copy_text(void *to, const void *from, size_t len)
{
    if (UNEXPECTED(len >= TEXT_SHORT)) {
        memcpy(to, from, len);
        return;
    }
    for (size_t i = 0; i < len; i += TEXT_WORD) {
        memcpy((char *)to + i, (const char *)from + i, TEXT_WORD);
    }
}

#endif
