/* SPDX-License-Identifier: MIT */
/* Event streams: the same events however cut, always UTF-8, and what was read can be written and
 * read again. */
#include "fuzz.h"

#include <tusk/sse.h>

#include "base/utf8.h"

enum { LINE_MAX = 300, DATA_MAX = 500 };

/* Events as one text: lengths, then the bytes. */
static tusk_err read_all(tusk_buf *out, tusk_bytes in, size_t step, bool again);

static void note(tusk_buf *out, tusk_bytes text)
{
    uint32_t len = (uint32_t)text.len;
    FUZZ_CHECK(text.len == 0 || tusk_utf8_valid(text.ptr, text.len));
    FUZZ_CHECK(tusk_buf_append(out, &len, sizeof(len)) == TUSK_OK);
    FUZZ_CHECK(tusk_buf_append(out, text.ptr, text.len) == TUSK_OK);
}

/* A type with NUL in it can be received and never be sent; everything else goes round. */
static void check_round(const tusk_sse_event *event)
{
    tusk_buf wire;
    tusk_buf first;
    tusk_buf second;
    tusk_sse_event copy = *event;
    copy.retry_ms = -1;
    tusk_buf_init(&wire, tusk_mem_default(), 1 << 16);
    tusk_buf_init(&first, tusk_mem_default(), 1 << 16);
    tusk_buf_init(&second, tusk_mem_default(), 1 << 16);
    tusk_err err = tusk_sse_encode(&wire, &copy);
    bool nul = event->type.len > 0 && memchr(event->type.ptr, '\0', event->type.len) != NULL;
    FUZZ_CHECK(err == (nul ? TUSK_EINVAL : TUSK_OK) && wire.len <= tusk_sse_encode_max(&copy));
    if (err == TUSK_OK) {
        note(&first, event->type);
        note(&first, event->id);
        note(&first, event->data);
        FUZZ_CHECK(read_all(&second, tusk_buf_view(&wire), SIZE_MAX, false) == TUSK_OK);
        FUZZ_CHECK(tusk_bytes_eq(tusk_buf_view(&first), tusk_buf_view(&second)));
    }
    tusk_buf_fini(&wire);
    tusk_buf_fini(&first);
    tusk_buf_fini(&second);
}

static tusk_err read_all(tusk_buf *out, tusk_bytes in, size_t step, bool again)
{
    tusk_sse_parser parser;
    tusk_err err = TUSK_OK;
    tusk_sse_parser_init(&parser, tusk_mem_default(), again ? LINE_MAX : 4 * LINE_MAX,
                         again ? DATA_MAX : 4 * DATA_MAX);
    while (in.len > 0 && err == TUSK_OK) {
        tusk_sse_event event;
        bool got;
        tusk_bytes piece = fuzz_copy(in.ptr, in.len < step ? in.len : step);
        ptrdiff_t used = tusk_sse_parse(&parser, piece, &event, &got);
        FUZZ_CHECK(used != 0 && used <= (ptrdiff_t)piece.len);
        fuzz_drop(piece); /* an event may not point into it */
        if (used < 0) {
            err = (tusk_err)used;
            break;
        }
        in.ptr += used;
        in.len -= (size_t)used;
        if (got) {
            FUZZ_CHECK(event.has_data && event.data.len <= 4 * DATA_MAX);
            FUZZ_CHECK(event.data.len == 0 || memchr(event.data.ptr, '\r', event.data.len) == NULL);
            note(out, event.type);
            note(out, event.id);
            note(out, event.data);
            if (again) {
                check_round(&event);
            }
        }
    }
    FUZZ_CHECK(parser.retry_ms >= -1);
    tusk_sse_parser_fini(&parser);
    return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tusk_bytes in = tusk_bytes_of(data, size);
    tusk_buf whole;
    tusk_buf cut;
    tusk_buf_init(&whole, tusk_mem_default(), 1 << 22);
    tusk_buf_init(&cut, tusk_mem_default(), 1 << 22);
    tusk_err err = read_all(&whole, in, SIZE_MAX, true);
    for (size_t step = 1; step <= 5; step += 2) {
        tusk_buf_clear(&cut);
        FUZZ_CHECK(read_all(&cut, in, step, true) == err);
        FUZZ_CHECK(tusk_bytes_eq(tusk_buf_view(&whole), tusk_buf_view(&cut)));
    }
    tusk_buf_fini(&whole);
    tusk_buf_fini(&cut);
    return 0;
}
