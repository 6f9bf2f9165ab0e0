/* SPDX-License-Identifier: MIT */
/* The decoder's rules, from RFC 6455 by section; each case in both roles where the rule is for
 * both, and cut in every way. */
#include "ws_script.h"

static const tusk_ws_role roles[] = {TUSK_WS_SERVER, TUSK_WS_CLIENT};
#define EACH_ROLE(role)                                                                            \
    for (size_t role##_at = 0; role##_at < 2; role##_at++)                                         \
        for (tusk_ws_role role = roles[role##_at], *role##_once = &role; role##_once != NULL;      \
             role##_once = NULL)

typedef struct frame {
    uint8_t first;
    const char *payload;
} frame;

static void frames_give(tusk_ws_role role, const frame *frames, size_t count, const char *expected)
{
    script *s = malloc(sizeof(*s));
    script_init(s, role);
    for (size_t i = 0; i < count; i++) {
        script_text(s, frames[i].first, frames[i].payload);
    }
    script_gives(s, expected);
    free(s);
}
#define GIVES(role, expected, ...)                                                                 \
    do {                                                                                           \
        const frame list[] = {__VA_ARGS__};                                                        \
        frames_give(role, list, sizeof(list) / sizeof(list[0]), expected);                         \
    } while (0)

static void whole_messages_of_both_kinds_come_out(void **state)
{
    EACH_ROLE(role)
    {
        GIVES(role, "text(hello) binary(by\xFFtes) text() binary() ", {0x81, "hello"},
              {0x82, "by\xFFtes"}, {0x81, ""}, {0x82, ""});
    }
}

static void lengths_of_all_three_forms_come_out(void **state)
{
    static const size_t lens[] = {125, 126, 127, 300};
    EACH_ROLE(role)
    {
        for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
            script *s = malloc(sizeof(*s));
            char payload[300];
            char expected[64];
            script_init(s, role);
            memset(payload, 'm', sizeof(payload));
            payload[0] = 'a';
            payload[lens[i] - 1] = 'z';
            script_frame(s, 0x81, payload, lens[i]);
            (void)snprintf(expected, sizeof(expected), "text(%zu 61-7a) ", lens[i]);
            script_gives(s, expected);
            free(s);
        }
    }
}

static void fragments_are_joined_and_control_frames_pass_between_them(void **state)
{
    EACH_ROLE(role)
    {
        GIVES(role, "text(one two three) ", {0x01, "one "}, {0x00, "two "}, {0x80, "three"});
        GIVES(role, "ping(p) pong(q) text(one two) binary(b) ", {0x01, "one "}, {0x89, "p"},
              {0x8A, "q"}, {0x80, "two"}, {0x82, "b"});
        GIVES(role, "text() ", {0x01, ""}, {0x00, ""}, {0x80, ""});
        GIVES(role, "text(x) ", {0x01, ""}, {0x00, "x"}, {0x80, ""});
        GIVES(role, "ping() ...", {0x02, "a"}, {0x89, ""});
    }
}

static void control_payloads_up_to_125_come_out(void **state)
{
    char longest[126];
    memset(longest, 'c', 125);
    longest[125] = '\0';
    EACH_ROLE(role)
    {
        GIVES(role, "ping(125 63-63) pong(125 63-63) ping() ", {0x89, longest}, {0x8A, longest},
              {0x89, ""});
    }
}

static void nothing_is_processed_after_a_close(void **state)
{
    EACH_ROLE(role)
    {
        GIVES(role,
              "text(a) close(\x03\xE8"
              "bye) ",
              {0x81, "a"},
              {0x88, "\x03\xE8"
                     "bye"},
              {0x81, "late"}, {0xFF, "garbage"});
        GIVES(role, "close() ", {0x88, ""}, {0x89, "late"});
    }
    /* a Close in the middle of a message ends it */
    GIVES(TUSK_WS_SERVER, "close() ", {0x01, "half"}, {0x88, ""});
}

static void reserved_bits_are_refused_without_an_extension(void **state)
{
    EACH_ROLE(role)
    {
        for (unsigned rsv = 1; rsv < 8; rsv++) {
            GIVES(role, "text(ok) EPROTO", {0x81, "ok"}, {(uint8_t)(0x81 | rsv << 4), "bad"});
            GIVES(role, "EPROTO", {(uint8_t)(0x89 | rsv << 4), ""});
            GIVES(role, "EPROTO", {0x01, "a"}, {(uint8_t)(0x80 | rsv << 4), "b"});
        }
    }
}

static void unknown_opcodes_are_refused(void **state)
{
    static const uint8_t unknown[] = {3, 4, 5, 6, 7, 11, 12, 13, 14, 15};
    EACH_ROLE(role)
    {
        for (size_t i = 0; i < sizeof(unknown); i++) {
            GIVES(role, "text(ok) EPROTO", {0x81, "ok"}, {(uint8_t)(0x80 | unknown[i]), ""});
        }
    }
}

static void a_frame_out_of_order_is_refused(void **state)
{
    EACH_ROLE(role)
    {
        GIVES(role, "EPROTO", {0x80, "continues nothing"});
        GIVES(role, "EPROTO", {0x00, "continues nothing"});
        GIVES(role, "text(done) EPROTO", {0x01, "do"}, {0x80, "ne"}, {0x80, "again"});
        GIVES(role, "EPROTO", {0x01, "a"}, {0x81, "b"});
        GIVES(role, "EPROTO", {0x02, "a"}, {0x02, "b"});
        GIVES(role, "EPROTO", {0x01, ""}, {0x81, "b"}); /* also when the first fragment was empty */
    }
}

static void a_fragmented_or_long_control_frame_is_refused(void **state)
{
    static const uint8_t opcodes[] = {8, 9, 10};
    char long_payload[127];
    memset(long_payload, 'c', 126);
    long_payload[126] = '\0';
    EACH_ROLE(role)
    {
        for (size_t i = 0; i < 3; i++) {
            GIVES(role, "EPROTO", {opcodes[i], "x"});
            GIVES(role, "EPROTO", {(uint8_t)(0x80 | opcodes[i]), long_payload});
        }
    }
}

static void the_mask_is_a_rule_of_the_role(void **state)
{
    static const uint8_t firsts[] = {0x81, 0x82, 0x88, 0x89, 0x8A, 0x01};
    EACH_ROLE(role)
    {
        for (size_t i = 0; i < 2 * sizeof(firsts); i++) { /* also as long as most are */
            script *s = malloc(sizeof(*s));
            script_init(s, role);
            script_text(s, 0x81, "ok");
            s->masked = !s->masked;
            script_text(s, firsts[i / 2], i % 2 == 0 ? "" : "\x03\xe8not so short");
            script_text(s, 0x82, "more than the mask that is missing");
            script_gives(s, "text(ok) EPROTO");
            free(s);
        }
    }
}

static void wrong_text_is_refused_and_binary_is_not_looked_at(void **state)
{
    static const char *bad[] = {"\xFF", "a\xC0\xAF",   "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                "\x80", "cut \xE2\x82"};
    EACH_ROLE(role)
    {
        for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
            GIVES(role, "EUTF8", {0x81, bad[i]});
            GIVES(role, "EUTF8", {0x01, "f"}, {0x80, bad[i]});
            GIVES(role, "EUTF8", {0x01, bad[i]}, {0x80, "f"});
        }
        GIVES(role, "binary(\xFF\xFE) ", {0x82, "\xFF\xFE"});
        GIVES(role,
              "binary(\xC3"
              "x) ",
              {0x02, "\xC3"}, {0x80, "x"});
    }
}

static void a_sequence_may_be_cut_by_fragments_and_pings(void **state)
{
    EACH_ROLE(role)
    {
        GIVES(role, "ping() text(\xF0\x9F\x98\x80!) ", {0x01, "\xF0\x9F"}, {0x89, ""},
              {0x00, "\x98"}, {0x80, "\x80!"});
        GIVES(role, "EUTF8", {0x01, "\xF0\x9F"}, {0x00, ""}, {0x80, ""}); /* and never finished */
        /* the state does not leak into the next message */
        GIVES(role, "binary(\xC3) text(a) ", {0x82, "\xC3"}, {0x81, "a"});
    }
}

/* Everything before the last byte is fine; that one must be enough, the rest of the frame is never
 * sent. */
static void wrong_text_is_refused_at_its_byte(void **state)
{
    static const struct {
        const char *text;
        size_t good;
    } cases[] = {{"\xCE\xBA\xF4\x90", 3}, {"\xED\xA0", 1}, {"ab\xFF", 2}, {"\xF0\x8F", 1}};
    EACH_ROLE(role)
    {
        for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
            script *s = malloc(sizeof(*s));
            char payload[200];
            script_init(s, role);
            memset(payload, 'x', sizeof(payload));
            memcpy(payload, cases[c].text, strlen(cases[c].text));
            script_frame(s, 0x81, payload, sizeof(payload));
            size_t head = s->len - sizeof(payload);
            s->len = head + cases[c].good;
            script_gives(s, "...");
            s->len++;
            script_gives(s, "EUTF8");
            free(s);
        }
    }
}

/* RFC 6455, 5.2: "the minimal number of bytes MUST be used", also where all of the frame is there.
 */
static void a_length_in_a_longer_form_than_it_needs_is_refused(void **state)
{
    static const struct {
        size_t width, len;
    } cases[] = {{2, 0}, {2, 5}, {2, 125}, {8, 0}, {8, 125}, {8, 126}, {8, 300}};
    static const uint8_t payload[300];
    EACH_ROLE(role)
    {
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            script *s = malloc(sizeof(*s));
            uint8_t head[14] = {0x82};
            size_t width = cases[i].width;
            script_init(s, role);
            head[1] = (uint8_t)((s->masked ? 0x80 : 0) | (width == 2 ? 126 : 127));
            head[width] = (uint8_t)(cases[i].len >> 8);
            head[width + 1] = (uint8_t)cases[i].len;
            script_raw(s, head, 2 + width + (s->masked ? 4 : 0));
            script_raw(s, payload, cases[i].len);
            script_gives(s, "EPROTO");
            free(s);
        }
    }
}

static void a_length_over_the_limit_is_refused_from_the_head_alone(void **state)
{
    static const uint64_t lens[] = {101, 126, 70000, 1ULL << 32, INT64_MAX};
    EACH_ROLE(role)
    {
        for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
            script *s = malloc(sizeof(*s));
            uint8_t head[TUSK_WS_HEAD_MAX];
            const uint8_t key[4] = {0};
            script_init(s, role);
            s->config.message_max = 100;
            script_raw(s, head,
                       tusk_ws_head_encode(head, 0x80, 2, lens[i], s->masked ? key : NULL));
            script_gives(s, "ETOOBIG");
            free(s);
        }
    }
}

static void a_length_over_the_limit_is_refused_before_its_mask_comes(void **state)
{
    static const uint64_t lens[] = {101, 126, 70000, 1ULL << 32, INT64_MAX};
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        for (int begun = 0; begun < 2; begun++) {
            script *s = malloc(sizeof(*s));
            uint8_t head[TUSK_WS_HEAD_MAX];
            const uint8_t key[4] = {0};
            script_init(s, TUSK_WS_SERVER);
            size_t most = lens[i] - 1 < 1 << 20 ? (size_t)lens[i] - 1 : 1 << 20;
            s->config.message_max = begun == 0 ? most : most + 5;
            if (begun != 0) {
                script_text(s, 0x02, "12345");
            }
            size_t size = tusk_ws_head_encode(head, 0x80, begun == 0 ? 2 : 0, lens[i], key);
            script_raw(s, head, size - sizeof(key));
            script_gives(s, "ETOOBIG");
            free(s);
        }
    }
}

static void a_length_at_the_limit_waits_for_its_mask(void **state)
{
    static const uint64_t lens[] = {100, 126, 70000};
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        script *s = malloc(sizeof(*s));
        uint8_t head[TUSK_WS_HEAD_MAX];
        const uint8_t key[4] = {0};
        script_init(s, TUSK_WS_SERVER);
        s->config.message_max = (size_t)lens[i];
        script_raw(s, head, tusk_ws_head_encode(head, 0x80, 2, lens[i], key) - sizeof(key));
        script_gives(s, "...");
        free(s);
    }
}

static void the_limit_counts_what_is_assembled(void **state)
{
    script *s = malloc(sizeof(*s));
    script_init(s, TUSK_WS_SERVER);
    s->config.message_max = 10;
    script_text(s, 0x02, "1234");
    script_text(s, 0x00, "5678");
    script_text(s, 0x80, "90");
    script_text(s, 0x82, "0123456789");
    script_text(s, 0x02, "1234");
    script_text(s, 0x00, "567890");
    script_text(s, 0x80, "");
    script_text(s, 0x02, "123456789");
    script_text(s, 0x00, "01");
    script_gives(s, "binary(1234567890) binary(0123456789) binary(1234567890) ETOOBIG");
    free(s);
}

static void empty_fragments_are_counted(void **state)
{
    script *s = malloc(sizeof(*s));
    script_init(s, TUSK_WS_CLIENT);
    s->config.message_frames_max = 4;
    for (size_t message = 0; message < 2; message++) { /* each message has its own count */
        script_text(s, 0x01, "");
        script_text(s, 0x00, "");
        script_text(s, 0x89, "");
        script_text(s, 0x00, "");
        script_text(s, 0x80, "x");
    }
    script_text(s, 0x01, "");
    for (size_t i = 0; i < 4; i++) {
        script_text(s, 0x00, "");
    }
    script_gives(s, "ping() text(x) ping() text(x) ELIMIT");
    free(s);
}

static void one_fragment_too_many_is_said_before_its_length_is(void **state)
{
    (void)state;
    for (size_t before_mask = 0; before_mask < 2; before_mask++) {
        script *s = malloc(sizeof(*s));
        uint8_t head[TUSK_WS_HEAD_MAX];
        const uint8_t key[4] = {0};
        script_init(s, TUSK_WS_SERVER);
        s->config.message_frames_max = 2;
        s->config.message_max = 100;
        script_text(s, 0x02, "");
        script_text(s, 0x00, "");
        script_raw(s, head, tusk_ws_head_encode(head, 0, 0, 200, key) - before_mask * sizeof(key));
        script_gives(s, before_mask ? "..." : "ELIMIT");
        free(s);
    }
}

static void after_an_error_only_fini_is_taken(void **state)
{
    const tusk_ws_config config = {
        .mem = tusk_mem_default(), .role = TUSK_WS_SERVER, .message_max = 100};
    tusk_ws_decoder decoder;
    tusk_ws_item item;
    size_t consumed;
    uint8_t bad[] = {0x81, 0x00};
    uint8_t good[] = {0x81, 0x80, 0, 0, 0, 0};
    tusk_ws_decoder_init(&decoder, &config, NULL);
    assert_err(tusk_ws_decode(&decoder, bad, 2, &consumed, &item), TUSK_EPROTO);
    assert_err(tusk_ws_decode(&decoder, good, 6, &consumed, &item), TUSK_ESTATE);
    assert_int_equal(item.kind, TUSK_WS_ITEM_NONE);
    tusk_ws_decoder_fini(&decoder);
    tusk_ws_decoder_fini(&decoder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_messages_of_both_kinds_come_out),
        cmocka_unit_test(lengths_of_all_three_forms_come_out),
        cmocka_unit_test(fragments_are_joined_and_control_frames_pass_between_them),
        cmocka_unit_test(control_payloads_up_to_125_come_out),
        cmocka_unit_test(nothing_is_processed_after_a_close),
        cmocka_unit_test(reserved_bits_are_refused_without_an_extension),
        cmocka_unit_test(unknown_opcodes_are_refused),
        cmocka_unit_test(a_frame_out_of_order_is_refused),
        cmocka_unit_test(a_fragmented_or_long_control_frame_is_refused),
        cmocka_unit_test(the_mask_is_a_rule_of_the_role),
        cmocka_unit_test(wrong_text_is_refused_and_binary_is_not_looked_at),
        cmocka_unit_test(a_sequence_may_be_cut_by_fragments_and_pings),
        cmocka_unit_test(wrong_text_is_refused_at_its_byte),
        cmocka_unit_test(a_length_in_a_longer_form_than_it_needs_is_refused),
        cmocka_unit_test(a_length_over_the_limit_is_refused_from_the_head_alone),
        cmocka_unit_test(a_length_over_the_limit_is_refused_before_its_mask_comes),
        cmocka_unit_test(a_length_at_the_limit_waits_for_its_mask),
        cmocka_unit_test(the_limit_counts_what_is_assembled),
        cmocka_unit_test(empty_fragments_are_counted),
        cmocka_unit_test(one_fragment_too_many_is_said_before_its_length_is),
        cmocka_unit_test(after_an_error_only_fini_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
