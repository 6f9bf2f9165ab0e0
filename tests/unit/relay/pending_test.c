/* SPDX-License-Identifier: MIT */
/* The least that `pending_bytes` may be: whoever stops reading for the other side goes on, though a
 * queue was never long. */
#include "http_rig.h"

enum { WHOLE = 400000, PENDING = 4096, PIECE = 9000 };

static uint8_t piece[PIECE];

/* A body in pieces, one of which is more than may be held. */
static void pass(int from, int to)
{
    size_t put = 0;
    size_t got = 0;
    uint8_t bytes[65536];
    for (size_t i = 0; i < PIECE; i++) {
        piece[i] = (uint8_t)(i % 251);
    }
    while (got < WHOLE) {
        size_t at = put % 251;
        size_t len = WHOLE - put < PIECE - at ? WHOLE - put : PIECE - at;
        ssize_t n = len == 0 ? 0 : send(from, piece + at, len, MSG_NOSIGNAL);
        put += n > 0 ? (size_t)n : 0;
        n = -1;
        rig_until((n = recv(to, bytes, sizeof(bytes), 0)) > 0);
        for (ssize_t i = 0; i < n; i++) {
            assert_int_equal(bytes[i], (got + (size_t)i) % 251);
        }
        got += (size_t)n;
    }
}

static void bodies_pass_both_ways_when_little_may_be_held(void **state)
{
    static const char put[] = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 400000\r\n\r\n";
    static const char ok[] = "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 400000\r\n\r\n";
    (void)state;
    r.options.limits.pending_bytes = PENDING;
    rig_start();
    int client = rig_client();
    rig_send(client, put);
    int backend = rig_accept(h.listener);
    rig_expect(backend, put);
    pass(client, backend);
    rig_send(backend, ok);
    rig_expect(client, ok);
    pass(backend, client);
    assert_true(http_stats().paused_client > 0);
    http_round(client, backend);
    (void)close(client);
    (void)close(backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(bodies_pass_both_ways_when_little_may_be_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
