/* SPDX-License-Identifier: MIT */
/* From HTTP to WebSocket or to an event stream: who may, what is agreed, and what each is told. */
#define _GNU_SOURCE
#include "rig_session.h"

enum { SAID_CAP = 2048 };

/* What its owner is told of each that opens: its target, its subprotocol, and whether the request
 * is there. */
static void say_open(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    rig *r = user;
    tusk_bytes target = tusk_session_target(r->server, session);
    tusk_bytes protocol = tusk_session_subprotocol(r->server, session);
    (void)route;
    r->last = session;
    rig_log(r, "target:", target.len > 0 ? target.ptr : (const uint8_t *)"", target.len);
    rig_log(r, "protocol:", protocol.len > 0 ? protocol.ptr : (const uint8_t *)"", protocol.len);
    if (request != NULL) {
        rig_log(r, "request:", request->head->target.ptr, request->head->target.len);
    }
}

/* Whoever has asked before is accepted where the next one asks. */
static void accept_earlier(void *user, tusk_handle session, void *route,
                           const tusk_request *request)
{
    rig *r = user;
    tusk_handle earlier = r->last;
    rig_on_authorize(user, session, route, request);
    if (tusk_session_exists(r->server, earlier)) {
        assert_err(tusk_accept(r->server, earlier, tusk_bytes_of(NULL, 0)), TUSK_OK);
    }
    r->last = session;
}

static tusk_err try_begin(rig *r, const tusk_mem *mem)
{
    static const tusk_server_handler handler = {.on_open = say_open,
                                                .on_request = rig_on_request,
                                                .on_message = rig_on_message,
                                                .on_authorize = accept_earlier};
    const tusk_bytes origins[] = {tusk_bytes_str("https://a.test"),
                                  tusk_bytes_str("https://b.test")};
    const tusk_bytes protocols[] = {tusk_bytes_str("chat"), tusk_bytes_str("Chat.v2")};
    const tusk_websocket_options some = {.keep_target = true,
                                         .origins = origins,
                                         .origin_count = 2,
                                         .subprotocols = protocols,
                                         .subprotocol_count = 2,
                                         .deflate = {.on = true,
                                                     .server_max_window_bits = 15,
                                                     .client_max_window_bits = 15,
                                                     .level = 1,
                                                     .mem_level = 8,
                                                     .threshold = 64}};
    const tusk_websocket_options any = {.any_origin = true};
    const tusk_websocket_options asked = {
        .any_origin = true, .keep_target = true, .authorize = true};
    const tusk_events_options events = {.origins = origins, .origin_count = 2};
    const tusk_events_options any_events = {.any_origin = true};
    const tusk_events_options asked_events = {.any_origin = true, .authorize = true};
    memset(r, 0, sizeof(*r));
    const tusk_loop_options loop_options = {.mem = mem};
    tusk_err err = tusk_loop_new(&r->loop, &loop_options);
    if (err != TUSK_OK) {
        return err;
    }
    tusk_server_options options = {
        .loop = r->loop, .handler = &handler, .user = r, .server_name = "named"};
    tusk_server_limits_default(&options.limits);
    err = tusk_server_new(&r->server, &options);
    if (err != TUSK_OK) {
        return err;
    }
    tusk_server *server = r->server;
    err = tusk_server_route_websocket(server, "/ws", &some, NULL);
    err = err != TUSK_OK ? err : tusk_server_route_websocket(server, "/any", &any, NULL);
    err = err != TUSK_OK ? err : tusk_server_route_websocket(server, "/asked", &asked, NULL);
    err = err != TUSK_OK ? err : tusk_server_route_events(server, "/events", &events, NULL);
    err = err != TUSK_OK ? err : tusk_server_route_events(server, "/all", &any_events, NULL);
    err =
        err != TUSK_OK ? err : tusk_server_route_events(server, "/asked-for", &asked_events, NULL);
    err = err != TUSK_OK ? err : tusk_server_route_http(server, "GET", "/", NULL);
    return err != TUSK_OK ? err : tusk_server_start(server, NULL, 0);
}

static void begin(rig *r)
{
    assert_err(try_begin(r, NULL), TUSK_OK);
}

/* A new client's upgrade with these fields besides, and what it is told. */
static int upgrade(rig *r, const char *target, const char *fields, char said[SAID_CAP])
{
    char request[1024];
    int fd = rig_connect(r);
    (void)snprintf(request, sizeof(request), "GET %s %.*s%s\r\n", target,
                   (int)(sizeof(rig_upgrade) - sizeof("GET /ws ") - 2),
                   rig_upgrade + sizeof("GET /ws ") - 1, fields);
    rig_ask(r, fd, request, said, SAID_CAP);
    return fd;
}

static int get(rig *r, const char *target, const char *fields, char said[SAID_CAP])
{
    char request[512];
    int fd = rig_connect(r);
    (void)snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n", target,
                   fields);
    rig_ask(r, fd, request, said, SAID_CAP);
    return fd;
}

static const char *status_of(const char *said)
{
    return strlen(said) < 12 ? said : said + sizeof("HTTP/1.1 ") - 1;
}

static void a_page_of_another_origin_opens_no_websocket(void **state)
{
    static const struct {
        const char *target, *fields, *status;
    } cases[] = {
        {"/ws", "", "101"}, /* none that a browser shows a page in */
        {"/ws", "Origin: https://a.test\r\n", "101"},
        {"/ws", "Origin: HTTPS://B.TEST\r\n", "101"},
        {"/ws", "Origin: https://c.test\r\n", "403"},
        {"/ws", "Origin: https://a.test\r\nOrigin: https://a.test\r\n", "403"},
        {"/ws", "Origin: https://a.test\r\nOrigin: https://c.test\r\n", "403"},
        {"/any", "Origin: https://c.test\r\n", "101"},
    };
    rig r;
    char said[SAID_CAP];
    uint64_t refused = 0;
    (void)state;
    begin(&r);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int fd = upgrade(&r, cases[i].target, cases[i].fields, said);
        assert_memory_equal(status_of(said), cases[i].status, 3);
        refused += cases[i].status[0] == '4';
        assert_int_equal(rig_stat(&r, "handshakes_refused"), refused);
        close(fd);
    }
    rig_fini(&r);
}

/* Fetch, 3.2.3: the one that asked, as the route has it; and a cache keeps the answers apart. */
static void a_stream_says_which_origin_may_read_it(void **state)
{
    static const char may[] = "Access-Control-Allow-Origin: ";
    rig r;
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    close(get(&r, "/events", "Origin: https://B.test\r\n", said));
    assert_memory_equal(status_of(said), "200", 3);
    assert_non_null(strstr(said, "\r\nVary: Origin\r\n"));
    assert_non_null(strstr(said, "\r\nAccess-Control-Allow-Origin: https://b.test\r\n"));
    assert_non_null(strstr(said, "\r\nAccess-Control-Allow-Credentials: true\r\n"));
    close(get(&r, "/events", "", said));
    assert_memory_equal(status_of(said), "200", 3);
    assert_non_null(strstr(said, "\r\nVary: Origin\r\n"));
    assert_null(strstr(said, may));
    close(get(&r, "/events", "Origin: https://c.test\r\n", said));
    assert_memory_equal(status_of(said), "403", 3);
    assert_non_null(strstr(said, "\r\nVary: Origin\r\n"));
    assert_null(strstr(said, may));
    assert_int_equal(rig_stat(&r, "handshakes_refused"), 1);
    close(get(&r, "/all", "Origin: https://a.test\r\n", said));
    assert_memory_equal(status_of(said), "200", 3);
    assert_null(strstr(said, "Vary: Origin"));
    assert_null(strstr(said, may));
    rig_fini(&r);
}

/* RFC 6455, 4.2.2: one of those that were offered, or no such field at all. */
static void a_subprotocol_is_one_that_both_have(void **state)
{
    static const struct {
        const char *fields, *said, *told;
    } cases[] = {
        {"", NULL, "protocol:;"},
        {"Sec-WebSocket-Protocol: other\r\n", NULL, "protocol:;"},
        {"Sec-WebSocket-Protocol: CHAT\r\n", NULL, "protocol:;"},
        {"Sec-WebSocket-Protocol: other, Chat.v2, chat\r\n",
         "\r\nSec-WebSocket-Protocol: Chat.v2\r\n", "protocol:Chat.v2;"},
        {"Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Protocol: Chat.v2\r\n",
         "\r\nSec-WebSocket-Protocol: chat\r\n", "protocol:chat;"},
    };
    rig r;
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        r.log_len = 0;
        close(upgrade(&r, "/ws", cases[i].fields, said));
        assert_memory_equal(status_of(said), "101", 3);
        assert_non_null(strstr(said, "\r\nServer: named\r\n"));
        assert_non_null(strstr(r.log, cases[i].told));
        if (cases[i].said == NULL) {
            assert_null(strstr(said, "Sec-WebSocket-Protocol"));
        } else {
            assert_non_null(strstr(said, cases[i].said));
        }
    }
    close(upgrade(&r, "/ws", "Sec-WebSocket-Protocol: a b\r\n", said));
    assert_memory_equal(status_of(said), "400", 3);
    assert_null(strstr(said, "\r\nUpgrade: ")); /* it says that of 426 alone */
    assert_non_null(strstr(said, "\r\nSec-WebSocket-Version: 13\r\n"));
    rig_fini(&r);
}

#ifdef TUSK_HAVE_ZLIB
/* RFC 6455, 4.2.2: nothing that this client did not ask for, whatever the one before did. */
static void what_was_agreed_with_one_is_not_with_the_next(void **state)
{
    rig r;
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    int first = upgrade(&r, "/ws", "Sec-WebSocket-Extensions: permessage-deflate\r\n", said);
    assert_non_null(strstr(said, "\r\nSec-WebSocket-Extensions: permessage-deflate"));
    int second = upgrade(&r, "/ws", "", said);
    assert_memory_equal(status_of(said), "101", 3);
    assert_null(strstr(said, "Sec-WebSocket-Extensions"));
    close(first);
    close(second);
    rig_fini(&r);
}
#endif

static void a_malformed_list_of_extensions_is_refused(void **state)
{
    rig r;
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    close(upgrade(&r, "/ws", "Sec-WebSocket-Extensions: permessage-deflate; =\r\n", said));
    assert_memory_equal(status_of(said), "400", 3);
    assert_string_equal(r.log, "");
    rig_fini(&r);
}

/* It is borrowed from what came: where the owner took its time, that is gone. */
static void who_is_accepted_at_once_is_told_with_its_request(void **state)
{
    rig r;
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    close(upgrade(&r, "/ws?a=b", "", said));
    assert_string_equal(r.log, "target:/ws?a=b;protocol:;request:/ws?a=b;");
    rig_turn(&r, 4);
    r.log_len = 0;
    int fd = upgrade(&r, "/asked?c", "", said);
    assert_string_equal(r.log, "authorize:/asked?c;");
    r.log_len = 0;
    assert_err(tusk_accept(r.server, r.last, tusk_bytes_of(NULL, 0)), TUSK_OK);
    assert_string_equal(r.log, "target:/asked?c;protocol:;");
    assert_err(tusk_accept(r.server, r.last, tusk_bytes_of(NULL, 0)), TUSK_ESTATE);
    close(fd);
    rig_fini(&r);
}

/* A request has an answer, and a session is accepted once. */
static void what_is_no_handshake_is_not_accepted(void **state)
{
    rig r;
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    int asks = get(&r, "/", "", said);
    assert_string_equal(said, "");
    assert_string_equal(r.log, "request:/;");
    assert_err(tusk_accept(r.server, r.last, tusk_bytes_of(NULL, 0)), TUSK_ESTATE);
    close(asks);
    int fd = upgrade(&r, "/ws", "", said);
    assert_err(tusk_accept(r.server, r.last, tusk_bytes_of(NULL, 0)), TUSK_ESTATE);
    tusk_handle last = r.last;
    close(fd);
    rig_turn(&r, 4);
    assert_err(tusk_accept(r.server, last, tusk_bytes_of(NULL, 0)), TUSK_ENOENT);
    rig_fini(&r);
}

/* The queues of all are full: that is no lack of memory. */
static void where_the_answer_has_no_room_it_is_a_limit(void **state)
{
    rig r;
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    int fd = upgrade(&r, "/asked", "", said);
    tusk_net_reserve(r.server->net, tusk_net_room(r.server->net));
    assert_err(tusk_accept(r.server, r.last, tusk_bytes_of(NULL, 0)), TUSK_ELIMIT);
    assert_int_equal(rig_stat(&r, "out_of_memory"), 0);
    rig_turn(&r, 4);
    assert_int_equal(rig_stat(&r, "connections_open"), 0);
    close(fd);
    rig_fini(&r);
}

static void a_stream_has_the_fields_that_keep_it_flowing_and_the_owners(void **state)
{
    static const char ask[] = "GET /asked-for HTTP/1.1\r\nHost: x\r\n\r\n";
    rig r;
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    int fd = rig_connect(&r);
    rig_ask(&r, fd, ask, said, sizeof(said));
    assert_string_equal(r.log, "authorize:/asked-for;");
    assert_err(tusk_accept(r.server, r.last, tusk_bytes_str("X-Own: field\r\n")), TUSK_OK);
    rig_turn(&r, 2);
    rig_read(fd, said, sizeof(said));
    assert_non_null(strstr(said, "\r\nContent-Type: text/event-stream\r\n"));
    assert_non_null(strstr(said, "\r\nCache-Control: no-cache, no-transform\r\n"));
    assert_non_null(strstr(said, "\r\nX-Accel-Buffering: no\r\n"));
    assert_non_null(strstr(said, "\r\nX-Own: field\r\n"));
    close(fd);
    rig_fini(&r);
}

/* RFC 9112, 6.1: chunks are none of its language; the stream ends with its connection. But a HEAD
 * has no stream. */
static void a_stream_of_http_1_0_comes_without_chunks(void **state)
{
    rig r;
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    int fd = rig_connect(&r);
    rig_ask(&r, fd, "HEAD /all HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", said, sizeof(said));
    assert_memory_equal(status_of(said), "200", 3);
    assert_non_null(strstr(said, "\r\nConnection: keep-alive\r\n\r\n"));
    rig_ask(&r, fd, "GET /all HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", said, sizeof(said));
    assert_memory_equal(status_of(said), "200", 3);
    assert_null(strstr(said, "Transfer-Encoding"));
    assert_non_null(strstr(said, "\r\nConnection: close\r\n\r\n:\n\n"));
    close(fd);
    rig_fini(&r);
}

static void a_request_is_told_to_its_own_session_alone(void **state)
{
    rig r;
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    int first = upgrade(&r, "/asked?1", "", said);
    r.log_len = 0;
    int second = upgrade(&r, "/asked?2", "", said);
    assert_string_equal(r.log, "authorize:/asked?2;target:/asked?1;protocol:;");
    close(first);
    close(second);
    rig_fini(&r);
}

/* They came with its request, and lay there while the owner decided. */
static void frames_that_came_before_it_was_accepted_are_told_then(void **state)
{
    rig r;
    uint8_t bytes[1024];
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    int fd = rig_connect(&r);
    int len = snprintf((char *)bytes, sizeof(bytes), "GET /asked %s",
                       rig_upgrade + sizeof("GET /ws ") - 1);
    size_t all = (size_t)len + rig_frame(bytes + len, 0x81, "early", 5);
    rig_write(fd, bytes, all);
    rig_turn(&r, 4);
    assert_string_equal(r.log, "authorize:/asked;");
    r.log_len = 0;
    assert_err(tusk_accept(r.server, r.last, tusk_bytes_of(NULL, 0)), TUSK_OK);
    rig_turn(&r, 4);
    assert_string_equal(r.log, "target:/asked;protocol:;text:early;");
    rig_read(fd, said, sizeof(said));
    assert_memory_equal(status_of(said), "101", 3);
    close(fd);
    rig_fini(&r);
}

/* RFC 9110, 15.5.22 and 7.8: what is spoken here, and its option. */
static void who_asks_for_no_upgrade_is_told_what_there_is(void **state)
{
    rig r;
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    close(get(&r, "/ws", "", said));
    assert_memory_equal(status_of(said), "426", 3);
    assert_non_null(strstr(said, "\r\nUpgrade: websocket\r\n"));
    assert_non_null(strstr(said, "\r\nConnection: upgrade, close\r\n\r\nthis is a WebSocket\n"));
    rig_fini(&r);
}

static void a_server_without_a_name_has_none(void **state)
{
    rig r;
    char said[SAID_CAP];
    (void)state;
    rig_init(&r, NULL);
    close(upgrade(&r, "/ws", "", said));
    assert_memory_equal(status_of(said), "101", 3);
    assert_null(strstr(said, "Server"));
    rig_fini(&r);
}

static void a_target_is_kept_for_routes_that_want_it(void **state)
{
    rig r;
    char said[SAID_CAP];
    (void)state;
    begin(&r);
    close(upgrade(&r, "/any?a=b", "", said));
    assert_string_equal(r.log, "target:;protocol:;request:/any?a=b;");
    rig_fini(&r);
}

/* Each request for memory of the handshake refused in its turn. */
static void a_handshake_without_memory_is_counted_and_cut(void **state)
{
    enum { MOST = 100 };
    char target[600] = "/ws?";
    (void)state;
    memset(target + 4, 't', sizeof(target) - 5);
    target[sizeof(target) - 1] = '\0';
    int cut = 0;
    bool whole = false;
    for (size_t nth = 1; !whole && nth < MOST; nth++) {
        rig r;
        char said[SAID_CAP];
        test_mem mem;
        test_mem_init(&mem, 0);
        assert_err(try_begin(&r, &mem.mem), TUSK_OK);
        int fd = rig_connect(&r);
        rig_turn(&r, 2);
        mem.fail_at = mem.requests + nth;
        char request[1024];
        (void)snprintf(request, sizeof(request), "GET %s %s", target,
                       rig_upgrade + sizeof("GET /ws ") - 1);
        rig_ask(&r, fd, request, said, sizeof(said));
        whole = mem.requests < mem.fail_at;
        bool opened = r.log_len > 0;
        assert_int_equal(rig_stat(&r, "websockets_total"), opened);
        assert_true(!opened || strstr(r.log, "target:/ws?tttt") != NULL);
        assert_true(opened || rig_stat(&r, "out_of_memory") == 1);
        assert_int_equal(rig_stat(&r, "connections_open"), opened);
        cut += !opened;
        close(fd);
        rig_fini(&r);
        test_mem_assert_empty(&mem);
    }
    assert_true(whole && cut > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_of_another_origin_opens_no_websocket),
        cmocka_unit_test(a_stream_says_which_origin_may_read_it),
        cmocka_unit_test(a_subprotocol_is_one_that_both_have),
#ifdef TUSK_HAVE_ZLIB
        cmocka_unit_test(what_was_agreed_with_one_is_not_with_the_next),
#endif
        cmocka_unit_test(a_malformed_list_of_extensions_is_refused),
        cmocka_unit_test(who_is_accepted_at_once_is_told_with_its_request),
        cmocka_unit_test(what_is_no_handshake_is_not_accepted),
        cmocka_unit_test(where_the_answer_has_no_room_it_is_a_limit),
        cmocka_unit_test(a_stream_has_the_fields_that_keep_it_flowing_and_the_owners),
        cmocka_unit_test(a_stream_of_http_1_0_comes_without_chunks),
        cmocka_unit_test(a_request_is_told_to_its_own_session_alone),
        cmocka_unit_test(frames_that_came_before_it_was_accepted_are_told_then),
        cmocka_unit_test(who_asks_for_no_upgrade_is_told_what_there_is),
        cmocka_unit_test(a_server_without_a_name_has_none),
        cmocka_unit_test(a_target_is_kept_for_routes_that_want_it),
        cmocka_unit_test(a_handshake_without_memory_is_counted_and_cut),
    };
    return cmocka_run_group_tests_name("serve/upgrade", tests, NULL, NULL);
}
