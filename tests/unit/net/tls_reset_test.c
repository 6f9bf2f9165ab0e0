/* SPDX-License-Identifier: MIT */
/* A peer over TLS that answers early and goes: what it had said is read, as without TLS. */
#define _GNU_SOURCE
#include "net/tls.h"

#include "tcp_pair.h"
#include "tls_pair.h"

#include <netinet/tcp.h>

#include "net/socket.h"

/* The server says "413", ends its half by close_notify or does not, and resets; only then the
 * client writes on. */
static void answer_early(bool reads_on, bool ended)
{
    static uint8_t body[300000];
    const int on = 1; /* what waits to leave does not outlive a reset */
    int fds[2];
    tcp_pair(fds);
    assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(setsockopt(fds[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)), 0);
    p.client = open_end(p.client_tls, "main.test", fds[1]);
    p.server = open_end(p.server_tls, NULL, fds[0]);
    TURN_UNTIL(p.client->readies == 1 && p.server->readies == 1);
    turns(2); /* tickets */
    p.client->conn.read_on = reads_on;
    assert_err(tusk_conn_append(&p.server->conn, "413", 3), TUSK_OK);
    tusk_conn_flush(&p.server->conn);
    unsigned want;
    assert_true(!ended || tusk_filter_shutdown(p.server->conn.filter, &want) == 1);
    tusk__socket_will_reset(fds[0]);
    tusk_conn_abort(&p.server->conn, TUSK_OK);
    assert_err(tusk_conn_append(&p.client->conn, body, sizeof(body)), TUSK_OK);
    tusk_conn_flush(&p.client->conn);
    TURN_UNTIL(p.client->closes == 1 || p.client->eofs == 1);
}

static void what_was_said_before_a_reset_that_writing_met_is_read(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    answer_early(true, false);
    assert_bytes_equal(tusk_bytes_of(p.client->got, p.client->got_len), TEST_BYTES("413"));
    assert_int_equal(p.client->eofs, 0);
    assert_err(p.client->why, TUSK_ERESET);
}

/* Nobody but the peer can say that it has said all. */
static void close_notify_before_that_reset_is_an_end(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    answer_early(true, true);
    assert_bytes_equal(tusk_bytes_of(p.client->got, p.client->got_len), TEST_BYTES("413"));
    assert_int_equal(p.client->eofs, 1);
    assert_int_equal(p.client->closes, 0);
    assert_err(tusk_conn_append(&p.client->conn, "x", 1), TUSK_ESTATE);
}

static void who_does_not_read_on_hears_of_the_reset_alone(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    answer_early(false, true);
    assert_int_equal(p.client->got_len, 0);
    assert_err(p.client->why, TUSK_ERESET);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_said_before_a_reset_that_writing_met_is_read),
        TEST(close_notify_before_that_reset_is_an_end),
        TEST(who_does_not_read_on_hears_of_the_reset_alone),
    };
    return cmocka_run_group_tests_name("net/tls_reset", tests, make_files, remove_files);
}
