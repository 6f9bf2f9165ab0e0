/* SPDX-License-Identifier: MIT */
/* SMTP: commands and replies answer with the byte that decides; a message ends where a slow reading
 * of RFC 5321, 4.1.1.4 ends it, however it is cut, and what is passed on holds no bare CR or LF.
 * The first byte chooses what the rest is. */
#include "fuzz.h"

#include "proto/smtp.h"

enum { CUTS_MAX = 300 };

static void check_command(tusk_bytes in)
{
    tusk__smtp_command whole;
    tusk__smtp_command part;
    char domain[SMTP_DOMAIN_MAX];
    ptrdiff_t expected = tusk__smtp_command_parse(&whole, in);
    FUZZ_CHECK(expected <= (ptrdiff_t)in.len && expected <= SMTP_AUTH_LINE_MAX);
    if (expected > 0) {
        FUZZ_CHECK(expected >= 2 && memcmp(in.ptr + expected - 2, "\r\n", 2) == 0);
        FUZZ_CHECK(memchr(in.ptr, '\n', (size_t)expected - 1) == NULL);
        FUZZ_CHECK(fuzz_within(whole.argument, in));
        size_t len = tusk__smtp_domain(domain, whole.argument);
        FUZZ_CHECK(len == 0 || len == whole.argument.len ||
                   (len + 1 == whole.argument.len && whole.argument.ptr[len] == '.'));
    }
    ptrdiff_t result = 0;
    for (size_t len = 0; len <= in.len && len < CUTS_MAX && result == 0; len++) {
        tusk_bytes cut = fuzz_copy(in.ptr, len);
        result = tusk__smtp_command_parse(&part, cut);
        FUZZ_CHECK(result == 0 || (result == expected && part.verb == whole.verb));
        fuzz_drop(cut);
    }
}

static void check_replies(tusk_bytes in)
{
    tusk__smtp_reply reply = {.code = 0};
    tusk__smtp_line line;
    ptrdiff_t used = 1;
    while (in.len > 0 && used > 0) {
        uint16_t before = reply.code;
        used = tusk__smtp_reply_parse(&reply, &line, in);
        if (used > 0) {
            FUZZ_CHECK(line.code >= 200 && line.code < 560 && used <= SMTP_REPLY_LINE_MAX);
            FUZZ_CHECK(before == 0 || before == line.code);
            FUZZ_CHECK(reply.code == (line.last ? 0 : line.code));
            FUZZ_CHECK(fuzz_within(line.text, in) && reply.bytes <= SMTP_REPLY_MAX);
            (void)tusk__smtp_extension(line.text);
            in.ptr += used;
            in.len -= (size_t)used;
        }
    }
}

/* Where the first CR LF . CR LF ends, the beginning counting as behind a CR LF; 0: nowhere. */
static size_t slow_end(tusk_bytes in)
{
    for (size_t i = 0; i + 3 <= in.len; i++) {
        if (memcmp(in.ptr + i, ".\r\n", 3) == 0 &&
            (i == 0 || (i >= 2 && memcmp(in.ptr + i - 2, "\r\n", 2) == 0))) {
            return i + 3;
        }
    }
    return 0;
}

/* The first bare CR or LF before `end`; a CR at the end may still get its LF. */
static bool has_bare(tusk_bytes in, size_t end)
{
    for (size_t i = 0; i < end; i++) {
        if (in.ptr[i] == '\n' ? i == 0 || in.ptr[i - 1] != '\r' : i > 0 && in.ptr[i - 1] == '\r') {
            return true;
        }
    }
    return false;
}

static void check_message(tusk_bytes in)
{
    size_t end = slow_end(in);
    bool bare = has_bare(in, end == 0 ? in.len : end);
    for (int lenient = 0; lenient <= 1; lenient++) {
        for (size_t step = in.len; step > 0; step = step > 3 ? 3 : step - 1) {
            tusk__smtp_data data = {.lenient = lenient == 1};
            size_t at = 0;
            ptrdiff_t used = 0;
            while (at < in.len && !data.done && used >= 0) {
                size_t len = in.len - at < step ? in.len - at : step;
                tusk_bytes piece = fuzz_copy(in.ptr + at, len);
                used = tusk__smtp_data_scan(&data, piece);
                FUZZ_CHECK(used <= (ptrdiff_t)len);
                FUZZ_CHECK(used < 0 || data.done || used == (ptrdiff_t)len);
                at += used > 0 ? (size_t)used : 0;
                fuzz_drop(piece);
            }
            FUZZ_CHECK((used < 0) == (lenient == 0 && bare));
            FUZZ_CHECK(used < 0 || (data.done == (end > 0) && at == (end > 0 ? end : in.len)));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    tusk_bytes in = fuzz_copy(data + 1, size - 1);
    switch (data[0] % 3) {
    case 0: check_command(in); break;
    case 1: check_replies(in); break;
    default: check_message(in); break;
    }
    fuzz_drop(in);
    return 0;
}
