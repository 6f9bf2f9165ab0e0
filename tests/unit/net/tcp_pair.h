/* SPDX-License-Identifier: MIT */
/* Two connected sockets of TCP. Who includes this defines _GNU_SOURCE. */
#ifndef TUSK_TEST_NET_TCP_PAIR_H
#define TUSK_TEST_NET_TCP_PAIR_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../test.h"

/* fd[0] was accepted and does not block, fd[1] has connected. TCP, which knows resets, and whose
 * queues grow to megabytes; those of Unix sockets are smaller than a share. */
static inline void tcp_pair(int fd[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int size = 4 << 20;
    assert_int_equal(bind(listener, (struct sockaddr *)&at, len), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
    assert_int_equal(listen(listener, 1), 0);
    fd[1] = socket(AF_INET, SOCK_STREAM, 0);
    (void)setsockopt(fd[1], SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    assert_int_equal(connect(fd[1], (struct sockaddr *)&at, len), 0);
    fd[0] = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    (void)setsockopt(fd[0], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
    assert_true(fd[0] >= 0);
    (void)close(listener);
}

#endif
