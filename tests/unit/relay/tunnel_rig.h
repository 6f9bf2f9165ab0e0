/* SPDX-License-Identifier: MIT */
/* TLS that ends or begins at the relay: two relays in a row, one that begins it and one that ends
 * it, between a plain client and a plain backend. */
#ifndef TUSK_TEST_RELAY_TUNNEL_RIG_H
#define TUSK_TEST_RELAY_TUNNEL_RIG_H

#include "rig.h"

static char dir[TEST_TEMP_MAX];
static int backend;
static tusk_tls *server_tls, *client_tls;

/* The relay behind the one of the rig. */
static struct {
    tusk_relay *relay;
    tusk_relay_listen_options listen;
    tusk_relay_limits limits;
    tusk_relay_target target;
    char address[64];
    char name[64], alpn[64], user[64], first[64];
    bool secure;
    int asks;
    tusk_relay_tls upstream_tls;
    tusk_relay_refusal refusal;
    char end[64];
    int records;
} back;

static inline void on_lookup(void *user, tusk_relay_ask ask, const tusk_relay_lookup *lookup)
{
    const tusk_relay_route route = {
        .targets = &back.target, .target_count = 1, .upstream_tls = back.upstream_tls};
    (void)user;
    back.asks++;
    back.secure = lookup->secure;
    rig_copy(back.name, lookup->field[TUSK_LOOKUP_SERVER_NAME]);
    rig_copy(back.user, lookup->field[TUSK_LOOKUP_USER]);
    rig_copy(back.alpn, lookup->field[TUSK_LOOKUP_ALPN]);
    rig_copy(back.first, lookup->field[TUSK_LOOKUP_FIRST]);
    assert_err(back.refusal.status != 0 ? tusk_relay_refuse(back.relay, ask, 0, &back.refusal)
                                        : tusk_relay_answer(back.relay, ask, 0, &route),
               TUSK_OK);
}

static inline void on_access(void *user, const tusk_relay_record *record)
{
    (void)user;
    back.records++;
    rig_copy(back.end, tusk_bytes_str(record->end));
}

static const tusk_relay_handler handler = {.on_lookup = on_lookup, .on_access = on_access};

static inline int make_files(void **state)
{
    char command[512];
    char certificate[64];
    char key[64];
    char reason[128];
    (void)state;
    test_temp_dir(dir, "relay");
    (void)snprintf(certificate, sizeof(certificate), "%s/c.pem", dir);
    (void)snprintf(key, sizeof(key), "%s/k.pem", dir);
    (void)snprintf(command, sizeof(command),
                   "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
                   "-days 3 -subj /CN=db.test -addext subjectAltName=DNS:db.test -keyout %s -out "
                   "%s 2>/dev/null",
                   key, certificate);
    assert_int_equal(system(command), 0);
    const tusk_tls_options server = {.certificate_file = certificate, .key_file = key};
    const tusk_tls_options client = {.ca_file = certificate, .verify_peer = true};
    assert_err(tusk_tls_server_new(&server_tls, &server, reason, sizeof(reason)), TUSK_OK);
    assert_err(tusk_tls_client_new(&client_tls, &client, reason, sizeof(reason)), TUSK_OK);
    return 0;
}

static inline int remove_files(void **state)
{
    char command[64];
    (void)state;
    tusk_tls_unref(server_tls);
    tusk_tls_unref(client_tls);
    (void)snprintf(command, sizeof(command), "rm -r %s", dir);
    return system(command);
}

static inline int set_up(void **state)
{
    uint16_t port;
    (void)state;
    rig_set_up_on(test_poller);
    memset(&back, 0, sizeof(back));
    backend = rig_listen(&port);
    (void)snprintf(back.address, sizeof(back.address), "127.0.0.1:%u", (unsigned)port);
    back.target = (tusk_relay_target){.address = tusk_bytes_str(back.address), .weight = 1};
    back.limits = *tusk_relay_limits_default();
    back.listen.tls = server_tls;
    r.route.upstream_tls = TUSK_TLS_REQUIRE;
    r.route.tls = client_tls;
    r.route.tls_name = tusk_bytes_str("db.test");
    return 0;
}

static inline int tear_down(void **state)
{
    tusk_relay_free(back.relay);
    (void)close(backend);
    return rig_tear_down(state);
}

static inline void begin(void)
{
    char reason[128];
    const tusk_relay_options options = {
        .loop = r.loop, .limits = back.limits, .handler = &handler, .any_address = true};
    assert_err(tusk_relay_new(&back.relay, &options, reason, sizeof(reason)), TUSK_OK);
    assert_err(tusk_relay_listen(back.relay, "127.0.0.1:0", &back.listen), TUSK_OK);
    assert_err(tusk_relay_start(back.relay, reason, sizeof(reason)), TUSK_OK);
    rig_target(tusk_relay_port(back.relay, 0), 1);
    rig_start();
}

static inline void expect_both(const char *front_end, const char *back_end)
{
    rig_until(r.record_count == 1 && back.records == 1);
    assert_string_equal(r.records[0].end, front_end);
    assert_string_equal(back.end, back_end);
}

#define tls_test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
