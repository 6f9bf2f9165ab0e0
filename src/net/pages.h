/* SPDX-License-Identifier: MIT */
/* Pages of large payloads, which the system gives at the first touch and takes back when asked. */
#ifndef NET_PAGES_H
#define NET_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* Asks for the pages that writing `len` bytes at `ptr` is the first to reach, all up to the next
 * multiple of 32 KiB together: one by one, at the first touch of each, they cost two to twenty
 * times as much. Nothing at or beyond `end` is touched. Costs no system call for what follows
 * within those 32 KiB. Where the system cannot (Linux before 5.14, no memory) nothing happens, and
 * the touch does it. */
void tusk__pages_ready(const uint8_t *ptr, size_t len, const uint8_t *end);
/* Gives back those that lie wholly in these bytes: they read as zeros from then on. What is at the
 * edges belongs to the allocator. */
void tusk__pages_discard(uint8_t *ptr, size_t len);

#endif
