/* SPDX-License-Identifier: MIT */
/* What fuzz targets share: a check that cannot be compiled out, and copies that end where the heap
 * block ends. */
#ifndef TUSK_FUZZ_H
#define TUSK_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include <tusk/bytes.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(what)                                                                           \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            (void)fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #what);               \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* One byte past it is another's: ASan sees the step. Free with fuzz_drop. */
static inline tusk_bytes fuzz_copy(const uint8_t *ptr, size_t len)
{
    uint8_t *copy = malloc(len > 0 ? len : 1);
    FUZZ_CHECK(copy != NULL);
    if (len > 0) {
        memcpy(copy, ptr, len);
    }
    return tusk_bytes_of(copy, len);
}

static inline void fuzz_drop(tusk_bytes copy)
{
    free((void *)(uintptr_t)copy.ptr);
}

static inline bool fuzz_within(tusk_bytes part, tusk_bytes whole)
{
    return part.len == 0 || (part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len);
}

#endif
