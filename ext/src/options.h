/* SPDX-License-Identifier: MIT */
/* Option objects as servers read them. */
#ifndef TUSK_EXT_OPTIONS_H
#define TUSK_EXT_OPTIONS_H

#include "php_tusk.h"

#include <tusk/server.h>

enum {
    LIMIT_CONNECTIONS,
    LIMIT_PER_ADDRESS,
    LIMIT_HANDSHAKES,
    LIMIT_MESSAGE_BYTES,
    LIMIT_MESSAGE_FRAMES,
    LIMIT_UNFINISHED_BYTES,
    LIMIT_UNFINISHED_MS,
    LIMIT_QUEUED_BYTES,
    LIMIT_QUEUED_BYTES_TOTAL,
    LIMIT_MESSAGES_PER_SECOND,
    LIMIT_BYTES_PER_SECOND,
    LIMIT_SUBSCRIPTIONS,
    LIMIT_HEAD_BYTES,
    LIMIT_HEAD_FIELDS,
    LIMIT_BODY_BYTES,
    LIMIT_HANDSHAKE_MS,
    LIMIT_BODY_MS,
    LIMIT_IDLE_MS,
    LIMIT_KEEP_ALIVE_MS,
    LIMIT_PING_MS,
    LIMIT_PONG_MS,
    LIMIT_CLOSE_MS,
    LIMIT_DRAIN_MS,
    LIMIT_HEARTBEAT_MS,
    LIMIT_HISTORY_BYTES,
    LIMIT_PARKED_HANDLERS,
    LIMIT_SLOW_HANDLER_MS,
    LIMIT_FORM_PARTS,
    LIMIT_PART_HEAD_BYTES,
    LIMIT_FILE_BYTES,
    LIMIT_WORKER_BYTES,
    LIMIT_SUBSCRIPTION_BYTES,
    LIMITS_COUNT
};

/* Of Tusk\Proxy\Limits, in the stub's order. */
enum {
    PROXY_LIMIT_CONNECTIONS,
    PROXY_LIMIT_PER_LISTENER,
    PROXY_LIMIT_PER_SOURCE,
    PROXY_LIMIT_PER_TARGET,
    PROXY_LIMIT_RATE_PER_SOURCE,
    PROXY_LIMIT_LOOKUPS,
    PROXY_LIMIT_ROUTES,
    PROXY_LIMIT_FIRST_BYTES,
    PROXY_LIMIT_PENDING_BYTES,
    PROXY_LIMIT_WAIT_MS,
    PROXY_LIMIT_FIRST_MS,
    PROXY_LIMIT_RESOLVE_MS,
    PROXY_LIMIT_CONNECT_MS,
    PROXY_LIMIT_CONNECT_TOTAL_MS,
    PROXY_LIMIT_BACKEND_FIRST_MS,
    PROXY_LIMIT_IDLE_MS,
    PROXY_LIMIT_HALF_CLOSED_MS,
    PROXY_LIMIT_AGE_MS,
    PROXY_LIMIT_DRAIN_MS,
    PROXY_LIMIT_KEEP_IDLE_S,
    PROXY_LIMIT_KEEP_INTERVAL_S,
    PROXY_LIMIT_KEEP_COUNT,
    PROXY_LIMIT_USER_TIMEOUT_MS,
    PROXY_LIMIT_ATTEMPTS,
    PROXY_LIMIT_EJECT_FAILURES,
    PROXY_LIMIT_EJECT_MS,
    PROXY_LIMIT_CHECK_MS,
    PROXY_LIMIT_CHECK_RISE,
    PROXY_LIMIT_CHECK_FALL,
    PROXY_LIMIT_DNS_TTL_MS,
    PROXY_LIMIT_DNS_STALE_MS,
    PROXY_LIMIT_QUEUE_MS,
    PROXY_LIMIT_NOT_SENT_BYTES,
    PROXY_LIMIT_BACKLOG,
    PROXY_LIMIT_METRICS,
    PROXY_LIMITS_COUNT
};

/* Of Tusk\Proxy\HttpLimits, in the stub's order. */
enum {
    HTTP_LIMIT_LINE_BYTES,
    HTTP_LIMIT_HEAD_BYTES,
    HTTP_LIMIT_HEAD_FIELDS,
    HTTP_LIMIT_BODY_BYTES,
    HTTP_LIMIT_REQUESTS,
    HTTP_LIMIT_INTERIM,
    HTTP_LIMIT_HEAD_MS,
    HTTP_LIMIT_BODY_MS,
    HTTP_LIMIT_ANSWER_MS,
    HTTP_LIMIT_IDLE_MS,
    HTTP_LIMIT_TUNNEL_MS,
    HTTP_LIMIT_KEEP_ALIVE_MS,
    HTTP_LIMIT_POOL_SIZE,
    HTTP_LIMIT_POOL_IDLE,
    HTTP_LIMIT_POOL_IDLE_MS,
    HTTP_LIMIT_POOL_WAITING,
    HTTP_LIMIT_POOL_WAIT_MS,
    HTTP_LIMIT_CLIENT_FIN_MS,
    HTTP_LIMITS_COUNT
};

enum {
    WS_OPTION_MAX_MESSAGE_SIZE,
    WS_OPTION_MAX_QUEUED_BYTES,
    WS_OPTION_MAX_CONNECTIONS,
    WS_OPTION_HANDSHAKE_TIMEOUT_MS,
    WS_OPTION_IDLE_TIMEOUT_MS,
    WS_OPTION_PING_INTERVAL_MS,
    WS_OPTION_PONG_TIMEOUT_MS,
    WS_OPTIONS_COUNT
};

/* Of a Limits object, or the default when it is NULL. */
zend_long tusk_limit(const zend_object *limits_object, unsigned index);
/* The same for Tusk\Proxy\Limits. */
uint32_t tusk_proxy_limit(const zend_object *limits_object, unsigned index);
/* One that a listener has of its own, at least 1; false: a ValueError about this argument. */
bool tusk_proxy_limit_own(uint32_t *out, unsigned index, zend_long value, uint32_t number);
zend_long tusk_http_limit(const zend_object *limits_object, unsigned index);
/* From a ServerOptions object or an array, both may be NULL. False: a ValueError was thrown. */
bool tusk_ws_options_read(zend_long values[WS_OPTIONS_COUNT], zend_object *object,
                          HashTable *array);
void tusk_deflate_read(tusk_ws_deflate_options *out, zend_object *object);

#endif
