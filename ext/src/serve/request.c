/* SPDX-License-Identifier: MIT */
/* Http\Request and WebSocket\Request: a request as its handler sees it. Headers are made when
 * somebody looks. */
#include "src/serve/http.h"
#include "src/handlers.h"
#include "src/json.h"

/* Slots in the stub's order. */
enum {
    REQUEST_METHOD,
    REQUEST_TARGET,
    REQUEST_PATH,
    REQUEST_PARAMS,
    REQUEST_HEADERS,
    REQUEST_BODY,
    REQUEST_ADDRESS,
    REQUEST_SECURE
};
enum { UPGRADE_HEADERS = 2 };

typedef struct request {
    tusk_request_view view;
    tusk_form_values form;
    zend_object std;
} request;

static tusk_slot_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(request, ce, &handlers.base)->std;
}

static zend_object *take_or_create(tusk_service *service, zend_class_entry *ce)
{
    zend_object *spare = service->spare_request;
    if (EXPECTED(spare != NULL && spare->ce == ce)) {
        service->spare_request = NULL;
        return spare;
    }
    return create(ce);
}

void tusk_request_give(tusk_service *service, zend_object *object)
{
    if (UNEXPECTED(!tusk_object_is_spare(object)) || service->core == NULL ||
        service->spare_request != NULL) {
        OBJ_RELEASE(object);
        return;
    }
    tusk_request_view_fini(&TUSK_FROM(request, object)->view);
    if (UNEXPECTED(tusk_form_values_any(&TUSK_FROM(request, object)->form))) {
        tusk_form_values_fini(&TUSK_FROM(request, object)->form);
    }
    tusk_object_clear(object);
    service->spare_request = object;
}

static void destroy(zend_object *object)
{
    tusk_request_view_fini(&TUSK_FROM(request, object)->view);
    tusk_form_values_fini(&TUSK_FROM(request, object)->form);
    zend_object_std_dtor(object);
}

static zval *headers_slot(zend_object *object)
{
    return OBJ_PROP_NUM(object,
                        object->ce == tusk_ce_http_request ? REQUEST_HEADERS : UPGRADE_HEADERS);
}

static void fill_headers(zend_object *object)
{
    zval *slot = headers_slot(object);
    if (Z_ISUNDEF_P(slot)) {
        zend_array *headers = tusk_request_view_headers(&TUSK_FROM(request, object)->view);
        GC_ADDREF(headers);
        ZVAL_ARR(slot, headers);
    }
}

static void fill_address(zend_object *object)
{
    zval *slot = OBJ_PROP_NUM(object, REQUEST_ADDRESS);
    if (object->ce == tusk_ce_http_request && Z_ISUNDEF_P(slot)) {
        ZVAL_STR_COPY(slot, tusk_request_view_address(&TUSK_FROM(request, object)->view));
    }
}

/* What is looked at, and nothing else. */
static void fill(zend_object *object, const zend_string *name)
{
    if (name == NULL || zend_string_equals_literal(name, "headers")) {
        fill_headers(object);
    }
    if (name == NULL || zend_string_equals_literal(name, "remoteAddress")) {
        fill_address(object);
    }
}

/* Interned for the process, as looking them up costs more than a copy would. */
static zend_string *name_of_get;
static zend_string *name_of_post;

static zend_string *method_name(const tusk_http_head *head)
{
    switch (head->method) {
    case TUSK_HTTP_GET: return name_of_get;
    case TUSK_HTTP_POST: return name_of_post;
    case TUSK_HTTP_HEAD:
    case TUSK_HTTP_PUT:
    case TUSK_HTTP_PATCH:
    case TUSK_HTTP_DELETE:
    case TUSK_HTTP_OPTIONS:
    case TUSK_HTTP_CONNECT:
    case TUSK_HTTP_TRACE:
    case TUSK_HTTP_OTHER: break;
    }
    return tusk_zstr_of(head->method_name);
}

/* Most paths need no decoding: then path and target are one string. */
static zend_string *decoded_path(const tusk_http_head *head, zend_string *target)
{
    bool plain = head->path.len == 0 || memchr(head->path.ptr, '%', head->path.len) == NULL;
    if (plain && head->path.ptr == head->target.ptr && head->path.len == head->target.len) {
        return zend_string_copy(target);
    }
    return plain ? tusk_zstr_of(head->path) : tusk_percent_decode(head->path, false);
}

zend_object *tusk_http_request_make(tusk_service *service, tusk_handle session,
                                    const tusk_request *from, tusk_request_view **view)
{
    zend_object *object = take_or_create(service, tusk_ce_http_request);
    request *self = TUSK_FROM(request, object);
    tusk_request_view_init(&self->view, from);
    *view = &self->view;
    ZVAL_STR(OBJ_PROP_NUM(object, REQUEST_METHOD), method_name(from->head));
    ZVAL_STR_COPY(OBJ_PROP_NUM(object, REQUEST_TARGET), self->view.target);
    ZVAL_STR(OBJ_PROP_NUM(object, REQUEST_PATH), decoded_path(from->head, self->view.target));
    if (from->param_count == 0) {
        ZVAL_EMPTY_ARRAY(OBJ_PROP_NUM(object, REQUEST_PARAMS));
    } else {
        ZVAL_ARR(OBJ_PROP_NUM(object, REQUEST_PARAMS),
                 tusk_params_array(from->params, from->param_count));
    }
    ZVAL_STR(OBJ_PROP_NUM(object, REQUEST_BODY), tusk_payload_take(from->body, from->body_taken));
    if (UNEXPECTED(from->form != NULL)) {
        self->form.places = tusk_form_take(from->form);
    }
    self->view.service = service;
    self->view.session = session;
    ZVAL_BOOL(OBJ_PROP_NUM(object, REQUEST_SECURE), from->client_secure);
    return object;
}

zend_object *tusk_upgrade_request_make(tusk_service *service, tusk_handle session,
                                       const tusk_request *from, tusk_request_view **view)
{
    zend_object *object = take_or_create(service, tusk_ce_ws_request);
    request *self = TUSK_FROM(request, object);
    tusk_request_view_init(&self->view, from);
    *view = &self->view;
    ZVAL_STR(OBJ_PROP_NUM(object, REQUEST_METHOD), method_name(from->head));
    ZVAL_STR_COPY(OBJ_PROP_NUM(object, REQUEST_TARGET), self->view.target);
    self->view.service = service;
    self->view.session = session;
    return object;
}

static request *this_request(zval *object)
{
    return TUSK_FROM(request, Z_OBJ_P(object));
}

static void header(INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    zend_string *value = tusk_request_view_header(&this_request(ZEND_THIS)->view, name);
    if (value == NULL) {
        RETURN_NULL();
    }
    RETURN_STR(value);
}

static void tls(INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_NONE();

    zend_object *info = tusk_request_view_tls(&this_request(ZEND_THIS)->view);
    if (info == NULL) { /* perhaps thrown */
        RETURN_NULL();
    }
    RETURN_OBJ_COPY(info);
}

TUSK_METHOD(Tusk_WebSocket_Request, tls)
{
    tls(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Http_Request, tls)
{
    tls(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_WebSocket_Request, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_WebSocket_Request, header)
{
    header(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

TUSK_METHOD(Tusk_Http_Request, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_Http_Request, header)
{
    header(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

static void found(zval *return_value, zend_string *value)
{
    if (value == NULL) {
        RETURN_NULL();
    }
    RETURN_STR(value);
}

TUSK_METHOD(Tusk_Http_Request, query)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    found(return_value,
          tusk_query_find(tusk_target_query(this_request(ZEND_THIS)->view.target), name));
}

TUSK_METHOD(Tusk_Http_Request, queryValues)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    RETURN_ARR(tusk_query_values(tusk_target_query(this_request(ZEND_THIS)->view.target), name));
}

TUSK_METHOD(Tusk_Http_Request, queryAll)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_ARR(tusk_query_all(tusk_target_query(this_request(ZEND_THIS)->view.target)));
}

TUSK_METHOD(Tusk_Http_Request, cookie)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    found(return_value, tusk_request_view_cookie(&this_request(ZEND_THIS)->view, name));
}

static const tusk_form_values *form_of(zval *object)
{
    request *self = this_request(object);
    tusk_form_values_make(&self->form, Z_STR_P(OBJ_PROP_NUM(Z_OBJ_P(object), REQUEST_BODY)));
    return &self->form;
}

TUSK_METHOD(Tusk_Http_Request, form)
{
    zend_string *name;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    zval *values = zend_symtable_find(form_of(ZEND_THIS)->fields, name);
    if (values == NULL) {
        RETURN_NULL();
    }
    RETURN_COPY(zend_hash_index_find(Z_ARRVAL_P(values), 0));
}

TUSK_METHOD(Tusk_Http_Request, formAll)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_ARR(zend_array_dup(form_of(ZEND_THIS)->fields));
}

TUSK_METHOD(Tusk_Http_Request, file)
{
    zend_string *name;
    zval *file;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    ZEND_HASH_FOREACH_VAL(form_of(ZEND_THIS)->files, file)
    {
        if (tusk_uploaded_file_is(Z_OBJ_P(file), name)) {
            RETURN_COPY(file);
        }
    }
    ZEND_HASH_FOREACH_END();
}

TUSK_METHOD(Tusk_Http_Request, files)
{
    zend_string *name = NULL;
    zval *file;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR_OR_NULL(name)
    ZEND_PARSE_PARAMETERS_END();

    array_init(return_value);
    ZEND_HASH_FOREACH_VAL(form_of(ZEND_THIS)->files, file)
    {
        if (name == NULL || tusk_uploaded_file_is(Z_OBJ_P(file), name)) {
            Z_ADDREF_P(file);
            zend_hash_next_index_insert(Z_ARRVAL_P(return_value), file);
        }
    }
    ZEND_HASH_FOREACH_END();
}

TUSK_METHOD(Tusk_Http_Request, json)
{
    ZEND_PARSE_PARAMETERS_NONE();

    tusk_json_decode(return_value, Z_STR_P(OBJ_PROP_NUM(Z_OBJ_P(ZEND_THIS), REQUEST_BODY)),
                     tusk_ce_invalid_json);
}

void tusk_http_request_startup(void)
{
    name_of_get = zend_string_init_interned("GET", 3, 1);
    name_of_post = zend_string_init_interned("POST", 4, 1);
    tusk_slot_handlers_init(&handlers, offsetof(request, std), destroy, fill);
    tusk_ce_http_request->create_object = create;
    tusk_ce_ws_request->create_object = create;
}
