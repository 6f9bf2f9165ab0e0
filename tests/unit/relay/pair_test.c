/* SPDX-License-Identifier: MIT */
/* The contract of every engine, with every poller: half-close, resets, back-pressure, whole bytes.
 */
#include "rig.h"

enum {
    BULK = 8 << 20,
    FLOOD = 40 << 20, /* more than the kernel's four buffers take */
    STEP = 256 * 1024
};

static const tusk_relay_engine *engine; /* of this run */
static int backend;

typedef struct ends {
    int client;
    int server;
} ends;

static int set_up(void **state)
{
    (void)state;
    rig_set_up_on(test_poller);
    r.options.engine = *engine;
    return 0;
}

static ends join(void)
{
    ends both;
    uint16_t port;
    backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    both.client = rig_client();
    both.server = rig_accept(backend);
    return both;
}

static void leave(ends both)
{
    (void)close(both.client);
    (void)close(both.server);
    (void)close(backend);
}

static void expect_end(const char *end)
{
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, end);
    assert_int_equal(rig_stats().active, 0);
}

/* Bytes that tell their place. */
static void fill(uint8_t *ptr, size_t len, uint64_t seed)
{
    uint64_t random = seed;
    for (size_t i = 0; i + 8 <= len; i += 8) {
        uint64_t word = test_random(&random);
        memcpy(ptr + i, &word, 8);
    }
}

typedef struct stream {
    int from, to;
    uint8_t *sent;
    uint8_t *got;
    size_t len;
    size_t out, in;
    bool shut, eof;
} stream;

static void stream_init(stream *self, int from, int to, size_t len)
{
    *self = (stream){.from = from, .to = to, .len = len};
    self->sent = malloc(len);
    self->got = malloc(len);
    fill(self->sent, len, (uint64_t)from);
}

static void stream_fini(stream *self)
{
    free(self->sent);
    free(self->got);
}

static void stream_write(stream *self)
{
    size_t left = self->len - self->out;
    ssize_t sent = left == 0 ? 0
                             : send(self->from, self->sent + self->out, left < STEP ? left : STEP,
                                    MSG_NOSIGNAL);
    assert_true(sent >= 0 || errno == EAGAIN);
    self->out += sent > 0 ? (size_t)sent : 0;
    if (self->out == self->len && !self->shut) {
        self->shut = true;
        assert_int_equal(shutdown(self->from, SHUT_WR), 0);
    }
}

static void stream_read(stream *self)
{
    uint8_t spare;
    bool full = self->in == self->len;
    ssize_t got =
        recv(self->to, full ? &spare : self->got + self->in, full ? 1 : self->len - self->in, 0);
    assert_true(got >= 0 || errno == EAGAIN);
    assert_false(full && got > 0);
    self->eof = self->eof || got == 0;
    self->in += got > 0 ? (size_t)got : 0;
}

static void stream_check(const stream *self)
{
    assert_int_equal(self->in, self->len);
    assert_memory_equal(self->sent, self->got, self->len);
}

static void bytes_flow_both_ways(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.client, "question");
    rig_expect(both.server, "question");
    rig_send(both.server, "answer");
    rig_expect(both.client, "answer");
    leave(both);
    expect_end("done");
    assert_int_equal(r.records[0].up, 8);
    assert_int_equal(r.records[0].down, 6);
    assert_int_equal(rig_stats().bytes_up, 8);
    assert_int_equal(rig_stats().bytes_down, 6);
    assert_non_null(strstr(r.records[0].target, "127.0.0.1:"));
}

static void the_server_may_speak_first(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.server, "220 ready");
    rig_expect(both.client, "220 ready");
    leave(both);
    expect_end("done");
}

static void what_the_client_sent_before_it_was_joined_arrives(void **state)
{
    uint16_t port;
    (void)state;
    r.later = true;
    backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    ends both = {.client = rig_client()};
    rig_send(both.client, "early");
    assert_int_equal(shutdown(both.client, SHUT_WR), 0);
    rig_until(r.ask_count == 1);
    for (int i = 0; i < 3; i++) {
        rig_turn();
    }
    assert_err(rig_answer(0), TUSK_OK);
    both.server = rig_accept(backend);
    rig_expect(both.server, "early");
    rig_expect_eof(both.server);
    rig_send(both.server, "late");
    (void)close(both.server);
    rig_expect(both.client, "late");
    rig_expect_eof(both.client);
    (void)close(both.client);
    (void)close(backend);
    expect_end("done");
}

static void half_close(int first, int second)
{
    rig_send(first, "all I have");
    assert_int_equal(shutdown(first, SHUT_WR), 0);
    rig_expect(second, "all I have");
    rig_expect_eof(second);
    rig_send(second, "and my answer");
    rig_expect(first, "and my answer");
    assert_int_equal(rig_stats().active, 1);
    assert_int_equal(shutdown(second, SHUT_WR), 0);
    rig_expect_eof(first);
}

static void the_client_half_closes(void **state)
{
    (void)state;
    ends both = join();
    half_close(both.client, both.server);
    expect_end("done");
    leave(both);
}

static void the_backend_half_closes(void **state)
{
    (void)state;
    ends both = join();
    half_close(both.server, both.client);
    expect_end("done");
    leave(both);
}

static void a_reset_of_the_client_is_passed_on(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    rig_reset(both.client);
    rig_expect_reset(both.server);
    both.client = -1;
    leave(both);
    expect_end("client reset");
    assert_int_equal(rig_stats().resets_client, 1);
}

static void a_reset_of_the_backend_is_passed_on(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    rig_reset(both.server);
    rig_expect_reset(both.client);
    both.server = -1;
    leave(both);
    expect_end("backend reset");
    assert_int_equal(rig_stats().resets_backend, 1);
}

static void a_reset_after_a_half_close_is_passed_on(void **state)
{
    (void)state;
    if (strcmp(tusk_loop_driver(r.loop), "select") == 0) {
        skip(); /* it sees no hang-up that nobody reads: half_closed_ms ends such a pair */
    }
    ends both = join();
    assert_int_equal(shutdown(both.client, SHUT_WR), 0);
    rig_expect_eof(both.server);
    rig_reset(both.client);
    both.client = -1;
    expect_end("client reset");
    int number = 0;
    socklen_t len = sizeof(number);
    assert_int_equal(getsockopt(both.server, SOL_SOCKET, SO_ERROR, &number, &len), 0);
    assert_int_equal(number, EPIPE); /* that is what a reset is after an end */
    leave(both);
}

static void both_ways_at_once(stream *up, stream *down)
{
    rig_until((stream_write(up), stream_write(down), stream_read(up), stream_read(down),
               up->eof && down->eof));
    stream_check(up);
    stream_check(down);
}

static void eight_mib_each_way_arrive_whole(void **state)
{
    (void)state;
    ends both = join();
    stream up;
    stream down;
    stream_init(&up, both.client, both.server, BULK);
    stream_init(&down, both.server, both.client, BULK);
    both_ways_at_once(&up, &down);
    expect_end("done");
    assert_int_equal(r.records[0].up, BULK);
    assert_int_equal(r.records[0].down, BULK);
    assert_int_equal(r.records[0].engine, *engine);
    assert_true((rig_stats().switched_to_splice > 0) == (*engine == TUSK_ENGINE_SPLICE));
    stream_fini(&up);
    stream_fini(&down);
    leave(both);
}

/* One side says all, and ends; then the other does. */
static void eight_mib_after_the_other_side_has_ended_arrive_whole(void **state)
{
    (void)state;
    ends both = join();
    stream up;
    stream down;
    stream_init(&up, both.client, both.server, BULK);
    stream_init(&down, both.server, both.client, BULK);
    rig_until((stream_write(&up), stream_read(&up), up.eof));
    stream_check(&up);
    rig_until((stream_write(&down), stream_read(&down), down.eof));
    stream_check(&down);
    expect_end("done");
    stream_fini(&up);
    stream_fini(&down);
    leave(both);
}

static void a_stalled_reader_stops_the_writer_and_costs_no_more_than_its_limit(void **state)
{
    (void)state;
    r.options.limits.pending_bytes = 32 * 1024;
    ends both = join();
    stream up;
    stream_init(&up, both.client, both.server, FLOOD);
    size_t before = r.mem.live_bytes;
    size_t last = 0;
    for (int still = 0; still < 20;) {
        stream_write(&up);
        rig_turn();
        still = up.out == last ? still + 1 : 0;
        last = up.out;
    }
    assert_true(up.out < FLOOD);
    assert_true(r.mem.live_bytes <= before + r.options.limits.pending_bytes + 64);
    /* The other direction goes on meanwhile. */
    rig_send(both.server, "still here");
    rig_expect(both.client, "still here");
    rig_until((stream_write(&up), stream_read(&up), up.eof));
    stream_check(&up);
    stream_fini(&up);
    leave(both);
    expect_end("done");
}

static void a_backend_that_answers_and_resets_is_heard_first(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.server, "too much");
    rig_expect(both.client, "too much");
    rig_reset(both.server);
    rig_expect_reset(both.client);
    both.server = -1;
    leave(both);
    expect_end("backend reset");
}

static void an_idle_pair_ends_in_time(void **state)
{
    (void)state;
    r.options.limits.idle_ms = 30;
    ends both = join();
    rig_send(both.client, "x");
    rig_expect(both.server, "x");
    rig_expect_eof(both.client);
    rig_expect_eof(both.server);
    expect_end("idle");
    assert_int_equal(rig_stats().idle_timeouts, 1);
    leave(both);
}

static void the_routes_idle_time_goes_before_the_relays(void **state)
{
    (void)state;
    r.route.idle_ms = 20;
    ends both = join();
    rig_expect_eof(both.client);
    expect_end("idle");
    leave(both);
}

static void a_half_closed_pair_in_silence_ends_in_time(void **state)
{
    (void)state;
    r.options.limits.half_closed_ms = 30;
    ends both = join();
    assert_int_equal(shutdown(both.client, SHUT_WR), 0);
    rig_expect_eof(both.server);
    rig_expect_eof(both.client);
    expect_end("half-closed");
    assert_int_equal(rig_stats().half_closed_timeouts, 1);
    leave(both);
}

static void a_silent_backend_is_given_up(void **state)
{
    (void)state;
    r.options.limits.backend_first_ms = 30;
    ends both = join();
    rig_send(both.client, "hello?");
    rig_expect_eof(both.client);
    expect_end("backend silent");
    assert_int_equal(rig_stats().backend_first_timeouts, 1);
    leave(both);
}

static void a_busy_pair_ends_at_its_age(void **state)
{
    (void)state;
    r.options.limits.age_ms = 50;
    ends both = join();
    char byte;
    ssize_t got = -1;
    rig_until((send(both.client, "x", 1, MSG_NOSIGNAL), send(both.server, "y", 1, MSG_NOSIGNAL),
               got = recv(both.client, &byte, 1, 0), got == 0 || (got < 0 && errno != EAGAIN)));
    expect_end("age");
    assert_int_equal(rig_stats().aged, 1);
    leave(both);
}

static void a_stop_lets_sessions_end_by_themselves(void **state)
{
    (void)state;
    ends both = join();
    tusk_relay_stop(r.relay);
    rig_turn();
    assert_int_equal(r.stopped, 0);
    rig_send(both.client, "last words");
    rig_expect(both.server, "last words");
    leave(both);
    rig_until(r.stopped == 1);
    expect_end("done");
}

static void a_stop_cuts_stragglers_in_time(void **state)
{
    (void)state;
    r.options.limits.drain_ms = 20;
    ends both = join();
    tusk_relay_stop(r.relay);
    rig_until(r.stopped == 1);
    expect_end("stopped");
    leave(both);
}

static void a_second_stop_is_at_once(void **state)
{
    (void)state;
    ends both = join();
    tusk_relay_stop(r.relay);
    tusk_relay_stop(r.relay);
    assert_int_equal(r.record_count, 1);
    rig_until(r.stopped == 1);
    leave(both);
}

static tusk_err one_visit(const tusk_mem *mem, void *user)
{
    char reason[64];
    uint16_t port;
    tusk_loop *loop;
    tusk_err err = tusk_loop_new(&loop, &(tusk_loop_options){.mem = mem});
    (void)user;
    if (err != TUSK_OK) {
        return err;
    }
    r.loop = r.options.loop = loop;
    r.ask_count = r.record_count = 0;
    r.target_count = 0;
    backend = rig_listen(&port);
    rig_target(port, 1);
    r.options.limits.per_source = 10;
    r.options.limits.rate_per_source = 100;
    err = tusk_relay_new(&r.relay, &r.options, reason, sizeof(reason));
    if (err == TUSK_OK) {
        err = tusk_relay_listen(r.relay, "127.0.0.1:0", NULL);
    }
    if (err == TUSK_OK) {
        err = tusk_relay_start(r.relay, reason, sizeof(reason));
    }
    if (err == TUSK_OK) {
        int client = rig_client();
        rig_send(client, "ping");
        char text[8];
        int server = -1;
        bool answered = false;
        rig_until(r.record_count == 1 || answered ||
                  (server < 0 ? (server = accept(backend, NULL, NULL)) < -1
                              : (answered = recv(server, text, 4, MSG_DONTWAIT) == 4)) ||
                  rig_stats().out_of_memory > 0);
        err = answered ? TUSK_OK : TUSK_ENOMEM;
        (void)close(client);
        if (server >= 0) {
            (void)close(server);
        }
    }
    tusk_relay_free(r.relay);
    r.relay = NULL;
    tusk_loop_free(loop);
    (void)close(backend);
    return err;
}

static void each_failing_allocation_costs_at_most_its_connection(void **state)
{
    (void)state;
    memset(&r, 0, sizeof(r));
    r.options = (tusk_relay_options){.limits = *tusk_relay_limits_default(),
                                     .handler = &rig_handler,
                                     .user = &r,
                                     .any_address = true};
    r.route.ttl_ms = 60000;
    (void)test_fail_each_alloc(one_visit, true, NULL);
}

static int run_engine(tusk_relay_engine which, const char *name)
{
#define contract(test) cmocka_unit_test_setup_teardown(test, set_up, rig_tear_down)
    const struct CMUnitTest tests[] = {
        contract(bytes_flow_both_ways),
        contract(the_server_may_speak_first),
        contract(what_the_client_sent_before_it_was_joined_arrives),
        contract(the_client_half_closes),
        contract(the_backend_half_closes),
        contract(a_reset_of_the_client_is_passed_on),
        contract(a_reset_of_the_backend_is_passed_on),
        contract(a_reset_after_a_half_close_is_passed_on),
        contract(eight_mib_each_way_arrive_whole),
        contract(eight_mib_after_the_other_side_has_ended_arrive_whole),
        contract(a_stalled_reader_stops_the_writer_and_costs_no_more_than_its_limit),
        contract(a_backend_that_answers_and_resets_is_heard_first),
        contract(an_idle_pair_ends_in_time),
        contract(the_routes_idle_time_goes_before_the_relays),
        contract(a_half_closed_pair_in_silence_ends_in_time),
        contract(a_silent_backend_is_given_up),
        contract(a_busy_pair_ends_at_its_age),
        contract(a_stop_lets_sessions_end_by_themselves),
        contract(a_stop_cuts_stragglers_in_time),
        contract(a_second_stop_is_at_once),
    };
    engine = &which;
    return TEST_RUN_FOR_EACH_POLLER(name, tests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failing_allocation_costs_at_most_its_connection),
    };
    return run_engine(TUSK_ENGINE_COPY, "copy") + run_engine(TUSK_ENGINE_SPLICE, "splice") +
           cmocka_run_group_tests(tests, NULL, NULL);
}
