/* SPDX-License-Identifier: MIT */
/* A proxy's listener for operators: a small server of the core in the same loop, no PHP. */
#include "src/proxy.h"

/* Routes, as the core hands them back. */
enum { ADMIN_METRICS = 1, ADMIN_HEALTH };
enum { METRICS_BYTES_MAX = 65536, ADMIN_CONNECTIONS = 64 };

static const char *const gauges[] = {"active", "routes", "targets", "ejected",
                                     "kept",   "lines",  "tunnels"};

static bool is_gauge(const char *name)
{
    for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++) {
        if (strcmp(gauges[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void append(tusk_buf *out, const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);

static void append(tusk_buf *out, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (len > 0) {
        size_t size = (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1;
        (void)tusk_buf_append(out, line, size); /* one line less when it is full */
    }
}

/* OpenMetrics 1.0: a counter's family has no suffix, its sample has. */
static void put_named(tusk_buf *out, const char *prefix, const char *name, bool gauge,
                      uint64_t value)
{
    append(out, "# TYPE tusk_proxy_%s%s %s\ntusk_proxy_%s%s%s %" PRIu64 "\n", prefix, name,
           gauge ? "gauge" : "counter", prefix, name, gauge ? "" : "_total", value);
}

static void put_crew(const tusk_proxy *self, tusk_buf *out)
{
    tusk_crew_stats stats;
    uint64_t value;
    const char *name;
    bool gauge;
    if (self->crew == NULL) {
        return;
    }
    tusk_crew_stats_get(self->crew, &stats);
    for (size_t i = 0; (name = tusk_crew_stat(&stats, i, &value, &gauge)) != NULL; i++) {
        put_named(out, "crew_", name, gauge, value);
    }
}

static void put_metric(tusk_buf *out, const char *prefix, const char *name, uint64_t value)
{
    put_named(out, prefix, name, is_gauge(name), value);
}

static void compose(tusk_proxy *self, tusk_buf *out)
{
    tusk_relay_stats stats;
    uint64_t value;
    const char *name;
    tusk_relay_http_stats http;
    tusk_proxy_stats(self, &stats, &http);
    for (size_t i = 0; (name = tusk_relay_stat(&stats, i, &value)) != NULL; i++) {
        put_metric(out, "", name, value);
    }
    for (size_t i = 0; self->std.ce == tusk_proxy_ce[PROXY_HTTP] &&
                       (name = tusk_relay_http_stat(&http, i, &value)) != NULL;
         i++) {
        put_metric(out, "http_", name, value);
    }
    append(out, "# TYPE tusk_proxy_parked_resolvers gauge\ntusk_proxy_parked_resolvers %u\n",
           TUSK_G(parked_fibers));
    put_crew(self, out);
    append(out, "# TYPE tusk_proxy_draining gauge\ntusk_proxy_draining %d\n",
           self->host->stopping ? 1 : 0);
    append(out, "# EOF\n");
}

static tusk_bytes literal(const char *text)
{
    return tusk_bytes_of(text, strlen(text));
}

static void reply_metrics(tusk_proxy *self, tusk_handle session)
{
    tusk_buf text;
    tusk_buf_init(&text, tusk_mem_default(), METRICS_BYTES_MAX);
    compose(self, &text);
    (void)tusk_reply(self->admin, session, 200,
                     literal("Content-Type: application/openmetrics-text; version=1.0.0; "
                             "charset=utf-8\r\nCache-Control: no-store\r\n"),
                     tusk_buf_view(&text), NULL);
    tusk_buf_fini(&text);
}

static bool anybody_serves(const tusk_proxy *self)
{
    tusk_crew_stats stats = {.workers = 1};
    if (self->crew != NULL) {
        tusk_crew_stats_get(self->crew, &stats);
    }
    return stats.workers > 0;
}

static void on_request(void *user, tusk_handle session, void *route_user,
                       const tusk_request *request)
{
    tusk_proxy *self = user;
    if ((uintptr_t)route_user == ADMIN_METRICS) {
        reply_metrics(self, session);
        return;
    }
    bool up = !self->host->stopping && !self->host->failed && anybody_serves(self);
    (void)tusk_reply(self->admin, session, up ? 200 : 503,
                     literal("Content-Type: text/plain\r\nCache-Control: no-store\r\n"),
                     literal(up ? "ok\n" : "draining\n"), NULL);
}

static void on_log(void *user, const char *text)
{
    tusk_log("admin listener: %s", text);
}

static const tusk_server_handler handler = {.on_request = on_request, .on_log = on_log};

bool tusk_proxy_admin(tusk_proxy *self, zend_string *address)
{
    tusk_err err = TUSK_OK;
    if (self->admin == NULL) {
        tusk_server_options options = {.loop = tusk_proxy_has_crew(self) ? self->master_loop
                                                                         : TUSK_G(loop),
                                       .handler = &handler,
                                       .user = self};
        tusk_server_limits_default(&options.limits);
        options.limits.connections = ADMIN_CONNECTIONS;
        err = tusk_server_new(&self->admin, &options);
        if (err == TUSK_OK) {
            err = tusk_server_route_http(self->admin, "GET", "/metrics",
                                         (void *)(uintptr_t)ADMIN_METRICS);
        }
        if (err == TUSK_OK) {
            err = tusk_server_route_http(self->admin, "GET", "/health",
                                         (void *)(uintptr_t)ADMIN_HEALTH);
        }
    }
    if (err == TUSK_OK && !tusk_zstr_has_nul(address)) {
        err = tusk_server_listen(self->admin, ZSTR_VAL(address), NULL);
        if (err == TUSK_EINVAL) {
            zend_argument_value_error(1, "must be an address such as \"127.0.0.1:9100\"");
        }
    } else if (err == TUSK_OK) {
        err = TUSK_EINVAL;
        zend_argument_value_error(1, "must not contain any null bytes");
    }
    if (err != TUSK_OK && EG(exception) == NULL) {
        tusk_throw(err, "Cannot make the admin listener");
    }
    return err == TUSK_OK;
}
