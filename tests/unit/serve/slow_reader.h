/* SPDX-License-Identifier: MIT */
/* A ring that is soon overtaken, and one who does not read before he is told to. */
#ifndef TEST_SERVE_SLOW_READER_H
#define TEST_SERVE_SLOW_READER_H

#include "rig.h"

static inline void read_slowly(int fd)
{
    int small = 4096;
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
}

/* Everything until nothing comes any more; to be freed. */
static inline char *read_all(rig *r, int fd, size_t *len)
{
    char *all = malloc(4 << 20);
    *len = 0;
    for (int i = 0; i < 5000; i++) {
        *len += rig_read(fd, all + *len, ((size_t)4 << 20) - *len);
        rig_turn(r, 1);
    }
    return all;
}

static inline size_t count_in(const char *text, size_t len, char byte)
{
    size_t found = 0;
    for (size_t at = 0; at < len; at++) {
        found += text[at] == byte;
    }
    return found;
}

/* Queues of 20,000 bytes over a ring of 64 KiB. */
static inline void init_small_ring(rig *r)
{
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 20000;
    limits.history_bytes = 64 * 1024;
    rig_init(r, &limits);
}

static inline void publish_kilobytes(rig *r, const char *topic, char with, int count)
{
    char data[1001];
    memset(data, with, 1000);
    data[1000] = '\0';
    for (int i = 0; i < count; i++) {
        rig_publish(r, topic, data, NULL);
        rig_turn(r, 1);
    }
}

#endif
