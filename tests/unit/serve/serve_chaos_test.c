/* SPDX-License-Identifier: MIT */
/* Chaos: owners do anything in any callback, to any session, and clients do anything at any time;
 * what the header promises is checked throughout. */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "chaos_peer.h"

enum { PEERS = 12, KNOWN = 64, STEPS = 40000 };

typedef struct known {
    tusk_handle handle;
    unsigned parks;
    bool busy; /* a callback of it is under way */
    bool open;
    bool gone;
} known;

static struct {
    test_mem mem;
    tusk_loop *loop;
    tusk_server *server;
    peer peers[PEERS];
    known known[KNOWN];
    size_t known_next;
    tusk_position positions[4];
    int opens, closes, stopped;
    int depth;
    bool starving; /* allocations fail now and then */
    bool may_stop;
    char file[64];
} t;

static known *find(tusk_handle handle)
{
    for (size_t i = 0; i < KNOWN; i++) {
        known *each = &t.known[i];
        if (each->handle.slot == handle.slot && each->handle.generation == handle.generation) {
            return each;
        }
    }
    return NULL;
}

/* A callback for a session comes one at a time, never while it is parked, never after its end. */
static known *enter(tusk_handle handle)
{
    known *it = find(handle);
    if (it == NULL) {
        it = &t.known[t.known_next++ % KNOWN];
        while (it->parks > 0 || it->busy || it->open) {
            it = &t.known[t.known_next++ % KNOWN];
        }
        *it = (known){.handle = handle};
    }
    assert_false(it->busy);
    assert_false(it->gone);
    assert_int_equal(it->parks, 0);
    assert_true(tusk_session_exists(t.server, handle));
    it->busy = true;
    return it;
}

static const tusk_bytes nothing = {NULL, 0};
static tusk_bytes some_topic(void)
{
    static const char *const topics[] = {"a", "b", "c", "d"};
    return tusk_bytes_str(topics[dice(4)]);
}

static void publish(tusk_handle handle)
{
    tusk_publication publication = {.topic = some_topic(),
                                    .data = some_data(),
                                    .opcode = dice(4) == 0 ? TUSK_WS_BINARY : TUSK_WS_TEXT};
    if (dice(3) == 0) {
        publication.except = handle;
    }
    assert_err(tusk_server_publish(t.server, &publication, &t.positions[dice(4)]), TUSK_OK);
}

static void send_message(tusk_handle handle)
{
    tusk_frame_memo memo;
    memset(&memo, 0, sizeof(memo));
    tusk_blob *blob = NULL;
    tusk_bytes payload = some_data();
    if (dice(2) == 0 && tusk_blob_dup(&blob, &t.mem.mem, payload) == TUSK_OK) {
        payload = tusk_bytes_of(blob->ptr, blob->len);
    }
    (void)tusk_websocket_send(t.server, handle, TUSK_WS_TEXT, payload, blob,
                              dice(2) == 0 ? &memo : NULL);
    tusk_frame_memo_fini(&memo);
    tusk_blob_unref(blob);
}

static void answer(tusk_handle handle)
{
    tusk_bytes fields = tusk_bytes_str("X-Chaos: 1\r\n");
    switch (dice(8)) {
    case 0:
    case 1: (void)tusk_reply(t.server, handle, 200, fields, some_data(), NULL); break;
    case 2: (void)tusk_reply(t.server, handle, 304, fields, nothing, NULL); break;
    case 3: (void)tusk_reply_begin(t.server, handle, 200, fields); break;
    case 4: (void)tusk_reply_write(t.server, handle, some_data()); break;
    case 5: (void)tusk_reply_end(t.server, handle); break;
    case 6: (void)tusk_reply_file(t.server, handle, 200, fields, t.file, NULL); break;
    default: (void)tusk_accept(t.server, handle, fields);
    }
}

static void park(known *it)
{
    if (it->parks < 3 && tusk_session_exists(t.server, it->handle)) {
        it->parks++;
        tusk_session_park(t.server, it->handle);
    }
}

static void unpark(known *it)
{
    if (it->parks > 0) {
        it->parks--;
        tusk_session_unpark(t.server, it->handle);
    }
}

/* Whatever an owner may do to any session, dead ones as well. */
static void act(known *it)
{
    tusk_handle handle = it->handle;
    switch (dice(30)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: publish(handle); break;
    case 5:
    case 6:
    case 7: send_message(handle); break;
    case 8:
        if (dice(10) == 0) {
            (void)tusk_websocket_close(t.server, handle, 1000, tusk_bytes_str("chaos"));
        }
        break;
    case 9:
    case 10: (void)tusk_stream_send(t.server, handle, nothing, nothing, false, some_data()); break;
    case 11: (void)tusk_stream_comment(t.server, handle, tusk_bytes_str("c")); break;
    case 12:
        if (dice(10) == 0) {
            (void)tusk_stream_close(t.server, handle);
        }
        break;
    case 13:
        if (dice(20) == 0) {
            tusk_session_terminate(t.server, handle);
        }
        break;
    case 14:
    case 15:
    case 16:
        (void)tusk_session_subscribe(t.server, handle, some_topic(),
                                     dice(2) == 0 ? NULL : &t.positions[dice(4)],
                                     (tusk_overflow)dice(4));
        break;
    case 17:
        if (dice(3) == 0) {
            (void)tusk_session_unsubscribe(t.server, handle, some_topic());
        }
        break;
    case 18: park(it); break;
    case 19:
    case 20: unpark(it); break;
    case 21: tusk_session_set_user(t.server, handle, dice(2) == 0 ? NULL : data); break;
    case 22:
        if (t.may_stop && dice(20) == 0) {
            tusk_server_stop(t.server);
        }
        break;
    default: answer(handle);
    }
}

static known *somebody(void)
{
    return &t.known[dice(KNOWN)];
}

static void leave(known *it)
{
    while (dice(3) != 0) {
        act(dice(3) == 0 ? somebody() : it);
    }
    it->busy = false;
}

/* ---- what the server tells ---- */
/* Borrowed bytes hold until the callback returns or parks. */
static void leave_with(known *it, tusk_bytes borrowed)
{
    uint8_t copy[256];
    size_t len = borrowed.len < sizeof(copy) ? borrowed.len : sizeof(copy);
    if (len > 0) {
        memcpy(copy, borrowed.ptr, len);
    }
    leave(it);
    if (it->parks == 0 && len > 0) {
        assert_memory_equal(copy, borrowed.ptr, len);
    }
}

static void on_request(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    (void)user;
    (void)route;
    known *it = enter(session);
    void *taken = request->body_taken;
    leave_with(it, taken == NULL ? request->body : request->head->target);
    tusk_payload_drop(t.server, taken);
}

static void on_authorize(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    (void)user;
    (void)route;
    known *it = enter(session);
    if (dice(2) == 0) {
        it->busy = false; /* on_open comes from inside */
        (void)tusk_accept(t.server, session, nothing);
        if (it->gone) {
            return;
        }
        it->busy = true;
    }
    leave_with(it, request->head->target);
}

static void on_open(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    (void)user;
    (void)route;
    (void)request;
    known *it = find(session);
    bool inside = it != NULL && it->busy;        /* of on_request or on_authorize, which accepted */
    unsigned parks = it != NULL ? it->parks : 0; /* tusk_accept calls it whatever is parked */
    if (it != NULL) {
        it->busy = false;
        it->parks = 0;
    }
    it = enter(session);
    it->parks = parks;
    assert_false(it->open);
    it->open = true;
    t.opens++;
    leave(it);
    it->busy = inside;
    if (dice(3) == 0) { /* as a handler whose stack is left aside, and comes back at once */
        tusk_session_detach(t.server, session);
    }
}

static void on_message(void *user, tusk_handle session, void *route, uint8_t opcode,
                       tusk_bytes payload, void *taken)
{
    (void)user;
    (void)route;
    (void)opcode;
    known *it = enter(session);
    assert_true(it->open);
    leave_with(it, payload);
    tusk_payload_drop(t.server, taken);
}

static void on_drain(void *user, tusk_handle session, void *route)
{
    (void)user;
    (void)route;
    leave(enter(session));
}

static void on_writable(void *user, tusk_handle session, void *route)
{
    (void)user;
    (void)route;
    assert_true(tusk_session_exists(t.server, session));
}

static void on_close(void *user, tusk_handle session, void *route, uint16_t code, tusk_bytes reason,
                     tusk_close_kind kind, void *session_user)
{
    (void)user;
    (void)route;
    (void)code;
    (void)kind;
    (void)session_user;
    known *it = enter(session);
    assert_true(it->open);
    it->open = false;
    t.closes++;
    leave_with(it, reason);
    it->gone = true;
}

static void on_gone(void *user, tusk_handle session, void *session_user)
{
    (void)user;
    (void)session_user;
    known *it = enter(session);
    assert_false(it->open);
    leave(it);
    it->gone = true;
}

static void on_stopped(void *user)
{
    (void)user;
    t.stopped++;
}

static const tusk_server_handler handler = {.on_request = on_request,
                                            .on_authorize = on_authorize,
                                            .on_open = on_open,
                                            .on_message = on_message,
                                            .on_drain = on_drain,
                                            .on_writable = on_writable,
                                            .on_close = on_close,
                                            .on_gone = on_gone,
                                            .on_stopped = on_stopped};

/* ---- one life of a server ---- */
static void begin(uint64_t seed, bool starving)
{
    (void)signal(SIGPIPE, SIG_IGN);
    memset(&t, 0, sizeof(t));
    chaos_seed = seed;
    memset(data, 'x', sizeof(data));
    test_mem_init(&t.mem, 0);
    (void)snprintf(t.file, sizeof(t.file), "%s/tusk-chaos-%d", test_temp_base(), (int)getpid());
    FILE *file = fopen(t.file, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, sizeof(data), file) + fwrite(data, 1, 5000, file), 75000);
    assert_int_equal(fclose(file), 0);
    assert_err(tusk_loop_new(&t.loop, &(tusk_loop_options){.mem = &t.mem.mem}), TUSK_OK);
    tusk_server_options options = {.loop = t.loop, .handler = &handler};
    tusk_server_limits_default(&options.limits);
    options.limits.queued_bytes = 60000;
    options.limits.queued_bytes_total = 600000;
    options.limits.message_bytes = 65536;
    options.limits.unfinished_bytes = 200000;
    options.limits.unfinished_ms = 3;
    options.limits.history_bytes = 300000;
    options.limits.subscriptions = 3;
    options.limits.slice_us = 50;
    options.limits.close_ms = 5;
    options.limits.keep_alive_ms = 20;
    options.limits.handshake_ms = 20;
    options.limits.body_ms = 10;
    options.limits.ping_ms = 7;
    options.limits.pong_ms = 7;
    options.limits.idle_ms = 30;
    options.limits.heartbeat_ms = 5;
    options.limits.drain_ms = 20;
    options.limits.messages_per_second = 2000;
    options.limits.bytes_per_second = 4000000;
    assert_err(tusk_server_new(&t.server, &options), TUSK_OK);
    const tusk_websocket_options plain = {.any_origin = true,
                                          .keep_target = true,
                                          .deflate = {.on = true,
                                                      .server_max_window_bits = 15,
                                                      .client_max_window_bits = 15,
                                                      .level = 1,
                                                      .mem_level = 8,
                                                      .threshold = 64,
                                                      .server_context_takeover = seed % 2 == 0}};
    const tusk_files_options files = {.directory = "/tmp"};
    assert_err(tusk_server_route_websocket(t.server, "/ws", &plain, NULL), TUSK_OK);
    assert_err(tusk_server_route_events(
                   t.server, "/events",
                   &(tusk_events_options){.any_origin = true, .keep_target = true}, NULL),
               TUSK_OK);
    assert_err(tusk_server_route_events(
                   t.server, "/asked",
                   &(tusk_events_options){.any_origin = true, .authorize = true}, NULL),
               TUSK_OK);
    assert_err(tusk_server_route_http(t.server, "GET", "/", NULL), TUSK_OK);
    assert_err(tusk_server_route_http(t.server, "POST", "/post", NULL), TUSK_OK);
    assert_err(tusk_server_route_files(t.server, "/tmp", &files), TUSK_OK);
    assert_err(tusk_server_start(t.server, NULL, 0), TUSK_OK);
    for (size_t i = 0; i < PEERS; i++) {
        t.peers[i].fd = -1;
    }
    t.starving = starving;
}

static void unpark_all(void)
{
    for (size_t i = 0; i < KNOWN; i++) {
        while (t.known[i].parks > 0) {
            unpark(&t.known[i]);
        }
    }
}

static void end(void)
{
    uint64_t until = tusk_loop_clock_ns() + UINT64_C(20000000000);
    t.mem.fail_at = 0;
    if (!tusk_server_stopping(t.server)) {
        tusk_server_stop(t.server);
    }
    assert_err(tusk_server_adopt(t.server, -1), TUSK_ESTATE);
    while (t.stopped == 0) {
        assert_true(tusk_loop_clock_ns() < until);
        unpark_all();
        assert_err(tusk_loop_turn(t.loop, 1), TUSK_OK);
    }
    assert_int_equal(t.stopped, 1);
    assert_int_equal(t.opens, t.closes);
    tusk_server_stats stats;
    tusk_server_stats_get(t.server, &stats);
    assert_int_equal(stats.connections_open, 0);
    assert_int_equal(stats.websockets_open + stats.streams_open, 0);
    assert_int_equal(stats.subscriptions + stats.subscription_bytes + stats.topics + stats.parked,
                     0);
    assert_int_equal(stats.unfinished_bytes + stats.queued_bytes, 0);
    assert_int_equal(stats.handshakes_pending, 0);
    for (size_t i = 0; i < PEERS; i++) {
        if (t.peers[i].fd >= 0) {
            hang_up(&t.peers[i]);
        }
    }
    tusk_server_free(t.server);
    tusk_loop_free(t.loop);
    test_mem_assert_empty(&t.mem);
    (void)unlink(t.file);
}

static void live(uint64_t seed, bool starving, int steps)
{
    begin(seed, starving);
    for (int step = 0; step < steps; step++) {
        t.may_stop = step > steps - 500;
        t.mem.fail_at = t.starving && dice(4) == 0 ? t.mem.requests + 1 + dice(30) : 0;
        peer_acts(&t.peers[dice(PEERS)], t.server);
        if (dice(2) == 0) {
            act(somebody());
        }
        if (dice(3) == 0) {
            assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
        }
        if (dice(60) == 0) {
            unpark_all();
        }
    }
    end();
}

static void anything_in_any_callback_keeps_every_promise(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        live(seed * UINT64_C(0x9E3779B97F4A7C15), false, STEPS);
    }
}

static void without_memory_as_well(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        live(seed * UINT64_C(0xD6E8FEB86659FD93), true, STEPS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anything_in_any_callback_keeps_every_promise),
        cmocka_unit_test(without_memory_as_well),
    };
    return cmocka_run_group_tests_name("serve/serve_chaos", tests, NULL, NULL);
}
