/* SPDX-License-Identifier: MIT */
/* permessage-deflate on the wire: RFC 7692's own examples, history, bombs, faults, memory. */
#ifdef TUSK_HAVE_ZLIB

#include "ws_script.h"

enum { MIB = 1 << 20 };
#define HELLO "\xF2\x48\xCD\xC9\xC9\x07\x00" /* RFC 7692, 7.2.3.1 */
#define HELLO_AGAIN "\xF2\x00\x11\x00\x00"   /* 7.2.3.2: refers to the message before */
#define HELLO_STORED "\x00\x05\x00\xFA\xFF\x48\x65\x6C\x6C\x6F\x00"
#define HELLO_FINAL "\xF3\x48\xCD\xC9\xC9\x07\x00\x00"
#define HELLO_FINAL_BARE "\xF3\x48\xCD\xC9\xC9\x07\x00"
#define HELLO_BLOCKS "\xF2\x48\x05\x00\x00\x00\xFF\xFF\xCA\xC9\xC9\x07\x00"

typedef struct frame {
    uint8_t first;
    const char *payload;
    size_t len;
} frame;
#define F(first, literal)                                                                          \
    {                                                                                              \
        first, "" literal, sizeof(literal) - 1                                                     \
    }

static void frames_give(bool history, size_t message_max, const frame *frames, size_t count,
                        const char *expected)
{
    static const tusk_ws_role roles[] = {TUSK_WS_SERVER, TUSK_WS_CLIENT};
    static const size_t slices[] = {0, 1, 3, 64};
    for (size_t r = 0; r < 8; r++) {
        script *s = malloc(sizeof(*s));
        tusk_ws_inflaters *pool;
        script_init(s, roles[r % 2]);
        s->inflate_slice = slices[r / 2];
        assert_err(tusk_ws_inflaters_new(&pool, tusk_mem_default()), TUSK_OK);
        s->config.inflaters = pool;
        s->config.message_max = message_max;
        s->deflate = (tusk_ws_deflate){.on = true,
                                       .server_no_context_takeover = !history,
                                       .client_no_context_takeover = !history,
                                       .server_max_window_bits = 15,
                                       .client_max_window_bits = 15};
        for (size_t i = 0; i < count; i++) {
            script_frame(s, frames[i].first, frames[i].payload, frames[i].len);
        }
        script_gives(s, expected);
        tusk_ws_inflaters_free(pool);
        free(s);
    }
}
#define GIVES(history, expected, ...)                                                              \
    do {                                                                                           \
        const frame list[] = {__VA_ARGS__};                                                        \
        frames_give(history, MIB, list, sizeof(list) / sizeof(list[0]), expected);                 \
    } while (0)

static void the_rfcs_examples_inflate(void **state)
{
    for (int history = 0; history < 2; history++) {
        GIVES(history, "text(Hello) ", F(0xC1, HELLO));
        GIVES(history, "text(Hello) ", F(0x41, "\xF2\x48\xCD"), F(0x80, "\xC9\xC9\x07\x00"));
        GIVES(history, "text(Hello) ", F(0xC1, HELLO_STORED));
        GIVES(history, "text(Hello) ", F(0xC1, HELLO_BLOCKS));
        GIVES(history, "text(Hello) text(plain) binary(Hello) ", F(0xC1, HELLO), F(0x81, "plain"),
              F(0xC2, HELLO));
    }
}

static void a_final_block_ends_neither_message_nor_history(void **state)
{
    for (int history = 0; history < 2; history++) {
        GIVES(history, "text(Hello) text(Hello) ", F(0xC1, HELLO_FINAL), F(0xC1, HELLO_FINAL));
        /* two of them in one message, and a block behind them */
        GIVES(history, "text(HelloHelloHello) ", F(0xC1, HELLO_FINAL_BARE HELLO_FINAL_BARE HELLO));
        /* nothing behind it, not even what makes room for the tail */
        GIVES(history, "text(Hello) text(Hello) ", F(0xC1, HELLO_FINAL_BARE), F(0xC1, HELLO));
    }
}

static void history_is_kept_or_not_as_agreed(void **state)
{
    GIVES(true, "text(Hello) text(Hello) ", F(0xC1, HELLO), F(0xC1, HELLO_AGAIN));
    GIVES(true, "text(Hello) text(between) text(Hello) ", F(0xC1, HELLO), F(0x81, "between"),
          F(0xC1, HELLO_AGAIN));
    GIVES(true, "text(Hello) text(Hello) ", F(0xC1, HELLO_FINAL), F(0xC1, HELLO_AGAIN));
    GIVES(false, "text(Hello) EDEFLATE", F(0xC1, HELLO), F(0xC1, HELLO_AGAIN));
}

static void empty_messages_inflate(void **state)
{
    for (int history = 0; history < 2; history++) {
        GIVES(history, "text() text(Hello) text() binary() ", F(0xC1, "\x00"), F(0xC1, HELLO),
              F(0xC1, "\x00"), F(0xC2, "\x00"));
        GIVES(history, "text() ", F(0x41, ""), F(0x00, "\x00"), F(0x80, ""));
        GIVES(history, "text() text(Hello) ", F(0xC1, ""), F(0xC1, HELLO)); /* not even a block */
        GIVES(history, "text() ", F(0xC1, "\x03\x00")); /* a final block of nothing */
    }
}

static void rsv1_stands_on_the_first_frame_of_a_data_message_only(void **state)
{
    GIVES(false, "EPROTO", F(0xC9, "ping"));
    GIVES(false, "EPROTO", F(0xC8, ""));
    GIVES(false, "EPROTO", F(0x41, HELLO), F(0xC0, ""));
    GIVES(false, "EPROTO", F(0x01, "a"), F(0x40, "b"));
    GIVES(false, "EPROTO", F(0xA1, "rsv2"));
    GIVES(false, "EPROTO", F(0x91, "rsv3"));
    GIVES(false, "EPROTO", F(0xE1, HELLO));
    GIVES(false, "ping(p) text(Hello) ", F(0x41, "\xF2\x48\xCD"), F(0x89, "p"),
          F(0x80, "\xC9\xC9\x07\x00"));
}

static void what_does_not_inflate_is_refused(void **state)
{
    GIVES(false, "EDEFLATE", F(0xC1, "\xFF\xFF"));                 /* a block type that is none */
    GIVES(false, "EDEFLATE", F(0xC2, "\xF2\x48\xCD\xC9\xC9"));     /* ends inside a block */
    GIVES(false, "EDEFLATE", F(0xC2, "\x00\x09\x00\xF6\xFF\x48")); /* a stored block cut short */
    GIVES(false, "EDEFLATE", F(0xC1, "\x00\x05\x00\xFB\xFF\x48")); /* LEN and NLEN do not agree */
    GIVES(false, "EDEFLATE", F(0xC2, HELLO "\x00\x00\xFF\xFF"));   /* the tail was sent, too */
    GIVES(false, "EDEFLATE", F(0x42, HELLO), F(0x80, "garbage"));
}

static void inflated_text_is_checked(void **state)
{
    GIVES(false, "EUTF8", F(0xC1, "\x00\x02\x00\xFD\xFF\xC3\x28\x00"));
    GIVES(false, "EUTF8", F(0xC1, "\x00\x01\x00\xFE\xFF\xC3\x00")); /* ends inside a sequence */
    GIVES(false, "EUTF8", F(0x41, "\x00\x02\x00\xFD\xFF\xC3\x28")); /* before the message's end */
    GIVES(false, "text(\xC3\xA4) ", F(0x41, "\x00\x01\x00\xFE\xFF\xC3"),
          F(0x80, "\x00\x01\x00\xFE\xFF\xA4\x00"));
    GIVES(false, "binary(\xC3\x28) ", F(0xC2, "\x00\x02\x00\xFD\xFF\xC3\x28\x00"));
}

static void deflated(tusk_buf *out, const void *payload, size_t len, bool keeps, uint8_t bits)
{
    tusk_ws_deflater *deflater;
    assert_err(tusk_ws_deflater_new(&deflater, tusk_mem_default(), bits, 1, 8, keeps), TUSK_OK);
    assert_err(tusk_ws_deflater_run(deflater, tusk_bytes_of(payload, len), out), TUSK_OK);
    tusk_ws_deflater_free(deflater);
}

/* Inflates one frame in pieces of `step`; the most that was held meanwhile. */
static tusk_err inflate(tusk_bytes compressed, size_t message_max, size_t step, size_t *peak,
                        size_t *inflated)
{
    test_mem mem;
    tusk_ws_inflaters *pool;
    test_mem_init(&mem, 0);
    assert_err(tusk_ws_inflaters_new(&pool, &mem.mem), TUSK_OK);
    tusk_ws_config config = {
        .mem = &mem.mem, .role = TUSK_WS_CLIENT, .message_max = message_max, .inflaters = pool};
    tusk_ws_deflate deflate = {.on = true, .server_no_context_takeover = true};
    tusk_ws_decoder decoder;
    tusk_ws_item item;
    size_t consumed;
    uint8_t head[TUSK_WS_HEAD_MAX];
    tusk_ws_decoder_init(&decoder, &config, &deflate);
    size_t n = tusk_ws_head_encode(head, 0xC0, 2, compressed.len, NULL);
    tusk_err err = tusk_ws_decode(&decoder, head, n, &consumed, &item);
    for (size_t at = 0; at < compressed.len && err == TUSK_OK; at += step) {
        step = step < compressed.len - at ? step : compressed.len - at;
        err = tusk_ws_decode(&decoder, (uint8_t *)(uintptr_t)compressed.ptr + at, step, &consumed,
                             &item);
    }
    *inflated = err == TUSK_OK ? item.payload.len : 0;
    *peak = mem.peak_bytes;
    tusk_ws_taken_drop(&config, item.taken, item.taken_cap);
    tusk_ws_decoder_fini(&decoder);
    tusk_ws_inflaters_free(pool);
    test_mem_assert_empty(&mem);
    return err;
}

static void a_bomb_ends_at_the_limit_with_bounded_memory(void **state)
{
    size_t len = 64 * MIB;
    uint8_t *zeros = calloc(1, len);
    tusk_buf bomb;
    size_t peak, inflated;
    tusk_buf_init(&bomb, tusk_mem_default(), MIB);
    deflated(&bomb, zeros, len, false, 15);
    assert_true(bomb.len < 400000);
    static const size_t steps[] = {1000, MIB};
    for (size_t s = 0; s < 2; s++) {
        assert_err(inflate(tusk_buf_view(&bomb), MIB, steps[s], &peak, &inflated), TUSK_ETOOBIG);
        assert_in_range(peak, MIB, MIB + 64 * 1024 + 65536);
        assert_err(inflate(tusk_buf_view(&bomb), len - 1, steps[s], &peak, &inflated),
                   TUSK_ETOOBIG);
        assert_err(inflate(tusk_buf_view(&bomb), len, steps[s], &peak, &inflated), TUSK_OK);
        assert_int_equal(inflated, len);
    }
    tusk_buf_fini(&bomb);
    free(zeros);
}

/* A slice at a time, with its input or without: never more than a slice is made in a call, and in
 * the end what one call makes of it. */
static void inflating_goes_on_where_it_stopped(void **state)
{
    enum { LEN = 300000, SLICE = 4096, INPUT = 97 };
    uint64_t seed = 11;
    uint8_t *payload = malloc(LEN);
    for (size_t i = 0; i < LEN; i++) { /* runs of one byte, and noise between them */
        payload[i] = (uint8_t)(i / 7000 % 2 == 0 ? 'r' : test_random(&seed));
    }
    tusk_buf packed;
    tusk_ws_inflaters *pool;
    tusk_ws_decoder decoder;
    tusk_ws_item item = {.kind = TUSK_WS_ITEM_NONE};
    uint8_t head[TUSK_WS_HEAD_MAX];
    const uint8_t key[4] = {1, 2, 3, 4};
    size_t consumed, left = SLICE, made = 0, calls = 0, stops = 0;
    tusk_buf_init(&packed, tusk_mem_default(), MIB);
    deflated(&packed, payload, LEN, false, 15);
    for (size_t i = 0; i < packed.len; i++) {
        packed.ptr[i] ^= key[i & 3];
    }
    assert_err(tusk_ws_inflaters_new(&pool, tusk_mem_default()), TUSK_OK);
    const tusk_ws_config config = {.mem = tusk_mem_default(),
                                   .role = TUSK_WS_SERVER,
                                   .message_max = LEN,
                                   .inflaters = pool,
                                   .inflate_left = &left};
    const tusk_ws_deflate deflate = {.on = true, .client_no_context_takeover = true};
    tusk_ws_decoder_init(&decoder, &config, &deflate);
    size_t n = tusk_ws_head_encode(head, 0xC0, 2, packed.len, key);
    assert_err(tusk_ws_decode(&decoder, head, n, &consumed, &item), TUSK_OK);
    for (size_t at = 0; item.kind == TUSK_WS_ITEM_NONE; calls++) {
        size_t part = packed.len - at < INPUT ? packed.len - at : INPUT;
        assert_true(part > 0 || tusk_ws_decoder_stopped(&decoder));
        left = SLICE;
        assert_err(tusk_ws_decode(&decoder, packed.ptr + at, part, &consumed, &item), TUSK_OK);
        /* what it made was taken off, and of a block's codes, which make nothing, as much more */
        assert_true(item.kind != TUSK_WS_ITEM_NONE || decoder.len - made <= SLICE - left);
        stops += tusk_ws_decoder_stopped(&decoder);
        made = decoder.len;
        at += consumed;
    }
    assert_bytes_equal(item.payload, tusk_bytes_of(payload, LEN));
    assert_in_range(stops, LEN / 14000, 2 * LEN / SLICE); /* in each run at least once */
    assert_in_range(calls, packed.len / INPUT, packed.len / INPUT + 2 * stops + 1);
    assert_false(tusk_ws_decoder_stopped(&decoder));
    tusk_ws_taken_drop(&config, item.taken, item.taken_cap);
    tusk_ws_decoder_fini(&decoder);
    tusk_ws_inflaters_free(pool);
    tusk_buf_fini(&packed);
    free(payload);
}

/* Blocks that carry nothing cost work as well: a call takes no more of them than it takes of what
 * makes much, also behind the last byte that the message may have. */
static void blocks_that_make_nothing_are_counted(void **state)
{
    enum { BLOCKS = 4000, LEFT = 4096, TAKEN_MAX = 512 };
    uint8_t wire[14 + 2 + 5 * BLOCKS];
    const uint8_t key[4] = {0};
    static const uint8_t one_literal[] = {0x72, 0x04, 0x00, 0x00, 0x00, 0xFF, 0xFF}; /* "A" */
    for (size_t message_max = 1; message_max <= 1000; message_max += 999) {
        tusk_ws_inflaters *pool;
        tusk_ws_decoder decoder;
        tusk_ws_item item = {.kind = TUSK_WS_ITEM_NONE};
        size_t consumed, left = LEFT, calls = 0;
        assert_err(tusk_ws_inflaters_new(&pool, tusk_mem_default()), TUSK_OK);
        const tusk_ws_config config = {.mem = tusk_mem_default(),
                                       .role = TUSK_WS_SERVER,
                                       .message_max = message_max,
                                       .inflaters = pool,
                                       .inflate_left = &left};
        const tusk_ws_deflate deflate = {.on = true, .client_no_context_takeover = true};
        tusk_ws_decoder_init(&decoder, &config, &deflate);
        size_t fill = (message_max + 512) / 5 * 5; /* what a frame may declare is bounded as well */
        size_t at = tusk_ws_head_encode(wire, 0xC0, 2, sizeof(one_literal) + fill, key);
        memcpy(wire + at, one_literal, sizeof(one_literal));
        for (size_t i = 0; i < fill; i += 5) {
            memcpy(wire + at + sizeof(one_literal) + i, "\x00\x00\x00\xFF\xFF", 5);
        }
        size_t len = at + sizeof(one_literal) + fill - 4; /* the frame ends later */
        for (at = 0; at < len; calls++) {
            left = LEFT;
            assert_err(tusk_ws_decode(&decoder, wire + at, len - at, &consumed, &item), TUSK_OK);
            assert_in_range(consumed, 1, 14 + LEFT / 16 + TAKEN_MAX);
            assert_int_equal(tusk_ws_decoder_stopped(&decoder), at + consumed < len);
            size_t most;
            assert_int_equal(tusk_ws_decoder_wants(&decoder, &most), 0);
            at += consumed;
        }
        assert_in_range(calls, len / (LEFT / 16 + TAKEN_MAX), len);
        assert_int_equal(decoder.len, 1);
        tusk_ws_decoder_fini(&decoder);
        tusk_ws_inflaters_free(pool);
    }
}

static void a_compressed_length_far_over_the_limit_is_refused_from_the_head(void **state)
{
    size_t peak, inflated;
    uint8_t stored[] = HELLO_STORED;
    assert_err(inflate(tusk_bytes_of(stored, sizeof(stored) - 1), 5, 64, &peak, &inflated),
               TUSK_OK);
    assert_err(inflate(tusk_bytes_of(stored, sizeof(stored) - 1), 4, 64, &peak, &inflated),
               TUSK_ETOOBIG);
    uint8_t *blocks =
        malloc(4000); /* empty stored blocks inflate to nothing, but not without end */
    for (size_t i = 0; i < 4000; i += 5) {
        memcpy(blocks + i, "\x00\x00\x00\xFF\xFF", 5);
    }
    assert_err(inflate(tusk_bytes_of(blocks, 4000), 100, 4000, &peak, &inflated), TUSK_ETOOBIG);
    free(blocks);
}

/* Blocks that make nothing, in fragments: what a message may bring is counted over all of them, and
 * anew for the next message, also of an inflater that another one has had. */
static void
the_compressed_length_is_summed_over_fragments_and_begins_anew_with_a_message(void **state)
{
    enum { BLOCKS = 80, MAX = 100, CAP = MAX + MAX / 8 + 1024 };
    uint8_t blocks[5 * BLOCKS + 1];
    memset(blocks, 0, sizeof(blocks)); /* the last byte begins the block whose rest is left out */
    for (size_t i = 0; i < BLOCKS; i++) {
        memcpy(blocks + 5 * i, "\x00\x00\x00\xFF\xFF", 5);
    }
    const frame whole = {0xC2, (const char *)blocks, sizeof(blocks)};
    const frame first = {0x42, (const char *)blocks, 5 * BLOCKS};
    const frame next = {0x00, (const char *)blocks, 5 * BLOCKS};
    const frame last = {0x80, (const char *)blocks, CAP - 2 * 5 * BLOCKS};
    const frame over = {0x80, (const char *)blocks, CAP - 2 * 5 * BLOCKS + 1};
    const frame several[] = {whole, whole, whole, whole};
    const frame full[] = {first, next, last, whole};
    const frame too_much[] = {first, next, over};
    assert_int_equal(last.len % 5, 1);
    for (int history = 0; history < 2; history++) {
        frames_give(history, MAX, several, 4, "binary() binary() binary() binary() ");
        frames_give(history, MAX, full, 4, "binary() binary() ");
        frames_give(history, MAX, too_much, 3, "ETOOBIG");
    }
}

static void whatever_is_compressed_comes_back_by_every_kind_of_compressor(void **state)
{
    uint64_t seed = 5;
    uint8_t *payload = malloc(300000);
    for (size_t round = 0; round < 60; round++) {
        size_t len = round < 20 ? round : test_random(&seed) % 300000;
        uint64_t kinds = round % 3 == 0 ? 256 : round % 3 == 1 ? 4 : 1;
        for (size_t i = 0; i < len; i++) {
            payload[i] = (uint8_t)(test_random(&seed) % kinds);
        }
        tusk_buf out;
        size_t peak, inflated;
        tusk_buf_init(&out, tusk_mem_default(), MIB);
        deflated(&out, payload, len, round % 2 == 0, (uint8_t)(9 + round % 7));
        assert_err(inflate(tusk_buf_view(&out), len, 1 + round * 7, &peak, &inflated), TUSK_OK);
        assert_int_equal(inflated, len);
        tusk_buf_fini(&out);
    }
    free(payload);
}

static void a_stateless_compressor_repeats_itself_and_one_with_history_refers_back(void **state)
{
    for (int keeps = 0; keeps < 2; keeps++) {
        tusk_ws_deflater *deflater;
        tusk_buf first, second, empty;
        tusk_buf_init(&first, tusk_mem_default(), MIB);
        tusk_buf_init(&second, tusk_mem_default(), MIB);
        tusk_buf_init(&empty, tusk_mem_default(), MIB);
        assert_err(tusk_ws_deflater_new(&deflater, tusk_mem_default(), 15, 6, 8, keeps == 1),
                   TUSK_OK);
        tusk_bytes text = TEST_BYTES("a message that says much the same as the one before it");
        assert_err(tusk_ws_deflater_run(deflater, text, &first), TUSK_OK);
        assert_err(tusk_ws_deflater_run(deflater, tusk_bytes_of(NULL, 0), &empty), TUSK_OK);
        assert_err(tusk_ws_deflater_run(deflater, tusk_bytes_of(NULL, 0), &empty), TUSK_OK);
        assert_bytes_equal(tusk_buf_view(&empty), TEST_BYTES("\x00\x00")); /* 00 each time */
        assert_err(tusk_ws_deflater_run(deflater, text, &second), TUSK_OK);
        if (keeps == 0) {
            assert_bytes_equal(tusk_buf_view(&second), tusk_buf_view(&first));
        } else {
            assert_true(second.len < 15);
        }
        tusk_ws_deflater_free(deflater);
        tusk_buf_fini(&first);
        tusk_buf_fini(&second);
        tusk_buf_fini(&empty);
    }
}

static void a_buffer_that_is_full_is_left_as_it_was(void **state)
{
    tusk_ws_deflater *deflater;
    uint8_t noise[5000];
    uint64_t seed = 9;
    for (size_t i = 0; i < sizeof(noise); i++) {
        noise[i] = (uint8_t)test_random(&seed);
    }
    assert_err(tusk_ws_deflater_new(&deflater, tusk_mem_default(), 15, 1, 8, true), TUSK_OK);
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 1000);
    assert_err(tusk_buf_append_str(&out, "before"), TUSK_OK);
    assert_err(tusk_ws_deflater_run(deflater, tusk_bytes_of(noise, sizeof(noise)), &out),
               TUSK_ETOOBIG);
    assert_bytes_equal(tusk_buf_view(&out), TEST_BYTES("before"));
    /* and the next message does not refer to the one that was not sent */
    tusk_buf_clear(&out);
    assert_err(tusk_ws_deflater_run(deflater, tusk_bytes_of(noise, 500), &out), TUSK_OK);
    size_t peak, inflated;
    assert_err(inflate(tusk_buf_view(&out), MIB, MIB, &peak, &inflated), TUSK_OK);
    assert_int_equal(inflated, 500);
    tusk_buf_fini(&out);
    tusk_ws_deflater_free(deflater);
}

static void parameters_out_of_range_are_refused(void **state)
{
    tusk_ws_deflater *deflater;
    const tusk_mem *mem = tusk_mem_default();
    assert_err(tusk_ws_deflater_new(&deflater, mem, 7, 1, 8, false), TUSK_EINVAL);
    assert_err(tusk_ws_deflater_new(&deflater, mem, 16, 1, 8, false), TUSK_EINVAL);
    assert_err(tusk_ws_deflater_new(&deflater, mem, 15, 0, 8, false), TUSK_EINVAL);
    assert_err(tusk_ws_deflater_new(&deflater, mem, 15, 10, 8, false), TUSK_EINVAL);
    assert_err(tusk_ws_deflater_new(&deflater, mem, 15, 1, 0, false), TUSK_EINVAL);
    assert_null(deflater);
    tusk_ws_deflater_free(NULL);
    tusk_ws_inflaters_free(NULL);
}

/* ---- memory ---- */
static void an_idle_connection_without_history_holds_nothing(void **state)
{
    test_mem mem;
    tusk_ws_inflaters *pool;
    uint8_t in[32];
    tusk_ws_decoder decoders[20];
    tusk_ws_item item;
    size_t consumed;
    test_mem_init(&mem, 0);
    assert_err(tusk_ws_inflaters_new(&pool, &mem.mem), TUSK_OK);
    tusk_ws_config config = {
        .mem = &mem.mem, .role = TUSK_WS_CLIENT, .message_max = MIB, .inflaters = pool};
    tusk_ws_deflate deflate = {.on = true, .server_no_context_takeover = true};
    size_t head = tusk_ws_head_encode(in, 0xC0, 1, sizeof(HELLO) - 1, NULL);
    for (size_t i = 0; i < 20; i++) { /* all in the middle of a message: 20 inflaters */
        tusk_ws_decoder_init(&decoders[i], &config, &deflate);
        memcpy(in + head, HELLO, sizeof(HELLO) - 1);
        assert_err(tusk_ws_decode(&decoders[i], in, head + 3, &consumed, &item), TUSK_OK);
        assert_true(tusk_ws_decoder_held(&decoders[i]) >= TUSK_WS_INFLATER_BYTES);
    }
    for (size_t i = 0; i < 20; i++) {
        assert_err(tusk_ws_decode(&decoders[i], in + head + 3, 4, &consumed, &item), TUSK_OK);
        assert_bytes_equal(item.payload, TEST_BYTES("Hello"));
        tusk_ws_taken_drop(&config, item.taken, item.taken_cap);
        assert_int_equal(tusk_ws_decoder_held(&decoders[i]), 0);
    }
    /* only the pool is left: 8 idle inflaters of two or three blocks each, and itself */
    assert_in_range(mem.live, 1 + 8 * 2, 1 + 8 * 3);
    assert_true(mem.live_bytes <= 8 * TUSK_WS_INFLATER_BYTES);
    size_t requests = mem.requests;
    assert_err(tusk_ws_decode(&decoders[0], in, head + sizeof(HELLO) - 1, &consumed, &item),
               TUSK_OK);
    tusk_ws_taken_drop(&config, item.taken, item.taken_cap);
    assert_int_equal(mem.requests, requests + 1); /* the payload: the inflater was lent */
    for (size_t i = 0; i < 20; i++) {
        tusk_ws_decoder_fini(&decoders[i]);
    }
    tusk_ws_inflaters_free(pool);
    test_mem_assert_empty(&mem);
}

static tusk_err compress_and_inflate(const tusk_mem *mem, void *user)
{
    bool history = *(bool *)user;
    tusk_ws_inflaters *pool = NULL;
    tusk_ws_deflater *deflater = NULL;
    tusk_ws_decoder decoder;
    tusk_ws_item item;
    size_t consumed;
    tusk_buf out;
    char text[5000];
    uint8_t head[TUSK_WS_HEAD_MAX];
    tusk_ws_deflate deflate = {
        .on = true, .server_no_context_takeover = !history, .server_max_window_bits = 15};
    memset(text, 't', sizeof(text));
    memset(&decoder, 0, sizeof(decoder));
    tusk_buf_init(&out, mem, MIB);
    tusk_err err = tusk_ws_inflaters_new(&pool, mem);
    if (err == TUSK_OK) {
        err = tusk_ws_deflater_new(&deflater, mem, 15, 1, 8, history);
    }
    tusk_ws_config config = {
        .mem = mem, .role = TUSK_WS_CLIENT, .message_max = MIB, .inflaters = pool};
    if (err == TUSK_OK) {
        tusk_ws_decoder_init(&decoder, &config, &deflate);
    }
    for (size_t round = 0; round < 2 && err == TUSK_OK; round++) {
        tusk_buf_clear(&out);
        err = tusk_ws_deflater_run(deflater, tusk_bytes_of(text, sizeof(text)), &out);
        if (err == TUSK_OK) {
            size_t n = tusk_ws_head_encode(head, 0xC0, 1, out.len, NULL);
            err = tusk_ws_decode(&decoder, head, n, &consumed, &item);
        }
        if (err == TUSK_OK) {
            err = tusk_ws_decode(&decoder, out.ptr, out.len, &consumed, &item);
            assert_true(err != TUSK_OK || item.payload.len == sizeof(text));
            tusk_ws_taken_drop(&config, item.taken, item.taken_cap);
        }
    }
    tusk_ws_decoder_fini(&decoder);
    tusk_ws_deflater_free(deflater);
    tusk_ws_inflaters_free(pool);
    tusk_buf_fini(&out);
    return err;
}

static void no_memory_is_said_and_nothing_leaks(void **state)
{
    for (int history = 0; history < 2; history++) {
        bool keeps = history == 1;
        assert_in_range(test_fail_each_alloc(compress_and_inflate, false, &keeps), 8, 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rfcs_examples_inflate),
        cmocka_unit_test(a_final_block_ends_neither_message_nor_history),
        cmocka_unit_test(history_is_kept_or_not_as_agreed),
        cmocka_unit_test(empty_messages_inflate),
        cmocka_unit_test(rsv1_stands_on_the_first_frame_of_a_data_message_only),
        cmocka_unit_test(what_does_not_inflate_is_refused),
        cmocka_unit_test(inflated_text_is_checked),
        cmocka_unit_test(a_bomb_ends_at_the_limit_with_bounded_memory),
        cmocka_unit_test(inflating_goes_on_where_it_stopped),
        cmocka_unit_test(blocks_that_make_nothing_are_counted),
        cmocka_unit_test(a_compressed_length_far_over_the_limit_is_refused_from_the_head),
        cmocka_unit_test(
            the_compressed_length_is_summed_over_fragments_and_begins_anew_with_a_message),
        cmocka_unit_test(whatever_is_compressed_comes_back_by_every_kind_of_compressor),
        cmocka_unit_test(a_stateless_compressor_repeats_itself_and_one_with_history_refers_back),
        cmocka_unit_test(a_buffer_that_is_full_is_left_as_it_was),
        cmocka_unit_test(parameters_out_of_range_are_refused),
        cmocka_unit_test(an_idle_connection_without_history_holds_nothing),
        cmocka_unit_test(no_memory_is_said_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include "test.h"

#include <tusk/ws.h>

static void nothing_is_built_in(void **state)
{
    tusk_ws_inflaters *pool;
    tusk_ws_deflater *deflater;
    assert_null(tusk_ws_deflate_library());
    assert_err(tusk_ws_inflaters_new(&pool, tusk_mem_default()), TUSK_ENOTSUP);
    assert_err(tusk_ws_deflater_new(&deflater, tusk_mem_default(), 15, 1, 8, false), TUSK_ENOTSUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_built_in)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
