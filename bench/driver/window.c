/* SPDX-License-Identifier: MIT */
/* The measuring window: counts and CPU times are differences between its two edges. */
#define _GNU_SOURCE
#include "driver.h"

void window_init(driver_window *self, const driver_options *options)
{
    *self = (driver_window){0};
    self->start_ns = now_ns() + (uint64_t)((options->messages != 0 ? 0 : options->warmup) * 1e9);
    self->end_ns = self->start_ns + (uint64_t)(options->seconds * 1e9);
}

bool window_tick(driver_window *self, const driver_options *options, driver_result *result,
                 uint64_t now, uint64_t messages)
{
    if (!self->open && now >= self->start_ns) {
        self->open = true;
        tusk_hist_reset(result->latency);
        self->server_cpu = proc_cpu_seconds(options->pid);
        self->server_user = proc_user_seconds(options->pid);
        self->computed = proc_computed_seconds(options->user_time);
        self->own_cpu = proc_own_cpu_seconds();
        self->start_ns = now_ns();
        self->end_ns = self->start_ns + (uint64_t)(options->seconds * 1e9);
        result->messages = messages; /* what came before, taken off at the end */
    } else if (self->open &&
               (options->messages != 0 ? messages >= options->messages : now >= self->end_ns)) {
        result->server_cpu = proc_cpu_seconds(options->pid) - self->server_cpu;
        result->own_cpu = proc_own_cpu_seconds() - self->own_cpu;
        result->seconds = (double)(now_ns() - self->start_ns) / 1e9;
        result->messages = messages - result->messages;
        double user = proc_user_seconds(options->pid) - self->server_user;
        if (options->pid > 0 && result->messages > 0) {
            result_fact(result, "server_user_us", user * 1e6 / (double)result->messages);
        }
        if (options->user_time != NULL && result->messages > 0) {
            double computed = proc_computed_seconds(options->user_time) - self->computed;
            result_fact(result, "computed_us", computed * 1e6 / (double)result->messages);
        }
        self->done = true;
    }
    return !self->done;
}
