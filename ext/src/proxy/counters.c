/* SPDX-License-Identifier: MIT */
/* Every counter of a proxy, for stats() and for /metrics. */
#include "src/run/fiber.h"
#include "src/proxy/proxy.h"
#include "src/process/admin.h"
#include "src/process/counters.h"
#include "src/tls.h"

/* What they are read of. */
typedef struct counted {
    tusk_counters all;
    tusk_relay_stats relay;
    tusk_relay_http_stats http;
} counted;

static const tusk_metric parked = {.name = "parked_handlers",
                                   .help = "Resolvers and handlers that wait.",
                                   .kind = TUSK_METRIC_GAUGE,
                                   .place =
                                       offsetof(tusk_relay_stats, own_gauge) / sizeof(uint64_t)};
static const tusk_metric_table own_counters = {&parked, 1};

static void count(const tusk_proxy *self, counted *out)
{
    out->all.count = 0;
    tusk_proxy_stats(self, &out->relay, &out->http);
    tusk_counters_add(&out->all, "", &tusk_relay_counters, &out->relay);
    if (self->std.ce == tusk_proxy_ce[PROXY_HTTP]) {
        tusk_counters_add(&out->all, "http_", &tusk_relay_http_counters, &out->http);
    }
    tusk_counters_add(&out->all, "", &own_counters, &out->relay);
    tusk_counters_add_crew(&out->all, self->host);
}

void tusk_proxy_counters_array(const tusk_proxy *self, zval *out)
{
    counted all;
    count(self, &all);
    tusk_counters_array(&all.all, out);
}

/* ---- /metrics ---- */
static tusk_err put_limits(const tusk_proxy *self, const tusk_relay_stats *stats, tusk_buf *out)
{
    const tusk_admin_limit limits[] = {
        {"connections", stats->active, self->limits.connections},
        {"perTarget", ADMIN_NOT_ONE, self->limits.per_target}, /* tusk_proxy_target_active */
    };
    return tusk_admin_put_limits(out, "proxy", limits, sizeof(limits) / sizeof(limits[0]));
}

static tusk_err put_certificates(const tusk_proxy *self, tusk_buf *out)
{
    tusk_tls *contexts[TUSK_CONTEXTS_MAX];
    size_t count = tusk_proxy_contexts(self, contexts, TUSK_CONTEXTS_MAX);
    return tusk_admin_put_certificates(out, "proxy", contexts, count);
}

tusk_err tusk_proxy_tell_metrics(const tusk_host *host, tusk_buf *out)
{
    const tusk_proxy *self = tusk_proxy_of_host(host);
    counted all;
    count(self, &all);
    tusk_err err = tusk_counters_text(&all.all, "proxy", host, out);
    err = err == TUSK_OK ? put_limits(self, &all.relay, out) : err;
    err = err == TUSK_OK ? put_certificates(self, out) : err;
    return err == TUSK_OK ? tusk_proxy_metrics(self, out) : err;
}
