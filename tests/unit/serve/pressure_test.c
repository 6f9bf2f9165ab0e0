/* SPDX-License-Identifier: MIT */
/* All send queues together: who waits, and who gives way. */
#define _GNU_SOURCE
#include "rig_session.h"

static void the_longest_queue_gives_way_when_all_are_full(void **state)
{
    rig r;
    tusk_server_limits limits;
    tusk_server_stats stats;
    char text[256];
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 1u << 20;
    limits.queued_bytes_total = 2u << 20;
    rig_init(&r, &limits);
    int stalled[4];
    tusk_handle handles[4];
    char *data = calloc(1, 50000);
    for (int i = 0; i < 4; i++) {
        stalled[i] = rig_websocket(&r);
        handles[i] = r.last;
    }
    int quiet = rig_websocket(&r);
    for (size_t size = 50000; size > 0; size /= 10) { /* until not a byte more fits */
        for (int i = 0; i < 400; i++) {
            (void)tusk_websocket_send(r.server, handles[i % 4], TUSK_WS_BINARY,
                                      tusk_bytes_of(data, size), NULL, NULL);
        }
        rig_turn(&r, 1);
        tusk_server_stats_get(r.server, &stats);
        assert_true(stats.queued_bytes <= limits.queued_bytes_total);
    }
    for (int i = 0; i < 50; i++) { /* whoever reads notices nothing */
        rig_send(quiet, 0x81, "ping", 4);
        rig_turn(&r, 2);
        assert_int_equal(rig_read(quiet, text, sizeof(text)), 6);
    }
    tusk_server_stats_get(r.server, &stats);
    assert_true(stats.queued_bytes <= limits.queued_bytes_total);
    assert_true(stats.overflow_closed >= 1);
    for (int i = 0; i < 4; i++) {
        close(stalled[i]);
    }
    close(quiet);
    free(data);
    rig_fini(&r);
}

/* Whoever asks for more than the longest has is refused, and nobody for him in the rest of the
 * turn; but who has nothing in his queue has a right to it, and as many give way as he needs. */
static void the_longest_alone_gives_way_where_that_is_enough(void **state)
{
    enum { FIRST = 560000, THIRD = 250000, MORE = 790000, PIECE = 10000 };
    static char data[MORE];
    rig r;
    tusk_server_limits limits;
    tusk_handle handles[3];
    int fds[3];
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 1u << 20;
    limits.queued_bytes_total = 2u << 20;
    rig_init(&r, &limits);
    for (int i = 0; i < 3; i++) {
        fds[i] = rig_websocket(&r);
        handles[i] = r.last;
    }
    int quiet = rig_websocket(&r);
    tusk_handle small = r.last;
    static const struct {
        int who;
        size_t until;
    } order[] = {{0, FIRST}, {2, THIRD}, {1, 1u << 20}}; /* the longest as the last one */
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        for (size_t size = PIECE; size > 0;) {
            tusk_handle to = handles[order[i].who];
            bool more = tusk_session_buffered(r.server, to) + size < order[i].until &&
                        tusk_websocket_send(r.server, to, TUSK_WS_BINARY, tusk_bytes_of(data, size),
                                            NULL, NULL) == TUSK_OK;
            size = more ? size : size / 10;
            rig_turn(&r, 1);
        }
    }
    assert_int_equal(rig_stat(&r, "overflow_closed"), 0);
    assert_true(rig_stat(&r, "queued_bytes") > limits.queued_bytes_total - 100);
    assert_int_not_equal(tusk_websocket_send(r.server, handles[2], TUSK_WS_BINARY,
                                             tusk_bytes_of(data, MORE), NULL, NULL),
                         TUSK_OK);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 0);
    assert_err(tusk_websocket_send(r.server, small, TUSK_WS_BINARY, tusk_bytes_of(data, 100 - 4),
                                   NULL, NULL),
               TUSK_OK); /* of the same turn */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tusk_session_open(r.server, handles[i]), i != 1);
    }
    assert_int_equal(rig_stat(&r, "overflow_closed"), 1);
    for (int i = 0; i < 3; i++) {
        close(fds[i]);
    }
    close(quiet);
    rig_fini(&r);
}

/* A WebSocket that has been told its end and lingers with so much to send; its handle is gone. */
static int ended_with(rig *r, const void *data, size_t len)
{
    int client = rig_websocket(r);
    assert_err(tusk_websocket_send(r->server, r->last, TUSK_WS_BINARY, tusk_bytes_of(data, len),
                                   NULL, NULL),
               TUSK_OK);
    rig_send(client, 0x83, "?", 1);
    rig_turn(r, 4);
    assert_false(tusk_session_exists(r->server, r->last));
    return client;
}

/* Its handle is gone, its queue is not. */
static void who_has_ended_and_takes_nothing_gives_way_as_well(void **state)
{
    enum { BYTES = 1000000 };
    static char data[BYTES];
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 1u << 20;
    limits.queued_bytes_total = (1u << 20) + (1u << 19);
    rig_init(&r, &limits);
    int ended = ended_with(&r, data, BYTES);
    int other = rig_websocket(&r);
    assert_err(tusk_websocket_send(r.server, r.last, TUSK_WS_BINARY, tusk_bytes_of(data, BYTES),
                                   NULL, NULL),
               TUSK_OK);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 1);
    close(ended);
    close(other);
    rig_fini(&r);
}

static void a_file_that_waits_takes_no_memory_and_gives_no_way(void **state)
{
    enum { FILE_BYTES = 8 << 20 };
    static const char request[] = "GET /file HTTP/1.1\r\nHost: x\r\n\r\n";
    rig r;
    tusk_server_limits limits;
    tusk_server_stats stats;
    char folder[TEST_TEMP_MAX];
    char path[64];
    (void)state;
    test_temp_dir(folder, "limits");
    snprintf(path, sizeof(path), "%s/file", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), FILE_BYTES), 0);
    fclose(file);
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 1u << 20;
    limits.queued_bytes_total = 2u << 20;
    rig_init(&r, &limits);
    const tusk_files_options options = {.directory = folder};
    assert_int_equal(tusk_server_route_files(r.server, "/", &options), TUSK_OK);
    int loading = rig_connect(&r);
    rig_write(loading, (const uint8_t *)request, sizeof(request) - 1);
    rig_turn(&r, 5);
    int stalled[4];
    char *data = calloc(1, 50000);
    tusk_handle handles[4];
    for (int i = 0; i < 4; i++) {
        stalled[i] = rig_websocket(&r);
        handles[i] = r.last;
    }
    for (int i = 0; i < 400; i++) {
        (void)tusk_websocket_send(r.server, handles[i % 4], TUSK_WS_BINARY,
                                  tusk_bytes_of(data, 50000), NULL, NULL);
        rig_turn(&r, 1);
    }
    tusk_server_stats_get(r.server, &stats);
    assert_true(stats.overflow_closed >= 1);
    size_t got = 0;
    for (int i = 0; i < 20000 && got < FILE_BYTES; i++) { /* the download was not the one cut */
        ssize_t n = recv(loading, data, 50000, MSG_DONTWAIT);
        got += n > 0 ? (size_t)n : 0;
        rig_turn(&r, 1);
    }
    assert_true(got > FILE_BYTES);
    for (int i = 0; i < 4; i++) {
        close(stalled[i]);
    }
    close(loading);
    free(data);
    rig_fini(&r);
    unlink(path);
    rmdir(folder);
}

/* Each of four peers sends a message as large as all queues together may be nearly, and reads its
 * echo. */
static void large_echoes_at_once_take_turns(void **state)
{
    enum { PEERS = 4, SIZE = 1024 * 1024 };
    rig r;
    int fds[PEERS];
    size_t sent[PEERS] = {0};
    size_t got[PEERS] = {0};
    tusk_server_limits limits;
    tusk_server_stats stats;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.message_bytes = SIZE;
    limits.unfinished_bytes = SIZE + 65536;
    limits.queued_bytes = SIZE + 65536;
    limits.queued_bytes_total = SIZE + SIZE / 2;
    rig_init(&r, &limits);
    uint8_t *frame = malloc(SIZE + 16);
    uint8_t *payload = calloc(1, SIZE);
    static char sink[65536];
    size_t len = rig_frame(frame, 0x82, payload, SIZE);
    for (int i = 0; i < PEERS; i++) {
        fds[i] = rig_websocket(&r);
    }
    for (int round = 0; round < 20000; round++) {
        bool all = true;
        for (int i = 0; i < PEERS; i++) {
            size_t left = len - sent[i] < 65536 ? len - sent[i] : 65536;
            ssize_t n = left == 0 ? 0 : write(fds[i], frame + sent[i], left);
            sent[i] += n > 0 ? (size_t)n : 0;
            n = round % 3 == 0 ? read(fds[i], sink, 4096) : 0; /* slow readers */
            got[i] += n > 0 ? (size_t)n : 0;
            all = all && got[i] == SIZE + 10;
        }
        rig_turn(&r, 1);
        tusk_server_stats_get(r.server, &stats);
        assert_true(stats.queued_bytes <= limits.queued_bytes_total);
        if (all) {
            break;
        }
    }
    for (int i = 0; i < PEERS; i++) {
        assert_int_equal(got[i], SIZE + 10);
        close(fds[i]);
    }
    assert_int_equal(stats.overflow_closed + stats.unfinished_closed + stats.sends_refused, 0);
    free(frame);
    free(payload);
    rig_fini(&r);
}

/* One takes a large echo and never reads it: the next large message waits, then goes on without it.
 */
static void who_holds_the_queues_and_takes_nothing_gives_way(void **state)
{
    enum { SIZE = 1024 * 1024 };
    rig r;
    tusk_server_limits limits;
    tusk_server_stats stats;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.message_bytes = SIZE;
    limits.unfinished_ms = 50;
    limits.queued_bytes = SIZE + 65536;
    limits.queued_bytes_total = SIZE + SIZE / 4;
    rig_init(&r, &limits);
    uint8_t *frame = malloc(SIZE + 16);
    uint8_t *payload = calloc(1, SIZE);
    static char sink[65536];
    size_t len = rig_frame(frame, 0x82, payload, SIZE);
    int fds[2] = {rig_websocket(&r), rig_websocket(&r)};
    size_t got = 0;
    for (int i = 0; i < 2; i++) {
        size_t sent = 0;
        for (int round = 0; round < 3000 && (i == 0 ? sent < len : got < SIZE + 10); round++) {
            size_t left = len - sent < 65536 ? len - sent : 65536;
            ssize_t n = left == 0 ? 0 : write(fds[i], frame + sent, left);
            sent += n > 0 ? (size_t)n : 0;
            n = i == 0 ? 0 : read(fds[i], sink, sizeof(sink));
            got += n > 0 ? (size_t)n : 0;
            assert_int_equal(tusk_loop_turn(r.loop, 1), TUSK_OK);
        }
    }
    assert_int_equal(got, SIZE + 10);
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.overflow_closed, 1);
    close(fds[0]);
    close(fds[1]);
    free(frame);
    free(payload);
    rig_fini(&r);
}

/* A crowd of those does not give way one after the other, each after a time of its own; nor is more
 * cut of it than the half of all queues wants. */
static void a_crowd_that_takes_nothing_gives_way_at_once(void **state)
{
    enum { SIZE = 1024 * 1024, MANY = 8, FIRST = 5, ROOM = 6 };
    static uint8_t frame[SIZE + 16];
    static uint8_t payload[SIZE];
    static char text[1024];
    rig r;
    tusk_server_limits limits;
    int fds[MANY];
    size_t sent[MANY] = {0};
    (void)state;
    tusk_server_limits_default(&limits);
    limits.message_bytes = SIZE;
    limits.unfinished_ms = 100;
    limits.queued_bytes = SIZE + 65536;
    limits.queued_bytes_total = ROOM * SIZE;
    rig_init(&r, &limits);
    size_t len = rig_frame(frame, 0x82, payload, SIZE);
    for (int i = 0; i < MANY; i++) {
        fds[i] = rig_connect_tcp(&r, 4096, 4096);
        rig_write(fds[i], rig_upgrade, sizeof(rig_upgrade) - 1);
        for (size_t got = 0; got == 0; got = rig_read(fds[i], text, sizeof(text))) {
            rig_turn(&r, 1);
        }
    }
    uint64_t cut = 0;
    uint64_t filled_ns = 0; /* the last of those that wait come when all others have stalled */
    for (uint64_t end = tusk_loop_clock_ns() + UINT64_C(20000000000); cut == 0;) {
        assert_true(tusk_loop_clock_ns() < end);
        bool late = filled_ns > 0 && tusk_loop_clock_ns() > filled_ns + UINT64_C(300000000);
        size_t left = 0;
        for (int i = 0; i < (late ? MANY : FIRST); i++) {
            ssize_t n = sent[i] == len ? 0 : write(fds[i], frame + sent[i], len - sent[i]);
            sent[i] += n > 0 ? (size_t)n : 0;
            left += len - sent[i];
        }
        filled_ns = filled_ns == 0 && left == 0 ? tusk_loop_clock_ns() : filled_ns;
        assert_err(tusk_loop_turn(r.loop, 1), TUSK_OK);
        cut = rig_stat(&r, "overflow_closed");
    }
    assert_in_range(cut, 2, ROOM / 2 + 1);
    for (int i = 0; i < MANY; i++) {
        close(fds[i]);
    }
    rig_fini(&r);
}

/* The same of one whose end has been told: his handle is gone. */
static void who_has_ended_does_not_hold_the_queues_either(void **state)
{
    enum { SIZE = 1024 * 1024 };
    static uint8_t frame[SIZE + 16];
    static uint8_t sink[SIZE];
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.message_bytes = SIZE;
    limits.unfinished_ms = 50;
    limits.close_ms = 600000;
    limits.queued_bytes = SIZE + 65536;
    limits.queued_bytes_total = SIZE + SIZE / 4;
    rig_init(&r, &limits);
    int ended = ended_with(&r, sink, SIZE);
    int other = rig_websocket(&r);
    size_t len = rig_frame(frame, 0x82, sink, SIZE);
    size_t sent = 0;
    size_t got = 0;
    for (int round = 0; round < 3000 && got < SIZE + 10; round++) {
        ssize_t n = write(other, frame + sent, len - sent < 65536 ? len - sent : 65536);
        sent += n > 0 ? (size_t)n : 0;
        n = read(other, sink, sizeof(sink));
        got += n > 0 ? (size_t)n : 0;
        assert_int_equal(tusk_loop_turn(r.loop, 1), TUSK_OK);
    }
    assert_int_equal(got, SIZE + 10);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 1);
    close(ended);
    close(other);
    rig_fini(&r);
}

/* Its memory goes when its last byte does, and all the while it takes of it. */
static void who_holds_the_queues_and_takes_them_slowly_may_go_on(void **state)
{
    enum { SIZE = 1024 * 1024, SLOW = 8 * 1024 };
    static uint8_t frame[SIZE + 16];
    static uint8_t sink[SIZE];
    rig r;
    tusk_server_limits limits;
    (void)state;
    tusk_server_limits_default(&limits);
    limits.message_bytes = SIZE;
    limits.unfinished_ms = 1000;
    limits.queued_bytes = SIZE + 65536;
    limits.queued_bytes_total = SIZE + SIZE / 4;
    still_begin();
    rig_init(&r, &limits);
    size_t len = rig_frame(frame, 0x82, sink, SIZE);
    size_t sent[2] = {0};
    size_t got[2] = {0};
    int slow = rig_websocket(&r);
    for (int round = 0; round < 3000 && sent[0] < len; round++) {
        ssize_t n = write(slow, frame + sent[0], len - sent[0] < 65536 ? len - sent[0] : 65536);
        sent[0] += n > 0 ? (size_t)n : 0;
        rig_turn(&r, 1);
    }
    int other = rig_websocket(&r);
    for (int round = 0; round < 3000 && got[1] < SIZE + 10; round++) {
        ssize_t n = write(other, frame + sent[1], len - sent[1] < 65536 ? len - sent[1] : 65536);
        sent[1] += n > 0 ? (size_t)n : 0;
        n = read(slow, sink, SLOW);
        got[0] += n > 0 ? (size_t)n : 0;
        n = read(other, sink, sizeof(sink));
        got[1] += n > 0 ? (size_t)n : 0;
        still_pass_ms(20);
        rig_turn(&r, 1);
    }
    assert_int_equal(got[0], SIZE + 10);
    assert_int_equal(got[1], SIZE + 10);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 0);
    close(slow);
    close(other);
    rig_fini(&r);
    still_end();
}

/* Stalled readers of event streams, WebSockets or answers fill the queues; each of those who read,
 * or just come, has an answer all the same. */
static void a_crowd_of_short_queues_keeps_nobody_from_an_answer(void **state)
{
    enum { CROWD = 60, BODY = 100000 };
    static const char request[] = "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx";
    rig r;
    tusk_server_limits limits;
    tusk_server_stats stats;
    static char text[BODY + 4096];
    (void)state;
    tusk_server_limits_default(&limits);
    limits.queued_bytes = 1u << 20;
    limits.queued_bytes_total = 1u << 20;
    limits.message_bytes = 1u << 16;
    rig_init(&r, &limits);
    int stalled[CROWD];
    tusk_handle handles[CROWD];
    char *data = calloc(1, BODY);
    int pinger = rig_websocket(&r);
    for (int i = 0; i < CROWD; i++) {
        stalled[i] = rig_websocket(&r);
        handles[i] = r.last;
    }
    for (size_t size = 8000; size > 0; size /= 20) { /* until not a byte more fits */
        for (int i = 0; i < CROWD * 400; i++) {
            if (tusk_session_open(r.server, handles[i % CROWD]) &&
                tusk_session_buffered(r.server, handles[i % CROWD]) + size < 30000) {
                (void)tusk_websocket_send(r.server, handles[i % CROWD], TUSK_WS_BINARY,
                                          tusk_bytes_of(data, size), NULL, NULL);
            }
            if (i % CROWD == 0) {
                rig_turn(&r, 1);
            }
        }
    }
    rig_turn(&r, 3);
    tusk_server_stats_get(r.server, &stats);
    assert_true(stats.queued_bytes > limits.queued_bytes_total - 3000);
    rig_send(pinger, 0x89, "p", 1);
    rig_turn(&r, 2);
    assert_int_equal(rig_read(pinger, text, sizeof(text)), 3);
    int asks = rig_connect(&r);
    r.answer = false;
    rig_write(asks, (const uint8_t *)request, sizeof(request) - 1);
    rig_turn(&r, 3);
    assert_int_equal(
        tusk_reply(r.server, r.last, 200, tusk_bytes_of(NULL, 0), tusk_bytes_of(data, BODY), NULL),
        TUSK_OK);
    size_t got = 0;
    for (int i = 0; i < 200; i++) {
        ssize_t n = recv(asks, text, sizeof(text), MSG_DONTWAIT);
        got += n > 0 ? (size_t)n : 0;
        rig_turn(&r, 1);
    }
    assert_true(got > BODY);
    int comes = rig_websocket(&r); /* fails without its 101 */
    for (int i = 0; i < CROWD; i++) {
        close(stalled[i]);
    }
    close(pinger);
    close(asks);
    close(comes);
    free(data);
    rig_fini(&r);
}

/* What all that read are sent in one turn is more than all queues may hold: it leaves in between.
 */
static void a_publication_to_all_that_read_cuts_nobody(void **state)
{
    enum { READERS = 40, SIZE = 8000 };
    rig r;
    tusk_server_limits limits;
    tusk_server_stats stats;
    int readers[READERS];
    static char text[2 * SIZE];
    char data[SIZE + 1];
    (void)state;
    tusk_server_limits_default(&limits);
    limits.message_bytes = 1u << 16;
    limits.queued_bytes = 1u << 17;
    limits.queued_bytes_total = 1u << 17;
    limits.history_bytes = 1u << 16;
    rig_init(&r, &limits);
    r.topic = "news";
    memset(data, 'x', SIZE);
    data[SIZE] = '\0';
    for (int i = 0; i < READERS; i++) {
        readers[i] = i % 2 == 0 ? rig_websocket(&r) : rig_stream(&r);
    }
    for (int round = 0; round < 3; round++) {
        rig_publish(&r, "news", data, NULL);
        rig_turn(&r, 2);
        for (int i = 0; i < READERS; i++) {
            assert_true(rig_read(readers[i], text, sizeof(text)) > SIZE);
        }
    }
    tusk_server_stats_get(r.server, &stats);
    assert_int_equal(stats.delivered, 3 * READERS);
    assert_int_equal(stats.overflow_closed, 0);
    for (int i = 0; i < READERS; i++) {
        close(readers[i]);
    }
    rig_fini(&r);
}

/* All in one turn: a crowd that takes little is written to first, in vain; behind it the longest
 * queue waits for the turn's end, and its peer takes all of it. */
static void whose_queue_only_waits_for_the_end_of_the_turn_is_not_cut(void **state)
{
    enum { MANY = 64, SIZE = 40000, LONGER = 60000, NEED = 130000 };
    static const int least = 1; /* of what the system allows */
    static char data[NEED];
    static char text[2 * LONGER];
    rig r;
    tusk_server_limits limits;
    tusk_handle crowd[MANY];
    int fds[MANY];
    (void)state;
    tusk_server_limits_default(&limits);
    limits.message_bytes = 1u << 16;
    limits.queued_bytes = 1u << 18;
    limits.queued_bytes_total = 2u << 20;
    rig_init(&r, &limits);
    for (int i = 0; i < MANY; i++) {
        fds[i] = rig_websocket(&r);
        crowd[i] = r.last;
        int fd = rig_session(&r, (size_t)i)->conn.io.fd;
        assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least)), 0);
    }
    int reads = rig_websocket(&r);
    tusk_handle longest = r.last;
    int asks = rig_websocket(&r);
    int written = 0;
    while (tusk_net_room(r.server->net) >= 2 * LONGER) {
        assert_true(written < MANY);
        assert_err(tusk_websocket_send(r.server, crowd[written++], TUSK_WS_BINARY,
                                       tusk_bytes_of(data, SIZE), NULL, NULL),
                   TUSK_OK);
    }
    assert_true(written > NET_OTHERS_SHARE);
    assert_err(tusk_websocket_send(r.server, longest, TUSK_WS_BINARY, tusk_bytes_of(data, LONGER),
                                   NULL, NULL),
               TUSK_OK);
    assert_true(tusk_net_room(r.server->net) < NEED);
    assert_true(tusk_conn_waits_for_turn(&rig_session(&r, MANY)->conn));
    assert_err(tusk_websocket_send(r.server, r.last, TUSK_WS_BINARY, tusk_bytes_of(data, NEED),
                                   NULL, NULL),
               TUSK_OK);
    assert_int_equal(rig_stat(&r, "overflow_closed"), 0);
    for (size_t got = 0; got < LONGER + 4; rig_turn(&r, 1)) {
        got += rig_read(reads, text, sizeof(text));
    }
    for (int i = 0; i < MANY; i++) {
        close(fds[i]);
    }
    close(reads);
    close(asks);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_queue_gives_way_when_all_are_full),
        cmocka_unit_test(the_longest_alone_gives_way_where_that_is_enough),
        cmocka_unit_test(who_has_ended_and_takes_nothing_gives_way_as_well),
        cmocka_unit_test(a_file_that_waits_takes_no_memory_and_gives_no_way),
        cmocka_unit_test(large_echoes_at_once_take_turns),
        cmocka_unit_test(who_holds_the_queues_and_takes_nothing_gives_way),
        cmocka_unit_test(a_crowd_that_takes_nothing_gives_way_at_once),
        cmocka_unit_test(who_has_ended_does_not_hold_the_queues_either),
        cmocka_unit_test(who_holds_the_queues_and_takes_them_slowly_may_go_on),
        cmocka_unit_test(a_crowd_of_short_queues_keeps_nobody_from_an_answer),
        cmocka_unit_test(a_publication_to_all_that_read_cuts_nobody),
        cmocka_unit_test(whose_queue_only_waits_for_the_end_of_the_turn_is_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
