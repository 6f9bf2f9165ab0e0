/* SPDX-License-Identifier: MIT */
/* What is published to many reaches them in shares, and everything may happen between two of them:
 * who gets what, and in which order, is what it would be if each publication were one step. A model
 * says so for peers of every transport; shares are one to three subscribers, so each is cut. */
#define _GNU_SOURCE
#include "rig.h"

#include "serve/session.h"

enum {
    PEERS = 28,
    SLOW = 8, /* the last of them: they seldom read, and are written much to */
    TOPICS = 6,
    BIG = TOPICS - 1, /* of the slow ones alone */
    IDS = 60000,
    BUFFER = 1 << 20,
    ANY = -1
};

typedef enum kind { PLAIN, DEFLATE, STREAM, BARE, KINDS } kind;

/* What a run is about, beside the order. */
typedef enum theme {
    POLICIES, /* something is published to the slow ones alone, in a log that holds all of it */
    SHORT,    /* short messages in a small log */
    LONG      /* it is overtaken while a batch is under way, and some are too long for it; so nobody
                 resumes */
} theme;

typedef struct direct {
    int id;
    int behind; /* so many publications come before it; ANY: it is fed from the log meanwhile */
} direct;

typedef struct peer {
    int fd; /* -1: none */
    kind kind;
    tusk_handle handle;
    tusk_overflow overflow;
    bool open;    /* may be written to */
    bool ends;    /* the server was told to end it */
    bool unknown; /* when it ends, what it gets may be less than what was expected */
    bool subscribed[TOPICS];
    int pubs[IDS], pub_count, pub_got;
    direct directs[IDS];
    int direct_count, direct_got;
    int last;  /* slow: newest that it got */
    int since; /* slow: came when this was the newest */
    uint8_t bytes[BUFFER];
    size_t len;
} peer;

static struct {
    rig r;
    uint64_t seed;
    peer peers[PEERS];
    struct {
        int topic;
        int except; /* peer; -1: nobody */
        tusk_handle excepted;
        tusk_position position;
    } log[IDS];
    int ids;
    int newest[TOPICS];
    theme theme;
    unsigned cut, several;
} m;

static unsigned dice(unsigned sides)
{
    return (unsigned)(test_random(&m.seed) % sides);
}

static bool is_slow(const peer *it)
{
    return it >= m.peers + PEERS - SLOW;
}

static tusk_bytes topic_of(int topic)
{
    static const char *const names[TOPICS] = {"all", "most", "half", "few", "one", "big"};
    return tusk_bytes_str(names[topic]);
}

static peer *peer_of(tusk_handle handle)
{
    for (int i = 0; i < PEERS; i++) {
        peer *it = &m.peers[i];
        if (it->handle.slot == handle.slot && it->handle.generation == handle.generation) {
            return it;
        }
    }
    return NULL;
}

static bool is_fed(const peer *it)
{
    const tusk_session *session = tusk__session_find(m.r.server, it->handle);
    return session != NULL && session->member != NULL && session->member->behind_count > 0;
}

/* ---- what an owner does ---- */

static tusk_bytes text_of(char *text, char sort, size_t padding)
{
    int len = sprintf(text, "%c%d;", sort, m.ids);
    memset(text + len, '.', padding);
    return tusk_bytes_of(text, (size_t)len + padding);
}

static bool wants(const peer *it, int id)
{
    return it->open && it->subscribed[m.log[id].topic] &&
           (it->handle.slot != m.log[id].excepted.slot ||
            it->handle.generation != m.log[id].excepted.generation);
}

static size_t some_padding(int topic)
{
    if (topic == BIG) {
        return 4000 + dice(8000);
    }
    return m.theme != LONG ? dice(40) : dice(100) == 0 ? 33000 : dice(5000);
}

static void publish(int topic, const peer *except)
{
    static char text[40000];
    int id = m.ids;
    tusk_publication what = {.topic = topic_of(topic), .opcode = TUSK_WS_TEXT};
    what.data = text_of(text, 'p', some_padding(topic));
    m.log[id].topic = topic;
    m.log[id].excepted = what.except = except == NULL ? (tusk_handle){0, 0} : except->handle;
    m.newest[topic] = id;
    m.ids++;
    assert_err(tusk_server_publish(m.r.server, &what, &m.log[id].position), TUSK_OK);
    for (int i = 0; i < PEERS - SLOW; i++) {
        if (wants(&m.peers[i], id)) {
            m.peers[i].pubs[m.peers[i].pub_count++] = id;
        }
    }
}

static void write_to(peer *it)
{
    char text[64];
    tusk_bytes payload = text_of(text, 'd', dice(10));
    bool web = it->kind == PLAIN || it->kind == DEFLATE;
    int behind = is_fed(it) ? ANY : it->pub_count;
    tusk_err err =
        web ? tusk_websocket_send(m.r.server, it->handle, TUSK_WS_TEXT, payload, NULL, NULL)
            : tusk_stream_send(m.r.server, it->handle, tusk_bytes_of(NULL, 0),
                               tusk_bytes_of(NULL, 0), false, payload);
    if (err == TUSK_OK) {
        it->directs[it->direct_count++] = (direct){m.ids++, behind};
    } else {
        assert_true(is_slow(it));
    }
}

/* Recent enough that the smallest log has it. */
static int some_past(void)
{
    return m.ids - 1 - (int)dice(30);
}

static void subscribe(peer *it, int topic, bool resumes)
{
    /* with it a publication that comes while old ones are read takes their place */
    bool conflates = it->overflow == TUSK_OVERFLOW_CONFLATE;
    int past = resumes && !conflates && m.theme != LONG ? some_past() : -1;
    if (past < 0 || m.log[past].position.offset == 0 || is_fed(it)) {
        assert_err(
            tusk_session_subscribe(m.r.server, it->handle, topic_of(topic), NULL, it->overflow),
            TUSK_OK);
        it->subscribed[topic] = true;
        return;
    }
    assert_err(tusk_session_subscribe(m.r.server, it->handle, topic_of(topic),
                                      &m.log[past].position, it->overflow),
               TUSK_OK);
    it->subscribed[topic] = true;
    for (int id = past + 1; id < m.ids; id++) {
        if (m.log[id].position.offset > 0 && m.log[id].topic == topic && wants(it, id)) {
            it->pubs[it->pub_count++] = id;
        }
    }
}

static void unsubscribe(peer *it, int topic)
{
    if (!is_fed(it)) {
        tusk_err err = tusk_session_unsubscribe(m.r.server, it->handle, topic_of(topic));
        assert_err(err, it->subscribed[topic] ? TUSK_OK : TUSK_ENOENT);
        it->subscribed[topic] = false;
    }
}

static void end(peer *it)
{
    it->unknown = is_fed(it) || is_slow(it);
    it->ends = true;
    bool web = it->kind == PLAIN || it->kind == DEFLATE;
    tusk_err err = web ? tusk_websocket_close(m.r.server, it->handle, 1000, tusk_bytes_str("bye"))
                       : tusk_stream_close(m.r.server, it->handle);
    assert_true(err == TUSK_OK || is_slow(it));
    it->open = false;
}

static void act(void)
{
    peer *it = &m.peers[dice(PEERS)];
    int topic = (int)dice(BIG);
    unsigned what = dice(100);
    if (what < 45) {
        publish(what < 25 ? 0 : topic, what % 8 == 0 && it->open ? it : NULL);
    } else if (what < 50) {
        publish(m.theme == POLICIES ? BIG : 0, NULL);
    } else if (!it->open) {
        return;
    } else if (what < 75) {
        write_to(it);
    } else if (is_slow(it)) {
        if (what == 99 && dice(4) == 0) {
            end(it);
        }
    } else if (what < 85) {
        /* few subscribe to "few", and one or two to "one" */
        subscribe(it, (it - m.peers) % 5 < 2 || topic < 3 ? topic : 0, dice(2) == 0);
    } else if (what < 92) {
        unsubscribe(it, topic);
    } else if (what < 94) {
        end(it);
    } else if (what == 94) {
        it->open = false;
        it->ends = it->unknown = true;
        tusk_session_terminate(m.r.server, it->handle);
    }
}

static void on_open(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    (void)user;
    (void)route;
    (void)request;
    m.r.last = session;
}

static void on_message(void *user, tusk_handle session, void *route, uint8_t opcode,
                       tusk_bytes payload, void *taken)
{
    (void)user;
    (void)session;
    (void)route;
    (void)opcode;
    (void)payload;
    tusk_payload_drop(m.r.server, taken);
    act();
}

static void on_close(void *user, tusk_handle session, void *route, uint16_t code, tusk_bytes reason,
                     tusk_close_kind close_kind, void *session_user)
{
    peer *it = peer_of(session);
    (void)user;
    (void)route;
    (void)code;
    (void)reason;
    (void)close_kind;
    (void)session_user;
    if (it != NULL) {
        it->open = false;
    }
    publish((int)dice(BIG), NULL);
}

static const tusk_server_handler handler = {.on_request = rig_on_request,
                                            .on_authorize = rig_on_authorize,
                                            .on_open = on_open,
                                            .on_message = on_message,
                                            .on_close = on_close};

/* ---- what peers get ---- */

static void got_publication(peer *it, int id)
{
    if (is_slow(it)) {
        assert_true(id > it->last && id >= it->since);
        assert_true(it->subscribed[m.log[id].topic]);
        it->last = id;
        return;
    }
    assert_true(it->pub_got < it->pub_count);
    assert_int_equal(id, it->pubs[it->pub_got]);
    it->pub_got++;
}

static void got_direct(peer *it, int id)
{
    assert_true(it->direct_got < it->direct_count);
    const direct *expected = &it->directs[it->direct_got++];
    assert_int_equal(id, expected->id);
    assert_true(is_slow(it) || expected->behind == ANY || expected->behind == it->pub_got);
}

static void got(peer *it, const uint8_t *text)
{
    assert_true(text[0] == 'p' || text[0] == 'd');
    int id = atoi((const char *)text + 1);
    if (text[0] == 'p') {
        got_publication(it, id);
    } else {
        got_direct(it, id);
    }
}

/* The bytes of one frame; 0: not whole yet. */
static size_t take_frame(peer *it, const uint8_t *at, size_t len, bool *closed)
{
    size_t head = len < 2 ? 0 : at[1] < 126 ? 2 : 4;
    size_t size = head == 0 || len < head ? 0 : head == 2 ? at[1] : (size_t)at[2] << 8 | at[3];
    if (head == 0 || len < head + size) {
        return 0;
    }
    assert_true(at[1] <= 126);
    if (at[0] == 0x81) {
        got(it, at + head);
    } else {
        assert_int_equal(at[0], 0x88);
        *closed = true;
    }
    return head + size;
}

static size_t take_line(peer *it, const uint8_t *at, size_t len)
{
    const uint8_t *end_of_line = memchr(at, '\n', len);
    if (end_of_line == NULL) {
        return 0;
    }
    if (len > 6 && memcmp(at, "data: ", 6) == 0) {
        got(it, at + 6);
    }
    return (size_t)(end_of_line - at) + 1;
}

/* Also of what the server ended: nothing is missing of what was published before. */
static void leave(peer *it)
{
    if (!it->unknown) {
        assert_true(it->ends);
        assert_int_equal(it->pub_got, it->pub_count);
        assert_int_equal(it->direct_got, it->direct_count);
    }
    close(it->fd);
    it->fd = -1;
    it->open = false;
}

static void hear(peer *it)
{
    ssize_t n;
    bool closed = false;
    while ((n = read(it->fd, it->bytes + it->len, BUFFER - it->len)) > 0) {
        it->len += (size_t)n;
    }
    closed = n == 0 || (n < 0 && errno != EAGAIN);
    size_t at = 0;
    size_t taken;
    do {
        bool web = it->kind == PLAIN || it->kind == DEFLATE;
        taken = web ? take_frame(it, it->bytes + at, it->len - at, &closed)
                    : take_line(it, it->bytes + at, it->len - at);
        at += taken;
    } while (taken > 0);
    memmove(it->bytes, it->bytes + at, it->len - at);
    it->len -= at;
    if (closed) {
        leave(it);
    }
}

static int come(kind which)
{
    char text[2048];
    if (which == PLAIN || which == STREAM) {
        return which == PLAIN ? rig_websocket(&m.r) : rig_stream(&m.r);
    }
    int fd = rig_connect(&m.r);
    int len = which == BARE
                  ? sprintf(text, "GET /events HTTP/1.0\r\nHost: x\r\n\r\n")
                  : sprintf(text, "%.*sSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
                            (int)sizeof(rig_upgrade) - 3, rig_upgrade);
    rig_write(fd, text, (size_t)len);
    rig_turn(&m.r, 3);
    assert_true(rig_read(fd, text, sizeof(text)) > 0);
    return fd;
}

static void enter(peer *it)
{
    bool slow = is_slow(it);
    it->kind = slow ? (dice(2) == 0 ? PLAIN : STREAM) : (kind)dice(KINDS);
    it->kind = it->kind == DEFLATE && m.theme == LONG ? PLAIN : it->kind; /* it would be packed */
    it->overflow = m.theme == LONG ? TUSK_OVERFLOW_CLOSE
                   : slow          ? (tusk_overflow)((it - m.peers) % 4)
                                   : (tusk_overflow)dice(4);
    it->handle = (tusk_handle){0, 0};
    it->fd = come(it->kind);
    it->handle = m.r.last;
    it->open = true;
    it->ends = false;
    it->unknown = slow;
    it->pub_count = it->pub_got = it->direct_count = it->direct_got = 0;
    it->len = 0;
    it->last = -1;
    it->since = m.ids;
    memset(it->subscribed, 0, sizeof(it->subscribed));
    subscribe(it, 0, !slow && dice(2) == 0);
    if (slow) {
        subscribe(it, BIG, false);
    }
}

/* ---- runs ---- */

/* Now a publication in several turns, now several in one. */
static void step(int number)
{
    for (unsigned i = dice(number / 200 % 2 == 0 ? 2 : 4); i > 0; i--) {
        act();
    }
    for (int i = 0; i < PEERS; i++) {
        peer *it = &m.peers[i];
        if (it->fd < 0) {
            enter(it);
        } else if (it->open && it->kind == PLAIN && dice(30) == 0) {
            rig_send(it->fd, 0x81, "go", 2);
        } else if (!is_slow(it) && dice(400) == 0) {
            it->ends = it->unknown = true;
            leave(it);
        }
    }
    rig_turn(&m.r, 1);
    m.cut += m.r.server->hub.under_way > 0;
    m.several += m.r.server->hub.under_way > 1;
    for (int i = 0; i < PEERS; i++) {
        if (m.peers[i].fd >= 0 && dice(is_slow(&m.peers[i]) ? 600 : 2) == 0) {
            hear(&m.peers[i]);
        }
    }
}

static void settle(void)
{
    for (int i = 0; i < 3000; i++) {
        rig_turn(&m.r, 1);
        for (int k = 0; k < PEERS; k++) {
            if (m.peers[k].fd >= 0) {
                hear(&m.peers[k]);
            }
        }
    }
    for (int i = 0; i < PEERS; i++) {
        peer *it = &m.peers[i];
        bool keeps_newest =
            it->overflow == TUSK_OVERFLOW_DROP_OLDEST || it->overflow == TUSK_OVERFLOW_CONFLATE;
        if (it->open && !is_slow(it)) {
            assert_int_equal(it->pub_got, it->pub_count);
            assert_int_equal(it->direct_got, it->direct_count);
        } else if (it->open && keeps_newest && m.newest[0] > it->since &&
                   m.newest[BIG] > it->since) {
            int newest = m.newest[0] > m.newest[BIG] ? m.newest[0] : m.newest[BIG];
            assert_true(it->last == newest || m.log[newest].excepted.generation != 0);
        }
    }
}

static void run(unsigned seed, unsigned share, theme what, tusk_server_stats *sum)
{
    enum { STEPS = 3000 };
    tusk_server_limits limits;
    still_begin(); /* so that a seed is the same run everywhere */
    memset(&m, 0, sizeof(m));
    m.seed = seed;
    m.theme = what;
    tusk_server_limits_default(&limits);
    limits.history_bytes = what == POLICIES ? (size_t)64 << 20 : (size_t)64 << 10;
    limits.queued_bytes = what == LONG ? 8 << 20 : 128 << 10;
    rig_init(&m.r, &limits);
    m.r.server->handler = &handler;
    m.r.server->hub.share = share;
    for (int i = 0; i < PEERS; i++) {
        m.peers[i].fd = -1;
    }
    for (int i = 0; i < STEPS; i++) {
        step(i);
    }
    settle();
    tusk_server_stats stats;
    tusk_server_stats_get(m.r.server, &stats);
    sum->dropped_oldest += stats.dropped_oldest;
    sum->dropped_newest += stats.dropped_newest;
    sum->conflated += stats.conflated;
    sum->overflow_closed += stats.overflow_closed;
    assert_true(m.cut > STEPS / 4); /* or nothing was tried */
    assert_true(m.several > STEPS / 40);
    assert_int_equal(stats.resets_sent, 0);
    for (int i = 0; i < PEERS; i++) {
        if (m.peers[i].fd >= 0) {
            close(m.peers[i].fd);
        }
    }
    rig_turn(&m.r, 3);
    rig_fini(&m.r);
    still_end();
}

/* What it sums is what the policies did. */
static tusk_server_stats run_all(theme what)
{
    tusk_server_stats sum = {0};
    for (unsigned share = 1; share <= 3; share++) {
        run(share, share, what, &sum);
    }
    return sum;
}

static void each_peer_gets_what_the_model_says(void **state)
{
    (void)state;
    tusk_server_stats sum = run_all(POLICIES);
    assert_true(sum.dropped_oldest > 0);
    assert_true(sum.dropped_newest > 0);
    assert_true(sum.conflated > 0);
    assert_true(sum.overflow_closed > 0);
}

static void and_from_a_small_log(void **state)
{
    (void)state;
    (void)run_all(SHORT);
}

static void and_what_a_log_has_let_go_meanwhile(void **state)
{
    (void)state;
    (void)run_all(LONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_peer_gets_what_the_model_says),
        cmocka_unit_test(and_from_a_small_log),
        cmocka_unit_test(and_what_a_log_has_let_go_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
