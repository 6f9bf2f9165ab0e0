/* SPDX-License-Identifier: MIT */
/* A listener for operators: a small server of the core in the same loop, no PHP. */
#include "src/process/admin.h"

#include "src/process/workers.h"

/* Routes, as the core hands them back. */
enum { ADMIN_METRICS = 1, ADMIN_HEALTH, ADMIN_INDEX };
/* Of 5,000 targets and as many routes, with names of usual length. */
enum { METRICS_BYTES_MAX = 64 * 1024 * 1024, ADMIN_CONNECTIONS = 256 };
/* Of a request's head, and between two of one connection: who only holds a place gives it to the
 * next health check. */
enum { ADMIN_PATIENCE_MS = 2000 };

static tusk_err append(tusk_buf *out, const char *format, ...) ZEND_ATTRIBUTE_FORMAT(printf, 2, 3);

static tusk_err append(tusk_buf *out, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    ZEND_ASSERT(len >= 0 && (size_t)len < sizeof(line));
    return tusk_buf_append(out, line, (size_t)len);
}

/* Samples of one family stand together. */
static tusk_err put_family(tusk_buf *out, const char *what, const char *name, const char *help,
                           const tusk_admin_limit *limits, size_t count)
{
    bool used = strcmp(name, "used") == 0;
    tusk_err err = append(out, "# TYPE tusk_%s_limit_%s gauge\n# HELP tusk_%s_limit_%s %s\n", what,
                          name, what, name, help);
    for (size_t i = 0; err == TUSK_OK && i < count; i++) {
        if (!used || limits[i].used != ADMIN_NOT_ONE) {
            err = append(out, "tusk_%s_limit_%s{limit=\"%s\"} %" PRIu64 "\n", what, name,
                         limits[i].name, used ? limits[i].used : limits[i].bound);
        }
    }
    return err;
}

tusk_err tusk_admin_put_limits(tusk_buf *out, const char *what, const tusk_admin_limit *limits,
                               size_t count)
{
    tusk_err err = put_family(out, what, "used", "How much of a limit is used.", limits, count);
    return err == TUSK_OK ? put_family(out, what, "bound", "A limit; 0 is none.", limits, count)
                          : err;
}

/* ---- certificates ---- */
static bool is_told(tusk_tls *const *contexts, size_t context, size_t index, const char *file)
{
    tusk_tls_validity other;
    for (size_t i = 0; i <= context; i++) {
        for (size_t k = 0;
             (i < context || k < index) && tusk_tls_validity_at(contexts[i], k, &other); k++) {
            if (strcmp(other.file, file) == 0) {
                return true;
            }
        }
    }
    return false;
}

static tusk_bytes literal(const char *text)
{
    return tusk_bytes_of(text, strlen(text));
}

static tusk_err put_certificate(tusk_buf *out, const char *what, const tusk_tls_validity *of)
{
    tusk_err err = append(out, "tusk_%s_certificate_expires_seconds{file=\"", what);
    err = err == TUSK_OK ? tusk_metric_label(literal(of->file), out) : err;
    return err == TUSK_OK ? append(out, "\"} %" PRId64 "\n", of->not_after - tusk_loop_wall_s())
                          : err;
}

tusk_err tusk_admin_put_certificates(tusk_buf *out, const char *what, tusk_tls *const *contexts,
                                     size_t count)
{
    tusk_tls_validity of;
    tusk_err err = TUSK_OK;
    if (count > 0) {
        err = append(out,
                     "# TYPE tusk_%s_certificate_expires_seconds gauge\n"
                     "# HELP tusk_%s_certificate_expires_seconds Until a certificate expires; "
                     "below zero it has.\n",
                     what, what);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; err == TUSK_OK && tusk_tls_validity_at(contexts[i], k, &of); k++) {
            err = is_told(contexts, i, k, of.file) ? TUSK_OK : put_certificate(out, what, &of);
        }
    }
    return err;
}

/* Of this process, or of a master and its workers. */
static tusk_err put_usage(const tusk_host *self, tusk_buf *out)
{
    tusk_usage usage;
    const tusk_crew *crew = tusk_workers_crew(self);
    if (crew != NULL) {
        tusk_crew_usage(crew, &usage);
    } else {
        tusk_usage_get(&usage);
    }
    return tusk_usage_text(&usage, out);
}

static tusk_err compose(const tusk_host *self, tusk_buf *out)
{
    tusk_err err = self->metrics(self, out);
    err = err == TUSK_OK ? put_usage(self, out) : err;
    return err == TUSK_OK ? tusk_buf_append(out, "# EOF\n", 6) : err;
}

static void reply_metrics(const tusk_host *self, tusk_handle session)
{
    tusk_buf text;
    tusk_buf_init(&text, tusk_mem_default(), METRICS_BYTES_MAX);
    tusk_err err = compose(self, &text);
    if (err == TUSK_OK) {
        err = tusk_reply(self->admin, session, 200,
                         literal("Content-Type: application/openmetrics-text; version=1.0.0; "
                                 "charset=utf-8\r\nCache-Control: no-store\r\n"),
                         tusk_buf_view(&text), NULL);
    }
    if (err != TUSK_OK) { /* half of it would be read as all */
        (void)tusk_reply(self->admin, session, 500, literal("Content-Type: text/plain\r\n"),
                         literal("the metrics have no room\n"), NULL);
    }
    tusk_buf_fini(&text);
}

static bool anybody_serves(const tusk_host *self)
{
    tusk_crew_stats stats = {.workers = 1};
    if (tusk_workers_crew(self) != NULL) {
        tusk_crew_stats_get(self->workers->crew, &stats);
    }
    return stats.workers > 0;
}

static void on_request(void *user, tusk_handle session, void *route_user,
                       const tusk_request *request)
{
    const tusk_host *self = user;
    if ((uintptr_t)route_user == ADMIN_METRICS) {
        reply_metrics(self, session);
        return;
    }
    if ((uintptr_t)route_user == ADMIN_INDEX) {
        (void)tusk_reply(self->admin, session, 200, literal("Content-Type: text/plain\r\n"),
                         literal("/metrics  counters and limits, as OpenMetrics\n"
                                 "/health   \"ok\", or 503 while it drains\n"),
                         NULL);
        return;
    }
    bool up = !self->stopping && !self->failed && anybody_serves(self);
    (void)tusk_reply(self->admin, session, up ? 200 : 503,
                     literal("Content-Type: text/plain\r\nCache-Control: no-store\r\n"),
                     literal(up ? "ok\n" : "draining\n"), NULL);
}

static tusk_err route(tusk_server *admin)
{
    static const char *const paths[] = {
        [ADMIN_METRICS] = "/metrics", [ADMIN_HEALTH] = "/health", [ADMIN_INDEX] = "/"};
    tusk_err err = TUSK_OK;
    for (size_t i = ADMIN_METRICS; err == TUSK_OK && i <= ADMIN_INDEX; i++) {
        err = tusk_server_route_http(admin, "GET", paths[i], (void *)i);
    }
    return err;
}

static void on_log(void *user, const char *text)
{
    tusk_log("admin listener: %s", text);
}

static const tusk_server_handler handler = {.on_request = on_request, .on_log = on_log};

bool tusk_admin_listen(tusk_host *self, zend_string *address,
                       tusk_err (*metrics)(const tusk_host *self, tusk_buf *out))
{
    tusk_err err = TUSK_OK;
    self->metrics = metrics;
    if (self->admin == NULL) {
        const tusk_workers *workers = self->workers;
        tusk_server_options options = {.loop =
                                           workers != NULL ? workers->master_loop : TUSK_G(loop),
                                       .handler = &handler,
                                       .for_operators = true,
                                       .user = self};
        tusk_server_limits_default(&options.limits);
        options.limits.connections = ADMIN_CONNECTIONS;
        options.limits.queued_bytes = METRICS_BYTES_MAX;
        options.limits.queued_bytes_total = 2 * (size_t)METRICS_BYTES_MAX;
        options.limits.handshake_ms = ADMIN_PATIENCE_MS;
        options.limits.keep_alive_ms = ADMIN_PATIENCE_MS;
        err = tusk_server_new(&self->admin, &options);
        if (err == TUSK_OK) {
            err = route(self->admin);
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
