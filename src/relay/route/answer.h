/* SPDX-License-Identifier: MIT */
/* An answer: where a client is to go, or why it may not; counted, since a cache and many sessions
 * share it. */
#ifndef RELAY_ROUTE_ANSWER_H
#define RELAY_ROUTE_ANSWER_H

#include <tusk/relay.h>

#include "relay/meters.h"

typedef struct relay_target relay_target;

typedef struct relay_choice {
    relay_target *target; /* a reference */
    uint32_t weight;
} relay_choice;

/* All in one piece of memory: what the views of `route` and `refusal` show stands behind it. */
typedef struct relay_answer {
    tusk_relay *relay;
    size_t size;
    uint32_t refs;
    uint32_t choice_count; /* 0: a refusal, or its own answer (route.status) */
    const relay_choice *choices;
    tusk_relay_route route; /* its targets are in `choices` */
    tusk_relay_refusal refusal;
    relay_meter *meter; /* of the route's name; NULL: it has none */
} relay_answer;

/* TUSK_EINVAL: no target or too many, HTTP's fields or host that are none, an address that is none,
 * a PROXY version that is none; a name that is not valid; a status that is none of HTTP's errors, a
 * reason with CR, LF or NUL or over TUSK_RELAY_REASON_MAX. */
tusk_err relay_answer_route(relay_answer **out, tusk_relay *relay, const tusk_relay_route *route);
tusk_err relay_answer_refusal(relay_answer **out, tusk_relay *relay,
                              const tusk_relay_refusal *refusal);

static inline relay_answer *relay_answer_ref(relay_answer *self)
{
    self->refs++;
    return self;
}
void relay_answer_unref(relay_answer *self); /* NULL is fine */

static inline bool relay_answer_refuses(const relay_answer *self)
{
    return self->choice_count == 0 && self->route.status == 0;
}

/* What a failed dial is as a status (502, 503, 504, 403, 500), and in words for the client. */
uint16_t relay_status_of(tusk_err err);
const char *relay_reason_of(tusk_err err);

#endif
