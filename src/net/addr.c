/* SPDX-License-Identifier: MIT */
/* Addresses: parsing, text, and the key that limits count by. */
#define _GNU_SOURCE
#include "net/addr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/decimal.h"

#define HOST_MAX 64

_Static_assert(sizeof(struct sockaddr_un) <= 112, "a Unix address fits");
_Static_assert(sizeof(struct sockaddr_in6) <= 112, "an IPv6 address fits");

static bool parse_port(const char *text, uint16_t *port)
{
    unsigned value = 0;
    size_t len = strlen(text);
    if (len == 0 || len > 5) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        value = value * 10 + (unsigned)(text[i] - '0');
    }
    *port = (uint16_t)value;
    return value <= 65535;
}

static tusk_err from_path(tusk_addr *out, const char *path)
{
    struct sockaddr_un un;
    size_t len = strlen(path);
    if (len == 0 || len >= sizeof(un.sun_path)) {
        return TUSK_EINVAL;
    }
    memset(&un, 0, sizeof(un));
    un.sun_family = AF_UNIX;
    memcpy(un.sun_path, path, len + 1);
    out->len = (uint32_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
    memcpy(out->u.raw, &un, sizeof(un));
    return TUSK_OK;
}

/* The family is no place of its own in `raw`: the BSDs have a length before it. */
int tusk_addr_family(const tusk_addr *self)
{
    struct sockaddr any;
    memcpy(&any, self->u.raw, sizeof(any));
    return any.sa_family;
}

void tusk_addr_unnamed(tusk_addr *out)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    memset(out, 0, sizeof(*out));
    memcpy(out->u.raw, &un, offsetof(struct sockaddr_un, sun_path));
    out->len = offsetof(struct sockaddr_un, sun_path);
}

/* An IPv4 or IPv6 address, and nothing else. */
static tusk_err from_ip_text(tusk_addr *out, const char *ip, uint16_t port)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    memset(out, 0, sizeof(*out));
    memset(&in, 0, sizeof(in));
    memset(&in6, 0, sizeof(in6));
    if (inet_pton(AF_INET, ip, &in.sin_addr) == 1) {
        in.sin_family = AF_INET;
        in.sin_port = htons(port);
        out->len = sizeof(in);
        memcpy(out->u.raw, &in, sizeof(in));
        return TUSK_OK;
    }
    if (inet_pton(AF_INET6, ip, &in6.sin6_addr) == 1) {
        in6.sin6_family = AF_INET6;
        in6.sin6_port = htons(port);
        out->len = sizeof(in6);
        memcpy(out->u.raw, &in6, sizeof(in6));
        return TUSK_OK;
    }
    return TUSK_EINVAL;
}

/* "*" is the IPv6 wildcard: a listener that is not ipv6_only takes both families there. */
static const char *without_wildcard(const char *host)
{
    return strcmp(host, "*") == 0 ? "::" : host;
}

tusk_err tusk_addr_from_host(tusk_addr *out, const char *host, uint16_t port)
{
    memset(out, 0, sizeof(*out));
    return strncmp(host, "unix:", 5) == 0 ? from_path(out, host + 5)
                                          : from_ip_text(out, without_wildcard(host), port);
}

/* "host:port", an IPv6 address in brackets. */
static bool split(const char *text, char host[HOST_MAX], uint16_t *port)
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL || !parse_port(colon + 1, port)) {
        return false;
    }
    const char *start = text;
    const char *end = colon;
    if (*start == '[') {
        start++;
        end--;
        if (end < start || *end != ']') {
            return false;
        }
    } else if (memchr(start, ':', (size_t)(end - start)) != NULL) {
        return false; /* an IPv6 address without brackets: where would the port begin? */
    }
    size_t len = (size_t)(end - start);
    if (len == 0 || len >= HOST_MAX) {
        return false;
    }
    memcpy(host, start, len);
    host[len] = '\0';
    return true;
}

tusk_err tusk_addr_parse(tusk_addr *out, const char *text)
{
    char host[HOST_MAX];
    uint16_t port;
    memset(out, 0, sizeof(*out));
    if (strncmp(text, "unix:", 5) == 0) {
        return from_path(out, text + 5);
    }
    return split(text, host, &port) ? from_ip_text(out, without_wildcard(host), port) : TUSK_EINVAL;
}

tusk_err tusk_addr_parse_ip(tusk_addr *out, tusk_bytes text)
{
    char whole[HOST_MAX];
    char host[HOST_MAX];
    uint16_t port;
    memset(out, 0, sizeof(*out));
    if (text.len >= 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']') {
        text = tusk_bytes_of(text.ptr + 1, text.len - 2);
    }
    if (text.len == 0 || text.len >= sizeof(whole)) {
        return TUSK_EINVAL;
    }
    memcpy(whole, text.ptr, text.len);
    whole[text.len] = '\0';
    tusk_err err = from_ip_text(out, whole, 0);
    return err != TUSK_OK && split(whole, host, &port) ? from_ip_text(out, host, port) : err;
}

int tusk_addr_resolve(tusk_addr *out, int cap, const char *host, uint16_t port)
{
    int count = tusk_addr_look_up(out, cap, host, port);
    return count < 0 ? (int)tusk_addr_unfound((tusk_err)count) : count;
}

/* Without a descriptor the C library reads neither its files nor a name server, and says that there
 * is no such name: errno tells why. */
static int err_of(int failed, int number)
{
    return number == EMFILE || number == ENFILE        ? TUSK_EEXHAUSTED
           : failed == EAI_MEMORY                      ? TUSK_ENOMEM
           : failed == EAI_SYSTEM                      ? TUSK_ESYS
           : failed == EAI_AGAIN || failed == EAI_FAIL ? TUSK_ETIMEOUT
                                                       : TUSK_ENOENT;
}

int tusk_addr_look_up(tusk_addr *out, int cap, const char *host, uint16_t port)
{
    struct addrinfo hints;
    struct addrinfo *answers = NULL;
    char service[8];
    if (cap > 0 && tusk_addr_from_host(out, host, port) == TUSK_OK) {
        return 1;
    }
    memset(&hints, 0, sizeof(hints));
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    (void)snprintf(service, sizeof(service), "%u", (unsigned)port);
    errno = 0;
    int failed = getaddrinfo(host, service, &hints, &answers);
    if (failed != 0) {
        return err_of(failed, errno);
    }
    int count = 0;
    for (const struct addrinfo *each = answers; each != NULL && count < cap; each = each->ai_next) {
        if (each->ai_addrlen <= sizeof(out->u.raw)) {
            memset(&out[count], 0, sizeof(out[count]));
            out[count].len = (uint32_t)each->ai_addrlen;
            memcpy(out[count].u.raw, each->ai_addr, each->ai_addrlen);
            count++;
        }
    }
    freeaddrinfo(answers);
    return count > 0 ? count : (int)TUSK_ENOENT;
}

static struct sockaddr_in as_in(const tusk_addr *self)
{
    struct sockaddr_in in;
    memcpy(&in, self->u.raw, sizeof(in));
    return in;
}

static struct sockaddr_in6 as_in6(const tusk_addr *self)
{
    struct sockaddr_in6 in6;
    memcpy(&in6, self->u.raw, sizeof(in6));
    return in6;
}

/* An IPv4 client on a socket for both families has such an address; people and limits want the IPv4
 * one. */
static bool is_mapped(const struct in6_addr *address)
{
    static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return memcmp(address->s6_addr, prefix, sizeof(prefix)) == 0;
}

/* What every lookup of a proxy tells, so without printf, whose way inet_ntop goes as well. */
static size_t put_number(char *at, unsigned number)
{
    uint8_t digits[DECIMAL_MAX];
    tusk_bytes text = tusk__decimal(digits, number);
    memcpy(at, text.ptr, text.len);
    return text.len;
}

static void put_v4(char *at, const uint8_t ip[4])
{
    for (int i = 0; i < 4; i++) {
        at += put_number(at, ip[i]);
        *at++ = i < 3 ? '.' : '\0';
    }
}

static char *put_text(char *at, const char *text)
{
    size_t len = strlen(text);
    memcpy(at, text, len);
    return at + len;
}

const char *tusk_addr_host_text(const tusk_addr *self, char text[TUSK_ADDR_TEXT_MAX])
{
    text[0] = '\0';
    if (tusk_addr_family(self) == AF_INET) {
        struct sockaddr_in in = as_in(self);
        uint8_t ip[4];
        memcpy(ip, &in.sin_addr, sizeof(ip));
        put_v4(text, ip);
    } else if (tusk_addr_family(self) == AF_INET6) {
        struct sockaddr_in6 in6 = as_in6(self);
        if (is_mapped(&in6.sin6_addr)) {
            put_v4(text, in6.sin6_addr.s6_addr + 12);
        } else {
            (void)inet_ntop(AF_INET6, &in6.sin6_addr, text, TUSK_ADDR_TEXT_MAX);
        }
    } else {
        memcpy(text, "unix", 5);
    }
    return text;
}

const char *tusk_addr_text(const tusk_addr *self, char text[TUSK_ADDR_TEXT_MAX])
{
    char host[TUSK_ADDR_TEXT_MAX];
    if (tusk_addr_family(self) == AF_UNIX) {
        struct sockaddr_un un;
        memcpy(&un, self->u.raw, sizeof(un));
        un.sun_path[sizeof(un.sun_path) - 1] = '\0';
        (void)snprintf(text, TUSK_ADDR_TEXT_MAX, "unix:%s", un.sun_path);
        return text;
    }
    (void)tusk_addr_host_text(self, host);
    bool brackets = strchr(host, ':') != NULL;
    char *at = put_text(text, brackets ? "[" : "");
    at = put_text(at, host);
    at = put_text(at, brackets ? "]:" : ":");
    at += put_number(at, tusk_addr_port(self));
    *at = '\0';
    return text;
}

uint16_t tusk_addr_port(const tusk_addr *self)
{
    if (tusk_addr_family(self) == AF_INET) {
        return ntohs(as_in(self).sin_port);
    }
    if (tusk_addr_family(self) == AF_INET6) {
        return ntohs(as_in6(self).sin6_port);
    }
    return 0;
}

bool tusk_addr_is_loopback(const tusk_addr *self)
{
    if (tusk_addr_family(self) == AF_INET) {
        return ntohl(as_in(self).sin_addr.s_addr) >> 24 == 127;
    }
    if (tusk_addr_family(self) == AF_INET6) {
        static const uint8_t one[16] = {[15] = 1};
        struct sockaddr_in6 in6 = as_in6(self);
        return memcmp(in6.sin6_addr.s6_addr, one, sizeof(one)) == 0 ||
               (is_mapped(&in6.sin6_addr) && in6.sin6_addr.s6_addr[12] == 127);
    }
    return tusk_addr_family(self) == AF_UNIX;
}

tusk_addr_key tusk_addr_key_of(const tusk_addr *self)
{
    tusk_addr_key key;
    memset(&key, 0, sizeof(key));
    if (tusk_addr_family(self) == AF_INET) {
        struct sockaddr_in in = as_in(self);
        key.bytes[0] = 4;
        memcpy(key.bytes + 1, &in.sin_addr, 4);
    } else if (tusk_addr_family(self) == AF_INET6) {
        struct sockaddr_in6 in6 = as_in6(self);
        bool mapped = is_mapped(&in6.sin6_addr);
        key.bytes[0] = mapped ? 4 : 6;
        memcpy(key.bytes + 1, in6.sin6_addr.s6_addr + (mapped ? 12 : 0), mapped ? 4 : 8);
    }
    return key;
}

uint8_t tusk_addr_ip(const tusk_addr *self, uint8_t ip[16])
{
    memset(ip, 0, 16);
    if (tusk_addr_family(self) == AF_INET) {
        struct sockaddr_in in = as_in(self);
        memcpy(ip, &in.sin_addr, 4);
        return 4;
    }
    if (tusk_addr_family(self) == AF_INET6) {
        struct sockaddr_in6 in6 = as_in6(self);
        bool mapped = is_mapped(&in6.sin6_addr);
        memcpy(ip, in6.sin6_addr.s6_addr + (mapped ? 12 : 0), mapped ? 4 : 16);
        return mapped ? 4 : 6;
    }
    return 0;
}

tusk_err tusk_addr_from_ip(tusk_addr *out, uint8_t family, const uint8_t ip[16], uint16_t port)
{
    memset(out, 0, sizeof(*out));
    if (family == 4) {
        struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
        memcpy(&in.sin_addr, ip, 4);
        memcpy(out->u.raw, &in, sizeof(in));
        out->len = sizeof(in);
        return TUSK_OK;
    }
    if (family == 6) {
        struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
        memcpy(&in6.sin6_addr, ip, 16);
        memcpy(out->u.raw, &in6, sizeof(in6));
        out->len = sizeof(in6);
        return TUSK_OK;
    }
    return TUSK_EINVAL;
}
