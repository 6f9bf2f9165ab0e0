/* SPDX-License-Identifier: MIT */
/* UTF-8: vectors, automaton and every cut give one answer. First byte: where to cut. */

#include "fuzz.h"

#include "base/mask.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t key[4] = {0x5A, 0xC3, 0x01, 0xFF};
    if (size < 1) {
        return 0;
    }
    const uint8_t *text = data + 1;
    size_t len = size - 1;
    size_t cut = len == 0 ? 0 : data[0] % (len + 1);
    tusk_utf8 whole = {0};
    tusk_utf8 parts = {0};
    tusk_utf8 portable = {0};
    tusk_utf8 masked = {0};
    bool ok = tusk_utf8_feed(&whole, text, len);
    FUZZ_CHECK(ok == tusk__utf8_feed_portable(&portable, text, len));
    FUZZ_CHECK(
        ok == (tusk_utf8_feed(&parts, text, cut) && tusk_utf8_feed(&parts, text + cut, len - cut)));
    uint8_t *copy = malloc(len + 1);
    FUZZ_CHECK(copy != NULL);
    tusk_mask_apply(copy, text, len, key, cut);
    FUZZ_CHECK(ok == tusk__mask_apply_utf8(copy, copy, len, key, cut, &masked));
    for (size_t i = 0; i < len; i++) {
        FUZZ_CHECK(copy[i] == text[i]);
    }
    if (ok) {
        FUZZ_CHECK(whole.state == portable.state && whole.state == parts.state &&
                   whole.state == masked.state);
    }
    FUZZ_CHECK(tusk_utf8_valid(text, len) == (ok && tusk_utf8_complete(&whole)));
    free(copy);
    return 0;
}
