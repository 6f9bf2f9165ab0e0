/* SPDX-License-Identifier: MIT */
/* A scripted WebSocket server and a client that records what it is told. */
#ifndef TUSK_TEST_WS_PEER_H
#define TUSK_TEST_WS_PEER_H

#include "peer.h"

/* ---- the server's side ---- */
static struct {
    tusk_ws_config config;
    tusk_ws_decoder decoder;
    tusk_ws_deflate deflate;
    tusk_ws_deflate_options deflate_options;
    tusk_ws_deflater *deflater;
    tusk_ws_inflaters *inflaters;
    peer_conn *conn;
    const char *answer;    /* instead of a 101 */
    const char *fields;    /* further lines of the 101 */
    const char *wrong_key; /* instead of the right accept value */
    const char *after;     /* bytes in the same segment */
    size_t after_len;
    bool decoding;
    bool echo;
    bool mute;      /* never answers a Close */
    bool stop;      /* does not read any more */
    uint8_t flags;  /* of echoed frames, RSV1 when compressed */
    char log[4096]; /* "text:hello;close:1000;" */
    size_t log_len;
    int items;
    int errors;
} s;

static inline void server_log(const char *name, tusk_bytes payload)
{
    int len = snprintf(s.log + s.log_len, sizeof(s.log) - s.log_len, "%s%.*s;", name,
                       (int)(payload.len > 60 ? 60 : payload.len), (const char *)payload.ptr);
    s.log_len += (size_t)len;
    assert_true(s.log_len < sizeof(s.log));
}

static inline void server_frame(uint8_t first, tusk_bytes payload)
{
    uint8_t head[TUSK_WS_HEAD_MAX];
    size_t len = tusk_ws_head_encode(head, first & 0xf0, first & 0x0f, payload.len, NULL);
    if (tusk_conn_append(&s.conn->conn, head, len) != TUSK_OK ||
        tusk_conn_append(&s.conn->conn, payload.ptr, payload.len) != TUSK_OK) {
        tusk_conn_abort(&s.conn->conn, TUSK_ENOMEM);
    }
}

static inline void server_text(uint8_t first, const char *payload)
{
    server_frame(first, tusk_bytes_str(payload));
}

static inline void server_echo(uint8_t opcode, tusk_bytes payload)
{
    if (s.deflater == NULL) {
        server_frame(TUSK_WS_FIN | opcode, payload);
        return;
    }
    tusk_buf packed;
    tusk_buf_init(&packed, tusk_mem_default(), 1 << 20);
    assert_err(tusk_ws_deflater_run(s.deflater, payload, &packed), TUSK_OK);
    server_frame(TUSK_WS_FIN | TUSK_WS_RSV1 | opcode, tusk_buf_view(&packed));
    tusk_buf_fini(&packed);
}

static inline void server_item(const tusk_ws_item *item)
{
    char code[64];
    s.items++;
    switch (item->kind) {
    case TUSK_WS_ITEM_NONE: s.items--; break;
    case TUSK_WS_ITEM_MESSAGE:
        server_log(item->opcode == TUSK_WS_TEXT ? "text:" : "binary:", item->payload);
        if (s.echo) {
            server_echo(item->opcode, item->payload);
        }
        tusk_ws_taken_drop(&s.config, item->taken, item->taken_cap);
        break;
    case TUSK_WS_ITEM_PING: server_log("ping:", item->payload); break;
    case TUSK_WS_ITEM_PONG: server_log("pong:", item->payload); break;
    case TUSK_WS_ITEM_CLOSE:
        (void)snprintf(code, sizeof(code), "%u:%.*s",
                       item->payload.len < 2
                           ? 0U
                           : (unsigned)(item->payload.ptr[0] << 8 | item->payload.ptr[1]),
                       (int)(item->payload.len < 2 ? 0 : item->payload.len - 2),
                       (const char *)item->payload.ptr + 2);
        server_log("close:", tusk_bytes_str(code));
        if (!s.mute) {
            server_frame(TUSK_WS_FIN | TUSK_WS_CLOSE,
                         tusk_bytes_of(item->payload.ptr, item->payload.len < 2 ? 0 : 2));
            tusk_conn_finish(&s.conn->conn);
        }
        break;
    }
}

static inline size_t server_upgrade(peer_conn *self, tusk_bytes in)
{
    static tusk_http_head head;
    char accept[TUSK_WS_ACCEPT_LEN + 1] = {0};
    char text[1024];
    char extension[256];
    tusk_ws_offer offer;
    const char *why = "";
    size_t scanned = 0;
    ptrdiff_t used = tusk_http_request_parse(&head, in, tusk_http_limits_default(), &scanned);
    if (used == 0) {
        return 0;
    }
    assert_true(used > 0);
    if (tusk_ws_handshake_check(&head, &offer, &why) != 0) {
        fail_msg("our own upgrade is refused: %s", why);
    }
    s.conn = self;
    if (s.answer != NULL) {
        peer_write(self, s.answer[0] == '!' ? s.answer + 1 : s.answer);
        if (s.answer[0] == '!') {
            tusk_conn_finish(&self->conn);
        }
        return (size_t)used;
    }
    tusk_ws_accept_key(accept, offer.key);
    assert_err(
        tusk_ws_deflate_accept(&s.deflate, &s.deflate_options, &head, extension, sizeof(extension)),
        TUSK_OK);
    (void)snprintf(text, sizeof(text),
                   "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nConnection: "
                   "keep-alive, Upgrade\r\n"
                   "Sec-WebSocket-Accept: %s\r\n%s%s%s%s\r\n",
                   s.wrong_key != NULL ? s.wrong_key : accept,
                   s.deflate.on ? "Sec-WebSocket-Extensions: " : "", s.deflate.on ? extension : "",
                   s.deflate.on ? "\r\n" : "", s.fields != NULL ? s.fields : "");
    peer_write(self, text);
    if (s.after_len > 0) {
        (void)tusk_conn_append(&self->conn, s.after, s.after_len);
    }
    if (s.deflate.on) {
        assert_err(tusk_ws_deflater_new(&s.deflater, tusk_mem_default(),
                                        s.deflate.server_max_window_bits, 1, 8,
                                        !s.deflate.server_no_context_takeover),
                   TUSK_OK);
        assert_err(tusk_ws_inflaters_new(&s.inflaters, tusk_mem_default()), TUSK_OK);
    }
    s.config = (tusk_ws_config){.mem = tusk_mem_default(),
                                .role = TUSK_WS_SERVER,
                                .message_max = 1 << 20,
                                .inflaters = s.inflaters};
    tusk_ws_decoder_init(&s.decoder, &s.config, &s.deflate);
    s.decoding = true;
    return (size_t)used;
}

static inline size_t server_data(peer_conn *self, tusk_bytes in)
{
    size_t used = 0;
    if (!s.decoding) {
        used = server_upgrade(self, in);
    }
    uint8_t *at = tusk_conn_in_mut(&self->conn);
    while (s.decoding && !s.stop && used < in.len) {
        tusk_ws_item item;
        size_t consumed;
        tusk_err err = tusk_ws_decode(&s.decoder, at + used, in.len - used, &consumed, &item);
        if (err != TUSK_OK) {
            s.errors++;
            return in.len;
        }
        if (consumed == 0 && item.kind == TUSK_WS_ITEM_NONE) {
            break;
        }
        server_item(&item);
        used += consumed;
    }
    return used;
}

/* ---- the client's side ---- */
static struct {
    tusk_ws_client *client;
    int opens, messages, pongs, drains, closes;
    uint16_t code;
    char reason[128];
    tusk_failure failure;
    char subprotocol[32];
    char last[70000 * 3];
    size_t last_len;
    uint8_t last_opcode;
    char act_in; /* 'o'pen, 'm'essage, 'p'ong, 'c'lose: where to act */
    char act;    /* 'a'bort, 'c'lose, 'p'ause */
    int granted;
    int dropped;
    bool took;
} c;

static inline void act(char where)
{
    if (c.act_in != where) {
        return;
    }
    switch (c.act) {
    case 'a': tusk_ws_client_abort(c.client); break;
    case 'c': (void)tusk_ws_client_close(c.client, 1000, tusk_bytes_str("bye")); break;
    case 'p': tusk_ws_client_pause(c.client); break;
    default: break;
    }
}

static inline void on_open(void *user, tusk_ws_client *self, tusk_bytes subprotocol,
                           const tusk_http_head *answer)
{
    c.opens++;
    assert_ptr_equal(self, c.client);
    assert_int_equal(answer->status, 101);
    assert_true(tusk_ws_client_is_open(self));
    (void)snprintf(c.subprotocol, sizeof(c.subprotocol), "%.*s", (int)subprotocol.len,
                   (const char *)subprotocol.ptr);
    act('o');
}

static inline void on_message(void *user, tusk_ws_client *self, uint8_t opcode, tusk_bytes payload,
                              void *taken)
{
    c.messages++;
    c.last_opcode = opcode;
    assert_true(payload.len <= sizeof(c.last));
    memcpy(c.last, payload.ptr, payload.len);
    c.last_len = payload.len;
    c.took = taken != NULL;
    free(taken);
    act('m');
}

static inline void on_pong(void *user, tusk_ws_client *self, tusk_bytes payload)
{
    c.pongs++;
    act('p');
}

static inline void on_drain(void *user, tusk_ws_client *self)
{
    c.drains++;
}

static inline void on_close(void *user, tusk_ws_client *self, uint16_t code, tusk_bytes reason,
                            const tusk_failure *failure)
{
    c.closes++;
    c.code = code;
    c.failure = *failure;
    (void)snprintf(c.reason, sizeof(c.reason), "%.*s", (int)reason.len, (const char *)reason.ptr);
    assert_false(tusk_ws_client_is_open(self));
    act('c');
}

static const tusk_ws_client_handler handler = {.on_open = on_open,
                                               .on_message = on_message,
                                               .on_pong = on_pong,
                                               .on_drain = on_drain,
                                               .on_close = on_close};

static inline int set_up(void **state)
{
    memset(&s, 0, sizeof(s));
    memset(&c, 0, sizeof(c));
    (void)peer_set_up(state);
    peer_set_url("ws", "/chat?x=1");
    t.answer = server_data;
    s.echo = true;
    return 0;
}

static inline int tear_down(void **state)
{
    int result = peer_tear_down(state);
    if (s.decoding) {
        tusk_ws_decoder_fini(&s.decoder);
    }
    tusk_ws_deflater_free(s.deflater);
    tusk_ws_inflaters_free(s.inflaters);
    return result;
}

static inline void open_with(tusk_ws_client_options options)
{
    options.target.url = tusk_bytes_str(t.url);
    assert_err(tusk_ws_client_open(&c.client, t.client, &options, &handler, NULL), TUSK_OK);
    assert_int_equal(c.opens + c.closes, 0);
}

static inline void open_and_wait(tusk_ws_client_options options)
{
    open_with(options);
    turn_until(&c.opens, 1);
}

static inline void send_text(const char *text)
{
    assert_err(tusk_ws_client_send(c.client, TUSK_WS_TEXT, tusk_bytes_str(text)), TUSK_OK);
}

static inline void assert_log(const char *expected)
{
    assert_string_equal(s.log, expected);
}

static const tusk_ws_client_options plain;

#endif
