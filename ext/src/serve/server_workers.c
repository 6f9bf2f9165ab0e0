/* SPDX-License-Identifier: MIT */
/* What a server's workers have of their core, and of those of the others: one log, one count. */
#include "src/serve/server.h"
#include "src/serve/workers.h"

#include <ext/spl/spl_exceptions.h>

static tusk_php_server *server_of(const tusk_host *host)
{
    return TUSK_FROM(tusk_php_server, host->server);
}

/* ---- in the master ---- */
void tusk_server_free_workers(tusk_php_server *self)
{
    tusk_shared_log_unref(self->log);
    tusk_server_shared_free(self->shared);
    self->log = NULL;
    self->shared = NULL;
}

static tusk_err prepare(tusk_host *host, uint32_t seats)
{
    tusk_php_server *self = server_of(host);
    tusk_server_free_workers(self); /* of a run that could not start */
    tusk_err err = tusk_shared_log_new(&self->log, NULL, self->limits.history_bytes, seats);
    return err == TUSK_OK ? tusk_server_shared_new(&self->shared, host->core, seats) : err;
}

static void gone(tusk_host *host, uint32_t seat)
{
    tusk_server_shared_gone(server_of(host)->shared, seat);
}

static void reload(tusk_host *host)
{
    tusk_server_reload_tls(host->core);
}

/* ---- in a worker ---- */
static tusk_err share(tusk_host *host, uint32_t seat)
{
    const tusk_php_server *self = server_of(host);
    tusk_err err = tusk_server_share_log(host->core, self->log, seat);
    return err == TUSK_OK ? tusk_server_share(host->core, self->shared, seat) : err;
}

static tusk_err start(tusk_host *host, char *reason, size_t cap)
{
    return tusk_server_start(host->core, reason, cap);
}

/* Who is somebody else may not be allowed to read keys: it has what the master has read. */
static void refresh(tusk_host *host)
{
    if (!host->workers->identity.given) {
        reload(host);
    }
}

static bool serve(tusk_host *host)
{
    tusk_host_listens(host, tusk_server_port(host->core, 0));
    return tusk_host_loop(host);
}

static void last(tusk_host *host)
{
    tusk_server_stats stats;
    tusk_server_stats_get(host->core, &stats);
}

static tusk_err adopt(tusk_host *host, size_t listener, uint32_t slot, int fd)
{
    return tusk_server_accept_for(host->core, listener, slot, fd);
}

static void give_back(tusk_host *host, uint32_t slot)
{
    tusk_server_give_back(host->core, slot);
}

static const tusk_workers_kind kind = {
    .what = "the server's workers",
    .prepare = prepare,
    .gone = gone,
    .hang_up = reload,
    .share = share,
    .start = start,
    .refresh = refresh,
    .serve = serve,
    .last = last,
    .adopt = adopt,
    .give_back = give_back,
};

/* ---- made ---- */
bool tusk_server_make_workers(tusk_php_server *self, uint32_t count, const tusk_identity *identity)
{
    return tusk_workers_make(self->host, &kind, count, identity, 0);
}

/* What was published in this process alone would be history that no worker has, and what was opened
 * for its connections would be in all of them. */
bool tusk_server_may_fork(const tusk_php_server *self)
{
    tusk_server_stats stats;
    if (self->host->workers == NULL) {
        return true;
    }
    tusk_server_stats_get(self->host->core, &stats);
    if (stats.published == 0 && stats.connections_total == 0) {
        return true;
    }
    zend_throw_exception(
        spl_ce_LogicException,
        stats.published > 0
            ? "With workers nothing can be published before run(): publish in onStart"
            : "With workers nothing can be served before run(): a Loopback wants its own server",
        0);
    return false;
}
