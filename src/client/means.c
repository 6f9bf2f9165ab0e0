/* SPDX-License-Identifier: MIT */
/* What lines and their users take of their client: randomness, TLS, names, limits. */
#define _GNU_SOURCE
#include <assert.h>

#include "client/inner.h"
#include "loop/entropy.h"

tusk_err tusk__client_random(tusk_client *self, uint8_t *out, size_t len)
{
    assert(len <= sizeof(self->random));
    if (self->random_left < len) {
        tusk_err err = tusk__entropy(self->random, sizeof(self->random));
        if (err != TUSK_OK) {
            return err;
        }
        self->random_left = sizeof(self->random);
    }
    self->random_left -= len;
    memcpy(out, self->random + self->random_left, len);
    return TUSK_OK;
}

uint32_t tusk__client_jitter(tusk_client *self, uint32_t below)
{
    self->jitter ^= self->jitter << 13;
    self->jitter ^= self->jitter >> 7;
    self->jitter ^= self->jitter << 17;
    return below == 0 ? 0 : (uint32_t)((self->jitter >> 32) % below);
}

tusk_tls *tusk__client_tls(tusk_client *self)
{
    if (self->tls == NULL) {
        char reason[8];
        const tusk_tls_options options = {.verify_peer = true};
        (void)tusk_tls_client_new(&self->tls, &options, reason, sizeof(reason));
    }
    return self->tls;
}

tusk_err tusk__client_look_up(tusk_client *self, tusk_lookup *lookup, const char *host,
                              uint16_t port)
{
    tusk_err err = TUSK_OK;
    if (self->resolver == NULL) {
        const tusk_resolver_options options = {.look_up = self->look_up,
                                               .user = self->look_up_user};
        err = tusk_resolver_new(&self->resolver, self->loop, &options);
    }
    return err != TUSK_OK ? err : tusk_resolver_start(self->resolver, lookup, host, port);
}

const tusk_http_limits *tusk__client_limits(void)
{
    /* Answers carry more than requests do: cookies and policies of all kinds. */
    static const tusk_http_limits limits = {
        .line_max = 8192,
        .head_max = 65536,
        .fields_max = TUSK_HTTP_FIELDS_CAP,
        .chunk_line_max = 256,
        .trailers_max = 8192,
    };
    return &limits;
}

void tusk__client_line_gone(tusk_client *self)
{
    self->lines--;
    if (self->freeing && self->lines == 0) {
        tusk_task_defer(self->loop, &self->free_task); /* the net layer is still on the stack */
    }
}
