/* SPDX-License-Identifier: MIT */
/* What processes take, out of /proc: proc(5). */
#define _GNU_SOURCE
#include "net/usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loop/small_file.h"

/* Fields of /proc/PID/stat by their numbers in proc(5). */
enum { USER = 14, SYSTEM, USER_ENDED, SYSTEM_ENDED, START = 22, RESIDENT = 24, FIELDS };
enum { PATH_CAP = 128, TEXT_CAP = 4096 };

const net_usage_source net_usage_system = {
    .proc = "/proc", .sized = true, .listed = 10000}; /* a microsecond each */

static void path_of(const net_usage_source *self, int pid, const char *name, char out[PATH_CAP])
{
    if (pid == 0) {
        (void)snprintf(out, PATH_CAP, "%s/self/%s", self->proc, name);
    } else {
        (void)snprintf(out, PATH_CAP, "%s/%d/%s", self->proc, pid, name);
    }
}

/* A program's name may hold spaces and brackets: what counts begins behind the last of them. */
static bool read_fields(const net_usage_source *self, int pid, bool *ended, uint64_t fields[FIELDS])
{
    char path[PATH_CAP];
    char text[TEXT_CAP];
    path_of(self, pid, "stat", path);
    (void)tusk__small_file_read(path, text, sizeof(text));
    char *at = strrchr(text, ')');
    if (at == NULL || strlen(at) < 4) {
        return false;
    }
    *ended = at[2] == 'Z';
    at += 3; /* ") S" */
    for (int i = 4; i < FIELDS; i++) {
        char *end = at;
        fields[i] = strtoull(at, &end, 10);
        if (end == at) {
            return false;
        }
        at = end;
    }
    return true;
}

/* The machine's start: a line behind one for each processor and a long one of interrupts. */
static uint64_t boot_s(const net_usage_source *self)
{
    static const char name[] = "\nbtime ";
    char path[PATH_CAP];
    char text[TEXT_CAP];
    size_t kept = 0;
    uint64_t seconds = TUSK_USAGE_UNTOLD;
    (void)snprintf(path, sizeof(path), "%s/stat", self->proc);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 0;
    while (fd >= 0 && seconds == TUSK_USAGE_UNTOLD &&
           (got = read(fd, text + kept, sizeof(text) - 1 - kept)) > 0) {
        size_t len = kept + (size_t)got;
        text[len] = '\0';
        const char *line = strstr(text, name);
        if (line != NULL && strchr(line + 1, '\n') != NULL) {
            seconds = strtoull(line + sizeof(name) - 1, NULL, 10);
        }
        kept = len < 64 ? len : 64; /* the line, cut by the end of what was read */
        memmove(text, text + len - kept, kept);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return seconds;
}

static uint64_t list(const char *path, uint32_t max, bool own)
{
    DIR *folder = opendir(path);
    uint64_t count = 0;
    if (folder == NULL) {
        return TUSK_USAGE_UNTOLD;
    }
    for (const struct dirent *entry; count <= max && (entry = readdir(folder)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(folder);
    return count > max ? TUSK_USAGE_UNTOLD : count - (own && count > 0); /* the folder itself */
}

static uint64_t open_fds(const net_usage_source *self, int pid)
{
    char path[PATH_CAP];
    struct stat st;
    path_of(self, pid, "fd", path);
    if (self->sized && stat(path, &st) == 0 && st.st_size > 0) {
        return (uint64_t)st.st_size;
    }
    return list(path, self->listed, pid == 0);
}

static uint64_t max_fds(const net_usage_source *self, int pid)
{
    static const char name[] = "\nMax open files";
    char path[PATH_CAP];
    char text[TEXT_CAP];
    path_of(self, pid, "limits", path);
    (void)tusk__small_file_read(path, text, sizeof(text));
    const char *line = strstr(text, name);
    char *end = NULL;
    uint64_t max = line == NULL ? 0 : strtoull(line + sizeof(name) - 1, &end, 10);
    return max == 0 ? TUSK_USAGE_UNTOLD : max; /* "unlimited" is none */
}

static void take_fields(const net_usage_source *self, bool ended, const uint64_t fields[FIELDS],
                        tusk_usage *out)
{
    uint64_t hertz = (uint64_t)sysconf(_SC_CLK_TCK);
    uint64_t ticks = fields[USER] + fields[SYSTEM];
    ticks += ended ? fields[USER_ENDED] + fields[SYSTEM_ENDED] : 0;
    out->cpu_ms = ticks * 1000 / hertz;
    out->resident_bytes = fields[RESIDENT] * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t boot = boot_s(self);
    if (boot != TUSK_USAGE_UNTOLD) {
        out->start_ms = boot * 1000 + fields[START] * 1000 / hertz;
    }
}

void net_usage_read(const net_usage_source *self, int pid, bool ended, tusk_usage *out)
{
    uint64_t fields[FIELDS];
    bool gone = false;
    *out = (tusk_usage){TUSK_USAGE_UNTOLD, TUSK_USAGE_UNTOLD, TUSK_USAGE_UNTOLD, TUSK_USAGE_UNTOLD,
                        TUSK_USAGE_UNTOLD};
    if (read_fields(self, pid, &gone, fields)) {
        take_fields(self, ended, fields, out);
    }
    if (gone) { /* and not reaped yet: it has time, and no descriptor */
        out->open_fds = 0;
        out->max_fds = 1;
    } else {
        out->open_fds = open_fds(self, pid);
        out->max_fds = max_fds(self, pid);
    }
}

void tusk_usage_get(tusk_usage *out)
{
    net_usage_read(&net_usage_system, 0, false, out);
}

/* ---- of several ---- */
static void add(uint64_t *into, uint64_t of)
{
    *into = *into == TUSK_USAGE_UNTOLD || of == TUSK_USAGE_UNTOLD ? TUSK_USAGE_UNTOLD : *into + of;
}

void net_usage_add(tusk_usage *into, const tusk_usage *of)
{
    add(&into->resident_bytes, of->resident_bytes);
    add(&into->cpu_ms, of->cpu_ms);
    bool told = into->open_fds != TUSK_USAGE_UNTOLD && of->open_fds != TUSK_USAGE_UNTOLD &&
                into->max_fds != TUSK_USAGE_UNTOLD && of->max_fds != TUSK_USAGE_UNTOLD;
    if (!told) {
        into->open_fds = into->max_fds = TUSK_USAGE_UNTOLD;
    } else if ((double)of->open_fds / (double)of->max_fds >
               (double)into->open_fds / (double)into->max_fds) {
        into->open_fds = of->open_fds;
        into->max_fds = of->max_fds;
    }
}

/* ---- as text ---- */
typedef struct family {
    const char *name, *type, *suffix, *help;
    uint64_t value;
    bool seconds; /* the value is of milliseconds */
} family;

static tusk_err put(const family *self, tusk_buf *out)
{
    char text[512];
    char part[8] = "";
    if (self->seconds) {
        (void)snprintf(part, sizeof(part), ".%03u", (unsigned)(self->value % 1000));
    }
    int len = snprintf(text, sizeof(text),
                       "# TYPE process_%s %s\n# HELP process_%s %s\nprocess_%s%s %" PRIu64 "%s\n",
                       self->name, self->type, self->name, self->help, self->name, self->suffix,
                       self->seconds ? self->value / 1000 : self->value, part);
    return tusk_buf_append(out, text, (size_t)len);
}

tusk_err tusk_usage_text(const tusk_usage *self, tusk_buf *out)
{
    const family families[] = {
        {"resident_memory_bytes", "gauge", "",
         "Memory that is resident; what processes share counts in each.", self->resident_bytes,
         false},
        {"cpu_seconds", "counter", "_total", "Time of processors, of user and system.",
         self->cpu_ms, true},
        {"open_fds", "gauge", "", "Descriptors that are open; of the process nearest to its limit.",
         self->open_fds, false},
        {"max_fds", "gauge", "", "How many that process may have.", self->max_fds, false},
        {"start_time_seconds", "gauge", "", "When it began, since 1970.", self->start_ms, true},
    };
    tusk_err err = TUSK_OK;
    for (size_t i = 0; err == TUSK_OK && i < sizeof(families) / sizeof(families[0]); i++) {
        err = families[i].value == TUSK_USAGE_UNTOLD ? TUSK_OK : put(&families[i], out);
    }
    return err;
}
