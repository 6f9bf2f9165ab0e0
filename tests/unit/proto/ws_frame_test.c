/* SPDX-License-Identifier: MIT */
/* Frame heads and close payloads, case by case from RFC 6455, 5.2, 5.5 and 7.4. */
#include "test.h"

#include <tusk/ws.h>

static void what_is_encoded_is_parsed_for_every_kind_of_length(void **state)
{
    static const uint64_t lens[] = {0,     1,     125,        126,        127,
                                    65535, 65536, 0xFFFFFFFF, 1ULL << 40, INT64_MAX};
    static const uint8_t opcodes[] = {0, 1, 2, 8, 9, 10};
    const uint8_t key[4] = {0xDE, 0xAD, 0xBE, 0xEF};
    for (size_t l = 0; l < sizeof(lens) / sizeof(lens[0]); l++) {
        for (size_t o = 0; o < sizeof(opcodes); o++) {
            for (unsigned flags = 0; flags < 16; flags++) {
                for (int masked = 0; masked < 2; masked++) {
                    uint8_t out[TUSK_WS_HEAD_MAX];
                    tusk_ws_head head;
                    uint8_t bits = (uint8_t)(flags << 4);
                    size_t n = tusk_ws_head_encode(out, bits, opcodes[o], lens[l],
                                                   masked == 1 ? key : NULL);
                    assert_int_equal(n, tusk_ws_head_size(lens[l], masked == 1));
                    ptrdiff_t parsed = tusk_ws_head_parse(&head, tusk_bytes_of(out, n));
                    if (opcodes[o] >= 8 && (lens[l] > 125 || (bits & TUSK_WS_FIN) == 0)) {
                        assert_err(parsed, TUSK_EPROTO);
                        continue;
                    }
                    assert_int_equal(parsed, n);
                    assert_int_equal(head.size, n);
                    assert_true(head.len == lens[l]);
                    assert_int_equal(head.flags, bits);
                    assert_int_equal(head.opcode, opcodes[o]);
                    assert_int_equal(head.masked, masked);
                    if (masked == 1) {
                        assert_memory_equal(head.key, key, 4);
                    }
                    for (size_t cut = 0; cut < n; cut++) {
                        uint8_t *part = test_guarded(out, cut);
                        assert_int_equal(tusk_ws_head_parse(&head, tusk_bytes_of(part, cut)), 0);
                        test_guarded_free(part, cut);
                    }
                }
            }
        }
    }
}

static void refused_after(const void *bytes, size_t len, size_t needed)
{
    tusk_ws_head head;
    for (size_t n = 0; n <= len; n++) {
        uint8_t *part = test_guarded(bytes, n);
        ptrdiff_t result = tusk_ws_head_parse(&head, tusk_bytes_of(part, n));
        assert_int_equal(result, n < needed ? 0 : TUSK_EPROTO);
        test_guarded_free(part, n);
    }
}

static void unknown_opcodes_are_refused_at_their_byte(void **state)
{
    for (unsigned first = 0; first < 256; first++) {
        unsigned opcode = first & 15;
        if ((opcode > 2 && opcode < 8) || opcode > 10) {
            uint8_t bytes[2] = {(uint8_t)first, 0x80};
            refused_after(bytes, 2, 1);
        }
    }
}

static void faults_are_seen_at_the_byte_that_shows_them(void **state)
{
    refused_after("\x09\x80", 2, 1);                                   /* ping without FIN */
    refused_after("\x08\x82", 2, 1);                                   /* close without FIN */
    refused_after("\x89\xFE", 2, 2);                                   /* ping of more than 125 */
    refused_after("\x88\x7F", 2, 2);                                   /* close with 64 bits */
    refused_after("\x82\xFE\x00\x7D", 4, 4);                           /* 125 in 16 bits */
    refused_after("\x82\xFE\x00\x00", 4, 4);                           /* 0 in 16 bits */
    refused_after("\x82\xFF\x00\x00\x00\x00\x00\x00\xFF\xFF", 10, 10); /* 65535 in 64 bits */
    refused_after("\x82\xFF\x00\x00\x00\x00\x00\x00\x00\x05", 10, 10);
    refused_after("\x82\xFF\x80\x00\x00\x00\x00\x00\x00\x00", 10, 3); /* the high bit */
    refused_after("\x82\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 10, 3); /* 2^64 - 1 */
}

static void only_codes_for_the_wire_are_valid(void **state)
{
    for (unsigned code = 0; code <= 65536; code++) {
        bool expected =
            (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006) ||
            (code >= 3000 && code < 5000);
        assert_int_equal(tusk_ws_code_valid(code), expected);
        uint8_t payload[2] = {(uint8_t)(code >> 8), (uint8_t)code};
        uint16_t got;
        tusk_bytes reason;
        if (code <= 65535) {
            assert_err(tusk_ws_close_parse(tusk_bytes_of(payload, 2), &got, &reason),
                       expected ? TUSK_OK : TUSK_EPROTO);
            assert_int_equal(got, expected ? code : 0);
        }
    }
}

static void close_payloads_are_read_strictly(void **state)
{
    uint16_t code = 77;
    tusk_bytes reason;
    assert_err(tusk_ws_close_parse(test_guarded_str(""), &code, &reason), TUSK_OK);
    assert_int_equal(code, 0);
    assert_int_equal(reason.len, 0);
    assert_err(tusk_ws_close_parse(test_guarded_str("\x03"), &code, &reason), TUSK_EPROTO);
    assert_err(tusk_ws_close_parse(test_guarded_str("\x03\xE8h\xC3\xA9"), &code, &reason), TUSK_OK);
    assert_int_equal(code, 1000);
    assert_bytes_equal(reason, TEST_BYTES("h\xC3\xA9"));
    assert_err(tusk_ws_close_parse(test_guarded_str("\x03\xE8h\xC3"), &code, &reason), TUSK_EUTF8);
    assert_err(tusk_ws_close_parse(test_guarded_str("\x03\xE8\xED\xA0\x80"), &code, &reason),
               TUSK_EUTF8);
    /* a bad code is told before a bad reason */
    assert_err(tusk_ws_close_parse(TEST_BYTES("\x03\xED\xFF"), &code, &reason), TUSK_EPROTO);
    uint8_t longest[126] = {0x03, 0xE8};
    memset(longest + 2, 'r', 124);
    assert_err(tusk_ws_close_parse(tusk_bytes_of(longest, 125), &code, &reason), TUSK_OK);
    assert_int_equal(reason.len, TUSK_WS_REASON_MAX);
    assert_err(tusk_ws_close_parse(tusk_bytes_of(longest, 126), &code, &reason), TUSK_EPROTO);
}

static void each_error_of_the_decoder_has_its_close_code(void **state)
{
    assert_int_equal(tusk_ws_code_of(TUSK_EPROTO), 1002);
    assert_int_equal(tusk_ws_code_of(TUSK_EUTF8), 1007);
    assert_int_equal(tusk_ws_code_of(TUSK_EDEFLATE), 1007);
    assert_int_equal(tusk_ws_code_of(TUSK_ETOOBIG), 1009);
    assert_int_equal(tusk_ws_code_of(TUSK_ELIMIT), 1008);
    assert_int_equal(tusk_ws_code_of(TUSK_ENOMEM), 1011);
    for (int err = -100; err <= 0; err++) { /* whatever happens, the code may stand on the wire */
        assert_true(tusk_ws_code_valid(tusk_ws_code_of((tusk_err)err)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_encoded_is_parsed_for_every_kind_of_length),
        cmocka_unit_test(unknown_opcodes_are_refused_at_their_byte),
        cmocka_unit_test(faults_are_seen_at_the_byte_that_shows_them),
        cmocka_unit_test(only_codes_for_the_wire_are_valid),
        cmocka_unit_test(close_payloads_are_read_strictly),
        cmocka_unit_test(each_error_of_the_decoder_has_its_close_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
