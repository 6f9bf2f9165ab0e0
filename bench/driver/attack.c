/* SPDX-License-Identifier: MIT */
/* Hostile clients: readers that never read, slow ones, floods. Each goes on until its process is
 * ended. They have the lowest priority, so that what others measure on this core is the server's
 * delay and not theirs. */
#define _GNU_SOURCE
#include "attack.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef TUSK_HAVE_ZLIB
#include <zlib.h>
#endif

enum { LOAD_LEN = 64 * 1024, PAUSE_US = 5000, BOMB_LEN = 64 * 1024 * 1024 };

/* A connection that sends the same bytes again and again, as far as the kernel takes them. */
typedef struct pusher {
    int fd;
    size_t at;
} pusher;

typedef struct load {
    uint8_t *ptr;
    size_t len;
} load;

static void rest(long us)
{
    const struct timespec time = {.tv_nsec = us * 1000};
    (void)nanosleep(&time, NULL);
}

static load load_new(size_t len)
{
    return (load){.ptr = must_alloc(1, len)};
}

/* `count` frames of `size` bytes each. */
static load frames(uint8_t opcode, size_t size, size_t count)
{
    uint8_t *payload = must_alloc(1, size);
    load out = load_new(count * (size + WS_HEAD_MAX));
    memset(payload, 'x', size);
    for (size_t i = 0; i < count; i++) {
        out.len += ws_put_masked(out.ptr + out.len, opcode, payload, size, 0x01020304U);
    }
    return out;
}

static void open_all(pusher *all, const driver_options *options, uint32_t count, bool upgrade)
{
    for (uint32_t i = 0; i < count; i++) {
        all[i].at = 0;
        all[i].fd = upgrade ? ws_open(options, i) : net_connect(options, i);
        net_unblock(all[i].fd);
    }
}

/* False: the server has ended it. */
static bool push(pusher *self, load what)
{
    for (;;) {
        ssize_t n = send(self->fd, what.ptr + self->at, what.len - self->at, MSG_NOSIGNAL);
        if (n < 0) {
            return errno == EAGAIN;
        }
        self->at = (self->at + (size_t)n) % what.len;
    }
}

/* ---- kinds ---- */
static void push_for_ever(const driver_options *options, load what, bool upgrade, size_t read_bytes)
{
    char sink[1024];
    pusher *all = must_alloc(options->attackers, sizeof(pusher));
    open_all(all, options, options->attackers, upgrade);
    for (;; rest(PAUSE_US)) {
        for (uint32_t i = 0; i < options->attackers; i++) {
            if (!push(&all[i], what)) {
                (void)close(all[i].fd);
                open_all(&all[i], options, 1, upgrade);
            }
            if (read_bytes > 0) {
                (void)recv(all[i].fd, sink, read_bytes, MSG_DONTWAIT);
            }
        }
    }
}

static void stalled(const driver_options *options)
{
    push_for_ever(options, frames(2, LOAD_LEN, 1), true, 0);
}

static void pings(const driver_options *options)
{
    push_for_ever(options, frames(9, 125, LOAD_LEN / 131), true, 0);
}

static void slow_readers(const driver_options *options)
{
    push_for_ever(options, frames(2, LOAD_LEN, 1), true, 512);
}

static void pipeline(const driver_options *options)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    load what = load_new(sizeof(request) * 1024);
    for (int i = 0; i < 1024; i++, what.len += sizeof(request) - 1) {
        memcpy(what.ptr + what.len, request, sizeof(request) - 1);
    }
    push_for_ever(options, what, false, 0);
}

static void fragments(const driver_options *options)
{
    uint8_t *place = must_alloc(1, LOAD_LEN);
    load what = {.ptr = place};
    uint8_t byte = 'x';
    while (what.len < LOAD_LEN - 16) {
        uint8_t *frame = place + what.len;
        what.len += ws_put_masked(frame, what.len == 0 ? 2 : 0, &byte, 1, 0x01020304U);
        frame[0] &= 0x7f;
    }
    place[what.len - 7] |= 0x80; /* the last of the load ends the message */
    push_for_ever(options, what, true, 1024);
}

/* A head that comes byte by byte, on many connections. */
static void dribble(const driver_options *options)
{
    char request[1024];
    size_t len = ws_request(request, sizeof(request), options);
    pusher *all = must_alloc(options->attackers, sizeof(pusher));
    open_all(all, options, options->attackers, false);
    for (;; rest(4 * PAUSE_US)) {
        for (uint32_t i = 0; i < options->attackers; i++) {
            if (all[i].at == len || send(all[i].fd, request + all[i].at++, 1, MSG_NOSIGNAL) != 1) {
                (void)close(all[i].fd);
                open_all(&all[i], options, 1, false);
            }
        }
    }
}

static void handshakes(const driver_options *options)
{
    for (uint32_t i = 0;; i++) {
        char request[1024];
        size_t len = ws_request(request, sizeof(request), options);
        int fd = net_connect(options, i);
        (void)send(fd, request, i % 2 == 0 ? len / 2 : len, MSG_NOSIGNAL);
        (void)close(fd);
    }
}

/* A message for which the server has to close, of all attackers at once, and the ends awaited. */
static void offend(const driver_options *options, load what)
{
    char sink[4096];
    int *fds = must_alloc(options->attackers, sizeof(int));
    for (;;) {
        for (uint32_t i = 0; i < options->attackers; i++) {
            char request[1024];
            char head[4096];
            size_t len = ws_request(request, sizeof(request), options);
            fds[i] = net_connect(options, i);
            if (net_send_all(fds[i], request, len) &&
                net_read_head(fds[i], head, sizeof(head)) > 0) {
                (void)net_send_all(fds[i], what.ptr, what.len);
            }
        }
        for (uint32_t i = 0; i < options->attackers; i++) {
            while (recv(fds[i], sink, sizeof(sink), 0) > 0) {
            }
            (void)close(fds[i]);
        }
    }
}

/* All come at once, say all they have in one piece with the handshake, read nothing and go. */
static void arrivals(const driver_options *options)
{
    char request[1024];
    size_t len = ws_request(request, sizeof(request), options);
    load messages = frames(2, 4000, 16);
    load what = load_new(len + messages.len);
    pusher *all = must_alloc(options->attackers, sizeof(pusher));
    memcpy(what.ptr, request, len);
    memcpy(what.ptr + len, messages.ptr, messages.len);
    what.len = len + messages.len;
    for (;; rest(40 * PAUSE_US)) {
        open_all(all, options, options->attackers, false);
        for (uint32_t i = 0; i < options->attackers; i++) {
            (void)send(all[i].fd, what.ptr, what.len, MSG_NOSIGNAL);
        }
        rest(40 * PAUSE_US);
        for (uint32_t i = 0; i < options->attackers; i++) {
            (void)close(all[i].fd);
        }
    }
}

/* Each sends a message, and the next when it has an answer. */
static void echoes(const driver_options *options)
{
    char sink[4096];
    struct epoll_event events[EVENTS_MAX];
    load what = frames(2, 64, 1);
    pusher *all = must_alloc(options->attackers, sizeof(pusher));
    int poller = epoll_create1(EPOLL_CLOEXEC);
    open_all(all, options, options->attackers, true);
    for (uint32_t i = 0; i < options->attackers; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = all[i].fd};
        (void)epoll_ctl(poller, EPOLL_CTL_ADD, all[i].fd, &event);
        (void)send(all[i].fd, what.ptr, what.len, MSG_NOSIGNAL);
    }
    for (;;) {
        int n = epoll_wait(poller, events, EVENTS_MAX, -1);
        for (int i = 0; i < n; i++) {
            if (recv(events[i].data.fd, sink, sizeof(sink), 0) > 0) {
                (void)send(events[i].data.fd, what.ptr, what.len, MSG_NOSIGNAL);
            }
        }
    }
}

/* Subscribers of /topic that read all they get, one of whom publishes ten times a second. */
static void publications(const driver_options *options)
{
    enum { EACH_MS = 100 };
    static char sink[LOAD_LEN];
    struct epoll_event events[EVENTS_MAX];
    driver_options with = *options;
    with.path = "/topic";
    load what = frames(2, 64, 1);
    pusher *all = must_alloc(options->attackers, sizeof(pusher));
    int poller = epoll_create1(EPOLL_CLOEXEC);
    open_all(all, &with, options->attackers, true);
    for (uint32_t i = 0; i < options->attackers; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = all[i].fd};
        (void)epoll_ctl(poller, EPOLL_CTL_ADD, all[i].fd, &event);
    }
    for (uint64_t next = now_ns();;) {
        uint64_t now = now_ns();
        if (now >= next) {
            next = now + EACH_MS * UINT64_C(1000000);
            (void)send(all[0].fd, what.ptr, what.len, MSG_NOSIGNAL);
        }
        int left_ms = next > now ? (int)((next - now) / 1000000) + 1 : 0;
        int n = epoll_wait(poller, events, EVENTS_MAX, left_ms);
        for (int i = 0; i < n; i++) {
            (void)recv(events[i].data.fd, sink, sizeof(sink), 0);
        }
    }
}

static void offences(const driver_options *options)
{
    load what = frames(3, 20, 1); /* an opcode that is reserved */
    offend(options, what);
}

static void bombs(const driver_options *options)
{
#ifdef TUSK_HAVE_ZLIB
    driver_options with = *options;
    uint8_t *zeros = must_alloc(1, BOMB_LEN);
    size_t cap = BOMB_LEN / 512;
    uint8_t *packed = must_alloc(1, cap);
    z_stream z = {0};
    if (deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        die("out of memory");
    }
    z.next_in = zeros;
    z.avail_in = BOMB_LEN;
    z.next_out = packed;
    z.avail_out = (unsigned)cap;
    (void)deflate(&z, Z_SYNC_FLUSH);
    load what = load_new(cap + WS_HEAD_MAX);
    what.len = ws_put_masked(what.ptr, 2, packed, cap - z.avail_out, 0x01020304U);
    what.ptr[0] |= 0x40;
    with.header = "Sec-WebSocket-Extensions: permessage-deflate";
    offend(&with, what);
#else
    (void)options;
    die("bombs: built without zlib");
#endif
}

/* Shared with the process that attacks. */
static volatile uint64_t *made;

static void hellos(const driver_options *options)
{
    flood_hellos(options, made);
}

static void requests(const driver_options *options)
{
    flood_requests(options, made);
}

static const struct {
    const char *name;
    void (*run)(const driver_options *options);
} kinds[] = {
    {"stalled", stalled},       {"pings", pings},       {"slow-readers", slow_readers},
    {"pipeline", pipeline},     {"dribble", dribble},   {"fragments", fragments},
    {"handshakes", handshakes}, {"offences", offences}, {"bombs", bombs},
    {"arrivals", arrivals},     {"echoes", echoes},     {"publications", publications},
    {"hellos", hellos},         {"requests", requests},
};

const char attack_usage[] =
    "attacks (--attackers N of them): stalled, pings, slow-readers, pipeline: they send and do not "
    "read;\n  dribble: heads byte by byte; fragments: frames of one byte; handshakes: and gone;\n"
    "  offences: what costs the connection, and again; bombs: 64 MiB of zeros compressed;\n"
    "  arrivals: all at once, with 64 KB each, and gone; echoes: a message, and the next when "
    "answered;\n  publications: ten a second to all of them (no attack)\n"
    "  hellos, requests: --attack-rate R beginnings a second, of TLS or of WebSocket, and gone\n";

pid_t attack_start(const driver_options *options)
{
    if (strcmp(options->attack, "none") == 0) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].name, options->attack) != 0) {
            continue;
        }
        made = mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        pid_t pid = made == MAP_FAILED ? -1 : fork();
        if (pid == 0) {
            const struct sched_param none = {0};
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
            (void)sched_setscheduler(0, SCHED_IDLE, &none);
            kinds[i].run(options);
        }
        if (pid < 0) {
            die("fork: %s", strerror(errno));
        }
        return pid;
    }
    die("no attack \"%s\"", options->attack);
}

void attack_pause(pid_t pid, bool pause)
{
    if (pid > 0) {
        (void)kill(pid, pause ? SIGSTOP : SIGCONT);
    }
}

uint64_t attack_made(void)
{
    return made == NULL ? 0 : *made;
}

void attack_end(pid_t pid)
{
    if (pid > 0) {
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
    }
}
