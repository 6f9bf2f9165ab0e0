/* SPDX-License-Identifier: MIT */
/* What the relay itself has run out of: clients are told to come back, targets are not blamed. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "http_rig.h"
#include "smtp_rig.h"

#include "../full_poller.h"
#include "relay/inner.h"

#define LACKS "the proxy has no descriptor, port or thread left for this"

static struct rlimit before;

static atomic_int says; /* of the name: TUSK_OK, or what looking it up fails by */

/* ---- no descriptor for anybody, until it is given back ---- */
static void take_descriptors(void)
{
    int next = dup(0);
    (void)close(next);
    const struct rlimit none = {.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
}

static void give_descriptors(void)
{
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static int with_limit(int (*set_up)(void **), void **state)
{
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    (void)set_up(state);
    r.options.limits.eject_failures = 1;
    r.options.limits.eject_ms = 1000000;
    return 0;
}

static int tcp_set_up(void **state)
{
    return with_limit(rig_set_up, state);
}

static int http_limit_set_up(void **state)
{
    return with_limit(http_set_up, state);
}

static int smtp_limit_set_up(void **state)
{
    return with_limit(smtp_set_up, state);
}

static void expect_nobody_blamed(unsigned exhausted)
{
    tusk_relay_stats stats = rig_stats();
    assert_int_equal(stats.dials_exhausted, exhausted);
    assert_int_equal(stats.dial_failures, 0);
    assert_int_equal(stats.ejections, 0);
    for (size_t i = 0; i < r.target_count; i++) {
        assert_int_equal(tusk_relay_health(r.relay, r.targets[i].address), 1);
    }
}

static void without_descriptors_clients_get_503_and_nobody_is_ejected(void **state)
{
    uint16_t port[2];
    int backend[2] = {rig_listen(&port[0]), rig_listen(&port[1])};
    (void)state;
    r.later = true;
    rig_target(port[0], 1000000);
    rig_target(port[1], 0);
    rig_start();
    int client = rig_client();
    rig_until(r.ask_count == 1);
    take_descriptors();
    assert_err(rig_answer(0), TUSK_OK);
    rig_until(r.record_count == 1);
    give_descriptors();
    assert_int_equal(r.records[0].status, 503);
    assert_string_equal(r.records[0].end, LACKS);
    rig_expect_eof(client);
    expect_nobody_blamed(2);
    assert_non_null(strstr(r.log, "no file descriptor left; raise ulimit -n"));
    (void)close(client);
    r.later = false;
    rig_expect_joined(backend[0]);
    (void)close(backend[0]);
    (void)close(backend[1]);
}

static void who_waits_for_a_descriptor_is_counted(void **state)
{
    uint16_t port;
    int backend = rig_listen(&port);
    (void)state;
    rig_target(port, 1);
    rig_start();
    int client = rig_client();
    take_descriptors();
    rig_until(strstr(r.log, "out of file descriptors") != NULL);
    give_descriptors();
    assert_true(rig_stats().refused_limit > 0);
    assert_int_equal(rig_stats().accepted, 0);
    rig_until(rig_stats().accepted == 1);
    (void)close(client);
    (void)close(backend);
}

/* Who watches the proxy, its log and its certificates have the last ones. */
static void dials_leave_some_descriptors_to_who_watches(void **state)
{
    enum { LIMIT = 128, LEFT = LIMIT / 8 / 2 };
    const struct rlimit low = {.rlim_cur = LIMIT, .rlim_max = before.rlim_max};
    uint16_t port;
    int backend = rig_listen(&port);
    int taken[LIMIT];
    int count = 0;
    (void)state;
    r.later = true;
    rig_target(port, 1);
    rig_start();
    int client = rig_client();
    rig_until(r.ask_count == 1);
    do {
        taken[count++] = dup(0);
    } while (taken[count - 1] < LIMIT - LEFT - 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    assert_err(rig_answer(0), TUSK_OK);
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 503);
    expect_nobody_blamed(1);
    (void)close(client);
    (void)close(taken[--count]); /* one that is for a backend */
    r.later = false;
    rig_expect_joined(backend);
    give_descriptors();
    while (count > 0) {
        (void)close(taken[--count]);
    }
    (void)close(backend);
}

static void a_socket_that_cannot_be_watched_is_no_fault_of_its_target(void **state)
{
    uint16_t port;
    int backend = rig_listen(&port);
    (void)state;
    r.later = true;
    rig_target(port, 1);
    rig_start();
    int client = rig_client();
    rig_until(r.ask_count == 1);
    full_poller full;
    full_begin(&full, r.loop);
    assert_err(rig_answer(0), TUSK_OK);
    full_end(&full, r.loop);
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 503);
    assert_string_equal(r.records[0].end, LACKS);
    rig_expect_eof(client);
    expect_nobody_blamed(1);
    assert_non_null(strstr(r.log, "raise sysctl fs.epoll.max_user_watches"));
    (void)close(client);
    (void)close(rig_accept(backend)); /* whom nobody waited for */
    r.later = false;
    rig_expect_joined(backend);
    (void)close(backend);
}

/* Nobody is served, and the log says why; of memory nothing lacks. */
static void a_client_that_cannot_be_watched_is_said(void **state)
{
    char byte;
    (void)state;
    rig_target(rig_dead_port(), 1);
    rig_start();
    full_poller full;
    full_begin(&full, r.loop);
    int client = rig_client();
    ssize_t got = -1;
    rig_until((got = recv(client, &byte, 1, 0)) >= 0 || errno != EAGAIN);
    full_end(&full, r.loop);
    assert_true(got <= 0);
    assert_non_null(strstr(r.log, "new connections are closed: the system watches no more"));
    assert_int_equal(rig_stats().out_of_memory, 0);
    assert_int_equal(rig_stats().active, 0);
    (void)close(client);
}

static void http_says_503(void **state)
{
    (void)state;
    rig_start();
    int client = rig_client();
    rig_send(client, "GET / HTTP/1.1\r\nHost: a\r\n");
    rig_turn();
    take_descriptors();
    rig_send(client, "\r\n");
    http_expect_refusal(client, "503 Service Unavailable: " LACKS, false);
    give_descriptors();
    expect_nobody_blamed(1);
    int backend = http_dialled(client);
    http_answers(client, backend);
    (void)close(client);
    (void)close(backend);
}

static void smtp_says_421(void **state)
{
    (void)state;
    rig_start();
    connect_client();
    take_descriptors();
    rig_send(s.client, "EHLO client.example\r\n");
    rig_expect(s.client, "421 4.4.1 " LACKS "\r\n");
    give_descriptors();
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 503);
    expect_nobody_blamed(1);
}

static void a_probe_without_a_descriptor_is_no_verdict(void **state)
{
    uint16_t port;
    int backend = rig_listen(&port);
    (void)state;
    r.options.limits.check_ms = 5;
    r.options.limits.check_rise = r.options.limits.check_fall = 1;
    rig_target(port, 1);
    rig_start();
    rig_expect_joined(backend);
    take_descriptors();
    uint64_t probes = rig_stats().probes;
    rig_until(rig_stats().probes >= probes + 3);
    give_descriptors();
    assert_int_equal(rig_stats().probe_failures, 0);
    assert_int_equal(tusk_relay_health(r.relay, r.targets[0].address), 1);
    (void)close(backend);
}

/* ---- names ---- */
static int look_up(void *user, tusk_addr *out, int cap, const char *host, uint16_t port)
{
    (void)user;
    (void)host;
    (void)cap;
    int now = atomic_load(&says);
    return now != TUSK_OK ? now : tusk_addr_from_host(out, "127.0.0.1", port) == TUSK_OK ? 1 : 0;
}

static void look_up_here(tusk_relay *relay)
{
    const tusk_resolver_options options = {.look_up = look_up};
    tusk_resolver_free(relay->resolver);
    assert_err(tusk_resolver_new(&relay->resolver, r.loop, &options), TUSK_OK);
}

static void a_name_that_cannot_be_looked_up_is_not_called_unknown(void **state)
{
    uint16_t port;
    int backend = rig_listen(&port);
    (void)state;
    r.on_made = look_up_here;
    rig_target(port, 1);
    (void)snprintf(r.address[0], sizeof(r.address[0]), "db.test:%u", (unsigned)port);
    r.targets[0].address = tusk_bytes_str(r.address[0]);
    atomic_store(&says, TUSK_EEXHAUSTED);
    rig_start();
    int client = rig_client();
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].status, 503);
    assert_string_equal(r.records[0].end, LACKS);
    expect_nobody_blamed(1);
    (void)close(client);
    atomic_store(&says, TUSK_OK);
    rig_expect_joined(backend);
    (void)close(backend);
}

/* ---- no right ---- */
/* Who is root may connect everywhere, and is somebody else for as long. */
static void a_path_that_our_user_may_not_connect_to_is_said_to_be_that(void **state)
{
    (void)state;
    char path[TEST_TEMP_MAX];
    int backend;
    bool is_root = geteuid() == 0;
    test_temp_dir(path, "relay");
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    (void)snprintf(un.sun_path, sizeof(un.sun_path), "%s/s", path);
    backend = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(backend, (struct sockaddr *)(void *)&un, sizeof(un)), 0);
    assert_int_equal(listen(backend, 8), 0);
    assert_int_equal(chmod(path, is_root ? 0700 : 0), 0);
    (void)snprintf(r.address[0], sizeof(r.address[0]), "unix:%s/s", path);
    r.targets[0] = (tusk_relay_target){.address = tusk_bytes_str(r.address[0]), .weight = 1};
    r.target_count = 1;
    rig_start();
    assert_int_equal(is_root ? seteuid(65534) : 0, 0);
    int client = rig_client();
    rig_until(r.record_count == 1);
    assert_int_equal(is_root ? seteuid(0) : 0, 0);
    assert_int_equal(r.records[0].status, 502);
    assert_string_equal(r.records[0].end, "the proxy's user may not connect to the backend");
    (void)close(client);
    (void)close(backend);
    (void)chmod(path, 0700);
    (void)unlink(un.sun_path);
    (void)rmdir(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_descriptors_clients_get_503_and_nobody_is_ejected,
                                        tcp_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(who_waits_for_a_descriptor_is_counted, tcp_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(dials_leave_some_descriptors_to_who_watches, tcp_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(a_socket_that_cannot_be_watched_is_no_fault_of_its_target,
                                        tcp_set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(a_client_that_cannot_be_watched_is_said, tcp_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(a_client_that_cannot_be_watched_is_said, http_set_up,
                                        http_tear_down),
        cmocka_unit_test_setup_teardown(a_client_that_cannot_be_watched_is_said, smtp_set_up,
                                        smtp_tear_down),
        cmocka_unit_test_setup_teardown(http_says_503, http_limit_set_up, http_tear_down),
        cmocka_unit_test_setup_teardown(smtp_says_421, smtp_limit_set_up, smtp_tear_down),
        cmocka_unit_test_setup_teardown(a_probe_without_a_descriptor_is_no_verdict, tcp_set_up,
                                        rig_tear_down),
        cmocka_unit_test_setup_teardown(a_name_that_cannot_be_looked_up_is_not_called_unknown,
                                        tcp_set_up, rig_tear_down),
        rig_test(a_path_that_our_user_may_not_connect_to_is_said_to_be_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
