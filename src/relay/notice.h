/* SPDX-License-Identifier: MIT */
/* Lines for the log about limits that are reached, and about targets that come and go: what makes
 * many clients wait, or closes many, must not fill the log as well, so there is one line of each
 * kind in ten seconds (of targets, each of which has a name, sixteen), and the next one says how
 * many there were since. */
#ifndef RELAY_NOTICE_H
#define RELAY_NOTICE_H

#include <tusk/err.h>

#include <stdint.h>

typedef enum relay_notice_kind {
    NOTICE_ACCEPT,     /* accepting waits: connections, listeners, descriptors */
    NOTICE_SOURCE,     /* somebody is over the limits of a source */
    NOTICE_TARGET,     /* all places of a target are taken */
    NOTICE_HEALTH,     /* a target is down, or up again */
    NOTICE_LOOKUPS,    /* as many resolvers are asked as may be */
    NOTICE_DESCRIPTOR, /* none is left to connect with */
    NOTICE_PORT,       /* none is left to connect from */
    NOTICE_WATCH,      /* none may be watched besides */
    NOTICE_THREAD,     /* none is left to look a name up in */
    NOTICE_KINDS
} relay_notice_kind;

typedef struct relay_notice {
    uint64_t said_ms; /* the first of ten seconds; 0: never */
    uint32_t said;    /* from then on */
    uint64_t unsaid;  /* since the last of them */
} relay_notice;

typedef struct tusk_relay tusk_relay;

/* Without a line's end. */
void relay_say(tusk_relay *relay, relay_notice_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Of a client that was accepted and could not be kept: counted where memory lacks, said where the
 * poller takes no more sockets. */
void relay_lost(tusk_relay *relay, tusk_err why);

#endif
