/* SPDX-License-Identifier: MIT */
/* The window that was agreed on is kept to: what each compressor makes is inflated by one that
 * remembers exactly so much. */
#include "../test.h"

#include <tusk/ws.h>

#ifdef TUSK_HAVE_ZLIB
#include <zlib.h>

enum { PAYLOAD = 40000, MESSAGES = 3 };

/* Inflates with a window of 2^bits, one byte at a time, since zlib also looks back into what the
 * same call has made. False: something refers back further. */
static bool fits(z_stream *z, tusk_bytes packed, const uint8_t *payload, size_t len)
{
    static const uint8_t tail[4] = {0x00, 0x00, 0xFF, 0xFF};
    size_t at = 0;
    for (int part = 0; part < 2; part++) {
        z->next_in = (Bytef *)(uintptr_t)(part == 0 ? packed.ptr : tail);
        z->avail_in = part == 0 ? (unsigned)packed.len : sizeof(tail);
        for (;;) {
            uint8_t byte;
            z->next_out = &byte;
            z->avail_out = 1;
            int result = inflate(z, Z_SYNC_FLUSH);
            if (result != Z_OK && result != Z_BUF_ERROR) {
                return false;
            }
            if (z->avail_out == 1) {
                break;
            }
            assert_true(at < len);
            assert_int_equal(byte, payload[at++]);
        }
    }
    assert_int_equal(at, len);
    return true;
}

/* Things that come again after `distance` bytes, and noise that does not. */
static void fill(uint8_t *payload, size_t distance, uint64_t *seed)
{
    for (size_t i = 0; i < PAYLOAD; i++) {
        bool again = i >= distance && test_random(seed) % 16 != 0;
        payload[i] = again ? payload[i - distance] : (uint8_t)test_random(seed);
    }
}

static bool all_fit(uint8_t made_for, int inflated_with, int level, int mem_level, bool keeps,
                    size_t distance)
{
    tusk_ws_deflater *deflater;
    z_stream z = {0};
    uint8_t *payload = malloc(PAYLOAD);
    uint64_t seed = distance;
    bool fitting = true;
    assert_int_equal(inflateInit2(&z, -inflated_with), Z_OK);
    assert_err(tusk_ws_deflater_new(&deflater, tusk_mem_default(), made_for, (uint8_t)level,
                                    (uint8_t)mem_level, keeps),
               TUSK_OK);
    for (int i = 0; fitting && i < MESSAGES; i++) {
        tusk_buf packed;
        tusk_buf_init(&packed, tusk_mem_default(), 4 * PAYLOAD);
        fill(payload, distance, &seed);
        assert_err(tusk_ws_deflater_run(deflater, tusk_bytes_of(payload, PAYLOAD), &packed),
                   TUSK_OK);
        fitting = fits(&z, tusk_buf_view(&packed), payload, PAYLOAD);
        tusk_buf_fini(&packed);
    }
    (void)inflateEnd(&z);
    tusk_ws_deflater_free(deflater);
    free(payload);
    return fitting;
}

static const size_t distances[] = {1, 100, 249, 250, 251, 256, 257, 300, 505, 512, 700};

/* RFC 7692, 7.1.2.1 and 7.1.2.2: also a window of 2^8, which zlib itself makes none for. */
static void no_compressor_refers_back_beyond_its_window(void **state)
{
    for (size_t i = 0; i < sizeof(distances) / sizeof(distances[0]); i++) {
        for (int level = 1; level <= 9; level++) {
            bool keeps = (level & 1) != 0;
            assert_true(all_fit(8, 8, level, 8, keeps, distances[i]));
            assert_true(all_fit(9, 9, level, 1, !keeps, distances[i]));
        }
        assert_true(all_fit(8, 8, 6, 1, true, distances[i]));
        assert_true(all_fit(8, 8, 6, 9, false, distances[i]));
    }
}

static void a_larger_window_would_be_noticed(void **state)
{
    assert_false(all_fit(10, 8, 6, 8, false, 300));
    assert_false(all_fit(10, 9, 6, 8, false, 700));
    assert_true(all_fit(10, 10, 6, 8, false, 700));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_compressor_refers_back_beyond_its_window),
        cmocka_unit_test(a_larger_window_would_be_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void there_is_no_window_without_zlib(void **state)
{
    tusk_ws_deflater *deflater;
    assert_err(tusk_ws_deflater_new(&deflater, tusk_mem_default(), 8, 1, 8, false), TUSK_ENOTSUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_is_no_window_without_zlib)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
