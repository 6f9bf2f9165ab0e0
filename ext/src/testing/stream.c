/* SPDX-License-Identifier: MIT */
/* LoopbackStream: the reader of an event stream at the other end of a connection in memory. */
#include "src/testing/loopback.h"

#include "src/serve/http.h"
#include "src/client/values.h"

enum { STREAM_STATUS }; /* slots in the stub's order */
enum { EVENT_BYTES_MAX = 1 << 26 };

typedef struct loopback_stream {
    tusk_loopback *parent; /* a reference; NULL: not opened */
    tusk_endpoint end;
    tusk_http_body body;
    tusk_buf text; /* out of its chunks, not yet read as events */
    tusk_sse_parser parser;
    bool streams; /* the answer is an event stream */
    zend_object std;
} loopback_stream;

static zend_object_handlers stream_handlers;

/* ---- events() ---- */
typedef struct opening {
    loopback_stream *stream;
    size_t scanned;
    tusk_http_head head;
    bool done;
} opening;

static bool parse_head(void *arg)
{
    opening *self = arg;
    loopback_stream *stream = self->stream;
    const tusk_http_limits *limits = tusk_http_limits_default();
    ptrdiff_t n = tusk_http_response_parse(&self->head, tusk_buf_view(&stream->end.in), limits,
                                           TUSK_HTTP_GET, &self->scanned);
    if (n == 0) {
        return stream->end.ended;
    }
    self->done = n > 0;
    if (n > 0) {
        ZVAL_LONG(OBJ_PROP_NUM(&stream->std, STREAM_STATUS), self->head.status);
        tusk_http_body_init(&stream->body, &self->head, LOOPBACK_BYTES_MAX, limits);
        stream->streams = tusk_loopback_is_stream(&self->head);
        tusk_buf_consume(&stream->end.in, (size_t)n);
    }
    return true;
}

static bool write_request(tusk_buf *out, zend_string *path, HashTable *headers,
                          zend_string *last_event_id)
{
    zend_string *line =
        zend_strpprintf(0, "GET %s HTTP/1.1\r\nAccept: text/event-stream\r\n", ZSTR_VAL(path));
    bool ok = tusk_loopback_head(out, line, headers, 2);
    zend_string_release(line);
    if (ok && last_event_id != NULL &&
        tusk_http_field_append(out, tusk_bytes_str("Last-Event-ID"), tusk_zstr(last_event_id)) !=
            TUSK_OK) {
        zend_argument_value_error(3, "must have no CR, LF, NUL or other control byte");
        return false;
    }
    return ok && tusk_buf_append(out, "\r\n", 2) == TUSK_OK;
}

TUSK_METHOD(Tusk_Testing_Loopback, events)
{
    zend_string *path = NULL;
    HashTable *headers = NULL;
    zend_string *last_event_id = NULL;

    ZEND_PARSE_PARAMETERS_START(0, 3)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR(path)
    Z_PARAM_ARRAY_HT(headers)
    Z_PARAM_STR_OR_NULL(last_event_id)
    ZEND_PARSE_PARAMETERS_END();

    tusk_loopback *self = TUSK_FROM(tusk_loopback, Z_OBJ_P(ZEND_THIS));
    zend_string *target = path == NULL ? ZSTR_CHAR('/') : path;
    object_init_ex(return_value, tusk_ce_loopback_stream);
    loopback_stream *stream = TUSK_FROM(loopback_stream, Z_OBJ_P(return_value));
    opening *pending = ecalloc(1, sizeof(*pending));
    pending->stream = stream;
    if (tusk_endpoint_open(&stream->end, self)) {
        stream->parent = self;
        GC_ADDREF(&self->std);
        if (write_request(&stream->end.out, target, headers, last_event_id) &&
            tusk_loopback_run(self, &stream->end, parse_head, pending, LOOPBACK_MS_MAX) &&
            !pending->done) {
            tusk_throw(stream->end.ended ? TUSK_EEOF : TUSK_ETIMEOUT, "No answer to GET %s",
                       ZSTR_VAL(target));
        }
    }
    efree(pending);
}

/* ---- LoopbackStream ---- */
static zend_object *create_stream(zend_class_entry *ce)
{
    loopback_stream *self = TUSK_OBJECT_NEW(loopback_stream, ce, &stream_handlers);
    self->end.fd = -1;
    tusk_buf_init(&self->text, tusk_mem_default(), LOOPBACK_BYTES_MAX);
    tusk_sse_parser_init(&self->parser, tusk_mem_default(), EVENT_BYTES_MAX, EVENT_BYTES_MAX);
    return &self->std;
}

static void destroy_stream(zend_object *object)
{
    loopback_stream *self = TUSK_FROM(loopback_stream, object);
    tusk_endpoint_close(&self->end);
    tusk_buf_fini(&self->text);
    tusk_sse_parser_fini(&self->parser);
    if (self->parent != NULL) {
        OBJ_RELEASE(&self->parent->std);
    }
    zend_object_std_dtor(object);
}

static HashTable *get_gc_of_stream(zend_object *object, zval **table, int *n)
{
    zend_get_gc_buffer *buffer = zend_get_gc_buffer_create();
    loopback_stream *self = TUSK_FROM(loopback_stream, object);
    if (self->parent != NULL) {
        tusk_gc_add_object(buffer, &self->parent->std);
    }
    zend_get_gc_buffer_use(buffer, table, n);
    return NULL;
}

static loopback_stream *this_stream(zval *object)
{
    return TUSK_FROM(loopback_stream, Z_OBJ_P(object));
}

/* Everything that came so far and the server has to do now. */
static void take_chunks(loopback_stream *self)
{
    while (self->streams && self->end.in.len > 0 && !tusk_http_body_done(&self->body)) {
        tusk_bytes data = tusk_bytes_of(NULL, 0);
        ptrdiff_t n = tusk_http_body_decode(&self->body, tusk_buf_view(&self->end.in), &data);
        if (n <= 0 || tusk_buf_append(&self->text, data.ptr, data.len) != TUSK_OK) {
            break;
        }
        tusk_buf_consume(&self->end.in, (size_t)n);
    }
}

static bool next_event(loopback_stream *self, zval *out)
{
    bool got = false;
    take_chunks(self);
    while (!got && self->text.len > 0) {
        tusk_sse_event event;
        ptrdiff_t n = tusk_sse_parse(&self->parser, tusk_buf_view(&self->text), &event, &got);
        if (n < 0) {
            tusk_throw((tusk_err)n, "Not an event stream");
            break;
        }
        if (got) {
            tusk_sse_event_make(out, event.type, event.data, event.id);
        }
        tusk_buf_consume(&self->text, (size_t)n);
    }
    return got || EG(exception) != NULL;
}

TUSK_METHOD(Tusk_Testing_LoopbackStream, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

TUSK_METHOD(Tusk_Testing_LoopbackStream, receive)
{
    ZEND_PARSE_PARAMETERS_NONE();

    loopback_stream *self = this_stream(ZEND_THIS);
    if (next_event(self, return_value)) {
        return;
    }
    if (tusk_loopback_settle(self->parent, &self->end) && !next_event(self, return_value)) {
        RETURN_NULL();
    }
}

TUSK_METHOD(Tusk_Testing_LoopbackStream, isOpen)
{
    ZEND_PARSE_PARAMETERS_NONE();

    loopback_stream *self = this_stream(ZEND_THIS);
    if (!tusk_loopback_settle(self->parent, &self->end)) {
        RETURN_THROWS();
    }
    take_chunks(self);
    RETURN_BOOL(self->streams && !self->end.ended && !tusk_http_body_done(&self->body));
}

TUSK_METHOD(Tusk_Testing_LoopbackStream, close)
{
    ZEND_PARSE_PARAMETERS_NONE();

    loopback_stream *self = this_stream(ZEND_THIS);
    tusk_endpoint_close(&self->end);
    (void)tusk_loopback_settle(self->parent, &self->end);
}

void tusk_loopback_stream_startup(void)
{
    tusk_handlers_init(&stream_handlers, offsetof(loopback_stream, std), destroy_stream);
    stream_handlers.get_gc = get_gc_of_stream;
    tusk_ce_loopback_stream->create_object = create_stream;
}
