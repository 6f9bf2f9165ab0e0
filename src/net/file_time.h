/* SPDX-License-Identifier: MIT */
/* When a file was last written (the fields have two names), and whether it is still the same. */
#ifndef NET_FILE_TIME_H
#define NET_FILE_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
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

static inline struct timespec tusk__ctime_of(const struct stat *status)
{
#if defined(__APPLE__)
    return status->st_ctimespec;
#else
    return status->st_ctim;
#endif
}

/* How a file looked when it was loaded; all zero: it was not there. Its time is that of its last
 * change of any kind: who may read it counts, and nobody can set it back. */
typedef struct tusk__file_stamp {
    int64_t sec;
    long nsec;
    int64_t size;
    uint64_t inode;
    uint64_t device;
} tusk__file_stamp;

static inline tusk__file_stamp tusk__file_stamp_of(const char *file)
{
    struct stat status;
    tusk__file_stamp found;
    memset(&found, 0, sizeof(found));
    if (file != NULL && stat(file, &status) == 0) {
        found.sec = (int64_t)tusk__ctime_of(&status).tv_sec;
        found.nsec = tusk__ctime_of(&status).tv_nsec;
        found.size = (int64_t)status.st_size;
        found.inode = (uint64_t)status.st_ino;
        found.device = (uint64_t)status.st_dev;
    }
    return found;
}

static inline bool tusk__file_stamp_eq(tusk__file_stamp a, tusk__file_stamp b)
{
    return a.sec == b.sec && a.nsec == b.nsec && a.size == b.size && a.inode == b.inode &&
           a.device == b.device;
}

#endif
