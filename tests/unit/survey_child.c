/* SPDX-License-Identifier: MIT */
/* One run of the survey, in the child: the request that is refused, and how the test then ends. */
#define _GNU_SOURCE
#include "survey.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sanitizer/lsan_interface.h>

#include "base/mem.h"

/* gcc's header for these is not shipped everywhere. */
int __sanitizer_get_ownership(const volatile void *block);
size_t __sanitizer_get_allocated_size(const volatile void *block);

enum {
    NEAR_FRAMES = 4,
    FRAMES_MAX = 24,
    PATIENCE_MS = 200,
    SPIN_MS = 1000 /* of computing, all in one turn */
};

static struct {
    survey_record *shared; /* with the parent */
    size_t refuse_at;
    bool ever_after;
    atomic_size_t requests;
    atomic_size_t live; /* blocks of the core */
    size_t turns;
    pid_t pid;
    volatile sig_atomic_t tired;
    volatile sig_atomic_t reporting; /* a sanitizer has found something, and looks up names */
    size_t turns_when_tired;
    long waits;
    uint64_t cpu_when_tired_ms;
    bool busy_allowed; /* a test that computes for long anyway */
} s;

/* This thread is in waitpid() and holds nothing: leaks may be looked for from a signal handler. */
static _Thread_local volatile sig_atomic_t in_waitpid;

/* ---- in the child: who asks, and what it gets ---- */
extern const char __executable_start, etext;

/* Frame pointers are kept (-fno-omit-frame-pointer); what is not ours ends the walk. */
__attribute__((no_sanitize("address", "undefined"), noinline)) static size_t
walk(uintptr_t frames[FRAMES_MAX])
{
    const uintptr_t *frame = __builtin_frame_address(0);
    size_t count = 0;
    while (count < FRAMES_MAX) {
        uintptr_t back = frame[1];
        const uintptr_t *next = (const uintptr_t *)frame[0];
        if (back < (uintptr_t)&__executable_start || back >= (uintptr_t)&etext) {
            break;
        }
        frames[count++] = back;
        if (next <= frame || (size_t)(next - frame) > 65536) {
            break;
        }
        frame = next;
    }
    return count;
}

static uint64_t hash_of(const uintptr_t *frames, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ (frames[i] - (uintptr_t)&__executable_start)) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return hash | 1; /* 0 is an empty place of a set */
}

static void note(size_t n)
{
    uintptr_t frames[FRAMES_MAX];
    if (n > SURVEY_REQUESTS_MAX || getpid() != s.pid) {
        return;
    }
    size_t count = walk(frames);
    s.shared->near[n - 1] = hash_of(frames, count < NEAR_FRAMES ? count : NEAR_FRAMES);
    s.shared->far[n - 1] = hash_of(frames, count);
    s.shared->count = n;
}

static void start_patience(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SURVEY_PATIENCE};
    struct itimerspec times = {.it_interval = {.tv_nsec = PATIENCE_MS * 1000000L},
                               .it_value = {.tv_nsec = PATIENCE_MS * 1000000L}};
    timer_t timer;
    s.shared->has_clock = 1;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        (void)timer_settime(timer, 0, &times, NULL);
    }
}

static bool refused(void)
{
    size_t n = atomic_fetch_add(&s.requests, 1) + 1;
    if (s.refuse_at == 0 && s.shared != NULL) {
        note(n);
    }
    if (s.refuse_at == 0 || n < s.refuse_at || (n > s.refuse_at && !s.ever_after) ||
        (atomic_fetch_add(&s.shared->refused, 1) > 0 && !s.ever_after)) {
        return false;
    }
    if (n == s.refuse_at && getpid() == s.pid) {
        start_patience();
    }
    return true;
}

/* An allocator may count on the size that a caller hands back with a block (mem.h); the C library's
 * does not, so AddressSanitizer is asked. */
static void must_have_asked_for(const void *block, size_t size)
{
    if (block != NULL && __sanitizer_get_ownership(block) != 0 &&
        __sanitizer_get_allocated_size(block) != size) {
        fprintf(stderr, "a block of %zu bytes is given back as one of %zu\n",
                __sanitizer_get_allocated_size(block), size);
        abort();
    }
}

void *__wrap_tusk__new(const tusk_mem *mem, size_t size)
{
    void *block = refused() ? NULL : __real_tusk__new(mem, size);
    s.live += block != NULL;
    return block;
}

void *__wrap_tusk__resize(const tusk_mem *mem, void *old, size_t old_size, size_t size)
{
    must_have_asked_for(old, old_size);
    void *block = size > 0 && refused() ? NULL : __real_tusk__resize(mem, old, old_size, size);
    s.live += old == NULL && block != NULL;
    s.live -= old != NULL && size == 0;
    return block;
}

void __wrap_tusk__free(const tusk_mem *mem, void *ptr, size_t size)
{
    must_have_asked_for(ptr, size);
    s.live -= ptr != NULL;
    __real_tusk__free(mem, ptr, size);
}

/* What a test has made itself may be lost with the claim that failed, and holds what it points to:
 * a connection may be known to nobody but the kernel. */
static void *own(void *block)
{
    if (s.shared != NULL && block != NULL) {
        __lsan_ignore_object(block);
    }
    return block;
}

void *__wrap_malloc(size_t size)
{
    return own(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return own(__real_calloc(count, size));
}

/* ---- in the child: how it ends ---- */
/* A test may end in the midst of having none, and who looks for leaks opens files. */
static void give_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

_Noreturn static void end(survey_ending how)
{
    fflush(NULL);
    give_descriptors();
    if (__lsan_do_recoverable_leak_check() != 0) {
        how = LEAKED;
    }
    _exit((int)how);
}

void __wrap___assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    fprintf(stderr, "%s:%u: %s: %s\n", file, line, function, text);
    fflush(NULL);
    _exit(ASSERTED);
}

/* cmocka aborts where a claim fails (CMOCKA_TEST_ABORT). */
static void on_abort(int signo)
{
    (void)signo;
    if (getpid() != s.pid) {
        _exit(1);
    }
    end(s.requests >= s.refuse_at ? NOTICED : UNREACHED);
}

static uint64_t cpu_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The sanitizers, which are shared libraries, call these before they print. On a busy machine that
 * takes longer than a test is waited for, and what crashes must not pass for what waits. */
TUSK_API void __asan_on_error(void);
void __asan_on_error(void)
{
    s.reporting = 1;
}

TUSK_API void __ubsan_on_report(void);
void __ubsan_on_report(void)
{
    s.reporting = 1;
}

/* Here only what a signal handler may do: leaks are looked for in the next turn. A test that waits
 * for a process of its own, which was refused, turns no loop any more. */
static void on_patience(int signo)
{
    struct rusage use;
    (void)signo;
    if (s.reporting) {
        return;
    }
    (void)getrusage(RUSAGE_SELF, &use);
    bool computes = s.tired && s.turns == s.turns_when_tired && use.ru_nvcsw == s.waits;
    s.waits = use.ru_nvcsw;
    s.turns_when_tired = s.turns;
    if (!s.tired) {
        s.tired = 1;
        s.cpu_when_tired_ms = cpu_ms();
    } else if (in_waitpid && getpid() == s.pid) {
        end(WAITED);
    } else if (!computes || s.busy_allowed) {
        _exit(WAITED); /* in another system call, outside of the loop */
    } else if (cpu_ms() - s.cpu_when_tired_ms > SPIN_MS) {
        _exit(SPUN);
    }
}

static void count_turn(void)
{
    s.turns++;
    if (s.tired && getpid() == s.pid) {
        end(WAITED);
    }
}

tusk_err __wrap_tusk_loop_turn(tusk_loop *loop, int timeout_ms)
{
    count_turn();
    return __real_tusk_loop_turn(loop, timeout_ms);
}

tusk_err __wrap_tusk_loop_turn_until(tusk_loop *loop, uint64_t until_ns)
{
    count_turn();
    return __real_tusk_loop_turn_until(loop, until_ns);
}

void __wrap_tusk_lane_wait(tusk_lane *lane, uint64_t until_ns)
{
    count_turn();
    __real_tusk_lane_wait(lane, until_ns);
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
    in_waitpid = 1;
    pid_t ended = __real_waitpid(pid, status, options);
    in_waitpid = 0;
    return ended;
}

void survey_be_the_test(const survey_group *tests, const survey_attempt *what,
                        survey_record *shared, bool ever_after)
{
    s.shared = shared;
    s.refuse_at = what->request;
    s.ever_after = ever_after;
    s.busy_allowed = what->slow;
    s.requests = 0;
    s.live = 0;
    s.pid = getpid();
    (void)setpgid(0, 0);
    (void)signal(SIGPIPE, SIG_IGN); /* the other end may have gone where the test writes */
    (void)signal(SIGABRT, on_abort);
    (void)signal(SURVEY_PATIENCE, on_patience);
    (void)setenv("CMOCKA_TEST_ABORT", "1", 1);
    int bad = __real__cmocka_run_group_tests(tests->name, &tests->tests[what->test], 1,
                                             tests->set_up, tests->tear_down);
    if (s.refuse_at > s.requests) {
        _exit(UNREACHED);
    }
    if (what->request == 0) {
        shared->live = s.live;
        fflush(NULL);
        _exit(bad == 0 ? SURVIVED : NOTICED); /* for leaks the unit tests have looked already */
    }
    if (bad == 0 && what->live != SIZE_MAX) {
        /* Cheaper and more certain than a search: a test that passes gives all its blocks back. */
        fprintf(stderr, "%zu blocks are left, %zu with all memory\n", s.live, what->live);
        fflush(NULL);
        _exit(s.live > what->live ? LEAKED : SURVIVED);
    }
    end(bad == 0 ? SURVIVED : NOTICED);
}
