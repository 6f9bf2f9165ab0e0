/* SPDX-License-Identifier: MIT */
/* Opening beneath a folder, by openat2. It takes every absolute link for one that leads outside,
 * and old kernels and some sandboxes have it not: then what was opened is asked for its path.
 * Either way a file is judged by the descriptor that is read, so that no rename in between matters.
 */
#define _GNU_SOURCE
#include "serve/files_root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#if defined(__linux__)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

#define LOOK_AGAIN_MS 1000u

files_root *tusk__files_root_new(const tusk_mem *mem, const char *directory)
{
    files_root *self = tusk__new(mem, sizeof(*self));
    if (self != NULL) {
        *self = (files_root){.directory = directory, .len = strlen(directory), .fd = -1};
    }
    return self;
}

void tusk__files_root_free(const tusk_mem *mem, files_root *self)
{
    if (self != NULL && self->fd >= 0) {
        (void)close(self->fd);
    }
    tusk__free(mem, self, sizeof(*self));
}

/* With no descriptor left the former one serves on. */
static bool look_up(files_root *self, uint64_t now_ms, bool anew)
{
    if (self->fd >= 0 && !anew && now_ms - self->opened_ms < LOOK_AGAIN_MS) {
        return true;
    }
    int fd = open(self->directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno != EMFILE && errno != ENFILE) {
        return false;
    }
    if (fd >= 0) {
        if (self->fd >= 0) {
            (void)close(self->fd);
        }
        self->fd = fd;
        self->opened_ms = now_ms;
    }
    return self->fd >= 0;
}

static bool path_of(int fd, char *out, size_t cap)
{
#if defined(__linux__)
    char link[32];
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, out, cap - 1);
    out[n < 0 ? 0 : n] = '\0';
    return n > 0 && (size_t)n < cap - 1;
#elif defined(F_GETPATH)
    return cap >= PATH_MAX && fcntl(fd, F_GETPATH, out) == 0;
#else
    (void)fd;
    (void)out;
    (void)cap;
    return false; /* then nothing of this folder is served: followSymlinks is left */
#endif
}

static bool lies_beneath(const files_root *self, int fd)
{
    char root[PATH_MAX + 1];
    char file[PATH_MAX + 1];
    if (!path_of(self->fd, root, sizeof(root)) || !path_of(fd, file, sizeof(file))) {
        return false;
    }
    size_t len = strlen(root);
    return strncmp(root, file, len) == 0 && (file[len] == '/' || file[len] == '\0');
}

static int open_and_ask(files_root *self, const char *path, int flags)
{
    int fd = openat(self->fd, path, flags | O_CLOEXEC);
    bool outside = fd >= 0 && !lies_beneath(self, fd);
    if (outside) {
        (void)close(fd);
        self->refused = true;
    }
    if (outside || (fd < 0 && errno == EACCES)) { /* which might be outside, too */
        errno = ENOENT;
        return -1;
    }
    return fd;
}

int tusk__files_root_open(files_root *self, const char *path, int flags, uint64_t now_ms, bool anew)
{
    if (!look_up(self, now_ms, anew)) {
        return -1;
    }
    path += self->len;
    while (*path == '/') {
        path++;
    }
#if defined(SYS_openat2)
    const struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC),
                                 .resolve = RESOLVE_BENEATH};
    int fd = (int)syscall(SYS_openat2, self->fd, path[0] == '\0' ? "." : path, &how, sizeof(how));
    bool unsure = fd < 0 && (errno == EXDEV || errno == ENOSYS || errno == EPERM ||
                             errno == EAGAIN || errno == EINVAL);
    if (!unsure) {
        return fd;
    }
#endif
    return open_and_ask(self, path[0] == '\0' ? "." : path, flags);
}

bool tusk__files_root_tells(files_root *self)
{
    bool tells = self != NULL && self->refused && !self->told;
    if (tells) {
        self->told = true;
    }
    return tells;
}
