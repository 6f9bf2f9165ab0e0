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
        if (tusk_tls_reload(entry->tls, reason, sizeof(reason)) != TUSK_OK) {
            char text[640];
            (void)snprintf(text, sizeof(text), "certificates not reloaded, the old ones stay: %s",
                           reason);
            say(self, text);
        } else {
            say(self, "certificates reloaded");
        }
    }
}

void tusk_server_reload_tls(tusk_server *self)
{
    reload_tls(self, false);
}

void tusk__server_on_certificates(tusk_timer *timer)
{
    tusk_server *self = TUSK_OWNER(timer, tusk_server, certificate_timer);
    reload_tls(self, true);
    tusk_timer_start(self->loop, &self->certificate_timer, TUSK_CERTIFICATE_CHECK_MS);
}
