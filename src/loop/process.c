/* SPDX-License-Identifier: MIT */
/* Child processes, as far as the system has to be asked. */
#define _GNU_SOURCE
#include "loop/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

#if defined(__linux__)
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if !defined(PR_GET_TID_ADDRESS)
#define PR_GET_TID_ADDRESS 40
#endif

#if !defined(P_PIDFD)
#define P_PIDFD 3
#endif
#endif

#define DESCRIPTORS_MAX (1 << 20) /* looked at, where they are closed one by one */
/* Each stand-in costs a fork a call, and what is opened has the lowest number that is free. */
#define HELD_BELOW 512

int tusk__pidfd_open(int pid)
{
#if defined(SYS_pidfd_open)
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd >= 0) {
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
#else
    (void)pid;
    return -1;
#endif
}

static int status_of(const siginfo_t *info)
{
    return info->si_code == CLD_EXITED ? (info->si_status & 0xff) << 8 : info->si_status & 0x7f;
}

static int ask(int pid, int pidfd, siginfo_t *info)
{
#if defined(__linux__)
    if (pidfd >= 0) {
        return waitid((idtype_t)P_PIDFD, (id_t)pidfd, info, WEXITED | WNOHANG);
    }
#else
    (void)pidfd;
#endif
    return waitid(P_PID, (id_t)pid, info, WEXITED | WNOHANG);
}

int tusk__reap(int pid, int pidfd, int *status)
{
    siginfo_t info = {0};
    if (ask(pid, pidfd, &info) != 0) {
        return errno == EINTR ? 0 : -1;
    }
    if (info.si_pid == 0) {
        return 0;
    }
    *status = status_of(&info);
    return 1;
}

bool tusk__has_ended(int pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ? errno != EINTR
                                                                             : info.si_pid != 0;
}

#if defined(__linux__) && !defined(__s390x__) /* which has the arguments in another order */
/* What fork() does in libc, but for the handlers: the thread's own number, where libc keeps it, and
 * its list of robust locks. Where that number is not found (another libc), nothing is forked. */
int tusk__fork_sibling(_Atomic int *pid)
{
    int *number = NULL;
    void *locks = NULL;
    size_t len = 0;
    if (prctl(PR_GET_TID_ADDRESS, &number) != 0 || number == NULL ||
        *number != (int)syscall(SYS_gettid)) {
        errno = ENOSYS;
        return -1;
    }
    bool known = syscall(SYS_get_robust_list, 0, &locks, &len) == 0 && locks != NULL;
    const long flags =
        CLONE_PARENT | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
    /* where `number` stands in the place of a thread's memory nobody looks at it */
    int child = (int)syscall(SYS_clone, flags, NULL, pid, number, number);
    if (child == 0 && known) {
        (void)syscall(SYS_set_robust_list, locks, len);
    }
    return child;
}
#else
int tusk__fork_sibling(_Atomic int *pid)
{
    (void)pid;
    errno = ENOSYS;
    return -1;
}
#endif

static int descriptors_max(void)
{
    long max = sysconf(_SC_OPEN_MAX); /* -1: no limit */
    return max < 0 || max > DESCRIPTORS_MAX ? DESCRIPTORS_MAX : (int)max;
}

static void close_between(int first, int last)
{
#if defined(SYS_close_range)
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0) {
        return;
    }
#endif
    int max = descriptors_max();
    last = last > max ? max : last;
    for (int fd = first; fd <= last; fd++) {
        (void)close(fd);
    }
}

static int by_value(const void *a, const void *b)
{
    int left = *(const int *)a;
    int right = *(const int *)b;
    return left < right ? -1 : left > right;
}

static void sort(int *descriptors, size_t count)
{
    if (count > 0) {
        qsort(descriptors, count, sizeof(int), by_value);
    }
}

void tusk__hold_standard(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", O_RDWR) != fd) { /* not CLOEXEC: for children, too */
            return;
        }
    }
}

/* `kept` is sorted. */
static void close_from(int from, const int *kept, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (kept[i] >= from) {
            close_between(from, kept[i] - 1);
            from = kept[i] + 1;
        }
    }
    close_between(from, (1 << 30));
}

void tusk__close_all_but(int *kept, size_t count)
{
    sort(kept, count);
    close_from(3, kept, count);
}

#if defined(O_PATH)
/* What is neither open nor such a stand-in already is POLLNVAL. */
static void stand_in(int nothing, int below, const int *kept, size_t count)
{
    struct pollfd polled[HELD_BELOW];
    for (int fd = 0; fd < below; fd++) {
        polled[fd] = (struct pollfd){.fd = fd < 3 || fd == nothing ? -1 : fd};
    }
    for (size_t i = 0; i < count && kept[i] < below; i++) {
        if (kept[i] >= 0) {
            polled[kept[i]].fd = -1;
        }
    }
    (void)poll(polled, (nfds_t)below, 0);
    for (int fd = 3; fd < below; fd++) {
        if (polled[fd].fd >= 0 && (polled[fd].revents & POLLNVAL) == 0) {
            (void)dup3(nothing, fd, O_CLOEXEC);
        }
    }
}

void tusk__end_all_but(int *kept, size_t count)
{
    int max = descriptors_max();
    int below = max / 2 < HELD_BELOW ? max / 2 : HELD_BELOW; /* the rest is for new ones */
    sort(kept, count);
    close_from(below < 3 ? 3 : below, kept, count);
    int nothing = open("/", O_PATH | O_CLOEXEC);
    if (nothing < 0) {
        close_from(3, kept, count);
        return;
    }
    stand_in(nothing, below, kept, count);
    (void)close(nothing);
}
#else
void tusk__end_all_but(int *kept, size_t count)
{
    tusk__close_all_but(kept, count);
}
#endif

bool tusk__die_with(int parent)
{
#if defined(__linux__)
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    return getppid() == parent;
}

void tusk__process_name(const char *name)
{
#if defined(__linux__)
    (void)prctl(PR_SET_NAME, name);
#else
    (void)name;
#endif
}

void tusk__outlive_full_files(void)
{
#if defined(SIGXFSZ)
    struct sigaction now;
    if (sigaction(SIGXFSZ, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == SIG_DFL) {
        (void)signal(SIGXFSZ, SIG_IGN);
    }
#endif
}

static void let_pass(int number)
{
    (void)number;
}

void tusk__pass_over(int number)
{
    struct sigaction passed = {.sa_flags = SA_RESTART};
    passed.sa_handler = let_pass;
    (void)sigemptyset(&passed.sa_mask);
    (void)sigaction(number, &passed, NULL);
}

/* The application's handlers are not ours to run, and what a terminal or a supervisor sends to the
 * whole group is the application's to obey: we die with it. Who is asked to end what it runs
 * (SIGVTALRM, src/work) before it listens for that is told when it begins. */
void tusk__calm_signals(void)
{
    sigset_t none;
    for (int number = 1; number < NSIG; number++) {
        if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT ||
            number == SIGTSTP || number == SIGVTALRM) {
            tusk__pass_over(number);
        } else if (number != SIGSEGV && number != SIGBUS && number != SIGFPE && number != SIGILL &&
                   number != SIGABRT) {
            (void)signal(number, number == SIGPIPE ? SIG_IGN : SIG_DFL);
        }
    }
    tusk__outlive_full_files();
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* ---- what is open ---- */
static bool note(int **list, size_t *count, size_t *cap, int fd, const tusk_mem *mem)
{
    if (*count == *cap) {
        size_t wanted = *cap == 0 ? 64 : *cap * 2;
        int *grown = tusk__resize(mem, *list, *cap * sizeof(int), wanted * sizeof(int));
        if (grown == NULL) {
            return false;
        }
        *list = grown;
        *cap = wanted;
    }
    (*list)[(*count)++] = fd;
    return true;
}

static bool note_listed(DIR *folder, int **out, size_t *count, size_t *cap, const tusk_mem *mem)
{
    const struct dirent *entry;
    bool noted = true;
    while (noted && (entry = readdir(folder)) != NULL) {
        char *end;
        long fd = strtol(entry->d_name, &end, 10);
        if (*end == '\0' && end != entry->d_name && fd > 2 && fd != dirfd(folder)) {
            noted = note(out, count, cap, (int)fd, mem);
        }
    }
    return noted;
}

/* Where there is no /proc (a bare root directory), each number is asked. */
static bool note_asked(int **out, size_t *count, size_t *cap, const tusk_mem *mem)
{
    bool noted = true;
    int end = descriptors_max();
    for (int fd = 3; noted && fd < end; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            noted = note(out, count, cap, fd, mem);
        }
    }
    return noted;
}

tusk_err tusk__open_descriptors(int **out, size_t *count, const tusk_mem *mem)
{
    size_t cap = 0;
    *out = NULL;
    *count = 0;
    DIR *folder = opendir("/proc/self/fd");
    folder = folder == NULL ? opendir("/dev/fd") : folder;
    bool noted = folder == NULL ? note_asked(out, count, &cap, mem)
                                : note_listed(folder, out, count, &cap, mem);
    if (folder != NULL) {
        (void)closedir(folder);
    }
    sort(*out, *count);
    int *exact = !noted || *count == 0
                     ? NULL
                     : tusk__resize(mem, *out, cap * sizeof(int), *count * sizeof(int));
    if (exact == NULL) {
        tusk__free(mem, *out, cap * sizeof(int));
        *out = NULL;
        noted = noted && *count == 0;
        *count = 0;
        return noted ? TUSK_OK : TUSK_ENOMEM;
    }
    *out = exact;
    return TUSK_OK;
}
