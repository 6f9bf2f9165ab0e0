/* SPDX-License-Identifier: MIT */
/* What the cache of small files holds, however its clients write their paths. */
#define _GNU_SOURCE
#include "serve/http/file_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

/* "folder" and "file" with so many slashes before each. */
static void write_path(char *out, size_t cap, const char *root, size_t first, size_t second)
{
    int len = snprintf(out, cap, "%s", root);
    char *at = out + len;
    memset(at, '/', first);
    memcpy(at + first, "folder", 6);
    memset(at + first + 6, '/', second);
    memcpy(at + first + 6 + second, "file", 5);
}

static void many_long_paths_of_one_file_are_counted_whole(void **state)
{
    enum { PATHS = 12000, LONG = 3700 };
    static char path[4096];
    static char root[TEST_TEMP_MAX];
    file_cache cache;
    const cached_file *file;
    test_mem mem;
    (void)state;
    test_temp_dir(root, "cache");
    (void)snprintf(path, sizeof(path), "%s/folder", root);
    assert_int_equal(mkdir(path, 0700), 0);
    write_path(path, sizeof(path), root, 1, 1);
    FILE *made = fopen(path, "w");
    assert_non_null(made);
    assert_int_equal(ftruncate(fileno(made), FILE_CACHE_FILE_MAX + 1), 0);
    assert_int_equal(fclose(made), 0);
    test_mem_init(&mem, 0);
    tusk__file_cache_init(&cache, &mem.mem);
    cache.seed = 7;
    for (size_t i = 0; i < PATHS; i++) {
        size_t first = 1 + i % (LONG / 2);
        write_path(path, sizeof(path), root, first, LONG - first - i / (LONG / 2));
        assert_int_equal(tusk__file_cache_get(&cache, NULL, path, 1, &file), TUSK_OK);
    }
    assert_true(mem.peak_bytes < FILE_CACHE_BYTES_MAX + FILE_CACHE_BYTES_MAX / 8);
    tusk__file_cache_fini(&cache);
    write_path(path, sizeof(path), root, 1, 1);
    (void)unlink(path);
    (void)snprintf(path, sizeof(path), "%s/folder", root);
    (void)rmdir(path);
    (void)rmdir(root);
}

static int fails_by;

/* In place of the C library's, for what this program is made of. */
int stat(const char *restrict path, struct stat *restrict out)
{
    errno = fails_by;
    return fails_by != 0 ? -1 : fstatat(AT_FDCWD, path, out, 0);
}

/* A disk or server of files that does not answer is no reason to call a page gone, which is
 * believed and remembered. */
static void only_what_is_not_there_is_called_missing(void **state)
{
    static const struct {
        int number;
        tusk_err err;
    } cases[] = {
        {ENOENT, TUSK_ENOENT},        {ENOTDIR, TUSK_ENOENT},    {ENAMETOOLONG, TUSK_ENOENT},
        {EINVAL, TUSK_ENOENT},        {EACCES, TUSK_EACCES},     {ELOOP, TUSK_EACCES},
        {EIO, TUSK_EEXHAUSTED},       {ESTALE, TUSK_EEXHAUSTED}, {ENOMEM, TUSK_EEXHAUSTED},
        {ETIMEDOUT, TUSK_EEXHAUSTED},
    };
    file_cache cache;
    const cached_file *file;
    test_mem mem;
    (void)state;
    test_mem_init(&mem, 0);
    tusk__file_cache_init(&cache, &mem.mem);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        fails_by = cases[i].number;
        assert_int_equal(tusk__file_cache_get(&cache, NULL, "/page", 1, &file), cases[i].err);
    }
    fails_by = 0;
    tusk__file_cache_fini(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_long_paths_of_one_file_are_counted_whole),
        cmocka_unit_test(only_what_is_not_there_is_called_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
