/* SPDX-License-Identifier: MIT */
/* Waiting for what a client brings: a parked handler inside a server, turns of a loop of its own
 * outside. */
#ifndef TUSK_EXT_CLIENT_AWAIT_H
#define TUSK_EXT_CLIENT_AWAIT_H

#include "src/run/fiber.h"

#include <tusk/client.h>

/* What a client object waits with; `loop` says where it lives. */
typedef struct tusk_await {
    tusk_loop *loop;
    tusk_wait wait;
    tusk_timer timer;
    bool late; /* the timer ran out */
    bool waiting;
} tusk_await;

/* The core's client and loop for somebody who begins here: the server's when a handler runs, else
 * the process's own. NULL: an exception was thrown. */
tusk_client *tusk_client_here(tusk_loop **loop);
/* Until `*ready`, at most `timeout_ms` (negative: for ever). False: an exception was thrown; `late`
 * tells a timeout. */
bool tusk_await_ready(tusk_await *self, const bool *ready, int64_t timeout_ms);
/* Whoever owned it goes: after a fatal error elsewhere somebody may have waited, and will not go
 * on.
 */
void tusk_await_fini(tusk_await *self);
/* From the core's callbacks, when something changed. */
void tusk_await_wake(tusk_await *self);
/* Throws Tusk\Exception: "Cannot WHAT URL (stage): text". */
ZEND_COLD void tusk_throw_failure(const tusk_failure *failure, const char *what, zend_string *url);
/* "stage: text". */
zend_string *tusk_failure_say(const tusk_failure *failure);
/* A copy that outlives the callback; texts are static but `text`, which is cut. */
typedef struct tusk_kept_failure {
    tusk_failure failure;
    char text[160];
} tusk_kept_failure;
void tusk_failure_keep(tusk_kept_failure *out, const tusk_failure *failure);
/* A client's TLS context, or NULL when the default serves (`*ok` tells an exception). */
tusk_tls *tusk_client_tls(bool verify, zend_string *ca, uint32_t ca_number, bool *ok);
void tusk_clients_shutdown(void);

#endif
