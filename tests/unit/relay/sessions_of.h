/* SPDX-License-Identifier: MIT */
/* A look into the sessions of a relay. Ask anew in each turn instead of keeping it: where a survey
 * refuses memory, a session may go in any of them. */
#ifndef TUSK_TEST_RELAY_SESSIONS_OF_H
#define TUSK_TEST_RELAY_SESSIONS_OF_H

#include "test.h"

#include "relay/http/inner.h"
#include "relay/move/pair.h"

static inline relay_session *first_session(const tusk_relay *relay)
{
    assert_false(tusk__list_empty(&relay->sessions));
    return TUSK_OWNER(relay->sessions.next, relay_session, link);
}

static inline relay_pair *first_pair(const tusk_relay *relay)
{
    return TUSK_OWNER(first_session(relay), relay_pair, session);
}

static inline relay_pair *newest_pair(const tusk_relay *relay)
{
    assert_false(tusk__list_empty(&relay->sessions));
    return TUSK_OWNER(relay->sessions.prev, relay_pair, session.link);
}

static inline http_client *first_http_client(const tusk_relay *relay)
{
    return TUSK_OWNER(first_session(relay), http_client, session);
}

static inline http_line *first_http_line(const tusk_relay *relay)
{
    const http_exchange *exchange = first_http_client(relay)->exchange;
    assert_non_null(exchange);
    assert_non_null(exchange->line);
    return exchange->line;
}

#endif
