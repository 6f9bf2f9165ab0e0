/* SPDX-License-Identifier: MIT */
/* What the HTTP proxy costs: calls and allocations of a warm request, memory under a slow reader,
 * allocations that fail. */
#include "http_rig.h"

#include "net/conn.h"
#include "relay/http/inner.h"

/* ---- calls and allocations ---- */
static void a_warm_request_is_two_calls_a_hop_and_no_allocation(void **state)
{
    enum { ROUNDS = 50 };
    (void)state;
    rig_start();
    int backend;
    int client = http_begin(&backend);
    http_round(client, backend);
    const tusk_net_counters before = *tusk_net_count(r.relay->net);
    size_t requests = r.mem.requests;
    r.record_count = 0;
    for (int i = 0; i < ROUNDS; i++) {
        http_round(client, backend);
        r.record_count = 0;
    }
    const tusk_net_counters *after = tusk_net_count(r.relay->net);
    assert_int_equal(after->recv_calls - before.recv_calls, 2 * ROUNDS);
    assert_int_equal(after->send_calls - before.send_calls, 2 * ROUNDS);
    assert_int_equal(r.mem.requests - requests, 0);
    assert_int_equal(http_stats().paused_client + http_stats().paused_backend, 0);
    (void)close(client);
    (void)close(backend);
}

static void an_idle_client_owns_its_object_and_nothing_else(void **state)
{
    (void)state;
    rig_start();
    int backend;
    int warm = http_begin(&backend);
    size_t before = r.mem.live_bytes;
    int idle[8];
    for (int i = 0; i < 8; i++) {
        idle[i] = rig_client();
        http_round(idle[i], backend);
    }
    assert_int_equal(r.mem.live_bytes - before, 8 * sizeof(http_client));
    assert_true(sizeof(http_client) <= 448);
    for (int i = 0; i < 8; i++) {
        (void)close(idle[i]);
    }
    (void)close(warm);
    (void)close(backend);
}

/* ---- memory ---- */
static char piece[65536];

/* Sends until the proxy takes no more for a while; returns how much it took. */
static size_t pour(int fd, size_t most)
{
    size_t sum = 0;
    int full = 0;
    while (sum < most && full < 20) {
        ssize_t put = send(fd, piece, sizeof(piece), MSG_NOSIGNAL);
        full = put > 0 ? 0 : full + 1;
        sum += put > 0 ? (size_t)put : 0;
        rig_turn();
    }
    return sum;
}

static size_t drink(int fd, size_t want)
{
    size_t sum = 0;
    while (sum < want) {
        ssize_t got = -1;
        rig_until((got = recv(fd, piece, sizeof(piece), 0)) >= 0 || errno != EAGAIN);
        if (got <= 0) {
            break;
        }
        sum += (size_t)got;
    }
    return sum;
}

static void a_slow_reader_holds_bounded_memory(void **state)
{
    enum { BODY = 64 * 1024 * 1024 };
    static const char head[] = "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 67108864\r\n\r\n";
    (void)state;
    rig_start();
    int backend;
    int client = http_asks(&backend);
    size_t before = r.mem.live_bytes;
    rig_send(backend, head);
    size_t poured = pour(backend, BODY);
    assert_true(poured < BODY);
    assert_int_equal(http_stats().paused_backend, 1);
    assert_true(r.mem.peak_bytes - before < 400 * 1024);
    rig_expect(client, head);
    size_t got = 0;
    while (got < BODY) { /* and when it reads again, all of it comes */
        ssize_t put =
            poured < BODY
                ? send(backend, piece,
                       BODY - poured < sizeof(piece) ? BODY - poured : sizeof(piece), MSG_NOSIGNAL)
                : 0;
        poured += put > 0 ? (size_t)put : 0;
        got += drink(client, 1);
    }
    assert_int_equal(got, BODY);
    assert_true(r.mem.peak_bytes - before < 400 * 1024);
    rig_until(http_stats().kept == 1);
    (void)close(client);
    (void)close(backend);
}

static void a_backend_that_does_not_read_stops_the_client(void **state)
{
    enum { BODY = 64 * 1024 * 1024 };
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 67108864\r\n\r\n");
    int backend = rig_accept(h.listener);
    rig_expect(backend, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 67108864\r\n\r\n");
    size_t before = r.mem.live_bytes;
    size_t poured = pour(client, BODY);
    assert_true(poured < BODY);
    assert_true(http_stats().paused_client >= 1);
    assert_true(r.mem.peak_bytes - before < 400 * 1024);
    (void)drink(backend, poured);
    assert_true(pour(client, 1) > 0);
    (void)close(client);
    (void)close(backend);
}

static void a_client_that_takes_no_answers_is_asked_no_more(void **state)
{
    enum { REQUESTS = 200000 };
    (void)state;
    static const tusk_relay_handler silent = {.on_lookup = rig_on_lookup};
    r.refusal = (tusk_relay_refusal){.status = 403, .ttl_ms = 60000};
    r.options.handler = &silent;
    h.options.requests = 0;
    rig_start();
    int client = rig_client();
    size_t before = r.mem.live_bytes;
    for (size_t i = 0; i < sizeof(piece); i += sizeof(http_get) - 1) {
        memcpy(piece + i, http_get,
               sizeof(piece) - i < sizeof(http_get) - 1 ? sizeof(piece) - i : sizeof(http_get) - 1);
    }
    size_t poured = pour(client, (size_t)REQUESTS * sizeof(http_get));
    assert_true(poured > 0);
    assert_true(r.mem.peak_bytes - before < 600 * 1024);
    (void)close(client);
}

/* ---- allocations that fail ---- */
static void whichever_allocation_fails_the_client_hears_of_it_or_is_left(void **state)
{
    (void)state;
    rig_start();
    int backend;
    int client = http_begin(&backend);
    (void)close(client);
    (void)close(backend);
    rig_until(http_stats().lines == 0 && rig_stats().active == 0);
    int served = 0;
    for (size_t n = 1; n < 60 && served < 3; n++) {
        char text[256];
        ssize_t got = -1;
        int taken = -1;
        client = rig_client();
        r.mem.requests = 0;
        r.mem.fail_at = n;
        rig_send(client, "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "2\r\nhi\r\n0\r\nX: y\r\n\r\n");
        uint64_t end = tusk_loop_clock_ns() + UINT64_C(20000000000);
        while ((got = recv(client, text, sizeof(text), 0)) < 0 && errno == EAGAIN) {
            assert_true(tusk_loop_clock_ns() < end);
            rig_turn();
            taken = taken >= 0 ? taken : accept(h.listener, NULL, NULL);
            if (taken >= 0) {
                char request[512];
                if (recv(taken, request, sizeof(request), MSG_DONTWAIT) > 0) {
                    (void)send(
                        taken,
                        "HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "0\r\nZ: 1\r\n\r\n",
                        sizeof("HTTP/1.1 200 OK\r\nDate: D\r\nTransfer-Encoding: chunked\r\n\r\n"
                               "0\r\nZ: 1\r\n\r\n") -
                            1,
                        MSG_NOSIGNAL);
                }
            }
        }
        served += got > 12 && memcmp(text, "HTTP/1.1 200", 12) == 0 && r.mem.requests < n ? 1 : 0;
        if (got > 12 && memcmp(text, "HTTP/1.1 200", 12) != 0) {
            assert_true(memcmp(text, "HTTP/1.1 50", 11) == 0);
        }
        r.mem.fail_at = 0;
        (void)close(client);
        if (taken >= 0) {
            (void)close(taken);
        }
        rig_until(http_stats().lines == 0 && rig_stats().active == 0);
        tusk_relay_forget(r.relay);
        r.ask_count = 0;
        r.record_count = 0;
    }
    assert_true(served >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(a_warm_request_is_two_calls_a_hop_and_no_allocation),
        http_test(an_idle_client_owns_its_object_and_nothing_else),
        http_test(a_slow_reader_holds_bounded_memory),
        http_test(a_backend_that_does_not_read_stops_the_client),
        http_test(a_client_that_takes_no_answers_is_asked_no_more),
        http_test(whichever_allocation_fails_the_client_hears_of_it_or_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
