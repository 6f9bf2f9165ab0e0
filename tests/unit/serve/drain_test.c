/* SPDX-License-Identifier: MIT */
/* The end of a server with many clients: their closes are spread, so that they do not all come back
 * in one moment, and nobody is forgotten. */
#define _GNU_SOURCE
#include "rig.h"

#include "serve/session.h"

enum { CLIENTS = 400, PAYLOAD = 14 /* 1001 and "server stops" */ };

static size_t told(int *clients)
{
    size_t count = 0;
    for (int i = 0; i < CLIENTS; i++) {
        char text[64];
        size_t len = clients[i] < 0 ? 0 : rig_read(clients[i], text, sizeof(text));
        if (len > 0) {
            assert_int_equal(len, 2 + PAYLOAD);
            assert_memory_equal(text, "\x88\x0e\x03\xe9server stops", len);
            rig_send(clients[i], 0x88, "\x03\xe9", 2);
            close(clients[i]);
            clients[i] = -1;
            count++;
        }
    }
    return count;
}

static void closes_are_spread_over_the_window(void **state)
{
    rig r;
    tusk_server_limits limits;
    static int clients[CLIENTS];
    tusk_server_limits_default(&limits);
    limits.drain_ms = 60000;
    still_begin();
    rig_init(&r, &limits);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = rig_websocket(&r);
    }
    tusk_server_stop(r.server);
    rig_turn(&r, 1);
    size_t first = told(clients), sum = first, moments = 0;
    assert_true(first < CLIENTS / 2);
    while (r.stopped == 0) {
        rig_turn(&r, 1);
        size_t now = told(clients);
        moments += now > 0;
        sum += now;
    }
    assert_int_equal(sum, CLIENTS);
    assert_true(moments >= 3);
    rig_fini(&r);
    still_end();
}

/* The process gets no processor for so long after it began to stop. */
static void stop_and_cut(uint64_t held_up_ms)
{
    rig r;
    tusk_server_limits limits;
    tusk_server_stats stats;
    int clients[8];
    tusk_server_limits_default(&limits);
    limits.drain_ms = 50;
    still_begin();
    rig_init(&r, &limits);
    for (int i = 0; i < 8; i++) {
        clients[i] = rig_websocket(&r);
    }
    tusk_server_stop(r.server);
    still_pass_ms(held_up_ms);
    while (r.stopped == 0) {
        rig_turn(&r, 1);
    }
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.connections_open, 0);
    assert_int_equal(stats.drain_cut, 8);
    for (int i = 0; i < 8; i++) {
        char text[64];
        assert_int_equal(rig_read(clients[i], text, sizeof(text)), 2 + PAYLOAD);
        assert_int_equal(read(clients[i], text, 1), 0);
        close(clients[i]);
    }
    rig_fini(&r);
    still_end();
}

static void whoever_does_not_answer_is_cut_at_the_end_of_the_window(void **state)
{
    (void)state;
    stop_and_cut(0);
}

static void a_close_leaves_before_the_cut_however_late_it_is(void **state)
{
    (void)state;
    stop_and_cut(49);
    stop_and_cut(1000);
}

/* It broke the protocol, was told its Close and has not ended its side: its handle is gone. */
static int lingering_client(rig *r, const tusk_server_limits *limits)
{
    char text[256];
    rig_init(r, limits);
    int fd = rig_websocket(r);
    rig_send(fd, 0x83, "?", 1);
    rig_turn(r, 4);
    assert_true(rig_read(fd, text, sizeof(text)) > 2);
    assert_false(tusk_session_exists(r->server, r->last));
    assert_int_equal(rig_stat(r, "connections_open"), 1);
    return fd;
}

static void who_lingers_at_its_end_is_cut_with_the_others(void **state)
{
    rig r;
    tusk_server_limits limits;
    int turns = 0;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.drain_ms = 50;
    still_begin();
    int fd = lingering_client(&r, &limits);
    tusk_server_stop(r.server);
    while (r.stopped == 0) {
        rig_turn(&r, 1);
        assert_true(++turns < 100);
    }
    close(fd);
    rig_fini(&r);
    still_end();
}

static void who_lingers_is_cut_at_once_by_a_second_word(void **state)
{
    rig r;
    (void)state;
    int fd = lingering_client(&r, NULL);
    tusk_server_stop(r.server);
    tusk_server_stop(r.server);
    rig_turn(&r, 2);
    assert_int_equal(r.stopped, 1);
    close(fd);
    rig_fini(&r);
}

static void a_server_is_freed_beside_who_lingers(void **state)
{
    rig r;
    (void)state;
    int fd = lingering_client(&r, NULL);
    rig_fini(&r);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closes_are_spread_over_the_window),
        cmocka_unit_test(whoever_does_not_answer_is_cut_at_the_end_of_the_window),
        cmocka_unit_test(a_close_leaves_before_the_cut_however_late_it_is),
        cmocka_unit_test(who_lingers_at_its_end_is_cut_with_the_others),
        cmocka_unit_test(who_lingers_is_cut_at_once_by_a_second_word),
        cmocka_unit_test(a_server_is_freed_beside_who_lingers),
    };
    return cmocka_run_group_tests_name("serve/drain", tests, NULL, NULL);
}
