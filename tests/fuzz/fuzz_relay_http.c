/* SPDX-License-Identifier: MIT */
/* A client and a backend that say anything, with the HTTP proxy between them: what the backend
 * hears is a stream of requests that the strict parser takes, and all memory comes back. The first
 * bytes say where the two scripts part and how they are cut. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "relay/http/inner.h"
#include "still.h"

enum { TURNS_MAX = 200, HEARD_MAX = 1 << 20 };

static struct {
    tusk_loop *loop;
    tusk_relay *relay;
    int listener; /* stays over inputs */
    char target[64];
    int client;
    int backend;
    bool later;
    tusk_relay_ask ask;
    bool asked;
    uint8_t *heard; /* by the backend now connected */
    size_t heard_len;
} f;

static void answer(void)
{
    const tusk_relay_target target = {.address = tusk_bytes_str(f.target), .weight = 1};
    const tusk_relay_route route = {.targets = &target, .target_count = 1, .ttl_ms = 1000};
    f.asked = false;
    FUZZ_CHECK(tusk_relay_answer(f.relay, f.ask, 1u << TUSK_LOOKUP_HOST, &route) == TUSK_OK);
}

static void on_lookup(void *user, tusk_relay_ask ask, const tusk_relay_lookup *lookup)
{
    (void)user;
    FUZZ_CHECK(lookup->field[TUSK_LOOKUP_METHOD].len > 0);
    f.ask = ask;
    f.asked = true;
    if (!f.later) {
        answer();
    }
}

static void on_access(void *user, const tusk_relay_record *record)
{
    (void)user;
    FUZZ_CHECK(record->end != NULL);
}

static const tusk_relay_handler handler = {.on_lookup = on_lookup, .on_access = on_access};

static void listen_once(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (f.listener > 0) {
        return;
    }
    (void)snprintf(f.target, sizeof(f.target), "unix:/tmp/tusk-fuzz-%ld.sock", (long)getpid());
    (void)snprintf(name.sun_path, sizeof(name.sun_path), "%s", f.target + 5);
    (void)unlink(name.sun_path);
    f.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    FUZZ_CHECK(bind(f.listener, (struct sockaddr *)(void *)&name, sizeof(name)) == 0);
    FUZZ_CHECK(listen(f.listener, 16) == 0);
    f.heard = malloc(HEARD_MAX);
    FUZZ_CHECK(f.heard != NULL);
}

/* One meaning only: heads and bodies as the strict readers take them, the last one perhaps cut. */
static void check_heard(void)
{
    tusk_bytes rest = tusk_bytes_of(f.heard, f.heard_len);
    tusk_http_limits limits = *tusk_http_limits_default();
    limits.head_max = limits.head_max * 2 + 4096; /* what the proxy adds */
    limits.line_max = limits.head_max;
    limits.fields_max = TUSK_HTTP_FIELDS_CAP;
    while (rest.len > 0) {
        tusk_http_head head;
        tusk_http_body body;
        size_t scanned = 0;
        ptrdiff_t used = tusk_http_request_parse(&head, rest, &limits, &scanned);
        FUZZ_CHECK(used >= 0);
        if (used == 0) {
            return;
        }
        FUZZ_CHECK(head.minor == 1 && tusk_http_count(&head, "host") == 1);
        FUZZ_CHECK(!tusk_http_has_token(&head, "connection", "close"));
        rest = tusk_bytes_of(rest.ptr + used, rest.len - (size_t)used);
        tusk_http_body_init(&body, &head, UINT64_MAX, &limits);
        while (rest.len > 0 && !tusk_http_body_done(&body)) {
            tusk_bytes data;
            used = tusk_http_body_decode(&body, rest, &data);
            FUZZ_CHECK(used > 0);
            rest = tusk_bytes_of(rest.ptr + used, rest.len - (size_t)used);
        }
    }
}

static void hear(void)
{
    uint8_t away[65536];
    ssize_t got;
    if (f.backend < 0) {
        f.backend = accept4(f.listener, NULL, NULL, SOCK_NONBLOCK);
        f.heard_len = 0;
    }
    while (f.backend >= 0 && (got = recv(f.backend, away, sizeof(away), 0)) >= 0) {
        if (got == 0) {
            (void)close(f.backend);
            f.backend = -1;
            break;
        }
        if (f.heard_len + (size_t)got <= HEARD_MAX) {
            memcpy(f.heard + f.heard_len, away, (size_t)got);
            f.heard_len += (size_t)got;
        }
    }
    if (f.relay->http->stats.upgrades == 0) {
        check_heard();
    }
    do {
        got = f.client < 0 ? -1 : recv(f.client, away, sizeof(away), 0);
    } while (got > 0);
}

static void turn(void)
{
    FUZZ_CHECK(tusk_loop_turn(f.loop, 0) == TUSK_OK);
    hear();
}

/* Says the next piece; false: nothing is left to say. */
static bool say(int fd, tusk_bytes *script, size_t step)
{
    size_t len = script->len < step ? script->len : step;
    if (len == 0 || fd < 0) {
        return false;
    }
    ssize_t put = send(fd, script->ptr, len, MSG_NOSIGNAL);
    if (put <= 0) {
        script->len = 0;
        return false;
    }
    script->ptr += put;
    script->len -= (size_t)put;
    return true;
}

static void begin(uint8_t flags)
{
    tusk_addr peer;
    int ends[2];
    tusk_relay_http_options http = *tusk_relay_http_options_default();
    http.pool_size = (flags & 8) != 0 ? 1 : 0;
    http.body_bytes = (flags & 16) != 0 ? 100 : 0;
    http.interim = 4;
    const tusk_relay_options options = {.loop = f.loop,
                                        .limits = *tusk_relay_limits_default(),
                                        .kind = TUSK_RELAY_HTTP,
                                        .handler = &handler,
                                        .any_address = true,
                                        .http = &http};
    char reason[128];
    f.later = (flags & 4) != 0;
    FUZZ_CHECK(tusk_relay_new(&f.relay, &options, reason, sizeof(reason)) == TUSK_OK);
    FUZZ_CHECK(tusk_relay_listen(f.relay, "127.0.0.1:0", NULL) == TUSK_OK);
    f.relay->state = RELAY_RUNNING; /* its listener stays closed: clients come from here */
    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    f.client = ends[0];
    tusk_addr_unnamed(&peer);
    const net_client client = {.fd = ends[1], .peer = &peer};
    net_gate_let_in(net_gates_at(&f.relay->gates, 0), &client);
}

static void play(tusk_bytes client, tusk_bytes backend, size_t step)
{
    for (int i = 0; i < TURNS_MAX; i++) {
        bool said = say(f.client, &client, step);
        turn();
        if (f.asked) {
            answer();
            turn();
        }
        if (f.backend >= 0) {
            said = say(f.backend, &backend, step) || said;
        }
        turn();
        if (!said && client.len == 0 && i > 4) {
            break;
        }
    }
    (void)shutdown(f.client, SHUT_WR);
    for (int i = 0; i < 3; i++) {
        turn();
    }
    if (f.backend >= 0) {
        (void)close(f.backend);
        f.backend = -1;
    }
    turn();
    still_pass_ms(100000);
    turn();
}

/* Connections of this input that nobody took yet. */
static void hear_nobody(void)
{
    int fd;
    if (f.backend >= 0) {
        (void)close(f.backend);
    }
    while ((fd = accept4(f.listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        (void)close(fd);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3 || size > 16384) {
        return 0;
    }
    size_t part = ((size_t)data[1] << 8 | data[2]) % (size - 2); /* of what follows */
    size_t step = (data[0] & 1) != 0 ? 1 + (data[0] >> 5) : 16384;
    if (step < 16384 && size / step > TURNS_MAX / 2) {
        step = size / (TURNS_MAX / 2) + 1;
    }
    listen_once();
    still_begin();
    f.client = f.backend = -1;
    f.asked = false;
    FUZZ_CHECK(tusk_loop_new(&f.loop, &(tusk_loop_options){.mem = NULL}) == TUSK_OK);
    begin(data[0]);
    play(tusk_bytes_of(data + 3, part), tusk_bytes_of(data + 3 + part, size - 3 - part), step);
    tusk_relay_free(f.relay);
    (void)close(f.client);
    hear_nobody();
    tusk_loop_free(f.loop);
    return 0;
}
