/* SPDX-License-Identifier: MIT */
/* A proxy's life: run, reloaded, stopped; and its resolver, asked for what no answer is remembered
 * of. */
#include "src/serve/http.h"
#include "src/proxy/proxy.h"
#include "src/tls.h"

#include <Zend/zend_smart_str.h>
#include <ext/json/php_json.h>

/* A resolver that fails is not asked again for so long (it is logged each time). */
enum { FAILED_TTL_MS = 1000, TICK_MS = 1000 };

/* ---- lookups ---- */
typedef struct question {
    tusk_proxy *proxy;
    tusk_relay_ask ask;
    zend_object *lookup;
} question;

static void refuse(const question *self, uint16_t status, tusk_bytes reason, uint32_t ttl_ms)
{
    tusk_relay_refusal refusal = {.status = status, .reason = reason, .ttl_ms = ttl_ms};
    (void)tusk_relay_refuse(self->proxy->relay, self->ask, tusk_lookup_read(self->lookup),
                            &refusal);
}

static void fail(const question *self)
{
    static const char reason[] = "the resolver failed";
    refuse(self, 500, tusk_bytes_of(reason, sizeof(reason) - 1), FAILED_TTL_MS);
}

static uint32_t seconds(const zval *value)
{
    uint32_t ms = 0;
    if (Z_TYPE_P(value) == IS_DOUBLE) {
        (void)tusk_seconds_ms(Z_DVAL_P(value), &ms);
    }
    return ms;
}

/* Null is the relay's own time, which is 0 there; 0 is for ever. */
static uint32_t idle_ms(const zval *value)
{
    uint32_t ms = seconds(value);
    return Z_TYPE_P(value) == IS_DOUBLE && ms == 0 ? UINT32_MAX : ms;
}

static tusk_bytes text_or_null(const zval *value)
{
    if (Z_TYPE_P(value) != IS_STRING) {
        return tusk_bytes_of(NULL, 0);
    }
    return tusk_zstr(Z_STR_P(value)); /* an empty string has a place, too */
}

static bool metadata_json(smart_str *out, zval *metadata)
{
    if (zend_hash_num_elements(Z_ARRVAL_P(metadata)) == 0) {
        return true;
    }
    const int options = PHP_JSON_UNESCAPED_SLASHES | PHP_JSON_UNESCAPED_UNICODE;
    /* INF and NAN are written as 0, which is told by the code alone. */
    if (php_json_encode(out, metadata, options) != SUCCESS ||
        TUSK_JSON_ERROR != PHP_JSON_ERROR_NONE || EG(exception) != NULL) {
        return false;
    }
    smart_str_0(out);
    return true;
}

/* The array is the caller's (efree). */
static tusk_relay_target *targets_of(HashTable *list)
{
    tusk_relay_target *targets =
        safe_emalloc(zend_hash_num_elements(list), sizeof(targets[0]), sizeof(targets[0]));
    zval *item;
    size_t i = 0;
    ZEND_HASH_FOREACH_VAL(list, item)
    {
        targets[i].address = tusk_zstr(Z_STR_P(OBJ_PROP_NUM(Z_OBJ_P(item), TARGET_ADDRESS)));
        targets[i++].weight = (uint32_t)Z_LVAL_P(OBJ_PROP_NUM(Z_OBJ_P(item), TARGET_WEIGHT));
    }
    ZEND_HASH_FOREACH_END();
    return targets;
}

static void put_tls(tusk_relay_route *out, const tusk_proxy *proxy, const zval *tls)
{
    if (Z_TYPE_P(tls) != IS_OBJECT) {
        tls = &proxy->upstream;
    }
    if (Z_TYPE_P(tls) != IS_OBJECT) {
        return;
    }
    zend_object *object = Z_OBJ_P(tls);
    bool require = Z_TYPE_P(OBJ_PROP_NUM(object, UPSTREAM_REQUIRE)) == IS_TRUE;
    out->upstream_tls = require ? TUSK_TLS_REQUIRE : TUSK_TLS_ALLOW;
    out->tls = tusk_upstream_tls_peek(object);
    out->tls_name = text_or_null(OBJ_PROP_NUM(object, UPSTREAM_NAME));
}

/* The route's own answer; it was looked at when the route was made. */
static bool put_response(tusk_relay_route *out, const zval *response, tusk_buf *lines)
{
    if (Z_TYPE_P(response) != IS_OBJECT) {
        return true;
    }
    bool good = tusk_response_view(Z_OBJ_P(response), 0, &out->status, lines, &out->body);
    out->fields = tusk_buf_view(lines);
    return good;
}

/* TUSK_EPROTO: the metadata is no JSON; an exception may have been thrown by what encodes itself.
 * TUSK_ENOTSUP: an answer in HTTP, but this proxy speaks something else. */
static tusk_err answer(const question *self, zend_object *route)
{
    if (Z_TYPE_P(OBJ_PROP_NUM(route, ROUTE_RESPONSE)) == IS_OBJECT &&
        self->proxy->std.ce != tusk_proxy_ce[PROXY_HTTP]) {
        return TUSK_ENOTSUP;
    }
    HashTable *list = Z_ARRVAL_P(OBJ_PROP_NUM(route, ROUTE_TARGETS));
    tusk_relay_target *targets = targets_of(list);
    smart_str metadata = {0};
    tusk_buf lines;
    tusk_relay_route out = {
        .targets = targets,
        .target_count = zend_hash_num_elements(list),
        .ttl_ms = seconds(OBJ_PROP_NUM(route, ROUTE_TTL)),
        .connect_ms = seconds(OBJ_PROP_NUM(route, ROUTE_CONNECT_TIMEOUT)),
        .idle_ms = idle_ms(OBJ_PROP_NUM(route, ROUTE_IDLE_TIMEOUT)),
        .proxy_version = (uint8_t)Z_LVAL_P(OBJ_PROP_NUM(route, ROUTE_PROXY_PROTOCOL)),
        .first = text_or_null(OBJ_PROP_NUM(route, ROUTE_FIRST)),
        .user = text_or_null(OBJ_PROP_NUM(route, ROUTE_USER)),
        .database = text_or_null(OBJ_PROP_NUM(route, ROUTE_DATABASE)),
        .host = text_or_null(OBJ_PROP_NUM(route, ROUTE_HOST)),
        .name = text_or_null(OBJ_PROP_NUM(route, ROUTE_NAME)),
    };
    put_tls(&out, self->proxy, OBJ_PROP_NUM(route, ROUTE_TLS));
    tusk_buf_init(&lines, tusk_mem_default(), ROUTE_LINES_MAX);
    tusk_err err = TUSK_EPROTO;
    if (put_response(&out, OBJ_PROP_NUM(route, ROUTE_RESPONSE), &lines) &&
        metadata_json(&metadata, OBJ_PROP_NUM(route, ROUTE_METADATA))) {
        out.metadata = metadata.s == NULL ? tusk_bytes_of(NULL, 0) : tusk_zstr(metadata.s);
        err =
            tusk_relay_answer(self->proxy->relay, self->ask, tusk_lookup_read(self->lookup), &out);
    }
    smart_str_free(&metadata);
    tusk_buf_fini(&lines);
    efree(targets);
    return err;
}

/* What the resolver threw in the way that it should. */
static void tell_refusal(const question *self, zend_object *exception)
{
    zval rv;
    zval *code = zend_read_property(zend_ce_exception, exception, ZEND_STRL("code"), 1, &rv);
    uint16_t status = Z_TYPE_P(code) == IS_LONG ? (uint16_t)Z_LVAL_P(code) : 500;
    zval *ttl = zend_read_property(exception->ce, exception, ZEND_STRL("ttl"), 1, &rv);
    uint32_t ttl_ms = seconds(ttl);
    zval *message = zend_read_property(zend_ce_exception, exception, ZEND_STRL("message"), 1, &rv);
    tusk_bytes reason =
        Z_TYPE_P(message) == IS_STRING ? tusk_zstr(Z_STR_P(message)) : tusk_bytes_of(NULL, 0);
    refuse(self, status, reason, ttl_ms);
}

/* Before anything is told to the core: it may call closures. */
static void report_unusable(tusk_host *host, const zend_object *resolver, tusk_err err)
{
    zend_object *exception = EG(exception);
    if (exception == NULL) {
        tusk_log("the route that %s::resolve() gave cannot be used: %s",
                 ZSTR_VAL(resolver->ce->name),
                 err == TUSK_EPROTO    ? "its metadata is no JSON"
                 : err == TUSK_ENOTSUP ? "only an HTTP proxy answers with a Response"
                                       : tusk_err_text(err));
        return;
    }
    GC_ADDREF(exception);
    tusk_clear_exception();
    tusk_host_report(host, exception);
    OBJ_RELEASE(exception);
}

static void resolve(void *arg)
{
    question self = *(question *)arg; /* `arg` is gone when the resolver waits */
    tusk_proxy *proxy = self.proxy;
    tusk_host *host = proxy->host;
    tusk_callback callback = proxy->resolve; /* another may take its place meanwhile */
    zend_object *resolver = proxy->resolver;
    zend_object *refusal = NULL;
    tusk_call call = {
        .refusal = &refusal, .refusal_class = tusk_proxy_ce[PROXY_REFUSED], .watched = true};
    zval lookup;
    zval result;
    ZVAL_OBJ(&lookup, self.lookup);
    GC_ADDREF(resolver);
    tusk_call_end end =
        tusk_call_run(&call, host, (tusk_handle){0}, &callback, 1, &lookup, &result);
    if (refusal != NULL) {
        tell_refusal(&self, refusal);
        OBJ_RELEASE(refusal);
    } else if (end != CALL_DONE) {
        fail(&self);
    } else {
        tusk_err err = answer(&self, Z_OBJ(result));
        if (err != TUSK_OK && err != TUSK_ENOENT) { /* ENOENT: nobody waits for it any more */
            report_unusable(host, resolver, err);
            fail(&self);
        }
    }
    zval_ptr_dtor(&result);
    OBJ_RELEASE(self.lookup);
    OBJ_RELEASE(resolver);
}

static void guard_resolve(void *arg)
{
    tusk_guarded(((question *)arg)->proxy->host, resolve, arg);
}

/* The core's frames lie below: the resolver goes to a fiber of its own, so that they end when it
 * waits. */
static void detach_resolve(void *arg)
{
    tusk_fiber_detach(guard_resolve, arg);
}

static void on_lookup(void *user, tusk_relay_ask ask, const tusk_relay_lookup *lookup)
{
    question self = {.proxy = user, .ask = ask};
    if (self.proxy->host->failed) {
        tusk_relay_refusal refusal = {.status = 503};
        (void)tusk_relay_refuse(self.proxy->relay, ask, 0, &refusal);
        return;
    }
    tusk_certificate *shown = NULL;
    tusk_err err = lookup->field[TUSK_LOOKUP_CERTIFICATE].ptr == NULL
                       ? TUSK_OK
                       : tusk_relay_certificate(self.proxy->relay, ask, &shown);
    if (err != TUSK_OK) { /* one was shown: null would say there was none */
        tusk_relay_refusal refusal = {
            .status = 500, .reason = tusk_bytes_str("the client's certificate cannot be read")};
        (void)tusk_relay_refuse(self.proxy->relay, ask, 0, &refusal);
        return;
    }
    self.lookup = tusk_lookup_make(lookup->field, shown, lookup->secure);
    tusk_certificate_free(shown);
    tusk_guarded(self.proxy->host, detach_resolve, &self);
}

static void on_access(void *user, const tusk_relay_record *record)
{
    tusk_proxy_access(user, record);
}

static void on_log(void *user, const char *text)
{
    tusk_log("%s", text);
}

static void on_stopped(void *user)
{
    const tusk_host *host = ((tusk_proxy *)user)->host;
    tusk_run_end(host, !host->failed);
}

/* Its name is that of counters.c. */
static void on_count(void *user, tusk_relay_stats *stats)
{
    (void)user;
    stats->own_gauge = TUSK_G(parked_fibers);
}

const tusk_relay_handler tusk_proxy_handler = {
    .on_lookup = on_lookup,
    .on_access = on_access,
    .on_count = on_count,
    .on_log = on_log,
    .on_stopped = on_stopped,
};

/* ---- reload ---- */
void tusk_proxy_tend_certificates(const tusk_proxy *self, unsigned what)
{
    zval *item;
    if (self->certificates == NULL) {
        return;
    }
    ZEND_HASH_FOREACH_VAL(self->certificates, item)
    {
        tusk_tls_tend_object(Z_OBJ_P(item), what);
    }
    ZEND_HASH_FOREACH_END();
}

size_t tusk_proxy_contexts(const tusk_proxy *self, tusk_tls **out, size_t cap)
{
    size_t count = 0;
    zval *item;
    if (self->certificates == NULL) {
        return 0;
    }
    ZEND_HASH_FOREACH_VAL(self->certificates, item)
    {
        if (count < cap) {
            out[count++] = tusk_tls_peek(Z_OBJ_P(item));
        }
    }
    ZEND_HASH_FOREACH_END();
    return count;
}

/* A worker of another user is perhaps not allowed to read them: its master does at SIGHUP. */
static unsigned reads_certificates(const tusk_proxy *self, unsigned how)
{
    const tusk_host *host = self->host;
    return host->worker && host->workers->identity.given ? 0u : how;
}

/* Of several workers each serves them; worker 0 warns. */
static unsigned warns_of_certificates(const tusk_proxy *self)
{
    const tusk_host *host = self->host;
    return host->worker && tusk_crew_worker_slot(host->workers->worker) != 0 ? 0u : TUSK_TLS_WARN;
}

typedef struct reloading {
    tusk_proxy *proxy;
    bool asked;
} reloading;

static void call_reload(void *arg)
{
    reloading self = *(reloading *)arg;
    tusk_proxy *proxy = self.proxy;
    tusk_callback callback = proxy->reload;
    zend_object *resolver = proxy->resolver;
    tusk_call call = {0};
    zval asked;
    zval result;
    ZVAL_BOOL(&asked, self.asked);
    GC_ADDREF(resolver);
    proxy->reloading = true;
    if (tusk_call_run(&call, proxy->host, (tusk_handle){0}, &callback, 1, &asked, &result) ==
            CALL_DONE &&
        Z_TYPE(result) == IS_TRUE) {
        tusk_relay_forget(proxy->relay);
    }
    proxy->reloading = false;
    zval_ptr_dtor(&result);
    OBJ_RELEASE(resolver);
}

static void guard_reload(void *arg)
{
    tusk_guarded(((reloading *)arg)->proxy->host, call_reload, arg);
}

static void detach_reload(void *arg)
{
    tusk_fiber_detach(guard_reload, arg);
}

static void reload_routes(tusk_proxy *self, bool asked)
{
    reloading arg = {.proxy = self, .asked = asked};
    if (tusk_callback_given(&self->reload) && !self->reloading && !self->host->failed) {
        tusk_guarded(self->host, detach_reload, &arg);
    }
}

static void read_again(tusk_proxy *self, unsigned how)
{
    tusk_relay_forget(self->relay);
    tusk_proxy_tend_certificates(self, reads_certificates(self, how));
    tusk_proxy_access_reopen(self);
    reload_routes(self, true);
}

void tusk_proxy_reload(tusk_proxy *self)
{
    read_again(self, TUSK_TLS_READ);
}

void tusk_proxy_refresh(tusk_proxy *self)
{
    read_again(self, TUSK_TLS_READ_CHANGED);
}

static void on_tick(tusk_timer *timer)
{
    tusk_proxy *self = TUSK_OWNER(timer, tusk_proxy, tick);
    tusk_timer_start(TUSK_G(loop), timer, TICK_MS);
    tusk_proxy_tend_certificates(self, reads_certificates(self, TUSK_TLS_READ_CHANGED) |
                                           warns_of_certificates(self));
    reload_routes(self, false);
}

/* ---- life ---- */
static void stop(tusk_host *host)
{
    tusk_relay_stop(tusk_proxy_of_host(host)->relay);
}

static void reload(tusk_host *host)
{
    tusk_proxy_reload(tusk_proxy_of_host(host));
}

static const char *address(const tusk_host *host, size_t listener)
{
    return tusk_relay_address(tusk_proxy_of_host(host)->relay, listener);
}

static tusk_err inherit(tusk_host *host, size_t listener, int fd)
{
    return tusk_relay_inherit(tusk_proxy_of_host(host)->relay, listener, fd);
}

static tusk_err start(tusk_host *host, char *reason, size_t cap)
{
    return tusk_relay_start(tusk_proxy_of_host(host)->relay, reason, cap);
}

static bool serve(tusk_host *host)
{
    tusk_proxy *self = tusk_proxy_of_host(host);
    self->tick.on_due = on_tick;
    if (self->certificates != NULL || tusk_callback_given(&self->reload)) {
        tusk_timer_start(TUSK_G(loop), &self->tick, TICK_MS);
    }
    GC_ADDREF(&self->std);
    tusk_host_listens(host, tusk_relay_port(self->relay, 0));
    tusk_watchdog_start(&self->watchdog, self->limits.resolve_ms);
    bool done = tusk_host_loop(host);
    tusk_watchdog_stop(&self->watchdog);
    tusk_timer_stop(TUSK_G(loop), &self->tick);
    OBJ_RELEASE(&self->std);
    return done;
}

static void count_soon(tusk_host *host)
{
    tusk_relay_count_soon(tusk_proxy_of_host(host)->relay);
}

const tusk_host_kind tusk_proxy_kind = {
    .what = "proxy",
    .waits_limit =
        "Limits::$lookups; a resolver that gets no answer waits on, give what it calls a time",
    .start = start,
    .serve = serve,
    .stop = stop,
    .reload = reload,
    .address = address,
    .inherit = inherit,
    .count_soon = count_soon,
};
