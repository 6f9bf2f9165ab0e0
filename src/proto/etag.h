/* SPDX-License-Identifier: MIT */
/* Entity-tags in the fields of a condition (RFC 9110, 8.8.3). */
#ifndef TUSK_PROTO_ETAG_H
#define TUSK_PROTO_ETAG_H

#include <tusk/bytes.h>

/* Whether a list, as If-None-Match and If-Match carry it, has this opaque-tag (with its quotes) or
 * is "*". `weak_fits`: it may stand there as a weak one (8.8.3.2). What is no entity-tag is passed
 * over, up to the next comma. */
bool tusk__etag_listed(tusk_bytes list, tusk_bytes opaque, bool weak_fits);

#endif
