/* SPDX-License-Identifier: MIT */
/* What the files of TLS share: the context as a filter sees it, and names. */
#ifndef NET_TLS_INNER_H
#define NET_TLS_INNER_H

#include "net/tls.h"

struct ssl_st;
struct ssl_ctx_st;
struct ssl_session_st;
struct asn1_string_st;
struct bio_method_st;
struct x509_st;

/* tls.c: what a new connection starts with. */
struct ssl_ctx_st *tusk__tls_ctx(tusk_tls *self);
struct bio_method_st *tusk__tls_bio_method(tusk_tls *self);
void tusk__tls_tend_tickets(tusk_tls *self); /* keys whose time is over are gone behind it */
bool tusk__tls_is_client(const tusk_tls *self);
bool tusk__tls_verifies_peer(const tusk_tls *self);
struct ssl_session_st *tusk__tls_session(tusk_tls *self); /* to be offered; NULL: none */

/* tls_bio.c: how OpenSSL reaches the socket, without SIGPIPE. */
struct bio_method_st *tusk__tls_bio_method_new(void);
/* filter_tls.c. */
/* The client's protocols as they came (RFC 7301, 3.1), well-formed; kept by who was asked to. */
void tusk__tls_offered(struct ssl_st *ssl, tusk_bytes protocols);
/* The one that is spoken here; "": none is chosen. */
const char *tusk__tls_protocol(struct ssl_st *ssl);

/* tls_certificate.c. */
/* Of the peer, when the handshake has checked it; TUSK_ENOENT: there is none. */
tusk_err tusk__tls_certificate(const struct ssl_st *ssl, tusk_certificate **out);
tusk_err tusk__tls_fingerprint(const struct ssl_st *ssl, uint8_t out[32]);
/* Of the one that a context shows; false: its dates are none. */
bool tusk__tls_dates(const struct ssl_ctx_st *ctx, int64_t *not_before, int64_t *not_after);
/* Unix time; false: it is none. */
bool tusk__tls_seconds(int64_t *out, const struct asn1_string_st *time);
/* After the handshake: what a client has sent beside its own goes. */
void tusk__tls_drop_chain(struct ssl_st *ssl);

/* tls_name.c. */
enum { TLS_PATTERN_MAX = TUSK_SERVER_NAME_MAX + 2 };
/* As DNS has it, lower case, without a dot at the end; false: it is none, and `out` is empty. */
bool tusk__tls_name_lower(char out[TUSK_SERVER_NAME_MAX + 1], const char *name);
/* The same of what a certificate is given for: a name, or "*." and a name. */
bool tusk__tls_pattern_lower(char out[TLS_PATTERN_MAX + 1], const char *pattern);
/* Whether a certificate given for `pattern` is for `name` as a client asked for it. */
bool tusk__tls_name_matches(const char *pattern, const char *name);

#endif
