/* SPDX-License-Identifier: MIT */
/* The header section of one part of a form. */
#ifndef PROTO_MULTIPART_H
#define PROTO_MULTIPART_H

#include <tusk/multipart.h>

/* Takes "; name=value" off `rest`, the value a token or a quoted string without its quotes. 1: one
 * was there, 0: the end, TUSK_EPROTO: neither. */
int tusk__multipart_next_param(tusk_bytes *rest, tusk_bytes *name, tusk_bytes *value);
/* `head`: whole lines, the last one empty. */
tusk_err tusk__multipart_head_parse(tusk_multipart_part *part, tusk_bytes head);

#endif
