/* SPDX-License-Identifier: MIT */
/* The PROXY header of a balancer, versions 1 (a line) and 2 (binary), read to the letter, and
 * written. */
#include "proto/ascii.h"
#include "proto/ip_text.h"
#include "proto/wire.h"

#include <stdio.h>
#include <tusk/http.h>

enum { V1_MAX = 107, V2_HEAD = 16, TLV_HEAD = 3, TLV_MAX = 255 };
enum { SSL_FIXED = 5, SSL_VERSION = 0x21, SSL_CLIENT = 1, SSL_CERTIFICATE = 2 | 4 };
enum { COMMAND_LOCAL = 0x20, COMMAND_PROXY = 0x21, FAMILY_TCP4 = 0x11, FAMILY_TCP6 = 0x21 };

static const uint8_t v2_signature[] = {0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d,
                                       0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a};

/* ---- version 1 ---- */
/* Takes a part up to the next space, or the rest. */
static tusk_bytes take_part(tusk_bytes *rest)
{
    const uint8_t *space = memchr(rest->ptr, ' ', rest->len);
    tusk_bytes part =
        tusk_bytes_of(rest->ptr, space == NULL ? rest->len : (size_t)(space - rest->ptr));
    size_t used = part.len + (space != NULL);
    rest->ptr += used;
    rest->len -= used;
    return part;
}

static bool read_address(uint8_t out[16], tusk_bytes text, uint8_t family)
{
    return family == 4 ? tusk__ipv4_parse(out, text) : tusk__ipv6_parse(out, text);
}

static bool read_port(uint16_t *out, tusk_bytes text)
{
    uint32_t port = 0;
    if (text.len == 0 || text.len > 5 || (text.len > 1 && text.ptr[0] == '0') ||
        !tusk__all(text, TUSK__DIGIT)) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        port = port * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    *out = (uint16_t)port;
    return port <= UINT16_MAX;
}

static bool read_v1_line(tusk_proxy_head *head, tusk_bytes line)
{
    if (line.len >= 13 && memcmp(line.ptr, "PROXY UNKNOWN", 13) == 0) {
        head->local = true;
        return line.len == 13 || line.ptr[13] == ' '; /* the rest of the line means nothing */
    }
    if (line.len < 11 || memcmp(line.ptr, "PROXY TCP", 9) != 0 || line.ptr[10] != ' ') {
        return false;
    }
    head->family = (uint8_t)(line.ptr[9] - '0');
    tusk_bytes rest = tusk_bytes_of(line.ptr + 11, line.len - 11);
    tusk_bytes source = take_part(&rest);
    tusk_bytes target = take_part(&rest);
    tusk_bytes source_port = take_part(&rest);
    return (head->family == 4 || head->family == 6) &&
           read_address(head->source, source, head->family) &&
           read_address(head->target, target, head->family) &&
           read_port(&head->source_port, source_port) && read_port(&head->target_port, rest);
}

static ptrdiff_t read_v1(tusk_proxy_head *head, tusk_bytes in)
{
    size_t seen = in.len < V1_MAX ? in.len : V1_MAX;
    const uint8_t *lf = memchr(in.ptr, '\n', seen);
    if (lf == NULL) {
        return seen == V1_MAX ? (ptrdiff_t)TUSK_EPROTO : 0;
    }
    size_t len = (size_t)(lf - in.ptr) + 1; /* it stands behind "PROXY " */
    if (lf[-1] != '\r' || !read_v1_line(head, tusk_bytes_of(in.ptr, len - 2))) {
        return TUSK_EPROTO;
    }
    return (ptrdiff_t)len;
}

/* ---- version 2 ---- */
/* Extensions are not used, but must fill what the addresses leave. */
static bool are_tlvs(const uint8_t *at, size_t len)
{
    while (len > 0) {
        if (len < TLV_HEAD || (size_t)tusk__be16(at + 1) + TLV_HEAD > len) {
            return false;
        }
        size_t used = (size_t)tusk__be16(at + 1) + TLV_HEAD;
        at += used;
        len -= used;
    }
    return true;
}

static ptrdiff_t read_v2(tusk_proxy_head *head, tusk_bytes in)
{
    if (in.len > 12 && in.ptr[12] != COMMAND_LOCAL && in.ptr[12] != COMMAND_PROXY) {
        return TUSK_EPROTO;
    }
    if (in.len < V2_HEAD) {
        return 0;
    }
    size_t len = tusk__be16(in.ptr + 14);
    if (len + V2_HEAD > TUSK_PROXY_HEAD_MAX) {
        return TUSK_EPROTO;
    }
    bool is_tcp = in.ptr[13] == FAMILY_TCP4 || in.ptr[13] == FAMILY_TCP6;
    size_t address = in.ptr[13] == FAMILY_TCP4 ? 4 : 16;
    head->local = in.ptr[12] == COMMAND_LOCAL ||
                  !is_tcp; /* UDP, Unix, unspecified: the socket's own address stays */
    if (!head->local && len < 2 * address + 4) {
        return TUSK_EPROTO;
    }
    if (in.len < V2_HEAD + len) {
        return 0;
    }
    if (!head->local) {
        const uint8_t *at = in.ptr + V2_HEAD;
        head->family = address == 4 ? 4 : 6;
        memcpy(head->source, at, address);
        memcpy(head->target, at + address, address);
        head->source_port = tusk__be16(at + 2 * address);
        head->target_port = tusk__be16(at + 2 * address + 2);
        if (!are_tlvs(at + 2 * address + 4, len - 2 * address - 4)) {
            return TUSK_EPROTO;
        }
    }
    return (ptrdiff_t)(V2_HEAD + len);
}

ptrdiff_t tusk_proxy_head_parse(tusk_proxy_head *head, tusk_bytes in)
{
    static const char v1_start[] = "PROXY ";
    memset(head, 0, sizeof(*head));
    if (in.len == 0) {
        return 0;
    }
    bool is_v1 = in.ptr[0] == 'P';
    const void *start = is_v1 ? (const void *)v1_start : (const void *)v2_signature;
    size_t start_len = is_v1 ? sizeof(v1_start) - 1 : sizeof(v2_signature);
    if (memcmp(in.ptr, start, in.len < start_len ? in.len : start_len) != 0) {
        return TUSK_EPROTO;
    }
    if (in.len < start_len) {
        return 0;
    }
    return is_v1 ? read_v1(head, in) : read_v2(head, in);
}

bool tusk_proxy_head_find(tusk_bytes in, uint8_t type, tusk_bytes *value)
{
    tusk_proxy_head head;
    ptrdiff_t len = tusk_proxy_head_parse(&head, in);
    if (len <= 0 || head.local || in.ptr[0] == 'P') {
        return false;
    }
    size_t fixed = V2_HEAD + (head.family == 4 ? 12 : 36);
    tusk_bytes rest = tusk_bytes_of(in.ptr + fixed, (size_t)len - fixed);
    uint32_t found;
    while (tusk__take_uint(&rest, 1, &found) && tusk__take_vector(&rest, 2, value)) {
        if (found == type) {
            return true;
        }
    }
    return false;
}

/* ---- writing ---- */
/* Groups as they are, without "::": as long as the specification allows for. */
static void ip_text(char out[40], uint8_t family, const uint8_t ip[16])
{
    if (family == 4) {
        (void)snprintf(out, 40, "%d.%d.%d.%d", ip[0], ip[1], ip[2], ip[3]);
        return;
    }
    size_t len = 0;
    for (size_t i = 0; i < 16; i += 2) {
        len += (size_t)snprintf(out + len, 40 - len, "%x%s", tusk__be16(ip + i), i < 14 ? ":" : "");
    }
}

static tusk_err write_v1(tusk_buf *out, const tusk_proxy_head *head)
{
    char line[V1_MAX + 1];
    char source[40];
    char target[40];
    if (head->local) {
        return tusk_buf_append_str(out, "PROXY UNKNOWN\r\n");
    }
    ip_text(source, head->family, head->source);
    ip_text(target, head->family, head->target);
    int len = snprintf(line, sizeof(line), "PROXY TCP%d %s %s %u %u\r\n", head->family, source,
                       target, head->source_port, head->target_port);
    return tusk_buf_append(out, line, (size_t)len);
}

/* Fields are appended to a place with room for them; what has no bytes is left out. */
static size_t put_tlv(uint8_t *at, uint8_t type, tusk_bytes value)
{
    if (value.len == 0) {
        return 0;
    }
    at[0] = type;
    tusk__put_be16(at + 1, (uint32_t)value.len);
    memcpy(at + TLV_HEAD, value.ptr, value.len);
    return TLV_HEAD + value.len;
}

static size_t put_ssl(uint8_t *at, const tusk_proxy_extra *extra)
{
    if (extra->tls_version.len == 0) {
        return 0;
    }
    uint8_t value[SSL_FIXED + TLV_HEAD + TLV_MAX];
    value[0] = extra->client_certificate ? SSL_CLIENT | SSL_CERTIFICATE : SSL_CLIENT;
    tusk__put_be32(value + 1, extra->client_certificate ? 0 : 1); /* 0: verified */
    size_t len = SSL_FIXED + put_tlv(value + SSL_FIXED, SSL_VERSION, extra->tls_version);
    return put_tlv(at, TUSK_PROXY_SSL, tusk_bytes_of(value, len));
}

static bool fits(const tusk_proxy_extra *extra)
{
    return extra->authority.len <= TLV_MAX && extra->alpn.len <= TLV_MAX &&
           extra->tls_version.len <= TLV_MAX;
}

static tusk_err write_v2(tusk_buf *out, const tusk_proxy_head *head, const tusk_proxy_extra *extra)
{
    uint8_t wire[V2_HEAD + 36 + SSL_FIXED + 4 * (TLV_HEAD + TLV_MAX)];
    size_t address = head->family == 4 ? 4 : 16;
    uint8_t *at = wire + V2_HEAD;
    memcpy(wire, v2_signature, sizeof(v2_signature));
    wire[12] = head->local ? COMMAND_LOCAL : COMMAND_PROXY;
    wire[13] = head->local ? 0 : head->family == 4 ? FAMILY_TCP4 : FAMILY_TCP6;
    if (!head->local) {
        memcpy(at, head->source, address);
        memcpy(at + address, head->target, address);
        tusk__put_be16(at + 2 * address, head->source_port);
        tusk__put_be16(at + 2 * address + 2, head->target_port);
        at += 2 * address + 4;
        at += put_tlv(at, TUSK_PROXY_ALPN, extra->alpn);
        at += put_tlv(at, TUSK_PROXY_AUTHORITY, extra->authority);
        at += put_ssl(at, extra);
    }
    size_t len = (size_t)(at - wire);
    tusk__put_be16(wire + 14, (uint32_t)(len - V2_HEAD));
    return tusk_buf_append(out, wire, len);
}

tusk_err tusk_proxy_head_write(tusk_buf *out, const tusk_proxy_head *head, int version,
                               const tusk_proxy_extra *extra)
{
    static const tusk_proxy_extra nothing = {.client_certificate = false};
    extra = extra == NULL ? &nothing : extra;
    bool fine = head->local || head->family == 4 || head->family == 6;
    if (!fine || (version != 1 && version != 2) || !fits(extra)) {
        return TUSK_EINVAL;
    }
    return version == 1 ? write_v1(out, head) : write_v2(out, head, extra);
}
