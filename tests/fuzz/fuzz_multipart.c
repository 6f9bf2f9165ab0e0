/* SPDX-License-Identifier: MIT */
/* Forms: the first line is the Content-Type, the rest the body. The same fields and files however
 * the body is cut, and read at once as places in it; limits that hold, and names that shrink when
 * they are read. */
#include "fuzz.h"

#include <tusk/form.h>
#include <tusk/http.h>

static const tusk_multipart_limits limits = {.parts_max = 8, .head_max = 256, .file_max = 300};

static void note(tusk_buf *out, char kind, tusk_bytes text)
{
    FUZZ_CHECK(tusk_buf_append(out, &kind, 1) == TUSK_OK);
    FUZZ_CHECK(tusk_buf_append(out, text.ptr, text.len) == TUSK_OK);
}

static void note_name(tusk_buf *out, char kind, tusk_bytes raw)
{
    tusk_bytes room = fuzz_copy(raw.ptr, raw.len); /* exactly as much as it may take */
    size_t len = tusk_multipart_text((char *)(uintptr_t)room.ptr, raw);
    FUZZ_CHECK(len <= raw.len);
    tusk_bytes text = tusk_bytes_of(room.ptr, len);
    tusk_bytes base = tusk_multipart_base_name(text);
    FUZZ_CHECK(fuzz_within(base, text));
    FUZZ_CHECK(base.len == 0 || (memchr(base.ptr, '/', base.len) == NULL &&
                                 memchr(base.ptr, '\\', base.len) == NULL));
    note(out, kind, text);
    fuzz_drop(room);
}

struct tally {
    uint32_t parts;
    uint64_t bytes; /* of the part under way */
    bool open;
};

static void on_part(tusk_buf *out, struct tally *tally, const tusk_multipart_part *part,
                    tusk_bytes piece)
{
    bool plain = part->type.len == 10 && memcmp(part->type.ptr, "text/plain", 10) == 0;
    FUZZ_CHECK(fuzz_within(part->name, piece) && fuzz_within(part->filename, piece));
    FUZZ_CHECK(plain || fuzz_within(part->type, piece));
    FUZZ_CHECK(!tally->open && ++tally->parts <= limits.parts_max);
    tally->open = true;
    tally->bytes = 0;
    note_name(out, 'n', part->name);
    if (part->filename.ptr != NULL) {
        note_name(out, 'f', part->filename);
    }
    note(out, 't', part->type);
    note(out, '=', tusk_bytes_of(NULL, 0));
}

static void on_event(tusk_buf *out, struct tally *tally, const tusk_multipart *parser,
                     tusk_multipart_event event, tusk_bytes piece)
{
    switch (event) {
    case TUSK_MULTIPART_NOTHING: break;
    case TUSK_MULTIPART_PART: on_part(out, tally, &parser->part, piece); break;
    case TUSK_MULTIPART_DATA:
        FUZZ_CHECK(tally->open && parser->data.len > 0 && fuzz_within(parser->data, piece));
        tally->bytes += parser->data.len;
        FUZZ_CHECK(!parser->is_file || tally->bytes <= limits.file_max);
        FUZZ_CHECK(tusk_buf_append(out, parser->data.ptr, parser->data.len) == TUSK_OK);
        break;
    case TUSK_MULTIPART_PART_END:
        FUZZ_CHECK(tally->open);
        tally->open = false;
        note(out, ';', tusk_bytes_of(NULL, 0));
        break;
    case TUSK_MULTIPART_END:
        FUZZ_CHECK(!tally->open && tusk_multipart_done(parser));
        note(out, '.', tusk_bytes_of(NULL, 0));
        break;
    }
}

/* `step` more bytes each time that the parser wants more. */
static tusk_err read_all(tusk_buf *out, tusk_bytes type, tusk_bytes in, size_t step)
{
    tusk_multipart parser;
    struct tally tally = {0};
    tusk_err err = tusk_multipart_init(&parser, type, &limits);
    size_t have = in.len < step ? in.len : step;
    while (err == TUSK_OK && have > 0) {
        tusk_multipart_event event;
        tusk_bytes piece = fuzz_copy(in.ptr, have);
        ptrdiff_t used = tusk_multipart_parse(&parser, piece, &event);
        FUZZ_CHECK(used <= (ptrdiff_t)piece.len);
        if (used > 0) {
            on_event(out, &tally, &parser, event, piece);
            in = tusk_bytes_of(in.ptr + used, in.len - (size_t)used);
            have -= (size_t)used;
        }
        fuzz_drop(piece);
        err = used < 0 ? (tusk_err)used : TUSK_OK;
        if (used == 0 && have == in.len) {
            break; /* it waits for what never comes */
        }
        if (used == 0 || have == 0) {
            have = in.len - have < step ? in.len : have + step;
        }
    }
    return err;
}

static tusk_bytes bytes_at(tusk_bytes body, tusk_span span)
{
    FUZZ_CHECK(span.at <= body.len && span.len <= body.len - span.at);
    return tusk_bytes_of(body.ptr + span.at, span.len);
}

/* What the walk told, once more from the list of places. */
static void note_parts(tusk_buf *out, const tusk_form *form, tusk_bytes body)
{
    for (size_t i = 0; i < tusk_form_count(form); i++) {
        const tusk_form_part *part = tusk_form_at(form, i);
        note_name(out, 'n', bytes_at(body, part->name));
        if (part->filename.at > 0) {
            note_name(out, 'f', bytes_at(body, part->filename));
        }
        note(out, 't',
             part->type.len == 0 ? tusk_bytes_str("text/plain") : bytes_at(body, part->type));
        note(out, '=', bytes_at(body, part->value));
        note(out, ';', tusk_bytes_of(NULL, 0));
    }
    note(out, '.', tusk_bytes_of(NULL, 0));
}

static void check_pairs(const tusk_form *form, tusk_bytes body)
{
    tusk_bytes rest = body;
    tusk_bytes name;
    tusk_bytes value;
    for (size_t i = 0; i < tusk_form_count(form); i++) {
        FUZZ_CHECK(tusk_url_next_pair(&rest, &name, &value));
        FUZZ_CHECK(tusk_bytes_eq(bytes_at(body, tusk_form_at(form, i)->name), name));
        FUZZ_CHECK(tusk_bytes_eq(bytes_at(body, tusk_form_at(form, i)->value), value));
    }
    FUZZ_CHECK(!tusk_url_next_pair(&rest, &name, &value));
}

/* `whole`: what the walk told before it ended with `err`. */
static void check_form(tusk_bytes type, tusk_bytes in, tusk_err err, const tusk_buf *whole)
{
    tusk_form form;
    tusk_buf again;
    tusk_bytes body = fuzz_copy(in.ptr, in.len);
    tusk_buf_init(&again, tusk_mem_default(), 1 << 20);
    tusk_err read = tusk_form_read(&form, type, body, &limits, NULL);
    FUZZ_CHECK(tusk_form_count(&form) <= limits.parts_max);
    FUZZ_CHECK(read == TUSK_OK || tusk_form_count(&form) == 0);
    if (read == TUSK_OK && form.pairs) {
        check_pairs(&form, body);
    } else if (read == TUSK_OK) {
        note_parts(&again, &form, body);
        FUZZ_CHECK(err == TUSK_OK && tusk_bytes_eq(tusk_buf_view(&again), tusk_buf_view(whole)));
    } else if (err != TUSK_OK && err != TUSK_ENOENT) {
        FUZZ_CHECK(read == err);
    }
    tusk_form_fini(&form);
    tusk_buf_fini(&again);
    fuzz_drop(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line = size == 0 ? NULL : memchr(data, '\n', size);
    if (line == NULL || size > 4096) {
        return 0;
    }
    tusk_bytes type = fuzz_copy(data, (size_t)(line - data));
    tusk_bytes body = tusk_bytes_of(line + 1, size - type.len - 1);
    tusk_buf whole;
    tusk_buf cut;
    tusk_buf_init(&whole, tusk_mem_default(), 1 << 20);
    tusk_buf_init(&cut, tusk_mem_default(), 1 << 20);
    tusk_err err = read_all(&whole, type, body, SIZE_MAX);
    check_form(type, body, err, &whole);
    for (size_t step = 1; step <= 5; step += 2) {
        tusk_buf_clear(&cut);
        FUZZ_CHECK(read_all(&cut, type, body, step) == err);
        /* Before a refusal more or less of the contents may have been told. */
        FUZZ_CHECK(err != TUSK_OK || tusk_bytes_eq(tusk_buf_view(&whole), tusk_buf_view(&cut)));
    }
    tusk_buf_fini(&whole);
    tusk_buf_fini(&cut);
    fuzz_drop(type);
    return 0;
}
