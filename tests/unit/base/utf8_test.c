/* SPDX-License-Identifier: MIT */
/* UTF-8: the automaton against a plain reading of RFC 3629, the vectors against the automaton. */
#include "test.h"

#include "base/utf8.h"

/* Length of the sequence at the front, straight from the table in RFC 3629, 4; 0: none can stand
 * here. */
static size_t sequence(const uint8_t *p, size_t len)
{
    static const struct {
        uint8_t first[2], second[2];
        size_t len;
    } rows[] = {
        {{0x00, 0x7F}, {0, 0}, 1},       {{0xC2, 0xDF}, {0x80, 0xBF}, 2},
        {{0xE0, 0xE0}, {0xA0, 0xBF}, 3}, {{0xE1, 0xEC}, {0x80, 0xBF}, 3},
        {{0xED, 0xED}, {0x80, 0x9F}, 3}, {{0xEE, 0xEF}, {0x80, 0xBF}, 3},
        {{0xF0, 0xF0}, {0x90, 0xBF}, 4}, {{0xF1, 0xF3}, {0x80, 0xBF}, 4},
        {{0xF4, 0xF4}, {0x80, 0x8F}, 4},
    };
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        if (p[0] < rows[r].first[0] || p[0] > rows[r].first[1]) {
            continue;
        }
        if (rows[r].len > len) {
            return 0;
        }
        for (size_t i = 1; i < rows[r].len; i++) {
            uint8_t low = i == 1 ? rows[r].second[0] : 0x80;
            uint8_t high = i == 1 ? rows[r].second[1] : 0xBF;
            if (p[i] < low || p[i] > high) {
                return 0;
            }
        }
        return rows[r].len;
    }
    return 0;
}

static bool valid_by_the_table(const uint8_t *p, size_t len)
{
    while (len > 0) {
        size_t n = sequence(p, len);
        if (n == 0) {
            return false;
        }
        p += n;
        len -= n;
    }
    return true;
}

static void every_text_of_up_to_four_edge_bytes_is_judged_as_the_rfc_says(void **state)
{
    for (uint32_t i = 0;; i++) {
        /* Bytes inside one class behave alike: only the edges of the classes are tried. */
        static const uint8_t edges[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0,
                                        0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
                                        0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFC, 0xFE, 0xFF};
        enum { N = sizeof(edges) };
        if (i >= N * N * N * N) {
            break;
        }
        uint8_t text[4] = {edges[i % N], edges[i / N % N], edges[i / N / N % N],
                           edges[i / N / N / N]};
        for (size_t len = 1; len <= 4; len++) {
            assert_int_equal(tusk_utf8_valid(text, len), valid_by_the_table(text, len));
        }
    }
}

static void every_two_bytes_are_judged_as_the_rfc_says_inside_a_long_text(void **state)
{
    uint8_t text[96];
    for (size_t at = 30; at < 34; at++) { /* across the border of two vectors */
        for (uint32_t pair = 0; pair < 0x10000; pair++) {
            memset(text, 'x', sizeof(text));
            text[at] = (uint8_t)(pair >> 8);
            text[at + 1] = (uint8_t)pair;
            assert_int_equal(tusk_utf8_valid(text, sizeof(text)),
                             valid_by_the_table(text, sizeof(text)));
        }
    }
}

static void all_code_points_are_valid_and_no_surrogate_is(void **state)
{
    for (uint32_t c = 0; c < 0x120000; c++) {
        uint8_t text[64];
        uint8_t unit[4];
        size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        static const uint8_t lead[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
        uint32_t rest = c;
        for (size_t i = n; i-- > 1; rest >>= 6) {
            unit[i] = (uint8_t)(0x80 | (rest & 0x3F));
        }
        unit[0] = (uint8_t)(lead[n] | rest);
        bool expected = c < 0x110000 && !(c >= 0xD800 && c < 0xE000);
        assert_int_equal(tusk_utf8_valid(unit, n), expected);
        for (size_t i = 0; i + n <= sizeof(text); i += n) {
            memcpy(text + i, unit, n);
        }
        assert_int_equal(tusk_utf8_valid(text, sizeof(text) / n * n), expected);
    }
}

static void a_wrong_byte_is_seen_the_moment_it_arrives(void **state)
{
    /* text, and the index of the byte that nothing valid has there */
    static const struct {
        const char *text;
        size_t at;
    } cases[] = {
        {"\xCE\xBA\xE1\xBD\xB9\xCF\x83\xCE\xBC\xCE\xB5\xF4\x90\x80\x80", 12},
        {"\xED\xA0\x80", 1},
        {"\xE0\x80\x80", 1},
        {"\xF0\x8F\x80\x80", 1},
        {"\xC0\xAF", 0},
        {"\xC1\xBF", 0},
        {"\xF5", 0},
        {"\xFF", 0},
        {"\x80", 0},
        {"a\xE2\x82\x28", 3},
        {"\xC3\xC3", 1},
        {"\xF1\x80\x80\x41", 3},
        {"ok\xFE", 2},
        {"\xF4\x8F\xBF\xBF\xBF", 4},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        for (size_t prefix = 0; prefix < 70; prefix++) {
            tusk_utf8 utf8 = {0};
            for (size_t i = 0; i < prefix; i++) {
                assert_true(tusk_utf8_feed(&utf8, (const uint8_t *)"p", 1));
            }
            for (size_t i = 0; i < cases[c].at; i++) {
                assert_true(tusk_utf8_feed(&utf8, (const uint8_t *)cases[c].text + i, 1));
            }
            assert_false(tusk_utf8_feed(&utf8, (const uint8_t *)cases[c].text + cases[c].at, 1));

            uint8_t whole[128];
            memset(whole, 'p', prefix);
            memcpy(whole + prefix, cases[c].text, cases[c].at + 1);
            tusk_utf8 once = {0};
            assert_false(tusk_utf8_feed(&once, whole, prefix + cases[c].at + 1));
        }
    }
}

static void an_unfinished_sequence_is_no_fault_and_not_complete(void **state)
{
    static const char *texts[] = {"\xC3",     "\xE2",         "\xE2\x82", "\xF0",
                                  "\xF0\x9F", "\xF0\x9F\x98", "\xED\x9F", "\xF4\x8F\xBF"};
    for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
        for (size_t prefix = 0; prefix < 100; prefix++) {
            uint8_t whole[128];
            size_t n = strlen(texts[t]);
            memset(whole, 'p', prefix);
            memcpy(whole + prefix, texts[t], n);
            tusk_utf8 utf8 = {0};
            assert_true(tusk_utf8_feed(&utf8, whole, prefix + n));
            assert_false(tusk_utf8_complete(&utf8));
            assert_false(tusk_utf8_valid(whole, prefix + n));
        }
    }
}

static size_t random_text(uint64_t *seed, uint8_t *out, size_t len)
{
    static const char *units[] = {"a", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    size_t kind = test_random(seed) % 5;
    size_t n = 0;
    while (n + 4 <= len) {
        size_t pick = kind == 4 || test_random(seed) % 8 == 0 ? test_random(seed) % 4 : kind;
        memcpy(out + n, units[pick], strlen(units[pick]));
        n += strlen(units[pick]);
    }
    for (size_t flips = test_random(seed) % 3; flips > 0 && n > 0; flips--) {
        out[test_random(seed) % n] = (uint8_t)test_random(seed);
    }
    return n;
}

static void vectors_and_automaton_agree_at_every_alignment_length_and_cut(void **state)
{
    static uint8_t area[512];
    uint64_t seed = 7;
    size_t good = 0;
    for (size_t round = 0; round < 150000; round++) {
        uint8_t *text = area + test_random(&seed) % 64;
        size_t n = random_text(&seed, text, test_random(&seed) % 300);
        size_t cut = n == 0 ? 0 : test_random(&seed) % (n + 1);
        tusk_utf8 a = {0};
        tusk_utf8 b = {0};
        bool ok = tusk_utf8_feed(&a, text, cut);
        assert_int_equal(ok, tusk__utf8_feed_portable(&b, text, cut));
        if (ok) {
            assert_int_equal(a.state, b.state);
            ok = tusk_utf8_feed(&a, text + cut, n - cut);
            assert_int_equal(ok, tusk__utf8_feed_portable(&b, text + cut, n - cut));
            if (ok) {
                assert_int_equal(a.state, b.state);
                good++;
            }
        }
        assert_int_equal(ok && a.state == 0, valid_by_the_table(text, n));
    }
    assert_in_range(good, 20000, 130000); /* both answers were really tried */
}

static void nothing_is_read_past_the_end(void **state)
{
    uint8_t text[200];
    for (size_t i = 0; i + 3 <= sizeof(text); i += 3) {
        memcpy(text + i, "\xE2\x82\xAC", 3);
    }
    for (size_t len = 0; len < 198; len++) {
        uint8_t *guarded = test_guarded(text, len);
        assert_int_equal(tusk_utf8_valid(guarded, len), len % 3 == 0);
        test_guarded_free(guarded, len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_of_up_to_four_edge_bytes_is_judged_as_the_rfc_says),
        cmocka_unit_test(every_two_bytes_are_judged_as_the_rfc_says_inside_a_long_text),
        cmocka_unit_test(all_code_points_are_valid_and_no_surrogate_is),
        cmocka_unit_test(a_wrong_byte_is_seen_the_moment_it_arrives),
        cmocka_unit_test(an_unfinished_sequence_is_no_fault_and_not_complete),
        cmocka_unit_test(vectors_and_automaton_agree_at_every_alignment_length_and_cut),
        cmocka_unit_test(nothing_is_read_past_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
