/* SPDX-License-Identifier: MIT */
/* Topics that are resumed together by one cursor, while another server of the log publishes. */
#define _GNU_SOURCE
#include "rig.h"

static void join(rig *self, tusk_shared_log *log, unsigned member)
{
    rig_init(self, NULL);
    self->topic = "t";
    assert_err(tusk_server_share_log(self->server, log, member), TUSK_OK);
}

/* The first topic is live as the second one is named, and must not overtake it. */
static void topics_that_are_resumed_together_come_in_the_logs_order(void **state)
{
    tusk_shared_log *log;
    rig a;
    rig b;
    char text[1024];
    tusk_position position;
    (void)state;
    assert_err(tusk_shared_log_new(&log, NULL, 65536, 2), TUSK_OK);
    join(&a, log, 0);
    join(&b, log, 1);
    rig_publish(&a, "t", "seen", &position);
    b.since = &position;
    int ws = rig_websocket(&b); /* in "t" */
    rig_publish(&a, "u", "1", NULL);
    rig_publish(&a, "t", "2", NULL);
    assert_err(tusk_session_subscribe(b.server, b.last, tusk_bytes_str("u"), &position,
                                      TUSK_OVERFLOW_CLOSE),
               TUSK_OK);
    rig_turn(&a, 1); /* which tells b */
    rig_turn(&b, 3);
    rig_read(ws, text, sizeof(text));
    assert_string_equal(text, "\x81\x01"
                              "1\x81\x01"
                              "2");
    close(ws);
    rig_fini(&a);
    tusk_shared_log_unref(log);
    rig_fini(&b);
}

static void resume(rig *self, const char *topic, const tusk_position *since)
{
    assert_err(tusk_session_subscribe(self->server, self->last, tusk_bytes_str(topic), since,
                                      TUSK_OVERFLOW_CLOSE),
               TUSK_OK);
}

/* What lies between the two takes in what the other server published. */
static void check_between(void (*between)(rig *self))
{
    tusk_shared_log *log;
    rig a;
    rig b;
    char text[1024];
    tusk_position position;
    assert_err(tusk_shared_log_new(&log, NULL, 65536, 2), TUSK_OK);
    join(&a, log, 0);
    join(&b, log, 1);
    b.topic = NULL;
    int ws = rig_websocket(&b);
    rig_publish(&a, "t", "seen", &position);
    rig_turn(&a, 1);
    rig_turn(&b, 1);
    resume(&b, "t", &position);
    rig_publish(&a, "u", "1", NULL);
    rig_publish(&a, "t", "2", NULL);
    between(&b);
    resume(&b, "u", &position);
    rig_turn(&b, 3);
    rig_read(ws, text, sizeof(text));
    assert_string_equal(text, "\x81\x01"
                              "1\x81\x01"
                              "2");
    close(ws);
    rig_fini(&a);
    tusk_shared_log_unref(log);
    rig_fini(&b);
}

static void publish(rig *self)
{
    rig_publish(self, "x", "3", NULL);
}

static void subscribe_from_now_on(rig *self)
{
    resume(self, "y", NULL);
}

static void topics_are_resumed_together_also_where_something_is_published_between(void **state)
{
    (void)state;
    check_between(publish);
}

static void topics_are_resumed_together_also_where_another_begins_between(void **state)
{
    (void)state;
    check_between(subscribe_from_now_on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topics_are_resumed_together_also_where_something_is_published_between),
        cmocka_unit_test(topics_are_resumed_together_also_where_another_begins_between),
        cmocka_unit_test(topics_that_are_resumed_together_come_in_the_logs_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
