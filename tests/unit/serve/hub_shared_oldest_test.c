/* SPDX-License-Identifier: MIT */
/* The oldest messages of one that is slow give way while others are given what another server of
 * the same log published. */
#define _GNU_SOURCE
#include "rig.h"

/* Somebody whose oldest messages give way while batches of what others published are delivered:
 * the log is looked at for him, in the midst of what it has shown. */
static void who_drops_the_oldest_changes_nothing_for_others(void **state)
{
    enum { COUNT = 400, LEN = 3000, IN_A_TURN = 50 };
    static char text[LEN * IN_A_TURN * 2];
    static char expected[sizeof(text)];
    char data[LEN + 1];
    tusk_shared_log *log;
    rig a, b;
    tusk_server_limits limits;
    tusk_server_stats stats;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 256 * 1024;
    assert_err(tusk_shared_log_new(&log, NULL, 4u << 20, 2), TUSK_OK);
    rig_init(&a, &limits);
    rig_init(&b, &limits);
    b.topic = "t";
    assert_err(tusk_server_share_log(a.server, log, 0), TUSK_OK);
    assert_err(tusk_server_share_log(b.server, log, 1), TUSK_OK);
    b.overflow = TUSK_OVERFLOW_DROP_OLDEST;
    int slow = rig_websocket(&b);
    b.overflow = TUSK_OVERFLOW_CLOSE;
    int fast = rig_websocket(&b);
    for (int n = 0; n < COUNT;) {
        size_t want = 0;
        size_t got = 0;
        for (int i = 0; i < IN_A_TURN; i++, n++) {
            (void)snprintf(data, sizeof(data), "%0*d", LEN, n);
            rig_publish(&a, "t", data, NULL);
            want += tusk_ws_head_encode((uint8_t *)expected + want, TUSK_WS_FIN, TUSK_WS_TEXT, LEN,
                                        NULL);
            memcpy(expected + want, data, LEN);
            want += LEN;
        }
        for (int i = 0; i < 2000 && got < want; i++) {
            rig_turn(&a, 1);
            rig_turn(&b, 1);
            got += rig_read(fast, text + got, sizeof(text) - got);
        }
        assert_int_equal(got, want);
        assert_memory_equal(text, expected, want);
    }
    tusk_server_stats_get(b.server, &stats);
    assert_true(stats.dropped_oldest > 0);
    close(slow);
    close(fast);
    rig_fini(&a);
    rig_fini(&b);
    tusk_shared_log_unref(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_drops_the_oldest_changes_nothing_for_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
