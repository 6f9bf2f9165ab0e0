/* SPDX-License-Identifier: MIT */
/* MySQL's connection phase: the answer comes with the byte that decides it; what was read and is
 * written again is read the same; packets end where they end, whatever follows. The first byte
 * chooses what the rest is. */
#include "fuzz.h"

#include "proto/mysql.h"

enum { CUTS_MAX = 200 };

static void check_greeting(tusk_bytes in)
{
    tusk__mysql_greeting greeting;
    tusk__mysql_greeting part;
    ptrdiff_t expected = tusk__mysql_greeting_parse(&greeting, in);
    FUZZ_CHECK(expected <= (ptrdiff_t)in.len && expected <= MYSQL_HEAD + MYSQL_GREETING_MAX);
    ptrdiff_t result = 0;
    for (size_t len = 0; len <= in.len && len < CUTS_MAX && result == 0; len++) {
        tusk_bytes cut = fuzz_copy(in.ptr, len);
        result = tusk__mysql_greeting_parse(&part, cut);
        FUZZ_CHECK(result == 0 || result == expected);
        fuzz_drop(cut);
    }
    if (expected <= 0 || greeting.is_error || memchr(greeting.salt, 0, MYSQL_SALT_LEN) != NULL ||
        (greeting.plugin.len > 0 && memchr(greeting.plugin.ptr, 0, greeting.plugin.len) != NULL)) {
        return;
    }
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 4096);
    tusk_err err = tusk__mysql_greeting_write(&out, &greeting);
    FUZZ_CHECK(err == TUSK_OK || (err == TUSK_ETOOBIG && in.len > MYSQL_GREETING_MAX - 100));
    if (err == TUSK_OK) {
        FUZZ_CHECK(tusk__mysql_greeting_parse(&part, tusk_buf_view(&out)) == (ptrdiff_t)out.len);
        FUZZ_CHECK(tusk_bytes_eq(part.version, greeting.version) &&
                   tusk_bytes_eq(part.plugin, greeting.plugin) &&
                   memcmp(part.salt, greeting.salt, MYSQL_SALT_LEN) == 0);
    }
    tusk_buf_fini(&out);
}

static bool has_nul(tusk_bytes text)
{
    return text.len > 0 && memchr(text.ptr, 0, text.len) != NULL;
}

static void check_response(tusk_bytes in)
{
    tusk__mysql_response whole;
    tusk__mysql_response part;
    ptrdiff_t expected = tusk__mysql_response_parse(&whole, in);
    FUZZ_CHECK(expected <= (ptrdiff_t)in.len && expected <= MYSQL_HEAD + MYSQL_RESPONSE_MAX);
    ptrdiff_t result = 0;
    for (size_t len = 0; len <= in.len && len < CUTS_MAX && result == 0; len++) {
        tusk_bytes cut = fuzz_copy(in.ptr, len);
        result = tusk__mysql_response_parse(&part, cut);
        FUZZ_CHECK(result == 0 || result == expected);
        fuzz_drop(cut);
    }
    if (expected <= 0) {
        return;
    }
    FUZZ_CHECK(fuzz_within(whole.user, in) && fuzz_within(whole.auth, in) &&
               fuzz_within(whole.attributes, in) && fuzz_within(whole.program, whole.attributes));
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 3 * MYSQL_RESPONSE_MAX);
    tusk_err err = tusk__mysql_response_write(&out, &whole);
    FUZZ_CHECK(err == TUSK_OK || (err == TUSK_ETOOBIG && in.len > MYSQL_RESPONSE_MAX - 100) ||
               (err == TUSK_EINVAL && (has_nul(whole.plugin) || whole.auth.len > UINT8_MAX)));
    if (err == TUSK_OK) {
        FUZZ_CHECK(tusk__mysql_response_parse(&part, tusk_buf_view(&out)) == (ptrdiff_t)out.len);
        FUZZ_CHECK(part.wants_tls == whole.wants_tls && tusk_bytes_eq(part.user, whole.user) &&
                   tusk_bytes_eq(part.auth, whole.auth) &&
                   tusk_bytes_eq(part.database, whole.database) &&
                   tusk_bytes_eq(part.plugin, whole.plugin) &&
                   tusk_bytes_eq(part.attributes, whole.attributes));
    }
    tusk_buf_fini(&out);
}

/* A stream of packets: each is found where it is, whatever comes behind it, and no sooner. */
static void check_auth(tusk_bytes in)
{
    tusk__mysql_packet packet;
    tusk__mysql_packet part;
    ptrdiff_t used;
    while ((used = tusk__mysql_auth_parse(&packet, in)) > 0) {
        tusk_bytes whole = fuzz_copy(in.ptr, (size_t)used);
        FUZZ_CHECK(used == (ptrdiff_t)(MYSQL_HEAD + packet.payload.len));
        FUZZ_CHECK(fuzz_within(packet.payload, in));
        FUZZ_CHECK(tusk__mysql_auth_parse(&part, whole) == used &&
                   part.sequence == packet.sequence);
        if (tusk__mysql_verdict_of(packet.payload) == MYSQL_SWITCH) {
            FUZZ_CHECK(fuzz_within(tusk__mysql_switch_plugin(packet.payload), packet.payload));
        }
        for (size_t len = 0; len < whole.len && len < CUTS_MAX; len++) {
            tusk_bytes cut = fuzz_copy(in.ptr, len);
            FUZZ_CHECK(tusk__mysql_auth_parse(&part, cut) == 0);
            fuzz_drop(cut);
        }
        fuzz_drop(whole);
        in = tusk_bytes_of(in.ptr + used, in.len - (size_t)used);
    }
    FUZZ_CHECK(used == 0 || used == TUSK_ETOOBIG);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    tusk_bytes in = fuzz_copy(data + 1, size - 1);
    switch (data[0] % 4) {
    case 0: check_greeting(in); break;
    case 1: check_response(in); break;
    default: check_auth(in); break;
    }
    fuzz_drop(in);
    return 0;
}
