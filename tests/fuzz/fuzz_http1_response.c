/* SPDX-License-Identifier: MIT */
/* Responses: never a byte too far, the same however cut, a body's end that is known. */
#include "fuzz_http1_head.h"

static tusk_http_method answered;

static ptrdiff_t parse(tusk_http_head *head, tusk_bytes in, const tusk_http_limits *limits,
                       size_t *scanned)
{
    return tusk_http_response_parse(head, in, limits, answered, scanned);
}

static void run(tusk_bytes in, const tusk_http_limits *limits)
{
    static tusk_http_head head;
    static tusk_http_limits wide;
    size_t scanned = 0;
    ptrdiff_t used = parse(&head, in, limits, &scanned);
    check_cut(parse, in, limits, &head, used, in.len > 2000 ? 97 : 1);
    if (used <= 0) {
        return;
    }
    char line[32];
    check_fields(&head, in);
    FUZZ_CHECK(head.status >= 100 && head.status <= 999);
    /* Exactly one way to find the end. */
    FUZZ_CHECK(head.no_body + (!head.no_body && (head.chunked || head.content_length >= 0)) +
                   head.until_close ==
               1);
    FUZZ_CHECK(!head.until_close || !head.keep_alive);
    wide = *limits;
    wide.head_max = 1 << 20;
    (void)snprintf(line, sizeof(line), "HTTP/1.%u %u X", head.minor, head.status);
    check_rewritten(parse, &head, &wide, line, tusk_bytes_of(NULL, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tusk_http_method methods[] = {TUSK_HTTP_GET, TUSK_HTTP_HEAD, TUSK_HTTP_CONNECT};
    tusk_http_limits tight = {
        .line_max = 24, .head_max = 100, .fields_max = 3, .chunk_line_max = 16, .trailers_max = 32};
    tusk_bytes in = fuzz_copy(data, size);
    tusk_http_limits passing = *tusk_http_limits_default(); /* a proxy's */
    passing.spaced_names = true;
    answered = methods[size % 3];
    run(in, tusk_http_limits_default());
    run(in, &tight);
    run(in, &passing);
    fuzz_drop(in);
    return 0;
}
