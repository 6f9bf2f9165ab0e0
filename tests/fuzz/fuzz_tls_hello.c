/* SPDX-License-Identifier: MIT */
/* ClientHello: the answer comes with the byte that decides it and more bytes do not change it; what
 * was read is the same when the message comes in records of one byte. */
#include "fuzz.h"

#include "proto/tls_hello.h"

enum { CUTS_MAX = 600, HEAD = 5 };

static void check_fields(const tusk__tls_hello *hello)
{
    size_t at = 0;
    tusk_bytes protocol;
    FUZZ_CHECK(hello->name_len <= TLS_HELLO_NAME_MAX && hello->alpn_len <= TLS_HELLO_ALPN_MAX);
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    for (size_t i = 0; i < hello->name_len; i++) {
        FUZZ_CHECK(memchr(allowed, hello->name[i], sizeof(allowed) - 1) != NULL);
    }
    while (tusk__tls_hello_next_alpn(hello, &at, &protocol)) {
        FUZZ_CHECK(protocol.len > 0 && at <= hello->alpn_len);
        FUZZ_CHECK(tusk__tls_hello_has_alpn(hello, protocol));
    }
    FUZZ_CHECK(at == hello->alpn_len);
}

static void check_same(const tusk__tls_hello *a, const tusk__tls_hello *b)
{
    FUZZ_CHECK(a->versions == b->versions);
    FUZZ_CHECK(tusk_bytes_eq(tusk__tls_hello_name(a), tusk__tls_hello_name(b)));
    FUZZ_CHECK(a->alpn_len == b->alpn_len && memcmp(a->alpn, b->alpn, a->alpn_len) == 0);
}

/* Every byte of the message in a record of its own. */
static void check_spread(const tusk__tls_hello *expected, const uint8_t *data, size_t used)
{
    static uint8_t stream[TLS_HELLO_MAX + 6];
    tusk__tls_hello hello;
    size_t len = 0;
    for (size_t at = 0; at < used; at += HEAD + (size_t)(data[at + 3] << 8 | data[at + 4])) {
        size_t record = (size_t)(data[at + 3] << 8 | data[at + 4]);
        for (size_t i = 0; i < record; i++) {
            if (len + HEAD + 1 > TLS_HELLO_MAX) {
                return;
            }
            const uint8_t head[HEAD + 1] = {22, 3, 3, 0, 1, data[at + HEAD + i]};
            memcpy(stream + len, head, sizeof(head));
            len += sizeof(head);
        }
    }
    tusk_bytes in = fuzz_copy(stream, len);
    FUZZ_CHECK(tusk__tls_hello_parse(&hello, in) == (ptrdiff_t)len);
    check_same(expected, &hello);
    fuzz_drop(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tusk__tls_hello whole;
    tusk__tls_hello part;
    tusk_bytes in = fuzz_copy(data, size);
    ptrdiff_t expected = tusk__tls_hello_parse(&whole, in);
    FUZZ_CHECK(expected <= (ptrdiff_t)size && expected <= TLS_HELLO_MAX);
    FUZZ_CHECK(expected != 0 || size < TLS_HELLO_MAX);
    FUZZ_CHECK(expected >= 0 || expected == TUSK_ENOENT || expected == TUSK_EPROTO ||
               expected == TUSK_ETOOBIG);
    if (expected > 0) {
        check_fields(&whole);
        check_spread(&whole, data, (size_t)expected);
    }
    ptrdiff_t result = 0;
    for (size_t len = 0; len <= size && len < CUTS_MAX && result == 0; len++) {
        tusk_bytes cut = fuzz_copy(data, len);
        result = tusk__tls_hello_parse(&part, cut);
        FUZZ_CHECK(result == 0 || result == expected);
        if (result > 0) {
            check_same(&whole, &part);
        }
        fuzz_drop(cut);
    }
    FUZZ_CHECK(size >= CUTS_MAX || result == expected);
    fuzz_drop(in);
    return 0;
}
