/* SPDX-License-Identifier: MIT */
/* An event stream by itself: what it is written, what it takes of its client, and how it ends. */
#define _GNU_SOURCE
#include "rig_session.h"

static void say_close(void *user, tusk_handle session, void *route, uint16_t code,
                      tusk_bytes reason, tusk_close_kind kind, void *session_user)
{
    rig_on_close(user, session, route, code, reason, kind, session_user);
    rig_log(user,
            kind == TUSK_CLOSED_BY_PEER ? "peer"
            : kind == TUSK_CLOSED_BY_US ? "us"
                                        : "lost",
            "", 0);
}

static void begin(rig *r, const tusk_server_limits *limits)
{
    static const tusk_server_handler handler = {.on_open = rig_on_open, .on_close = say_close};
    memset(r, 0, sizeof(*r));
    (void)signal(SIGPIPE, SIG_IGN);
    assert_err(tusk_loop_new(&r->loop, NULL), TUSK_OK);
    tusk_server_options options = {.loop = r->loop, .handler = &handler, .user = r};
    tusk_server_limits_default(&options.limits);
    options.limits = limits == NULL ? options.limits : *limits;
    const tusk_events_options events = {.any_origin = true};
    const tusk_websocket_options ws = {.any_origin = true};
    assert_err(tusk_server_new(&r->server, &options), TUSK_OK);
    assert_err(tusk_server_route_events(r->server, "/events", &events, NULL), TUSK_OK);
    assert_err(tusk_server_route_websocket(r->server, "/ws", &ws, NULL), TUSK_OK);
    assert_err(tusk_server_start(r->server, NULL, 0), TUSK_OK);
}

static tusk_err send_event(rig *r, const char *data)
{
    const tusk_bytes none = {NULL, 0};
    return tusk_stream_send(r->server, r->last, none, none, false, tusk_bytes_str(data));
}

static void expect_written(rig *r, int fd, const char *bytes)
{
    char said[512];
    rig_turn(r, 2);
    rig_read(fd, said, sizeof(said));
    assert_string_equal(said, bytes);
}

static void each_command_writes_its_own_bytes_and_no_others(void **state)
{
    rig r;
    (void)state;
    begin(&r, NULL);
    int fd = rig_stream(&r);
    assert_err(send_event(&r, "one"), TUSK_OK);
    assert_err(send_event(&r, "two"), TUSK_OK);
    expect_written(&r, fd, "b\r\ndata: one\n\n\r\nb\r\ndata: two\n\n\r\n");
    assert_err(tusk_stream_comment(r.server, r.last, tusk_bytes_str("c")), TUSK_OK);
    assert_err(tusk_stream_retry(r.server, r.last, 50), TUSK_OK);
    expect_written(&r, fd, "5\r\n: c\n\n\r\nb\r\nretry: 50\n\n\r\n");
    assert_err(tusk_stream_close(r.server, r.last), TUSK_OK);
    expect_written(&r, fd, "0\r\n\r\n");
    close(fd);
    rig_fini(&r);
}

/* RFC 9112, 6.1 and 6.3: nothing in chunks, and its end is that of the connection. */
static void to_http_1_0_nothing_is_written_in_chunks(void **state)
{
    static const char ask[] = "GET /events HTTP/1.0\r\n\r\n";
    rig r;
    char said[2048];
    (void)state;
    begin(&r, NULL);
    int fd = rig_connect(&r);
    rig_ask(&r, fd, ask, said, sizeof(said));
    assert_non_null(strstr(said, "\r\n\r\n:\n\n"));
    assert_err(send_event(&r, "one"), TUSK_OK);
    expect_written(&r, fd, "data: one\n\n");
    assert_err(tusk_stream_close(r.server, r.last), TUSK_OK);
    rig_turn(&r, 2);
    assert_int_equal(read(fd, said, sizeof(said)), 0);
    close(fd);
    rig_fini(&r);
}

static void expect_refused(rig *r, tusk_err err)
{
    assert_err(send_event(r, "x"), err);
    assert_err(tusk_stream_comment(r->server, r->last, tusk_bytes_str("x")), err);
    assert_err(tusk_stream_retry(r->server, r->last, 1), err);
    assert_err(tusk_stream_close(r->server, r->last), err);
}

static void what_is_no_open_stream_is_written_nothing(void **state)
{
    rig r;
    (void)state;
    begin(&r, NULL);
    int ws = rig_websocket(&r);
    expect_refused(&r, TUSK_ESTATE);
    expect_written(&r, ws, "");
    int fd = rig_stream(&r);
    assert_err(tusk_stream_close(r.server, r.last), TUSK_OK);
    expect_refused(&r, TUSK_ESTATE);
    expect_written(&r, fd, "0\r\n\r\n");
    close(fd);
    rig_turn(&r, 4);
    expect_refused(&r, TUSK_ENOENT);
    close(ws);
    rig_fini(&r);
}

static void its_owner_is_told_who_has_ended_it(void **state)
{
    rig r;
    (void)state;
    begin(&r, NULL);
    int fd = rig_stream(&r);
    close(fd);
    rig_turn(&r, 4);
    assert_string_equal(r.log, "open;close:1001;peer;");
    r.log_len = 0;
    fd = rig_stream(&r);
    assert_err(tusk_stream_close(r.server, r.last), TUSK_OK);
    close(fd);
    rig_turn(&r, 4);
    assert_string_equal(r.log, "open;close:1000;us;");
    assert_int_equal(rig_stat(&r, "streams_total"), 2);
    assert_int_equal(rig_stat(&r, "streams_open"), 0);
    rig_fini(&r);
}

/* A head's length, and each byte once; that of its own request was another one's. */
static void what_a_client_sends_on_is_counted_once(void **state)
{
    enum { PART = 100, PARTS = 150, HEAD = 12000 };
    static char request[HEAD + 64];
    static char part[PART];
    rig r;
    char said[2048];
    (void)state;
    begin(&r, NULL);
    int fd = rig_connect(&r);
    (void)snprintf(request, sizeof(request), "GET /events HTTP/1.1\r\nHost: x\r\nX: %0*d\r\n\r\n",
                   HEAD, 0);
    rig_ask(&r, fd, request, said, sizeof(said));
    for (int i = 0; i < PARTS; i++) {
        rig_write(fd, part, PART);
        rig_turn(&r, 1);
    }
    assert_int_equal(rig_stat(&r, "protocol_errors"), 0);
    assert_int_equal(rig_stat(&r, "streams_open"), 1);
    close(fd);
    rig_fini(&r);
}

/* What was published before leaves before. */
static void its_own_events_come_behind_those_published_before(void **state)
{
    rig r;
    char said[512];
    (void)state;
    begin(&r, NULL);
    r.topic = "t";
    int fd = rig_stream(&r);
    rig_publish(&r, "t", "published", NULL);
    assert_err(send_event(&r, "own"), TUSK_OK);
    rig_turn(&r, 2);
    rig_read(fd, said, sizeof(said));
    const char *published = strstr(said, "data: published\n");
    const char *own = strstr(said, "data: own\n");
    assert_true(published != NULL && own != NULL && published < own);
    close(fd);
    rig_fini(&r);
}

static void no_heartbeats_where_there_is_no_time_for_them(void **state)
{
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.heartbeat_ms = 0;
    still_begin();
    begin(&r, &limits);
    int fd = rig_stream(&r);
    still_pass_ms(100000);
    rig_turn(&r, 10);
    assert_int_equal(rig_stat(&r, "heartbeats"), 0);
    close(fd);
    rig_fini(&r);
    still_end();
}

/* As long as the queue may be, what frames it beside; the next one ends the stream. */
static void a_write_that_does_not_fit_ends_it(void **state)
{
    enum { QUEUE = 400000 };
    static char much[QUEUE];
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = QUEUE;
    memset(much, 'x', QUEUE);
    begin(&r, &limits);
    int fd = rig_stream(&r);
    assert_err(tusk_stream_comment(r.server, r.last, tusk_bytes_of(much, QUEUE)), TUSK_OK);
    assert_err(tusk_stream_comment(r.server, r.last, tusk_bytes_of(much, QUEUE)), TUSK_ELIMIT);
    assert_err(send_event(&r, "x"), TUSK_ESTATE);
    assert_int_equal(rig_stat(&r, "sends_refused"), 1);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 1);
    close(fd);
    rig_turn(&r, 4);
    fd = rig_stream(&r);
    tusk_net_reserve(r.server->net, tusk_net_room(r.server->net)); /* all queues are full */
    assert_err(send_event(&r, "x"), TUSK_ELIMIT);
    assert_err(send_event(&r, "x"), TUSK_ESTATE);
    assert_int_equal(rig_stat(&r, "sends_refused"), 2);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 2);
    close(fd);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_command_writes_its_own_bytes_and_no_others),
        cmocka_unit_test(to_http_1_0_nothing_is_written_in_chunks),
        cmocka_unit_test(what_is_no_open_stream_is_written_nothing),
        cmocka_unit_test(its_owner_is_told_who_has_ended_it),
        cmocka_unit_test(what_a_client_sends_on_is_counted_once),
        cmocka_unit_test(its_own_events_come_behind_those_published_before),
        cmocka_unit_test(no_heartbeats_where_there_is_no_time_for_them),
        cmocka_unit_test(a_write_that_does_not_fit_ends_it),
    };
    return cmocka_run_group_tests_name("serve/stream", tests, NULL, NULL);
}
