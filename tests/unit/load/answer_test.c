/* SPDX-License-Identifier: MIT */
/* Answers that are counted: the same result however the bytes are cut, and with a head seen before.
 */
#include "load/answer.h"

#include "test.h"

typedef struct run {
    load_answer answer;
    load_known_head known;
    int done;
    int statuses;
    ptrdiff_t err;
} run;

static void feed_all(run *self, const char *text, size_t len, size_t step)
{
    uint8_t rest[4096];
    size_t have = 0;
    for (size_t at = 0; at < len && self->err == 0;) {
        size_t part = len - at < step ? len - at : step;
        memcpy(rest + have, text + at, part);
        have += part;
        at += part;
        for (;;) {
            bool done;
            ptrdiff_t taken = tusk__load_answer_read(&self->answer, test_guarded_bytes(rest, have),
                                                     TUSK_HTTP_GET, &self->known, &done);
            if (taken < 0) {
                self->err = taken;
                break;
            }
            memmove(rest, rest + taken, have - (size_t)taken);
            have -= (size_t)taken;
            self->done += done;
            self->statuses += done ? self->answer.status : 0;
            if (!done) {
                break;
            }
            if (have == 0) {
                break;
            }
        }
    }
}

static void answers_are_counted_however_they_are_cut(void **state)
{
    (void)state;
    static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
                               "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nworld"
                               "HTTP/1.1 103 Early Hints\r\n\r\n"
                               "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
                               "HTTP/1.1 204 No Content\r\n\r\n"
                               "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                               "3\r\nabc\r\n0\r\n\r\n"
                               "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nagain";
    for (size_t step = 1; step < sizeof(text); step++) {
        run self = {.done = 0};
        feed_all(&self, text, sizeof(text) - 1, step);
        assert_int_equal(self.err, 0);
        assert_int_equal(self.done, 6);
        assert_int_equal(self.statuses, 200 * 4 + 404 + 204);
        assert_false(self.answer.close);
    }
}

static void a_bad_answer_is_an_error(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "what?\r\n\r\n", "HTTP/1.1 101 Hello\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        run self = {.done = 0};
        feed_all(&self, bad[i], strlen(bad[i]), 1000);
        assert_true(self.err < 0);
    }
}

static void the_end_of_the_connection_may_end_an_answer(void **state)
{
    (void)state;
    run self = {.done = 0};
    static const char text[] = "HTTP/1.1 200 OK\r\n\r\nuntil the end";
    feed_all(&self, text, sizeof(text) - 1, 4);
    assert_int_equal(self.done, 0);
    assert_true(tusk__load_answer_end(&self.answer));
    run cut = {.done = 0};
    static const char short_text[] = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc";
    feed_all(&cut, short_text, sizeof(short_text) - 1, 100);
    assert_false(tusk__load_answer_end(&cut.answer));
    run closing = {.done = 0};
    static const char close_text[] =
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na";
    feed_all(&closing, close_text, sizeof(close_text) - 1, 100);
    assert_int_equal(closing.done, 1);
    assert_true(closing.answer.close);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_counted_however_they_are_cut),
        cmocka_unit_test(a_bad_answer_is_an_error),
        cmocka_unit_test(the_end_of_the_connection_may_end_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
