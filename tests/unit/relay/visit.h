/* SPDX-License-Identifier: MIT */
/* One client's visit with the n-th allocation failing, for each n: what an engine does without
 * memory. The test's state is its contract_engine. */
#ifndef TUSK_TEST_RELAY_VISIT_H
#define TUSK_TEST_RELAY_VISIT_H

#include "contract_bulk.h"

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
    const contract_engine *of = *state;
    memset(&r, 0, sizeof(r));
    r.options = (tusk_relay_options){.limits = *tusk_relay_limits_default(),
                                     .engine = of->engine,
                                     .handler = &rig_handler,
                                     .user = &r,
                                     .any_address = true};
    r.route.ttl_ms = 60000;
    (void)test_fail_each_alloc(one_visit, true, NULL);
}

#endif
