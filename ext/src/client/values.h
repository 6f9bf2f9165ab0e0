/* SPDX-License-Identifier: MIT */
/* Values that a client gives, for those who stand for one as well. */
#ifndef TUSK_EXT_CLIENT_VALUES_H
#define TUSK_EXT_CLIENT_VALUES_H

#include "php_tusk.h"

#include <tusk/sse.h>

/* ---- http.c ---- */
/* Fields of an answer as they come; all zero: none yet. */
typedef struct tusk_answer_fields {
    zend_array *headers;  /* joined, as users see them */
    zend_array *repeated; /* each of those that came more than once; NULL: none did */
} tusk_answer_fields;
void tusk_answer_fields_add(tusk_answer_fields *self, tusk_bytes name, tusk_bytes value);
void tusk_answer_fields_fini(tusk_answer_fields *self);
/* A ClientResponse; takes over what is in `fields`. */
void tusk_client_response(zval *out, zend_long status, tusk_answer_fields *fields, tusk_bytes body);

/* ---- event_stream.c ---- */
/* A Sse\Event; an empty type is "message". */
void tusk_sse_event_make(zval *out, tusk_bytes type, tusk_bytes data, tusk_bytes id);

#endif
