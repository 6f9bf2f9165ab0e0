/* SPDX-License-Identifier: MIT */
/* The sockets of all slots: opened once, kept open by the master for as long as it lives. */
#define _GNU_SOURCE
#include "crew/inner.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/listener.h"
#include "net/socket.h"

tusk_err tusk_crew_listen(tusk_crew *self, const char *address, int backlog)
{
    tusk_addr addr;
    if (self->state != CREW_NEW) {
        return TUSK_ESTATE;
    }
    tusk_err err = tusk_addr_parse(&addr, address);
    if (err != TUSK_OK) {
        return err;
    }
    crew_listener *listener = tusk__new(self->mem, sizeof(*listener));
    if (listener == NULL) {
        return TUSK_ENOMEM;
    }
    listener->addr = addr;
    listener->backlog = backlog;
    listener->shared = tusk_addr_family(&addr) == AF_UNIX;
    (void)snprintf(listener->text, sizeof(listener->text), "%s", address);
    for (uint32_t i = 0; i < TUSK_CREW_WORKERS_MAX; i++) {
        listener->sockets[i] = -1;
    }
    crew_listener **place = &self->listeners;
    while (*place != NULL) {
        place = &(*place)->next;
    }
    *place = listener;
    return TUSK_OK;
}

tusk_err tusk_crew_listen_on(tusk_crew *self, const char *address, int fd)
{
    tusk_err err = tusk_crew_listen(self, address, 0);
    if (err == TUSK_OK) {
        crew_listener *listener = self->listeners;
        while (listener->next != NULL) {
            listener = listener->next;
        }
        listener->addr = tusk__socket_addr(fd);
        listener->sockets[0] = fd;
        listener->shared = true;
        listener->handed = true;
    }
    return err;
}

/* SO_REUSEPORT, which the sockets of all slots have, would let one address be bound for two
 * listeners of ours; without workers it is refused, and it is a slip of the pen. */
static bool is_open(const tusk_crew *self, const crew_listener *wanted)
{
    for (const crew_listener *each = self->listeners; each != wanted; each = each->next) {
        if (each->addr.len == wanted->addr.len &&
            memcmp(each->addr.u.raw, wanted->addr.u.raw, wanted->addr.len) == 0) {
            return true;
        }
    }
    return false;
}

/* The first socket finds the port; the others are bound to what it found. */
static tusk_err open_listener(crew_listener *self, uint32_t slots)
{
    const tusk_listener_options options = {.backlog = self->backlog, .reuse_port = !self->shared};
    uint32_t count = self->handed ? 0 : self->shared ? 1 : slots;
    tusk_err err = TUSK_OK;
    for (uint32_t i = 0; i < count && err == TUSK_OK; i++) {
        err = tusk_listener_socket(&self->sockets[i], &self->addr, &options);
    }
    return err;
}

tusk_err crew_sockets_open(tusk_crew *self, char *reason, size_t cap)
{
    for (crew_listener *listener = self->listeners; listener != NULL; listener = listener->next) {
        tusk_err err = is_open(self, listener) ? TUSK_EADDRINUSE
                                               : open_listener(listener, self->options.workers);
        if (err != TUSK_OK) {
            tusk_listener_explain(reason, cap, err, listener->text);
            return err;
        }
    }
    return TUSK_OK;
}

void crew_sockets_close(tusk_crew *self, bool unlink_paths)
{
    while (self->listeners != NULL) {
        crew_listener *listener = self->listeners;
        self->listeners = listener->next;
        if (unlink_paths && listener->shared && !listener->handed && listener->sockets[0] >= 0) {
            struct sockaddr_un name;
            memcpy(&name, listener->addr.u.raw, sizeof(name));
            (void)unlink(name.sun_path);
        }
        for (uint32_t i = 0; i < TUSK_CREW_WORKERS_MAX; i++) {
            if (listener->sockets[i] >= 0) {
                (void)close(listener->sockets[i]);
            }
        }
        tusk__free(self->mem, listener, sizeof(*listener));
    }
}

uint16_t tusk_crew_port(const tusk_crew *self, size_t listener)
{
    const crew_listener *found = self->listeners;
    while (found != NULL && listener-- > 0) {
        found = found->next;
    }
    return found == NULL ? 0 : tusk_addr_port(&found->addr);
}
