/* SPDX-License-Identifier: MIT */
/* Values of options: what a text says. */
#ifndef LOAD_VALUE_H
#define LOAD_VALUE_H

#include <tusk/bytes.h>

typedef enum load_type {
    LOAD_TYPE_COUNT,
    LOAD_TYPE_SIZE,
    LOAD_TYPE_SECONDS,
    LOAD_TYPE_RATE,
    LOAD_TYPE_SWITCH,
    LOAD_TYPE_TEXT,
    LOAD_TYPE_CHOICE
} load_type;

/* False: the text is none of that type. A switch is 0 or 1, a choice its place in `words`
 * ("a|b|c"), a text its length. */
bool tusk__load_value(load_type type, const char *words, tusk_bytes text, double *out);

/* A number as messages show it, with a point in every locale; `text` is returned. */
enum { LOAD_SHOWN_MAX = 32 };
const char *tusk__load_shown(char text[LOAD_SHOWN_MAX], double number);

#endif
