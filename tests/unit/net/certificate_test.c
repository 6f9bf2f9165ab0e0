/* SPDX-License-Identifier: MIT */
/* Certificates of clients: asked for, demanded or not, checked at each handshake, and readable. */
#define _GNU_SOURCE
#include "net/tls.h"

#include <time.h>

#include "tls_pair.h"

/* `name` NULL: shows none. */
static void shake_hands(const tusk_tls_options *server, const char *name, int version)
{
    char crt[32];
    char key[32];
    (void)snprintf(crt, sizeof(crt), "%s.crt", name == NULL ? "" : name);
    (void)snprintf(key, sizeof(key), "%s.key", name == NULL ? "" : name);
    end_pair();
    drop_contexts();
    contexts(server, &(tusk_tls_options){.certificate_file = name == NULL ? NULL : in_dir(crt),
                                         .key_file = name == NULL ? NULL : in_dir(key),
                                         .min_version = version,
                                         .max_version = version});
    open_pair("Main.Test");
    RELAY_UNTIL(SIZE_MAX, p.server->readies == 1);
}

static void assert_text(tusk_bytes got, const char *wanted)
{
    assert_int_equal(got.len, strlen(wanted));
    assert_memory_equal(got.ptr, wanted, got.len);
}

static const tusk_tls_options *optional(void)
{
    static tusk_tls_options options;
    options = (tusk_tls_options){
        .verify_client = true, .client_optional = true, .ca_file = in_dir("client.crt")};
    return &options;
}

static void optional_lets_in_who_shows_none_and_nobody_whose_is_not_vouched_for(void **state)
{
    (void)state;
    for (int version = 12; version <= 13; version++) {
        tusk_certificate *shown;
        shake_hands(optional(), NULL, version);
        assert_err(p.server->ready, TUSK_OK);
        assert_err(tusk_filter_certificate(p.server->conn.filter, &shown), TUSK_ENOENT);
        assert_null(shown);
        shake_hands(optional(), "client", version);
        assert_err(p.server->ready, TUSK_OK);
        assert_err(tusk_filter_certificate(p.server->conn.filter, &shown), TUSK_OK);
        assert_text(shown->subject, "CN=somebody");
        tusk_certificate_free(shown);
        shake_hands(optional(), "main", version);
        assert_err(p.server->ready, TUSK_ETLS);
        assert_non_null(strstr(p.server_reason, "certificate verify failed"));
    }
}

static void optional_without_asking_is_refused(void **state)
{
    (void)state;
    char reason[200];
    tusk_tls *tls;
    assert_err(tusk_tls_server_new(&tls,
                                   &(tusk_tls_options){.certificate_file = in_dir("main.crt"),
                                                       .key_file = in_dir("main.key"),
                                                       .client_optional = true},
                                   reason, sizeof(reason)),
               TUSK_EINVAL);
    assert_string_equal(reason, "client certificates are optional, but nobody asks for them");
}

static void nobody_is_known_by_a_certificate_that_nobody_asked_for(void **state)
{
    (void)state;
    tusk_certificate *shown;
    shake_hands(&(tusk_tls_options){0}, "client", 0);
    assert_err(p.server->ready, TUSK_OK);
    assert_err(tusk_filter_certificate(p.server->conn.filter, &shown), TUSK_ENOENT);
    RELAY_UNTIL(SIZE_MAX, p.client->readies == 1);
    /* A client that does not check whom it talks to knows as little. */
    assert_err(tusk_filter_certificate(p.client->conn.filter, &shown), TUSK_ENOENT);
}

static void a_certificate_is_told_whole(void **state)
{
    (void)state;
    tusk_certificate *shown;
    char fingerprint[65];
    run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3 -utf8 "
        "-set_serial 0x0a1b -subj '/O=Caf\xc3\xa9, Ltd/CN=first/CN=r\xc3\xb6"
        "bot' "
        "-addext 'subjectAltName=DNS:a.test,email:r@a.test,URI:spiffe://a.test/r,IP:10.1.2.3,"
        "IP:2001:db8::1,RID:1.2.3.4,DNS:b.test' -keyout %s/whole.key -out %s/whole.crt "
        "2>/dev/null",
        dir, dir);
    run("openssl x509 -in %s/whole.crt -outform DER | sha256sum | cut -c1-64 > %s/whole.sha256",
        dir, dir);
    shake_hands(&(tusk_tls_options){.verify_client = true, .ca_file = in_dir("whole.crt")}, "whole",
                0);
    assert_err(p.server->ready, TUSK_OK);
    assert_err(tusk_filter_certificate(p.server->conn.filter, &shown), TUSK_OK);
    assert_text(shown->subject, "CN=r\xc3\xb6"
                                "bot,CN=first,O=Caf\xc3\xa9\\, Ltd");
    assert_true(tusk_bytes_eq(shown->issuer, shown->subject));
    assert_text(shown->common_name, "r\xc3\xb6"
                                    "bot");
    assert_text(shown->serial, "0A1B");
    assert_int_equal(shown->not_after - shown->not_before, 3 * 86400);
    assert_in_range(time(NULL) - shown->not_before, 0, 600);

    static const struct {
        tusk_alt_name_kind kind;
        const char *text;
    } names[] = {
        {TUSK_ALT_NAME_DNS, "a.test"},
        {TUSK_ALT_NAME_EMAIL, "r@a.test"},
        {TUSK_ALT_NAME_URI, "spiffe://a.test/r"},
        {TUSK_ALT_NAME_IP, "10.1.2.3"},
        {TUSK_ALT_NAME_IP, "2001:db8::1"},
        {TUSK_ALT_NAME_DNS, "b.test"},
    };
    assert_int_equal(shown->name_count, sizeof(names) / sizeof(names[0]));
    for (size_t i = 0; i < shown->name_count; i++) {
        assert_int_equal(shown->names[i].kind, names[i].kind);
        assert_text(shown->names[i].text, names[i].text);
    }

    char pem[4096];
    FILE *file = fopen(in_dir("whole.crt"), "r");
    size_t len = fread(pem, 1, sizeof(pem), file);
    fclose(file);
    assert_int_equal(shown->pem.len, len);
    assert_memory_equal(shown->pem.ptr, pem, len);
    file = fopen(in_dir("whole.sha256"), "r");
    assert_int_equal(fread(fingerprint, 1, 64, file), 64);
    fclose(file);
    for (size_t i = 0; i < 32; i++) {
        char hex[3];
        (void)snprintf(hex, sizeof(hex), "%02x", shown->fingerprint[i]);
        assert_memory_equal(hex, fingerprint + 2 * i, 2);
    }
    tusk_certificate_free(shown);
}

static void one_without_names_has_none(void **state)
{
    (void)state;
    tusk_certificate *shown;
    run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3 "
        "-subj '/O=Nobody' -keyout %s/bare.key -out %s/bare.crt 2>/dev/null",
        dir, dir);
    shake_hands(&(tusk_tls_options){.verify_client = true, .ca_file = in_dir("bare.crt")}, "bare",
                0);
    assert_err(tusk_filter_certificate(p.server->conn.filter, &shown), TUSK_OK);
    assert_text(shown->subject, "O=Nobody");
    assert_null(shown->common_name.ptr);
    assert_int_equal(shown->name_count, 0);
    tusk_certificate_free(shown);
}

static void what_was_agreed_upon_is_told(void **state)
{
    (void)state;
    tusk_tls_info info;
    shake_hands(&(tusk_tls_options){0}, NULL, 13);
    tusk_filter_info(p.server->conn.filter, &info);
    assert_string_equal(info.version, "TLSv1.3");
    assert_string_equal(info.server_name, "main.test");
    assert_string_equal(info.cipher, tusk_filter_cipher(p.server->conn.filter));
    assert_text(info.protocol, "http/1.1");
    assert_false(info.resumed);
    shake_hands(&(tusk_tls_options){0}, NULL, 12);
    tusk_filter_info(p.server->conn.filter, &info);
    assert_string_equal(info.version, "TLSv1.2");
    tusk_filter_info(p.client->conn.filter, &info);
    assert_string_equal(info.server_name, "main.test");
}

/* Who asks for certificates resumes nobody: neither is one forgotten, nor does it outlast its
 * authority. */
static void where_certificates_are_asked_for_each_handshake_is_whole(void **state)
{
    (void)state;
    for (int version = 12; version <= 13; version++) {
        for (int shows = 0; shows < 2; shows++) {
            end_pair();
            drop_contexts();
            run("cp %s/client.crt %s/live.pem", dir, dir);
            contexts(
                &(tusk_tls_options){
                    .verify_client = true, .client_optional = true, .ca_file = in_dir("live.pem")},
                &(tusk_tls_options){.certificate_file = shows == 1 ? in_dir("client.crt") : NULL,
                                    .key_file = shows == 1 ? in_dir("client.key") : NULL,
                                    .min_version = version,
                                    .max_version = version,
                                    .resume = true});
            for (int round = 0; round < 3; round++) {
                char reason[200];
                if (round == 2) {
                    run("cp %s/main.crt %s/live.pem", dir, dir);
                    assert_err(tusk_tls_reload(p.server_tls, reason, sizeof(reason)), TUSK_OK);
                }
                open_pair("main.test");
                p.server->in_data = echo;
                assert_err(tusk_conn_append(&p.client->conn, "ping", 4), TUSK_OK);
                if (round == 2 && shows == 1) {
                    RELAY_UNTIL(SIZE_MAX, p.server->readies == 1);
                    assert_err(p.server->ready, TUSK_ETLS);
                    end_pair();
                    continue;
                }
                RELAY_UNTIL(SIZE_MAX, p.client->got_len == 4);
                tusk_certificate *shown;
                assert_false(tusk_filter_resumed(p.server->conn.filter));
                assert_err(tusk_filter_certificate(p.server->conn.filter, &shown),
                           shows == 1 ? TUSK_OK : TUSK_ENOENT);
                tusk_certificate_free(shown);
                end_pair();
            }
        }
    }
}

/* OpenSSL takes as much memory as the message declares, by default 100 KiB for each handshake. */
static void a_list_of_certificates_over_16_kib_is_refused(void **state)
{
    (void)state;
    run("cat %s/client.crt > %s/long.crt; for i in $(seq 60); do cat %s/main.crt; done >> "
        "%s/long.crt; cp %s/client.key %s/long.key",
        dir, dir, dir, dir, dir, dir);
    for (int version = 12; version <= 13; version++) {
        shake_hands(&(tusk_tls_options){.verify_client = true, .ca_file = in_dir("client.crt")},
                    "long", version);
        assert_err(p.server->ready, TUSK_ETLS);
        assert_non_null(strstr(p.server_reason, "excessive message size"));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    if (tusk_tls_library() == NULL) {
        print_message("1..0 # SKIP this build has no TLS\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        TEST(optional_lets_in_who_shows_none_and_nobody_whose_is_not_vouched_for),
        TEST(optional_without_asking_is_refused),
        TEST(nobody_is_known_by_a_certificate_that_nobody_asked_for),
        TEST(a_certificate_is_told_whole),
        TEST(one_without_names_has_none),
        TEST(what_was_agreed_upon_is_told),
        TEST(where_certificates_are_asked_for_each_handshake_is_whole),
        TEST(a_list_of_certificates_over_16_kib_is_refused),
    };
    return cmocka_run_group_tests_name("net/certificate", tests, make_files, remove_files);
}
