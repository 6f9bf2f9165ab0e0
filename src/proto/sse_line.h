/* SPDX-License-Identifier: MIT */
/* Lines of an event stream: they end with CR LF, LF or CR. */
#ifndef PROTO_SSE_LINE_H
#define PROTO_SSE_LINE_H

#include <tusk/bytes.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Where the first CR or LF stands, or in.len. */
static inline size_t tusk__sse_line_len(tusk_bytes in)
{
    size_t i = 0;
#if defined(__SSE2__)
    const __m128i cr = _mm_set1_epi8('\r');
    const __m128i lf = _mm_set1_epi8('\n');
    for (; in.len - i >= 16; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(in.ptr + i));
        unsigned hits =
            (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(x, cr), _mm_cmpeq_epi8(x, lf)));
        if (hits != 0) {
            return i + (size_t)__builtin_ctz(hits);
        }
    }
#endif
    while (i < in.len && in.ptr[i] != '\r' && in.ptr[i] != '\n') {
        i++;
    }
    return i;
}

#endif
