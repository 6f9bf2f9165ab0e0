/* SPDX-License-Identifier: MIT */
/* Entity-tags in the fields of a condition. */
#include "proto/etag.h"

static bool is_between(uint8_t c)
{
    return c == ',' || c == ' ' || c == '\t';
}

/* Length of the opaque-tag at the front, with its quotes; commas and backslashes in it stand for
 * themselves (RFC 9110, 8.8.3). 0: there is none. */
static size_t opaque_len(tusk_bytes text)
{
    if (text.len < 2 || text.ptr[0] != '"') {
        return 0;
    }
    const uint8_t *end = memchr(text.ptr + 1, '"', text.len - 1);
    return end == NULL ? 0 : (size_t)(end - text.ptr) + 1;
}

/* What stands in front of the next comma, and is nothing but white space behind a tag. */
static bool skip_to_comma(tusk_bytes *rest)
{
    const uint8_t *comma = rest->len == 0 ? NULL : memchr(rest->ptr, ',', rest->len);
    size_t len = comma == NULL ? rest->len : (size_t)(comma - rest->ptr);
    bool blank = tusk_bytes_trim_start(tusk_bytes_of(rest->ptr, len)).len == 0;
    *rest = tusk_bytes_of(rest->ptr + len, rest->len - len);
    return blank;
}

bool tusk__etag_listed(tusk_bytes list, tusk_bytes opaque, bool weak_fits)
{
    if (list.len == 1 && list.ptr[0] == '*') {
        return true;
    }
    while (list.len > 0) {
        if (is_between(list.ptr[0])) {
            list = tusk_bytes_of(list.ptr + 1, list.len - 1);
            continue;
        }
        bool weak = list.len > 2 && memcmp(list.ptr, "W/", 2) == 0; /* capital: 8.8.3 */
        list = weak ? tusk_bytes_of(list.ptr + 2, list.len - 2) : list;
        tusk_bytes tag = tusk_bytes_of(list.ptr, opaque_len(list));
        list = tusk_bytes_of(list.ptr + tag.len, list.len - tag.len);
        if (skip_to_comma(&list) && tusk_bytes_eq(tag, opaque) && (weak_fits || !weak)) {
            return true;
        }
    }
    return false;
}
