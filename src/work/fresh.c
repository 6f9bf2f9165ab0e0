/* SPDX-License-Identifier: MIT */
/* A fresh template: what it has to know lies in a file without a name, whose descriptor it inherits
 * with those of the region, the pipes and the bells. */
#define _GNU_SOURCE
#include "work/fresh.h"

#if defined(__linux__)

#include "base/mem.h"
#include "work/template.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tusk/version.h>
#include <unistd.h>

enum { FD_REGION, FD_COMMANDS, FD_REPORTS, FD_BELL, FD_WISH, FD_LIFE, FD_BIRTH, FDS };
enum { ARGUMENTS_MAX = 256, PAYLOAD_MAX = 64 * 1024 * 1024 };

/* Both sides are this file, but perhaps of another build: then the first two differ. */
typedef struct work_birth {
    uint64_t size;
    char version[32];
    int32_t parent;
    uint32_t workers, workers_max, queue, tasks_max, grace_ms, spin_us;
    uint64_t arena_bytes, age_ms_max, payload_len;
    uint32_t incarnations[TUSK_WORK_WORKERS_MAX];
} work_birth;

static void describe(work_birth *out, const work_shape *shape)
{
    const tusk_work_options *options = &shape->options;
    memset(out, 0, sizeof(*out));
    out->size = sizeof(*out);
    (void)snprintf(out->version, sizeof(out->version), "%s", TUSK_VERSION);
    out->parent = (int32_t)getpid();
    out->workers = options->workers;
    out->workers_max = options->workers_max;
    out->queue = options->queue;
    out->tasks_max = options->tasks_max;
    out->grace_ms = options->grace_ms;
    out->spin_us = options->spin_us;
    out->arena_bytes = options->arena_bytes;
    out->age_ms_max = options->age_ms_max;
    out->payload_len = options->payload.len;
    memcpy(out->incarnations, shape->incarnations, sizeof(out->incarnations));
}

static bool write_all(int fd, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    while (len > 0) {
        ssize_t done = write(fd, at, len);
        if (done <= 0) {
            return false;
        }
        at += done;
        len -= (size_t)done;
    }
    return true;
}

static int open_birth(const work_shape *shape)
{
    work_birth birth;
    tusk_bytes payload = shape->options.payload;
    int fd = memfd_create("tusk-birth", MFD_CLOEXEC);
    describe(&birth, shape);
    if (fd >= 0 && (!write_all(fd, &birth, sizeof(birth)) ||
                    (payload.len > 0 && !write_all(fd, payload.ptr, payload.len)))) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* Its output is the application's error output, as of any template. */
static int spawn(const char *const *argv, const int *fds, int *pid)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return ENOMEM;
    }
    int failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    failed = failed != 0 ? failed : posix_spawn_file_actions_adddup2(&actions, 2, 1);
    for (int i = 0; i < FDS && failed == 0; i++) { /* onto itself: it stays open */
        failed = posix_spawn_file_actions_adddup2(&actions, fds[i], fds[i]);
    }
    pid_t child = 0;
    failed = failed != 0 ? failed
                         : posix_spawn(&child, argv[0], &actions, NULL,
                                       (char *const *)(uintptr_t)argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    *pid = (int)child;
    return failed;
}

tusk_err tusk__fresh_spawn(const work_shape *shape, int commands, int reports, int *pid)
{
    const char *argv[ARGUMENTS_MAX + 2];
    char where[FDS * 12];
    int fds[FDS] = {shape->region.fd, commands,       reports, shape->bell_fd,
                    shape->wish_fd,   shape->life_fd, -1};
    size_t count = 0;
    while (shape->options.argv[count] != NULL && count < ARGUMENTS_MAX) {
        argv[count] = shape->options.argv[count];
        count++;
    }
    errno = E2BIG;
    fds[FD_BIRTH] = shape->options.argv[count] == NULL ? open_birth(shape) : -1;
    if (fds[FD_BIRTH] < 0) {
        return TUSK_ESYS;
    }
    int len = 0;
    for (int i = 0; i < FDS; i++) {
        len += snprintf(where + len, sizeof(where) - (size_t)len, i == 0 ? "%d" : ",%d", fds[i]);
    }
    argv[count] = where;
    argv[count + 1] = NULL;
    errno = spawn(argv, fds, pid);
    (void)close(fds[FD_BIRTH]);
    return errno == 0 ? TUSK_OK : TUSK_ESYS;
}

/* ---- in the new process ---- */
static bool parse(const char *where, int *fds)
{
    for (int i = 0; i < FDS; i++) {
        char *end;
        long number = strtol(where, &end, 10);
        if (end == where || number < 3 || number > (1 << 30) ||
            *end != (i == FDS - 1 ? '\0' : ',')) {
            return false;
        }
        fds[i] = (int)number;
        where = end + 1;
    }
    return true;
}

static bool read_birth(int fd, work_birth *out, uint8_t **payload)
{
    if (pread(fd, out, sizeof(*out), 0) != (ssize_t)sizeof(*out) || out->size != sizeof(*out) ||
        strncmp(out->version, TUSK_VERSION, sizeof(out->version)) != 0 ||
        out->payload_len > PAYLOAD_MAX) {
        return false;
    }
    size_t len = (size_t)out->payload_len;
    *payload = tusk__new(tusk_mem_default(), len + 1);
    return *payload != NULL && pread(fd, *payload, len, (off_t)sizeof(*out)) == (ssize_t)len;
}

static bool adopt(work_shape *shape, const work_birth *birth, const int *fds)
{
    struct stat info;
    work_region *region = &shape->region;
    if (birth->workers_max < 1 || birth->workers_max > TUSK_WORK_WORKERS_MAX || birth->queue < 1 ||
        birth->queue > 65536 || fstat(fds[FD_REGION], &info) != 0 ||
        tusk__region_adopt(region, birth->workers_max, birth->queue, (size_t)birth->arena_bytes,
                           fds[FD_REGION], (size_t)info.st_size) != TUSK_OK) {
        return false;
    }
    shape->mem = tusk_mem_default();
    shape->bell_fd = fds[FD_BELL];
    shape->wish_fd = fds[FD_WISH];
    shape->life_fd = fds[FD_LIFE];
    memcpy(shape->incarnations, birth->incarnations, sizeof(shape->incarnations));
    shape->options.workers = birth->workers;
    shape->options.workers_max = birth->workers_max;
    shape->options.queue = birth->queue;
    shape->options.tasks_max = birth->tasks_max;
    shape->options.grace_ms = birth->grace_ms;
    shape->options.spin_us = birth->spin_us;
    shape->options.age_ms_max = birth->age_ms_max;
    return true;
}

tusk_err tusk_work_become(const char *where, const tusk_work_calls *calls, void *user)
{
    int fds[FDS];
    work_birth birth;
    work_shape shape = {.options = {.calls = calls, .user = user}};
    uint8_t *payload = NULL;
    if (!parse(where, fds)) {
        return TUSK_EINVAL;
    }
    if (!read_birth(fds[FD_BIRTH], &birth, &payload) || !adopt(&shape, &birth, fds)) {
        tusk__free(tusk_mem_default(), payload, payload == NULL ? 0 : birth.payload_len + 1);
        return TUSK_EINVAL;
    }
    if (!tusk__die_with((int)birth.parent)) {
        _exit(1);
    }
    (void)fcntl(fds[FD_REPORTS], F_SETFL, 0);
    if (calls->receive != NULL) {
        calls->receive(tusk_bytes_of(payload, (size_t)birth.payload_len), user);
    }
    tusk__template_main(&shape, fds[FD_COMMANDS], fds[FD_REPORTS]);
}

#else

typedef int tusk__fresh_is_not_built; /* an empty file would not be C */

#endif
