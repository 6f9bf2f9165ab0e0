/* SPDX-License-Identifier: MIT */
/* Preloaded before libasan: PHP opens modules with RTLD_DEEPBIND, which the sanitizer's runtime
 * refuses. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

void *dlopen(const char *name, int mode)
{
    void *(*next)(const char *, int) = NULL;
    void *found = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&next, &found, sizeof(next)); /* ISO C has no cast from object to function pointer */
    return next(name, mode & ~RTLD_DEEPBIND);
}
