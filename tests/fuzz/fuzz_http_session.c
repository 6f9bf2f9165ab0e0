/* SPDX-License-Identifier: MIT */
/* HTTP sessions: requests in any pieces, answers early and late, pipelining, streaming answers. */
#define _GNU_SOURCE
#include "session_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1) {
        world_run(data[0], "", data + 1, size - 1);
    }
    return 0;
}
