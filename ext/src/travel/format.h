/* SPDX-License-Identifier: MIT */
/* What the bytes of a travelling value begin with. */
#ifndef TUSK_EXT_TRAVEL_FORMAT_H
#define TUSK_EXT_TRAVEL_FORMAT_H

enum {
    TAG_NULL,
    TAG_FALSE,
    TAG_TRUE,
    TAG_INT,
    TAG_DOUBLE,
    TAG_STRING,
    TAG_EMPTY,
    TAG_LIST,
    TAG_MAP,  /* n, keys, values; the keys are a shape from now on */
    TAG_SAME, /* number of a shape, values */
    TAG_HASH, /* n, then key and value in turn */
    TAG_OBJECT,
    TAG_ENUM,
    TAG_CLOSURE,
    TAG_SHORT = 0x40, /* + length of a string under 64 bytes */
    TAG_SMALL = 0x80  /* + an integer from 0 to 127 */
};
enum { KEY_INT, KEY_NEW, KEY_KNOWN }; /* KEY_KNOWN + number */

#endif
