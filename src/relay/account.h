/* SPDX-License-Identifier: MIT */
/* What a session, or a request of HTTP, leaves at the meters of its target and its route. */
#ifndef RELAY_ACCOUNT_H
#define RELAY_ACCOUNT_H

#include "relay/route/answer.h"
#include "relay/meters.h"

typedef struct relay_account {
    const relay_target *target;    /* that served it, held; NULL: none did */
    const relay_answer *answer;    /* relay_account_open was told; NULL: none */
    uint64_t bytes_up, bytes_down; /* those that relay_account_add did not tell */
    uint32_t first_us;             /* where it is `answered` */
    uint16_t status;               /* 0: none, or relayed to its end */
    bool answered;
} relay_account;

/* A session is on this route from now on; relay_account_close, or relay_account_leave where it goes
 * on with another one. */
static inline void relay_account_open(const relay_answer *answer)
{
    if (answer->meter != NULL) {
        relay_meter_add(answer->meter, METER_ACTIVE, 1);
    }
}
static inline void relay_account_leave(const relay_answer *answer)
{
    if (answer->meter != NULL) {
        relay_meter_add(answer->meter, METER_ACTIVE, UINT64_MAX); /* one less */
    }
}
/* So many bytes more, of a session that goes on. */
void relay_account_add(const relay_target *target, const relay_answer *answer, uint64_t up,
                       uint64_t down);
void relay_account_close(const relay_account *self);

#endif
