/* SPDX-License-Identifier: MIT */
/* What others need of URLs beyond <tusk/http.h>. */
#ifndef PROTO_URL_H
#define PROTO_URL_H

#include <stdbool.h>
#include <stddef.h>

/* RFC 3986, 5.2.4, in place, of a path that begins with "/"; returns what is left. `*leaves`: a
 * ".." stood where there was nothing more to leave; it is dropped. */
size_t tusk__url_remove_dots(char *path, size_t len, bool *leaves);

#endif
