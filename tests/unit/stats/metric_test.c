/* SPDX-License-Identifier: MIT */
/* Metrics: merging by kind and the exposed text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <tusk/stats.h>

static const tusk_metric table[] = {
    {"tusk_messages_total", "Messages received.", TUSK_METRIC_COUNTER},
    {"tusk_connections", "Connections open now.", TUSK_METRIC_GAUGE},
    {"tusk_queue_bytes_peak", "Most bytes ever queued.", TUSK_METRIC_PEAK},
};

static void workers_add_up_and_peaks_do_not(void **state)
{
    (void)state;
    uint64_t into[] = {5, 2, 100};
    const uint64_t from[] = {7, 3, 90};
    tusk_metrics_merge(table, 3, into, from);
    assert_int_equal(into[0], 12);
    assert_int_equal(into[1], 5);
    assert_int_equal(into[2], 100);
    tusk_metric_peak(&into[2], 101);
    assert_int_equal(into[2], 101);
}

static void the_text_has_help_type_and_value(void **state)
{
    (void)state;
    const char *expected = "# HELP tusk_messages_total Messages received.\n"
                           "# TYPE tusk_messages_total counter\n"
                           "tusk_messages_total 18446744073709551615\n"
                           "# HELP tusk_connections Connections open now.\n"
                           "# TYPE tusk_connections gauge\n"
                           "tusk_connections 0\n"
                           "# HELP tusk_queue_bytes_peak Most bytes ever queued.\n"
                           "# TYPE tusk_queue_bytes_peak gauge\n"
                           "tusk_queue_bytes_peak 9\n";
    const uint64_t values[] = {UINT64_MAX, 0, 9};
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 4096);
    assert_int_equal(tusk_metrics_text(table, 3, values, &out), TUSK_OK);
    assert_true(tusk_bytes_eq(tusk_buf_view(&out), tusk_bytes_str(expected)));
    tusk_buf_fini(&out);
    for (size_t limit = 0; limit < strlen(expected); limit += 7) {
        tusk_buf_init(&out, tusk_mem_default(), limit == 0 ? 1 : limit);
        assert_int_equal(tusk_metrics_text(table, 3, values, &out), TUSK_ETOOBIG);
        tusk_buf_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_add_up_and_peaks_do_not),
        cmocka_unit_test(the_text_has_help_type_and_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
