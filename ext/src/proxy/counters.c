/* SPDX-License-Identifier: MIT */
/* Every counter of a proxy by its name, for stats() and for /metrics. */
#include "src/run/fiber.h"
#include "src/proxy/proxy.h"
#include "src/serve/admin.h"
#include "src/serve/workers.h"

/* What is now, not since the start; of the relay and of HTTP. */
static bool is_gauge(const char *name)
{
    static const char *const gauges[] = {"active", "routes", "targets", "ejected",
                                         "kept",   "lines",  "tunnels"};
    for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++) {
        if (strcmp(gauges[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void tell(const tusk_proxy_reader *reader, const char *prefix, const char *name, bool gauge,
                 uint64_t value)
{
    char full[64];
    (void)snprintf(full, sizeof(full), "%s%s", prefix, name);
    reader->on_counter(reader->user, full, gauge, value);
}

static void tell_http(const tusk_relay_http_stats *stats, const tusk_proxy_reader *reader)
{
    uint64_t value;
    const char *name;
    for (size_t i = 0; (name = tusk_relay_http_stat(stats, i, &value)) != NULL; i++) {
        tell(reader, "http_", name, is_gauge(name), value);
    }
}

void tusk_proxy_read_counters(const tusk_proxy *self, const tusk_proxy_reader *reader)
{
    tusk_relay_stats stats;
    uint64_t value;
    const char *name;
    tusk_relay_http_stats http;
    tusk_proxy_stats(self, &stats, &http);
    for (size_t i = 0; (name = tusk_relay_stat(&stats, i, &value)) != NULL; i++) {
        tell(reader, "", name, is_gauge(name), value);
    }
    if (self->std.ce == tusk_proxy_ce[PROXY_HTTP]) {
        tell_http(&http, reader);
    }
    tell(reader, "", "parked_handlers", true, TUSK_G(parked_fibers));
    tusk_workers_read_counters(self->host, reader->on_counter, reader->user);
}

/* ---- /metrics ---- */
static void put_counter(void *out, const char *name, bool gauge, uint64_t value)
{
    tusk_admin_put(out, "proxy", name, gauge, value);
}

static void put_limits(const tusk_proxy *self, tusk_buf *out)
{
    tusk_relay_stats stats;
    tusk_relay_http_stats http;
    tusk_proxy_stats(self, &stats, &http);
    const tusk_admin_limit limits[] = {
        {"connections", stats.active, self->limits.connections},
        {"perTarget", ADMIN_NOT_ONE, self->limits.per_target}, /* tusk_proxy_target_active */
    };
    tusk_admin_put_limits(out, "proxy", limits, sizeof(limits) / sizeof(limits[0]));
}

tusk_err tusk_proxy_tell_metrics(const tusk_host *host, tusk_buf *out)
{
    const tusk_proxy *self = tusk_proxy_of_host(host);
    const tusk_proxy_reader reader = {.on_counter = put_counter, .user = out};
    tusk_proxy_read_counters(self, &reader);
    put_counter(out, "draining", true, host->stopping ? 1 : 0);
    put_limits(self, out);
    return tusk_proxy_metrics(self, out);
}
