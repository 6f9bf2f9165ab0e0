/* SPDX-License-Identifier: MIT */
/* How long guests wait for an answer beside a crowd that says something all at once, in time that
 * the loop computed, so that a busy machine does not add to it. One thread: the crowd and the
 * guests write between turns, and only turns are counted: a guest whose message comes in the midst
 * of one waits for the rest of that and until the next has sent its answer. Such guests are taken
 * as coming at any moment alike, so a long turn counts for as many as come in it. Of the floods by
 * whom the server does not know yet p99 over its budget makes the exit status 1. usage: beside
 * [CROWD [CERTIFICATE.PEM KEY.PEM]] */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <tusk/server.h>
#include <tusk/tls.h>

enum { GUESTS = 20, ROUNDS = 5, TURNS_MAX = 1 << 17, LOAD_MAX = 1 << 17, QUIET_TURNS = 3 };
enum { ASKED = 32, ANSWER = ASKED + 2, MOMENTS = 20 };

/* A turn, and what of the next one had gone when that sent an answer. */
typedef struct wait {
    uint64_t turn_ns;
    uint64_t next_ns;
} wait;

static const char upgrade[] =
    "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

static struct {
    tusk_loop *loop;
    tusk_server *server;
    tusk_tls *tls;
    uint64_t spent_ns; /* in turns, so far */
    uint64_t longest_ns;
    uint64_t began_ns;  /* the turn that runs */
    uint64_t before_ns; /* the one before it took so long */
    uint64_t sent_ns;   /* after so long it sent an answer; 0: none yet */
    wait waits[TURNS_MAX];
    size_t answers;
    int guest[GUESTS];
    bool asks[GUESTS];
    int *crowd;
    unsigned crowd_size;
    uint8_t load[LOAD_MAX];
    size_t load_len;
} b;

static void must(bool good, const char *what)
{
    if (!good) {
        perror(what);
        exit(1);
    }
}

static uint64_t computed_ns(void)
{
    struct timespec at;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

/* ---- the server ---- */
static void on_message(void *user, tusk_handle session, void *route, uint8_t opcode,
                       tusk_bytes payload, void *taken)
{
    (void)user;
    (void)route;
    (void)tusk_websocket_send(b.server, session, opcode, payload, NULL, NULL);
    tusk_payload_drop(b.server, taken);
}

static const tusk_server_handler handler = {.on_message = on_message};

static void serve(int argc, char **argv)
{
    char reason[256] = "";
    tusk_server_options options = {.handler = &handler};
    tusk_server_limits_default(&options.limits);
    const tusk_websocket_options open = {.any_origin = true, .direct = true};
    must(tusk_loop_new(&b.loop, NULL) == TUSK_OK, "loop");
    options.loop = b.loop;
    options.limits.connections = 15000;
    options.plain_io = true; /* each answer is a call that can be seen */
    must(tusk_server_new(&b.server, &options) == TUSK_OK, "server");
    must(tusk_server_route_websocket(b.server, "/", &open, NULL) == TUSK_OK, "route");
    must(tusk_server_listen(b.server, "127.0.0.1:0", NULL) == TUSK_OK, "listen");
    if (argc > 3) {
        const tusk_tls_options files = {.certificate_file = argv[2], .key_file = argv[3]};
        must(tusk_tls_server_new(&b.tls, &files, reason, sizeof(reason)) == TUSK_OK, reason);
        must(tusk_server_listen(b.server, "127.0.0.1:0", b.tls) == TUSK_OK, "listen");
    }
    must(tusk_server_start(b.server, reason, sizeof(reason)) == TUSK_OK, reason);
}

/* The linker puts it in the server's place: what is as long as an answer to a guest is one. */
ssize_t __real_send(int fd, const void *ptr, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *ptr, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *ptr, size_t len, int flags)
{
    ssize_t sent = __real_send(fd, ptr, len, flags);
    if (len == ANSWER && b.sent_ns == 0) {
        b.sent_ns = computed_ns() - b.began_ns;
    }
    return sent;
}

static void turn(void)
{
    b.sent_ns = 0;
    b.began_ns = computed_ns();
    must(tusk_loop_turn(b.loop, 0) == TUSK_OK, "turn");
    uint64_t spent = computed_ns() - b.began_ns;
    if (b.sent_ns > 0) {
        b.waits[b.answers++ % TURNS_MAX] = (wait){.turn_ns = b.before_ns, .next_ns = b.sent_ns};
    }
    b.before_ns = spent;
    b.spent_ns += spent;
    b.longest_ns = spent > b.longest_ns ? spent : b.longest_ns;
}

/* ---- clients ---- */
static int come(size_t listener)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(tusk_server_port(b.server, listener)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    must(fd >= 0, "socket");
    must(connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0, "connect");
    must(fcntl(fd, F_SETFL, O_NONBLOCK) == 0, "fcntl");
    return fd;
}

static void say(int fd, const void *ptr, size_t len)
{
    (void)send(fd, ptr, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static size_t put_frame(uint8_t *out, uint8_t opcode, size_t len)
{
    size_t head = 6;
    out[0] = (uint8_t)(0x80 | opcode);
    out[1] = (uint8_t)(0x80 | len);
    if (len > 125) {
        out[1] = 0x80 | 126;
        out[2] = (uint8_t)(len >> 8);
        out[3] = (uint8_t)len;
        head = 8;
    }
    memset(out + head - 4, 0, 4);
    memset(out + head, 'x', len);
    return head + len;
}

static void hear_nothing_more(int fd)
{
    static char sink[65536];
    while (recv(fd, sink, sizeof(sink), MSG_DONTWAIT) > 0) {
    }
}

/* Each has asked and heard some times before. */
static void welcome_guests(void)
{
    uint8_t frame[64];
    size_t len = put_frame(frame, 2, 32);
    for (int i = 0; i < GUESTS; i++) {
        b.guest[i] = come(0);
        say(b.guest[i], upgrade, sizeof(upgrade) - 1);
        for (int at = 0; at < 8; at++) {
            turn();
            hear_nothing_more(b.guest[i]);
            say(b.guest[i], frame, len);
        }
        turn();
        turn();
        hear_nothing_more(b.guest[i]);
    }
}

/* In every turn one guest more asks, and all look whether they have an answer. */
static void guests(unsigned at)
{
    uint8_t frame[64];
    char answer[64];
    for (int i = 0; i < GUESTS; i++) {
        if (b.asks[i] && recv(b.guest[i], answer, sizeof(answer), MSG_DONTWAIT) > 0) {
            b.asks[i] = false;
        }
    }
    unsigned who = at % GUESTS;
    if (!b.asks[who]) {
        b.asks[who] = true;
        say(b.guest[who], frame, put_frame(frame, 2, ASKED));
    }
}

/* ---- crowds ---- */
static void gather(size_t listener)
{
    for (unsigned i = 0; i < b.crowd_size; i++) {
        b.crowd[i] = come(listener);
        if (i % 1000 == 999) { /* the kernel's queue of those who wait is shorter */
            for (int at = 0; at < 20; at++) {
                turn();
            }
        }
    }
}

static void settle(int messages)
{
    uint8_t frame[128];
    size_t len = put_frame(frame, 2, 64);
    for (int at = 0; at <= messages; at++) {
        for (unsigned i = 0; i < b.crowd_size; i++) {
            say(b.crowd[i], at == 0 ? (const void *)upgrade : frame,
                at == 0 ? sizeof(upgrade) - 1 : len);
        }
        for (unsigned i = 0; i < 400; i++) {
            turn();
        }
        for (unsigned i = 0; i < b.crowd_size; i++) {
            hear_nothing_more(b.crowd[i]);
        }
    }
}

static int by_delay(const void *one, const void *other)
{
    uint64_t a = ((const wait *)one)->next_ns;
    uint64_t z = ((const wait *)other)->next_ns;
    return a < z ? -1 : a > z;
}

/* The delay that `part` of all moments are below; `all` is sorted by delay, with its weights. */
static double quantile(const wait *all, size_t count, double part)
{
    double total = 0;
    double below = 0;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        total += (double)all[i].turn_ns;
    }
    while (at + 1 < count && below + (double)all[at].turn_ns < total * part) {
        below += (double)all[at++].turn_ns;
    }
    return (double)all[at].next_ns / 1e6;
}

static bool print(const char *name, double budget_ms)
{
    size_t count = b.answers < TURNS_MAX ? b.answers : TURNS_MAX;
    wait *all = calloc(count * MOMENTS, sizeof(wait));
    must(all != NULL, "memory");
    for (size_t i = 0; i < count * MOMENTS; i++) {
        wait one = b.waits[i / MOMENTS];
        all[i].turn_ns = one.turn_ns;
        all[i].next_ns =
            one.next_ns + one.turn_ns * (2 * (i % MOMENTS) + 1) / (2 * (size_t)MOMENTS);
    }
    qsort(all, count * MOMENTS, sizeof(wait), by_delay);
    double p50 = quantile(all, count * MOMENTS, 0.5);
    double p99 = quantile(all, count * MOMENTS, 0.99);
    printf("%-38s %6u  p50 %8.3f  p99 %8.3f  longest turn %8.3f ms, %zu answers\n", name,
           b.crowd_size, p50, p99, (double)b.longest_ns / 1e6, count);
    free(all);
    return budget_ms <= 0 || p99 <= budget_ms;
}

/* The crowd is gone, and what guests had asked last is answered: none of it counts. */
static void leave(void)
{
    uint64_t longest = b.longest_ns;
    for (int at = 0; at < 400; at++) {
        turn();
    }
    for (int i = 0; i < GUESTS; i++) {
        hear_nothing_more(b.guest[i]);
        b.asks[i] = false;
    }
    b.longest_ns = longest;
}

static bool attack(const char *name, size_t listener, int messages, double budget_ms)
{
    b.answers = 0;
    b.longest_ns = 0;
    for (int round = 0; round < ROUNDS; round++) {
        gather(listener);
        if (messages >= 0) {
            settle(messages);
        }
        b.longest_ns = round == 0 ? 0 : b.longest_ns;
        for (unsigned i = 0; i < b.crowd_size; i++) {
            say(b.crowd[i], b.load, b.load_len);
        }
        uint64_t last_ns = b.spent_ns;
        unsigned quiet = 0;
        for (unsigned at = 0; quiet < QUIET_TURNS; at++) { /* until the crowd's work is done */
            guests(at);
            turn();
            quiet = b.spent_ns - last_ns < 60000 ? quiet + 1 : 0;
            last_ns = b.spent_ns;
        }
        for (unsigned i = 0; i < b.crowd_size; i++) {
            (void)close(b.crowd[i]);
        }
        leave();
    }
    return print(name, budget_ms);
}

static void loads(uint8_t opcode, size_t size, unsigned count, bool with_upgrade)
{
    b.load_len = with_upgrade ? sizeof(upgrade) - 1 : 0;
    memcpy(b.load, upgrade, b.load_len);
    while (count-- > 0) {
        b.load_len += put_frame(b.load + b.load_len, opcode, size);
    }
}

/* What a client says first, as often as one likes: the server answers each with a signature. */
static void load_hello(void)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *client = SSL_new(context);
    BIO *out = BIO_new(BIO_s_mem());
    SSL_set_bio(client, BIO_new(BIO_s_mem()), out);
    SSL_set_connect_state(client);
    (void)SSL_do_handshake(client);
    int len = BIO_read(out, b.load, LOAD_MAX);
    must(len > 0, "hello");
    b.load_len = (size_t)len;
    SSL_free(client);
    SSL_CTX_free(context);
}

int main(int argc, char **argv)
{
    struct rlimit files;
    bool good = true;
    (void)getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
    b.crowd_size = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    b.crowd = calloc(b.crowd_size, sizeof(int));
    must(b.crowd != NULL, "memory");
    serve(argc, argv);
    welcome_guests();
    b.load_len = 0;
    good = attack("nobody says anything", 0, -1, 0) && good;
    loads(2, 64, 0, true);
    good = attack("handshakes", 0, -1, 5) && good;
    loads(2, 4000, 16, true);
    good = attack("handshakes, and 64 KB with each", 0, -1, 5) && good;
    if (b.tls != NULL) {
        load_hello();
        good = attack("handshakes of TLS", 1, -1, 5) && good;
    }
    loads(9, 125, 20, false);
    good = attack("20 pings each, just upgraded", 0, 0, 5) && good;
    good = attack("20 pings each, known for long", 0, 8, 0) && good;
    loads(2, 4000, 16, false);
    good = attack("64 KB each, known for long", 0, 8, 0) && good;
    loads(2, 64, 1, false);
    good = attack("a message of 64 bytes, known for long", 0, 8, 0) && good;
    tusk_server_free(b.server);
    tusk_tls_unref(b.tls);
    tusk_loop_free(b.loop);
    free(b.crowd);
    return good ? 0 : 1;
}
