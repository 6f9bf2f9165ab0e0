/* SPDX-License-Identifier: MIT */
/* What the kernel says of a process tree: CPU time of all threads to the nanosecond, and memory. */
#define _GNU_SOURCE
#include "driver.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TREE_MAX = 256 };

static double task_cpu(pid_t pid, const char *tid)
{
    char path[320];
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", (int)pid, tid);
    FILE *file = fopen(path, "re");
    uint64_t ns = 0;
    if (file != NULL) {
        if (fscanf(file, "%" SCNu64, &ns) != 1) {
            ns = 0;
        }
        (void)fclose(file);
    }
    return (double)ns / 1e9;
}

static size_t add_children(pid_t pid, const char *tid, pid_t *tree, size_t n)
{
    char path[320];
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)pid, tid);
    FILE *file = fopen(path, "re");
    int child;
    while (file != NULL && n < TREE_MAX && fscanf(file, "%d", &child) == 1) {
        tree[n++] = (pid_t)child;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return n;
}

/* Visits the threads of pid: adds their CPU time and appends their children to the tree. */
static size_t walk(pid_t pid, pid_t *tree, size_t n, double *cpu)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.') {
            *cpu += task_cpu(pid, entry->d_name);
            n = add_children(pid, entry->d_name, tree, n);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return n;
}

double proc_cpu_seconds(pid_t pid)
{
    double cpu = 0;
    pid_t tree[TREE_MAX] = {pid};
    size_t n = pid > 0 ? 1 : 0;
    for (size_t i = 0; i < n; i++) {
        n = walk(tree[i], tree, n, &cpu);
    }
    return cpu;
}

/* In clock ticks of the kernel, so only for windows of a second and more. */
double proc_user_seconds(pid_t pid)
{
    char path[64];
    unsigned long ticks = 0;
    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *file = pid > 0 ? fopen(path, "re") : NULL;
    if (file != NULL) {
        if (fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu", &ticks) !=
            1) {
            ticks = 0;
        }
        (void)fclose(file);
    }
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

double proc_computed_seconds(const char *file)
{
    int64_t ns = 0;
    FILE *counts = file == NULL ? NULL : fopen(file, "re");
    if (counts != NULL) {
        ns = fread(&ns, sizeof(ns), 1, counts) == 1 ? ns : 0;
        (void)fclose(counts);
    }
    return (double)ns / 1e9;
}

double proc_own_cpu_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void add_memory(pid_t pid, proc_memory *memory)
{
    char line[256];
    (void)snprintf(line, sizeof(line), "/proc/%d/smaps_rollup", (int)pid);
    FILE *file = fopen(line, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        double kib = 0;
        const char *colon = strchr(line, ':');
        kib = colon != NULL ? strtod(colon + 1, NULL) : 0;
        if (strncmp(line, "Pss:", 4) == 0) {
            memory->pss += kib * 1024;
        } else if (strncmp(line, "Rss:", 4) == 0) {
            memory->rss += kib * 1024;
        } else if (strncmp(line, "Private_Dirty:", 14) == 0) {
            memory->private_dirty += kib * 1024;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

proc_memory proc_memory_of(pid_t pid)
{
    proc_memory memory = {0};
    double cpu = 0;
    pid_t tree[TREE_MAX] = {pid};
    size_t n = pid > 0 ? 1 : 0;
    for (size_t i = 0; i < n; i++) {
        n = walk(tree[i], tree, n, &cpu);
        add_memory(tree[i], &memory);
    }
    return memory;
}
