/* SPDX-License-Identifier: MIT */
/* The HTTP part of a relay: what its clients share, its limits and counters. */
#include "base/mem.h"
#include "relay/http/inner.h"
#include "relay/shared.h"

static const tusk_relay_http_options defaults = {.heads = {.line_max = 8192,
                                                           .head_max = 16384,
                                                           .fields_max = 100,
                                                           .chunk_line_max = 256,
                                                           .trailers_max = 4096},
                                                 .requests = 10000,
                                                 .interim = 16,
                                                 .head_ms = 10000,
                                                 .body_ms = 60000,
                                                 .answer_ms = 60000,
                                                 .idle_ms = 60000,
                                                 .tunnel_ms = 3600000,
                                                 .keep_alive_ms = 75000,
                                                 .pool_idle = 64,
                                                 .pool_idle_ms = 15000,
                                                 .pool_waiting = 1024,
                                                 .pool_wait_ms = 5000,
                                                 .client_fin_ms = 10000,
                                                 .x_forwarded = TUSK_FORWARD_APPEND,
                                                 .forwarded = TUSK_FORWARD_APPEND,
                                                 .via = TUSK_FORWARD_APPEND,
                                                 .via_name = "tusk"};

const tusk_relay_http_options *tusk_relay_http_options_default(void)
{
    return &defaults;
}

static tusk_err copy_via(relay_http *self, const char *name)
{
    tusk_bytes text = name == NULL ? tusk_bytes_of(NULL, 0) : tusk_bytes_str(name);
    self->via.alone = self->options.via == TUSK_FORWARD_SET;
    if (text.len == 0 || self->options.via == TUSK_FORWARD_OFF) {
        return TUSK_OK;
    }
    if (!tusk_http_name_valid(text)) { /* a pseudonym is a token: RFC 9110, 7.6.3 */
        return TUSK_EINVAL;
    }
    uint8_t *copy = tusk__resize(self->relay->mem, NULL, 0, text.len);
    if (copy == NULL) {
        return TUSK_ENOMEM;
    }
    memcpy(copy, text.ptr, text.len);
    self->via.name = tusk_bytes_of(copy, text.len);
    return TUSK_OK;
}

/* What a zero would make useless has its default. */
static void set_options(relay_http *self, const tusk_relay_http_options *options)
{
    tusk_relay_http_options *own = &self->options;
    *own = options == NULL ? defaults : *options;
    uint32_t *const times[] = {&own->head_ms,     &own->body_ms,       &own->answer_ms,
                               &own->interim,     &own->keep_alive_ms, &own->pool_idle_ms,
                               &own->pool_wait_ms};
    const uint32_t instead[] = {defaults.head_ms,     defaults.body_ms,       defaults.answer_ms,
                                defaults.interim,     defaults.keep_alive_ms, defaults.pool_idle_ms,
                                defaults.pool_wait_ms};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        *times[i] = *times[i] == 0 ? instead[i] : *times[i];
    }
    if (own->heads.head_max == 0) {
        own->heads = defaults.heads;
    }
    own->heads.spaced_names = true;
}

static tusk_err open_http(tusk_relay *relay, const tusk_relay_options *options)
{
    relay_http *self = tusk__new(relay->mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    relay->http = self;
    self->relay = relay;
    set_options(self, options->http);
    tusk__list_init(&self->kept);
    tusk__list_init(&self->ending);
    tusk_buf_init(&self->scratch, relay->mem, (size_t)self->options.heads.head_max * 2 + 4096);
    tusk_err err = copy_via(self, self->options.via_name);
    self->options.via_name = NULL; /* the caller's */
    return err;
}

static void stop_http(tusk_relay *relay)
{
    if (relay->http != NULL) {
        http_lines_drop_kept(relay->http);
    }
}

static void cut_http(tusk_relay *relay)
{
    if (relay->http != NULL) {
        http_lines_cut(relay->http);
    }
}

static void close_http(tusk_relay *relay)
{
    relay_http *self = relay->http;
    if (self == NULL) {
        return;
    }
    while (self->spare != NULL) {
        http_exchange *exchange = self->spare;
        self->spare = exchange->next;
        tusk_buf_fini(&exchange->head);
        tusk__free(relay->mem, exchange, sizeof(*exchange));
    }
    tusk_timer_stop(relay->loop, &self->kept_timer);
    tusk_buf_fini(&self->scratch);
    tusk__free(relay->mem, (void *)(uintptr_t)self->via.name.ptr, self->via.name.len);
    tusk__free(relay->mem, self, sizeof(*self));
    relay->http = NULL;
}

static bool may_answer(const tusk_relay_route *route)
{
    return route->target_count == 0 && route->status >= 200 && route->status <= 599 &&
           tusk_relay_fields_valid(route->status, route->fields);
}

const relay_kind_ops relay_http_ops = {.on_client = http_client_open,
                                       .on_refused = http_client_refused,
                                       .open = open_http,
                                       .stop = stop_http,
                                       .cut = cut_http,
                                       .close = close_http,
                                       .give_up = http_line_give_up,
                                       .moved = http_lines_drop_outdated,
                                       .may_answer = may_answer};
