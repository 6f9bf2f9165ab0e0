/* SPDX-License-Identifier: MIT */
/* Every counter of a proxy by its name, for stats() and for /metrics. */
#include "src/run/fiber.h"
#include "src/proxy/proxy.h"

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

static void tell_crew(const tusk_proxy *self, const tusk_proxy_reader *reader)
{
    tusk_crew_stats stats;
    uint64_t value;
    const char *name;
    bool gauge;
    tusk_crew_stats_get(self->host->workers->crew, &stats);
    for (size_t i = 0; (name = tusk_crew_stat(&stats, i, &value, &gauge)) != NULL; i++) {
        tell(reader, "crew_", name, gauge, value);
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
    if (tusk_workers_crew(self->host) != NULL) {
        tell_crew(self, reader);
    }
}
