/* SPDX-License-Identifier: MIT */
/* Small files: one read, as what /proc writes is made for one. */
#define _GNU_SOURCE
#include "loop/small_file.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

size_t tusk__small_file_read(const char *path, char *out, size_t cap)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : read(fd, out, cap - 1);
    if (fd >= 0) {
        (void)close(fd);
    }
    size_t got = len > 0 ? (size_t)len : 0;
    out[got] = '\0';
    return got;
}
