/* SPDX-License-Identifier: MIT */
/* The helpers of the unit tests are tested too: a guard that does not guard proves nothing. */
#define _GNU_SOURCE
#include "test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

/* True when `body` ends its process badly: a crash, a sanitizer's report, a failed assertion. */
static bool dies(void (*body)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        dup2(null, 2);
        body();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void read_inside(void)
{
    tusk_bytes in = test_guarded_str("abc");
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < in.len; i++) {
        sum = (uint8_t)(sum + in.ptr[i]);
    }
    test_guarded_free((uint8_t *)(uintptr_t)in.ptr, in.len);
}

static void read_one_too_far(void)
{
    tusk_bytes in = test_guarded_str("abc");
    volatile uint8_t beyond = in.ptr[in.len];
    (void)beyond;
}

static void read_of_nothing(void)
{
    tusk_bytes in = test_guarded_bytes(NULL, 0);
    volatile uint8_t beyond = in.ptr[0];
    (void)beyond;
}

static void reading_one_byte_beyond_guarded_input_dies(void **state)
{
    assert_false(dies(read_inside));
    assert_true(dies(read_one_too_far));
    assert_true(dies(read_of_nothing));
}

static void guarded_input_of_whole_pages_is_a_true_copy(void **state)
{
    static uint8_t pages[8192];
    for (size_t i = 0; i < sizeof(pages); i++) {
        pages[i] = (uint8_t)(i * 7);
    }
    for (size_t len = 4095; len <= 8192; len += 1 + (len % 3) * 500) {
        uint8_t *copy = test_guarded(pages, len);
        assert_memory_equal(copy, pages, len);
        test_guarded_free(copy, len);
    }
}

static tusk_err allocate(const tusk_mem *mem, size_t blocks, bool leak, bool ignore)
{
    void *held[8] = {NULL};
    tusk_err err = TUSK_OK;
    for (size_t i = 0; i < blocks && err == TUSK_OK; i++) {
        held[i] = mem->resize(mem->user, NULL, 0, 16);
        if (held[i] == NULL && !ignore) {
            err = TUSK_ENOMEM;
        }
    }
    for (size_t i = leak ? 1 : 0; i < blocks; i++) {
        mem->resize(mem->user, held[i], held[i] == NULL ? 0 : 16, 0);
    }
    return err;
}

static tusk_err three_blocks(const tusk_mem *mem, void *user)
{
    return allocate(mem, 3, false, false);
}

static tusk_err leaks_one(const tusk_mem *mem, void *user)
{
    return allocate(mem, 3, true, false);
}

static tusk_err ignores_failure(const tusk_mem *mem, void *user)
{
    return allocate(mem, 3, false, true);
}

/* A failing assertion jumps back into cmocka, so a child process fails in our place: it then goes
 * on as a runner of its own, and ends with what it counted. */
static bool fails(test_mem_body body)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        dup2(null, 2);
        test_fail_each_alloc(body, false, NULL);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void every_allocation_fails_once_and_a_clean_run_ends_it(void **state)
{
    assert_int_equal(test_fail_each_alloc(three_blocks, false, NULL), 3);
    assert_int_equal(test_fail_each_alloc(ignores_failure, true, NULL), 3);
}

static void a_leak_and_an_ignored_failure_are_found_out(void **state)
{
    assert_false(fails(three_blocks));
    assert_true(fails(leaks_one));
    assert_true(fails(ignores_failure));
}

static void resizing_moves_the_block_and_counts_its_bytes(void **state)
{
    test_mem mem;
    test_mem_init(&mem, 0);
    uint8_t *a = mem.mem.resize(mem.mem.user, NULL, 0, 4);
    memcpy(a, "abcd", 4);
    uint8_t *b = mem.mem.resize(mem.mem.user, a, 4, 100);
    assert_memory_equal(b, "abcd", 4);
    assert_int_equal(mem.live, 1);
    assert_int_equal(mem.live_bytes, 100);
    b = mem.mem.resize(mem.mem.user, b, 100, 2);
    assert_memory_equal(b, "ab", 2);
    assert_null(mem.mem.resize(mem.mem.user, b, 2, 0));
    assert_int_equal(mem.peak_bytes, 100);
    test_mem_assert_empty(&mem);
}

/* A toy parser of lines that keeps what it was told, so that every cut can be compared. */
typedef struct lines {
    size_t count;
    size_t parses;
    size_t bad;
} lines;

static void begin_lines(void *user)
{
    ((lines *)user)->count = 0;
}

static ptrdiff_t feed_line(tusk_bytes in, void *user)
{
    const uint8_t *end = memchr(in.ptr, '\n', in.len);
    if (in.ptr[0] == '!') {
        return TUSK_EPROTO;
    }
    if (end == NULL) {
        return 0;
    }
    ((lines *)user)->count++;
    return end - in.ptr + 1;
}

static void end_lines(tusk_err err, size_t left, const char *how, void *user)
{
    lines *self = user;
    self->parses++;
    if (err == TUSK_EPROTO) {
        self->bad++;
        assert_int_equal(self->count, 1);
        return;
    }
    assert_int_equal(left, 2);
    assert_int_equal(self->count, 3);
}

static void every_cut_parses_to_the_same_end(void **state)
{
    lines seen = {0};
    const test_cut cut = {begin_lines, feed_line, end_lines, &seen};
    test_each_cut(&cut, TEST_BYTES("one\n\nthree\nxy"));
    assert_int_equal(seen.parses, 1 + 12 + 5);
    assert_int_equal(seen.bad, 0);

    lines faulty = {0};
    const test_cut again = {begin_lines, feed_line, end_lines, &faulty};
    test_each_cut(&again, TEST_BYTES("one\n!\n"));
    assert_int_equal(faulty.bad, faulty.parses);
}

static void head_and_tail_of_each_cut_make_the_whole(void **state)
{
    tusk_bytes input = TEST_BYTES("hello");
    size_t cuts = 0;
    TEST_FOR_EACH_CUT(input, head, tail)
    {
        assert_int_equal(head.len, cuts);
        assert_int_equal(head.len + tail.len, input.len);
        assert_memory_equal(head.ptr, input.ptr, head.len);
        assert_memory_equal(tail.ptr, input.ptr + head.len, tail.len);
        cuts++;
    }
    assert_int_equal(cuts, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_one_byte_beyond_guarded_input_dies),
        cmocka_unit_test(guarded_input_of_whole_pages_is_a_true_copy),
        cmocka_unit_test(every_allocation_fails_once_and_a_clean_run_ends_it),
        cmocka_unit_test(a_leak_and_an_ignored_failure_are_found_out),
        cmocka_unit_test(resizing_moves_the_block_and_counts_its_bytes),
        cmocka_unit_test(every_cut_parses_to_the_same_end),
        cmocka_unit_test(head_and_tail_of_each_cut_make_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
