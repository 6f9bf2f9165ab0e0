/* SPDX-License-Identifier: MIT */
/* JSON of strangers: PHP's decoder, with an eye on its keys. */
#ifndef TUSK_EXT_JSON_H
#define TUSK_EXT_JSON_H

#include "php_tusk.h"

/* Objects become arrays. Otherwise a JsonException: also for keys that were chosen so that they
 * all fall into one place of PHP's hash tables, where a megabyte of them takes ten seconds. */
void tusk_json_decode(zval *out, const zend_string *text);

#endif
