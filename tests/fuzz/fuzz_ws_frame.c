/* SPDX-License-Identifier: MIT */
/* Frame heads: what is parsed encodes to the same bytes; no prefix is judged differently. */
#include "fuzz.h"

#include <tusk/ws.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tusk_ws_head head;
    ptrdiff_t whole = tusk_ws_head_parse(&head, tusk_bytes_of(data, size));
    FUZZ_CHECK(whole == TUSK_EPROTO || (whole >= 0 && whole <= TUSK_WS_HEAD_MAX));
    FUZZ_CHECK(whole != 0 || size < TUSK_WS_HEAD_MAX);
    if (whole > 0) {
        uint8_t out[TUSK_WS_HEAD_MAX];
        size_t n = tusk_ws_head_encode(out, head.flags, head.opcode, head.len,
                                       head.masked ? head.key : NULL);
        FUZZ_CHECK(n == (size_t)whole && head.size == n && memcmp(out, data, n) == 0);
        FUZZ_CHECK(n == tusk_ws_head_size(head.len, head.masked));
    }
    for (size_t cut = 0; cut < size && cut < TUSK_WS_HEAD_MAX; cut++) {
        ptrdiff_t part = tusk_ws_head_parse(&head, tusk_bytes_of(data, cut));
        FUZZ_CHECK(part == 0 || part == whole);
    }
    uint16_t code;
    tusk_bytes reason;
    if (tusk_ws_close_parse(tusk_bytes_of(data, size), &code, &reason) == TUSK_OK) {
        FUZZ_CHECK(size == 0 ? code == 0 : tusk_ws_code_valid(code) && reason.len == size - 2);
    }
    return 0;
}
