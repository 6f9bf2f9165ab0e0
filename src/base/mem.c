/* SPDX-License-Identifier: MIT */
/* The allocator handle and its default, the C library's heap. */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
#include <malloc.h>
#define HEAP_OF_GLIBC
#endif

static void *resize_by_libc(void *user, void *old, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, size);
}

static const tusk_mem default_mem = {.resize = resize_by_libc, .user = NULL};

const tusk_mem *tusk_mem_default(void)
{
    return &default_mem;
}

void *tusk__new(const tusk_mem *mem, size_t size)
{
    void *ptr = mem->resize(mem->user, NULL, 0, size);
    if (ptr != NULL) {
        memset(ptr, 0, size);
    }
    return ptr;
}

void *tusk__resize(const tusk_mem *mem, void *old, size_t old_size, size_t size)
{
    return mem->resize(mem->user, old, old_size, size);
}

void tusk__free(const tusk_mem *mem, void *ptr, size_t size)
{
    if (ptr != NULL) {
        (void)mem->resize(mem->user, ptr, size, 0);
    }
}

size_t tusk__mem_spare(const tusk_mem *mem)
{
#if defined(HEAP_OF_GLIBC)
    return mem->resize == resize_by_libc ? mallinfo2().fordblks : 0;
#else
    (void)mem;
    return 0;
#endif
}

void tusk__mem_trim(const tusk_mem *mem)
{
#if defined(HEAP_OF_GLIBC)
    if (mem->resize == resize_by_libc) {
        (void)malloc_trim(0);
    }
#else
    (void)mem;
#endif
}
