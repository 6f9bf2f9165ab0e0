/* SPDX-License-Identifier: MIT */
/* SHA-1 against published vectors. */
#include "test.h"

#include "base/sha1.h"

static void is(tusk_bytes in, const char *hex)
{
    uint8_t digest[20];
    char text[41];
    tusk_sha1(digest, in);
    for (size_t i = 0; i < 20; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
    assert_string_equal(text, hex);
    uint8_t portable[20];
    tusk__sha1_portable(portable, in);
    assert_memory_equal(portable, digest, 20);
}

static void published_vectors_hold(void **state)
{
    is(tusk_bytes_of(NULL, 0), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    is(tusk_bytes_str("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    is(tusk_bytes_str("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
       "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    is(tusk_bytes_str("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11"),
       "b37a4f2cc0624f1690f64606cf385945b2bec4ea");
}

static void a_million_letters_hold(void **state)
{
    size_t len = 1000000;
    uint8_t *text = malloc(len);
    assert_non_null(text);
    memset(text, 'a', len);
    is(tusk_bytes_of(text, len), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    free(text);
}

/* Each length around a block and its padding, chained: a slip in any of them changes the last
 * digest. */
static void lengths_around_the_padding_hold(void **state)
{
    uint8_t text[200];
    uint8_t all[200 * 20];
    memset(text, 0x5A, sizeof(text));
    for (size_t len = 0; len < 200; len++) {
        uint8_t *guarded = test_guarded(text, len);
        tusk_sha1(all + 20 * len, tusk_bytes_of(guarded, len));
        test_guarded_free(guarded, len);
    }
    is(tusk_bytes_of(all, sizeof(all)), "894cd6c7fbd02dd30ce5906b938c9896feb4ca15");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors_hold),
        cmocka_unit_test(a_million_letters_hold),
        cmocka_unit_test(lengths_around_the_padding_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
