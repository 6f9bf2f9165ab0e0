/* SPDX-License-Identifier: MIT */
/* Payloads: patterns that show a changed byte, and the head by which a message is timed one way. */
#ifndef LOAD_PAYLOAD_H
#define LOAD_PAYLOAD_H

#include <tusk/bytes.h>

/* The head of a published payload, in printable bytes that no JSON or HTML encoder changes:
 * '~', run id (4), publisher (2), sequence (6), intended publish time in ns (11). */
enum { LOAD_STAMP_BYTES = 24 };

typedef struct load_stamp {
    uint32_t run;          /* 24 bits */
    uint32_t publisher;    /* 12 bits */
    uint64_t sequence;     /* 36 bits */
    uint64_t intended;     /* ns */
    const uint8_t *behind; /* where it was found: what follows it there */
} load_stamp;

void tusk__load_stamp_put(uint8_t out[LOAD_STAMP_BYTES], const load_stamp *stamp);
/* Finds the stamp of this run anywhere in `in`; false: there is none. */
bool tusk__load_stamp_find(load_stamp *out, tusk_bytes in, uint32_t run);

/* Fills with printable bytes that follow from `seed`. */
void tusk__load_pattern(uint8_t *out, size_t len, uint64_t seed);

static inline uint64_t tusk__load_random(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* Takes the next line that is not empty off `rest`, without CR and LF; false at the end. */
bool tusk__load_next_line(tusk_bytes *rest, tusk_bytes *line);
/* Appends `text` with each {name} replaced by `value`. */
tusk_err tusk__load_fill(tusk_buf *out, tusk_bytes text, const char *name, tusk_bytes value);

#endif
