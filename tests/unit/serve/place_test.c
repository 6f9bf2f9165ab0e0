/* SPDX-License-Identifier: MIT */
/* The one place over the limit of what is unfinished: who has it, for how long, and who is next. */
#define _GNU_SOURCE
#include "holders.h"

static bool is_open(const rig *r, size_t slot)
{
    const tusk_session *session = r->server->slots[slot].session;
    return session != NULL && tusk_conn_open(&session->conn) &&
           tusk_session_exists(r->server, tusk__session_handle(session));
}

/* Whose handler waits in the midst of a message, as for room in a queue, has no more than a turn
 * either; nothing can be said to it then. */
static void a_turn_has_an_end_for_who_is_parked_as_well(void **state)
{
    rig r;
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    int first = rig_websocket(&r);
    send_part(&r, first, 1000000, 100000);
    tusk_handle parked = tusk__session_handle(r.server->unfinished_owner);
    tusk_session_park(r.server, parked);
    rig_write(first, zeros, 1000); /* it is not silent, but not read */
    guest late = {.fd = rig_websocket(&r)};
    assert_in_range(wait_of(&r, &late, TURN_MS + SILENT_MS), TURN_MS - SILENT_MS,
                    TURN_MS + SILENT_MS);
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 1);
    assert_false(is_open(&r, 0));
    tusk_session_unpark(r.server, parked);
    rig_turn(&r, 2);
    assert_int_equal(rig_stat(&r, "websockets_open"), 1);
    assert_int_equal(rig_read(first, answer, sizeof(answer)), 0);
    close(first);
    close(late.fd);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_has_an_end_for_who_is_parked_as_well),
    };
    return cmocka_run_group_tests_name("serve/place", tests, NULL, NULL);
}
