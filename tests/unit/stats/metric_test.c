/* SPDX-License-Identifier: MIT */
/* Metrics: the text of a table. */
#include "test.h"

#include <tusk/stats.h>

typedef struct counts {
    uint64_t requests, queued_bytes, targets, own, streams_total;
} counts;

static const tusk_metric rows[] = {
    TUSK_METRIC(counts, queued_bytes, GAUGE, "Bytes waiting to leave."),
    TUSK_METRIC(counts, requests, COUNTER, "Requests received."),
    {NULL, NULL, TUSK_METRIC_COUNTER, offsetof(counts, own) / sizeof(uint64_t)},
    TUSK_METRIC(counts, targets, GAUGE_MAX, "Targets known."),
    TUSK_METRIC(counts, streams_total, COUNTER, "Streams since the start."),
};
static const tusk_metric_table table = {rows, sizeof(rows) / sizeof(rows[0])};

static void the_text_has_type_help_and_value_of_all_that_have_a_name(void **state)
{
    const char *expected = "# TYPE tusk_x_queued_bytes gauge\n"
                           "# HELP tusk_x_queued_bytes Bytes waiting to leave.\n"
                           "tusk_x_queued_bytes 0\n"
                           "# TYPE tusk_x_requests counter\n"
                           "# HELP tusk_x_requests Requests received.\n"
                           "tusk_x_requests_total 18446744073709551615\n"
                           "# TYPE tusk_x_targets gauge\n"
                           "# HELP tusk_x_targets Targets known.\n"
                           "tusk_x_targets 9\n"
                           "# TYPE tusk_x_streams counter\n"
                           "# HELP tusk_x_streams Streams since the start.\n"
                           "tusk_x_streams_total 3\n";
    const counts stats = {.requests = UINT64_MAX, .targets = 9, .own = 7, .streams_total = 3};
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 4096);
    assert_err(tusk_metrics_text(&table, "tusk_x_", &stats, &out), TUSK_OK);
    assert_true(tusk_bytes_eq(tusk_buf_view(&out), tusk_bytes_str(expected)));
    tusk_buf_fini(&out);
    for (size_t limit = 1; limit < strlen(expected); limit += 7) {
        tusk_buf_init(&out, tusk_mem_default(), limit);
        assert_err(tusk_metrics_text(&table, "tusk_x_", &stats, &out), TUSK_ETOOBIG);
        tusk_buf_fini(&out);
    }
}

static void a_label_is_escaped_and_always_utf8(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"/etc/ssl/a b.pem", "/etc/ssl/a b.pem"},
        {"a\"b\\c\nd", "a\\\"b\\\\c\\nd"},
        {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
        {"gr\xfc\xdf\"", "gr??\\\""},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_buf out;
        tusk_buf_init(&out, tusk_mem_default(), 64);
        assert_err(tusk_metric_label(tusk_bytes_str(cases[i].text), &out), TUSK_OK);
        assert_true(tusk_bytes_eq(tusk_buf_view(&out), tusk_bytes_str(cases[i].expected)));
        tusk_buf_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_has_type_help_and_value_of_all_that_have_a_name),
        cmocka_unit_test(a_label_is_escaped_and_always_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
