/* SPDX-License-Identifier: MIT */
/* Clients that leave while their answer is owed, with a further request waiting: who is gone ends
 * the exchange, who has only said all it has to say gets every answer. */
#define _GNU_SOURCE
#include "rig.h"

static const char two[] = "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n";

static void on_request(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    rig *r = user;
    (void)route;
    r->last = session;
    rig_log(r, "request:", request->head->target.ptr, request->head->target.len);
}

static void on_gone(void *user, tusk_handle session, void *session_user)
{
    (void)session;
    (void)session_user;
    rig_log(user, "gone", "", 0);
}

static void on_writable(void *user, tusk_handle session, void *route)
{
    (void)session;
    (void)route;
    rig_log(user, "writable", "", 0);
}

static void on_drain(void *user, tusk_handle session, void *route)
{
    (void)session;
    (void)route;
    rig_log(user, "drain", "", 0);
}

static void begin_with(rig *r, size_t queued_bytes_total)
{
    static const tusk_server_handler handler = {.on_request = on_request,
                                                .on_gone = on_gone,
                                                .on_writable = on_writable,
                                                .on_drain = on_drain};
    (void)signal(SIGPIPE, SIG_IGN);
    memset(r, 0, sizeof(*r));
    assert_err(tusk_loop_new(&r->loop, NULL), TUSK_OK);
    tusk_server_options options = {.loop = r->loop, .handler = &handler, .user = r};
    tusk_server_limits_default(&options.limits);
    options.limits.queued_bytes_total =
        queued_bytes_total > 0 ? queued_bytes_total : options.limits.queued_bytes_total;
    assert_err(tusk_server_new(&r->server, &options), TUSK_OK);
    assert_err(tusk_server_route_http(r->server, "GET", "/{name}", NULL), TUSK_OK);
    assert_err(tusk_server_start(r->server, NULL, 0), TUSK_OK);
}

static void begin(rig *r)
{
    begin_with(r, 0);
}

static void await_log(rig *r, const char *log)
{
    uint64_t until = tusk_loop_clock_ns() + UINT64_C(20000000000);
    while (strcmp(r->log, log) != 0) {
        assert_true(tusk_loop_clock_ns() < until);
        assert_err(tusk_loop_turn(r->loop, 5), TUSK_OK);
    }
}

/* Closed at once, with a reset where the protocol has one. */
static void leave(int fd)
{
    const struct linger now = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close(fd);
}

static void who_is_gone_ends_the_exchange(void **state)
{
    (void)state;
    for (int tcp = 0; tcp < 2; tcp++) {
        rig r;
        begin(&r);
        int fd = tcp ? rig_connect_tcp(&r, 0, 0) : rig_connect(&r);
        rig_write(fd, two, sizeof(two) - 1);
        await_log(&r, "request:/a;");
        leave(fd);
        await_log(&r, "request:/a;gone;"); /* the second request is nobody's any more */
        assert_err(
            tusk_reply(r.server, r.last, 200, tusk_bytes_of(NULL, 0), tusk_bytes_str("late"), NULL),
            TUSK_ENOENT);
        rig_fini(&r);
    }
}

static void a_parked_exchange_hears_it_when_it_is_unparked(void **state)
{
    (void)state;
    for (int tcp = 0; tcp < 2; tcp++) {
        rig r;
        begin(&r);
        int fd = tcp ? rig_connect_tcp(&r, 0, 0) : rig_connect(&r);
        rig_write(fd, two, sizeof(two) - 1);
        await_log(&r, "request:/a;");
        tusk_session_park(r.server, r.last);
        leave(fd);
        rig_turn(&r, 5);
        assert_string_equal(r.log, "request:/a;");
        assert_true(tusk_session_exists(r.server, r.last));
        tusk_session_unpark(r.server, r.last);
        await_log(&r, "request:/a;gone;");
        rig_fini(&r);
    }
}

static void who_has_said_all_gets_every_answer(void **state)
{
    (void)state;
    for (int tcp = 0; tcp < 2; tcp++) {
        rig r;
        char text[2048] = "";
        size_t len = 0;
        tusk_loop_counters before;
        tusk_loop_counters after;
        begin(&r);
        int fd = tcp ? rig_connect_tcp(&r, 0, 0) : rig_connect(&r);
        rig_write(fd, two, sizeof(two) - 1);
        assert_int_equal(shutdown(fd, SHUT_WR), 0);
        await_log(&r, "request:/a;");
        rig_turn(&r, 3);
        tusk_loop_count(r.loop, &before);
        rig_turn(&r, 20);
        tusk_loop_count(r.loop, &after);
        assert_int_equal(after.events, before.events); /* and waits without a turn for it */
        assert_string_equal(r.log, "request:/a;");
        assert_err(
            tusk_reply(r.server, r.last, 200, tusk_bytes_of(NULL, 0), tusk_bytes_str("one"), NULL),
            TUSK_OK);
        await_log(&r, "request:/a;request:/b;");
        assert_err(
            tusk_reply(r.server, r.last, 200, tusk_bytes_of(NULL, 0), tusk_bytes_str("two"), NULL),
            TUSK_OK);
        uint64_t until = tusk_loop_clock_ns() + UINT64_C(20000000000);
        while (strstr(text, "two") == NULL) {
            assert_true(tusk_loop_clock_ns() < until);
            assert_err(tusk_loop_turn(r.loop, 5), TUSK_OK);
            len += rig_read(fd, text + len, sizeof(text) - len);
        }
        assert_non_null(strstr(text, "\r\n\r\none"));
        assert_non_null(strstr(text, "\r\n\r\ntwo"));
        close(fd);
        rig_fini(&r);
    }
}

static size_t write_all(rig *r, size_t piece)
{
    static char bytes[1 << 20];
    size_t written = 0;
    tusk_err err;
    memset(bytes, 's', sizeof(bytes));
    while ((err = tusk_reply_write(r->server, r->last, tusk_bytes_of(bytes, piece))) == TUSK_OK) {
        written += piece;
        rig_turn(r, 1);
    }
    assert_err(err, TUSK_ELIMIT);
    return written;
}

static const char one[] = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

/* A producer waits on its own stack, its session parked: it hears of room all the same, and of the
 * end. */
static void a_parked_producer_hears_of_room_and_of_the_end(void **state)
{
    rig r;
    static char text[1 << 20];
    (void)state;
    begin(&r);
    int fd = rig_connect(&r);
    rig_write(fd, one, sizeof(one) - 1);
    await_log(&r, "request:/a;");
    assert_err(tusk_reply_begin(r.server, r.last, 200, tusk_bytes_of(NULL, 0)), TUSK_OK);
    tusk_session_park(r.server, r.last);
    assert_true(write_all(&r, 50000) > 1000000);
    rig_turn(&r, 5);
    assert_string_equal(r.log, "request:/a;"); /* nobody reads: nothing is told */
    uint64_t until = tusk_loop_clock_ns() + UINT64_C(20000000000);
    while (strcmp(r.log, "request:/a;") == 0 && tusk_loop_clock_ns() < until) {
        (void)rig_read(fd, text, sizeof(text));
        rig_turn(&r, 1);
    }
    assert_string_equal(r.log, "request:/a;writable;");
    assert_true(write_all(&r, 50000) > 0);
    close(fd);
    await_log(&r, "request:/a;writable;writable;");
    assert_err(tusk_reply_write(r.server, r.last, tusk_bytes_str("x")), TUSK_ESTATE);
    tusk_session_unpark(r.server, r.last);
    await_log(&r, "request:/a;writable;writable;gone;");
    rig_fini(&r);
}

enum { CLIENTS = 6 };

static void begin_streams(rig *r, int *fds, tusk_handle *handles)
{
    char asked[CLIENTS * 16] = "";
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = rig_connect(r);
        rig_write(fds[i], one, sizeof(one) - 1);
        strcat(asked, "request:/a;");
        await_log(r, asked);
        handles[i] = r->last;
        assert_err(tusk_reply_begin(r->server, handles[i], 200, tusk_bytes_of(NULL, 0)), TUSK_OK);
        tusk_session_park(r->server, handles[i]);
    }
}

/* Six that read slowly, of whom each may have a quarter of queued_bytes: together more than all
 * may. Their producers can wait, so nobody is cut for it, and whoever reads goes on. */
static void producers_wait_where_the_queues_of_all_are_half_full(void **state)
{
    enum { PIECE = 50000 };
    static char bytes[PIECE];
    static char text[1 << 20];
    rig r;
    int fds[CLIENTS];
    tusk_handle handles[CLIENTS];
    (void)state;
    begin_with(&r, 16u << 20);
    begin_streams(&r, fds, handles);
    for (int round = 0; round < 4000; round++) {
        r.last = handles[round % CLIENTS];
        tusk_err err = tusk_reply_write(r.server, r.last, tusk_bytes_of(bytes, sizeof(bytes)));
        assert_true(err == TUSK_OK || err == TUSK_ELIMIT);
        rig_turn(&r, round % 64 == 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        assert_true(tusk_session_exists(r.server, handles[i]));
    }
    assert_null(strstr(r.log, "writable"));
    uint64_t until = tusk_loop_clock_ns() + UINT64_C(20000000000);
    while (strstr(r.log, "writable") == NULL && tusk_loop_clock_ns() < until) {
        (void)rig_read(fds[0], text, sizeof(text));
        rig_turn(&r, 1);
    }
    assert_err(tusk_reply_write(r.server, handles[0], tusk_bytes_of(bytes, sizeof(bytes))),
               TUSK_OK);
    for (int i = 0; i < CLIENTS; i++) {
        close(fds[i]);
        tusk_session_unpark(r.server, handles[i]);
    }
    rig_turn(&r, 3);
    rig_fini(&r);
}

/* Its connection is gone then, and nothing is told of one that is parked: who took the refusal for
 * one that passes would wait for ever. */
static void a_parked_producer_does_not_wait_where_the_queues_of_all_are_full(void **state)
{
    enum { PIECE = 4 << 20 };
    static char bytes[PIECE];
    rig r;
    int fds[CLIENTS];
    tusk_handle handles[CLIENTS];
    int writable = 0;
    int refused = 0;
    (void)state;
    begin_with(&r, 16u << 20); /* one piece fits where nothing waits, whatever others have */
    begin_streams(&r, fds, handles);
    bool waits[CLIENTS] = {false};
    for (int round = 0; round < 4000; round++) {
        int i = round % CLIENTS;
        if (waits[i]) {
            continue;
        }
        tusk_err err = tusk_reply_write(r.server, handles[i], tusk_bytes_of(bytes, sizeof(bytes)));
        waits[i] = err != TUSK_OK;
        writable += err == TUSK_ELIMIT;
        refused += err == TUSK_ESTATE;
    }
    rig_turn(&r, 3);
    assert_true(refused > 0);
    for (int i = 0; i < CLIENTS; i++) {
        close(fds[i]);
    }
    rig_turn(&r, 20);
    int told = 0;
    for (const char *at = r.log; (at = strstr(at, "writable;")) != NULL; at++) {
        told++;
    }
    assert_int_equal(told, writable); /* whoever was told to wait has heard */
    for (int i = 0; i < CLIENTS; i++) {
        tusk_session_unpark(r.server, handles[i]);
    }
    rig_turn(&r, 3);
    rig_fini(&r);
}

/* Little waits, but too much for a large piece: that little leaves at once, and who waits has to
 * hear it. */
static void room_for_a_large_piece_is_told_behind_a_short_queue(void **state)
{
    rig r;
    static char large[5 << 20];
    (void)state;
    begin(&r);
    int fd = rig_connect(&r);
    rig_write(fd, one, sizeof(one) - 1);
    await_log(&r, "request:/a;");
    assert_err(tusk_reply_begin(r.server, r.last, 200, tusk_bytes_of(NULL, 0)), TUSK_OK);
    tusk_session_park(r.server, r.last);
    assert_err(tusk_reply_write(r.server, r.last, tusk_bytes_str("few")), TUSK_OK);
    assert_err(tusk_reply_write(r.server, r.last, tusk_bytes_of(large, sizeof(large))),
               TUSK_ELIMIT);
    await_log(&r, "request:/a;writable;");
    assert_err(tusk_reply_write(r.server, r.last, tusk_bytes_of(large, sizeof(large))), TUSK_OK);
    tusk_session_unpark(r.server, r.last);
    close(fd);
    await_log(&r, "request:/a;writable;gone;");
    rig_fini(&r);
}

/* Who does not wait on a parked session hears it as well, and once. */
static void a_client_that_has_taken_enough_is_told(void **state)
{
    rig r;
    char text[64 * 1024];
    (void)state;
    begin(&r);
    int fd = rig_connect(&r);
    rig_write(fd, one, sizeof(one) - 1);
    await_log(&r, "request:/a;");
    assert_err(tusk_reply_begin(r.server, r.last, 200, tusk_bytes_of(NULL, 0)), TUSK_OK);
    assert_true(write_all(&r, 50000) > 0);
    rig_turn(&r, 3);
    assert_null(strstr(r.log, "drain"));
    uint64_t until = tusk_loop_clock_ns() + UINT64_C(20000000000);
    while (strstr(r.log, "drain") == NULL && tusk_loop_clock_ns() < until) {
        (void)rig_read(fd, text, sizeof(text));
        rig_turn(&r, 1);
    }
    assert_err(tusk_reply_end(r.server, r.last), TUSK_OK);
    while (rig_read(fd, text, sizeof(text)) > 0) {
        rig_turn(&r, 2);
    }
    const char *told = strstr(r.log, "drain;");
    assert_non_null(told);
    assert_null(strstr(told + 1, "drain;"));
    close(fd);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_gone_ends_the_exchange),
        cmocka_unit_test(a_parked_exchange_hears_it_when_it_is_unparked),
        cmocka_unit_test(a_parked_producer_hears_of_room_and_of_the_end),
        cmocka_unit_test(producers_wait_where_the_queues_of_all_are_half_full),
        cmocka_unit_test(a_parked_producer_does_not_wait_where_the_queues_of_all_are_full),
        cmocka_unit_test(room_for_a_large_piece_is_told_behind_a_short_queue),
        cmocka_unit_test(a_client_that_has_taken_enough_is_told),
        cmocka_unit_test(who_has_said_all_gets_every_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
