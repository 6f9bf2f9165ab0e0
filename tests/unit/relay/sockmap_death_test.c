/* SPDX-License-Identifier: MIT */
/* What a relay has in the kernel's maps when it ends, or its process dies: room for the next one.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "sockmap_here.h"

static tusk_sockmap *narrow; /* of one relay, and of one pair */

static int set_up(void **state)
{
    static const tusk_sockmap_options options = {.pairs = 1, .relays = 1};
    char reason[256];
    (void)state;
    rig_set_up_on("epoll");
    assert_err(tusk_sockmap_load(&narrow, &options, reason, sizeof(reason)), TUSK_OK);
    r.options.engine = TUSK_ENGINE_SOCKMAP;
    r.options.sockmap = narrow;
    return 0;
}

static int tear_down(void **state)
{
    (void)rig_tear_down(state);
    tusk_sockmap_unref(narrow);
    return 0;
}

typedef struct ends {
    int backend; /* the listener */
    int client;
    int server;
} ends;

static ends join(void)
{
    uint16_t port;
    ends both = {.backend = rig_listen(&port)};
    r.target_count = 0;
    r.record_count = 0;
    rig_target(port, 1);
    rig_start();
    both.client = rig_client();
    both.server = rig_accept(both.backend);
    rig_send(both.client, "ping");
    rig_expect(both.server, "ping");
    return both;
}

static void leave(ends both)
{
    (void)close(both.client);
    (void)close(both.server);
    (void)close(both.backend);
    rig_until(r.record_count == 1);
    tusk_relay_free(r.relay);
    r.relay = NULL;
}

static bool is_the_kernels(void)
{
    return rig_stats().switched_to_sockmap == 1 && rig_stats().sockmap_kept_full == 0;
}

static void a_relay_that_ends_leaves_its_place(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        ends both = join();
        assert_true(is_the_kernels());
        leave(both);
    }
}

/* Amid a session, as by a signal: nothing of it is given back. */
static void a_process_that_dies_leaves_its_place_and_its_pairs(void **state)
{
    int status = -1;
    (void)state;
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            (void)join();
            _exit(is_the_kernels() ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    ends both = join();
    assert_true(is_the_kernels());
    leave(both);
}

static int run_all(void)
{
#define own(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        own(a_relay_that_ends_leaves_its_place),
        own(a_process_that_dies_leaves_its_place_and_its_pairs),
    };
#undef own
    return cmocka_run_group_tests_name("sockmap and deaths", tests, NULL, NULL);
}

int main(void)
{
    return with_sockmap(run_all);
}
