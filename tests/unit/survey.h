/* SPDX-License-Identifier: MIT */
/* The survey of failing allocations, see survey.c: what its parent and its children share, and the
 * places where it stands between a unit test and what that calls (-Wl,--wrap). */
#ifndef TUSK_TEST_SURVEY_H
#define TUSK_TEST_SURVEY_H

#include <signal.h>
#include <stdatomic.h>

#include "test.h"

#include <tusk/loop.h>
#include <tusk/work.h>

#define SURVEY_PATIENCE (SIGRTMAX - 1) /* tells a test how long it waits already */

enum { SURVEY_REQUESTS_MAX = 1 << 15 }; /* of one test; later ones are not refused */

/* How a run ended; also the exit status of its process, away from those of the sanitizers. */
typedef enum survey_ending {
    SURVIVED = 40, /* the test passed */
    NOTICED,       /* one of its claims failed */
    WAITED,        /* for what did not come */
    UNREACHED,     /* the request was not made this time, or the test skipped itself */
    LEAKED,
    SPUN,
    ASSERTED,
    CRASHED /* any other status, or a signal */
} survey_ending;

typedef struct survey_record {
    atomic_uint refused;   /* by any process of the test: workers count on where their master was */
    atomic_uint has_clock; /* the test's process was refused itself, and has a clock since */
    size_t count;
    size_t live; /* blocks left at the end of a test that passed; SIZE_MAX: it did not */
    uint64_t near[SURVEY_REQUESTS_MAX]; /* the innermost frames */
    uint64_t far[SURVEY_REQUESTS_MAX];  /* all frames that are ours */
} survey_record;

typedef struct survey_group {
    const char *name;
    const struct CMUnitTest *tests;
    size_t count;
    CMFixtureFunction set_up, tear_down;
} survey_group;

typedef struct survey_attempt {
    uint32_t test;
    uint32_t request;
    size_t live; /* as the record has it */
    bool slow;   /* the test computes for long: what it does then is no spin */
} survey_attempt;

/* In a child: runs the test and ends the process, with a survey_ending as its status. */
_Noreturn void survey_be_the_test(const survey_group *tests, const survey_attempt *what,
                                  survey_record *shared, bool ever_after);

/* As a group of tests runs without a survey: what it leaves open is a failure, too (left_open.c).
 */
int test_run_and_look(const survey_group *group);

/* The tests' own; the core resizes. */
void *__wrap_malloc(size_t size);
void *__real_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_tusk__new(const tusk_mem *mem, size_t size);
void *__real_tusk__new(const tusk_mem *mem, size_t size);
void *__wrap_tusk__resize(const tusk_mem *mem, void *old, size_t old_size, size_t size);
void *__real_tusk__resize(const tusk_mem *mem, void *old, size_t old_size, size_t size);
void __wrap_tusk__free(const tusk_mem *mem, void *ptr, size_t size);
void __real_tusk__free(const tusk_mem *mem, void *ptr, size_t size);
tusk_err __wrap_tusk_loop_turn(tusk_loop *loop, int timeout_ms);
tusk_err __real_tusk_loop_turn(tusk_loop *loop, int timeout_ms);
tusk_err __wrap_tusk_loop_turn_until(tusk_loop *loop, uint64_t until_ns);
tusk_err __real_tusk_loop_turn_until(tusk_loop *loop, uint64_t until_ns);
void __wrap_tusk_lane_wait(tusk_lane *lane, uint64_t until_ns);
void __real_tusk_lane_wait(tusk_lane *lane, uint64_t until_ns);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __real_waitpid(pid_t pid, int *status, int options);
void __wrap___assert_fail(const char *text, const char *file, unsigned line, const char *function);
int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction set_up, CMFixtureFunction tear_down);
int __real__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction set_up, CMFixtureFunction tear_down);

#endif
