/* SPDX-License-Identifier: MIT */
/* Inlets: sockets beside a listener's own that it accepts from for a while, each by a key. */
#ifndef NET_INLET_H
#define NET_INLET_H

#include <tusk/mem.h>

#include "base/list.h"
#include "net/listener.h"

/* Accepts at once; its Unix path is somebody else's. On failure `fd` stays the caller's. */
tusk_err net_inlet_open(tusk_link *list, tusk_loop *loop, uint32_t key, int fd,
                        void (*on_exhausted)(void *user), tusk_accept_cb on_accept, void *user);
/* Those with this key; NULL: all. */
void net_inlets_close(tusk_link *list, const tusk_mem *mem, const uint32_t *key);
void net_inlets_pause(tusk_link *list, bool pause);

#endif
