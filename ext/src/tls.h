/* SPDX-License-Identifier: MIT */
/* Tls objects as listeners read them, and what handlers are told of a connection's TLS. */
#ifndef TUSK_EXT_TLS_H
#define TUSK_EXT_TLS_H

#include "php_tusk.h"

#include <tusk/server.h>
#include <tusk/tls.h>

tusk_tls *tusk_tls_peek(zend_object *object);
/* A listener's parameter, after that of its address. False: an exception was thrown. */
bool tusk_tls_parameter(zval *given, zend_object **object, uint32_t number);
#define Z_PARAM_TLS_OR_NULL(tls)                                                                   \
    Z_PARAM_PROLOGUE(0, 0);                                                                        \
    if (UNEXPECTED(!tusk_tls_parameter(_arg, &tls, (uint32_t)_i))) {                               \
        _error_code = ZPP_ERROR_FAILURE;                                                           \
        break;                                                                                     \
    }
void tusk_tls_startup(void);

/* ---- tls_info.c ---- */
/* A TlsInfo of that session, the caller's; NULL: it speaks no TLS, is gone, or an exception was
 * thrown. */
zend_object *tusk_tls_info_make(const tusk_server *server, tusk_handle session);
/* ---- certificate.c ---- */
zend_object *tusk_certificate_make(const tusk_certificate *from);

#endif
