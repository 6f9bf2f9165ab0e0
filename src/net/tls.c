/* SPDX-License-Identifier: MIT */
/* TLS contexts and their certificates: made, changed files seen, replaced all or none. */
#define _GNU_SOURCE
#include "net/tls.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <string.h>

#include "base/mem.h"
#include "net/tls_context.h"
#include "net/tls_inner.h"

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

static void take_stamps_of_all(tusk_tls *self)
{
    self->ca_stamp = tusk__file_stamp_of(self->ca_file);
    self->crl_stamp = tusk__file_stamp_of(self->crl_file);
}

/* Those of a certificate that is new are told anew; the same one again is not. */
static void take_dates(certificate *self)
{
    int64_t before = 0;
    int64_t after = INT64_MAX;
    if (self->ctx != NULL && !tusk__tls_dates(self->ctx, &before, &after)) {
        before = 0;
        after = INT64_MAX;
    }
    if (before != self->not_before || after != self->not_after) {
        self->told = 0;
    }
    self->not_before = before;
    self->not_after = after;
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
        err = tusk__tls_load(&self->ctx, tls, self, reason);
        take_dates(self);
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
            tusk__tls_explain(reason, "TLS version %d: 12 or 13", versions[i]);
            return TUSK_EINVAL;
        }
    }
    if (options->min_version == 13 && options->max_version == 12) {
        tusk__tls_explain(reason, "TLS versions from 13 to 12: there are none");
        return TUSK_EINVAL;
    }
    if (options->client_optional && !options->verify_client) {
        tusk__tls_explain(reason, "client certificates are optional, but nobody asks for them");
        return TUSK_EINVAL;
    }
    if (options->crl_file != NULL && !options->verify_client) {
        tusk__tls_explain(reason, "lists of revoked certificates, but nobody asks for any");
        return TUSK_EINVAL;
    }
    if (options->certificate_file == NULL ? !is_client || options->key_file != NULL
                                          : options->key_file == NULL) {
        tusk__tls_explain(reason, "a certificate file and a key file are needed");
        return TUSK_EINVAL;
    }
    return TUSK_OK;
}

static tusk_err tls_new(tusk_tls **out, const tusk_tls_options *options, bool is_client,
                        const reason_text *reason)
{
    *out = NULL;
    tusk__tls_explain(reason, "%s", "");
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
    self->client_optional = options->client_optional;
    self->verify_peer = options->verify_peer;
    self->resume = options->resume;
    self->min_version = options->min_version;
    self->max_version = options->max_version;
    self->bio_method = tusk__tls_bio_method_new();
    err = TUSK_ENOMEM;
    if (self->bio_method != NULL && dup_text(&self->ca_file, options->ca_file) &&
        dup_text(&self->crl_file, options->crl_file) &&
        dup_text(&self->ciphers, options->ciphers) &&
        (is_client || tusk__ticket_keys_init(&self->tickets))) {
        take_stamps_of_all(self);
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
    char pattern[TLS_PATTERN_MAX + 1];
    tusk__tls_explain(&text, "%s", "");
    if (self->is_client || server_name == NULL || server_name[0] == '\0' ||
        certificate_file == NULL || key_file == NULL) {
        tusk__tls_explain(&text, "a server name, a certificate file and a key file are needed");
        return TUSK_EINVAL;
    }
    if (!tusk__tls_pattern_lower(pattern, server_name)) {
        tusk__tls_explain(&text, "no client asks for such a name; give it as DNS has it (letters, "
                                 "digits, hyphens and dots; xn--... for others), or *. and a name");
        return TUSK_EINVAL;
    }
    certificate **end = &self->first->next;
    for (; *end != NULL; end = &(*end)->next) {
        if (strcmp((*end)->server_name, pattern) == 0) {
            tusk__tls_explain(&text, "that name has one already, and case makes no other name");
            return TUSK_EINVAL;
        }
    }
    return certificate_new(end, self, pattern, certificate_file, key_file, passphrase, &text);
}

/* Nothing is wrong with the files: they are read when there is a descriptor. */
static tusk_err note_lack(tusk_tls *self)
{
    bool again = self->lacked;
    self->lacked = true;
    self->first->certificate_stamp.sec = -1; /* no file looks so */
    return again ? TUSK_EAGAIN : TUSK_EEXHAUSTED;
}

static tusk_err note_read(tusk_tls *self, tusk_err err)
{
    self->lacked = false;
    return err;
}

tusk_err tusk_tls_reload(tusk_tls *self, char *reason, size_t reason_cap)
{
    const reason_text text = {reason, reason_cap};
    tusk__tls_explain(&text, "%s", "");
    tusk_err err = TUSK_OK;
    /* Also of files that will be refused: "changed" means changed since somebody tried. */
    take_stamps_of_all(self);
    for (certificate *each = self->first; each != NULL; each = each->next) {
        take_stamps(each);
    }
    for (certificate *each = self->first; each != NULL && err == TUSK_OK; each = each->next) {
        err = tusk__tls_load(&each->fresh, self, each, &text);
    }
    for (certificate *each = self->first; each != NULL; each = each->next) {
        if (err == TUSK_OK) {
            SSL_CTX *old = each->ctx;
            each->ctx = each->fresh;
            SSL_CTX_free(old);
            take_dates(each);
        } else {
            SSL_CTX_free(each->fresh);
        }
        each->fresh = NULL;
    }
    return err == TUSK_EEXHAUSTED ? note_lack(self) : note_read(self, err);
}

bool tusk_tls_changed(const tusk_tls *self)
{
    if (!tusk__file_stamp_eq(self->ca_stamp, tusk__file_stamp_of(self->ca_file)) ||
        !tusk__file_stamp_eq(self->crl_stamp, tusk__file_stamp_of(self->crl_file))) {
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
    tusk__ticket_keys_fini(&self->tickets);
    BIO_meth_free(self->bio_method);
    free_text(self->ca_file);
    free_text(self->crl_file);
    free_text(self->ciphers);
    tusk__free(heap(), self, sizeof(*self));
}

const char *tusk_tls_library(void)
{
    return OpenSSL_version(OPENSSL_VERSION);
}

void tusk__tls_tend_tickets(tusk_tls *self)
{
    if (!self->is_client) {
        tusk__ticket_keys_tend(&self->tickets);
    }
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
