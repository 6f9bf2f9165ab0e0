/* SPDX-License-Identifier: MIT */
/* Pages of large payloads, as Linux gives and takes them. */
#define _GNU_SOURCE
#include "net/pages.h"

#if defined(__linux__)

#include <sys/mman.h>
#include <unistd.h>

/* Eight pages of 4 KiB take some 10 us, as long as it takes to inflate what they hold. */
#define READY_STEP ((uintptr_t)32 << 10)

static uintptr_t up_to(uintptr_t at, uintptr_t step)
{
    return (at + step - 1) / step * step;
}

void tusk__pages_ready(const uint8_t *ptr, size_t len, const uint8_t *end)
{
#if defined(MADV_POPULATE_WRITE)
    uintptr_t first = up_to((uintptr_t)ptr, READY_STEP);
    uintptr_t last = up_to((uintptr_t)ptr + len, READY_STEP);
    if (first >= last) {
        return;
    }
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t whole = (uintptr_t)end / page * page;
    last = last < whole ? last : whole;
    if (first < last) {
        (void)madvise((void *)first, last - first, MADV_POPULATE_WRITE);
    }
#else
    (void)ptr;
    (void)len;
    (void)end;
#endif
}

void tusk__pages_discard(uint8_t *ptr, size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t before = (page - (uintptr_t)ptr % page) % page;
    if (before < len) {
        (void)madvise(ptr + before, (len - before) / page * page, MADV_DONTNEED);
    }
}

#else

void tusk__pages_ready(const uint8_t *ptr, size_t len, const uint8_t *end)
{
    (void)ptr;
    (void)len;
    (void)end;
}

void tusk__pages_discard(uint8_t *ptr, size_t len)
{
    (void)ptr;
    (void)len;
}

#endif
