/* SPDX-License-Identifier: MIT */
/*
 * A target: one backend by its address as the resolver wrote it, with what is known of it: the
 * addresses its name has (for dns_ttl_ms, so that what was judged is what is connected to), how
 * many connections, how many failures in a row.
 *
 * A target that nobody refers to stays known, so that a route for one connection alone does not
 * look its name up each time; past limits.routes the longest unused goes.
 */
#ifndef RELAY_ROUTE_TARGET_H
#define RELAY_ROUTE_TARGET_H

#include "base/list.h"
#include "base/table.h"
#include "net/resolver.h"
#include "relay/route/answer.h"
#include "relay/route/health.h"

struct relay_target {
    tusk_relay *relay;
    tusk_entry in_table;     /* by its text */
    tusk_link unused;        /* in the list of those without references */
    uint64_t fresh_until_ms; /* of `addrs`; numeric ones stay fresh */
    uint64_t stale_until_ms; /* and they are better than none, when no name server answers */
    uint64_t asked_until_ms; /* so long nobody asks anew for the sake of what is kept */
    uint32_t refs;           /* answers, dials and connections */
    uint32_t active;         /* connections, those that are being made too */
    uint32_t kept;           /* of them idle: they give way when a place is wanted */
    relay_meter *meter;      /* while it is referred to */
    uint32_t leaving;        /* connections that are being closed: their places come free */
    uint32_t waiters;        /* dials in line for a place at it, or at another one */
    relay_health health;     /* what this process knows alone */
    bool probed;             /* a probe is under way */
    bool numeric;
    bool stale; /* its last known addresses are used */
    uint8_t addr_count;
    uint16_t port;
    uint16_t host_len; /* of text; brackets and port are outside */
    uint16_t host_at;
    uint16_t text_len;
    uint16_t generation; /* another one when its name has lost an address */
    tusk_addr *addrs;
    struct http_pool *pools; /* kept HTTP connections; they refer to it; NULL: none */
    tusk_lookup lookup;      /* its name, being looked up */
    tusk_link waiting;       /* dials that wait for that */
    tusk_link used;          /* pairs that are over, with their sockets (used.h) */
    char text[];             /* as the resolver wrote it, with a NUL */
};

typedef struct relay_targets {
    tusk_table table;
    uint32_t unused_count;
    tusk_link unused; /* the longest unused first */
    uint64_t seed;
    uint64_t random;
} relay_targets;

tusk_err relay_targets_init(tusk_relay *relay);
void relay_targets_fini(tusk_relay *relay); /* nobody refers to any */

/* One more reference to the target with this address; TUSK_EINVAL: it is none. */
tusk_err relay_target_get(relay_target **out, tusk_relay *relay, tusk_bytes address);
relay_target *relay_target_find(const tusk_relay *relay, tusk_bytes address); /* or NULL */
relay_target *relay_target_hashed(const tusk_relay *relay, uint64_t hash);    /* or NULL */
uint64_t relay_target_hash(const tusk_relay *relay,
                           tusk_bytes address); /* the same in all workers */
/* Its name is looked up, unless that is under way; relay_dial_on_looked_up hears of it. */
tusk_err relay_target_look_up(relay_target *self);
/* What came of that: `count` addresses, or the failure. TUSK_OK: there are some to be tried, which
 * may be the last known ones. */
tusk_err relay_target_learn(relay_target *self, const tusk_addr *addrs, int count);
/* No answer, or none yet: are there last known ones that may be used (RFC 8767)? */
bool relay_target_has_stale(const relay_target *self);
/* They are; false: there are none. For half a minute nobody looks the name up. */
bool relay_target_use_stale(relay_target *self);
/* Who goes on with a connection of before asks for no address, so nobody would find out where the
 * name has gone: it is looked up if dns_ttl_ms are over. */
void relay_target_refresh(relay_target *self);
relay_target *relay_target_ref(relay_target *self);
void relay_target_unref(relay_target *self);

static inline tusk_bytes relay_target_text(const relay_target *self)
{
    return tusk_bytes_of(self->text, self->text_len);
}
static inline bool relay_target_is_path(const relay_target *self)
{
    return strncmp(self->text, "unix:", 5) == 0;
}
static inline tusk_bytes relay_target_host(const relay_target *self)
{
    return tusk_bytes_of(self->text + self->host_at, self->host_len);
}

/* One more METER_…; NULL: there is none. */
static inline void relay_target_count(const relay_target *self, unsigned word)
{
    if (self != NULL) {
        relay_meter_add(self->meter, word, 1);
    }
}

/* Which of the answer's targets is next: by weight among the healthy ones with room, then those of
 * weight 0, and when all are ejected, as if none were. `tried`: a bit for each that was tried. -1:
 * none is left; then TUSK_ELIMIT in `*why` if one was left out because it is full. */
int relay_pick(const relay_answer *answer, uint64_t tried, bool in_line, tusk_err *why);

/* One more connection is being made to it; `left` when it is gone, or was never made. */
void relay_target_enter(relay_target *self);
void relay_target_leave(relay_target *self);
/* One of its connections is kept for a request to come; or no more. */
void relay_target_keep(relay_target *self);
void relay_target_unkeep(relay_target *self);
/* True: somebody here or in another worker keeps a connection to it, and was told to give it up. */
bool relay_target_make_room(relay_target *self);

#endif
