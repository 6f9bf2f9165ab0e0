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
/* Bytes that were freed and stay with the process, what trim has given back of them included: a
 * walk over the free blocks. 0 where the C library does not tell, or `mem` is another allocator. */
size_t tusk__mem_spare(const tusk_mem *mem);
/* The whole pages of them go back to the system. */
void tusk__mem_trim(const tusk_mem *mem);

#endif
