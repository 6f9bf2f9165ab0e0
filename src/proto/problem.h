/* SPDX-License-Identifier: MIT */
/* What is said of a refusal, to programs that ask for JSON: problem details, RFC 9457. */
#ifndef PROTO_PROBLEM_H
#define PROTO_PROBLEM_H

#include <tusk/http.h>

#define TUSK__PROBLEM_TYPE "application/problem+json"

/* With each 401 of ours (RFC 9110, 15.5.2). What it is that proves who somebody is, a cookie or a
 * token, only the application knows; of a scheme that is not known no browser asks its user. */
#define TUSK__CHALLENGE "WWW-Authenticate: Application\r\n"
#define TUSK__PROXY_CHALLENGE "Proxy-Authenticate: Application\r\n" /* with a 407: 15.5.8 */

/* Whether the first of the media types it accepts that is one of ours is JSON; a browser's list
 * begins with HTML. NULL, a head that nobody has: no. */
bool tusk__problem_wanted(const tusk_http_head *head);
/* Appends {"title":…,"status":…,"detail":…}, without a detail that is empty or not UTF-8. */
tusk_err tusk__problem_append(tusk_buf *out, int status, tusk_bytes detail);
/* The line that RFC 9110 has with each answer of that status (15.5.2, 15.5.6, 15.5.8, 15.5.22) and
 * that is not among `fields`; NULL: nothing is missing. What Allow and Upgrade say there is what
 * anybody may say who knows no better. */
const char *tusk__field_owed(int status, tusk_bytes fields);

#endif
