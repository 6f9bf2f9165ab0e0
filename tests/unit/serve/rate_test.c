/* SPDX-License-Identifier: MIT */
/* Messages and bytes per second: a second of burst, then as many as the limit says. */
#define _GNU_SOURCE
#include "rig_session.h"

enum { PER_SECOND = 10, PAYLOAD = 100 };

/* `messages`: so many of them, or so many times PAYLOAD bytes; 0: no limit. */
static int begin(rig *r, uint32_t messages, uint32_t payloads)
{
    tusk_server_limits limits;
    tusk_server_limits_default(&limits);
    limits.messages_per_second = messages;
    limits.bytes_per_second = payloads * PAYLOAD;
    limits.ping_ms = 0;
    still_begin();
    rig_init(r, &limits);
    r->echo = false;
    return rig_websocket(r);
}

static void end(rig *r, int fd)
{
    close(fd);
    rig_fini(r);
    still_end();
}

static void send_some(int fd, int count)
{
    static const char payload[PAYLOAD];
    for (int i = 0; i < count; i++) {
        rig_send(fd, 0x82, payload, PAYLOAD);
    }
}

static uint64_t came_after(rig *r, int ms)
{
    uint64_t before = rig_stat(r, "messages_in");
    rig_turn(r, ms);
    return rig_stat(r, "messages_in") - before;
}

/* The one behind the burst is read as well: its debt is what is waited for. */
static void expect_the_limit(uint32_t messages, uint32_t payloads, int idle_ms)
{
    rig r;
    int fd = begin(&r, messages, payloads);
    rig_turn(&r, idle_ms);
    send_some(fd, 6 * PER_SECOND);
    assert_int_equal(came_after(&r, 10), PER_SECOND + 1);
    assert_int_equal(rig_stat(&r, "rate_paused"), 1);
    assert_int_equal(came_after(&r, 80), 0);
    assert_int_equal(came_after(&r, 20), 1);
    assert_int_equal(rig_stat(&r, "rate_paused"), 2);
    for (int second = 0; second < 3; second++) {
        assert_in_range(came_after(&r, 1000), PER_SECOND - 1, PER_SECOND);
    }
    rig_turn(&r, 3000);
    assert_int_equal(rig_stat(&r, "messages_in"), 6 * PER_SECOND); /* none is lost */
    end(&r, fd);
}

static void a_second_of_burst_then_as_many_messages_as_the_limit_says(void **state)
{
    (void)state;
    expect_the_limit(PER_SECOND, 0, 0);
    expect_the_limit(PER_SECOND, 0, 5000); /* what is not used is not kept for longer */
    expect_the_limit(PER_SECOND, 1000, 0);
}

static void a_second_of_burst_then_as_many_bytes_as_the_limit_says(void **state)
{
    (void)state;
    expect_the_limit(0, PER_SECOND, 0);
    expect_the_limit(0, PER_SECOND, 5000);
    expect_the_limit(1000, PER_SECOND, 0);
}

/* Both are used up at once, by what comes first; of a debt of one message and one payload the one
 * that takes longer to pay says for how long. */
static void of_both_limits_the_stricter_one_holds(void **state)
{
    static const struct {
        uint32_t messages, payloads;
        int empty;    /* messages without a byte */
        size_t large; /* payloads in one message */
        int ms;
    } cases[] = {
        {PER_SECOND, PER_SECOND, 0, 0, 100},
        {PER_SECOND, 2, PER_SECOND - 2, 0, 500},
        {2, PER_SECOND, 0, PER_SECOND - 1, 500},
    };
    static const char large[PER_SECOND * PAYLOAD];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rig r;
        int fd = begin(&r, cases[i].messages, cases[i].payloads);
        for (int n = 0; n < cases[i].empty; n++) {
            rig_send(fd, 0x82, large, 0);
        }
        if (cases[i].large > 0) {
            rig_send(fd, 0x82, large, cases[i].large * PAYLOAD);
        }
        send_some(fd, 2 * PER_SECOND);
        rig_turn(&r, 10);
        assert_int_equal(rig_stat(&r, "rate_paused"), 1);
        assert_int_equal(came_after(&r, cases[i].ms - 20), 0);
        assert_int_equal(came_after(&r, 20), 1);
        end(&r, fd);
    }
}

static void who_has_no_rate_to_keep_has_no_memory_for_it(void **state)
{
    rig r;
    (void)state;
    int fd = begin(&r, 0, 0);
    assert_null(rig_session(&r, 0)->rate);
    send_some(fd, 50);
    assert_int_equal(came_after(&r, 10), 50);
    end(&r, fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_of_burst_then_as_many_messages_as_the_limit_says),
        cmocka_unit_test(a_second_of_burst_then_as_many_bytes_as_the_limit_says),
        cmocka_unit_test(of_both_limits_the_stricter_one_holds),
        cmocka_unit_test(who_has_no_rate_to_keep_has_no_memory_for_it),
    };
    return cmocka_run_group_tests_name("serve/rate", tests, NULL, NULL);
}
