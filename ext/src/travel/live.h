/* SPDX-License-Identifier: MIT */
/* What is live: of what is walked through. */
#ifndef TUSK_EXT_TRAVEL_LIVE_H
#define TUSK_EXT_TRAVEL_LIVE_H

#include "src/travel/walk.h"

/* A class whose objects are connections, files and the like. */
bool tusk_live_is(const zend_class_entry *ce);
/* Judges what serialize() would write of an object: what is live, and what hides (walk.h). */
tusk_walk_verdict tusk_live_serialized(tusk_walk *self, const zval *value);
/* What of it is serialized its class says itself. */
bool tusk_live_writes_itself(const zend_class_entry *ce);
/* Whether serialize() comes to its end, and the other side takes what it wrote (depth.c). */
bool tusk_depth_fits(zval *root);
/* A sentence on what was found; the caller releases it. */
zend_string *tusk_live_text(const tusk_walk *walk, const char *root);

#endif
