/* SPDX-License-Identifier: MIT */
/* What must hold of every head that was taken, request or response. */
#ifndef TUSK_FUZZ_HTTP1_HEAD_H
#define TUSK_FUZZ_HTTP1_HEAD_H

#include "fuzz.h"

#include <tusk/http.h>

typedef ptrdiff_t (*fuzz_parse)(tusk_http_head *head, tusk_bytes in, const tusk_http_limits *limits,
                                size_t *scanned);

static bool same_bytes_and_flags(const tusk_http_head *a, const tusk_http_head *b)
{
    bool same = a->method == b->method && a->status == b->status && a->minor == b->minor &&
                a->chunked == b->chunked && a->keep_alive == b->keep_alive &&
                a->upgrade == b->upgrade && a->expect_continue == b->expect_continue &&
                a->until_close == b->until_close && a->no_body == b->no_body &&
                a->content_length == b->content_length && a->field_count == b->field_count &&
                tusk_bytes_eq(a->target, b->target) && tusk_bytes_eq(a->path, b->path) &&
                tusk_bytes_eq(a->query, b->query) && tusk_bytes_eq(a->authority, b->authority);
    for (uint32_t i = 0; same && i < a->field_count; i++) {
        same = tusk_bytes_eq(a->fields[i].name, b->fields[i].name) &&
               tusk_bytes_eq(a->fields[i].value, b->fields[i].value);
    }
    return same;
}

static void check_fields(const tusk_http_head *head, tusk_bytes in)
{
    FUZZ_CHECK(head->field_count <= TUSK_HTTP_FIELDS_CAP);
    FUZZ_CHECK(head->content_length >= -1);
    FUZZ_CHECK(!head->chunked || head->content_length == -1);
    FUZZ_CHECK(tusk_http_count(head, "content-length") == 0 || head->content_length >= 0);
    FUZZ_CHECK(tusk_http_count(head, "transfer-encoding") == (head->chunked ? 1 : 0));
    for (uint32_t i = 0; i < head->field_count; i++) {
        tusk_bytes value = head->fields[i].value;
        FUZZ_CHECK(fuzz_within(head->fields[i].name, in) && fuzz_within(value, in));
        FUZZ_CHECK(tusk_http_name_valid(head->fields[i].name) && tusk_http_value_valid(value));
        FUZZ_CHECK(value.len == 0 || (value.ptr[0] > ' ' && value.ptr[value.len - 1] > ' '));
    }
}

/* Byte by byte the answer is the same, and comes no later than the whole one's bytes. */
static void check_cut(fuzz_parse parse, tusk_bytes in, const tusk_http_limits *limits,
                      const tusk_http_head *head, ptrdiff_t expected, size_t step)
{
    static tusk_http_head other;
    size_t scanned = 0;
    ptrdiff_t result = 0;
    for (size_t len = 0; result == 0; len = len + step < in.len ? len + step : in.len) {
        tusk_bytes part = fuzz_copy(in.ptr, len);
        result = parse(&other, part, limits, &scanned);
        FUZZ_CHECK(result <= (ptrdiff_t)len);
        if (result > 0) {
            FUZZ_CHECK(same_bytes_and_flags(head, &other));
        }
        fuzz_drop(part);
        if (len == in.len) {
            break;
        }
    }
    FUZZ_CHECK(result == expected);
    FUZZ_CHECK(result == 0 || scanned == 0);
}

/* Written anew from its parts, a head reads the same: no byte of it has a second meaning. */
static void check_rewritten(fuzz_parse parse, const tusk_http_head *head,
                            const tusk_http_limits *limits, const char *first_line,
                            tusk_bytes target)
{
    static tusk_http_head other;
    tusk_buf out;
    size_t scanned = 0;
    tusk_buf_init(&out, tusk_mem_default(), 1 << 20);
    FUZZ_CHECK(tusk_buf_append_str(&out, first_line) == TUSK_OK);
    if (target.len > 0) {
        FUZZ_CHECK(tusk_buf_append(&out, target.ptr, target.len) == TUSK_OK);
        FUZZ_CHECK(tusk_buf_append_str(&out, head->minor > 0 ? " HTTP/1.1" : " HTTP/1.0") ==
                   TUSK_OK);
    }
    FUZZ_CHECK(tusk_buf_append_str(&out, "\r\n") == TUSK_OK);
    for (uint32_t i = 0; i < head->field_count; i++) {
        FUZZ_CHECK(tusk_http_field_append(&out, head->fields[i].name, head->fields[i].value) ==
                   TUSK_OK);
    }
    FUZZ_CHECK(tusk_buf_append_str(&out, "\r\n") == TUSK_OK);
    FUZZ_CHECK(parse(&other, tusk_buf_view(&out), limits, &scanned) == (ptrdiff_t)out.len);
    FUZZ_CHECK(same_bytes_and_flags(head, &other));
    tusk_buf_fini(&out);
}

#endif
