/* SPDX-License-Identifier: MIT */
/* The name that a TLS client asks for, and the names that certificates are given for. */
#define _GNU_SOURCE
#include "net/tls_inner.h"

#include <string.h>

#include "proto/dns_name.h"

/* A dot at the end says that it is whole; as SNI it is sent without (RFC 6066, 3), by most. */
static tusk_bytes undotted(const char *name)
{
    tusk_bytes given = tusk_bytes_str(name);
    given.len -= given.len > 0 && given.ptr[given.len - 1] == '.' ? 1 : 0;
    return given;
}

bool tusk__tls_name_lower(char out[TUSK_SERVER_NAME_MAX + 1], const char *name)
{
    tusk_bytes given = undotted(name);
    bool lower = tusk__dns_name_lower(out, given);
    out[lower ? given.len : 0] = '\0';
    return lower;
}

bool tusk__tls_pattern_lower(char out[TLS_PATTERN_MAX + 1], const char *pattern)
{
    size_t star = strncmp(pattern, "*.", 2) == 0 ? 2 : 0;
    memcpy(out, "*.", star);
    return tusk__tls_name_lower(out + star, pattern + star);
}

bool tusk__tls_name_matches(const char *pattern, const char *name)
{
    tusk_bytes wanted = tusk_bytes_str(pattern);
    tusk_bytes given = undotted(name);
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
