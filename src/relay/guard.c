/* SPDX-License-Identifier: MIT */
/* Ranges of addresses, and the guard over them. */
#include "relay/guard.h"

#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "base/mem.h"

static bool read_bits(const char *text, unsigned most, uint8_t *bits)
{
    unsigned value = 0;
    size_t len = strlen(text);
    if (len == 0 || len > 3) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        value = value * 10 + (unsigned)(text[i] - '0');
    }
    *bits = (uint8_t)value;
    return value <= most;
}

static tusk_err read_path(relay_range *self, const tusk_mem *mem, const char *path)
{
    self->path_size = strlen(path) + 1;
    self->path = tusk__new(mem, self->path_size);
    if (self->path == NULL) {
        return TUSK_ENOMEM;
    }
    memcpy(self->path, path, self->path_size);
    return TUSK_OK;
}

static tusk_err read_range(relay_range *self, const tusk_mem *mem, const char *text)
{
    char host[TUSK_ADDR_TEXT_MAX];
    tusk_addr addr;
    const char *slash = strchr(text, '/');
    size_t len = slash == NULL ? strlen(text) : (size_t)(slash - text);
    if (strncmp(text, "unix:/", 6) == 0) {
        return read_path(self, mem, text + 5);
    }
    if (len == 0 || len >= sizeof(host) || text[0] == '*') {
        return TUSK_EINVAL;
    }
    memcpy(host, text, len);
    host[len] = '\0';
    if (tusk_addr_from_host(&addr, host, 0) != TUSK_OK) {
        return TUSK_EINVAL;
    }
    self->family = tusk_addr_ip(&addr, self->ip);
    bool is_v6_text = strchr(host, ':') != NULL;
    bool is_mapped = is_v6_text && self->family == 4;
    uint8_t most = self->family == 4 ? 32 : 128;
    self->bits = most;
    if (slash == NULL) {
        return self->family != 0 ? TUSK_OK : TUSK_EINVAL;
    }
    /* "::ffff:10.0.0.0/104" would be a range of which only a part is IPv4's. */
    return self->family != 0 && !is_mapped && read_bits(slash + 1, most, &self->bits) ? TUSK_OK
                                                                                      : TUSK_EINVAL;
}

tusk_err relay_ranges_init(relay_ranges *self, const tusk_mem *mem, const char *const *texts,
                           size_t count, const char **wrong)
{
    *self = (relay_ranges){.mem = mem};
    *wrong = NULL;
    if (count == 0) {
        return TUSK_OK;
    }
    self->items = tusk__new(mem, count * sizeof(relay_range));
    if (self->items == NULL) {
        return TUSK_ENOMEM;
    }
    self->count = count;
    for (size_t i = 0; i < count; i++) {
        tusk_err err = read_range(&self->items[i], mem, texts[i]);
        if (err != TUSK_OK) {
            *wrong = texts[i];
            relay_ranges_fini(self);
            return err;
        }
    }
    return TUSK_OK;
}

void relay_ranges_fini(relay_ranges *self)
{
    for (size_t i = 0; i < self->count; i++) {
        tusk__free(self->mem, self->items[i].path, self->items[i].path_size);
    }
    tusk__free(self->mem, self->items, self->count * sizeof(relay_range));
    memset(self, 0, sizeof(*self));
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    unsigned whole = bits / 8;
    unsigned rest = bits % 8;
    return memcmp(a, b, whole) == 0 &&
           (rest == 0 || ((a[whole] ^ b[whole]) & (0xff00u >> rest & 0xffu)) == 0);
}

static bool path_begins(const relay_range *range, const tusk_addr *addr)
{
    struct sockaddr_un un;
    size_t len = range->path_size - 1;
    memcpy(&un, addr->u.raw, sizeof(un));
    return addr->len >= offsetof(struct sockaddr_un, sun_path) + len &&
           memcmp(un.sun_path, range->path, len) == 0;
}

bool relay_ranges_have(const relay_ranges *self, const tusk_addr *addr)
{
    uint8_t ip[16];
    uint8_t family = tusk_addr_ip(addr, ip);
    for (size_t i = 0; i < self->count; i++) {
        const relay_range *range = &self->items[i];
        if (range->family == family &&
            (family == 0 ? path_begins(range, addr) : same_bits(range->ip, ip, range->bits))) {
            return true;
        }
    }
    return false;
}

bool relay_guard_allows(const relay_guard *self, const tusk_addr *addr)
{
    return self->any_address || relay_ranges_have(&self->allowed, addr);
}
