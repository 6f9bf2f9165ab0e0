/* SPDX-License-Identifier: MIT */
/* floor: what this kernel costs. A bare epoll server, one receive and one send per message, no
 * limits, no timers, no checks that a correct server needs. Modes: echo, fanout (corked: all output
 * of a turn in one send per connection), http (13 bytes, or a page from a file), tcp (bytes back).
 * "echo" and "fanout" also serve upgrades and close frames. */
#define _GNU_SOURCE
#define OPENSSL_API_COMPAT 0x10100000L
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BUF_LEN = 64 * 1024,
    EVENTS_MAX = 512,
    CONNS_MAX = 65536,
    OUT_LEN = 256 * 1024,
    ANSWER_LEN = 64 * 1024
};

typedef enum mode { MODE_ECHO, MODE_FANOUT, MODE_HTTP, MODE_TCP } mode;

typedef struct conn {
    int fd;
    bool upgraded;
    uint32_t place; /* in the list of receivers */
    uint8_t *rest;  /* an unfinished frame or head, NULL when none */
    size_t rest_len;
} conn;

typedef struct server {
    mode mode;
    int poller;
    int listener;
    conn *receivers[CONNS_MAX];
    uint32_t n_receivers;
    uint8_t in[BUF_LEN * 2];
    uint8_t out[OUT_LEN]; /* what a turn sends: to one connection (echo) or to all (fanout) */
    size_t out_len;
    uint8_t answer[ANSWER_LEN]; /* to every HTTP request */
    size_t answer_len;
} server;

static const char hello[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\n"
    "Hello, World!";

/* False: the file cannot be read, or is too large. */
static bool load_page(server *self, const char *path)
{
    static uint8_t page[ANSWER_LEN];
    FILE *file = fopen(path, "rb");
    size_t len = file == NULL ? 0 : fread(page, 1, sizeof(page), file);
    if (file != NULL) {
        (void)fclose(file);
    }
    int head =
        snprintf((char *)self->answer, sizeof(self->answer),
                 "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %zu\r\n\r\n", len);
    if (len == 0 || (size_t)head + len > sizeof(self->answer)) {
        return false;
    }
    memcpy(self->answer + head, page, len);
    self->answer_len = (size_t)head + len;
    return true;
}

static void drop(server *self, conn *one)
{
    if (one->upgraded) {
        conn *last = self->receivers[--self->n_receivers];
        self->receivers[one->place] = last;
        last->place = one->place;
    }
    (void)close(one->fd);
    free(one->rest);
    free(one);
}

static void put(int fd, const void *ptr, size_t len)
{
    const uint8_t *at = ptr;
    while (len > 0) {
        ssize_t n = send(fd, at, len, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN) {
            return; /* seen again at the next receive */
        }
        at += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
}

static size_t upgrade(server *self, conn *one, const uint8_t *at, size_t len)
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    const char *end = memmem(at, len, "\r\n\r\n", 4);
    const char *key = memmem(at, len, "Sec-WebSocket-Key: ", 19);
    if (end == NULL || key == NULL || key + 43 > end) {
        return 0;
    }
    char text[24 + 36];
    unsigned char digest[SHA_DIGEST_LENGTH];
    char accept[32];
    SHA_CTX sha;
    memcpy(text, key + 19, 24);
    memcpy(text + 24, guid, 36);
    (void)SHA1_Init(&sha);
    (void)SHA1_Update(&sha, text, sizeof(text));
    (void)SHA1_Final(digest, &sha);
    (void)EVP_EncodeBlock((unsigned char *)accept, digest, SHA_DIGEST_LENGTH);
    char head[256];
    const char *protocol = memmem(at, len, "Sec-WebSocket-Protocol: ", 24);
    int protocol_len = protocol != NULL ? (int)strcspn(protocol + 24, ",\r") : 0;
    int n = snprintf(head, sizeof(head),
                     "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                     "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n%s%.*s%s\r\n",
                     accept, protocol != NULL ? "Sec-WebSocket-Protocol: " : "", protocol_len,
                     protocol != NULL ? protocol + 24 : "", protocol != NULL ? "\r\n" : "");
    put(one->fd, head, (size_t)n);
    one->upgraded = true;
    one->place = self->n_receivers;
    self->receivers[self->n_receivers++] = one;
    return (size_t)(end + 4 - (const char *)at);
}

static void unmask(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *key)
{
    uint64_t wide;
    uint32_t word;
    memcpy(&word, key, 4);
    wide = (uint64_t)word << 32 | word;
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t block;
        memcpy(&block, in + i, 8);
        block ^= wide;
        memcpy(out + i, &block, 8);
    }
    for (; i < len; i++) {
        out[i] = in[i] ^ key[i & 3];
    }
}

/* Frames out of `at` into self->out; bytes consumed, SIZE_MAX when the peer closed. */
static size_t frames(server *self, uint8_t *at, size_t len)
{
    size_t used = 0;
    while (len - used >= 6) {
        uint8_t *frame = at + used;
        size_t payload = frame[1] & 0x7f;
        size_t head = 2;
        if (payload == 126) {
            payload = (size_t)frame[2] << 8 | frame[3];
            head = 4;
        } else if (payload == 127) {
            payload =
                (size_t)frame[6] << 24 | (size_t)frame[7] << 16 | (size_t)frame[8] << 8 | frame[9];
            head = 10;
        }
        if (len - used < head + 4 + payload) {
            break;
        }
        memcpy(self->out + self->out_len, frame, head);
        self->out[self->out_len + 1] &= 0x7f;
        unmask(self->out + self->out_len + head, frame + head + 4, payload, frame + head);
        self->out_len += head + payload;
        used += head + 4 + payload;
        if ((frame[0] & 0x0f) == 8) {
            return SIZE_MAX;
        }
    }
    return used;
}

static size_t requests(server *self, conn *one, const uint8_t *at, size_t len)
{
    uint8_t *out = self->out;
    size_t used = 0;
    size_t out_len = 0;
    const uint8_t *end;
    while ((end = memmem(at + used, len - used, "\r\n\r\n", 4)) != NULL) {
        if (out_len + self->answer_len > OUT_LEN) {
            put(one->fd, out, out_len);
            out_len = 0;
        }
        memcpy(out + out_len, self->answer, self->answer_len);
        out_len += self->answer_len;
        used = (size_t)(end + 4 - at);
    }
    if (out_len > 0) {
        put(one->fd, out, out_len);
    }
    bool last = used > 0 && memmem(at, used, "Connection: close", 17) != NULL;
    return last ? SIZE_MAX : used;
}

/* Bytes used, SIZE_MAX = ended. */
static size_t serve(server *self, conn *one, uint8_t *at, size_t len)
{
    switch (self->mode) {
    case MODE_TCP: put(one->fd, at, len); return len;
    case MODE_HTTP: return requests(self, one, at, len);
    case MODE_ECHO:
    case MODE_FANOUT: break;
    }
    size_t used = 0;
    if (!one->upgraded) {
        used = upgrade(self, one, at, len);
        if (used == 0) {
            return 0;
        }
    }
    size_t before = self->out_len;
    size_t n = frames(self, at + used, len - used);
    if (n == SIZE_MAX) { /* the close frame goes back to its sender only, then TCP ends */
        put(one->fd, self->out + before, self->out_len - before);
        self->out_len = before;
        return SIZE_MAX;
    }
    if (self->mode == MODE_ECHO && self->out_len > 0) {
        put(one->fd, self->out, self->out_len);
        self->out_len = 0;
    }
    return used + n;
}

static void on_readable(server *self, conn *one)
{
    uint8_t *at = self->in;
    size_t have = one->rest_len;
    if (have > 0) {
        memcpy(at, one->rest, have);
    }
    ssize_t n = recv(one->fd, at + have, BUF_LEN, 0);
    if (n < 0 && errno == EAGAIN) {
        return;
    }
    size_t used = n <= 0 ? SIZE_MAX : serve(self, one, at, have + (size_t)n);
    if (used == SIZE_MAX) {
        drop(self, one);
        return;
    }
    have += (size_t)n;
    if (have - used > 0) {
        one->rest = realloc(one->rest, have - used);
        memcpy(one->rest, at + used, have - used);
    } else if (one->rest != NULL) {
        free(one->rest);
        one->rest = NULL;
    }
    one->rest_len = have - used;
}

static void on_acceptable(server *self)
{
    int fd;
    while ((fd = accept4(self->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        int on = 1;
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        conn *one = calloc(1, sizeof(conn));
        if (one == NULL) {
            abort();
        }
        one->fd = fd;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = one};
        (void)epoll_ctl(self->poller, EPOLL_CTL_ADD, fd, &event);
    }
}

static void flush_fanout(server *self)
{
    for (uint32_t i = 0; i < self->n_receivers && self->out_len > 0; i++) {
        put(self->receivers[i]->fd, self->out, self->out_len);
    }
    self->out_len = 0;
}

static int listen_on(uint16_t port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    const char *congestion = getenv("FLOOR_CONGESTION"); /* accepted sockets have it, too */
    if (congestion != NULL && congestion[0] != '\0' &&
        setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion, (socklen_t)strlen(congestion)) !=
            0) {
        perror("floor: FLOOR_CONGESTION");
        exit(1);
    }
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(fd, 4096) != 0) {
        perror("floor");
        exit(1);
    }
    return fd;
}

int main(int argc, char **argv)
{
    static server self; /* big, and all of this process */
    static const char *const names[] = {"echo", "fanout", "http", "tcp"};
    bool page = argc == 4 && strcmp(argv[1], "http") == 0;
    for (self.mode = MODE_ECHO; (argc == 3 || page) && self.mode < MODE_TCP; self.mode++) {
        if (strcmp(names[self.mode], argv[1]) == 0) {
            break;
        }
    }
    if ((argc != 3 && !page) || strcmp(names[self.mode], argv[1]) != 0) {
        (void)fputs("usage: floor echo|fanout|http|tcp PORT, or floor http PORT PAGE\n", stderr);
        return 2;
    }
    memcpy(self.answer, hello, sizeof(hello) - 1);
    self.answer_len = sizeof(hello) - 1;
    if (page && !load_page(&self, argv[3])) {
        (void)fprintf(stderr, "floor: %s cannot be read, or is over 60 KiB\n", argv[3]);
        return 1;
    }
    struct rlimit files;
    (void)getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
    (void)signal(SIGPIPE, SIG_IGN);
    self.listener = listen_on((uint16_t)atoi(argv[2]));
    self.poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    (void)epoll_ctl(self.poller, EPOLL_CTL_ADD, self.listener, &event);
    for (;;) {
        struct epoll_event events[EVENTS_MAX];
        int n = epoll_wait(self.poller, events, EVENTS_MAX, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.ptr == NULL) {
                on_acceptable(&self);
            } else {
                on_readable(&self, events[i].data.ptr);
            }
        }
        flush_fanout(&self);
    }
}
