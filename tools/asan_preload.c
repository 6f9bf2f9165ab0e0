/* SPDX-License-Identifier: MIT */
/* Preloaded before libasan, for what PHP does that the sanitizer's runtime does not expect: it
 * opens modules with RTLD_DEEPBIND, which that refuses; and the stack of a fiber that is let go
 * leaves marks of frames that never returned, which are not those of who has these addresses next.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void __asan_unpoison_memory_region(const volatile void *place, size_t len) __attribute__((weak));
void __asan_get_shadow_mapping(size_t *scale, size_t *offset) __attribute__((weak));

void *dlopen(const char *name, int mode)
{
    void *(*next)(const char *, int) = NULL;
    void *found = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&next, &found, sizeof(next)); /* ISO C has no cast from object to function pointer */
    return next(name, mode & ~RTLD_DEEPBIND);
}

/* What is written on the marks makes their pages: 256 MiB for a pool's region, of which hardly any
 * are ever looked at. Whole pages of them are given back to the kernel instead, which has zeros for
 * who looks: no mark. */
static void unmark(char *place, size_t len)
{
    size_t scale;
    size_t offset;
    size_t page = (size_t)getpagesize();
    __asan_get_shadow_mapping(&scale, &offset);
    size_t covers = page << scale; /* by one page of marks */
    char *begin = place + (covers - (uintptr_t)place % covers) % covers;
    char *end = place + len - (uintptr_t)(place + len) % covers;
    char *marks = (char *)(((uintptr_t)begin >> scale) + offset);
    if (begin >= end || madvise(marks, (size_t)(end - begin) >> scale, MADV_DONTNEED) != 0) {
        __asan_unpoison_memory_region(place, len);
        return;
    }
    __asan_unpoison_memory_region(place, (size_t)(begin - place));
    __asan_unpoison_memory_region(end, (size_t)(place + len - end));
}

void *mmap(void *place, size_t len, int protection, int flags, int fd, off_t offset)
{
    static void *(*next)(void *, size_t, int, int, int, off_t);
    if (next == NULL) {
        void *found = dlsym(RTLD_NEXT, "mmap");
        memcpy(&next, &found, sizeof(next));
    }
    void *mapped = next(place, len, protection, flags, fd, offset);
    if (mapped != MAP_FAILED && __asan_unpoison_memory_region != NULL) {
        unmark(mapped, len);
    }
    return mapped;
}
