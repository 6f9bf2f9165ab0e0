/* SPDX-License-Identifier: MIT */
/* The PROXY header: the answer comes with the byte that decides it, and more bytes do not change
 * it. */
#include "fuzz.h"

#include <tusk/http.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tusk_proxy_head whole;
    tusk_proxy_head part;
    tusk_bytes in = fuzz_copy(data, size);
    ptrdiff_t expected = tusk_proxy_head_parse(&whole, in);
    FUZZ_CHECK(expected <= (ptrdiff_t)size && expected <= TUSK_PROXY_HEAD_MAX);
    FUZZ_CHECK(expected != 0 || size < TUSK_PROXY_HEAD_MAX);
    FUZZ_CHECK(expected <= 0 || whole.local || whole.family == 4 || whole.family == 6);
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
