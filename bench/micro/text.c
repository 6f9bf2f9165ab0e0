/* SPDX-License-Identifier: MIT */
/* Nanoseconds to unmask, to check UTF-8, and to do both: 64 B, 1 KiB, 16 KiB; ASCII and mixed text.
 * Best of several passes, as what disturbs a pass only adds. The budget stands beside it. */
#define _POSIX_C_SOURCE 199309L
#include <inttypes.h>
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

int main(void)
{
    static const struct {
        const char *name;
        void (*work)(size_t len);
        double budget_1k; /* ns per 1 KiB of ASCII, 0 = none */
    } works[] = {{"unmask", unmask, 60},
                 {"unmask, portable", unmask_portable, 0},
                 {"UTF-8", check, 60},
                 {"UTF-8, portable", check_portable, 0},
                 {"unmask and UTF-8", both, 60}};
    static const size_t sizes[] = {64, 1024, 16384};
    static const char *const pieces[] = {"the quick brown fox ",
                                         "na\xc3\xafve \xe2\x82\xac 10 \xf0\x9f\x90\x98 "};
    for (size_t p = 0; p < 2; p++) {
        fill(pieces[p]);
        for (size_t w = 0; w < sizeof(works) / sizeof(works[0]); w++) {
            if (p == 1 && strncmp(works[w].name, "unmask", 7) == 0) {
                continue;
            }
            printf("%-6s %-18s", p == 0 ? "ascii" : "mixed", works[w].name);
            for (size_t s = 0; s < 3; s++) {
                size_t len = sizes[s];
                if (p ==
                    1) { /* never cut a sequence: the check would rightly say so, but do less */
                    while ((text[len - 1] & 0x80) != 0) {
                        len--;
                    }
                }
                printf("  %5zu B %8.1f ns", sizes[s], measure(works[w].work, len));
            }
            if (works[w].budget_1k > 0 && p == 0) {
                printf("  budget 1 KiB: %.0f ns", works[w].budget_1k);
            }
            (void)putchar('\n');
        }
    }
    return 0;
}
