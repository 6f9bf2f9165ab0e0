/* SPDX-License-Identifier: MIT */
/* Http\Response: a value, made and changed. */
#include "src/serve/response.h"

#include <ext/json/php_json.h>
#include <sys/stat.h>

static zend_object_handlers handlers;

/* The headers of the plain forms and the line they become: made once for the process, immutable. */
static struct plain_form {
    const char *type;
    const char *line;
    zend_array *headers;
} plain_forms[] = {
    {"text/plain; charset=utf-8", "Content-Type: text/plain; charset=utf-8\r\n", NULL},
    {"text/html; charset=utf-8", "Content-Type: text/html; charset=utf-8\r\n", NULL},
    {"application/json", "Content-Type: application/json\r\n", NULL},
};
enum { PLAIN_TEXT, PLAIN_HTML, PLAIN_JSON, PLAIN_FORMS };

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(tusk_response, ce, &handlers)->std;
}

/* The file or the iterable that the body comes from. */
static void forget_source(tusk_response *self)
{
    if (self->file != NULL) {
        zend_string_release(self->file);
        self->file = NULL;
    }
    if (self->media_type != NULL) {
        zend_string_release(self->media_type);
        self->media_type = NULL;
    }
    zval_ptr_dtor(&self->chunks);
    ZVAL_UNDEF(&self->chunks);
    self->length = -1;
}

static void destroy(zend_object *object)
{
    forget_source(TUSK_FROM(tusk_response, object));
    zend_object_std_dtor(object);
}

static HashTable *get_gc(zend_object *object, zval **table, int *n)
{
    zend_get_gc_buffer *buffer = zend_get_gc_buffer_create();
    zend_get_gc_buffer_add_zval(buffer, &TUSK_FROM(tusk_response, object)->chunks);
    zend_get_gc_buffer_add_zval(buffer, OBJ_PROP_NUM(object, RESPONSE_HEADERS));
    zend_get_gc_buffer_use(buffer, table, n);
    return NULL;
}

static void set_headers(zval *slot, zend_array *headers)
{
    if (headers == NULL) {
        ZVAL_EMPTY_ARRAY(slot);
        return;
    }
    ZVAL_ARR(slot, headers);
    if ((GC_FLAGS(headers) & IS_ARRAY_IMMUTABLE) != 0) {
        Z_TYPE_INFO_P(slot) = IS_ARRAY; /* not counted */
    } else {
        GC_ADDREF(headers);
    }
}

static zend_object *take_or_create(void)
{
    tusk_service *service = tusk_service_running();
    zend_object *spare = service == NULL ? NULL : service->spare_response;
    if (EXPECTED(spare != NULL)) {
        service->spare_response = NULL;
        return spare;
    }
    return create(tusk_ce_http_response);
}

void tusk_response_give(tusk_service *service, zend_object *object)
{
    const tusk_response *self = TUSK_FROM(tusk_response, object);
    if (UNEXPECTED(!tusk_object_is_spare(object)) || service->core == NULL ||
        service->spare_response != NULL || self->file != NULL || !Z_ISUNDEF(self->chunks)) {
        OBJ_RELEASE(object);
        return;
    }
    tusk_object_clear(object);
    service->spare_response = object;
}

/* Takes over `body`; `headers` gets a reference of its own. */
static zend_object *make(zend_long status, zend_array *headers, zend_string *body)
{
    zend_object *object = take_or_create();
    ZVAL_LONG(OBJ_PROP_NUM(object, RESPONSE_STATUS), status);
    set_headers(OBJ_PROP_NUM(object, RESPONSE_HEADERS), headers);
    ZVAL_STR(OBJ_PROP_NUM(object, RESPONSE_BODY), body);
    return object;
}

static zend_object *make_typed(zend_long status, const char *type, zend_string *body)
{
    zend_array *headers = zend_new_array(1);
    zval value;
    ZVAL_STRING(&value, type);
    zend_hash_str_add_new(headers, "Content-Type", 12, &value);
    zend_object *object = make(status, headers, body);
    zend_array_release(headers);
    return object;
}

static zend_object *duplicate(zend_object *object)
{
    tusk_response *self = TUSK_FROM(tusk_response, object);
    zend_object *copy = create(object->ce);
    tusk_response *twin = TUSK_FROM(tusk_response, copy);
    zend_objects_clone_members(copy, object);
    twin->file = self->file == NULL ? NULL : zend_string_copy(self->file);
    twin->media_type = self->media_type == NULL ? NULL : zend_string_copy(self->media_type);
    ZVAL_COPY(&twin->chunks, &self->chunks);
    twin->length = self->length;
    return copy;
}

static bool check_status(zend_long status, uint32_t number)
{
    if (status < 200 || status > 599) {
        zend_argument_value_error(number, "must be between 200 and 599, " ZEND_LONG_FMT " given",
                                  status);
        return false;
    }
    return true;
}

/* Others have the body first. */
static zend_always_inline bool take_status(zval *given, zend_long *status)
{
    bool is_null;
    bool taken = zend_parse_arg_long(given, status, &is_null, false, 1);
    if (UNEXPECTED(!taken) && EG(exception) == NULL) {
        zend_argument_type_error(1, "must be of type int, %s given%s", zend_zval_type_name(given),
                                 Z_TYPE_P(given) == IS_STRING
                                     ? ": Response::text(), html() and json() make one of a body"
                                     : "");
    }
    return taken;
}

TUSK_METHOD(Tusk_Http_Response, __construct)
{
    zend_long status = 200;
    zend_string *body = ZSTR_EMPTY_ALLOC();
    zend_array *headers = NULL;

    TUSK_PARSE_CONSTRUCTOR_START(0, 3)
    Z_PARAM_OPTIONAL
    Z_PARAM_PROLOGUE(0, 0);
    if (UNEXPECTED(!take_status(_arg, &status))) {
        _error_code = ZPP_ERROR_FAILURE;
        break;
    }
    Z_PARAM_STR(body)
    Z_PARAM_ARRAY_HT(headers)
    TUSK_PARSE_CONSTRUCTOR_END();

    zend_object *object = Z_OBJ_P(ZEND_THIS);
    if (Z_TYPE_P(OBJ_PROP_NUM(object, RESPONSE_STATUS)) != IS_UNDEF) {
        zend_throw_error(NULL, "%s is readonly once it is made", ZSTR_VAL(object->ce->name));
        RETURN_THROWS();
    }
    const tusk_service *service = tusk_service_running();
    bool known =
        headers != NULL && service != NULL && tusk_header_memo_has(service->headers, headers);
    if (!check_status(status, 1) ||
        (headers != NULL && !known && !tusk_header_lines(NULL, headers, 3))) {
        RETURN_THROWS();
    }
    ZVAL_LONG(OBJ_PROP_NUM(object, RESPONSE_STATUS), status);
    set_headers(OBJ_PROP_NUM(object, RESPONSE_HEADERS), headers);
    ZVAL_STR_COPY(OBJ_PROP_NUM(object, RESPONSE_BODY), body);
}

static void plain(INTERNAL_FUNCTION_PARAMETERS, const struct plain_form *form)
{
    zend_string *body;
    zend_long status = 200;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_STR(body)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(status)
    ZEND_PARSE_PARAMETERS_END();

    if (!check_status(status, 2)) {
        RETURN_THROWS();
    }
    RETURN_OBJ(make(status, form->headers, zend_string_copy(body)));
}

TUSK_METHOD(Tusk_Http_Response, text)
{
    plain(INTERNAL_FUNCTION_PARAM_PASSTHRU, &plain_forms[PLAIN_TEXT]);
}

TUSK_METHOD(Tusk_Http_Response, html)
{
    plain(INTERNAL_FUNCTION_PARAM_PASSTHRU, &plain_forms[PLAIN_HTML]);
}

TUSK_METHOD(Tusk_Http_Response, json)
{
    zval *value;
    zend_long status = 200;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_ZVAL(value)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(status)
    ZEND_PARSE_PARAMETERS_END();

    if (!check_status(status, 2)) {
        RETURN_THROWS();
    }
    zval args[2];
    zval text;
    ZVAL_COPY_VALUE(&args[0], value);
    ZVAL_LONG(&args[1], PHP_JSON_THROW_ON_ERROR | PHP_JSON_UNESCAPED_SLASHES |
                            PHP_JSON_UNESCAPED_UNICODE | PHP_JSON_PRESERVE_ZERO_FRACTION);
    zend_function *encode =
        zend_hash_str_find_ptr(CG(function_table), "json_encode", sizeof("json_encode") - 1);
    ZVAL_UNDEF(&text);
    zend_call_known_function(encode, NULL, NULL, &text, 2, args, NULL);
    if (EG(exception) != NULL || Z_TYPE(text) != IS_STRING) {
        zval_ptr_dtor(&text);
        RETURN_THROWS();
    }
    RETURN_OBJ(make(status, plain_forms[PLAIN_JSON].headers, Z_STR(text)));
}

TUSK_METHOD(Tusk_Http_Response, file)
{
    zend_string *path;
    zend_string *type = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_PATH_STR(path)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR_OR_NULL(type)
    ZEND_PARSE_PARAMETERS_END();

    zend_stat_t status;
    if (VCWD_STAT(ZSTR_VAL(path), &status) != 0 || !S_ISREG(status.st_mode) ||
        VCWD_ACCESS(ZSTR_VAL(path), R_OK) != 0 ||
        php_check_open_basedir_ex(ZSTR_VAL(path), 0) != 0) {
        zend_argument_value_error(1, "must be a file that can be read, \"%s\" given",
                                  ZSTR_VAL(path));
        RETURN_THROWS();
    }
    if (type != NULL && !tusk_http_value_valid(tusk_zstr(type))) {
        zend_argument_value_error(2, "must be a media type, \"%s\" given", ZSTR_VAL(type));
        RETURN_THROWS();
    }
    zend_object *object = make(200, NULL, ZSTR_EMPTY_ALLOC());
    tusk_response *self = TUSK_FROM(tusk_response, object);
    self->file = zend_string_copy(path);
    self->media_type = type == NULL ? NULL : zend_string_copy(type);
    RETURN_OBJ(object);
}

TUSK_METHOD(Tusk_Http_Response, redirect)
{
    zend_string *location;
    zend_long status = 303;

    ZEND_PARSE_PARAMETERS_START(1, 2)
    Z_PARAM_STR(location)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(status)
    ZEND_PARSE_PARAMETERS_END();

    if (status < 300 || status > 399) {
        zend_argument_value_error(2, "must be between 300 and 399, " ZEND_LONG_FMT " given",
                                  status);
        RETURN_THROWS();
    }
    if (!tusk_http_value_valid(tusk_zstr(location))) {
        zend_argument_value_error(1, "must have no CR, LF, NUL or other control byte");
        RETURN_THROWS();
    }
    zend_array *headers = zend_new_array(1);
    zval value;
    ZVAL_STR_COPY(&value, location);
    zend_hash_str_add_new(headers, "Location", 8, &value);
    zend_object *object = make(status, headers, ZSTR_EMPTY_ALLOC());
    zend_array_release(headers);
    RETURN_OBJ(object);
}

TUSK_METHOD(Tusk_Http_Response, stream)
{
    zval *chunks;
    zend_string *type = NULL;
    bool unknown = ZEND_NUM_ARGS() > 1; /* until a type was given: null says so */
    zend_long status = 200;
    zend_long length = -1;
    bool no_length = true;

    ZEND_PARSE_PARAMETERS_START(1, 4)
    Z_PARAM_ITERABLE(chunks)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR_OR_NULL(type)
    Z_PARAM_LONG(status)
    Z_PARAM_LONG_OR_NULL(length, no_length)
    ZEND_PARSE_PARAMETERS_END();

    if (!check_status(status, 3)) {
        RETURN_THROWS();
    }
    if (type != NULL && !tusk_http_value_valid(tusk_zstr(type))) {
        zend_argument_value_error(2, "must be a media type, \"%s\" given", ZSTR_VAL(type));
        RETURN_THROWS();
    }
    if (!no_length && length < 0) {
        zend_argument_value_error(4, "must be at least 0, " ZEND_LONG_FMT " given", length);
        RETURN_THROWS();
    }
    zend_object *object;
    if (type == NULL && unknown) {
        object = make(status, NULL, ZSTR_EMPTY_ALLOC());
    } else {
        object = make_typed(status, type == NULL ? "application/octet-stream" : ZSTR_VAL(type),
                            ZSTR_EMPTY_ALLOC());
    }
    ZVAL_COPY(&TUSK_FROM(tusk_response, object)->chunks, chunks);
    TUSK_FROM(tusk_response, object)->length = no_length ? -1 : length;
    RETURN_OBJ(object);
}

/* As it was spelled; NULL: there is none. */
static zend_string *spelled(zend_array *headers, const char *name, size_t len)
{
    zend_string *key;
    ZEND_HASH_FOREACH_STR_KEY(headers, key)
    {
        if (key != NULL && tusk_bytes_eq_nocase(tusk_zstr(key), tusk_bytes_of(name, len))) {
            return key;
        }
    }
    ZEND_HASH_FOREACH_END();
    return NULL;
}

zend_object *tusk_response_with_field(zend_object *response, zend_string *name, zend_string *value,
                                      bool add)
{
    zend_object *object = duplicate(response);
    zval *slot = OBJ_PROP_NUM(object, RESPONSE_HEADERS);
    SEPARATE_ARRAY(slot);
    zend_string *there = spelled(Z_ARRVAL_P(slot), ZSTR_VAL(name), ZSTR_LEN(name));
    zval given;
    ZVAL_STR_COPY(&given, value);
    zval *old = there == NULL ? NULL : zend_hash_find(Z_ARRVAL_P(slot), there);
    if (old == NULL || !add) {
        zend_hash_update(Z_ARRVAL_P(slot), there == NULL ? name : there, &given);
    } else if (Z_TYPE_P(old) == IS_ARRAY) {
        SEPARATE_ARRAY(old);
        zend_hash_next_index_insert_new(Z_ARRVAL_P(old), &given);
    } else {
        zval list;
        array_init_size(&list, 2);
        zend_hash_next_index_insert_new(Z_ARRVAL(list), old);
        zend_hash_next_index_insert_new(Z_ARRVAL(list), &given);
        ZVAL_COPY_VALUE(old, &list);
    }
    return object;
}

static void with_header(INTERNAL_FUNCTION_PARAMETERS, bool add)
{
    zend_string *name;
    zend_string *value;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_STR(name)
    Z_PARAM_STR(value)
    ZEND_PARSE_PARAMETERS_END();

    if (!tusk_http_name_valid(tusk_zstr(name))) {
        zend_argument_value_error(1, "must be a header name, \"%s\" given", ZSTR_VAL(name));
        RETURN_THROWS();
    }
    if (!tusk_http_value_valid(tusk_zstr(value))) {
        zend_argument_value_error(2, "must have no CR, LF, NUL or other control byte");
        RETURN_THROWS();
    }
    RETURN_OBJ(tusk_response_with_field(Z_OBJ_P(ZEND_THIS), name, value, add));
}

TUSK_METHOD(Tusk_Http_Response, withHeader)
{
    with_header(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
}

TUSK_METHOD(Tusk_Http_Response, withAddedHeader)
{
    with_header(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
}

TUSK_METHOD(Tusk_Http_Response, withoutHeader)
{
    zend_string *name;
    zend_string *key;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(name)
    ZEND_PARSE_PARAMETERS_END();

    if (!tusk_http_name_valid(tusk_zstr(name))) {
        zend_argument_value_error(1, "must be a header name, \"%s\" given", ZSTR_VAL(name));
        RETURN_THROWS();
    }
    zend_object *object = duplicate(Z_OBJ_P(ZEND_THIS));
    zval *slot = OBJ_PROP_NUM(object, RESPONSE_HEADERS);
    SEPARATE_ARRAY(slot);
    ZEND_HASH_FOREACH_STR_KEY(Z_ARRVAL_P(slot), key)
    {
        if (key != NULL && zend_string_equals_ci(key, name)) {
            zend_hash_del(Z_ARRVAL_P(slot), key);
        }
    }
    ZEND_HASH_FOREACH_END();
    RETURN_OBJ(object);
}

TUSK_METHOD(Tusk_Http_Response, withStatus)
{
    zend_long status;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_LONG(status)
    ZEND_PARSE_PARAMETERS_END();

    if (!check_status(status, 1)) {
        RETURN_THROWS();
    }
    zend_object *object = duplicate(Z_OBJ_P(ZEND_THIS));
    ZVAL_LONG(OBJ_PROP_NUM(object, RESPONSE_STATUS), status);
    RETURN_OBJ(object);
}

bool tusk_response_has_type(zend_array *headers)
{
    return spelled(headers, ZEND_STRL("Content-Type")) != NULL;
}

/* A file's type that was given is no field: of another body it becomes one. */
static void keep_media_type(zend_object *object)
{
    const tusk_response *self = TUSK_FROM(tusk_response, object);
    zval *slot = OBJ_PROP_NUM(object, RESPONSE_HEADERS);
    if (self->media_type != NULL && !tusk_response_has_type(Z_ARRVAL_P(slot))) {
        zval type;
        SEPARATE_ARRAY(slot);
        ZVAL_STR_COPY(&type, self->media_type);
        zend_hash_str_add_new(Z_ARRVAL_P(slot), ZEND_STRL("Content-Type"), &type);
    }
}

TUSK_METHOD(Tusk_Http_Response, withBody)
{
    zend_string *body;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(body)
    ZEND_PARSE_PARAMETERS_END();

    zend_object *object = duplicate(Z_OBJ_P(ZEND_THIS));
    keep_media_type(object);
    forget_source(TUSK_FROM(tusk_response, object));
    zval *slot = OBJ_PROP_NUM(object, RESPONSE_BODY);
    zval_ptr_dtor_str(slot);
    ZVAL_STR_COPY(slot, body);
    RETURN_OBJ(object);
}

tusk_bytes tusk_response_ready_line(const zend_array *headers)
{
    for (size_t i = 0; i < PLAIN_FORMS; i++) {
        if (plain_forms[i].headers == headers) {
            return tusk_bytes_str(plain_forms[i].line);
        }
    }
    return tusk_bytes_of(NULL, 0);
}

void tusk_http_response_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(tusk_response, std), destroy);
    handlers.clone_obj = duplicate;
    handlers.compare = zend_std_compare_objects; /* it is what its properties say */
    handlers.get_gc = get_gc;
    tusk_ce_http_response->create_object = create;
    zend_string *name = zend_string_init_interned("Content-Type", 12, 1);
    for (size_t i = 0; i < PLAIN_FORMS; i++) {
        struct plain_form *form = &plain_forms[i];
        zval value;
        ZVAL_INTERNED_STR(&value, zend_string_init_interned(form->type, strlen(form->type), 1));
        form->headers = pemalloc(sizeof(*form->headers), 1);
        zend_hash_init(form->headers, 1, NULL, NULL, 1);
        zend_hash_add_new(form->headers, name, &value);
        GC_SET_REFCOUNT(form->headers, 2); /* so that whoever changes it copies it first */
        GC_ADD_FLAGS(form->headers, IS_ARRAY_IMMUTABLE);
    }
}

void tusk_http_response_shutdown(void)
{
    for (size_t i = 0; i < PLAIN_FORMS; i++) {
        GC_SET_REFCOUNT(plain_forms[i].headers, 1);
        zend_hash_destroy(plain_forms[i].headers);
        pefree(plain_forms[i].headers, 1);
        plain_forms[i].headers = NULL;
    }
}
