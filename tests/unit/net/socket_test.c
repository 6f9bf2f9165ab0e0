/* SPDX-License-Identifier: MIT */
/* Sockets and their flags, as this platform makes them and as one without accept4 does. */
#define _GNU_SOURCE
#include "net/socket.h"

#include <errno.h>
#include <fcntl.h>
#if defined(__linux__)
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#endif
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include "../test.h"

/* The same source once more, as a platform compiles it that lacks the flags (macOS). */
#undef SOCK_NONBLOCK
#undef SOCK_CLOEXEC
#define tusk__socket_open plain_open
#define tusk__socket_accept plain_accept
#define tusk__socket_pair plain_pair
#define tusk__socket_quiet plain_quiet
#define tusk__socket_ended plain_ended
#define tusk__socket_has_bytes plain_has_bytes
#define tusk__socket_unread plain_unread
#define tusk__socket_will_reset plain_will_reset
#define tusk__socket_addr plain_addr
#define tusk__socket_error plain_error
#define tusk__socket_err_of plain_err_of
#define tusk__socket_set_manners plain_set_manners
#define tusk__socket_connect plain_connect
#define tusk__socket_connect_again plain_connect_again
#define tusk__socket_is_over plain_is_over
#define tusk__socket_disconnect plain_disconnect
int plain_open(int family);
tusk_err plain_err_of(int number);
int plain_accept(int listener, tusk_addr *peer);
int plain_pair(int ends[2]);
void plain_quiet(int fd);
bool plain_ended(int fd);
bool plain_has_bytes(int fd);
size_t plain_unread(int fd);
void plain_will_reset(int fd);
tusk_addr plain_addr(int fd);
int plain_error(int fd);
void plain_set_manners(int fd, const tusk_addr *at);
tusk_err plain_connect(int fd, const tusk_addr *to);
tusk_err plain_connect_again(int fd, const tusk_addr *to);
bool plain_is_over(int fd);
bool plain_disconnect(int fd);
#include "net/socket.c"
#undef tusk__socket_open
#undef tusk__socket_accept
#undef tusk__socket_pair
#undef tusk__socket_quiet
#undef tusk__socket_ended
#undef tusk__socket_will_reset
#undef tusk__socket_addr
#undef tusk__socket_error
#undef tusk__socket_has_bytes
#undef tusk__socket_unread
#undef tusk__socket_connect
#undef tusk__socket_connect_again
#undef tusk__socket_is_over
#undef tusk__socket_disconnect
_Static_assert(!HAS_FLAGS, "the way without flags");

typedef struct way {
    int (*open)(int family);
    int (*accept)(int listener, tusk_addr *peer);
    int (*pair)(int ends[2]);
} way;

static const way ways[] = {{tusk__socket_open, tusk__socket_accept, tusk__socket_pair},
                           {plain_open, plain_accept, plain_pair}};

static void assert_flags(int fd)
{
    assert_true(fd >= 0);
    assert_true((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    assert_true((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
}

static void every_socket_is_nonblocking_and_closed_on_exec(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        int ends[2];
        tusk_addr peer;
        struct sockaddr_in name = {.sin_family = AF_INET};
        socklen_t len = sizeof(name);
        int listener = ways[i].open(AF_INET);
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        assert_flags(listener);
        assert_int_equal(ways[i].accept(listener, &peer), -1);
        assert_int_equal(bind(listener, (struct sockaddr *)(void *)&name, len), 0);
        assert_int_equal(listen(listener, 1), 0);
        assert_int_equal(getsockname(listener, (struct sockaddr *)(void *)&name, &len), 0);
        assert_int_equal(ways[i].accept(listener, &peer), -1);
        assert_true(errno == EAGAIN || errno == EWOULDBLOCK);
        int client = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(connect(client, (struct sockaddr *)(void *)&name, len), 0);
        int server = ways[i].accept(listener, &peer);
        assert_flags(server);
        assert_int_equal(tusk_addr_family(&peer), AF_INET);
        assert_true(tusk_addr_is_loopback(&peer));
        assert_int_equal(ways[i].pair(ends), 0);
        assert_flags(ends[0]);
        assert_flags(ends[1]);
        const int all[] = {listener, client, server, ends[0], ends[1]};
        for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
            close(all[k]);
        }
    }
}

static void what_cannot_be_made_is_said(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        errno = 0;
        assert_int_equal(ways[i].open(-1), -1);
        assert_int_not_equal(errno, 0);
    }
}

static void where_it_is_bound_and_what_went_wrong_are_told(void **state)
{
    tusk_addr addr;
    int pair[2];
    (void)state;
    assert_err(tusk_addr_parse(&addr, "127.0.0.1:0"), TUSK_OK);
    int fd = tusk__socket_open(AF_INET);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)(const void *)addr.u.raw, addr.len), 0);
    tusk_addr bound = tusk__socket_addr(fd);
    assert_true(tusk_addr_is_loopback(&bound));
    assert_int_not_equal(tusk_addr_port(&bound), 0);
    int refused = tusk__socket_open(AF_INET); /* nobody listens there: bound, and no more */
    const struct sockaddr *name = (const struct sockaddr *)(const void *)bound.u.raw;
    if (connect(refused, name, bound.len) != 0 && errno == EINPROGRESS) {
        struct pollfd one = {.fd = refused, .events = POLLOUT};
        assert_int_equal(poll(&one, 1, 10000), 1);
        assert_int_equal(tusk__socket_error(refused), ECONNREFUSED);
    }
    assert_int_equal(tusk__socket_error(refused), 0); /* once */
    (void)close(refused);
    (void)close(fd);
    assert_int_equal(tusk__socket_addr(fd).len, 0);
    assert_int_equal(tusk__socket_error(fd), EBADF);
    assert_int_equal(tusk__socket_pair(pair), 0);
    assert_int_equal(tusk__socket_error(pair[0]), 0);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

/* Ports above are left to who binds; else Linux looks at every even port before it takes an odd
 * one. */
static void connections_take_any_port_of_the_lower_part(void **state)
{
    (void)state;
#if defined(IP_LOCAL_PORT_RANGE)
    const char *const hosts[] = {"127.0.0.1", "::1"};
    for (size_t i = 0; i < 2; i++) {
        tusk_addr nobody;
        uint32_t range = 0;
        socklen_t len = sizeof(range);
        assert_err(tusk_addr_from_host(&nobody, hosts[i], 1), TUSK_OK);
        int fd = tusk__socket_open(tusk_addr_family(&nobody));
        if (fd < 0 || getsockopt(fd, IPPROTO_IP, IP_LOCAL_PORT_RANGE, &range, &len) != 0) {
            (void)close(fd);
            skip(); /* no IPv6; a kernel before 6.3 */
        }
        assert_int_equal(range, 0);
        (void)tusk__socket_connect(fd, &nobody);
        assert_int_equal(getsockopt(fd, IPPROTO_IP, IP_LOCAL_PORT_RANGE, &range, &len), 0);
        assert_int_equal(range & 0xffff, 1);
        assert_int_equal(range >> 16, 53999);
        (void)close(fd);
    }
#else
    skip();
#endif
}

static int read_end(int fd)
{
    char byte;
    struct pollfd one = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&one, 1, 5000), 1);
    return (int)recv(fd, &byte, 1, 0);
}

static void connect_to(int fd, const tusk_addr *to, bool again)
{
    struct pollfd one = {.fd = fd, .events = POLLOUT};
    assert_err(again ? tusk__socket_connect_again(fd, to) : tusk__socket_connect(fd, to), TUSK_OK);
    assert_int_equal(poll(&one, 1, 5000), 1);
    assert_int_equal(tusk__socket_error(fd), 0);
}

static void who_has_ended_first_and_was_answered_may_connect_again(void **state)
{
    (void)state;
#if defined(__linux__)
    tusk_addr at, peer;
    int on = 1;
    socklen_t len = sizeof(on);
    assert_err(tusk_addr_parse(&at, "127.0.0.1:0"), TUSK_OK);
    int listener = tusk__socket_open(AF_INET);
    assert_int_equal(bind(listener, (struct sockaddr *)(void *)at.u.raw, (socklen_t)at.len), 0);
    assert_int_equal(listen(listener, 2), 0);
    at = tusk__socket_addr(listener);
    int fd = tusk__socket_open(AF_INET);
    assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)), 0);
    uint16_t port[2];
    for (int i = 0; i < 2; i++) {
        connect_to(fd, &at, i > 0);
        tusk_addr own = tusk__socket_addr(fd);
        port[i] = tusk_addr_port(&own);
        int server = tusk__socket_accept(listener, &peer);
        assert_true(server >= 0);
        assert_false(tusk__socket_is_over(fd));
        assert_int_equal(shutdown(fd, SHUT_WR), 0);
        assert_int_equal(read_end(server), 0);
        assert_false(tusk__socket_is_over(fd));
        assert_int_equal(send(server, "x", 1, 0), 1);
        (void)close(server);
        assert_int_equal(read_end(fd), 1);
        assert_int_equal(read_end(fd), 0);
        assert_true(tusk__socket_is_over(fd));
        assert_true(tusk__socket_disconnect(fd));
        assert_int_equal(recv(fd, &on, sizeof(on), 0), -1);
        assert_int_equal(errno, ENOTCONN);
    }
    assert_int_not_equal(port[0], port[1]);
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, &len), 0);
    assert_int_equal(on, 1);
    (void)close(listener);
    assert_err(tusk__socket_connect_again(fd, &(tusk_addr){.len = 0}), TUSK_ESYS);
    (void)close(fd);
#else
    assert_false(tusk__socket_is_over(0));
    assert_false(tusk__socket_disconnect(0));
#endif
}

/* It would be EAGAIN, as of a socket that is only busy. */
static void unread_bytes_are_seen_whether_or_not_more_can_come(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(tusk__socket_pair(ends), 0);
    assert_false(tusk__socket_has_bytes(ends[0]));
    assert_int_equal(write(ends[1], "ab", 2), 2);
    assert_true(tusk__socket_has_bytes(ends[0]));
    close(ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_true(tusk__socket_has_bytes(ends[0]));
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_false(tusk__socket_has_bytes(ends[0])); /* an end is no byte */
    close(ends[0]);
    assert_false(tusk__socket_has_bytes(ends[0]));
}

static void a_unix_socket_whose_backlog_is_full_refuses(void **state)
{
    (void)state;
    enum { MOST = 64 };
    int fds[MOST];
    unsigned count = 0;
    char text[64];
    (void)snprintf(text, sizeof(text), "unix:/tmp/tusk-backlog-%d.sock", (int)getpid());
    const char *path = text + strlen("unix:");
    tusk_addr to;
    assert_err(tusk_addr_parse(&to, text), TUSK_OK);
    (void)unlink(path);
    int listener = tusk__socket_open(AF_UNIX);
    const struct sockaddr *name = (const struct sockaddr *)(const void *)to.u.raw;
    assert_int_equal(bind(listener, name, (socklen_t)to.len), 0);
    assert_int_equal(listen(listener, 1), 0);
    tusk_err err = TUSK_OK;
    while (err == TUSK_OK && count < MOST) {
        fds[count] = tusk__socket_open(AF_UNIX);
        err = tusk__socket_connect(fds[count++], &to);
    }
    assert_err(err, TUSK_EREFUSED);
    while (count > 0) {
        (void)close(fds[--count]);
    }
    (void)close(listener);
    (void)unlink(path);
}

/* Ours to mend, and nothing that the other side did: no descriptor, no port. */
static void what_this_machine_lacks_is_not_the_peers_fault(void **state)
{
    static const int lacks[] = {EMFILE, ENFILE, EADDRNOTAVAIL};
    (void)state;
    for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++) {
        assert_err(tusk__socket_err_of(lacks[i]), TUSK_EEXHAUSTED);
    }
}

#if defined(__linux__)
static bool write_to(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    (void)close(fd);
    return written;
}

/* A network of our own with two ports. 0: the third connection lacks one. */
static int use_up_two_ports(void)
{
    tusk_addr at;
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
        return 77;
    }
    int control = socket(AF_INET, SOCK_DGRAM, 0);
    if (ioctl(control, SIOCSIFFLAGS, &lo) != 0 ||
        !write_to("/proc/sys/net/ipv4/ip_local_port_range", "40000 40001")) {
        return 77;
    }
    int listener = tusk__socket_open(AF_INET);
    if (tusk_addr_parse(&at, "127.0.0.1:50000") != TUSK_OK ||
        bind(listener, (const struct sockaddr *)(const void *)at.u.raw, (socklen_t)at.len) != 0 ||
        listen(listener, 8) != 0) {
        return 1;
    }
    for (int i = 0; i < 3; i++) {
        tusk_err err = tusk__socket_connect(tusk__socket_open(AF_INET), &at);
        if (err != (i < 2 ? TUSK_OK : TUSK_EEXHAUSTED)) {
            return 2 + i;
        }
    }
    return 0;
}

static void without_a_local_port_that_is_said(void **state)
{
    int status = -1;
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        _exit(use_up_two_ports());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        skip(); /* no network of one's own here */
    }
    assert_int_equal(status, 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_socket_is_nonblocking_and_closed_on_exec),
        cmocka_unit_test(what_this_machine_lacks_is_not_the_peers_fault),
#if defined(__linux__)
        cmocka_unit_test(without_a_local_port_that_is_said),
#endif
        cmocka_unit_test(where_it_is_bound_and_what_went_wrong_are_told),
        cmocka_unit_test(connections_take_any_port_of_the_lower_part),
        cmocka_unit_test(who_has_ended_first_and_was_answered_may_connect_again),
        cmocka_unit_test(unread_bytes_are_seen_whether_or_not_more_can_come),
        cmocka_unit_test(a_unix_socket_whose_backlog_is_full_refuses),
        cmocka_unit_test(what_cannot_be_made_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
