/* SPDX-License-Identifier: MIT */
/* TLS contexts: files loaded into OpenSSL, chosen by server name, replaced all or none. */
#define _GNU_SOURCE
#include "net/tls.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/file_time.h"
#include "net/tls_inner.h"

#define SESSIONS_KEPT 4096
#define SESSION_SECONDS 3600
#define TICKET_KEY_BYTES 128 /* OpenSSL 1.1 and 3 want 80 */
/* One read takes several records where they wait, and the buffer is given back when it is empty. */
#define READ_AHEAD_BYTES ((size_t)32 * 1024)

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
    SSL_CTX *ctx;
    SSL_CTX *fresh; /* during a reload */
    tusk__file_stamp certificate_stamp;
    tusk__file_stamp key_stamp;
} certificate;

struct tusk_tls {
    unsigned refs;
    bool is_client;
    bool verify_client;
    bool verify_peer;
    bool resume;
    int min_version;
    int max_version;
    char *ca_file;
    char *ciphers;
    tusk__file_stamp ca_stamp;
    BIO_METHOD *bio_method;
    SSL_SESSION *session; /* resume: the last one that was given */
    certificate *first;
};

/* ---- small things ---- */
static const tusk_mem *heap(void)
{
    return tusk_mem_default();
}

static bool dup_text(char **out, const char *text)
{
    *out = NULL;
    if (text == NULL) {
        return true;
    }
    size_t size = strlen(text) + 1;
    *out = tusk__resize(heap(), NULL, 0, size);
    if (*out != NULL) {
        memcpy(*out, text, size);
    }
    return *out != NULL;
}

static void free_text(char *text)
{
    if (text != NULL) {
        size_t len = strlen(text);
        OPENSSL_cleanse(text, len);
        tusk__free(heap(), text, len + 1);
    }
}

__attribute__((format(printf, 2, 3))) static void explain(const reason_text *reason,
                                                          const char *format, ...)
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
    (void)user;
    unsigned char *chosen;
    tusk__tls_offered(ssl, tusk_bytes_of(offered, offered_len));
    int found = SSL_select_next_proto(&chosen, out_len, alpn_http11, sizeof(alpn_http11), offered,
                                      offered_len);
    *out = chosen;
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK
                                           : SSL_TLSEXT_ERR_ALERT_FATAL; /* RFC 7301, 3.2 */
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
    SSL_CTX *ctx = name == NULL ? SSL_get_SSL_CTX(ssl) : ctx_for(user, name);
    if (ctx != SSL_get_SSL_CTX(ssl) && SSL_set_SSL_CTX(ssl, ctx) == NULL) {
        *alert = SSL_AD_INTERNAL_ERROR; /* out of memory: never another name's certificate */
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    return SSL_TLSEXT_ERR_OK;
}

/* ---- loading ---- */
static tusk_err check_readable(const char *what, const char *file, const reason_text *reason)
{
    if (file[0] != '\0' && access(file, R_OK) == 0) {
        return TUSK_OK;
    }
    int number = file[0] == '\0' ? ENOENT : errno;
    const char *remedy = number == ENOENT   ? "; give the path of a file in PEM form"
                         : number == EACCES ? "; let the user that starts the server read it"
                                            : "";
    explain(reason, "%s file '%s': %s%s", what, file, strerror(number), remedy);
    return number == ENOENT ? TUSK_ENOENT : number == EACCES ? TUSK_EACCES : TUSK_ESYS;
}

/* OpenSSL compares while it loads, so a key of another certificate fails as it is read. */
static void explain_key(const certificate *from, const reason_text *reason)
{
    int why = ERR_GET_REASON(ERR_peek_last_error());
    if (why == X509_R_KEY_VALUES_MISMATCH || why == X509_R_KEY_TYPE_MISMATCH) {
        explain(reason,
                "key file '%s': does not belong to certificate file '%s'; give the key that this "
                "certificate was made for",
                from->key_file, from->certificate_file);
    } else if (from->passphrase == NULL) {
        explain(reason,
                "key file '%s': not a usable PEM key (%s); if it is encrypted, give its passphrase",
                from->key_file, openssl_reason());
    } else {
        explain(reason,
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
        explain(
            reason,
            "certificate file '%s': not a usable PEM certificate chain (%s); it has to hold the "
            "certificate, then those above it",
            from->certificate_file, openssl_reason());
        return TUSK_ETLS;
    }
    if (SSL_CTX_use_PrivateKey_file(ctx, from->key_file, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(ctx) != 1) {
        explain_key(from, reason);
        return TUSK_ETLS;
    }
    SSL_CTX_set_default_passwd_cb_userdata(ctx, NULL);
    return TUSK_OK;
}

static tusk_err no_memory(const reason_text *reason)
{
    explain(reason, "OpenSSL: %s", openssl_reason());
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
    if (SSL_CTX_load_verify_locations(ctx, self->ca_file, NULL) != 1) {
        explain(reason,
                "CA file '%s': no usable PEM certificate (%s); it has to hold those of the "
                "authorities to trust",
                self->ca_file, openssl_reason());
        return TUSK_ETLS;
    }
    if (self->verify_client) {
        STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(self->ca_file);
        if (names == NULL) {
            return no_memory(reason);
        }
        SSL_CTX_set_client_CA_list(ctx, names);
    }
    return TUSK_OK;
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
        if (SSL_CTX_set_app_data(ctx, self) != 1) {
            return false;
        }
        (void)SSL_CTX_set_session_cache_mode(ctx,
                                             SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_sess_set_new_cb(ctx, keep_session);
    }
    return true;
}

static bool set_manners(SSL_CTX *ctx, tusk_tls *self)
{
    (void)SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                    SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    /* A record without data ends a read: a peer that sends nothing else must not hold the loop. */
    (void)SSL_CTX_clear_mode(ctx, SSL_MODE_AUTO_RETRY);
    (void)SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                       SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_read_ahead(ctx, 1);
    SSL_CTX_set_default_read_buffer_len(ctx, READ_AHEAD_BYTES);
    if (self->is_client) {
        return set_client_manners(ctx, self);
    }
    (void)SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_SERVER);
    (void)SSL_CTX_sess_set_cache_size(ctx, SESSIONS_KEPT);
    (void)SSL_CTX_set_timeout(ctx, SESSION_SECONDS);
    (void)SSL_CTX_set_session_id_context(ctx, (const unsigned char *)"tusk", 4);
    SSL_CTX_set_alpn_select_cb(ctx, choose_alpn, NULL);
    (void)SSL_CTX_set_tlsext_servername_callback(ctx, choose_certificate);
    (void)SSL_CTX_set_tlsext_servername_arg(ctx, self);
    if (self->verify_client) {
        SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    return true;
}

static tusk_err load(SSL_CTX **out, tusk_tls *self, const certificate *from,
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
        explain(reason, "ciphers '%s': %s", self->ciphers, openssl_reason());
        err = TUSK_EINVAL;
    }
    if (err == TUSK_OK && (self->is_client ? self->verify_peer : self->verify_client)) {
        err = load_ca(ctx, self, reason);
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

/* ---- certificates ---- */
static void certificate_free(certificate *self)
{
    if (self == NULL) {
        return;
    }
    SSL_CTX_free(self->ctx);
    SSL_CTX_free(self->fresh);
    free_text(self->server_name);
    free_text(self->certificate_file);
    free_text(self->key_file);
    free_text(self->passphrase);
    tusk__free(heap(), self, sizeof(*self));
}

/* The stamps are taken before the files are read: a change in between is seen as one. */
static void take_stamps(certificate *self)
{
    self->certificate_stamp = tusk__file_stamp_of(self->certificate_file);
    self->key_stamp = tusk__file_stamp_of(self->key_file);
}

static tusk_err certificate_new(certificate **out, tusk_tls *tls, const char *server_name,
                                const char *certificate_file, const char *key_file,
                                const char *passphrase, const reason_text *reason)
{
    *out = NULL;
    certificate *self = tusk__new(heap(), sizeof(*self));
    tusk_err err = TUSK_ENOMEM;
    if (self == NULL) {
        return err;
    }
    if (dup_text(&self->server_name, server_name) &&
        dup_text(&self->certificate_file, certificate_file) &&
        dup_text(&self->key_file, key_file) && dup_text(&self->passphrase, passphrase)) {
        take_stamps(self);
        err = load(&self->ctx, tls, self, reason);
    }
    if (err != TUSK_OK) {
        certificate_free(self);
        return err;
    }
    *out = self;
    return TUSK_OK;
}

/* ---- contexts ---- */
static tusk_err check(const tusk_tls_options *options, bool is_client, const reason_text *reason)
{
    const int versions[] = {options->min_version, options->max_version};
    for (int i = 0; i < 2; i++) {
        if (versions[i] != 0 && versions[i] != 12 && versions[i] != 13) {
            explain(reason, "TLS version %d: 12 or 13", versions[i]);
            return TUSK_EINVAL;
        }
    }
    if (options->min_version == 13 && options->max_version == 12) {
        explain(reason, "TLS versions from 13 to 12: there are none");
        return TUSK_EINVAL;
    }
    if (options->certificate_file == NULL ? !is_client || options->key_file != NULL
                                          : options->key_file == NULL) {
        explain(reason, "a certificate file and a key file are needed");
        return TUSK_EINVAL;
    }
    return TUSK_OK;
}

static tusk_err tls_new(tusk_tls **out, const tusk_tls_options *options, bool is_client,
                        const reason_text *reason)
{
    *out = NULL;
    explain(reason, "%s", "");
    tusk_err err = check(options, is_client, reason);
    if (err != TUSK_OK) {
        return err;
    }
    tusk_tls *self = tusk__new(heap(), sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->refs = 1;
    self->is_client = is_client;
    self->verify_client = options->verify_client;
    self->verify_peer = options->verify_peer;
    self->resume = options->resume;
    self->min_version = options->min_version;
    self->max_version = options->max_version;
    self->bio_method = tusk__tls_bio_method_new();
    err = TUSK_ENOMEM;
    if (self->bio_method != NULL && dup_text(&self->ca_file, options->ca_file) &&
        dup_text(&self->ciphers, options->ciphers)) {
        self->ca_stamp = tusk__file_stamp_of(self->ca_file);
        err = certificate_new(&self->first, self, NULL, options->certificate_file,
                              options->key_file, options->passphrase, reason);
    }
    if (err != TUSK_OK) {
        tusk_tls_unref(self);
        return err;
    }
    *out = self;
    return TUSK_OK;
}

tusk_err tusk_tls_server_new(tusk_tls **out, const tusk_tls_options *options, char *reason,
                             size_t reason_cap)
{
    return tls_new(out, options, false, &(reason_text){reason, reason_cap});
}

tusk_err tusk_tls_client_new(tusk_tls **out, const tusk_tls_options *options, char *reason,
                             size_t reason_cap)
{
    return tls_new(out, options, true, &(reason_text){reason, reason_cap});
}

tusk_err tusk_tls_add_certificate(tusk_tls *self, const char *server_name,
                                  const char *certificate_file, const char *key_file,
                                  const char *passphrase, char *reason, size_t reason_cap)
{
    const reason_text text = {reason, reason_cap};
    explain(&text, "%s", "");
    if (self->is_client || server_name == NULL || server_name[0] == '\0' ||
        certificate_file == NULL || key_file == NULL) {
        explain(&text, "a server name, a certificate file and a key file are needed");
        return TUSK_EINVAL;
    }
    certificate **end = &self->first->next;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    return certificate_new(end, self, server_name, certificate_file, key_file, passphrase, &text);
}

/* Tickets given out before a reload stay good after it. */
static void carry_ticket_keys(SSL_CTX *from, SSL_CTX *to)
{
    unsigned char keys[TICKET_KEY_BYTES];
    long len = SSL_CTX_get_tlsext_ticket_keys(from, NULL, 0);
    if (len > 0 && len <= (long)sizeof(keys) &&
        SSL_CTX_get_tlsext_ticket_keys(from, keys, len) == 1) {
        (void)SSL_CTX_set_tlsext_ticket_keys(to, keys, len);
    }
    OPENSSL_cleanse(keys, sizeof(keys));
}

tusk_err tusk_tls_reload(tusk_tls *self, char *reason, size_t reason_cap)
{
    const reason_text text = {reason, reason_cap};
    explain(&text, "%s", "");
    tusk_err err = TUSK_OK;
    /* Also of files that will be refused: "changed" means changed since somebody tried. */
    self->ca_stamp = tusk__file_stamp_of(self->ca_file);
    for (certificate *each = self->first; each != NULL; each = each->next) {
        take_stamps(each);
    }
    for (certificate *each = self->first; each != NULL && err == TUSK_OK; each = each->next) {
        err = load(&each->fresh, self, each, &text);
    }
    for (certificate *each = self->first; each != NULL; each = each->next) {
        if (err == TUSK_OK) {
            SSL_CTX *old = each->ctx;
            if (!self->is_client) {
                carry_ticket_keys(old, each->fresh);
            }
            each->ctx = each->fresh;
            SSL_CTX_free(old);
        } else {
            SSL_CTX_free(each->fresh);
        }
        each->fresh = NULL;
    }
    return err;
}

bool tusk_tls_changed(const tusk_tls *self)
{
    if (!tusk__file_stamp_eq(self->ca_stamp, tusk__file_stamp_of(self->ca_file))) {
        return true;
    }
    for (const certificate *each = self->first; each != NULL; each = each->next) {
        if (!tusk__file_stamp_eq(each->certificate_stamp,
                                 tusk__file_stamp_of(each->certificate_file)) ||
            !tusk__file_stamp_eq(each->key_stamp, tusk__file_stamp_of(each->key_file))) {
            return true;
        }
    }
    return false;
}

tusk_tls *tusk_tls_ref(tusk_tls *self)
{
    self->refs++;
    return self;
}

void tusk_tls_unref(tusk_tls *self)
{
    if (self == NULL || --self->refs > 0) {
        return;
    }
    while (self->first != NULL) {
        certificate *gone = self->first;
        self->first = gone->next;
        certificate_free(gone);
    }
    SSL_SESSION_free(self->session);
    BIO_meth_free(self->bio_method);
    free_text(self->ca_file);
    free_text(self->ciphers);
    tusk__free(heap(), self, sizeof(*self));
}

const char *tusk_tls_library(void)
{
    return OpenSSL_version(OPENSSL_VERSION);
}

/* ---- for filters ---- */
struct ssl_ctx_st *tusk__tls_ctx(tusk_tls *self)
{
    return self->first->ctx;
}

struct bio_method_st *tusk__tls_bio_method(tusk_tls *self)
{
    return self->bio_method;
}

bool tusk__tls_is_client(const tusk_tls *self)
{
    return self->is_client;
}

bool tusk__tls_verifies_peer(const tusk_tls *self)
{
    return self->is_client && self->verify_peer;
}

struct ssl_session_st *tusk__tls_session(tusk_tls *self)
{
    return self->session;
}

#else

typedef int tusk__tls_is_not_built; /* an empty file would not be C */

#endif
