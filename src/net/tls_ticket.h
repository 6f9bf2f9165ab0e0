/* SPDX-License-Identifier: MIT */
/* The keys that a server's session tickets are sealed with (RFC 5077, 4; RFC 8446, 4.6.1).
 *
 * One that lives as long as the server opens all that was ever resumed by it, to whoever gets hold
 * of it. So there is a new one every hour, made from a secret that is replaced by it: from what a
 * process has now nobody finds what it had. Processes that were forked from one have the same in
 * the same hour, and tell each other nothing. The one before is kept for an hour, as long as a
 * ticket is good; a ticket of it is replaced when it is shown. */
#ifndef NET_TLS_TICKET_H
#define NET_TLS_TICKET_H

#include <stdbool.h>
#include <stdint.h>

struct ssl_ctx_st;

enum { TLS_TICKET_SECONDS = 3600 }; /* how long a session may be resumed, and a key is the newest */

typedef struct tusk__ticket_key {
    uint8_t name[16]; /* stands in front of the ticket (RFC 5077, 4) */
    uint8_t cipher[32];
    uint8_t mac[32];
} tusk__ticket_key;

typedef struct tusk__ticket_keys {
    int64_t hour; /* of the clock that all processes of the machine have */
    uint8_t secret[32];
    tusk__ticket_key newest;
    tusk__ticket_key before;
} tusk__ticket_keys;

/* False: the system gives no random bytes. */
bool tusk__ticket_keys_init(tusk__ticket_keys *self);
/* What is due by the clock is replaced. */
void tusk__ticket_keys_tend(tusk__ticket_keys *self);
/* The same, by an hour that is given; one that is gone changes nothing. */
void tusk__ticket_keys_at(tusk__ticket_keys *self, int64_t hour);
void tusk__ticket_keys_fini(tusk__ticket_keys *self);
/* Tickets of this context are sealed and opened with the keys of the tusk_tls that is its
 * application data. */
void tusk__tickets_for(struct ssl_ctx_st *ctx);

#endif
