/* SPDX-License-Identifier: MIT */
/* Waiting for more of what is only peeked at, over Unix sockets too: turns of the loop are counted,
 * with every poller. */
#define _GNU_SOURCE
#include <sys/un.h>

#include "mysql_sides.h"

#define STARTUP TEST_BYTES("\0\0\0\x20\0\x03\0\0user\0bob\0database\0shop\0\0")

static char dir[TEST_TEMP_MAX];
static char listens_at[TEST_TEMP_MAX + 16];
static int unix_backend;

static struct sockaddr_un path_of(const char *name)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    (void)snprintf(un.sun_path, sizeof(un.sun_path), "%.80s/%s", dir, name);
    return un;
}

static int set_up(void **state)
{
    struct sockaddr_un un;
    (void)mysql_set_up(state);
    test_temp_dir(dir, "peek");
    (void)snprintf(listens_at, sizeof(listens_at), "unix:%s/in", dir);
    r.listen_at = listens_at;
    r.listen.protocol = TUSK_PROTOCOL_POSTGRES;
    un = path_of("out");
    unix_backend = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(unix_backend, (struct sockaddr *)(void *)&un, sizeof(un)), 0);
    assert_int_equal(listen(unix_backend, 8), 0);
    (void)snprintf(r.address[0], sizeof(r.address[0]), "unix:%.50s", un.sun_path);
    r.targets[0].address = tusk_bytes_str(r.address[0]);
    return 0;
}

static int tear_down(void **state)
{
    struct sockaddr_un un = path_of("out");
    int result = mysql_tear_down(state);
    (void)close(unix_backend);
    (void)unlink(un.sun_path);
    assert_int_equal(rmdir(dir), 0);
    return result;
}

static int unix_client(void)
{
    struct sockaddr_un un = path_of("in");
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)(void *)&un, sizeof(un)), 0);
    rig_unblock(fd);
    return fd;
}

/* Turns of the loop while the relay waits for 200 ms; a spinning one takes as many as it can. */
static uint64_t turns_of_waiting(void)
{
    tusk_loop_counters before, after;
    uint64_t until = tusk_loop_clock_ns() + 200000000;
    tusk_loop_count(r.loop, &before);
    while (tusk_loop_clock_ns() < until) {
        assert_err(tusk_loop_turn(r.loop, 100), TUSK_OK);
    }
    tusk_loop_count(r.loop, &after);
    return after.turns - before.turns;
}

/* 1, 2, 4, 8, 16 and then every 32 ms: 10 times, and the turns of the waiting itself. */
enum { TURNS_AT_MOST = 24 };

static int half_a_packet(void)
{
    int client = unix_client();
    mysql_send(client, tusk_bytes_of(STARTUP.ptr, 11));
    rig_until(rig_stats().accepted == 1);
    rig_turn();
    return client;
}

static void half_a_packet_is_waited_for_without_spinning(void **state)
{
    (void)state;
    rig_start();
    int client = half_a_packet();
    assert_true(turns_of_waiting() <= TURNS_AT_MOST);
    mysql_send(client, tusk_bytes_of(STARTUP.ptr + 11, STARTUP.len - 11));
    int server = rig_accept(unix_backend);
    rig_expect_bytes(server, STARTUP);
    rig_send(client, "more");
    rig_expect(server, "more");
    (void)close(client);
    (void)close(server);
}

static void who_ends_its_side_within_a_packet_is_told_goodbye(void **state)
{
    (void)state;
    rig_start();
    int client = half_a_packet();
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    mysql_expect_record(400, "client left");
    (void)close(client);
}

static void who_is_gone_within_a_packet_is_forgotten(void **state)
{
    (void)state;
    rig_start();
    (void)close(half_a_packet());
    mysql_expect_record(400, "client left");
}

/* A packet that was waited for in pieces, then a shorter one: a mark that stayed where it was for
 * the first would hide the second. */
static void a_shorter_packet_behind_a_long_one_is_seen(void **state)
{
    static const char *const trusted[] = {"127.0.0.0/8"};
    static const char head[] = "PROXY TCP4 192.0.2.1 192.0.2.2 1111 2222\r\n";
    (void)state;
    r.listen_at = "127.0.0.1:0";
    r.options.trusted_proxies = trusted;
    r.options.trusted_proxy_count = 1;
    r.listen.proxy_protocol = true;
    r.listen.protocol = TUSK_PROTOCOL_RAW;
    rig_start();
    int client = rig_client();
    for (size_t i = 0; i < sizeof(head) - 1; i++) {
        mysql_send(client, tusk_bytes_of(head + i, 1));
        rig_turn();
    }
    rig_send(client, "hi");
    int server = rig_accept(unix_backend);
    rig_expect(server, "hi");
    (void)close(client);
    (void)close(server);
}

/* ---- a balancer beside us ---- */
/* Its socket has no address: it is local, and believed as soon as anybody is named. */
static void the_head_of_a_unix_peer_is_believed_where_anybody_is(void **state)
{
    static const char *const trusted[] = {"192.0.2.0/24"};
    (void)state;
    r.options.trusted_proxies = trusted;
    r.options.trusted_proxy_count = 1;
    r.listen.proxy_protocol = true;
    r.listen.protocol = TUSK_PROTOCOL_RAW;
    r.fields = 1u << TUSK_LOOKUP_PEER;
    rig_start();
    int client = unix_client();
    rig_send(client, "PROXY TCP4 203.0.113.7 192.0.2.2 1111 2222\r\nhi");
    int server = rig_accept(unix_backend);
    rig_expect(server, "hi");
    assert_string_equal(r.asked[0][TUSK_LOOKUP_PEER], "203.0.113.7");
    (void)close(client);
    (void)close(server);
}

static void the_head_of_a_unix_peer_is_the_backends_where_nobody_is_believed(void **state)
{
    (void)state;
    r.listen.proxy_protocol = true;
    r.listen.protocol = TUSK_PROTOCOL_RAW;
    rig_start();
    int client = unix_client();
    rig_send(client, "PROXY UNKNOWN\r\nhi");
    int server = rig_accept(unix_backend);
    rig_expect(server, "PROXY UNKNOWN\r\nhi");
    (void)close(client);
    (void)close(server);
}

/* ---- a backend that says half of its greeting ---- */
static void half_a_greeting_is_waited_for_without_spinning(void **state)
{
    tusk__mysql_response response = mysql_alice();
    (void)state;
    r.listen.protocol = TUSK_PROTOCOL_MYSQL;
    rig_start();
    int client = unix_client();
    (void)mysql_receive_greeting(client);
    mysql_answer(client, &response);
    int server = rig_accept(unix_backend);
    tusk_buf greeting = mysql_greeting_of(MYSQL_CAPS_OFFERED);
    tusk_bytes bytes = tusk_buf_view(&greeting);
    mysql_send(server, tusk_bytes_of(bytes.ptr, 9));
    rig_turn();
    assert_true(turns_of_waiting() <= TURNS_AT_MOST);
    mysql_send(server, tusk_bytes_of(bytes.ptr + 9, bytes.len - 9));
    (void)mysql_receive_response(server);
    tusk_buf_fini(&greeting);
    (void)close(client);
    (void)close(server);
}

int main(void)
{
#define peek_test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        peek_test(half_a_packet_is_waited_for_without_spinning),
        peek_test(who_ends_its_side_within_a_packet_is_told_goodbye),
        peek_test(who_is_gone_within_a_packet_is_forgotten),
        peek_test(the_head_of_a_unix_peer_is_believed_where_anybody_is),
        peek_test(the_head_of_a_unix_peer_is_the_backends_where_nobody_is_believed),
        peek_test(a_shorter_packet_behind_a_long_one_is_seen),
        peek_test(half_a_greeting_is_waited_for_without_spinning),
    };
    return TEST_RUN_FOR_EACH_POLLER("peeked bytes", tests);
}
