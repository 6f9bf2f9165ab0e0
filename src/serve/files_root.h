/* SPDX-License-Identifier: MIT */
/* A folder whose files are opened beneath it: a symbolic link that leads out of it leads nowhere.
 */
#ifndef SERVE_FILES_ROOT_H
#define SERVE_FILES_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tusk/mem.h>

typedef struct files_root {
    const char *directory; /* the owner's */
    size_t len;
    uint64_t opened_ms;
    int fd;       /* -1: not opened yet */
    bool refused; /* something led outside */
    bool told;
} files_root;

/* NULL: no memory. The text stays the caller's. */
files_root *tusk__files_root_new(const tusk_mem *mem, const char *directory);
void tusk__files_root_free(const tusk_mem *mem, files_root *self);
/* As open() does, close-on-exec; `path` begins with the directory. -1 and errno: ENOENT, too, where
 * it leads outside. The folder itself is looked up again once a second, and `anew`: it may be a
 * link that is turned to another release. */
int tusk__files_root_open(files_root *self, const char *path, int flags, uint64_t now_ms,
                          bool anew);
/* Whether something led outside, and nobody was told yet. */
bool tusk__files_root_tells(files_root *self);

#endif
