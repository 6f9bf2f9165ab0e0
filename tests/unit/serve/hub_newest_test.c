/* SPDX-License-Identifier: MIT */
/* Conflate: the newest of a topic arrives when its reader is ready, also where the ring has let it
 * go and nothing is published after it. */
#define _GNU_SOURCE
#include "rig.h"
#include "slow_reader.h"

/* One that conflates "t", and whose queue is full. */
static int fall_behind(rig *r)
{
    r->topic = "t";
    r->overflow = TUSK_OVERFLOW_CONFLATE;
    int fd = rig_websocket(r);
    read_slowly(fd);
    while (tusk_session_buffered(r->server, r->last) < 19000) {
        publish_kilobytes(r, "t", '-', 1);
    }
    return fd;
}

static void subscribe(const rig *r, const char *topic, tusk_overflow overflow)
{
    assert_err(tusk_session_subscribe(r->server, r->last, tusk_bytes_str(topic), NULL, overflow),
               TUSK_OK);
}

static void the_newest_outlives_the_ring(void **state)
{
    rig r;
    size_t len;
    (void)state;
    init_small_ring(&r);
    int fd = fall_behind(&r);
    publish_kilobytes(&r, "t", '|', 2);
    publish_kilobytes(&r, "t", '!', 1);
    publish_kilobytes(&r, "other", '-', 100);
    char *all = read_all(&r, fd, &len);
    assert_int_equal(count_in(all, len, '|'), 0);
    assert_int_equal(count_in(all, len, '!'), 1000);
    assert_int_equal(rig_stat(&r, "conflated"), 2);
    assert_int_equal(rig_stat(&r, "dropped_oldest"), 0);
    assert_int_equal(rig_stat(&r, "resets_sent"), 0);
    free(all);

    /* It is live again, and given each thing once. */
    publish_kilobytes(&r, "t", '+', 1);
    all = read_all(&r, fd, &len);
    assert_int_equal(len, 1004);
    free(all);
    close(fd);
    rig_fini(&r);
}

static void one_of_several_topics_overtakes_no_other(void **state)
{
    static const char order[] = "abcd";
    rig r;
    size_t len;
    (void)state;
    init_small_ring(&r);
    int fd = fall_behind(&r);
    subscribe(&r, "b", TUSK_OVERFLOW_CONFLATE);
    subscribe(&r, "a", TUSK_OVERFLOW_CONFLATE);
    subscribe(&r, "lost", TUSK_OVERFLOW_DROP_OLDEST);
    publish_kilobytes(&r, "b", '-', 1);
    publish_kilobytes(&r, "a", 'a', 1);
    publish_kilobytes(&r, "lost", '|', 3);
    publish_kilobytes(&r, "b", 'b', 1);
    publish_kilobytes(&r, "t", 'c', 1);
    publish_kilobytes(&r, "other", '-', 100);
    publish_kilobytes(&r, "lost", 'd', 1);
    char *all = read_all(&r, fd, &len);
    const char *at = all;
    for (size_t i = 0; order[i] != '\0'; i++) {
        assert_int_equal(count_in(all, len, order[i]), 1000);
        at = memchr(at, order[i], len - (size_t)(at - all));
        assert_non_null(at);
    }
    assert_int_equal(count_in(all, len, '|'), 0);
    assert_int_equal(rig_stat(&r, "dropped_oldest"), 3);
    free(all);
    close(fd);
    rig_fini(&r);
}

/* One cursor for all of the session: a gap of another topic is said before what came after it. */
static void a_gap_beside_it_is_said(void **state)
{
    rig r;
    size_t len;
    (void)state;
    init_small_ring(&r);
    int fd = fall_behind(&r);
    subscribe(&r, "every", TUSK_OVERFLOW_CLOSE);
    publish_kilobytes(&r, "t", '-', 1);
    publish_kilobytes(&r, "every", '|', 1);
    publish_kilobytes(&r, "t", '!', 1);
    publish_kilobytes(&r, "other", '-', 100);
    char *all = read_all(&r, fd, &len);
    const char *gap = memmem(all, len, "{\"type\":\"reset\"", 15);
    assert_non_null(gap);
    assert_int_equal(count_in(gap, len - (size_t)(gap - all), '!'), 1000);
    assert_int_equal(count_in(all, len, '|'), 0);
    assert_int_equal(rig_stat(&r, "resets_sent"), 1);
    free(all);
    close(fd);
    rig_fini(&r);
}

static void one_message_is_kept_for_all_and_counted_while_it_is(void **state)
{
    rig r;
    size_t len;
    (void)state;
    init_small_ring(&r);
    int one = fall_behind(&r);
    int two = fall_behind(&r);
    publish_kilobytes(&r, "t", '|', 1);
    uint64_t kept = rig_stat(&r, "subscription_bytes");
    publish_kilobytes(&r, "t", '|', 5);
    assert_int_equal(rig_stat(&r, "subscription_bytes"), kept);
    free(read_all(&r, one, &len));
    assert_int_equal(rig_stat(&r, "subscription_bytes"), kept);
    subscribe(&r, "t", TUSK_OVERFLOW_DROP_OLDEST); /* the second needs it no more */
    uint64_t without = rig_stat(&r, "subscription_bytes");
    assert_true(kept - without > 1000 && kept - without < 1100);
    close(one);
    close(two);
    rig_turn(&r, 3);
    assert_int_equal(rig_stat(&r, "subscription_bytes"), 0);

    int gone = fall_behind(&r);
    publish_kilobytes(&r, "t", '|', 1);
    close(gone);
    rig_turn(&r, 3);
    assert_int_equal(rig_stat(&r, "subscription_bytes"), 0);
    rig_fini(&r);
}

static void subscriptions_have_half_of_their_memory_whatever_is_kept(void **state)
{
    rig r;
    size_t len;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 20000;
    limits.history_bytes = 64 * 1024;
    limits.subscription_bytes = 2000;
    rig_init(&r, &limits);
    int fd = fall_behind(&r);
    publish_kilobytes(&r, "t", '|', 3);
    assert_true(rig_stat(&r, "subscription_bytes") < 1000);
    publish_kilobytes(&r, "other", '-', 100);
    char *all = read_all(&r, fd, &len);
    assert_int_equal(count_in(all, len, '|'), 0);
    assert_int_equal(rig_stat(&r, "conflated"), 3); /* it is missed, counted and told */
    assert_int_equal(rig_stat(&r, "resets_sent"), 1);
    free(all);
    close(fd);
    rig_fini(&r);
}

/* Of the history nobody kept anything beside the ring. */
static void who_resumes_and_is_overtaken_hears_of_the_gap(void **state)
{
    rig r;
    size_t len;
    tusk_position start;
    (void)state;
    init_small_ring(&r);
    int fd = fall_behind(&r);
    publish_kilobytes(&r, "t", '-', 1);
    rig_publish(&r, "new", "first", &start);
    publish_kilobytes(&r, "new", '|', 1);
    assert_err(tusk_session_subscribe(r.server, r.last, tusk_bytes_str("new"), &start,
                                      TUSK_OVERFLOW_CONFLATE),
               TUSK_OK);
    rig_turn(&r, 2);
    assert_int_equal(rig_stat(&r, "resets_sent"), 0);
    publish_kilobytes(&r, "other", '-', 100);
    char *all = read_all(&r, fd, &len);
    assert_int_equal(count_in(all, len, '|'), 0);
    assert_non_null(memmem(all, len, "{\"type\":\"reset\"", 15));
    assert_int_equal(rig_stat(&r, "resets_sent"), 1);
    free(all);
    close(fd);
    rig_fini(&r);
}

/* No ring ever held it. */
static void one_that_is_too_long_for_the_ring_arrives(void **state)
{
    enum { LONG = 40000 };
    char data[LONG + 1];
    rig r;
    size_t len;
    (void)state;
    init_small_ring(&r);
    int fd = fall_behind(&r);
    memset(data, '|', LONG);
    data[LONG] = '\0';
    rig_publish(&r, "t", data, NULL);
    char *all = read_all(&r, fd, &len);
    assert_int_equal(count_in(all, len, '|'), LONG);
    free(all);
    close(fd);
    rig_fini(&r);
}

static void who_is_left_out_of_the_newest_is_so_later(void **state)
{
    rig r;
    size_t len;
    (void)state;
    init_small_ring(&r);
    int fd = fall_behind(&r);
    const tusk_publication publication = {.topic = tusk_bytes_str("t"),
                                          .data = tusk_bytes_str("|"),
                                          .opcode = TUSK_WS_TEXT,
                                          .except = r.last};
    assert_err(tusk_server_publish(r.server, &publication, NULL), TUSK_OK);
    rig_turn(&r, 1);
    publish_kilobytes(&r, "other", '-', 100);
    char *all = read_all(&r, fd, &len);
    assert_int_equal(count_in(all, len, '|'), 0);
    free(all);
    close(fd);
    rig_fini(&r);
}

/* ---- two servers over one log ---- */
typedef struct pair {
    tusk_shared_log *log;
    rig a, b;
} pair;

static void pair_init(pair *self)
{
    assert_err(tusk_shared_log_new(&self->log, NULL, 64 * 1024, 2), TUSK_OK);
    init_small_ring(&self->a);
    init_small_ring(&self->b);
    assert_err(tusk_server_share_log(self->a.server, self->log, 0), TUSK_OK);
    assert_err(tusk_server_share_log(self->b.server, self->log, 1), TUSK_OK);
}

static void pair_fini(pair *self)
{
    rig_fini(&self->a);
    rig_fini(&self->b);
    tusk_shared_log_unref(self->log);
}

static void pair_publish(pair *self, const char *topic, char with, int count)
{
    for (int i = 0; i < count; i++) {
        publish_kilobytes(&self->a, topic, with, 1);
        rig_turn(&self->b, 2);
    }
}

static void what_another_process_published_outlives_the_ring_too(void **state)
{
    pair p;
    size_t len;
    (void)state;
    pair_init(&p);
    int fd = fall_behind(&p.b);
    pair_publish(&p, "t", '|', 2);
    pair_publish(&p, "t", '!', 1);
    pair_publish(&p, "other", '-', 100);
    char *all = read_all(&p.b, fd, &len);
    assert_int_equal(count_in(all, len, '|'), 0);
    assert_int_equal(count_in(all, len, '!'), 1000);
    assert_int_equal(rig_stat(&p.b, "conflated"), 2);
    assert_int_equal(rig_stat(&p.b, "resets_sent"), 0);
    free(all);
    close(fd);
    pair_fini(&p);
}

/* The ring overtook the process: what is kept may not be the newest any more. */
static void a_process_that_was_overtaken_says_so_and_gives_nothing_old(void **state)
{
    pair p;
    size_t len;
    (void)state;
    pair_init(&p);
    int fd = fall_behind(&p.b);
    pair_publish(&p, "t", '|', 1);
    publish_kilobytes(&p.a, "t", '!', 1);
    publish_kilobytes(&p.a, "other", '-', 100);
    char *all = read_all(&p.b, fd, &len);
    assert_int_equal(count_in(all, len, '|'), 0);
    assert_int_equal(count_in(all, len, '!'), 0);
    assert_non_null(memmem(all, len, "{\"type\":\"reset\"", 15));
    assert_int_equal(rig_stat(&p.b, "resets_sent"), 1);
    free(all);
    close(fd);
    pair_fini(&p);
}

/* ---- lives of one who reads now and then ---- */
enum { TOPICS = 4, LIVES = 20, STEPS = 3000 };

typedef struct life {
    unsigned seed;
    int newest[TOPICS]; /* number of the last that was published */
    int heard[TOPICS];
    int last; /* of all topics */
    char rest[2048];
    size_t rest_len;
} life;

static unsigned dice(life *self, unsigned sides)
{
    self->seed = self->seed * 1103515245u + 12345u;
    return (self->seed >> 16) % sides;
}

/* A message is its topic's letter, its number and x to a thousand bytes. */
static void hear(life *self, int fd)
{
    static char text[1 << 18];
    size_t len = self->rest_len;
    memcpy(text, self->rest, len);
    len += rig_read(fd, text + len, sizeof(text) - len);
    size_t at = 0;
    for (; at + 1004 <= len; at += 1004) {
        int topic = text[at + 4] - 'a';
        int number = atoi(text + at + 5);
        assert_in_range(topic, 0, TOPICS - 1);
        assert_true(number > self->last); /* in order, each once */
        self->last = self->heard[topic] = number;
    }
    self->rest_len = len - at;
    memcpy(self->rest, text + at, self->rest_len);
}

static void say(life *self, rig *by, int topic, int number)
{
    char name[2] = {(char)('a' + topic), '\0'};
    char data[1001];
    memset(data, 'x', 1000);
    data[snprintf(data, sizeof(data), "%s%d", name, number)] = 'x';
    data[1000] = '\0';
    rig_publish(by, name, data, NULL);
    if (topic < TOPICS) {
        self->newest[topic] = number;
    }
}

static void live(life *self, rig *by, rig *of)
{
    of->topic = "a";
    of->overflow = TUSK_OVERFLOW_CONFLATE;
    int fd = rig_websocket(of);
    read_slowly(fd);
    for (int i = 1; i < TOPICS; i++) {
        subscribe(of, (const char[2]){(char)('a' + i), '\0'}, TUSK_OVERFLOW_CONFLATE);
    }
    for (int i = 1; i <= STEPS; i++) {
        bool busy = dice(self, 4) > 0; /* with what nobody here wants */
        say(self, by, busy ? TOPICS : (int)dice(self, TOPICS), i);
        rig_turn(by, 1);
        rig_turn(of, 1);
        if (dice(self, 1000) == 0) {
            hear(self, fd);
        }
    }
    for (int i = 0; i < 300; i++) {
        rig_turn(of, 1);
        hear(self, fd);
    }
    for (int i = 0; i < TOPICS; i++) {
        assert_int_equal(self->heard[i], self->newest[i]);
    }
    assert_int_equal(rig_stat(of, "resets_sent"), 0);
    close(fd);
    rig_turn(of, 3);
    assert_int_equal(rig_stat(of, "subscription_bytes"), 0);
}

static void in_every_life_the_newest_of_each_topic_arrives(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= LIVES; seed++) {
        life self = {.seed = seed};
        rig r;
        init_small_ring(&r);
        live(&self, &r, &r);
        rig_fini(&r);
    }
}

static void in_every_life_beside_another_process_it_arrives(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= LIVES; seed++) {
        life self = {.seed = seed};
        pair p;
        pair_init(&p);
        live(&self, &p.a, &p.b);
        pair_fini(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_outlives_the_ring),
        cmocka_unit_test(one_of_several_topics_overtakes_no_other),
        cmocka_unit_test(a_gap_beside_it_is_said),
        cmocka_unit_test(one_message_is_kept_for_all_and_counted_while_it_is),
        cmocka_unit_test(subscriptions_have_half_of_their_memory_whatever_is_kept),
        cmocka_unit_test(who_resumes_and_is_overtaken_hears_of_the_gap),
        cmocka_unit_test(one_that_is_too_long_for_the_ring_arrives),
        cmocka_unit_test(who_is_left_out_of_the_newest_is_so_later),
        cmocka_unit_test(what_another_process_published_outlives_the_ring_too),
        cmocka_unit_test(a_process_that_was_overtaken_says_so_and_gives_nothing_old),
        cmocka_unit_test(in_every_life_the_newest_of_each_topic_arrives),
        cmocka_unit_test(in_every_life_beside_another_process_it_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
