/* SPDX-License-Identifier: MIT */
/* Subscriptions that are behind: they read the log at the pace of their connection. */
#ifndef SERVE_HUB_FEED_H
#define SERVE_HUB_FEED_H

#include "serve/hub/hub.h"

/* From `next` on this subscription reads the log. */
void tusk__hub_fall_behind(hub_sub *sub, uint64_t next);
/* `count` more messages with `bytes` of data wait for it, `last` the newest; the policy may let
 * older ones go. */
void tusk__hub_wait_more(tusk_hub *self, hub_sub *sub, const hub_message *last, size_t count,
                         size_t bytes);
/* The reset that is owed, with the position up to which nothing is given. False: no room for it
 * now, it stays owed. */
bool tusk__hub_say_gap(tusk_hub *self, struct tusk_session *session, uint64_t offset);
/* Feed that session at the end of the turn. */
void tusk__hub_wake(tusk_hub *self, struct tusk_session *session);
/* Feeds those who wait, in turn; who was not done when a run's work was is fed by the next one. */
void tusk__hub_feed_all(tusk_hub *self);
/* Policies that drop or conflate keep the send queue below this, and let the rest wait in the log.
 */
size_t tusk__hub_queue_soft(const tusk_hub *self);

#endif
