/* SPDX-License-Identifier: MIT */
/* TLS of one connection: OpenSSL between the socket and the connection. */
#define _GNU_SOURCE
#include "net/filter_tls.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "net/socket.h"
#include "proto/tls_hello.h"

#define REASON_BYTES 160
#define PLAIN_READS_MAX 16

/* ---- beginning and end ---- */
static bool set_server_name(SSL *ssl, const char *name, bool verify)
{
    uint8_t address[16];
    bool numeric =
        inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
    if (!numeric && SSL_set_tlsext_host_name(ssl, name) != 1) {
        return false;
    }
    if (!verify) {
        return true;
    }
    if (numeric) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1;
    }
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(ssl, name) == 1;
}

/* OpenSSL tells nobody that it had no memory for this; from 3.2 on its next call then reads from
 * NULL. */
static bool take_role(SSL *ssl, bool is_client)
{
    ERR_clear_error();
    if (is_client) {
        SSL_set_connect_state(ssl);
    } else {
        SSL_set_accept_state(ssl);
    }
    return ERR_peek_error() == 0;
}

tusk_err tusk_tls_filter_new(tusk_filter **out, tusk_tls *context, const char *server_name)
{
    const tusk_mem *mem = tusk_mem_default();
    *out = NULL;
    tusk_filter *self = tusk__new(mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    bool is_client = tusk__tls_is_client(context);
    self->ssl = SSL_new(tusk__tls_ctx(context));
    if (self->ssl == NULL || !take_role(self->ssl, is_client) ||
        (server_name != NULL &&
         !set_server_name(self->ssl, server_name, tusk__tls_verifies_peer(context)))) {
        SSL_free(self->ssl);
        tusk__free(mem, self, sizeof(*self));
        return TUSK_ENOMEM;
    }
    self->hello.over = is_client;
    if (is_client && tusk__tls_session(context) != NULL) {
        (void)SSL_set_session(self->ssl, tusk__tls_session(context)); /* or a full handshake */
    }
    tusk__tls_watch_records(self);
    self->context = tusk_tls_ref(context);
    *out = self;
    return TUSK_OK;
}

/* OpenSSL 1.1.1 says that no list is an error, and has none from then on. */
static bool offer(SSL *ssl, const char *protocol)
{
    uint8_t list[UINT8_MAX + 1];
    size_t len = strlen(protocol);
    list[0] = (uint8_t)len;
    memcpy(list + 1, protocol, len);
    return SSL_set_alpn_protos(ssl, len == 0 ? NULL : list, len == 0 ? 0 : (unsigned)len + 1) ==
               0 ||
           len == 0;
}

tusk_err tusk_tls_filter_new_speaking(tusk_filter **out, tusk_tls *context, const char *server_name,
                                      const char *protocol)
{
    tusk_err err = tusk_tls_filter_new(out, context, server_name);
    if (err != TUSK_OK) {
        return err;
    }
    (*out)->protocol = protocol;
    bool told = tusk_filter_is_client(*out) ? offer((*out)->ssl, protocol)
                                            : SSL_set_app_data((*out)->ssl, *out) == 1;
    if (!told) {
        tusk_tls_filter_free(*out);
        *out = NULL;
        return TUSK_ENOMEM;
    }
    return TUSK_OK;
}

void tusk_tls_filter_free(tusk_filter *self)
{
    if (self == NULL) {
        return;
    }
    if (tusk__tls_session(self->context) != NULL) {
        /* OpenSSL takes a session for spoilt whose connection ended without close_notify. */
        SSL_set_shutdown(self->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    }
    SSL_free(self->ssl);
    tusk_tls_unref(self->context);
    tusk__free(tusk_mem_default(), self->reason, REASON_BYTES);
    tusk__free(tusk_mem_default(), self->alpn, self->alpn_len);
    tusk__free(tusk_mem_default(), self, sizeof(*self));
    ERR_clear_error();
}

bool tusk_filter_is_client(const tusk_filter *self)
{
    return tusk__tls_is_client(self->context);
}

bool tusk_filter_has_begun(const tusk_filter *self)
{
    return self->hello.over || self->hello.record_type != 0;
}

/* ---- outcomes ---- */
static void keep_reason(tusk_filter *self, const char *text)
{
    if (self->reason == NULL) {
        self->reason = tusk__new(tusk_mem_default(), REASON_BYTES);
    }
    if (self->reason != NULL) {
        (void)snprintf(self->reason, REASON_BYTES, "%s", text);
    }
}

/* OpenSSL knows four methods, and CONNECT by another name. */
static bool is_plain_http(const tusk_filter *self, int why)
{
    static const char starts[][sizeof(self->head) + 1] = {"DELET", "PATCH", "OPTIO", "TRACE",
                                                          "CONNE", "PROPF", "PRI *"};
    if (why == SSL_R_HTTP_REQUEST) {
        return true;
    }
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (memcmp(self->head, starts[i], sizeof(self->head)) == 0) {
            return SSL_in_init(self->ssl) == 1;
        }
    }
    return false;
}

/* Who speaks HTTP without TLS is told so in his own words, as far as the socket takes them. What he
 * sent is read first: unread, it would turn our end into a reset, and that may take the answer
 * away. */
static void answer_plain_http(const tusk_filter *self)
{
    static const char answer[] =
        "HTTP/1.1 400 Bad Request\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n"
        "Content-Length: 66\r\n"
        "Connection: close\r\n\r\n"
        "TLS is spoken here: the address begins with https:// (or wss://).\n";
    char rest[4096];
    for (int i = 0; i < PLAIN_READS_MAX && recv(self->fd, rest, sizeof(rest), MSG_DONTWAIT) > 0;
         i++) {
    }
    size_t len = sizeof(answer) - 1 - (self->head[0] == 'H' ? 66 : 0); /* HEAD has no content */
    (void)send(self->fd, answer, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static tusk_err fail(tusk_filter *self, int kind, int number)
{
    unsigned long code = ERR_peek_last_error();
    const char *text = code == 0 ? NULL : ERR_reason_error_string(code);
    bool is_client = tusk__tls_is_client(self->context);
    if (code != 0 && is_client && ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER) {
        text = "no TLS is spoken there: without it the address begins with http:// or ws://";
    } else if (code != 0 && !is_client && is_plain_http(self, ERR_GET_REASON(code))) {
        answer_plain_http(self);
    }
    tusk_err err = TUSK_ETLS;
    long verdict = SSL_get_verify_result(self->ssl);
#if defined(SSL_R_UNEXPECTED_EOF_WHILE_READING)
    bool cut = kind == SSL_ERROR_SSL && ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
#else
    bool cut = false;
#endif
    if (tusk__tls_is_idle(self)) {
        text = "too many records without data";
    } else if (kind == SSL_ERROR_SYSCALL && code == 0 && number == EPROTO) {
        text = "the hello declares more than 16 KiB";
    } else if (cut || (kind == SSL_ERROR_SYSCALL && code == 0)) {
        err = TUSK_ERESET; /* the end without close_notify: it may be truncated */
        self->cut = number == 0;
        text = number == 0 ? "closed without close_notify" : "connection reset";
    } else if (code != 0 && ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE) {
        err = TUSK_ENOMEM;
    }
    if (verdict != X509_V_OK && err == TUSK_ETLS) {
        char both[REASON_BYTES];
        (void)snprintf(both, sizeof(both), "certificate verify failed: %s",
                       X509_verify_cert_error_string(verdict));
        keep_reason(self, both);
    } else {
        keep_reason(self, text == NULL ? "TLS failed" : text);
    }
    self->broken = err;
    ERR_clear_error();
    return err;
}

/* What SSL_get_error says of `result`, in our words. */
static ptrdiff_t outcome(tusk_filter *self, int result, unsigned *want)
{
    int number = errno;
    int kind = SSL_get_error(self->ssl, result);
    *want = 0;
    switch (kind) {
    case SSL_ERROR_WANT_READ: *want = TUSK_IO_READ; return TUSK_EAGAIN;
    case SSL_ERROR_WANT_WRITE: *want = TUSK_IO_WRITE; return TUSK_EAGAIN;
    case SSL_ERROR_ZERO_RETURN: return 0;
    default: return fail(self, kind, number);
    }
}

ptrdiff_t tusk_filter_handshake(tusk_filter *self, int fd, unsigned *want)
{
    ERR_clear_error();
    errno = 0;
    *want = 0;
    if (self->broken != TUSK_OK) {
        return self->broken;
    }
    if (SSL_get_rbio(self->ssl) == NULL) {
        BIO *bio = BIO_new(tusk__tls_bio_method(self->context));
        if (bio == NULL) {
            return TUSK_ENOMEM;
        }
        self->fd = fd;
        BIO_set_data(bio, self);
        BIO_set_init(bio, 1);
        SSL_set_bio(self->ssl, bio, bio);
    }
    int result = SSL_do_handshake(self->ssl);
    if (result == 1) {
        self->hello.over = true;
        tusk__tls_drop_chain(self->ssl);
        return 1;
    }
    ptrdiff_t told = outcome(self, result, want);
    return told == 0 ? TUSK_ERESET : told;
}

/* A record without data (a key update, a ticket) is no reason to wait: the next may lie behind.
 * From OpenSSL 3.2 on new keys have a reader of their own, to whom the old one hands what it has
 * read ahead, and SSL_has_pending() does not count that. */
static bool carried_nothing(const tusk_filter *self, int result)
{
    return !self->dry && !tusk__tls_is_idle(self) &&
           SSL_get_error(self->ssl, result) == SSL_ERROR_WANT_READ;
}

ptrdiff_t tusk_filter_read(tusk_filter *self, uint8_t *ptr, size_t cap, unsigned *want)
{
    ERR_clear_error();
    errno = 0;
    *want = 0;
    if (self->broken != TUSK_OK) {
        return self->broken;
    }
    self->starved = false;
    self->turned = false;
    self->came = false;
    self->dry = false;
    int most = cap > INT_MAX ? INT_MAX : (int)cap;
    int len = SSL_read(self->ssl, ptr, most);
    while (TUSK_UNLIKELY(len < 0) && carried_nothing(self, len)) {
        self->behind = true;
        len = SSL_read(self->ssl, ptr, most);
    }
    if (len > 0) {
        self->records = 0;
        return len;
    }
    if (tusk__tls_is_idle(self)) {
        return fail(self, SSL_ERROR_SSL, 0);
    }
    ptrdiff_t told = outcome(self, len, want);
    self->over = told != TUSK_EAGAIN;
    self->starved = told != TUSK_EAGAIN || self->dry;
    return told;
}

ptrdiff_t tusk_filter_write(tusk_filter *self, const uint8_t *ptr, size_t len, unsigned *want)
{
    ERR_clear_error();
    errno = 0;
    *want = 0;
    if (self->broken != TUSK_OK || self->deaf) {
        return self->deaf ? TUSK_ERESET : self->broken;
    }
    int taken = SSL_write(self->ssl, ptr, len > INT_MAX ? INT_MAX : (int)len);
    ptrdiff_t told = taken > 0 ? taken : outcome(self, taken, want);
    if (told == TUSK_ERESET) { /* the socket's error and not OpenSSL's, which still reads */
        self->deaf = true;
        self->broken = TUSK_OK;
    }
    return told;
}

/* Part of a record counts for nothing: reading it would only find the socket empty again. An end
 * that was found behind good bytes counts, as nothing comes to the socket after it. */
bool tusk_filter_pending(const tusk_filter *self)
{
    return self->over || (!self->starved && self->broken == TUSK_OK &&
                          (self->behind || SSL_has_pending(self->ssl) == 1));
}

bool tusk_filter_has_got_part(const tusk_filter *self)
{
    return self->starved && self->came;
}

bool tusk_filter_turned_keys(const tusk_filter *self)
{
    return self->turned;
}

ptrdiff_t tusk_filter_shutdown(tusk_filter *self, unsigned *want)
{
    ERR_clear_error();
    errno = 0;
    *want = 0;
    if (self->broken != TUSK_OK || self->deaf || SSL_in_init(self->ssl)) {
        return 1;
    }
    int result = SSL_shutdown(self->ssl);
    return result >= 0 ? 1 : outcome(self, result, want);
}

const char *tusk_filter_reason(const tusk_filter *self)
{
    return self->reason;
}

bool tusk_filter_was_cut(const tusk_filter *self)
{
    return self->cut;
}

const char *tusk_filter_server_name(const tusk_filter *self)
{
    return SSL_get_servername(self->ssl, TLSEXT_NAMETYPE_host_name);
}

/* ---- protocols ---- */
void tusk_filter_keep_alpn(tusk_filter *self)
{
    self->keeps_alpn = SSL_set_app_data(self->ssl, self) == 1;
}

const char *tusk__tls_protocol(SSL *ssl)
{
    const tusk_filter *self = SSL_get_app_data(ssl);
    return self == NULL || self->protocol == NULL ? "http/1.1" : self->protocol;
}

/* A length stands before each name; a comma takes the place of all but the first. Without memory
 * for them it is as if none had been offered. */
void tusk__tls_offered(SSL *ssl, tusk_bytes protocols)
{
    tusk_filter *self = SSL_get_app_data(ssl);
    if (self == NULL || !self->keeps_alpn || self->alpn != NULL || protocols.len < 2 ||
        protocols.len > TLS_HELLO_ALPN_MAX) {
        return;
    }
    self->alpn = tusk__resize(tusk_mem_default(), NULL, 0, protocols.len - 1);
    if (self->alpn == NULL) {
        return;
    }
    self->alpn_len = (uint16_t)(protocols.len - 1);
    memcpy(self->alpn, protocols.ptr + 1, self->alpn_len);
    for (size_t at = 1u + protocols.ptr[0]; at < protocols.len; at += 1u + protocols.ptr[at]) {
        self->alpn[at - 1] = ',';
    }
}

tusk_bytes tusk_filter_alpn(const tusk_filter *self)
{
    return tusk_bytes_of(self->alpn, self->alpn_len);
}

const char *tusk_filter_version(const tusk_filter *self)
{
    return SSL_get_version(self->ssl);
}

const char *tusk_filter_cipher(const tusk_filter *self)
{
    const SSL_CIPHER *cipher = SSL_get_current_cipher(self->ssl);
    return cipher == NULL ? "" : SSL_CIPHER_get_name(cipher);
}

bool tusk_filter_resumed(const tusk_filter *self)
{
    return SSL_session_reused(self->ssl) == 1;
}

void tusk_filter_info(const tusk_filter *self, tusk_tls_info *out)
{
    const unsigned char *protocol = NULL;
    unsigned len = 0;
    SSL_get0_alpn_selected(self->ssl, &protocol, &len);
    out->version = tusk_filter_version(self);
    out->cipher = tusk_filter_cipher(self);
    out->protocol = tusk_bytes_of(protocol, len);
    out->resumed = tusk_filter_resumed(self);
    const char *name = tusk_filter_server_name(self);
    (void)tusk__tls_name_lower(out->server_name, name == NULL ? "" : name);
}

tusk_err tusk_filter_fingerprint(const tusk_filter *self, uint8_t out[32])
{
    return tusk__tls_fingerprint(self->ssl, out);
}

tusk_err tusk_filter_certificate(const tusk_filter *self, tusk_certificate **out)
{
    return tusk__tls_certificate(self->ssl, out);
}

#else

typedef int tusk__filter_is_not_built; /* an empty file would not be C */

#endif
