/* SPDX-License-Identifier: MIT */
/* URLs and their parts: percent-encoding, paths without dot segments, query pairs, whole URLs for
 * clients. */
#include "proto/url.h"

#include "proto/ascii.h"
#include "proto/authority.h"

#include <tusk/http.h>

ptrdiff_t tusk_url_decode(char *out, tusk_bytes in, bool plus_is_space)
{
    ptrdiff_t len = 0;
    for (size_t i = 0; i < in.len; i++) {
        uint8_t c = in.ptr[i];
        if (c == '%') {
            if (in.len - i < 3 || !tusk__is(in.ptr[i + 1], TUSK__HEX) ||
                !tusk__is(in.ptr[i + 2], TUSK__HEX)) {
                return TUSK_EPROTO;
            }
            c = (uint8_t)(tusk__hex(in.ptr[i + 1]) << 4 | tusk__hex(in.ptr[i + 2]));
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        if (c == '\0') {
            return TUSK_EPROTO;
        }
        out[len++] = (char)c;
    }
    return len;
}

/* What is written never overtakes what is read. */
size_t tusk__url_remove_dots(char *path, size_t len, bool *leaves)
{
    size_t kept = 0;
    size_t i = 0;
    *leaves = false;
    while (i < len) {
        size_t next = i + 1;
        while (next < len && path[next] != '/') {
            next++;
        }
        size_t segment = next - i - 1;
        bool one = segment == 1 && path[i + 1] == '.';
        bool two = segment == 2 && path[i + 1] == '.' && path[i + 2] == '.';
        *leaves = *leaves || (two && kept == 0);
        if (two && kept > 0) {
            do {
                kept--;
            } while (path[kept] != '/');
        }
        if (one || two) {
            if (next == len) {
                path[kept++] = '/'; /* "/a/." is the folder */
            }
        } else {
            memmove(path + kept, path + i, next - i);
            kept += next - i;
        }
        i = next;
    }
    return kept;
}

ptrdiff_t tusk_url_path(char *out, tusk_bytes path)
{
    if (path.len == 0 || path.ptr[0] != '/') {
        return TUSK_EPROTO;
    }
    ptrdiff_t len = tusk_url_decode(out, path, false);
    if (len < 0) {
        return len;
    }
    bool leaves; /* over decoded bytes, so that "%2e%2e" is what it means */
    size_t kept = tusk__url_remove_dots(out, (size_t)len, &leaves);
    return leaves ? TUSK_EACCES : (ptrdiff_t)kept;
}

bool tusk_url_next_pair(tusk_bytes *rest, tusk_bytes *name, tusk_bytes *value)
{
    while (rest->len > 0) {
        const uint8_t *first = rest->ptr;
        const uint8_t *stop = memchr(first, '&', rest->len);
        size_t len = stop == NULL ? rest->len : (size_t)(stop - first);
        size_t used = stop == NULL ? len : len + 1;
        rest->ptr += used;
        rest->len -= used;
        if (len == 0) {
            continue;
        }
        const uint8_t *equals = memchr(first, '=', len);
        *name = tusk_bytes_of(first, equals == NULL ? len : (size_t)(equals - first));
        *value = equals == NULL ? tusk_bytes_of(first + len, 0)
                                : tusk_bytes_of(equals + 1, len - name->len - 1);
        return true;
    }
    return false;
}

static size_t scheme_len(tusk_bytes text)
{
    size_t len = 0;
    while (len < text.len && text.ptr[len] != ':') {
        uint8_t c = text.ptr[len];
        bool letter = (uint8_t)((c | 0x20) - 'a') < 26;
        if (!letter &&
            (len == 0 || (!tusk__is(c, TUSK__DIGIT) && c != '+' && c != '-' && c != '.'))) {
            return 0;
        }
        len++;
    }
    return text.len - len > 3 && memcmp(text.ptr + len, "://", 3) == 0 ? len : 0;
}

tusk_err tusk_url_parse(tusk_url *out, tusk_bytes text)
{
    tusk__authority authority;
    *out = (tusk_url){.port = 0};
    size_t scheme = scheme_len(text);
    if (scheme == 0) {
        return TUSK_EINVAL;
    }
    const uint8_t *end = text.ptr + text.len;
    const uint8_t *host = text.ptr + scheme + 3;
    const uint8_t *path = host;
    while (path < end && *path != '/' && *path != '?' && *path != '#') {
        path++;
    }
    const uint8_t *stop = tusk__skip_target(path, end);
    if ((stop < end && *stop != '#') ||
        !tusk__authority_parse(&authority, tusk_bytes_of(host, (size_t)(path - host)))) {
        return TUSK_EINVAL;
    }
    const uint8_t *mark = path == stop ? NULL : memchr(path, '?', (size_t)(stop - path));
    out->scheme = tusk_bytes_of(text.ptr, scheme);
    out->host = authority.host;
    out->port = authority.port;
    out->path = tusk_bytes_of(path, (size_t)((mark == NULL ? stop : mark) - path));
    if (mark != NULL) {
        out->query = tusk_bytes_of(mark + 1, (size_t)(stop - mark) - 1);
    }
    if (out->path.len == 0) {
        out->path = tusk_bytes_of("/", 1);
    }
    return TUSK_OK;
}
