/* SPDX-License-Identifier: MIT */
/* The header section of one part of a form, and a form's type. */
#ifndef PROTO_MULTIPART_H
#define PROTO_MULTIPART_H

#include <tusk/multipart.h>

/* Whether a Content-Type is `type`; parameters may follow. */
bool tusk__multipart_is_type(tusk_bytes content_type, tusk_bytes type);
/* Takes "; name=value" off `rest`, the value a token or a quoted string without its quotes. 1: one
 * was there, 0: the end, TUSK_EPROTO: neither. */
int tusk__multipart_next_param(tusk_bytes *rest, tusk_bytes *name, tusk_bytes *value);
/* `head`: whole lines, the last one empty. */
tusk_err tusk__multipart_head_parse(tusk_multipart_part *part, tusk_bytes head);

#endif
