/* SPDX-License-Identifier: MIT */
/* One head, parsed whole and as it may arrive: byte by byte, and cut in two at every place, each
 * piece at a page's end. */
#ifndef HTTP1_CUT_H
#define HTTP1_CUT_H

#include "test.h"

#include <tusk/http.h>

typedef ptrdiff_t (*http1_parse)(tusk_http_head *head, tusk_bytes in,
                                 const tusk_http_limits *limits, size_t *scanned);

static void same_heads(const tusk_http_head *a, const tusk_http_head *b, size_t at,
                       const char *what)
{
    bool same = a->method == b->method && a->status == b->status && a->minor == b->minor &&
                a->chunked == b->chunked && a->keep_alive == b->keep_alive &&
                a->upgrade == b->upgrade && a->expect_continue == b->expect_continue &&
                a->until_close == b->until_close && a->no_body == b->no_body &&
                a->content_length == b->content_length && a->field_count == b->field_count &&
                tusk_bytes_eq(a->method_name, b->method_name) &&
                tusk_bytes_eq(a->target, b->target) && tusk_bytes_eq(a->path, b->path) &&
                tusk_bytes_eq(a->query, b->query) && tusk_bytes_eq(a->authority, b->authority);
    for (uint32_t i = 0; same && i < a->field_count; i++) {
        same = tusk_bytes_eq(a->fields[i].name, b->fields[i].name) &&
               tusk_bytes_eq(a->fields[i].value, b->fields[i].value);
    }
    if (!same) {
        fail_msg("%s: another head when cut at %zu", what, at);
    }
}

/* Parses all cuts and asserts that they agree. Returns the whole parse's result; `*at` is how many
 * bytes were needed to know it. `head` points into `in`. */
static ptrdiff_t http1_parse_cut(http1_parse parse, tusk_http_head *head, tusk_bytes in,
                                 const tusk_http_limits *limits, size_t *at)
{
    static tusk_http_head other;
    size_t scanned = 0;
    tusk_bytes whole = test_guarded_bytes(in.ptr, in.len);
    ptrdiff_t expected = parse(head, whole, limits, &scanned);
    if (expected != 0) {
        assert_int_equal(scanned, 0);
    }
    *at = in.len;
    ptrdiff_t result = 0;
    scanned = 0;
    for (size_t len = 0; len <= in.len && result == 0; len++) {
        tusk_bytes part = test_guarded_bytes(in.ptr, len);
        result = parse(&other, part, limits, &scanned);
        if (result > 0) {
            same_heads(head, &other, len, "byte by byte");
        }
        if (result != 0) {
            *at = len;
            assert_int_equal(scanned, 0);
        }
        test_guarded_free((uint8_t *)(uintptr_t)part.ptr, len);
    }
    if (result != expected) {
        fail_msg("byte by byte: %td, whole: %td for\n%.*s", result, expected, (int)in.len,
                 (const char *)in.ptr);
    }
    for (size_t cut = 0; cut <= in.len; cut++) {
        tusk_bytes part = test_guarded_bytes(in.ptr, cut);
        scanned = 0;
        result = parse(&other, part, limits, &scanned);
        if (result == 0) {
            result = parse(&other, whole, limits, &scanned);
            if (result > 0) {
                same_heads(head, &other, cut, "in two");
            }
        }
        if (result != expected) {
            fail_msg("cut at %zu: %td, whole: %td for\n%.*s", cut, result, expected, (int)in.len,
                     (const char *)in.ptr);
        }
        test_guarded_free((uint8_t *)(uintptr_t)part.ptr, cut);
    }
    /* The head stays readable: its bytes are those of `in`. */
    scanned = 0;
    (void)parse(head, in, limits, &scanned);
    test_guarded_free((uint8_t *)(uintptr_t)whole.ptr, whole.len);
    return expected;
}

#endif
