/* SPDX-License-Identifier: MIT */
/* Where two mechanisms meet: batches and the log's ring, short queues and large messages, parking
 * and deadlines. */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "rig.h"

static void sleep_ms(rig *r, uint64_t ms)
{
    uint64_t until = tusk_loop_clock_ns() + ms * 1000000u;
    while (tusk_loop_clock_ns() < until) {
        assert_int_equal(tusk_loop_turn(r->loop, 1), TUSK_OK);
    }
}

static tusk_server_limits default_limits(void)
{
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    return limits;
}

static void what_nobody_wants_does_not_overwrite_the_open_batch(void **state)
{
    rig r;
    char text[512];
    char other[1001];
    tusk_server_limits limits = default_limits();
    (void)state;
    limits.history_bytes = 65536;
    rig_init(&r, &limits);
    r.topic = "t";
    int ws = rig_websocket(&r);
    memset(other, 'x', 1000);
    other[1000] = '\0';
    rig_publish(&r, "t", "hello", NULL);
    for (int i = 0; i < 200; i++) {
        rig_publish(&r, "nobody", other, NULL);
    }
    rig_turn(&r, 2);
    rig_read(ws, text, sizeof(text));
    assert_string_equal(text, "\x81\x05hello");
    close(ws);
    rig_fini(&r);
}

/* A few bytes wait, then comes a message past the soft limit: nothing ever drains, and yet it has
 * to leave. */
static void a_large_message_behind_a_short_queue_leaves(void **state)
{
    rig r;
    static char large[100001];
    static char text[200000];
    (void)state;
    memset(large, 'x', 100000);
    rig_init(&r, NULL);
    r.topic = "t";
    r.overflow = TUSK_OVERFLOW_DROP_OLDEST;
    int ws = rig_websocket(&r);
    int big = 1 << 20;
    (void)setsockopt(ws, SOL_SOCKET, SO_RCVBUF, &big, sizeof(big));
    assert_int_equal(
        tusk_websocket_send(r.server, r.last, TUSK_WS_TEXT, tusk_bytes_str("a"), NULL, NULL),
        TUSK_OK);
    rig_publish(&r, "t", large, NULL);
    rig_turn(&r, 4);
    size_t len = rig_read(ws, text, sizeof(text));
    rig_turn(&r, 4);
    len += rig_read(ws, text + len, sizeof(text) - len);
    assert_int_equal(len, 3 + 10 + 100000);
    close(ws);
    rig_fini(&r);
}

static void only_what_is_given_counts_as_delivered(void **state)
{
    rig r;
    tusk_position position;
    tusk_server_stats stats;
    (void)state;
    rig_init(&r, NULL);
    rig_publish(&r, "t", "old", &position);
    rig_publish(&r, "other", "no", NULL);
    rig_publish(&r, "t", "new", NULL);
    rig_publish(&r, "other", "no", NULL);
    r.topic = "t";
    r.since = &position;
    int fd = rig_websocket(&r);
    rig_turn(&r, 2);
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.delivered, 1);
    close(fd);
    rig_fini(&r);
}

/* The handle would be dead before the unpark, and the connection parked for ever. */
static void a_parked_session_misses_no_pong_and_ends(void **state)
{
    rig r;
    char text[512];
    tusk_server_stats stats;
    tusk_server_limits limits = default_limits();
    (void)state;
    limits.ping_ms = 10;
    limits.pong_ms = 10;
    limits.idle_ms = 40;
    limits.drain_ms = 20;
    rig_init(&r, &limits);
    int ws = rig_websocket(&r);
    tusk_session_park(r.server, r.last);
    sleep_ms(&r, 100);
    assert_string_equal(r.log, "open;");
    assert_true(tusk_session_open(r.server, r.last));
    rig_read(ws, text, sizeof(text)); /* pings go on */
    assert_memory_equal(text, "\x89\x00", 2);
    rig_send(ws, 0x8a, "", 0); /* its pong */
    rig_send(ws, 0x81, "late", 4);
    tusk_session_unpark(r.server, r.last);
    rig_turn(&r, 3);
    assert_string_equal(r.log, "open;text:late;");
    close(ws);
    tusk_server_stop(r.server);
    sleep_ms(&r, 60);
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.connections_open, 0);
    assert_int_equal(r.stopped, 1);
    rig_fini(&r);
}

static void begin_without_body(void *user, tusk_handle session, void *route,
                               const tusk_request *request)
{
    rig *r = user;
    (void)route;
    (void)request;
    assert_int_equal(tusk_reply_begin(r->server, session, 204, tusk_bytes_of(NULL, 0)), TUSK_OK);
    assert_int_equal(tusk_reply_write(r->server, session, tusk_bytes_str("HTTP/1.1 200 OK\r\n")),
                     TUSK_OK);
    assert_int_equal(tusk_reply_end(r->server, session), TUSK_OK);
}

/* Answered first, then read: what the request says is there until the callback returns. */
static void answer_then_read(void *user, tusk_handle session, void *route,
                             const tusk_request *request)
{
    rig *r = user;
    (void)route;
    assert_int_equal(
        tusk_reply(r->server, session, 200, tusk_bytes_of(NULL, 0), tusk_bytes_str("ok"), NULL),
        TUSK_OK);
    rig_log(r, "request:", request->head->target.ptr, request->head->target.len);
    tusk_payload_drop(r->server, request->body_taken);
}

static void answer_then_park(void *user, tusk_handle session, void *route,
                             const tusk_request *request)
{
    rig *r = user;
    (void)route;
    r->last = session;
    rig_log(r, "request:", request->head->target.ptr, request->head->target.len);
    assert_int_equal(
        tusk_reply(r->server, session, 200, tusk_bytes_of(NULL, 0), tusk_bytes_str("ok"), NULL),
        TUSK_OK);
    tusk_session_park(r->server, session);
}

static void init_with(rig *r, const tusk_server_handler *handler)
{
    memset(r, 0, sizeof(*r));
    assert_int_equal(tusk_loop_new(&r->loop, NULL), TUSK_OK);
    tusk_server_options options = {.loop = r->loop, .handler = handler, .user = r};
    tusk_server_limits_default(&options.limits);
    assert_int_equal(tusk_server_new(&r->server, &options), TUSK_OK);
    assert_int_equal(tusk_server_route_http(r->server, "GET", "/", NULL), TUSK_OK);
    assert_int_equal(tusk_server_route_http(r->server, "POST", "/post", NULL), TUSK_OK);
    assert_int_equal(tusk_server_start(r->server, NULL, 0), TUSK_OK);
}

/* An open handler that stays for the session's whole life: the turns inside stand for the other
 * stack on which the loop goes on. */
static void stay_in_open(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    rig *r = user;
    (void)route;
    (void)request;
    r->last = session;
    rig_log(r, "open", "", 0);
    tusk_session_detach(r->server, session);
    tusk_session_detach(r->server, session); /* harmless */
    rig_turn(r, 4);
    rig_log(r, "opened", "", 0);
}

static void a_session_goes_on_while_a_detached_on_open_stays(void **state)
{
    static const tusk_server_handler handler = {.on_request = rig_on_request,
                                                .on_open = stay_in_open,
                                                .on_message = rig_on_message,
                                                .on_close = rig_on_close};
    const tusk_websocket_options ws = {.any_origin = true};
    rig r;
    char text[1024];
    uint8_t frame[64];
    (void)state;
    init_with(&r, &handler);
    r.echo = true;
    assert_err(tusk_server_route_websocket(r.server, "/ws", &ws, NULL), TUSK_OK);
    int fd = rig_connect(&r);
    rig_write(fd, rig_upgrade, sizeof(rig_upgrade) - 1);
    size_t first = rig_frame(frame, 0x81, "behind the handshake", 20);
    rig_write(fd, frame, first);
    rig_send(fd, 0x88, "\x03\xe8", 2);
    for (int i = 0; i < 6 && strstr(r.log, "opened") == NULL; i++) {
        (void)tusk_loop_turn(r.loop, 0); /* superseded by the turns inside */
    }
    assert_string_equal(r.log, "open;text:behind the handshake;close:1000;opened;");
    rig_turn(&r, 2);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "HTTP/1.1 101 "));
    assert_non_null(strstr(text, "behind the handshake"));
    assert_false(tusk_session_exists(r.server, r.last));
    close(fd);
    rig_fini(&r);
}

static void a_streamed_204_has_no_body_and_no_coding(void **state)
{
    static const tusk_server_handler handler = {.on_request = begin_without_body};
    rig r;
    char text[1024];
    (void)state;
    init_with(&r, &handler);
    int fd = rig_connect(&r);
    rig_write(fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "HTTP/1.1 204 "));
    assert_null(strstr(text, "Transfer-Encoding"));
    assert_string_equal(strstr(text, "\r\n\r\n"), "\r\n\r\n");
    close(fd);
    rig_fini(&r);
}

static void a_request_can_be_read_after_its_answer(void **state)
{
    static const tusk_server_handler handler = {.on_request = answer_then_read};
    static const char head[] = "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n";
    rig r;
    (void)state;
    init_with(&r, &handler);
    int fd = rig_connect(&r);
    rig_write(fd, head, sizeof(head) - 1);
    rig_turn(&r, 2);
    rig_write(fd, "body", 4);
    rig_turn(&r, 2);
    assert_string_equal(r.log, "request:/post;");
    close(fd);
    rig_fini(&r);
}

static void a_session_parked_after_its_answer_gets_no_request(void **state)
{
    static const tusk_server_handler handler = {.on_request = answer_then_park};
    static const char two[] =
        "GET /?1 HTTP/1.1\r\nHost: x\r\n\r\nGET /?2 HTTP/1.1\r\nHost: x\r\n\r\n";
    rig r;
    (void)state;
    init_with(&r, &handler);
    int fd = rig_connect(&r);
    rig_write(fd, two, sizeof(two) - 1);
    rig_turn(&r, 3);
    assert_string_equal(r.log, "request:/?1;");
    tusk_session_unpark(r.server, r.last);
    rig_turn(&r, 3);
    assert_string_equal(r.log, "request:/?1;request:/?2;");
    tusk_session_unpark(r.server, r.last);
    close(fd);
    rig_fini(&r);
}

static void a_gap_is_said_before_what_is_live(void **state)
{
    rig r;
    char text[1024];
    tusk_position position;
    (void)state;
    rig_init(&r, NULL);
    rig_lose_place(&r, &position);
    int ws = rig_connect(&r);
    rig_write(ws, rig_upgrade, sizeof(rig_upgrade) - 1);
    int sse = rig_connect(&r);
    static const char request[] = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";
    rig_write(sse, request, sizeof(request) - 1);
    r.publish_on_open = true;
    rig_turn(&r, 4);
    rig_read(ws, text, sizeof(text));
    char *live = strstr(text, "live");
    char *reset = strstr(text, "reset");
    assert_true(live != NULL && reset != NULL && reset < live);
    rig_read(sse, text, sizeof(text));
    live = strstr(text, "live");
    reset = strstr(text, "reset");
    assert_true(live != NULL && reset != NULL && reset < live);
    close(ws);
    close(sse);
    rig_fini(&r);
}

/* Whoever wants to know little registers little. */
static void callbacks_left_out_are_not_called_and_needed_ones_are_asked_for(void **state)
{
    rig r;
    char text[512];
    static const tusk_server_handler silent;
    const tusk_websocket_options open = {.any_origin = true};
    const tusk_websocket_options asked = {.any_origin = true, .authorize = true};
    (void)state;
    memset(&r, 0, sizeof(r));
    assert_err(tusk_loop_new(&r.loop, NULL), TUSK_OK);
    tusk_server_options options = {.loop = r.loop, .handler = NULL};
    tusk_server_limits_default(&options.limits);
    assert_err(tusk_server_new(&r.server, &options), TUSK_EINVAL);
    options.handler = &silent;
    options.server_name = "one\r\nSet-Cookie: two"; /* would split every answer */
    assert_err(tusk_server_new(&r.server, &options), TUSK_EINVAL);
    options.server_name = NULL;
    assert_err(tusk_server_new(&r.server, &options), TUSK_OK);
    for (size_t i = 0; i < 3; i++) {
        const tusk_bytes name = tusk_bytes_str(((const char *[]){"", "a b", "a\r\nb"})[i]);
        const tusk_websocket_options bad = {.subprotocols = &name, .subprotocol_count = 1};
        assert_err(tusk_server_route_websocket(r.server, "/bad", &bad, NULL), TUSK_EINVAL);
    }
    assert_err(tusk_server_route_http(r.server, "GET", "/", NULL), TUSK_EINVAL);
    assert_err(tusk_server_route_websocket(r.server, "/asked", &asked, NULL), TUSK_EINVAL);
    assert_err(tusk_server_route_events(
                   r.server, "/asked",
                   &(tusk_events_options){.any_origin = true, .authorize = true}, NULL),
               TUSK_EINVAL);
    assert_err(tusk_server_route_websocket(r.server, "/ws", &open, NULL), TUSK_OK);
    assert_err(tusk_server_route_events(r.server, "/events",
                                        &(tusk_events_options){.any_origin = true}, NULL),
               TUSK_OK);
    assert_err(tusk_server_start(r.server, NULL, 0), TUSK_OK);
    int ws = rig_websocket(&r);
    int stream = rig_stream(&r);
    rig_send(ws, 0x81, "hello", 5);
    rig_send(ws, 0x01, "cut ", 4); /* a payload of the store's */
    rig_send(ws, 0x80, "message", 7);
    rig_send(ws, 0x88, "\x03\xe8", 2);
    close(stream);
    rig_turn(&r, 4);
    assert_int_equal(rig_read(ws, text, sizeof(text)), 4);
    assert_memory_equal(text, "\x88\x02\x03\xe8", 4);
    close(ws);
    int aborted = rig_websocket(&r);
    close(aborted);
    rig_turn(&r, 2);
    int idle = rig_connect(&r);
    tusk_server_stop(r.server);
    sleep_ms(&r, 20);
    close(idle);
    rig_fini(&r);
}

static void head_of_a_stream_is_its_head_and_opens_none(void **state)
{
    static const struct {
        const char *head;
        const char *line;
        const char *end;
    } asked[] = {
        {"HEAD /events HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 OK\r\n",
         "Transfer-Encoding: chunked\r\n\r\n"},
        {"HEAD /events HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n", "Connection: close\r\n\r\n"},
        {"HEAD /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK\r\n",
         "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"},
        {"OPTIONS /events HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 204 No Content\r\n",
         "Allow: GET, HEAD, OPTIONS\r\n\r\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        rig r;
        char text[1024];
        tusk_server_stats stats;
        rig_init(&r, NULL);
        int fd = rig_connect(&r);
        rig_write(fd, asked[i].head, strlen(asked[i].head));
        rig_turn(&r, 3);
        size_t len = rig_read(fd, text, sizeof(text));
        assert_memory_equal(text, asked[i].line, strlen(asked[i].line));
        assert_string_equal(text + len - strlen(asked[i].end), asked[i].end);
        assert_true(strstr(text, "204") != NULL ||
                    strstr(text, "Content-Type: text/event-stream\r\n") != NULL);
        assert_string_equal(r.log, "");
        tusk_server_stats_get(r.server, &stats);
        assert_int_equal(stats.streams_total, 0);
        close(fd);
        rig_fini(&r);
    }
}

/* RFC 9112, 9.6: who asks for the close is told that it comes. */
static void a_stream_says_how_it_ends(void **state)
{
    static const char *const asked[][2] = {
        {"GET /events HTTP/1.1\r\nHost: x\r\n\r\n",
         "Transfer-Encoding: chunked\r\n\r\n3\r\n:\n\n\r\n"},
        {"GET /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
         "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\n:\n\n\r\n"},
        {"GET /events HTTP/1.0\r\n\r\n", "\r\nConnection: close\r\n\r\n:\n\n"},
        {"GET /events HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
         "\r\nConnection: close\r\n\r\n:\n\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        rig r;
        char text[1024];
        rig_init(&r, NULL);
        int fd = rig_connect(&r);
        rig_write(fd, asked[i][0], strlen(asked[i][0]));
        rig_turn(&r, 3);
        size_t len = rig_read(fd, text, sizeof(text));
        assert_string_equal(text + len - strlen(asked[i][1]), asked[i][1]);
        assert_string_equal(r.log, "open;");
        close(fd);
        rig_fini(&r);
    }
}

static void head_of_a_stream_keeps_the_connection_and_nothing_of_its_target(void **state)
{
    static const char both[] = "HEAD /events?first HTTP/1.1\r\nHost: x\r\n\r\n"
                               "GET /events?second HTTP/1.1\r\nHost: x\r\n\r\n";
    rig r;
    char text[1024];
    (void)state;
    rig_init(&r, NULL);
    int fd = rig_connect(&r);
    rig_write(fd, both, sizeof(both) - 1);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    assert_non_null(strstr(text, "chunked\r\n\r\nHTTP/1.1 200 OK\r\n"));
    assert_string_equal(r.log, "open;");
    tusk_bytes target = tusk_session_target(r.server, r.last);
    assert_int_equal(target.len, strlen("/events?second"));
    assert_memory_equal(target.ptr, "/events?second", target.len);
    close(fd);
    rig_fini(&r);
}

/* The path is on this site; a Location of "//other.example/" is not. */
static void a_folder_without_slash_never_redirects_to_another_site(void **state)
{
    static const char *const targets[] = {"//other.example/%2e%2e/folder",
                                          "///other.example/..//folder", "/folder?a=b&c", "/below"};
    static const tusk_server_handler handler = {0};
    char directory[TEST_TEMP_MAX];
    char folder[64];
    rig r;
    (void)state;
    test_temp_dir(directory, "seams");
    snprintf(folder, sizeof(folder), "%s/folder", directory);
    assert_int_equal(mkdir(folder, 0700), 0);
    memset(&r, 0, sizeof(r));
    assert_int_equal(tusk_loop_new(&r.loop, NULL), TUSK_OK);
    tusk_server_options options = {.loop = r.loop, .handler = &handler, .user = &r};
    tusk_server_limits_default(&options.limits);
    assert_int_equal(tusk_server_new(&r.server, &options), TUSK_OK);
    const tusk_files_options here = {.directory = directory};
    assert_int_equal(tusk_server_route_files(r.server, "/", &here), TUSK_OK);
    assert_int_equal(tusk_server_route_files(r.server, "/below", &here), TUSK_OK);
    assert_int_equal(tusk_server_start(r.server, NULL, 0), TUSK_OK);
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        char text[1024];
        int fd = rig_connect(&r);
        int n = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", targets[i]);
        rig_write(fd, text, (size_t)n);
        rig_turn(&r, 3);
        rig_read(fd, text, sizeof(text));
        assert_non_null(strstr(text, " 301 "));
        const char *location = strstr(text, "Location: /");
        assert_non_null(location);
        assert_true(location[11] != '/' && location[11] != '\\');
        bool asks = strchr(targets[i], '?') != NULL;
        assert_int_equal(strstr(location, "/folder/?a=b&c\r\n") != NULL, asks);
        close(fd);
    }
    rig_fini(&r);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nobody_wants_does_not_overwrite_the_open_batch),
        cmocka_unit_test(a_large_message_behind_a_short_queue_leaves),
        cmocka_unit_test(only_what_is_given_counts_as_delivered),
        cmocka_unit_test(a_parked_session_misses_no_pong_and_ends),
        cmocka_unit_test(a_session_goes_on_while_a_detached_on_open_stays),
        cmocka_unit_test(a_streamed_204_has_no_body_and_no_coding),
        cmocka_unit_test(a_request_can_be_read_after_its_answer),
        cmocka_unit_test(a_session_parked_after_its_answer_gets_no_request),
        cmocka_unit_test(a_gap_is_said_before_what_is_live),
        cmocka_unit_test(callbacks_left_out_are_not_called_and_needed_ones_are_asked_for),
        cmocka_unit_test(head_of_a_stream_is_its_head_and_opens_none),
        cmocka_unit_test(a_stream_says_how_it_ends),
        cmocka_unit_test(head_of_a_stream_keeps_the_connection_and_nothing_of_its_target),
        cmocka_unit_test(a_folder_without_slash_never_redirects_to_another_site),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
