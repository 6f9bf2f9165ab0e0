/* SPDX-License-Identifier: MIT */
/* Values looked through, each once however many ways lead to it; the way to one that was found is
 * told afterwards. No code of PHP's runs meanwhile, and nothing recurses. */
#ifndef TUSK_EXT_TRAVEL_WALK_H
#define TUSK_EXT_TRAVEL_WALK_H

#include "src/travel/travel.h"

#include <Zend/zend_smart_str.h>

typedef enum tusk_walk_verdict { WALK_INTO, WALK_PAST, WALK_FOUND } tusk_walk_verdict;

/* An array, an object or what a closure captured, and where it stands in another one. */
typedef struct walk_place {
    zval what;        /* borrowed */
    zend_string *key; /* NULL: `index`, or a closure's $this */
    zend_ulong index;
    uint32_t outer; /* number of the place that it lies in */
    bool bound;     /* it is a closure's $this */
    bool held;      /* no property: what a container, an iterator or a generator holds */
    bool some;      /* of several that it holds, nobody says which */
} walk_place;

typedef struct tusk_walk {
    /* Of an object or a resource. */
    tusk_walk_verdict (*judge)(struct tusk_walk *self, const zval *value);
    const zend_class_entry *passed; /* the judge's: the class that it saw last, and has no fault */
    HashTable met;                  /* what may be met twice, kept alive */
    bool has_met;
    walk_place *places;
    uint32_t count, cap;
} tusk_walk;

/* A container of SPL: what it holds is no property of it, and serialize() writes all of that. */
bool tusk_walk_holds(const zend_class_entry *ce);
/* Written in C, it holds what it holds beside its properties, and says nothing of that to
 * serialize(): it would arrive as an empty one, or as one that was never made. */
bool tusk_walk_hides(const zend_object *object);

void tusk_walk_init(tusk_walk *self,
                    tusk_walk_verdict (*judge)(tusk_walk *self, const zval *value));
void tusk_walk_fini(tusk_walk *self);
/* Looks through an array or an object, but not what an earlier call has met. True: something was
 * found, at the last of `places`. */
bool tusk_walk_find(tusk_walk *self, const zval *root);
/* What was found, and the way to it from the root: "['rows'][3]->handle". */
const zval *tusk_walk_found(const tusk_walk *self);
void tusk_walk_path(const tusk_walk *self, const char *root, smart_str *out);

#endif
