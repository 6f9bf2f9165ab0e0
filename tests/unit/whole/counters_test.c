/* SPDX-License-Identifier: MIT */
/* The tables of what servers, relays and crews count. */
#include "test.h"

#include <tusk/crew.h>
#include <tusk/relay.h>
#include <tusk/server.h>

enum { FIELDS_MAX = 128 };

static void hold(const tusk_metric_table *table, size_t size)
{
    bool seen[FIELDS_MAX] = {false};
    assert_int_equal(table->count, size / sizeof(uint64_t));
    for (size_t i = 0; i < table->count; i++) {
        const tusk_metric *row = &table->rows[i];
        assert_true(row->place < table->count);
        assert_false(seen[row->place]);
        seen[row->place] = true;
        if (row->name == NULL) {
            continue;
        }
        assert_int_equal(strspn(row->name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
                         strlen(row->name));
        assert_int_equal(row->help[strlen(row->help) - 1], '.');
        assert_null(strpbrk(row->help, "\\\"\n")); /* as they are in OpenMetrics */
        for (size_t k = 0; k < i; k++) {
            assert_true(table->rows[k].name != NULL && strcmp(table->rows[k].name, row->name) != 0);
        }
    }
}

static void every_field_has_one_row_with_a_name_and_a_help_of_its_own(void **state)
{
    hold(&tusk_server_counters, sizeof(tusk_server_stats));
    hold(&tusk_relay_counters, sizeof(tusk_relay_stats));
    hold(&tusk_relay_http_counters, sizeof(tusk_relay_http_stats));
    hold(&tusk_crew_counters, sizeof(tusk_crew_stats));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_has_one_row_with_a_name_and_a_help_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
