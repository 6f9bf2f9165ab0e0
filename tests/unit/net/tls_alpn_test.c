/* SPDX-License-Identifier: MIT */
/* The protocols that a client offers (ALPN, RFC 7301), as a server is told them. */
#define _GNU_SOURCE
#include "net/tls_inner.h"

#include "tls_pair.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <openssl/ssl.h>

/* What the server's filter tells after a handshake in which the client offers these; `keeps`: it
 * was asked to keep them. */
static void shake_hands(const char *offer, bool keeps)
{
    const tusk_tls_options none = {.verify_peer = false};
    contexts(&none, &none);
    assert_int_equal(SSL_CTX_set_alpn_protos(tusk__tls_ctx(p.client_tls), (const uint8_t *)offer,
                                             (unsigned)strlen(offer)),
                     0);
    open_pair("main.test");
    if (keeps) {
        tusk_filter_keep_alpn(p.server->conn.filter);
    }
    RELAY_UNTIL(65536, p.server->readies == 1 && p.client->readies == 1);
}

static void expect_alpn(const char *expected)
{
    tusk_bytes alpn = tusk_filter_alpn(p.server->conn.filter);
    assert_int_equal(alpn.len, strlen(expected));
    if (alpn.len > 0) {
        assert_memory_equal(alpn.ptr, expected, alpn.len);
    }
}

static void the_list_is_told_in_the_clients_order(void **state)
{
    (void)state;
    shake_hands("\x02h2\x08http/1.1\x03xyz", true);
    expect_alpn("h2,http/1.1,xyz");
}

static void one_protocol_is_a_list_of_one(void **state)
{
    (void)state;
    shake_hands("\x08http/1.1", true);
    expect_alpn("http/1.1");
}

static void without_an_offer_there_is_no_list(void **state)
{
    (void)state;
    shake_hands("", true);
    assert_null(tusk_filter_alpn(p.server->conn.filter).ptr);
}

static void nothing_is_kept_unless_it_was_asked_for(void **state)
{
    (void)state;
    shake_hands("\x02h2\x08http/1.1", false);
    assert_null(tusk_filter_alpn(p.server->conn.filter).ptr);
}

/* ---- what is spoken ---- */
static char chosen[64];

static void on_info(const SSL *ssl, int where, int value)
{
    const unsigned char *name;
    unsigned len;
    (void)value;
    if ((where & SSL_CB_HANDSHAKE_DONE) != 0) {
        SSL_get0_alpn_selected(ssl, &name, &len);
        (void)snprintf(chosen, sizeof(chosen), "%.*s", (int)len, (const char *)name);
    }
}

/* What client and server agreed on; NULL: the handshake failed. */
static const char *agreed(const char *servers, const char *clients)
{
    const tusk_tls_options none = {.verify_peer = false};
    contexts(&none, &none);
    SSL_CTX_set_info_callback(tusk__tls_ctx(p.client_tls), on_info);
    open_pair_speaking("main.test", servers, clients);
    RELAY_UNTIL(65536, p.client->closes == 1 || (p.server->readies == 1 && p.client->readies == 1));
    return p.client->closes == 1 ? NULL : chosen;
}

static void who_speaks_something_else_agrees_on_that(void **state)
{
    (void)state;
    assert_string_equal(agreed("postgresql", "postgresql"), "postgresql");
}

static void what_is_unknown_to_who_speaks_something_is_an_alert(void **state)
{
    (void)state;
    assert_null(agreed("postgresql", NULL));
}

static void an_alert_goes_to_who_offers_no_http_as_well(void **state)
{
    (void)state;
    assert_null(agreed(NULL, "postgresql"));
}

/* A relay of bytes: h2, imap or xmpp, and it knows of none of them. */
static void who_speaks_nothing_passes_offers_over(void **state)
{
    (void)state;
    assert_string_equal(agreed("", "imap"), "");
}

static void who_offers_nothing_is_served_by_who_speaks_something(void **state)
{
    (void)state;
    assert_string_equal(agreed("postgresql", ""), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_list_is_told_in_the_clients_order),
        TEST(one_protocol_is_a_list_of_one),
        TEST(without_an_offer_there_is_no_list),
        TEST(nothing_is_kept_unless_it_was_asked_for),
        TEST(who_speaks_something_else_agrees_on_that),
        TEST(what_is_unknown_to_who_speaks_something_is_an_alert),
        TEST(an_alert_goes_to_who_offers_no_http_as_well),
        TEST(who_speaks_nothing_passes_offers_over),
        TEST(who_offers_nothing_is_served_by_who_speaks_something),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}

#else

int main(void)
{
    print_message("1..0 # SKIP this build has no TLS\n");
    return 0;
}

#endif
