/* SPDX-License-Identifier: MIT */
/* host[:port]: registered names, IPv4 and bracketed IPv6 addresses. */
#include "proto/authority.h"

#include "proto/ascii.h"
#include "proto/ip_text.h"

enum { PORT_DIGITS_MAX = 5, REG_NAME_MAX = 255 };

static bool parse_port(tusk__authority *out, tusk_bytes digits)
{
    uint32_t port = 0;
    if (digits.len > PORT_DIGITS_MAX) {
        return false;
    }
    for (size_t i = 0; i < digits.len; i++) {
        uint32_t digit = (uint32_t)digits.ptr[i] - '0';
        if (digit > 9) {
            return false;
        }
        port = port * 10 + digit;
    }
    out->port = (uint16_t)port;
    out->has_port = digits.len > 0;
    return port <= UINT16_MAX;
}

static bool parse_bracketed(tusk__authority *out, tusk_bytes text)
{
    uint8_t address[16];
    const uint8_t *close = memchr(text.ptr, ']', text.len);
    if (close == NULL) {
        return false;
    }
    out->host = tusk_bytes_of(text.ptr + 1, (size_t)(close - text.ptr) - 1);
    size_t left = text.len - out->host.len - 2;
    if (!tusk__ipv6_parse(address, out->host) || (left > 0 && close[1] != ':')) {
        return false;
    }
    return left == 0 || parse_port(out, tusk_bytes_of(close + 2, left - 1));
}

bool tusk__authority_parse(tusk__authority *out, tusk_bytes text)
{
    *out = (tusk__authority){.port = 0};
    if (text.len == 0) {
        return false;
    }
    if (text.ptr[0] == '[') {
        return parse_bracketed(out, text);
    }
    const uint8_t *end = text.ptr + text.len;
    const uint8_t *stop = tusk__skip(text.ptr, end, TUSK__HOST);
    out->host = tusk_bytes_of(text.ptr, (size_t)(stop - text.ptr));
    if (out->host.len == 0 || out->host.len > REG_NAME_MAX) {
        return false;
    }
    if (!tusk__escapes_whole(out->host)) {
        return false;
    }
    if (stop == end) {
        return true;
    }
    return *stop == ':' && parse_port(out, tusk_bytes_of(stop + 1, (size_t)(end - stop) - 1));
}
