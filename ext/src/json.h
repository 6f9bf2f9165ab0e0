/* SPDX-License-Identifier: MIT */
/* JSON of strangers: PHP's decoder, with an eye on its keys. */
#ifndef TUSK_EXT_JSON_H
#define TUSK_EXT_JSON_H

#include "php_tusk.h"

extern ZEND_API zend_class_entry *php_json_exception_ce; /* in no header of 8.2 */

/* Objects become arrays. Otherwise `thrown`, a JsonException or below it: also for keys that were
 * chosen so that they all fall into one place of PHP's hash tables, where a megabyte of them takes
 * ten seconds. */
void tusk_json_decode(zval *out, const zend_string *text, zend_class_entry *thrown);
/* What was wrong with a text, by the exception's code. NULL: it is none of ours. */
const char *tusk_json_fault(zend_long code);

#endif
