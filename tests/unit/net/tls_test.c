/* SPDX-License-Identifier: MIT */
/* TLS streams: whatever the cut, and whoever the peer is. */
#define _GNU_SOURCE
#include "net/tls.h"

#include "tls_pair.h"

/* ---- streams ---- */
static void echo_over(int version, size_t chop, size_t total)
{
    static uint8_t all[2 << 20];
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){.min_version = version,
                                                         .max_version = version,
                                                         .verify_peer = true,
                                                         .ca_file = in_dir("all.pem")});
    open_pair("main.test");
    p.server->in_data = echo;
    p.server->in_eof = finish;
    pattern(all, 0, total);
    for (size_t at = 0; at < total;) { /* before the handshake is done; it waits */
        size_t len = total - at < 3000 ? total - at : 3000;
        assert_err(tusk_conn_append(&p.client->conn, all + at, len), TUSK_OK);
        at += len;
    }
    RELAY_UNTIL(chop, p.client->got_len == total);
    assert_string_equal(p.version, version == 12 ? "TLSv1.2" : "TLSv1.3");
    assert_int_equal(p.client->readies + p.server->readies, 2);
    assert_err(p.client->ready, TUSK_OK);
    assert_pattern(p.client->got, 0, total);
    tusk_conn_finish(&p.client->conn);
    RELAY_UNTIL(chop, p.client->closes == 1 && p.server->closes == 1);
    assert_err(p.client->why, TUSK_OK);
    assert_err(p.server->why, TUSK_OK);
    assert_int_equal(p.server->eofs, 1);
}

static void echo_over_tls_1_2(void **state)
{
    (void)state;
    echo_over(12, SIZE_MAX, 1 << 20);
}

static void echo_over_tls_1_3(void **state)
{
    (void)state;
    echo_over(13, SIZE_MAX, 1 << 20);
}

static void echo_over_tls_1_2_byte_by_byte(void **state)
{
    (void)state;
    echo_over(12, 1, 3000);
}

static void echo_over_tls_1_3_byte_by_byte(void **state)
{
    (void)state;
    echo_over(13, 1, 3000);
}

static void echo_over_tls_1_3_in_odd_pieces(void **state)
{
    (void)state;
    echo_over(13, 977, 300000);
}

static void small_appends_of_a_turn_share_one_record(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    RELAY_UNTIL(SIZE_MAX, p.client->readies + p.server->readies == 2);
    for (int i = 0; i < 5; i++) {
        relay(SIZE_MAX);
        turns(1);
    }
    tusk_net_counters before = *tusk_net_count(t.net);
    tusk_blob *blob;
    assert_err(tusk_blob_dup(&blob, &t.mem.mem, tusk_bytes_of(dir, 10)), TUSK_OK);
    for (int i = 0; i < 100; i++) {
        assert_err(tusk_conn_append(&p.client->conn, "0123456789", 10), TUSK_OK);
        assert_err(tusk_conn_append_blob(&p.client->conn, blob), TUSK_OK);
    }
    tusk_blob_unref(blob);
    turns(1);
    uint8_t record[8192];
    assert_in_range(recv(p.relay[0], record, sizeof(record), MSG_PEEK), 2000,
                    2100); /* one head, one tag */
    assert_int_equal(tusk_net_count(t.net)->send_calls - before.send_calls, 1);
    RELAY_UNTIL(SIZE_MAX, p.server->got_len == 2000);
    assert_int_equal(p.server->datas, 1);
}

static void finishing_with_a_queue_truncates_nothing(void **state)
{
    (void)state;
    static uint8_t all[1 << 20];
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    RELAY_UNTIL(SIZE_MAX, p.client->readies + p.server->readies == 2);
    pattern(all, 0, sizeof(all));
    assert_err(tusk_conn_append(&p.server->conn, all, sizeof(all)), TUSK_OK);
    tusk_conn_finish(&p.server->conn);
    p.client->in_eof = finish;
    RELAY_UNTIL(50000, p.client->closes == 1 && p.server->closes == 1);
    assert_int_equal(p.client->got_len, sizeof(all));
    assert_pattern(p.client->got, 0, sizeof(all));
    assert_int_equal(p.client->eofs, 1);
    assert_err(p.client->why, TUSK_OK);
}

static void an_end_without_close_notify_is_no_end_but_a_reset(void **state)
{
    (void)state;
    for (int version = 12; version <= 13; version++) {
        contexts(&(tusk_tls_options){0}, &(tusk_tls_options){.max_version = version});
        open_pair("main.test");
        RELAY_UNTIL(SIZE_MAX, p.client->readies + p.server->readies == 2);
        close(p.relay[1]);
        p.relay[1] = -1;
        TURN_UNTIL(p.server->closes == 1);
        assert_int_equal(p.server->eofs, 0);
        assert_err(p.server->why, TUSK_ERESET);
        end_pair();
        tusk_tls_unref(p.server_tls);
        tusk_tls_unref(p.client_tls);
        p.server_tls = NULL;
        p.client_tls = NULL;
    }
}

/* A record, part of another one, and the end, all in one read. */
static void an_end_right_behind_data_is_the_same_reset(void **state)
{
    (void)state;
    uint8_t records[600];
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    RELAY_UNTIL(SIZE_MAX, p.client->readies + p.server->readies == 2);
    for (int i = 0; i < 3; i++) {
        relay(SIZE_MAX);
        turns(1);
    }
    for (int i = 0; i < 2; i++) {
        assert_err(tusk_conn_append(&p.client->conn, "data", 4), TUSK_OK);
        turns(2);
    }
    ssize_t len = recv(p.relay[0], records, sizeof(records), 0);
    assert_in_range(len, 50, sizeof(records) - 1);
    assert_int_equal(send(p.relay[1], records, (size_t)len - 3, 0), len - 3);
    close(p.relay[1]);
    p.relay[1] = -1;
    TURN_UNTIL(p.server->closes == 1);
    assert_int_equal(p.server->got_len, 4);
    assert_err(p.server->why, TUSK_ERESET);
}

static void a_file_leaves_encrypted(void **state)
{
    (void)state;
    static uint8_t bytes[200000];
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    pattern(bytes, 4, sizeof(bytes));
    FILE *file = tmpfile();
    assert_int_equal(fwrite(bytes, 1, sizeof(bytes), file), sizeof(bytes));
    (void)fflush(file);
    pattern(bytes, 0, 4);
    assert_err(tusk_conn_append(&p.server->conn, bytes, 4), TUSK_OK);
    assert_err(tusk_conn_append_file(&p.server->conn, fileno(file), 0, sizeof(bytes), NULL, NULL),
               TUSK_OK);
    RELAY_UNTIL(30000, p.client->got_len == sizeof(bytes) + 4);
    assert_pattern(p.client->got, 0, p.client->got_len);
    (void)fclose(file);
}

static void pause_it(owner *self)
{
    tusk_conn_pause(&self->conn);
}

static void what_tls_holds_when_reading_pauses_comes_after_resuming(void **state)
{
    (void)state;
    static uint8_t all[300000];
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    pattern(all, 0, sizeof(all));
    assert_err(tusk_conn_append(&p.client->conn, all, sizeof(all)), TUSK_OK);
    p.server->in_data = pause_it;
    for (int i = 0; i < 50; i++) {
        relay(SIZE_MAX);
        turns(1);
    }
    assert_int_equal(p.server->datas, 1);
    p.server->in_data = NULL;
    tusk_conn_resume(&p.server->conn);
    tusk_conn_park(&p.server->conn);
    turns(3);
    assert_int_equal(p.server->got_len, 0);
    tusk_conn_unpark(&p.server->conn);
    RELAY_UNTIL(SIZE_MAX, p.server->got_len == sizeof(all));
    assert_pattern(p.server->got, 0, sizeof(all));
}

static void the_end_waits_until_the_owner_has_looked_at_everything(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    p.server->in_data = take_one_and_ask_again;
    assert_err(tusk_conn_append(&p.client->conn, "abcdefghijklmnopqrstuvwxyz", 26), TUSK_OK);
    RELAY_UNTIL(SIZE_MAX, p.client->readies == 1);
    tusk_conn_finish(&p.client->conn); /* data and the end in one flight */
    RELAY_UNTIL(SIZE_MAX, p.server->eofs == 1);
    assert_int_equal(p.server->got_len, 26);
}

static void part_of_a_record_makes_no_turn_spin(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    RELAY_UNTIL(SIZE_MAX, p.client->readies + p.server->readies == 2);
    for (int i = 0; i < 3; i++) {
        relay(SIZE_MAX);
        turns(1);
    }
    assert_err(tusk_conn_append(&p.client->conn, "half a record", 13), TUSK_OK);
    turns(1);
    relay(9);
    turns(2);
    tusk_loop_counters before;
    tusk_loop_counters after;
    tusk_loop_count(t.loop, &before);
    turns(5);
    tusk_loop_count(t.loop, &after);
    assert_int_equal(after.events + after.tasks, before.events + before.tasks);
    RELAY_UNTIL(SIZE_MAX, p.server->got_len == 13);
}

/* Its sender is not silent, though nothing can be read for as long as it takes. */
static void part_of_a_record_is_told(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    RELAY_UNTIL(SIZE_MAX, p.client->readies + p.server->readies == 2);
    for (int i = 0; i < 3; i++) {
        relay(SIZE_MAX);
        turns(1);
    }
    int parts = p.server->parts;
    assert_err(tusk_conn_append(&p.client->conn, "half a record", 13), TUSK_OK);
    turns(1);
    for (int i = 1; i <= 4; i++) {
        relay(7);
        turns(2);
        assert_int_equal(p.server->parts, parts + i);
    }
    assert_int_equal(p.server->datas, 0);
    RELAY_UNTIL(SIZE_MAX, p.server->got_len == 13);
    assert_int_equal(p.server->parts, parts + 4); /* the rest of it is read */
}

static void a_payload_lands_in_its_own_place_decrypted(void **state)
{
    (void)state;
    static uint8_t all[150000];
    static uint8_t place[150000];
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    p.server->place = place;
    p.server->place_cap = sizeof(place) - 10;
    pattern(all, 0, sizeof(all));
    assert_err(tusk_conn_append(&p.client->conn, all, sizeof(all)), TUSK_OK);
    RELAY_UNTIL(SIZE_MAX, p.server->got_len == 10);
    assert_pattern(place, 0, sizeof(place) - 10);
    assert_pattern(p.server->got, sizeof(place) - 10, 10);
}

/* ---- who is who ---- */
static void the_certificate_follows_the_server_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool good;
    } cases[] = {{"main.test", true},   {"exact.test", true},     {"EXACT.test", true},
                 {"a.wild.test", true}, {"wild.test", false},     {"a.b.wild.test", false},
                 {"other.test", false}, {"notexact.test", false}, {"127.0.0.1", false},
                 {"intranet", false},   {".wild.test", false}};
    char reason[200];
    contexts(&(tusk_tls_options){0},
             &(tusk_tls_options){.verify_peer = true, .ca_file = in_dir("all.pem")});
    assert_err(tusk_tls_add_certificate(p.server_tls, "*.wild.test", in_dir("wild.crt"),
                                        in_dir("wild.key"), NULL, reason, sizeof(reason)),
               TUSK_OK);
    assert_err(tusk_tls_add_certificate(p.server_tls, "exact.test", in_dir("exact.crt"),
                                        in_dir("exact.key"), NULL, reason, sizeof(reason)),
               TUSK_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        open_pair(cases[i].name);
        RELAY_UNTIL(SIZE_MAX, p.client->readies == 1);
        if ((p.client->ready == TUSK_OK) != cases[i].good) {
            fail_msg("%s: %s", cases[i].name, p.client_reason);
        }
        if (!cases[i].good) {
            assert_err(p.client->ready, TUSK_ETLS);
            assert_non_null(strstr(p.client_reason, "certificate verify failed"));
            RELAY_UNTIL(SIZE_MAX, p.client->closes == 1);
            assert_err(p.client->why, TUSK_ETLS);
        }
        end_pair();
    }
}

static void a_server_nobody_vouches_for_is_refused_only_when_asked_to(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0},
             &(tusk_tls_options){.verify_peer = true, .ca_file = in_dir("exact.crt")});
    open_pair("main.test");
    RELAY_UNTIL(SIZE_MAX, p.client->closes == 1 && p.server->closes == 1);
    assert_err(p.client->why, TUSK_ETLS);
    assert_err(p.server->ready, TUSK_ETLS);
    assert_non_null(strstr(p.server_reason, "alert"));
}

static void a_client_certificate_is_demanded_and_checked(void **state)
{
    (void)state;
    static const char *const names[] = {"client", "main", NULL};
    for (int i = 0; i < 3; i++) {
        char crt[32];
        char key[32];
        (void)snprintf(crt, sizeof(crt), "%s.crt", names[i] == NULL ? "" : names[i]);
        (void)snprintf(key, sizeof(key), "%s.key", names[i] == NULL ? "" : names[i]);
        contexts(&(tusk_tls_options){.verify_client = true, .ca_file = in_dir("client.crt")},
                 &(tusk_tls_options){.certificate_file = names[i] == NULL ? NULL : in_dir(crt),
                                     .key_file = names[i] == NULL ? NULL : in_dir(key)});
        open_pair("main.test");
        RELAY_UNTIL(SIZE_MAX, p.server->readies == 1);
        assert_err(p.server->ready, i == 0 ? TUSK_OK : TUSK_ETLS);
        end_pair();
        tusk_tls_unref(p.server_tls);
        tusk_tls_unref(p.client_tls);
        p.server_tls = NULL;
        p.client_tls = NULL;
    }
}

/* Whether the second of two connections by the same contexts was resumed. */
static bool resumes(int version, bool wanted)
{
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){.min_version = version,
                                                         .max_version = version,
                                                         .verify_peer = true,
                                                         .ca_file = in_dir("all.pem"),
                                                         .resume = wanted});
    bool resumed[2];
    for (int i = 0; i < 2; i++) {
        open_pair("main.test");
        p.server->in_data = echo;
        assert_err(tusk_conn_append(&p.client->conn, "ping", 4), TUSK_OK);
        RELAY_UNTIL(SIZE_MAX, p.client->got_len == 4);
        resumed[i] = tusk_filter_resumed(p.client->conn.filter);
        assert_int_equal(tusk_filter_resumed(p.server->conn.filter), resumed[i]);
        assert_int_not_equal(strlen(tusk_filter_cipher(p.client->conn.filter)), 0);
        end_pair();
    }
    assert_false(resumed[0]);
    return resumed[1];
}

static void a_session_is_offered_again_where_that_is_wanted(void **state)
{
    (void)state;
    assert_true(resumes(13, true));
    tusk_tls_unref(p.server_tls);
    tusk_tls_unref(p.client_tls);
    assert_true(resumes(12, true));
}

static void a_session_is_not_offered_again_unasked(void **state)
{
    (void)state;
    assert_false(resumes(13, false));
    tusk_tls_unref(p.server_tls);
    tusk_tls_unref(p.client_tls);
    assert_false(resumes(12, false));
}

static void versions_without_overlap_fail_on_both_sides(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){.min_version = 13}, &(tusk_tls_options){.max_version = 12});
    open_pair("main.test");
    RELAY_UNTIL(SIZE_MAX, p.client->closes == 1 && p.server->closes == 1);
    assert_err(p.server->ready, TUSK_ETLS);
    assert_err(p.client->ready, TUSK_ETLS);
}

/* ---- broken peers ---- */
static void plain_text_on_a_tls_port_is_a_tls_error(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    assert_int_equal(write(p.relay[1], "GET / HTTP/1.1\r\n\r\n", 18), 18);
    TURN_UNTIL(p.server->closes == 1);
    assert_err(p.server->ready, TUSK_ETLS);
    assert_err(p.server->why, TUSK_ETLS);
    assert_non_null(strstr(p.server_reason, "http request"));
}

static void plain_http_on_a_tls_port_is_told_so_in_plain(void **state)
{
    static const char *const asked[] = {"GET", "POST", "HEAD"};
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    for (size_t i = 0; i < 3; i++) {
        char text[20480] = "";
        open_pair("main.test");
        memset(text, 'x', 16000); /* more than is looked at */
        int len = snprintf(text, 32, "%s / HTTP/1.1\r\nX: ", asked[i]);
        text[len] = 'x';
        assert_int_equal(write(p.relay[1], text, 16000), 16000);
        TURN_UNTIL(p.server->closes == 1);
        ssize_t got = read(p.relay[1], text, sizeof(text) - 1);
        assert_true(got > 0);
        text[got] = '\0';
        char *content = strstr(text, "\r\n\r\n") + 4;
        assert_memory_equal(text, "HTTP/1.1 400 ", 13);
        assert_non_null(strstr(text, "\r\nConnection: close\r\n"));
        assert_string_equal(
            content,
            i == 2 ? "" : "TLS is spoken here: the address begins with https:// (or wss://).\n");
        size_t length =
            strlen("TLS is spoken here: the address begins with https:// (or wss://).\n");
        assert_int_equal(strtoul(strstr(text, "Content-Length: ") + 16, NULL, 10), length);
        assert_int_equal(read(p.relay[1], text, 1), 0); /* and no reset, which could take it away */
        end_pair();
    }
}

static void a_server_that_speaks_no_tls_is_named_as_such(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    assert_int_equal(write(p.relay[0], "HTTP/1.1 400 Bad Request\r\n\r\n", 28), 28);
    TURN_UNTIL(p.client->closes == 1);
    assert_err(p.client->ready, TUSK_ETLS);
    assert_non_null(strstr(p.client_reason, "no TLS is spoken there"));
}

static void a_peer_that_leaves_anywhere_in_the_handshake_is_a_reset(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    for (size_t at = 0; at < 2000; at += 97) {
        open_pair("main.test");
        size_t left = at;
        for (int i = 0; i < 12; i++) {
            turns(1);
            left -= relay_one_way(p.relay[0], p.relay[1], left);
            (void)relay_one_way(p.relay[1], p.relay[0], SIZE_MAX);
        }
        close(p.relay[1]);
        p.relay[1] = -1;
        TURN_UNTIL(p.server->closes == 1);
        assert_err(p.server->why, TUSK_ERESET);
        end_pair();
    }
}

static void rubbish_after_the_handshake_is_a_tls_error(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    RELAY_UNTIL(SIZE_MAX, p.client->readies + p.server->readies == 2);
    for (int i = 0; i < 3; i++) {
        relay(SIZE_MAX);
        turns(1);
    }
    assert_int_equal(write(p.relay[1], "\x17\x03\x03\x00\x20rubbishrubbishrubbishrubbishrubb", 37),
                     37);
    TURN_UNTIL(p.server->closes == 1);
    assert_err(p.server->why, TUSK_ETLS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    if (tusk_tls_library() == NULL) {
        print_message("1..0 # SKIP this build has no TLS\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        TEST(echo_over_tls_1_2),
        TEST(echo_over_tls_1_3),
        TEST(echo_over_tls_1_2_byte_by_byte),
        TEST(echo_over_tls_1_3_byte_by_byte),
        TEST(echo_over_tls_1_3_in_odd_pieces),
        TEST(small_appends_of_a_turn_share_one_record),
        TEST(finishing_with_a_queue_truncates_nothing),
        TEST(an_end_without_close_notify_is_no_end_but_a_reset),
        TEST(an_end_right_behind_data_is_the_same_reset),
        TEST(a_file_leaves_encrypted),
        TEST(what_tls_holds_when_reading_pauses_comes_after_resuming),
        TEST(the_end_waits_until_the_owner_has_looked_at_everything),
        TEST(part_of_a_record_makes_no_turn_spin),
        TEST(part_of_a_record_is_told),
        TEST(a_payload_lands_in_its_own_place_decrypted),
        TEST(the_certificate_follows_the_server_name),
        TEST(a_server_nobody_vouches_for_is_refused_only_when_asked_to),
        TEST(a_client_certificate_is_demanded_and_checked),
        TEST(a_session_is_offered_again_where_that_is_wanted),
        TEST(a_session_is_not_offered_again_unasked),
        TEST(versions_without_overlap_fail_on_both_sides),
        TEST(plain_text_on_a_tls_port_is_a_tls_error),
        TEST(plain_http_on_a_tls_port_is_told_so_in_plain),
        TEST(a_server_that_speaks_no_tls_is_named_as_such),
        TEST(a_peer_that_leaves_anywhere_in_the_handshake_is_a_reset),
        TEST(rubbish_after_the_handshake_is_a_tls_error),
    };
    return cmocka_run_group_tests_name("net/tls", tests, make_files, remove_files);
}
