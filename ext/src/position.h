/* SPDX-License-Identifier: MIT */
/* Position objects as arguments and results. */
#ifndef TUSK_EXT_POSITION_H
#define TUSK_EXT_POSITION_H

#include "php_tusk.h"

#include <tusk/hub.h>

void tusk_position_object(zval *out, tusk_position at);
/* From an object or a text (object NULL). False: a ValueError was thrown. */
bool tusk_position_arg(zend_object *object, zend_string *text, uint32_t number, tusk_position *out);
void tusk_position_startup(void);

#endif
