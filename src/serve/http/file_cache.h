/* SPDX-License-Identifier: MIT */
/* Small files kept in memory, looked at again on disk at most once a second. */
#ifndef SERVE_FILE_CACHE_H
#define SERVE_FILE_CACHE_H

#include <sys/types.h>
#include <tusk/bytes.h>

#include "base/list.h"
#include "serve/files_root.h"
#include "serve/http/ready_answer.h"

enum {
    FILE_CACHE_FILE_MAX = 64 * 1024,
    FILE_CACHE_BYTES_MAX = 16 * 1024 * 1024,
    FILE_CACHE_BUCKETS = 256,
    FILE_ETAG_MAX = 40,
    FILE_DATE_LEN = 29
};

typedef struct cached_file {
    tusk_link in_bucket;
    tusk_link by_age;
    uint64_t hash;
    uint64_t checked_ms;
    int64_t mtime_s;
    uint64_t mtime_key; /* ns, for the ETag */
    uint64_t size;
    dev_t device;
    ino_t inode;
    files_root *root; /* of its route; NULL: links may lead anywhere */
    char etag[FILE_ETAG_MAX];
    char date[FILE_DATE_LEN + 1]; /* of mtime_s */
    /* What a 200 with the whole content says of it, as lines; empty unless `content` is there. */
    tusk_buf fields;
    ready_answer whole;
    tusk_blob
        *content; /* NULL: larger than FILE_CACHE_FILE_MAX; then only what stat said is kept */
    const char *media_type;
    uint16_t path_len;
    char path[];
} cached_file;

typedef struct file_cache {
    const tusk_mem *mem;
    tusk_link buckets[FILE_CACHE_BUCKETS];
    tusk_link by_age; /* oldest first */
    size_t bytes;
    uint64_t
        seed; /* the owner's, set before the first file: clients choose how a path is written */
    ready_answers ready;
} file_cache;

void tusk__file_cache_init(file_cache *self, const tusk_mem *mem);
void tusk__file_cache_fini(file_cache *self);
/* The file as of at most a second ago. TUSK_ENOENT: no such regular file; TUSK_ESTATE: a directory;
 * TUSK_EACCES; TUSK_ENOMEM. Borrowed until the next call. With a root the path begins with it, and
 * what lies outside is not there. */
tusk_err tusk__file_cache_get(file_cache *self, files_root *root, const char *path, uint64_t now_ms,
                              const cached_file **out);
/* A 200 with the whole content and just this head, where it was made (ready_answer.h); else NULL.
 * Borrowed. */
tusk_blob *tusk__file_cache_answer(file_cache *self, const cached_file *file, int64_t second,
                                   tusk_bytes head);
/* A descriptor for content that is not in memory. From then on the entry says of size and time what
 * the descriptor does: the path may lead to another file by now. Errors as above. */
tusk_err tusk__file_cache_open(const cached_file *file, uint64_t now_ms, int *fd);

#endif
