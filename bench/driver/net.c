/* SPDX-License-Identifier: MIT */
/* Sockets of the driver: loopback sources, blocking set-up, reading a head without what follows it.
 */
#define _GNU_SOURCE
#include "driver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Several loopback sources, as one has 28,232 ports; the port is chosen at connect. */
static void bind_source(int fd, const driver_options *options, uint32_t index)
{
    if (options->sources < 2 || (ntohl(options->target.sin_addr.s_addr) >> 24) != 127) {
        return;
    }
    int on = 1;
    (void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
    struct sockaddr_in source = {.sin_family = AF_INET};
    source.sin_addr.s_addr = htonl(0x7f000002U + index % options->sources);
    (void)bind(fd, (struct sockaddr *)&source, sizeof(source));
}

static int open_socket(const driver_options *options, uint32_t index, int flags)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (fd < 0) {
        die("socket: %s", strerror(errno));
    }
    int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    bind_source(fd, options, index);
    return fd;
}

int net_connect(const driver_options *options, uint32_t index)
{
    int fd = open_socket(options, index, 0);
    const struct timeval patience = {.tv_sec = 20, .tv_usec = 0};
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (connect(fd, (const struct sockaddr *)&options->target, sizeof(options->target)) != 0) {
        die("connect %u: %s", index, strerror(errno));
    }
    return fd;
}

int net_connect_start(const driver_options *options, uint32_t index)
{
    int fd = open_socket(options, index, SOCK_NONBLOCK);
    if (connect(fd, (const struct sockaddr *)&options->target, sizeof(options->target)) != 0 &&
        errno != EINPROGRESS) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

void net_unblock(int fd)
{
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

bool net_send_all(int fd, const void *ptr, size_t len)
{
    const uint8_t *at = ptr;
    while (len > 0) {
        ssize_t n = send(fd, at, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN) {
            struct pollfd room = {.fd = fd, .events = POLLOUT, .revents = 0};
            if (poll(&room, 1, 5000) <= 0) {
                return false;
            }
            continue;
        }
        if (n < 0 && errno != EINTR) {
            return false;
        }
        at += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

size_t net_read_head(int fd, char *head, size_t size)
{
    size_t have = 0;
    while (have < size) {
        ssize_t n = recv(fd, head + have, size - have, MSG_PEEK);
        if (n <= 0) {
            return 0;
        }
        size_t seen = have + (size_t)n;
        const char *end = memmem(head, seen, "\r\n\r\n", 4);
        size_t take = end != NULL ? (size_t)(end + 4 - head) - have : (size_t)n;
        if (recv(fd, head + have, take, 0) != (ssize_t)take) {
            return 0;
        }
        have += take;
        if (end != NULL) {
            return have;
        }
    }
    return 0;
}
