/* SPDX-License-Identifier: MIT */
/* What is set on sockets of clients and backends. */
#define _GNU_SOURCE
#include "relay/inner.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static void set_number(int fd, int level, int name, uint32_t value)
{
    int number = (int)value;
    (void)setsockopt(fd, level, name, &number, sizeof(number));
}

void relay_keep_bounds(tusk_relay_limits *limits)
{
    enum { SECONDS_MAX = 32767, COUNT_MAX = 127 }; /* of Linux, the least of all */
    struct {
        uint32_t *value;
        uint32_t most;
    } bounds[] = {{&limits->keep_idle_s, SECONDS_MAX},
                  {&limits->keep_interval_s, SECONDS_MAX},
                  {&limits->keep_count, COUNT_MAX}};
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        if (*bounds[i].value > bounds[i].most) {
            *bounds[i].value = bounds[i].most;
        }
    }
}

void relay_keep_alive(const tusk_relay *self, int fd)
{
    const tusk_relay_limits *limits = &self->limits;
    if (limits->keep_idle_s != 0) {
        set_number(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined(TCP_KEEPIDLE)
        set_number(fd, IPPROTO_TCP, TCP_KEEPIDLE, limits->keep_idle_s);
        set_number(fd, IPPROTO_TCP, TCP_KEEPINTVL, limits->keep_interval_s);
        set_number(fd, IPPROTO_TCP, TCP_KEEPCNT, limits->keep_count);
#endif
    }
}

void relay_set_options(const tusk_relay *self, int fd)
{
    const tusk_relay_limits *limits = &self->limits;
#if defined(TCP_USER_TIMEOUT)
    if (limits->user_timeout_ms != 0) {
        set_number(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, limits->user_timeout_ms);
    }
#endif
#if defined(TCP_NOTSENT_LOWAT)
    if (limits->not_sent_bytes != 0) {
        set_number(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, limits->not_sent_bytes);
    }
#endif
}
