/* SPDX-License-Identifier: MIT */
/* Reading a ClientHello: records are put together first, then its fields are walked. */
#include "proto/tls_hello.h"

#include "proto/ascii.h"
#include "proto/dns_name.h"
#include "proto/ip_text.h"
#include "proto/wire.h"

enum { RECORD_HEAD = 5, RECORD_HANDSHAKE = 22, RECORD_BODY_MAX = 1 << 14 };
enum { MESSAGE_HEAD = 4, MESSAGE_CLIENT_HELLO = 1, RANDOM_LEN = 32, SESSION_ID_MAX = 32 };
enum { EXT_SERVER_NAME = 0, EXT_ALPN = 16, EXT_VERSIONS = 43, NAME_HOST = 0 };
enum { VERSION_1_0 = 0x0301, VERSION_1_3 = 0x0304 };
/* Which extensions came, as bits: none may come twice (RFC 8446, 4.2). */
enum { SEEN_NAME = 1, SEEN_ALPN = 2, SEEN_VERSIONS = 4 };

/* ---- records ---- */
/* The bytes of the handshake message that are here, in `message` when it spans records. */
typedef struct gathering {
    tusk_bytes view;
    size_t used;   /* bytes of the stream */
    size_t wanted; /* of the message, its head included; 0: not known yet */
    uint8_t message[TLS_HELLO_MAX];
} gathering;

/* One record of a handshake: > 0 its whole length, 0 need more. What a record may be at all
 * decides whether this is TLS, so a first record's faults are ENOENT. */
static ptrdiff_t read_record(tusk_bytes in, bool first)
{
    static const tusk_err fault[] = {TUSK_EPROTO, TUSK_ENOENT};
    if ((in.len > 0 && in.ptr[0] != RECORD_HANDSHAKE) || (in.len > 1 && in.ptr[1] != 3)) {
        return fault[first];
    }
    if (in.len < RECORD_HEAD) {
        return 0; /* the minor version means nothing: RFC 8446, 5.1 */
    }
    size_t len = tusk__be16(in.ptr + 3);
    if (len == 0 || len > RECORD_BODY_MAX) {
        return fault[first];
    }
    return (ptrdiff_t)(RECORD_HEAD + len);
}

/* Looks at the message's head as soon as bytes of it are here. */
static tusk_err read_message_head(gathering *self)
{
    if (self->view.len > 0 && self->view.ptr[0] != MESSAGE_CLIENT_HELLO) {
        return TUSK_EPROTO;
    }
    if (self->view.len >= MESSAGE_HEAD) {
        self->wanted = MESSAGE_HEAD + tusk__be24(self->view.ptr + 1);
        if (self->wanted + RECORD_HEAD > TLS_HELLO_MAX) {
            return TUSK_ETOOBIG;
        }
    }
    return TUSK_OK;
}

/* The first record's bytes are a view; from the second on they are copied together. */
static void add_fragment(gathering *self, const uint8_t *ptr, size_t len)
{
    if (self->view.len == 0) {
        self->view = tusk_bytes_of(ptr, len);
        return;
    }
    if (self->view.ptr != self->message) {
        memcpy(self->message, self->view.ptr, self->view.len);
    }
    memcpy(self->message + self->view.len, ptr, len);
    self->view = tusk_bytes_of(self->message, self->view.len + len);
}

/* TUSK_OK: the message is complete; TUSK_EAGAIN: need more. `in` is at most TLS_HELLO_MAX long, so
 * what is copied fits. */
static tusk_err gather(gathering *self, tusk_bytes in)
{
    while (self->wanted == 0 || self->view.len < self->wanted) {
        tusk_bytes rest = tusk_bytes_of(in.ptr + self->used, in.len - self->used);
        ptrdiff_t whole = read_record(rest, self->used == 0);
        if (whole < 0) {
            return (tusk_err)whole;
        }
        if (whole == 0 || rest.len == RECORD_HEAD) {
            return TUSK_EAGAIN;
        }
        size_t here = rest.len < (size_t)whole ? rest.len : (size_t)whole;
        add_fragment(self, rest.ptr + RECORD_HEAD, here - RECORD_HEAD);
        tusk_err err = read_message_head(self);
        if (err != TUSK_OK) {
            return err;
        }
        size_t after = self->view.len + (size_t)whole - here; /* once this record is here */
        if (self->wanted > 0 && after > self->wanted) {
            return TUSK_EPROTO; /* nothing follows a hello before its answer */
        }
        if (here < (size_t)whole) {
            return TUSK_EAGAIN;
        }
        self->used += here;
    }
    return TUSK_OK;
}

/* ---- fields ---- */
/* RFC 6066, 3 has no addresses here, but clients send the one they connected to (PHP's do): it
 * names nobody, as if none had been sent. */
static bool is_address(tusk_bytes name)
{
    uint8_t ip[16];
    return tusk__ipv4_parse(ip, name) || tusk__ipv6_parse(ip, name);
}

static bool read_server_name(tusk__tls_hello *out, tusk_bytes data)
{
    tusk_bytes list;
    bool host_seen = false;
    if (!tusk__take_vector(&data, 2, &list) || data.len > 0 || list.len == 0) {
        return false;
    }
    while (list.len > 0) {
        uint32_t type;
        tusk_bytes name;
        if (!tusk__take_uint(&list, 1, &type) || !tusk__take_vector(&list, 2, &name) ||
            name.len == 0) {
            return false;
        }
        if (type != NAME_HOST) {
            continue; /* of any type, a name begins with its length: RFC 6066, 3 */
        }
        bool address = is_address(name);
        if (host_seen || (!address && !tusk__dns_name_lower(out->name, name))) {
            return false;
        }
        host_seen = true;
        out->name_len = address ? 0 : (uint8_t)name.len;
    }
    return true;
}

static tusk_err read_alpn(tusk__tls_hello *out, tusk_bytes data)
{
    tusk_bytes list;
    if (!tusk__take_vector(&data, 2, &list) || data.len > 0 || list.len == 0) {
        return TUSK_EPROTO;
    }
    tusk_bytes whole = list;
    while (list.len > 0) {
        tusk_bytes protocol;
        if (!tusk__take_vector(&list, 1, &protocol) || protocol.len == 0) {
            return TUSK_EPROTO;
        }
    }
    if (whole.len > TLS_HELLO_ALPN_MAX) {
        return TUSK_ETOOBIG;
    }
    memcpy(out->alpn, whole.ptr, whole.len);
    out->alpn_len = (uint16_t)whole.len;
    return TUSK_OK;
}

static unsigned version_bit(uint32_t version)
{
    bool is_known = version >= VERSION_1_0 && version <= VERSION_1_3;
    return is_known ? 1u << (version - VERSION_1_0) : 0;
}

static bool read_versions(tusk__tls_hello *out, tusk_bytes data)
{
    tusk_bytes list;
    if (!tusk__take_vector(&data, 1, &list) || data.len > 0 || list.len == 0 || list.len % 2 != 0) {
        return false;
    }
    out->versions = 0;
    for (size_t i = 0; i < list.len; i += 2) {
        out->versions |= (uint8_t)version_bit(tusk__be16(list.ptr + i));
    }
    return true;
}

/* Without the extension a client takes every version up to the one it names, 1.2 at most
 * (RFC 8446, 4.2.1). */
static unsigned versions_up_to(uint32_t legacy)
{
    uint32_t top = legacy < VERSION_1_3 ? legacy : VERSION_1_3 - 1;
    return top < VERSION_1_0 ? 0 : (1u << (top - VERSION_1_0 + 1)) - 1;
}

static tusk_err read_extension(tusk__tls_hello *out, uint32_t type, tusk_bytes data, unsigned *seen)
{
    unsigned bit = type == EXT_SERVER_NAME ? SEEN_NAME
                   : type == EXT_ALPN      ? SEEN_ALPN
                   : type == EXT_VERSIONS  ? SEEN_VERSIONS
                                           : 0;
    if (bit == 0) {
        return TUSK_OK;
    }
    if ((*seen & bit) != 0) {
        return TUSK_EPROTO;
    }
    *seen |= bit;
    if (bit == SEEN_ALPN) {
        return read_alpn(out, data);
    }
    bool fine = bit == SEEN_NAME ? read_server_name(out, data) : read_versions(out, data);
    return fine ? TUSK_OK : TUSK_EPROTO;
}

static tusk_err read_extensions(tusk__tls_hello *out, tusk_bytes body)
{
    tusk_bytes list;
    unsigned seen = 0;
    tusk_err err = TUSK_OK;
    if (!tusk__take_vector(&body, 2, &list) || body.len > 0) {
        return TUSK_EPROTO;
    }
    while (list.len > 0 && err == TUSK_OK) {
        uint32_t type;
        tusk_bytes data;
        if (!tusk__take_uint(&list, 2, &type) || !tusk__take_vector(&list, 2, &data)) {
            return TUSK_EPROTO;
        }
        err = read_extension(out, type, data, &seen);
    }
    return err;
}

static tusk_err read_hello(tusk__tls_hello *out, tusk_bytes body)
{
    uint32_t legacy;
    tusk_bytes session_id;
    tusk_bytes suites;
    tusk_bytes compressions;
    if (!tusk__take_uint(&body, 2, &legacy) || legacy >> 8 != 3 ||
        !tusk__skip_bytes(&body, RANDOM_LEN) || !tusk__take_vector(&body, 1, &session_id) ||
        session_id.len > SESSION_ID_MAX || !tusk__take_vector(&body, 2, &suites) ||
        suites.len < 2 || suites.len % 2 != 0 || !tusk__take_vector(&body, 1, &compressions) ||
        compressions.len == 0) {
        return TUSK_EPROTO;
    }
    out->versions = (uint8_t)versions_up_to(legacy);
    return body.len == 0 ? TUSK_OK : read_extensions(out, body); /* TLS 1.2 may have none */
}

ptrdiff_t tusk__tls_hello_parse(tusk__tls_hello *out, tusk_bytes in)
{
    gathering message;
    message.view = tusk_bytes_of(NULL, 0);
    message.used = 0;
    message.wanted = 0;
    out->versions = 0;
    out->name_len = 0;
    out->alpn_len = 0;
    if (in.len == 0) {
        return 0;
    }
    bool is_full = in.len >= TLS_HELLO_MAX;
    tusk_err err = gather(&message, tusk_bytes_of(in.ptr, is_full ? TLS_HELLO_MAX : in.len));
    if (err == TUSK_EAGAIN) {
        return is_full ? (ptrdiff_t)TUSK_ETOOBIG : 0;
    }
    if (err == TUSK_OK) {
        err = read_hello(
            out, tusk_bytes_of(message.view.ptr + MESSAGE_HEAD, message.view.len - MESSAGE_HEAD));
    }
    return err == TUSK_OK ? (ptrdiff_t)message.used : (ptrdiff_t)err;
}

bool tusk__tls_hello_next_alpn(const tusk__tls_hello *self, size_t *at, tusk_bytes *protocol)
{
    if (*at >= self->alpn_len) {
        return false;
    }
    *protocol = tusk_bytes_of(self->alpn + *at + 1, self->alpn[*at]);
    *at += 1 + protocol->len;
    return true;
}

bool tusk__tls_hello_has_alpn(const tusk__tls_hello *self, tusk_bytes protocol)
{
    size_t at = 0;
    tusk_bytes offered;
    while (tusk__tls_hello_next_alpn(self, &at, &offered)) {
        if (tusk_bytes_eq(offered, protocol)) {
            return true;
        }
    }
    return false;
}
