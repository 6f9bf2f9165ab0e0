/* SPDX-License-Identifier: MIT */
/* How many descriptors this process may have. A program may raise its soft limit as far as the hard
 * one, so a server asks for what its limit of connections needs and tells when it does not get it.
 */
#ifndef NET_DESCRIPTORS_H
#define NET_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* RLIMIT_NOFILE; INT_MAX where there is none: a descriptor is an int. */
typedef struct net_descriptors {
    uint32_t soft, hard;
} net_descriptors;

net_descriptors net_descriptors_allowed(void);
/* Raises the soft limit to `wanted`, or to the hard one where that is less. It is never lowered. */
void net_descriptors_raise(uint64_t wanted);
/* Of so many, these are not for clients but for who is served: files, resolvers, backends,
 * certificates, logs. */
enum { NET_DESCRIPTORS_SPARE = 32 }; /* at most; of a low limit an eighth */
uint32_t net_descriptors_spare(uint32_t soft);

enum { NET_ROOM_TEXT = 288 };

typedef struct net_room {
    uint64_t clients; /* the limit of connections */
    uint32_t each;    /* descriptors of one of them */
    bool asked;       /* somebody chose the number; a default is an upper bound and no wish */
} net_room;

/* Raises the soft limit to what so many clients need beside what is open. False: they fit, or they
 * are a default of which a thousand do; else `text` is a line for the log with the number that
 * would do. */
bool net_room_lacks(const net_room *self, char text[static NET_ROOM_TEXT]);

#endif
