/* SPDX-License-Identifier: MIT */
/* The relay: made from options, started, stopped, and unmade. */
#define _GNU_SOURCE
#include <tusk/relay.h>

#include <stdio.h>

#include "base/mem.h"
#include "loop/entropy.h"
#include "proto/mysql.h"
#include "relay/move/crowd.h"
#include "relay/route/queue.h"
#include "relay/route/probe.h"
#include "relay/shared.h"
#include "relay/move/shortcut.h"
#include "relay/uring/uring.h"
#include "relay/used.h"

static const tusk_relay_limits defaults = {.connections = 100000,
                                           .lookups = 1024,
                                           .routes = 65536,
                                           .first_bytes = 16 * 1024,
                                           .pending_bytes = 64 * 1024,
                                           .wait_ms = 200,
                                           .first_ms = 10000,
                                           .resolve_ms = 5000,
                                           .connect_ms = 5000,
                                           .connect_total_ms = 15000,
                                           .half_closed_ms = 60000,
                                           .drain_ms = 30000,
                                           .keep_idle_s = 30,
                                           .keep_interval_s = 10,
                                           .keep_count = 3,
                                           .attempts = 3,
                                           .eject_failures = 3,
                                           .eject_ms = 10000,
                                           .check_rise = 2,
                                           .check_fall = 3,
                                           .dns_ttl_ms = 30000,
                                           .dns_stale_ms = 86400000,
                                           .metrics = 256};

const tusk_relay_limits *tusk_relay_limits_default(void)
{
    return &defaults;
}

void relay_log(tusk_relay *self, const char *text)
{
    if (self->handler->on_log != NULL) {
        self->handler->on_log(self->user, text);
    }
}

/* ---- made and unmade ---- */
static const relay_kind_ops *ops_of(tusk_relay_kind kind)
{
    switch (kind) {
    case TUSK_RELAY_TCP: return &relay_tcp_ops;
    case TUSK_RELAY_HTTP: return &relay_http_ops;
    case TUSK_RELAY_SMTP: return &relay_smtp_ops;
    }
    return NULL;
}

static void say(char *reason, size_t cap, const char *what, const char *which)
{
    if (cap > 0) {
        (void)snprintf(reason, cap, "%s%s", what, which);
    }
}

static void set_limits(tusk_relay *self, const tusk_relay_options *options)
{
    self->limits = options->limits;
    relay_keep_bounds(&self->limits);
    if (self->limits.connections == 0) {
        self->limits.connections = defaults.connections;
    }
    if (self->limits.lookups == 0) {
        self->limits.lookups = defaults.lookups;
    }
    if (self->limits.first_bytes == 0) {
        self->limits.first_bytes = defaults.first_bytes;
    }
    if (self->limits.pending_bytes == 0) {
        self->limits.pending_bytes = defaults.pending_bytes;
    }
    if (self->limits.check_rise == 0) {
        self->limits.check_rise = defaults.check_rise;
    }
    if (self->limits.check_fall == 0) {
        self->limits.check_fall = defaults.check_fall;
    }
    if (self->limits.attempts == 0) {
        self->limits.attempts = 1;
    }
}

static void prepare(tusk_relay *self, const tusk_relay_options *options)
{
    self->loop = options->loop;
    self->mem = tusk_loop_mem(options->loop);
    self->handler = options->handler;
    self->user = options->user;
    self->kind = options->kind;
    self->engine = options->engine;
    self->otherwise = options->otherwise;
    self->ops = ops_of(options->kind);
    self->plain_io = options->plain_io;
    self->guard.any_address = options->any_address;
    self->mysql_caps = MYSQL_CAPS_OFFERED;
    self->upstream_tls = options->upstream_tls == NULL ? NULL : tusk_tls_ref(options->upstream_tls);
    self->no_memory =
        (relay_answer){.relay = self,
                       .refs = 1,
                       .refusal = {.status = 500, .reason = tusk_bytes_str("out of memory")}};
    tusk__list_init(&self->sessions);
    tusk__list_init(&self->session_round);
    tusk__list_init(&self->count_round);
    tusk__list_init(&self->busy);
    tusk__list_init(&self->busy_round);
    tusk__list_init(&self->queue);
    tusk__list_init(&self->queue_round);
    tusk__list_init(&self->probes);
    tusk__list_init(&self->used);
    self->queue_task.run = relay_queue_run;
    self->queue_timer.on_due = relay_queue_due;
    self->probe_timer.on_due = relay_probes_due;
    self->busy_timer.on_due = relay_busy_due;
    self->used_timer.on_due = relay_used_due;
    relay_stop_init(self);
    if (strcmp(tusk_loop_driver(self->loop), "epoll") == 0) {
        self->armed = TUSK_IO_READ | TUSK_IO_WRITE | TUSK_IO_EDGE;
    }
    set_limits(self, options);
    relay_gates_init(self);
}

static tusk_err set_up_ranges(tusk_relay *self, const tusk_relay_options *options, char *reason,
                              size_t cap)
{
    const char *wrong;
    tusk_err err = relay_ranges_init(&self->guard.allowed, self->mem, options->allowed,
                                     options->allowed_count, &wrong);
    if (err == TUSK_EINVAL) {
        say(reason, cap, "no address or range: ", wrong);
    }
    if (err != TUSK_OK) {
        return err;
    }
    err = relay_ranges_init(&self->trusted, self->mem, options->trusted_proxies,
                            options->trusted_proxy_count, &wrong);
    if (err == TUSK_EINVAL) {
        say(reason, cap, "no address or range of a trusted proxy: ", wrong);
    }
    return err;
}

/* In a thread of the resolver's. */
static int look_up(void *user, tusk_addr *out, int cap, const char *host, uint16_t port)
{
    (void)user;
    return tusk_addr_look_up(out, cap, host, port);
}

static tusk_err set_up(tusk_relay *self, const tusk_relay_options *options, char *reason,
                       size_t cap)
{
    static const tusk_resolver_options names = {.look_up = look_up};
    uint64_t seeds[3];
    const uint32_t stall_ms = self->limits.half_closed_ms;
    const tusk_net_limits net_limits = {.stall_ms = stall_ms == 0 ? UINT32_MAX : stall_ms};
    say(reason, cap, "out of memory, or no entropy", "");
    tusk_err err = set_up_ranges(self, options, reason, cap);
    err = err == TUSK_OK ? tusk__entropy(seeds, sizeof(seeds)) : err;
    err = err == TUSK_OK ? tusk_net_new(&self->net, self->loop, &net_limits) : err;
    err = err == TUSK_OK ? tusk_resolver_new(&self->resolver, self->loop, &names) : err;
    err = err == TUSK_OK ? tusk__addresses_init(&self->sources, self->mem, seeds[0]) : err;
    err = err == TUSK_OK
              ? relay_rate_init(&self->rate, self->mem, self->limits.rate_per_source, seeds[1])
              : err;
    err = err == TUSK_OK ? relay_targets_init(self) : err;
    err = err == TUSK_OK ? relay_routes_init(self, seeds[2]) : err;
    if (err == TUSK_OK && self->engine == TUSK_ENGINE_SOCKMAP) {
        relay_shortcuts_load(self, options);
    }
    return err == TUSK_OK && self->ops->open != NULL ? self->ops->open(self, options) : err;
}

tusk_err tusk_relay_new(tusk_relay **out, const tusk_relay_options *options, char *reason,
                        size_t reason_cap)
{
    *out = NULL;
    if (options->loop == NULL || options->handler == NULL || options->handler->on_lookup == NULL) {
        say(reason, reason_cap, "a relay needs a loop and a handler with on_lookup", "");
        return TUSK_EINVAL;
    }
    if (ops_of(options->kind) == NULL) {
        say(reason, reason_cap, "this kind of relay is not built in", "");
        return TUSK_ENOTSUP;
    }
    tusk_relay *self = tusk__new(tusk_loop_mem(options->loop), sizeof(*self));
    if (self == NULL) {
        say(reason, reason_cap, "out of memory", "");
        return TUSK_ENOMEM;
    }
    prepare(self, options);
    tusk_err err = set_up(self, options, reason, reason_cap);
    if (err != TUSK_OK) {
        tusk_relay_free(self);
        return err;
    }
    say(reason, reason_cap, "", "");
    *out = self;
    return TUSK_OK;
}

void tusk_relay_free(tusk_relay *self)
{
    if (self == NULL) {
        return;
    }
    self->state = RELAY_STOPPED;
    net_gates_close(&self->gates);
    relay_sessions_cut(self);
    relay_used_close(self);
    /* What the net layer still closes, it tells in a turn. */
    for (int i = 0; i < 1000 && self->gates.taken + self->held > 0; i++) {
        (void)tusk_loop_turn(self->loop, 0);
    }
    relay_doors_free(self);
    relay_share_end(self);
    relay_probes_stop(self);
    if (self->ops->close != NULL) {
        self->ops->close(self);
    }
    net_gates_fini(&self->gates);
    tusk_timer_stop(self->loop, &self->drain_timer);
    tusk_timer_stop(self->loop, &self->count_timer);
    tusk_timer_stop(self->loop, &self->busy_timer);
    tusk_timer_stop(self->loop, &self->queue_timer);
    tusk_task_cancel(&self->queue_task);
    tusk_task_cancel(&self->stopped_task);
    relay_shortcuts_close(self);
    relay_uring_close(self);
    relay_crowd_close(self);
    relay_pipes_fini(self);
    relay_routes_fini(self);
    relay_targets_fini(self);
    relay_rate_fini(&self->rate);
    relay_meters_close(&self->meters);
    tusk__addresses_fini(&self->sources);
    tusk_resolver_free(self->resolver);
    tusk_net_free(self->net);
    relay_ranges_fini(&self->trusted);
    relay_ranges_fini(&self->guard.allowed);
    tusk_tls_unref(self->upstream_tls);
    tusk__free(self->mem, self, sizeof(*self));
}

tusk_err tusk_relay_start(tusk_relay *self, char *reason, size_t reason_cap)
{
    if (self->state != RELAY_NEW) {
        say(reason, reason_cap, "the relay was started before", "");
        return TUSK_ESTATE;
    }
    if (self->share == NULL && self->meters.map == NULL &&
        relay_meters_open(&self->meters, self->limits.metrics, 1) != TUSK_OK) {
        say(reason, reason_cap, "out of memory", "");
        return TUSK_ENOMEM;
    }
    tusk_err err = relay_doors_open(self, reason, reason_cap);
    if (err != TUSK_OK) {
        return err;
    }
    self->state = RELAY_RUNNING;
    relay_shortcuts_open(self);
    if (self->engine == TUSK_ENGINE_URING && self->kind != TUSK_RELAY_SMTP) {
        relay_uring_open(self);
    }
    relay_crowd_open(self);
    relay_used_open(self);
    relay_probes_start(self);
    net_gates_settle(&self->gates);
    return TUSK_OK;
}

int tusk_relay_health(const tusk_relay *self, tusk_bytes address)
{
    relay_target *target = relay_target_find(self, address);
    return target == NULL ? relay_health_known(self, relay_target_hash(self, address))
           : relay_health_is_ejected(target) ? 0
                                             : 1;
}
