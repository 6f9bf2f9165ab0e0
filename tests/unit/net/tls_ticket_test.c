/* SPDX-License-Identifier: MIT */
/* The keys of session tickets: each serves for an hour and opens tickets for one more; forks of a
 * process have the same without a word; what was is not to be found in what is. */
#define _GNU_SOURCE
#include "net/tls_ticket.h"

#include <string.h>

#include "net/tls_context.h"

#include "tls_pair.h"

/* ---- keys ---- */
static void forks_have_the_same_keys_in_the_same_hour(void **state)
{
    (void)state;
    tusk__ticket_keys master;
    memset(&master, 0, sizeof(master));
    assert_true(tusk__ticket_keys_init(&master));
    tusk__ticket_keys busy = master;
    tusk__ticket_keys idle = master;
    for (int64_t hour = master.hour; hour <= master.hour + 30; hour++) {
        tusk__ticket_keys_at(&busy, hour);
    }
    tusk__ticket_keys_at(&idle, master.hour + 30);
    assert_memory_equal(&busy, &idle, sizeof(idle));
    tusk__ticket_keys later = idle;
    tusk__ticket_keys_at(&later, later.hour + 1);
    assert_memory_equal(&later.before, &idle.newest, sizeof(idle.newest));
    tusk__ticket_keys_at(&idle, master.hour); /* no way back */
    assert_memory_equal(&busy, &idle, sizeof(idle));
    assert_true(tusk__ticket_keys_init(&master)); /* another server has others */
    assert_memory_not_equal(&master.newest, &busy.newest, sizeof(busy.newest));
    assert_memory_not_equal(&master.secret, &busy.secret, sizeof(busy.secret));
}

static bool has(const tusk__ticket_keys *where, const void *what, size_t len)
{
    return memmem(where, sizeof(*where), what, len) != NULL;
}

static void a_process_has_nothing_that_is_older_than_an_hour(void **state)
{
    (void)state;
    tusk__ticket_keys then;
    memset(&then, 0, sizeof(then));
    assert_true(tusk__ticket_keys_init(&then));
    tusk__ticket_keys now = then;
    assert_true(has(&now, then.secret, sizeof(then.secret)));
    tusk__ticket_keys_at(&now, then.hour + 1);
    assert_false(has(&now, then.secret, sizeof(then.secret)));
    assert_true(has(&now, then.newest.cipher, sizeof(then.newest.cipher)));
    tusk__ticket_keys_at(&now, then.hour + 2);
    assert_false(has(&now, then.newest.name, sizeof(then.newest.name)));
    assert_false(has(&now, then.newest.cipher, sizeof(then.newest.cipher)));
    assert_false(has(&now, then.newest.mac, sizeof(then.newest.mac)));
    tusk__ticket_keys_fini(&now);
    const tusk__ticket_keys none = {0};
    assert_memory_equal(&now, &none, sizeof(none));
}

static void who_serves_parts_with_them_also_where_nobody_comes(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    const tusk__ticket_keys then = p.server_tls->tickets;
    p.server_tls->tickets.hour -= 2; /* as if they were made two hours ago */
    tusk_tls_tend(p.server_tls, 0, NULL, NULL);
    assert_int_equal(p.server_tls->tickets.hour, then.hour);
    assert_false(has(&p.server_tls->tickets, then.newest.cipher, sizeof(then.newest.cipher)));
    tusk_tls_tend(p.client_tls, 0, NULL, NULL); /* a client gives no tickets */
    assert_int_equal(p.client_tls->tickets.hour, 0);
}

/* ---- tickets ---- */
/* One connection; whether its session was resumed, and the client has what it was given. */
static bool resumes(void)
{
    open_pair("main.test");
    p.server->in_data = echo;
    assert_err(tusk_conn_append(&p.client->conn, "ping", 4), TUSK_OK);
    RELAY_UNTIL(SIZE_MAX, p.client->got_len == 4);
    bool resumed = tusk_filter_resumed(p.server->conn.filter);
    end_pair();
    return resumed;
}

static void pass_hours(unsigned hours)
{
    tusk__ticket_keys_at(&p.server_tls->tickets, p.server_tls->tickets.hour + hours);
}

static void a_ticket_is_good_for_its_hour_and_the_next(void **state)
{
    (void)state;
    for (int version = 12; version <= 13; version++) {
        drop_contexts();
        contexts(
            &(tusk_tls_options){0},
            &(tusk_tls_options){.min_version = version, .max_version = version, .resume = true});
        assert_false(resumes());
        assert_true(resumes());
        pass_hours(1);
        assert_true(resumes());
        /* The one that was shown an hour ago was replaced; in TLS 1.2 OpenSSL's client keeps its
         * first. */
        pass_hours(1);
        assert_int_equal(resumes(), version == 13);
        char reason[200];
        assert_err(tusk_tls_reload(p.server_tls, reason, sizeof(reason)), TUSK_OK);
        assert_true(resumes());
        pass_hours(2);
        assert_false(resumes());
        assert_true(resumes());
    }
}

static void a_ticket_of_another_server_means_a_whole_handshake(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){.resume = true});
    assert_false(resumes());
    assert_true(tusk__ticket_keys_init(&p.server_tls->tickets));
    assert_false(resumes());
    assert_true(resumes());
}

/* Its key's name stands in front in clear, and what follows is anybody's. */
static void a_ticket_that_was_changed_means_a_whole_handshake(void **state)
{
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){.resume = true});
    assert_false(resumes());
    p.server_tls->tickets.newest.mac[7] ^= 1;
    assert_false(resumes());
    assert_true(resumes());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    if (tusk_tls_library() == NULL) {
        print_message("1..0 # SKIP this build has no TLS\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        TEST(forks_have_the_same_keys_in_the_same_hour),
        TEST(a_process_has_nothing_that_is_older_than_an_hour),
        TEST(who_serves_parts_with_them_also_where_nobody_comes),
        TEST(a_ticket_is_good_for_its_hour_and_the_next),
        TEST(a_ticket_of_another_server_means_a_whole_handshake),
        TEST(a_ticket_that_was_changed_means_a_whole_handshake),
    };
    return cmocka_run_group_tests_name("net/tls_ticket", tests, make_files, remove_files);
}
