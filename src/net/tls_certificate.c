/* SPDX-License-Identifier: MIT */
/* A certificate that a peer has shown, as texts: one piece of memory that OpenSSL has no part in.
 */
#define _GNU_SOURCE
#include "net/tls_inner.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <arpa/inet.h>
#include <limits.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include "base/mem.h"

/* RFC 4514, with letters beyond ASCII as UTF-8. */
#define NAME_FLAGS (XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB)

/* Texts stand one behind the other until all are there: by place, as the memory may move. */
typedef struct text {
    size_t at;
    size_t len;
    bool is_none;
} text;

typedef struct alt_name {
    tusk_alt_name_kind kind;
    text text;
} alt_name;

typedef struct reading {
    BIO *texts;
    text subject, issuer, common_name, serial, pem;
    alt_name *names;
    size_t name_cap;
    size_t name_count;
} reading;

static size_t written(const reading *self)
{
    return BIO_ctrl_pending(self->texts);
}

/* From `at` to the end of what was written. */
static text text_from(const reading *self, size_t at)
{
    return (text){.at = at, .len = written(self) - at};
}

static bool write_bytes(reading *self, text *out, const void *ptr, int len)
{
    size_t at = written(self);
    if (len > 0 && BIO_write(self->texts, ptr, len) != len) {
        return false;
    }
    *out = text_from(self, at);
    return true;
}

/* ---- fields ---- */
static bool write_name(reading *self, text *out, const X509_NAME *name)
{
    size_t at = written(self);
    if (X509_NAME_print_ex(self->texts, name, 0, NAME_FLAGS) < 0) {
        return false;
    }
    *out = text_from(self, at);
    return true;
}

static bool write_common_name(reading *self, X509_NAME *name)
{
    int last = -1;
    for (int at = -1; (at = X509_NAME_get_index_by_NID(name, NID_commonName, at)) >= 0;) {
        last = at;
    }
    self->common_name.is_none = last < 0;
    if (last < 0) {
        return true;
    }
    unsigned char *utf8 = NULL;
    int len = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, last)));
    bool done = len >= 0 && write_bytes(self, &self->common_name, utf8, len);
    OPENSSL_free(utf8);
    return done;
}

static bool write_serial(reading *self, X509 *from)
{
    BIGNUM *number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(from), NULL);
    char *digits = number == NULL ? NULL : BN_bn2hex(number);
    bool done = digits != NULL && write_bytes(self, &self->serial, digits, (int)strlen(digits));
    OPENSSL_free(digits);
    BN_free(number);
    return done;
}

static bool write_pem(reading *self, X509 *from)
{
    size_t at = written(self);
    if (PEM_write_bio_X509(self->texts, from) != 1) {
        return false;
    }
    self->pem = text_from(self, at);
    return true;
}

/* ---- subjectAltName ---- */
static bool write_address(reading *self, text *out, const ASN1_OCTET_STRING *address)
{
    char shown[INET6_ADDRSTRLEN];
    int len = ASN1_STRING_length(address);
    const char *ip = inet_ntop(len == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(address), shown,
                               sizeof(shown));
    return ip != NULL && write_bytes(self, out, ip, (int)strlen(ip));
}

static bool write_string(reading *self, text *out, const ASN1_STRING *from)
{
    return write_bytes(self, out, ASN1_STRING_get0_data(from), ASN1_STRING_length(from));
}

/* Kinds that are none of ours, and addresses of an odd length, are passed over. */
static bool write_alt_name(reading *self, const GENERAL_NAME *name)
{
    alt_name *place = &self->names[self->name_count];
    bool done;
    switch (name->type) {
    case GEN_DNS:
        place->kind = TUSK_ALT_NAME_DNS;
        done = write_string(self, &place->text, name->d.dNSName);
        break;
    case GEN_EMAIL:
        place->kind = TUSK_ALT_NAME_EMAIL;
        done = write_string(self, &place->text, name->d.rfc822Name);
        break;
    case GEN_URI:
        place->kind = TUSK_ALT_NAME_URI;
        done = write_string(self, &place->text, name->d.uniformResourceIdentifier);
        break;
    case GEN_IPADD:
        if (ASN1_STRING_length(name->d.iPAddress) != 4 &&
            ASN1_STRING_length(name->d.iPAddress) != 16) {
            return true;
        }
        place->kind = TUSK_ALT_NAME_IP;
        done = write_address(self, &place->text, name->d.iPAddress);
        break;
    default: return true;
    }
    self->name_count += done;
    return done;
}

static tusk_err write_alt_names(reading *self, X509 *from)
{
    int found = 0;
    GENERAL_NAMES *list = X509_get_ext_d2i(from, NID_subject_alt_name, &found, NULL);
    if (list == NULL) {
        return found == -1 ? TUSK_OK : TUSK_ETLS; /* -1: it has none; once, and well-formed, else */
    }
    size_t count = (size_t)sk_GENERAL_NAME_num(list);
    tusk_err err = TUSK_ENOMEM;
    self->names = tusk__resize(tusk_mem_default(), NULL, 0, (count + 1) * sizeof(*self->names));
    if (self->names != NULL) {
        self->name_cap = count + 1;
        err = TUSK_OK;
    }
    for (size_t i = 0; i < count && err == TUSK_OK; i++) {
        err = write_alt_name(self, sk_GENERAL_NAME_value(list, (int)i)) ? TUSK_OK : TUSK_ENOMEM;
    }
    GENERAL_NAMES_free(list);
    return err;
}

/* ---- all of it ---- */
bool tusk__tls_seconds(int64_t *out, const ASN1_TIME *time)
{
    int days = 0;
    int seconds = 0;
    ASN1_TIME *beginning = ASN1_TIME_set(NULL, 0);
    bool done = beginning != NULL && ASN1_TIME_diff(&days, &seconds, beginning, time) == 1;
    ASN1_TIME_free(beginning);
    *out = (int64_t)days * 86400 + seconds;
    return done;
}

bool tusk__tls_dates(const SSL_CTX *ctx, int64_t *not_before, int64_t *not_after)
{
    const X509 *shown = SSL_CTX_get0_certificate(ctx);
    return shown != NULL && tusk__tls_seconds(not_before, X509_get0_notBefore(shown)) &&
           tusk__tls_seconds(not_after, X509_get0_notAfter(shown));
}

static tusk_bytes placed(const uint8_t *texts, text which)
{
    return which.is_none ? tusk_bytes_of(NULL, 0) : tusk_bytes_of(texts + which.at, which.len);
}

/* In one piece: the struct, its names, the texts. */
static tusk_certificate *put_together(const reading *from)
{
    const uint8_t *ptr = NULL;
    size_t len = (size_t)BIO_get_mem_data(from->texts, (char **)(void *)&ptr);
    size_t names_size = from->name_count * sizeof(tusk_alt_name);
    size_t size = sizeof(tusk_certificate) + names_size + len;
    tusk_certificate *self = tusk__resize(tusk_mem_default(), NULL, 0, size);
    if (self == NULL) {
        return NULL;
    }
    tusk_alt_name *names = (tusk_alt_name *)(void *)(self + 1);
    uint8_t *texts = (uint8_t *)names + names_size;
    memcpy(texts, ptr, len);
    for (size_t i = 0; i < from->name_count; i++) {
        names[i].kind = from->names[i].kind;
        names[i].text = placed(texts, from->names[i].text);
    }
    self->size = size;
    self->names = names;
    self->name_count = from->name_count;
    self->subject = placed(texts, from->subject);
    self->issuer = placed(texts, from->issuer);
    self->common_name = placed(texts, from->common_name);
    self->serial = placed(texts, from->serial);
    self->pem = placed(texts, from->pem);
    return self;
}

static tusk_err read_all(tusk_certificate **out, reading *self, X509 *from)
{
    if (self->texts == NULL || !write_name(self, &self->subject, X509_get_subject_name(from)) ||
        !write_name(self, &self->issuer, X509_get_issuer_name(from)) ||
        !write_common_name(self, X509_get_subject_name(from)) || !write_serial(self, from) ||
        !write_pem(self, from)) {
        return TUSK_ENOMEM;
    }
    tusk_err err = write_alt_names(self, from);
    if (err == TUSK_OK && (*out = put_together(self)) == NULL) {
        err = TUSK_ENOMEM;
    }
    return err;
}

/* All that tusk_certificate has; TUSK_ENOMEM, or TUSK_ETLS: it is none. */
static tusk_err read_certificate(tusk_certificate **out, X509 *from)
{
    reading self = {.texts = BIO_new(BIO_s_mem())};
    *out = NULL;
    tusk_err err = read_all(out, &self, from);
    BIO_free(self.texts);
    tusk__free(tusk_mem_default(), self.names, self.name_cap * sizeof(*self.names));
    if (err == TUSK_OK && (!tusk__tls_seconds(&(*out)->not_before, X509_get0_notBefore(from)) ||
                           !tusk__tls_seconds(&(*out)->not_after, X509_get0_notAfter(from)) ||
                           X509_digest(from, EVP_sha256(), (*out)->fingerprint, NULL) != 1)) {
        tusk_certificate_free(*out);
        *out = NULL;
        err = TUSK_ETLS;
    }
    return err;
}

/* To be freed. What nobody checked says nothing: NULL. */
static X509 *shown_by_peer(const SSL *ssl)
{
    bool checked = (SSL_get_verify_mode(ssl) & SSL_VERIFY_PEER) != 0 &&
                   SSL_get_verify_result(ssl) == X509_V_OK;
    return checked && SSL_in_init(ssl) == 0 ? SSL_get_peer_certificate(ssl) : NULL;
}

tusk_err tusk__tls_certificate(const SSL *ssl, tusk_certificate **out)
{
    *out = NULL;
    ERR_clear_error();
    X509 *shown = shown_by_peer(ssl);
    tusk_err err = shown == NULL ? TUSK_ENOENT : read_certificate(out, shown);
    X509_free(shown);
    ERR_clear_error();
    return err;
}

tusk_err tusk__tls_fingerprint(const SSL *ssl, uint8_t out[32])
{
    X509 *shown = shown_by_peer(ssl);
    tusk_err err = TUSK_ENOENT;
    if (shown != NULL) {
        err = X509_digest(shown, EVP_sha256(), out, NULL) == 1 ? TUSK_OK : TUSK_ENOMEM;
    }
    X509_free(shown);
    ERR_clear_error();
    return err;
}

tusk_err tusk_certificate_parse(tusk_certificate **out, tusk_bytes pem)
{
    *out = NULL;
    ERR_clear_error();
    BIO *source = pem.len > INT_MAX ? NULL : BIO_new_mem_buf(pem.ptr, (int)pem.len);
    X509 *from = source == NULL ? NULL : PEM_read_bio_X509(source, NULL, NULL, NULL);
    tusk_err err = from == NULL ? TUSK_ETLS : read_certificate(out, from);
    X509_free(from);
    BIO_free(source);
    ERR_clear_error();
    return err;
}

/* The one that was found good stays; those above it were looked at, as many as the client wanted,
 * and each has ten times its length as OpenSSL holds it. */
void tusk__tls_drop_chain(SSL *ssl)
{
    STACK_OF(X509) *above = SSL_is_server(ssl) == 1 ? SSL_get_peer_cert_chain(ssl) : NULL;
    while (above != NULL && sk_X509_num(above) > 0) {
        X509_free(sk_X509_pop(above));
    }
}

void tusk_certificate_free(tusk_certificate *self)
{
    if (self != NULL) {
        tusk__free(tusk_mem_default(), self, self->size);
    }
}

#else

typedef int tusk__certificate_is_not_built; /* an empty file would not be C */

#endif
