/* SPDX-License-Identifier: MIT */
/*
 * Lookups: what is known of a client becomes an answer, from the cache at once or from on_lookup.
 *
 * A resolver is a function of the fields that it read. So an answer is kept under (which fields,
 * their values), and it holds for every lookup with these values in these fields, whatever the
 * others are. There are few distinct sets of fields; each is one probe of the table.
 *
 * Lookups under way that seem to be the same question (equal in all fields that any answer so far
 * depended on; before the first answer in all but the client's address) are asked once. When the
 * answer says what it depends on, those that differ in just that are asked after all. So joining is
 * a guess that can cost time, and never gives a client somebody else's route.
 */
#ifndef RELAY_ROUTE_LOOKUP_H
#define RELAY_ROUTE_LOOKUP_H

#include "base/table.h"
#include "net/conn.h"
#include "relay/route/answer.h"
#include "relay/slots.h"

enum {
    RELAY_MASKS_MAX = 32, /* distinct sets of fields; answers with yet another are not kept */
    RELAY_KEY_MAX = 1024, /* bytes of values; longer ones are not kept */
    RELAY_QUESTION_SETS = 256
};

typedef struct relay_words relay_words;       /* a lookup that is owned */
typedef struct relay_question relay_question; /* asked of on_lookup */

/* One who waits for an answer, embedded in its owner. All zero but `on_route`. */
typedef struct relay_waiter {
    tusk_link link;
    relay_words *words;
    const tusk_filter *filter; /* of the client while it waits; NULL: no TLS */
    /* Once for each relay_ask_route, perhaps from inside it; the answer is borrowed (reference it
     * to keep it). May free the waiter. */
    void (*on_route)(struct relay_waiter *self, relay_answer *answer, bool cached);
} relay_waiter;

typedef struct relay_mask {
    uint32_t fields;
    uint32_t entries;
} relay_mask;

typedef struct relay_routes {
    tusk_table table;
    tusk_link used; /* entries, the longest unused first */
    uint64_t seed;
    uint64_t epoch; /* forgotten so often */
    relay_mask masks[RELAY_MASKS_MAX];
    uint32_t mask_count;
    uint32_t learned; /* all fields that any answer depended on */
    bool any_learned;
    relay_slots slots; /* questions by the numbers that are told */
    uint32_t asked;    /* questions under way */
    tusk_link questions[RELAY_QUESTION_SETS];
} relay_routes;

tusk_err relay_routes_init(tusk_relay *relay, uint64_t seed);
void relay_routes_fini(tusk_relay *relay); /* nobody waits */

/* Fields that a cached answer may depend on: others need not be filled in for relay_known. */
static inline uint32_t relay_fields_known(const relay_routes *self)
{
    return self->learned;
}
/* The text of a Host field or an authority in lower case and without its port; `room` has
 * authority.len bytes. Of "[::1]:80" it is "::1". ptr NULL: there is none. */
tusk_bytes relay_host_of(uint8_t *room, tusk_bytes authority);
/* The server name of the connection's handshake, lower case, in `room`; ptr NULL: no TLS, or the
 * client asked for none. */
enum { RELAY_SERVER_NAME_MAX = 255 };
tusk_bytes relay_server_name(const tusk_conn *conn, uint8_t room[RELAY_SERVER_NAME_MAX]);
/* The fingerprint of the certificate that the client has shown, in `room`; ptr NULL: none, or no
 * TLS. Of one that cannot be read it is empty: it is not as if there were none. */
enum { RELAY_FINGERPRINT_LEN = 64 };
tusk_bytes relay_fingerprint(const tusk_filter *filter, uint8_t room[RELAY_FINGERPRINT_LEN]);
/* A remembered answer, borrowed; or NULL. Counts a hit. */
relay_answer *relay_known(tusk_relay *relay, const tusk_relay_lookup *lookup);
/* `lookup` is borrowed for the call. */
void relay_ask_route(tusk_relay *relay, relay_waiter *waiter, const tusk_relay_lookup *lookup);
void relay_cancel(tusk_relay *relay, relay_waiter *waiter); /* harmless when nothing is awaited */

#endif
