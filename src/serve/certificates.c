/* SPDX-License-Identifier: MIT */
/* Certificates of a server's listeners: read again when asked, or when their files changed. */
#include "serve/server.h"

static void say(void *user, const char *text)
{
    const tusk_server *self = user;
    if (self->handler->on_log != NULL) {
        self->handler->on_log(self->user, text);
    }
}

static void tend(tusk_server *self, unsigned what)
{
    for (tusk_link *link = self->gates.list.next; link != &self->gates.list; link = link->next) {
        const server_listener *entry = TUSK_OWNER(link, server_listener, gate.link);
        if (entry->tls != NULL) {
            tusk_tls_tend(entry->tls, what, say, self);
        }
    }
}

void tusk_server_reload_tls(tusk_server *self)
{
    tend(self, TUSK_TLS_READ);
}

void tusk_server_refresh_tls(tusk_server *self)
{
    tend(self, TUSK_TLS_READ_CHANGED);
}

tusk_tls *tusk_server_tls(const tusk_server *self, size_t listener)
{
    const net_gate *gate = net_gates_at(&self->gates, listener);
    return gate == NULL ? NULL : TUSK_OWNER(gate, const server_listener, gate)->tls;
}

void tusk__server_on_certificates(tusk_timer *timer)
{
    tusk_server *self = TUSK_OWNER(timer, tusk_server, certificate_timer);
    tend(self, (self->keep_certificates ? 0u : TUSK_TLS_READ_CHANGED) |
                   (net_gates_speaks(&self->gates) ? TUSK_TLS_WARN : 0u));
    tusk_timer_start(self->loop, &self->certificate_timer, TUSK_CERTIFICATE_CHECK_MS);
}
