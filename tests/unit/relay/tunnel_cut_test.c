/* SPDX-License-Identifier: MIT */
/* Tunnels that end before all is said: by a deadline, by their age, by a stop. */
#define _GNU_SOURCE
#include "tunnel_rig.h"

enum { STEP = 64 * 1024 };

/* Its reader takes nothing: who writes is not read for. */
static void stall(int client)
{
    static const uint8_t chunk[STEP];
    for (int still = 0; still < 10; still++) {
        still = send(client, chunk, STEP, MSG_NOSIGNAL) > 0 ? 0 : still;
        rig_turn();
    }
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
        stall(client);
        rig_until(r.record_count == 1 && back.records == 1);
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
    stall(client);
    rig_until(r.record_count == 1 && back.records == 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        tls_test(a_stream_that_is_cut_ends_by_a_reset_through_tls),
        tls_test(a_stream_that_is_old_ends_by_a_reset_through_tls),
        tls_test(a_stop_cuts_a_stream_by_a_reset),
    };
    (void)make_files(NULL);
    int failed = tusk_tls_library() == NULL ? 0 : TEST_RUN_FOR_EACH_POLLER("cut tunnels", tests);
    (void)remove_files(NULL);
    return failed;
}
