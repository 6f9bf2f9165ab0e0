/* SPDX-License-Identifier: MIT */
/* What a compressed message may refer back to: never more than the agreed window of what was
 * before, and the same however its bytes are cut. */
#include "proto/ws_history.h"

#ifdef TUSK_HAVE_ZLIB
#include "ws_script.h"
#else
#include "test.h"
#endif

enum { KIB = 1024 };

static void fill(uint8_t *out, size_t len, uint64_t seed)
{
    for (size_t i = 0; i < len; i++) {
        out[i] = (uint8_t)test_random(&seed);
    }
}

/* ---- the ring ---- */
static void the_end_of_all_messages_is_kept(void **state)
{
    static const size_t lens[] = {0, 1, 7, 100, 255, 256, 257, 400, 511, 512, 513, 3000};
    enum { WINDOW = 512, ROUNDS = 400 };
    uint64_t seed = 3;
    test_mem mem;
    uint8_t *all = malloc(ROUNDS * (size_t)3000);
    for (size_t variant = 0; variant < 8; variant++) {
        size_t len = 0;
        tusk__history *history = NULL;
        test_mem_init(&mem, 0);
        for (size_t round = 0; round < ROUNDS / 8; round++) {
            size_t count = sizeof(lens) / sizeof(lens[0]) - (variant < 4 ? 4 : 0);
            size_t n = lens[test_random(&seed) % count];
            fill(all + len, n, seed);
            assert_err(tusk__history_add(&history, &mem.mem, 9, tusk_bytes_of(all + len, n)),
                       TUSK_OK);
            len += n;
            size_t kept = len < WINDOW ? len : WINDOW;
            if (history == NULL) {
                assert_int_equal(kept, 0);
                continue;
            }
            tusk_bytes pieces[2];
            uint8_t joined[WINDOW];
            tusk__history_view(history, pieces);
            assert_int_equal(pieces[0].len + pieces[1].len, kept);
            memcpy(joined, pieces[0].ptr, pieces[0].len);
            memcpy(joined + pieces[0].len, pieces[1].ptr, pieces[1].len);
            assert_memory_equal(joined, all + len - kept, kept);
        }
        assert_true(mem.live_bytes <= WINDOW + 64);
        tusk__history_free(history, &mem.mem);
        test_mem_assert_empty(&mem);
    }
    free(all);
}

static void little_said_is_little_kept(void **state)
{
    test_mem mem;
    tusk__history *history = NULL;
    test_mem_init(&mem, 0);
    for (size_t i = 0; i < 50; i++) { /* 250 bytes */
        assert_err(tusk__history_add(&history, &mem.mem, 15, TEST_BYTES("hello")), TUSK_OK);
        assert_true(mem.live_bytes < 300);
    }
    tusk__history_free(history, &mem.mem);
    tusk__history_free(NULL, &mem.mem);
    test_mem_assert_empty(&mem);
}

static tusk_err grow_twice(const tusk_mem *mem, void *user)
{
    static const uint8_t zeros[600];
    tusk__history *history = NULL;
    tusk_err err = tusk__history_add(&history, mem, 15, tusk_bytes_of(zeros, 10));
    if (err == TUSK_OK) {
        err = tusk__history_add(&history, mem, 15, tusk_bytes_of(zeros, sizeof(zeros)));
    }
    tusk__history_free(history, mem);
    return err;
}

static void no_memory_is_said_and_leaves_it_as_it_was(void **state)
{
    assert_int_equal(test_fail_each_alloc(grow_twice, false, NULL), 2);
}

#ifdef TUSK_HAVE_ZLIB
/* ---- what the decoder makes of it ---- */
typedef struct talk {
    script *script;
    tusk_ws_inflaters *pool;
    tusk_ws_deflater *sender; /* has the largest window, whatever was agreed */
} talk;

static void talk_init(talk *self, uint8_t agreed_bits)
{
    self->script = malloc(sizeof(*self->script));
    script_init(self->script, TUSK_WS_SERVER);
    assert_err(tusk_ws_inflaters_new(&self->pool, tusk_mem_default()), TUSK_OK);
    assert_err(tusk_ws_deflater_new(&self->sender, tusk_mem_default(), 15, 9, 9, true), TUSK_OK);
    self->script->config.inflaters = self->pool;
    self->script->deflate = (tusk_ws_deflate){.on = true, .client_max_window_bits = agreed_bits};
}

static void talk_send(talk *self, const uint8_t *payload, size_t len)
{
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), SCRIPT_CAP);
    assert_err(tusk_ws_deflater_run(self->sender, tusk_bytes_of(payload, len), &out), TUSK_OK);
    script_frame(self->script, 0xC2, out.ptr, out.len);
    tusk_buf_fini(&out);
}

static void talk_gives(talk *self, const char *expected)
{
    script_gives(self->script, expected);
    tusk_ws_deflater_free(self->sender);
    tusk_ws_inflaters_free(self->pool);
    free(self->script);
}

static void a_distance_within_a_message_is_judged_the_same_however_it_is_cut(void **state)
{
    uint8_t payload[3 * KIB];
    char expected[64];
    talk t;
    fill(payload, sizeof(payload), 7);
    memcpy(payload + sizeof(payload) - 100, payload, 100); /* 2.9 KiB back, and 0.5 KiB agreed */
    talk_init(&t, 9);
    talk_send(&t, payload, sizeof(payload));
    (void)snprintf(expected, sizeof(expected), "binary(3072 %02x-%02x) ", payload[0], payload[99]);
    talk_gives(&t, expected);
}

static void beyond_the_agreed_window_nothing_of_earlier_messages_is_known(void **state)
{
    static const struct {
        uint8_t bits;
        size_t back;
        const char *second;
    } cases[] = {{9, 512, "binary(100 "},   {9, 513, "EDEFLATE"},    {9, 1200, "EDEFLATE"},
                 {10, 1024, "binary(100 "}, {10, 1025, "EDEFLATE"},  {11, 1200, "binary(100 "},
                 {15, 1200, "binary(100 "}, {8, 1200, "binary(100 "}};
    uint8_t first[1200];
    fill(first, sizeof(first), 11);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char expected[128];
        const uint8_t *again = first + sizeof(first) - cases[i].back;
        talk t;
        talk_init(&t, cases[i].bits);
        talk_send(&t, first, sizeof(first));
        talk_send(&t, again, 100);
        int n = snprintf(expected, sizeof(expected), "binary(1200 %02x-%02x) %s", first[0],
                         first[1199], cases[i].second);
        if (cases[i].second[0] == 'b') {
            (void)snprintf(expected + n, sizeof(expected) - (size_t)n, "%02x-%02x) ", again[0],
                           again[99]);
        }
        talk_gives(&t, expected);
    }
}

static void between_messages_a_connection_holds_its_history_and_no_inflater(void **state)
{
    enum { COUNT = 20 };
    uint8_t payload[2 * KIB];
    tusk_ws_decoder decoders[COUNT];
    tusk_ws_inflaters *pool;
    tusk_ws_deflater *sender;
    tusk_ws_item item;
    tusk_buf out;
    test_mem mem;
    fill(payload, sizeof(payload), 13);
    test_mem_init(&mem, 0);
    assert_err(tusk_ws_inflaters_new(&pool, &mem.mem), TUSK_OK);
    assert_err(tusk_ws_deflater_new(&sender, tusk_mem_default(), 9, 1, 1, true), TUSK_OK);
    tusk_ws_config config = {
        .mem = &mem.mem, .role = TUSK_WS_CLIENT, .message_max = 1 << 20, .inflaters = pool};
    tusk_ws_deflate deflate = {.on = true, .server_max_window_bits = 9};
    tusk_buf_init(&out, tusk_mem_default(), 4 * KIB);
    assert_err(tusk_ws_deflater_run(sender, tusk_bytes_of(payload, sizeof(payload)), &out),
               TUSK_OK);
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t in[TUSK_WS_HEAD_MAX + 4 * KIB];
        size_t consumed;
        size_t head = tusk_ws_head_encode(in, 0xC0, 2, out.len, NULL);
        memcpy(in + head, out.ptr, out.len);
        tusk_ws_decoder_init(&decoders[i], &config, &deflate);
        assert_err(tusk_ws_decode(&decoders[i], in, head + out.len, &consumed, &item), TUSK_OK);
        assert_int_equal(item.payload.len, sizeof(payload));
        tusk_ws_taken_drop(&config, item.taken, item.taken_cap);
        assert_int_equal(tusk_ws_decoder_held(&decoders[i]), 0);
    }
    assert_true(mem.live_bytes <=
                TUSK_WS_INFLATER_BYTES + COUNT * 600u); /* one idle, in the pool */
    for (size_t i = 0; i < COUNT; i++) {
        tusk_ws_decoder_fini(&decoders[i]);
    }
    tusk_buf_fini(&out);
    tusk_ws_deflater_free(sender);
    tusk_ws_inflaters_free(pool);
    test_mem_assert_empty(&mem);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_all_messages_is_kept),
        cmocka_unit_test(little_said_is_little_kept),
        cmocka_unit_test(no_memory_is_said_and_leaves_it_as_it_was),
#ifdef TUSK_HAVE_ZLIB
        cmocka_unit_test(a_distance_within_a_message_is_judged_the_same_however_it_is_cut),
        cmocka_unit_test(beyond_the_agreed_window_nothing_of_earlier_messages_is_known),
        cmocka_unit_test(between_messages_a_connection_holds_its_history_and_no_inflater),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
