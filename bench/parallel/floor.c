/* SPDX-License-Identifier: MIT */
/* The floor under a task's round trip: two processes and one shared word, spinning or by futex. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_us(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static void turn_to(_Atomic unsigned *word, unsigned value, int by_futex)
{
    atomic_store(word, value);
    if (by_futex) {
        (void)syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

static void await_value(_Atomic unsigned *word, unsigned value, int by_futex)
{
    unsigned seen;
    while ((seen = atomic_load(word)) != value) {
        if (by_futex) {
            (void)syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
        }
    }
}

/* Microseconds per round trip, of `rounds`: floor spin|futex|idle ROUNDS. "idle" is futex with both
 * asleep for 300 microseconds before each, which are not counted. */
int main(int argc, char **argv)
{
    int idle = argc > 1 && strcmp(argv[1], "idle") == 0;
    int by_futex = idle || (argc > 1 && strcmp(argv[1], "futex") == 0);
    unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 10000;
    _Atomic unsigned *word =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t other = fork();
    if (other == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (unsigned i = 0; i < rounds; i++) {
            await_value(word, 2 * i + 1, by_futex);
            turn_to(word, 2 * i + 2, by_futex);
        }
        _exit(0);
    }
    double sum = 0;
    double began = now_us();
    for (unsigned i = 0; i < rounds; i++) {
        if (idle) {
            (void)usleep(300);
            began = now_us();
        }
        turn_to(word, 2 * i + 1, by_futex);
        await_value(word, 2 * i + 2, by_futex);
        sum += idle ? now_us() - began : 0;
    }
    printf("%.3f\n", (idle ? sum : now_us() - began) / rounds);
    (void)waitpid(other, NULL, 0);
    return 0;
}
