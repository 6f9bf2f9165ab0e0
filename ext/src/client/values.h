/* SPDX-License-Identifier: MIT */
/* Values that a client gives, for those who stand for one as well. */
#ifndef TUSK_EXT_CLIENT_VALUES_H
#define TUSK_EXT_CLIENT_VALUES_H

#include "php_tusk.h"

#include <tusk/sse.h>

/* ---- http.c ---- */
/* A ClientResponse; takes over `headers`. */
void tusk_client_response(zval *out, zend_long status, zend_array *headers, tusk_bytes body);

/* ---- event_stream.c ---- */
/* A Sse\Event; an empty type is "message". */
void tusk_sse_event_make(zval *out, tusk_bytes type, tusk_bytes data, tusk_bytes id);

#endif
