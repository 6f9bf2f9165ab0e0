/* SPDX-License-Identifier: MIT */
/* A TLS peer that sends records which carry nothing, as fast as it can: others have their turns. */
#define _GNU_SOURCE
#include "net/tls.h"

#include "loop/patient.h"
#include "tls_pair.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <openssl/evp.h>
#include <openssl/kdf.h>
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

/* A line for each secret: its name, who it is of, itself. */
static uint8_t secret[32];

static void keep_secret(const SSL *ssl, const char *line)
{
    static const char name[] = "CLIENT_TRAFFIC_SECRET_0 ";
    (void)ssl;
    const char *hex = strrchr(line, ' ') + 1;
    for (size_t i = 0; i < sizeof(secret) && strncmp(line, name, strlen(name)) == 0; i++) {
        unsigned byte = 0;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        secret[i] = (uint8_t)byte;
    }
}

static void connect_client(int version, SSL_SESSION *session)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    t.peer = fds[1];
    p.server = open_end(p.server_tls, NULL, fds[0]);
    t.owner = p.server;
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_keylog_callback(context, keep_secret);
    client = SSL_new(context);
    SSL_CTX_free(context);
    SSL_set_bio(client, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(client);
    assert_int_equal(SSL_set_min_proto_version(client, version), 1);
    assert_int_equal(SSL_set_max_proto_version(client, version), 1);
    assert_int_equal(SSL_set_cipher_list(client, "ECDHE-ECDSA-AES128-GCM-SHA256"), 1);
    assert_int_equal(SSL_set_ciphersuites(client, "TLS_AES_128_GCM_SHA256"), 1);
    assert_true(session == NULL || SSL_set_session(client, session) == 1);
}

static void finish_handshake(void)
{
    for (int i = 0; i < 10 && SSL_do_handshake(client) != 1; i++) {
        carry();
    }
    carry();
    assert_int_equal(t.owner->readies, 1);
    assert_err(t.owner->ready, TUSK_OK);
}

static void shake_hands_of(int version)
{
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    connect_client(version, NULL);
    finish_handshake();
}

static void shake_hands(void)
{
    shake_hands_of(TLS1_3_VERSION);
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
    static char updates[FLOOD * 64];
    (void)state;
    shake_hands();
    update_keys(FLOOD);
    int len = BIO_read(SSL_get_wbio(client), updates, sizeof(updates));
    assert_true(len > FLOOD * 20 && (size_t)len < sizeof(updates));
    assert_true(write(t.peer, updates, (size_t)len) > 65536);
    turns(1);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_ETLS);
    assert_string_equal(p.server_reason, "too many records without data");
    assert_int_equal(t.owner->datas, 0);
    assert_true(tusk_net_count(t.net)->bytes_in == 0);
}

/* Each costs as much as twenty records of data. */
static void new_keys_are_the_last_that_is_read_in_a_turn(void **state)
{
    enum { ROUNDS = 50, OF_EVENT_AND_REST = 2 };
    char bytes[65536];
    (void)state;
    shake_hands();
    for (int i = 0; i < ROUNDS; i++) {
        update_keys(1);
        say_hello();
    }
    int len = BIO_read(SSL_get_wbio(client), bytes, sizeof(bytes));
    assert_int_equal(write(t.peer, bytes, (size_t)len), len);
    for (int turn = 0; t.owner->got_len < 5 * ROUNDS && turn < 2 * ROUNDS; turn++) {
        size_t before = t.owner->got_len;
        turns(1);
        assert_in_range(t.owner->got_len - before, 0, 5 * OF_EVENT_AND_REST);
    }
    assert_int_equal(t.owner->got_len, 5 * ROUNDS);
    assert_int_equal(t.owner->closes, 0);
}

static int set_up_with_newcomers(void **state)
{
    test_settled_reads = 4;
    return set_up(state);
}

static int end_with_newcomers(void **state)
{
    test_settled_reads = 0;
    return end_of_test(state);
}

static void who_asks_for_new_keys_waits_for_others_again(void **state)
{
    (void)state;
    shake_hands();
    for (uint32_t i = 0; i < test_settled_reads; i++) {
        assert_true(tusk__io_is_patient(&t.owner->conn.io));
        say_hello();
        carry();
    }
    assert_false(tusk__io_is_patient(&t.owner->conn.io));
    for (int i = 0; i < 10; i++) { /* as long as it does */
        update_keys(1);
        say_hello();
        carry();
        assert_true(tusk__io_is_patient(&t.owner->conn.io));
    }
    for (uint32_t i = 0; i < test_settled_reads; i++) {
        say_hello();
        carry();
    }
    assert_false(tusk__io_is_patient(&t.owner->conn.io));
}

/* ---- records made by hand: those that OpenSSL makes for nobody ---- */
static struct {
    bool tls13;
    uint8_t key[16];
    uint8_t iv[12];
    uint64_t sent; /* with this key */
} hand;

static void derive_12(void)
{
    uint8_t master[48];
    uint8_t ours[32];
    uint8_t theirs[32];
    uint8_t block[40]; /* keys of client and server, their salts */
    size_t len = sizeof(block);
    assert_int_equal(SSL_SESSION_get_master_key(SSL_get_session(client), master, sizeof(master)),
                     sizeof(master));
    (void)SSL_get_client_random(client, ours, sizeof(ours));
    (void)SSL_get_server_random(client, theirs, sizeof(theirs));
    EVP_PKEY_CTX *prf = EVP_PKEY_CTX_new_id(EVP_PKEY_TLS1_PRF, NULL);
    assert_int_equal(EVP_PKEY_derive_init(prf), 1);
    assert_int_equal(EVP_PKEY_CTX_set_tls1_prf_md(prf, EVP_sha256()), 1);
    assert_int_equal(EVP_PKEY_CTX_set1_tls1_prf_secret(prf, master, sizeof(master)), 1);
    assert_int_equal(EVP_PKEY_CTX_add1_tls1_prf_seed(prf, (unsigned char *)"key expansion", 13), 1);
    assert_int_equal(EVP_PKEY_CTX_add1_tls1_prf_seed(prf, theirs, sizeof(theirs)), 1);
    assert_int_equal(EVP_PKEY_CTX_add1_tls1_prf_seed(prf, ours, sizeof(ours)), 1);
    assert_int_equal(EVP_PKEY_derive(prf, block, &len), 1);
    EVP_PKEY_CTX_free(prf);
    memcpy(hand.key, block, 16);
    memcpy(hand.iv, block + 32, 4);
    hand.sent = 1; /* Finished */
}

/* HKDF-Expand-Label without a context (RFC 8446, 7.1). */
static void expand(uint8_t *out, size_t len, const char *label)
{
    uint8_t info[32] = {0,   (uint8_t)len, (uint8_t)(6 + strlen(label)), 't', 'l', 's', '1',
                        '3', ' '};
    memcpy(info + 9, label, strlen(label));
    EVP_PKEY_CTX *kdf = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);
    assert_int_equal(EVP_PKEY_derive_init(kdf), 1);
    assert_int_equal(EVP_PKEY_CTX_hkdf_mode(kdf, EVP_PKEY_HKDEF_MODE_EXPAND_ONLY), 1);
    assert_int_equal(EVP_PKEY_CTX_set_hkdf_md(kdf, EVP_sha256()), 1);
    assert_int_equal(EVP_PKEY_CTX_set1_hkdf_key(kdf, secret, sizeof(secret)), 1);
    assert_int_equal(EVP_PKEY_CTX_add1_hkdf_info(kdf, info, (int)(10 + strlen(label))), 1);
    assert_int_equal(EVP_PKEY_derive(kdf, out, &len), 1);
    EVP_PKEY_CTX_free(kdf);
}

static void take_the_pen(int version)
{
    shake_hands_of(version);
    hand.tls13 = version == TLS1_3_VERSION;
    hand.sent = 0;
    if (hand.tls13) {
        expand(hand.key, sizeof(hand.key), "key");
        expand(hand.iv, sizeof(hand.iv), "iv");
    } else {
        derive_12();
    }
}

/* AES-128-GCM; `out` has room for 13 bytes of head, the tag and one byte more. */
static size_t seal(uint8_t *out, uint8_t type, const void *content, size_t len)
{
    uint8_t inner[64];
    uint8_t nonce[12];
    uint8_t number[8];
    uint8_t more[13];
    size_t head = hand.tls13 ? 5 : 13;
    size_t inner_len = len + hand.tls13;
    int done = 0;
    memcpy(inner, content, len);
    inner[len] = type;
    for (int i = 0; i < 8; i++) {
        number[i] = (uint8_t)(hand.sent >> (56 - 8 * i));
    }
    hand.sent++;
    memcpy(nonce, hand.iv, sizeof(nonce));
    for (int i = 0; i < 8; i++) {
        nonce[4 + i] = hand.tls13 ? nonce[4 + i] ^ number[i] : number[i];
    }
    size_t body = head - 5 + inner_len + 16;
    const uint8_t start[5] = {hand.tls13 ? 23 : type, 3, 3, (uint8_t)(body >> 8), (uint8_t)body};
    memcpy(out, start, 5);
    memcpy(out + 5, number, head - 5);
    memcpy(more, hand.tls13 ? start : number, hand.tls13 ? 5 : 8);
    const uint8_t tail[5] = {type, 3, 3, (uint8_t)(len >> 8), (uint8_t)len};
    memcpy(more + 8, tail, 5);
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    assert_int_equal(EVP_EncryptInit_ex(cipher, EVP_aes_128_gcm(), NULL, hand.key, nonce), 1);
    if (hand.tls13) {
        memcpy(more, start, 5);
    }
    assert_int_equal(EVP_EncryptUpdate(cipher, NULL, &done, more, hand.tls13 ? 5 : 13), 1);
    assert_int_equal(EVP_EncryptUpdate(cipher, out + head, &done, inner, (int)inner_len), 1);
    assert_int_equal(EVP_EncryptFinal_ex(cipher, out + head + inner_len, &done), 1);
    assert_int_equal(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, 16, out + head + inner_len),
                     1);
    EVP_CIPHER_CTX_free(cipher);
    return head + inner_len + 16;
}

enum { DATA = 23, HANDSHAKE = 22 };
static uint8_t flood[FLOOD * 64];

static size_t seal_many(int count, uint8_t type, const void *content, size_t len)
{
    size_t all = 0;
    for (int i = 0; i < count; i++) {
        all += seal(flood + all, type, content, len);
    }
    return all;
}

static const int both[] = {TLS1_2_VERSION, TLS1_3_VERSION};

static void begin_again(void)
{
    void *state = NULL;
    end_of_test(&state);
    set_up(&state);
}

static void records_without_content_are_borne_and_a_flood_of_them_is_not(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        take_the_pen(both[i]);
        for (int round = 1; round <= 3; round++) {
            size_t len = seal_many(20, DATA, "", 0);
            len += seal(flood + len, DATA, "hello", 5);
            assert_int_equal(write(t.peer, flood, len), len);
            turns(30);
            assert_int_equal(t.owner->got_len, 5 * (size_t)round);
        }
        size_t len = seal_many(FLOOD, DATA, "", 0);
        assert_true(write(t.peer, flood, len) > 65536);
        turns(40);
        assert_int_equal(t.owner->closes, 1);
        assert_err(t.owner->why, TUSK_ETLS);
        begin_again();
    }
}

/* OpenSSL says no to each and reads on, as long as there is something to read. */
static void who_asks_to_renegotiate_again_and_again_is_let_go(void **state)
{
    static const uint8_t hello[] = {1, 0, 0, 0};
    uint8_t got[1024];
    (void)state;
    take_the_pen(TLS1_2_VERSION);
    size_t len = seal_many(5, HANDSHAKE, hello, sizeof(hello));
    len += seal(flood + len, DATA, "hello", 5);
    assert_int_equal(write(t.peer, flood, len), len);
    turns(10);
    assert_int_equal(t.owner->got_len, 5);
    assert_int_equal(t.owner->closes, 0);
    ssize_t said = read(t.peer, got, sizeof(got));
    assert_true(said >= 5 * 20 && got[0] == 21); /* alerts */
    uint64_t before = tusk_net_count(t.net)->recv_calls;
    len = seal_many(FLOOD, HANDSHAKE, hello, sizeof(hello));
    assert_true(write(t.peer, flood, len) > 65536);
    turns(1);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_ETLS);
    assert_string_equal(p.server_reason, "too many records without data");
    assert_in_range(tusk_net_count(t.net)->recv_calls - before, 1, 2);
    ssize_t more = read(t.peer, got, sizeof(got));
    assert_true(more <= 40 * 40); /* no answer to each of them */
}

/* A turn decrypts a few hundred of them, whatever waits. */
static void records_of_one_byte_have_their_part_of_a_turn(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        take_the_pen(both[i]);
        size_t len = seal_many(FLOOD, DATA, "x", 1);
        size_t sent = 0;
        for (int turn = 1; t.owner->got_len < FLOOD && turn < FLOOD; turn++) {
            size_t before = t.owner->got_len;
            ssize_t some = write(t.peer, flood + sent, len - sent);
            sent += some > 0 ? (size_t)some : 0;
            turns(1);
            assert_in_range(t.owner->got_len - before, 0, 2 * 256);
        }
        assert_int_equal(t.owner->got_len, FLOOD);
        assert_int_equal(t.owner->closes, 0);
        begin_again();
    }
}

/* What comes before the handshake could be said again by anybody who has heard it (RFC 8446, 8). */
static void early_data_is_not_taken(void **state)
{
    char got[16];
    size_t taken = 0;
    (void)state;
    shake_hands();
    say_hello();
    carry();
    (void)SSL_read(client, got, sizeof(got)); /* tickets */
    SSL_SESSION *session = SSL_SESSION_dup(SSL_get0_session(client));
    assert_true(SSL_SESSION_is_resumable(session));
    assert_int_equal(SSL_SESSION_get_max_early_data(session), 0); /* none is offered */
    assert_int_equal(SSL_SESSION_set_max_early_data(session, 1024), 1);
    SSL_free(client);
    owner *first = t.owner;
    int first_peer = t.peer;
    connect_client(TLS1_3_VERSION, session);
    SSL_SESSION_free(session);
    assert_int_equal(SSL_write_early_data(client, "early", 5, &taken), 1);
    finish_handshake();
    assert_int_equal(SSL_get_early_data_status(client), SSL_EARLY_DATA_REJECTED);
    assert_int_equal(t.owner->got_len, 0);
    say_hello();
    carry();
    assert_int_equal(t.owner->got_len, 5);
    assert_memory_equal(t.owner->got, "hello", 5);
    owner_end(first);
    close(first_peer);
}

/* ---- hellos ---- */
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

/* Without the answer its sender would wait for, or hold the place of a handshake until that is due.
 */
static void an_empty_server_name_is_refused_at_once(void **state)
{
    static const uint8_t hello[] = {
        22, 3,  1, 0,    78,   1, 0, 0,  74, 3,  3,                /* ClientHello of 1.2 */
        1,  1,  1, 1,    1,    1, 1, 1,  1,  1,  1, 1, 1, 1, 1, 1, /* random */
        1,  1,  1, 1,    1,    1, 1, 1,  1,  1,  1, 1, 1, 1, 1, 1, /* random */
        0,  0,  2, 0xc0, 0x2b, 1, 0,                               /* ECDHE-ECDSA-AES128-GCM */
        0,  31, 0, 0,    0,    5, 0, 3,  0,  0,  0,                /* server_name: "" */
        0,  10, 0, 4,    0,    2, 0, 23, 0,  13, 0, 4, 0, 2, 4, 3, 0, 11, 0, 2, /* P-256, ECDSA */
        1,  0,
    };
    static const uint8_t alert[] = {21, 3, 3, 0, 2, 2, 50}; /* decode_error */
    uint8_t got[64];
    int fds[2];
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    t.peer = fds[1];
    p.server = open_end(p.server_tls, NULL, fds[0]);
    t.owner = p.server;
    assert_int_equal(write(t.peer, hello, sizeof(hello)), sizeof(hello));
    turns(2);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_ETLS);
    assert_int_equal(read(t.peer, got, sizeof(got)), sizeof(alert));
    assert_memory_equal(got, alert, sizeof(alert));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keys_are_updated_as_often_as_there_is_data, set_up,
                                        end_of_test),
        cmocka_unit_test_setup_teardown(a_flood_of_them_ends_the_connection_and_holds_up_nobody,
                                        set_up, end_of_test),
        cmocka_unit_test_setup_teardown(new_keys_are_the_last_that_is_read_in_a_turn, set_up,
                                        end_of_test),
        cmocka_unit_test_setup_teardown(who_asks_for_new_keys_waits_for_others_again,
                                        set_up_with_newcomers, end_with_newcomers),
        cmocka_unit_test_setup_teardown(
            records_without_content_are_borne_and_a_flood_of_them_is_not, set_up, end_of_test),
        cmocka_unit_test_setup_teardown(who_asks_to_renegotiate_again_and_again_is_let_go, set_up,
                                        end_of_test),
        cmocka_unit_test_setup_teardown(records_of_one_byte_have_their_part_of_a_turn, set_up,
                                        end_of_test),
        cmocka_unit_test_setup_teardown(early_data_is_not_taken, set_up, end_of_test),
        cmocka_unit_test_setup_teardown(
            a_hello_that_declares_more_than_a_record_is_refused_by_its_head, set_up, end_of_test),
        cmocka_unit_test_setup_teardown(also_when_records_cut_its_head, set_up, end_of_test),
        cmocka_unit_test_setup_teardown(an_empty_server_name_is_refused_at_once, set_up,
                                        end_of_test),
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
