/* SPDX-License-Identifier: MIT */
/* Dial: the socket of a link, from its own address to one of its target's. */
#define _GNU_SOURCE
#include "load/worker.h"

#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

#include "net/socket.h"

#if !defined(IP_BIND_ADDRESS_NO_PORT)
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

tusk_err tusk__load_err_of(int number)
{
    switch (number) {
    case ECONNREFUSED: return TUSK_EREFUSED;
    case ETIMEDOUT: return TUSK_ETIMEOUT;
    case EPIPE:
    case ECONNRESET:
    case ECONNABORTED:
    case ENOTCONN: return TUSK_ERESET;
    case EADDRNOTAVAIL:
    case EADDRINUSE: return TUSK_EADDRINUSE;
    default: return TUSK_ESYS;
    }
}

static int bind_source(const load_link *self, int fd, const tusk_addr *to)
{
    const load_plan *plan = self->worker->plan;
    if (plan->sources == 0 || tusk_addr_family(to) != AF_INET) {
        return 0;
    }
    int on = 1;
    uint64_t place = (uint64_t)self->index * plan->workers + self->worker->index;
    struct sockaddr_in source = {.sin_family = AF_INET};
    /* 127.0.0.2 and up, .0 and .255 like any other: all of 127.0.0.0/8 is loopback's own */
    source.sin_addr.s_addr = htonl(0x7F000002u + (uint32_t)(place % plan->sources));
    (void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
    return bind(fd, (const struct sockaddr *)(const void *)&source, sizeof(source));
}

static int start_connect(load_link *self, const tusk_addr *to)
{
    int fd = tusk__socket_open(tusk_addr_family(to));
    if (fd < 0) {
        return -1;
    }
    tusk__socket_set_manners(fd, to);
    if (bind_source(self, fd, to) != 0 || tusk__socket_connect(fd, to) != TUSK_OK) {
        int number = errno;
        (void)close(fd);
        errno = number;
        return -1;
    }
    return fd;
}

/* ---- the addresses of a name ---- */
/* Where attempts begin: the address that answered last, so that a name whose first address is dead
 * costs the run a few attempts rather than one for each connection. */
static uint8_t *favoured(const load_link *self)
{
    return &self->worker->favoured[self->target == &self->worker->plan->publish_target];
}

/* False: all were tried in vain. */
static bool next_address(load_link *self)
{
    uint8_t next = (uint8_t)((self->address + 1) % self->target->addr_count);
    if (*favoured(self) == self->address) {
        *favoured(self) = next;
    }
    self->address = next;
    return ++self->refusals < self->target->addr_count;
}

/* From the present address on, until an attempt has begun. */
static tusk_err begin(load_link *self)
{
    int number;
    do {
        self->io.fd = start_connect(self, &self->target->addrs[self->address]);
        if (self->io.fd >= 0) {
            return tusk_io_add(self->worker->loop, &self->io, TUSK_IO_WRITE);
        }
        number = errno;
    } while (next_address(self));
    return tusk__load_err_of(number);
}

tusk_err tusk__load_dial(load_link *self)
{
    self->refusals = 0;
    self->address = *favoured(self);
    return begin(self);
}

tusk_err tusk__load_dial_on(load_link *self, tusk_err why)
{
    if (!next_address(self)) {
        return why;
    }
    tusk_io_close(self->worker->loop, &self->io);
    return begin(self);
}

void tusk__load_dial_answered(const load_link *self)
{
    *favoured(self) = self->address;
}
