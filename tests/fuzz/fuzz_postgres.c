/* SPDX-License-Identifier: MIT */
/* PostgreSQL's first packets: the answer comes with the byte that decides it; a startup packet that
 * is written again says the same; a backend's start is watched alike however it is cut. The first
 * byte chooses the side. */
#include "fuzz.h"

#include "proto/postgres.h"
#include "proto/wire.h"

enum { CUTS_MAX = 300 };

static void check_rewrite(const tusk__pg_start *start, tusk_bytes in)
{
    static const tusk_bytes none = {NULL, 0};
    const tusk_bytes other = tusk_bytes_str("other");
    tusk__pg_start again;
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 2 * PG_START_MAX);
    tusk_err err = tusk__pg_startup_write(&out, start, none, other);
    FUZZ_CHECK(err == TUSK_OK || (err == TUSK_ETOOBIG && in.len > PG_START_MAX - 100));
    if (err == TUSK_OK) {
        tusk_bytes copy = fuzz_copy(out.ptr + out.start, out.len);
        FUZZ_CHECK(tusk__pg_start_parse(&again, copy) == (ptrdiff_t)copy.len);
        FUZZ_CHECK(tusk_bytes_eq(again.user, start->user) && tusk_bytes_eq(again.database, other) &&
                   tusk_bytes_eq(again.options, start->options) && again.minor == start->minor);
        fuzz_drop(copy);
    }
    tusk_buf_fini(&out);
}

static void check_start(tusk_bytes data)
{
    tusk__pg_start whole;
    tusk__pg_start part;
    tusk_bytes in = fuzz_copy(data.ptr, data.len);
    ptrdiff_t expected = tusk__pg_start_parse(&whole, in);
    FUZZ_CHECK(expected <= (ptrdiff_t)in.len && expected <= PG_START_MAX);
    FUZZ_CHECK(expected != 0 || in.len < PG_START_MAX);
    if (expected > 0 && whole.kind == PG_STARTUP) {
        FUZZ_CHECK(whole.user.len > 0 && fuzz_within(whole.user, in) &&
                   fuzz_within(whole.pairs, in));
        check_rewrite(&whole, in);
    }
    if (expected > 0 && whole.kind == PG_CANCEL_REQUEST) {
        FUZZ_CHECK(whole.process == tusk__be32(in.ptr + 8));
        FUZZ_CHECK(whole.key.ptr == in.ptr + 12 && whole.key.len + 12 == (size_t)expected);
    }
    ptrdiff_t result = 0;
    for (size_t len = 0; len <= in.len && len < CUTS_MAX && result == 0; len++) {
        tusk_bytes cut = fuzz_copy(in.ptr, len);
        result = tusk__pg_start_parse(&part, cut);
        FUZZ_CHECK(result == 0 || result == expected);
        fuzz_drop(cut);
    }
    fuzz_drop(in);
}

static tusk_err watch_in_steps(tusk__pg_watch *watch, tusk_bytes in, size_t step, size_t *used)
{
    memset(watch, 0, sizeof(*watch));
    *used = 0;
    while (*used < in.len) {
        size_t len = in.len - *used < step ? in.len - *used : step;
        tusk_bytes piece = fuzz_copy(in.ptr + *used, len);
        ptrdiff_t result = tusk__pg_watch_bytes(watch, piece);
        FUZZ_CHECK(result <= (ptrdiff_t)len);
        FUZZ_CHECK(result == (ptrdiff_t)len || result < 0 || watch->ready || watch->failed);
        fuzz_drop(piece);
        if (result <= 0) {
            return (tusk_err)result;
        }
        *used += (size_t)result;
    }
    return TUSK_OK;
}

static void check_watch(tusk_bytes in)
{
    tusk__pg_watch whole;
    tusk__pg_watch part;
    size_t used;
    size_t used_part;
    tusk_err err = watch_in_steps(&whole, in, in.len, &used);
    FUZZ_CHECK(whole.key_len == 0 || (whole.key_len >= PG_KEY_MIN && whole.key_len <= PG_KEY_MAX));
    for (size_t step = 1; step <= 7; step += 2) {
        FUZZ_CHECK(watch_in_steps(&part, in, step, &used_part) == err);
        FUZZ_CHECK(err != TUSK_OK || used == used_part);
        FUZZ_CHECK(part.ready == whole.ready && part.failed == whole.failed);
        FUZZ_CHECK(tusk_bytes_eq(tusk__pg_watch_key(&part), tusk__pg_watch_key(&whole)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0) {
        tusk_bytes rest = tusk_bytes_of(data + 1, size - 1);
        if (data[0] % 2 == 0) {
            check_start(rest);
        } else {
            check_watch(rest);
        }
    }
    return 0;
}
