/* SPDX-License-Identifier: MIT */
/* Processors: the mask, and the quotas of control groups, whose second version writes "max 100000"
 * or "150000 100000" (microseconds in each so many) into one file and whose first has two. */
#define _GNU_SOURCE
#include "loop/cpus.h"
#include "loop/small_file.h"

#include <tusk/loop.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sched.h>

#define PATH_CAP 512

static uint32_t rounded_up(long long quota, long long period)
{
    return quota <= 0 || period <= 0 ? 0 : (uint32_t)((quota + period - 1) / period);
}

static uint32_t quota_of(const char *folder, bool unified)
{
    char path[PATH_CAP + 32];
    char text[64];
    char *end;
    (void)snprintf(path, sizeof(path), "%s/%s", folder, unified ? "cpu.max" : "cpu.cfs_quota_us");
    if (tusk__small_file_read(path, text, sizeof(text)) == 0) {
        return 0;
    }
    long long quota = strtoll(text, &end, 10); /* "max" is 0, and so no quota; -1 neither */
    if (!unified) {
        (void)snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
        if (tusk__small_file_read(path, text, sizeof(text)) == 0) {
            return 0;
        }
        end = text;
    }
    return rounded_up(quota, strtoll(end, NULL, 10));
}

static uint32_t less_of(uint32_t one, uint32_t other)
{
    return one == 0 || (other != 0 && other < one) ? other : one;
}

/* Of the group and all around it, up to where they are mounted: a container sees its own group
 * there, whatever path it has outside. */
static uint32_t quota_upwards(const char *mount, const char *path, bool unified)
{
    char folder[PATH_CAP];
    size_t root = strlen(mount);
    int len = snprintf(folder, sizeof(folder), "%s%s", mount, path);
    uint32_t least = 0;
    if (len < 0 || (size_t)len >= sizeof(folder)) {
        return 0;
    }
    for (;;) {
        least = less_of(least, quota_of(folder, unified));
        char *slash = strrchr(folder, '/');
        if (slash == NULL || (size_t)(slash - folder) < root) {
            return least;
        }
        *slash = '\0';
    }
}

static bool names_cpu(const char *controllers)
{
    const char *at = controllers;
    while (*at != '\0') {
        size_t len = strcspn(at, ",");
        if (len == 3 && memcmp(at, "cpu", 3) == 0) {
            return true;
        }
        at += len + (at[len] == ',');
    }
    return false;
}

/* `0::/path` of the second version, `4:cpu,cpuacct:/path` of the first, whose folder is called as
 * its controllers are. */
static uint32_t quota_of_line(char *line, const char *mount)
{
    char folder[PATH_CAP];
    char *controllers = strchr(line, ':');
    char *path = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (path == NULL) {
        return 0;
    }
    *path++ = '\0';
    controllers++;
    path[strcspn(path, "\n")] = '\0';
    if (*controllers == '\0') {
        return quota_upwards(mount, path, true);
    }
    int len = snprintf(folder, sizeof(folder), "%s/%s", mount, controllers);
    return !names_cpu(controllers) || len < 0 || (size_t)len >= sizeof(folder)
               ? 0
               : quota_upwards(folder, path, false);
}

uint32_t tusk__cpus_of_groups(const char *groups, const char *mount)
{
    char line[PATH_CAP];
    uint32_t least = 0;
    FILE *file = fopen(groups, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        least = less_of(least, quota_of_line(line, mount));
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return least;
}

static uint32_t count_mask(void)
{
    cpu_set_t mask; /* where there are more than 1,024 it does not fit, and all are meant */
    return sched_getaffinity(0, sizeof(mask), &mask) == 0 ? (uint32_t)CPU_COUNT(&mask) : 0;
}
#else
uint32_t tusk__cpus_of_groups(const char *groups, const char *mount)
{
    (void)groups;
    (void)mount;
    return 0;
}

static uint32_t count_mask(void)
{
    return 0;
}
#endif

uint32_t tusk__cpus_of_mask(void)
{
    uint32_t count = count_mask();
    long online = count > 0 ? 0 : sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? count : online < 1 ? 1 : (uint32_t)online;
}

uint32_t tusk_loop_cpus(void)
{
    uint32_t mask = tusk__cpus_of_mask();
    uint32_t quota = tusk__cpus_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");
    return quota != 0 && quota < mask ? quota : mask;
}
