/* SPDX-License-Identifier: MIT */
/* When a file was last written: the field has two names. */
#ifndef NET_FILE_TIME_H
#define NET_FILE_TIME_H

#include <sys/stat.h>
#include <time.h>

static inline struct timespec tusk__mtime_of(const struct stat *status)
{
#if defined(__APPLE__)
    return status->st_mtimespec;
#else
    return status->st_mtim;
#endif
}

#endif
