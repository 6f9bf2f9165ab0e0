/* SPDX-License-Identifier: MIT */
/* Memory files of blobs. */
#define _GNU_SOURCE
#include "net/blob_file.h"

#include <unistd.h>

#if defined(__linux__)

#include <sys/mman.h>

const bool tusk__blob_files = true;

void tusk__blob_file_open(tusk_blob *blob)
{
    int fd = memfd_create("tusk", MFD_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (write(fd, blob->ptr, blob->len) != (ssize_t)blob->len) {
        (void)close(fd);
        return;
    }
    blob->file = fd;
}

#else

const bool tusk__blob_files = false;

void tusk__blob_file_open(tusk_blob *blob)
{
    (void)blob;
}

#endif

void tusk__blob_file_close(tusk_blob *blob)
{
    if (blob->file >= 0) {
        (void)close(blob->file);
        blob->file = -1;
    }
}
