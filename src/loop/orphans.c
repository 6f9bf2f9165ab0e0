/* SPDX-License-Identifier: MIT */
/* Children that were not ours: the first process of a container inherits whoever loses its parent,
 * and each stays in the table of processes until somebody asks how it ended. */
#define _GNU_SOURCE
#include "loop/process.h"
#include "loop/small_file.h"

#if defined(__linux__)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static bool inherits(void)
{
    int reaper = 0;
    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &reaper) == 0 && reaper != 0);
}

/* `12 (name) Z 1 …` */
static bool has_ended_as(int pid, const char *name)
{
    char path[40];
    char text[128];
    char wanted[24];
    (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    (void)snprintf(wanted, sizeof(wanted), "(%s) Z ", name);
    return tusk__small_file_read(path, text, sizeof(text)) > 0 && strstr(text, wanted) != NULL;
}

uint32_t tusk__reap_orphans(const char *name)
{
    char path[64];
    char text[4096]; /* some 600 children at a time: those that are reaped make room for the rest */
    int status;
    uint32_t reaped = 0;
    if (!inherits()) {
        return 0;
    }
    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    size_t len = tusk__small_file_read(path, text, sizeof(text));
    char *at = text;
    char *end = strrchr(text, ' '); /* a number that was cut off is none */
    while (len > 0 && end != NULL && at < end) {
        int pid = (int)strtol(at, &at, 10);
        if (pid <= 0) {
            break;
        }
        reaped += has_ended_as(pid, name) && tusk__reap(pid, -1, &status) == 1;
    }
    return reaped;
}

#else

uint32_t tusk__reap_orphans(const char *name)
{
    (void)name;
    return 0;
}

#endif
