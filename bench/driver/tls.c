/* SPDX-License-Identifier: MIT */
/* TLS, client side: the handshake, and reading and writing as sockets do. */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include <openssl/ssl.h>

enum { WRITE_PATIENCE_MS = 5000 };

SSL *tls_connect(int fd, uint32_t index)
{
    static SSL_CTX *context; /* the driver is one thread and one run */
    if (context == NULL) {
        context = SSL_CTX_new(TLS_client_method());
        (void)SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    }
    SSL *ssl = SSL_new(context);
    if (ssl == NULL || SSL_set_fd(ssl, fd) != 1 || SSL_connect(ssl) != 1) {
        die("TLS handshake %u failed", index);
    }
    return ssl;
}

ssize_t tls_recv(SSL *ssl, void *ptr, size_t size)
{
    int n = SSL_read(ssl, ptr, (int)size);
    if (n > 0) {
        return n;
    }
    int why = SSL_get_error(ssl, n);
    if (why == SSL_ERROR_ZERO_RETURN) {
        return 0;
    }
    errno = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? EAGAIN : EPROTO;
    return -1;
}

void tls_take_reads(SSL *ssl)
{
    BIO *memory = BIO_new(BIO_s_mem());
    if (memory == NULL) {
        die("out of memory");
    }
    SSL_set0_rbio(ssl, memory);
}

void tls_feed(SSL *ssl, const void *ptr, size_t len)
{
    if (BIO_write(SSL_get_rbio(ssl), ptr, (int)len) != (int)len) {
        die("out of memory");
    }
}

size_t tls_hello(uint8_t *out, size_t size)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    BIO *said = BIO_new(BIO_s_mem());
    if (ssl == NULL || said == NULL) {
        die("out of memory");
    }
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), said);
    SSL_set_connect_state(ssl);
    (void)SSL_do_handshake(ssl);
    int len = BIO_read(said, out, (int)size);
    SSL_free(ssl);
    SSL_CTX_free(context);
    return len > 0 ? (size_t)len : 0;
}

bool tls_more(const SSL *ssl)
{
    return SSL_pending(ssl) > 0;
}

bool tls_send_all(SSL *ssl, const void *ptr, size_t len)
{
    for (;;) {
        int n = SSL_write(ssl, ptr, (int)len); /* whole, or again with the same bytes */
        if (n > 0) {
            return (size_t)n == len;
        }
        struct pollfd room = {.fd = SSL_get_fd(ssl), .events = POLLOUT, .revents = 0};
        if (SSL_get_error(ssl, n) != SSL_ERROR_WANT_WRITE ||
            poll(&room, 1, WRITE_PATIENCE_MS) <= 0) {
            errno = EPROTO;
            return false;
        }
    }
}
