/* SPDX-License-Identifier: MIT */
/* What a server chooses of what a client of OpenSSL's own offers, and what it gives along. */
#define _GNU_SOURCE
#include "net/tls.h"

#include "tls_pair.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <openssl/ssl.h>

static SSL *client;
static int tickets;

static int count_ticket(SSL *ssl, SSL_SESSION *session)
{
    (void)ssl;
    (void)session;
    tickets++;
    return 0;
}

/* `suites` NULL: what OpenSSL offers by itself. */
static void connect_client(const char *suites)
{
    int fds[2];
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    t.peer = fds[1];
    p.server = open_end(p.server_tls, NULL, fds[0]);
    t.owner = p.server;
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    (void)SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT);
    SSL_CTX_sess_set_new_cb(context, count_ticket);
    assert_true(suites == NULL || SSL_CTX_set_ciphersuites(context, suites) == 1);
    tickets = 0;
    client = SSL_new(context);
    SSL_CTX_free(context);
    assert_int_equal(SSL_set_fd(client, t.peer), 1);
    SSL_set_connect_state(client);
    TURN_UNTIL(SSL_do_handshake(client) == 1 && t.owner->readies == 1);
    assert_err(t.owner->ready, TUSK_OK);
}

static void hear_all(void)
{
    char got[16];
    turns(3);
    assert_int_equal(SSL_read(client, got, sizeof(got)), -1);
}

static int end_of_test(void **state)
{
    SSL_free(client);
    client = NULL;
    p.server = NULL; /* t.owner is it */
    return tear_down(state);
}

static void the_short_keys_of_tls_13_are_taken_and_one_ticket_is_given(void **state)
{
    (void)state;
    connect_client(NULL);
    assert_string_equal(SSL_get_version(client), "TLSv1.3");
    assert_string_equal(SSL_get_cipher_name(client), "TLS_AES_128_GCM_SHA256");
    hear_all();
    assert_int_equal(tickets, 1);
}

static void who_offers_long_ones_only_gets_them(void **state)
{
    (void)state;
    connect_client("TLS_AES_256_GCM_SHA384");
    assert_string_equal(SSL_get_cipher_name(client), "TLS_AES_256_GCM_SHA384");
}

/* Whose processor has no AES says so by its order. */
static void who_wants_chacha_first_gets_it(void **state)
{
    (void)state;
    connect_client("TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256");
    assert_string_equal(SSL_get_cipher_name(client), "TLS_CHACHA20_POLY1305_SHA256");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_short_keys_of_tls_13_are_taken_and_one_ticket_is_given,
                                        set_up, end_of_test),
        cmocka_unit_test_setup_teardown(who_offers_long_ones_only_gets_them, set_up, end_of_test),
        cmocka_unit_test_setup_teardown(who_wants_chacha_first_gets_it, set_up, end_of_test),
    };
    return cmocka_run_group_tests_name("net/tls_manners", tests, make_files, remove_files);
}

#else

int main(void)
{
    print_message("1..0 # SKIP this build has no TLS\n");
    return 0;
}

#endif
