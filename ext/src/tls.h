/* SPDX-License-Identifier: MIT */
/* Tls objects as listeners read them, and what handlers are told of a connection's TLS. */
#ifndef TUSK_EXT_TLS_H
#define TUSK_EXT_TLS_H

#include "php_tusk.h"

#include <tusk/server.h>
#include <tusk/tls.h>

tusk_tls *tusk_tls_peek(zend_object *object);
void tusk_tls_tend_object(zend_object *object, unsigned what); /* as tusk_tls_tend; it is logged */
void tusk_tls_startup(void);

/* ---- tls_info.c ---- */
/* A TlsInfo of that session, the caller's; NULL: it speaks no TLS, is gone, or an exception was
 * thrown. */
zend_object *tusk_tls_info_make(const tusk_server *server, tusk_handle session);
/* ---- certificate.c ---- */
zend_object *tusk_certificate_make(const tusk_certificate *from);

#endif
