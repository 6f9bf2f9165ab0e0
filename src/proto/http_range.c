/* SPDX-License-Identifier: MIT */
/* One byte range of a body (RFC 9110, 14.1.2). */
#include "proto/ascii.h"

#include <tusk/http.h>

/* Digits at the front; a number too large to hold is the largest one, which is past the end of any
 * body. */
static bool take_number(tusk_bytes *rest, uint64_t *number)
{
    size_t i = 0;
    *number = 0;
    for (; i < rest->len && tusk__is(rest->ptr[i], TUSK__DIGIT); i++) {
        uint64_t digit = (uint64_t)(rest->ptr[i] - '0');
        *number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *number * 10 + digit;
    }
    rest->ptr += i;
    rest->len -= i;
    return i > 0;
}

static int last_bytes(uint64_t count, uint64_t size, uint64_t *first, uint64_t *last)
{
    if (count == 0) {
        return -1;
    }
    if (size == 0) {
        return 0; /* there is no way to say "0 bytes of 0" in Content-Range */
    }
    *first = count < size ? size - count : 0;
    *last = size - 1;
    return 1;
}

/* Elements of the list with nothing in them, and their commas (RFC 9110, 5.6.1.2). */
static void skip_empty(tusk_bytes *rest)
{
    tusk_bytes next;
    while ((next = tusk_bytes_trim_start(*rest)).len > 0 && next.ptr[0] == ',') {
        *rest = tusk_bytes_trim_start(tusk_bytes_of(next.ptr + 1, next.len - 1));
    }
}

int tusk_http_range(tusk_bytes value, uint64_t size, uint64_t *first, uint64_t *last)
{
    uint64_t from;
    uint64_t to;
    *first = 0;
    *last = 0;
    if (value.len < 6 ||
        !tusk_bytes_eq_nocase(tusk_bytes_of(value.ptr, 6), tusk_bytes_of("bytes=", 6))) {
        return 0;
    }
    tusk_bytes rest = tusk_bytes_of(value.ptr + 6, value.len - 6);
    skip_empty(&rest);
    bool has_first = take_number(&rest, &from);
    if (rest.len == 0 || *rest.ptr != '-') {
        return 0;
    }
    rest.ptr++;
    rest.len--;
    bool has_last = take_number(&rest, &to);
    skip_empty(&rest);
    if (rest.len > 0 || (!has_first && !has_last) || (has_first && has_last && to < from)) {
        return 0; /* several ranges, or none that the grammar knows: the field is ignored */
    }
    if (!has_first) {
        return last_bytes(to, size, first, last);
    }
    if (from >= size) {
        return -1;
    }
    *first = from;
    *last = has_last && to < size ? to : size - 1;
    return 1;
}
