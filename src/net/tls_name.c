/* SPDX-License-Identifier: MIT */
/* The name that a TLS client asks for, and the names that certificates are given for. */
#define _GNU_SOURCE
#include "net/tls_inner.h"

#include <string.h>

bool tusk__tls_name_matches(const char *pattern, const char *name)
{
    tusk_bytes wanted = tusk_bytes_str(pattern);
    tusk_bytes given = tusk_bytes_str(name);
    if (given.len > 0 && given.ptr[given.len - 1] == '.') {
        given.len--;
    }
    if (tusk_bytes_eq_nocase(wanted, given)) {
        return true;
    }
    if (wanted.len < 3 || wanted.ptr[0] != '*' || wanted.ptr[1] != '.') {
        return false;
    }
    const uint8_t *dot =
        given.len == 0 ? NULL : memchr(given.ptr, '.', given.len); /* "*" stands for one label */
    if (dot == NULL || dot == given.ptr) {
        return false;
    }
    return tusk_bytes_eq_nocase(tusk_bytes_of(wanted.ptr + 1, wanted.len - 1),
                                tusk_bytes_of(dot, (size_t)(given.ptr + given.len - dot)));
}
