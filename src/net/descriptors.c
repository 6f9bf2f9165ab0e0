/* SPDX-License-Identifier: MIT */
/* The limit of descriptors: read, raised, and told where it is too low. */
#include "net/descriptors.h"

#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define SPARE_PART 8 /* of a low limit */
#define OWN 16       /* listeners and what a server opens when it begins */
#define FEW 1000     /* a default may be more than a machine gives, but not so much more */

static uint32_t value_of(rlim_t limit)
{
    return limit > INT_MAX ? INT_MAX : (uint32_t)limit;
}

net_descriptors net_descriptors_allowed(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return (net_descriptors){INT_MAX, INT_MAX};
    }
    return (net_descriptors){value_of(limit.rlim_cur), value_of(limit.rlim_max)};
}

void net_descriptors_raise(uint64_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || wanted <= limit.rlim_cur) {
        return;
    }
    limit.rlim_cur = wanted < limit.rlim_max ? (rlim_t)wanted : limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static uint32_t spare_of(uint32_t soft)
{
    uint32_t part = soft / SPARE_PART;
    return part < NET_DESCRIPTORS_SPARE ? part : NET_DESCRIPTORS_SPARE;
}

int net_descriptors_end(net_descriptors_use use)
{
    static const uint32_t parts[] = {[FOR_CLIENTS] = 1, [FOR_BACKENDS] = 2, [FOR_OPERATORS] = 8};
    uint32_t soft = net_descriptors_allowed().soft;
    return (int)(soft - spare_of(soft) / parts[use]);
}

bool net_descriptors_has(int fd, net_descriptors_use use, int *end)
{
    if (fd >= *end) {
        *end = net_descriptors_end(use);
    }
    return fd < *end;
}

/* The lowest number that is free: what a program has open when a server of it begins has no holes
 * worth counting. */
static uint64_t open_now(void)
{
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0) {
        return net_descriptors_allowed().soft;
    }
    (void)close(fd);
    return (uint64_t)fd;
}

bool net_room_lacks(const net_room *self, char text[static NET_ROOM_TEXT])
{
    uint64_t own = open_now() + OWN;
    uint64_t needed = self->clients * self->each + own + NET_DESCRIPTORS_SPARE;
    net_descriptors_raise(needed);
    uint32_t soft = net_descriptors_allowed().soft;
    uint64_t taken = own + spare_of(soft);
    uint64_t fits = soft > taken ? (soft - taken) / self->each : 0;
    if (fits >= self->clients || (!self->asked && fits >= FEW)) {
        return false;
    }
    (void)snprintf(text, NET_ROOM_TEXT,
                   "%llu connections need %llu file descriptors, and no more than %llu are allowed "
                   "here: some %llu fit, others will wait; begin with `ulimit -n %llu` or "
                   "LimitNOFILE=%llu, or lower the limit of connections",
                   (unsigned long long)self->clients, (unsigned long long)needed,
                   (unsigned long long)soft, (unsigned long long)fits, (unsigned long long)needed,
                   (unsigned long long)needed);
    return true;
}
