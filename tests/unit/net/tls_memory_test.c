/* SPDX-License-Identifier: MIT */
/* OpenSSL's own requests for memory are refused, one after another: that ends the one connection it
 * happened to, with an error, and takes nothing from others, from the contexts or for good. */
#define _GNU_SOURCE
#include "net/tls.h"

#include "tls_pair.h"

#if defined(TUSK_HAVE_OPENSSL)

#include <openssl/crypto.h>
#include <openssl/err.h>

enum { MATTER_OF_ONE = 1 << 20 /* more requests than anything here makes */ };

/* ---- what OpenSSL has instead of malloc ---- */
static struct {
    size_t requests;
    size_t fail_at; /* 0: never */
    bool fail_all_after;
    size_t live;
} heap;

static bool refused(void)
{
    heap.requests++;
    return heap.fail_at != 0 &&
           (heap.fail_all_after ? heap.requests >= heap.fail_at : heap.requests == heap.fail_at);
}

static void *ssl_malloc(size_t size, const char *file, int line)
{
    void *block = size == 0 || refused() ? NULL : malloc(size);
    heap.live += block != NULL;
    return block;
}

static void ssl_free(void *block, const char *file, int line)
{
    heap.live -= block != NULL;
    free(block);
}

static void *ssl_realloc(void *old, size_t size, const char *file, int line)
{
    if (old == NULL) {
        return ssl_malloc(size, file, line);
    }
    if (size == 0) {
        ssl_free(old, file, line);
        return NULL;
    }
    return refused() ? NULL : realloc(old, size);
}

/* Without memory for what a thread's errors are kept in, OpenSSL from 3.2 on calls itself for ever
 * or loses blocks: that is there before. */
static void refuse(size_t at, bool all_after)
{
    heap.fail_at = 0;
    if (at != 0 && OpenSSL_version_num() >= 0x30200000UL) {
        ERR_clear_error();
    }
    heap.requests = 0;
    heap.fail_at = at;
    heap.fail_all_after = all_after;
}

/* Whether the request that should be refused was made at all. */
static bool was_refused(void)
{
    bool was = heap.requests >= heap.fail_at;
    heap.fail_at = 0;
    return was;
}

/* ---- a conversation: two ends on one pair of sockets ---- */
typedef struct conversation {
    owner *server;
    owner *client;
} conversation;

/* NULL where there was no memory for the filter; the descriptor is taken in any case. */
static owner *try_end(tusk_tls *tls, const char *server_name, int fd)
{
    tusk_filter *filter;
    if (tusk_tls_filter_new(&filter, tls, server_name) != TUSK_OK) {
        assert_null(filter);
        close(fd);
        return NULL;
    }
    owner *self = owner_new();
    assert_err(tusk_conn_init(&self->conn, t.net, fd, filter, &owner_ops), TUSK_OK);
    self->adopted = true;
    return self;
}

static conversation converse(const char *server_name)
{
    int fds[2];
    conversation self;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    self.server = try_end(p.server_tls, NULL, fds[0]);
    self.client = try_end(p.client_tls, server_name, fds[1]);
    if (self.server != NULL) {
        self.server->in_data = echo;
        self.server->in_eof = finish;
    }
    return self;
}

static bool is_over(const owner *self)
{
    return self == NULL || self->closes > 0;
}

/* Says something when the connection is open; true once it came back. */
static bool has_echo(conversation *self, const char *text)
{
    owner *client = self->client;
    size_t len = strlen(text);
    client->got_len = 0;
    if (tusk_conn_append(&client->conn, text, len) == TUSK_OK) {
        TURN_UNTIL(is_over(client) || is_over(self->server) || client->got_len == len);
    }
    return client->got_len == len && memcmp(client->got, text, len) == 0;
}

static void end_conversation(conversation *self)
{
    owner *ends[] = {self->client, self->server};
    for (int i = 0; i < 2; i++) {
        if (ends[i] != NULL) {
            owner_end(ends[i]);
        }
    }
}

/* From the first byte to close_notify; true when nobody noticed anything. */
static bool whole_conversation(const char *server_name)
{
    conversation self = converse(server_name);
    bool good = self.server != NULL && self.client != NULL;
    if (good) {
        TURN_UNTIL((self.client->readies > 0 && self.server->readies > 0) || is_over(self.client) ||
                   is_over(self.server));
        good = !is_over(self.client) && !is_over(self.server) && has_echo(&self, "hello");
    }
    if (good) {
        tusk_conn_finish(&self.client->conn);
        TURN_UNTIL(is_over(self.client) && is_over(self.server));
        good = self.client->why == TUSK_OK && self.server->why == TUSK_OK;
    }
    end_conversation(&self);
    return good;
}

/* ---- the tests ---- */
static conversation bystander;
static char reason[300];

/* All that OpenSSL makes once in a process and keeps is there afterwards. */
static void open_bystander(const tusk_tls_options *server, const tusk_tls_options *client)
{
    contexts(server, client);
    assert_err(tusk_tls_add_certificate(p.server_tls, "exact.test", in_dir("exact.crt"),
                                        in_dir("exact.key"), NULL, reason, sizeof(reason)),
               TUSK_OK);
    for (int i = 0; i < 3; i++) {
        assert_true(whole_conversation("exact.test"));
    }
    bystander = converse("exact.test");
    TURN_UNTIL(bystander.client->readies > 0 && bystander.server->readies > 0);
}

/* Blocks without those that OpenSSL keeps for a thread: its last errors, random numbers. */
static size_t settled(void)
{
    OPENSSL_thread_stop();
    return heap.live;
}

static void refuse_each(bool all_after, size_t step)
{
    size_t n = 1;
    size_t survived = 0;
    assert_true(has_echo(&bystander, "here")); /* its client has the tickets with it */
    size_t before = settled();
    for (; n < MATTER_OF_ONE; n += step) {
        refuse(n, all_after);
        bool good = whole_conversation("exact.test");
        if (!was_refused()) {
            assert_true(good);
            break;
        }
        survived += good;
        if (!has_echo(&bystander, "still here")) {
            fail_msg("request %zu of OpenSSL refused: another connection is gone", n);
        }
        if (settled() > before) {
            fail_msg("request %zu of OpenSSL refused: %zu blocks are left", n, heap.live - before);
        }
    }
    print_message("%zu requests, each %zu. refused; %zu conversations survived it\n", n, step,
                  survived);
    assert_true(n > 100); /* OpenSSL does ask here */
    assert_true(whole_conversation("exact.test"));
    end_conversation(&bystander);
}

static void with_versions(int version, bool all_after, size_t step)
{
    open_bystander(&(tusk_tls_options){.max_version = version},
                   &(tusk_tls_options){.verify_peer = true, .ca_file = in_dir("all.pem")});
    refuse_each(all_after, step);
}

/* Every one of them takes half a minute: each fifth, and each eleventh where all behind it are
 * refused, too. Other places come up in the other version. */
static void each_request_refused_in_tls_13_ends_that_connection_only(void **state)
{
    (void)state;
    with_versions(13, false, 5);
}

static void each_request_refused_in_tls_12_ends_that_connection_only(void **state)
{
    (void)state;
    with_versions(12, false, 5);
}

static void all_requests_refused_from_one_on_end_that_connection_only(void **state)
{
    (void)state;
    with_versions(13, true, 11);
}

/* ---- contexts ---- */
static tusk_err make_server(tusk_tls **out)
{
    const tusk_tls_options options = {.certificate_file = in_dir("main.crt"),
                                      .key_file = in_dir("main.key"),
                                      .ciphers = "ECDHE+AESGCM"};
    return tusk_tls_server_new(out, &options, reason, sizeof(reason));
}

static tusk_err make_client(tusk_tls **out)
{
    const tusk_tls_options options = {.resume = true};
    return tusk_tls_client_new(out, &options, reason, sizeof(reason));
}

static void make_both(void)
{
    assert_err(make_server(&p.server_tls), TUSK_OK);
    assert_err(make_client(&p.client_tls), TUSK_OK);
    for (int i = 0; i < 3; i++) {
        assert_true(whole_conversation("exact.test"));
    }
}

/* Refuses each `step`-th request of making a context into `*place`. One that is made all the same
 * may serve nobody: OpenSSL takes an algorithm that it could not fetch for one that it has not. */
static void refuse_making(tusk_err (*make)(tusk_tls **out), tusk_tls **place, size_t step)
{
    tusk_tls *kept = *place;
    size_t n = 1;
    for (bool done = false; !done; n += step) {
        size_t before = settled();
        *place = NULL;
        refuse(n, false);
        tusk_err err = make(place);
        done = !was_refused();
        if (err == TUSK_OK) {
            bool good = whole_conversation("exact.test");
            assert_true(good || !done);
        } else {
            assert_false(done);
            assert_true(err == TUSK_ENOMEM || reason[0] != 0);
        }
        tusk_tls_unref(*place);
        if (settled() > before) {
            fail_msg("request %zu of OpenSSL refused: %zu blocks are left", n, heap.live - before);
        }
    }
    *place = kept;
    print_message("%zu requests\n", n);
    assert_true(n > 100);
    assert_true(whole_conversation("exact.test"));
}

static void a_server_context_without_memory_is_an_error_or_ends_single_connections(void **state)
{
    (void)state;
    make_both();
    refuse_making(make_server, &p.server_tls, 101);
}

static void a_client_context_without_memory_is_an_error_or_ends_single_connections(void **state)
{
    (void)state;
    make_both();
    refuse_making(make_client, &p.client_tls, 1);
}

static void a_reload_without_memory_leaves_what_was_there(void **state)
{
    (void)state;
    make_both();
    size_t n = 1;
    for (bool done = false; !done; n += 401) {
        refuse(n, false);
        tusk_err err = tusk_tls_reload(p.server_tls, reason, sizeof(reason));
        done = !was_refused();
        assert_true(err == TUSK_OK || !done);
        bool good = whole_conversation("exact.test");
        assert_true(good || (err == TUSK_OK && !done));
    }
    assert_true(n > 100);
}

/* Blocks of memory that a connection with this certificate of the client has, on both sides. */
static size_t blocks_with(const char *certificate, int version)
{
    contexts(&(tusk_tls_options){.verify_client = true, .ca_file = in_dir("client.crt")},
             &(tusk_tls_options){.certificate_file = in_dir(certificate),
                                 .key_file = in_dir("client.key"),
                                 .min_version = version,
                                 .max_version = version});
    size_t before = heap.live;
    open_pair("main.test");
    p.server->in_data = echo;
    assert_err(tusk_conn_append(&p.client->conn, "ping", 4), TUSK_OK);
    RELAY_UNTIL(SIZE_MAX, p.client->got_len == 4);
    size_t blocks = heap.live - before;
    tusk_certificate *shown;
    assert_err(tusk_filter_certificate(p.server->conn.filter, &shown), TUSK_OK);
    tusk_certificate_free(shown);
    end_pair();
    tusk_tls_unref(p.server_tls);
    tusk_tls_unref(p.client_tls);
    p.server_tls = NULL;
    p.client_tls = NULL;
    return blocks;
}

static void of_what_a_client_shows_its_own_certificate_alone_is_kept(void **state)
{
    (void)state;
    run("cat %s/client.crt > %s/long.crt; for i in 1 2 3 4 5 6 7 8 9 10; do cat %s/main.crt; "
        "done "
        ">> %s/long.crt",
        dir, dir, dir, dir);
    for (int version = 12; version <= 13; version++) {
        (void)blocks_with("client.crt", version); /* what OpenSSL makes once */
        size_t one = blocks_with("client.crt", version);
        assert_in_range(blocks_with("long.crt", version), 1, one + 20);
    }
}

int main(void)
{
    if (CRYPTO_set_mem_functions(ssl_malloc, ssl_realloc, ssl_free) != 1) {
        print_message("1..0 # SKIP this OpenSSL has asked for memory before main\n");
        return 0;
    }
#define MEMORY_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        MEMORY_TEST(each_request_refused_in_tls_13_ends_that_connection_only),
        MEMORY_TEST(each_request_refused_in_tls_12_ends_that_connection_only),
        MEMORY_TEST(all_requests_refused_from_one_on_end_that_connection_only),
        MEMORY_TEST(a_server_context_without_memory_is_an_error_or_ends_single_connections),
        MEMORY_TEST(a_client_context_without_memory_is_an_error_or_ends_single_connections),
        MEMORY_TEST(a_reload_without_memory_leaves_what_was_there),
        MEMORY_TEST(of_what_a_client_shows_its_own_certificate_alone_is_kept),
    };
    return cmocka_run_group_tests_name("net/tls_memory", tests, make_files, remove_files);
}

#else

int main(void)
{
    print_message("1..0 # SKIP this build has no TLS\n");
    return 0;
}

#endif
