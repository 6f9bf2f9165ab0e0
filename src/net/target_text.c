/* SPDX-License-Identifier: MIT */
/* Targets and ranges as people write them. */
#include <tusk/net.h>

#include "net/addr.h"
#include "net/ip_class.h"

#include <string.h>

enum { NAME_MAX_BYTES = 253, PATH_MAX_BYTES = 107 };

static bool port_valid(const uint8_t *text, size_t len)
{
    uint32_t port = 0;
    if (len == 0 || len > 5) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        port = port * 10 + (uint32_t)(text[i] - '0');
    }
    return port >= 1 && port <= 65535;
}

static bool name_valid(const uint8_t *text, size_t len)
{
    if (len == 0 || len > NAME_MAX_BYTES || text[0] == '-' || text[0] == '.') {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        uint8_t c = text[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '.' || c == '-' || c == '_'; /* containers have names with underscores */
        if (!good) {
            return false;
        }
    }
    return true;
}

static bool six_valid(const uint8_t *text, size_t len)
{
    char copy[64];
    tusk_addr addr;
    if (len == 0 || len >= sizeof(copy) || memchr(text, ':', len) == NULL ||
        memchr(text, '\0', len) != NULL) {
        return false;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    return tusk_addr_from_host(&addr, copy, 1) == TUSK_OK;
}

bool tusk_net_target_valid(tusk_bytes text)
{
    if (text.len > 5 && memcmp(text.ptr, "unix:", 5) == 0) {
        return text.len - 5 <= PATH_MAX_BYTES && memchr(text.ptr, '\0', text.len) == NULL;
    }
    size_t colon = text.len;
    while (colon > 0 && text.ptr[colon - 1] != ':') {
        colon--;
    }
    if (colon == 0 || !port_valid(text.ptr + colon, text.len - colon)) {
        return false;
    }
    size_t host = colon - 1;
    if (host > 2 && text.ptr[0] == '[' && text.ptr[host - 1] == ']') {
        return six_valid(text.ptr + 1, host - 2);
    }
    return name_valid(text.ptr, host);
}

bool tusk_net_range_valid(tusk_bytes text)
{
    tusk_ip_range range;
    return tusk_ip_range_parse(&range, text) == TUSK_OK;
}
