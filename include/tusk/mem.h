/* SPDX-License-Identifier: MIT */
/* The allocator handle: everything the core puts on the heap goes through one of these. */
#ifndef TUSK_MEM_H
#define TUSK_MEM_H

#include <stddef.h>
#include <tusk/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `resize` with old == NULL allocates, with size == 0 frees and returns NULL; NULL otherwise means
 * no memory and leaves `old` as it was. `old_size` is what was asked for last (0 for a new one). */
typedef struct tusk_mem {
    void *(*resize)(void *user, void *old, size_t old_size, size_t size);
    void *user;
} tusk_mem;

/* malloc, realloc and free of the C library. */
TUSK_API const tusk_mem *tusk_mem_default(void);

#ifdef __cplusplus
}
#endif
#endif
