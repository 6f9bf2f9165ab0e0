/* SPDX-License-Identifier: MIT */
/* What is on its way in: asked for before it is taken, and never more than the sum of the limits.
 */
#define _GNU_SOURCE
#include "rig_session.h"

#include "serve/unfinished.h"

enum { MIB = 1 << 20, MESSAGE = 8 * MIB, UNFINISHED = 4 * MIB, QUEUED = 10 * MIB, PEERS = 10 };

/* A store that knows what it has given out, and what that is at its most, with the queues. */
static struct {
    tusk_server *server;
    size_t live;
    size_t most;
} books;

typedef struct entry {
    size_t cap;
    size_t pad; /* as aligned as malloc's */
    uint8_t bytes[];
} entry;

static void note(size_t more)
{
    size_t now = books.live + more + tusk_net_queued(books.server->net);
    books.most = now > books.most ? now : books.most;
}

static void *grow(void *user, void *payload, size_t cap, uint8_t **place)
{
    entry *old = payload;
    entry *self = malloc(sizeof(*self) + cap);
    (void)user;
    assert_non_null(self);
    note(cap); /* old and new at once */
    books.live += cap;
    self->cap = cap;
    if (old != NULL) {
        memcpy(self->bytes, old->bytes, old->cap < cap ? old->cap : cap);
        books.live -= old->cap;
        free(old);
    }
    *place = self->bytes;
    return self;
}

static void drop(void *user, void *payload)
{
    entry *self = payload;
    (void)user;
    books.live -= self->cap;
    free(self);
}

static void drop_blob(void *owner)
{
    free(owner); /* it counted as queued, not as live */
}

/* Sends back what came, by reference: what is in the queue counts there. */
static void on_message(void *user, tusk_handle session, void *route, uint8_t opcode,
                       tusk_bytes payload, void *taken)
{
    rig *r = user;
    tusk_blob *blob = NULL;
    (void)route;
    if (taken == NULL) {
        (void)tusk_websocket_send(r->server, session, opcode, payload, NULL, NULL);
        return;
    }
    entry *own = taken;
    assert_err(tusk_blob_adopt(&blob, tusk_mem_default(), payload, drop_blob, own), TUSK_OK);
    books.live -= own->cap;
    (void)tusk_websocket_send(r->server, session, opcode, payload, blob, NULL);
    note(0);
    tusk_blob_unref(blob);
}

static void on_request(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    rig *r = user;
    (void)route;
    tusk_payload_drop(r->server, request->body_taken);
    (void)tusk_reply(r->server, session, 200, tusk_bytes_of(NULL, 0), tusk_bytes_str("x"), NULL);
}

static void begin(rig *r, const tusk_server_limits *limits)
{
    static const tusk_server_handler handler = {.on_request = on_request, .on_message = on_message};
    static const tusk_ws_store store = {.grow = grow, .drop = drop, .whole_min = 512};
    const tusk_websocket_options open = {.any_origin = true,
                                         .deflate = {.on = true,
                                                     .server_max_window_bits = 15,
                                                     .client_max_window_bits = 15,
                                                     .level = 1,
                                                     .mem_level = 8,
                                                     .threshold = 64}};
    (void)signal(SIGPIPE, SIG_IGN);
    memset(r, 0, sizeof(*r));
    memset(&books, 0, sizeof(books));
    assert_err(tusk_loop_new(&r->loop, NULL), TUSK_OK);
    tusk_server_options options = {
        .loop = r->loop, .handler = &handler, .user = r, .store = &store, .limits = *limits};
    assert_err(tusk_server_new(&r->server, &options), TUSK_OK);
    books.server = r->server;
    assert_err(tusk_server_route_websocket(r->server, "/ws", &open, NULL), TUSK_OK);
    assert_err(tusk_server_route_http(r->server, "POST", "/post", NULL), TUSK_OK);
    assert_err(tusk_server_start(r->server, NULL, 0), TUSK_OK);
}

static void limits_of_the_sum(tusk_server_limits *limits)
{
    tusk_server_limits_default(limits);
    limits->message_bytes = MESSAGE;
    limits->body_bytes = MESSAGE;
    limits->unfinished_bytes = UNFINISHED;
    limits->unfinished_ms = 20;
    limits->queued_bytes = MESSAGE + MIB;
    limits->queued_bytes_total = QUEUED;
}

/* docs/guide/limits.md: unfinishedBytes and a quarter (1 MiB at least), and queuedBytesTotal; here
 * with what ten peers may add before they are shed. */
static void check_the_sum(void)
{
    size_t sum = UNFINISHED + UNFINISHED / 4 + QUEUED + PEERS * TUSK__UNFINISHED_UNASKED;
    assert_in_range(books.most, MESSAGE, sum);
}

typedef struct pusher {
    int fd;
    const uint8_t *ptr;
    size_t len;
    size_t at;
} pusher;

static void push_all(rig *r, pusher *all, size_t count, int rounds, bool reads)
{
    static char sink[65536];
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            size_t left = all[i].len - all[i].at;
            ssize_t n = left == 0 ? 0 : write(all[i].fd, all[i].ptr + all[i].at, left);
            all[i].at += n > 0 ? (size_t)n : 0;
            while (reads && read(all[i].fd, sink, sizeof(sink)) > 0) {
            }
        }
        assert_err(tusk_loop_turn(r->loop, 1), TUSK_OK);
    }
}

/* Pushes on until it holds: what a turn does of a peer's work is cut by the clock, so that on a
 * busy machine no number of turns is enough for all of it. */
#define PUSH_UNTIL(r, all, count, reads, condition)                                                \
    for (uint64_t end_ = tusk_loop_clock_ns() + UINT64_C(20000000000); !(condition);) {            \
        assert_true(tusk_loop_clock_ns() < end_);                                                  \
        push_all(r, all, count, 1, reads);                                                         \
    }

/* Messages and bodies; an upgrade is a request, too, and none of them. */
static uint64_t served(const rig *r)
{
    return rig_stat(r, "messages_in") + rig_stat(r, "requests") - rig_stat(r, "websockets_total");
}

static bool holds_nothing(const rig *r)
{
    return rig_stat(r, "unfinished_bytes") + rig_stat(r, "queued_bytes") == 0 &&
           tusk_net_room(r->server->net) == QUEUED; /* nothing is reserved any more */
}

static void attack(const uint8_t *bytes, size_t len, bool upgrade, int rounds, bool reads,
                   uint64_t least)
{
    rig r;
    tusk_server_limits limits;
    tusk_server_stats stats;
    pusher all[PEERS];
    limits_of_the_sum(&limits);
    begin(&r, &limits);
    for (int i = 0; i < PEERS; i++) {
        char text[512];
        int n =
            snprintf(text, sizeof(text), "%.*sSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
                     (int)sizeof(rig_upgrade) - 3, rig_upgrade);
        all[i] = (pusher){.fd = rig_connect(&r), .ptr = bytes, .len = len};
        if (upgrade) {
            rig_write(all[i].fd, text, (size_t)n);
            rig_turn(&r, 3);
            rig_read(all[i].fd, text, sizeof(text));
            assert_non_null(strstr(text, "HTTP/1.1 101 "));
        }
    }
    push_all(&r, all, PEERS, rounds, reads);
    PUSH_UNTIL(&r, all, PEERS, reads,
               (served(&r) > 0 || least == 0) &&
                   served(&r) + rig_stat(&r, "unfinished_closed") >= least);
    tusk_server_stats_get(r.server, &stats);
    assert_true(stats.unfinished_paused + stats.unfinished_closed > 0);
    check_the_sum();
    for (int i = 0; i < PEERS; i++) {
        close(all[i].fd);
    }
    PUSH_UNTIL(&r, all, 0, false, holds_nothing(&r));
    rig_fini(&r);
    assert_int_equal(books.live, 0);
}

/* A frame of `len` bytes, or the first `part` of one that would have so many. */
static uint8_t *framed(uint8_t first, size_t len, size_t *out_len)
{
    uint8_t *payload = calloc(1, len);
    uint8_t *bytes = malloc(len + TUSK_WS_HEAD_MAX);
    assert_true(payload != NULL && bytes != NULL);
    *out_len = rig_frame(bytes, first, payload, len);
    free(payload);
    return bytes;
}

static void memory_stays_below_the_sum_whether_they_end_read_or_neither(void **state)
{
    static const struct {
        uint8_t first;
        size_t len;
        bool reads;
        uint64_t least;
    } cases[] = {
        {0x82, MESSAGE, true, PEERS},     /* all of them are served or shed */
        {0x82, MESSAGE, false, 1},        /* echoes that nobody reads */
        {0x02, MESSAGE - 1, false, 0},    /* messages that never end */
        {0x82, MESSAGE / 3, false, 1},    /* several in the queues at once */
        {0x82, 4 * MESSAGE / 5, true, 2}, /* not a power of two */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t len;
        uint8_t *bytes = framed(cases[i].first, cases[i].len, &len);
        attack(bytes, len, true, cases[i].reads ? 1500 : 400, cases[i].reads, cases[i].least);
        free(bytes);
    }
}

#ifdef TUSK_HAVE_ZLIB
/* A frame of compressed zeros, as short as zlib can make it. */
static uint8_t *bomb(size_t len, size_t *out_len)
{
    tusk_ws_deflater *deflater;
    tusk_buf packed;
    uint8_t *zeros = calloc(1, len);
    tusk_buf_init(&packed, tusk_mem_default(), MIB);
    assert_err(tusk_ws_deflater_new(&deflater, tusk_mem_default(), 15, 9, 8, false), TUSK_OK);
    assert_err(tusk_ws_deflater_run(deflater, tusk_bytes_of(zeros, len), &packed), TUSK_OK);
    uint8_t *bytes = malloc(packed.len + TUSK_WS_HEAD_MAX);
    *out_len = rig_frame(bytes, 0xC2, packed.ptr, packed.len);
    tusk_ws_deflater_free(deflater);
    tusk_buf_fini(&packed);
    free(zeros);
    return bytes;
}

static void bombs_stay_below_the_sum(void **state)
{
    size_t lens[] = {MESSAGE, MESSAGE + 1, MESSAGE / 3};
    for (size_t i = 0; i < 3; i++) {
        size_t len;
        uint8_t *bytes = bomb(lens[i], &len);
        attack(bytes, len, true, 1500, true, lens[i] > MESSAGE ? 0 : 2);
        free(bytes);
    }
}
#endif

static void bodies_stay_below_the_sum(void **state)
{
    uint8_t *bytes = calloc(1, MESSAGE + 200);
    for (int chunked = 0; chunked < 2; chunked++) {
        int head =
            snprintf((char *)bytes, 200, "POST /post HTTP/1.1\r\nHost: x\r\n%s%d\r\n\r\n%s",
                     chunked ? "Transfer-Encoding: chunked\r\nX: " : "Content-Length: ", MESSAGE,
                     chunked ? "800000\r\n" : "");
        bytes[head] = 0;
        memcpy(bytes + head + MESSAGE, "\r\n0\r\n\r\n", 8);
        attack(bytes, (size_t)head + MESSAGE + (chunked ? 7 : 0), false, 1500, true, PEERS);
    }
    free(bytes);
}

/* What a head takes while its body comes counts as well: it may be 16 KiB, for a body of a byte. */
static void heads_of_bodies_are_counted(void **state)
{
    rig r;
    tusk_server_limits limits;
    tusk_server_stats stats;
    char head[15000];
    limits_of_the_sum(&limits);
    begin(&r, &limits);
    int n = snprintf(head, sizeof(head), "POST /post HTTP/1.1\r\nHost: x\r\nX: %012000d\r\n%s", 0,
                     "Content-Length: 10\r\n\r\n1");
    int fd = rig_connect(&r);
    rig_write(fd, head, (size_t)n);
    rig_turn(&r, 3);
    tusk_server_stats_get(r.server, &stats);
    assert_in_range(stats.unfinished_bytes, 12000, 30000);
    rig_write(fd, "234567890", 9);
    rig_turn(&r, 3);
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.requests, 1);
    assert_int_equal(stats.unfinished_bytes, 0);
    close(fd);
    rig_fini(&r);
}

/* It asks for its place while the queues are full: what it is told then must not keep it from its
 * end when they have emptied. */
static void who_asked_while_queues_were_full_comes_to_its_end(void **state)
{
    rig r;
    tusk_server_limits limits;
    tusk_server_stats stats;
    size_t len[2];
    uint8_t *bytes[2] = {framed(0x82, 2 * MIB, &len[0]), framed(0x82, MESSAGE, &len[1])};
    pusher both[2];
    limits_of_the_sum(&limits);
    limits.unfinished_ms = 1000000; /* nobody is cut */
    begin(&r, &limits);
    for (int i = 0; i < 2; i++) {
        both[i] = (pusher){.fd = rig_websocket(&r), .ptr = bytes[i], .len = len[i]};
    }
    PUSH_UNTIL(&r, &both[0], 1, false, /* its echo fills the queue */
               tusk_net_queued(r.server->net) > 3 * MIB / 2);
    push_all(&r, both, 2, 300, false);
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.messages_in, 1);
    PUSH_UNTIL(&r, both, 2, true, served(&r) == 2);
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.unfinished_closed + stats.overflow_closed, 0);
    for (int i = 0; i < 2; i++) {
        close(both[i].fd);
        free(bytes[i]);
    }
    rig_fini(&r);
    assert_int_equal(books.live, 0);
}

#ifdef TUSK_HAVE_ZLIB
/* Paused for its queue in the middle of inflating, it goes on when that has drained. */
static void paused_inside(size_t len)
{
    enum { NOISE = 512 * 1024 };
    rig r;
    tusk_server_limits limits;
    static uint8_t noise[NOISE];
    uint64_t seed = 3;
    size_t packed_len;
    char text[512];
    for (size_t i = 0; i < NOISE; i++) {
        noise[i] = (uint8_t)test_random(&seed);
    }
    limits_of_the_sum(&limits);
    begin(&r, &limits);
    uint8_t *packed = bomb(len, &packed_len);
    int n = snprintf(text, sizeof(text), "%.*sSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
                     (int)sizeof(rig_upgrade) - 3, rig_upgrade);
    int fd = rig_connect(&r);
    rig_write(fd, text, (size_t)n);
    rig_turn(&r, 3);
    rig_read(fd, text, sizeof(text));
    rig_write(fd, packed, packed_len);
    pusher all = {.fd = fd};
    PUSH_UNTIL(&r, &all, 0, false, rig_session(&r, 0)->u.ws.decoder.len + 2 * 65536 >= len);
    for (int i = 0; i < 6; i++) { /* from elsewhere: beyond where its reading pauses */
        assert_err(tusk_websocket_send(r.server, tusk__session_handle(rig_session(&r, 0)),
                                       TUSK_WS_BINARY, tusk_bytes_of(noise, NOISE), NULL, NULL),
                   TUSK_OK);
    }
    rig_turn(&r, 6);
    assert_true(rig_session(&r, 0)->paused_queue);
    assert_true(tusk_ws_decoder_stopped(&rig_session(&r, 0)->u.ws.decoder));
    PUSH_UNTIL(&r, &all, 1, true, served(&r) == 1);
    free(packed);
    close(fd);
    rig_fini(&r);
}

static void inflating_goes_on_after_a_pause(void **state)
{
    for (size_t more = 1; more < 1200; more += 199) {
        paused_inside(4 * 65536 + more);
    }
}
#endif

/* A session keeps its target: long ones of a crowd would be more than all the rest of it. */
static void long_targets_share_what_there_is_for_them(void **state)
{
    enum { CONNECTIONS = 100, LONG = 6652 }; /* four of them are all that there is, to the byte */
    rig r;
    tusk_server_limits limits;
    char request[LONG + 512];
    char target[LONG];
    char text[2048];
    int fds[CONNECTIONS];
    int open = 0;
    memset(target, 't', LONG);
    tusk_server_limits_default(&limits);
    limits.connections = CONNECTIONS;
    rig_init(&r, &limits);
    int n = snprintf(request, sizeof(request), "GET /ws?%.*s %s", LONG, target,
                     rig_upgrade + sizeof("GET /ws ") - 1);
    for (int i = 0; i < CONNECTIONS / 2; i++) {
        fds[i] = rig_connect(&r);
        rig_write(fds[i], request, (size_t)n);
        rig_turn(&r, 4);
        rig_read(fds[i], text, sizeof(text));
        assert_non_null(strstr(text, open == i ? "HTTP/1.1 " : "HTTP/1.1 503 "));
        assert_true(open == i || strstr(text, "\r\nRetry-After: 1\r\n") != NULL);
        open += strstr(text, "HTTP/1.1 101 ") != NULL;
    }
    assert_int_equal(rig_stat(&r, "handshakes_refused"), CONNECTIONS / 2 - open);
    assert_int_equal(open, CONNECTIONS * TARGET_SHARE / (LONG + 4 - TARGET_SHARE));
    close(rig_websocket(&r)); /* a short one always has its place */
    for (int i = 0; i < CONNECTIONS / 2; i++) {
        close(fds[i]);
    }
    rig_turn(&r, 5);
    assert_int_equal(r.server->target_extra, 0);
    rig_fini(&r);
}

static void time_in_which_we_do_not_read_is_not_the_bodys(void **state)
{
    static const char request[] = "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhell";
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.body_ms = 20;
    still_begin();
    begin(&r, &limits);
    int fd = rig_connect(&r);
    rig_write(fd, request, sizeof(request) - 1);
    rig_turn(&r, 3);
    rig_session(&r, 0)->paused_unfinished = true;
    for (int ms = 0; ms < 100; ms++) {
        rig_turn(&r, 1);
        assert_int_equal(rig_stat(&r, "body_timeouts"), 0);
    }
    rig_session(&r, 0)->paused_unfinished = false;
    rig_turn(&r, 60);
    assert_int_equal(rig_stat(&r, "body_timeouts"), 1);
    close(fd);
    rig_fini(&r);
    still_end();
}

/* Past the limit and a quarter, who adds to it goes; not who holds nothing, and not the one that
 * may go on. */
static void who_adds_to_it_is_shed_and_nobody_else(void **state)
{
    enum { MANY = 300, PART = 60000 };
    rig r;
    tusk_server_limits limits;
    tusk_server_stats stats;
    static uint8_t bytes[PART + 16];
    static uint8_t part[PART];
    char answer[64];
    int fds[MANY];
    tusk_server_limits_default(&limits);
    limits.unfinished_bytes = 1 * MIB; /* and 1 MiB of slack */
    limits.unfinished_ms = 1000000;
    begin(&r, &limits);
    int guest = rig_websocket(&r);
    size_t len = rig_frame(bytes, 0x02, part, PART);
    for (int i = 0; i < MANY; i++) {
        fds[i] = rig_websocket(&r);
        rig_write(fds[i], bytes, len);
        rig_turn(&r, 4);
        tusk_server_stats_get(r.server, &stats);
        size_t owned =
            r.server->unfinished_owner == NULL ? 0 : r.server->unfinished_owner->unfinished;
        assert_true(stats.unfinished_bytes - owned <= 2 * MIB + TUSK__UNFINISHED_UNASKED);
    }
    assert_true(stats.unfinished_closed > 0);
    assert_non_null(r.server->unfinished_owner);
    assert_int_equal(stats.websockets_open, 1 + MANY - stats.unfinished_closed);
    rig_send(guest, 0x81, "here", 4); /* who holds nothing is served */
    rig_turn(&r, 2);
    assert_int_equal(rig_read(guest, answer, sizeof(answer)), 6);
    for (int i = 0; i < MANY; i++) {
        close(fds[i]);
    }
    close(guest);
    rig_fini(&r);
}

/* Each sends its next message as soon as the last one is answered, as large as only one place has
 * room for: nobody has a second one before all others had their first. */
static void who_sends_one_large_message_after_the_other_leaves_the_place_to_others(void **state)
{
    enum { FOUR = 4, ROUNDS = 3 };
    rig r;
    tusk_server_limits limits;
    static char sink[65536];
    size_t len;
    size_t got[FOUR] = {0};
    pusher all[FOUR];
    uint8_t *bytes = framed(0x82, MESSAGE, &len);
    (void)state;
    limits_of_the_sum(&limits);
    limits.unfinished_ms = 1000000; /* nobody is cut, and nothing goes on by a timer */
    begin(&r, &limits);
    for (int i = 0; i < FOUR; i++) {
        all[i] = (pusher){.fd = rig_websocket(&r), .ptr = bytes, .len = len};
    }
    size_t answer = MESSAGE + 10;
    size_t least = 0;
    for (int turn = 0; turn < 40000 && least < ROUNDS; turn++) {
        size_t most = 0;
        least = SIZE_MAX;
        for (int i = 0; i < FOUR; i++) {
            ssize_t n = write(all[i].fd, bytes + all[i].at, len - all[i].at);
            all[i].at += n > 0 ? (size_t)n : 0;
            while ((n = read(all[i].fd, sink, sizeof(sink))) > 0) {
                got[i] += (size_t)n;
            }
            bool answered = all[i].at == len && got[i] > 0 && got[i] % answer == 0;
            all[i].at = answered ? 0 : all[i].at;
            least = got[i] / answer < least ? got[i] / answer : least;
            most = got[i] / answer > most ? got[i] / answer : most;
        }
        assert_in_range(most, least, least + 1);
        assert_err(tusk_loop_turn(r.loop, 1), TUSK_OK);
    }
    assert_int_equal(least, ROUNDS);
    for (int i = 0; i < FOUR; i++) {
        close(all[i].fd);
    }
    free(bytes);
    rig_fini(&r);
    assert_int_equal(books.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_stays_below_the_sum_whether_they_end_read_or_neither),
#ifdef TUSK_HAVE_ZLIB
        cmocka_unit_test(bombs_stay_below_the_sum),
        cmocka_unit_test(inflating_goes_on_after_a_pause),
#endif
        cmocka_unit_test(bodies_stay_below_the_sum),
        cmocka_unit_test(heads_of_bodies_are_counted),
        cmocka_unit_test(who_asked_while_queues_were_full_comes_to_its_end),
        cmocka_unit_test(long_targets_share_what_there_is_for_them),
        cmocka_unit_test(time_in_which_we_do_not_read_is_not_the_bodys),
        cmocka_unit_test(who_adds_to_it_is_shed_and_nobody_else),
        cmocka_unit_test(who_sends_one_large_message_after_the_other_leaves_the_place_to_others),
    };
    return cmocka_run_group_tests_name("serve/unfinished", tests, NULL, NULL);
}
