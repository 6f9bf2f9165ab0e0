/* SPDX-License-Identifier: MIT */
/* What one process of several takes, and all together. */
#ifndef NET_USAGE_H
#define NET_USAGE_H

#include <stdbool.h>
#include <tusk/usage.h>

typedef struct net_usage_source {
    const char *proc; /* the folder: "/proc" */
    bool sized;       /* the size of a folder of descriptors is how many, where it is not 0 */
    uint32_t listed;  /* else they are listed, so many at most, as the loop waits meanwhile */
} net_usage_source;

extern const net_usage_source net_usage_system;

/* `pid` 0: this process. `ended`: with the time of children that it has reaped. */
void net_usage_read(const net_usage_source *self, int pid, bool ended, tusk_usage *out);
/* Memory and time are sums, descriptors those of who is nearest to its limit, the start is
 * `into`'s. What one of them does not tell is untold of all: half a sum would look like a whole
 * one. */
void net_usage_add(tusk_usage *into, const tusk_usage *of);

#endif
