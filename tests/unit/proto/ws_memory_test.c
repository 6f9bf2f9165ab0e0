/* SPDX-License-Identifier: MIT */
/* What the decoder's memory costs: nothing for whole messages, linear for fragments, little for
 * lies; and landing. */
#include "test.h"

#include <tusk/ws.h>

enum { MIB = 1 << 20 };
static const uint8_t key[4] = {0x11, 0xA2, 0x33, 0xC4};

/* A masked frame; returns its length. */
static size_t frame(uint8_t *out, uint8_t first, const void *payload, size_t len)
{
    size_t head = tusk_ws_head_encode(out, first & 0xF0, first & 0x0F, len, key);
    for (size_t i = 0; i < len; i++) {
        out[head + i] = ((const uint8_t *)payload)[i] ^ key[i & 3];
    }
    return head + len;
}

/* A store that counts what growing costs. */
typedef struct store_count {
    size_t grows;
    size_t drops;
    size_t live;
    size_t copied; /* bytes that a plain realloc would have moved */
    size_t cap;
    size_t fail_at;
} store_count;

static void *count_grow(void *user, void *payload, size_t cap, uint8_t **place)
{
    store_count *self = user;
    if (++self->grows == self->fail_at) {
        return NULL;
    }
    self->copied += payload == NULL ? 0 : self->cap;
    self->live += payload == NULL ? 1 : 0;
    self->cap = cap;
    uint8_t *grown =
        realloc(payload, cap + 16); /* the payload does not begin where its owner does */
    assert_non_null(grown);
    *place = grown + 16;
    return grown;
}

static void count_drop(void *user, void *payload)
{
    store_count *self = user;
    self->drops++;
    self->live--;
    free(payload);
}

typedef struct bench {
    test_mem mem;
    store_count count;
    tusk_ws_store store;
    tusk_ws_config config;
    tusk_ws_decoder decoder;
    tusk_ws_item item;
    size_t consumed;
} bench;

static void bench_init(bench *self, size_t message_max, bool with_store)
{
    memset(self, 0, sizeof(*self));
    test_mem_init(&self->mem, 0);
    self->store = (tusk_ws_store){.grow = count_grow, .drop = count_drop, .user = &self->count};
    self->config = (tusk_ws_config){.mem = &self->mem.mem,
                                    .role = TUSK_WS_SERVER,
                                    .message_max = message_max,
                                    .store = with_store ? &self->store : NULL};
    tusk_ws_decoder_init(&self->decoder, &self->config, NULL);
}

static tusk_err decode(bench *self, uint8_t *in, size_t len)
{
    return tusk_ws_decode(&self->decoder, in, len, &self->consumed, &self->item);
}

static void bench_fini(bench *self)
{
    tusk_ws_decoder_fini(&self->decoder);
    assert_int_equal(self->count.live, 0);
    test_mem_assert_empty(&self->mem);
}

static void the_decoder_is_small(void **state)
{
    assert_true(sizeof(tusk_ws_decoder) <= 96);
}

static void whole_messages_are_given_where_they_lie_without_any_memory(void **state)
{
    bench b;
    uint8_t in[400];
    bench_init(&b, MIB, false);
    for (size_t round = 0; round < 1000; round++) {
        size_t first = frame(in, 0x81, "hello", 5);
        size_t second = frame(in + first, 0x82, in, 126);
        size_t third = frame(in + first + second, 0x89, "ping", 4);
        assert_err(decode(&b, in, first + second + third), TUSK_OK);
        assert_int_equal(b.consumed, first);
        assert_ptr_equal(b.item.payload.ptr, in + 6);
        assert_null(b.item.taken);
        assert_err(decode(&b, in + first, second + third), TUSK_OK);
        assert_int_equal(b.consumed, second);
        assert_err(decode(&b, in + first + second, third), TUSK_OK);
        assert_int_equal(b.item.kind, TUSK_WS_ITEM_PING);
        assert_ptr_equal(b.item.payload.ptr, in + first + second + 6);
        assert_true(tusk_ws_decoder_idle(&b.decoder));
    }
    assert_int_equal(b.mem.requests, 0);
    bench_fini(&b);
}

static void a_store_that_wants_whole_messages_gets_them_unmasked(void **state)
{
    static const size_t lens[] = {0, 99, 100, 125, 126, 60000, 65535, 65536, 70000};
    uint8_t *in = malloc(70100);
    uint8_t *payload = malloc(70000);
    memset(payload, 'w', 70000);
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]) * 2; i++) {
        bench b;
        size_t payload_len = lens[i / 2];
        bench_init(&b, MIB, true);
        b.store.whole_min = 100;
        size_t len = frame(in, i % 2 == 0 ? 0x81 : 0x82, payload, payload_len);
        assert_err(decode(&b, in, len), TUSK_OK);
        assert_int_equal(b.consumed, len);
        assert_int_equal(b.item.kind, TUSK_WS_ITEM_MESSAGE);
        assert_int_equal(b.item.payload.len, payload_len);
        assert_memory_equal(b.item.payload.ptr, payload, payload_len);
        assert_int_equal(b.count.live, payload_len >= 100 ? 1 : 0);
        if (payload_len >= 100) {
            assert_int_equal(b.item.taken_cap, payload_len);
            assert_ptr_equal(b.item.payload.ptr, (uint8_t *)b.item.taken + 16);
        }
        tusk_ws_taken_drop(&b.config, b.item.taken, b.item.taken_cap);
        bench_fini(&b);
    }
    free(payload);
    free(in);
}

static void what_the_store_got_of_a_message_that_fails_is_dropped(void **state)
{
    bench b;
    uint8_t in[300];
    uint8_t payload[200];
    memset(payload, 'w', sizeof(payload));
    payload[199] = 0xC3; /* ends inside a sequence */
    bench_init(&b, MIB, true);
    b.store.whole_min = 100;
    assert_err(decode(&b, in, frame(in, 0x81, payload, sizeof(payload))), TUSK_EUTF8);
    assert_null(b.item.taken);
    assert_int_equal(b.count.drops, 1);
    bench_fini(&b);
    bench_init(&b, MIB, true);
    b.store.whole_min = 100;
    b.count.fail_at = 1;
    assert_err(decode(&b, in, frame(in, 0x82, payload, sizeof(payload))), TUSK_ENOMEM);
    assert_int_equal(b.consumed, 0);
    bench_fini(&b);
}

static void sixteen_mib_in_64_byte_fragments_cost_linear_time(void **state)
{
    enum { COUNT = 16 * MIB / 64 };
    bench b;
    uint8_t in[80];
    uint8_t payload[64];
    bench_init(&b, 16 * MIB, true);
    for (size_t i = 0; i < COUNT; i++) {
        memset(payload, 'a' + (int)(i % 26), sizeof(payload));
        uint8_t first = (uint8_t)((i == 0 ? 0x01 : 0x00) | (i == COUNT - 1 ? 0x80 : 0));
        size_t len = frame(in, first, payload, sizeof(payload));
        assert_err(decode(&b, in, len), TUSK_OK);
        assert_int_equal(b.consumed, len);
        assert_int_equal(b.item.kind == TUSK_WS_ITEM_MESSAGE, i == COUNT - 1);
    }
    assert_int_equal(b.item.payload.len, 16 * MIB);
    assert_int_equal(b.item.taken_cap, 16 * MIB);
    for (size_t i = 0; i < 16 * MIB; i += 4099) {
        assert_int_equal(b.item.payload.ptr[i], 'a' + i / 64 % 26);
    }
    assert_in_range(b.count.grows, 2, 20);
    assert_in_range(b.count.copied, MIB, 16 * MIB); /* every byte is moved once, on average */
    tusk_ws_taken_drop(&b.config, b.item.taken, b.item.taken_cap);
    bench_fini(&b);
}

static void a_declared_length_is_not_believed(void **state)
{
    bench b;
    uint8_t in[TUSK_WS_HEAD_MAX + 1000] = {0};
    bench_init(&b, 16 * MIB, true);
    size_t head = tusk_ws_head_encode(in, 0x80, 2, 16 * MIB, key);
    assert_err(decode(&b, in, head), TUSK_OK);
    assert_int_equal(b.consumed, head);
    assert_int_equal(tusk_ws_decoder_held(&b.decoder), 0);
    size_t arrived = 0;
    for (size_t n = 1; n < 900; n++) {
        assert_err(decode(&b, in, n), TUSK_OK);
        assert_int_equal(b.consumed, n);
        arrived += n;
        assert_true(tusk_ws_decoder_held(&b.decoder) <= 256 + 2 * arrived);
    }
    bench_fini(&b);
    assert_int_equal(b.count.drops, 1);
}

static void a_known_length_is_taken_exactly(void **state)
{
    static const size_t lens[] = {1, 100, 255, 256, 257, 4096, 5000, 70000, 200001};
    uint8_t *in = malloc(300000);
    uint8_t *payload = malloc(300000);
    memset(payload, 'k', 300000);
    for (size_t l = 0; l < sizeof(lens) / sizeof(lens[0]); l++) {
        bench b;
        bench_init(&b, MIB, false);
        size_t len = frame(in, 0x81, payload, lens[l]);
        for (size_t at = 0; at < len; at += b.consumed) {
            size_t n = len - at < 1000 ? len - at : 1000;
            n = n == len ? len - 1 : n; /* never whole in the input */
            assert_err(decode(&b, in + at, n), TUSK_OK);
        }
        assert_int_equal(b.item.kind, TUSK_WS_ITEM_MESSAGE);
        assert_int_equal(b.item.payload.len, lens[l]);
        assert_int_equal(b.item.taken_cap, lens[l]);
        assert_memory_equal(b.item.payload.ptr, payload, lens[l]);
        tusk_ws_taken_drop(&b.config, b.item.taken, b.item.taken_cap);
        assert_int_equal(tusk_ws_decoder_held(&b.decoder), 0);
        bench_fini(&b);
    }
    free(in);
    free(payload);
}

static void a_cut_control_frame_holds_its_125_bytes_until_the_next_call(void **state)
{
    bench b;
    uint8_t in[64];
    bench_init(&b, MIB, true);
    size_t len = frame(in, 0x89, "are you there", 13);
    assert_err(decode(&b, in, 10), TUSK_OK);
    assert_int_equal(b.mem.live_bytes, TUSK_WS_CONTROL_MAX);
    assert_err(decode(&b, in + 10, len - 10), TUSK_OK);
    assert_int_equal(b.item.kind, TUSK_WS_ITEM_PING);
    assert_bytes_equal(b.item.payload, TEST_BYTES("are you there"));
    assert_err(decode(&b, in, 0), TUSK_OK);
    assert_int_equal(b.mem.live, 0);
    bench_fini(&b);
}

static void an_error_gives_the_memory_back_at_once(void **state)
{
    bench b;
    uint8_t in[300];
    bench_init(&b, MIB, true);
    size_t len = frame(in, 0x01, "half a message", 14);
    len += frame(in + len, 0x81, "and another", 11);
    assert_err(decode(&b, in, len), TUSK_EPROTO);
    assert_int_equal(b.count.live, 0);
    assert_int_equal(b.count.drops, 1);
    bench_fini(&b);
}

/* ---- landing ---- */
/* Receives a frame of `len` bytes, through landing where there is one, `step` bytes a time. */
static tusk_err receive(bench *b, uint8_t *in, size_t len, size_t step, size_t *landings)
{
    size_t at = 0;
    while (at < len) {
        size_t cap;
        uint8_t *place = tusk_ws_decoder_landing(&b->decoder, &cap);
        size_t n = len - at < step ? len - at : step;
        tusk_err err;
        if (place != NULL) {
            n = n < cap ? n : cap;
            memcpy(place, in + at, n);
            err = tusk_ws_decoder_landed(&b->decoder, n, &b->item);
            at += n;
            ++*landings;
        } else {
            err = decode(b, in + at, n);
            at += b->consumed;
        }
        if (err != TUSK_OK || b->item.kind != TUSK_WS_ITEM_NONE) {
            assert_true(err != TUSK_OK || at == len);
            return err;
        }
    }
    return TUSK_OK;
}

static void landing_gives_the_same_message(void **state)
{
    static const size_t lens[] = {1000, 16383, 16384, 20000, 65536, 1000003};
    static const size_t steps[] = {777, 4096, 65536};
    uint8_t *payload = malloc(1 << 20);
    uint8_t *in = malloc((1 << 20) + 32);
    for (size_t i = 0; i + 3 <= 1 << 20; i += 3) {
        memcpy(payload + i, "\xE2\x82\xAC", 3);
    }
    for (size_t l = 0; l < sizeof(lens) / sizeof(lens[0]); l++) {
        for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
            bench b;
            size_t landings = 0;
            size_t whole = lens[l] / 3 * 3;
            bench_init(&b, 1 << 20, true);
            size_t len = frame(in, 0x81, payload, whole);
            assert_err(receive(&b, in, len, steps[s], &landings), TUSK_OK);
            assert_int_equal(b.item.kind, TUSK_WS_ITEM_MESSAGE);
            assert_bytes_equal(b.item.payload, tusk_bytes_of(payload, whole));
            assert_int_equal(landings > 0, whole >= 16384 + steps[s]);
            assert_true(b.count.grows <= 16);
            tusk_ws_taken_drop(&b.config, b.item.taken, b.item.taken_cap);
            bench_fini(&b);
        }
    }
    free(payload);
    free(in);
}

static void landed_text_is_checked_as_it_lands(void **state)
{
    enum { LEN = 100000 };
    uint8_t *payload = malloc(LEN);
    uint8_t *in = malloc(LEN + 32);
    memset(payload, 'x', LEN);
    for (size_t wrong = 20000; wrong < 80000; wrong += 9973) {
        bench b;
        size_t landings = 0;
        payload[wrong] = 0xFF;
        bench_init(&b, MIB, true);
        size_t len = frame(in, 0x81, payload, LEN);
        size_t head = len - LEN;
        assert_err(receive(&b, in, head + wrong, 5000, &landings), TUSK_OK);
        assert_true(landings > 0);
        assert_err(receive(&b, in + head + wrong, 1, 1, &landings), TUSK_EUTF8);
        assert_int_equal(b.count.live, 0);
        payload[wrong] = 'x';
        bench_fini(&b);
    }
    free(payload);
    free(in);
}

static void landing_never_reaches_beyond_its_frame(void **state)
{
    bench b;
    size_t cap = 77;
    uint8_t in[64] = {0};
    bench_init(&b, MIB, true);
    assert_null(tusk_ws_decoder_landing(&b.decoder, &cap)); /* between frames */
    assert_int_equal(cap, 0);
    size_t head = tusk_ws_head_encode(in, 0, 2, 20000, key);
    assert_err(decode(&b, in, head + 10), TUSK_OK);
    size_t left = 19990;
    while (tusk_ws_decoder_landing(&b.decoder, &cap) != NULL) {
        assert_in_range(cap, 1, left);
        assert_err(tusk_ws_decoder_landed(&b.decoder, left + 1, &b.item), TUSK_EINVAL);
        assert_err(tusk_ws_decoder_landed(&b.decoder, 1000, &b.item), TUSK_OK);
        left -= 1000;
    }
    assert_in_range(left, 15384, 16383);
    bench_fini(&b);
}

/* ---- asking ---- */
static void more_than_it_may_have_is_asked_for_and_waited_for(void **state)
{
    enum { LEN = 300000, UNASKED = 65536 };
    static uint8_t in[LEN + 32];
    static uint8_t payload[LEN];
    test_mem mem;
    tusk_ws_item item;
    size_t consumed, most, cap;
    test_mem_init(&mem, 0);
    const tusk_ws_config config = {
        .mem = &mem.mem, .role = TUSK_WS_SERVER, .message_max = MIB, .ask_from = UNASKED};
    for (int last = 0; last < 2; last++) {
        tusk_ws_decoder decoder;
        tusk_ws_decoder_init(&decoder, &config, NULL);
        size_t head = frame(in, last == 1 ? 0x82 : 0x02, payload, LEN) - LEN;
        assert_int_equal(tusk_ws_decoder_wants(&decoder, &most), 0);
        assert_err(tusk_ws_decode(&decoder, in, head + LEN - 1, &consumed, &item), TUSK_OK);
        for (int again = 0; again < 3; again++) { /* however often it is tried */
            size_t none;
            assert_int_equal(consumed, head + UNASKED);
            assert_int_equal(decoder.cap, UNASKED);
            assert_int_equal(tusk_ws_decoder_wants(&decoder, &most), 2 * UNASKED);
            assert_int_equal(most, last == 1 ? LEN : MIB); /* as far as it is known */
            assert_null(tusk_ws_decoder_landing(&decoder, &cap));
            assert_err(tusk_ws_decode(&decoder, in + consumed, 1000, &none, &item), TUSK_OK);
            assert_int_equal(none, 0);
        }
        tusk_ws_decoder_allow(&decoder, most);
        assert_int_equal(tusk_ws_decoder_wants(&decoder, &most), 0);
        size_t requests = mem.requests;
        size_t at = consumed;
        assert_err(tusk_ws_decode(&decoder, in + at, head + LEN - at, &consumed, &item), TUSK_OK);
        assert_int_equal(mem.requests, requests + 1); /* moved once */
        assert_int_equal(item.kind == TUSK_WS_ITEM_MESSAGE, last);
        tusk_ws_taken_drop(&config, item.taken, item.taken_cap);
        if (last == 1) { /* the next message asks again */
            assert_err(tusk_ws_decode(&decoder, in, head + UNASKED, &consumed, &item), TUSK_OK);
            assert_int_equal(tusk_ws_decoder_wants(&decoder, &most), 2 * UNASKED);
        }
        tusk_ws_decoder_fini(&decoder);
    }
    test_mem_assert_empty(&mem);
}

/* ---- no memory ---- */
static tusk_err receive_everything(const tusk_mem *mem, void *user)
{
    uint8_t in[40000];
    uint8_t payload[30000];
    tusk_ws_config config = {.mem = mem, .role = TUSK_WS_SERVER, .message_max = MIB};
    tusk_ws_decoder decoder;
    tusk_ws_item item;
    size_t items = 0;
    tusk_err err = TUSK_OK;
    memset(payload, 'y', sizeof(payload));
    size_t len = frame(in, 0x01, payload, 300);
    len += frame(in + len, 0x89, "ping", 4);
    len += frame(in + len, 0x80, payload, 30000);
    tusk_ws_decoder_init(&decoder, &config, NULL);
    for (size_t at = 0, end = 3; at < len && err == TUSK_OK;) {
        size_t consumed;
        err = tusk_ws_decode(&decoder, in + at, end - at, &consumed, &item);
        at += consumed;
        items += item.kind != TUSK_WS_ITEM_NONE;
        tusk_ws_taken_drop(&config, item.taken, item.taken_cap);
        if (item.kind == TUSK_WS_ITEM_NONE) {
            end = end + 97 < len ? end + 97 : len;
        }
    }
    assert_true(err != TUSK_OK || items == 2);
    tusk_ws_decoder_fini(&decoder);
    return err;
}

static void no_memory_is_said_and_nothing_leaks(void **state)
{
    assert_in_range(test_fail_each_alloc(receive_everything, false, NULL), 5, 40);
}

static void a_store_that_fails_keeps_the_old_payload_ours_to_drop(void **state)
{
    for (size_t fail_at = 1; fail_at < 6; fail_at++) {
        bench b;
        uint8_t in[1100] = {0};
        tusk_err err = TUSK_OK;
        bench_init(&b, MIB, true);
        b.count.fail_at = fail_at;
        for (size_t i = 0; i < 200 && err == TUSK_OK; i++) {
            size_t head = tusk_ws_head_encode(in, 0, i == 0 ? 2 : 0, 1000, key);
            err = decode(&b, in, head + 1000);
        }
        assert_err(err, TUSK_ENOMEM);
        assert_int_equal(b.count.drops, fail_at == 1 ? 0 : 1);
        bench_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_decoder_is_small),
        cmocka_unit_test(whole_messages_are_given_where_they_lie_without_any_memory),
        cmocka_unit_test(a_store_that_wants_whole_messages_gets_them_unmasked),
        cmocka_unit_test(what_the_store_got_of_a_message_that_fails_is_dropped),
        cmocka_unit_test(sixteen_mib_in_64_byte_fragments_cost_linear_time),
        cmocka_unit_test(a_declared_length_is_not_believed),
        cmocka_unit_test(a_known_length_is_taken_exactly),
        cmocka_unit_test(a_cut_control_frame_holds_its_125_bytes_until_the_next_call),
        cmocka_unit_test(an_error_gives_the_memory_back_at_once),
        cmocka_unit_test(landing_gives_the_same_message),
        cmocka_unit_test(landed_text_is_checked_as_it_lands),
        cmocka_unit_test(landing_never_reaches_beyond_its_frame),
        cmocka_unit_test(more_than_it_may_have_is_asked_for_and_waited_for),
        cmocka_unit_test(no_memory_is_said_and_nothing_leaks),
        cmocka_unit_test(a_store_that_fails_keeps_the_old_payload_ours_to_drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
