/* SPDX-License-Identifier: MIT */
/* Preloaded into a server: counts heap calls into the file that TUSK_ALLOC_COUNT names (int64 each:
 * allocations, resizes, frees, then blocks and bytes that are held, and the most of both that ever
 * were). With USE_ZEND_ALLOC=0 PHP's own allocations are among them. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdbool.h>

#include "shim.h"

void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *ptr, size_t size);
void free(void *ptr);

/* glibc's own names for the real ones: no look-up, so no recursion through dlsym. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);
extern void __libc_free(void *ptr);

enum { ALLOCATED, RESIZED, FREED, BLOCKS, BYTES, BLOCKS_MOST, BYTES_MOST, COUNTS };

static int64_t nowhere[COUNTS];
static int64_t *counts = nowhere; /* a process has one heap, so one count */

__attribute__((constructor)) static void open_counts(void)
{
    int64_t *file = shim_open("TUSK_ALLOC_COUNT", sizeof(nowhere));
    counts = file == NULL ? nowhere : file;
}

static void count(size_t what)
{
    (void)__atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED);
}

static void add(size_t what, int64_t change)
{
    int64_t now = __atomic_add_fetch(&counts[what], change, __ATOMIC_RELAXED);
    size_t most = what - BLOCKS + BLOCKS_MOST;
    if (now > counts[most]) {
        counts[most] = now; /* near enough with several threads, exact with one */
    }
}

static void hold(void *ptr)
{
    if (ptr != NULL) {
        add(BLOCKS, 1);
        add(BYTES, (int64_t)malloc_usable_size(ptr));
    }
}

void *malloc(size_t size)
{
    count(ALLOCATED);
    void *ptr = __libc_malloc(size);
    hold(ptr);
    return ptr;
}

void *calloc(size_t n, size_t size)
{
    count(ALLOCATED);
    void *ptr = __libc_calloc(n, size);
    hold(ptr);
    return ptr;
}

void *realloc(void *ptr, size_t size)
{
    bool is_new = ptr == NULL;
    int64_t had = is_new ? 0 : (int64_t)malloc_usable_size(ptr);
    count(is_new ? ALLOCATED : RESIZED);
    void *grown = __libc_realloc(ptr, size);
    if (!is_new && (grown != NULL || size == 0)) {
        add(BLOCKS, -1);
        add(BYTES, -had);
    }
    hold(grown);
    return grown;
}

void free(void *ptr)
{
    if (ptr != NULL) {
        count(FREED);
        add(BLOCKS, -1);
        add(BYTES, -(int64_t)malloc_usable_size(ptr));
    }
    __libc_free(ptr);
}
