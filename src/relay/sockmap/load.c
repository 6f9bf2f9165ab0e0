/* SPDX-License-Identifier: MIT */
/* Loading the program and its maps: what needs privilege. */
#define _GNU_SOURCE
#include "relay/sockmap/load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "relay/sockmap/flow.h"
#include "relay/sockmap/verdict.bpf.inc" /* verdict_object, made of verdict.bpf.c by `embed` */

enum { PAIRS = 65536, PAIRS_MAX = 1 << 24, RELAYS = 128, RELAYS_MAX = 1024, LOG_BYTES = 64 * 1024 };

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor) TEXT_OF(major) "." TEXT_OF(minor)

const char *tusk_sockmap_library(void)
{
    return "libbpf " VERSION_TEXT(LIBBPF_MAJOR_VERSION, LIBBPF_MINOR_VERSION);
}

static size_t size_of(uint32_t relays)
{
    return sizeof(tusk_sockmap) + relays * sizeof(int);
}

static size_t owner_bytes(uint32_t relays)
{
    return relays * sizeof(_Atomic int32_t);
}

tusk_sockmap *tusk_sockmap_ref(tusk_sockmap *self)
{
    self->refs++;
    return self;
}

void tusk_sockmap_unref(tusk_sockmap *self)
{
    if (self == NULL || --self->refs > 0) {
        return;
    }
    for (uint32_t i = 0; i < self->relays; i++) {
        if (self->bells[i] >= 0) {
            (void)close(self->bells[i]);
        }
    }
    if (self->owner != NULL) {
        (void)munmap((void *)self->owner, owner_bytes(self->relays));
    }
    bpf_object__close(self->object);
    tusk__free(tusk_mem_default(), self, size_of(self->relays));
}

size_t tusk_sockmap_fds(const tusk_sockmap *self, int *fds, size_t cap)
{
    size_t count = 0;
    const struct bpf_map *map;
    struct bpf_program *program;
    bpf_object__for_each_map(map, self->object)
    {
        if (bpf_map__fd(map) >= 0 && count++ < cap) {
            fds[count - 1] = bpf_map__fd(map);
        }
    }
    bpf_object__for_each_program(program, self->object)
    {
        if (bpf_program__fd(program) >= 0 && count++ < cap) {
            fds[count - 1] = bpf_program__fd(program);
        }
    }
    for (uint32_t i = 0; i < self->relays; i++) {
        if (count++ < cap) {
            fds[count - 1] = self->bells[i];
        }
    }
    return count;
}

/* ---- loading ---- */
typedef struct reasons {
    char *text;
    size_t cap;
} reasons;

static tusk_err err_of(int number)
{
    switch (number) {
    case EPERM:
    case EACCES: return TUSK_EACCES;
    case ENOMEM: return TUSK_ENOMEM;
    case EINVAL:
    case ENOENT: return TUSK_EINVAL;
    default: return number >= __LIBBPF_ERRNO__START ? TUSK_EINVAL : TUSK_ENOTSUP;
    }
}

/* `number`: an errno, positive. */
static tusk_err fail(const reasons *reason, const char *what, int number)
{
    tusk_err err = err_of(number);
    char text[64];
    (void)libbpf_strerror(number, text, sizeof(text));
    if (reason->cap > 0) {
        (void)snprintf(reason->text, reason->cap, "%s: %s%s", what, text,
                       err == TUSK_EACCES ? " (CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON, or root)"
                                          : "");
    }
    return err;
}

static int map_fd(const tusk_sockmap *self, const char *name)
{
    const struct bpf_map *map = bpf_object__find_map_by_name(self->object, name);
    return map == NULL ? -1 : bpf_map__fd(map);
}

static int resize(const tusk_sockmap *self, const char *name, uint32_t entries)
{
    struct bpf_map *map = bpf_object__find_map_by_name(self->object, name);
    return map == NULL ? -ENOENT : bpf_map__set_max_entries(map, entries);
}

static tusk_err open_object(tusk_sockmap *self, const tusk_sockmap_options *options, char *log,
                            const reasons *reason)
{
    LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "tusk", .kernel_log_buf = log,
                .kernel_log_size = LOG_BYTES, .kernel_log_level = 1);
    self->object = options->object != NULL
                       ? bpf_object__open_file(options->object, &opts)
                       : bpf_object__open_mem(verdict_object, sizeof(verdict_object), &opts);
    if (self->object == NULL) {
        return fail(reason, "the BPF object cannot be read", errno);
    }
    uint32_t pairs = options->pairs == 0 ? PAIRS : options->pairs;
    if (resize(self, "peers", 2 * pairs) != 0 || resize(self, "flows", 2 * pairs) != 0 ||
        resize(self, "taken", 2 * pairs) != 0 || resize(self, "bells", self->relays) != 0 ||
        bpf_object__find_program_by_name(self->object, "tusk_verdict") == NULL) {
        return fail(reason, "the BPF object has not the maps and the program of Tusk", EINVAL);
    }
    return TUSK_OK;
}

/* What the verifier said last. */
static void add_log(const reasons *reason, char *log)
{
    size_t used = strlen(reason->text);
    char *last = NULL;
    char *rest = log;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (line[0] != '\0' && strncmp(line, "processed ", 10) != 0) {
            last = line;
        }
    }
    if (last != NULL && used < reason->cap) {
        (void)snprintf(reason->text + used, reason->cap - used, "; %.120s", last);
    }
}

static tusk_err load_object(tusk_sockmap *self, char *log, const reasons *reason)
{
    int number = bpf_object__load(self->object);
    if (number != 0) {
        tusk_err err = fail(reason, "the kernel does not load the program", -number);
        add_log(reason, log);
        return err;
    }
    self->peers = map_fd(self, "peers");
    self->flows = map_fd(self, "flows");
    self->taken = map_fd(self, "taken");
    const struct bpf_program *program =
        bpf_object__find_program_by_name(self->object, "tusk_verdict");
    number = bpf_prog_attach(bpf_program__fd(program), self->peers, BPF_SK_SKB_STREAM_VERDICT, 0);
    return number == 0 ? TUSK_OK : fail(reason, "the program cannot be attached", -number);
}

static tusk_err make_bells(tusk_sockmap *self, const reasons *reason)
{
    int table = map_fd(self, "bells");
    for (uint32_t i = 0; i < self->relays; i++) {
        self->bells[i] =
            bpf_map_create(BPF_MAP_TYPE_RINGBUF, "tusk_bell", 0, 0, SOCKMAP_BELL_BYTES, NULL);
        if (self->bells[i] < 0 || bpf_map_update_elem(table, &i, &self->bells[i], 0) != 0) {
            return fail(reason, "no ring buffer", errno);
        }
    }
    self->owner = mmap(NULL, owner_bytes(self->relays), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (self->owner == MAP_FAILED) {
        self->owner = NULL;
        return fail(reason, "no shared memory", ENOMEM);
    }
    return TUSK_OK;
}

static tusk_err load(tusk_sockmap *self, const tusk_sockmap_options *options, const reasons *reason)
{
    char *log = tusk__new(tusk_mem_default(), LOG_BYTES);
    if (log == NULL) {
        return fail(reason, "not loaded", ENOMEM);
    }
    libbpf_print_fn_t loud = libbpf_set_print(NULL); /* it would write to stderr */
    tusk_err err = open_object(self, options, log, reason);
    err = err == TUSK_OK ? load_object(self, log, reason) : err;
    err = err == TUSK_OK ? make_bells(self, reason) : err;
    (void)libbpf_set_print(loud);
    tusk__free(tusk_mem_default(), log, LOG_BYTES);
    return err;
}

tusk_err tusk_sockmap_load(tusk_sockmap **out, const tusk_sockmap_options *options, char *reason,
                           size_t reason_cap)
{
    static const tusk_sockmap_options defaults;
    const reasons told = {.text = reason, .cap = reason_cap};
    options = options == NULL ? &defaults : options;
    uint32_t relays = options->relays == 0 ? RELAYS : options->relays;
    *out = NULL;
    if (relays > RELAYS_MAX || options->pairs > PAIRS_MAX) {
        return fail(&told, "too many pairs or relays", EINVAL);
    }
    tusk_sockmap *self = tusk__new(tusk_mem_default(), size_of(relays));
    if (self == NULL) {
        return fail(&told, "not loaded", ENOMEM);
    }
    self->refs = 1;
    self->relays = relays;
    memset(self->bells, 0xff, relays * sizeof(int)); /* -1: none */
    tusk_err err = load(self, options, &told);
    if (err != TUSK_OK) {
        tusk_sockmap_unref(self);
        return err;
    }
    *out = self;
    return TUSK_OK;
}
