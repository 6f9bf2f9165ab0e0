/* SPDX-License-Identifier: MIT */
/* WebSocket\Client: a connection to another server; its messages wait in memory of the core until
 * they are received. */
#include "src/serve/http.h"
#include "src/client/incoming.h"
#include "src/options.h"
#include "src/parameters.h"

/* Slots in the stub's order. */
enum { CLIENT_SUBPROTOCOL, CLIENT_CLOSE_CODE, CLIENT_CLOSE_REASON };
enum { SEND_MAX = 1 << 28, HEAD_MAX = 65536 };

typedef struct ws_client {
    tusk_await await;     /* for what comes */
    tusk_await aside;     /* for room, or the end: who sends or closes beside one that receives */
    tusk_ws_client *core; /* NULL: closed */
    tusk_incoming incoming;
    uint8_t last_opcode;
    bool open;
    bool ready; /* something changed that a waiter wants to know, */
    bool moved; /* and one aside */
    bool drained;
    uint16_t close_code;
    char reason[128];
    uint8_t reason_len;
    tusk_blob *subprotocol; /* NULL: none */
    tusk_kept_failure failure;
    zend_object std;
} ws_client;

static zend_object_handlers handlers;

static zend_object *create(zend_class_entry *ce)
{
    ws_client *self = TUSK_OBJECT_NEW(ws_client, ce, &handlers);
    self->incoming.ended = true; /* until it is opened */
    return &self->std;
}

static void destroy(zend_object *object)
{
    ws_client *self = TUSK_FROM(ws_client, object);
    if (self->core != NULL) {
        tusk_ws_client_flush(self->core); /* what was sent is sent */
    }
    if (self->core != NULL) {
        tusk_ws_client_abort(self->core);
        self->core = NULL;
    }
    tusk_await_fini(&self->await);
    tusk_await_fini(&self->aside);
    tusk_blob_unref(self->subprotocol);
    (void)tusk_incoming_clear(&self->incoming);
    zend_object_std_dtor(object);
}

/* ---- what comes ---- */
static void changed(ws_client *self)
{
    self->ready = self->moved = true;
    tusk_await_wake(&self->await);
    tusk_await_wake(&self->aside);
}

static void on_open(void *user, tusk_ws_client *core, tusk_bytes subprotocol,
                    const tusk_http_head *answer)
{
    ws_client *self = user;
    self->open = true;
    if (subprotocol.ptr != NULL &&
        tusk_blob_dup(&self->subprotocol, tusk_mem_default(), subprotocol) != TUSK_OK) {
        (void)tusk_ws_client_close(core, TUSK_WS_CODE_SERVER_ERROR, tusk_bytes_of(NULL, 0));
    }
    changed(self);
}

static void on_message(void *user, tusk_ws_client *core, uint8_t opcode, tusk_bytes payload,
                       void *taken)
{
    ws_client *self = user;
    uint8_t *place;
    tusk_incoming_item *item = tusk_incoming_item_new(payload.len, &place);
    if (item == NULL) {
        (void)tusk_ws_client_close(core, TUSK_WS_CODE_SERVER_ERROR, tusk_bytes_of(NULL, 0));
        return;
    }
    item->opcode = opcode;
    if (payload.len > 0) {
        memcpy(place, payload.ptr, payload.len);
    }
    if (tusk_incoming_push(&self->incoming, item)) {
        tusk_ws_client_pause(core);
    }
    changed(self);
}

static void on_drain(void *user, tusk_ws_client *core)
{
    ws_client *self = user;
    self->drained = true;
    changed(self);
}

static void on_close(void *user, tusk_ws_client *core, uint16_t code, tusk_bytes reason,
                     const tusk_failure *failure)
{
    ws_client *self = user;
    self->core = NULL;
    self->incoming.ended = true;
    self->close_code = code;
    self->reason_len =
        (uint8_t)(reason.len < sizeof(self->reason) ? reason.len : sizeof(self->reason));
    if (self->reason_len > 0) {
        memcpy(self->reason, reason.ptr, self->reason_len);
    }
    tusk_failure_keep(&self->failure, failure);
    changed(self);
}

static const tusk_ws_client_handler client_handler = {
    .on_open = on_open,
    .on_message = on_message,
    .on_drain = on_drain,
    .on_close = on_close,
};

/* ---- methods ---- */
static ws_client *this_client(zval *object)
{
    return TUSK_FROM(ws_client, Z_OBJ_P(object));
}

/* Once it is over, the properties say how. */
static void tell_close(ws_client *self)
{
    zval *code = OBJ_PROP_NUM(&self->std, CLIENT_CLOSE_CODE);
    if (self->core == NULL && Z_TYPE_P(code) == IS_NULL && self->close_code != 0) {
        ZVAL_LONG(code, self->close_code);
        ZVAL_STR(OBJ_PROP_NUM(&self->std, CLIENT_CLOSE_REASON),
                 tusk_zstr_of(tusk_bytes_of(self->reason, self->reason_len)));
    }
}

static bool wait_changed(ws_client *self, int64_t timeout_ms)
{
    self->moved = false;
    GC_ADDREF(&self->std); /* the last outside reference may go meanwhile */
    bool done = tusk_await_ready(&self->aside, &self->moved, timeout_ms);
    tell_close(self);
    OBJ_RELEASE(&self->std);
    return done;
}

static void open_client(ws_client *self, tusk_ws_client_options *options, zend_string *url)
{
    tusk_client *client = tusk_client_here(&self->await.loop);
    if (client == NULL) {
        return;
    }
    self->aside.loop = self->await.loop;
    tusk_err err = tusk_ws_client_open(&self->core, client, options, &client_handler, self);
    self->incoming.ended = err != TUSK_OK;
    if (err == TUSK_EINVAL) {
        zend_argument_value_error(1,
                                  "must be a ws:// or wss:// URL with headers and subprotocols "
                                  "that can be sent, \"%s\" given",
                                  ZSTR_VAL(url));
    } else if (err != TUSK_OK) {
        tusk_throw(err, "Cannot connect to %s", ZSTR_VAL(url));
    } else {
        while (!self->open && self->core != NULL) {
            if (!wait_changed(self, -1)) {
                return;
            }
        }
        if (!self->open) {
            tusk_throw_failure(&self->failure.failure, "connect to", url);
        }
    }
}

static void open_with(ws_client *self, tusk_ws_client_options *options, zend_string *url,
                      HashTable *headers)
{
    tusk_buf lines;
    tusk_buf_init(&lines, tusk_mem_default(), HEAD_MAX);
    if (headers == NULL || tusk_header_lines(&lines, headers, 3)) {
        options->target.fields = tusk_buf_view(&lines);
        open_client(self, options, url);
    }
    tusk_buf_fini(&lines);
    if (EG(exception) == NULL && self->subprotocol != NULL) {
        ZVAL_STR(OBJ_PROP_NUM(&self->std, CLIENT_SUBPROTOCOL),
                 tusk_zstr_of(tusk_bytes_of(self->subprotocol->ptr, self->subprotocol->len)));
    }
}

TUSK_METHOD(Tusk_WebSocket_Client, __construct)
{
    zend_string *url;
    HashTable *subprotocols = NULL;
    HashTable *headers = NULL;
    double timeout = 10;
    zend_long message_max = 16777216;
    zend_object *deflate = NULL;
    bool verify = true;
    zend_string *ca = NULL;

    TUSK_PARSE_CONSTRUCTOR_START(1, 8)
    Z_PARAM_STR(url)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT(subprotocols)
    Z_PARAM_ARRAY_HT(headers)
    Z_PARAM_DOUBLE(timeout)
    Z_PARAM_LONG(message_max)
    Z_PARAM_OBJ_OF_CLASS_OR_NULL(deflate, tusk_ce_deflate)
    Z_PARAM_BOOL(verify)
    Z_PARAM_PATH_STR_OR_NULL(ca)
    TUSK_PARSE_CONSTRUCTOR_END();

    ws_client *self = this_client(ZEND_THIS);
    if (self->await.loop != NULL) {
        zend_throw_error(NULL, "The client is made already");
        RETURN_THROWS();
    }
    if (!tusk_timeout_valid(timeout, 4) || !tusk_positive_valid(message_max, 5)) {
        RETURN_THROWS();
    }
    ZVAL_NULL(OBJ_PROP_NUM(&self->std, CLIENT_SUBPROTOCOL));
    ZVAL_NULL(OBJ_PROP_NUM(&self->std, CLIENT_CLOSE_CODE));
    ZVAL_NULL(OBJ_PROP_NUM(&self->std, CLIENT_CLOSE_REASON));
    self->last_opcode = TUSK_WS_TEXT;
    size_t count = 0;
    bool ok;
    tusk_tls *tls = tusk_client_tls(verify, ca, 8, &ok);
    tusk_bytes *names = ok ? tusk_token_list(subprotocols, 2, &count) : NULL;
    tusk_ws_client_options options = {
        .target = {.url = tusk_zstr(url), .tls = tls},
        .subprotocols = names,
        .subprotocol_count = count,
        .message_max = (size_t)message_max,
        .queued_max = SEND_MAX,
        .handshake_ms = (uint32_t)(timeout * 1000),
    };
    tusk_deflate_read(&options.deflate, deflate);
    if (names != NULL) {
        open_with(self, &options, url, headers);
        efree(names);
    }
    tusk_tls_unref(tls); /* the core has a reference of its own */
}

/* Until there is room, or it is closed. TUSK_ETIMEOUT: neither in time; 0: for ever. An exception
 * is told by EG(exception). */
static tusk_err wait_drained(ws_client *self, uint64_t until_ns)
{
    while (!self->drained && self->core != NULL) {
        if (!wait_changed(self, until_ns == 0 ? -1 : (int64_t)tusk_ms_until(until_ns))) {
            return TUSK_ESTATE;
        }
        if (!self->moved) {
            return TUSK_ETIMEOUT;
        }
    }
    return TUSK_OK;
}

/* Waits while the peer does not read; -1: for ever. */
static void send_message(ws_client *self, zend_string *data, unsigned opcode, int64_t timeout_ms)
{
    if (opcode == TUSK_WS_TEXT && !tusk_zstr_utf8(data)) {
        zend_argument_value_error(1, "must be valid UTF-8 for a text message");
        return;
    }
    if (opcode >= 8 && ZSTR_LEN(data) > TUSK_WS_CONTROL_MAX) {
        zend_argument_value_error(1, "must be at most 125 bytes for a control frame, %zu given",
                                  ZSTR_LEN(data));
        return;
    }
    if (opcode == TUSK_WS_CONTINUATION || opcode == TUSK_WS_CLOSE) {
        zend_argument_value_error(2, "must be Text, Binary, Ping or Pong");
        return;
    }
    uint64_t until_ns = timeout_ms < 0 ? 0 : tusk_loop_clock_ns() + (uint64_t)timeout_ms * 1000000;
    tusk_err err = TUSK_ESTATE;
    while (self->core != NULL) {
        self->drained = false;
        err = tusk_ws_client_send(self->core, (uint8_t)opcode, tusk_zstr(data));
        if (err != TUSK_ELIMIT) {
            break;
        }
        err = wait_drained(self, until_ns);
        if (EG(exception) != NULL) {
            return;
        }
        if (err != TUSK_OK) {
            break;
        }
        err = TUSK_ESTATE;
    }
    if (err == TUSK_ETIMEOUT) {
        tusk_throw(err, "Cannot send: the peer does not read, 256 MiB wait for it");
    } else if (err == TUSK_ESTATE) {
        zend_throw_exception(tusk_ce_exception, "Cannot send on a closed connection", err);
    } else if (err != TUSK_OK) {
        tusk_throw(err, "Cannot send");
    } else if (TUSK_G(run) == NULL) {
        tusk_ws_client_flush(self->core); /* there is no turn at whose end it would leave */
    }
}

TUSK_METHOD(Tusk_WebSocket_Client, send)
{
    zend_string *data;
    zend_object *type = NULL;
    double timeout = 0;
    bool none = true;
    int64_t ms;

    ZEND_PARSE_PARAMETERS_START(1, 3)
    Z_PARAM_STR(data)
    Z_PARAM_OPTIONAL
    Z_PARAM_OBJ_OF_CLASS(type, tusk_ce_message_type)
    Z_PARAM_DOUBLE_OR_NULL(timeout, none)
    ZEND_PARSE_PARAMETERS_END();

    if (!tusk_wait_valid(timeout, none, 3, &ms)) {
        RETURN_THROWS();
    }
    unsigned opcode = type == NULL ? TUSK_WS_TEXT : tusk_case_opcode(type);
    send_message(this_client(ZEND_THIS), data, opcode, ms);
}

TUSK_METHOD(Tusk_WebSocket_Client, ping)
{
    zend_string *payload = tusk_ping_parameter(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (payload == NULL) {
        RETURN_THROWS();
    }
    send_message(this_client(ZEND_THIS), payload, TUSK_WS_PING, -1);
}

/* NULL: the end, the timeout, or an exception. */
static zend_string *receive(ws_client *self, int64_t timeout_ms)
{
    bool resume = false;
    bool done = tusk_incoming_wait(&self->incoming, &self->await, &self->ready, timeout_ms);
    tell_close(self);
    tusk_incoming_item *item = done ? tusk_incoming_shift(&self->incoming, &resume) : NULL;
    if (item == NULL) {
        return NULL;
    }
    if (resume) {
        tusk_ws_client_resume(self->core);
    }
    self->last_opcode = item->opcode;
    zend_string *text = tusk_zstr_of(tusk_bytes_of(item->bytes->ptr, item->bytes->len));
    if (item->opcode == TUSK_WS_TEXT) {
        tusk_zstr_mark_utf8(text);
    }
    tusk_incoming_item_free(item);
    return text;
}

TUSK_METHOD(Tusk_WebSocket_Client, receive)
{
    int64_t ms;
    if (!tusk_receive_parameters(INTERNAL_FUNCTION_PARAM_PASSTHRU, &ms)) {
        RETURN_THROWS();
    }
    zend_string *text = receive(this_client(ZEND_THIS), ms);
    if (text == NULL) {
        RETURN_NULL();
    }
    RETURN_STR(text);
}

TUSK_METHOD(Tusk_WebSocket_Client, lastType)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_OBJ_COPY(tusk_opcode_case(this_client(ZEND_THIS)->last_opcode));
}

TUSK_METHOD(Tusk_WebSocket_Client, close)
{
    uint16_t code;
    zend_string *reason;

    if (!tusk_close_parameters(INTERNAL_FUNCTION_PARAM_PASSTHRU, &code, &reason)) {
        RETURN_THROWS();
    }
    ws_client *self = this_client(ZEND_THIS);
    if (self->core == NULL) {
        return;
    }
    (void)tusk_ws_client_close(self->core, code, tusk_zstr(reason));
    while (self->core != NULL) { /* bounded by the core's close timeout */
        if (tusk_incoming_clear(&self->incoming)) {
            tusk_ws_client_resume(self->core);
        }
        if (!wait_changed(self, -1)) {
            RETURN_THROWS();
        }
    }
}

TUSK_METHOD(Tusk_WebSocket_Client, isOpen)
{
    ZEND_PARSE_PARAMETERS_NONE();
    ws_client *self = this_client(ZEND_THIS);
    RETURN_BOOL(self->core != NULL && tusk_ws_client_is_open(self->core));
}

TUSK_METHOD(Tusk_WebSocket_Client, lastError)
{
    ZEND_PARSE_PARAMETERS_NONE();
    const ws_client *self = this_client(ZEND_THIS);
    if (self->failure.failure.err == TUSK_OK) {
        RETURN_NULL();
    }
    RETURN_STR(tusk_failure_say(&self->failure.failure));
}

/* ---- foreach: type => message ---- */
static void receive_next(zend_object *client, zval *out)
{
    zend_string *text = receive(TUSK_FROM(ws_client, client), -1);
    if (text != NULL) {
        ZVAL_STR(out, text);
    }
}

static void type_of_last(zend_object *client, zval *out)
{
    ZVAL_OBJ_COPY(out, tusk_opcode_case(TUSK_FROM(ws_client, client)->last_opcode));
}

static const tusk_receiver receiver = {.receive = receive_next, .key = type_of_last};

static zend_object_iterator *get_iterator(zend_class_entry *ce, zval *object, int by_ref)
{
    return tusk_receiver_iterate(&receiver, object, by_ref);
}

TUSK_METHOD(Tusk_WebSocket_Client, getIterator)
{
    ZEND_PARSE_PARAMETERS_NONE();
    zend_create_internal_iterator_zval(return_value, ZEND_THIS);
}

void tusk_ws_client_startup(void)
{
    tusk_handlers_init(&handlers, offsetof(ws_client, std), destroy);
    tusk_ce_ws_client->create_object = create;
    tusk_ce_ws_client->get_iterator = get_iterator;
}
