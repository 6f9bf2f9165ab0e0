/* SPDX-License-Identifier: MIT */
/* The survey of failing allocations is tested too: what it cannot find, it does not prove. */
#define _GNU_SOURCE
#include "../test.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <sanitizer/asan_interface.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

/* Both blocks, or TUSK_ENOMEM and none. */
static tusk_err take_two(void *blocks[2])
{
    blocks[0] = tusk__new(tusk_mem_default(), 16);
    if (blocks[0] == NULL) {
        return TUSK_ENOMEM;
    }
    blocks[1] = tusk__new(tusk_mem_default(), 16);
    if (blocks[1] == NULL) {
        tusk__free(tusk_mem_default(), blocks[0], 16);
        blocks[0] = NULL;
        return TUSK_ENOMEM;
    }
    return TUSK_OK;
}

static void give_two(void *blocks[2])
{
    tusk__free(tusk_mem_default(), blocks[0], 16);
    tusk__free(tusk_mem_default(), blocks[1], 16);
}

static void careful(void **state)
{
    void *blocks[2];
    assert_err(take_two(blocks), TUSK_OK);
    give_two(blocks);
}

static void does_without(void **state)
{
    void *blocks[2] = {NULL};
    if (take_two(blocks) == TUSK_OK) {
        give_two(blocks);
    }
}

/* What is on the stack of a test that ends early is not lost. */
static void holds_one_while_it_fails(void **state)
{
    void *held = tusk__new(tusk_mem_default(), 16);
    void *blocks[2];
    assert_non_null(held);
    assert_err(take_two(blocks), TUSK_OK);
    give_two(blocks);
    tusk__free(tusk_mem_default(), held, 16);
}

static void loses_one(void **state)
{
    void *blocks[2] = {tusk__new(tusk_mem_default(), 16), NULL};
    blocks[1] = blocks[0] == NULL ? NULL : tusk__new(tusk_mem_default(), 16);
    if (blocks[1] == NULL) {
        memset(blocks, 0, sizeof(blocks));
    }
    give_two(blocks);
}

static void writes_to_nothing(void **state)
{
    volatile char *block = tusk__new(tusk_mem_default(), 16);
    block[0] = 1;
    tusk__free(tusk_mem_default(), (void *)(uintptr_t)block, 16);
}

static void be_slow(const char *report)
{
    struct timespec left = {.tv_sec = 1};
    while (nanosleep(&left, &left) != 0) {
    }
}

/* As on a machine where looking up the names of a report takes that long. */
static void is_reported_slowly(void **state)
{
    __asan_set_error_report_callback(be_slow);
    volatile char *byte = malloc(1);
    void *block = tusk__new(tusk_mem_default(), 16);
    byte[block == NULL ? 1 : 0] = 1;
    tusk__free(tusk_mem_default(), block, 16);
    free((void *)(uintptr_t)byte);
}

static void asserts(void **state)
{
    void *block = tusk__new(tusk_mem_default(), 16);
    assert(block != NULL);
    tusk__free(tusk_mem_default(), block, 16);
}

static void spins(void **state)
{
    void *block = NULL;
    while (block == NULL) {
        static volatile bool tried;
        block = tried ? NULL : tusk__new(tusk_mem_default(), 16);
        tried = true;
    }
    tusk__free(tusk_mem_default(), block, 16);
}

/* Whose child is refused, and then says nothing. */
static void waits_for_its_child(void **state)
{
    char byte;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    void *block = child == 0 ? tusk__new(tusk_mem_default(), 16) : NULL;
    while (child == 0) {
        (void)write(pipes[1], "x", block != NULL);
        (void)pause();
    }
    while (read(pipes[0], &byte, 1) != 1) {
    }
    block = tusk__new(tusk_mem_default(), 16);
    tusk__free(tusk_mem_default(), block, block == NULL ? 0 : 16);
    (void)kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
}

/* Four, for what the last one was may still be read where the stack was. */
static void lose_blocks(void)
{
    for (size_t i = 0; i < 4; i++) {
        void *lost = tusk__new(tusk_mem_default(), 16);
        memset(&lost, 0, sizeof(lost));
    }
}

static void loses_blocks_and_waits_for_its_child(void **state)
{
    char byte;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        void *block = tusk__new(tusk_mem_default(), 16);
        (void)write(pipes[1], block == NULL ? "-" : "+", 1);
        while (block == NULL) {
            (void)pause();
        }
        _exit(0);
    }
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    void *block = tusk__new(tusk_mem_default(), 16);
    tusk__free(tusk_mem_default(), block, block == NULL ? 0 : 16);
    if (byte == '-') {
        lose_blocks();
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
}

/* What a program with this one test says and ends with when it is surveyed. */
static bool survey_says(const struct CMUnitTest *test, const char *wanted)
{
    char said[8192];
    int pipes[2];
    int status = 0;
    size_t len = 0;
    fflush(NULL);
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(pipes[1], 1);
        (void)setenv("TUSK_SURVEY", "60000", 1);
        (void)setenv("ASAN_OPTIONS", "detect_leaks=1", 1);
        int bad = _cmocka_run_group_tests("one", test, 1, NULL, NULL);
        fflush(NULL);
        _exit(bad);
    }
    (void)close(pipes[1]);
    for (ssize_t n;
         len < sizeof(said) - 1 && (n = read(pipes[0], said + len, sizeof(said) - 1 - len)) > 0;) {
        len += (size_t)n;
    }
    said[len] = '\0';
    (void)close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    bool bad = WEXITSTATUS(status) != 0;
    return bad == (strncmp(wanted, "# survey", 8) != 0) && strstr(said, wanted) != NULL;
}

static void what_is_handled_well_is_let_pass(void **state)
{
    const struct CMUnitTest good[] = {cmocka_unit_test(careful), cmocka_unit_test(does_without),
                                      cmocka_unit_test(holds_one_while_it_fails),
                                      cmocka_unit_test(waits_for_its_child)};
    if (getenv("TUSK_SURVEY") != NULL) {
        skip(); /* one survey within another proves nothing more */
    }
    assert_true(survey_says(&good[0], "# survey one: places 2 of 2, ways 0 of 0, requests 2; "
                                      "survived 0, noticed 2, waited 0, unreached 0"));
    assert_true(survey_says(&good[1], "# survey one: places 2 of 2, ways 0 of 0, requests 2; "
                                      "survived 2, noticed 0, waited 0, unreached 0"));
    assert_true(survey_says(&good[2], "# survey one: places 3 of 3, ways 0 of 0, requests 3; "
                                      "survived 0, noticed 3, waited 0, unreached 0"));
    assert_true(survey_says(&good[3], "# survey one: places 1 of 1, ways 0 of 0, requests 1; "
                                      "survived 0, noticed 0, waited 1, unreached 0"));
}

static void what_is_handled_badly_is_named(void **state)
{
    const struct CMUnitTest bad[] = {cmocka_unit_test(loses_one),
                                     cmocka_unit_test(writes_to_nothing),
                                     cmocka_unit_test(asserts),
                                     cmocka_unit_test(spins),
                                     cmocka_unit_test(is_reported_slowly),
                                     cmocka_unit_test(loses_blocks_and_waits_for_its_child)};
    if (getenv("TUSK_SURVEY") != NULL) {
        skip();
    }
    assert_true(survey_says(&bad[0], "loses_one: a leak when request 2 is refused"));
    assert_true(survey_says(&bad[1], "writes_to_nothing: a crash when request 1 is refused"));
    assert_true(survey_says(&bad[2], "asserts: an assert of the core when request 1 is refused"));
    assert_true(survey_says(&bad[4], "is_reported_slowly: a crash when request 1 is refused"));
    assert_true(survey_says(&bad[5], "waits_for_its_child: a leak when request 1 is refused"));
    assert_true(survey_says(&bad[3], "spins: a spin or a hang when request 1 is refused"));
}

static void give_back_less(bool by_resizing)
{
    void *block = tusk__new(tusk_mem_default(), 16);
    if (by_resizing) {
        block = tusk__resize(tusk_mem_default(), block, 15, 32);
    } else {
        tusk__free(tusk_mem_default(), block, 15);
    }
    _exit(block != NULL);
}

/* In every run of a test, surveyed or not: an allocator may count on it. */
static void a_size_that_is_not_the_blocks_is_named(void **state)
{
    for (int by_resizing = 0; by_resizing < 2; by_resizing++) {
        char said[256] = "";
        int pipes[2];
        int status = 0;
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        if (child == 0) {
            (void)signal(SIGABRT, SIG_DFL); /* cmocka's own would report */
            (void)dup2(pipes[1], 2);
            give_back_less(by_resizing != 0);
        }
        (void)close(pipes[1]);
        assert_true(read(pipes[0], said, sizeof(said) - 1) > 0);
        assert_string_equal(said, "a block of 16 bytes is given back as one of 15\n");
        (void)close(pipes[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_that_is_not_the_blocks_is_named),
        cmocka_unit_test(what_is_handled_well_is_let_pass),
        cmocka_unit_test(what_is_handled_badly_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
