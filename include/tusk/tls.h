/* SPDX-License-Identifier: MIT */
/* TLS contexts: certificates by name, versions, client certificates, reload. */
#ifndef TUSK_TLS_H
#define TUSK_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <tusk/err.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tusk_tls tusk_tls;

typedef struct tusk_tls_options {
    const char *certificate_file; /* PEM chain */
    const char *key_file;         /* PEM key */
    const char *passphrase;       /* of the key; may be NULL */
    const char *ca_file;          /* peers are checked against it; NULL: the system's store */
    int min_version;              /* 12 or 13; 0: 12 */
    bool verify_client;           /* demand a client certificate that ca_file vouches for */
    bool verify_peer;             /* client role: check the server's certificate and name */
    const char *ciphers;          /* TLS 1.2 list, NULL: OpenSSL's */
    int max_version;              /* 12 or 13; 0: no limit */
    bool resume; /* client role, for one server: the session it gave last is offered to it again */
} tusk_tls_options;

/* On failure `reason` (of `reason_cap` bytes) says which file and why. Client role:
 * certificate_file may be NULL. */
TUSK_API tusk_err tusk_tls_server_new(tusk_tls **out, const tusk_tls_options *options, char *reason,
                                      size_t reason_cap);
TUSK_API tusk_err tusk_tls_client_new(tusk_tls **out, const tusk_tls_options *options, char *reason,
                                      size_t reason_cap);
/* One more certificate, chosen by SNI: exact name or "*.example.org". */
TUSK_API tusk_err tusk_tls_add_certificate(tusk_tls *self, const char *server_name,
                                           const char *certificate_file, const char *key_file,
                                           const char *passphrase, char *reason, size_t reason_cap);
/* Reads all files again. Either all are replaced or none; running connections keep what they have.
 */
TUSK_API tusk_err tusk_tls_reload(tusk_tls *self, char *reason, size_t reason_cap);
/* True when a file's time or size differs from what was loaded. */
TUSK_API bool tusk_tls_changed(const tusk_tls *self);
TUSK_API tusk_tls *tusk_tls_ref(tusk_tls *self);
TUSK_API void tusk_tls_unref(tusk_tls *self);
/* "OpenSSL 3.0.19 ..." or NULL when the build has no TLS. */
TUSK_API const char *tusk_tls_library(void);

#ifdef __cplusplus
}
#endif
#endif
