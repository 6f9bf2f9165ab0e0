/* SPDX-License-Identifier: MIT */
/* The server: made from options, and unmade. */
#include "serve/server.h"

#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/pages.h"
#include "serve/http/http.h"
#include "serve/places.h"
#include "serve/pressure.h"
#include "serve/share.h"
#include "serve/unfinished.h"

#define LINGER_BYTES ((size_t)1 << 20)
#define LINGER_MESSAGE_MAX ((size_t)64 << 20) /* beyond it a reset is the honest answer */
#define SCRATCH_MAX ((size_t)1 << 40)
#define BATCH_MIN 4        /* sends: of fewer the ring itself costs what it saves */
#define UNFINISHED_MS 5000 /* 0 of an owner who did not ask for the defaults is this, too */
#define SETTLED_READS 4    /* an upgrade and a few messages, or requests */

void tusk_server_limits_default(tusk_server_limits *out)
{
    *out = (tusk_server_limits){.connections = SERVER_CONNECTIONS,
                                .message_bytes = 16u << 20,
                                .message_frames = 1000000,
                                .unfinished_bytes = 256u << 20,
                                .unfinished_ms = UNFINISHED_MS,
                                .queued_bytes = 16u << 20,
                                .queued_bytes_total = 256u << 20,
                                .subscriptions = 1000,
                                .subscription_bytes = (size_t)128 * 1024 * 1024,
                                .http = *tusk_http_limits_default(),
                                .body_bytes = 8u << 20,
                                .form = *tusk_multipart_limits_default(),
                                .handshake_ms = 10000,
                                .body_ms = 60000,
                                .idle_ms = 120000,
                                .keep_alive_ms = 60000,
                                .ping_ms = 30000,
                                .pong_ms = 10000,
                                .close_ms = 5000,
                                .drain_ms = 5000,
                                .slice_us = 250,
                                .heartbeat_ms = 15000,
                                .history_bytes = 16u << 20};
}

/* ---- payloads in the core's own memory, when the owner brings no store ---- */

struct own_payload {
    size_t cap;
    uint8_t bytes[];
};

static void *own_grow(void *user, void *payload, size_t cap, uint8_t **place)
{
    const tusk_mem *mem = user;
    struct own_payload *old = payload;
    struct own_payload *grown =
        tusk__resize(mem, old, old == NULL ? 0 : sizeof(*old) + old->cap, sizeof(*old) + cap);
    if (grown == NULL) {
        return NULL;
    }
    grown->cap = cap;
    *place = grown->bytes;
    return grown;
}

static void own_drop(void *user, void *payload)
{
    const struct own_payload *own = payload;
    tusk__free(user, payload, sizeof(*own) + own->cap);
}

void tusk_payload_drop(tusk_server *self, void *taken)
{
    if (taken != NULL) {
        self->store.drop(self->store.user, taken);
    }
}

/* ---- made and unmade ---- */

static void on_stopped_task(tusk_task *task)
{
    tusk_server *self = TUSK_OWNER(task, tusk_server, stopped_task);
    if (self->handler->on_stopped != NULL) {
        self->handler->on_stopped(self->user);
    }
}

bool tusk_trusted_proxy_valid(const char *text)
{
    tusk_ip_range range;
    return tusk_ip_range_parse(&range, tusk_bytes_str(text)) == TUSK_OK;
}

static tusk_err dup_trusted(tusk_server *self, const tusk_server_options *options)
{
    if (options->trusted_proxy_count == 0) {
        return TUSK_OK;
    }
    self->trusted = tusk__new(self->mem, options->trusted_proxy_count * sizeof(*self->trusted));
    if (self->trusted == NULL) {
        return TUSK_ENOMEM;
    }
    self->trusted_count = options->trusted_proxy_count;
    for (size_t i = 0; i < options->trusted_proxy_count; i++) {
        tusk_bytes text = tusk_bytes_str(options->trusted_proxies[i]);
        if (tusk_ip_range_parse(&self->trusted[i], text) != TUSK_OK) {
            return TUSK_EINVAL;
        }
    }
    return TUSK_OK;
}

static void prepare(tusk_server *self, const tusk_server_options *options)
{
    self->loop = options->loop;
    self->kinds = tusk__session_kinds;
    self->handler = options->handler;
    self->user = options->user;
    self->limits = options->limits;
    self->proxy_protocol = options->proxy_protocol;
    self->keep_certificates = options->keep_certificates;
    self->slot_free = UINT32_MAX;
    self->unfinished_task.run = tusk__unfinished_on_task;
    self->stopped_task.run = on_stopped_task;
    self->certificate_timer.on_due = tusk__server_on_certificates;
    self->drain_timer.on_due = tusk__server_on_drain;
    tusk__silence_init(self);
    tusk__places_init(self);
    self->pressure_timer.on_due = tusk__pressure_on_due;
    self->pressure_timer.deadline = true;
    self->retired_task.run = tusk__retired_go_on;
    if (self->limits.unfinished_ms == 0) {
        self->limits.unfinished_ms = UNFINISHED_MS;
    }
    if (self->limits.handshakes == 0) {
        self->limits.handshakes = self->limits.connections;
    }
    self->store =
        (tusk_ws_store){.grow = own_grow, .drop = own_drop, .user = (void *)(uintptr_t)self->mem};
    if (options->store != NULL) {
        self->store = *options->store;
    }
    /* Reading stops early enough that the echo of one more whole message still fits. */
    size_t room = self->limits.queued_bytes > self->limits.message_bytes
                      ? self->limits.queued_bytes - self->limits.message_bytes
                      : 0;
    size_t quarter = self->limits.queued_bytes / 4;
    self->pause_at = room > 0 && room < quarter ? room : quarter;
    tusk__server_make_gates(self);
    self->gates.for_operators = options->for_operators;
    tusk__router_init(&self->router, self->mem);
    tusk__file_cache_init(&self->files, self->mem);
    tusk_buf_init(&self->scratch, self->mem, SCRATCH_MAX);
    tusk_buf_init(&self->fields, self->mem, SCRATCH_MAX);
}

static void tell_lack(void *user, const char *reason)
{
    const tusk_server *self = user;
    char text[192];
    if (self->handler->on_log != NULL) {
        (void)snprintf(text, sizeof(text),
                       "io_uring: unavailable (%s): each receive and send is a system call",
                       reason);
        self->handler->on_log(self->user, text);
    }
}

static tusk_err make_net(tusk_server *self, const tusk_server_options *options)
{
    size_t message_rest = self->limits.message_bytes < LINGER_MESSAGE_MAX
                              ? self->limits.message_bytes
                              : LINGER_MESSAGE_MAX;
    const tusk_net_limits net_limits = {.queued_bytes_total = self->limits.queued_bytes_total,
                                        .held_bytes = self->limits.unfinished_bytes,
                                        .stall_ms = self->limits.keep_alive_ms,
                                        .slice_us = self->limits.slice_us,
                                        .batch_min = options->plain_io ? 0 : BATCH_MIN,
                                        .settled_reads = SETTLED_READS,
                                        /* the rest of a message that was too long is read away, or
                                         * the peer would see a reset in place of our Close 1009 */
                                        .linger_bytes = LINGER_BYTES + message_rest};
    tusk_err err = tusk_net_new(&self->net, self->loop, &net_limits);
    if (err == TUSK_OK) {
        tusk_net_on_lack(self->net, tell_lack, self);
        tusk_net_on_full(self->net, tusk__server_make_room, self);
    }
    return err;
}

tusk_err tusk_server_new(tusk_server **out, const tusk_server_options *options)
{
    *out = NULL;
    if (options->loop == NULL || options->handler == NULL ||
        (options->server_name != NULL &&
         !tusk_http_value_valid(tusk_bytes_str(options->server_name)))) {
        return TUSK_EINVAL;
    }
    const tusk_mem *mem = tusk_loop_mem(options->loop);
    tusk_server *self = tusk__new(mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->mem = mem;
    prepare(self, options);
    tusk_err err = make_net(self, options);
    if (err == TUSK_OK) {
        err = tusk__hub_init(&self->hub, self, mem, self->limits.history_bytes);
    }
    if (err == TUSK_OK) {
        err = tusk__addresses_init(&self->addresses, mem, self->hub.seed);
        self->files.seed = self->hub.seed;
    }
    if (err == TUSK_OK) {
        err = tusk_ws_inflaters_new(&self->inflaters, mem);
        err = err == TUSK_ENOTSUP ? TUSK_OK
                                  : err; /* a build without zlib negotiates no compression */
    }
    if (err == TUSK_OK) {
        err = dup_trusted(self, options);
    }
    if (err == TUSK_OK && options->server_name != NULL) {
        err = tusk__route_dup_text(&self->router, &self->server_name, options->server_name);
    }
    if (err != TUSK_OK) {
        tusk_server_free(self);
        return err;
    }
    self->ws_config = (tusk_ws_config){.mem = mem,
                                       .role = TUSK_WS_SERVER,
                                       .message_max = self->limits.message_bytes,
                                       .message_frames_max = self->limits.message_frames,
                                       .store = &self->store,
                                       .inflaters = self->inflaters,
                                       .inflate_left = tusk_net_work(self->net),
                                       .retire = tusk__retire,
                                       .retire_user = self,
                                       .ready = tusk__pages_ready,
                                       .ask_from = TUSK__UNFINISHED_UNASKED};
    *out = self;
    return TUSK_OK;
}

void tusk_server_free(tusk_server *self)
{
    if (self == NULL) {
        return;
    }
    self->state = SERVER_STOPPED;
    net_gates_close(&self->gates);
    for (uint32_t i = 0; i < self->slot_count; i++) {
        if (self->slots[i].session != NULL) {
            tusk__session_abort(self->slots[i].session, TUSK_EEOF);
            tusk__session_drop_parks(self->slots[i].session);
        }
    }
    /* Closes are told at the end of a turn: without a turn the memory of the last sessions would
     * stay. */
    for (int turns = 0; self->gates.taken > 0 && turns < 64; turns++) {
        (void)tusk_loop_turn(self->loop, 0);
    }
    tusk__share_end(self);
    tusk_link *link;
    while ((link = tusk__list_pop(&self->gates.list)) != NULL) {
        server_listener *entry = TUSK_OWNER(link, server_listener, gate.link);
        tusk_tls_unref(entry->tls);
        tusk__free(self->mem, entry, sizeof(*entry));
    }
    if (self->net != NULL) {
        tusk__retired_drop(self);
    }
    tusk_timer_stop(self->loop, &self->drain_timer);
    tusk__silence_fini(self);
    tusk__places_fini(self);
    tusk_timer_stop(self->loop, &self->pressure_timer);
    tusk_timer_stop(self->loop, &self->certificate_timer);
    net_gates_fini(&self->gates);
    tusk_task_cancel(&self->unfinished_task);
    tusk_task_cancel(&self->stopped_task);
    if (self->hub.server != NULL) {
        tusk__hub_fini(&self->hub);
    }
    tusk__addresses_fini(&self->addresses);
    tusk_ws_inflaters_free(self->inflaters);
    tusk__file_cache_fini(&self->files);
    tusk__router_fini(&self->router);
    tusk_buf_fini(&self->scratch);
    tusk_buf_fini(&self->fields);
    tusk__sessions_drop_spare(self);
    tusk__free(self->mem, self->spare_upgrade, sizeof(*self->spare_upgrade));
    tusk__free(self->mem, self->trusted, self->trusted_count * sizeof(*self->trusted));
    tusk__free(self->mem, self->slots, self->slot_count * sizeof(*self->slots));
    if (self->server_name != NULL) {
        tusk__free(self->mem, self->server_name, strlen(self->server_name) + 1);
    }
    if (self->net != NULL) {
        tusk_net_free(self->net);
    }
    tusk__free(self->mem, self, sizeof(*self));
}
