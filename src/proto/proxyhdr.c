/* SPDX-License-Identifier: MIT */
/* The PROXY header of a balancer, versions 1 (a line) and 2 (binary), read to the letter. */
#include "proto/ascii.h"
#include "proto/ip_text.h"

#include <tusk/http.h>

enum { V1_MAX = 107, V2_HEAD = 16, TLV_HEAD = 3 };
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
    size_t len = (size_t)(lf - in.ptr) + 1;
    if (len < 2 || lf[-1] != '\r' || !read_v1_line(head, tusk_bytes_of(in.ptr, len - 2))) {
        return TUSK_EPROTO;
    }
    return (ptrdiff_t)len;
}

/* ---- version 2 ---- */
static uint16_t read_be16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

/* Extensions are not used, but must fill what the addresses leave. */
static bool are_tlvs(const uint8_t *at, size_t len)
{
    while (len > 0) {
        if (len < TLV_HEAD || (size_t)read_be16(at + 1) + TLV_HEAD > len) {
            return false;
        }
        size_t used = (size_t)read_be16(at + 1) + TLV_HEAD;
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
    size_t len = read_be16(in.ptr + 14);
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
        head->source_port = read_be16(at + 2 * address);
        head->target_port = read_be16(at + 2 * address + 2);
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
