/* SPDX-License-Identifier: MIT */
/* Event streams, open from the first step: topics, replays, slow readers, heartbeats. */
#define _GNU_SOURCE
#include "session_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1) {
        world_run(data[0], world_heads[(data[0] & 16) != 0 ? 4 : 3], data + 1, size - 1);
    }
    return 0;
}
