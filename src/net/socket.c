/* SPDX-License-Identifier: MIT */
/* Stream sockets: made with their flags in one call where the platform can, else set one by one. */
#define _GNU_SOURCE
#include "net/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#if defined(SOCK_NONBLOCK) && defined(SOCK_CLOEXEC)
#define HAS_FLAGS 1 /* and accept4 */
#define SOCKET_FLAGS (SOCK_NONBLOCK | SOCK_CLOEXEC)
#else
#define HAS_FLAGS 0
#define SOCKET_FLAGS 0
#endif

/* The last port that connections take of the system's range (32768 to 60999 by default): those
 * above are left to who binds to any, as a port in TIME_WAIT is none for them for a minute. */
#define CONNECT_PORTS_END 53999

#if defined(__linux__) && !defined(IP_LOCAL_PORT_RANGE)
#define IP_LOCAL_PORT_RANGE 51 /* Linux 6.3; glibc does not name it yet */
#endif

void tusk__socket_quiet(int fd)
{
#if defined(SO_NOSIGPIPE)
    int on = 1;
    (void)setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
#else
    (void)fd;
#endif
}

static void set_up(int fd)
{
    if (!HAS_FLAGS) {
        (void)fcntl(fd, F_SETFL, O_NONBLOCK);
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    tusk__socket_quiet(fd);
}

int tusk__socket_open(int family)
{
    int fd = socket(family, SOCK_STREAM | SOCKET_FLAGS, 0);
    if (fd >= 0) {
        set_up(fd);
    }
    return fd;
}

int tusk__socket_pair(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCKET_FLAGS, 0, ends) != 0) {
        ends[0] = ends[1] = -1;
        return -1;
    }
    set_up(ends[0]);
    set_up(ends[1]);
    return 0;
}

bool tusk__socket_ended(int fd)
{
#if defined(POLLRDHUP)
    struct pollfd one = {.fd = fd, .events = POLLRDHUP};
    return poll(&one, 1, 0) == 1;
#else
    (void)fd;
    return false;
#endif
}

int tusk__socket_accept(int listener, tusk_addr *peer)
{
    memset(peer, 0, sizeof(*peer));
    struct sockaddr *name = (struct sockaddr *)(void *)peer->u.raw;
    socklen_t len = sizeof(peer->u.raw);
    int fd;
    do {
#if HAS_FLAGS
        fd = accept4(listener, name, &len, SOCKET_FLAGS);
#else
        fd = accept(listener, name, &len);
#endif
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        return -1;
    }
    set_up(fd);
    peer->len = len;
    return fd;
}

tusk_addr tusk__socket_addr(int fd)
{
    tusk_addr addr = {.len = 0};
    socklen_t len = sizeof(addr.u.raw);
    if (getsockname(fd, (struct sockaddr *)(void *)addr.u.raw, &len) == 0) {
        addr.len = len;
    }
    return addr;
}

int tusk__socket_error(int fd)
{
    int number = 0;
    socklen_t len = sizeof(number);
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &len) != 0 ? errno : number;
}

tusk_err tusk__socket_err_of(int number)
{
    switch (number) {
    case ECONNREFUSED:
    case ENOENT: return TUSK_EREFUSED; /* ENOENT: a Unix path */
    case ETIMEDOUT: return TUSK_ETIMEOUT;
    case EACCES:
    case EPERM: return TUSK_EACCES;
    case ENOMEM:
    case ENOBUFS: return TUSK_ENOMEM;
    case EMFILE:
    case ENFILE:
    case EADDRNOTAVAIL: return TUSK_EEXHAUSTED;
    case EPIPE:
    case ECONNRESET:
    case ECONNABORTED:
    case ENOTCONN: return TUSK_ERESET;
    default: return TUSK_ESYS;
    }
}

void tusk__socket_set_manners(int fd, const tusk_addr *at)
{
    int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
#if defined(TCP_CONGESTION)
    if (tusk_addr_is_loopback(at)) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", sizeof("reno") - 1);
    }
#else
    (void)at;
#endif
}

#if defined(__linux__)
/* 0: as the system takes them by itself. */
static void set_ports(int fd, uint32_t lowest, uint32_t highest)
{
    uint32_t range = highest << 16 | lowest;
    (void)setsockopt(fd, IPPROTO_IP, IP_LOCAL_PORT_RANGE, &range, sizeof(range));
}
#endif

static int connect_from_any(int fd, const tusk_addr *to)
{
    const struct sockaddr *name = (const struct sockaddr *)(const void *)to->u.raw;
#if defined(__linux__)
    if (tusk_addr_family(to) != AF_UNIX) {
        set_ports(fd, 1, CONNECT_PORTS_END);
        int result = connect(fd, name, (socklen_t)to->len);
        if (result == 0 || errno != EADDRNOTAVAIL) {
            return result;
        }
        set_ports(fd, 0, 0);
        result = connect(fd, name, (socklen_t)to->len);
        int saved = errno;
        set_ports(fd, 1, CONNECT_PORTS_END); /* for the next time */
        errno = saved;
        return result;
    }
#endif
    return connect(fd, name, (socklen_t)to->len);
}

tusk_err tusk__socket_connect(int fd, const tusk_addr *to)
{
    if (connect_from_any(fd, to) == 0 || errno == EINPROGRESS || errno == EINTR) {
        return TUSK_OK;
    }
    if (errno == EAGAIN) {
        return tusk_addr_family(to) == AF_UNIX ? TUSK_EREFUSED : TUSK_EEXHAUSTED;
    }
    return tusk__socket_err_of(errno);
}

bool tusk__socket_is_over(int fd)
{
#if defined(__linux__)
    struct sockaddr_storage name;
    socklen_t len = sizeof(name);
    return getpeername(fd, (struct sockaddr *)(void *)&name, &len) != 0 && errno == ENOTCONN;
#else
    (void)fd;
    return false;
#endif
}

bool tusk__socket_disconnect(int fd)
{
#if defined(__linux__)
    const struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    return connect(fd, &nobody, sizeof(nobody)) == 0;
#else
    (void)fd;
    return false;
#endif
}

tusk_err tusk__socket_connect_again(int fd, const tusk_addr *to)
{
    const struct sockaddr *name = (const struct sockaddr *)(const void *)to->u.raw;
    if (connect(fd, name, (socklen_t)to->len) == 0 || errno == EINPROGRESS || errno == EINTR) {
        return TUSK_OK;
    }
    return tusk__socket_err_of(errno);
}

size_t tusk__socket_unread(int fd)
{
    int waiting = 0;
    return ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0 ? (size_t)waiting : 0;
}

bool tusk__socket_has_bytes(int fd)
{
    return tusk__socket_unread(fd) > 0;
}

void tusk__socket_will_reset(int fd)
{
    const struct linger now = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}
