/* SPDX-License-Identifier: MIT */
/* Preloaded into a server: counts what memcpy and memmove copy, from 512 bytes on, into the file
 * that TUSK_COPY_COUNT names (int64 each: bytes, calls). Shorter copies are compiled in place, and
 * no payload's. */
#define _GNU_SOURCE
#include <string.h>

#include "shim.h"

enum { BYTES, CALLS, COUNTS, LONG_MIN_BYTES = 512 };

typedef void *copy_function(void *to, const void *from, size_t len);

static int64_t nowhere[COUNTS];
static int64_t *counts = nowhere;
static copy_function *real_memcpy;
static copy_function *real_memmove;

__attribute__((constructor)) static void open_counts(void)
{
    *(void **)(&real_memcpy) = dlsym(RTLD_NEXT, "memcpy");
    *(void **)(&real_memmove) = dlsym(RTLD_NEXT, "memmove");
    int64_t *file = shim_open("TUSK_COPY_COUNT", sizeof(nowhere));
    counts = file == NULL ? nowhere : file;
}

static void count(size_t len)
{
    if (len >= LONG_MIN_BYTES) {
        (void)__atomic_fetch_add(&counts[BYTES], (int64_t)len, __ATOMIC_RELAXED);
        (void)__atomic_fetch_add(&counts[CALLS], 1, __ATOMIC_RELAXED);
    }
}

/* Before the real ones are known. Volatile, or the compiler would make a call of memcpy of it. */
static void *copy_bytes(void *to, const void *from, size_t len)
{
    volatile uint8_t *target = to;
    const volatile uint8_t *source = from;
    if (target <= source) {
        for (size_t i = 0; i < len; i++) {
            target[i] = source[i];
        }
    } else {
        for (size_t i = len; i > 0; i--) {
            target[i - 1] = source[i - 1];
        }
    }
    return to;
}

void *memcpy(void *to, const void *from, size_t len)
{
    count(len);
    return real_memcpy == NULL ? copy_bytes(to, from, len) : real_memcpy(to, from, len);
}

void *memmove(void *to, const void *from, size_t len)
{
    count(len);
    return real_memmove == NULL ? copy_bytes(to, from, len) : real_memmove(to, from, len);
}
