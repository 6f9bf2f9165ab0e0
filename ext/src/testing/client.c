/* SPDX-License-Identifier: MIT */
/* LoopbackClient: a WebSocket client at the other end of a connection in memory. */
#include "src/testing/loopback.h"

#include "src/serve/http.h"
#include "src/parameters.h"
#include "src/mask_key.h"

/* Slots in the stub's order. */
enum { CLIENT_STATUS, CLIENT_SUBPROTOCOL };

typedef struct loopback_client {
    tusk_loopback *parent; /* a reference; NULL: not connected */
    tusk_endpoint end;
    tusk_ws_config config;
    tusk_ws_decoder decoder;
    uint16_t close_code;
    uint8_t last_opcode;
    bool closed;
    zend_object std;
} loopback_client;

static zend_object_handlers client_handlers;

/* ---- connect() ---- */
typedef struct upgrade {
    loopback_client *client;
    size_t scanned;
    tusk_http_head head;
    bool done;
} upgrade;

static bool parse_upgrade(void *arg)
{
    upgrade *self = arg;
    tusk_buf *in = &self->client->end.in;
    ptrdiff_t n = tusk_http_response_parse(
        &self->head, tusk_buf_view(in), tusk_http_limits_default(), TUSK_HTTP_GET, &self->scanned);
    if (n == 0) {
        return self->client->end.ended;
    }
    self->done = n > 0;
    if (n > 0) {
        zend_object *object = &self->client->std;
        const tusk_http_field *protocol = tusk_http_find(&self->head, "sec-websocket-protocol");
        ZVAL_LONG(OBJ_PROP_NUM(object, CLIENT_STATUS), self->head.status);
        if (protocol != NULL) {
            ZVAL_STR(OBJ_PROP_NUM(object, CLIENT_SUBPROTOCOL), tusk_zstr_of(protocol->value));
        }
        tusk_buf_consume(in, (size_t)n);
    }
    return true;
}

static bool write_upgrade(tusk_buf *out, zend_string *path, HashTable *headers,
                          HashTable *subprotocols)
{
    zend_string *line = zend_strpprintf(
        0,
        "GET %s HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\n",
        ZSTR_VAL(path));
    bool ok = tusk_loopback_head(out, line, headers, 2);
    zend_string_release(line);
    size_t count;
    tusk_bytes *names = ok ? tusk_token_list(subprotocols, 3, &count) : NULL;
    if (names == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        ok = ok && tusk_http_field_append(out, tusk_bytes_str("Sec-WebSocket-Protocol"),
                                          names[i]) == TUSK_OK;
    }
    efree(names);
    return ok && tusk_buf_append(out, "\r\n", 2) == TUSK_OK;
}

TUSK_METHOD(Tusk_Testing_Loopback, connect)
{
    zend_string *path = NULL;
    HashTable *headers = NULL;
    HashTable *subprotocols = NULL;

    ZEND_PARSE_PARAMETERS_START(0, 3)
    Z_PARAM_OPTIONAL
    Z_PARAM_STR(path)
    Z_PARAM_ARRAY_HT(headers)
    Z_PARAM_ARRAY_HT(subprotocols)
    ZEND_PARSE_PARAMETERS_END();

    tusk_loopback *self = TUSK_FROM(tusk_loopback, Z_OBJ_P(ZEND_THIS));
    zend_string *target = path == NULL ? ZSTR_CHAR('/') : path;
    object_init_ex(return_value, tusk_ce_loopback_client);
    loopback_client *client = TUSK_FROM(loopback_client, Z_OBJ_P(return_value));
    upgrade *pending = ecalloc(1, sizeof(*pending));
    pending->client = client;
    ZVAL_NULL(OBJ_PROP_NUM(&client->std, CLIENT_SUBPROTOCOL));
    if (tusk_endpoint_open(&client->end, self)) {
        client->parent = self;
        GC_ADDREF(&self->std);
        client->config = (tusk_ws_config){
            .mem = tusk_mem_default(), .role = TUSK_WS_CLIENT, .message_max = LOOPBACK_BYTES_MAX};
        tusk_ws_decoder_init(&client->decoder, &client->config, NULL);
        if (write_upgrade(&client->end.out, target, headers, subprotocols) &&
            tusk_loopback_run(self, &client->end, parse_upgrade, pending, LOOPBACK_MS_MAX) &&
            !pending->done) {
            tusk_throw(client->end.ended ? TUSK_EEOF : TUSK_ETIMEOUT,
                       "No answer to the upgrade of %s", ZSTR_VAL(target));
        }
    }
    efree(pending);
}

/* ---- LoopbackClient ---- */
static zend_object *create_client(zend_class_entry *ce)
{
    loopback_client *self = TUSK_OBJECT_NEW(loopback_client, ce, &client_handlers);
    self->end.fd = -1;
    self->last_opcode = TUSK_WS_TEXT;
    return &self->std;
}

static void destroy_client(zend_object *object)
{
    loopback_client *self = TUSK_FROM(loopback_client, object);
    tusk_endpoint_close(&self->end);
    if (self->parent != NULL) {
        tusk_ws_decoder_fini(&self->decoder);
        OBJ_RELEASE(&self->parent->std);
    }
    zend_object_std_dtor(object);
}

static HashTable *get_gc_of_client(zend_object *object, zval **table, int *n)
{
    zend_get_gc_buffer *buffer = zend_get_gc_buffer_create();
    loopback_client *self = TUSK_FROM(loopback_client, object);
    if (self->parent != NULL) {
        tusk_gc_add_object(buffer, &self->parent->std);
    }
    zend_get_gc_buffer_use(buffer, table, n);
    return NULL;
}

static loopback_client *this_client(zval *object)
{
    return TUSK_FROM(loopback_client, Z_OBJ_P(object));
}

TUSK_METHOD(Tusk_Testing_LoopbackClient, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}

static void write_frame(loopback_client *self, unsigned opcode, tusk_bytes payload)
{
    uint8_t head[TUSK_WS_HEAD_MAX];
    uint8_t key[4];
    uint8_t *place;
    tusk_mask_key(key);
    size_t len = tusk_ws_head_encode(head, TUSK_WS_FIN, (uint8_t)opcode, payload.len, key);
    if (tusk_buf_append(&self->end.out, head, len) == TUSK_OK &&
        tusk_buf_reserve(&self->end.out, payload.len, &place) == TUSK_OK) {
        tusk_mask_apply(place, payload.ptr, payload.len, key, 0);
        tusk_buf_commit(&self->end.out, payload.len);
    }
}

/* A message (true), or none. Pings are answered, a Close is echoed. */
static bool next_message(loopback_client *self, zval *out)
{
    while (!self->closed && self->end.in.len > 0) {
        tusk_ws_item item;
        size_t consumed;
        tusk_err err = tusk_ws_decode(&self->decoder, self->end.in.ptr + self->end.in.start,
                                      self->end.in.len, &consumed, &item);
        bool got = err == TUSK_OK && item.kind == TUSK_WS_ITEM_MESSAGE;
        if (got) {
            ZVAL_STR(out, tusk_zstr_of(item.payload));
            self->last_opcode = item.opcode;
        }
        if (err == TUSK_OK && item.kind == TUSK_WS_ITEM_PING) {
            write_frame(self, TUSK_WS_PONG, item.payload);
        }
        if (err == TUSK_OK && item.kind == TUSK_WS_ITEM_CLOSE) {
            tusk_bytes reason;
            if (tusk_ws_close_parse(item.payload, &self->close_code, &reason) != TUSK_OK ||
                self->close_code == 0) {
                self->close_code = TUSK_WS_CODE_NO_STATUS;
            }
            self->closed = true;
            write_frame(self, TUSK_WS_CLOSE, item.payload);
        }
        if (err == TUSK_OK && item.taken != NULL) {
            free(item.taken);
        }
        tusk_buf_consume(&self->end.in, consumed);
        if (got || err != TUSK_OK || consumed == 0) {
            return got;
        }
    }
    return false;
}

TUSK_METHOD(Tusk_Testing_LoopbackClient, send)
{
    zend_string *data;
    unsigned opcode;

    if (!tusk_send_parameters(INTERNAL_FUNCTION_PARAM_PASSTHRU, &data, &opcode)) {
        RETURN_THROWS();
    }
    loopback_client *self = this_client(ZEND_THIS);
    write_frame(self, opcode, tusk_zstr(data));
    (void)tusk_loopback_settle(self->parent, &self->end);
}

TUSK_METHOD(Tusk_Testing_LoopbackClient, receive)
{
    ZEND_PARSE_PARAMETERS_NONE();

    loopback_client *self = this_client(ZEND_THIS);
    if (next_message(self, return_value)) {
        return;
    }
    if (tusk_loopback_settle(self->parent, &self->end) && !next_message(self, return_value)) {
        RETURN_NULL();
    }
}

TUSK_METHOD(Tusk_Testing_LoopbackClient, lastType)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_OBJ_COPY(tusk_opcode_case(this_client(ZEND_THIS)->last_opcode));
}

TUSK_METHOD(Tusk_Testing_LoopbackClient, close)
{
    uint16_t code;
    zend_string *reason;

    if (!tusk_close_parameters(INTERNAL_FUNCTION_PARAM_PASSTHRU, &code, &reason)) {
        RETURN_THROWS();
    }
    loopback_client *self = this_client(ZEND_THIS);
    uint8_t payload[TUSK_WS_CONTROL_MAX];
    payload[0] = (uint8_t)(code >> 8);
    payload[1] = (uint8_t)(code & 0xff);
    memcpy(payload + 2, ZSTR_VAL(reason), ZSTR_LEN(reason));
    write_frame(self, TUSK_WS_CLOSE, tusk_bytes_of(payload, 2 + ZSTR_LEN(reason)));
    (void)tusk_loopback_settle(self->parent, &self->end);
}

TUSK_METHOD(Tusk_Testing_LoopbackClient, closeCode)
{
    ZEND_PARSE_PARAMETERS_NONE();

    loopback_client *self = this_client(ZEND_THIS);
    if (!self->closed && !tusk_loopback_settle(self->parent, &self->end)) {
        RETURN_THROWS();
    }
    tusk_bytes left = tusk_buf_view(&self->end.in);
    if (!self->closed && left.len >= 2 && (left.ptr[0] & 0x0f) == TUSK_WS_CLOSE) {
        zval none;
        (void)next_message(self, &none);
        (void)tusk_loopback_settle(self->parent, &self->end);
    }
    if (self->closed) {
        RETURN_LONG(self->close_code);
    }
    if (self->end.ended) {
        RETURN_LONG(TUSK_WS_CODE_ABNORMAL);
    }
    RETURN_NULL();
}

void tusk_loopback_client_startup(void)
{
    tusk_handlers_init(&client_handlers, offsetof(loopback_client, std), destroy_client);
    client_handlers.get_gc = get_gc_of_client;
    tusk_ce_loopback_client->create_object = create_client;
}
