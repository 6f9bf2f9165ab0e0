/* SPDX-License-Identifier: MIT */
/* Chaos: many connections, owners and peers doing anything at any time, the promises checked
 * throughout. */
#define _GNU_SOURCE
#include "net/conn.h"

#include "tls_pair.h"

enum { LIVES = 6, STEPS = 20000 };

typedef struct life {
    owner *owner;
    int peer;
    owner *client;  /* over TLS the peer is one of ours, too */
    uint64_t sent;  /* by the peer, in order; what arrives must be this without a gap */
    uint64_t taken; /* by the owner */
    bool in_callback;
    bool wants_drain;
    unsigned parks;
} life;

static life lives[LIVES];
static uint64_t seed;
static int file;
static int files_out;

static life *life_of(const owner *self)
{
    for (int i = 0; i < LIVES; i++) {
        if (lives[i].owner == self) {
            return &lives[i];
        }
    }
    fail_msg("a callback for a connection that is no more");
    return NULL;
}

static unsigned dice(unsigned sides)
{
    return (unsigned)(test_random(&seed) % sides);
}

static void file_back(void *count)
{
    --*(int *)count;
}

/* Something an owner may do at any time, also in any callback and after the end. */
static void act(life *self)
{
    static uint8_t bytes[70000];
    tusk_conn *conn = &self->owner->conn;
    tusk_blob *blob;
    switch (dice(20)) {
    case 0:
    case 1: (void)tusk_conn_append(conn, bytes, dice(3000)); break;
    case 2: (void)tusk_conn_append(conn, bytes, dice(70000)); break;
    case 3:
        if (tusk_conn_reserve(conn, 100) != NULL && dice(4) != 0) {
            tusk_conn_commit(conn, dice(101));
        }
        break;
    case 4:
        assert_err(tusk_blob_dup(&blob, &t.mem.mem, tusk_bytes_of(bytes, dice(20000))), TUSK_OK);
        (void)tusk_conn_append_blob(conn, blob);
        tusk_blob_unref(blob);
        break;
    case 5:
        if (tusk_conn_append_file(conn, file, dice(1000), dice(20000), file_back, &files_out) ==
            TUSK_OK) {
            files_out++;
        }
        break;
    case 6: tusk_conn_flush(conn); break;
    case 7:
    case 8: tusk_conn_pause(conn); break;
    case 9:
    case 10:
    case 11: tusk_conn_resume(conn); break;
    case 12:
        if (self->parks < 3) {
            self->parks++;
            tusk_conn_park(conn);
        }
        break;
    case 13:
    case 14:
        if (self->parks > 0) {
            self->parks--;
            tusk_conn_unpark(conn);
        }
        break;
    case 15: tusk_conn_again(conn); break;
    case 16:
        if (dice(10) == 0) {
            tusk_conn_finish(conn);
        }
        break;
    case 17:
        if (dice(20) == 0) {
            tusk_conn_abort(conn, TUSK_EPOLICY);
        }
        break;
    case 18:
        if (dice(20) == 0) {
            tusk_conn_end(conn);
        }
        break;
    default: conn->low_water = dice(30000);
    }
}

static life *enter(owner *self)
{
    life *it = life_of(self);
    assert_false(it->in_callback);
    assert_true(self->closes == 0 || self->conn.state == CONN_CLOSED);
    it->in_callback = true;
    return it;
}

static void leave(life *it)
{
    while (dice(3) == 0) {
        act(dice(4) == 0 ? &lives[dice(LIVES)] : it);
    }
    it->in_callback = false;
}

static void in_data(owner *self)
{
    life *it = enter(self);
    assert_int_equal(self->conn.parked, 0);
    while (tusk_conn_in(&self->conn).len > 0 && dice(8) != 0) {
        tusk_bytes in = tusk_conn_in(&self->conn);
        size_t len = dice(3) == 0 ? in.len : dice((unsigned)in.len + 1);
        assert_pattern(in.ptr, it->taken, len);
        it->taken += len;
        tusk_conn_consume(&self->conn, len);
        if (dice(6) == 0) {
            act(it);
        }
    }
    leave(it);
    if (!self->conn.detached && dice(20) == 0) {
        tusk_conn_detach(&self->conn);
    }
}

static void in_eof(owner *self)
{
    life *it = enter(self);
    assert_int_equal(self->eofs, 1);
    assert_int_equal(self->conn.parked, 0);
    if (dice(2) == 0) {
        tusk_conn_finish(&self->conn);
    }
    leave(it);
}

static void in_drain(owner *self)
{
    life *it = enter(self);
    assert_int_equal(self->conn.parked, 0);
    assert_true(tusk_conn_open(&self->conn));
    leave(it);
}

static void in_close(owner *self)
{
    life *it = enter(self);
    assert_int_equal(self->closes, 1);
    assert_int_equal(self->conn.parked, 0);
    assert_int_equal(self->conn.state, CONN_CLOSED);
    leave(it);
}

static bool over_tls;

static void discard(owner *self)
{
    tusk_conn_consume(&self->conn, tusk_conn_in(&self->conn).len);
}

static void begin_client(life *it, tusk_filter **server_filter)
{
    tusk_filter *filter;
    assert_err(tusk_tls_filter_new(server_filter, p.server_tls, NULL), TUSK_OK);
    assert_err(tusk_tls_filter_new(&filter, p.client_tls, NULL), TUSK_OK);
    it->client = calloc(1, sizeof(owner));
    it->client->in_data = discard;
    assert_err(tusk_conn_init(&it->client->conn, t.net, it->peer, filter, &owner_ops), TUSK_OK);
    it->peer = -1;
}

static void client_acts(life *it)
{
    uint8_t bytes[30000];
    tusk_conn *conn = &it->client->conn;
    switch (dice(12)) {
    case 0:
    case 1:
    case 2:
    case 3: {
        size_t len = 1 + dice(dice(5) == 0 ? sizeof(bytes) - 1 : 200);
        pattern(bytes, it->sent, len);
        it->sent +=
            conn->send_bytes < 200000 && tusk_conn_append(conn, bytes, len) == TUSK_OK ? len : 0;
        break;
    }
    case 4: tusk_conn_pause(conn); break;
    case 5:
        if (dice(30) == 0) {
            tusk_conn_finish(conn);
        }
        break;
    case 6:
        if (dice(60) == 0) {
            tusk_conn_abort(conn, TUSK_OK);
        }
        break;
    default: tusk_conn_resume(conn);
    }
}

static void begin(life *it)
{
    tusk_filter *filter = NULL;
    int fds[2];
    int bytes = 1 << (12 + dice(6));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    (void)setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
    memset(it, 0, sizeof(*it));
    it->peer = fds[1];
    it->owner = calloc(1, sizeof(owner));
    it->owner->in_data = in_data;
    it->owner->in_eof = in_eof;
    it->owner->in_drain = in_drain;
    it->owner->in_close = in_close;
    static tusk_conn_ops ops;
    ops = owner_ops;
    ops.landing = NULL;
    ops.on_landed = NULL;
    if (over_tls) {
        begin_client(it, &filter);
    }
    assert_err(tusk_conn_init(&it->owner->conn, t.net, fds[0], filter, &ops), TUSK_OK);
}

static void peer_acts(life *it)
{
    uint8_t bytes[30000];
    size_t len;
    ssize_t done;
    if (it->client != NULL) {
        client_acts(it);
        return;
    }
    if (it->peer < 0) {
        return;
    }
    switch (dice(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        len = 1 + dice(dice(5) == 0 ? sizeof(bytes) - 1 : 200);
        pattern(bytes, it->sent, len);
        done = send(it->peer, bytes, len, MSG_NOSIGNAL);
        it->sent += done > 0 ? (uint64_t)done : 0;
        break;
    case 5:
        if (dice(30) == 0) {
            (void)shutdown(it->peer, SHUT_WR);
        }
        break;
    case 6:
        if (dice(30) == 0) {
            close(it->peer);
            it->peer = -1;
        }
        break;
    default: (void)recv(it->peer, bytes, 1 + dice(sizeof(bytes) - 1), 0);
    }
}

static void end_life(life *it)
{
    if (it->client != NULL) {
        tusk_conn_abort(&it->client->conn, TUSK_OK);
        turns(2);
        assert_int_equal(it->client->closes, 1);
        assert_int_equal(it->client->releases, 1);
        free(it->client);
        it->client = NULL;
    }
    if (it->peer >= 0) {
        close(it->peer);
    }
    free(it->owner);
    it->owner = NULL;
}

static void do_anything(void)
{
    int ended = 0;
    FILE *stream = tmpfile();
    file = fileno(stream);
    assert_int_equal(ftruncate(file, 30000), 0);
    for (seed = 1; seed < 6; seed++) {
        uint64_t keep = seed;
        seed *= UINT64_C(0x9E3779B97F4A7C15);
        for (int i = 0; i < LIVES; i++) {
            begin(&lives[i]);
        }
        for (int step = 0; step < STEPS; step++) {
            life *it = &lives[dice(LIVES)];
            if (dice(2) == 0) {
                peer_acts(it);
            } else if (dice(3) == 0) {
                act(it);
            } else {
                turns(1);
            }
            for (int i = 0; i < LIVES; i++) {
                assert_true(lives[i].taken <= lives[i].sent);
                if (lives[i].owner->releases == 1) {
                    end_life(&lives[i]);
                    begin(&lives[i]);
                    ended++;
                }
            }
        }
        for (int i = 0; i < LIVES; i++) {
            while (lives[i].parks > 0) {
                lives[i].parks--;
                tusk_conn_unpark(&lives[i].owner->conn);
            }
            lives[i].owner->in_data = NULL;
            lives[i].owner->in_eof = NULL;
            lives[i].owner->in_drain = NULL;
            lives[i].owner->in_close = NULL;
            tusk_conn_abort(&lives[i].owner->conn, TUSK_OK);
            tusk_conn_abort(&lives[i].owner->conn, TUSK_OK);
        }
        turns(2);
        for (int i = 0; i < LIVES; i++) {
            assert_int_equal(lives[i].owner->closes, 1);
            assert_int_equal(lives[i].owner->releases, 1);
            end_life(&lives[i]);
        }
        assert_int_equal(files_out, 0);
        assert_int_equal(tusk_net_queued(t.net), 0);
        seed = keep;
    }
    assert_true(ended > 100);
    (void)fclose(stream);
}

static void everything_at_any_time_keeps_every_promise(void **state)
{
    (void)state;
    over_tls = false;
    do_anything();
}

static void over_tls_as_well(void **state)
{
    (void)state;
    if (tusk_tls_library() == NULL) {
        return;
    }
    over_tls = true;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    do_anything();
    tusk_tls_unref(p.server_tls);
    tusk_tls_unref(p.client_tls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_at_any_time_keeps_every_promise, net_set_up,
                                        net_tear_down),
        cmocka_unit_test_setup_teardown(over_tls_as_well, net_set_up, net_tear_down),
    };
    if (tusk_tls_library() != NULL) {
        (void)make_files(NULL);
    }
    int failed = TEST_RUN_ALSO_IN_BATCHES("net/conn_chaos", tests);
    if (tusk_tls_library() != NULL) {
        (void)remove_files(NULL);
    }
    return failed;
}
