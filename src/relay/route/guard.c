/* SPDX-License-Identifier: MIT */
/* Ranges of addresses, and the guard over them. */
#include "relay/route/guard.h"

#include <string.h>
#include <sys/un.h>

#include "base/mem.h"

static tusk_err add_path(relay_ranges *self, const char *path)
{
    size_t size = strlen(path) + 1;
    char *copy = tusk__new(self->mem, size);
    if (copy == NULL) {
        return TUSK_ENOMEM;
    }
    memcpy(copy, path, size);
    self->paths[self->path_count++] = copy;
    return TUSK_OK;
}

static tusk_err add(relay_ranges *self, const char *text)
{
    if (strncmp(text, "unix:/", 6) == 0) {
        return add_path(self, text + 5);
    }
    tusk_err err = tusk_ip_range_parse(&self->items[self->count], tusk_bytes_str(text));
    self->count += err == TUSK_OK ? 1 : 0;
    return err;
}

tusk_err relay_ranges_init(relay_ranges *self, const tusk_mem *mem, const char *const *texts,
                           size_t count, const char **wrong)
{
    *self = (relay_ranges){.mem = mem, .cap = count};
    *wrong = NULL;
    if (count == 0) {
        return TUSK_OK;
    }
    self->items = tusk__new(mem, count * sizeof(*self->items));
    self->paths = tusk__new(mem, count * sizeof(*self->paths));
    tusk_err err = self->items == NULL || self->paths == NULL ? TUSK_ENOMEM : TUSK_OK;
    for (size_t i = 0; i < count && err == TUSK_OK; i++) {
        err = add(self, texts[i]);
        *wrong = err == TUSK_EINVAL ? texts[i] : NULL;
    }
    if (err != TUSK_OK) {
        relay_ranges_fini(self);
    }
    return err;
}

void relay_ranges_fini(relay_ranges *self)
{
    for (size_t i = 0; self->paths != NULL && i < self->path_count; i++) {
        tusk__free(self->mem, self->paths[i], strlen(self->paths[i]) + 1);
    }
    tusk__free(self->mem, self->paths, self->cap * sizeof(*self->paths));
    tusk__free(self->mem, self->items, self->cap * sizeof(*self->items));
    memset(self, 0, sizeof(*self));
}

/* "/run/tenants/../x" begins as "/run/tenants/" does, and is elsewhere. */
static bool climbs(const char *path)
{
    for (const char *at = path; (at = strstr(at, "/..")) != NULL; at++) {
        if (at[3] == '/' || at[3] == '\0') {
            return true;
        }
    }
    return false;
}

/* Our own addresses end with a NUL. */
static bool have_path(const relay_ranges *self, const tusk_addr *addr)
{
    struct sockaddr_un un;
    memcpy(&un, addr->u.raw, sizeof(un));
    for (size_t i = 0; i < self->path_count; i++) {
        if (strncmp(un.sun_path, self->paths[i], strlen(self->paths[i])) == 0) {
            return !climbs(un.sun_path);
        }
    }
    return false;
}

bool relay_ranges_trust(const relay_ranges *self, const tusk_addr *peer)
{
    uint8_t ip[16];
    uint8_t family = tusk_addr_ip(peer, ip);
    if (family == 0) {
        return self->count + self->path_count > 0;
    }
    for (size_t i = 0; i < self->count; i++) {
        if (tusk_ip_range_has(&self->items[i], family, ip)) {
            return true;
        }
    }
    return false;
}

bool relay_guard_allows(const relay_guard *self, const tusk_addr *addr)
{
    uint8_t ip[16];
    uint8_t family = tusk_addr_ip(addr, ip);
    const tusk_ip_policy policy = {.allowed = self->allowed.items,
                                   .allowed_count = self->allowed.count,
                                   .any_address = self->any_address};
    return family == 0 ? self->any_address || have_path(&self->allowed, addr)
                       : tusk_ip_refusal(&policy, family, ip) == NULL;
}
