/* SPDX-License-Identifier: MIT */
/* What the limits ask of the kernel for the sockets of a listener and of both sides of a session.
 */
#define _GNU_SOURCE
#include "net/listener.h"
#include "relay/pair.h"
#include "rig.h"

static int number_of(int fd, int level, int name)
{
    int number = -1;
    socklen_t len = sizeof(number);
    assert_int_equal(getsockopt(fd, level, name, &number, &len), 0);
    return number;
}

static void assert_options(int fd)
{
    assert_int_equal(number_of(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
#if defined(TCP_KEEPIDLE)
    assert_int_equal(number_of(fd, IPPROTO_TCP, TCP_KEEPIDLE), 41);
    assert_int_equal(number_of(fd, IPPROTO_TCP, TCP_KEEPINTVL), 7);
    assert_int_equal(number_of(fd, IPPROTO_TCP, TCP_KEEPCNT), 5);
#endif
#if defined(TCP_USER_TIMEOUT)
    assert_int_equal(number_of(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 12345);
#endif
#if defined(TCP_NOTSENT_LOWAT)
    assert_int_equal(number_of(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT), 54321);
#endif
}

static void both_sides_have_what_the_limits_say(void **state)
{
    uint16_t port;
    int backend = rig_listen(&port);
    (void)state;
    r.options.limits.keep_idle_s = 41;
    r.options.limits.keep_interval_s = 7;
    r.options.limits.keep_count = 5;
    r.options.limits.user_timeout_ms = 12345;
    r.options.limits.not_sent_bytes = 54321;
    rig_target(port, 1);
    rig_start();
    int client = rig_client();
    int server = rig_accept(backend);
    rig_send(server, "hi");
    rig_expect(client, "hi");
    const relay_pair *pair = TUSK_OWNER(r.relay->sessions.prev, relay_pair, session.link);
    assert_options(pair->end[RELAY_CLIENT].io.fd);
    assert_options(pair->end[RELAY_BACKEND].io.fd);
    (void)close(client);
    (void)close(server);
    (void)close(backend);
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
    const relay_door *door = TUSK_OWNER(r.relay->doors.next, relay_door, link);
    assert_int_equal(
        getsockopt(tusk_listener_fd(door->listener), IPPROTO_TCP, TCP_INFO, &info, &len), 0);
    assert_int_equal(info.tcpi_sacked, 77);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {rig_test(both_sides_have_what_the_limits_say),
                                       rig_test(a_listener_has_its_backlog)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
