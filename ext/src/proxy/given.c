/* SPDX-License-Identifier: MIT */
/* The constructors' parameters: what each is stands in one table, which of them a proxy has and in
 * which order in another, as the stub has them. */
#include "src/proxy/proxy.h"

#include "src/parameters.h"

typedef enum param_type {
    PARAM_OBJECT,
    PARAM_OBJECT_OR_NULL,
    PARAM_ANY,
    PARAM_ARRAY,
    PARAM_BOOL,
    PARAM_COUNT, /* of workers */
    PARAM_PATH_OR_NULL,
    PARAM_STRING_OR_NULL
} param_type;

typedef enum param {
    PARAM_RESOLVER,
    PARAM_LISTEN,
    PARAM_SOCKMAP,
    PARAM_VALIDATION,
    PARAM_ENGINE,
    PARAM_FIRST,
    PARAM_PROTOCOL,
    PARAM_TLS,
    PARAM_DOWNSTREAM,
    PARAM_UPSTREAM,
    PARAM_PROXIES,
    PARAM_PROXY_PROTOCOL,
    PARAM_LIMITS,
    PARAM_HTTP,
    PARAM_WORKERS,
    PARAM_FORWARDING,
    PARAM_BPF_OBJECT,
    PARAM_MYSQL_VERSION,
    PARAM_USER,
    PARAM_GROUP,
    PARAMS
} param;

/* The parameter where others have the port. */
enum { ORDER_MAX = 18, AFTER_ADDRESS = 3 };

typedef struct rule {
    param_type type;
    zend_class_entry **ce;
    size_t place; /* in tusk_proxy_given */
} rule;

#define OBJECT(class, member)                                                                      \
    {                                                                                              \
        PARAM_OBJECT, &tusk_proxy_ce[class], offsetof(tusk_proxy_given, member)                    \
    }
#define OR_NULL(entry, member)                                                                     \
    {                                                                                              \
        PARAM_OBJECT_OR_NULL, &(entry), offsetof(tusk_proxy_given, member)                         \
    }
#define PLAIN(type, member)                                                                        \
    {                                                                                              \
        type, NULL, offsetof(tusk_proxy_given, member)                                             \
    }

static const rule rules[PARAMS] = {
    [PARAM_RESOLVER] = OBJECT(PROXY_RESOLVER, resolver),
    [PARAM_LISTEN] = PLAIN(PARAM_ANY, listen),
    [PARAM_SOCKMAP] = OBJECT(PROXY_SOCKMAP, sockmap),
    [PARAM_VALIDATION] = OR_NULL(tusk_proxy_ce[PROXY_VALIDATION], validation),
    [PARAM_ENGINE] = OBJECT(PROXY_ENGINE, engine),
    [PARAM_FIRST] = OBJECT(PROXY_FIRST, first),
    [PARAM_PROTOCOL] = OBJECT(PROXY_PROTOCOL, protocol),
    [PARAM_TLS] = OR_NULL(tusk_ce_tls, tls),
    [PARAM_DOWNSTREAM] = OBJECT(PROXY_TLS_MODE, downstream),
    [PARAM_UPSTREAM] = OR_NULL(tusk_proxy_ce[PROXY_UPSTREAM_TLS], upstream),
    [PARAM_PROXIES] = PLAIN(PARAM_ARRAY, proxies),
    [PARAM_PROXY_PROTOCOL] = PLAIN(PARAM_BOOL, proxy_protocol),
    [PARAM_LIMITS] = OR_NULL(tusk_proxy_ce[PROXY_LIMITS], limits),
    [PARAM_HTTP] = OR_NULL(tusk_proxy_ce[PROXY_HTTP_LIMITS], http),
    [PARAM_WORKERS] = PLAIN(PARAM_COUNT, workers),
    [PARAM_FORWARDING] = OR_NULL(tusk_proxy_ce[PROXY_FORWARDING], forwarding),
    [PARAM_BPF_OBJECT] = PLAIN(PARAM_PATH_OR_NULL, bpf_object),
    [PARAM_MYSQL_VERSION] = PLAIN(PARAM_STRING_OR_NULL, mysql_version),
    [PARAM_USER] = PLAIN(PARAM_PATH_OR_NULL, user),
    [PARAM_GROUP] = PLAIN(PARAM_PATH_OR_NULL, group),
};

/* The first is demanded. */
static const struct {
    uint32_t count;
    uint8_t params[ORDER_MAX];
} orders[] = {
    [TUSK_RELAY_TCP] = {18,
                        {PARAM_RESOLVER, PARAM_LISTEN, PARAM_SOCKMAP, PARAM_VALIDATION,
                         PARAM_ENGINE, PARAM_FIRST, PARAM_PROTOCOL, PARAM_TLS, PARAM_DOWNSTREAM,
                         PARAM_UPSTREAM, PARAM_PROXIES, PARAM_PROXY_PROTOCOL, PARAM_LIMITS,
                         PARAM_WORKERS, PARAM_BPF_OBJECT, PARAM_MYSQL_VERSION, PARAM_USER,
                         PARAM_GROUP}},
    [TUSK_RELAY_HTTP] = {16,
                         {PARAM_RESOLVER, PARAM_LISTEN, PARAM_VALIDATION, PARAM_TLS, PARAM_UPSTREAM,
                          PARAM_PROXIES, PARAM_PROXY_PROTOCOL, PARAM_LIMITS, PARAM_HTTP,
                          PARAM_WORKERS, PARAM_FORWARDING, PARAM_USER, PARAM_GROUP, PARAM_ENGINE,
                          PARAM_SOCKMAP, PARAM_BPF_OBJECT}},
    [TUSK_RELAY_SMTP] = {12,
                         {PARAM_RESOLVER, PARAM_LISTEN, PARAM_VALIDATION, PARAM_TLS,
                          PARAM_DOWNSTREAM, PARAM_UPSTREAM, PARAM_PROXIES, PARAM_PROXY_PROTOCOL,
                          PARAM_LIMITS, PARAM_WORKERS, PARAM_USER, PARAM_GROUP}},
};

static bool take_object(zend_object **out, zval *arg, const rule *kind, uint32_t number)
{
    bool or_null = kind->type == PARAM_OBJECT_OR_NULL;
    if (zend_parse_arg_obj(arg, out, *kind->ce, or_null)) {
        return true;
    }
    if (number == AFTER_ADDRESS) {
        return tusk_after_address(arg, out, *kind->ce, or_null, number);
    }
    if (number == 1) {
        zend_argument_type_error(
            number,
            "must be of type %s, %s given: new Tusk\\Proxy\\Callback($closure) "
            "and new Tusk\\Proxy\\Fixed($address), of the library, make one",
            ZSTR_VAL((*kind->ce)->name), zend_zval_type_name(arg));
    } else if (or_null) {
        zend_wrong_parameter_class_or_null_error(number, ZSTR_VAL((*kind->ce)->name), arg);
    } else {
        zend_wrong_parameter_class_error(number, ZSTR_VAL((*kind->ce)->name), arg);
    }
    return false;
}

static bool take(char *place, zval *arg, const rule *kind, uint32_t number)
{
    zend_expected_type expected = Z_EXPECTED_BOOL;
    bool good = false;
    bool is_null;
    switch (kind->type) {
    case PARAM_OBJECT:
    case PARAM_OBJECT_OR_NULL: return take_object((void *)place, arg, kind, number);
    case PARAM_ANY: *(zval **)(void *)place = arg; return true;
    case PARAM_ARRAY:
        expected = Z_EXPECTED_ARRAY;
        good = zend_parse_arg_array_ht(arg, (void *)place, 0, 0, 0);
        break;
    case PARAM_BOOL: good = zend_parse_arg_bool(arg, (void *)place, &is_null, 0, number); break;
    case PARAM_COUNT: return tusk_workers_parse((void *)place, arg, number);
    case PARAM_PATH_OR_NULL:
        expected = Z_EXPECTED_PATH_OR_NULL;
        good = zend_parse_arg_path_str(arg, (void *)place, 1, number);
        break;
    case PARAM_STRING_OR_NULL:
        expected = Z_EXPECTED_STRING_OR_NULL;
        good = zend_parse_arg_str(arg, (void *)place, 1, number);
        break;
    }
    if (!good && EG(exception) == NULL) {
        zend_wrong_parameter_type_error(number, expected, arg);
    }
    return good;
}

bool tusk_proxy_parse(INTERNAL_FUNCTION_PARAMETERS, tusk_relay_kind kind, tusk_proxy_given *out)
{
    uint32_t count = orders[kind].count;
    uint32_t given = ZEND_NUM_ARGS();
    (void)return_value;
    *out = (tusk_proxy_given){.kind = kind, .workers = 1};
    if (UNEXPECTED(given < 1 || given > count)) {
        zend_wrong_parameters_count_error(1, count);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        param which = (param)orders[kind].params[i];
        out->proxies_number = which == PARAM_PROXIES ? i + 1 : out->proxies_number;
        out->user_number = which == PARAM_USER ? i + 1 : out->user_number;
        out->workers_number = which == PARAM_WORKERS ? i + 1 : out->workers_number;
        out->mysql_version_number =
            which == PARAM_MYSQL_VERSION ? i + 1 : out->mysql_version_number;
        zval *arg = i < given ? ZEND_CALL_ARG(execute_data, i + 1) : NULL;
        if (arg != NULL && !Z_ISUNDEF_P(arg) &&
            !take((char *)out + rules[which].place, arg, &rules[which], i + 1)) {
            return false;
        }
    }
    return true;
}
