/* SPDX-License-Identifier: MIT */
/* The answers of a build without OpenSSL. */
#include "net/tls.h"
#include "net/tls_inner.h"

#if !defined(TUSK_HAVE_OPENSSL)

#include <stdio.h>

#define TUSK__NO_TLS "this build has no TLS"

static tusk_err refuse(char *reason, size_t reason_cap)
{
    if (reason != NULL && reason_cap > 0) {
        (void)snprintf(reason, reason_cap, "%s", TUSK__NO_TLS);
    }
    return TUSK_ENOTSUP;
}

tusk_err tusk_tls_server_new(tusk_tls **out, const tusk_tls_options *options, char *reason,
                             size_t reason_cap)
{
    (void)options;
    *out = NULL;
    return refuse(reason, reason_cap);
}

tusk_err tusk_tls_client_new(tusk_tls **out, const tusk_tls_options *options, char *reason,
                             size_t reason_cap)
{
    (void)options;
    *out = NULL;
    return refuse(reason, reason_cap);
}

tusk_err tusk_tls_add_certificate(tusk_tls *self, const char *server_name,
                                  const char *certificate_file, const char *key_file,
                                  const char *passphrase, char *reason, size_t reason_cap)
{
    (void)self;
    (void)server_name;
    (void)certificate_file;
    (void)key_file;
    (void)passphrase;
    return refuse(reason, reason_cap);
}

tusk_err tusk_tls_reload(tusk_tls *self, char *reason, size_t reason_cap)
{
    (void)self;
    return refuse(reason, reason_cap);
}

bool tusk_tls_changed(const tusk_tls *self)
{
    (void)self;
    return false;
}

bool tusk_tls_warns(tusk_tls *self, int64_t now, char *text, size_t cap)
{
    (void)self;
    (void)now;
    (void)text;
    (void)cap;
    return false;
}

bool tusk_tls_validity_at(const tusk_tls *self, size_t index, tusk_tls_validity *out)
{
    (void)self;
    (void)index;
    (void)out;
    return false;
}

tusk_tls *tusk_tls_ref(tusk_tls *self)
{
    return self;
}

void tusk_tls_unref(tusk_tls *self)
{
    (void)self;
}

const char *tusk_tls_library(void)
{
    return NULL;
}

tusk_err tusk_tls_filter_new(tusk_filter **out, tusk_tls *context, const char *server_name)
{
    (void)context;
    (void)server_name;
    *out = NULL;
    return TUSK_ENOTSUP;
}

tusk_err tusk_tls_filter_new_speaking(tusk_filter **out, tusk_tls *context, const char *server_name,
                                      const char *protocol)
{
    (void)context;
    (void)server_name;
    (void)protocol;
    *out = NULL;
    return TUSK_ENOTSUP;
}

void tusk_tls_filter_free(tusk_filter *self)
{
    (void)self;
}

bool tusk_filter_has_begun(const tusk_filter *self)
{
    (void)self;
    return false;
}

bool tusk_filter_is_client(const tusk_filter *self)
{
    (void)self;
    return false;
}

ptrdiff_t tusk_filter_handshake(tusk_filter *self, int fd, unsigned *want)
{
    (void)self;
    (void)fd;
    *want = 0;
    return TUSK_ENOTSUP;
}

ptrdiff_t tusk_filter_read(tusk_filter *self, uint8_t *ptr, size_t cap, unsigned *want)
{
    (void)self;
    (void)ptr;
    (void)cap;
    *want = 0;
    return TUSK_ENOTSUP;
}

ptrdiff_t tusk_filter_write(tusk_filter *self, const uint8_t *ptr, size_t len, unsigned *want)
{
    (void)self;
    (void)ptr;
    (void)len;
    *want = 0;
    return TUSK_ENOTSUP;
}

bool tusk_filter_pending(const tusk_filter *self)
{
    (void)self;
    return false;
}

bool tusk_filter_has_got_part(const tusk_filter *self)
{
    (void)self;
    return false;
}

bool tusk_filter_turned_keys(const tusk_filter *self)
{
    (void)self;
    return false;
}

ptrdiff_t tusk_filter_shutdown(tusk_filter *self, unsigned *want)
{
    (void)self;
    *want = 0;
    return TUSK_ENOTSUP;
}

bool tusk_filter_was_cut(const tusk_filter *self)
{
    (void)self;
    return false;
}

const char *tusk_filter_reason(const tusk_filter *self)
{
    (void)self;
    return NULL;
}

const char *tusk_filter_server_name(const tusk_filter *self)
{
    (void)self;
    return NULL;
}

void tusk_filter_keep_alpn(tusk_filter *self)
{
    (void)self;
}

tusk_bytes tusk_filter_alpn(const tusk_filter *self)
{
    (void)self;
    return tusk_bytes_of(NULL, 0);
}

const char *tusk_filter_version(const tusk_filter *self)
{
    (void)self;
    return NULL;
}

const char *tusk_filter_cipher(const tusk_filter *self)
{
    (void)self;
    return "";
}

bool tusk_filter_resumed(const tusk_filter *self)
{
    (void)self;
    return false;
}

void tusk_filter_info(const tusk_filter *self, tusk_tls_info *out)
{
    (void)self;
    *out = (tusk_tls_info){0};
}

tusk_err tusk_filter_certificate(const tusk_filter *self, tusk_certificate **out)
{
    (void)self;
    *out = NULL;
    return TUSK_ENOTSUP;
}

tusk_err tusk_filter_fingerprint(const tusk_filter *self, uint8_t out[32])
{
    (void)self;
    (void)out;
    return TUSK_ENOTSUP;
}

tusk_err tusk_certificate_parse(tusk_certificate **out, tusk_bytes pem)
{
    (void)pem;
    *out = NULL;
    return TUSK_ENOTSUP;
}

void tusk_certificate_free(tusk_certificate *self)
{
    (void)self;
}

void tusk__tls_tend_tickets(tusk_tls *self)
{
    (void)self;
}

#else

typedef int tusk__tls_is_built_in; /* an empty file would not be C */

#endif
