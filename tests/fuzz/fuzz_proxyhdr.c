/* SPDX-License-Identifier: MIT */
/* The PROXY header: the answer comes with the byte that decides it, and more bytes do not change
 * it; what was read is written as both versions and read as the same. */
#include "fuzz.h"

#include <tusk/http.h>

static void check_written(const tusk_proxy_head *head, tusk_bytes in)
{
    tusk_proxy_extra extra = {.client_certificate = false};
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), TUSK_PROXY_HEAD_MAX);
    bool has_name = tusk_proxy_head_find(in, TUSK_PROXY_AUTHORITY, &extra.authority);
    FUZZ_CHECK(!has_name || fuzz_within(extra.authority, in));
    for (int version = 1; version <= 2; version++) {
        tusk_proxy_head again;
        tusk_bytes name;
        tusk_buf_clear(&out);
        tusk_err err = tusk_proxy_head_write(&out, head, version, has_name ? &extra : NULL);
        FUZZ_CHECK(err == (has_name && extra.authority.len > 255 ? TUSK_EINVAL : TUSK_OK));
        if (err == TUSK_OK) {
            tusk_bytes wire = tusk_buf_view(&out);
            FUZZ_CHECK(tusk_proxy_head_parse(&again, wire) == (ptrdiff_t)wire.len);
            FUZZ_CHECK(memcmp(&again, head, sizeof(again)) == 0);
            FUZZ_CHECK(version == 1 || !has_name || extra.authority.len == 0 ||
                       (tusk_proxy_head_find(wire, TUSK_PROXY_AUTHORITY, &name) &&
                        tusk_bytes_eq(name, extra.authority)));
        }
    }
    tusk_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tusk_proxy_head whole;
    tusk_proxy_head part;
    tusk_bytes in = fuzz_copy(data, size);
    ptrdiff_t expected = tusk_proxy_head_parse(&whole, in);
    FUZZ_CHECK(expected <= (ptrdiff_t)size && expected <= TUSK_PROXY_HEAD_MAX);
    FUZZ_CHECK(expected != 0 || size < TUSK_PROXY_HEAD_MAX);
    FUZZ_CHECK(expected <= 0 || whole.local || whole.family == 4 || whole.family == 6);
    if (expected > 0) {
        check_written(&whole, in);
    }
    ptrdiff_t result = 0;
    for (size_t len = 0; len <= size && len < 400 && result == 0; len++) {
        tusk_bytes cut = fuzz_copy(data, len);
        result = tusk_proxy_head_parse(&part, cut);
        FUZZ_CHECK(result == 0 || result == expected);
        if (result > 0) {
            FUZZ_CHECK(memcmp(&part, &whole, sizeof(part)) == 0);
        }
        fuzz_drop(cut);
    }
    FUZZ_CHECK(size >= 400 || result == expected);
    fuzz_drop(in);
    return 0;
}
