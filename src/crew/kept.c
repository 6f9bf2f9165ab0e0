/* SPDX-License-Identifier: MIT */
/* Descriptors that a worker keeps of its master's: what the application has open, not the crew. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "crew/inner.h"
#include "loop/process.h"

typedef struct descriptors {
    int *list;
    size_t count;
} descriptors;

static bool has(const int *list, size_t count, int fd)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == fd) {
            return true;
        }
    }
    return false;
}

/* What it had and has still, and what is new. */
static void keep_those(tusk_crew *self, const descriptors *before, const descriptors *after)
{
    size_t count = 0;
    for (size_t i = 0; i < after->count; i++) {
        int fd = after->list[i];
        if (has(self->kept, self->kept_count, fd) || !has(before->list, before->count, fd)) {
            after->list[count++] = fd;
        }
    }
    while (count < after->count) {
        after->list[count++] = -1; /* keeps nothing */
    }
    tusk__free(self->mem, self->kept, self->kept_count * sizeof(int));
    self->kept = after->list;
    self->kept_count = after->count;
}

tusk_err tusk_crew_open(tusk_crew *self, void (*body)(void *user), void *user)
{
    descriptors before = {.list = NULL};
    descriptors after = {.list = NULL};
    tusk_err err = tusk__open_descriptors(&before.list, &before.count, self->mem);
    body(user);
    err = err == TUSK_OK ? tusk__open_descriptors(&after.list, &after.count, self->mem) : err;
    if (err == TUSK_OK) {
        keep_those(self, &before, &after);
    }
    tusk__free(self->mem, before.list, before.count * sizeof(int));
    return err;
}
