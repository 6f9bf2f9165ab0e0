/* SPDX-License-Identifier: MIT */
/* What a proxy's workers have of their relay, and of those of the others. */
#include "src/proxy/proxy.h"

/* ---- in the master ---- */
static tusk_err prepare(tusk_host *host, uint32_t seats)
{
    tusk_proxy *self = tusk_proxy_of_host(host);
    tusk_relay_shared_free(self->shared); /* of a run that could not start */
    self->shared = NULL;
    return tusk_relay_shared_new(&self->shared, self->relay, seats);
}

static void gone(tusk_host *host, uint32_t seat)
{
    tusk_relay_shared_gone(tusk_proxy_of_host(host)->shared, seat);
}

static void reopen(void *proxy)
{
    tusk_proxy_access_reopen(proxy);
}

/* Workers may not be allowed to read keys or to open logs; what the master reads and opens they
 * inherit. */
static void hang_up(tusk_host *host)
{
    tusk_proxy *self = tusk_proxy_of_host(host);
    tusk_proxy_tend_certificates(self, TUSK_TLS_READ);
    (void)tusk_crew_open(host->workers->crew, reopen, self);
}

static size_t contexts(const tusk_host *host, tusk_tls **out, size_t cap)
{
    return tusk_proxy_contexts(tusk_proxy_of_host(host), out, cap);
}

/* ---- in a worker ---- */
static tusk_err share(tusk_host *host, uint32_t seat)
{
    tusk_proxy *self = tusk_proxy_of_host(host);
    return tusk_relay_share(self->relay, self->shared, seat);
}

static void refresh(tusk_host *host)
{
    tusk_proxy_refresh(tusk_proxy_of_host(host));
}

static void last(tusk_host *host)
{
    tusk_relay_stats stats;
    tusk_relay_stats_get(tusk_proxy_of_host(host)->relay, &stats);
}

static tusk_err adopt(tusk_host *host, size_t listener, uint32_t slot, int fd)
{
    return tusk_relay_adopt(tusk_proxy_of_host(host)->relay, listener, slot, fd);
}

static void give_back(tusk_host *host, uint32_t slot)
{
    tusk_relay_give_back(tusk_proxy_of_host(host)->relay, slot);
}

static const tusk_workers_kind kind = {
    .prepare = prepare,
    .gone = gone,
    .hang_up = hang_up,
    .contexts = contexts,
    .share = share,
    .refresh = refresh,
    .last = last,
    .adopt = adopt,
    .give_back = give_back,
};

/* ---- made ---- */
bool tusk_proxy_make_crew(tusk_proxy *self, const tusk_proxy_given *from)
{
    tusk_identity identity;
    if (!tusk_workers_valid(from->workers, from->workers_number) ||
        !tusk_workers_identity(&identity, from->user, from->group, from->user_number)) {
        return false;
    }
    return tusk_workers_make(self->host, &kind, (uint32_t)from->workers, &identity,
                             self->listen.backlog, false);
}

static bool is_master(const tusk_proxy *self)
{
    return self->shared != NULL && !self->host->worker;
}

tusk_err tusk_proxy_metrics(const tusk_proxy *self, tusk_buf *out)
{
    return is_master(self) ? tusk_relay_shared_metrics(self->shared, out)
                           : tusk_relay_metrics(self->relay, out);
}

void tusk_proxy_stats(const tusk_proxy *self, tusk_relay_stats *stats, tusk_relay_http_stats *http)
{
    if (is_master(self)) {
        tusk_relay_shared_stats(self->shared, stats);
        tusk_relay_shared_http_stats(self->shared, http);
    } else {
        tusk_relay_stats_get(self->relay, stats);
        tusk_relay_http_stats_get(self->relay, http);
    }
}
