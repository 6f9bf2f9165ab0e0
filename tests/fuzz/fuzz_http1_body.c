/* SPDX-License-Identifier: MIT */
/* Chunked bodies: the same data and the same end however cut, within every limit. */
#include "fuzz.h"

#include <tusk/http.h>

enum { MAX = 5000 };

struct outcome {
    tusk_buf data;
    tusk_err err;
    size_t used;
    bool done;
};

static void decode(struct outcome *self, tusk_bytes in, const tusk_http_limits *limits, size_t step)
{
    static tusk_http_head head; /* only read where it says how the body comes */
    tusk_http_body body;
    head.status = limits->spaced_names ? 200 : 0; /* an answer's, or a request's */
    head.chunked = true;
    head.content_length = -1;
    tusk_buf_init(&self->data, tusk_mem_default(), MAX);
    self->err = TUSK_OK;
    self->used = 0;
    tusk_http_body_init(&body, &head, MAX, limits);
    while (self->used < in.len && self->err == TUSK_OK && !tusk_http_body_done(&body)) {
        size_t len = in.len - self->used < step ? in.len - self->used : step;
        tusk_bytes piece = fuzz_copy(in.ptr + self->used, len);
        tusk_bytes data;
        ptrdiff_t used = tusk_http_body_decode(&body, piece, &data);
        FUZZ_CHECK(used != 0 && used <= (ptrdiff_t)len);
        if (used < 0) {
            self->err = (tusk_err)used;
        } else {
            FUZZ_CHECK(fuzz_within(data, piece) && data.len <= (size_t)used);
            FUZZ_CHECK(tusk_buf_append(&self->data, data.ptr, data.len) == TUSK_OK);
            self->used += (size_t)used;
        }
        fuzz_drop(piece);
    }
    FUZZ_CHECK(self->err != TUSK_OK || body.total == self->data.len);
    self->done = tusk_http_body_done(&body);
}

static void run(tusk_bytes in, const tusk_http_limits *limits)
{
    struct outcome whole;
    struct outcome cut;
    decode(&whole, in, limits, SIZE_MAX);
    for (size_t step = 1; step <= 3; step++) {
        decode(&cut, in, limits, step);
        FUZZ_CHECK(cut.err == whole.err && cut.done == whole.done);
        FUZZ_CHECK(whole.err != TUSK_OK || cut.used == whole.used);
        FUZZ_CHECK(tusk_bytes_eq(tusk_buf_view(&cut.data), tusk_buf_view(&whole.data)));
        tusk_buf_fini(&cut.data);
    }
    tusk_buf_fini(&whole.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tusk_http_limits tight = {.chunk_line_max = 12, .trailers_max = 20};
    tusk_http_limits passing = *tusk_http_limits_default(); /* a proxy's, of answers */
    passing.spaced_names = true;
    tusk_bytes in = fuzz_copy(data, size);
    run(in, tusk_http_limits_default());
    run(in, &tight);
    run(in, &passing);
    fuzz_drop(in);
    return 0;
}
