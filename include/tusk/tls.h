/* SPDX-License-Identifier: MIT */
/* TLS contexts: certificates by name, versions, client certificates, reload. What is known of a
 * connection's TLS and of its peer's certificate. */
#ifndef TUSK_TLS_H
#define TUSK_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tusk/bytes.h>
#include <tusk/err.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tusk_tls tusk_tls;

typedef struct tusk_tls_options {
    const char *certificate_file; /* PEM chain */
    const char *key_file;         /* PEM key */
    const char *passphrase;       /* of the key; may be NULL */
    const char *ca_file; /* peers are checked against it: its authorities are trusted whoever
                            signed them; NULL: the system's store */
    int min_version;     /* 12 or 13; 0: 12 */
    bool verify_client;  /* demand a client certificate that ca_file vouches for */
    bool verify_peer;    /* client role: check the server's certificate and name */
    const char *ciphers; /* TLS 1.2 list, NULL: OpenSSL's */
    int max_version;     /* 12 or 13; 0: no limit */
    bool resume; /* client role, for one server: the session it gave last is offered to it again */
    bool client_optional; /* with verify_client: who shows none is let in as well; one that ca_file
                             does not vouch for is refused as ever */
    const char *crl_file; /* with verify_client: PEM lists of revoked certificates, one at least of
                             each authority but that which ca_file has; who is on one, or whose
                             authority has none that is in force, is refused. NULL: none is read */
} tusk_tls_options;

/* On failure `reason` (of `reason_cap` bytes) says which file and why. Client role:
 * certificate_file may be NULL. */
TUSK_API tusk_err tusk_tls_server_new(tusk_tls **out, const tusk_tls_options *options, char *reason,
                                      size_t reason_cap);
TUSK_API tusk_err tusk_tls_client_new(tusk_tls **out, const tusk_tls_options *options, char *reason,
                                      size_t reason_cap);
/* One more certificate, chosen by SNI: exact name or "*.example.org", as DNS has it. TUSK_EINVAL:
 * no client asks for such a name, or it has one already. */
TUSK_API tusk_err tusk_tls_add_certificate(tusk_tls *self, const char *server_name,
                                           const char *certificate_file, const char *key_file,
                                           const char *passphrase, char *reason, size_t reason_cap);
/* Reads all files again. Either all are replaced or none; running connections keep what they have.
 * TUSK_EEXHAUSTED: no descriptor was left to read them with, so tusk_tls_changed stays true;
 * TUSK_EAGAIN: that is still so. */
TUSK_API tusk_err tusk_tls_reload(tusk_tls *self, char *reason, size_t reason_cap);
/* True when a file's time or size differs from what was loaded. */
TUSK_API bool tusk_tls_changed(const tusk_tls *self);
/* What is to be said of its certificates now (seconds since 1970), of each once: it expires in less
 * than fourteen days or a quarter of its life, whichever is less; in a day; it has expired; it is
 * not valid yet. False: nothing, or nothing more. */
TUSK_API bool tusk_tls_warns(tusk_tls *self, int64_t now, char *text, size_t cap);
/* What a server does every few seconds, and when it is asked to: its files are read again, all the
 * same or if they have changed, then what is to be said of its certificates is said. Each sentence
 * that comes of it is told to `say`; that changed files were read is one only of who warns, as of
 * several processes one does. */
enum { TUSK_TLS_READ = 1, TUSK_TLS_READ_CHANGED = 2, TUSK_TLS_WARN = 4 };
TUSK_API void tusk_tls_tend(tusk_tls *self, unsigned what,
                            void (*say)(void *user, const char *text), void *user);
/* Until when they are good. */
typedef struct tusk_tls_validity {
    const char *file;        /* these two until the context is changed or freed */
    const char *server_name; /* NULL: the first one, for everybody else */
    int64_t not_before;      /* seconds since 1970, UTC */
    int64_t not_after;       /* the same: its last second */
} tusk_tls_validity;
/* False: it has no more than `index`. */
TUSK_API bool tusk_tls_validity_at(const tusk_tls *self, size_t index, tusk_tls_validity *out);
TUSK_API tusk_tls *tusk_tls_ref(tusk_tls *self);
TUSK_API void tusk_tls_unref(tusk_tls *self);
/* "OpenSSL 3.0.19 ..." or NULL when the build has no TLS. */
TUSK_API const char *tusk_tls_library(void);

/* ---- of one connection ---- */
enum { TUSK_SERVER_NAME_MAX = 253 };
/* Views live as long as the connection. */
typedef struct tusk_tls_info {
    const char *version; /* "TLSv1.3" */
    const char *cipher;  /* "TLS_AES_256_GCM_SHA384" */
    tusk_bytes protocol; /* agreed upon (ALPN, RFC 7301); ptr NULL: none */
    bool resumed;        /* an abbreviated handshake (RFC 8446, 2.2) */
    /* Asked for by the client (SNI): a DNS name, lower case. Empty: none was, or what is none, as
     * the address that some clients send (RFC 6066, 3). */
    char server_name[TUSK_SERVER_NAME_MAX + 1];
} tusk_tls_info;

typedef enum tusk_alt_name_kind {
    TUSK_ALT_NAME_DNS,
    TUSK_ALT_NAME_EMAIL,
    TUSK_ALT_NAME_URI,
    TUSK_ALT_NAME_IP
} tusk_alt_name_kind;

/* One of subjectAltName (RFC 5280, 4.2.1.6), as it stands there; an address as text. */
typedef struct tusk_alt_name {
    tusk_alt_name_kind kind;
    tusk_bytes text;
} tusk_alt_name;

/* A peer's certificate, which the handshake has checked. One piece of memory. */
typedef struct tusk_certificate {
    tusk_bytes subject;         /* RFC 4514, UTF-8: "CN=robot,O=Example" */
    tusk_bytes issuer;          /* the same of who signed it */
    tusk_bytes common_name;     /* the last CN of the subject; ptr NULL: none */
    tusk_bytes serial;          /* hexadecimal, upper case, as `openssl x509 -serial` has it */
    tusk_bytes pem;             /* RFC 7468, with its lines' ends */
    int64_t not_before;         /* seconds since 1970, UTC */
    int64_t not_after;          /* the same: its last second */
    const tusk_alt_name *names; /* in their order; other kinds are left out */
    size_t name_count;
    uint8_t fingerprint[32]; /* SHA-256 of its DER form */
    size_t size;             /* of the piece of memory */
} tusk_certificate;
/* Of the first CERTIFICATE of a PEM text, which nobody has checked; to be freed. TUSK_ETLS: there
 * is none that is well-formed. */
TUSK_API tusk_err tusk_certificate_parse(tusk_certificate **out, tusk_bytes pem);
TUSK_API void tusk_certificate_free(tusk_certificate *self); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
