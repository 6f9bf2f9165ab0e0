/* SPDX-License-Identifier: MIT */
/* The relay's counters by name. */
#include "relay/shared.h"

void relay_stats_own(const tusk_relay *self, tusk_relay_stats *out)
{
    *out = self->stats;
    out->active = self->gates.taken;
    out->heap_trims = self->gates.heap.trims;
    out->routes = self->routes.table.count;
    out->targets = self->targets.table.count;
    if (self->handler->on_count != NULL) {
        self->handler->on_count(self->user, out);
    }
    /* What goes over connections of the net layer (TLS, HTTP, SMTP) is counted by their owners. */
}

static int health_here(const void *user, const relay_meter_sum *target)
{
    return tusk_relay_health(user, tusk_bytes_of(target->name, target->name_len));
}

tusk_err tusk_relay_metrics(tusk_relay *self, tusk_buf *out)
{
    return relay_meters_text(&self->meters, self->mem, self->kind, health_here, self, out);
}

void tusk_relay_stats_get(tusk_relay *self, tusk_relay_stats *out)
{
    if (self->share == NULL) {
        relay_stats_own(self, out);
        return;
    }
    (void)relay_share_publish(self);
    tusk_relay_shared_stats(self->share->all, out);
}

static const tusk_metric rows[] = {
    TUSK_METRIC(tusk_relay_stats, accepted, COUNTER, "Clients accepted."),
    TUSK_METRIC(tusk_relay_stats, active, GAUGE, "Clients now."),
    TUSK_METRIC(tusk_relay_stats, done, COUNTER, "Clients whose session has ended."),
    TUSK_METRIC(tusk_relay_stats, refused_limit, COUNTER,
                "Times that accepting had to wait for a limit or a descriptor."),
    TUSK_METRIC(tusk_relay_stats, refused_source, COUNTER, "Clients over the limit of one source."),
    TUSK_METRIC(tusk_relay_stats, refused_rate, COUNTER, "Clients over the rate of one source."),
    TUSK_METRIC(tusk_relay_stats, refused_lookups, COUNTER,
                "Clients refused as too many resolvers were asked."),
    TUSK_METRIC(tusk_relay_stats, refused_resolver, COUNTER,
                "Clients refused by the answer of a resolver."),
    TUSK_METRIC(tusk_relay_stats, refused_guard, COUNTER,
                "Addresses that validation did not let through."),
    TUSK_METRIC(tusk_relay_stats, refused_target, COUNTER,
                "Clients and requests that found all targets full."),
    TUSK_METRIC(tusk_relay_stats, cache_hits, COUNTER, "Clients whose answer was remembered."),
    TUSK_METRIC(tusk_relay_stats, cache_misses, COUNTER,
                "Clients whose answer was not remembered."),
    TUSK_METRIC(tusk_relay_stats, lookups, COUNTER, "Resolvers asked."),
    TUSK_METRIC(tusk_relay_stats, lookup_timeouts, COUNTER, "Resolvers that took too long."),
    TUSK_METRIC(tusk_relay_stats, lookups_joined, COUNTER,
                "Clients that waited for an answer asked for already."),
    TUSK_METRIC(tusk_relay_stats, routes_dropped, COUNTER,
                "Remembered answers that went for others."),
    TUSK_METRIC(tusk_relay_stats, paused, COUNTER,
                "Times that reading stopped as the other side did not take."),
    TUSK_METRIC(tusk_relay_stats, dials, COUNTER, "Connections to targets begun."),
    TUSK_METRIC(tusk_relay_stats, dial_failures, COUNTER, "Connections to targets that failed."),
    TUSK_METRIC(tusk_relay_stats, dial_timeouts, COUNTER,
                "Connections to targets that took too long."),
    TUSK_METRIC(tusk_relay_stats, dials_exhausted, COUNTER,
                "Connections to targets not made for lack of a descriptor, port or thread."),
    TUSK_METRIC(tusk_relay_stats, sockets_reused, COUNTER,
                "Dials by a socket that had carried a session before."),
    TUSK_METRIC(tusk_relay_stats, retries, COUNTER, "Times that another target was tried."),
    TUSK_METRIC(tusk_relay_stats, ejections, COUNTER, "Times that a target was put aside."),
    TUSK_METRIC(tusk_relay_stats, probes, COUNTER, "Probes of known targets."),
    TUSK_METRIC(tusk_relay_stats, probe_failures, COUNTER, "Probes that failed."),
    TUSK_METRIC(tusk_relay_stats, queue_waits, COUNTER,
                "Clients that waited for a place at a full target."),
    TUSK_METRIC(tusk_relay_stats, queue_timeouts, COUNTER,
                "Clients that waited for a place in vain."),
    TUSK_METRIC(tusk_relay_stats, names_stale, COUNTER,
                "Times that the last known addresses of a name were used."),
    TUSK_METRIC(tusk_relay_stats, bytes_up, COUNTER, "Bytes from clients to targets."),
    TUSK_METRIC(tusk_relay_stats, bytes_down, COUNTER, "Bytes from targets to clients."),
    TUSK_METRIC(tusk_relay_stats, idle_timeouts, COUNTER, "Sessions ended after silence."),
    TUSK_METRIC(tusk_relay_stats, first_timeouts, COUNTER, "Clients that sent nothing in time."),
    TUSK_METRIC(tusk_relay_stats, backend_first_timeouts, COUNTER,
                "Targets that said nothing in time."),
    TUSK_METRIC(tusk_relay_stats, half_closed_timeouts, COUNTER,
                "Half-closed sessions that took too long."),
    TUSK_METRIC(tusk_relay_stats, aged, COUNTER, "Sessions ended for their age."),
    TUSK_METRIC(tusk_relay_stats, resets_client, COUNTER, "Sessions that their client reset."),
    TUSK_METRIC(tusk_relay_stats, resets_backend, COUNTER, "Sessions that their target reset."),
    TUSK_METRIC(tusk_relay_stats, cancels, COUNTER, "Requests to cancel that found their session."),
    TUSK_METRIC(tusk_relay_stats, cancel_keys_dropped, COUNTER,
                "Sessions that a request to cancel finds only through their own worker."),
    TUSK_METRIC(tusk_relay_stats, metrics_other, COUNTER,
                "Times that a target or a route was counted as other."),
    TUSK_METRIC(tusk_relay_stats, protocol_errors, COUNTER,
                "Peers that broke a rule: first bytes or a PROXY head that the listener does not "
                "take, TLS, commands of SMTP, answers of backends."),
    TUSK_METRIC(tusk_relay_stats, out_of_memory, COUNTER, "Sessions ended for lack of memory."),
    TUSK_METRIC(tusk_relay_stats, heap_trims, COUNTER,
                "Times that memory which lay idle was given back to the system."),
    TUSK_METRIC(tusk_relay_stats, switched_to_splice, COUNTER,
                "Sessions that began to be spliced."),
    TUSK_METRIC(tusk_relay_stats, switched_to_sockmap, COUNTER, "Sessions handed to the kernel."),
    TUSK_METRIC(tusk_relay_stats, switched_to_uring, COUNTER, "Sessions relayed by io_uring."),
    TUSK_METRIC(tusk_relay_stats, uring_starved, COUNTER, "Receives that found no buffer free."),
    TUSK_METRIC(tusk_relay_stats, batches, COUNTER,
                "System calls that did several receives or sends."),
    TUSK_METRIC(tusk_relay_stats, batched, COUNTER, "Receives and sends done by such calls."),
    TUSK_METRIC(tusk_relay_stats, sockmap_paused, COUNTER,
                "Times that a direction came back from the kernel, its receiver being behind."),
    TUSK_METRIC(tusk_relay_stats, sockmap_waited, COUNTER,
                "Sessions handed to the kernel later than joined, if at all."),
    TUSK_METRIC(tusk_relay_stats, sockmap_kept_ended, COUNTER,
                "Sessions not handed to the kernel: one end was over."),
    TUSK_METRIC(tusk_relay_stats, sockmap_kept_tls, COUNTER,
                "Sessions not handed to the kernel: TLS ends here."),
    TUSK_METRIC(tusk_relay_stats, sockmap_kept_unix, COUNTER,
                "Sessions not handed to the kernel: a Unix path."),
    TUSK_METRIC(tusk_relay_stats, sockmap_kept_full, COUNTER,
                "Sessions not handed to the kernel: no room in the map."),
    TUSK_METRIC(tusk_relay_stats, sockmap_kept_failed, COUNTER,
                "Sessions not handed to the kernel: it refused."),
    TUSK_METRIC(tusk_relay_stats, routes, GAUGE_MAX,
                "Remembered answers, of the worker that has most."),
    TUSK_METRIC(tusk_relay_stats, targets, GAUGE_MAX,
                "Known targets, of the worker that knows most."),
    TUSK_METRIC(tusk_relay_stats, ejected, GAUGE, "Targets put aside now."),
    /* What the owner has: it has the name. */
    {NULL, NULL, TUSK_METRIC_GAUGE, offsetof(tusk_relay_stats, own_gauge) / sizeof(uint64_t)},
};

TUSK_METRICS_COVER(rows, tusk_relay_stats);
const tusk_metric_table tusk_relay_counters = {rows, sizeof(rows) / sizeof(rows[0])};
