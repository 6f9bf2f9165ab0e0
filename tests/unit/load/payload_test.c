/* SPDX-License-Identifier: MIT */
/* Stamps, patterns and texts with places in them. */
#include "load/payload.h"

#include "load/messages.h"
#include "test.h"

static void a_stamp_is_found_wherever_it_stands(void **state)
{
    (void)state;
    const load_stamp stamp = {.run = 0xABCDEF,
                              .publisher = 4094,
                              .sequence = (UINT64_C(1) << 36) - 2,
                              .intended = UINT64_C(0xFEDCBA9876543210)};
    uint8_t bytes[LOAD_STAMP_BYTES];
    char text[200];
    load_stamp found;
    tusk__load_stamp_put(bytes, &stamp);
    (void)snprintf(text, sizeof(text), "{\"~user\":\"~~~\",\"text\":\"%.*s!\"}", LOAD_STAMP_BYTES,
                   (const char *)bytes);
    assert_true(tusk__load_stamp_find(&found, test_guarded_str(text), 0xABCDEF));
    assert_int_equal(found.publisher, stamp.publisher);
    assert_int_equal(found.sequence, stamp.sequence);
    assert_int_equal(found.intended, stamp.intended);
    assert_false(tusk__load_stamp_find(&found, tusk_bytes_str(text), 0xABCDEE));
    for (size_t len = 0; len < LOAD_STAMP_BYTES; len++) {
        assert_false(tusk__load_stamp_find(&found, test_guarded_bytes(bytes, len), 0xABCDEF));
    }
    bytes[10] = '"';
    assert_false(tusk__load_stamp_find(&found, tusk_bytes_of(bytes, sizeof(bytes)), 0xABCDEF));
}

static void patterns_follow_from_the_seed_and_are_text(void **state)
{
    (void)state;
    uint8_t a[100];
    uint8_t b[100];
    tusk__load_pattern(a, sizeof(a), 5);
    tusk__load_pattern(b, sizeof(b), 5);
    assert_memory_equal(a, b, sizeof(a));
    tusk__load_pattern(b, sizeof(b), 6);
    assert_memory_not_equal(a, b, sizeof(a));
    assert_true(tusk_utf8_valid(a, sizeof(a)));
}

static void lines_are_taken_without_their_ends(void **state)
{
    (void)state;
    tusk_bytes rest = tusk_bytes_str("one\r\n\n\r\ntwo\nthree");
    tusk_bytes line;
    static const char *const lines[] = {"one", "two", "three"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(tusk__load_next_line(&rest, &line));
        assert_true(tusk_bytes_eq(line, tusk_bytes_str(lines[i])));
    }
    assert_false(tusk__load_next_line(&rest, &line));
}

static void places_are_filled(void **state)
{
    (void)state;
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 1000);
    assert_int_equal(
        tusk__load_fill(&out, tusk_bytes_str("{a}x{a}{b}"), "{a}", tusk_bytes_str("12")), TUSK_OK);
    assert_true(tusk_bytes_eq(tusk_buf_view(&out), tusk_bytes_str("12x12{b}")));
    tusk_buf_fini(&out);
}

static load_plan plan_of(uint64_t size)
{
    return (load_plan){.mem = tusk_mem_default(), .size = size, .seed = 3};
}

static void messages_decode_to_their_payloads(void **state)
{
    (void)state;
    static const uint64_t sizes[][2] = {{0, 0}, {1, 0}, {125, 0}, {126, 10}, {70000, 0}, {100, 7}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        load_plan plan = plan_of(sizes[i][0]);
        load_messages messages;
        plan.fragment = sizes[i][1];
        assert_int_equal(tusk__load_messages_init(&messages, &plan, 5, NULL), TUSK_OK);
        const tusk_ws_config config = {
            .mem = tusk_mem_default(), .role = TUSK_WS_SERVER, .message_max = 1 << 20};
        tusk_ws_decoder decoder;
        tusk_ws_decoder_init(&decoder, &config, NULL);
        uint32_t count = 5;
        tusk_bytes wire = tusk__load_messages_wire(&messages, messages.slots - 2, &count);
        assert_int_equal(count, 5);
        uint8_t *copy = test_guarded(wire.ptr, wire.len);
        size_t at = 0;
        for (uint32_t k = 0; k < count; k++) {
            tusk_ws_item item = {.kind = TUSK_WS_ITEM_NONE};
            while (item.kind == TUSK_WS_ITEM_NONE) {
                size_t taken;
                assert_int_equal(tusk_ws_decode(&decoder, copy + at, wire.len - at, &taken, &item),
                                 TUSK_OK);
                at += taken;
            }
            uint32_t slot = (messages.slots - 2 + k) % messages.slots;
            assert_int_equal(item.payload.len, plan.size);
            assert_memory_equal(item.payload.ptr, tusk__load_messages_payload(&messages, slot),
                                item.payload.len);
            if (plan.size > 4) {
                assert_int_equal(tusk__load_messages_find(&messages, item.payload), slot);
            }
            tusk_ws_taken_drop(&config, item.taken, item.taken_cap);
        }
        assert_int_equal(at, wire.len);
        tusk_ws_decoder_fini(&decoder);
        tusk__load_messages_fini(&messages);
    }
}

static tusk_err make_messages(const tusk_mem *mem, void *user)
{
    (void)user;
    load_messages messages;
    load_plan plan = plan_of(20);
    plan.mem = mem;
    tusk_err err = tusk__load_messages_init(&messages, &plan, 1, NULL);
    tusk__load_messages_fini(&messages);
    return err;
}

static void out_of_memory_is_returned(void **state)
{
    (void)state;
    assert_true(test_fail_each_alloc(make_messages, false, NULL) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stamp_is_found_wherever_it_stands),
        cmocka_unit_test(patterns_follow_from_the_seed_and_are_text),
        cmocka_unit_test(lines_are_taken_without_their_ends),
        cmocka_unit_test(places_are_filled),
        cmocka_unit_test(messages_decode_to_their_payloads),
        cmocka_unit_test(out_of_memory_is_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
