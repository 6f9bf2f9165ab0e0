/* SPDX-License-Identifier: MIT */
/* Helpers of the C unit tests: input that ends at a page's end, an allocator that fails on demand,
 * every cut. */
#ifndef TUSK_TEST_H
#define TUSK_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka 2 says two other names for assert_in_range, which cmocka 1 has not; and stop is a macro
 * there, which tests have for functions of their own. */
#define CMOCKA_DISABLE_DEPRECATION_WARNINGS
#include <cmocka.h>
#undef stop

#include <tusk/bytes.h>
#include <tusk/err.h>
#include <tusk/mem.h>

/* A copy whose last byte stands right before an unmapped page: reading one byte too far is a crash.
 * With len 0 the pointer itself must not be read. Lives until test_guarded_free, or until the
 * program ends (a test forgets it). */
uint8_t *test_guarded(const void *ptr, size_t len);
void test_guarded_free(uint8_t *guarded, size_t len);
tusk_bytes test_guarded_bytes(const void *ptr, size_t len);
tusk_bytes test_guarded_str(const char *text);

/* Where files of a test belong: TMPDIR, which tools/run-units takes away with all that is left
 * there, or /tmp; and a new folder there. */
enum { TEST_TEMP_MAX = 48 };
const char *test_temp_base(void);
void test_temp_dir(char out[TEST_TEMP_MAX], const char *name);
/* A file below `dir`, with the folders in its name. */
void test_put_file(const char *dir, const char *name, const char *text);

/* An allocator that counts, and fails the n-th request (1 is the first; 0 never fails). Frees never
 * fail. Shrinking or growing a block counts as a request. `fail_all_after` keeps failing from the
 * n-th on. */
typedef struct test_mem {
    tusk_mem mem; /* hand out &self.mem */
    size_t requests;
    size_t fail_at;
    bool fail_all_after;
    size_t live;       /* blocks not freed yet */
    size_t live_bytes; /* as the callers count them */
    size_t peak_bytes;
} test_mem;

void test_mem_init(test_mem *self, size_t fail_at);
/* Fails the running test when a block is still alive. */
void test_mem_assert_empty(const test_mem *self);

/* Runs `body(mem, user)` with the first, second, third ... request failing, until a run makes no
 * failing request. The body returns what its operation returned: a run in which a request failed
 * must not be reported as TUSK_OK unless `may_survive`. After each run no block may be alive.
 * Returns the number of requests of the clean run. */
typedef tusk_err (*test_mem_body)(const tusk_mem *mem, void *user);
size_t test_fail_each_alloc(test_mem_body body, bool may_survive, void *user);

/* Feeds `input` to a parser cut in two at every place, then byte by byte, then in steps of 2, 3, 5
 * and 7; every piece ends at an unmapped page. `begin` starts a new parse, `feed` gets the
 * unconsumed rest plus the new piece and returns bytes consumed (0: need more) or a negative
 * tusk_err, `end` asserts the outcome; it learns the first error (or TUSK_OK) and how many bytes
 * were left unconsumed. Each piece is fed until nothing more is consumed. */
typedef struct test_cut {
    void (*begin)(void *user);
    ptrdiff_t (*feed)(tusk_bytes in, void *user);
    void (*end)(tusk_err err, size_t left, const char *how, void *user);
    void *user;
} test_cut;

void test_each_cut(const test_cut *self, tusk_bytes input);

/* The same cuts for those who feed by hand: the body runs once per cut with `head` and `tail`, both
 * guarded. */
#define TEST_FOR_EACH_CUT(input, head, tail)                                                       \
    for (size_t test__at = 0; test__at <= (input).len; test__at++)                                 \
        for (tusk_bytes head = test_guarded_bytes((input).ptr, test__at),                          \
                        tail = test_guarded_bytes((input).ptr + test__at, (input).len - test__at), \
                        *test__once = &head;                                                       \
             test__once != NULL;                                                                   \
             test__once = NULL, test_guarded_free((uint8_t *)(uintptr_t)head.ptr, head.len),       \
                        test_guarded_free((uint8_t *)(uintptr_t)tail.ptr, tail.len))

/* A reproducible stream of numbers for tests that want many cases (xorshift; never seeded by the
 * clock). */
uint64_t test_random(uint64_t *state);

/* Text with its length known at compile time, NUL bytes inside allowed. */
#define TEST_BYTES(literal) tusk_bytes_of("" literal "", sizeof(literal) - 1)

#define assert_bytes_equal(actual, expected)                                                       \
    test_bytes_equal((actual), (expected), __FILE__, __LINE__)
void test_bytes_equal(tusk_bytes actual, tusk_bytes expected, const char *file, int line);

#define assert_err(actual, expected)                                                               \
    test_err_equal((tusk_err)(actual), (expected), __FILE__, __LINE__)
void test_err_equal(tusk_err actual, tusk_err expected, const char *file, int line);

#endif
