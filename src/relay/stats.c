/* SPDX-License-Identifier: MIT */
/* The relay's counters by name. */
#include "relay/shared.h"

void relay_stats_own(const tusk_relay *self, tusk_relay_stats *out)
{
    *out = self->stats;
    out->active = self->session_count;
    out->routes = self->routes.count;
    out->targets = self->targets.count;
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
    relay_share_publish(self);
    tusk_relay_shared_stats(self->share->all, out);
}

#define STAT(name)                                                                                 \
    {                                                                                              \
#name, offsetof(tusk_relay_stats, name)                                                    \
    }

static const struct {
    const char *name;
    size_t place;
} names[] = {
    STAT(accepted),
    STAT(active),
    STAT(done),
    STAT(refused_limit),
    STAT(refused_source),
    STAT(refused_rate),
    STAT(refused_lookups),
    STAT(refused_resolver),
    STAT(refused_guard),
    STAT(refused_target),
    STAT(cache_hits),
    STAT(cache_misses),
    STAT(lookups),
    STAT(lookup_timeouts),
    STAT(lookups_joined),
    STAT(routes_dropped),
    STAT(paused),
    STAT(dials),
    STAT(dial_failures),
    STAT(dial_timeouts),
    STAT(sockets_reused),
    STAT(retries),
    STAT(ejections),
    STAT(probes),
    STAT(probe_failures),
    STAT(queue_waits),
    STAT(queue_timeouts),
    STAT(names_stale),
    STAT(bytes_up),
    STAT(bytes_down),
    STAT(idle_timeouts),
    STAT(first_timeouts),
    STAT(backend_first_timeouts),
    STAT(half_closed_timeouts),
    STAT(aged),
    STAT(resets_client),
    STAT(resets_backend),
    STAT(cancels),
    STAT(cancel_keys_dropped),
    STAT(metrics_other),
    STAT(protocol_errors),
    STAT(out_of_memory),
    STAT(switched_to_splice),
    STAT(switched_to_sockmap),
    STAT(switched_to_uring),
    STAT(uring_starved),
    STAT(batches),
    STAT(batched),
    STAT(sockmap_paused),
    STAT(sockmap_waited),
    STAT(sockmap_kept_ended),
    STAT(sockmap_kept_tls),
    STAT(sockmap_kept_unix),
    STAT(sockmap_kept_full),
    STAT(sockmap_kept_failed),
    STAT(routes),
    STAT(targets),
    STAT(ejected),
};

const char *tusk_relay_stat(const tusk_relay_stats *stats, size_t i, uint64_t *value)
{
    if (i >= sizeof(names) / sizeof(names[0])) {
        return NULL;
    }
    memcpy(value, (const char *)stats + names[i].place, sizeof(*value));
    return names[i].name;
}
