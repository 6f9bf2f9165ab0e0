/* SPDX-License-Identifier: MIT */
/* A TLS context with its certificates, as the files that make and load it see it. */
#ifndef NET_TLS_CONTEXT_H
#define NET_TLS_CONTEXT_H

#include "net/file_time.h"
#include "net/tls.h"
#include "net/tls_ticket.h"

struct bio_method_st;
struct ssl_ctx_st;
struct ssl_session_st;

typedef struct reason_text {
    char *ptr;
    size_t cap;
} reason_text;

typedef struct certificate {
    struct certificate *next;
    char *server_name; /* NULL: the first one, for everybody else */
    char *certificate_file;
    char *key_file;
    char *passphrase;
    struct ssl_ctx_st *ctx;
    struct ssl_ctx_st *fresh; /* during a reload */
    tusk__file_stamp certificate_stamp;
    tusk__file_stamp key_stamp;
    int64_t not_before, not_after; /* of what is served */
    uint8_t told;                  /* tls_validity.c: what was said of them */
} certificate;

struct tusk_tls {
    unsigned refs;
    bool is_client;
    bool verify_client;
    bool client_optional;
    bool verify_peer;
    bool resume;
    bool lacked; /* the last reload had no descriptor to read its files with */
    int min_version;
    int max_version;
    char *ca_file;
    char *crl_file;
    char *ciphers;
    tusk__file_stamp ca_stamp;
    tusk__file_stamp crl_stamp;
    int64_t crl_until; /* when the first of its lists is to be followed by another one */
    bool crl_told;     /* tls_validity.c */
    struct bio_method_st *bio_method;
    struct ssl_session_st *session; /* resume: the last one that was given */
    tusk__ticket_keys tickets;      /* of a server */
    certificate *first;
};

/* tls_load.c. The caller's text, cut to its room. */
__attribute__((format(printf, 2, 3))) void tusk__tls_explain(const reason_text *reason,
                                                             const char *format, ...);
/* tls_revoked.c. The lists of a file are looked at from now on. On failure OpenSSL knows why. */
tusk_err tusk__tls_revoke(struct ssl_ctx_st *ctx, const char *file, int64_t *until);
/* What OpenSSL needs to serve by this certificate's files as `self` says, or NULL and why. */
tusk_err tusk__tls_load(struct ssl_ctx_st **out, tusk_tls *self, const certificate *from,
                        const reason_text *reason);

#endif
