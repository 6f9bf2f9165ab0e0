/* SPDX-License-Identifier: MIT */
/* Where the load goes: schemes by mode, default ports, the addresses behind the name. */
#include "load/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

typedef struct scheme {
    const char *name;
    uint16_t port; /* 0: the URL must say */
    bool secure;
    bool tcp;
} scheme;

static const scheme schemes[] = {{"ws", 80, false, false},   {"wss", 443, true, false},
                                 {"http", 80, false, false}, {"https", 443, true, false},
                                 {"tcp", 0, false, true},    {"tls", 0, true, true}};

static bool is_tcp(load_mode_id mode)
{
    return mode >= LOAD_TCP_RR;
}

static const char *example_of(load_mode_id mode)
{
    if (is_tcp(mode)) {
        return "tcp://127.0.0.1:9000";
    }
    return mode == LOAD_HTTP || mode == LOAD_SSE ? "http://127.0.0.1:8080/"
                                                 : "ws://127.0.0.1:9000/";
}

static const scheme *scheme_of(const tusk_url *url, load_mode_id mode)
{
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        if (schemes[i].tcp == is_tcp(mode) &&
            tusk_bytes_eq_nocase(url->scheme, tusk_bytes_str(schemes[i].name))) {
            return &schemes[i];
        }
    }
    return NULL;
}

tusk_err tusk__load_target_init(load_target *self, const tusk_mem *mem, load_mode_id mode,
                                tusk_bytes url, char *reason)
{
    memset(self, 0, sizeof(*self));
    self->url.ptr = tusk__new(mem, url.len + 1);
    if (self->url.ptr == NULL) {
        return TUSK_ENOMEM;
    }
    memcpy(self->url.ptr, url.ptr, url.len);
    self->url.len = url.len;
    tusk_bytes own = tusk_bytes_of(self->url.ptr, url.len);
    if (tusk_url_parse(&self->parts, own) != TUSK_OK ||
        self->parts.host.len >= sizeof(self->host)) {
        (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "\"%.80s\" is not a URL such as %s",
                       self->url.ptr, example_of(mode));
        goto fail;
    }
    const scheme *found = scheme_of(&self->parts, mode);
    if (found == NULL) {
        (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "mode %s takes %s URLs, not \"%.80s\"",
                       tusk__load_mode_name(mode),
                       is_tcp(mode) ? "tcp:// and tls://" : "ws://, wss://, http:// and https://",
                       self->url.ptr);
        goto fail;
    }
    if (self->parts.port == 0 && found->port == 0) {
        (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "\"%.80s\" names no port", self->url.ptr);
        goto fail;
    }
    self->parts.port = self->parts.port == 0 ? found->port : self->parts.port;
    self->secure = found->secure;
    memcpy(self->host, self->parts.host.ptr, self->parts.host.len);
    self->host[self->parts.host.len] = '\0';
    return TUSK_OK;

fail:
    tusk__load_target_fini(self, mem);
    return TUSK_EINVAL;
}

void tusk__load_target_fini(load_target *self, const tusk_mem *mem)
{
    tusk__free(mem, self->url.ptr, self->url.ptr == NULL ? 0 : self->url.len + 1);
    memset(self, 0, sizeof(*self));
}

tusk_err tusk__load_target_resolve(load_target *self, const load_plan *plan, char *reason)
{
    int found = plan->look_up(self->addrs, LOAD_ADDRS_MAX, self->host, self->parts.port);
    if (found > 0) {
        self->addr_count = (uint8_t)found;
        return TUSK_OK;
    }
    (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "the host \"%.100s\" was not found", self->host);
    return TUSK_ENOENT;
}
