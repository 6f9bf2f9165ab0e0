/* SPDX-License-Identifier: MIT */
/* A session's end, as the meters of its target and its route count it. */
#include "relay/account.h"

#include "relay/route/target.h"

/* Whoever writes to a meter takes its line of the cache away from those who read it. */
static void add_bytes(relay_meter *meter, uint64_t up, uint64_t down)
{
    if ((up | down) > 0) {
        relay_meter_add(meter, METER_BYTES_UP, up);
        relay_meter_add(meter, METER_BYTES_DOWN, down);
    }
}

static void add(relay_meter *meter, const relay_account *self)
{
    relay_meter_add(meter, METER_SESSIONS, 1);
    add_bytes(meter, self->bytes_up, self->bytes_down);
    if (self->status >= 100 && self->status < 600) {
        relay_meter_add(meter, METER_STATUS + self->status / 100u - 1, 1);
    }
    if (self->answered) {
        relay_meter_observe(meter, METER_FIRST_BYTE, self->first_us);
    }
}

void relay_account_add(const relay_target *target, const relay_answer *answer, uint64_t up,
                       uint64_t down)
{
    if (target != NULL && target->meter != NULL) {
        add_bytes(target->meter, up, down);
    }
    if (answer != NULL && answer->meter != NULL) {
        add_bytes(answer->meter, up, down);
    }
}

void relay_account_close(const relay_account *self)
{
    if (self->target != NULL) {
        add(self->target->meter, self);
    }
    if (self->answer != NULL && self->answer->meter != NULL) {
        add(self->answer->meter, self);
        relay_account_leave(self->answer);
    }
}
