/* SPDX-License-Identifier: MIT */
/* Clients and host names: a name that takes its time holds up nobody; this suite also runs under
 * ThreadSanitizer (make test-tsan). */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "peer.h"

#include "client/inner.h"

/* Stands for the system's resolver: "slow..." waits for the test, "none..." is not known. */
static struct {
    sem_t began; /* posted by each look-up */
    sem_t gate;
    atomic_int calls;
    atomic_int returned;
} names;

static struct {
    int done;
    int status;
    tusk_err err;
    char stage[16];
    char text[96];
} results[4];

static int look_up(void *user, tusk_addr *out, int cap, const char *host, uint16_t port)
{
    int count = TUSK_ENOENT;
    (void)user;
    (void)cap;
    (void)atomic_fetch_add(&names.calls, 1);
    (void)sem_post(&names.began);
    if (strncmp(host, "slow", 4) == 0) {
        while (sem_wait(&names.gate) != 0) {
        }
    }
    if (strncmp(host, "lacks", 5) == 0) {
        count = TUSK_EEXHAUSTED;
    } else if (strncmp(host, "none", 4) != 0 &&
               tusk_addr_from_host(out, "127.0.0.1", port) == TUSK_OK) {
        count = 1;
    }
    if (strstr(host, "dead.test") != NULL) { /* the one that answers is the third, if any */
        out[2] = out[0];
        assert_err(tusk_addr_from_host(&out[0], "127.0.0.9", port), TUSK_OK);
        out[1] = out[0];
        count = host[0] == 'h' ? 3 : 2;
    }
    (void)atomic_fetch_add(&names.returned, 1);
    return count;
}

static void on_head(void *user, tusk_http_call *call, const tusk_http_head *head)
{
    (void)call;
    results[(uintptr_t)user].status = head->status;
}

static void on_done(void *user, tusk_http_call *call, const tusk_failure *failure)
{
    (void)call;
    results[(uintptr_t)user].done++;
    results[(uintptr_t)user].err = failure->err;
    (void)snprintf(results[(uintptr_t)user].stage, sizeof(results[0].stage), "%s", failure->stage);
    (void)snprintf(results[(uintptr_t)user].text, sizeof(results[0].text), "%s", failure->text);
}

static const tusk_http_call_handler handler = {.on_head = on_head, .on_done = on_done};

static const char *url_of(const char *scheme, const char *host)
{
    static char url[128];
    (void)snprintf(url, sizeof(url), "%s://%s:%u/", scheme, host,
                   tusk_addr_port(tusk_listener_addr(t.listener)));
    return url;
}

static tusk_http_call *get(uintptr_t i, const char *host)
{
    tusk_http_call *call;
    const tusk_http_call_options options = {
        .target = {.url = tusk_bytes_str(url_of("http", host))}};
    assert_err(tusk_http_call_start(&call, t.client, &options, &handler, (void *)i), TUSK_OK);
    assert_int_equal(results[i].done, 0);
    return call;
}

static int set_up(void **state)
{
    memset(results, 0, sizeof(results));
    assert_int_equal(sem_init(&names.began, 0, 0), 0);
    assert_int_equal(sem_init(&names.gate, 0, 0), 0);
    atomic_store(&names.calls, 0);
    atomic_store(&names.returned, 0);
    peer_set_up(state);
    t.client->look_up = look_up;
    for (size_t i = 0; i < 4; i++) {
        t.answers[i] = "HTTP/1.1 204 No Content\r\n\r\n";
    }
    return 0;
}

static void await(atomic_int *value, int wanted)
{
    uint64_t deadline = tusk_loop_clock_ns() + UINT64_C(20000000000);
    while (atomic_load(value) < wanted) {
        assert_true(tusk_loop_clock_ns() < deadline);
        assert_err(tusk_loop_turn(t.loop, 5), TUSK_OK);
    }
}

static void others_are_served_while_a_name_takes_its_time(void **state)
{
    (void)state;
    (void)get(0, "slow.test");
    (void)get(1, "quick.test");
    (void)get(2, "127.0.0.1");
    turn_until(&results[1].done, 1);
    turn_until(&results[2].done, 1);
    assert_int_equal(results[1].status, 204);
    assert_int_equal(results[2].status, 204);
    assert_int_equal(results[0].done, 0);
    assert_int_equal(sem_post(&names.gate), 0);
    turn_until(&results[0].done, 1);
    assert_int_equal(results[0].status, 204);
}

static void a_name_that_nobody_knows_fails_in_its_stage(void **state)
{
    (void)state;
    (void)get(0, "none.test");
    turn_until(&results[0].done, 1);
    assert_err(results[0].err, TUSK_ENOENT);
    assert_string_equal(results[0].stage, "resolve");
    assert_string_equal(results[0].text, "no address for that host");
}

static void a_name_that_nothing_is_left_to_look_up_is_not_called_unknown(void **state)
{
    (void)state;
    (void)get(0, "lacks.test");
    turn_until(&results[0].done, 1);
    assert_err(results[0].err, TUSK_EEXHAUSTED);
    assert_string_equal(results[0].stage, "resolve");
    assert_non_null(strstr(results[0].text, "no thread or descriptor is left"));
}

static void an_address_needs_no_thread(void **state)
{
    (void)state;
    (void)get(0, "127.0.0.1");
    turn_until(&results[0].done, 1);
    assert_int_equal(atomic_load(&names.calls), 0);
    assert_null(t.client->resolver);
}

/* Without turning the loop, so that no time passes in it. */
static void await_look_up(void)
{
    struct timespec until;
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &until), 0);
    until.tv_sec += 20;
    while (sem_timedwait(&names.began, &until) != 0) {
        assert_int_equal(errno, EINTR);
    }
}

static void a_look_up_counts_against_the_time_to_connect(void **state)
{
    (void)state;
    t.client->options.connect_ms = 20;
    (void)get(0, "slow.test");
    await_look_up(); /* one that has not begun when its time is over never does */
    turn_until(&results[0].done, 1);
    assert_err(results[0].err, TUSK_ETIMEOUT);
    assert_string_equal(results[0].stage, "resolve");
    assert_int_equal(sem_post(&names.gate), 0);
    await(&names.returned, 1); /* it comes back to nobody */
}

static void who_gives_up_during_a_look_up_says_so(void **state)
{
    tusk_http_call *call;
    const tusk_http_call_options options = {
        .target = {.url = tusk_bytes_str(url_of("http", "slow.test"))}, .timeout_ms = 20};
    (void)state;
    assert_err(tusk_http_call_start(&call, t.client, &options, &handler, NULL), TUSK_OK);
    await_look_up();
    turn_until(&results[0].done, 1);
    assert_err(results[0].err, TUSK_ETIMEOUT);
    assert_string_equal(results[0].stage, "resolve");
    assert_int_equal(sem_post(&names.gate), 0);
    await(&names.returned, 1);
}

enum { FILL = 4 };

/* At 127.0.0.9 nobody answers: a full backlog leaves connects unanswered. */
static int deafen(int fill[FILL])
{
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_port = htons(tusk_addr_port(tusk_listener_addr(t.listener)))};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(inet_pton(AF_INET, "127.0.0.9", &in.sin_addr), 1);
    assert_int_equal(bind(fd, (struct sockaddr *)(void *)&in, sizeof(in)), 0);
    assert_int_equal(listen(fd, 0), 0);
    for (int i = 0; i < FILL; i++) {
        fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(fill[i], (struct sockaddr *)(void *)&in, sizeof(in));
    }
    return fd;
}

static void hear(int fd, int fill[FILL])
{
    for (int i = 0; i < FILL; i++) {
        (void)close(fill[i]);
    }
    (void)close(fd);
}

static void a_dead_address_leaves_the_others_their_share_of_the_time(void **state)
{
    int fill[FILL];
    (void)state;
    int fd = deafen(fill);
    t.client->options.connect_ms = 600;
    (void)get(0, "half-dead.test");
    turn_until(&results[0].done, 1);
    assert_int_equal(results[0].status, 204);
    hear(fd, fill);
}

/* Who has less patience than the line, too. */
static void a_dead_address_leaves_the_others_their_share_of_a_calls_time(void **state)
{
    int fill[FILL];
    tusk_http_call *call;
    const tusk_http_call_options options = {
        .target = {.url = tusk_bytes_str(url_of("http", "half-dead.test"))}, .timeout_ms = 600};
    (void)state;
    int fd = deafen(fill);
    assert_err(tusk_http_call_start(&call, t.client, &options, &handler, NULL), TUSK_OK);
    turn_until(&results[0].done, 1);
    assert_int_equal(results[0].status, 204);
    hear(fd, fill);
}

static void when_no_address_answers_all_the_time_is_waited(void **state)
{
    int fill[FILL];
    (void)state;
    int fd = deafen(fill);
    t.client->options.connect_ms = 60;
    uint64_t began_ns = tusk_loop_clock_ns();
    (void)get(0, "dead.test");
    turn_until(&results[0].done, 1);
    assert_err(results[0].err, TUSK_ETIMEOUT);
    assert_string_equal(results[0].stage, "connect");
    assert_true(tusk_loop_clock_ns() - began_ns >= UINT64_C(60000000));
    hear(fd, fill);
}

static void unwanted(void *user, tusk_ws_client *self, uint16_t code, tusk_bytes reason,
                     const tusk_failure *failure)
{
    fail_msg("an aborted handle was told of its end");
}

static void unwanted_open(void *user, tusk_ws_client *self, tusk_bytes subprotocol,
                          const tusk_http_head *answer)
{
    fail_msg("an aborted handle was opened");
}

static void unwanted_message(void *user, tusk_ws_client *self, uint8_t opcode, tusk_bytes payload,
                             void *taken)
{
    fail_msg("an aborted handle was told of a message");
}

static void unwanted_event(void *user, tusk_sse_client *self, const tusk_sse_event *event)
{
    fail_msg("an aborted handle was told of an event");
}

static void unwanted_end(void *user, tusk_sse_client *self, const tusk_failure *failure)
{
    fail_msg("an aborted handle was told of its end");
}

/* All three kinds of handle, each waiting for its name. */
static void start_three(tusk_http_call **call, tusk_ws_client **ws, tusk_sse_client **sse)
{
    static const tusk_ws_client_handler of_ws = {
        .on_open = unwanted_open, .on_message = unwanted_message, .on_close = unwanted};
    static const tusk_sse_client_handler of_sse = {.on_event = unwanted_event,
                                                   .on_close = unwanted_end};
    *call = get(0, "slow1.test");
    const tusk_ws_client_options ws_options = {
        .target = {.url = tusk_bytes_str(url_of("ws", "slow2.test"))}};
    assert_err(tusk_ws_client_open(ws, t.client, &ws_options, &of_ws, NULL), TUSK_OK);
    const tusk_sse_client_options sse_options = {
        .target = {.url = tusk_bytes_str(url_of("http", "slow3.test"))}};
    assert_err(tusk_sse_client_open(sse, t.client, &sse_options, &of_sse, NULL), TUSK_OK);
    await(&names.calls, 3);
}

static void open_gate(void)
{
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sem_post(&names.gate), 0);
    }
    await(&names.returned, 3);
    for (int i = 0; i < 5; i++) {
        assert_err(tusk_loop_turn(t.loop, 1), TUSK_OK);
    }
    assert_int_equal(results[0].done, 0);
    assert_int_equal(t.conns, 0);
}

static void who_is_cancelled_meanwhile_hears_nothing(void **state)
{
    tusk_http_call *call;
    tusk_ws_client *ws;
    tusk_sse_client *sse;
    (void)state;
    start_three(&call, &ws, &sse);
    tusk_http_call_cancel(call);
    tusk_ws_client_abort(ws);
    tusk_sse_client_abort(sse);
    open_gate();
}

static void a_client_freed_meanwhile_waits_for_no_name(void **state)
{
    tusk_http_call *call;
    tusk_ws_client *ws;
    tusk_sse_client *sse;
    (void)state;
    start_three(&call, &ws, &sse);
    tusk_client_free(t.client);
    t.client = NULL;
    for (int i = 0; i < 5; i++) {
        assert_err(tusk_loop_turn(t.loop, 0), TUSK_OK);
    }
    open_gate();
}

int main(void)
{
#define LOOKUP_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, peer_tear_down)
    const struct CMUnitTest tests[] = {
        LOOKUP_TEST(others_are_served_while_a_name_takes_its_time),
        LOOKUP_TEST(a_name_that_nobody_knows_fails_in_its_stage),
        LOOKUP_TEST(a_name_that_nothing_is_left_to_look_up_is_not_called_unknown),
        LOOKUP_TEST(an_address_needs_no_thread),
        LOOKUP_TEST(a_look_up_counts_against_the_time_to_connect),
        LOOKUP_TEST(who_gives_up_during_a_look_up_says_so),
        LOOKUP_TEST(a_dead_address_leaves_the_others_their_share_of_the_time),
        LOOKUP_TEST(a_dead_address_leaves_the_others_their_share_of_a_calls_time),
        LOOKUP_TEST(when_no_address_answers_all_the_time_is_waited),
        LOOKUP_TEST(who_is_cancelled_meanwhile_hears_nothing),
        LOOKUP_TEST(a_client_freed_meanwhile_waits_for_no_name),
    };
    return cmocka_run_group_tests_name("client/lookup", tests, NULL, NULL);
}
