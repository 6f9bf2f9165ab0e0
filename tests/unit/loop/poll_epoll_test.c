/* SPDX-License-Identifier: MIT */
/* The epoll poller where the kernel, or a filter of its calls, has less than it asks for. */
#define _GNU_SOURCE
#include <tusk/loop.h>

#include "test.h"

#if defined(__linux__)

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DELAY_MS 5
#define CANNOT 77 /* no filter here, or a kernel that has no such call to forbid */

static void on_due(tusk_timer *timer)
{
    (void)timer;
}

/* For good: in a child. */
static bool forbid_pwait2(int number)
{
#if defined(SYS_epoll_pwait2)
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_pwait2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)number),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = 4, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
           syscall(SYS_epoll_pwait2, -1, NULL, 0, NULL, NULL, 0) == -1 && errno == number;
#else
    (void)number;
    return false;
#endif
}

static int run_without_pwait2(int number)
{
    tusk_loop *loop;
    tusk_timer timer = {.on_due = on_due};
    if (!forbid_pwait2(number)) {
        return CANNOT;
    }
    if (tusk_loop_new(&loop, &(tusk_loop_options){.poller = "epoll"}) != TUSK_OK) {
        return 1;
    }
    for (int i = 0; i < 2; i++) { /* the first wait finds out, the second knows */
        uint64_t from_ns = tusk_loop_clock_ns();
        tusk_timer_start(loop, &timer, DELAY_MS);
        if (tusk_loop_run(loop) != TUSK_OK || tusk_timer_running(&timer) ||
            tusk_loop_clock_ns() - from_ns < DELAY_MS * UINT64_C(1000000)) {
            return 2;
        }
    }
    tusk_loop_free(loop);
    return 0;
}

static void assert_runs_without_pwait2(int number)
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(run_without_pwait2(number));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT) {
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_kernel_without_fine_waits_waits_by_milliseconds(void **state)
{
    (void)state;
    assert_runs_without_pwait2(ENOSYS);
}

static void a_filter_that_forbids_fine_waits_is_a_kernel_without(void **state)
{
    (void)state;
    assert_runs_without_pwait2(EPERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_without_fine_waits_waits_by_milliseconds),
        cmocka_unit_test(a_filter_that_forbids_fine_waits_is_a_kernel_without),
    };
    return cmocka_run_group_tests_name("loop/poll_epoll", tests, NULL, NULL);
}

#else

static void there_is_none_elsewhere(void **state)
{
    (void)state;
    tusk_loop *loop;
    assert_err(tusk_loop_new(&loop, &(tusk_loop_options){.poller = "epoll"}), TUSK_ENOTSUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_is_none_elsewhere)};
    return cmocka_run_group_tests_name("loop/poll_epoll", tests, NULL, NULL);
}

#endif
