/* SPDX-License-Identifier: MIT */
/* A look into a session of the rig's server. */
#ifndef TUSK_TEST_SERVE_RIG_SESSION_H
#define TUSK_TEST_SERVE_RIG_SESSION_H

#include "rig.h"

#include "serve/session.h"

/* Ask anew in each turn: where a survey refuses memory, a session may go in any of them. */
static inline tusk_session *rig_session(const rig *self, size_t slot)
{
    tusk_session *session = self->server->slots[slot].session;
    assert_non_null(session);
    return session;
}

#endif
