/* SPDX-License-Identifier: MIT */
/* TLS as a filter under a connection. OpenSSL appears in tls.c and tls_load.c (contexts),
 * filter_tls.c (connections) and tls_certificate.c, nowhere else; tls_none.c answers for a build
 * without it. */
#ifndef NET_TLS_H
#define NET_TLS_H

#include <tusk/tls.h>

#include "net/conn.h"

/* One per accepted or connecting socket; owned by the connection from tusk_conn_init on.
 * `server_name` for the client role (SNI and host name check); NULL in the server role. */
tusk_err tusk_tls_filter_new(tusk_filter **out, tusk_tls *context, const char *server_name);
/* The same for who speaks something else than "http/1.1": the one protocol (ALPN, RFC 7301; static
 * text) that is offered to a server, and chosen when a client offers it. Empty: none is, and what a
 * client offers is passed over, as a relay does that does not know what goes through it. */
tusk_err tusk_tls_filter_new_speaking(tusk_filter **out, tusk_tls *context, const char *server_name,
                                      const char *protocol);
void tusk_tls_filter_free(tusk_filter *self);

bool tusk_filter_is_client(const tusk_filter *self); /* it speaks first */
/* Of a server's: the client has sent something. */
bool tusk_filter_has_begun(const tusk_filter *self);

/* What the connection calls; results: > 0 bytes, 0 end of stream, TUSK_EAGAIN (wants in `*want`),
 * other errors. Of a reset that writing meets (TUSK_ERESET) reading is free: what came before it.
 */
ptrdiff_t tusk_filter_handshake(tusk_filter *self, int fd, unsigned *want);
ptrdiff_t tusk_filter_read(tusk_filter *self, uint8_t *ptr, size_t cap, unsigned *want);
ptrdiff_t tusk_filter_write(tusk_filter *self, const uint8_t *ptr, size_t len, unsigned *want);
bool tusk_filter_pending(const tusk_filter *self); /* decrypted bytes wait inside */
/* The last read took something from the socket and has nothing to show for it: a record comes
 * slowly. */
bool tusk_filter_has_got_part(const tusk_filter *self);
/* Server role: the client asked for new keys, or to renegotiate, in the last read. That costs as
 * much as twenty records of data. */
bool tusk_filter_turned_keys(const tusk_filter *self);
ptrdiff_t tusk_filter_shutdown(tusk_filter *self, unsigned *want); /* close_notify */

/* Why the handshake or the connection failed, in words ("certificate verify failed: hostname
 * mismatch"); NULL: it did not. The connection keeps its filter until on_close has returned, so
 * on_ready and on_close may ask. */
const char *tusk_filter_reason(const tusk_filter *self);
/* A TUSK_ERESET was none: the peer's socket has ended in order, but it said no close_notify. Many
 * clients leave like that; whether what they said was all, nobody knows. */
bool tusk_filter_was_cut(const tusk_filter *self);
/* Server role, after the handshake: the name that the client asked for (SNI), as it wrote it; NULL:
 * none. Lives as long as the filter. */
const char *tusk_filter_server_name(const tusk_filter *self);
/* Server role, before the handshake: the protocols that the client offers (ALPN) are kept. */
void tusk_filter_keep_alpn(tusk_filter *self);
/* After it: their names, joined by commas; ptr NULL: none was offered. Lives as long as the filter.
 */
tusk_bytes tusk_filter_alpn(const tusk_filter *self);
/* "TLSv1.3" */
const char *tusk_filter_version(const tusk_filter *self);
/* "TLS_AES_256_GCM_SHA384"; empty before the handshake. */
const char *tusk_filter_cipher(const tusk_filter *self);
bool tusk_filter_resumed(const tusk_filter *self); /* an abbreviated handshake (RFC 8446, 2.2) */
/* All of that, after the handshake. */
void tusk_filter_info(const tusk_filter *self, tusk_tls_info *out);
/* What the peer showed of itself and the handshake has checked, read anew each time.
 * TUSK_ENOENT: nothing, or nobody asked for it. */
tusk_err tusk_filter_certificate(const tusk_filter *self, tusk_certificate **out);
/* The SHA-256 of its DER form alone. TUSK_ENOENT as above. */
tusk_err tusk_filter_fingerprint(const tusk_filter *self, uint8_t out[32]);

#endif
