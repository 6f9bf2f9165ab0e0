/* SPDX-License-Identifier: MIT */
/* A reader that takes what the kernel has for it a little at a time; the test's clock stands still
 * but for its pauses. */
#ifndef TUSK_TEST_RELAY_SLOW_READER_H
#define TUSK_TEST_RELAY_SLOW_READER_H

#include "rig.h"
#include "still_clock.h"

/* `writer` writes until it is held up; `reader` takes a quarter of that, with `pause_ms` behind
 * each part. */
static inline void read_slowly(int reader, int writer, uint64_t pause_ms)
{
    static char bytes[64 * 1024];
    const int little = sizeof(bytes);
    size_t sent = 0;
    assert_int_equal(setsockopt(reader, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)), 0);
    still_stop();
    for (int still = 0; still < 20; still++) {
        ssize_t more = send(writer, bytes, sizeof(bytes), MSG_NOSIGNAL);
        still = more > 0 ? 0 : still;
        sent += more > 0 ? (size_t)more : 0;
        rig_turn();
    }
    for (size_t seen = 0; seen < sent / 4;) {
        ssize_t got = -1;
        rig_until((got = recv(reader, bytes, sizeof(bytes), 0)) > 0 || errno != EAGAIN);
        assert_true(got > 0);
        seen += (size_t)got;
        still_pass_ms(pause_ms);
        rig_turn();
    }
}

#endif
