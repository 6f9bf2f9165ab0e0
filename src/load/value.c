/* SPDX-License-Identifier: MIT */
/* Values of options as people write them: 10k, 64KiB, 250ms, yes. */
#include "load/value.h"

#include <stdio.h>
#include <string.h>

typedef struct suffix {
    const char *text;
    double factor;
} suffix;

static const suffix counts[] = {{"", 1}, {"k", 1e3}, {"m", 1e6}, {"g", 1e9}};
static const suffix sizes[] = {
    {"", 1},        {"b", 1},          {"kb", 1e3},   {"mb", 1e6},      {"k", 1024},
    {"m", 1048576}, {"g", 1073741824}, {"kib", 1024}, {"mib", 1048576}, {"gib", 1073741824}};
static const suffix spans[] = {{"", 1},   {"s", 1},    {"ms", 1e-3}, {"us", 1e-6},
                               {"m", 60}, {"min", 60}, {"h", 3600}};
static const suffix rates[] = {{"", 1},    {"/s", 1},    {"k", 1e3},
                               {"m", 1e6}, {"k/s", 1e3}, {"m/s", 1e6}};

/* Digits with an optional fraction; bytes taken, 0 when there is no number. */
static size_t read_number(tusk_bytes text, double *out)
{
    size_t at = 0;
    double value = 0;
    double scale = 1;
    size_t digits = 0;
    bool fraction = false;
    for (; at < text.len; at++) {
        uint8_t c = text.ptr[at];
        if (c >= '0' && c <= '9') {
            digits++;
            scale *= fraction ? 10 : 1;
            value = value * 10 + (c - '0');
        } else if (c == '.' && !fraction) {
            fraction = true;
        } else if (c != '_') {
            break;
        }
    }
    *out = value / scale;
    return digits == 0 || digits > 18 ? 0 : at;
}

static bool read_scaled(tusk_bytes text, const suffix *suffixes, size_t count, double *out)
{
    size_t taken = read_number(text, out);
    if (taken == 0) {
        return false;
    }
    tusk_bytes rest = tusk_bytes_of(text.ptr + taken, text.len - taken);
    for (size_t i = 0; i < count; i++) {
        if (tusk_bytes_eq_nocase(rest, tusk_bytes_str(suffixes[i].text))) {
            *out *= suffixes[i].factor;
            return true;
        }
    }
    return false;
}

#define READ_SCALED(text, suffixes, out)                                                           \
    read_scaled(text, suffixes, sizeof(suffixes) / sizeof((suffixes)[0]), out)

static bool read_switch(tusk_bytes text, double *out)
{
    static const char *const words[][2] = {
        {"0", "1"}, {"no", "yes"}, {"false", "true"}, {"off", "on"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        for (int on = 0; on < 2; on++) {
            if (tusk_bytes_eq_nocase(text, tusk_bytes_str(words[i][on]))) {
                *out = on;
                return true;
            }
        }
    }
    return false;
}

/* The place of a word in "a|b|c". */
static bool read_choice(tusk_bytes text, const char *words, double *out)
{
    for (int place = 0; text.len > 0; place++) {
        size_t len = strcspn(words, "|");
        if (len == text.len && memcmp(words, text.ptr, len) == 0) {
            *out = place;
            return true;
        }
        if (words[len] == '\0') {
            break;
        }
        words += len + 1;
    }
    return false;
}

bool tusk__load_value(load_type type, const char *words, tusk_bytes text, double *out)
{
    switch (type) {
    case LOAD_TYPE_COUNT: return READ_SCALED(text, counts, out);
    case LOAD_TYPE_SIZE: return READ_SCALED(text, sizes, out);
    case LOAD_TYPE_SECONDS: return READ_SCALED(text, spans, out);
    case LOAD_TYPE_RATE: return READ_SCALED(text, rates, out);
    case LOAD_TYPE_SWITCH: return read_switch(text, out);
    case LOAD_TYPE_CHOICE: return read_choice(text, words, out);
    case LOAD_TYPE_TEXT: *out = (double)text.len; return true;
    }
    return false;
}

const char *tusk__load_shown(char text[LOAD_SHOWN_MAX], double number)
{
    (void)snprintf(text, LOAD_SHOWN_MAX, "%.10g", number);
    char *point = text + strspn(text, "0123456789+-einfa"); /* the locale's, of one byte or more */
    if (*point != '\0') {
        char *rest = point + strcspn(point, "0123456789");
        *point = '.';
        memmove(point + 1, rest, strlen(rest) + 1);
    }
    return text;
}
