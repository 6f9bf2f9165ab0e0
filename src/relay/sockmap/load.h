/* SPDX-License-Identifier: MIT */
/* A loaded sockmap: descriptors, and who rings which bell. */
#ifndef RELAY_SOCKMAP_LOAD_H
#define RELAY_SOCKMAP_LOAD_H

#include <stdatomic.h>
#include <tusk/sockmap.h>

struct tusk_sockmap {
    uint32_t refs;
    uint32_t relays;
    struct bpf_object *object;
    int peers, flows, taken; /* the object's own */
    _Atomic int32_t *owner;  /* of each bell, a process; 0: nobody's. Shared with forks */
    int bells[];
};

#endif
