/* SPDX-License-Identifier: MIT */
/* What resolvers answer with: Target, Route, Refused; and Validation. Each is checked as it is
 * made, so that a proxy has nothing left to find fault with. */
#include "src/serve/http.h"
#include "src/proxy/proxy.h"

#include <tusk/net.h>

#define SECONDS_MAX 2000000.0
#define WEIGHT_MAX 1000000

unsigned tusk_enum_index(const zend_object *enum_case)
{
    const zend_string *name = Z_STR_P(zend_enum_fetch_case_name((zend_object *)enum_case));
    zend_string *key;
    unsigned i = 0;
    ZEND_HASH_FOREACH_STR_KEY(CE_CONSTANTS_TABLE(enum_case->ce), key)
    {
        if (zend_string_equals(key, name)) {
            return i;
        }
        i++;
    }
    ZEND_HASH_FOREACH_END();
    return 0;
}

bool tusk_seconds_ms(double seconds, uint32_t *ms)
{
    if (!(seconds >= 0.0 && seconds <= SECONDS_MAX)) { /* false for NAN, too */
        return false;
    }
    *ms = (uint32_t)(seconds * 1000.0 + 0.5);
    if (*ms == 0 && seconds > 0.0) {
        *ms = 1; /* 0 has a meaning of its own */
    }
    return true;
}

/* ---- Target ---- */
static void bad_target(uint32_t number, const char *address)
{
    zend_argument_value_error(number,
                              "must be \"host:port\", \"[IPv6]:port\" or \"unix:/path\", \"%s\" "
                              "given",
                              address);
}

static void target_fill(zend_object *object, zend_string *address, zend_long weight)
{
    ZVAL_STR_COPY(OBJ_PROP_NUM(object, TARGET_ADDRESS), address);
    ZVAL_LONG(OBJ_PROP_NUM(object, TARGET_WEIGHT), weight);
}

static bool made_already(const zend_object *object)
{
    if (Z_TYPE_P(OBJ_PROP_NUM(object, 0)) == IS_UNDEF) {
        return false;
    }
    zend_throw_error(NULL, "%s is readonly once it is made", ZSTR_VAL(object->ce->name));
    return true;
}

TUSK_METHOD(Tusk_Proxy_Target, __construct)
{
    zend_string *address;
    zend_long weight = 1;

    TUSK_PARSE_CONSTRUCTOR_START(1, 2)
    Z_PARAM_STR(address)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(weight)
    TUSK_PARSE_CONSTRUCTOR_END();

    zend_object *object = Z_OBJ_P(ZEND_THIS);
    if (made_already(object)) {
        RETURN_THROWS();
    }
    if (!tusk_net_target_valid(tusk_zstr(address))) {
        bad_target(1, ZSTR_VAL(address));
        RETURN_THROWS();
    }
    if (weight < 0 || weight > WEIGHT_MAX) {
        zend_argument_value_error(2, "must be between 0 and %d, " ZEND_LONG_FMT " given",
                                  WEIGHT_MAX, weight);
        RETURN_THROWS();
    }
    target_fill(object, address, weight);
}

/* ---- Route ---- */
TUSK_METHOD(Tusk_Proxy_Route, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

/* A Target as it is, or one of a text. False: an exception was thrown. */
static bool add_target(HashTable *list, zval *given)
{
    zval value;
    ZVAL_DEREF(given);
    if (Z_TYPE_P(given) == IS_OBJECT && Z_OBJCE_P(given) == tusk_proxy_ce[PROXY_TARGET]) {
        ZVAL_COPY(&value, given);
    } else if (Z_TYPE_P(given) == IS_STRING) {
        if (!tusk_net_target_valid(tusk_zstr(Z_STR_P(given)))) {
            bad_target(1, Z_STRVAL_P(given));
            return false;
        }
        if (object_init_ex(&value, tusk_proxy_ce[PROXY_TARGET]) != SUCCESS) {
            return false;
        }
        target_fill(Z_OBJ(value), Z_STR_P(given), 1);
    } else {
        zend_argument_type_error(1,
                                 "must be of type Tusk\\Proxy\\Target|string or a list of them, "
                                 "%s given",
                                 zend_zval_type_name(given));
        return false;
    }
    zend_hash_next_index_insert_new(list, &value);
    return true;
}

static bool targets_of(zval *out, zval *given)
{
    bool good = true;
    uint32_t count = Z_TYPE_P(given) == IS_ARRAY ? zend_hash_num_elements(Z_ARRVAL_P(given)) : 1;
    array_init(out);
    if (Z_TYPE_P(given) != IS_ARRAY) {
        good = add_target(Z_ARRVAL_P(out), given);
    } else if (count == 0) {
        zend_argument_value_error(1, "must not be empty");
        good = false;
    } else if (count > TUSK_RELAY_TARGETS_MAX) {
        zend_argument_value_error(1, "must be %d targets at most, %u given", TUSK_RELAY_TARGETS_MAX,
                                  count);
        good = false;
    } else {
        zval *item;
        ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(given), item)
        {
            if (!add_target(Z_ARRVAL_P(out), item)) {
                good = false;
                break;
            }
        }
        ZEND_HASH_FOREACH_END();
    }
    if (!good) {
        zval_ptr_dtor(out);
    }
    return good;
}

static bool seconds_arg(double seconds, bool none, uint32_t number)
{
    uint32_t ms;
    if (!none && !tusk_seconds_ms(seconds, &ms)) {
        zend_argument_value_error(number, "must be between 0 and %d seconds", (int)SECONDS_MAX);
        return false;
    }
    return true;
}

static void put_seconds(zval *slot, double seconds, bool none)
{
    if (none) {
        ZVAL_NULL(slot);
    } else {
        ZVAL_DOUBLE(slot, seconds);
    }
}

static void put_string(zval *slot, zend_string *text)
{
    if (text == NULL) {
        ZVAL_NULL(slot);
    } else {
        ZVAL_STR_COPY(slot, text);
    }
}

/* A name that is sent inside a start-up packet, where NUL ends it. */
static bool name_arg(const zend_string *text, uint32_t number)
{
    if (text != NULL && tusk_zstr_has_nul(text)) {
        zend_argument_value_error(number, "must not contain any null bytes");
        return false;
    }
    return true;
}

static bool route_name_arg(const zend_string *name, uint32_t number)
{
    if (name != NULL && (ZSTR_LEN(name) == 0 || !tusk_relay_name_valid(tusk_zstr(name)))) {
        zend_argument_value_error(number, "must be 1 to %d bytes of UTF-8 without a NUL",
                                  TUSK_RELAY_NAME_MAX);
        return false;
    }
    return true;
}

/* One without targets; what is not said is null. */
static zend_object *route_make(zval *out, const zval *metadata, double ttl)
{
    object_init_ex(out, tusk_proxy_ce[PROXY_ROUTE]);
    zend_object *object = Z_OBJ_P(out);
    for (unsigned slot = ROUTE_TTL; slot <= ROUTE_NAME; slot++) {
        ZVAL_NULL(OBJ_PROP_NUM(object, slot));
    }
    ZVAL_EMPTY_ARRAY(OBJ_PROP_NUM(object, ROUTE_TARGETS));
    if (metadata == NULL) {
        ZVAL_EMPTY_ARRAY(OBJ_PROP_NUM(object, ROUTE_METADATA));
    } else {
        ZVAL_COPY(OBJ_PROP_NUM(object, ROUTE_METADATA), metadata);
    }
    ZVAL_DOUBLE(OBJ_PROP_NUM(object, ROUTE_TTL), ttl);
    ZVAL_LONG(OBJ_PROP_NUM(object, ROUTE_PROXY_PROTOCOL), 0);
    return object;
}

TUSK_METHOD(Tusk_Proxy_Route, to)
{
    zval *targets;
    HashTable *metadata = NULL;
    double ttl = 60.0;
    double connect = 0.0;
    bool connect_null = true;
    double idle = 0.0;
    bool idle_null = true;
    zend_long version = 0;
    zend_object *tls = NULL;
    zend_string *first = NULL;
    zend_string *user = NULL;
    zend_string *database = NULL;
    zend_string *host = NULL;
    zend_string *name = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 12)
    Z_PARAM_ZVAL(targets)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT(metadata)
    Z_PARAM_DOUBLE(ttl)
    Z_PARAM_DOUBLE_OR_NULL(connect, connect_null)
    Z_PARAM_DOUBLE_OR_NULL(idle, idle_null)
    Z_PARAM_LONG(version)
    Z_PARAM_OBJ_OF_CLASS_OR_NULL(tls, tusk_proxy_ce[PROXY_UPSTREAM_TLS])
    Z_PARAM_STR_OR_NULL(first)
    Z_PARAM_STR_OR_NULL(user)
    Z_PARAM_STR_OR_NULL(database)
    Z_PARAM_STR_OR_NULL(host)
    Z_PARAM_STR_OR_NULL(name)
    ZEND_PARSE_PARAMETERS_END();

    if (!seconds_arg(ttl, false, 3) || !seconds_arg(connect, connect_null, 4) ||
        !seconds_arg(idle, idle_null, 5) || !name_arg(user, 9) || !name_arg(database, 10) ||
        !route_name_arg(name, 12)) {
        RETURN_THROWS();
    }
    if (!connect_null && connect == 0.0) {
        zend_argument_value_error(4, "must be greater than 0");
        RETURN_THROWS();
    }
    if (version < 0 || version > 2) {
        zend_argument_value_error(6, "must be 0, 1 or 2");
        RETURN_THROWS();
    }
    if (host != NULL && !tusk_relay_host_valid(tusk_zstr(host))) {
        zend_argument_value_error(11, "must be a host such as \"shop.internal\" or \"[::1]:8080\"");
        RETURN_THROWS();
    }
    zval list;
    if (!targets_of(&list, targets)) {
        RETURN_THROWS();
    }
    zend_object *object =
        route_make(return_value, metadata == NULL ? NULL : ZEND_CALL_VAR_NUM(execute_data, 1), ttl);
    ZVAL_COPY_VALUE(OBJ_PROP_NUM(object, ROUTE_TARGETS), &list);
    put_seconds(OBJ_PROP_NUM(object, ROUTE_CONNECT_TIMEOUT), connect, connect_null);
    put_seconds(OBJ_PROP_NUM(object, ROUTE_IDLE_TIMEOUT), idle, idle_null);
    ZVAL_LONG(OBJ_PROP_NUM(object, ROUTE_PROXY_PROTOCOL), version);
    if (tls != NULL) {
        ZVAL_OBJ_COPY(OBJ_PROP_NUM(object, ROUTE_TLS), tls);
    }
    put_string(OBJ_PROP_NUM(object, ROUTE_FIRST), first);
    put_string(OBJ_PROP_NUM(object, ROUTE_USER), user);
    put_string(OBJ_PROP_NUM(object, ROUTE_DATABASE), database);
    put_string(OBJ_PROP_NUM(object, ROUTE_HOST), host);
    put_string(OBJ_PROP_NUM(object, ROUTE_NAME), name);
}

TUSK_METHOD(Tusk_Proxy_Route, respond)
{
    zend_object *response;
    zval *metadata = NULL;
    double ttl = 60.0;
    zend_string *name = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 4)
    Z_PARAM_OBJ_OF_CLASS(response, tusk_ce_http_response)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY(metadata)
    Z_PARAM_DOUBLE(ttl)
    Z_PARAM_STR_OR_NULL(name)
    ZEND_PARSE_PARAMETERS_END();

    uint16_t status;
    tusk_bytes body;
    tusk_buf lines;
    if (!seconds_arg(ttl, false, 3) || !route_name_arg(name, 4)) {
        RETURN_THROWS();
    }
    tusk_buf_init(&lines, tusk_mem_default(), ROUTE_LINES_MAX);
    bool good = tusk_response_view(response, 1, &status, &lines, &body);
    if (good && !tusk_relay_fields_valid(status, tusk_buf_view(&lines))) {
        zend_argument_value_error(1, "must have no header of one hop, such as Upgrade");
        good = false;
    }
    tusk_buf_fini(&lines);
    if (!good) {
        RETURN_THROWS();
    }
    zend_object *object = route_make(return_value, metadata, ttl);
    ZVAL_OBJ_COPY(OBJ_PROP_NUM(object, ROUTE_RESPONSE), response);
    put_string(OBJ_PROP_NUM(object, ROUTE_NAME), name);
}

/* ---- Refused ---- */
TUSK_METHOD(Tusk_Proxy_Refused, __construct)
{
    zend_long status = 403;
    zend_string *reason = NULL;
    double ttl = 5.0;

    TUSK_PARSE_CONSTRUCTOR_START(0, 3)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(status)
    Z_PARAM_STR(reason)
    Z_PARAM_DOUBLE(ttl)
    TUSK_PARSE_CONSTRUCTOR_END();

    if (status < 400 || status > 599) {
        zend_argument_value_error(1, "must be between 400 and 599, " ZEND_LONG_FMT " given",
                                  status);
        RETURN_THROWS();
    }
    if (reason != NULL &&
        (tusk_zstr_has_nul(reason) || strpbrk(ZSTR_VAL(reason), "\r\n") != NULL)) {
        zend_argument_value_error(2, "must not contain CR, LF or NUL");
        RETURN_THROWS();
    }
    if (reason != NULL && ZSTR_LEN(reason) > TUSK_RELAY_REASON_MAX) {
        zend_argument_value_error(2, "must have %d bytes at most", TUSK_RELAY_REASON_MAX);
        RETURN_THROWS();
    }
    if (!seconds_arg(ttl, false, 3)) {
        RETURN_THROWS();
    }
    zend_object *self = Z_OBJ_P(ZEND_THIS);
    const zend_property_info *slot =
        zend_hash_str_find_ptr(&self->ce->properties_info, ZEND_STRL("ttl"));
    if (!Z_ISUNDEF_P(OBJ_PROP(self, slot->offset))) {
        zend_throw_error(NULL, "Tusk\\Proxy\\Refused is readonly once it is made");
        RETURN_THROWS();
    }
    ZVAL_DOUBLE(OBJ_PROP(self, slot->offset), ttl);
    zend_update_property_long(zend_ce_exception, self, ZEND_STRL("code"), status);
    if (reason != NULL) {
        zend_update_property_str(zend_ce_exception, self, ZEND_STRL("message"), reason);
    }
}

/* ---- Validation ---- */
static void validation_make(zval *out, bool any)
{
    object_init_ex(out, tusk_proxy_ce[PROXY_VALIDATION]);
    ZVAL_BOOL(OBJ_PROP_NUM(Z_OBJ_P(out), VALIDATION_ANY), any);
    ZVAL_EMPTY_ARRAY(OBJ_PROP_NUM(Z_OBJ_P(out), VALIDATION_ALLOWED));
}

TUSK_METHOD(Tusk_Proxy_Validation, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_Proxy_Validation, publicOnly)
{
    ZEND_PARSE_PARAMETERS_NONE();
    validation_make(return_value, false);
}

TUSK_METHOD(Tusk_Proxy_Validation, none)
{
    ZEND_PARSE_PARAMETERS_NONE();
    validation_make(return_value, true);
}

static bool unix_range(const zend_string *range)
{
    return strncmp(ZSTR_VAL(range), "unix:/", 6) == 0 && !tusk_zstr_has_nul(range);
}

TUSK_METHOD(Tusk_Proxy_Validation, allow)
{
    zval *ranges = NULL;
    uint32_t count = 0;

    ZEND_PARSE_PARAMETERS_START(0, -1)
    Z_PARAM_VARIADIC('*', ranges, count)
    ZEND_PARSE_PARAMETERS_END();

    zend_object *self = Z_OBJ_P(ZEND_THIS);
    for (uint32_t i = 0; i < count; i++) {
        if (Z_TYPE(ranges[i]) != IS_STRING) {
            zend_argument_type_error(i + 1, "must be of type string, %s given",
                                     zend_zval_type_name(&ranges[i]));
            RETURN_THROWS();
        }
        if (!unix_range(Z_STR(ranges[i])) && !tusk_net_range_valid(tusk_zstr(Z_STR(ranges[i])))) {
            zend_argument_value_error(i + 1,
                                      "must be an address, a range such as \"10.0.0.0/8\" or "
                                      "\"unix:/run/\", \"%s\" given",
                                      Z_STRVAL(ranges[i]));
            RETURN_THROWS();
        }
    }
    validation_make(return_value, Z_TYPE_P(OBJ_PROP_NUM(self, VALIDATION_ANY)) == IS_TRUE);
    zval *list = OBJ_PROP_NUM(Z_OBJ_P(return_value), VALIDATION_ALLOWED);
    ZVAL_ARR(list, zend_array_dup(Z_ARRVAL_P(OBJ_PROP_NUM(self, VALIDATION_ALLOWED))));
    for (uint32_t i = 0; i < count; i++) {
        zval copy;
        ZVAL_STR_COPY(&copy, Z_STR(ranges[i]));
        zend_hash_next_index_insert(Z_ARRVAL_P(list), &copy);
    }
}

static zend_object *create_plain(zend_class_entry *ce)
{
    zend_object *object = zend_objects_new(ce);
    object_properties_init(object, ce);
    return object;
}

void tusk_proxy_values_startup(void)
{
    static const tusk_proxy_class plain[] = {PROXY_TARGET, PROXY_ROUTE,       PROXY_VALIDATION,
                                             PROXY_LIMITS, PROXY_HTTP_LIMITS, PROXY_FORWARDING};
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        tusk_proxy_ce[plain[i]]->create_object = create_plain;
    }
}
