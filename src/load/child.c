/* SPDX-License-Identifier: MIT */
/* Child processes that run a piece of C and nothing else, and do not outlive whoever made them. */
#define _GNU_SOURCE
#include <tusk/load.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load/system.h"
#include "loop/process.h"
#include "net/descriptors.h"

#define KEPT 3 /* where the kept descriptor is found in the child */

static void reset_signals(void)
{
    sigset_t none;
    for (int number = 1; number < NSIG; number++) {
        (void)signal(number, number == SIGINT || number == SIGPIPE ? SIG_IGN : SIG_DFL);
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void keep_only(int keep)
{
    if (keep >= 0 && keep != KEPT) {
        (void)dup2(keep, KEPT);
    } else if (keep >= 0) {
        (void)fcntl(KEPT, F_SETFD, 0);
    }
    int kept = KEPT;
    tusk__close_all_but(&kept, keep >= 0 ? 1 : 0);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        (void)dup2(null, 0);
        (void)dup2(null, 1);
        (void)close(null);
    }
}

tusk_err tusk_child_start(int *pid, int keep, void (*body)(void *user), void *user)
{
    pid_t parent = getpid();
    *pid = (int)fork();
    if (*pid < 0) {
        return TUSK_ESYS;
    }
    if (*pid > 0) {
        return TUSK_OK;
    }
    if (!tusk__die_with((int)parent)) {
        _exit(0);
    }
    reset_signals();
    keep_only(keep);
    net_descriptors_raise(UINT64_MAX);
    body(user);
    _exit(0);
}

void tusk_child_kill(int pid)
{
    if (pid > 0 && kill((pid_t)pid, SIGKILL) == 0) {
        while (waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}
