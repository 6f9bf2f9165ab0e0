/* SPDX-License-Identifier: MIT */
/* The general server's object, as its methods in two files see it. */
#ifndef TUSK_EXT_SERVE_SERVER_H
#define TUSK_EXT_SERVE_SERVER_H

#include "src/serve/service.h"

#include <tusk/crew.h>

typedef struct tusk_php_server {
    tusk_service *service;
    uint32_t listeners;
    tusk_server_limits limits;
    tusk_shared_log *log; /* of a server with workers, from run() on; and what they count */
    tusk_server_shared *shared;
    zval bootstrap; /* NULL: none */
    zval unbooted;  /* what it threw in this process; what it had added stays */
    bool booting;   /* it is being called */
    bool booted;
    zend_object std;
} tusk_php_server;

static inline tusk_php_server *tusk_php_server_of(zval *object)
{
    return TUSK_FROM(tusk_php_server, Z_OBJ_P(object));
}

/* False: the server runs, and a LogicException was thrown. */
bool tusk_server_may_change(const tusk_php_server *self, const char *what);
/* What its listeners show, `cap` at most. */
size_t tusk_php_server_contexts(const tusk_php_server *self, tusk_tls **out, size_t cap);

/* ---- server_boot.c ---- */
/* Calls the bootstrap, once; what it threw is thrown each time. False: it failed, as
 * tusk_bootstrap_call() says. */
bool tusk_server_boot(zend_object *object);
/* What PHP keeps of files is let go: workers to come read those that have changed. */
void tusk_server_forget_code(void);

/* ---- server_workers.c ---- */
/* False: an exception was thrown. */
bool tusk_server_make_workers(tusk_php_server *self, uint32_t count, const tusk_identity *identity);
void tusk_server_free_workers(tusk_php_server *self);
/* Whether run() may begin with what this process did before; else a LogicException was thrown. */
bool tusk_server_may_fork(const tusk_php_server *self);

#endif
