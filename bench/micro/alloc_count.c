/* SPDX-License-Identifier: MIT */
/* Preloaded into a server: counts heap calls into the file that TUSK_ALLOC_COUNT names (three
 * uint64: allocations, resizes, frees). With USE_ZEND_ALLOC=0 PHP's own allocations are among them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *ptr, size_t size);
void free(void *ptr);

/* glibc's own names for the real ones: no look-up, so no recursion through dlsym. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);
extern void __libc_free(void *ptr);

static uint64_t nowhere[3];
static uint64_t *counts = nowhere; /* a process has one heap, so one count */

__attribute__((constructor)) static void open_counts(void)
{
    const char *path = getenv("TUSK_ALLOC_COUNT");
    int fd = path == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0 || ftruncate(fd, sizeof(nowhere)) != 0) {
        return;
    }
    void *map = mmap(NULL, sizeof(nowhere), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED) {
        counts = map;
    }
    (void)close(fd);
}

static void count(size_t what)
{
    (void)__atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size)
{
    count(0);
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    count(0);
    return __libc_calloc(n, size);
}

void *realloc(void *ptr, size_t size)
{
    count(ptr == NULL ? 0 : 1);
    return __libc_realloc(ptr, size);
}

void free(void *ptr)
{
    if (ptr != NULL) {
        count(2);
    }
    __libc_free(ptr);
}
