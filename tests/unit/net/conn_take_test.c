/* SPDX-License-Identifier: MIT */
/* A socket that goes on without its connection: nothing that was under way is lost. */
#define _GNU_SOURCE
#include "net/conn.h"

#include <sys/mman.h>

#include "net/tls.h"
#include "owner.h"

static void nothing(owner *self)
{
    (void)self;
}

/* The connection is over for its owner, once, and its socket is not closed. */
static void expect_left(const tusk_conn_taken *taken)
{
    assert_true(taken->fd >= 0);
    assert_false(tusk_conn_open(&t.owner->conn));
    assert_int_equal(tusk_conn_in(&t.owner->conn).len, 0);
    assert_err(tusk_conn_append(&t.owner->conn, "x", 1), TUSK_ESTATE);
    turns(2);
    assert_int_equal(t.owner->closes, 1);
    assert_int_equal(t.owner->releases, 1);
    assert_err(t.owner->why, TUSK_OK);
    assert_int_equal(tusk_net_queued(t.net), 0);
    assert_int_equal(tusk_net_rests(t.net), 0);
    assert_int_equal(write(taken->fd, "mine", 4), 4);
    hear("mine");
    say("yours");
    char heard[8];
    assert_int_equal(read(taken->fd, heard, sizeof(heard)), 5);
}

static void give_back(tusk_conn_taken *taken)
{
    (void)close(taken->fd);
    tusk_conn_taken_fini(taken);
}

static void an_idle_connection_leaves_its_socket_and_nothing_else(void **state)
{
    (void)state;
    tusk_conn_taken taken;
    size_t requests = t.mem.requests;
    assert_err(tusk_conn_take(&t.owner->conn, &taken), TUSK_OK);
    assert_int_equal(t.mem.requests, requests);
    assert_int_equal(taken.unread.len + taken.unsent.len, 0);
    expect_left(&taken);
    give_back(&taken);
}

static void what_was_not_read_is_handed_over(void **state)
{
    (void)state;
    tusk_conn_taken taken;
    t.owner->take_max = 4;
    say("headrest of it");
    turns(1);
    assert_err(tusk_conn_take(&t.owner->conn, &taken), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&taken.unread), TEST_BYTES("rest of it"));
    assert_int_equal(taken.unsent.len, 0);
    expect_left(&taken);
    give_back(&taken);
}

static void what_was_queued_leaves_first(void **state)
{
    (void)state;
    tusk_conn_taken taken;
    assert_err(tusk_conn_append(&t.owner->conn, "101", 3), TUSK_OK);
    assert_err(tusk_conn_take(&t.owner->conn, &taken), TUSK_OK);
    hear("101");
    assert_int_equal(taken.unsent.len, 0);
    expect_left(&taken);
    give_back(&taken);
}

/* Segments of every kind, and of the first only a part has left. */
static void what_does_not_leave_is_handed_over_in_order(void **state)
{
    static uint8_t all[1500000];
    static uint8_t got[sizeof(all)];
    (void)state;
    tusk_conn_taken taken;
    pattern(all, 0, sizeof(all));
    tusk_blob *blob;
    uint8_t *place;
    assert_err(tusk_blob_new(&blob, &t.mem.mem, 400000, &place), TUSK_OK);
    memcpy(place, all + 1000000, 400000);
    assert_err(tusk_conn_append(&t.owner->conn, all, 500), TUSK_OK);
    assert_err(tusk_conn_append(&t.owner->conn, all + 500, 999500), TUSK_OK);
    assert_err(tusk_conn_append_blob(&t.owner->conn, blob), TUSK_OK);
    assert_err(tusk_conn_append(&t.owner->conn, all + 1400000, 100000), TUSK_OK);
    tusk_blob_unref(blob);
    turns(1);
    assert_err(tusk_conn_take(&t.owner->conn, &taken), TUSK_OK);
    tusk_bytes rest = tusk_buf_view(&taken.unsent);
    size_t left = sizeof(all) - rest.len;
    assert_true(rest.len > 0 && left > 0);
    assert_pattern(rest.ptr, left, rest.len);
    size_t at = 0;
    ssize_t len;
    while ((len = read(t.peer, got + at, sizeof(got) - at)) > 0) {
        at += (size_t)len;
    }
    assert_int_equal(at, left);
    assert_pattern(got, 0, left);
    expect_left(&taken);
    give_back(&taken);
}

static tusk_conn_taken *taken_inside;

static void take_inside(owner *self)
{
    tusk_bytes in = tusk_conn_in(&self->conn);
    tusk_conn_consume(&self->conn, 2);
    assert_err(tusk_conn_take(&self->conn, taken_inside), TUSK_OK);
    assert_bytes_equal(tusk_bytes_of(in.ptr, in.len), TEST_BYTES("abcd")); /* until this returns */
}

static void it_may_be_taken_inside_of_a_callback(void **state)
{
    (void)state;
    tusk_conn_taken taken;
    taken_inside = &taken;
    t.owner->in_data = take_inside;
    say("abcd");
    turns(1);
    assert_bytes_equal(tusk_buf_view(&taken.unread), TEST_BYTES("cd"));
    expect_left(&taken);
    give_back(&taken);
}

static void an_end_that_was_seen_is_seen_again(void **state)
{
    (void)state;
    char byte;
    tusk_conn_taken taken;
    say("last");
    assert_int_equal(shutdown(t.peer, SHUT_WR), 0);
    turns(3);
    assert_int_equal(t.owner->eofs, 1);
    assert_err(tusk_conn_take(&t.owner->conn, &taken), TUSK_OK);
    assert_int_equal(read(taken.fd, &byte, 1), 0);
    give_back(&taken);
}

static void expect_kept(tusk_err why)
{
    tusk_conn_taken taken;
    assert_err(tusk_conn_take(&t.owner->conn, &taken), why);
    assert_int_equal(taken.fd, -1);
    assert_int_equal(taken.unread.len + taken.unsent.len, 0);
    assert_true(tusk_conn_open(&t.owner->conn));
}

static void let_go(void *user)
{
    (*(int *)user)++;
}

static void what_is_more_than_bytes_is_not_handed_over(void **state)
{
    (void)state;
    int released = 0;
    tusk_conn_park(&t.owner->conn);
    expect_kept(TUSK_ESTATE);
    tusk_conn_unpark(&t.owner->conn);
    int file = memfd_create("file", 0);
    assert_int_equal(write(file, "file", 4), 4);
    assert_err(tusk_conn_append_file(&t.owner->conn, file, 0, 4, let_go, &released), TUSK_OK);
    expect_kept(TUSK_ENOTSUP);
    turns(2);
    hear("file");
    assert_int_equal(released, 1);
    (void)close(file);
    tusk_conn_shutdown(&t.owner->conn);
    expect_kept(TUSK_ESTATE);
    turns(1);
    tusk_conn_abort(&t.owner->conn, TUSK_OK);
    tusk_conn_taken taken;
    assert_err(tusk_conn_take(&t.owner->conn, &taken), TUSK_ESTATE);
}

static void who_is_found_gone_is_closed_and_not_handed_over(void **state)
{
    (void)state;
    tusk_conn_taken taken;
    t.owner->in_data = nothing;
    say("unread");
    turns(1);
    assert_err(tusk_conn_append(&t.owner->conn, "queued", 6), TUSK_OK);
    hang_up();
    assert_err(tusk_conn_take(&t.owner->conn, &taken), TUSK_ESTATE);
    assert_int_equal(taken.fd, -1);
    assert_int_equal(taken.unread.len, 0);
    turns(2);
    assert_int_equal(t.owner->closes, 1);
    assert_err(t.owner->why, TUSK_ERESET);
}

static void tls_says_no(void **state)
{
    (void)state;
    tusk_tls *tls;
    tusk_filter *filter;
    tusk_conn_taken taken;
    char reason[200];
    if (tusk_tls_library() == NULL) {
        skip();
    }
    assert_err(tusk_tls_client_new(&tls, &(tusk_tls_options){.verify_peer = false}, reason,
                                   sizeof(reason)),
               TUSK_OK);
    assert_err(tusk_tls_filter_new(&filter, tls, NULL), TUSK_OK);
    assert_err(tusk_conn_secure(&t.owner->conn, filter), TUSK_OK);
    t.owner->conn.state = CONN_OPEN; /* as after the handshake */
    assert_err(tusk_conn_take(&t.owner->conn, &taken), TUSK_ENOTSUP);
    tusk_tls_unref(tls);
}

static void without_memory_all_is_as_it_was(void **state)
{
    static uint8_t all[1000000];
    (void)state;
    t.owner->in_data = nothing;
    say("unread");
    turns(1);
    pattern(all, 0, sizeof(all));
    assert_err(tusk_conn_append(&t.owner->conn, all, sizeof(all)), TUSK_OK);
    turns(1);
    for (size_t n = 1; n <= 2; n++) {
        size_t held = t.mem.live_bytes;
        t.mem.fail_at = t.mem.requests + n;
        expect_kept(TUSK_ENOMEM);
        assert_int_equal(t.mem.live_bytes, held);
    }
    assert_bytes_equal(tusk_conn_in(&t.owner->conn), TEST_BYTES("unread"));
    tusk_conn_taken taken;
    assert_err(tusk_conn_take(&t.owner->conn, &taken), TUSK_OK);
    assert_bytes_equal(tusk_buf_view(&taken.unread), TEST_BYTES("unread"));
    give_back(&taken);
}

int main(void)
{
#define taken_test(name) cmocka_unit_test_setup_teardown(name, pair_set_up, net_tear_down)
    const struct CMUnitTest tests[] = {
        taken_test(an_idle_connection_leaves_its_socket_and_nothing_else),
        taken_test(what_was_not_read_is_handed_over),
        taken_test(what_was_queued_leaves_first),
        taken_test(what_does_not_leave_is_handed_over_in_order),
        taken_test(it_may_be_taken_inside_of_a_callback),
        taken_test(an_end_that_was_seen_is_seen_again),
        taken_test(what_is_more_than_bytes_is_not_handed_over),
        taken_test(who_is_found_gone_is_closed_and_not_handed_over),
        taken_test(tls_says_no),
        taken_test(without_memory_all_is_as_it_was),
    };
    return TEST_RUN_FOR_EACH_POLLER("net/conn_take", tests);
}
