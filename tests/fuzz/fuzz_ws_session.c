/* SPDX-License-Identifier: MIT */
/* WebSocket sessions, open from the first step: frames, closing, sends, topics, parking. */
#define _GNU_SOURCE
#include "session_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1) {
        world_run(data[0], world_heads[(data[0] & 16) != 0 ? 1 : 0], data + 1, size - 1);
    }
    return 0;
}
