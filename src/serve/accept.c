/* SPDX-License-Identifier: MIT */
/* Listeners of a server: bound together, accepting within the limits. */
#include "serve/share.h"

#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/descriptors.h"
#include "net/socket.h"

#define SAY_AGAIN_MS 10000u

void tusk__server_close_listeners(tusk_server *self)
{
    for (tusk_link *link = self->listeners.next; link != &self->listeners; link = link->next) {
        server_listener *entry = TUSK_OWNER(link, server_listener, link);
        if (entry->listener != NULL) {
            tusk_listener_close(entry->listener);
            entry->listener = NULL;
        }
    }
}

/* A crowd that makes accepting wait must not fill the log as well. */
static void say_waiting(tusk_server *self, const char *text)
{
    uint64_t now = tusk_loop_now_ms(self->loop);
    if (self->handler->on_log != NULL &&
        (self->said_ms == 0 || now - self->said_ms >= SAY_AGAIN_MS)) {
        self->said_ms = now;
        self->handler->on_log(self->user, text);
    }
}

static void on_exhausted(void *user)
{
    say_waiting(((server_listener *)user)->server,
                "out of file descriptors (or kernel memory): new connections wait; raise ulimit -n "
                "above the limit of connections");
}

static void pause_accept(tusk_server *self, bool pause)
{
    if (self->accept_paused == pause) {
        return;
    }
    self->accept_paused = pause;
    for (tusk_link *link = self->listeners.next; link != &self->listeners; link = link->next) {
        server_listener *entry = TUSK_OWNER(link, server_listener, link);
        if (entry->listener == NULL) {
            continue;
        }
        if (pause) {
            tusk_listener_pause(entry->listener);
        } else {
            tusk_listener_resume(entry->listener);
        }
    }
}

static bool anybody_held(const tusk_server *self)
{
    for (tusk_link *link = self->listeners.next; link != &self->listeners; link = link->next) {
        if (tusk_listener_holds(TUSK_OWNER(link, server_listener, link)->listener)) {
            return true;
        }
    }
    return false;
}

static inline bool is_full(const tusk_server *self)
{
    return TUSK_LIKELY(self->share == NULL) ? self->session_count >= self->limits.connections
                                            : tusk__share_full(self) || anybody_held(self);
}

void tusk__server_balance_accept(tusk_server *self)
{
    bool full = is_full(self);
    bool busy = self->handshakes >= self->limits.handshakes;
    if (TUSK_LIKELY(!full && !busy && !self->accept_paused)) {
        return;
    }
    if (!self->accept_paused) {
        say_waiting(self, full ? "the limit of connections is reached: new ones wait"
                               : "the limit of handshakes is reached: new connections wait");
    }
    pause_accept(self, full || busy);
    if (full) {
        tusk__share_look_again(self);
    }
}

static void refuse_fd(int fd, bool plain)
{
    static const char text[] =
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nConnection: close\r\n"
        "Content-Length: 0\r\n\r\n";
    tusk_accepted_refuse(fd, plain ? tusk_bytes_str(text) : tusk_bytes_of(NULL, 0));
}

/* The kernel's queue gave it while other workers took the last places: it waits here instead, as
 * the only one, since accepting pauses with it. */
static void hold(server_listener *entry, int fd, const tusk_addr *peer)
{
    if (tusk_listener_hold(entry->listener, fd, peer)) {
        tusk__server_balance_accept(entry->server);
    } else {
        entry->server->stats.connections_refused++;
        refuse_fd(fd, entry->tls == NULL);
    }
}

static void let_in(server_listener *entry, int fd, const tusk_addr *peer, bool is_new)
{
    tusk_server *self = entry->server;
    tusk_addr_key key = tusk_addr_key_of(peer);
    bool behind_proxy = self->trusted_count > 0 && tusk__forwarded_trusts(self, peer);
    uint8_t ip[16];
    bool has_address = tusk_addr_ip(peer, ip) != 0; /* all peers of a Unix path would be one */
    uint32_t limit = behind_proxy || !has_address ? 0 : self->limits.per_address;
    if (!tusk__share_enter(self)) {
        hold(entry, fd, peer);
        return;
    }
    if (limit > 0 && tusk__addresses_full(&self->addresses, &key, limit)) {
        tusk__share_leave(self);
        self->stats.connections_per_address_refused++;
        refuse_fd(fd, entry->tls == NULL);
        return;
    }
    tusk_session *session;
    if (tusk__session_new(&session, self, fd, is_new, peer, entry->tls) != TUSK_OK) {
        tusk__share_leave(self);
        tusk__addresses_tell(&self->addresses, &key);
        self->stats.out_of_memory++;
        self->stats.connections_refused++;
        (void)close(fd);
        return;
    }
    session->proxy_expected = self->proxy_protocol && behind_proxy;
    session->conn.preface = session->proxy_expected && entry->tls != NULL;
    tusk__server_balance_accept(self);
}

static void on_accept(void *user, int fd, const tusk_addr *peer)
{
    let_in(user, fd, peer, true);
}

void tusk__server_let_in_held(tusk_server *self)
{
    for (tusk_link *link = self->listeners.next; link != &self->listeners; link = link->next) {
        server_listener *entry = TUSK_OWNER(link, server_listener, link);
        if (tusk_listener_holds(entry->listener)) {
            tusk_addr peer;
            int fd = tusk_listener_take_held(entry->listener, &peer);
            let_in(entry, fd, &peer, false); /* handlers ran meanwhile, and may have forked */
        }
    }
}

tusk_err tusk_server_adopt(tusk_server *self, int fd)
{
    tusk_addr peer;
    tusk_session *session;
    if (self->state == SERVER_STOPPING || self->state == SERVER_STOPPED) {
        return TUSK_ESTATE; /* the drain has passed it */
    }
    tusk_addr_unnamed(&peer);
    tusk__share_add(self);
    tusk_err err = tusk__session_new(&session, self, fd, false, &peer, NULL);
    if (err != TUSK_OK) {
        tusk__share_leave(self);
    }
    return err;
}

tusk_err tusk_server_listen(tusk_server *self, const char *address, tusk_tls *tls)
{
    if (self->state != SERVER_NEW) {
        return TUSK_ESTATE;
    }
    tusk_addr addr;
    tusk_err err = tusk_listener_address(&addr, address);
    if (err != TUSK_OK) {
        return err;
    }
    server_listener *entry = tusk__new(self->mem, sizeof(*entry));
    if (entry == NULL) {
        return TUSK_ENOMEM;
    }
    entry->server = self;
    entry->addr = addr;
    (void)tusk_addr_text(&addr, entry->text);
    entry->tls = tls == NULL ? NULL : tusk_tls_ref(tls);
    tusk__list_push(&self->listeners, &entry->link);
    return TUSK_OK;
}

tusk_err tusk_server_socket(int *fd, uint16_t *port, const char *address)
{
    *fd = -1;
    tusk_addr addr;
    tusk_err err = tusk_listener_address(&addr, address);
    if (err == TUSK_OK) {
        err = tusk_listener_socket(fd, &addr, NULL);
    }
    *port = err == TUSK_OK ? tusk_addr_port(&addr) : 0;
    return err;
}

tusk_err tusk_server_listen_on(tusk_server *self, int fd, tusk_tls *tls)
{
    tusk_err err = tusk_server_listen(self, "127.0.0.1:0", tls);
    if (err == TUSK_OK) {
        server_listener *entry = TUSK_OWNER(self->listeners.prev, server_listener, link);
        entry->given = true;
        entry->fd = fd;
    }
    return err;
}

static tusk_err open_listener(tusk_server *self, server_listener *entry)
{
    const tusk_listener_options options = {.on_exhausted = on_exhausted,
                                           .keep_path = entry->inherited};
    if (entry->given) {
        return tusk_listener_adopt(&entry->listener, self->loop, entry->fd, NULL, &options,
                                   on_accept, entry);
    }
    return tusk_listener_open(&entry->listener, self->loop, &entry->addr, &options, on_accept,
                              entry);
}

tusk_err tusk_server_pair(tusk_server *self, int *fd)
{
    int ends[2];
    *fd = -1;
    if (tusk__socket_pair(ends) != 0) {
        return TUSK_ESYS;
    }
    tusk_err err = tusk_server_adopt(self, ends[1]);
    if (err != TUSK_OK) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return err;
    }
    *fd = ends[0];
    return TUSK_OK;
}

/* Of several processes each may come to hold all clients; the first one says it. */
static void make_room(const tusk_server *self)
{
    char text[NET_ROOM_TEXT];
    const net_room room = {.clients = self->limits.connections,
                           .each = 1,
                           .asked = self->limits.connections != SERVER_CONNECTIONS};
    bool first = self->share == NULL || self->share->seat == 0;
    if (net_room_lacks(&room, text) && first && self->handler->on_log != NULL) {
        self->handler->on_log(self->user, text);
    }
}

tusk_err tusk_server_start(tusk_server *self, char *reason, size_t reason_cap)
{
    bool certificates = false;
    if (self->state != SERVER_NEW) {
        return TUSK_ESTATE;
    }
    make_room(self);
    for (tusk_link *link = self->listeners.next; link != &self->listeners; link = link->next) {
        server_listener *entry = TUSK_OWNER(link, server_listener, link);
        tusk_err err = open_listener(self, entry);
        if (err != TUSK_OK) {
            char text[TUSK_ADDR_TEXT_MAX];
            const char *address = tusk_addr_text(&entry->addr, text);
            (void)snprintf(reason, reason_cap, "cannot listen on %s: %s%s", address,
                           tusk_err_text(err), tusk_listener_remedy(err, address));
            tusk__server_close_listeners(self);
            return err;
        }
        certificates = certificates || entry->tls != NULL;
    }
    self->state = SERVER_RUNNING;
    for (tusk_link *link = self->listeners.next; link != &self->listeners; link = link->next) {
        tusk_listener_resume(TUSK_OWNER(link, server_listener, link)->listener);
    }
    if (certificates && !self->keep_certificates) {
        tusk_timer_start(self->loop, &self->certificate_timer, TUSK_CERTIFICATE_CHECK_MS);
    }
    return TUSK_OK;
}

static server_listener *listener_at(const tusk_server *self, size_t index)
{
    for (tusk_link *link = self->listeners.next; link != &self->listeners; link = link->next) {
        if (index-- == 0) {
            return TUSK_OWNER(link, server_listener, link);
        }
    }
    return NULL;
}

uint16_t tusk_server_port(const tusk_server *self, size_t listener)
{
    const server_listener *entry = listener_at(self, listener);
    if (entry == NULL) {
        return 0;
    }
    return tusk_addr_port(entry->listener == NULL ? &entry->addr
                                                  : tusk_listener_addr(entry->listener));
}

/* ---- a worker's sockets are its master's ---- */
const char *tusk_server_address(const tusk_server *self, size_t listener)
{
    const server_listener *entry = listener_at(self, listener);
    return entry == NULL ? NULL : entry->text;
}

tusk_err tusk_server_inherit(tusk_server *self, size_t listener, int fd)
{
    server_listener *entry = listener_at(self, listener);
    if (self->state != SERVER_NEW || entry == NULL || entry->given) {
        return TUSK_ESTATE;
    }
    entry->given = true;
    entry->inherited = true;
    entry->fd = fd;
    return TUSK_OK;
}

tusk_err tusk_server_accept_for(tusk_server *self, size_t listener, uint32_t key, int fd)
{
    server_listener *entry = listener_at(self, listener);
    if (self->state != SERVER_RUNNING || entry == NULL) {
        return TUSK_ESTATE;
    }
    return tusk_listener_add_inlet(entry->listener, key, fd);
}

void tusk_server_give_back(tusk_server *self, uint32_t key)
{
    for (tusk_link *link = self->listeners.next; link != &self->listeners; link = link->next) {
        server_listener *entry = TUSK_OWNER(link, server_listener, link);
        if (entry->listener != NULL) {
            tusk_listener_drop_inlets(entry->listener, key);
        }
    }
}

uint64_t tusk__server_exhausted(const tusk_server *self)
{
    uint64_t sum = 0;
    for (tusk_link *link = self->listeners.next; link != &self->listeners; link = link->next) {
        const server_listener *entry = TUSK_OWNER(link, server_listener, link);
        sum += entry->listener == NULL ? 0 : tusk_listener_exhausted(entry->listener);
    }
    return sum;
}
