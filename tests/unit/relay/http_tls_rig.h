/* SPDX-License-Identifier: MIT */
/* TLS on both sides of the HTTP proxy: one relay with TLS towards backends before another one with
 * a certificate. */
#ifndef TUSK_TEST_RELAY_HTTP_TLS_RIG_H
#define TUSK_TEST_RELAY_HTTP_TLS_RIG_H

#include "http_rig.h"

#include "../net/tls_pair.h"
#include "relay/http/inner.h"

/* The one behind, which ends TLS and passes on to the test's backend. */
static struct {
    tusk_relay *relay;
    tusk_tls *server_tls, *client_tls;
    char address[64];
    char asked[64];
    char alpn[64];
    char destination[64];
    bool secure;
    bool proxy_protocol;
} behind;

static inline void behind_on_lookup(void *user, tusk_relay_ask ask, const tusk_relay_lookup *lookup)
{
    char backend[64];
    (void)user;
    (void)snprintf(backend, sizeof(backend), "127.0.0.1:%u", (unsigned)h.port);
    const tusk_relay_target target = {.address = tusk_bytes_str(backend), .weight = 1};
    const tusk_relay_route route = {.targets = &target, .target_count = 1};
    rig_copy(behind.asked, lookup->field[TUSK_LOOKUP_SERVER_NAME]);
    rig_copy(behind.alpn, lookup->field[TUSK_LOOKUP_ALPN]);
    rig_copy(behind.destination, lookup->field[TUSK_LOOKUP_DESTINATION]);
    behind.secure = lookup->secure;
    assert_err(tusk_relay_answer(behind.relay, ask, 0, &route), TUSK_OK);
}

static inline void start_behind(const char *certificate)
{
    static const tusk_relay_handler handler = {.on_lookup = behind_on_lookup};
    char reason[256];
    const tusk_tls_options options = {.certificate_file = in_dir(certificate),
                                      .key_file = in_dir("main.key")};
    assert_err(tusk_tls_server_new(&behind.server_tls, &options, reason, sizeof(reason)), TUSK_OK);
    tusk_relay_options relay = r.options;
    relay.handler = &handler;
    const tusk_relay_listen_options listen = {.tls = behind.server_tls,
                                              .proxy_protocol = behind.proxy_protocol};
    assert_err(tusk_relay_new(&behind.relay, &relay, reason, sizeof(reason)), TUSK_OK);
    assert_err(tusk_relay_listen(behind.relay, "127.0.0.1:0", &listen), TUSK_OK);
    assert_err(tusk_relay_start(behind.relay, reason, sizeof(reason)), TUSK_OK);
    (void)snprintf(behind.address, sizeof(behind.address), "127.0.0.1:%u",
                   (unsigned)tusk_relay_port(behind.relay, 0));
}

/* The one before: plain towards its client. */
static inline void start_as_it_is(const char *ca, const char *name)
{
    char reason[256];
    const tusk_tls_options options = {.ca_file = in_dir(ca), .verify_peer = true};
    assert_err(tusk_tls_client_new(&behind.client_tls, &options, reason, sizeof(reason)), TUSK_OK);
    r.targets[0].address = tusk_bytes_str(behind.address);
    r.route.tls_name = tusk_bytes_str(name);
    r.options.upstream_tls = behind.client_tls;
    rig_start();
}

static inline void start(const char *ca, const char *name)
{
    r.route.upstream_tls = TUSK_TLS_REQUIRE;
    start_as_it_is(ca, name);
}

static inline int tls_set_up(void **state)
{
    (void)http_set_up(state);
    memset(&behind, 0, sizeof(behind));
    return 0;
}

static inline int tls_tear_down(void **state)
{
    tusk_relay_free(behind.relay);
    int result = http_tear_down(state);
    tusk_tls_unref(behind.server_tls);
    tusk_tls_unref(behind.client_tls);
    return result;
}

#define TLS_TEST(name) cmocka_unit_test_setup_teardown(name, tls_set_up, tls_tear_down)

#endif
