/* SPDX-License-Identifier: MIT */
/* Limits and HttpLimits as the relay takes them. */
#include "src/options.h"
#include "src/proxy/proxy.h"

void tusk_proxy_read_limits(tusk_relay_limits *out, const zend_object *from)
{
    out->connections = tusk_proxy_limit(from, PROXY_LIMIT_CONNECTIONS);
    out->per_listener = tusk_proxy_limit(from, PROXY_LIMIT_PER_LISTENER);
    out->per_source = tusk_proxy_limit(from, PROXY_LIMIT_PER_SOURCE);
    out->per_target = tusk_proxy_limit(from, PROXY_LIMIT_PER_TARGET);
    out->rate_per_source = tusk_proxy_limit(from, PROXY_LIMIT_RATE_PER_SOURCE);
    out->lookups = tusk_proxy_limit(from, PROXY_LIMIT_LOOKUPS);
    out->routes = tusk_proxy_limit(from, PROXY_LIMIT_ROUTES);
    out->first_bytes = tusk_proxy_limit(from, PROXY_LIMIT_FIRST_BYTES);
    out->pending_bytes = tusk_proxy_limit(from, PROXY_LIMIT_PENDING_BYTES);
    out->wait_ms = tusk_proxy_limit(from, PROXY_LIMIT_WAIT_MS);
    out->first_ms = tusk_proxy_limit(from, PROXY_LIMIT_FIRST_MS);
    out->resolve_ms = tusk_proxy_limit(from, PROXY_LIMIT_RESOLVE_MS);
    out->connect_ms = tusk_proxy_limit(from, PROXY_LIMIT_CONNECT_MS);
    out->connect_total_ms = tusk_proxy_limit(from, PROXY_LIMIT_CONNECT_TOTAL_MS);
    out->backend_first_ms = tusk_proxy_limit(from, PROXY_LIMIT_BACKEND_FIRST_MS);
    out->idle_ms = tusk_proxy_limit(from, PROXY_LIMIT_IDLE_MS);
    out->half_closed_ms = tusk_proxy_limit(from, PROXY_LIMIT_HALF_CLOSED_MS);
    out->age_ms = tusk_proxy_limit(from, PROXY_LIMIT_AGE_MS);
    out->drain_ms = tusk_proxy_limit(from, PROXY_LIMIT_DRAIN_MS);
    out->keep_idle_s = tusk_proxy_limit(from, PROXY_LIMIT_KEEP_IDLE_S);
    out->keep_interval_s = tusk_proxy_limit(from, PROXY_LIMIT_KEEP_INTERVAL_S);
    out->keep_count = tusk_proxy_limit(from, PROXY_LIMIT_KEEP_COUNT);
    out->user_timeout_ms = tusk_proxy_limit(from, PROXY_LIMIT_USER_TIMEOUT_MS);
    out->attempts = tusk_proxy_limit(from, PROXY_LIMIT_ATTEMPTS);
    out->eject_failures = tusk_proxy_limit(from, PROXY_LIMIT_EJECT_FAILURES);
    out->eject_ms = tusk_proxy_limit(from, PROXY_LIMIT_EJECT_MS);
    out->check_ms = tusk_proxy_limit(from, PROXY_LIMIT_CHECK_MS);
    out->check_rise = tusk_proxy_limit(from, PROXY_LIMIT_CHECK_RISE);
    out->check_fall = tusk_proxy_limit(from, PROXY_LIMIT_CHECK_FALL);
    out->dns_ttl_ms = tusk_proxy_limit(from, PROXY_LIMIT_DNS_TTL_MS);
    out->dns_stale_ms = tusk_proxy_limit(from, PROXY_LIMIT_DNS_STALE_MS);
    out->queue_ms = tusk_proxy_limit(from, PROXY_LIMIT_QUEUE_MS);
    out->metrics = tusk_proxy_limit(from, PROXY_LIMIT_METRICS);
    out->not_sent_bytes = tusk_proxy_limit(from, PROXY_LIMIT_NOT_SENT_BYTES);
}

void tusk_proxy_read_http_limits(tusk_relay_http_options *out, const zend_object *from)
{
    *out = *tusk_relay_http_options_default();
    out->heads.line_max = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_LINE_BYTES);
    out->heads.head_max = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_HEAD_BYTES);
    out->heads.fields_max = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_HEAD_FIELDS);
    out->body_bytes = (uint64_t)tusk_http_limit(from, HTTP_LIMIT_BODY_BYTES);
    out->requests = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_REQUESTS);
    out->interim = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_INTERIM);
    out->head_ms = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_HEAD_MS);
    out->body_ms = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_BODY_MS);
    out->answer_ms = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_ANSWER_MS);
    out->idle_ms = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_IDLE_MS);
    out->tunnel_ms = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_TUNNEL_MS);
    out->keep_alive_ms = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_KEEP_ALIVE_MS);
    out->pool_size = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_POOL_SIZE);
    out->pool_idle = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_POOL_IDLE);
    out->pool_idle_ms = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_POOL_IDLE_MS);
    out->pool_waiting = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_POOL_WAITING);
    out->pool_wait_ms = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_POOL_WAIT_MS);
    out->client_fin_ms = (uint32_t)tusk_http_limit(from, HTTP_LIMIT_CLIENT_FIN_MS);
}
