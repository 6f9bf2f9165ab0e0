/* SPDX-License-Identifier: MIT */
/* Http\Client and ClientResponse. Callbacks of the core collect into memory of the core; PHP values
 * are made afterwards. */
#include "src/client/await.h"
#include "src/client/values.h"
#include "src/json.h"
#include "src/parameters.h"
#include "src/serve/http.h"

/* Slots of ClientResponse in the stub's order. */
enum { RESPONSE_STATUS, RESPONSE_HEADERS, RESPONSE_BODY, RESPONSE_REPEATED };
enum { HEAD_MAX = 1 << 20 };

typedef struct http_client {
    uint32_t timeout_ms;
    uint64_t body_max;
    tusk_tls *tls;
    zend_object std;
} http_client;

/* One request under way; on the stack of whoever waits. */
typedef struct exchange {
    tusk_await await;
    tusk_http_call *call;
    tusk_buf head; /* "name\0value\0" for each field */
    tusk_buf body;
    tusk_kept_failure failure;
    uint16_t status;
    bool full; /* no memory for what came */
    bool done;
} exchange;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(http_client, ce, &handlers)->std;
}

static void destroy(zend_object *object)
{
    tusk_tls_unref(TUSK_FROM(http_client, object)->tls);
    zend_object_std_dtor(object);
}

/* ---- what comes ---- */
static void append_text(exchange *self, tusk_bytes text)
{
    self->full = self->full || tusk_buf_append(&self->head, text.ptr, text.len) != TUSK_OK ||
                 tusk_buf_append(&self->head, "", 1) != TUSK_OK;
}

static void on_head(void *user, tusk_http_call *call, const tusk_http_head *head)
{
    exchange *self = user;
    self->status = head->status;
    for (uint32_t i = 0; i < head->field_count; i++) {
        append_text(self, head->fields[i].name);
        append_text(self, head->fields[i].value);
    }
}

static void on_data(void *user, tusk_http_call *call, tusk_bytes data)
{
    exchange *self = user;
    self->full = self->full || tusk_buf_append(&self->body, data.ptr, data.len) != TUSK_OK;
}

static void on_done(void *user, tusk_http_call *call, const tusk_failure *failure)
{
    exchange *self = user;
    tusk_failure_keep(&self->failure, failure);
    self->call = NULL;
    self->done = true;
    tusk_await_wake(&self->await);
}

static const tusk_http_call_handler call_handler = {
    .on_head = on_head, .on_data = on_data, .on_done = on_done};

/* ---- what it becomes ---- */
static void append(zend_array *values, zend_string *value)
{
    zval item;
    ZVAL_STR_COPY(&item, value);
    zend_hash_next_index_insert_new(values, &item);
}

/* What is joined among the headers is kept apart as well: commas do not part every value. */
static void repeat(tusk_answer_fields *self, zend_string *name, const zval *first, tusk_bytes value)
{
    if (self->repeated == NULL) {
        self->repeated = zend_new_array(1);
    }
    zval *values = zend_hash_find(self->repeated, name);
    if (values == NULL) {
        zval list;
        array_init(&list);
        append(Z_ARRVAL(list), Z_STR_P(first));
        values = zend_hash_add_new(self->repeated, name, &list);
    }
    zend_string *text = tusk_zstr_of(value);
    append(Z_ARRVAL_P(values), text);
    zend_string_release(text);
}

void tusk_answer_fields_add(tusk_answer_fields *self, tusk_bytes name, tusk_bytes value)
{
    if (self->headers == NULL) {
        self->headers = zend_new_array(8);
    }
    zend_string *given = tusk_zstr_of(name);
    zend_string *lower = zend_string_tolower(given);
    const zval *there = zend_hash_find(self->headers, lower);
    if (there != NULL) {
        repeat(self, lower, there, value);
    }
    zend_string_release(lower);
    zend_string_release(given);
    tusk_header_add(self->headers, name, value);
}

void tusk_answer_fields_fini(tusk_answer_fields *self)
{
    if (self->headers != NULL) {
        zend_array_release(self->headers);
    }
    if (self->repeated != NULL) {
        zend_array_release(self->repeated);
    }
    *self = (tusk_answer_fields){0};
}

static tusk_answer_fields fields_of(const exchange *self)
{
    tusk_answer_fields fields = {0};
    tusk_bytes rest = tusk_buf_view(&self->head);
    while (rest.len > 0) {
        tusk_bytes name = tusk_bytes_str((const char *)rest.ptr);
        tusk_bytes value = tusk_bytes_str((const char *)rest.ptr + name.len + 1);
        size_t used = name.len + value.len + 2;
        tusk_answer_fields_add(&fields, name, value);
        rest = tusk_bytes_of(rest.ptr + used, rest.len - used);
    }
    return fields;
}

static void take_array(zval *slot, zend_array *array)
{
    if (array == NULL) {
        ZVAL_EMPTY_ARRAY(slot);
    } else {
        ZVAL_ARR(slot, array);
    }
}

void tusk_client_response(zval *out, zend_long status, tusk_answer_fields *fields, tusk_bytes body)
{
    zend_object *object = zend_objects_new(tusk_ce_http_client_response);
    ZVAL_LONG(OBJ_PROP_NUM(object, RESPONSE_STATUS), status);
    take_array(OBJ_PROP_NUM(object, RESPONSE_HEADERS), fields->headers);
    ZVAL_STR(OBJ_PROP_NUM(object, RESPONSE_BODY), tusk_zstr_of(body));
    take_array(OBJ_PROP_NUM(object, RESPONSE_REPEATED), fields->repeated);
    *fields = (tusk_answer_fields){0};
    ZVAL_OBJ(out, object);
}

static void exchange_fini(exchange *self)
{
    if (self->call != NULL) {
        tusk_http_call_cancel(self->call);
        self->call = NULL;
    }
    tusk_buf_fini(&self->head);
    tusk_buf_fini(&self->body);
}

/* A fatal error meanwhile, of a signal's handler, takes the stack away, where the call collects: it
 * must not go on, for the functions that run at shutdown may turn the loop once more. */
static bool wait_answer(exchange *self)
{
    volatile bool done = false;
    volatile bool fatal = false;
    zend_try
    {
        done = tusk_await_ready(&self->await, &self->done, -1);
    }
    zend_catch
    {
        fatal = true;
    }
    zend_end_try();
    if (fatal) {
        exchange_fini(self);
        zend_bailout();
    }
    return done;
}

static void perform(http_client *self, zend_string *method, zend_string *url, HashTable *headers,
                    uint32_t headers_number, zend_string *body, zval *return_value)
{
    exchange pending = {0};
    tusk_client *client = tusk_client_here(&pending.await.loop);
    if (client == NULL) {
        return;
    }
    tusk_buf lines;
    tusk_buf_init(&lines, tusk_mem_default(), HEAD_MAX);
    tusk_buf_init(&pending.head, tusk_mem_default(), HEAD_MAX);
    tusk_buf_init(&pending.body, tusk_mem_default(), (size_t)self->body_max);
    if (headers == NULL || tusk_header_lines(&lines, headers, headers_number)) {
        tusk_http_call_options options = {
            .target = {.url = tusk_zstr(url), .fields = tusk_buf_view(&lines), .tls = self->tls},
            .method = tusk_zstr(method),
            .body = body == NULL ? tusk_bytes_of(NULL, 0) : tusk_zstr(body),
            .body_max = self->body_max,
            .timeout_ms = self->timeout_ms,
        };
        tusk_err err =
            tusk_http_call_start(&pending.call, client, &options, &call_handler, &pending);
        tusk_buf_fini(&lines);
        if (err == TUSK_EINVAL) {
            zend_value_error(
                "Not a request that can be sent: \"%s\" to \"%s\" must be a method and an "
                "http:// or https:// URL, with headers that the client does not write "
                "itself",
                ZSTR_VAL(method), ZSTR_VAL(url));
        } else if (err != TUSK_OK) {
            tusk_throw(err, "Cannot request %s", ZSTR_VAL(url));
        } else if (!wait_answer(&pending)) {
            /* an exception was thrown */
        } else if (pending.failure.failure.err != TUSK_OK) {
            tusk_throw_failure(&pending.failure.failure, "request", url);
        } else if (pending.full) {
            tusk_throw(TUSK_ENOMEM, "Cannot request %s", ZSTR_VAL(url));
        } else {
            tusk_answer_fields fields = fields_of(&pending);
            tusk_client_response(return_value, pending.status, &fields,
                                 tusk_buf_view(&pending.body));
        }
    }
    tusk_buf_fini(&lines);
    exchange_fini(&pending);
}

static http_client *this_client(zval *object)
{
    return TUSK_FROM(http_client, Z_OBJ_P(object));
}

TUSK_METHOD(Tusk_Http_Client, __construct)
{
    double timeout = 30;
    zend_long body_max = 16777216;
    bool verify = true;
    zend_string *ca = NULL;

    TUSK_PARSE_CONSTRUCTOR_START(0, 4)
    Z_PARAM_OPTIONAL
    Z_PARAM_DOUBLE(timeout)
    Z_PARAM_LONG(body_max)
    Z_PARAM_BOOL(verify)
    Z_PARAM_PATH_STR_OR_NULL(ca)
    TUSK_PARSE_CONSTRUCTOR_END();

    http_client *self = this_client(ZEND_THIS);
    if (!tusk_timeout_valid(timeout, 1) || !tusk_positive_valid(body_max, 2)) {
        RETURN_THROWS();
    }
    bool ok;
    tusk_tls *tls = tusk_client_tls(verify, ca, 4, &ok);
    if (!ok) {
        RETURN_THROWS();
    }
    tusk_tls_unref(self->tls);
    self->tls = tls;
    self->timeout_ms = (uint32_t)(timeout * 1000);
    self->body_max = (uint64_t)body_max;
}

TUSK_METHOD(Tusk_Http_Client, request)
{
    zend_string *method;
    zend_string *url;
    HashTable *headers = NULL;
    zend_string *body = NULL;

    ZEND_PARSE_PARAMETERS_START(2, 4)
    Z_PARAM_STR(method)
    Z_PARAM_STR(url)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT(headers)
    Z_PARAM_STR(body)
    ZEND_PARSE_PARAMETERS_END();

    perform(this_client(ZEND_THIS), method, url, headers, 3, body, return_value);
}

static void shortcut(INTERNAL_FUNCTION_PARAMETERS, const char *method, zend_string *url,
                     zend_string *body, HashTable *headers, uint32_t headers_number)
{
    zend_string *name = zend_string_init(method, strlen(method), 0);
    perform(this_client(ZEND_THIS), name, url, headers, headers_number, body, return_value);
    zend_string_release(name);
}

TUSK_METHOD(Tusk_Http_Client, get)
{
    zend_string *url;
    HashTable *headers = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_STR(url)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT(headers)
    ZEND_PARSE_PARAMETERS_END();

    shortcut(INTERNAL_FUNCTION_PARAM_PASSTHRU, "GET", url, NULL, headers, 2);
}

TUSK_METHOD(Tusk_Http_Client, post)
{
    zend_string *url;
    zend_string *body = NULL;
    HashTable *headers = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 3)
    Z_PARAM_STR(url)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR(body)
    Z_PARAM_ARRAY_HT(headers)
    ZEND_PARSE_PARAMETERS_END();

    shortcut(INTERNAL_FUNCTION_PARAM_PASSTHRU, "POST", url, body, headers, 3);
}

TUSK_METHOD(Tusk_Http_ClientResponse, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

/* In any case. */
static zval *find_lower(zval *slot, zend_string *name)
{
    zend_string *lower = zend_string_tolower(name);
    zval *found = Z_TYPE_P(slot) == IS_ARRAY ? zend_hash_find(Z_ARRVAL_P(slot), lower) : NULL;
    zend_string_release(lower);
    return found;
}

TUSK_METHOD(Tusk_Http_ClientResponse, header)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    zval *found = find_lower(OBJ_PROP_NUM(Z_OBJ_P(ZEND_THIS), RESPONSE_HEADERS), name);
    if (found == NULL) {
        RETURN_NULL();
    }
    RETURN_COPY(found);
}

TUSK_METHOD(Tusk_Http_ClientResponse, headerValues)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    zval *repeated = find_lower(OBJ_PROP_NUM(Z_OBJ_P(ZEND_THIS), RESPONSE_REPEATED), name);
    if (repeated != NULL) {
        RETURN_COPY(repeated);
    }
    zval *single = find_lower(OBJ_PROP_NUM(Z_OBJ_P(ZEND_THIS), RESPONSE_HEADERS), name);
    array_init(return_value);
    if (single != NULL) {
        append(Z_ARRVAL_P(return_value), Z_STR_P(single));
    }
}

TUSK_METHOD(Tusk_Http_ClientResponse, json)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_json_decode(return_value, Z_STR_P(OBJ_PROP_NUM(Z_OBJ_P(ZEND_THIS), RESPONSE_BODY)),
                     php_json_exception_ce);
}

void tusk_http_client_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(http_client, std), destroy);
    tusk_ce_http_client->create_object = create;
}
