/* SPDX-License-Identifier: MIT */
/* What a server's workers have of their core, and of those of the others: one log, one count. */
#include "src/serve/server.h"
#include "src/process/workers.h"

#include <ext/spl/spl_exceptions.h>

static tusk_php_server *server_of(const tusk_host *host)
{
    return TUSK_FROM(tusk_php_server, host->object);
}

static tusk_server *core_of(const tusk_host *host)
{
    return server_of(host)->service->core;
}

/* ---- in the master ---- */
void tusk_server_free_workers(tusk_php_server *self)
{
    tusk_shared_log_unref(self->log);
    tusk_server_shared_free(self->shared);
    self->log = NULL;
    self->shared = NULL;
}

static void forget_code(const tusk_host *host)
{
    if (Z_TYPE(server_of(host)->bootstrap) == IS_OBJECT) {
        tusk_server_forget_code();
    }
}

static tusk_err prepare(tusk_host *host, uint32_t seats)
{
    tusk_php_server *self = server_of(host);
    forget_code(host);
    tusk_server_free_workers(self); /* of a run that could not start */
    tusk_err err = tusk_shared_log_new(&self->log, NULL, self->limits.history_bytes, seats);
    return err == TUSK_OK ? tusk_server_shared_new(&self->shared, core_of(host), seats) : err;
}

static void gone(tusk_host *host, uint32_t seat)
{
    tusk_shared_log_gone(server_of(host)->log, seat);
    tusk_server_shared_gone(server_of(host)->shared, seat);
}

static void hang_up(tusk_host *host)
{
    tusk_server_reload_tls(core_of(host));
    forget_code(host);
}

static size_t contexts(const tusk_host *host, tusk_tls **out, size_t cap)
{
    return tusk_php_server_contexts(server_of(host), out, cap);
}

/* ---- in a worker ---- */
static tusk_err share(tusk_host *host, uint32_t seat)
{
    const tusk_php_server *self = server_of(host);
    tusk_err err = tusk_server_share_log(core_of(host), self->log, seat);
    return err == TUSK_OK ? tusk_server_share(core_of(host), self->shared, seat) : err;
}

static bool boot(tusk_host *host)
{
    return tusk_server_boot(host->object);
}

/* Who is somebody else may not be allowed to read keys: it has what the master has read. */
static void refresh(tusk_host *host)
{
    if (!host->workers->identity.given) {
        tusk_server_refresh_tls(core_of(host));
    }
}

static void last(tusk_host *host)
{
    tusk_server_stats stats;
    tusk_server_stats_get(core_of(host), &stats);
}

static tusk_err adopt(tusk_host *host, size_t listener, uint32_t slot, int fd)
{
    return tusk_server_accept_for(core_of(host), listener, slot, fd);
}

static void give_back(tusk_host *host, uint32_t slot)
{
    tusk_server_give_back(core_of(host), slot);
}

static const tusk_workers_kind kind = {
    .prepare = prepare,
    .gone = gone,
    .hang_up = hang_up,
    .contexts = contexts,
    .share = share,
    .boot = boot,
    .refresh = refresh,
    .last = last,
    .adopt = adopt,
    .give_back = give_back,
};

/* ---- made ---- */
bool tusk_server_make_workers(tusk_php_server *self, uint32_t count, const tusk_identity *identity)
{
    bool boots = Z_TYPE(self->bootstrap) == IS_OBJECT; /* a worker that another one can follow */
    return tusk_workers_make(&self->service->host, &kind, count, identity, 0, boots);
}

/* What was published in this process alone would be history that no worker has, and what was opened
 * for its connections would be in all of them. */
bool tusk_server_may_fork(const tusk_php_server *self)
{
    tusk_server_stats stats;
    if (self->service->host.workers == NULL) {
        return true;
    }
    tusk_server_stats_get(self->service->core, &stats);
    /* Workers would have what it loaded here, for good. */
    if (self->booted || self->booting || Z_TYPE(self->unbooted) == IS_OBJECT) {
        zend_throw_exception(spl_ce_LogicException,
                             "The bootstrap was called in this process already, and its workers "
                             "would not call it: a Loopback wants its own server",
                             0);
        return false;
    }
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
