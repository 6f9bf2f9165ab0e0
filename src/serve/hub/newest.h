/* SPDX-License-Identifier: MIT */
/*
 * What `Conflate` promises: the newest of the topic arrives, however little is published after it.
 * The ring may let it go before its reader is ready, so a topic has a copy of it while such a
 * reader is behind: one for all of them, out of half of what subscriptions may take.
 */
#ifndef SERVE_HUB_NEWEST_H
#define SERVE_HUB_NEWEST_H

#include "serve/hub/hub.h"

/* `message` is the newest of its topic for this subscription. Without room or memory for it the
 * log alone has it. */
void tusk__newest_keep(tusk_hub *self, hub_sub *sub, const hub_message *message);
/* It is live, it goes, or has another policy. */
void tusk__newest_release(tusk_hub *self, hub_sub *sub);
/* It is not the newest any more, and nobody knows what is. */
void tusk__newest_forget(tusk_hub *self, hub_topic *topic);

/* What is kept that this subscription was not given yet. NULL: nothing. */
static inline const hub_record *tusk__newest_for(const hub_sub *sub)
{
    const hub_record *newest = sub->keeps ? sub->topic->newest : NULL;
    return newest != NULL && newest->offset >= sub->next ? newest : NULL;
}

#endif
