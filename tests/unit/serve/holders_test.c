/* SPDX-License-Identifier: MIT */
/* Memory that others wait for, and who holds it: those who send nothing go, those who wait for
 * their turn do not, and turns given in vain are not as many as there are peers. */
#define _GNU_SOURCE
#include "holders.h"

/* Not one in each turn: all of them, when others have waited for a fifth of it. */
static void who_holds_a_part_and_sends_nothing_goes_when_others_wait(void **state)
{
    enum { MANY = 150 };
    rig r;
    int fds[MANY];
    (void)state;
    begin(&r);
    int first = rig_websocket(&r);
    for (int i = 0; i < MANY; i++) {
        fds[i] = rig_websocket(&r);
        send_part(&r, fds[i], 65000, 4000);
    }
    assert_true(tusk__unfinished_is_much(r.server));
    send_part(&r, first, 1000000, 100000);
    rig_turn(&r, 2 * TURN_MS);
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 0); /* nobody waits: nobody has to go */
    assert_ptr_equal(r.server->unfinished_owner, r.server->slots[0].session);
    guest late = {.fd = rig_websocket(&r)};
    for (int ms = 0; !served(&r, &late); ms++) {
        assert_in_range(ms, 0, 2 * SILENT_MS);
        rig_write(first, zeros, 1); /* the one that may go on does */
    }
    assert_int_equal(rig_stat(&r, "unfinished_closed"), MANY);
    assert_non_null(r.server->unfinished_owner);
    close_all(fds, MANY);
    close(first);
    close(late.fd);
    end(&r);
}

/* Nor is it who sends that has to go for them, past the quarter: a second later none of them is
 * left. */
static void who_sends_is_not_shed_for_those_who_do_not(void **state)
{
    enum { MANY = 300, LATE = 5 };
    rig r;
    int fds[MANY];
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1; /* and 1 MiB of slack */
    for (int i = 0; i < MANY; i++) {
        fds[i] = rig_websocket(&r);
    }
    for (int i = 0; i < MANY; i++) {
        send_part(&r, fds[i], 65000, 4000);
    }
    uint64_t shed = rig_stat(&r, "unfinished_closed");
    assert_true(shed > 0); /* all of them had just sent: who adds to it goes */
    rig_turn(&r, SILENT_MS);
    assert_int_equal(rig_stat(&r, "unfinished_closed"), shed); /* nobody waits */
    guest late[LATE];
    for (int i = 0; i < LATE; i++) {
        late[i] = (guest){.fd = rig_websocket(&r)};
    }
    int left = LATE;
    for (int ms = 0; left > 0; ms += LATE) {
        assert_in_range(ms, 0, 2 * SILENT_MS);
        for (int i = 0; i < LATE; i++) {
            left -= late[i].got < WHOLE + 10 && served(&r, &late[i]);
        }
    }
    for (int i = 0; i < LATE; i++) {
        close(late[i].fd);
    }
    assert_true(rig_stat(&r, "unfinished_closed") > shed);
    close_all(fds, MANY);
    end(&r);
}

/* What lies in its socket waits for us: it is neither silent nor idle, for however long it does. */
static void who_waits_for_its_turn_is_not_silent(void **state)
{
    enum { THREE = 3 };
    rig r;
    guest all[THREE];
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    r.server->limits.idle_ms = 2000;
    r.server->limits.ping_ms = 0;
    int first = rig_websocket(&r);
    send_part(&r, first, 200000, 100000);
    for (int i = 0; i < THREE; i++) {
        all[i] = (guest){.fd = rig_websocket(&r)};
        (void)served(&r, &all[i]);
    }
    for (int ms = 0; ms < TURN_MS - 200; ms += 100) { /* it goes on, if slowly, until its end */
        rig_write(first, zeros, 2000);
        rig_turn(&r, 100);
        assert_ptr_equal(r.server->unfinished_owner, r.server->slots[0].session);
    }
    rig_write(first, zeros, 200000 - 100000 - (TURN_MS - 200) / 100 * 2000);
    rig_turn(&r, 20);
    assert_int_equal(rig_read(first, answer, sizeof(answer)), 200010);
    for (int i = 0; i < THREE; i++) {
        (void)wait_of(&r, &all[i], 500);
        close(all[i].fd);
    }
    assert_int_equal(rig_stat(&r, "unfinished_closed") + rig_stat(&r, "idle_timeouts"), 0);
    close(first);
    end(&r);
}

/* The connection of that slot; NULL: it is not there any more, or not read. */
static tusk_conn *reading(const rig *r, size_t slot)
{
    tusk_session *session = r->server->slots[slot].session;
    return session != NULL && tusk_conn_open(&session->conn) && !session->conn.paused
               ? &session->conn
               : NULL;
}

/* A record of TLS that comes slowly, or the head of a chunk: nothing of it is the message's, and
 * its sender is not silent. */
static void who_sends_what_is_no_payload_is_not_silent(void **state)
{
    enum { PAUSE = SILENT_MS - 100, THREE = 3 };
    static const char head[] =
        "POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    static const char *const pieces[] = {"1\r\n", "a\r\n", "1;x\r\n", "b\r\n", "0\r\n"};
    rig r;
    int large[THREE];
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 2 * MIB;
    int body = rig_connect(&r);
    int record = rig_websocket(&r);
    rig_write(body, head, sizeof(head) - 1);
    send_part(&r, record, 65000, 4000);
    for (int i = 0; i < THREE; i++) { /* the first two go on, slowly */
        large[i] = rig_websocket(&r);
        send_part(&r, large[i], 3 * MIB / 2, 100000);
        for (int more = 0; more < (i < THREE - 1 ? 11 : 3); more++) {
            rig_write(large[i], zeros, 100000);
            rig_turn(&r, 4);
        }
    }
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        for (int ms = 0; ms < PAUSE; ms += 100) {
            rig_write(large[0], zeros, 1);
            rig_write(large[1], zeros, 1);
            rig_turn(&r, 100);
        }
        tusk_conn *of_body = reading(&r, 0);
        tusk_conn *of_record = reading(&r, 1);
        assert_non_null(of_body);
        assert_non_null(of_record);
        rig_write(body, pieces[i], strlen(pieces[i]));
        of_record->ops->on_part(of_record);
        rig_turn(&r, 1);
    }
    assert_true(rig_stat(&r, "unfinished_closed") > 0); /* who was */
    close(body);
    close(record);
    close_all(large, THREE);
    end(&r);
}

/* Each of a crowd has more in its socket than it was read, and its turn is in vain. Who came last
 * and sends has the next one. */
static void behind_a_turn_in_vain_who_began_last_is_asked_first(void **state)
{
    enum { FEW = 20, ROUNDS = 5 };
    rig r;
    int fds[FEW];
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    for (int i = 0; i < FEW; i++) {
        fds[i] = rig_websocket(&r);
        send_part(&r, fds[i], 1000000, 100000);
    }
    assert_ptr_equal(r.server->unfinished_owner, r.server->slots[0].session);
    guest last = {.fd = rig_websocket(&r)};
    for (int i = 0; i < ROUNDS; i++) {
        last.sent = last.got = 0;
        (void)wait_of(&r, &last, 2 * SILENT_MS);
        assert_in_range(rig_stat(&r, "unfinished_closed"), 1, 1 + (uint64_t)i);
    }
    close_all(fds, FEW);
    close(last.fd);
    end(&r);
}

/* Slowly, and once more from the beginning when it was closed, as a client does. */
static void go_on_slowly(rig *r, int *fd)
{
    (void)!write(*fd, zeros, 100);
    if (read(*fd, answer, sizeof(answer)) >= 0) {
        close(*fd);
        *fd = rig_websocket(r);
        send_part(r, *fd, 1000000, 100000);
    }
}

/* Who comes back has begun last. Two of those must not have all turns, each while the other waits.
 */
static void who_comes_back_has_not_all_turns(void **state)
{
    rig r;
    int slow[2];
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    slow[0] = rig_websocket(&r);
    send_part(&r, slow[0], 1000000, 100000);
    guest waits = {.fd = rig_websocket(&r)};
    (void)served(&r, &waits);
    rig_turn(&r, 10);
    slow[1] = rig_websocket(&r);
    send_part(&r, slow[1], 1000000, 100000);
    for (int ms = 0; !served(&r, &waits); ms++) {
        assert_in_range(ms, 0, 2 * TURN_MS + 2 * SILENT_MS);
        if (ms % 100 == 0) {
            go_on_slowly(&r, &slow[0]);
            go_on_slowly(&r, &slow[1]);
        }
    }
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 2);
    close_all(slow, 2);
    close(waits.fd);
    end(&r);
}

/* Each of a crowd sends a byte now and then, and waits with it: none is silent, and each had a
 * whole turn before the next message of somebody else. */
static void a_crowd_that_sends_next_to_nothing_does_not_have_every_other_turn(void **state)
{
    enum { CROWD = 40, MESSAGES = 5 };
    rig r;
    int fds[CROWD];
    (void)state;
    begin(&r);
    for (int i = 0; i < CROWD; i++) {
        fds[i] = rig_websocket(&r);
        send_part(&r, fds[i], 65000, 60000);
    }
    guest last = {.fd = rig_websocket(&r)};
    for (int ms = 0, left = MESSAGES; left > 0; ms++) {
        assert_in_range(ms, 0, 2 * TURN_MS + 2 * SILENT_MS);
        if (served(&r, &last)) {
            last.sent = last.got = 0;
            left--;
        }
        for (int i = 0; i < CROWD && ms % (SILENT_MS - 100) == 0; i++) {
            (void)send(fds[i], zeros, 1, MSG_NOSIGNAL);
        }
    }
    close_all(fds, CROWD);
    close(last.fd);
    end(&r);
}

/* Where turns are in vain and even the quarter is taken, those who have waited for longer than one
 * lasts go before who just came. */
static void where_turns_are_in_vain_who_has_waited_for_one_long_goes_first(void **state)
{
    enum { MANY = 300, MORE = 100 };
    rig r;
    int fds[MANY + MORE];
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    for (int i = 0; i < MANY; i++) {
        fds[i] = rig_websocket(&r);
    }
    for (int i = 0; i < MANY; i++) { /* more than is read of it: none of them is silent */
        send_part(&r, fds[i], 1000000, 100000);
    }
    uint64_t shed = rig_stat(&r, "unfinished_closed");
    rig_turn(&r, TURN_MS + SILENT_MS);
    uint64_t wasted = rig_stat(&r, "unfinished_closed") - shed;
    assert_in_range(wasted, 2, (TURN_MS + SILENT_MS) / SILENT_MS);
    uint64_t open = rig_stat(&r, "websockets_open");
    for (int i = MANY; i < MANY + MORE; i++) {
        fds[i] = rig_websocket(&r);
        send_part(&r, fds[i], 65000, 4000);
    }
    assert_in_range(rig_stat(&r, "websockets_open"), MORE, MORE + open / 2);
    for (int i = MANY; i < MANY + MORE; i++) {
        assert_int_equal(rig_read(fds[i], answer, sizeof(answer)), 0); /* none of them was */
    }
    close_all(fds, MANY + MORE);
    end(&r);
}

/* Who has nothing unfinished has nothing that others wait for. */
static void who_holds_nothing_may_be_silent(void **state)
{
    rig r;
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    int idle = rig_websocket(&r);
    int first = rig_websocket(&r);
    int second = rig_websocket(&r);
    send_part(&r, first, 1000000, 100000);
    send_part(&r, second, 65000, 4000);
    guest late = {.fd = rig_websocket(&r)};
    for (int ms = 0; ms < 3 * SILENT_MS; ms++) {
        assert_false(served(&r, &late)); /* it waits, and the one that may go on does */
        rig_write(first, zeros, 1);
    }
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 1); /* the second one */
    assert_non_null(r.server->unfinished_owner);
    rig_send(idle, 0x81, "here", 4);
    rig_turn(&r, 2);
    assert_int_equal(rig_read(idle, answer, sizeof(answer)), 6);
    close(idle);
    close(first);
    close(second);
    close(late.fd);
    end(&r);
}

/* docs/guide/limits.md: who may go on and is no further after unfinishedMs is closed with 1013. */
static void a_turn_has_an_end_for_who_sends_byte_by_byte_as_well(void **state)
{
    rig r;
    int waited = 0;
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    int first = rig_websocket(&r);
    send_part(&r, first, 1000000, 100000);
    guest late = {.fd = rig_websocket(&r)};
    for (; !served(&r, &late); waited++) {
        assert_in_range(waited, 0, TURN_MS + SILENT_MS);
        (void)send(first, zeros, 1, MSG_NOSIGNAL);
    }
    assert_in_range(waited, TURN_MS - SILENT_MS, TURN_MS + SILENT_MS);
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 1);
    assert_true(rig_read(first, answer, sizeof(answer)) >= 4);
    assert_memory_equal(answer + 2, "\x03\xf5", 2);
    close(first);
    close(late.fd);
    end(&r);
}

/* What was in their sockets when it woke was there in time. */
static void a_sleep_of_the_server_is_nobodys_silence(void **state)
{
    rig r;
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    int first = rig_websocket(&r);
    int second = rig_websocket(&r);
    send_part(&r, first, 1000000, 100000);
    send_part(&r, second, 65000, 4000);
    guest late = {.fd = rig_websocket(&r)};
    (void)served(&r, &late);
    rig_write(first, zeros, 1000);
    rig_write(second, zeros, 1000);
    still_pass_ms(3 * SILENT_MS);
    rig_turn(&r, 4);
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 0);
    assert_ptr_equal(r.server->unfinished_owner, r.server->slots[0].session);
    close(first);
    close(second);
    close(late.fd);
    end(&r);
}

/* It is looked for again and again, while somebody waits. */
static void who_falls_silent_while_others_wait_goes_as_well(void **state)
{
    enum { LIMIT = 135000 }; /* two parts of 64 KiB are below it */
    rig r;
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = LIMIT;
    int second = rig_websocket(&r);
    int first = rig_websocket(&r);
    send_part(&r, second, 65000, 4000);
    send_part(&r, first, 1000000, 100000);
    assert_ptr_equal(r.server->unfinished_owner, r.server->slots[1].session);
    guest late = {.fd = rig_websocket(&r)};
    for (int ms = 0; ms < 5 * SILENT_MS / 2; ms++) {
        assert_false(served(&r, &late));
        rig_write(first, zeros, 1); /* the one that may go on does */
        if (ms < SILENT_MS - 10) {
            rig_write(second, zeros, 1);
        } else if (ms < 2 * SILENT_MS - 20) {
            assert_int_equal(rig_stat(&r, "unfinished_closed"), 0);
        }
    }
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 1);
    assert_ptr_equal(r.server->unfinished_owner, r.server->slots[1].session);
    close(first);
    close(second);
    close(late.fd);
    end(&r);
}

/* Two large messages, of which the second waits for the place that the first has. What a slow
 * client holds beside them is little: its end would bring neither of them further. */
static void who_holds_little_may_pause_while_others_wait_for_the_place(void **state)
{
    rig r;
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 512 * 1024;
    int first = rig_websocket(&r);
    int slow = rig_websocket(&r);
    send_part(&r, first, 4 * MIB, 100000);
    for (int more = 0; more < 5; more++) {
        rig_write(first, zeros, 100000);
        rig_turn(&r, 4);
    }
    send_part(&r, slow, 65000, 4000);
    int late = rig_websocket(&r);
    send_part(&r, late, 4 * MIB, 100000);
    rig_write(late, zeros, 100000);
    rig_turn(&r, 4);
    rig_write(late, zeros, 100000);
    rig_turn(&r, 4);
    assert_ptr_equal(r.server->unfinished_owner, r.server->slots[0].session);
    assert_true(rig_session(&r, 2)->paused_unfinished);
    for (int ms = 0; ms < TURN_MS - SILENT_MS; ms++) {
        rig_write(first, zeros, 1);
        rig_turn(&r, 1);
    }
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 0);
    rig_write(slow, zeros, 61000);
    rig_turn(&r, 4);
    assert_true(rig_read(slow, answer, sizeof(answer)) > 60000);
    close(first);
    close(slow);
    close(late);
    end(&r);
}

/* It is we who do not read: the one that may go on because of its queue, the other one because its
 * handler is not done. */
static void who_is_kept_from_sending_is_not_silent(void **state)
{
    enum { MUCH = 6 * MIB };
    rig r;
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    int first = rig_websocket(&r);
    int second = rig_websocket(&r);
    int third = rig_websocket(&r);
    send_part(&r, first, 1000000, 100000);
    send_part(&r, second, 65000, 4000);
    send_part(&r, third, 65000, 4000);
    tusk_handle owner = tusk__session_handle(rig_session(&r, 0));
    tusk_handle parked = tusk__session_handle(rig_session(&r, 1));
    tusk_session_park(r.server, parked);
    assert_err(tusk_websocket_send(r.server, owner, TUSK_WS_BINARY, tusk_bytes_of(zeros, MUCH),
                                   NULL, NULL),
               TUSK_OK);
    rig_write(first, zeros, 1); /* its last: that makes us look */
    rig_turn(&r, 2);
    assert_true(rig_session(&r, 0)->paused_queue);
    guest late = {.fd = rig_websocket(&r)};
    for (int ms = 0; ms < TURN_MS + SILENT_MS; ms++) {
        assert_false(served(&r, &late));
    }
    assert_ptr_equal(r.server->unfinished_owner, rig_session(&r, 0));
    assert_true(tusk_session_exists(r.server, parked));
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 1); /* the third */
    tusk_session_unpark(r.server, parked);
    close(first);
    close(second);
    close(third);
    close(late.fd);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_holds_a_part_and_sends_nothing_goes_when_others_wait),
        cmocka_unit_test(who_sends_is_not_shed_for_those_who_do_not),
        cmocka_unit_test(who_waits_for_its_turn_is_not_silent),
        cmocka_unit_test(who_sends_what_is_no_payload_is_not_silent),
        cmocka_unit_test(behind_a_turn_in_vain_who_began_last_is_asked_first),
        cmocka_unit_test(who_comes_back_has_not_all_turns),
        cmocka_unit_test(a_crowd_that_sends_next_to_nothing_does_not_have_every_other_turn),
        cmocka_unit_test(where_turns_are_in_vain_who_has_waited_for_one_long_goes_first),
        cmocka_unit_test(who_holds_nothing_may_be_silent),
        cmocka_unit_test(a_turn_has_an_end_for_who_sends_byte_by_byte_as_well),
        cmocka_unit_test(a_sleep_of_the_server_is_nobodys_silence),
        cmocka_unit_test(who_falls_silent_while_others_wait_goes_as_well),
        cmocka_unit_test(who_holds_little_may_pause_while_others_wait_for_the_place),
        cmocka_unit_test(who_is_kept_from_sending_is_not_silent),
    };
    return cmocka_run_group_tests_name("serve/holders", tests, NULL, NULL);
}
