/* SPDX-License-Identifier: MIT */
/* Links below a folder of files: those that stay beneath it lead somewhere, those that leave it do
 * not, whatever is asked of them; with openat2 and where the kernel has it not. */
#define _GNU_SOURCE
#include "serve/files_root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "serve/http/file_cache.h"
#include "test.h"

static char top[TEST_TEMP_MAX];

typedef struct rig {
    file_cache cache;
    files_root *root;
    uint64_t now;
} rig;

static const char *at(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof(paths[0]), "%s/%s", top, name);
    return path;
}

static void write_file(const char *name, char with, size_t len)
{
    FILE *file = fopen(at(name), "w");
    assert_non_null(file);
    for (size_t i = 0; i < len; i++) {
        (void)fputc(with, file);
    }
    assert_int_equal(fclose(file), 0);
}

static void link_to(const char *target, const char *name)
{
    (void)unlink(at(name));
    assert_int_equal(symlink(target, at(name)), 0);
}

static int make_folders(void **state)
{
    (void)state;
    test_temp_dir(top, "root");
    assert_int_equal(mkdir(at("in"), 0700), 0);
    assert_int_equal(mkdir(at("in/sub"), 0700), 0);
    assert_int_equal(mkdir(at("out"), 0700), 0);
    assert_int_equal(mkdir(at("in-not"), 0700), 0);
    write_file("in/small", 'i', 10);
    write_file("in/big", 'I', FILE_CACHE_FILE_MAX + 1);
    write_file("out/small", 'o', 10);
    write_file("out/big", 'O', FILE_CACHE_FILE_MAX + 1);
    write_file("in-not/small", 'n', 10);
    link_to("../small", "in/sub/up");
    link_to(at("in/small"), "in/absolute");
    link_to("../out/small", "in/out");
    link_to(at("out/small"), "in/out-absolute");
    link_to("../out/big", "in/out-big");
    link_to("../out", "in/folder-out");
    link_to("../in-not/small", "in/beside"); /* whose name begins as the folder's does */
    link_to("sub", "in/folder");
    link_to("round", "in/round");
    return 0;
}

static int remove_folders(void **state)
{
    static const char *const names[] = {
        "in/sub/up",     "in/absolute", "in/out",    "in/out-absolute", "in/out-big",
        "in/folder-out", "in/beside",   "in/folder", "in/round",        "in/small",
        "in/big",        "out/small",   "out/big",   "in-not/small"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)unlink(at(names[i]));
    }
    (void)rmdir(at("in/sub"));
    (void)rmdir(at("in"));
    (void)rmdir(at("out"));
    (void)rmdir(at("in-not"));
    return rmdir(top);
}

static void begin(rig *r, const char *directory)
{
    tusk__file_cache_init(&r->cache, tusk_mem_default());
    r->root = tusk__files_root_new(tusk_mem_default(), directory);
    assert_non_null(r->root);
    r->now = 1;
}

static void end(rig *r)
{
    tusk__file_cache_fini(&r->cache);
    tusk__files_root_free(tusk_mem_default(), r->root);
}

/* What the first byte of the answer would be; 0: it is not there. */
static char first_of(rig *r, const char *path, tusk_err expected)
{
    const cached_file *file;
    char first = '\0';
    int fd;
    assert_err(tusk__file_cache_get(&r->cache, r->root, path, r->now, &file), expected);
    if (expected != TUSK_OK) {
        assert_null(file);
        return 0;
    }
    if (file->content != NULL) {
        return (char)file->content->ptr[0];
    }
    assert_err(tusk__file_cache_open(file, r->now, &fd), TUSK_OK);
    assert_int_equal(read(fd, &first, 1), 1);
    assert_int_equal(close(fd), 0);
    return first;
}

static void links_beneath_are_followed_and_those_outside_are_not_there(void **state)
{
    static char directory[256];
    rig r;
    (void)state;
    (void)snprintf(directory, sizeof(directory), "%s", at("in"));
    begin(&r, directory);
    for (int again = 0; again < 2; again++, r.now += 2000) {
        assert_int_equal(first_of(&r, at("in/small"), TUSK_OK), 'i');
        assert_int_equal(first_of(&r, at("in/big"), TUSK_OK), 'I');
        assert_int_equal(first_of(&r, at("in/sub/up"), TUSK_OK), 'i');
        assert_int_equal(first_of(&r, at("in/folder/up"), TUSK_OK), 'i');
        assert_int_equal(first_of(&r, at("in//absolute"), TUSK_OK), 'i');
        (void)first_of(&r, at("in/folder"), TUSK_ESTATE);
        (void)first_of(&r, at("in/folder/"), TUSK_ESTATE);
        assert_false(tusk__files_root_tells(r.root));
    }
    (void)first_of(&r, at("in/nothing"), TUSK_ENOENT);
    (void)first_of(&r, at("in/round"), TUSK_EACCES);
    (void)first_of(&r, at("in/out"), TUSK_ENOENT);
    assert_true(tusk__files_root_tells(r.root));
    assert_false(tusk__files_root_tells(r.root)); /* once */
    (void)first_of(&r, at("in/out-absolute"), TUSK_ENOENT);
    (void)first_of(&r, at("in/out-big"), TUSK_ENOENT); /* nor its length by HEAD */
    (void)first_of(&r, at("in/folder-out"), TUSK_ENOENT);
    (void)first_of(&r, at("in/folder-out/small"), TUSK_ENOENT);
    (void)first_of(&r, at("in/folder-out/nothing"), TUSK_ENOENT);
    (void)first_of(&r, at("in/beside"), TUSK_ENOENT);
    end(&r);
}

static void a_link_that_is_turned_outside_is_seen_when_it_is_looked_at_again(void **state)
{
    static char directory[256];
    const cached_file *file;
    rig r;
    int fd;
    (void)state;
    (void)snprintf(directory, sizeof(directory), "%s", at("in"));
    begin(&r, directory);
    link_to("small", "in/turned");
    link_to("big", "in/turned-big");
    assert_int_equal(first_of(&r, at("in/turned"), TUSK_OK), 'i');
    assert_err(tusk__file_cache_get(&r.cache, r.root, at("in/turned-big"), r.now, &file), TUSK_OK);
    link_to("../out/small", "in/turned");
    link_to("../out/big", "in/turned-big");
    assert_int_equal(first_of(&r, at("in/turned"), TUSK_OK), 'i');    /* from memory */
    assert_err(tusk__file_cache_open(file, r.now, &fd), TUSK_ENOENT); /* not even now */
    r.now += 1000;
    (void)first_of(&r, at("in/turned"), TUSK_ENOENT);
    (void)first_of(&r, at("in/turned-big"), TUSK_ENOENT);
    (void)unlink(at("in/turned"));
    (void)unlink(at("in/turned-big"));
    end(&r);
}

/* A release is deployed by turning the link that the folder is. */
static void a_folder_that_is_a_link_may_be_turned(void **state)
{
    static char directory[256];
    rig r;
    (void)state;
    link_to("in", "current");
    (void)snprintf(directory, sizeof(directory), "%s", at("current"));
    begin(&r, directory);
    assert_int_equal(first_of(&r, at("current/small"), TUSK_OK), 'i');
    assert_int_equal(first_of(&r, at("current/big"), TUSK_OK), 'I');
    link_to("out", "current");
    r.now += 999;
    assert_int_equal(first_of(&r, at("current//small"), TUSK_OK), 'o'); /* by no memory */
    r.now += 1;
    assert_int_equal(first_of(&r, at("current/small"), TUSK_OK), 'o');
    assert_int_equal(first_of(&r, at("current/big"), TUSK_OK), 'O');
    (void)unlink(at("current"));
    end(&r);
}

static void without_a_root_links_lead_anywhere_and_nobody_else_gets_that(void **state)
{
    static char directory[256];
    const cached_file *file;
    rig r;
    (void)state;
    (void)snprintf(directory, sizeof(directory), "%s", at("in"));
    begin(&r, directory);
    assert_err(tusk__file_cache_get(&r.cache, NULL, at("in/out"), r.now, &file), TUSK_OK);
    (void)first_of(&r, at("in/out"), TUSK_ENOENT);
    assert_err(tusk__file_cache_get(&r.cache, NULL, at("in/out-big"), r.now, &file), TUSK_OK);
    (void)first_of(&r, at("in/out-big"), TUSK_ENOENT);
    end(&r);
}

#if defined(SYS_openat2)
/* As an old kernel, or a sandbox that does not know the call. */
static bool forbid_openat2(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = 4, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
           syscall(SYS_openat2, -1, "", NULL, 0) == -1 && errno == ENOSYS;
}

static void it_is_the_same_where_the_kernel_lacks_openat2(void **state)
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct CMUnitTest tests[] = {
            cmocka_unit_test(links_beneath_are_followed_and_those_outside_are_not_there),
            cmocka_unit_test(a_link_that_is_turned_outside_is_seen_when_it_is_looked_at_again),
            cmocka_unit_test(a_folder_that_is_a_link_may_be_turned),
        };
        (void)fclose(stdout); /* the parent tells */
        _exit(forbid_openat2() ? cmocka_run_group_tests(tests, NULL, NULL) : 77);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        skip();
    }
    assert_int_equal(status, 0);
    (void)state;
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_beneath_are_followed_and_those_outside_are_not_there),
        cmocka_unit_test(a_link_that_is_turned_outside_is_seen_when_it_is_looked_at_again),
        cmocka_unit_test(a_folder_that_is_a_link_may_be_turned),
        cmocka_unit_test(without_a_root_links_lead_anywhere_and_nobody_else_gets_that),
#if defined(SYS_openat2)
        cmocka_unit_test(it_is_the_same_where_the_kernel_lacks_openat2),
#endif
    };
    return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
