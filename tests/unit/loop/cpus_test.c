/* SPDX-License-Identifier: MIT */
/* How many processors: the mask, and quotas as the two versions of control groups write them. */
#define _GNU_SOURCE
#include "loop/cpus.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <tusk/loop.h>
#include <unistd.h>

#include "test.h"

static char root[64];

static void put(const char *name, const char *text)
{
    test_put_file(root, name + 1, text);
}

static uint32_t ask(const char *groups)
{
    char path[256];
    put("/groups", groups);
    (void)snprintf(path, sizeof(path), "%s/groups", root);
    return tusk__cpus_of_groups(path, root);
}

static int set_up(void **state)
{
    (void)snprintf(root, sizeof(root), "/tmp/tusk-cpus-XXXXXX");
    return mkdtemp(root) == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    char command[128];
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", root);
    return system(command);
}

static void without_groups_or_quotas_there_is_none(void **state)
{
    assert_int_equal(tusk__cpus_of_groups("/there/is/none", root), 0);
    assert_int_equal(ask(""), 0);
    assert_int_equal(ask("0::/\n"), 0);
    put("/a/cpu.max", "max 100000\n");
    assert_int_equal(ask("0::/a\n"), 0);
    put("/cpu/b/cpu.cfs_quota_us", "-1\n");
    put("/cpu/b/cpu.cfs_period_us", "100000\n");
    assert_int_equal(ask("4:cpu:/b\n"), 0);
}

static void a_quota_is_rounded_up(void **state)
{
    static const struct {
        const char *text;
        uint32_t cpus;
    } cases[] = {{"100000 100000\n", 1}, {"100001 100000\n", 2}, {"50000 100000\n", 1},
                 {"800000 100000", 8},   {"1000 1000000\n", 1},  {"250000 100000\n", 3}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        put("/a/cpu.max", cases[i].text);
        assert_int_equal(ask("0::/a\n"), cases[i].cpus);
    }
}

static void the_least_of_all_around_it_counts(void **state)
{
    put("/a/cpu.max", "200000 100000\n");
    put("/a/b/cpu.max", "max 100000\n");
    put("/a/b/c/cpu.max", "400000 100000\n");
    assert_int_equal(ask("0::/a/b/c\n"), 2);
    put("/cpu.max", "100000 100000\n"); /* a container's own group is where groups are mounted */
    assert_int_equal(ask("0::/a/b/c\n"), 1);
    assert_int_equal(ask("0::/outside/of/what/it/sees\n"), 1);
}

static void the_first_version_has_two_files_in_a_folder_of_its_controllers(void **state)
{
    put("/cpu,cpuacct/box/cpu.cfs_quota_us", "300000\n");
    put("/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
    assert_int_equal(ask("12:cpuset:/box\n4:cpu,cpuacct:/box\n1:name=systemd:/box\n0::/\n"), 3);
    assert_int_equal(ask("12:cpuset:/box\n3:cpuacct:/box\n"), 0);
    put("/cpu,cpuacct/cpu.cfs_quota_us", "150000\n");
    put("/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    assert_int_equal(ask("4:cpu,cpuacct:/docker/0123456789abcdef\n"), 2);
}

static void rubbish_is_no_quota(void **state)
{
    static const char *const texts[] = {"",           "\n",   "fast\n",      "100000\n",
                                        "100000 0\n", "-5 1", "100000 -3\n", "max\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        put("/a/cpu.max", texts[i]);
        assert_int_equal(ask("0::/a\n"), 0);
    }
    assert_int_equal(ask("0\n::\n:\n\n0:cpu\n4:cpu"), 0);
}

static void a_mask_of_one_is_one(void **state)
{
    cpu_set_t before, one;
    size_t first = 0;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    while (!CPU_ISSET(first, &before)) {
        first++;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_in_range(tusk_loop_cpus(), 1, CPU_COUNT(&before));
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    assert_int_equal(tusk_loop_cpus(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_groups_or_quotas_there_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_quota_is_rounded_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_least_of_all_around_it_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            the_first_version_has_two_files_in_a_folder_of_its_controllers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rubbish_is_no_quota, set_up, tear_down),
        cmocka_unit_test(a_mask_of_one_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
