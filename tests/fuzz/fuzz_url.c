/* SPDX-License-Identifier: MIT */
/* Targets and what hangs on them: escapes, paths that stay below the root, pairs, URLs, ranges,
 * dates, media types. */
#include "fuzz.h"

#include <tusk/http.h>

static void check_path(tusk_bytes in)
{
    tusk_bytes room =
        fuzz_copy(in.ptr, in.len); /* exactly as much as the header promises to need */
    char *out = (char *)(uintptr_t)room.ptr;
    ptrdiff_t len = tusk_url_path(out, in);
    FUZZ_CHECK(len <= (ptrdiff_t)in.len);
    if (len >= 0) {
        FUZZ_CHECK(len > 0 && out[0] == '/' && memchr(out, '\0', (size_t)len) == NULL);
        for (ptrdiff_t i = 0; i < len; i++) { /* no segment is "." or ".." */
            ptrdiff_t end = i + 1;
            while (end < len && out[end] != '/') {
                end++;
            }
            FUZZ_CHECK(!(end - i == 2 && out[i + 1] == '.'));
            FUZZ_CHECK(!(end - i == 3 && out[i + 1] == '.' && out[i + 2] == '.'));
            i = end - 1;
        }
    }
    len = tusk_url_decode(out, in, true);
    FUZZ_CHECK(len <= (ptrdiff_t)in.len && (len <= 0 || memchr(out, '\0', (size_t)len) == NULL));
    fuzz_drop(room);
}

static void check_pairs(tusk_bytes in)
{
    tusk_bytes rest = in;
    tusk_bytes name;
    tusk_bytes value;
    size_t sum = 0;
    while (tusk_url_next_pair(&rest, &name, &value)) {
        FUZZ_CHECK(fuzz_within(name, in) && fuzz_within(value, in));
        FUZZ_CHECK(name.len == 0 || memchr(name.ptr, '=', name.len) == NULL);
        sum += name.len + value.len;
    }
    FUZZ_CHECK(rest.len == 0 && sum <= in.len);
}

static void check_url(tusk_bytes in)
{
    tusk_url url;
    tusk_url again;
    char text[4096];
    if (tusk_url_parse(&url, in) != TUSK_OK || in.len > 2048) {
        return;
    }
    FUZZ_CHECK(url.host.len > 0 && url.path.len > 0 && url.path.ptr[0] == '/');
    bool v6 = memchr(url.host.ptr, ':', url.host.len) != NULL;
    int len = snprintf(text, sizeof(text), "%.*s://%s%.*s%s:%u%.*s%s%.*s", (int)url.scheme.len,
                       (const char *)url.scheme.ptr, v6 ? "[" : "", (int)url.host.len,
                       (const char *)url.host.ptr, v6 ? "]" : "", url.port, (int)url.path.len,
                       (const char *)url.path.ptr, url.query.ptr != NULL ? "?" : "",
                       (int)url.query.len, (const char *)url.query.ptr);
    FUZZ_CHECK(tusk_url_parse(&again, tusk_bytes_of(text, (size_t)len)) == TUSK_OK);
    FUZZ_CHECK(tusk_bytes_eq(url.host, again.host) && tusk_bytes_eq(url.path, again.path) &&
               url.port == again.port);
    FUZZ_CHECK(tusk_bytes_eq(url.query, again.query));
}

static void check_values(tusk_bytes in)
{
    uint64_t first;
    uint64_t last;
    int64_t at;
    for (uint64_t size = 0; size <= 1000; size += 500) {
        int result = tusk_http_range(in, size, &first, &last);
        FUZZ_CHECK(result != 1 || (first <= last && last < size));
    }
    if (tusk_http_date_parse(in, 0, &at)) {
        char out[29];
        int64_t back;
        tusk_http_date(out, at);
        FUZZ_CHECK(tusk_http_date_parse(tusk_bytes_of(out, 29), 0, &back) && back == at);
    }
    FUZZ_CHECK(strchr(tusk_http_media_type(in), '/') != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tusk_bytes in = fuzz_copy(data, size);
    check_path(in);
    check_pairs(in);
    check_url(in);
    check_values(in);
    fuzz_drop(in);
    return 0;
}
