/* SPDX-License-Identifier: MIT */
/* Preloaded under valgrind: no process has a pool's shared region any more when it ends. Whoever
 * looks for leaks then reads every word that is mapped, and the kernel makes each page of it for
 * that: a pool of one worker has 2 GiB of addresses, which took five seconds. A worker leaves the
 * region of its own pool, but it has inherited those of its maker's other pools, too; and a child
 * that a bootstrap forked, or who kills itself, leaves nothing. Nothing is known from a region
 * alone: pointers stand in each process's own memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { REGIONS_MAX = 256, LARGE = 64 << 20 };

static struct {
    void *place;
    size_t len;
} regions[REGIONS_MAX];

/* PHP opens modules with RTLD_DEEPBIND: their calls would not come here. */
void *dlopen(const char *name, int mode)
{
    void *(*next)(const char *, int) = NULL;
    void *found = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&next, &found, sizeof(next)); /* ISO C has no cast from object to function pointer */
    return next(name, mode & ~RTLD_DEEPBIND);
}

static void hide_regions(void)
{
    for (size_t i = 0; i < REGIONS_MAX; i++) {
        if (regions[i].place != NULL) {
            (void)mprotect(regions[i].place, regions[i].len, PROT_NONE);
        }
    }
}

static void keep(void *place, size_t len)
{
    for (size_t i = 0; i < REGIONS_MAX; i++) {
        if (regions[i].place == NULL) {
            regions[i].place = place;
            regions[i].len = len;
            return;
        }
    }
}

void *mmap(void *place, size_t len, int protection, int flags, int fd, off_t offset)
{
    const int region = MAP_SHARED | MAP_NORESERVE; /* and nobody else maps that */
    /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
    void *mapped = (void *)syscall(SYS_mmap, place, len, protection, flags, fd, offset);
    if (mapped != MAP_FAILED && len >= LARGE && (flags & region) == region) {
        keep(mapped, len);
    }
    return mapped;
}

int munmap(void *place, size_t len)
{
    for (size_t i = 0; i < REGIONS_MAX; i++) {
        if (regions[i].place == place) {
            regions[i].place = NULL;
        }
    }
    return (int)syscall(SYS_munmap, place, len);
}

int kill(pid_t pid, int number)
{
    if (pid == getpid() && number == SIGKILL) {
        hide_regions();
    }
    return (int)syscall(SYS_kill, pid, number);
}

void _exit(int status)
{
    hide_regions();
    for (;;) {
        (void)syscall(SYS_exit_group, status);
    }
}

__attribute__((destructor)) static void at_exit(void)
{
    hide_regions();
}
