/* SPDX-License-Identifier: MIT */
/*
 * A crowd: ends of many pairs that are readable in one turn. What they have is received by one
 * system call and sent on by another (net/batch.h), ahead of their events.
 *
 * In a crowd is who is likely to have little: a joined pair's open direction of which nothing is
 * held, spliced or looked at. Whatever does not go smoothly is left to the end's own event.
 */
#ifndef RELAY_MOVE_CROWD_H
#define RELAY_MOVE_CROWD_H

#include "relay/move/pair.h"

/* A relay starts: whether its pairs are moved in crowds. */
void relay_crowd_open(tusk_relay *relay);
void relay_crowd_close(tusk_relay *relay);

/* From inside the event of `end`, of a joined pair. The first such event of a turn moves a crowd;
 * true: what this end had is relayed, and its event has no more to read. No pair is over when this
 * returns, but relay_crowd_failed may be true of any. */
bool relay_crowd_serves(relay_end *end, unsigned events);

/* Right after it: the end was found reset; or there was no memory for what the other one did not
 * take. */
typedef enum relay_crowd_failure { CROWD_WELL, CROWD_RESET, CROWD_NO_MEMORY } relay_crowd_failure;
relay_crowd_failure relay_crowd_failed(const relay_end *end);

#endif
