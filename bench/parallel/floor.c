/* SPDX-License-Identifier: MIT */
/* The floor under a task's round trip: two processes and one shared word, spinning or by futex. And
 * under a page of eleven embeds: eleven processes are woken, sleep, and wake who waits for all. */
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

/* ---- eleven ---- */
enum { ELEVEN = 11 };
typedef struct page {
    _Alignas(64) _Atomic unsigned work; /* counts pages; all sleep on it */
    _Alignas(64) _Atomic unsigned left;
    _Alignas(64) _Atomic unsigned bell;
    struct {
        _Alignas(64) double slept_us;
    } parts[ELEVEN];
} page;

static void sleep_us(double us)
{
    struct timespec ts = {.tv_sec = (time_t)(us / 1e6)};
    ts.tv_nsec = (long)((us - (double)ts.tv_sec * 1e6) * 1e3);
    (void)nanosleep(&ts, NULL);
}

static _Noreturn void be_part(page *self, int number, double us)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (unsigned seen = 0;; seen++) {
        while (atomic_load(&self->work) == seen) {
            (void)syscall(SYS_futex, &self->work, FUTEX_WAIT, seen, NULL, NULL, 0);
        }
        double began = now_us();
        sleep_us(us);
        self->parts[number].slept_us = now_us() - began;
        if (atomic_fetch_sub(&self->left, 1) == 1) {
            turn_to(&self->bell, seen + 1, 1);
        }
    }
}

/* One page's time over that of the part that slept longest. */
static double over_longest(page *self, unsigned number)
{
    double longest = 0;
    atomic_store(&self->left, ELEVEN);
    double began = now_us();
    atomic_store(&self->work, number);
    (void)syscall(SYS_futex, &self->work, FUTEX_WAKE, ELEVEN, NULL, NULL, 0);
    await_value(&self->bell, number, 1);
    double took = now_us() - began;
    for (int i = 0; i < ELEVEN; i++) {
        longest = self->parts[i].slept_us > longest ? self->parts[i].slept_us : longest;
    }
    return took - longest;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Microseconds over the longest, median of `pages`; each part sleeps `us`. */
static double eleven(unsigned pages, double us)
{
    page *self =
        mmap(NULL, sizeof(*self), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double *over = calloc(pages, sizeof(*over));
    pid_t pids[ELEVEN];
    for (int i = 0; i < ELEVEN; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            be_part(self, i, us);
        }
    }
    for (unsigned i = 0; i < pages; i++) {
        sleep_us(3000);
        over[i] = over_longest(self, i + 1);
    }
    for (int i = 0; i < ELEVEN; i++) {
        (void)kill(pids[i], SIGKILL);
        (void)waitpid(pids[i], NULL, 0);
    }
    qsort(over, pages, sizeof(*over), compare);
    return over[pages / 2];
}

/* Microseconds per round trip, of `rounds`: floor spin|futex|idle ROUNDS. "idle" is futex with both
 * asleep for 300 microseconds before each, which are not counted; the median, as one wait for a
 * busy core is a thousand of these. Microseconds of a page of eleven over its longest part, median
 * of `rounds`: floor eleven ROUNDS MILLISECONDS. */
int main(int argc, char **argv)
{
    int idle = argc > 1 && strcmp(argv[1], "idle") == 0;
    int by_futex = idle || (argc > 1 && strcmp(argv[1], "futex") == 0);
    unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 10000;
    if (argc > 3 && strcmp(argv[1], "eleven") == 0) {
        printf("%.0f\n", eleven(rounds, atof(argv[3]) * 1000));
        return 0;
    }
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
    double *took = calloc(rounds, sizeof(*took));
    double began = now_us();
    for (unsigned i = 0; i < rounds; i++) {
        if (idle) {
            (void)usleep(300);
            began = now_us();
        }
        turn_to(word, 2 * i + 1, by_futex);
        await_value(word, 2 * i + 2, by_futex);
        took[i] = idle ? now_us() - began : 0;
    }
    double mean = (now_us() - began) / rounds;
    qsort(took, rounds, sizeof(*took), compare);
    printf("%.3f\n", idle ? took[rounds / 2] : mean);
    (void)waitpid(other, NULL, 0);
    return 0;
}
