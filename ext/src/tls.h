/* SPDX-License-Identifier: MIT */
/* Tls objects as listeners read them. */
#ifndef TUSK_EXT_TLS_H
#define TUSK_EXT_TLS_H

#include "php_tusk.h"

#include <tusk/tls.h>

tusk_tls *tusk_tls_peek(zend_object *object);
void tusk_tls_startup(void);

#endif
