/* SPDX-License-Identifier: MIT */
/* What a server says and counts when something lacks: io_uring, descriptors, a listener that lives,
 * a place for a client, memory for what the log shows. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <sys/resource.h>

#include "net/inner.h"
#include "rig.h"
#include "serve/share.h"

enum { TURNS_MAX = 4000, SERVERS = 2 };

static struct {
    tusk_loop *loop;
    tusk_server *server[SERVERS];
    tusk_server_shared *shared;
    unsigned lines;
    char line[256]; /* the newest */
} t;

static void on_log(void *user, const char *text)
{
    (void)user;
    t.lines++;
    (void)snprintf(t.line, sizeof(t.line), "%s", text);
}

static const tusk_server_handler handler = {.on_log = on_log};

static int set_up(void **state)
{
    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    memset(&t, 0, sizeof(t));
    assert_err(tusk_loop_new(&t.loop, NULL), TUSK_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < SERVERS; i++) {
        tusk_server_free(t.server[i]);
    }
    tusk_server_shared_free(t.shared);
    tusk_loop_free(t.loop);
    return 0;
}

static void make(int i, uint32_t connections)
{
    tusk_server_options options = {.loop = t.loop, .handler = &handler};
    tusk_server_limits_default(&options.limits);
    options.limits.connections = connections;
    assert_err(tusk_server_new(&t.server[i], &options), TUSK_OK);
}

static tusk_server_stats stats(int i)
{
    tusk_server_stats out;
    tusk_server_stats_get(t.server[i], &out);
    return out;
}

#define UNTIL(condition)                                                                           \
    for (int turn_ = 0; !(condition); turn_++) {                                                   \
        assert_true(turn_ < TURNS_MAX);                                                            \
        assert_err(tusk_loop_turn(t.loop, 5), TUSK_OK);                                            \
    }

static int dial(int i)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(tusk_server_port(t.server[i], 0)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static void tell_of(unsigned lacks)
{
    enum { CROWD = 6 };
    static tusk_server_handler tells;
    rig r;
    int fd[CROWD];
    tusk_handle each[CROWD];
    char text[64];
    t.lines = 0;
    rig_init(&r, NULL);
    tells = rig_handler;
    tells.on_log = on_log;
    r.server->handler = &tells;
    r.server->net->batch.lacks = lacks;
    for (int i = 0; i < CROWD; i++) {
        fd[i] = rig_websocket(&r);
        each[i] = r.last;
    }
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < CROWD; i++) {
            assert_err(tusk_websocket_send(r.server, each[i], TUSK_WS_TEXT, tusk_bytes_str("all"),
                                           NULL, NULL),
                       TUSK_OK);
        }
        rig_turn(&r, 2);
        for (int i = 0; i < CROWD; i++) {
            rig_read(fd[i], text, sizeof(text));
            assert_string_equal(text, "\x81\x03"
                                      "all");
        }
    }
    static const char end[] = "): each receive and send is a system call";
    assert_int_equal(t.lines, 1);
    assert_int_equal(strncmp(t.line, "io_uring: unavailable (", 23), 0);
    assert_string_equal(t.line + strlen(t.line) - strlen(end), end);
    assert_int_equal(rig_stat(&r, "batches"), 0);
    for (int i = 0; i < CROWD; i++) {
        close(fd[i]);
    }
    rig_fini(&r);
}

/* However long the reason is. */
static void a_kernel_without_io_uring_is_told_of_once(void **state)
{
    (void)state;
    tell_of(BATCH_NO_CALLS);
    tell_of(BATCH_FORBIDDEN);
}

static void who_finds_no_descriptor_waits_and_the_log_says_so_once(void **state)
{
    struct rlimit before;
    (void)state;
    make(0, 10);
    assert_err(tusk_server_listen(t.server[0], "127.0.0.1:0", NULL), TUSK_OK);
    assert_err(tusk_server_start(t.server[0], NULL, 0), TUSK_OK);
    int fd = dial(0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
    unsigned lines = t.lines;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    UNTIL(stats(0).accept_exhausted == 2); /* it looks away in between */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(t.lines - lines, 1);
    assert_non_null(strstr(t.line, "out of file descriptors"));
    UNTIL(stats(0).connections_open == 1);
    assert_int_equal(stats(0).connections_refused, 0);
    close(fd);
}

static void a_listener_that_accepts_nobody_is_told_with_the_reason(void **state)
{
    uint16_t port;
    int own;
    (void)state;
    make(0, 10);
    assert_err(tusk_server_socket(&own, &port, "127.0.0.1:0"), TUSK_OK);
    int others = dup(own); /* as another process has it */
    assert_err(tusk_server_listen_on(t.server[0], own, NULL), TUSK_OK);
    assert_err(tusk_server_start(t.server[0], NULL, 0), TUSK_OK);
    unsigned lines = t.lines;
    assert_int_equal(shutdown(others, SHUT_RD), 0);
    UNTIL(stats(0).accept_exhausted == 2);
    assert_int_equal(t.lines - lines, 1);
    assert_string_equal(t.line, "a listener accepts nobody (Invalid argument): it is tried again");
    close(others);
}

/* The log is shared, so what it shows is a copy, for which there may be no memory. */
static void who_resumes_without_memory_is_closed_and_told(void **state)
{
    test_mem mem;
    tusk_shared_log *log;
    tusk_position start;
    rig a, b;
    char text[64];
    (void)state;
    test_mem_init(&mem, 0);
    assert_err(tusk_shared_log_new(&log, &mem.mem, 65536, 2), TUSK_OK);
    rig_init(&a, NULL);
    rig_init(&b, NULL);
    assert_err(tusk_server_share_log(a.server, log, 0), TUSK_OK);
    rig_publish(&a, "t", "seen", &start);
    rig_publish(&a, "t", "missed", NULL);
    rig_turn(&a, 1);
    assert_err(tusk_server_share_log(b.server, log, 1), TUSK_OK);
    int fd = rig_websocket(&b);
    mem.fail_at = mem.requests + 1;
    mem.fail_all_after = true;
    assert_err(
        tusk_session_subscribe(b.server, b.last, tusk_bytes_str("t"), &start, TUSK_OVERFLOW_CLOSE),
        TUSK_OK);
    rig_turn(&b, 2);
    rig_read(fd, text, sizeof(text));
    assert_string_equal(text, "\x88\x0c\x03\xf5queue full");
    assert_int_equal(rig_stat(&b, "out_of_memory"), 1);
    assert_int_equal(rig_stat(&b, "overflow_closed"), 1);
    assert_int_equal(rig_stat(&b, "resets_sent"), 0);
    close(fd);
    rig_fini(&a);
    rig_fini(&b);
    tusk_shared_log_unref(log);
    test_mem_assert_empty(&mem);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_kernel_without_io_uring_is_told_of_once),
        TEST(who_finds_no_descriptor_waits_and_the_log_says_so_once),
        TEST(a_listener_that_accepts_nobody_is_told_with_the_reason),
        TEST(who_resumes_without_memory_is_closed_and_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
