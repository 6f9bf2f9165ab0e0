/* SPDX-License-Identifier: MIT */
/*
 * SMTP sessions through a whole relay: the script says what the client and its backends send, when
 * they close, when time passes and which allocation fails. Whatever happens, a client hears whole
 * replies only, a backend never gets a bare CR or LF outside of chunks, and all memory comes back.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <tusk/relay.h>

#include "still.h"

enum { BACKENDS = 4, TURNS = 8, CANNED_FROM = 20, READ_MAX = 4096 };

typedef struct stream {
    int fd; /* -1: none */
    uint8_t last;
    uint8_t column; /* of the line, up to 3 */
} stream;

static struct {
    tusk_mem mem;
    tusk_loop *loop;
    tusk_relay *relay;
    stream client;
    stream backends[BACKENDS];
    int backend_count;
    int listener;
    bool chunks; /* a chunk may hold anything */
    long fail_at;
    size_t out_bytes;
    char own_path[64], backend_path[64], target[80];
} w;

static void *resize(void *user, void *old, size_t old_size, size_t size)
{
    (void)user;
    if (size > 0 && w.fail_at >= 0 && w.fail_at-- == 0) {
        return NULL;
    }
    w.out_bytes = w.out_bytes - old_size + size;
    if (size == 0) {
        free(old);
        return NULL;
    }
    void *ptr = realloc(old, size);
    FUZZ_CHECK(ptr != NULL);
    return ptr;
}

static void on_lookup(void *user, tusk_relay_ask ask, const tusk_relay_lookup *lookup)
{
    (void)user;
    tusk_bytes domain = lookup->field[TUSK_LOOKUP_DOMAIN];
    FUZZ_CHECK(domain.ptr != NULL && domain.len > 0);
    const tusk_relay_target target = {.address = tusk_bytes_str(w.target), .weight = 1};
    const tusk_relay_route route = {.targets = &target, .target_count = 1, .ttl_ms = 1000};
    const tusk_relay_refusal refusal = {.status = domain.ptr[0] == 'n' ? 404 : 503};
    bool refused = domain.ptr[0] == 'n' || domain.ptr[0] == 'l';
    if (refused || tusk_relay_answer(w.relay, ask, 1u << TUSK_LOOKUP_DOMAIN, &route) != TUSK_OK) {
        (void)tusk_relay_refuse(w.relay, ask, 1u << TUSK_LOOKUP_DOMAIN, &refusal);
    }
}

static const tusk_relay_handler handler = {.on_lookup = on_lookup};

/* ---- sockets ---- */
static int local_socket(const char *path, struct sockaddr_un *un)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    FUZZ_CHECK(fd >= 0);
    memset(un, 0, sizeof(*un));
    un->sun_family = AF_UNIX;
    (void)snprintf(un->sun_path, sizeof(un->sun_path), "%s", path);
    return fd;
}

static void listen_for_backends(void)
{
    struct sockaddr_un un;
    if (w.target[0] != '\0') {
        return;
    }
    (void)snprintf(w.own_path, sizeof(w.own_path), "/tmp/tusk-fuzz-smtp-%d", (int)getpid());
    (void)snprintf(w.backend_path, sizeof(w.backend_path), "%s-to", w.own_path);
    (void)snprintf(w.target, sizeof(w.target), "unix:%s", w.backend_path);
    w.listener = local_socket(w.backend_path, &un);
    (void)unlink(w.backend_path);
    FUZZ_CHECK(bind(w.listener, (struct sockaddr *)(void *)&un, sizeof(un)) == 0);
    FUZZ_CHECK(listen(w.listener, 16) == 0);
}

static void drop(stream *self)
{
    if (self->fd >= 0) {
        (void)close(self->fd);
        self->fd = -1;
    }
}

/* Lines of replies to the client; to a backend, CR and LF in pairs. */
static void check_bytes(stream *self, const uint8_t *ptr, size_t len)
{
    bool to_client = self == &w.client;
    for (size_t i = 0; i < len; i++) {
        if (to_client || !w.chunks) {
            FUZZ_CHECK((ptr[i] == '\n') == (self->last == '\r'));
        }
        if (to_client && self->column < 3) {
            FUZZ_CHECK(ptr[i] >= '0' && ptr[i] <= '9');
            self->column++;
        }
        self->column = ptr[i] == '\n' ? 0 : self->column;
        self->last = ptr[i];
    }
}

static void read_all(stream *self)
{
    uint8_t bytes[READ_MAX];
    ssize_t len = self->fd < 0 ? -1 : recv(self->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (len > 0) {
        check_bytes(self, bytes, (size_t)len);
    }
}

static void accept_backends(void)
{
    int fd;
    while ((fd = accept(w.listener, NULL, NULL)) >= 0) {
        if (w.backend_count == BACKENDS) {
            (void)close(fd);
            continue;
        }
        w.backends[w.backend_count++] = (stream){.fd = fd};
    }
}

static void turn(int count)
{
    while (count-- > 0) {
        FUZZ_CHECK(tusk_loop_turn(w.loop, 0) == TUSK_OK);
        accept_backends();
        read_all(&w.client);
        for (int i = 0; i < w.backend_count; i++) {
            read_all(&w.backends[i]);
        }
    }
}

/* ---- the script ---- */
static const char *const client_says[] = {
    "EHLO a.b\r\n",      "EHLO other\r\n", "HELO a.b\r\n",     "MAIL FROM:<a@b>\r\n",
    "RCPT TO:<c@d>\r\n", "DATA\r\n",       "text\r\n.\r\n",    "BDAT 3 LAST\r\nabc",
    "AUTH PLAIN\r\n",    "QUIT\r\n",       "RSET\r\nNOOP\r\n", "XCLIENT ADDR=1.2.3.4\r\n"};
static const char *const backend_says[] = {
    "220 hello\r\n",
    "250 ok\r\n",
    "250-hello\r\n250-PIPELINING\r\n250-AUTH PLAIN\r\n250 CHUNKING\r\n",
    "250-hello\r\n250-XCLIENT ADDR PORT HELO PROTO\r\n250 PIPELINING\r\n",
    "354 go\r\n",
    "334 go\r\n",
    "421 no\r\n",
    "550 no\r\n",
    "250-first\r\n",
    "235 in\r\n",
    "250 a\r\n250 b\r\n250 c\r\n",
    "502 what\r\n"};

static void say(stream *self, tusk_bytes bytes)
{
    if (self->fd >= 0 && bytes.len > 0) {
        (void)send(self->fd, bytes.ptr, bytes.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}

static tusk_bytes take(tusk_bytes *script, size_t len)
{
    len = len < script->len ? len : script->len;
    tusk_bytes bytes = tusk_bytes_of(script->ptr, len);
    script->ptr += len;
    script->len -= len;
    return bytes;
}

static void note_chunks(tusk_bytes bytes)
{
    for (size_t i = 0; i < bytes.len; i++) { /* pieces may make a BDAT together: any B will do */
        w.chunks = w.chunks || (bytes.ptr[i] | 0x20) == 'b';
    }
}

static void run_script(tusk_bytes script)
{
    while (script.len > 0) {
        uint8_t op = *take(&script, 1).ptr;
        unsigned n = op >> 3;
        bool canned = n >= CANNED_FROM;
        stream none = {.fd = -1};
        stream *backend = w.backend_count > 0 ? &w.backends[w.backend_count - 1] : &none;
        tusk_bytes bytes = {NULL, 0};
        switch (op & 7) {
        case 0:
        case 1:
            bytes = canned ? tusk_bytes_str(client_says[n - CANNED_FROM]) : take(&script, n + 1);
            w.chunks = w.chunks || (canned && n - CANNED_FROM == 7);
            if (!canned) {
                note_chunks(bytes);
            }
            say(&w.client, bytes);
            break;
        case 2:
        case 3:
            say(backend,
                canned ? tusk_bytes_str(backend_says[n - CANNED_FROM]) : take(&script, n + 1));
            break;
        case 4: (void)(w.client.fd >= 0 ? shutdown(w.client.fd, SHUT_WR) : 0); break;
        case 5: n % 4 == 0 ? drop(&w.client) : drop(backend); break;
        case 6: still_pass_ms(UINT64_C(1) << (n % 20)); break;
        default:
            if (n < 30) {
                w.fail_at = n;
            } else {
                tusk_relay_stop(w.relay);
            }
            break;
        }
        turn(op % 16 == 0 ? 1 : TURNS);
    }
}

static bool begin(void)
{
    char reason[128];
    char listen_at[80];
    struct sockaddr_un un;
    const tusk_loop_options loop_options = {.mem = &w.mem};
    w.fail_at = -1;
    w.out_bytes = 0;
    w.chunks = false;
    w.backend_count = 0;
    w.mem = (tusk_mem){.resize = resize};
    FUZZ_CHECK(tusk_loop_new(&w.loop, &loop_options) == TUSK_OK);
    const tusk_relay_options options = {.loop = w.loop,
                                        .limits = *tusk_relay_limits_default(),
                                        .kind = TUSK_RELAY_SMTP,
                                        .handler = &handler,
                                        .any_address = true};
    FUZZ_CHECK(tusk_relay_new(&w.relay, &options, reason, sizeof(reason)) == TUSK_OK);
    (void)unlink(w.own_path);
    (void)snprintf(listen_at, sizeof(listen_at), "unix:%s", w.own_path);
    FUZZ_CHECK(tusk_relay_listen(w.relay, listen_at, NULL) == TUSK_OK);
    FUZZ_CHECK(tusk_relay_start(w.relay, reason, sizeof(reason)) == TUSK_OK);
    w.client = (stream){.fd = local_socket(w.own_path, &un)};
    return connect(w.client.fd, (struct sockaddr *)(void *)&un, sizeof(un)) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    still_begin();
    listen_for_backends();
    FUZZ_CHECK(begin());
    turn(2);
    run_script(tusk_bytes_of(data, size));
    w.fail_at = -1;
    drop(&w.client);
    for (int i = 0; i < w.backend_count; i++) {
        drop(&w.backends[i]);
    }
    turn(4);
    still_pass_ms(3600000);
    turn(4);
    tusk_relay_free(w.relay);
    tusk_loop_free(w.loop);
    accept_backends();
    for (int i = 0; i < w.backend_count; i++) {
        drop(&w.backends[i]);
    }
    FUZZ_CHECK(w.out_bytes == 0);
    return 0;
}
