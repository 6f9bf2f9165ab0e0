/* SPDX-License-Identifier: MIT */
/* What OpenSSL is told: files loaded, manners, and what it asks during a handshake. */
#define _GNU_SOURCE
#include "net/tls_inner.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <errno.h>
#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/tls_context.h"

#define SESSIONS_KEPT 4096
/* Each is 6 % of a handshake, and whoever has spent it gets another one with the connection. */
#define TICKETS_GIVEN 1
/* What a client may send of itself and those above it: OpenSSL takes as much as it declares. */
#define CERTIFICATES_BYTES_MAX (16 * 1024)
#define SUITES_BYTES_MAX 160 /* five are known (RFC 8446, B.4) */
/* One read takes several records where they wait, and the buffer is given back when it is empty. */
#define READ_AHEAD_BYTES ((size_t)32 * 1024)

/* ---- reasons ---- */
void tusk__tls_explain(const reason_text *reason, const char *format, ...)
{
    if (reason->ptr != NULL && reason->cap > 0) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(reason->ptr, reason->cap, format, args);
        va_end(args);
    }
}

static const char *openssl_reason(void)
{
    unsigned long code = ERR_peek_last_error();
    const char *text = code == 0 ? NULL : ERR_reason_error_string(code);
    return text == NULL ? "unknown reason" : text;
}

/* ---- callbacks of OpenSSL ---- */
static const unsigned char alpn_http11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

static int choose_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                       const unsigned char *offered, unsigned offered_len, void *user)
{
    const char *protocol = tusk__tls_protocol(ssl);
    size_t len = strlen(protocol);
    (void)user;
    tusk__tls_offered(ssl, tusk_bytes_of(offered, offered_len));
    if (len == 0) {
        return SSL_TLSEXT_ERR_NOACK;
    }
    for (unsigned at = 0; at < offered_len; at += 1u + offered[at]) {
        if (offered[at] == len && memcmp(offered + at + 1, protocol, len) == 0) {
            *out = offered + at + 1;
            *out_len = offered[at];
            return SSL_TLSEXT_ERR_OK;
        }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL; /* RFC 7301, 3.2 */
}

/* Never a question on the terminal: without a passphrase an encrypted key is refused. */
static int give_passphrase(char *place, int cap, int writing, void *user)
{
    (void)writing;
    size_t len = user == NULL ? 0 : strlen(user);
    if (len > (size_t)cap) {
        return -1;
    }
    if (len > 0) {
        memcpy(place, user, len);
    }
    return user == NULL ? -1 : (int)len;
}

static SSL_CTX *ctx_for(const tusk_tls *self, const char *name)
{
    for (int wildcards = 0; wildcards < 2; wildcards++) {
        for (const certificate *each = self->first->next; each != NULL; each = each->next) {
            if ((each->server_name[0] == '*') == (wildcards == 1) &&
                tusk__tls_name_matches(each->server_name, name)) {
                return each->ctx;
            }
        }
    }
    return self->first->ctx;
}

static int choose_certificate(SSL *ssl, int *alert, void *user)
{
    const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    if (name != NULL && name[0] == '\0') {
        *alert = SSL_AD_DECODE_ERROR; /* RFC 6066, 3: a name has at least one byte */
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    SSL_CTX *ctx = name == NULL ? SSL_get_SSL_CTX(ssl) : ctx_for(user, name);
    if (ctx != SSL_get_SSL_CTX(ssl) && SSL_set_SSL_CTX(ssl, ctx) == NULL) {
        *alert = SSL_AD_INTERNAL_ERROR; /* out of memory: never another name's certificate */
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    return SSL_TLSEXT_ERR_OK;
}

/* A session goes on under the name alone that it was made for (RFC 6066, 3): the name is the
 * context of the session, so that another one, or none, is a whole handshake. TLS 1.3 does not
 * demand it of a server, but of clients that they ask for nothing else (RFC 8446, 4.6.1). */
static int bind_session(SSL *ssl, int *alert, void *user)
{
    const unsigned char *names;
    size_t len;
    uint8_t context[SHA256_DIGEST_LENGTH];
    (void)user;
    if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &names, &len) != 1) {
        return SSL_CLIENT_HELLO_SUCCESS;
    }
    if (SHA256(names, len, context) == NULL ||
        SSL_set_session_id_context(ssl, context, sizeof(context)) != 1) {
        *alert = SSL_AD_INTERNAL_ERROR;
        return SSL_CLIENT_HELLO_ERROR;
    }
    return SSL_CLIENT_HELLO_SUCCESS;
}

/* ---- loading ---- */
static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

/* Not what OpenSSL would wait for, or read without an end: it opens what it is given. */
static tusk_err check_kind(const char *what, const char *file, const reason_text *reason)
{
    struct stat info;
    if (stat(file, &info) != 0 || S_ISREG(info.st_mode)) {
        return TUSK_OK; /* what is gone by now is told when it is opened */
    }
    tusk__tls_explain(reason, "%s file '%s': it is %s; give the path of a file in PEM form", what,
                      file, kind_of(info.st_mode));
    return TUSK_ETLS;
}

static tusk_err check_readable(const char *what, const char *file, const reason_text *reason)
{
    if (file[0] != '\0' && access(file, R_OK) == 0) {
        return check_kind(what, file, reason);
    }
    int number = file[0] == '\0' ? ENOENT : errno;
    const char *remedy = number == ENOENT   ? "; give the path of a file in PEM form"
                         : number == EACCES ? "; let the user that starts the server read it"
                                            : "";
    tusk__tls_explain(reason, "%s file '%s': %s%s", what, file, strerror(number), remedy);
    return number == ENOENT ? TUSK_ENOENT : number == EACCES ? TUSK_EACCES : TUSK_ESYS;
}

/* No descriptor was left to open a file with. */
static bool is_lack(const char *file, const reason_text *reason)
{
    unsigned long first = ERR_peek_error();
    int number = ERR_GET_REASON(first);
    bool lacks = ERR_GET_LIB(first) == ERR_LIB_SYS && (number == EMFILE || number == ENFILE);
    if (lacks) {
        tusk__tls_explain(reason,
                          "no descriptor is left to read '%s' with (ulimit -n, LimitNOFILE): it is "
                          "tried again in some seconds",
                          file);
    }
    return lacks;
}

/* OpenSSL compares while it loads, so a key of another certificate fails as it is read; one of
 * another kind (RSA, EC) is taken, and has no certificate then. */
static bool is_of_another(unsigned long code)
{
    int why = ERR_GET_REASON(code);
    return ERR_GET_LIB(code) == ERR_LIB_SSL
               ? why == SSL_R_NO_CERTIFICATE_ASSIGNED
               : why == X509_R_KEY_VALUES_MISMATCH || why == X509_R_KEY_TYPE_MISMATCH;
}

static void explain_key(const certificate *from, const reason_text *reason)
{
    if (is_of_another(ERR_peek_last_error())) {
        tusk__tls_explain(
            reason,
            "key file '%s': does not belong to certificate file '%s'; give the key that this "
            "certificate was made for",
            from->key_file, from->certificate_file);
    } else if (from->passphrase == NULL) {
        tusk__tls_explain(
            reason,
            "key file '%s': not a usable PEM key (%s); if it is encrypted, give its passphrase",
            from->key_file, openssl_reason());
    } else {
        tusk__tls_explain(
            reason,
            "key file '%s': not a usable PEM key, or the passphrase is another one (%s); "
            "'openssl pkey -noout -in FILE' asks for the right one",
            from->key_file, openssl_reason());
    }
}

static tusk_err load_pair(SSL_CTX *ctx, const certificate *from, const reason_text *reason)
{
    tusk_err err = check_readable("certificate", from->certificate_file, reason);
    if (err == TUSK_OK) {
        err = check_readable("key", from->key_file, reason);
    }
    if (err != TUSK_OK) {
        return err;
    }
    SSL_CTX_set_default_passwd_cb(ctx, give_passphrase);
    SSL_CTX_set_default_passwd_cb_userdata(ctx, from->passphrase);
    if (SSL_CTX_use_certificate_chain_file(ctx, from->certificate_file) != 1) {
        if (is_lack(from->certificate_file, reason)) {
            return TUSK_EEXHAUSTED;
        }
        tusk__tls_explain(
            reason,
            "certificate file '%s': not a usable PEM certificate chain (%s); it has to hold the "
            "certificate, then those above it",
            from->certificate_file, openssl_reason());
        return TUSK_ETLS;
    }
    ERR_clear_error();
    if (SSL_CTX_use_PrivateKey_file(ctx, from->key_file, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(ctx) != 1) {
        if (is_lack(from->key_file, reason)) {
            return TUSK_EEXHAUSTED;
        }
        explain_key(from, reason);
        return TUSK_ETLS;
    }
    SSL_CTX_set_default_passwd_cb_userdata(ctx, NULL);
    return TUSK_OK;
}

static tusk_err no_memory(const reason_text *reason)
{
    tusk__tls_explain(reason, "OpenSSL: %s", openssl_reason());
    return TUSK_ENOMEM;
}

static tusk_err load_ca(SSL_CTX *ctx, const tusk_tls *self, const reason_text *reason)
{
    if (self->ca_file == NULL) { /* a store that is empty is no error here, only no memory is */
        return SSL_CTX_set_default_verify_paths(ctx) == 1 ? TUSK_OK : no_memory(reason);
    }
    tusk_err err = check_readable("CA", self->ca_file, reason);
    if (err != TUSK_OK) {
        return err;
    }
    ERR_clear_error();
    if (SSL_CTX_load_verify_locations(ctx, self->ca_file, NULL) != 1) {
        if (is_lack(self->ca_file, reason)) {
            return TUSK_EEXHAUSTED;
        }
        tusk__tls_explain(
            reason,
            "CA file '%s': no usable PEM certificate (%s); it has to hold those of the "
            "authorities to trust",
            self->ca_file, openssl_reason());
        return TUSK_ETLS;
    }
    /* Whoever names an authority trusts it, also where another one is above it that it does not. */
    (void)X509_STORE_set_flags(SSL_CTX_get_cert_store(ctx), X509_V_FLAG_PARTIAL_CHAIN);
    if (self->verify_client) {
        STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(self->ca_file);
        if (names == NULL) {
            return no_memory(reason);
        }
        SSL_CTX_set_client_CA_list(ctx, names);
    }
    return TUSK_OK;
}

static tusk_err load_crl(SSL_CTX *ctx, tusk_tls *self, const reason_text *reason)
{
    tusk_err err = check_readable("CRL", self->crl_file, reason);
    if (err != TUSK_OK) {
        return err;
    }
    err = tusk__tls_revoke(ctx, self->crl_file, &self->crl_until);
    if (err == TUSK_ENOMEM) {
        return no_memory(reason);
    }
    if (err != TUSK_OK && is_lack(self->crl_file, reason)) {
        return TUSK_EEXHAUSTED;
    }
    if (err != TUSK_OK) {
        tusk__tls_explain(reason,
                          "CRL file '%s': no usable PEM list (%s); it has to hold lists of revoked "
                          "certificates ('openssl crl -inform DER' makes PEM of what is DER)",
                          self->crl_file, openssl_reason());
    }
    return err;
}

/* The context keeps the reference that OpenSSL hands over by the 1. */
static int keep_session(SSL *ssl, SSL_SESSION *session)
{
    tusk_tls *self = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    SSL_SESSION_free(self->session);
    self->session = session;
    return 1;
}

/* False: no memory. */
static bool set_client_manners(SSL_CTX *ctx, tusk_tls *self)
{
    if (SSL_CTX_set_alpn_protos(ctx, alpn_http11, sizeof(alpn_http11)) != 0) {
        return false;
    }
    SSL_CTX_set_verify(ctx, self->verify_peer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
    if (self->resume) {
        (void)SSL_CTX_set_session_cache_mode(ctx,
                                             SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_sess_set_new_cb(ctx, keep_session);
    }
    return true;
}

/* Who resumes shows no certificate: it would stay good after it has expired, or after the authority
 * was taken out of the file; and who had none would not be asked again. */
static void resume_none(SSL_CTX *ctx)
{
    (void)SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    (void)SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
    (void)SSL_CTX_set_num_tickets(ctx, 0);
}

/* Of what the system's policy allows for TLS 1.3 (RFC 8446, B.4), AES-128 goes first: its SHA-256
 * and its records cost less than AES-256's, and nobody breaks either. False: no memory. */
static bool prefer_short_keys(SSL_CTX *ctx)
{
    static const char first[] = "TLS_AES_128_GCM_SHA256";
    char others[SUITES_BYTES_MAX] = "";
    size_t len = 0;
    bool has_first = false;
    const STACK_OF(SSL_CIPHER) *all = SSL_CTX_get_ciphers(ctx);
    for (int i = 0; i < sk_SSL_CIPHER_num(all); i++) {
        const char *name = SSL_CIPHER_get_name(sk_SSL_CIPHER_value(all, i));
        if (strncmp(name, "TLS_", 4) != 0) {
            continue; /* of TLS 1.2 */
        }
        if (strcmp(name, first) == 0) {
            has_first = true;
        } else if (len + strlen(name) + 1 < sizeof(others)) {
            len += (size_t)snprintf(others + len, sizeof(others) - len, ":%s", name);
        }
    }
    char list[sizeof(first) + sizeof(others)];
    (void)snprintf(list, sizeof(list), "%s%s", first, others);
    return !has_first || SSL_CTX_set_ciphersuites(ctx, list) == 1;
}

static bool set_manners(SSL_CTX *ctx, tusk_tls *self)
{
    (void)SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                    SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    /* A record without data ends a read: a peer that sends nothing else must not hold the loop. */
    (void)SSL_CTX_clear_mode(ctx, SSL_MODE_AUTO_RETRY);
    (void)SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                       SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    if (SSL_CTX_set_app_data(ctx, self) != 1) {
        return false;
    }
    SSL_CTX_set_read_ahead(ctx, 1);
    SSL_CTX_set_default_read_buffer_len(ctx, READ_AHEAD_BYTES);
    if (self->is_client) {
        return set_client_manners(ctx, self);
    }
    (void)SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_SERVER);
    (void)SSL_CTX_sess_set_cache_size(ctx, SESSIONS_KEPT);
    (void)SSL_CTX_set_timeout(ctx, TLS_TICKET_SECONDS);
    (void)SSL_CTX_set_session_id_context(ctx, (const unsigned char *)"tusk", 4);
    if (SSL_CTX_set_num_tickets(ctx, TICKETS_GIVEN) != 1 || !prefer_short_keys(ctx)) {
        return false;
    }
    tusk__tickets_for(ctx);
    SSL_CTX_set_alpn_select_cb(ctx, choose_alpn, NULL);
    SSL_CTX_set_client_hello_cb(ctx, bind_session, NULL);
    (void)SSL_CTX_set_tlsext_servername_callback(ctx, choose_certificate);
    (void)SSL_CTX_set_tlsext_servername_arg(ctx, self);
    if (self->verify_client) {
        int demand = self->client_optional ? 0 : SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
        SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | demand, NULL);
        SSL_CTX_set_max_cert_list(ctx, CERTIFICATES_BYTES_MAX);
        resume_none(ctx);
    }
    return true;
}

tusk_err tusk__tls_load(SSL_CTX **out, tusk_tls *self, const certificate *from,
                        const reason_text *reason)
{
    ERR_clear_error();
    *out = NULL;
    SSL_CTX *ctx = SSL_CTX_new(self->is_client ? TLS_client_method() : TLS_server_method());
    if (ctx == NULL) {
        return no_memory(reason);
    }
    tusk_err err = set_manners(ctx, self) ? TUSK_OK : no_memory(reason);
    (void)SSL_CTX_set_min_proto_version(ctx,
                                        self->min_version == 13 ? TLS1_3_VERSION : TLS1_2_VERSION);
    (void)SSL_CTX_set_max_proto_version(ctx,
                                        self->max_version == 12 ? TLS1_2_VERSION : TLS1_3_VERSION);
    if (err == TUSK_OK && self->ciphers != NULL &&
        SSL_CTX_set_cipher_list(ctx, self->ciphers) != 1) {
        tusk__tls_explain(reason, "ciphers '%s': %s", self->ciphers, openssl_reason());
        err = TUSK_EINVAL;
    }
    if (err == TUSK_OK && (self->is_client ? self->verify_peer : self->verify_client)) {
        err = load_ca(ctx, self, reason);
    }
    if (err == TUSK_OK && self->crl_file != NULL) {
        err = load_crl(ctx, self, reason);
    }
    if (err == TUSK_OK && from->certificate_file != NULL) {
        err = load_pair(ctx, from, reason);
    }
    if (err != TUSK_OK) {
        SSL_CTX_free(ctx);
        ctx = NULL;
    }
    ERR_clear_error();
    *out = ctx;
    return err;
}

#else

typedef int tusk__tls_load_is_not_built; /* an empty file would not be C */

#endif
