/* SPDX-License-Identifier: MIT */
/* The one place over the limit of what is unfinished: who has it, for how long, and who is next. */
#define _GNU_SOURCE
#include "holders.h"

#include "net/socket.h"
#include "serve/http/http.h"
#include "serve/pressure.h"

static struct {
    guest late;
    int waited;
} inside;

/* A handler that waits: the loop goes on inside it, as beside a fiber. */
static void wait_in_message(void *user, tusk_handle session, void *route, uint8_t opcode,
                            tusk_bytes payload, void *taken)
{
    rig *r = user;
    if (payload.len == WHOLE) {
        on_message(user, session, route, opcode, payload, taken);
        return;
    }
    tusk_payload_drop(r->server, taken);
    tusk_session_park(r->server, session);
    inside.waited = wait_of(r, &inside.late, 4 * TURN_MS);
    rig_turn(r, 2 * TURN_MS);
    assert_true(tusk_session_exists(r->server, session));
    tusk_session_unpark(r->server, session);
    rig_log(r, "whole", "", 0);
}

/* Its message is whole: that its handler waits is nothing that it has not sent, and nobody else has
 * to wait for it. */
static void whose_message_is_whole_leaves_the_place_before_its_handler_runs(void **state)
{
    static const tusk_server_handler handler = {.on_message = wait_in_message,
                                                .on_request = rig_on_request};
    rig r;
    (void)state;
    begin_with(&r, &handler);
    r.server->limits.unfinished_bytes = 1;
    int first = rig_websocket(&r);
    int other = rig_websocket(&r);
    send_part(&r, first, 200000, 100000);
    send_part(&r, other, 65000, 4000);
    assert_ptr_equal(r.server->unfinished_owner, r.server->slots[0].session);
    inside.late = (guest){.fd = rig_websocket(&r)};
    assert_false(served(&r, &inside.late));
    rig_write(first, zeros, 100000);
    for (int i = 0; i < 20 && r.log_len == 0; i++) {
        (void)tusk_loop_turn(r.loop, 0); /* superseded by the turns inside */
    }
    assert_string_equal(r.log, "whole;");
    assert_in_range(inside.waited, 0, SILENT_MS / 2);
    rig_turn(&r, 2);
    rig_send(first, 0x89, "here", 4);
    rig_turn(&r, 2);
    assert_int_equal(rig_read(first, answer, sizeof(answer)), 6);
    close(first);
    close(other);
    close(inside.late.fd);
    end(&r);
}

static bool is_open(const rig *r, size_t slot)
{
    const tusk_session *session = r->server->slots[slot].session;
    return session != NULL && tusk_conn_open(&session->conn) &&
           tusk_session_exists(r->server, tusk__session_handle(session));
}

static bool is_kept(const rig *r, size_t slot)
{
    const tusk_session *session = r->server->slots[slot].session;
    return session != NULL && session->paused_unfinished;
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
    assert_non_null(r.server->unfinished_owner);
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

/* All that it has said so far was read: the rest of it is in its socket, and nowhere else. */
static void who_waits_with_no_more_than_its_socket_full_waits(void **state)
{
    enum { FEW = 10, LEN = 65000, PART = 60000 };
    rig r;
    int fds[FEW];
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    for (int i = 0; i < FEW; i++) { /* half of the quarter, and the one that may go on */
        fds[i] = rig_websocket(&r);
        send_part(&r, fds[i], LEN, PART);
        rig_turn(&r, 20);
    }
    int last = rig_websocket(&r);
    send_part(&r, last, 100000, 4000);
    assert_true(rig_session(&r, FEW)->paused_unfinished);
    assert_int_equal(rig_session(&r, FEW)->conn.in_len, 0);
    rig_turn(&r, 3 * SILENT_MS);
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 0); /* for what has not come nobody waits */
    rig_write(last, zeros, 20000);
    rig_turn(&r, SILENT_MS);
    assert_true(rig_stat(&r, "unfinished_closed") > 0);
    assert_true(is_open(&r, FEW));
    close_all(fds, FEW);
    close(last);
    end(&r);
}

/* Where turns are in vain and the quarter is taken, a crowd gives way that has waited for longer
 * than one lasts; who has not may still have one. */
static void who_has_waited_for_less_than_a_turn_does_not_go_for_who_comes(void **state)
{
    enum { FEW = 5, YOUNG_AT = 3000, MORE = 80 };
    rig r;
    int fds[1 + 2 * FEW + MORE];
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    for (int i = 0; i < 1 + 2 * FEW + MORE; i++) {
        fds[i] = rig_websocket(&r);
    }
    for (int i = 0; i <= FEW; i++) {
        send_part(&r, fds[i], 1000000, 100000);
    }
    for (int ms = 0; rig_stat(&r, "unfinished_closed") == 0; ms++) {
        assert_in_range(ms, 0, TURN_MS + SILENT_MS);
        (void)send(fds[0], zeros, 1, MSG_NOSIGNAL); /* its turn is in vain, and it is not silent */
        for (int i = 0; ms == YOUNG_AT && i < FEW; i++) {
            send_part(&r, fds[1 + FEW + i], 1000000, 100000);
        }
        rig_turn(&r, 1);
    }
    rig_turn(&r, SILENT_MS / 2);
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 1);
    assert_ptr_equal(r.server->unfinished_owner, r.server->slots[1 + FEW].session);
    for (int i = 1 + 2 * FEW; i < 1 + 2 * FEW + MORE; i++) {
        send_part(&r, fds[i], 65000, 4000);
    }
    for (int i = 0; i < 1 + 2 * FEW + MORE; i++) {
        assert_int_equal(is_open(&r, (size_t)i), i > FEW);
        close(fds[i]);
    }
    end(&r);
}

/* A crowd that always has somebody who began later gets a number of turns, not all of them. */
static void who_began_first_has_its_turn_though_later_ones_come_and_come(void **state)
{
    enum { TURNS = 16, MOST = TURNS + 8 };
    rig r;
    int fds[MOST];
    int came = 0;
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    fds[came] = rig_websocket(&r);
    send_part(&r, fds[came++], 1000000, 100000);
    guest old = {.fd = rig_websocket(&r)};
    int ms = 0;
    for (; !served(&r, &old); ms++) {
        if (ms % SILENT_MS == SILENT_MS / 2) { /* one before each turn that is over */
            assert_in_range(came, 0, MOST - 1);
            fds[came] = rig_websocket(&r);
            send_part(&r, fds[came++], 1000000, 100000);
        }
    }
    assert_in_range(ms, (TURNS - 2) * SILENT_MS, (TURNS + 4) * SILENT_MS);
    close_all(fds, came);
    close(old.fd);
    end(&r);
}

/* What its socket takes of two of them, one behind the other. */
static void send_two(int fd, size_t *sent)
{
    const size_t len = WHOLE + 14;
    while (*sent < 2 * len) {
        ssize_t n = write(fd, frame + *sent % len, len - *sent % len);
        if (n <= 0) {
            return;
        }
        *sent += (size_t)n;
    }
}

/* Also when its next message lies in its buffer before the others have been asked. */
static void who_had_the_place_waits_for_those_who_did_not(void **state)
{
    enum { FEW = 8, LEN = 65000, PART = 60000 }; /* half of the quarter: small ones ask as well */
    rig r;
    int fds[FEW];
    size_t sent = 0;
    size_t got = 0;
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    int two = rig_websocket(&r);
    for (int i = 0; i < FEW; i++) {
        fds[i] = rig_websocket(&r);
        send_part(&r, fds[i], LEN, PART);
        rig_turn(&r, 20);
    }
    assert_null(r.server->unfinished_owner);
    send_two(two, &sent);
    rig_turn(&r, 2);
    assert_ptr_equal(r.server->unfinished_owner, r.server->slots[0].session);
    guest one = {.fd = rig_websocket(&r)};
    while (!served(&r, &one)) {
        ssize_t n = read(two, answer, sizeof(answer));
        got += n > 0 ? (size_t)n : 0;
        send_two(two, &sent);
        assert_in_range(got, 0, WHOLE + 10);
    }
    for (int ms = 0; got < 2 * (WHOLE + 10); ms++) {
        assert_in_range(ms, 0, SILENT_MS);
        send_two(two, &sent);
        rig_turn(&r, 1);
        ssize_t n = read(two, answer, sizeof(answer));
        got += n > 0 ? (size_t)n : 0;
    }
    close_all(fds, FEW);
    close(two);
    close(one.fd);
    end(&r);
}

/* Half of the quarter is for those who hold little, and who holds nothing is always read. */
static void past_the_limit_small_ones_are_read_on_and_large_ones_wait(void **state)
{
    enum { LARGE = 2, SMALL = 14, MORE = 10, PART = 60000, SOME = 200000 };
    rig r;
    int fds[LARGE + SMALL + MORE];
    (void)state;
    begin(&r);
    int idle = rig_websocket(&r);
    for (int i = 0; i < LARGE + SMALL; i++) {
        fds[i] = rig_websocket(&r);
        send_part(&r, fds[i], i < LARGE ? 1000000 : 65000, i < LARGE ? SOME : PART);
        rig_turn(&r, 60);
        assert_false(is_kept(&r, 1 + (size_t)i));
    }
    assert_true(tusk__unfinished_is_much(r.server));
    assert_null(r.server->unfinished_owner);
    for (int i = 0; i < LARGE; i++) {
        rig_write(fds[i], zeros, 1);
        rig_turn(&r, 2);
    }
    assert_ptr_equal(r.server->unfinished_owner, r.server->slots[1].session);
    assert_true(is_kept(&r, 2));
    for (int i = LARGE + SMALL; i < LARGE + SMALL + MORE; i++) {
        fds[i] = rig_websocket(&r);
        send_part(&r, fds[i], 65000, PART);
        rig_turn(&r, 60);
    }
    assert_true(is_kept(&r, LARGE + SMALL + MORE));
    for (int i = 0; i < 3; i++) {
        rig_send(idle, 0x81, "here", 4);
        rig_turn(&r, 2);
        assert_int_equal(rig_read(idle, answer, sizeof(answer)), 6);
    }
    close_all(fds, LARGE + SMALL + MORE);
    close(idle);
    end(&r);
}

/* Turns are in vain, and of who waits next to nothing has come since: but it is the end of its
 * body. */
static void a_body_whose_end_is_here_stays_where_turns_are_in_vain(void **state)
{
    enum { CROWD = 27, LATER = 3, BODY = 4200, PART = 60000 };
    rig r;
    char head[128];
    int fds[CROWD + LATER];
    (void)state;
    begin(&r);
    r.answer = true;
    int body = rig_connect(&r); /* whose slot is looked at first */
    rig_turn(&r, 2);
    for (int i = 0; i < CROWD; i++) {
        fds[i] = rig_websocket(&r);
        send_part(&r, fds[i], 65000, PART);
    }
    int len = snprintf(head, sizeof(head),
                       "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", BODY);
    memcpy(answer, head, (size_t)len);
    memset(answer + len, 'x', BODY);
    rig_write(body, answer, (size_t)len + BODY);
    rig_turn(&r, 4);
    assert_true(is_kept(&r, 0));
    assert_in_range(tusk__socket_unread(rig_session(&r, 0)->conn.io.fd), 1, 511);
    for (int i = CROWD; i < CROWD + LATER; i++) {
        fds[i] = rig_websocket(&r);
        send_part(&r, fds[i], 65000, 5000);
    }
    for (int ms = 0; ms < 3 * TURN_MS && r.log_len == 0; ms++) {
        for (int i = 0; i < CROWD + LATER && ms % (SILENT_MS - 100) == 0; i++) {
            (void)send(fds[i], zeros, 1, MSG_NOSIGNAL);
        }
        rig_turn(&r, 1);
    }
    assert_memory_equal(r.log, "request:/post", 13);
    close_all(fds, CROWD + LATER);
    close(body);
    end(&r);
}

/* The same of a message in whose midst a ping came: what is here is the end of that one. */
static void the_end_of_a_ping_keeps_nobody_where_turns_are_in_vain(void **state)
{
    enum { CROWD = 27, LATER = 3, PART = 60000, PING = 100 };
    static const uint8_t some[] = {0x01, 0x84, 0,           0, 0, 0, 'p', 'a', 'r',
                                   't',  0x89, 0x80 | PING, 0, 0, 0, 0,   'p'};
    rig r;
    int fds[CROWD + LATER];
    (void)state;
    begin(&r);
    int pings = rig_websocket(&r); /* whose slot is looked at first */
    for (int i = 0; i < CROWD; i++) {
        fds[i] = rig_websocket(&r);
        send_part(&r, fds[i], 65000, PART);
    }
    rig_write(pings, some, sizeof(some));
    rig_turn(&r, 4);
    rig_write(pings, zeros, PING - 1);
    rig_turn(&r, 2);
    assert_true(is_kept(&r, 0));
    assert_int_equal(tusk__socket_unread(rig_session(&r, 0)->conn.io.fd), PING - 1);
    for (int i = CROWD; i < CROWD + LATER; i++) {
        fds[i] = rig_websocket(&r);
        send_part(&r, fds[i], 65000, 5000);
    }
    for (int ms = 0; ms < 3 * TURN_MS && is_open(&r, 0); ms++) {
        for (int i = 0; i < CROWD + LATER && ms % (SILENT_MS - 100) == 0; i++) {
            (void)send(fds[i], zeros, 1, MSG_NOSIGNAL);
        }
        rig_turn(&r, 1);
        assert_true(!is_open(&r, 0) || r.server->unfinished_owner != rig_session(&r, 0));
    }
    assert_false(is_open(&r, 0));
    close_all(fds, CROWD + LATER);
    close(pings);
    end(&r);
}

/* Somebody takes nothing of his queue, and behind it a small answer fits, and no large one. */
static void expect_place_for_what_fits(bool is_body)
{
    enum { LARGEST = 2 * MIB, QUEUED = 2400000, LARGE = 1600000, PART = 70000 };
    static const char head[] = "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 1600000\r\n\r\n";
    rig r;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    r.server->limits.message_bytes = LARGEST;
    r.server->limits.body_bytes = LARGEST;
    r.server->limits.queued_bytes_total = 2 * LARGEST;
    int stalled = rig_websocket(&r);
    assert_err(tusk_websocket_send(r.server, tusk__session_handle(rig_session(&r, 0)),
                                   TUSK_WS_BINARY, tusk_bytes_of(zeros, QUEUED), NULL, NULL),
               TUSK_OK);
    int large = is_body ? rig_connect(&r) : rig_websocket(&r);
    if (is_body) {
        rig_write(large, head, sizeof(head) - 1);
        rig_write(large, zeros, PART);
        rig_turn(&r, 4);
    } else {
        send_part(&r, large, LARGE, PART);
    }
    assert_true(is_kept(&r, 1));
    assert_null(r.server->unfinished_owner);
    guest other = {.fd = rig_websocket(&r)};
    assert_in_range(wait_of(&r, &other, TURN_MS), 0, SILENT_MS / 2);
    for (size_t got = 0; got < QUEUED;) {
        got += rig_read(stalled, answer, sizeof(answer));
        rig_turn(&r, 1);
    }
    rig_turn(&r, 4);
    assert_ptr_equal(r.server->unfinished_owner, rig_session(&r, 1));
    close(stalled);
    close(large);
    close(other.fd);
    end(&r);
}

static void whose_message_would_not_fit_when_it_is_whole_leaves_the_place_to_others(void **state)
{
    (void)state;
    expect_place_for_what_fits(false);
}

static void whose_body_would_not_fit_when_it_is_whole_leaves_the_place_to_others(void **state)
{
    (void)state;
    expect_place_for_what_fits(true);
}

/* A little now and then is not enough to hold the queues of all. */
static void who_takes_next_to_nothing_of_its_queue_gives_way_to_who_waits(void **state)
{
    enum { LARGEST = 2 * MIB, QUEUED = 2400000, LARGE = 1600000, PART = 70000 };
    static const int sip = 32 * 1024;
    rig r;
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    r.server->limits.message_bytes = LARGEST;
    r.server->limits.queued_bytes_total = 2 * LARGEST;
    int sips = rig_websocket(&r);
    int fd = rig_session(&r, 0)->conn.io.fd;
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &sip, sizeof(sip)), 0);
    assert_err(tusk_websocket_send(r.server, tusk__session_handle(rig_session(&r, 0)),
                                   TUSK_WS_BINARY, tusk_bytes_of(zeros, QUEUED), NULL, NULL),
               TUSK_OK);
    int large = rig_websocket(&r);
    send_part(&r, large, LARGE, PART);
    assert_true(is_kept(&r, 1));
    size_t before = rig_session(&r, 0)->conn.send_bytes;
    assert_true(rig_read(sips, answer, sizeof(answer)) > 0);
    rig_turn(&r, TURN_MS - 100);
    assert_true(rig_session(&r, 0)->conn.send_bytes < before);
    assert_true(is_open(&r, 0));
    rig_turn(&r, 200);
    assert_false(is_open(&r, 0));
    assert_int_equal(rig_stat(&r, "overflow_closed"), 1);
    assert_ptr_equal(r.server->unfinished_owner, rig_session(&r, 1));
    close(sips);
    close(large);
    end(&r);
}

/* All that it said is to come, and no half of it: that would have to be moved once more. */
static void a_body_that_has_the_place_has_it_for_all_of_it(void **state)
{
    enum { BODY = 400000, PART = 100000 };
    static const char head[] = "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 400000\r\n\r\n";
    rig r;
    (void)state;
    begin(&r);
    r.server->limits.unfinished_bytes = 1;
    int fd = rig_connect(&r);
    rig_write(fd, head, sizeof(head) - 1);
    rig_write(fd, zeros, PART);
    rig_turn(&r, 10);
    assert_ptr_equal(r.server->unfinished_owner, rig_session(&r, 0));
    assert_int_equal(rig_session(&r, 0)->u.http.exchange->cap, BODY);
    close(fd);
    end(&r);
}

/* Where all queues together may be little more than the largest message, that one fits beside an
 * eighth of them; what is small always does. */
static void what_fits_into_the_queues_leaves_an_eighth_of_them(void **state)
{
    enum { EIGHTH = 10000, LARGEST = 75000 };
    rig r;
    (void)state;
    begin(&r);
    int stalled = rig_websocket(&r);
    int other = rig_websocket(&r);
    int asks = rig_connect(&r);
    rig_turn(&r, 2);
    tusk_server_limits *limits = &r.server->limits;
    limits->queued_bytes_total = 8 * EIGHTH;
    limits->message_bytes = LARGEST;
    limits->body_bytes = EIGHTH;
    const tusk_session *message = rig_session(&r, 1);
    const tusk_session *body = rig_session(&r, 2);
    assert_int_equal(tusk_net_queued(r.server->net), 0);
    assert_true(tusk__pressure_fits(message, 100 * EIGHTH)); /* nothing to wait for */
    assert_err(tusk_websocket_send(r.server, tusk__session_handle(rig_session(&r, 0)),
                                   TUSK_WS_BINARY, tusk_bytes_of(zeros, 500), NULL, NULL),
               TUSK_OK);
    size_t queued = tusk_net_queued(r.server->net);
    assert_in_range(queued, 500, EIGHTH);
    assert_true(tusk__pressure_fits(message, LARGEST + EIGHTH - queued));
    assert_false(tusk__pressure_fits(message, LARGEST + EIGHTH - queued + 1));
    assert_true(tusk__pressure_fits(body, 7 * EIGHTH - queued));
    assert_false(tusk__pressure_fits(body, 7 * EIGHTH - queued + 1));
    close(stalled);
    close(other);
    close(asks);
    end(&r);
}

/* They ask in one turn, before any of them has taken what it got: what was granted is counted from
 * then on, so that not all get the same room. */
static void all_that_send_come_to_their_end(bool posts)
{
    enum { MANY = 40, TURNS = 20000 };
    static const char head[] = "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 307200\r\n\r\n";
    rig r;
    guest all[MANY];
    int back = 0;
    begin(&r);
    r.answer = true;
    r.server->limits.unfinished_bytes = 4 * MIB;
    for (int i = 0; i < MANY; i++) {
        all[i] = (guest){.fd = posts ? rig_connect(&r) : rig_websocket(&r)};
        if (posts) {
            rig_write(all[i].fd, head, sizeof(head) - 1);
        }
    }
    const uint8_t *bytes = posts ? zeros : frame;
    const size_t len = posts ? WHOLE : WHOLE + 14;
    for (int turn = 0; turn < TURNS && back < MANY; turn++) {
        for (int i = 0; i < MANY; i++) {
            size_t left = len - all[i].sent;
            ssize_t n = left == 0 ? 0 : write(all[i].fd, bytes + all[i].sent, left);
            all[i].sent += n > 0 ? (size_t)n : 0;
            n = read(all[i].fd, answer, sizeof(answer));
            all[i].got += n > 0 ? (size_t)n : 0;
            back += n > 0 && (posts || all[i].got == WHOLE + 10);
        }
        rig_turn(&r, 1);
    }
    assert_int_equal(rig_stat(&r, "unfinished_closed"), 0);
    assert_int_equal(rig_stat(&r, posts ? "requests" : "messages_in"), MANY);
    assert_int_equal(back, MANY);
    assert_int_equal(rig_stat(&r, "unfinished_bytes"), 0);
    for (int i = 0; i < MANY; i++) {
        close(all[i].fd);
    }
    end(&r);
}

static void many_that_ask_at_once_are_not_granted_the_same_room(void **state)
{
    (void)state;
    all_that_send_come_to_their_end(false);
    all_that_send_come_to_their_end(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whose_message_is_whole_leaves_the_place_before_its_handler_runs),
        cmocka_unit_test(a_turn_has_an_end_for_who_is_parked_as_well),
        cmocka_unit_test(who_waits_with_no_more_than_its_socket_full_waits),
        cmocka_unit_test(who_has_waited_for_less_than_a_turn_does_not_go_for_who_comes),
        cmocka_unit_test(who_began_first_has_its_turn_though_later_ones_come_and_come),
        cmocka_unit_test(who_had_the_place_waits_for_those_who_did_not),
        cmocka_unit_test(past_the_limit_small_ones_are_read_on_and_large_ones_wait),
        cmocka_unit_test(a_body_whose_end_is_here_stays_where_turns_are_in_vain),
        cmocka_unit_test(the_end_of_a_ping_keeps_nobody_where_turns_are_in_vain),
        cmocka_unit_test(whose_message_would_not_fit_when_it_is_whole_leaves_the_place_to_others),
        cmocka_unit_test(whose_body_would_not_fit_when_it_is_whole_leaves_the_place_to_others),
        cmocka_unit_test(a_body_that_has_the_place_has_it_for_all_of_it),
        cmocka_unit_test(what_fits_into_the_queues_leaves_an_eighth_of_them),
        cmocka_unit_test(many_that_ask_at_once_are_not_granted_the_same_room),
        cmocka_unit_test(who_takes_next_to_nothing_of_its_queue_gives_way_to_who_waits),
    };
    return cmocka_run_group_tests_name("serve/place", tests, NULL, NULL);
}
