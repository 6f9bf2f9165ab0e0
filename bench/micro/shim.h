/* SPDX-License-Identifier: MIT */
/* What libraries share that are preloaded into a server and count in a file. Included once, by the
 * library's one source. */
#ifndef BENCH_MICRO_SHIM_H
#define BENCH_MICRO_SHIM_H

#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The counts, in the file that the variable names; NULL: no file is wanted, or it cannot be. */
static int64_t *shim_open(const char *variable, size_t len)
{
    const char *path = getenv(variable);
    int fd = path == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0 || ftruncate(fd, (off_t)len) != 0) {
        return NULL;
    }
    void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    return map == MAP_FAILED ? NULL : map;
}

void *dlopen(const char *path, int mode);

/* PHP opens its extensions with RTLD_DEEPBIND: they would call libc past whoever is preloaded, and
 * the core's own calls would not be counted. */
void *dlopen(const char *path, int mode)
{
    void *(*real)(const char *, int);
    *(void **)(&real) = dlsym(RTLD_NEXT, "dlopen");
    return real(path, mode & ~RTLD_DEEPBIND);
}

#endif
