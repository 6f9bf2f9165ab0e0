/* SPDX-License-Identifier: MIT */
/* What is open is found with /proc and without. */
#define _GNU_SOURCE
#include "loop/process.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "test.h"

static bool listless; /* neither /proc nor /dev/fd */

DIR *opendir(const char *path)
{
    DIR *(*real)(const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "opendir");
    if (listless) {
        errno = ENOENT;
        return NULL;
    }
    return real(path);
}

static void expect_open(const int *wanted, size_t count, const int *before, size_t before_count)
{
    test_mem mem;
    int *found;
    size_t found_count;
    test_mem_init(&mem, 0);
    assert_err(tusk__open_descriptors(&found, &found_count, &mem.mem), TUSK_OK);
    assert_int_equal(found_count, before_count + count);
    for (size_t i = 0; i < found_count; i++) {
        bool known = false;
        for (size_t k = 0; k < count; k++) {
            known |= found[i] == wanted[k];
        }
        for (size_t k = 0; k < before_count; k++) {
            known |= found[i] == before[k];
        }
        assert_true(known);
        assert_true(i == 0 || found[i - 1] < found[i]);
    }
    tusk__free(&mem.mem, found, found_count * sizeof(int));
    test_mem_assert_empty(&mem);
}

static void what_is_open_is_found_with_and_without_a_list(void **state)
{
    struct rlimit own, narrow;
    test_mem mem;
    int *before;
    size_t before_count;
    int wanted[3];
    test_mem_init(&mem, 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &own), 0);
    narrow = (struct rlimit){.rlim_cur = 1024, .rlim_max = own.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &narrow), 0);
    assert_err(tusk__open_descriptors(&before, &before_count, &mem.mem), TUSK_OK);
    for (int i = 0; i < 3; i++) {
        wanted[i] = fcntl(0, F_DUPFD, 100 * (i + 1));
        assert_true(wanted[i] >= 100 * (i + 1));
    }
    expect_open(wanted, 3, before, before_count);
    listless = true;
    expect_open(wanted, 3, before, before_count);
    listless = false;
    for (int i = 0; i < 3; i++) {
        (void)close(wanted[i]);
    }
    tusk__free(&mem.mem, before, before_count * sizeof(int));
    test_mem_assert_empty(&mem);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &own), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_open_is_found_with_and_without_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
