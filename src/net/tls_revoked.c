/* SPDX-License-Identifier: MIT */
/* Lists of certificates that their authorities have taken back (RFC 5280, 5). */
#define _GNU_SOURCE
#include "net/tls_inner.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "net/tls_context.h"

/* Whoever is named as an authority is trusted by itself, and no list of those above it is wanted:
 * of all others of a chain each needs one. */
static int judge(int fine, X509_STORE_CTX *store)
{
    int depth = X509_STORE_CTX_get_error_depth(store);
    bool is_anchor = depth > 0 && depth == sk_X509_num(X509_STORE_CTX_get0_chain(store)) - 1;
    if (fine == 0 && is_anchor && X509_STORE_CTX_get_error(store) == X509_V_ERR_UNABLE_TO_GET_CRL) {
        X509_STORE_CTX_set_error(store, X509_V_OK);
        return 1;
    }
    return fine;
}

/* The list is released. False: no memory. */
static bool take(SSL_CTX *ctx, X509_CRL *list, int64_t *until)
{
    int64_t next;
    const ASN1_TIME *told = X509_CRL_get0_nextUpdate(list); /* NULL: it says nothing of a next */
    if (told != NULL && tusk__tls_seconds(&next, told) && next < *until) {
        *until = next;
    }
    bool kept = X509_STORE_add_crl(SSL_CTX_get_cert_store(ctx), list) == 1;
    X509_CRL_free(list);
    return kept;
}

tusk_err tusk__tls_revoke(SSL_CTX *ctx, const char *file, int64_t *until)
{
    ERR_clear_error();
    *until = INT64_MAX;
    BIO *in = BIO_new_file(file, "r");
    if (in == NULL) {
        return TUSK_ETLS;
    }
    unsigned count = 0;
    bool kept = true;
    X509_CRL *list;
    while (kept && (list = PEM_read_bio_X509_CRL(in, NULL, NULL, NULL)) != NULL) {
        kept = take(ctx, list, until);
        count++;
    }
    (void)BIO_free(in);
    if (!kept) {
        return TUSK_ENOMEM;
    }
    if (count == 0 || ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
        return TUSK_ETLS; /* none, or one that is broken */
    }
    ERR_clear_error();
    (void)X509_STORE_set_flags(SSL_CTX_get_cert_store(ctx),
                               X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
    SSL_CTX_set_verify(ctx, SSL_CTX_get_verify_mode(ctx), judge);
    return TUSK_OK;
}

#else

typedef int tusk__tls_revoked_is_not_built; /* an empty file would not be C */

#endif
