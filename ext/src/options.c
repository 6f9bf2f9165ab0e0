/* SPDX-License-Identifier: MIT */
/* Option objects: Limits, ServerOptions, Deflate and a proxy's Limits, whose slots hold checked
 * integers in the stub's order. */
#include "src/options.h"

#include <Zend/zend_smart_str.h>

typedef struct bound {
    const char *name;
    zend_long value; /* default */
    zend_long min;
    zend_long max;
} bound;

#define BYTES_MAX ((zend_long)1 << 40)
#define COUNT_MAX 1000000000
#define MS_MAX 2000000000

/* Of any one object. */
enum { BOUNDS_MAX = 40 };
_Static_assert(BOUNDS_MAX >= (int)LIMITS_COUNT && BOUNDS_MAX >= (int)PROXY_LIMITS_COUNT,
               "construct() has room for every object");

/* The order of the constructor's parameters and of the slots. */
static const bound limits[LIMITS_COUNT] = {
    [LIMIT_CONNECTIONS] = {"connections", 10000, 1, COUNT_MAX},
    [LIMIT_PER_ADDRESS] = {"perAddress", 0, 0, COUNT_MAX},
    [LIMIT_HANDSHAKES] = {"handshakes", 0, 0, COUNT_MAX},
    [LIMIT_MESSAGE_BYTES] = {"messageBytes", 16777216, 1, BYTES_MAX},
    [LIMIT_MESSAGE_FRAMES] = {"messageFrames", 1000000, 1, COUNT_MAX},
    [LIMIT_UNFINISHED_BYTES] = {"unfinishedBytes", 268435456, 1, BYTES_MAX},
    [LIMIT_UNFINISHED_MS] = {"unfinishedMs", 5000, 1, MS_MAX},
    [LIMIT_QUEUED_BYTES] = {"queuedBytes", 16777216, 1, BYTES_MAX},
    [LIMIT_QUEUED_BYTES_TOTAL] = {"queuedBytesTotal", 268435456, 1, BYTES_MAX},
    [LIMIT_MESSAGES_PER_SECOND] = {"messagesPerSecond", 0, 0, COUNT_MAX},
    [LIMIT_BYTES_PER_SECOND] = {"bytesPerSecond", 0, 0, COUNT_MAX},
    [LIMIT_SUBSCRIPTIONS] = {"subscriptions", 1000, 1, COUNT_MAX},
    [LIMIT_HEAD_BYTES] = {"headBytes", 16384, 256, 16777216},
    [LIMIT_HEAD_FIELDS] = {"headFields", 100, 1, TUSK_HTTP_FIELDS_CAP},
    [LIMIT_BODY_BYTES] = {"bodyBytes", 8388608, 1, BYTES_MAX},
    [LIMIT_HANDSHAKE_MS] = {"handshakeMs", 10000, 1, MS_MAX},
    [LIMIT_BODY_MS] = {"bodyMs", 60000, 1, MS_MAX},
    [LIMIT_IDLE_MS] = {"idleMs", 120000, 0, MS_MAX},
    [LIMIT_KEEP_ALIVE_MS] = {"keepAliveMs", 60000, 1, MS_MAX},
    [LIMIT_PING_MS] = {"pingMs", 30000, 0, MS_MAX},
    [LIMIT_PONG_MS] = {"pongMs", 10000, 1, MS_MAX},
    [LIMIT_CLOSE_MS] = {"closeMs", 5000, 1, MS_MAX},
    [LIMIT_DRAIN_MS] = {"drainMs", 5000, 1, MS_MAX},
    [LIMIT_HEARTBEAT_MS] = {"heartbeatMs", 15000, 0, MS_MAX},
    [LIMIT_HISTORY_BYTES] = {"historyBytes", 16777216, 65536, BYTES_MAX},
    [LIMIT_PARKED_HANDLERS] = {"parkedHandlers", 10000, 1, 30000},
    [LIMIT_SLOW_HANDLER_MS] = {"slowHandlerMs", 100, 0, MS_MAX},
    [LIMIT_FORM_PARTS] = {"formParts", 1000, 1, COUNT_MAX},
    [LIMIT_PART_HEAD_BYTES] = {"partHeadBytes", 4096, 64, 1048576},
    [LIMIT_FILE_BYTES] = {"fileBytes", 0, 0, BYTES_MAX},
    [LIMIT_WORKER_BYTES] = {"workerBytes", 0, 0, BYTES_MAX},
    [LIMIT_SUBSCRIPTION_BYTES] = {"subscriptionBytes", 134217728, 1, BYTES_MAX},
};

static const bound proxy_limits[PROXY_LIMITS_COUNT] = {
    [PROXY_LIMIT_CONNECTIONS] = {"connections", 100000, 1, COUNT_MAX},
    [PROXY_LIMIT_PER_LISTENER] = {"perListener", 0, 0, COUNT_MAX},
    [PROXY_LIMIT_PER_SOURCE] = {"perSource", 0, 0, COUNT_MAX},
    [PROXY_LIMIT_PER_TARGET] = {"perTarget", 0, 0, COUNT_MAX},
    [PROXY_LIMIT_RATE_PER_SOURCE] = {"ratePerSource", 0, 0, COUNT_MAX},
    [PROXY_LIMIT_LOOKUPS] = {"lookups", 1024, 1, 30000},
    [PROXY_LIMIT_ROUTES] = {"routes", 65536, 1, COUNT_MAX},
    [PROXY_LIMIT_FIRST_BYTES] = {"firstBytes", 16384, 256, 16777216},
    [PROXY_LIMIT_PENDING_BYTES] = {"pendingBytes", 65536, 4096, COUNT_MAX},
    [PROXY_LIMIT_WAIT_MS] = {"waitMs", 200, 1, MS_MAX},
    [PROXY_LIMIT_FIRST_MS] = {"firstMs", 10000, 1, MS_MAX},
    [PROXY_LIMIT_RESOLVE_MS] = {"resolveMs", 5000, 1, MS_MAX},
    [PROXY_LIMIT_CONNECT_MS] = {"connectMs", 5000, 1, MS_MAX},
    [PROXY_LIMIT_CONNECT_TOTAL_MS] = {"connectTotalMs", 15000, 1, MS_MAX},
    [PROXY_LIMIT_BACKEND_FIRST_MS] = {"backendFirstMs", 0, 0, MS_MAX},
    [PROXY_LIMIT_IDLE_MS] = {"idleMs", 0, 0, MS_MAX},
    [PROXY_LIMIT_HALF_CLOSED_MS] = {"halfClosedMs", 60000, 0, MS_MAX},
    [PROXY_LIMIT_AGE_MS] = {"ageMs", 0, 0, MS_MAX},
    [PROXY_LIMIT_DRAIN_MS] = {"drainMs", 30000, 1, MS_MAX},
    [PROXY_LIMIT_KEEP_IDLE_S] = {"keepIdleS", 30, 0, 32767},
    [PROXY_LIMIT_KEEP_INTERVAL_S] = {"keepIntervalS", 10, 1, 32767},
    [PROXY_LIMIT_KEEP_COUNT] = {"keepCount", 3, 1, 127},
    [PROXY_LIMIT_USER_TIMEOUT_MS] = {"userTimeoutMs", 0, 0, MS_MAX},
    [PROXY_LIMIT_ATTEMPTS] = {"attempts", 3, 1, 1000},
    [PROXY_LIMIT_EJECT_FAILURES] = {"ejectFailures", 3, 0, COUNT_MAX},
    [PROXY_LIMIT_EJECT_MS] = {"ejectMs", 10000, 1, MS_MAX},
    [PROXY_LIMIT_CHECK_MS] = {"checkMs", 0, 0, MS_MAX},
    [PROXY_LIMIT_CHECK_RISE] = {"checkRise", 2, 1, 1000},
    [PROXY_LIMIT_CHECK_FALL] = {"checkFall", 3, 1, 1000},
    [PROXY_LIMIT_DNS_TTL_MS] = {"dnsTtlMs", 30000, 1, MS_MAX},
    [PROXY_LIMIT_DNS_STALE_MS] = {"dnsStaleMs", 86400000, 0, MS_MAX},
    [PROXY_LIMIT_QUEUE_MS] = {"queueMs", 0, 0, MS_MAX},
    [PROXY_LIMIT_NOT_SENT_BYTES] = {"notSentBytes", 0, 0, COUNT_MAX},
    [PROXY_LIMIT_BACKLOG] = {"backlog", 4096, 1, 65535},
    [PROXY_LIMIT_METRICS] = {"metrics", 256, 0, 5000},
};

static const bound http_limits[HTTP_LIMITS_COUNT] = {
    [HTTP_LIMIT_LINE_BYTES] = {"lineBytes", 8192, 256, 1048576},
    [HTTP_LIMIT_HEAD_BYTES] = {"headBytes", 16384, 256, 1048576},
    [HTTP_LIMIT_HEAD_FIELDS] = {"headFields", 100, 1, 128},
    [HTTP_LIMIT_BODY_BYTES] = {"bodyBytes", 0, 0, BYTES_MAX},
    [HTTP_LIMIT_REQUESTS] = {"requests", 10000, 0, COUNT_MAX},
    [HTTP_LIMIT_INTERIM] = {"interim", 16, 1, COUNT_MAX},
    [HTTP_LIMIT_HEAD_MS] = {"headMs", 10000, 1, MS_MAX},
    [HTTP_LIMIT_BODY_MS] = {"bodyMs", 60000, 1, MS_MAX},
    [HTTP_LIMIT_ANSWER_MS] = {"answerMs", 60000, 1, MS_MAX},
    [HTTP_LIMIT_IDLE_MS] = {"idleMs", 60000, 0, MS_MAX},
    [HTTP_LIMIT_TUNNEL_MS] = {"tunnelMs", 3600000, 0, MS_MAX},
    [HTTP_LIMIT_KEEP_ALIVE_MS] = {"keepAliveMs", 75000, 1, MS_MAX},
    [HTTP_LIMIT_POOL_SIZE] = {"poolSize", 0, 0, COUNT_MAX},
    [HTTP_LIMIT_POOL_IDLE] = {"poolIdle", 64, 0, COUNT_MAX},
    [HTTP_LIMIT_POOL_IDLE_MS] = {"poolIdleMs", 15000, 1, MS_MAX},
    [HTTP_LIMIT_POOL_WAITING] = {"poolWaiting", 1024, 0, COUNT_MAX},
    [HTTP_LIMIT_POOL_WAIT_MS] = {"poolWaitMs", 5000, 1, MS_MAX},
    [HTTP_LIMIT_CLIENT_FIN_MS] = {"clientFinMs", 10000, 0, MS_MAX},
};

static const bound ws_options[WS_OPTIONS_COUNT] = {
    [WS_OPTION_MAX_MESSAGE_SIZE] = {"maxMessageSize", 16777216, 1, BYTES_MAX},
    [WS_OPTION_MAX_QUEUED_BYTES] = {"maxQueuedBytes", 16777216, 1, BYTES_MAX},
    [WS_OPTION_MAX_CONNECTIONS] = {"maxConnections", 10000, 1, COUNT_MAX},
    [WS_OPTION_HANDSHAKE_TIMEOUT_MS] = {"handshakeTimeoutMs", 10000, 1, MS_MAX},
    [WS_OPTION_IDLE_TIMEOUT_MS] = {"idleTimeoutMs", 120000, 1, MS_MAX},
    [WS_OPTION_PING_INTERVAL_MS] = {"pingIntervalMs", 0, 0, MS_MAX},
    [WS_OPTION_PONG_TIMEOUT_MS] = {"pongTimeoutMs", 10000, 1, MS_MAX},
};

/* `number` is the constructor's argument, 0 for an option in an array. */
static bool within(const bound *rule, zend_long value, uint32_t number)
{
    if (value >= rule->min && value <= rule->max) {
        return true;
    }
    if (number == 0) {
        zend_argument_value_error(1,
                                  "must have %s between " ZEND_LONG_FMT " and " ZEND_LONG_FMT
                                  ", " ZEND_LONG_FMT " given",
                                  rule->name, rule->min, rule->max, value);
    } else {
        zend_argument_value_error(number,
                                  "must be between " ZEND_LONG_FMT " and " ZEND_LONG_FMT
                                  ", " ZEND_LONG_FMT " given",
                                  rule->min, rule->max, value);
    }
    return false;
}

/* By position or by name. False: an exception was thrown. */
static bool read_integers(zend_execute_data *execute_data, const bound *rules, uint32_t count,
                          zend_long *values)
{
    if (UNEXPECTED(ZEND_NUM_ARGS() > count)) {
        zend_wrong_parameters_count_error(0, count);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        values[i] = rules[i].value;
        zval *arg = i < ZEND_NUM_ARGS() ? ZEND_CALL_ARG(execute_data, i + 1) : NULL;
        if (arg == NULL || Z_ISUNDEF_P(arg)) {
            continue;
        }
        if (!zend_parse_arg_long(arg, &values[i], &(bool){false}, 0, i + 1)) {
            zend_wrong_parameter_type_error(i + 1, Z_EXPECTED_LONG, arg);
            return false;
        }
    }
    return true;
}

/* Integers into the object's first slots. */
static void construct(INTERNAL_FUNCTION_PARAMETERS, const bound *rules, uint32_t count)
{
    zend_long values[BOUNDS_MAX];
    zval constructed = tusk_this_hide(execute_data);
    bool good = read_integers(execute_data, rules, count, values);
    tusk_this_show(execute_data, constructed);
    zend_object *object = Z_OBJ_P(ZEND_THIS);
    if (!good) {
        RETURN_THROWS();
    }
    if (Z_TYPE_P(OBJ_PROP_NUM(object, 0)) != IS_UNDEF) {
        zend_throw_error(NULL, "%s is readonly once it is made", ZSTR_VAL(object->ce->name));
        RETURN_THROWS();
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!within(&rules[i], values[i], i + 1)) {
            RETURN_THROWS();
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        ZVAL_LONG(OBJ_PROP_NUM(object, i), values[i]);
    }
}

TUSK_METHOD(Tusk_Limits, __construct)
{
    construct(INTERNAL_FUNCTION_PARAM_PASSTHRU, limits, LIMITS_COUNT);
}

TUSK_METHOD(Tusk_WebSocket_ServerOptions, __construct)
{
    construct(INTERNAL_FUNCTION_PARAM_PASSTHRU, ws_options, WS_OPTIONS_COUNT);
}

TUSK_METHOD(Tusk_Proxy_Limits, __construct)
{
    construct(INTERNAL_FUNCTION_PARAM_PASSTHRU, proxy_limits, PROXY_LIMITS_COUNT);
}

TUSK_METHOD(Tusk_Proxy_HttpLimits, __construct)
{
    construct(INTERNAL_FUNCTION_PARAM_PASSTHRU, http_limits, HTTP_LIMITS_COUNT);
}

zend_long tusk_http_limit(const zend_object *limits_object, unsigned index)
{
    return limits_object == NULL ? http_limits[index].value
                                 : Z_LVAL(limits_object->properties_table[index]);
}

uint32_t tusk_proxy_limit(const zend_object *limits_object, unsigned index)
{
    return (uint32_t)(limits_object == NULL ? proxy_limits[index].value
                                            : Z_LVAL(limits_object->properties_table[index]));
}

bool tusk_proxy_limit_own(uint32_t *out, unsigned index, zend_long value, uint32_t number)
{
    const bound rule = {.min = 1, .max = proxy_limits[index].max};
    if (!within(&rule, value, number)) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

zend_long tusk_limit(const zend_object *limits_object, unsigned index)
{
    return limits_object == NULL ? limits[index].value
                                 : Z_LVAL(limits_object->properties_table[index]);
}

static void unknown_option(zend_string *key)
{
    smart_str names = {0};
    for (unsigned i = 0; i < WS_OPTIONS_COUNT; i++) {
        smart_str_appends(&names, i == 0 ? "" : ", ");
        smart_str_appends(&names, ws_options[i].name);
    }
    smart_str_0(&names);
    zend_argument_value_error(1, "must not have the unknown option \"%s\"; there are %s",
                              key == NULL ? "(a number)" : ZSTR_VAL(key), ZSTR_VAL(names.s));
    smart_str_free(&names);
}

bool tusk_ws_options_read(zend_long values[WS_OPTIONS_COUNT], zend_object *object, HashTable *array)
{
    for (unsigned i = 0; i < WS_OPTIONS_COUNT; i++) {
        values[i] = object == NULL ? ws_options[i].value : Z_LVAL_P(OBJ_PROP_NUM(object, i));
    }
    if (array == NULL) {
        return true;
    }
    zend_string *key;
    zval *value;
    ZEND_HASH_FOREACH_STR_KEY_VAL(array, key, value)
    {
        unsigned i = 0;
        while (key != NULL && i < WS_OPTIONS_COUNT &&
               !zend_string_equals_cstr(key, ws_options[i].name, strlen(ws_options[i].name))) {
            i++;
        }
        if (key == NULL || i == WS_OPTIONS_COUNT) {
            unknown_option(key);
            return false;
        }
        ZVAL_DEREF(value);
        if (Z_TYPE_P(value) != IS_LONG) {
            zend_argument_value_error(1, "must have an integer as %s, %s given", ws_options[i].name,
                                      zend_zval_type_name(value));
            return false;
        }
        if (!within(&ws_options[i], Z_LVAL_P(value), 0)) {
            return false;
        }
        values[i] = Z_LVAL_P(value);
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

/* ---- Deflate: four integers, two switches ---- */
enum {
    DEFLATE_THRESHOLD,
    DEFLATE_LEVEL,
    DEFLATE_SERVER_BITS,
    DEFLATE_CLIENT_BITS,
    DEFLATE_SERVER_TAKEOVER,
    DEFLATE_CLIENT_TAKEOVER
};

static const bound deflate_rules[] = {
    [DEFLATE_THRESHOLD] = {"threshold", 1024, 0, COUNT_MAX},
    [DEFLATE_LEVEL] = {"level", 1, 1, 9},
    [DEFLATE_SERVER_BITS] = {"serverMaxWindowBits", 15, 9, 15},
    [DEFLATE_CLIENT_BITS] = {"clientMaxWindowBits", 15, 9, 15},
};

TUSK_METHOD(Tusk_WebSocket_Deflate, __construct)
{
    zend_long values[4] = {1024, 1, 15, 15};
    bool server_takeover = false;
    bool client_takeover = false;

    TUSK_PARSE_CONSTRUCTOR_START(0, 6)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(values[DEFLATE_THRESHOLD])
    Z_PARAM_LONG(values[DEFLATE_LEVEL])
    Z_PARAM_LONG(values[DEFLATE_SERVER_BITS])
    Z_PARAM_LONG(values[DEFLATE_CLIENT_BITS])
    Z_PARAM_BOOL(server_takeover)
    Z_PARAM_BOOL(client_takeover)
    TUSK_PARSE_CONSTRUCTOR_END();

    zend_object *object = Z_OBJ_P(ZEND_THIS);
    for (uint32_t i = 0; i < 4; i++) {
        if (!within(&deflate_rules[i], values[i], i + 1)) {
            RETURN_THROWS();
        }
    }
    if (Z_TYPE_P(OBJ_PROP_NUM(object, 0)) != IS_UNDEF) {
        zend_throw_error(NULL, "%s is readonly once it is made", ZSTR_VAL(object->ce->name));
        RETURN_THROWS();
    }
    for (uint32_t i = 0; i < 4; i++) {
        ZVAL_LONG(OBJ_PROP_NUM(object, i), values[i]);
    }
    ZVAL_BOOL(OBJ_PROP_NUM(object, DEFLATE_SERVER_TAKEOVER), server_takeover);
    ZVAL_BOOL(OBJ_PROP_NUM(object, DEFLATE_CLIENT_TAKEOVER), client_takeover);
}

void tusk_deflate_read(tusk_ws_deflate_options *out, zend_object *object)
{
    memset(out, 0, sizeof(*out));
    if (object == NULL) {
        return;
    }
    out->on = true;
    out->threshold = (size_t)Z_LVAL_P(OBJ_PROP_NUM(object, DEFLATE_THRESHOLD));
    out->level = (uint8_t)Z_LVAL_P(OBJ_PROP_NUM(object, DEFLATE_LEVEL));
    out->mem_level = 8;
    out->server_max_window_bits = (uint8_t)Z_LVAL_P(OBJ_PROP_NUM(object, DEFLATE_SERVER_BITS));
    out->client_max_window_bits = (uint8_t)Z_LVAL_P(OBJ_PROP_NUM(object, DEFLATE_CLIENT_BITS));
    out->server_context_takeover =
        Z_TYPE_P(OBJ_PROP_NUM(object, DEFLATE_SERVER_TAKEOVER)) == IS_TRUE;
    out->client_context_takeover =
        Z_TYPE_P(OBJ_PROP_NUM(object, DEFLATE_CLIENT_TAKEOVER)) == IS_TRUE;
}
