/* SPDX-License-Identifier: MIT */
/* What the kernel knows of a TCP socket's bytes, whoever moves them (TCP_INFO). */
#ifndef NET_TCP_INFO_H
#define NET_TCP_INFO_H

#include <stdbool.h>
#include <stdint.h>

typedef struct net_tcp_info {
    uint64_t received; /* in order, read or not; the peer's FIN counts one */
    uint64_t written;  /* taken from whoever sends on this socket, on the wire already or not */
    uint32_t quiet_ms; /* since it last received data; since it was connected if it never did */
    /* Since its peer made room for more: data left, and was acknowledged. One that reads nothing
     * has acknowledgements alone, one that is gone has retransmissions alone. */
    uint32_t taken_ms;
    bool held;       /* of `written` something is not acknowledged */
    bool peer_ended; /* its FIN is among `received` */
    bool closed;     /* nothing of it is left but numbers; whether a FIN came, it knows no more */
} net_tcp_info;

/* False: no TCP socket, or a kernel that does not tell (all but Linux; Linux before 4.19). */
bool tusk__tcp_info_get(net_tcp_info *out, int fd);

#endif
