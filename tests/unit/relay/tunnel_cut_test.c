/* SPDX-License-Identifier: MIT */
/* Tunnels that end before all is said: by a deadline, by their age, by a stop. */
#define _GNU_SOURCE
#include "tunnel_rig.h"

#include "slow_reader.h"

enum { STEP = 64 * 1024 };

/* Its reader takes nothing: who writes is not read for. No deadline comes before that. */
static void stall(int client)
{
    static const uint8_t chunk[STEP];
    for (int still = 0; still < 10; still++) {
        still = send(client, chunk, STEP, MSG_NOSIGNAL) > 0 ? 0 : still;
        rig_turn();
    }
}

/* Until both are over, at the pace of the kernel, which has an opinion of how long is long. */
static void pass_until_both_are_over(void)
{
    rig_until((still_pass_ms(10), r.record_count == 1 && back.records == 1));
    still_end();
}

/* A reader that has a part must not take it for the whole, whichever of the two cuts it. */
static void a_stream_that_is_cut_ends_by_a_reset_through_tls(void **state)
{
    static const uint32_t idle_ms[][2] = {{300, 3000}, {3000, 300}};
    for (int i = 0; i < 2; i++) {
        r.options.limits.idle_ms = idle_ms[i][0];
        back.limits.idle_ms = idle_ms[i][1];
        begin();
        int client = rig_client();
        int server = rig_accept(backend);
        still_stop();
        stall(client);
        pass_until_both_are_over();
        assert_string_equal(i == 0 ? r.records[0].end : back.end, "idle");
        rig_expect_reset(server);
        (void)close(server);
        (void)close(client);
        (void)tear_down(state);
        (void)set_up(state);
    }
}

static void a_stream_that_is_old_ends_by_a_reset_through_tls(void **state)
{
    (void)state;
    r.options.limits.age_ms = back.limits.age_ms = 500;
    begin();
    int client = rig_client();
    int server = rig_accept(backend);
    still_stop();
    stall(client);
    pass_until_both_are_over();
    rig_expect_reset(server);
    (void)close(server);
    (void)close(client);
}

static void a_stop_cuts_a_stream_by_a_reset(void **state)
{
    (void)state;
    begin();
    int client = rig_client();
    int server = rig_accept(backend);
    stall(client);
    tusk_relay_stop(back.relay);
    tusk_relay_stop(back.relay);
    rig_until(back.records == 1);
    assert_string_equal(back.end, "stopped");
    rig_expect_reset(server);
    (void)close(server);
    (void)close(client);
}

/* Writing meets the reset first: what was said before it is read all the same. */
static void what_a_backend_says_before_its_reset_arrives_through_tls(void **state)
{
    static const uint8_t much[STEP];
    (void)state;
    begin();
    int client = rig_client();
    int server = rig_accept(backend);
    rig_send(client, "hello");
    rig_expect(server, "hello");
    assert_int_equal(send(client, much, STEP, MSG_NOSIGNAL), STEP);
    rig_turn(); /* it is on its way to the relay that is connected to the backend */
    rig_send(server, "not so much");
    rig_reset(server);
    rig_expect(client, "not so much");
    rig_expect_reset(client);
    expect_both("backend reset", "backend reset");
    assert_int_equal(rig_stats().resets_backend, 1);
    (void)close(client);
}

/* As without TLS: what the kernel has for it is megabytes. */
static void a_slow_reader_behind_tls_is_not_silent(void **state)
{
    enum { PATIENCE_MS = 30000 };
    (void)state;
    r.options.limits.idle_ms = PATIENCE_MS;
    begin();
    int client = rig_client();
    int server = rig_accept(backend);
    read_slowly(client, server, PATIENCE_MS / 4);
    assert_int_equal(r.record_count, 0);
    still_end();
    (void)close(server);
    (void)close(client);
}

/* ---- clients that have said all ---- */
/* Before anything is dialled for it. */
static void a_client_that_ends_behind_its_first_bytes_is_served(void **state)
{
    static const tusk_relay_first firsts[] = {TUSK_FIRST_CLIENT, TUSK_FIRST_WAIT,
                                              TUSK_FIRST_SERVER};
    for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
        back.listen.first = firsts[i];
        back.listen.protocol = TUSK_PROTOCOL_RAW;
        begin();
        int client = rig_client();
        rig_send(client, "all I have");
        assert_int_equal(shutdown(client, SHUT_WR), 0);
        int server = rig_accept(backend);
        rig_expect(server, "all I have");
        rig_expect_eof(server);
        rig_send(server, "my answer");
        (void)close(server);
        rig_expect(client, "my answer");
        rig_expect_eof(client);
        (void)close(client);
        expect_both("done", "done");
        (void)tear_down(state);
        (void)set_up(state);
    }
}

/* As some drivers do: what they ask for is never answered. */
static void a_cancel_request_through_tls_outlives_its_client(void **state)
{
    const tusk_bytes startup = TEST_BYTES("\0\0\0\x20\0\x03\0\0user\0bob\0database\0shop\0\0");
    const tusk_bytes cancel = TEST_BYTES("\0\0\0\x10\x04\xd2\x16\x2e\0\0\x12\x34KEY!");
    const tusk_bytes answer =
        TEST_BYTES("R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\x12\x34KEY!Z\0\0\0\x05I");
    (void)state;
    r.listen.first = back.listen.first = TUSK_FIRST_CLIENT;
    r.listen.protocol = back.listen.protocol = TUSK_PROTOCOL_POSTGRES;
    begin();
    int client = rig_client();
    rig_send_bytes(client, startup);
    int server = rig_accept(backend);
    rig_expect_bytes(server, startup);
    rig_send_bytes(server, answer);
    rig_expect_bytes(client, answer);
    int canceller = rig_client();
    rig_send_bytes(canceller, cancel);
    (void)close(canceller);
    int second = rig_accept(backend);
    rig_expect_bytes(second, cancel);
    rig_expect_eof(second);
    (void)close(second);
    (void)close(client);
    (void)close(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tls_test(a_stream_that_is_cut_ends_by_a_reset_through_tls),
        tls_test(a_stream_that_is_old_ends_by_a_reset_through_tls),
        tls_test(a_stop_cuts_a_stream_by_a_reset),
        tls_test(what_a_backend_says_before_its_reset_arrives_through_tls),
        tls_test(a_slow_reader_behind_tls_is_not_silent),
        tls_test(a_client_that_ends_behind_its_first_bytes_is_served),
        tls_test(a_cancel_request_through_tls_outlives_its_client),
    };
    (void)make_files(NULL);
    int failed = tusk_tls_library() == NULL ? 0 : TEST_RUN_FOR_EACH_POLLER("cut tunnels", tests);
    (void)remove_files(NULL);
    return failed;
}
