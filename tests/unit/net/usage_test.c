/* SPDX-License-Identifier: MIT */
/* What processes take: out of a /proc of ours, of the system's, and of none. */
#define _GNU_SOURCE
#include "net/usage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static char root[TEST_TEMP_MAX];

static void put(const char *name, const char *text)
{
    test_put_file(root, name, text);
}

/* Of a machine with many interrupts: the line begins `before` bytes behind the first one. */
static void put_machine(size_t before)
{
    char *text = malloc(before + 64);
    assert_non_null(text);
    memset(text, '0', before);
    memcpy(text, "cpu ", 4);
    (void)snprintf(text + before, 64, "\nbtime 1700000000\nprocesses 7\n");
    put("stat", text);
    free(text);
}

#define LIMITS                                                                                     \
    "Limit                     Soft Limit           Hard Limit           Units     \n"             \
    "Max processes             63000                63000                processes \n"             \
    "Max open files            %s                 1048576              files     \n"

static void put_limit(const char *name, const char *soft)
{
    char text[512];
    (void)snprintf(text, sizeof(text), LIMITS, soft);
    put(name, text);
}

static tusk_usage ask(int pid, bool ended)
{
    const net_usage_source source = {.proc = root, .sized = false, .listed = 3};
    tusk_usage usage;
    net_usage_read(&source, pid, ended, &usage);
    return usage;
}

static int set_up(void **state)
{
    (void)state;
    test_temp_dir(root, "usage");
    put_machine(100);
    put("7/stat",
        "7 (a) b (c) S 1 -7 7 0 -1 4194560 9 9 9 9 100 20 3 4 -5 0 1 0 250 999 300 1 1\n");
    put_limit("7/limits", "512");
    put("7/fd/0", "");
    put("7/fd/1", "");
    put("7/fd/11", "");
    return 0;
}

static void a_process_is_read_whatever_its_name_is(void **state)
{
    uint64_t tick = 1000u / (uint64_t)sysconf(_SC_CLK_TCK);
    tusk_usage usage = ask(7, false);
    (void)state;
    assert_int_equal(usage.cpu_ms, 120 * tick);
    assert_int_equal(usage.resident_bytes, 300 * sysconf(_SC_PAGESIZE));
    assert_int_equal(usage.start_ms, 1700000000000u + 250 * tick);
    assert_int_equal(usage.open_fds, 3);
    assert_int_equal(usage.max_fds, 512);
    assert_int_equal(ask(7, true).cpu_ms, 127 * tick);
}

static void the_machines_start_is_found_wherever_its_line_is_cut(void **state)
{
    (void)state;
    for (size_t before = 4000; before < 4200; before++) {
        put_machine(before);
        assert_int_equal(ask(7, false).start_ms / 1000, 1700000002);
    }
    put_machine(70000);
    assert_int_equal(ask(7, false).start_ms / 1000, 1700000002);
    put("stat", "cpu 1 2 3\n");
    assert_true(ask(7, false).start_ms == TUSK_USAGE_UNTOLD);
    assert_int_equal(ask(7, false).open_fds, 3);
}

static void what_is_not_told_is_left_out_and_not_zero(void **state)
{
    static const char *const cut[] = {"", "8", "8 (x)", "8 (x) S", "8 (x) S 1 2 3", "8 x S 1 2"};
    tusk_buf out;
    (void)state;
    tusk_buf_init(&out, tusk_mem_default(), 4096);
    tusk_usage usage = ask(9, false);
    assert_err(tusk_usage_text(&usage, &out), TUSK_OK);
    assert_int_equal(tusk_buf_view(&out).len, 0);
    for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
        put("8/stat", cut[i]);
        put_limit("8/limits", "unlimited");
        usage = ask(8, false);
        assert_err(tusk_usage_text(&usage, &out), TUSK_OK);
        assert_int_equal(tusk_buf_view(&out).len, 0);
    }
    tusk_buf_fini(&out);
}

static void more_descriptors_than_may_be_listed_are_untold(void **state)
{
    const net_usage_source source = {.proc = root, .sized = false, .listed = 2};
    tusk_usage usage;
    (void)state;
    net_usage_read(&source, 7, false, &usage);
    assert_true(usage.open_fds == TUSK_USAGE_UNTOLD);
    assert_int_equal(usage.max_fds, 512);
}

static void of_several_sums_and_who_is_nearest_to_its_limit(void **state)
{
    tusk_usage all = {.resident_bytes = 1000, .cpu_ms = 10, .open_fds = 50, .max_fds = 1024};
    const tusk_usage worker = {200, 5, 40, 100, 77};
    const tusk_usage idle = {300, 6, 60, 1024, 78};
    const tusk_usage hidden = {300, TUSK_USAGE_UNTOLD, TUSK_USAGE_UNTOLD, 1024, 78};
    (void)state;
    all.start_ms = 5;
    net_usage_add(&all, &worker);
    net_usage_add(&all, &idle);
    assert_int_equal(all.resident_bytes, 1500);
    assert_int_equal(all.cpu_ms, 21);
    assert_int_equal(all.open_fds, 40);
    assert_int_equal(all.max_fds, 100);
    assert_int_equal(all.start_ms, 5);
    net_usage_add(&all, &hidden);
    net_usage_add(&all, &worker);
    assert_int_equal(all.resident_bytes, 2000);
    assert_true(all.cpu_ms == TUSK_USAGE_UNTOLD && all.open_fds == TUSK_USAGE_UNTOLD &&
                all.max_fds == TUSK_USAGE_UNTOLD);
}

static void who_has_ended_has_time_but_no_descriptor(void **state)
{
    (void)state;
    put("6/stat", "6 (x) Z 1 7 7 0 -1 4194560 9 9 9 9 100 20 3 4 20 0 1 0 250 0 0 1 1\n");
    tusk_usage all = {.open_fds = 5, .max_fds = 1000};
    const tusk_usage ended = ask(6, false);
    net_usage_add(&all, &ended);
    assert_true(all.cpu_ms > 0 && all.cpu_ms != TUSK_USAGE_UNTOLD);
    assert_int_equal(all.open_fds, 5);
    assert_int_equal(all.max_fds, 1000);
}

static void this_process_is_told_listed_or_not(void **state)
{
    const net_usage_source listing = {.proc = "/proc", .sized = false, .listed = 1000};
    tusk_usage before;
    tusk_usage usage;
    (void)state;
    if (access("/proc/self/stat", R_OK) != 0) {
        skip();
    }
    tusk_usage_get(&before);
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    tusk_usage_get(&usage);
    assert_int_equal(usage.open_fds, before.open_fds + 1);
    net_usage_read(&listing, 0, false, &usage);
    assert_int_equal(usage.open_fds, before.open_fds + 1);
    net_usage_read(&listing, (int)getpid(), false, &usage);
    assert_int_equal(usage.start_ms, before.start_ms);
    assert_true(usage.resident_bytes > 100000);
    assert_int_equal(close(fd), 0);
}

static void the_text_has_the_names_that_every_client_has(void **state)
{
    const char *expected =
        "# TYPE process_resident_memory_bytes gauge\n"
        "# HELP process_resident_memory_bytes Memory that is resident; what processes share counts "
        "in each.\n"
        "process_resident_memory_bytes 4096\n"
        "# TYPE process_cpu_seconds counter\n"
        "# HELP process_cpu_seconds Time of processors, of user and system.\n"
        "process_cpu_seconds_total 12.030\n"
        "# TYPE process_open_fds gauge\n"
        "# HELP process_open_fds Descriptors that are open; of the process nearest to its limit.\n"
        "process_open_fds 7\n"
        "# TYPE process_max_fds gauge\n"
        "# HELP process_max_fds How many that process may have.\n"
        "process_max_fds 1024\n"
        "# TYPE process_start_time_seconds gauge\n"
        "# HELP process_start_time_seconds When it began, since 1970.\n"
        "process_start_time_seconds 1700000002.500\n";
    const tusk_usage usage = {4096, 12030, 7, 1024, 1700000002500u};
    tusk_buf out;
    (void)state;
    tusk_buf_init(&out, tusk_mem_default(), 4096);
    assert_err(tusk_usage_text(&usage, &out), TUSK_OK);
    assert_true(tusk_bytes_eq(tusk_buf_view(&out), tusk_bytes_str(expected)));
    tusk_buf_fini(&out);
    tusk_buf_init(&out, tusk_mem_default(), 100);
    assert_err(tusk_usage_text(&usage, &out), TUSK_ETOOBIG);
    tusk_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_read_whatever_its_name_is),
        cmocka_unit_test(the_machines_start_is_found_wherever_its_line_is_cut),
        cmocka_unit_test(what_is_not_told_is_left_out_and_not_zero),
        cmocka_unit_test(more_descriptors_than_may_be_listed_are_untold),
        cmocka_unit_test(of_several_sums_and_who_is_nearest_to_its_limit),
        cmocka_unit_test(who_has_ended_has_time_but_no_descriptor),
        cmocka_unit_test(this_process_is_told_listed_or_not),
        cmocka_unit_test(the_text_has_the_names_that_every_client_has),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
