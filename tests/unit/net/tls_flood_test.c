/* SPDX-License-Identifier: MIT */
/* A TLS peer that sends records which carry nothing, as fast as it can: others have their turns. */
#define _GNU_SOURCE
#include "net/tls.h"

#include "tls_pair.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <openssl/ssl.h>

enum { FLOOD = 4000 };

/* A client of OpenSSL's own, which writes into memory: the test carries the bytes. */
static SSL *client;

static void carry(void)
{
    char bytes[65536];
    int len = BIO_read(SSL_get_wbio(client), bytes, sizeof(bytes));
    if (len > 0) {
        assert_int_equal(write(t.peer, bytes, (size_t)len), len);
    }
    turns(2);
    ssize_t got = read(t.peer, bytes, sizeof(bytes));
    if (got > 0) {
        assert_int_equal(BIO_write(SSL_get_rbio(client), bytes, (int)got), (int)got);
    }
}

static void shake_hands(void)
{
    int fds[2];
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    t.peer = fds[1];
    p.server = open_end(p.server_tls, NULL, fds[0]);
    t.owner = p.server;
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    client = SSL_new(context);
    SSL_CTX_free(context);
    SSL_set_bio(client, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(client);
    assert_int_equal(SSL_set_min_proto_version(client, TLS1_3_VERSION), 1);
    for (int i = 0; i < 10 && SSL_do_handshake(client) != 1; i++) {
        carry();
    }
    carry();
    assert_int_equal(t.owner->readies, 1);
    assert_err(t.owner->ready, TUSK_OK);
}

static int end_of_test(void **state)
{
    SSL_free(client);
    client = NULL;
    p.server = NULL; /* t.owner is it */
    return tear_down(state);
}

static void update_keys(int count)
{
    for (int i = 0; i < count; i++) {
        assert_int_equal(SSL_key_update(client, SSL_KEY_UPDATE_NOT_REQUESTED), 1);
        assert_int_equal(SSL_do_handshake(client), 1);
    }
}

static void say_hello(void)
{
    assert_int_equal(SSL_write(client, "hello", 5), 5);
}

static void keys_are_updated_as_often_as_there_is_data(void **state)
{
    (void)state;
    shake_hands();
    for (int i = 1; i <= 20; i++) {
        update_keys(32);
        carry(); /* records without data, and nothing behind them */
        assert_int_equal(t.owner->closes, 0);
        say_hello();
        carry();
        assert_int_equal(t.owner->got_len, 5 * (size_t)i);
    }
    turns(3);
    uint64_t before = tusk_net_count(t.net)->recv_calls;
    turns(20);
    assert_int_equal(tusk_net_count(t.net)->recv_calls, before); /* nothing is read for nothing */
}

/* The whole flood lies in the socket: one turn reads no more of it than one buffer holds. */
static void a_flood_of_them_ends_the_connection_and_holds_up_nobody(void **state)
{
    static char flood[FLOOD * 64];
    (void)state;
    shake_hands();
    update_keys(FLOOD);
    int len = BIO_read(SSL_get_wbio(client), flood, sizeof(flood));
    assert_true(len > FLOOD * 20 && (size_t)len < sizeof(flood));
    assert_true(write(t.peer, flood, (size_t)len) > 65536);
    turns(1);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_ETLS);
    assert_string_equal(p.server_reason, "too many key updates");
    assert_int_equal(t.owner->datas, 0);
    assert_true(tusk_net_count(t.net)->bytes_in == 0);
}

/* OpenSSL would take the memory that it declares: 128 KiB for nine bytes. */
static void refuses_hello(const uint8_t *bytes, size_t len)
{
    static const uint8_t alert[] = {21, 3, 3, 0, 2, 2, 47}; /* illegal_parameter */
    uint8_t got[64];
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    t.peer = fds[1];
    p.server = open_end(p.server_tls, NULL, fds[0]);
    t.owner = p.server;
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(t.owner->closes, 0);
        assert_int_equal(write(t.peer, bytes + i, 1), 1);
        turns(2);
    }
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_ETLS);
    assert_string_equal(p.server_reason, "the hello declares more than 16 KiB");
    assert_int_equal(read(t.peer, got, sizeof(got)), sizeof(alert));
    assert_memory_equal(got, alert, sizeof(alert));
}

static void a_hello_that_declares_more_than_a_record_is_refused_by_its_head(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    static const uint8_t whole[] = {22, 3, 1, 0, 4, 1, 0, 0x40, 1};
    refuses_hello(whole, sizeof(whole));
}

static void also_when_records_cut_its_head(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    static const uint8_t cut[] = {22, 3, 1, 0, 1, 1, 22, 3, 1, 0, 2, 2, 0, 22, 3, 1, 0, 1, 0};
    refuses_hello(cut, sizeof(cut));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keys_are_updated_as_often_as_there_is_data, set_up,
                                        end_of_test),
        cmocka_unit_test_setup_teardown(a_flood_of_them_ends_the_connection_and_holds_up_nobody,
                                        set_up, end_of_test),
        cmocka_unit_test_setup_teardown(
            a_hello_that_declares_more_than_a_record_is_refused_by_its_head, set_up, end_of_test),
        cmocka_unit_test_setup_teardown(also_when_records_cut_its_head, set_up, end_of_test),
    };
    return cmocka_run_group_tests_name("net/tls_flood", tests, make_files, remove_files);
}

#else

int main(void)
{
    print_message("1..0 # SKIP this build has no TLS\n");
    return 0;
}

#endif
