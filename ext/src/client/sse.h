/* SPDX-License-Identifier: MIT */
/* Sse\Event, for those who read streams. */
#ifndef TUSK_EXT_CLIENT_SSE_H
#define TUSK_EXT_CLIENT_SSE_H

#include "php_tusk.h"

#include <tusk/sse.h>

/* An empty type is "message". */
void tusk_sse_event_make(zval *out, tusk_bytes type, tusk_bytes data, tusk_bytes id);

#endif
