/* SPDX-License-Identifier: MIT */
/* Sse\Client: an event stream of another server, that comes back by itself. */
#include "src/await.h"
#include "src/http.h"

/* Slots of Event in the stub's order. */
enum { EVENT_TYPE, EVENT_DATA, EVENT_ID };
enum { QUEUE_MAX = 256, QUEUE_BYTES_MAX = 1 << 20, HEAD_MAX = 65536 };

typedef struct incoming {
    struct incoming *next;
    tusk_blob *bytes; /* type, data, id behind each other */
    size_t type_len, data_len;
} incoming;

typedef struct sse_client {
    tusk_await await;
    tusk_sse_client *core; /* NULL: closed */
    incoming *first, *last;
    size_t queued;
    uint32_t count;
    bool paused;
    bool ready;
    tusk_buf last_id; /* after the end */
    zend_object std;
} sse_client;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    sse_client *self = zend_object_alloc(sizeof(*self), ce);
    memset(self, 0, offsetof(sse_client, std));
    zend_object_std_init(&self->std, ce);
    object_properties_init(&self->std, ce);
    self->std.handlers = &handlers;
    tusk_buf_init(&self->last_id, tusk_mem_default(), HEAD_MAX);
    return &self->std;
}

static incoming *shift(sse_client *self)
{
    incoming *item = self->first;
    if (item != NULL) {
        self->first = item->next;
        self->last = self->first == NULL ? NULL : self->last;
        self->queued -= item->bytes->len;
        self->count--;
        if (self->paused && self->count < QUEUE_MAX / 2 && self->queued <= QUEUE_BYTES_MAX / 2 &&
            self->core != NULL) {
            self->paused = false;
            tusk_sse_client_resume(self->core);
        }
    }
    return item;
}

static void drop(incoming *item)
{
    tusk_blob_unref(item->bytes);
    free(item);
}

static void destroy(zend_object *object)
{
    sse_client *self = TUSK_FROM(sse_client, object);
    if (self->core != NULL) {
        tusk_sse_client_abort(self->core);
        self->core = NULL;
    }
    for (incoming *item = shift(self); item != NULL; item = shift(self)) {
        drop(item);
    }
    tusk_buf_fini(&self->last_id);
    zend_object_std_dtor(object);
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
    incoming *item = malloc(sizeof(*item));
    if (item == NULL ||
        tusk_blob_new(&item->bytes, tusk_mem_default(),
                      event->type.len + event->data.len + event->id.len, &place) != TUSK_OK) {
        free(item);
        tusk_sse_client_close(core);
        return;
    }
    item->type_len = event->type.len;
    item->data_len = event->data.len;
    item->next = NULL;
    tusk_bytes parts[3] = {event->type, event->data, event->id};
    for (int i = 0; i < 3; i++) {
        if (parts[i].len > 0) {
            memcpy(place, parts[i].ptr, parts[i].len);
            place += parts[i].len;
        }
    }
    if (self->last == NULL) {
        self->first = item;
    } else {
        self->last->next = item;
    }
    self->last = item;
    self->queued += item->bytes->len;
    self->count++;
    if (!self->paused && (self->count >= QUEUE_MAX || self->queued > QUEUE_BYTES_MAX)) {
        self->paused = true;
        tusk_sse_client_pause(core);
    }
    changed(self);
}

static void on_close(void *user, tusk_sse_client *core, const tusk_failure *failure)
{
    sse_client *self = user;
    tusk_bytes id = tusk_sse_client_last_id(core);
    (void)tusk_buf_append(&self->last_id, id.ptr, id.len);
    self->core = NULL;
    changed(self);
}

static const tusk_sse_client_handler client_handler = {.on_event = on_event, .on_close = on_close};

/* ---- methods ---- */
static sse_client *this_client(zval *object)
{
    return TUSK_FROM(sse_client, Z_OBJ_P(object));
}

TUSK_METHOD(Tusk_Sse_Client, __construct)
{
    zend_string *url;
    HashTable *headers = NULL;
    zend_string *last_event_id = NULL;
    bool retry_on_error_status = false;

    ZEND_PARSE_PARAMETERS_START(1, 4)
    Z_PARAM_STR(url)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT(headers)
    Z_PARAM_STR_OR_NULL(last_event_id)
    Z_PARAM_BOOL(retry_on_error_status)
    ZEND_PARSE_PARAMETERS_END();

    sse_client *self = this_client(ZEND_THIS);
    if (self->await.loop != NULL) {
        zend_throw_error(NULL, "The client is made already");
        RETURN_THROWS();
    }
    if (last_event_id != NULL && !tusk_http_value_valid(tusk_zstr(last_event_id))) {
        zend_argument_value_error(3, "must have no CR, LF, NUL or other control byte");
        RETURN_THROWS();
    }
    tusk_client *client = tusk_client_here(&self->await.loop);
    if (client == NULL) {
        RETURN_THROWS();
    }
    tusk_buf lines;
    tusk_buf_init(&lines, tusk_mem_default(), HEAD_MAX);
    if (headers == NULL || tusk_header_lines(&lines, headers, 2)) {
        tusk_sse_client_options options = {
            .target = {.url = tusk_zstr(url), .fields = tusk_buf_view(&lines)},
            .last_event_id =
                last_event_id == NULL ? tusk_bytes_of(NULL, 0) : tusk_zstr(last_event_id),
            .retry_on_error_status = retry_on_error_status,
        };
        tusk_err err = tusk_sse_client_open(&self->core, client, &options, &client_handler, self);
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

static bool receive(sse_client *self, int64_t timeout_ms, zval *out)
{
    uint64_t started = tusk_loop_clock_ns();
    while (self->first == NULL && self->core != NULL) {
        int64_t left = timeout_ms;
        if (timeout_ms >= 0) {
            left -= (int64_t)((tusk_loop_clock_ns() - started) / 1000000u);
        }
        if (timeout_ms >= 0 && left < 0) {
            return false;
        }
        self->ready = false;
        GC_ADDREF(&self->std);
        bool done = tusk_await_ready(&self->await, &self->ready, left) &&
                    !(self->await.late && self->first == NULL);
        bool only = GC_REFCOUNT(&self->std) == 1;
        OBJ_RELEASE(&self->std);
        if (!done || only) {
            return false;
        }
    }
    incoming *item = shift(self);
    if (item == NULL) {
        return false;
    }
    zend_object *event = zend_objects_new(tusk_ce_sse_event);
    const uint8_t *at = item->bytes->ptr;
    size_t id_len = item->bytes->len - item->type_len - item->data_len;
    tusk_bytes type =
        item->type_len == 0 ? tusk_bytes_str("message") : tusk_bytes_of(at, item->type_len);
    ZVAL_STR(OBJ_PROP_NUM(event, EVENT_TYPE), tusk_zstr_of(type));
    ZVAL_STR(OBJ_PROP_NUM(event, EVENT_DATA),
             tusk_zstr_of(tusk_bytes_of(at + item->type_len, item->data_len)));
    ZVAL_STR(OBJ_PROP_NUM(event, EVENT_ID),
             tusk_zstr_of(tusk_bytes_of(at + item->type_len + item->data_len, id_len)));
    ZVAL_OBJ(out, event);
    drop(item);
    return true;
}

TUSK_METHOD(Tusk_Sse_Client, receive)
{
    double timeout = 0;
    bool none = true;
    int64_t ms;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_DOUBLE_OR_NULL(timeout, none)
    ZEND_PARSE_PARAMETERS_END();

    if (!tusk_timeout_arg(timeout, none, 1, &ms)) {
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

TUSK_METHOD(Tusk_Sse_Client, close)
{
    ZEND_PARSE_PARAMETERS_NONE();
    sse_client *self = this_client(ZEND_THIS);
    if (self->core != NULL) {
        tusk_bytes id = tusk_sse_client_last_id(self->core);
        (void)tusk_buf_append(&self->last_id, id.ptr, id.len);
        tusk_sse_client_abort(self->core);
        self->core = NULL;
        changed(self);
    }
}

TUSK_METHOD(Tusk_Sse_Event, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

/* ---- foreach: events, numbered from 0 ---- */
typedef struct iterator {
    zend_object_iterator base;
    zval current;
    bool started;
} iterator;

static void iterator_free(zend_object_iterator *base)
{
    zval_ptr_dtor(&((iterator *)base)->current);
    zval_ptr_dtor(&base->data);
}

static void iterator_forward(zend_object_iterator *base)
{
    iterator *self = (iterator *)base;
    zval_ptr_dtor(&self->current);
    ZVAL_UNDEF(&self->current);
    (void)receive(TUSK_FROM(sse_client, Z_OBJ(base->data)), -1, &self->current);
}

static void iterator_rewind(zend_object_iterator *base)
{
    iterator *self = (iterator *)base;
    if (!self->started) {
        self->started = true;
        iterator_forward(base);
    }
}

static int iterator_valid(zend_object_iterator *base)
{
    return Z_ISUNDEF(((iterator *)base)->current) ? FAILURE : SUCCESS;
}

static zval *iterator_current(zend_object_iterator *base)
{
    return &((iterator *)base)->current;
}

static const zend_object_iterator_funcs iterator_funcs = {
    .dtor = iterator_free,
    .valid = iterator_valid,
    .get_current_data = iterator_current,
    .move_forward = iterator_forward,
    .rewind = iterator_rewind,
};

static zend_object_iterator *get_iterator(zend_class_entry *ce, zval *object, int by_ref)
{
    if (by_ref) {
        zend_throw_error(NULL, "An iterator cannot be used with foreach by reference");
        return NULL;
    }
    iterator *self = ecalloc(1, sizeof(*self));
    zend_iterator_init(&self->base);
    ZVAL_OBJ_COPY(&self->base.data, Z_OBJ_P(object));
    self->base.funcs = &iterator_funcs;
    return &self->base;
}

TUSK_METHOD(Tusk_Sse_Client, getIterator)
{
    ZEND_PARSE_PARAMETERS_NONE();
    zend_create_internal_iterator_zval(return_value, ZEND_THIS);
}

void tusk_sse_client_startup(void)
{
    handlers = *zend_get_std_object_handlers();
    handlers.offset = XtOffsetOf(sse_client, std);
    handlers.free_obj = destroy;
    handlers.clone_obj = NULL;
    tusk_ce_sse_client->create_object = create;
    tusk_ce_sse_client->get_iterator = get_iterator;
}
