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

/* Numbers are given out from the lowest, so those at the end are kept by who looks at the number
 * that it got: clients leave all the spare ones, what is opened for clients leaves half of them to
 * those who watch and to files, and who watches a few. */
typedef enum net_descriptors_use { FOR_CLIENTS, FOR_BACKENDS, FOR_OPERATORS } net_descriptors_use;
/* The first number that is not for that use; a limit may be raised while a process runs. */
int net_descriptors_end(net_descriptors_use use);
/* Whether that use may have this number; `*end` is kept for the next time, and 0 before the first.
 */
bool net_descriptors_has(int fd, net_descriptors_use use, int *end);

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
