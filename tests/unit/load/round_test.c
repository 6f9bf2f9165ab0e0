/* SPDX-License-Identifier: MIT */
/* Rounds: links that are readable in one turn are received for together, and what they answer
 * leaves together; each of them sees what it would see alone. */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load/worker.h"

#include "test.h"

#define LINKS 20
#define LONG_BYTES ((size_t)3000) /* over the place of one link in a round */

typedef struct peer {
    load_link link; /* first */
    int fd;         /* the server's end */
    unsigned calls; /* of on_bytes */
    unsigned alone; /* events that no round served */
    tusk_err ended;
    char text[2 * LONG_BYTES];
    size_t len;
} peer;

static struct {
    load_worker worker;
    load_plan plan;
    peer peers[LINKS];
    void (*then)(load_link *link); /* with what came */
} t;

static peer *peer_of(load_link *link)
{
    return (peer *)(void *)link;
}

static void send_back(load_link *link)
{
    const peer *self = peer_of(link);
    (void)tusk__load_link_post(link, (const uint8_t *)self->text, self->len);
}

static size_t on_bytes(load_link *link, uint8_t *in, size_t len)
{
    peer *self = peer_of(link);
    self->calls++;
    assert_true(self->len + len <= sizeof(self->text));
    memcpy(self->text + self->len, in, len);
    self->len += len;
    t.then(link);
    return len;
}

static bool on_ended(load_link *link, tusk_err why)
{
    peer_of(link)->ended = why;
    return true;
}

static const load_mode mode = {
    .name = "test", .each = true, .unpaced = true, .on_bytes = on_bytes, .on_ended = on_ended};

static void on_event(tusk_io *io, unsigned events)
{
    load_link *link = (load_link *)(void *)io;
    if (events != TUSK_IO_READ || !tusk__load_round_serve(link)) {
        peer_of(link)->alone++;
        tusk__load_link_io(link, events);
    }
}

static void connect_pair(peer *self)
{
    int fd[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd), 0);
    self->fd = fd[1];
    self->link.worker = &t.worker;
    self->link.io.fd = fd[0];
    self->link.io.on_event = on_event;
    self->link.state = LINK_OPEN;
    assert_int_equal(tusk_io_add(t.worker.loop, &self->link.io, TUSK_IO_READ | TUSK_IO_EDGE),
                     TUSK_OK);
}

static int set_up(void **state)
{
    (void)state;
    memset(&t, 0, sizeof(t));
    t.then = send_back;
    t.worker.plan = &t.plan;
    t.worker.mode = &mode;
    t.worker.mem = tusk_mem_default();
    t.worker.cell = calloc(1, sizeof(*t.worker.cell));
    assert_non_null(t.worker.cell);
    assert_int_equal(tusk_loop_new(&t.worker.loop, NULL), TUSK_OK);
    for (unsigned i = 0; i < LINKS; i++) {
        connect_pair(&t.peers[i]);
    }
    (void)tusk_loop_turn(t.worker.loop, 0); /* a new one is told at once that it may be written */
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (unsigned i = 0; i < LINKS; i++) {
        tusk__load_link_close(&t.peers[i].link);
        (void)close(t.peers[i].fd);
    }
    tusk__load_round_free(&t.worker);
    tusk_loop_free(t.worker.loop);
    free(t.worker.cell);
    return 0;
}

static void say(peer *self, const void *bytes, size_t len)
{
    assert_int_equal(send(self->fd, bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

static void all_say(const char *text)
{
    for (unsigned i = 0; i < LINKS; i++) {
        say(&t.peers[i], text, strlen(text));
    }
}

static void assert_hears(const peer *self, const char *text)
{
    char heard[64] = "";
    assert_int_equal(recv(self->fd, heard, sizeof(heard) - 1, 0), (ssize_t)strlen(text));
    assert_string_equal(heard, text);
}

static bool has_ring(void)
{
    return t.worker.round != NULL && !t.worker.alone;
}

static void all_are_served_once_and_answer_each_for_itself(void **state)
{
    (void)state;
    char text[8];
    for (unsigned i = 0; i < LINKS; i++) {
        (void)snprintf(text, sizeof(text), "%u", i);
        say(&t.peers[i], text, strlen(text));
    }
    (void)tusk_loop_turn(t.worker.loop, 0);
    for (unsigned i = 0; i < LINKS; i++) {
        (void)snprintf(text, sizeof(text), "%u", i);
        assert_int_equal(t.peers[i].calls, 1);
        assert_true(!has_ring() || t.peers[i].alone == 0);
        assert_hears(&t.peers[i], text);
    }
    assert_int_equal(t.worker.cell->totals[LOAD_BYTES_RECEIVED], 30);
    assert_int_equal(t.worker.cell->totals[LOAD_BYTES_SENT], 30);
}

static void two_are_served_one_by_one(void **state)
{
    (void)state;
    say(&t.peers[3], "x", 1);
    say(&t.peers[7], "y", 1);
    (void)tusk_loop_turn(t.worker.loop, 0);
    assert_int_equal(t.peers[3].alone + t.peers[7].alone, 2);
    assert_hears(&t.peers[3], "x");
    assert_hears(&t.peers[7], "y");
    assert_null(t.worker.round);
}

static void what_is_longer_than_a_place_is_read_to_its_end(void **state)
{
    (void)state;
    static char bytes[LONG_BYTES];
    memset(bytes, 'L', sizeof(bytes));
    all_say("a");
    say(&t.peers[5], bytes, sizeof(bytes));
    t.then = send_back;
    (void)tusk_loop_turn(t.worker.loop, 0);
    assert_int_equal(t.peers[5].len, LONG_BYTES + 1);
    assert_int_equal(t.peers[5].text[0], 'a');
    assert_int_equal(t.peers[5].text[LONG_BYTES], 'L');
    assert_int_equal(t.peers[6].calls, 1);
}

static void an_end_behind_an_answer_is_heard_in_the_same_turn(void **state)
{
    (void)state;
    all_say("a");
    assert_int_equal(shutdown(t.peers[2].fd, SHUT_WR), 0);
    (void)tusk_loop_turn(t.worker.loop, 0);
    assert_int_equal(t.peers[2].calls, 1);
    assert_int_equal(t.peers[2].ended, TUSK_EEOF);
    assert_int_equal(t.peers[2].link.state, LINK_FREE);
    assert_int_equal(t.peers[1].ended, TUSK_OK);
}

/* A peer that closes with something unread resets; the kernel says so once. */
static void a_reset_is_told_as_one(void **state)
{
    (void)state;
    all_say("a");
    assert_int_equal(send(t.peers[4].link.io.fd, "unread", 6, 0), 6);
    (void)close(t.peers[4].fd);
    (void)tusk_loop_turn(t.worker.loop, 0);
    assert_int_equal(t.peers[4].ended, TUSK_ERESET);
    assert_int_equal(t.peers[4].link.state, LINK_FREE);
    assert_hears(&t.peers[19], "a");
    t.peers[4].fd = -1;
}

static void close_it(load_link *link)
{
    send_back(link);
    if (peer_of(link) == &t.peers[1]) {
        tusk__load_link_close(link);
    }
}

static void of_a_link_that_closes_nothing_is_sent_any_more(void **state)
{
    (void)state;
    char byte;
    t.then = close_it;
    all_say("a");
    (void)tusk_loop_turn(t.worker.loop, 0);
    if (has_ring()) {
        assert_int_equal(recv(t.peers[1].fd, &byte, 1, 0), 0);
    }
    assert_hears(&t.peers[0], "a");
    assert_hears(&t.peers[2], "a");
}

static void send_twice(load_link *link)
{
    send_back(link);
    (void)tusk__load_link_post(link, (const uint8_t *)"b", 1);
    (void)tusk__load_link_send(link, (const uint8_t *)"c", 1);
}

static void what_one_link_sends_keeps_its_order(void **state)
{
    (void)state;
    t.then = send_twice;
    all_say("a");
    (void)tusk_loop_turn(t.worker.loop, 0);
    for (unsigned i = 0; i < LINKS; i++) {
        assert_hears(&t.peers[i], "abc");
    }
}

static void what_the_kernel_does_not_take_leaves_when_it_does(void **state)
{
    (void)state;
    static char bytes[4096];
    size_t filled = 0;
    ssize_t n;
    while ((n = send(t.peers[9].link.io.fd, bytes, sizeof(bytes), MSG_NOSIGNAL)) > 0) {
        filled += (size_t)n;
    }
    all_say("a");
    (void)tusk_loop_turn(t.worker.loop, 0);
    assert_int_equal(t.peers[9].link.out_len, 1);
    while (filled > 0) {
        n = recv(t.peers[9].fd, bytes, filled < sizeof(bytes) ? filled : sizeof(bytes), 0);
        assert_true(n > 0);
        filled -= (size_t)n;
    }
    (void)tusk_loop_turn(t.worker.loop, 0); /* that it may be written is told in the next one */
    (void)tusk_loop_turn(t.worker.loop, 0);
    assert_int_equal(t.peers[9].link.out_len, 0);
    assert_hears(&t.peers[9], "a");
    assert_hears(&t.peers[10], "a");
}

static void a_peer_that_is_gone_as_we_send_ends_its_link_alone(void **state)
{
    (void)state;
    all_say("a");
    (void)shutdown(t.peers[11].fd, SHUT_RD); /* we cannot write, and are told so as we do */
    (void)tusk_loop_turn(t.worker.loop, 0);
    assert_int_equal(t.peers[11].link.state, LINK_FREE);
    assert_int_equal(t.peers[11].ended, TUSK_ERESET);
    assert_hears(&t.peers[12], "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_are_served_once_and_answer_each_for_itself, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(two_are_served_one_by_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_longer_than_a_place_is_read_to_its_end, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_end_behind_an_answer_is_heard_in_the_same_turn, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_reset_is_told_as_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(of_a_link_that_closes_nothing_is_sent_any_more, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_one_link_sends_keeps_its_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_the_kernel_does_not_take_leaves_when_it_does, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_peer_that_is_gone_as_we_send_ends_its_link_alone, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
