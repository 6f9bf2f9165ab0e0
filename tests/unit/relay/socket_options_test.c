/* SPDX-License-Identifier: MIT */
/* What the limits ask of the kernel for the sockets of a listener and of both sides of a session.
 */
#define _GNU_SOURCE
#include "net/listener.h"
#include "rig.h"
#include "sessions_of.h"

static int number_of(int fd, int level, int name)
{
    int number = -1;
    socklen_t len = sizeof(number);
    assert_int_equal(getsockopt(fd, level, name, &number, &len), 0);
    return number;
}

static void assert_keep_alive(int fd, int idle_s)
{
    assert_int_equal(number_of(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
#if defined(TCP_KEEPIDLE)
    assert_int_equal(number_of(fd, IPPROTO_TCP, TCP_KEEPIDLE), idle_s);
    assert_int_equal(number_of(fd, IPPROTO_TCP, TCP_KEEPINTVL), 7);
    assert_int_equal(number_of(fd, IPPROTO_TCP, TCP_KEEPCNT), 5);
#else
    (void)idle_s;
#endif
}

static void assert_options(int fd)
{
#if defined(TCP_USER_TIMEOUT)
    assert_int_equal(number_of(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 12345);
#endif
#if defined(TCP_NOTSENT_LOWAT)
    assert_int_equal(number_of(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT), 54321);
#endif
}

static int backend, client, server;

static const relay_pair *join(uint32_t keep_idle_s)
{
    uint16_t port;
    backend = rig_listen(&port);
    r.options.limits.keep_idle_s = keep_idle_s;
    r.options.limits.keep_interval_s = 7;
    r.options.limits.keep_count = 5;
    r.options.limits.user_timeout_ms = 12345;
    r.options.limits.not_sent_bytes = 54321;
    rig_target(port, 1);
    rig_start();
    client = rig_client();
    server = rig_accept(backend);
    rig_send(server, "hi");
    rig_expect(client, "hi");
    return newest_pair(r.relay);
}

static void leave(void)
{
    (void)close(client);
    (void)close(server);
    (void)close(backend);
}

static void both_sides_have_what_the_limits_say(void **state)
{
    (void)state;
    const relay_pair *pair = join(41);
    assert_options(pair->end[RELAY_CLIENT].io.fd);
    assert_options(pair->end[RELAY_BACKEND].io.fd);
    assert_keep_alive(pair->end[RELAY_CLIENT].io.fd, 41);
    leave();
}

/* Not the even ones first, of which most are in TIME_WAIT when clients come by the thousand. */
static void a_backend_is_dialled_from_any_port_of_the_lower_part(void **state)
{
    (void)state;
#if defined(__linux__)
    enum { LOCAL_PORT_RANGE = 51 }; /* glibc has no name for it yet */
    uint32_t range = 0;
    socklen_t len = sizeof(range);
    const relay_pair *pair = join(0);
    int fd = pair->end[RELAY_BACKEND].io.fd;
    int known = getsockopt(fd, IPPROTO_IP, LOCAL_PORT_RANGE, &range, &len);
    leave();
    if (known != 0) {
        skip(); /* a kernel before 6.3 */
    }
    assert_int_equal(range, 53999u << 16 | 1);
#else
    skip();
#endif
}

static void what_no_kernel_takes_is_as_much_as_it_takes(void **state)
{
    (void)state;
    const relay_pair *pair = join(UINT32_MAX / 500 + 1);
    assert_keep_alive(pair->end[RELAY_CLIENT].io.fd, 32767);
    assert_int_equal(number_of(pair->end[RELAY_BACKEND].io.fd, SOL_SOCKET, SO_KEEPALIVE), 0);
    leave();
}

/* Before half of its idle time is over keep-alive would do nothing, and cost four calls. */
static void a_backends_socket_has_keep_alive_before_it_is_due(void **state)
{
    (void)state;
    const relay_pair *pair = join(1);
    int fd = pair->end[RELAY_BACKEND].io.fd;
    rig_until(number_of(fd, SOL_SOCKET, SO_KEEPALIVE) == 1);
    assert_keep_alive(fd, 1);
    assert_keep_alive(pair->end[RELAY_CLIENT].io.fd, 1);
    assert_int_equal(rig_stats().active, 1); /* nobody took the time for an end */
    rig_send(server, "more");
    rig_expect(client, "more");
    leave();
}

static void without_an_idle_time_nothing_is_kept_alive(void **state)
{
    (void)state;
    const relay_pair *pair = join(0);
    assert_false(tusk_timer_running(&pair->timer));
    assert_int_equal(number_of(pair->end[RELAY_CLIENT].io.fd, SOL_SOCKET, SO_KEEPALIVE), 0);
    assert_int_equal(number_of(pair->end[RELAY_BACKEND].io.fd, SOL_SOCKET, SO_KEEPALIVE), 0);
    leave();
}

/* Of a socket that listens Linux tells its backlog where others tell of segments. */
static void a_listener_has_its_backlog(void **state)
{
    (void)state;
#if defined(__linux__)
    struct tcp_info info;
    socklen_t len = sizeof(info);
    r.listen.backlog = 77;
    rig_target(rig_dead_port(), 1);
    rig_start();
    const relay_door *door = TUSK_OWNER(r.relay->gates.list.next, relay_door, gate.link);
    assert_int_equal(
        getsockopt(tusk_listener_fd(door->gate.listener), IPPROTO_TCP, TCP_INFO, &info, &len), 0);
    assert_int_equal(info.tcpi_sacked, 77);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        rig_test(both_sides_have_what_the_limits_say),
        rig_test(a_backend_is_dialled_from_any_port_of_the_lower_part),
        rig_test(what_no_kernel_takes_is_as_much_as_it_takes),
        rig_test(a_backends_socket_has_keep_alive_before_it_is_due),
        rig_test(without_an_idle_time_nothing_is_kept_alive),
        rig_test(a_listener_has_its_backlog)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
