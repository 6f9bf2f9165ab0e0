/* SPDX-License-Identifier: MIT */
/* One log for several servers, in one process and in two: one order, one cursor, gaps that are
 * said.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "rig.h"

/* Two members, each with a server of its own. */
typedef struct pair {
    tusk_shared_log *log;
    rig a, b;
} pair;

static void join(rig *self, tusk_shared_log *log, unsigned member)
{
    rig_init(self, NULL);
    self->topic = "t";
    assert_err(tusk_server_share_log(self->server, log, member), TUSK_OK);
}

static void pair_init(pair *self, size_t history_bytes)
{
    assert_err(tusk_shared_log_new(&self->log, NULL, history_bytes, 2), TUSK_OK);
    join(&self->a, self->log, 0);
    join(&self->b, self->log, 1);
}

static void pair_fini(pair *self)
{
    rig_fini(&self->a);
    tusk_shared_log_unref(self->log); /* b's server has its own reference */
    rig_fini(&self->b);
}

static void pair_turn(pair *self, int turns)
{
    for (int i = 0; i < turns; i++) {
        rig_turn(&self->a, 1);
        rig_turn(&self->b, 1);
    }
}

/* What a subscriber that comes now is given, behind the head of the answer. */
static int resume(rig *self, char *out, size_t cap)
{
    int fd = rig_connect(self);
    rig_write(fd, rig_upgrade, sizeof(rig_upgrade) - 1);
    rig_turn(self, 5);
    size_t len = rig_read(fd, out, cap);
    const char *body = strstr(out, "\r\n\r\n");
    assert_non_null(body);
    memmove(out, body + 4, len - (size_t)(body + 4 - out) + 1);
    return fd;
}

static void published_anywhere_it_reaches_everybody_in_one_order(void **state)
{
    pair p;
    char at_a[1024];
    char at_b[1024];
    tusk_position last;
    (void)state;
    pair_init(&p, 65536);
    int a = rig_websocket(&p.a);
    int b = rig_websocket(&p.b);
    rig_publish(&p.a, "t", "1", NULL);
    rig_publish(&p.b, "t", "2", NULL);
    rig_publish(&p.b, "nobody's", "x", NULL);
    rig_publish(&p.a, "t", "3", NULL);
    rig_publish(&p.b, "t", "4", &last);
    pair_turn(&p, 3);
    rig_read(a, at_a, sizeof(at_a));
    rig_read(b, at_b, sizeof(at_b));
    assert_string_equal(at_a, "\x81\x01"
                              "1\x81\x01"
                              "2\x81\x01"
                              "3\x81\x01"
                              "4");
    assert_string_equal(at_a, at_b);
    assert_int_equal(last.offset, 5);
    assert_int_equal(tusk_server_position(p.a.server).offset, 5);
    assert_int_equal(tusk_server_position(p.a.server).epoch, last.epoch);
    close(a);
    close(b);
    pair_fini(&p);
}

/* A topic's name is hashed the same way everywhere, a direct write overtakes nothing. */
static void what_others_published_comes_before_what_is_published_after_it(void **state)
{
    pair p;
    char text[1024];
    (void)state;
    pair_init(&p, 65536);
    int b = rig_websocket(&p.b);
    rig_publish(&p.a, "t", "theirs", NULL);
    rig_publish(&p.b, "t", "ours", NULL); /* no turn in between: no bell was heard */
    (void)tusk_websocket_send(p.b.server, p.b.last, TUSK_WS_TEXT, tusk_bytes_str("direct"), NULL,
                              NULL);
    rig_turn(&p.b, 1);
    rig_read(b, text, sizeof(text));
    assert_string_equal(text, "\x81\x06theirs\x81\x04ours\x81\x06"
                              "direct");
    close(b);
    pair_fini(&p);
}

static void a_cursor_of_one_server_resumes_at_another(void **state)
{
    pair p;
    char text[1024];
    tusk_position position;
    (void)state;
    pair_init(&p, 65536);
    rig_publish(&p.a, "t", "seen", NULL);
    rig_publish(&p.b, "t", "seen too", &position);
    rig_publish(&p.a, "t", "missed", NULL);
    p.b.since = &position;
    int b = resume(&p.b, text, sizeof(text));
    assert_string_equal(text, "\x81\x06missed");
    close(b);

    /* A place that the second has not read yet is one all the same. */
    rig_publish(&p.a, "t", "newest", &position);
    b = resume(&p.b, text, sizeof(text));
    assert_string_equal(text, "");
    rig_publish(&p.a, "t", "next", NULL);
    pair_turn(&p, 2);
    rig_read(b, text, sizeof(text));
    assert_string_equal(text, "\x81\x04next");
    close(b);
    pair_fini(&p);
}

static void a_newcomer_gets_nothing_that_was_published_before_it(void **state)
{
    pair p;
    char text[1024];
    (void)state;
    pair_init(&p, 65536);
    rig_publish(&p.a, "t", "before", NULL);
    int b = resume(&p.b, text, sizeof(text));
    assert_string_equal(text, "");
    close(b);
    pair_fini(&p);
}

/* Both servers' first session has the same slot and generation: only one of them is left out. */
static void who_is_left_out_is_so_on_its_own_server_only(void **state)
{
    pair p;
    char text[1024];
    (void)state;
    pair_init(&p, 65536);
    int a = rig_websocket(&p.a);
    int b = rig_websocket(&p.b);
    assert_int_equal(p.a.last.slot, p.b.last.slot);
    assert_int_equal(p.a.last.generation, p.b.last.generation);
    const tusk_publication publication = {.topic = tusk_bytes_str("t"),
                                          .data = tusk_bytes_str("not for a"),
                                          .opcode = TUSK_WS_TEXT,
                                          .except = p.a.last};
    tusk_position start = tusk_server_position(p.a.server);
    assert_err(tusk_server_publish(p.a.server, &publication, NULL), TUSK_OK);
    pair_turn(&p, 3);
    assert_int_equal(rig_read(a, text, sizeof(text)), 0);
    assert_int_equal(rig_read(b, text, sizeof(text)), 11);

    /* The same where they read it from the log. */
    const tusk_handle own[2] = {p.a.last, p.b.last};
    rig *rigs[2] = {&p.a, &p.b};
    for (size_t i = 0; i < 2; i++) {
        assert_err(tusk_session_subscribe(rigs[i]->server, own[i], tusk_bytes_str("t"), &start,
                                          TUSK_OVERFLOW_CLOSE),
                   TUSK_OK);
    }
    pair_turn(&p, 2);
    assert_int_equal(rig_read(a, text, sizeof(text)), 0);
    assert_int_equal(rig_read(b, text, sizeof(text)), 11);
    close(a);
    close(b);
    pair_fini(&p);
}

/* Messages of every size, of which the large ones leave no room beside them in a batch. */
static void messages_of_any_size_are_whole_at_the_other(void **state)
{
    static char text[1 << 20];
    static char expected[1 << 20];
    pair p;
    size_t want = 0;
    (void)state;
    pair_init(&p, 4u << 20);
    int b = rig_websocket(&p.b);
    assert_int_equal(setsockopt(b, SOL_SOCKET, SO_RCVBUF, &(int){1 << 20}, sizeof(int)), 0);
    char *data = malloc(100001);
    for (size_t len = 1; len <= 100000; len = len * 7 + 1) {
        memset(data, 'a' + (int)(len % 26), len);
        data[len] = '\0';
        rig_publish(&p.a, "t", data, NULL);
        want +=
            tusk_ws_head_encode((uint8_t *)expected + want, TUSK_WS_FIN, TUSK_WS_TEXT, len, NULL);
        memcpy(expected + want, data, len);
        want += len;
    }
    size_t got = 0;
    for (int i = 0; i < 200 && got < want; i++) {
        pair_turn(&p, 1);
        got += rig_read(b, text + got, sizeof(text) - got);
    }
    assert_int_equal(got, want);
    assert_memory_equal(text, expected, want);
    free(data);
    close(b);
    pair_fini(&p);
}

static void who_is_too_slow_for_the_ring_is_told_so(void **state)
{
    pair p;
    char text[4096];
    char data[1001];
    tusk_server_stats stats;
    (void)state;
    pair_init(&p, 65536);
    int ws = rig_websocket(&p.b);
    int sse = rig_stream(&p.b);
    memset(data, 'x', sizeof(data) - 1);
    data[sizeof(data) - 1] = '\0';
    for (int i = 0; i < 200; i++) { /* three times the ring, and no turn for b */
        rig_publish(&p.a, "t", data, NULL);
        rig_turn(&p.a, 1);
    }
    rig_publish(&p.b, "t", "live", NULL);
    rig_turn(&p.b, 2);
    tusk_server_stats_get(p.b.server, &stats);
    assert_int_equal(stats.resets_sent, 2);
    rig_read(ws, text, sizeof(text));
    assert_non_null(strstr(text, "{\"type\":\"reset\",\"position\":"));
    rig_read(sse, text, sizeof(text));
    assert_non_null(strstr(text, "event: reset"));
    close(ws);
    close(sse);
    pair_fini(&p);
}

/* The others cannot read it, so they hear that there was something. */
static void a_message_that_no_ring_holds_is_a_gap_elsewhere(void **state)
{
    pair p;
    char text[1024];
    char *data = malloc(40001);
    (void)state;
    pair_init(&p, 65536);
    int a = rig_websocket(&p.a);
    int b = rig_websocket(&p.b);
    memset(data, 'x', 40000);
    data[40000] = '\0';
    rig_publish(&p.a, "t", data, NULL);
    rig_publish(&p.a, "t", "next", NULL);
    pair_turn(&p, 3);
    assert_int_equal(rig_read(a, data, 40001), 40000);
    assert_int_equal(rig_read(a, text, sizeof(text)), 10);
    rig_read(b, text, sizeof(text));
    const char *reset = strstr(text, "reset");
    const char *next = strstr(text, "next");
    assert_true(reset != NULL && next != NULL && reset < next);
    free(data);
    close(a);
    close(b);
    pair_fini(&p);
}

/* ---- two processes ---- */

enum { EACH = 400 };

static const char *numbered(char text[32], char who, int n)
{
    snprintf(text, 32, "%c%d", who, n);
    return text;
}

/* Publishes EACH messages, a few in a turn, and reads what its subscriber gets until both sides'
 * last one was there. */
static size_t publish_and_listen(rig *self, int stream, char who, char *out, size_t cap)
{
    char text[32];
    size_t len = 0;
    for (int n = 0; n < EACH; n++) {
        rig_publish(self, "t", numbered(text, who, n), NULL);
        if (n % 3 == 0) {
            rig_turn(self, 1);
            len += rig_read(stream, out + len, cap - len);
        }
    }
    for (int i = 0;
         i < 2000 && (strstr(out, "data: a399\n") == NULL || strstr(out, "data: b399\n") == NULL);
         i++) {
        assert_err(tusk_loop_turn(self->loop, 10), TUSK_OK);
        len += rig_read(stream, out + len, cap - len);
    }
    close(stream);
    return len;
}

static void wait_for_byte(int fd)
{
    char byte;
    assert_int_equal(read(fd, &byte, 1), 1);
}

/* One event per line: its id and its data, without the chunks around it. */
static size_t events_of(const char *stream, char (*lines)[96], size_t cap)
{
    size_t n = 0;
    for (const char *at = strstr(stream, "id: "); at != NULL && n < cap;
         at = strstr(at + 1, "id: ")) {
        const char *data = strstr(at, "data: ");
        assert_non_null(data);
        snprintf(lines[n++], sizeof(lines[0]), "%.*s %.*s", (int)strcspn(at, "\n"), at,
                 (int)strcspn(data, "\n"), data);
    }
    return n;
}

static void two_processes_see_one_sequence(void **state)
{
    enum { CAP = 1 << 20 };
    static char own[CAP];
    static char other[CAP];
    static char at_a[2 * EACH][96];
    static char at_b[2 * EACH][96];
    tusk_shared_log *log;
    rig r;
    int out[2];
    int go[2];
    (void)state;
    assert_err(tusk_shared_log_new(&log, NULL, 1u << 20, 2), TUSK_OK);
    assert_int_equal(pipe(out), 0);
    assert_int_equal(pipe(go), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(go[1]); /* the end of one process is the other's, too */
        join(&r, log, 1);
        int stream = rig_stream(&r);
        rig_write(out[1], "r", 1);
        wait_for_byte(go[0]);
        size_t len = publish_and_listen(&r, stream, 'b', own, CAP);
        for (size_t at = 0; at < len;) {
            ssize_t n = write(out[1], own + at, len - at);
            at += n > 0 ? (size_t)n : 0;
        }
        _exit(0);
    }
    close(out[1]);
    join(&r, log, 0);
    int stream = rig_stream(&r);
    wait_for_byte(out[0]); /* both listen before anybody publishes */
    rig_write(go[1], "g", 1);
    publish_and_listen(&r, stream, 'a', own, CAP);
    size_t len = 0;
    for (ssize_t n; (n = read(out[0], other + len, CAP - 1 - len)) > 0;) {
        len += (size_t)n;
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(events_of(own, at_a, 2 * EACH), 2 * EACH);
    assert_int_equal(events_of(other, at_b, 2 * EACH), 2 * EACH);
    for (size_t i = 0; i < (size_t)2 * EACH; i++) {
        assert_string_equal(at_a[i], at_b[i]); /* also the ids: one cursor for both */
    }
    close(out[0]);
    close(go[0]);
    close(go[1]);
    rig_fini(&r);
    tusk_shared_log_unref(log);
}

/* Killed wherever it was, perhaps with the lock in its hand: the others go on, and what they read
 * is whole. */
static void a_killed_writer_harms_nobody(void **state)
{
    tusk_shared_log *log;
    rig r;
    char text[65536];
    tusk_position start;
    (void)state;
    assert_err(tusk_shared_log_new(&log, NULL, 65536, 2), TUSK_OK);
    join(&r, log, 0);
    for (int i = 0; i < 20; i++) {
        int alive[2];
        assert_int_equal(pipe(alive), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            rig other;
            join(&other, log, 1);
            for (int n = 0;; n++) {
                rig_publish(&other, "t", "from one that will be killed", NULL);
                if (n == 100 + i * 37) {
                    rig_write(alive[1], "x", 1);
                }
            }
        }
        close(alive[1]); /* or its end would not be seen */
        wait_for_byte(alive[0]);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        close(alive[0]);
        rig_publish(&r, "t", "mine", &start);
        start.offset -= 10;
        r.since = &start;
        int ws = resume(&r, text, sizeof(text));
        assert_int_equal(strlen(text), 9 * 30 + 6);
        assert_memory_equal(text,
                            "\x81\x1c"
                            "from one that will be killed",
                            30);
        assert_string_equal(text + 9 * 30, "\x81\x04mine");
        close(ws);
        rig_turn(&r, 2);
    }
    rig_fini(&r);
    tusk_shared_log_unref(log);
}

static void what_a_killed_writer_announced_to_nobody_is_heard_once_it_is_gone(void **state)
{
    tusk_shared_log *log;
    rig r;
    char text[1024];
    (void)state;
    assert_err(tusk_shared_log_new(&log, NULL, 65536, 2), TUSK_OK);
    join(&r, log, 0);
    int ws = resume(&r, text, sizeof(text));
    pid_t child = fork();
    if (child == 0) {
        rig other;
        join(&other, log, 1);
        rig_publish(&other, "t", "last words", NULL);
        (void)kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    rig_turn(&r, 5);
    assert_int_equal(rig_read(ws, text, sizeof(text)), 0);
    tusk_shared_log_gone(log, 1);
    rig_turn(&r, 5);
    rig_read(ws, text, sizeof(text));
    assert_string_equal(text, "\x81\x0alast words");
    close(ws);
    rig_fini(&r);
    tusk_shared_log_unref(log);
}

/* A member that dies is followed by another one under its number: whom the first left out, by the
 * place and the generation of his session, is nobody of the second's. */
static void a_later_member_is_not_taken_for_the_one_before_it(void **state)
{
    tusk_shared_log *log;
    tusk_position before;
    rig r;
    char text[1024];
    (void)state;
    assert_err(tusk_shared_log_new(&log, NULL, 65536, 1), TUSK_OK);
    join(&r, log, 0);
    rig_publish(&r, "t", "before", &before);
    int first = rig_websocket(&r);
    const tusk_handle left_out = r.last;
    const tusk_publication publication = {.topic = tusk_bytes_str("t"),
                                          .data = tusk_bytes_str("to others"),
                                          .opcode = TUSK_WS_TEXT,
                                          .except = left_out};
    assert_err(tusk_server_publish(r.server, &publication, NULL), TUSK_OK);
    rig_turn(&r, 2);
    assert_int_equal(rig_read(first, text, sizeof(text)), 0);
    close(first);
    rig_fini(&r);

    join(&r, log, 0);
    r.since = &before;
    int second = resume(&r, text, sizeof(text));
    assert_int_equal(r.last.slot, left_out.slot);
    assert_string_equal(text, "\x81\x09to others");
    close(second);
    rig_fini(&r);
    tusk_shared_log_unref(log);
}

/* ---- misuse, and no memory ---- */

static void a_log_is_joined_before_anything_is_published_and_by_members_it_has(void **state)
{
    tusk_shared_log *log;
    rig r;
    (void)state;
    assert_err(tusk_shared_log_new(&log, NULL, 0, 0), TUSK_EINVAL);
    assert_null(log);
    assert_err(tusk_shared_log_new(&log, NULL, 0, TUSK_SHARED_LOG_MEMBERS_MAX + 1), TUSK_EINVAL);
    assert_err(tusk_shared_log_new(&log, NULL, 0, TUSK_SHARED_LOG_MEMBERS_MAX), TUSK_OK);
    rig_init(&r, NULL);
    assert_err(tusk_server_share_log(r.server, log, TUSK_SHARED_LOG_MEMBERS_MAX), TUSK_EINVAL);
    rig_publish(&r, "t", "x", NULL);
    assert_err(tusk_server_share_log(r.server, log, 0), TUSK_ESTATE);
    rig_fini(&r);
    rig_init(&r, NULL);
    assert_err(tusk_server_share_log(r.server, log, 0), TUSK_OK);
    assert_err(tusk_server_share_log(r.server, log, 1), TUSK_ESTATE);
    rig_fini(&r);
    tusk_shared_log_unref(log);
}

static tusk_err make_and_join(const tusk_mem *mem, void *user)
{
    tusk_shared_log *log;
    rig *r = user;
    tusk_err err = tusk_shared_log_new(&log, mem, 65536, 2);
    if (err == TUSK_OK) {
        err = tusk_server_share_log(r->server, log, 1);
        tusk_shared_log_unref(log);
    }
    if (err == TUSK_OK) { /* the server has it, and goes with it */
        rig_fini(r);
        rig_init(r, NULL);
    }
    return err;
}

static void without_memory_a_log_is_neither_made_nor_joined(void **state)
{
    rig r;
    (void)state;
    rig_init(&r, NULL);
    assert_int_equal(test_fail_each_alloc(make_and_join, false, &r), 2);
    rig_publish(&r, "t", "alone", NULL);
    rig_fini(&r);
}

/* First for the copy of what lies in the log, then for the batch's copy of it. */
static void without_memory_to_read_it_news_are_a_gap_or_leave_at_once(void **state)
{
    tusk_server_stats stats;
    (void)state;
    for (size_t n = 1; n <= 2; n++) {
        test_mem mem;
        pair p;
        char text[1024];
        test_mem_init(&mem, 0);
        assert_err(tusk_shared_log_new(&p.log, &mem.mem, 65536, 2), TUSK_OK);
        join(&p.a, p.log, 0);
        assert_err(rig_try_init(&p.b, &mem.mem, NULL), TUSK_OK);
        assert_err(tusk_server_share_log(p.b.server, p.log, 1), TUSK_OK);
        p.b.topic = "t";
        int b = rig_websocket(&p.b);
        rig_publish(&p.a, "t", "news", NULL);
        rig_turn(&p.a, 1);
        mem.fail_at = mem.requests + n;
        rig_turn(&p.b, 3);
        assert_true(mem.requests >= mem.fail_at);
        mem.fail_at = 0;
        rig_read(b, text, sizeof(text));
        tusk_server_stats_get(p.b.server, &stats);
        assert_int_equal(stats.out_of_memory, n == 1);
        assert_int_equal(stats.resets_sent, n == 1);
        assert_non_null(strstr(text, n == 1 ? "reset" : "news"));
        rig_publish(&p.a, "t", "more", NULL);
        pair_turn(&p, 2);
        rig_read(b, text, sizeof(text));
        assert_string_equal(text, "\x81\x04more");
        close(b);
        pair_fini(&p);
        test_mem_assert_empty(&mem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_anywhere_it_reaches_everybody_in_one_order),
        cmocka_unit_test(what_others_published_comes_before_what_is_published_after_it),
        cmocka_unit_test(a_cursor_of_one_server_resumes_at_another),
        cmocka_unit_test(a_newcomer_gets_nothing_that_was_published_before_it),
        cmocka_unit_test(who_is_left_out_is_so_on_its_own_server_only),
        cmocka_unit_test(messages_of_any_size_are_whole_at_the_other),
        cmocka_unit_test(who_is_too_slow_for_the_ring_is_told_so),
        cmocka_unit_test(a_message_that_no_ring_holds_is_a_gap_elsewhere),
        cmocka_unit_test(two_processes_see_one_sequence),
        cmocka_unit_test(a_killed_writer_harms_nobody),
        cmocka_unit_test(what_a_killed_writer_announced_to_nobody_is_heard_once_it_is_gone),
        cmocka_unit_test(a_later_member_is_not_taken_for_the_one_before_it),
        cmocka_unit_test(a_log_is_joined_before_anything_is_published_and_by_members_it_has),
        cmocka_unit_test(without_memory_a_log_is_neither_made_nor_joined),
        cmocka_unit_test(without_memory_to_read_it_news_are_a_gap_or_leave_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
