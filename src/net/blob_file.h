/* SPDX-License-Identifier: MIT */
/* Blobs whose bytes the kernel has in a file, too: a socket takes the pages of that file instead of
 * a copy. */
#ifndef NET_BLOB_FILE_H
#define NET_BLOB_FILE_H

#include <stdbool.h>

#include <tusk/bytes.h>

/* Whether this system has such files. */
extern const bool tusk__blob_files;

/* The blob's bytes, which never change, are put into a memory file of its own. Without one (no
 * descriptor, no memory, not Linux) it stays as it is, and is copied as others are. */
void tusk__blob_file_open(tusk_blob *blob);
/* From whoever opened it, at any time: what waits in queues then leaves from memory, and what is on
 * its way keeps its pages. */
void tusk__blob_file_close(tusk_blob *blob);

#endif
