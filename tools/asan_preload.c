/* SPDX-License-Identifier: MIT */
/* Preloaded before libasan, for what PHP does that the sanitizer's runtime does not expect: it
 * opens modules with RTLD_DEEPBIND, which that refuses; and the stack of a fiber that is let go
 * leaves marks of frames that never returned, which are not those of who has these addresses next.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

void __asan_unpoison_memory_region(const volatile void *place, size_t len) __attribute__((weak));

void *dlopen(const char *name, int mode)
{
    void *(*next)(const char *, int) = NULL;
    void *found = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&next, &found, sizeof(next)); /* ISO C has no cast from object to function pointer */
    return next(name, mode & ~RTLD_DEEPBIND);
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
        __asan_unpoison_memory_region(mapped, len);
    }
    return mapped;
}
