/* SPDX-License-Identifier: MIT */
/* A service's life: made, rested between runs, given back; and what it counts. */
#include "src/serve/service.h"

#include "src/process/counters.h"
#include "src/serve/connection.h"
#include "src/serve/http.h"

enum { LAST_LOOK_MS = 1 };

static tusk_service *service_of(tusk_host *host)
{
    return TUSK_OWNER(host, tusk_service, host);
}

static const tusk_service *service_at(const tusk_host *host)
{
    return TUSK_OWNER(host, const tusk_service, host);
}

/* ---- as what runs it asks ---- */
static tusk_err start(tusk_host *host, char *reason, size_t cap)
{
    return tusk_server_start(service_of(host)->core, reason, cap);
}

static bool serve(tusk_host *host)
{
    tusk_host_listens(host, tusk_server_port(service_of(host)->core, 0));
    return tusk_host_loop(host);
}

static void stop(tusk_host *host)
{
    tusk_server_stop(service_of(host)->core);
}

static void reload(tusk_host *host)
{
    tusk_server_reload_tls(service_of(host)->core);
}

static const char *address(const tusk_host *host, size_t listener)
{
    return tusk_server_address(service_at(host)->core, listener);
}

static tusk_err inherit(tusk_host *host, size_t listener, int fd)
{
    return tusk_server_inherit(service_of(host)->core, listener, fd);
}

static void call_over(tusk_host *host)
{
    tusk_service_forget_text(service_of(host));
}

static void cut(tusk_host *host)
{
    tusk_messages_end_all(service_of(host));
}

static void forget(zend_object **place)
{
    zend_object *object = *place;
    *place = NULL;
    if (object != NULL) {
        OBJ_RELEASE(object);
    }
}

static void rest(tusk_host *host)
{
    tusk_service *self = service_of(host);
    forget(&self->recent);
    if (self->spare_text != NULL) {
        zend_string_release_ex(self->spare_text, 0);
        self->spare_text = NULL;
    }
    forget(&self->spare_request);
    forget(&self->spare_response);
    tusk_service_forget_text(self);
    tusk_header_memo_clear(self->headers);
}

static void count_soon(tusk_host *host)
{
    tusk_server_count_soon(host->sessions);
}

const tusk_host_kind tusk_service_kind = {
    .what = "server",
    .start = start,
    .serve = serve,
    .stop = stop,
    .reload = reload,
    .address = address,
    .inherit = inherit,
    .call_over = call_over,
    .cut = cut,
    .rest = rest,
    .count_soon = count_soon,
};

/* ---- made ---- */
tusk_service *tusk_service_new(zend_object *server, tusk_server_options *options, bool compat)
{
    tusk_loop *loop = tusk_loop_get();
    if (loop == NULL) {
        return NULL;
    }
    tusk_service *self = ecalloc(1, sizeof(*self));
    tusk_host_init(&self->host, server, &tusk_service_kind);
    self->host.compat = compat;
    self->host.drain_ms = options->limits.drain_ms;
    options->loop = loop;
    options->handler = &tusk_service_handler;
    options->user = self;
    options->store = &tusk_string_store;
    options->plain_io = !TUSK_G(io_uring);
    tusk_err err = tusk_server_new(&self->core, options);
    if (err != TUSK_OK) {
        efree(self);
        tusk_throw(err, "Cannot make the server");
        return NULL;
    }
    self->host.sessions = self->core;
    return self;
}

tusk_php_route *tusk_service_route(tusk_service *self, unsigned kind)
{
    tusk_php_route *route = ecalloc(1, sizeof(*route));
    route->kind = kind;
    route->next = self->routes;
    self->routes = route;
    return route;
}

/* ---- unmade ---- */
static void free_routes(tusk_service *self)
{
    while (self->routes != NULL) {
        tusk_php_route *route = self->routes;
        self->routes = route->next;
        tusk_callback_fini(&route->open);
        tusk_callback_fini(&route->message);
        tusk_callback_fini(&route->close);
        tusk_callback_fini(&route->authorize);
        efree(route);
    }
}

void tusk_service_close(tusk_service *self)
{
    tusk_server *core = self->core;
    rest(&self->host);
    tusk_timer_stop(TUSK_G(loop), &self->last);
    tusk_frame_memo_fini(&self->memo);
    self->core = self->host.sessions = NULL; /* from here on the core's callbacks only release */
    self->host.object = NULL;
    tusk_server_free(core);
    free_routes(self);
    tusk_host_release(&self->host);
}

static void release_object(void *arg)
{
    OBJ_RELEASE((zend_object *)arg);
}

static void on_last(tusk_timer *timer)
{
    tusk_service *self = TUSK_OWNER(timer, tusk_service, last);
    /* Those who were told may have begun to wait anew. */
    if (tusk_waits_cancel_of(&self->host) || tusk_server_cut(self->core)) {
        tusk_timer_start(TUSK_G(loop), timer, LAST_LOOK_MS);
        return;
    }
    (void)tusk_service_ref(self); /* its object may be all that keeps it */
    tusk_guarded(&self->host, release_object, self->host.object);
    tusk_service_unref(self);
}

void tusk_service_give_up(tusk_service *self)
{
    if (tusk_timer_running(&self->last)) {
        OBJ_RELEASE(self->host.object); /* which another reference keeps until then */
    } else {
        (void)tusk_waits_cancel_of(&self->host);
        self->last.on_due = on_last;
        tusk_timer_start(TUSK_G(loop), &self->last, 0);
    }
}

void tusk_service_let_go(tusk_service *self)
{
    if (TUSK_G(run) == NULL || tusk_calls_forked()) {
        return;
    }
    bool waits = tusk_waits_cancel_of(&self->host);
    if (tusk_server_cut(self->core) || waits) {
        GC_ADDREF(self->host.object);
        tusk_service_give_up(self);
    }
}

void tusk_service_gc(tusk_service *self, zend_get_gc_buffer *buffer)
{
    tusk_host_gc(&self->host, buffer);
    for (tusk_php_route *route = self->routes; route != NULL; route = route->next) {
        tusk_callback_gc(&route->open, buffer);
        tusk_callback_gc(&route->message, buffer);
        tusk_callback_gc(&route->close, buffer);
        tusk_callback_gc(&route->authorize, buffer);
    }
    if (self->recent != NULL) {
        tusk_gc_add_object(buffer, self->recent);
    }
    if (!self->host.running) { /* else run() holds the server: nothing below it can be garbage */
        tusk_peers_gc(self, buffer);
    }
}

/* ---- what is counted beside the core ---- */
/* By their place in tusk_server_stats.own. */
enum { OWN_PARKED_REFUSED, OWN_SLOW_HANDLERS, OWN_FIBER_SWITCHES, OWN_WORKERS_HEAVY };

#define OWN(name, kind, help, field)                                                               \
    {                                                                                              \
        name, help, TUSK_METRIC_##kind, offsetof(tusk_server_stats, field) / sizeof(uint64_t)      \
    }

static const tusk_metric own[] = {
    OWN("parked_handlers", GAUGE, "Handlers of the process that wait.", own_gauge),
    OWN("parked_refused", COUNTER, "Waits that were refused.", own[OWN_PARKED_REFUSED]),
    OWN("slow_handlers", COUNTER, "Handlers that held the loop for too long.",
        own[OWN_SLOW_HANDLERS]),
    OWN("fiber_switches", COUNTER, "Switches from one stack to another.", own[OWN_FIBER_SWITCHES]),
    OWN("workers_over_bytes", COUNTER, "Workers replaced for the memory that they held.",
        own[OWN_WORKERS_HEAVY]),
};
const tusk_metric_table tusk_service_counters = {own, sizeof(own) / sizeof(own[0])};

void tusk_service_count(void *user, tusk_server_stats *stats)
{
    const tusk_host *host = &((tusk_service *)user)->host;
    stats->own_gauge = (uint64_t)TUSK_G(parked_fibers);
    stats->own[OWN_PARKED_REFUSED] = TUSK_G(refused_waits);
    stats->own[OWN_SLOW_HANDLERS] = host->slow_handlers;
    stats->own[OWN_FIBER_SWITCHES] = TUSK_G(fiber_switches);
    stats->own[OWN_WORKERS_HEAVY] = host->heavy;
}

void tusk_service_stats(const tusk_server_stats *stats, zval *out)
{
    tusk_counters all = {.count = 0};
    tusk_counters_add(&all, "", &tusk_server_counters, stats);
    tusk_counters_add(&all, "", &tusk_service_counters, stats);
    tusk_counters_array(&all, out);
}
