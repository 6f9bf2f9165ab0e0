/* SPDX-License-Identifier: MIT */
/* How keys of session tickets follow each other, and what OpenSSL is told of a ticket. */
#define _GNU_SOURCE
#include "net/tls_ticket.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <string.h>
#include <tusk/loop.h>

#include "net/tls_context.h"

/* OpenSSL 1.1 has the MAC of a ticket elsewhere. */
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
#include <openssl/core_names.h>
typedef EVP_MAC_CTX ticket_mac;
#define TICKET_CALLBACK SSL_CTX_set_tlsext_ticket_key_evp_cb
#else
#include <openssl/hmac.h>
typedef HMAC_CTX ticket_mac;
#define TICKET_CALLBACK SSL_CTX_set_tlsext_ticket_key_cb
#endif

/* What OpenSSL wants to hear of a ticket that is shown. */
enum { REFUSED = -1, UNKNOWN = 0, GOOD = 1, GOOD_ONCE_MORE = 2 /* another one is given */ };

/* ---- keys ---- */
/* One of the independent values that a secret has; who knows it knows neither the secret nor the
 * others. */
static void derive(const uint8_t secret[32], uint8_t which, uint8_t out[SHA512_DIGEST_LENGTH])
{
    uint8_t text[32 + 1];
    memcpy(text, secret, 32);
    text[32] = which;
    (void)SHA512(text, sizeof(text), out);
    OPENSSL_cleanse(text, sizeof(text));
}

static void make_next(tusk__ticket_keys *self)
{
    uint8_t keys[SHA512_DIGEST_LENGTH];
    uint8_t rest[SHA512_DIGEST_LENGTH];
    derive(self->secret, 1, keys);
    derive(self->secret, 2, rest);
    self->before = self->newest;
    memcpy(self->newest.cipher, keys, sizeof(self->newest.cipher));
    memcpy(self->newest.mac, keys + sizeof(self->newest.cipher), sizeof(self->newest.mac));
    memcpy(self->newest.name, rest, sizeof(self->newest.name));
    memcpy(self->secret, rest + sizeof(self->newest.name), sizeof(self->secret));
    OPENSSL_cleanse(keys, sizeof(keys));
    OPENSSL_cleanse(rest, sizeof(rest));
}

static int64_t hour_now(void)
{
    return (int64_t)(tusk_loop_clock_ns() / (TLS_TICKET_SECONDS * UINT64_C(1000000000)));
}

bool tusk__ticket_keys_init(tusk__ticket_keys *self)
{
    if (RAND_bytes(self->secret, sizeof(self->secret)) != 1 ||
        RAND_bytes((uint8_t *)&self->newest, sizeof(self->newest)) != 1) {
        return false;
    }
    self->hour = hour_now();
    make_next(self); /* what was drawn is the one before, of which there are no tickets */
    return true;
}

void tusk__ticket_keys_at(tusk__ticket_keys *self, int64_t hour)
{
    while (self->hour < hour) {
        make_next(self);
        self->hour++;
    }
}

void tusk__ticket_keys_tend(tusk__ticket_keys *self)
{
    tusk__ticket_keys_at(self, hour_now());
}

void tusk__ticket_keys_fini(tusk__ticket_keys *self)
{
    OPENSSL_cleanse(self, sizeof(*self));
}

/* ---- tickets ---- */
static bool begin_mac(ticket_mac *mac, const tusk__ticket_key *key)
{
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
    char digest[] = "SHA256";
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                 OSSL_PARAM_construct_end()};
    return EVP_MAC_init(mac, key->mac, sizeof(key->mac), params) == 1;
#else
    return HMAC_Init_ex(mac, key->mac, sizeof(key->mac), EVP_sha256(), NULL) == 1;
#endif
}

static int seal(const tusk__ticket_key *key, unsigned char *name, unsigned char *iv,
                EVP_CIPHER_CTX *cipher, ticket_mac *mac)
{
    memcpy(name, key->name, sizeof(key->name));
    bool begins = RAND_bytes(iv, EVP_MAX_IV_LENGTH) == 1 &&
                  EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), NULL, key->cipher, iv) == 1 &&
                  begin_mac(mac, key);
    return begins ? GOOD : REFUSED;
}

/* Who resumed in TLS 1.3 gets another one always, as it shows none twice (RFC 8446, C.4). */
static int unseal(const tusk__ticket_keys *keys, bool is_tls13, const unsigned char *name,
                  const unsigned char *iv, EVP_CIPHER_CTX *cipher, ticket_mac *mac)
{
    bool is_newest = memcmp(name, keys->newest.name, sizeof(keys->newest.name)) == 0;
    const tusk__ticket_key *key = is_newest ? &keys->newest : &keys->before;
    if (memcmp(name, key->name, sizeof(key->name)) != 0) {
        return UNKNOWN; /* of an hour that is gone, or of another server: a whole handshake */
    }
    if (EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), NULL, key->cipher, iv) != 1 ||
        !begin_mac(mac, key)) {
        return REFUSED;
    }
    return is_newest && !is_tls13 ? GOOD : GOOD_ONCE_MORE;
}

static int on_ticket(SSL *ssl, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher,
                     ticket_mac *mac, int seals)
{
    tusk_tls *self = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    tusk__ticket_keys_tend(&self->tickets);
    return seals != 0
               ? seal(&self->tickets.newest, name, iv, cipher, mac)
               : unseal(&self->tickets, SSL_version(ssl) == TLS1_3_VERSION, name, iv, cipher, mac);
}

void tusk__tickets_for(SSL_CTX *ctx)
{
    (void)TICKET_CALLBACK(ctx, on_ticket);
}

#else

typedef int tusk__tls_ticket_is_not_built; /* an empty file would not be C */

#endif
