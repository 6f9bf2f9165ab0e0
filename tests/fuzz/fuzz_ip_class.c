/* SPDX-License-Identifier: MIT */
/* Ranges as text, and what is not public: a range has its own first address, a mapped address is
 * judged as what it maps, and what an allowed range wraps is judged all the same. */
#include "fuzz.h"

#include "net/ip_class.h"

static void check_address(const uint8_t ip[16])
{
    uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff};
    const tusk_ip_policy closed = {.any_address = false};
    const tusk_ip_range all6 = {.family = 6};
    const tusk_ip_policy open6 = {.allowed = &all6, .allowed_count = 1};
    uint8_t v4[16] = {0};
    memcpy(v4, ip, 4);
    memcpy(mapped + 12, ip, 4);
    FUZZ_CHECK(tusk_ip_special(4, v4) == tusk_ip_special(6, mapped));
    FUZZ_CHECK(tusk_ip_refusal(&closed, 6, mapped) == tusk_ip_special(4, v4));
    /* No spelling of an IPv4 address that is not public passes, whatever IPv6 range is allowed. */
    FUZZ_CHECK(tusk_ip_refusal(&open6, 6, mapped) == tusk_ip_special(4, v4));
    uint8_t six[16] = {0x20, 0x02};
    memcpy(six + 2, ip, 4);
    FUZZ_CHECK(tusk_ip_refusal(&open6, 6, six) == tusk_ip_special(4, v4));
    uint8_t nat64[16] = {0, 0x64, 0xff, 0x9b};
    memcpy(nat64 + 12, ip, 4);
    FUZZ_CHECK(tusk_ip_refusal(&open6, 6, nat64) == tusk_ip_special(4, v4));
    FUZZ_CHECK(tusk_ip_special(6, ip) != NULL || ip[0] >> 5 == 1 || memcmp(ip, mapped, 12) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tusk_ip_range range;
    uint8_t ip[16] = {0};
    tusk_bytes in = fuzz_copy(data, size);
    tusk_err err = tusk_ip_range_parse(&range, in);
    FUZZ_CHECK(err == TUSK_OK || err == TUSK_EINVAL);
    if (err == TUSK_OK) {
        FUZZ_CHECK(range.family == 4 ? range.bits <= 32 : range.bits <= 128);
        FUZZ_CHECK(tusk_ip_range_has(&range, range.family, range.ip));
        FUZZ_CHECK(!tusk_ip_range_has(&range, range.family ^ 2, range.ip));
        check_address(range.ip);
    }
    memcpy(ip, in.ptr, size < 16 ? size : 16);
    check_address(ip);
    fuzz_drop(in);
    return 0;
}
