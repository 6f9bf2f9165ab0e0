/* SPDX-License-Identifier: MIT */
/* The answers of a build without libbpf. */
#include "relay/sockmap/map.h"

#if !defined(TUSK_HAVE_LIBBPF)

#include <errno.h>
#include <stdio.h>

tusk_err tusk_sockmap_load(tusk_sockmap **out, const tusk_sockmap_options *options, char *reason,
                           size_t reason_cap)
{
    (void)options;
    *out = NULL;
    if (reason_cap > 0) {
        (void)snprintf(reason, reason_cap, "this build has no libbpf");
    }
    return TUSK_ENOTSUP;
}

tusk_sockmap *tusk_sockmap_ref(tusk_sockmap *self)
{
    return self;
}

void tusk_sockmap_unref(tusk_sockmap *self)
{
    (void)self;
}

size_t tusk_sockmap_fds(const tusk_sockmap *self, int *fds, size_t cap)
{
    (void)self;
    (void)fds;
    (void)cap;
    return 0;
}

const char *tusk_sockmap_library(void)
{
    return NULL;
}

/* There is nothing loaded, so nobody comes here with anything. */
tusk_err relay_sockmap_open(relay_sockmap **out, tusk_sockmap *shared, const tusk_mem *mem,
                            void (*on_bell)(void *user, const struct sockmap_bell *bell),
                            void *user)
{
    (void)shared;
    (void)mem;
    (void)on_bell;
    (void)user;
    *out = NULL;
    return TUSK_ENOTSUP;
}

void relay_sockmap_close(relay_sockmap *self)
{
    (void)self;
}

int relay_sockmap_fd(const relay_sockmap *self)
{
    (void)self;
    return -1;
}

bool relay_sockmap_hear(relay_sockmap *self)
{
    (void)self;
    return false;
}

int relay_sockmap_begin(relay_sockmap *self, uint64_t cookie, uint32_t slot, uint32_t side)
{
    (void)self;
    (void)cookie;
    (void)slot;
    (void)side;
    return EOPNOTSUPP;
}

int relay_sockmap_connect(relay_sockmap *self, uint64_t cookie, int fd)
{
    (void)self;
    (void)cookie;
    (void)fd;
    return EOPNOTSUPP;
}

int relay_sockmap_take(relay_sockmap *self, uint64_t cookie, uint64_t bytes)
{
    (void)self;
    (void)cookie;
    (void)bytes;
    return EOPNOTSUPP;
}

bool relay_sockmap_look(const relay_sockmap *self, uint64_t cookie, struct sockmap_flow *out)
{
    (void)self;
    (void)cookie;
    (void)out;
    return false;
}

bool relay_sockmap_end(relay_sockmap *self, uint64_t cookie, struct sockmap_flow *out)
{
    (void)self;
    (void)cookie;
    (void)out;
    return false;
}

#endif
