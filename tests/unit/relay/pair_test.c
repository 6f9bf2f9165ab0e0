/* SPDX-License-Identifier: MIT */
/* Pairs whose bytes are copied or spliced, and what they do without memory. */
#include "contract.h"

static tusk_err one_visit(const tusk_mem *mem, void *user)
{
    char reason[64];
    uint16_t port;
    tusk_loop *loop;
    tusk_err err = tusk_loop_new(&loop, &(tusk_loop_options){.mem = mem});
    (void)user;
    if (err != TUSK_OK) {
        return err;
    }
    r.loop = r.options.loop = loop;
    r.ask_count = r.record_count = 0;
    r.target_count = 0;
    backend = rig_listen(&port);
    rig_target(port, 1);
    r.options.limits.per_source = 10;
    r.options.limits.rate_per_source = 100;
    err = tusk_relay_new(&r.relay, &r.options, reason, sizeof(reason));
    if (err == TUSK_OK) {
        err = tusk_relay_listen(r.relay, "127.0.0.1:0", NULL);
    }
    if (err == TUSK_OK) {
        err = tusk_relay_start(r.relay, reason, sizeof(reason));
    }
    if (err == TUSK_OK) {
        int client = rig_client();
        rig_send(client, "ping");
        char text[8];
        int server = -1;
        bool answered = false;
        rig_until(r.record_count == 1 || answered ||
                  (server < 0 ? (server = accept(backend, NULL, NULL)) < -1
                              : (answered = recv(server, text, 4, MSG_DONTWAIT) == 4)) ||
                  rig_stats().out_of_memory > 0);
        err = answered ? TUSK_OK : TUSK_ENOMEM;
        (void)close(client);
        if (server >= 0) {
            (void)close(server);
        }
    }
    tusk_relay_free(r.relay);
    r.relay = NULL;
    tusk_loop_free(loop);
    (void)close(backend);
    return err;
}

static void each_failing_allocation_costs_at_most_its_connection(void **state)
{
    (void)state;
    memset(&r, 0, sizeof(r));
    r.options = (tusk_relay_options){.limits = *tusk_relay_limits_default(),
                                     .handler = &rig_handler,
                                     .user = &r,
                                     .any_address = true};
    r.route.ttl_ms = 60000;
    (void)test_fail_each_alloc(one_visit, true, NULL);
}

static void nothing_was_spliced(void)
{
    assert_int_equal(rig_stats().switched_to_splice, 0);
}

static void it_was_spliced(void)
{
    assert_true(rig_stats().switched_to_splice > 0);
}

int main(void)
{
    static const contract_engine engines[] = {
        {.engine = TUSK_ENGINE_COPY, .name = "copy", .check_bulk = nothing_was_spliced},
        {.engine = TUSK_ENGINE_SPLICE, .name = "splice", .check_bulk = it_was_spliced},
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failing_allocation_costs_at_most_its_connection),
    };
    return contract_run(&engines[0]) + contract_run(&engines[1]) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
