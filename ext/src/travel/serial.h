/* SPDX-License-Identifier: MIT */
/* What the text of serialize() says before it comes to life. */
#ifndef TUSK_EXT_TRAVEL_SERIAL_H
#define TUSK_EXT_TRAVEL_SERIAL_H

#include "src/travel/travel.h"

#define TUSK_SERIAL_BROKEN "an object that does not come to life"
#define TUSK_SERIAL_DEEP "objects that lie in each other more than 1,000 deep"

/* Objects in each other, and levels with arrays between them: each takes some 200 bytes of the
 * stack, which is 2 MB where a fiber receives. Who sends refuses what is deeper, too (depth.c). */
enum { TUSK_SERIAL_OBJECT_DEPTH = 1000, TUSK_SERIAL_DEPTH = 2500 };

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
