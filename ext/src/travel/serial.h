/* SPDX-License-Identifier: MIT */
/* What the text of serialize() says before it comes to life. */
#ifndef TUSK_EXT_TRAVEL_SERIAL_H
#define TUSK_EXT_TRAVEL_SERIAL_H

#include "src/travel/travel.h"

#define TUSK_SERIAL_BROKEN "an object that does not come to life"

typedef struct tusk_serial {
    HashTable *allowed;   /* classes (lower case); NULL: all */
    size_t bytes;         /* of memory that it takes, at most */
    bool unsure;          /* objects may come of it whose classes were not seen */
    zend_string *missing; /* the class that is not allowed or not there */
    const char *fault;    /* static */
    bool has_seen;
    HashTable seen; /* names of classes => class */
} tusk_serial;

/* False: `missing`, an exception, or else `fault`: it is no such text, announces more than it can
 * have, or lies too deep. */
bool tusk_serial_look(tusk_serial *self, tusk_bytes text);
void tusk_serial_fini(tusk_serial *self);

#endif
