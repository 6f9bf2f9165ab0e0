/* SPDX-License-Identifier: MIT */
/* Answers: copied from what the resolver gave, into one piece of memory. */
#include "relay/route/answer.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "proto/authority.h"
#include "relay/inner.h"

void relay_answer_unref(relay_answer *self)
{
    if (self == NULL || --self->refs > 0) {
        return;
    }
    for (uint32_t i = 0; i < self->choice_count; i++) {
        relay_target_unref(self->choices[i].target);
    }
    if (self->meter != NULL) {
        relay_meter_release(self->meter, tusk_loop_now_ms(self->relay->loop));
    }
    tusk_tls_unref(self->route.tls);
    tusk__free(self->relay->mem, self, self->size);
}

/* A copy at `*place`, which moves on; absent stays absent. */
static tusk_bytes put(uint8_t **place, tusk_bytes bytes)
{
    if (bytes.ptr == NULL) {
        return bytes;
    }
    uint8_t *at = *place;
    if (bytes.len > 0) {
        memcpy(at, bytes.ptr, bytes.len);
    }
    *place += bytes.len;
    return tusk_bytes_of(at, bytes.len);
}

static relay_answer *make(tusk_relay *relay, size_t choices, size_t text)
{
    size_t size = sizeof(relay_answer) + choices * sizeof(relay_choice) + text;
    relay_answer *self = tusk__new(relay->mem, size);
    if (self != NULL) {
        self->relay = relay;
        self->size = size;
        self->refs = 1;
        self->choices = (const relay_choice *)(const void *)(self + 1);
    }
    return self;
}

static tusk_err add_targets(relay_answer *self, relay_choice *choices,
                            const tusk_relay_route *route)
{
    for (size_t i = 0; i < route->target_count; i++) {
        relay_target *target;
        tusk_err err = relay_target_get(&target, self->relay, route->targets[i].address);
        if (err != TUSK_OK) {
            return err;
        }
        choices[i] = (relay_choice){.target = target, .weight = route->targets[i].weight};
        self->choice_count++;
    }
    return TUSK_OK;
}

bool tusk_relay_name_valid(tusk_bytes name)
{
    return name.len == 0 ||
           (name.len <= TUSK_RELAY_NAME_MAX && memchr(name.ptr, '\0', name.len) == NULL &&
            tusk_utf8_valid(name.ptr, name.len));
}

bool tusk_relay_host_valid(tusk_bytes host)
{
    tusk__authority parts;
    return tusk__authority_parse(&parts, host);
}

/* Targets, or an answer that needs none. */
static bool is_possible(const tusk_relay *relay, const tusk_relay_route *route)
{
    bool direct = route->status != 0;
    if (direct && (relay->ops->may_answer == NULL || !relay->ops->may_answer(route))) {
        return false;
    }
    return (direct || route->target_count > 0) && route->target_count <= TUSK_RELAY_TARGETS_MAX &&
           route->proxy_version <= 2 && tusk_relay_name_valid(route->name) &&
           (route->host.ptr == NULL || tusk_relay_host_valid(route->host));
}

tusk_err relay_answer_route(relay_answer **out, tusk_relay *relay, const tusk_relay_route *route)
{
    *out = NULL;
    if (!is_possible(relay, route)) {
        return TUSK_EINVAL;
    }
    size_t text = route->tls_name.len + route->first.len + route->user.len + route->database.len +
                  route->metadata.len + route->host.len + route->fields.len + route->body.len +
                  route->name.len;
    relay_answer *self = make(relay, route->target_count, text);
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    relay_choice *choices = (relay_choice *)(void *)(self + 1);
    uint8_t *place = (uint8_t *)(choices + route->target_count);
    tusk_err err = add_targets(self, choices, route);
    if (err != TUSK_OK) {
        relay_answer_unref(self);
        return err;
    }
    self->route = *route;
    self->route.targets = NULL;
    self->route.tls = route->tls == NULL ? NULL : tusk_tls_ref(route->tls);
    self->route.tls_name = put(&place, route->tls_name);
    self->route.first = put(&place, route->first);
    self->route.user = put(&place, route->user);
    self->route.database = put(&place, route->database);
    self->route.metadata = put(&place, route->metadata);
    self->route.host = put(&place, route->host);
    self->route.fields = put(&place, route->fields);
    self->route.body = put(&place, route->body);
    self->route.name = put(&place, route->name);
    if (route->name.len > 0) {
        self->meter = relay_meters_hold(&relay->meters, METER_ROUTE,
                                        tusk__hash(relay->targets.seed, route->name), route->name,
                                        tusk_loop_now_ms(relay->loop), &relay->stats.metrics_other);
    }
    *out = self;
    return TUSK_OK;
}

static bool is_tellable(tusk_bytes reason)
{
    for (size_t i = 0; i < reason.len; i++) {
        if (reason.ptr[i] == '\r' || reason.ptr[i] == '\n' || reason.ptr[i] == '\0') {
            return false;
        }
    }
    return reason.len <= TUSK_RELAY_REASON_MAX;
}

tusk_err relay_answer_refusal(relay_answer **out, tusk_relay *relay,
                              const tusk_relay_refusal *refusal)
{
    *out = NULL;
    if (refusal->status < 400 || refusal->status > 599 || !is_tellable(refusal->reason)) {
        return TUSK_EINVAL;
    }
    relay_answer *self = make(relay, 0, refusal->reason.len);
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    uint8_t *place = (uint8_t *)(self + 1);
    self->refusal = *refusal;
    self->refusal.reason = put(&place, refusal->reason);
    *out = self;
    return TUSK_OK;
}

uint16_t relay_status_of(tusk_err err)
{
    return err == TUSK_ETIMEOUT     ? 504
           : err == TUSK_ELIMIT     ? 503
           : err == TUSK_EEXHAUSTED ? 503
           : err == TUSK_EPOLICY    ? 403
           : err == TUSK_ENOMEM     ? 500
           : err == TUSK_EINVAL     ? 500
                                    : 502;
}

const char *relay_reason_of(tusk_err err)
{
    return err == TUSK_ETIMEOUT     ? "the backend did not answer in time"
           : err == TUSK_ELIMIT     ? "the backend has as many connections as it may"
           : err == TUSK_EPOLICY    ? "the backend's address is not allowed"
           : err == TUSK_ENOENT     ? "the backend's name has no address"
           : err == TUSK_EREFUSED   ? "the backend refuses connections"
           : err == TUSK_EACCES     ? "the proxy's user may not connect to the backend"
           : err == TUSK_ENOMEM     ? "out of memory"
           : err == TUSK_EEXHAUSTED ? "the proxy has no descriptor, port or thread left for this"
                                    : "the backend cannot be reached";
}
