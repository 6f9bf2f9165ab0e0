/* SPDX-License-Identifier: MIT */
/* TLS that begins in mid-stream, as STARTTLS has it: nothing of before is taken for something of
 * after, on either side. */
#define _GNU_SOURCE
#include "net/tls.h"

#include "tls_pair.h"

static owner *open_plain(int fd)
{
    owner *self = owner_new();
    assert_err(tusk_conn_init(&self->conn, t.net, fd, NULL, &owner_ops), TUSK_OK);
    self->adopted = true;
    return self;
}

static int secure_set_up(void **state)
{
    int fds[2];
    set_up(state);
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    p.server = open_plain(fds[0]);
    p.client = open_plain(fds[1]);
    return 0;
}

static tusk_filter *new_filter(tusk_tls *tls, const char *name)
{
    tusk_filter *filter;
    assert_err(tusk_tls_filter_new(&filter, tls, name), TUSK_OK);
    return filter;
}

/* The server's half, in the callback that reads the wish: the answer leaves in the clear. */
static void answer_and_secure(owner *self)
{
    if (self->readies > 0) {
        echo(self);
        return;
    }
    tusk_bytes in = tusk_conn_in(&self->conn);
    assert_memory_equal(in.ptr, "STARTTLS", 8);
    tusk_conn_consume(&self->conn, 8);
    assert_err(tusk_conn_append(&self->conn, "ready", 5), TUSK_OK);
    tusk_filter *filter = new_filter(p.server_tls, NULL);
    tusk_err err = tusk_conn_secure(&self->conn, filter);
    if (err != TUSK_OK) {
        tusk_tls_filter_free(filter);
        self->ready = err;
        tusk_conn_abort(&self->conn, err);
    }
}

static void secure_client(owner *self)
{
    if (self->readies > 0) {
        take(self);
        return;
    }
    take(self);
    assert_memory_equal(self->got, "ready", 5);
    self->got_len = 0;
    assert_err(tusk_conn_secure(&self->conn, new_filter(p.client_tls, "main.test")), TUSK_OK);
    assert_err(tusk_conn_append(&self->conn, "hello", 5), TUSK_OK); /* leaves when it is open */
}

static void both_sides_go_on_encrypted_on_the_same_socket(void **state)
{
    (void)state;
    p.server->in_data = answer_and_secure;
    p.client->in_data = secure_client;
    assert_err(tusk_conn_append(&p.client->conn, "STARTTLS", 8), TUSK_OK);
    TURN_UNTIL(p.client->got_len == 5);
    assert_memory_equal(p.client->got, "hello", 5);
    assert_err(p.server->ready, TUSK_OK);
    assert_err(p.client->ready, TUSK_OK);
    assert_int_equal(p.server->readies, 1);
    assert_true(tusk_conn_open(&p.server->conn));
    assert_non_null(p.server->conn.filter);
    tusk_conn_finish(&p.client->conn);
    TURN_UNTIL(p.server->eofs == 1);
}

static void what_came_in_the_clear_behind_the_wish_is_not_read_as_secure(void **state)
{
    (void)state;
    p.server->in_data = answer_and_secure;
    assert_err(tusk_conn_append(&p.client->conn, "STARTTLSsmuggled", 16), TUSK_OK);
    TURN_UNTIL(p.server->closes == 1);
    assert_err(p.server->ready, TUSK_ESTATE);
    assert_err(p.server->why, TUSK_ESTATE);
}

static void it_begins_once_and_only_on_an_open_connection_that_was_read(void **state)
{
    (void)state;
    uint8_t *large = calloc(1, 4 << 20);
    tusk_filter *filter = new_filter(p.server_tls, NULL);
    assert_err(tusk_conn_append(&p.server->conn, large, 4 << 20), TUSK_OK);
    assert_err(tusk_conn_secure(&p.server->conn, filter), TUSK_ESTATE); /* nobody takes so much */
    free(large);
    tusk_conn_abort(&p.server->conn, TUSK_OK);
    assert_err(tusk_conn_secure(&p.server->conn, filter), TUSK_ESTATE);
    tusk_tls_filter_free(filter);
}

static void a_peer_that_speaks_no_tls_is_told_as_a_failed_handshake(void **state)
{
    (void)state;
    p.server->in_data = answer_and_secure;
    assert_err(tusk_conn_append(&p.client->conn, "STARTTLS", 8), TUSK_OK);
    TURN_UNTIL(p.client->got_len == 5);
    assert_err(tusk_conn_append(&p.client->conn, "EHLO again\r\n", 12), TUSK_OK);
    TURN_UNTIL(p.server->closes == 1);
    assert_err(p.server->ready, TUSK_ETLS);
}

int main(void)
{
    if (tusk_tls_library() == NULL) {
        print_message("1..0 # SKIP this build has no TLS\n");
        return 0;
    }
#define SECURE_TEST(name) cmocka_unit_test_setup_teardown(name, secure_set_up, tear_down)
    const struct CMUnitTest tests[] = {
        SECURE_TEST(both_sides_go_on_encrypted_on_the_same_socket),
        SECURE_TEST(what_came_in_the_clear_behind_the_wish_is_not_read_as_secure),
        SECURE_TEST(it_begins_once_and_only_on_an_open_connection_that_was_read),
        SECURE_TEST(a_peer_that_speaks_no_tls_is_told_as_a_failed_handshake),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
