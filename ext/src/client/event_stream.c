/* SPDX-License-Identifier: MIT */
/* Sse\Client: an event stream of another server, that comes back by itself. */
#include "src/client/values.h"

#include "src/serve/http.h"
#include "src/client/incoming.h"
#include "src/parameters.h"

/* Slots of Event in the stub's order. */
enum { EVENT_TYPE, EVENT_DATA, EVENT_ID };
enum { HEAD_MAX = 65536, ID_MAX = 3 << 20 }; /* the core's longest id: a line, repaired */

typedef struct sse_client {
    tusk_await await;
    tusk_sse_client *core; /* NULL: closed */
    tusk_incoming incoming;
    bool ready;
    tusk_buf last_id;          /* after the end */
    tusk_kept_failure failure; /* of the last attempt; TUSK_OK: it is open, or was closed here */
    zend_object std;
} sse_client;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    sse_client *self = TUSK_OBJECT_NEW(sse_client, ce, &handlers);
    self->incoming.ended = true; /* until it is opened */
    tusk_buf_init(&self->last_id, tusk_mem_default(), ID_MAX);
    return &self->std;
}

static void destroy(zend_object *object)
{
    sse_client *self = TUSK_FROM(sse_client, object);
    if (self->core != NULL) {
        tusk_sse_client_abort(self->core);
        self->core = NULL;
    }
    tusk_await_fini(&self->await);
    (void)tusk_incoming_clear(&self->incoming);
    tusk_buf_fini(&self->last_id);
    zend_object_std_dtor(object);
}

void tusk_sse_event_make(zval *out, tusk_bytes type, tusk_bytes data, tusk_bytes id)
{
    zend_object *event = zend_objects_new(tusk_ce_sse_event);
    ZVAL_STR(OBJ_PROP_NUM(event, EVENT_TYPE),
             tusk_zstr_of(type.len == 0 ? tusk_bytes_str("message") : type));
    ZVAL_STR(OBJ_PROP_NUM(event, EVENT_DATA), tusk_zstr_of(data));
    ZVAL_STR(OBJ_PROP_NUM(event, EVENT_ID), tusk_zstr_of(id));
    ZVAL_OBJ(out, event);
}

/* ---- what comes ---- */
static void changed(sse_client *self)
{
    self->ready = true;
    tusk_await_wake(&self->await);
}

static void on_event(void *user, tusk_sse_client *core, const tusk_sse_event *event)
{
    sse_client *self = user;
    uint8_t *place;
    tusk_incoming_item *item =
        tusk_incoming_item_new(event->type.len + event->data.len + event->id.len, &place);
    if (item == NULL) {
        tusk_sse_client_close(core);
        return;
    }
    item->type_len = event->type.len;
    item->data_len = event->data.len;
    tusk_bytes parts[3] = {event->type, event->data, event->id};
    for (int i = 0; i < 3; i++) {
        if (parts[i].len > 0) {
            memcpy(place, parts[i].ptr, parts[i].len);
            place += parts[i].len;
        }
    }
    if (tusk_incoming_push(&self->incoming, item)) {
        tusk_sse_client_pause(core);
    }
    changed(self);
}

static void on_open(void *user, tusk_sse_client *core)
{
    sse_client *self = user;
    self->failure.failure.err = TUSK_OK;
}

static void on_retry(void *user, tusk_sse_client *core, const tusk_failure *failure,
                     uint32_t delay_ms)
{
    sse_client *self = user;
    tusk_failure_keep(&self->failure, failure);
}

static void on_close(void *user, tusk_sse_client *core, const tusk_failure *failure)
{
    sse_client *self = user;
    tusk_failure_keep(&self->failure, failure);
    tusk_bytes id = tusk_sse_client_last_id(core);
    (void)tusk_buf_append(&self->last_id, id.ptr, id.len);
    self->core = NULL;
    self->incoming.ended = true;
    changed(self);
}

static const tusk_sse_client_handler client_handler = {
    .on_open = on_open,
    .on_event = on_event,
    .on_retry = on_retry,
    .on_close = on_close,
};

/* ---- methods ---- */
static sse_client *this_client(zval *object)
{
    return TUSK_FROM(sse_client, Z_OBJ_P(object));
}

static void open_stream(sse_client *self, tusk_client *client, zend_string *url, HashTable *headers,
                        tusk_sse_client_options *options)
{
    tusk_buf lines;
    tusk_buf_init(&lines, tusk_mem_default(), HEAD_MAX);
    if (headers == NULL || tusk_header_lines(&lines, headers, 2)) {
        options->target.url = tusk_zstr(url);
        options->target.fields = tusk_buf_view(&lines);
        tusk_err err = tusk_sse_client_open(&self->core, client, options, &client_handler, self);
        self->incoming.ended = err != TUSK_OK;
        if (err == TUSK_EINVAL) {
            zend_argument_value_error(
                1, "must be an http:// or https:// URL with headers that can be sent, \"%s\" given",
                ZSTR_VAL(url));
        } else if (err != TUSK_OK) {
            tusk_throw(err, "Cannot open %s", ZSTR_VAL(url));
        }
    }
    tusk_buf_fini(&lines);
}

TUSK_METHOD(Tusk_Sse_Client, __construct)
{
    zend_string *url;
    HashTable *headers = NULL;
    zend_string *last_event_id = NULL;
    bool retry_on_error_status = false;
    bool verify = true;
    zend_string *ca = NULL;
    double retry_min = 0.5;

    TUSK_PARSE_CONSTRUCTOR_START(1, 7)
    Z_PARAM_STR(url)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT(headers)
    Z_PARAM_STR_OR_NULL(last_event_id)
    Z_PARAM_BOOL(retry_on_error_status)
    Z_PARAM_BOOL(verify)
    Z_PARAM_PATH_STR_OR_NULL(ca)
    Z_PARAM_DOUBLE(retry_min)
    TUSK_PARSE_CONSTRUCTOR_END();

    sse_client *self = this_client(ZEND_THIS);
    if (self->await.loop != NULL) {
        zend_throw_error(NULL, "The client is made already");
        RETURN_THROWS();
    }
    if (last_event_id != NULL && !tusk_http_value_valid(tusk_zstr(last_event_id))) {
        zend_argument_value_error(3, "must have no CR, LF, NUL or other control byte");
        RETURN_THROWS();
    }
    if (!tusk_timeout_valid(retry_min, 7)) {
        RETURN_THROWS();
    }
    bool ok;
    tusk_tls *tls = tusk_client_tls(verify, ca, 6, &ok);
    tusk_client *client = ok ? tusk_client_here(&self->await.loop) : NULL;
    if (client != NULL) {
        tusk_sse_client_options options = {
            .target = {.tls = tls},
            .last_event_id =
                last_event_id == NULL ? tusk_bytes_of(NULL, 0) : tusk_zstr(last_event_id),
            .retry_ms_min = (uint32_t)tusk_seconds_in_ms(retry_min),
            .retry_on_error_status = retry_on_error_status,
        };
        open_stream(self, client, url, headers, &options);
    }
    tusk_tls_unref(tls); /* the core has a reference of its own */
}

static bool receive(sse_client *self, int64_t timeout_ms, zval *out)
{
    bool resume = false;
    tusk_incoming_item *item =
        tusk_incoming_wait(&self->incoming, &self->await, &self->ready, timeout_ms)
            ? tusk_incoming_shift(&self->incoming, &resume)
            : NULL;
    if (item == NULL) {
        return false;
    }
    if (resume) {
        tusk_sse_client_resume(self->core);
    }
    const uint8_t *at = item->bytes->ptr;
    size_t id_len = item->bytes->len - item->type_len - item->data_len;
    tusk_sse_event_make(out, tusk_bytes_of(at, item->type_len),
                        tusk_bytes_of(at + item->type_len, item->data_len),
                        tusk_bytes_of(at + item->type_len + item->data_len, id_len));
    tusk_incoming_item_free(item);
    return true;
}

TUSK_METHOD(Tusk_Sse_Client, receive)
{
    int64_t ms;
    if (!tusk_receive_parameters(INTERNAL_FUNCTION_PARAM_PASSTHRU, &ms)) {
        RETURN_THROWS();
    }
    if (!receive(this_client(ZEND_THIS), ms, return_value)) {
        RETURN_NULL();
    }
}

TUSK_METHOD(Tusk_Sse_Client, state)
{
    ZEND_PARSE_PARAMETERS_NONE();
    sse_client *self = this_client(ZEND_THIS);
    RETURN_LONG(self->core == NULL ? TUSK_SSE_CLOSED : tusk_sse_client_state(self->core));
}

TUSK_METHOD(Tusk_Sse_Client, lastEventId)
{
    ZEND_PARSE_PARAMETERS_NONE();
    sse_client *self = this_client(ZEND_THIS);
    RETURN_STR(tusk_zstr_of(self->core == NULL ? tusk_buf_view(&self->last_id)
                                               : tusk_sse_client_last_id(self->core)));
}

TUSK_METHOD(Tusk_Sse_Client, lastError)
{
    ZEND_PARSE_PARAMETERS_NONE();
    sse_client *self = this_client(ZEND_THIS);
    if (self->failure.failure.err == TUSK_OK) {
        RETURN_NULL();
    }
    RETURN_STR(tusk_failure_say(&self->failure.failure));
}

TUSK_METHOD(Tusk_Sse_Client, close)
{
    ZEND_PARSE_PARAMETERS_NONE();
    sse_client *self = this_client(ZEND_THIS);
    if (self->core != NULL) {
        tusk_bytes id = tusk_sse_client_last_id(self->core);
        (void)tusk_buf_append(&self->last_id, id.ptr, id.len);
        tusk_sse_client_abort(self->core);
        self->core = NULL;
        self->failure.failure.err = TUSK_OK;
        self->incoming.ended = true;
        changed(self);
    }
}

TUSK_METHOD(Tusk_Sse_Event, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

/* ---- foreach: events, numbered from 0 ---- */
static void receive_next(zend_object *client, zval *out)
{
    (void)receive(TUSK_FROM(sse_client, client), -1, out);
}

static const tusk_receiver receiver = {.receive = receive_next};

static zend_object_iterator *get_iterator(zend_class_entry *ce, zval *object, int by_ref)
{
    return tusk_receiver_iterate(&receiver, object, by_ref);
}

TUSK_METHOD(Tusk_Sse_Client, getIterator)
{
    ZEND_PARSE_PARAMETERS_NONE();
    zend_create_internal_iterator_zval(return_value, ZEND_THIS);
}

void tusk_sse_client_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(sse_client, std), destroy);
    tusk_ce_sse_client->create_object = create;
    tusk_ce_sse_client->get_iterator = get_iterator;
}
