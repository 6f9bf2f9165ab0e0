/* SPDX-License-Identifier: MIT */
/* Requests: never a byte too far, the same however cut, and one meaning only. */
#include "fuzz_http1_head.h"

static void check_request(const tusk_http_head *head, tusk_bytes in)
{
    FUZZ_CHECK(head->minor <= 1 && head->target.len > 0 &&
               head->path.len + (head->method == TUSK_HTTP_CONNECT) > 0);
    FUZZ_CHECK(fuzz_within(head->method_name, in) && tusk_http_name_valid(head->method_name));
    FUZZ_CHECK(fuzz_within(head->target, in) && fuzz_within(head->query, in) &&
               fuzz_within(head->authority, in));
    FUZZ_CHECK(head->minor == 0 || (tusk_http_count(head, "host") == 1 && head->authority.len > 0));
    FUZZ_CHECK(!head->chunked || head->minor == 1);
    FUZZ_CHECK(!head->until_close && !head->no_body && head->status == 0);
}

static void run(tusk_bytes in, const tusk_http_limits *limits)
{
    static tusk_http_head head;
    static tusk_http_limits wide;
    size_t scanned = 0;
    ptrdiff_t used = tusk_http_request_parse(&head, in, limits, &scanned);
    check_cut(tusk_http_request_parse, in, limits, &head, used, in.len > 2000 ? 97 : 1);
    if (used <= 0) {
        FUZZ_CHECK(used == 0 || tusk_http_status_of((tusk_err)used) >= 400);
        return;
    }
    char method[32];
    FUZZ_CHECK((size_t)used <= limits->head_max && head.field_count <= limits->fields_max);
    check_fields(&head, in);
    check_request(&head, in);
    wide = *limits;
    wide.head_max = 1 << 20; /* a space after each colon may be new */
    (void)snprintf(method, sizeof(method), "%.*s ", (int)head.method_name.len,
                   (const char *)head.method_name.ptr);
    check_rewritten(tusk_http_request_parse, &head, &wide, method, head.target);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tusk_http_limits tight = {
        .line_max = 40, .head_max = 120, .fields_max = 4, .chunk_line_max = 16, .trailers_max = 32};
    tusk_bytes in = fuzz_copy(data, size);
    run(in, tusk_http_limits_default());
    run(in, &tight);
    fuzz_drop(in);
    return 0;
}
