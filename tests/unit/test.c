/* SPDX-License-Identifier: MIT */
/* Helpers of the C unit tests, see test.h. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *test_temp_base(void)
{
    const char *base = getenv("TMPDIR");
    return base != NULL && strlen(base) < TEST_TEMP_MAX / 2 ? base : "/tmp";
}

void test_temp_dir(char out[TEST_TEMP_MAX], const char *name)
{
    int len = snprintf(out, TEST_TEMP_MAX, "%s/tusk-%s-XXXXXX", test_temp_base(), name);
    assert_true(len > 0 && len < TEST_TEMP_MAX);
    assert_non_null(mkdtemp(out));
}

void test_put_file(const char *dir, const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    for (char *at = path + strlen(dir) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Whole pages for `len` bytes (at least one), without the guard. */
static size_t body_size(size_t len)
{
    size_t page = page_size();
    return len == 0 ? page : (len + page - 1) / page * page;
}

uint8_t *test_guarded(const void *ptr, size_t len)
{
    size_t body = body_size(len);
    uint8_t *map =
        mmap(NULL, body + page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + body, page_size(), PROT_NONE) != 0) {
        fail_msg("no memory for a guarded page");
    }
    uint8_t *copy = map + body - len;
    if (len > 0) {
        memcpy(copy, ptr, len);
    }
    return copy;
}

void test_guarded_free(uint8_t *guarded, size_t len)
{
    if (guarded != NULL) {
        size_t body = body_size(len);
        munmap(guarded + len - body, body + page_size());
    }
}

tusk_bytes test_guarded_bytes(const void *ptr, size_t len)
{
    return tusk_bytes_of(test_guarded(ptr, len), len);
}

tusk_bytes test_guarded_str(const char *text)
{
    return test_guarded_bytes(text, strlen(text));
}

static bool refuse(test_mem *self)
{
    self->requests++;
    if (self->fail_at == 0) {
        return false;
    }
    return self->requests == self->fail_at ||
           (self->fail_all_after && self->requests > self->fail_at);
}

static void *resize(void *user, void *old, size_t old_size, size_t size)
{
    test_mem *self = user;
    if (size == 0) {
        if (old != NULL) {
            self->live--;
            self->live_bytes -= old_size;
            free(old);
        }
        return NULL;
    }
    if (refuse(self)) {
        return NULL;
    }
    /* Always moves, so that a pointer kept over a resize is found out by ASan. Not by malloc, which
     * is a test's own way: the survey tells the core's blocks by that. */
    void *place = realloc(NULL, size);
    if (place == NULL) {
        return NULL;
    }
    if (old != NULL) {
        memcpy(place, old, old_size < size ? old_size : size);
        free(old);
        self->live_bytes -= old_size;
    } else {
        self->live++;
    }
    self->live_bytes += size;
    if (self->live_bytes > self->peak_bytes) {
        self->peak_bytes = self->live_bytes;
    }
    return place;
}

void test_mem_init(test_mem *self, size_t fail_at)
{
    *self = (test_mem){.fail_at = fail_at};
    self->mem = (tusk_mem){.resize = resize, .user = self};
}

void test_mem_assert_empty(const test_mem *self)
{
    if (self->live != 0 || self->live_bytes != 0) {
        fail_msg("%zu blocks with %zu bytes were not freed (request %zu failed)", self->live,
                 self->live_bytes, self->fail_at);
    }
}

size_t test_fail_each_alloc(test_mem_body body, bool may_survive, void *user)
{
    for (size_t n = 1;; n++) {
        test_mem mem;
        test_mem_init(&mem, n);
        tusk_err err = body(&mem.mem, user);
        test_mem_assert_empty(&mem);
        if (mem.requests < n) {
            assert_err(err, TUSK_OK);
            return mem.requests;
        }
        if (err == TUSK_OK && !may_survive) {
            fail_msg("request %zu failed and nobody noticed", n);
        }
    }
}

/* One parse of `input` in pieces whose sizes are first, then step, step ... */
static void parse(const test_cut *self, tusk_bytes input, size_t first, size_t step,
                  const char *how)
{
    size_t consumed = 0;
    size_t given = 0;
    tusk_err err = TUSK_OK;

    self->begin(self->user);
    for (size_t piece = first; given < input.len && err == TUSK_OK; piece = step) {
        given = input.len - given < piece ? input.len : given + piece;
        tusk_bytes in = test_guarded_bytes(input.ptr + consumed, given - consumed);
        size_t done = 0;
        while (done < in.len && err == TUSK_OK) {
            ptrdiff_t n = self->feed(tusk_bytes_of(in.ptr + done, in.len - done), self->user);
            if (n == 0) {
                break;
            }
            if (n < 0) {
                err = (tusk_err)n;
            } else if ((size_t)n > in.len - done) {
                fail_msg("%s: %td bytes consumed of %zu", how, n, in.len - done);
            } else {
                done += (size_t)n;
            }
        }
        consumed += done;
        test_guarded_free((uint8_t *)(uintptr_t)in.ptr, in.len);
    }
    self->end(err, input.len - consumed, how, self->user);
}

void test_each_cut(const test_cut *self, tusk_bytes input)
{
    static const size_t steps[] = {1, 2, 3, 5, 7};
    char how[64];

    parse(self, input, input.len, input.len, "in one piece");
    for (size_t at = 1; at < input.len; at++) {
        snprintf(how, sizeof(how), "cut at %zu", at);
        parse(self, input, at, input.len, how);
    }
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        snprintf(how, sizeof(how), "in steps of %zu", steps[i]);
        parse(self, input, steps[i], steps[i], how);
    }
}

uint64_t test_random(uint64_t *state)
{
    uint64_t x = *state == 0 ? 0x9e3779b97f4a7c15U : *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return x;
}

static void print_bytes(const char *label, tusk_bytes bytes)
{
    fprintf(stderr, "%s (%zu):", label, bytes.len);
    for (size_t i = 0; i < bytes.len && i < 256; i++) {
        fprintf(stderr, bytes.ptr[i] >= ' ' && bytes.ptr[i] < 127 ? "%c" : "\\x%02x", bytes.ptr[i]);
    }
    fputc('\n', stderr);
}

void test_bytes_equal(tusk_bytes actual, tusk_bytes expected, const char *file, int line)
{
    if (!tusk_bytes_eq(actual, expected)) {
        print_bytes("actual  ", actual);
        print_bytes("expected", expected);
        _assert_true(0, "bytes are equal", file, line);
    }
}

void test_err_equal(tusk_err actual, tusk_err expected, const char *file, int line)
{
    if (actual != expected) {
        fprintf(stderr, "actual %s, expected %s\n", tusk_err_name(actual), tusk_err_name(expected));
        _assert_true(0, "errors are equal", file, line);
    }
}
