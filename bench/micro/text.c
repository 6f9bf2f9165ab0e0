/* SPDX-License-Identifier: MIT */
/* Nanoseconds to unmask, to check UTF-8, and to do both: 64 B, 1 KiB, 16 KiB; ASCII and mixed text.
 * Best of several passes, as what disturbs a pass only adds. The budget for 1 KiB stands beside it;
 * over it, the exit status is 1. The portable path has one too: an architecture without vectors
 * must not fall back to a byte at a time unseen. What is not a target leaves room for a machine
 * that is busy, which doubles times. */
#define _POSIX_C_SOURCE 199309L
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mask.h"
#include "base/utf8.h"

enum { SIZE_MAX_TRIED = 16384, PASSES = 15 };

static const uint8_t key[4] = {0x12, 0x9a, 0x7f, 0xe1};
static uint8_t text[SIZE_MAX_TRIED];
static uint8_t masked[SIZE_MAX_TRIED]; /* the text as a client sends it */
static uint8_t out[SIZE_MAX_TRIED];
static volatile unsigned sink;

static double now_ns(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static void unmask(size_t len)
{
    tusk_mask_apply(out, text, len, key, 0);
    sink += out[len - 1];
}

static void unmask_portable(size_t len)
{
    tusk__mask_apply_portable(out, text, len, key, 0);
    sink += out[len - 1];
}

static void check(size_t len)
{
    sink += tusk_utf8_valid(text, len);
}

static void check_portable(size_t len)
{
    tusk_utf8 state = {0};
    sink += tusk__utf8_feed_portable(&state, text, len);
}

static void both(size_t len)
{
    tusk_utf8 state = {0};
    sink += tusk__mask_apply_utf8(out, masked, len, key, 0, &state);
}

static double measure(void (*work)(size_t len), size_t len)
{
    unsigned rounds = (unsigned)(2000000 / (len + 200));
    double best = 1e18;
    for (int pass = 0; pass < PASSES; pass++) {
        double start = now_ns();
        for (unsigned i = 0; i < rounds; i++) {
            work(len);
        }
        double each = (now_ns() - start) / rounds;
        best = each < best ? each : best;
    }
    return best;
}

static void fill(const char *piece)
{
    size_t n = strlen(piece);
    memset(text, 'x', sizeof(text));
    for (size_t i = 0; i + n <= sizeof(text); i += n) {
        memcpy(text + i, piece, n);
    }
    tusk_mask_apply(masked, text, sizeof(masked), key, 0);
}

struct work {
    const char *name;
    void (*run)(size_t len);
    double budgets_1k[2]; /* ns per 1 KiB of ASCII, of mixed text; 0 = not measured */
};

/* Never cuts a sequence: the check would rightly say so, but do less. */
static size_t whole(size_t len)
{
    while ((text[len - 1] & 0x80) != 0) {
        len--;
    }
    return len;
}

/* True: within the budget. */
static bool print(const struct work *work, size_t kind)
{
    static const size_t sizes[] = {64, 1024, 16384};
    double at_1k = 0;
    printf("%-6s %-18s", kind == 0 ? "ascii" : "mixed", work->name);
    for (size_t s = 0; s < 3; s++) {
        double each = measure(work->run, whole(sizes[s]));
        at_1k = s == 1 ? each : at_1k;
        printf("  %5zu B %8.1f ns", sizes[s], each);
    }
    bool fits = at_1k <= work->budgets_1k[kind];
    printf("  budget 1 KiB: %.0f ns%s\n", work->budgets_1k[kind], fits ? "" : "  OVER");
    return fits;
}

int main(void)
{
    static const struct work works[] = {{"unmask", unmask, {60, 0}},
                                        {"unmask, portable", unmask_portable, {150, 0}},
                                        {"UTF-8", check, {60, 300}},
                                        {"UTF-8, portable", check_portable, {150, 2000}},
                                        {"unmask and UTF-8", both, {60, 300}}};
    static const char *const pieces[] = {"the quick brown fox ",
                                         "na\xc3\xafve \xe2\x82\xac 10 \xf0\x9f\x90\x98 "};
    bool fits = true;
    for (size_t kind = 0; kind < 2; kind++) {
        fill(pieces[kind]);
        for (size_t w = 0; w < sizeof(works) / sizeof(works[0]); w++) {
            fits = (works[w].budgets_1k[kind] == 0 || print(&works[w], kind)) && fits;
        }
    }
    return fits ? 0 : 1;
}
