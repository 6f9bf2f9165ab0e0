/* SPDX-License-Identifier: MIT */
/* Who has work left over TLS: what its records hold is read on, though its socket is empty. */
#define _GNU_SOURCE
#include "net/inner.h"

#include "tls_pair.h"

#if defined(TUSK_HAVE_OPENSSL)

enum { RECORD = 16384, PIECE = 4096 };

static int turns_left; /* that its last piece is work for */

static void work(owner *self)
{
    if (self->conn.in_len > 0) { /* else it is asked for what it had put off */
        take(self);
        turns_left = 3;
    }
    if (turns_left-- > 0) {
        tusk_conn_later(&self->conn);
        *tusk_net_work(t.net) = 0; /* all that a turn has for it */
    }
}

/* A record is read in several pieces where memory is short, and each is work for several turns. */
static void what_lies_decrypted_is_read_behind_the_work(void **state)
{
    static const char record[RECORD];
    (void)state;
    contexts(&(tusk_tls_options){0}, &(tusk_tls_options){0});
    open_pair("main.test");
    RELAY_UNTIL(65536, p.server->readies == 1 && p.client->readies == 1);
    assert_err(p.server->ready, TUSK_OK);
    p.server->in_data = work;
    t.net->limits.held_bytes = 1;
    t.net->held_outside = 2;
    assert_err(tusk_conn_append(&p.client->conn, record, RECORD), TUSK_OK);
    RELAY_UNTIL(65536, p.server->got_len > 0);
    assert_int_equal(p.server->got_len, PIECE);
    RELAY_UNTIL(65536, p.server->got_len == RECORD);
    assert_true(p.server->datas > RECORD / PIECE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_lies_decrypted_is_read_behind_the_work, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("net/conn_work", tests, make_files, remove_files);
}

#else

int main(void)
{
    print_message("1..0 # SKIP this build has no TLS\n");
    return 0;
}

#endif
