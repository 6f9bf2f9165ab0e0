/* SPDX-License-Identifier: MIT */
/* Short forms of the allocator handle for the core's own files. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <tusk/mem.h>

/* Zeroed memory, or NULL. */
void *tusk__new(const tusk_mem *mem, size_t size);
void *tusk__resize(const tusk_mem *mem, void *old, size_t old_size, size_t size);
/* NULL is fine. `size` is what was asked for. */
void tusk__free(const tusk_mem *mem, void *ptr, size_t size);

#endif
