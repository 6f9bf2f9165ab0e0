/* SPDX-License-Identifier: MIT */
/* idle: opens WebSocket connections and holds them; what the server's memory grew by, per
 * connection. */
#define _GNU_SOURCE
#include "driver.h"

#include <unistd.h>

enum { SETTLE_US = 700000 };

static void open_all(const driver_options *options, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        ws_hold(options, i);
    }
}

void mode_idle(const driver_options *options, driver_result *result)
{
    if (options->pid == 0) {
        die("idle needs --pid");
    }
    /* What grows once (buffers, tables, code touched) is not the connections': the first tenth
     * comes before. */
    uint32_t first = options->conns / 10 + 1;
    open_all(options, 0, first);
    (void)usleep(SETTLE_US);
    proc_memory before = proc_memory_of(options->pid);
    double cpu = proc_cpu_seconds(options->pid);
    uint64_t start = now_ns();
    open_all(options, first, first + options->conns);
    result->seconds = (double)(now_ns() - start) / 1e9;
    (void)usleep(SETTLE_US);
    result->server_cpu = proc_cpu_seconds(options->pid) - cpu;
    result->messages = options->conns;
    proc_memory after = proc_memory_of(options->pid);
    double n = (double)options->conns;
    result_fact(result, "pss_per_conn", (after.pss - before.pss) / n);
    result_fact(result, "rss_per_conn", (after.rss - before.rss) / n);
    result_fact(result, "private_dirty_per_conn", (after.private_dirty - before.private_dirty) / n);
    result_fact(result, "pss_total", after.pss);
    if (options->linger) {
        cpu = proc_cpu_seconds(options->pid);
        (void)usleep((useconds_t)(options->seconds * 1e6));
        result_fact(result, "idle_cpu_share",
                    (proc_cpu_seconds(options->pid) - cpu) / options->seconds);
    }
}
