/* SPDX-License-Identifier: MIT */
/* Host names: checked and put in lower case in one walk. */
#include "proto/dns_name.h"

#include "proto/ascii.h"

/* The byte in lower case; 0: none that a label has. */
static uint8_t lower(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') {
        return c | 0x20;
    }
    bool fine = (c >= 'a' && c <= 'z') || tusk__is(c, TUSK__DIGIT) || c == '-' || c == '_';
    return fine ? c : 0;
}

bool tusk__dns_name_lower(char out[DNS_NAME_MAX], tusk_bytes name)
{
    size_t label = 0;
    bool is_number = true; /* this label, so far */
    if (name.len > DNS_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.ptr[i];
        if (c == '.') {
            if (label == 0) {
                return false;
            }
            label = 0;
            is_number = true;
            out[i] = '.';
            continue;
        }
        uint8_t low = lower(c);
        if (low == 0 || ++label > DNS_LABEL_MAX) {
            return false;
        }
        is_number = is_number && tusk__is(low, TUSK__DIGIT);
        out[i] = (char)low;
    }
    return label > 0 && !is_number;
}
