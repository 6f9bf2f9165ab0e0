/* SPDX-License-Identifier: MIT */
/* Http\Response's insides, for who makes one and for who sends it. */
#ifndef TUSK_EXT_SERVE_RESPONSE_H
#define TUSK_EXT_SERVE_RESPONSE_H

#include "src/serve/http.h"

/* Slots in the stub's order. */
enum { RESPONSE_STATUS, RESPONSE_HEADERS, RESPONSE_BODY };

typedef struct tusk_response {
    zend_string *file;
    zend_string *media_type; /* of the file; NULL: by its name */
    zval chunks;             /* an array or Traversable */
    zend_long length;        /* of all chunks; -1: unknown */
    zend_object std;
} tusk_response;

/* The line of a plain form whose headers nobody changed; empty: they have to be written. */
tusk_bytes tusk_response_ready_line(const zend_array *headers);
/* Of a file it stands in place of the one that goes with the file. */
bool tusk_response_has_type(zend_array *headers);

/* A copy with that field; `add`: behind others of its name, else in place of them. Names are
 * compared without case, the first spelling stays. Both were checked. */
zend_object *tusk_response_with_field(zend_object *response, zend_string *name, zend_string *value,
                                      bool add);

#endif
