/* SPDX-License-Identifier: MIT */
/* A plain fuzz driver for compilers without libFuzzer: replays files, then mutates them, led by
 * gcc's trace-pc coverage. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_BYTES_MAX 65536U
#define EDGES_MAX 65536U

typedef struct input {
    uint8_t *data;
    size_t size;
} input;

static input *corpus;
static size_t corpus_len;
static size_t corpus_cap;
static uint8_t seen[EDGES_MAX];
static size_t edges;
static size_t fresh; /* edges first seen by the running input */
static uint64_t random_state = 0x9e3779b97f4a7c15U;
static const uint8_t *running;
static size_t running_len;
static const char *crash_dir = ".";

/* gcc calls this at every edge of code that was compiled with -fsanitize-coverage=trace-pc. Edges
 * are counted from where the program begins, which is elsewhere in each run. */
extern const char __executable_start[];
void __sanitizer_cov_trace_pc(void);
__attribute__((no_sanitize("address", "undefined"))) void __sanitizer_cov_trace_pc(void)
{
    uintptr_t at = (uintptr_t)__builtin_return_address(0) - (uintptr_t)__executable_start;
    size_t slot = (size_t)((at ^ (at >> 16)) % EDGES_MAX);
    if (seen[slot] == 0) {
        seen[slot] = 1;
        edges++;
        fresh++;
    }
}

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static size_t below(size_t limit)
{
    return limit == 0 ? 0 : (size_t)(next_random() % limit);
}

static void keep(const uint8_t *data, size_t size)
{
    if (corpus_len == corpus_cap) {
        corpus_cap = corpus_cap == 0 ? 256 : corpus_cap * 2;
        corpus = realloc(corpus, corpus_cap * sizeof(*corpus));
    }
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    if (corpus == NULL || copy == NULL) {
        fprintf(stderr, "driver: no memory for the corpus\n");
        exit(2);
    }
    memcpy(copy, data, size);
    corpus[corpus_len++] = (input){copy, size};
}

/* ASan and UBSan end the process through this: the input is written first, so that it can be
 * replayed. */
static void save_crash(void)
{
    char path[4096];
    if (running == NULL) {
        return;
    }
    snprintf(path, sizeof(path), "%s/crash-%ld-%zu", crash_dir, (long)getpid(), running_len);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd >= 0) {
        ssize_t done = write(fd, running, running_len);
        close(fd);
        fprintf(stderr, "driver: the input is in %s%s\n", path, done < 0 ? " (cut short)" : "");
    }
    running = NULL;
}

void __sanitizer_set_death_callback(void (*callback)(void));

static void on_signal(int number)
{
    fprintf(stderr, "driver: signal %d\n", number);
    save_crash();
    _exit(77);
}

/* The copy has exactly the input's size, so that ASan sees the first byte read beyond it. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    if (copy == NULL) {
        return;
    }
    memcpy(copy, data, size);
    running = copy;
    running_len = size;
    fresh = 0;
    alarm(20);
    LLVMFuzzerTestOneInput(copy, size);
    alarm(0);
    running = NULL;
    free(copy);
}

static bool load_file(const char *path)
{
    static uint8_t buffer[INPUT_BYTES_MAX];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "driver: %s: %s\n", path, strerror(errno));
        return false;
    }
    size_t size = fread(buffer, 1, sizeof(buffer), file);
    fclose(file);
    run(buffer, size);
    keep(buffer, size);
    return true;
}

static size_t load(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return 0;
    }
    if (!S_ISDIR(info.st_mode)) {
        return load_file(path) ? 1 : 0;
    }
    struct dirent **entries; /* by name: a folder's own order differs from machine to machine */
    size_t count = 0;
    int len = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < len; i++) {
        char name[4096];
        if (entries[i]->d_name[0] != '.') {
            snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
            count += load(name);
        }
        free(entries[i]);
    }
    if (len >= 0) {
        free(entries);
    }
    return count;
}

/* One small change: a bit, a telling byte, a number, a cut, a repeat, an insertion, or the tail of
 * another input. */
static size_t mutate_once(uint8_t *data, size_t size)
{
    static const uint8_t telling[] = {0,    1,    0x7d, 0x7e, 0x7f, 0x80, 0x81, 0x88,
                                      0xff, '\r', '\n', ':',  ' ',  ',',  '"',  ';'};
    size_t at = below(size + 1);
    size_t len = 1 + below(16);

    switch (below(8)) {
    case 0:
        if (at < size) {
            data[at] ^= (uint8_t)(1U << below(8));
        }
        return size;
    case 1:
        if (at < size) {
            data[at] = telling[below(sizeof(telling))];
        }
        return size;
    case 2:
        if (at < size) {
            data[at] = (uint8_t)(data[at] + below(35) - 17);
        }
        return size;
    case 3: /* cut */
        if (at + len <= size) {
            memmove(data + at, data + at + len, size - at - len);
            return size - len;
        }
        return at;
    case 4: /* repeat */
        if (at + len <= size && size + len <= INPUT_BYTES_MAX) {
            memmove(data + at + len, data + at, size - at);
            return size + len;
        }
        return size;
    case 5: /* insert */
        if (size + len <= INPUT_BYTES_MAX) {
            memmove(data + at + len, data + at, size - at);
            for (size_t i = 0; i < len; i++) {
                data[at + i] =
                    below(2) == 0 ? (uint8_t)below(256) : telling[below(sizeof(telling))];
            }
            return size + len;
        }
        return size;
    case 6: /* a big-endian number */
        for (size_t i = 0, width = (size_t)1 << below(4); i < width && at + i < size; i++) {
            data[at + i] = telling[below(sizeof(telling))];
        }
        return size;
    default: {
        const input *other = &corpus[below(corpus_len)];
        size_t from = below(other->size + 1);
        size_t take = other->size - from;
        take = at + take > INPUT_BYTES_MAX ? INPUT_BYTES_MAX - at : take;
        memcpy(data + at, other->data + from, take);
        return at + take;
    }
    }
}

static size_t mutate(uint8_t *data)
{
    /* Newer inputs reached newer code: half of the picks come from the last sixteenth. */
    size_t recent = corpus_len / 16 + 1;
    size_t pick = below(2) == 0 ? below(corpus_len) : corpus_len - 1 - below(recent);
    size_t size = corpus[pick].size;
    memcpy(data, corpus[pick].data, size);
    for (size_t n = 1 + below(6); n > 0; n--) {
        size = mutate_once(data, size);
    }
    return size;
}

static int usage(void)
{
    fprintf(stderr,
            "usage: fuzz_NOUN [--seconds S] [--seed N] [--crashes DIR] [FILE-OR-FOLDER...]\n"
            "Runs every file once, then mutates them for S seconds (0: no mutation) and keeps what "
            "reaches\n"
            "new code. An input that crashes, or runs over 20 s, is written to DIR.\n");
    return 2;
}

int main(int argc, char **argv)
{
    static uint8_t data[INPUT_BYTES_MAX];
    long seconds = 0;
    size_t files = 0;
    size_t runs = 0;

    __sanitizer_set_death_callback(save_crash);
    signal(SIGALRM, on_signal);
    signal(SIGABRT, on_signal);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
            seconds = strtol(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            random_state ^= strtoull(argv[++i], NULL, 10) * 0x2545f4914f6cdd1dU;
        } else if (strcmp(argv[i], "--crashes") == 0 && i + 1 < argc) {
            crash_dir = argv[++i];
        } else if (argv[i][0] == '-') {
            return usage();
        } else {
            files += load(argv[i]);
        }
    }
    if (corpus_len == 0) {
        run((const uint8_t *)"", 0);
        keep((const uint8_t *)"", 0);
    }
    size_t before = edges;
    for (time_t end = time(NULL) + seconds; seconds > 0 && time(NULL) < end;) {
        for (int i = 0; i < 64; i++, runs++) {
            size_t size = mutate(data);
            run(data, size);
            if (fresh > 0) {
                keep(data, size);
            }
        }
    }
    printf("driver: %zu files, %zu runs, cov: %zu edges (%zu from the files), corpus %zu\n", files,
           runs, edges, before, corpus_len);
    return 0;
}
