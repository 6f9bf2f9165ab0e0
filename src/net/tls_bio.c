/* SPDX-License-Identifier: MIT */
/* The socket as a BIO of OpenSSL, whose own writes without MSG_NOSIGNAL; what a client declares in
 * the clear is looked at as it passes. */
#define _GNU_SOURCE
#include "net/filter_tls.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <errno.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/socket.h>

#include "net/socket.h"

/* Of records that carry no data, without data between them: nobody needs as many. */
#define IDLE_RECORDS_MAX 32

#define HELLO_BYTES_MAX 16384 /* of a client's hello */

enum { RECORD_HEAD = 5, MESSAGE_HEAD = 4 };

static tusk_filter *filter_of(BIO *bio)
{
    return BIO_get_data(bio);
}

bool tusk__tls_is_idle(const tusk_filter *self)
{
    return self->records > IDLE_RECORDS_MAX + 1;
}

static int bio_write(BIO *bio, const char *ptr, int len)
{
    ssize_t sent;
    BIO_clear_retry_flags(bio);
    if (TUSK_UNLIKELY(tusk__tls_is_idle(filter_of(bio)))) {
        errno = EPROTO;
        return -1;
    }
    do {
        sent = send(filter_of(bio)->fd, ptr, (size_t)len, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)) {
        BIO_set_retry_write(bio);
    }
    return (int)sent;
}

/* A message of `len` bytes or more; what belongs to it. */
static size_t pass_message(hello_guard *self, const uint8_t *ptr, size_t len, bool *admitted)
{
    if (self->message_head < MESSAGE_HEAD) {
        bool is_hello = self->message_left >> 16 == SSL3_MT_CLIENT_HELLO;
        self->message_left = self->message_left << 8 | ptr[0];
        if (++self->message_head == MESSAGE_HEAD) {
            self->message_left &= 0xffffff;
            *admitted = !is_hello || self->message_left <= HELLO_BYTES_MAX;
        }
        len = 1;
    } else {
        len = len < self->message_left ? len : self->message_left;
        self->message_left -= (uint32_t)len;
    }
    if (self->message_head == MESSAGE_HEAD && self->message_left == 0) {
        self->message_head = 0;
    }
    return len;
}

/* OpenSSL takes as much memory as a message declares, up to 128 KiB for a hello of which nine bytes
 * have come. No client needs more than a record holds. False: it declares more. */
static bool admits(hello_guard *self, const uint8_t *ptr, size_t len, bool tls13)
{
    bool admitted = true;
    for (size_t at = 0; at < len && admitted && !self->over;) {
        if (self->record_head < RECORD_HEAD) {
            self->record_type = self->record_head == 0 ? ptr[at] : self->record_type;
            self->record_left = (uint16_t)(self->record_left << 8 | ptr[at]);
            self->record_head++;
            at++;
            /* Behind this TLS 1.2 is encrypted; what is no record is somebody else's to refuse. */
            self->over = self->record_type < SSL3_RT_CHANGE_CIPHER_SPEC ||
                         self->record_type > SSL3_RT_APPLICATION_DATA ||
                         (self->record_type == SSL3_RT_CHANGE_CIPHER_SPEC && !tls13);
        } else {
            size_t part = len - at < self->record_left ? len - at : self->record_left;
            if (self->record_type == SSL3_RT_HANDSHAKE && part > 0) {
                part = pass_message(self, ptr + at, part, &admitted);
            }
            self->record_left = (uint16_t)(self->record_left - part);
            at += part;
        }
        if (self->record_head == RECORD_HEAD && self->record_left == 0) {
            self->record_head = 0;
        }
    }
    return admitted;
}

static void refuse_hello(const tusk_filter *self)
{
    static const uint8_t illegal_parameter[] = {SSL3_RT_ALERT,           3, 3, 0, 2, SSL3_AL_FATAL,
                                                SSL_AD_ILLEGAL_PARAMETER};
    (void)send(self->fd, illegal_parameter, sizeof(illegal_parameter), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static int bio_read(BIO *bio, char *ptr, int cap)
{
    tusk_filter *self = filter_of(bio);
    ssize_t got;
    BIO_clear_retry_flags(bio);
    self->behind = false; /* it has none left */
    if (TUSK_UNLIKELY(tusk__tls_is_idle(self))) {
        errno = EPROTO;
        return -1;
    }
    do {
        got = recv(self->fd, ptr, (size_t)cap, 0);
    } while (got < 0 && errno == EINTR);
    self->came |= got > 0;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        self->dry = true;
        BIO_set_retry_read(bio);
    } else if (TUSK_UNLIKELY(!self->hello.over) && got > 0 &&
               !admits(&self->hello, (const uint8_t *)ptr, (size_t)got,
                       SSL_version(self->ssl) == TLS1_3_VERSION)) {
        refuse_hello(self);
        errno = EPROTO;
        return -1;
    }
    return (int)got;
}

static long bio_control(BIO *bio, int command, long number, void *ptr)
{
    (void)bio;
    (void)number;
    (void)ptr;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

struct bio_method_st *tusk__tls_bio_method_new(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | 0x70, "tusk socket");
    if (method != NULL) {
        (void)BIO_meth_set_write(method, bio_write);
        (void)BIO_meth_set_read(method, bio_read);
        (void)BIO_meth_set_ctrl(method, bio_control);
    }
    return method;
}

static void on_message(int is_ours, int version, int type, const void *ptr, size_t len, SSL *ssl,
                       void *user)
{
    tusk_filter *self = user;
    (void)version;
    if (!is_ours && type == SSL3_RT_HEADER && len >= sizeof(self->head)) {
        memcpy(self->head, ptr, sizeof(self->head));
        self->records += SSL_in_init(ssl) == 0;
    }
    self->turned |= !is_ours && type == SSL3_RT_HANDSHAKE && SSL_is_server(ssl) == 1;
}

void tusk__tls_watch_records(tusk_filter *self)
{
    SSL_set_msg_callback(self->ssl, on_message);
    SSL_set_msg_callback_arg(self->ssl, self);
}

#else

typedef int tusk__tls_bio_is_not_built; /* an empty file would not be C */

#endif
