/* SPDX-License-Identifier: MIT */
/* A client's life: what HTTP calls, WebSocket connections and event streams of one loop have in
 * common. */
#include "client/inner.h"

#include "base/mem.h"
#include "client/line.h"

enum { IDLE_MAX = 16, IDLE_MS = 15000, CONNECT_MS = 10000, SCRATCH_MAX = 256 * 1024 * 1024 };

static void destroy(tusk_client *self)
{
    tusk_resolver_free(self->resolver);
    if (self->net != NULL) {
        tusk_net_free(self->net);
    }
    tusk_ws_inflaters_free(self->inflaters);
    if (self->tls != NULL) {
        tusk_tls_unref(self->tls);
    }
    tusk_buf_fini(&self->scratch);
    tusk__free(self->mem, self, sizeof(*self));
}

static void free_late(tusk_task *task)
{
    destroy(TUSK_OWNER(task, tusk_client, free_task));
}

tusk_err tusk_client_new(tusk_client **out, const tusk_client_options *options)
{
    *out = NULL;
    const tusk_mem *mem = tusk_loop_mem(options->loop);
    tusk_client *self = tusk__new(mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    self->loop = options->loop;
    self->mem = mem;
    self->options = *options;
    self->options.idle_max = options->idle_max > 0 ? options->idle_max : IDLE_MAX;
    self->options.idle_ms = options->idle_ms > 0 ? options->idle_ms : IDLE_MS;
    self->options.connect_ms = options->connect_ms > 0 ? options->connect_ms : CONNECT_MS;
    self->free_task.run = free_late;
    tusk__list_init(&self->handles);
    tusk__list_init(&self->idle);
    tusk__list_init(&self->ending);
    tusk_buf_init(&self->scratch, mem, SCRATCH_MAX);
    tusk_err err = tusk__client_random(self, (uint8_t *)&self->jitter, sizeof(self->jitter));
    self->jitter |= 1;
    if (err == TUSK_OK) {
        /* Each connection has a bound of its own, whose end it is told of; of one over all, who has
         * nothing queued never would be. */
        const tusk_net_limits limits = {.queued_bytes_total = SIZE_MAX / 2};
        err = tusk_net_new(&self->net, self->loop, &limits);
    }
    if (err != TUSK_OK) {
        destroy(self);
        return err;
    }
    *out = self;
    return TUSK_OK;
}

void tusk_client_close_idle(tusk_client *self)
{
    while (!tusk__list_empty(&self->idle)) {
        tusk__line_drop(TUSK_OWNER(self->idle.next, tusk__line, idle));
    }
}

void tusk_client_free(tusk_client *self)
{
    tusk_link *link;
    if (self == NULL) {
        return;
    }
    while ((link = tusk__list_pop(&self->handles)) != NULL) {
        tusk__client_handle *handle = TUSK_OWNER(link, tusk__client_handle, link);
        handle->abort(handle);
    }
    tusk_client_close_idle(self);
    while ((link = tusk__list_pop(&self->ending)) != NULL) {
        tusk__line_drop(TUSK_OWNER(link, tusk__line, ending)); /* nobody waits for their end */
    }
    self->freeing = true;
    if (self->lines == 0) {
        tusk_task_defer(self->loop, &self->free_task); /* a callback of ours may be under way */
    }
}
