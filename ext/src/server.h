/* SPDX-License-Identifier: MIT */
/* The general server's object, as its methods in two files see it. */
#ifndef TUSK_EXT_SERVER_H
#define TUSK_EXT_SERVER_H

#include "src/host.h"

typedef struct tusk_php_server {
    tusk_host *host;
    uint32_t listeners;
    zend_object std;
} tusk_php_server;

static inline tusk_php_server *tusk_php_server_of(zval *object)
{
    return TUSK_FROM(tusk_php_server, Z_OBJ_P(object));
}

/* False: the server runs, and a LogicException was thrown. */
bool tusk_server_may_change(tusk_php_server *self, const char *what);
/* Texts of a list, borrowed from it; the array is the caller's (efree). NULL: an exception was
 * thrown. */
tusk_bytes *tusk_string_list(HashTable *list, uint32_t number, size_t *count);

#endif
