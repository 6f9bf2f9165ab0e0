/* SPDX-License-Identifier: MIT */
/* Certificates of a server's listeners: read again when asked, or when their files changed. */
#include "serve/server.h"

#include <stdio.h>

static void say(const tusk_server *self, const char *text)
{
    if (self->handler->on_log != NULL) {
        self->handler->on_log(self->user, text);
    }
}

static void reload_tls(tusk_server *self, bool only_changed)
{
    for (tusk_link *link = self->gates.list.next; link != &self->gates.list; link = link->next) {
        const server_listener *entry = TUSK_OWNER(link, server_listener, gate.link);
        char reason[512];
        if (entry->tls == NULL || (only_changed && !tusk_tls_changed(entry->tls))) {
            continue;
        }
        tusk_err err = tusk_tls_reload(entry->tls, reason, sizeof(reason));
        if (err == TUSK_EAGAIN) {
            continue; /* said when it began */
        }
        if (err != TUSK_OK) {
            char text[640];
            (void)snprintf(text, sizeof(text), "certificates not reloaded, the old ones stay: %s",
                           reason);
            say(self, text);
        } else {
            say(self, "certificates reloaded");
        }
    }
}

/* Of several processes each serves them; the first one says it. */
static void warn(const tusk_server *self)
{
    if (self->gates.shared != NULL && self->gates.seat != 0) {
        return;
    }
    int64_t now = tusk_loop_wall_s();
    for (tusk_link *link = self->gates.list.next; link != &self->gates.list; link = link->next) {
        const server_listener *entry = TUSK_OWNER(link, server_listener, gate.link);
        char text[640];
        while (entry->tls != NULL && tusk_tls_warns(entry->tls, now, text, sizeof(text))) {
            say(self, text);
        }
    }
}

void tusk_server_reload_tls(tusk_server *self)
{
    reload_tls(self, false);
}

tusk_tls *tusk_server_tls(const tusk_server *self, size_t listener)
{
    const net_gate *gate = net_gates_at(&self->gates, listener);
    return gate == NULL ? NULL : TUSK_OWNER(gate, const server_listener, gate)->tls;
}

void tusk__server_on_certificates(tusk_timer *timer)
{
    tusk_server *self = TUSK_OWNER(timer, tusk_server, certificate_timer);
    if (!self->keep_certificates) {
        reload_tls(self, true);
    }
    warn(self);
    tusk_timer_start(self->loop, &self->certificate_timer, TUSK_CERTIFICATE_CHECK_MS);
}
