/* SPDX-License-Identifier: MIT */
/* Dialling: all addresses of a name are tried, the one that answers is remembered. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load/inner.h"

#include "test.h"

/* What the name "server.test" leads to. */
static tusk_addr answers[3];
static int answer_count;
static uint16_t port;
static int server;
static char reason[TUSK_LOAD_REASON_MAX];

static int look_up(tusk_addr *out, int cap, const char *host, uint16_t at)
{
    assert_string_equal(host, "server.test");
    assert_int_equal(at, port);
    assert_true(cap >= answer_count);
    memcpy(out, answers, (size_t)answer_count * sizeof(answers[0]));
    return answer_count;
}

static void leads_to(const char *first, const char *second)
{
    answer_count = second == NULL ? 1 : 2;
    assert_int_equal(tusk_addr_from_host(&answers[0], first, port), TUSK_OK);
    assert_int_equal(tusk_addr_from_host(&answers[1], second == NULL ? first : second, port),
                     TUSK_OK);
}

static int listen_on(const char *host, uint16_t at, int backlog)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(at)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(inet_pton(AF_INET, host, &in.sin_addr), 1);
    assert_int_equal(bind(fd, (struct sockaddr *)(void *)&in, sizeof(in)), 0);
    assert_int_equal(listen(fd, backlog), 0);
    return fd;
}

static void serve(void *user)
{
    tusk_loop *loop = NULL;
    (void)user;
    if (tusk_loop_new(&loop, NULL) == TUSK_OK) {
        (void)tusk_tcp_serve_on(loop, 3, TUSK_TCP_ECHO, TUSK_GREETING_NONE);
    }
    _exit(0);
}

static int set_up(void **state)
{
    struct sockaddr_in in;
    socklen_t len = sizeof(in);
    (void)state;
    int fd = listen_on("127.0.0.1", 0, 100);
    assert_int_equal(getsockname(fd, (struct sockaddr *)(void *)&in, &len), 0);
    port = ntohs(in.sin_port);
    assert_int_equal(tusk_child_start(&server, fd, serve, NULL), TUSK_OK);
    return close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    tusk_child_kill(server);
    return 0;
}

static void set(tusk_load *load, const char *name, const char *value)
{
    assert_int_equal(tusk_load_set(load, tusk_bytes_str(name), tusk_bytes_str(value), reason),
                     TUSK_OK);
}

static tusk_load *new_load(const char *mode)
{
    char url[64];
    tusk_load *load = NULL;
    (void)snprintf(url, sizeof(url), "tcp://server.test:%u", port);
    assert_int_equal(tusk_load_new(&load, tusk_mem_default(), mode, tusk_bytes_str(url), reason),
                     TUSK_OK);
    load->plan.look_up = look_up;
    set(load, "warmup", "0");
    set(load, "hiccup", "no");
    set(load, "connections", "5");
    set(load, "count", "50");
    return load;
}

static tusk_load *run(tusk_load *load)
{
    assert_int_equal(tusk_load_start(load, reason), TUSK_OK);
    while (tusk_load_poll(load, 1000)) {
    }
    return load;
}

static void expect(const tusk_load *load, const char *counter, uint64_t expected)
{
    uint64_t value = 0;
    const char *name;
    size_t i = 0;
    while ((name = tusk_load_counter(load, i, false, &value)) != NULL &&
           strcmp(name, counter) != 0) {
        i++;
    }
    assert_non_null(name);
    assert_int_equal(value, expected);
}

static void the_second_address_serves_where_the_first_refuses(void **state)
{
    static const char *const modes[] = {"tcp-rr", "tcp-rate"};
    (void)state;
    leads_to("127.0.0.2", "127.0.0.1");
    for (size_t i = 0; i < 2; i++) {
        tusk_load *load = run(new_load(modes[i]));
        expect(load, "completed", 50);
        expect(load, "failed_refused", 0);
        expect(load, "dropped", 0);
        tusk_load_free(load);
    }
}

static void a_name_whose_addresses_all_refuse_is_one_failure_a_connection(void **state)
{
    tusk_load_worker worker;
    (void)state;
    leads_to("127.0.0.2", "127.0.0.3");
    tusk_load *load = run(new_load("tcp-rr"));
    expect(load, "opened", 0);
    expect(load, "failed_refused", 5);
    assert_true(tusk_load_worker_at(load, 0, &worker));
    assert_string_equal(worker.error, "connection refused");
    tusk_load_free(load);
}

/* A listener whose queue is full answers nothing: the kernel drops what comes. */
static void an_address_that_is_silent_has_its_share_of_the_timeout_only(void **state)
{
    int fillers[4];
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
    (void)state;
    leads_to("127.0.0.3", "127.0.0.1");
    int silent = listen_on("127.0.0.3", port, 0);
    assert_int_equal(inet_pton(AF_INET, "127.0.0.3", &in.sin_addr), 1);
    for (size_t i = 0; i < 4; i++) {
        fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(fillers[i], (struct sockaddr *)(void *)&in, sizeof(in));
    }
    tusk_load *load = new_load("tcp-rr");
    set(load, "timeout", "1s");
    (void)run(load);
    expect(load, "completed", 50);
    expect(load, "failed_timeout", 0);
    tusk_load_free(load);
    for (size_t i = 0; i < 4; i++) {
        (void)close(fillers[i]);
    }
    (void)close(silent);
}

static void every_address_must_be_of_this_machine_unless_remote_ones_are_allowed(void **state)
{
    (void)state;
    leads_to("127.0.0.1", "192.0.2.1");
    tusk_load *load = new_load("tcp-rr");
    assert_int_equal(tusk_load_start(load, reason), TUSK_EACCES);
    assert_non_null(strstr(reason, "give allow-remote"));
    set(load, "allow-remote", "yes");
    (void)run(load);
    expect(load, "completed", 50);
    tusk_load_free(load);
}

static void sources_need_a_name_that_leads_to_ipv4_only(void **state)
{
    (void)state;
    leads_to("::1", "127.0.0.1");
    tusk_load *load = new_load("tcp-rr");
    set(load, "sources", "2");
    assert_int_equal(tusk_load_start(load, reason), TUSK_ELIMIT);
    assert_non_null(strstr(reason, "sources are addresses in 127.0.0.0/8"));
    tusk_load_free(load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_address_serves_where_the_first_refuses),
        cmocka_unit_test(a_name_whose_addresses_all_refuse_is_one_failure_a_connection),
        cmocka_unit_test(an_address_that_is_silent_has_its_share_of_the_timeout_only),
        cmocka_unit_test(every_address_must_be_of_this_machine_unless_remote_ones_are_allowed),
        cmocka_unit_test(sources_need_a_name_that_leads_to_ipv4_only),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
