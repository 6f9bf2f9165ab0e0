/* SPDX-License-Identifier: MIT */
/* The engine whose bytes the kernel relays: the contract, and what only it can do wrong. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "contract.h"
#include "sockmap_here.h"

enum { AGAIN = 20, NOBODY = 65534, ANSWER = 512 * 1024 };

static void use_it(void)
{
    r.options.sockmap = loaded;
}

static void the_kernel_moved_it(void)
{
    assert_int_equal(rig_stats().switched_to_sockmap, 1);
    assert_int_equal(rig_stats().switched_to_splice, 0);
}

static const contract_engine sockmap = {.engine = TUSK_ENGINE_SOCKMAP,
                                        .name = "sockmap",
                                        .poller = "epoll",
                                        .prepare = use_it,
                                        .check_bulk = the_kernel_moved_it};
static const contract_engine sockmap_upgraded = {.engine = TUSK_ENGINE_SOCKMAP,
                                                 .name = "sockmap after an upgrade",
                                                 .poller = "epoll",
                                                 .prepare = use_it,
                                                 .check_bulk = the_kernel_moved_it,
                                                 .upgraded = true};

static int set_up(void **state)
{
    contract = &sockmap;
    test_poller = "epoll";
    return contract_set_up(state);
}

/* ---- nothing is lost at the end ---- */
static void end_of_stream_never_overtakes_its_bytes(void **state)
{
    (void)state;
    uint16_t port;
    backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    for (int i = 0; i < AGAIN; i++) {
        ends both = {.client = rig_client()};
        both.server = rig_accept(backend);
        stream up;
        stream down;
        stream_init(&up, both.client, both.server, BULK);
        stream_init(&down, both.server, both.client, BULK);
        stream *first = i % 2 == 0 ? &up : &down;
        stream *second = i % 2 == 0 ? &down : &up;
        rig_until((stream_write(first), stream_read(first), first->eof));
        stream_check(first);
        rig_until((stream_write(second), stream_read(second), second->eof));
        stream_check(second);
        (void)close(both.client);
        (void)close(both.server);
        stream_fini(&up);
        stream_fini(&down);
        rig_until(r.record_count == i + 1);
        assert_string_equal(r.records[i].end, "done");
        assert_int_equal(r.records[i].up, BULK);
        assert_int_equal(r.records[i].down, BULK);
        assert_int_equal(r.records[i].engine, TUSK_ENGINE_SOCKMAP);
    }
    (void)close(backend);
}

/* The client's FIN is a segment without bytes, and what it is still told waits in the same queue as
 * that would: its socket has room for little. */
static ends join_with_little_room(int *listener)
{
    const int small = 8192;
    char reason[256];
    uint16_t port;
    uint16_t front;
    *listener = rig_listen(&front);
    backend = rig_listen(&port);
    rig_target(port, 1);
    assert_int_equal(setsockopt(*listener, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)), 0);
    assert_err(tusk_relay_new(&r.relay, &r.options, reason, sizeof(reason)), TUSK_OK);
    assert_err(tusk_relay_listen_on(r.relay, *listener, &r.listen), TUSK_OK);
    assert_err(tusk_relay_start(r.relay, reason, sizeof(reason)), TUSK_OK);
    ends both = {.client = rig_connect_to(front)};
    assert_int_equal(setsockopt(both.client, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
    both.server = rig_accept(backend);
    meet(both.client, both.server);
    return both;
}

static void an_end_breaks_nothing_that_waits_to_be_sent(void **state)
{
    (void)state;
    int listener;
    ends both = join_with_little_room(&listener);
    stream down;
    stream_init(&down, both.server, both.client, ANSWER);
    rig_until((stream_write(&down), down.shut));
    for (int i = 0; i < 3; i++) {
        rig_turn();
    }
    assert_int_equal(shutdown(both.client, SHUT_WR), 0);
    rig_expect_eof(both.server);
    rig_until((stream_read(&down), down.eof));
    stream_check(&down);
    stream_fini(&down);
    expect_end("done");
    (void)close(listener);
    leave(both);
}

/* What is passed to user space may stand in that queue, too, while user space reads an end already.
 */
static void an_end_is_not_believed_before_its_bytes_are_there(void **state)
{
    (void)state;
    int listener;
    ends both = join_with_little_room(&listener);
    stream down;
    stream up;
    stream_init(&down, both.server, both.client, ANSWER);
    stream_init(&up, both.client, both.server, FLOOD);
    rig_until((stream_write(&down), down.shut));
    stream_stall(&up);
    assert_true(up.out < FLOOD);
    up.len = up.out;
    stream_write(&up);
    assert_true(up.shut);
    for (int i = 0; i < 20; i++) { /* the server reads, the client does not yet */
        stream_read(&up);
        rig_turn();
    }
    rig_until((stream_read(&up), stream_read(&down), up.eof && down.eof));
    stream_check(&up);
    stream_check(&down);
    stream_fini(&up);
    stream_fini(&down);
    expect_end("done");
    assert_true(rig_stats().sockmap_paused > 0);
    (void)close(listener);
    leave(both);
}

static void what_was_said_before_a_reset_arrives(void **state)
{
    (void)state;
    for (int i = 0; i < AGAIN; i++) {
        if (i > 0) {
            (void)rig_tear_down(state);
            (void)set_up(state);
        }
        ends both = join();
        meet(both.client, both.server);
        rig_send(both.server, "last words");
        rig_reset(both.server);
        char text[16];
        ssize_t got = -1;
        rig_until((got = recv(both.client, text, sizeof(text), 0)) >= 0 || errno != EAGAIN);
        rig_until(r.record_count == 1);
        assert_string_equal(r.records[0].end, "backend reset");
        assert_true(got == 10 || (got < 0 && errno == ECONNRESET)); /* a reset may take it along */
        assert_int_equal(r.records[0].down, 19);
        both.server = -1;
        leave(both);
    }
}

/* ---- whom the kernel does not take ---- */
static void a_unix_backend_is_copied_and_counted(void **state)
{
    (void)state;
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    (void)snprintf(un.sun_path, sizeof(un.sun_path), "/tmp/tusk-sockmap-%d.sock", (int)getpid());
    backend = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(backend, (struct sockaddr *)(void *)&un, sizeof(un)), 0);
    assert_int_equal(listen(backend, 8), 0);
    rig_unblock(backend);
    (void)snprintf(r.address[0], sizeof(r.address[0]), "unix:%.50s", un.sun_path);
    r.targets[0] = (tusk_relay_target){.address = tusk_bytes_str(r.address[0]), .weight = 1};
    r.target_count = 1;
    rig_start();
    ends both = {.client = rig_client()};
    both.server = rig_accept(backend);
    (void)unlink(un.sun_path);
    half_close(both.client, both.server);
    expect_end("done");
    assert_int_equal(r.records[0].engine, TUSK_ENGINE_COPY);
    assert_int_equal(r.records[0].up, 15);
    assert_int_equal(rig_stats().sockmap_kept_unix, 1);
    assert_int_equal(rig_stats().switched_to_sockmap, 0);
    leave(both);
}

static void who_has_ended_already_is_copied_and_counted(void **state)
{
    (void)state;
    what_the_client_sent_before_it_was_joined_arrives(state);
    assert_int_equal(rig_stats().sockmap_kept_ended, 1);
    assert_int_equal(r.records[0].engine, TUSK_ENGINE_COPY);
}

/* The cancel key is looked for in user space; then the kernel has it. */
static void a_postgres_session_is_handed_over_when_it_is_ready(void **state)
{
    (void)state;
    const tusk_bytes start = TEST_BYTES("\0\0\0\x20\0\x03\0\0user\0bob\0database\0shop\0\0");
    const tusk_bytes ready = TEST_BYTES("R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x07keysZ\0\0\0\x05I");
    uint16_t port;
    r.listen.first = TUSK_FIRST_CLIENT;
    r.listen.protocol = TUSK_PROTOCOL_POSTGRES;
    backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    ends both = {.client = rig_client()};
    assert_int_equal(send(both.client, start.ptr, start.len, MSG_NOSIGNAL), (ssize_t)start.len);
    both.server = rig_accept(backend);
    rig_expect_bytes(both.server, start);
    assert_int_equal(rig_stats().switched_to_sockmap, 0);
    assert_int_equal(rig_stats().sockmap_waited, 1);
    assert_int_equal(send(both.server, ready.ptr, ready.len, MSG_NOSIGNAL), (ssize_t)ready.len);
    rig_expect_bytes(both.client, ready);
    rig_until(rig_stats().switched_to_sockmap == 1);
    half_close(both.client, both.server);
    expect_end("done");
    assert_int_equal(r.records[0].up, start.len + 15);
    assert_int_equal(r.records[0].down, ready.len + 22);
    leave(both);
}

static void what_needs_tls_is_never_the_kernels(void **state)
{
    (void)state;
    uint16_t port;
    r.route.upstream_tls = TUSK_TLS_REQUIRE;
    backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    int client = rig_client();
    expect_end("no TLS for the backend"); /* there is no context for it */
    assert_int_equal(rig_stats().sockmap_kept_tls, 1);
    assert_int_equal(rig_stats().switched_to_sockmap, 0);
    (void)close(client);
    (void)close(backend);
}

static void without_room_in_the_map_pairs_are_copied_and_counted(void **state)
{
    (void)state;
    char reason[256];
    tusk_sockmap *small;
    const tusk_sockmap_options options = {.pairs = 1, .relays = 1};
    assert_err(tusk_sockmap_load(&small, &options, reason, sizeof(reason)), TUSK_OK);
    r.options.sockmap = small;
    ends both = join();
    ends more = {.client = rig_client()};
    more.server = rig_accept(backend);
    rig_send(more.client, "second");
    rig_expect(more.server, "second");
    rig_send(both.client, "first");
    rig_expect(both.server, "first");
    assert_int_equal(rig_stats().switched_to_sockmap, 1);
    assert_int_equal(rig_stats().sockmap_kept_full, 1);
    (void)close(more.client);
    (void)close(more.server);
    rig_until(r.record_count == 1);
    /* What a pair had is there for the next one. */
    leave(both);
    rig_until(r.record_count == 2);
    tusk_sockmap_unref(small);
}

static void a_reader_that_lags_is_helped_by_user_space(void **state)
{
    (void)state;
    ends both = join();
    stream up;
    stream_init(&up, both.client, both.server, FLOOD);
    stream_stall(&up);
    assert_true(rig_stats().sockmap_paused > 0);
    assert_true(up.out < FLOOD);
    rig_until((stream_write(&up), stream_read(&up), up.eof));
    stream_check(&up);
    stream_fini(&up);
    leave(both);
    expect_end("done");
    assert_int_equal(r.records[0].up, FLOOD);
}

/* What has been written into it so far is all, and arrives. */
static void read_out(stream *self)
{
    self->len = self->out;
    while (self->in < self->len) {
        stream_read(self);
        rig_turn();
    }
}

/* After user space has helped, the kernel relays again. */
static void a_direction_goes_back_to_the_kernel(void **state)
{
    (void)state;
    ends both = join();
    stream up;
    stream_init(&up, both.client, both.server, FLOOD);
    stream_stall(&up);
    read_out(&up);
    assert_memory_equal(up.sent, up.got, up.len);
    uint64_t paused = rig_stats().sockmap_paused;
    tusk_loop_counters before;
    tusk_loop_counters after;
    rig_send(both.client, "word ");
    rig_expect(both.server, "word ");
    for (int i = 0; i < 3; i++) {
        rig_turn();
    }
    tusk_loop_count(r.loop, &before);
    for (int i = 0; i < 10; i++) {
        rig_send(both.client, "word ");
        rig_expect(both.server, "word ");
    }
    tusk_loop_count(r.loop, &after);
    assert_int_equal(after.events, before.events); /* nobody was woken */
    assert_int_equal(rig_stats().sockmap_paused, paused);
    stream_fini(&up);
    leave(both);
    expect_end("done");
}

/* What user space says to the program passes here: a client may speak at that very moment. */
static int speaks_amid = -1;

int bpf_map_update_elem(int fd, const void *key, const void *value, uint64_t flags);
int bpf_map_update_elem(int fd, const void *key, const void *value, uint64_t flags)
{
    static int (*real)(int fd, const void *key, const void *value, uint64_t flags);
    if (real == NULL) {
        *(void **)&real = dlsym(RTLD_NEXT, "bpf_map_update_elem");
    }
    if (speaks_amid >= 0) {
        rig_send(speaks_amid, "late");
        speaks_amid = -1;
    }
    return real(fd, key, value, flags);
}

/* It is passed, as all before it was not taken yet, and no bell rings for it. */
static void what_arrives_as_a_direction_goes_back_is_not_forgotten(void **state)
{
    (void)state;
    ends both = join();
    stream up;
    stream_init(&up, both.client, both.server, FLOOD);
    stream_stall(&up);
    speaks_amid = both.client;
    read_out(&up);
    if (speaks_amid >= 0) { /* so much was moved at last that it has not gone back yet */
        rig_send(both.client, "word ");
        rig_expect(both.server, "word ");
    }
    assert_int_equal(speaks_amid, -1);
    rig_expect(both.server, "late");
    stream_fini(&up);
    half_close(both.client, both.server);
    expect_end("done");
    leave(both);
}

static void messages_wake_nobody(void **state)
{
    (void)state;
    ends both = join();
    rig_send(both.client, "first");
    rig_expect(both.server, "first");
    tusk_loop_counters before;
    tusk_loop_counters after;
    tusk_loop_count(r.loop, &before);
    for (int i = 0; i < 100; i++) {
        rig_send(both.client, "question");
        rig_expect(both.server, "question");
        rig_send(both.server, "answer");
        rig_expect(both.client, "answer");
    }
    tusk_loop_count(r.loop, &after);
    assert_int_equal(after.events, before.events);
    leave(both);
    expect_end("done");
    assert_int_equal(r.records[0].up, 805);
    assert_int_equal(r.records[0].down, 600);
}

/* ---- the handle ---- */
static void a_relay_says_what_became_of_it(void **state)
{
    (void)state;
    ends both = join();
    assert_non_null(strstr(tusk_relay_engine_state(r.relay), "enabled (the kernel relays"));
    assert_non_null(strstr(r.log, "Sockmap: enabled ("));
    leave(both);
    expect_end("done");
}

static void an_object_that_is_none_is_named(void **state)
{
    (void)state;
    char reason[256] = "";
    tusk_sockmap *none;
    const tusk_sockmap_options options = {.object = "/proc/self/exe"};
    assert_err(tusk_sockmap_load(&none, &options, reason, sizeof(reason)), TUSK_EINVAL);
    assert_null(none);
    assert_non_null(strstr(reason, "BPF object"));
    r.options.sockmap = NULL;
    r.options.sockmap_object = "/no/such/object.o";
    ends both = join();
    assert_non_null(strstr(r.log, "Sockmap: unavailable ("));
    half_close(both.client, both.server);
    expect_end("done");
    assert_int_equal(r.records[0].engine, TUSK_ENGINE_COPY);
    leave(both);
}

/* In a process that may nothing. */
static int as_nobody(void)
{
    ends both;
    if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0) {
        return 2;
    }
    tusk_sockmap *own;
    char reason[256];
    if (tusk_sockmap_load(&own, NULL, reason, sizeof(reason)) != TUSK_EACCES ||
        strstr(reason, "CAP_BPF") == NULL) {
        return 3;
    }
    both = join();
    half_close(both.client, both.server);
    expect_end("done");
    if (r.records[0].engine != TUSK_ENGINE_SOCKMAP || rig_stats().switched_to_sockmap != 1) {
        return 4;
    }
    leave(both);
    return 0;
}

static void a_worker_without_privileges_uses_what_its_parent_loaded(void **state)
{
    int status = -1;
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int code = as_nobody();
        _exit(code);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    /* Its place is free again, though it did not give it back. */
    ends both = join();
    half_close(both.client, both.server);
    expect_end("done");
    leave(both);
}

static void places_are_as_many_as_were_asked_for(void **state)
{
    (void)state;
    char reason[256];
    tusk_sockmap *narrow;
    const tusk_sockmap_options options = {.pairs = 16, .relays = 1};
    assert_err(tusk_sockmap_load(&narrow, &options, reason, sizeof(reason)), TUSK_OK);
    r.options.sockmap = narrow;
    ends both = join();
    tusk_relay *second;
    assert_err(tusk_relay_new(&second, &r.options, reason, sizeof(reason)), TUSK_OK);
    assert_err(tusk_relay_start(second, reason, sizeof(reason)), TUSK_OK);
    assert_non_null(strstr(tusk_relay_engine_state(second), "unavailable (all places"));
    tusk_relay_free(second);
    int fds[16];
    assert_int_equal(tusk_sockmap_fds(narrow, fds, 16), 6); /* four maps, a program, a bell */
    leave(both);
    expect_end("done");
    tusk_sockmap_unref(narrow);
}

/* ---- out of memory ---- */
static tusk_err one_visit(const tusk_mem *mem, void *user)
{
    char reason[256];
    (void)user;
    memset(&r, 0, sizeof(r));
    r.options = (tusk_relay_options){.limits = *tusk_relay_limits_default(),
                                     .handler = &rig_handler,
                                     .user = &r,
                                     .engine = TUSK_ENGINE_SOCKMAP,
                                     .sockmap = loaded,
                                     .any_address = true};
    tusk_err err = tusk_loop_new(&r.loop, &(tusk_loop_options){.mem = mem});
    if (err != TUSK_OK) {
        return err;
    }
    uint16_t port;
    r.options.loop = r.loop;
    backend = rig_listen(&port);
    rig_target(port, 1);
    err = tusk_relay_new(&r.relay, &r.options, reason, sizeof(reason));
    err = err == TUSK_OK ? tusk_relay_listen(r.relay, "127.0.0.1:0", NULL) : err;
    err = err == TUSK_OK ? tusk_relay_start(r.relay, reason, sizeof(reason)) : err;
    if (err == TUSK_OK) {
        int client = rig_client();
        int server = -1;
        char text[8];
        bool answered = false;
        rig_send(client, "ping");
        rig_until(r.record_count == 1 || answered || rig_stats().out_of_memory > 0 ||
                  (server < 0 ? (server = accept(backend, NULL, NULL)) < -1
                              : (answered = recv(server, text, 4, MSG_DONTWAIT) == 4)));
        bool bridged = rig_stats().switched_to_sockmap == 1;
        err = answered && bridged ? TUSK_OK : TUSK_ENOMEM;
        (void)close(client);
        if (server >= 0) {
            (void)close(server);
        }
    }
    tusk_relay_free(r.relay);
    tusk_loop_free(r.loop);
    (void)close(backend);
    return err;
}

static void each_failing_allocation_costs_at_most_the_shortcut(void **state)
{
    (void)state;
    (void)test_fail_each_alloc(one_visit, false, NULL);
}

static int run_all(void)
{
#define own(test) cmocka_unit_test_setup_teardown(test, set_up, rig_tear_down)
    const struct CMUnitTest tests[] = {
        own(end_of_stream_never_overtakes_its_bytes),
        own(an_end_breaks_nothing_that_waits_to_be_sent),
        own(an_end_is_not_believed_before_its_bytes_are_there),
        own(what_was_said_before_a_reset_arrives),
        own(a_unix_backend_is_copied_and_counted),
        own(who_has_ended_already_is_copied_and_counted),
        own(a_postgres_session_is_handed_over_when_it_is_ready),
        own(what_needs_tls_is_never_the_kernels),
        own(without_room_in_the_map_pairs_are_copied_and_counted),
        own(a_reader_that_lags_is_helped_by_user_space),
        own(a_direction_goes_back_to_the_kernel),
        own(what_arrives_as_a_direction_goes_back_is_not_forgotten),
        own(messages_wake_nobody),
        own(a_relay_says_what_became_of_it),
        own(an_object_that_is_none_is_named),
        own(a_worker_without_privileges_uses_what_its_parent_loaded),
        own(places_are_as_many_as_were_asked_for),
        cmocka_unit_test(each_failing_allocation_costs_at_most_the_shortcut),
    };
#undef own
    int failed = contract_run(&sockmap) + contract_run(&sockmap_upgraded);
    return failed + cmocka_run_group_tests_name("sockmap", tests, NULL, NULL);
}

int main(void)
{
    return with_sockmap(run_all);
}
