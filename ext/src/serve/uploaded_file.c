/* SPDX-License-Identifier: MIT */
/* Http\UploadedFile: bytes of a request's body, which it keeps. */
#include "src/serve/http.h"

#include <main/php_memory_streams.h>

enum { FILE_FIELD, FILE_NAME, FILE_TYPE, FILE_SIZE };

typedef struct uploaded_file {
    zend_string *body;
    size_t at;
    zend_object std;
} uploaded_file;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    return &TUSK_OBJECT_NEW(uploaded_file, ce, &handlers)->std;
}

static void destroy(zend_object *object)
{
    uploaded_file *self = TUSK_FROM(uploaded_file, object);
    if (self->body != NULL) {
        zend_string_release(self->body);
    }
    zend_object_std_dtor(object);
}

void tusk_uploaded_file_make(zval *out, const tusk_uploaded *from)
{
    zend_object *object = create(tusk_ce_uploaded_file);
    uploaded_file *self = TUSK_FROM(uploaded_file, object);
    self->body = zend_string_copy(from->body);
    self->at = from->at;
    ZVAL_STR_COPY(OBJ_PROP_NUM(object, FILE_FIELD), from->field);
    ZVAL_STR(OBJ_PROP_NUM(object, FILE_NAME), from->name);
    ZVAL_STR(OBJ_PROP_NUM(object, FILE_TYPE), tusk_zstr_of(from->type));
    ZVAL_LONG(OBJ_PROP_NUM(object, FILE_SIZE), (zend_long)from->len);
    ZVAL_OBJ(out, object);
}

bool tusk_uploaded_file_is(zend_object *object, zend_string *field)
{
    return zend_string_equals(Z_STR_P(OBJ_PROP_NUM(object, FILE_FIELD)), field);
}

/* Whole bodies never stand in a form: there are boundaries. */
static zend_string *contents(zend_object *object)
{
    const uploaded_file *self = TUSK_FROM(uploaded_file, object);
    size_t len = (size_t)Z_LVAL_P(OBJ_PROP_NUM(object, FILE_SIZE));
    return tusk_zstr_of(tusk_bytes_of(ZSTR_VAL(self->body) + self->at, len));
}

TUSK_METHOD(Tusk_Http_UploadedFile, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_Http_UploadedFile, contents)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_STR(contents(Z_OBJ_P(ZEND_THIS)));
}

TUSK_METHOD(Tusk_Http_UploadedFile, stream)
{
    ZEND_PARSE_PARAMETERS_NONE();

    zend_string *bytes = contents(Z_OBJ_P(ZEND_THIS));
    php_stream *stream = php_stream_memory_open(TEMP_STREAM_READONLY, bytes);
    zend_string_release(bytes);
    php_stream_to_zval(stream, return_value);
}

void tusk_uploaded_file_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(uploaded_file, std), destroy);
    tusk_ce_uploaded_file->create_object = create;
}
