/* SPDX-License-Identifier: MIT */
/* The clients against our own server, plain and over TLS: certificates, reuse, messages, event
 * streams. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>

#include "../test.h"

#include <tusk/client.h>

#include "serve/session.h"

static char dir[TEST_TEMP_MAX];

static struct {
    tusk_loop *loop;
    tusk_server *server;
    tusk_client *client;
    tusk_tls *server_tls;
    tusk_tls *trusting; /* knows the server's certificate */
    tusk_tls *careless; /* checks nothing */
    int done, opens, messages, closes, events, retries, streams;
    int stopped;
    tusk_failure failure;
    char text[256]; /* of a failure: it lives no longer than its callback */
    char stage[16];
    char body[256];
    char message[256];
    char url[64];
} t;

static const char *in_dir(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
    return path;
}

static int make_files(void **state)
{
    char command[512];
    test_temp_dir(dir, "client");
    (void)snprintf(command, sizeof(command),
                   "for n in good other; do openssl req -x509 -newkey ec -pkeyopt "
                   "ec_paramgen_curve:prime256v1 -nodes "
                   "-days 3 -subj /CN=$n -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' "
                   "-keyout %s/$n.key "
                   "-out %s/$n.crt 2>/dev/null || exit 1; done",
                   dir, dir);
    return system(command);
}

static int remove_files(void **state)
{
    char command[128];
    (void)snprintf(command, sizeof(command), "rm -r %s", dir);
    return system(command);
}

/* ---- the server ---- */
static void on_request(void *user, tusk_handle session, void *route_user,
                       const tusk_request *request)
{
    assert_err(
        tusk_reply(t.server, session, 200, tusk_bytes_of(NULL, 0), tusk_bytes_str("hello"), NULL),
        TUSK_OK);
}

static void on_open(void *user, tusk_handle session, void *route_user, const tusk_request *request)
{
    if (route_user != NULL) { /* the stream's */
        t.streams++;
        assert_err(tusk_stream_send(t.server, session, tusk_bytes_str("greeting"),
                                    tusk_bytes_str("1"), true, tusk_bytes_str("welcome")),
                   TUSK_OK);
    }
}

static void on_server_message(void *user, tusk_handle session, void *route_user, uint8_t opcode,
                              tusk_bytes payload, void *taken)
{
    assert_err(tusk_websocket_send(t.server, session, opcode, payload, NULL, NULL), TUSK_OK);
    tusk_payload_drop(t.server, taken);
}

static void on_server_close(void *user, tusk_handle session, void *route_user, uint16_t code,
                            tusk_bytes reason, tusk_close_kind kind, void *session_user)
{
}

static void on_stopped(void *user)
{
    t.stopped++;
}

static const tusk_server_handler server_handler = {
    .on_request = on_request,
    .on_open = on_open,
    .on_message = on_server_message,
    .on_close = on_server_close,
    .on_stopped = on_stopped,
};

static void tls_new(tusk_tls **out, bool server, const tusk_tls_options *options)
{
    char reason[256];
    tusk_err err = server ? tusk_tls_server_new(out, options, reason, sizeof(reason))
                          : tusk_tls_client_new(out, options, reason, sizeof(reason));
    if (err != TUSK_OK) {
        fail_msg("%s", reason);
    }
}

static int set_up(void **state)
{
    static int stream_route;
    char reason[256];
    memset(&t, 0, sizeof(t));
    tls_new(&t.server_tls, true,
            &(tusk_tls_options){.certificate_file = in_dir("good.crt"),
                                .key_file = in_dir("good.key")});
    tls_new(&t.trusting, false,
            &(tusk_tls_options){.verify_peer = true, .ca_file = in_dir("good.crt")});
    tls_new(&t.careless, false, &(tusk_tls_options){.verify_peer = false});
    assert_err(tusk_loop_new(&t.loop, &(tusk_loop_options){.mem = NULL}), TUSK_OK);
    assert_err(tusk_client_new(&t.client, &(tusk_client_options){.loop = t.loop}), TUSK_OK);
    tusk_server_options options = {.loop = t.loop, .handler = &server_handler};
    tusk_server_limits_default(&options.limits);
    assert_err(tusk_server_new(&t.server, &options), TUSK_OK);
    assert_err(tusk_server_listen(t.server, "127.0.0.1:0", t.server_tls), TUSK_OK);
    assert_err(tusk_server_listen(t.server, "127.0.0.1:0", NULL), TUSK_OK);
    assert_err(tusk_server_route_http(t.server, "GET", "/hello", NULL), TUSK_OK);
    assert_err(tusk_server_route_websocket(t.server, "/ws",
                                           &(tusk_websocket_options){.any_origin = true}, NULL),
               TUSK_OK);
    assert_err(tusk_server_route_events(t.server, "/events",
                                        &(tusk_events_options){.any_origin = true}, &stream_route),
               TUSK_OK);
    assert_err(tusk_server_start(t.server, reason, sizeof(reason)), TUSK_OK);
    return 0;
}

static int tear_down(void **state)
{
    tusk_client_free(t.client);
    assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    tusk_server_free(t.server);
    tusk_tls_unref(t.server_tls);
    tusk_tls_unref(t.trusting);
    tusk_tls_unref(t.careless);
    tusk_loop_free(t.loop);
    return 0;
}

static void turn_until(const int *done, int wanted)
{
    uint64_t deadline = tusk_loop_clock_ns() + UINT64_C(10000000000);
    while (*done < wanted) {
        assert_err(tusk_loop_turn(t.loop, 1000), TUSK_OK);
        if (tusk_loop_clock_ns() > deadline) {
            fail_msg("nothing came within ten seconds");
        }
    }
}

static tusk_client_target target(bool secure, const char *scheme, const char *host,
                                 const char *path, tusk_tls *tls)
{
    (void)snprintf(t.url, sizeof(t.url), "%s%s://%s:%u%s", scheme, secure ? "s" : "", host,
                   tusk_server_port(t.server, secure ? 0 : 1), path);
    return (tusk_client_target){.url = tusk_bytes_str(t.url), .tls = tls};
}

static void note(const tusk_failure *failure)
{
    t.failure = *failure;
    (void)snprintf(t.text, sizeof(t.text), "%s", failure->text);
    (void)snprintf(t.stage, sizeof(t.stage), "%s", failure->stage);
}

/* ---- HTTP ---- */
static void on_data(void *user, tusk_http_call *call, tusk_bytes data)
{
    (void)snprintf(t.body, sizeof(t.body), "%.*s", (int)data.len, (const char *)data.ptr);
}

static void on_done(void *user, tusk_http_call *call, const tusk_failure *failure)
{
    t.done++;
    note(failure);
}

static const tusk_http_call_handler call_handler = {.on_data = on_data, .on_done = on_done};

static void call(tusk_client_target where)
{
    tusk_http_call *handle;
    int before = t.done;
    assert_err(tusk_http_call_start(&handle, t.client, &(tusk_http_call_options){.target = where},
                                    &call_handler, NULL),
               TUSK_OK);
    turn_until(&t.done, before + 1);
}

static void https_and_reuse(void **state)
{
    tusk_server_stats stats;
    for (int i = 0; i < 3; i++) {
        call(target(true, "http", "127.0.0.1", "/hello", t.trusting));
        assert_err(t.failure.err, TUSK_OK);
        assert_string_equal(t.body, "hello");
    }
    tusk_server_stats_get(t.server, &stats);
    assert_int_equal(stats.connections_total, 1);
    /* Another context is another trust: it shares no connection. */
    call(target(true, "http", "127.0.0.1", "/hello", t.careless));
    assert_err(t.failure.err, TUSK_OK);
    tusk_server_stats_get(t.server, &stats);
    assert_int_equal(stats.connections_total, 2);
    call(target(true, "http", "localhost", "/hello", t.trusting));
    assert_err(t.failure.err, TUSK_OK);
    call(target(false, "http", "127.0.0.1", "/hello", NULL));
    assert_err(t.failure.err, TUSK_OK);
}

static void a_certificate_that_is_not_trusted(void **state)
{
    call(target(true, "http", "127.0.0.1", "/hello",
                NULL)); /* the system's store does not know it */
    assert_err(t.failure.err, TUSK_ETLS);
    assert_string_equal(t.stage, "tls");
    assert_non_null(strstr(t.text, "certificate"));
    tusk_tls *other;
    tls_new(&other, false,
            &(tusk_tls_options){.verify_peer = true, .ca_file = in_dir("other.crt")});
    call(target(true, "http", "127.0.0.1", "/hello", other));
    assert_err(t.failure.err, TUSK_ETLS);
    tusk_tls_unref(other);
}

static void a_certificate_of_another_host(void **state)
{
    call(target(true, "http", "127.0.0.2", "/hello", t.trusting));
    if (t.failure.err ==
        TUSK_EREFUSED) { /* the listener has only the one address: say it by name */
        call(target(true, "http", "[::ffff:127.0.0.1]", "/hello", t.trusting));
    }
    assert_err(t.failure.err, TUSK_ETLS);
    assert_string_equal(t.stage, "tls");
}

/* Who serves may not be allowed to read keys, and would say so every second. */
static void files_of_certificates_are_watched_unless_they_are_kept(void **state)
{
    for (int kept = 0; kept < 2; kept++) {
        tusk_server *server;
        char reason[256];
        tusk_server_options options = {
            .loop = t.loop, .handler = &server_handler, .keep_certificates = kept == 1};
        tusk_server_limits_default(&options.limits);
        assert_err(tusk_server_new(&server, &options), TUSK_OK);
        assert_err(tusk_server_listen(server, "127.0.0.1:0", t.server_tls), TUSK_OK);
        assert_err(tusk_server_start(server, reason, sizeof(reason)), TUSK_OK);
        const struct timespec times[2] = {{.tv_sec = 1000 + kept}, {.tv_sec = 1000 + kept}};
        assert_int_equal(utimensat(AT_FDCWD, in_dir("good.crt"), times, 0), 0);
        assert_true(tusk_tls_changed(t.server_tls));
        assert_true(tusk_timer_running(&server->certificate_timer));
        server->certificate_timer.on_due(&server->certificate_timer);
        assert_int_equal(tusk_tls_changed(t.server_tls), kept == 1);
        tusk_server_free(server);
    }
}

static void plain_and_tls_do_not_understand_each_other(void **state)
{
    tusk_client_target where = target(true, "http", "127.0.0.1", "/hello", t.trusting);
    (void)snprintf(t.url, sizeof(t.url), "https://127.0.0.1:%u/hello",
                   tusk_server_port(t.server, 1));
    where.url = tusk_bytes_str(t.url);
    call(where);
    assert_err(t.failure.err, TUSK_ETLS);
    assert_string_equal(t.stage, "tls");
    (void)snprintf(t.url, sizeof(t.url), "http://127.0.0.1:%u/hello",
                   tusk_server_port(t.server, 0));
    where.url = tusk_bytes_str(t.url);
    t.body[0] = '\0';
    call(where);
    assert_err(t.failure.err, TUSK_OK); /* a plain answer, which says what to do */
    assert_non_null(strstr(t.body, "https://"));
}

/* ---- WebSocket ---- */
static void on_ws_open(void *user, tusk_ws_client *self, tusk_bytes subprotocol,
                       const tusk_http_head *answer)
{
    t.opens++;
}

static void on_ws_message(void *user, tusk_ws_client *self, uint8_t opcode, tusk_bytes payload,
                          void *taken)
{
    t.messages++;
    (void)snprintf(t.message, sizeof(t.message), "%.*s",
                   (int)(payload.len > 100 ? 100 : payload.len), (const char *)payload.ptr);
}

static void on_ws_close(void *user, tusk_ws_client *self, uint16_t code, tusk_bytes reason,
                        const tusk_failure *failure)
{
    t.closes++;
    note(failure);
}

static const tusk_ws_client_handler ws_handler = {
    .on_open = on_ws_open, .on_message = on_ws_message, .on_close = on_ws_close};

static void messages_plain_and_over_tls(void **state)
{
    static uint8_t large[300000];
    memset(large, 'x', sizeof(large));
    for (int i = 0; i < 2; i++) {
        tusk_ws_client *client;
        tusk_ws_client_options options = {.target =
                                              target(i == 1, "ws", "127.0.0.1", "/ws", t.trusting)};
        assert_err(tusk_ws_client_open(&client, t.client, &options, &ws_handler, NULL), TUSK_OK);
        turn_until(&t.opens, i + 1);
        assert_err(tusk_ws_client_send(client, TUSK_WS_TEXT, tusk_bytes_str("hi")), TUSK_OK);
        turn_until(&t.messages, i * 2 + 1);
        assert_string_equal(t.message, "hi");
        assert_err(tusk_ws_client_send(client, TUSK_WS_BINARY, tusk_bytes_of(large, sizeof(large))),
                   TUSK_OK);
        turn_until(&t.messages, i * 2 + 2);
        assert_err(tusk_ws_client_close(client, 1000, tusk_bytes_of(NULL, 0)), TUSK_OK);
        turn_until(&t.closes, i + 1);
        assert_err(t.failure.err, TUSK_OK);
    }
}

/* ---- event streams ---- */
static void on_event(void *user, tusk_sse_client *self, const tusk_sse_event *event)
{
    t.events++;
    assert_bytes_equal(event->type, tusk_bytes_str("greeting"));
    (void)snprintf(t.message, sizeof(t.message), "%.*s", (int)event->data.len,
                   (const char *)event->data.ptr);
}

static void on_retry(void *user, tusk_sse_client *self, const tusk_failure *failure,
                     uint32_t delay_ms)
{
    t.retries++;
    note(failure);
}

static void on_sse_close(void *user, tusk_sse_client *self, const tusk_failure *failure)
{
    t.closes++;
}

static const tusk_sse_client_handler sse_handler = {
    .on_event = on_event, .on_retry = on_retry, .on_close = on_sse_close};

static void events_plain_and_over_tls(void **state)
{
    for (int i = 0; i < 2; i++) {
        tusk_sse_client *client;
        tusk_sse_client_options options = {
            .target = target(i == 1, "http", "localhost", "/events", t.trusting)};
        assert_err(tusk_sse_client_open(&client, t.client, &options, &sse_handler, NULL), TUSK_OK);
        turn_until(&t.events, i + 1);
        assert_string_equal(t.message, "welcome");
        assert_bytes_equal(tusk_sse_client_last_id(client), TEST_BYTES("1"));
        tusk_sse_client_close(client);
        turn_until(&t.closes, i + 1);
    }
}

static void an_untrusted_stream_is_tried_again_not_given_up(void **state)
{
    tusk_sse_client *client;
    tusk_sse_client_options options = {.target = target(true, "http", "127.0.0.1", "/events", NULL),
                                       .retry_ms = 10};
    assert_err(tusk_sse_client_open(&client, t.client, &options, &sse_handler, NULL), TUSK_OK);
    turn_until(&t.retries, 2); /* as browsers do with every network error */
    assert_err(t.failure.err, TUSK_ETLS);
    assert_int_equal(t.streams, 0);
    tusk_sse_client_abort(client);
}

static void a_server_that_drains_ends_all_in_order(void **state)
{
    tusk_ws_client *client;
    tusk_sse_client *stream;
    tusk_ws_client_options options = {.target = target(true, "ws", "127.0.0.1", "/ws", t.trusting)};
    assert_err(tusk_ws_client_open(&client, t.client, &options, &ws_handler, NULL), TUSK_OK);
    turn_until(&t.opens, 1);
    tusk_sse_client_options events = {
        .target = target(true, "http", "127.0.0.1", "/events", t.trusting), .retry_ms = 60000};
    assert_err(tusk_sse_client_open(&stream, t.client, &events, &sse_handler, NULL), TUSK_OK);
    turn_until(&t.events, 1);
    tusk_server_stop(t.server);
    tusk_server_stop(t.server); /* at once */
    turn_until(&t.stopped, 1);
    turn_until(&t.closes, 1);
    turn_until(&t.retries, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(https_and_reuse),
        TEST(a_certificate_that_is_not_trusted),
        TEST(a_certificate_of_another_host),
        TEST(files_of_certificates_are_watched_unless_they_are_kept),
        TEST(plain_and_tls_do_not_understand_each_other),
        TEST(messages_plain_and_over_tls),
        TEST(events_plain_and_over_tls),
        TEST(an_untrusted_stream_is_tried_again_not_given_up),
        TEST(a_server_that_drains_ends_all_in_order),
    };
    if (tusk_tls_library() == NULL) {
        return 0; /* a build without TLS; the plain halves have their own tests */
    }
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
