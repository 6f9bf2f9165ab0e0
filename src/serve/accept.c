/* SPDX-License-Identifier: MIT */
/* A server's gates: who may come in, what is said to the others and to the log. */
#include "serve/share.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/socket.h"
#include "serve/http/http.h"
#include "serve/places.h"

#define SAY_AGAIN_MS 10000u

static tusk_server *server_of(net_gates *gates)
{
    return TUSK_OWNER(gates, tusk_server, gates);
}

static server_listener *listener_of(net_gate *gate)
{
    return TUSK_OWNER(gate, server_listener, gate);
}

/* ---- what the log hears ---- */
static void on_log(net_gates *gates, const char *text)
{
    const tusk_server *self = server_of(gates);
    if (self->handler->on_log != NULL) {
        self->handler->on_log(self->user, text);
    }
}

/* A crowd that cannot come in must not fill the log as well. */
static bool is_to_say(const tusk_server *self, uint64_t *said_ms)
{
    uint64_t now = tusk_loop_now_ms(self->loop);
    if (*said_ms != 0 && now - *said_ms < SAY_AGAIN_MS) {
        return false;
    }
    *said_ms = now;
    return true;
}

static void say_seldom(tusk_server *self, const char *text)
{
    if (is_to_say(self, &self->said_ms)) {
        on_log(&self->gates, text);
    }
}

void tusk__server_say_unnamed(tusk_server *self, const tusk_session *session)
{
    char text[80 + TUSK_ADDR_TEXT_MAX];
    char host[TUSK_ADDR_TEXT_MAX] = "a Unix socket";
    tusk_addr peer;
    if (!is_to_say(self, &self->said_unnamed_ms)) {
        return;
    }
    if (session->family != 0) {
        (void)tusk_addr_from_ip(&peer, session->family, session->ip, 0);
        (void)tusk_addr_host_text(&peer, host);
    }
    (void)snprintf(text, sizeof(text),
                   "no valid PROXY header from %s, a trusted proxy that has to send one: refused",
                   host);
    on_log(&self->gates, text);
}

static void on_exhausted(net_gates *gates, int error)
{
    char text[160];
    if (error != 0) {
        (void)snprintf(text, sizeof(text), "a listener accepts nobody (%s): it is tried again",
                       strerror(error));
        say_seldom(server_of(gates), text);
        return;
    }
    tusk__places_lack(server_of(gates));
    say_seldom(server_of(gates),
               "out of file descriptors (or kernel memory): new connections wait; raise ulimit -n "
               "above the limit of connections");
}

static void on_wait(net_gates *gates, const net_gate *gate)
{
    bool busy = gate == NULL && gates->busy;
    tusk__places_watch(server_of(gates));
    say_seldom(server_of(gates), busy ? "the limit of handshakes is reached: new connections wait"
                                      : "the limit of connections is reached: new ones wait");
}

/* A socket that the poller does not take is no memory that lacks. */
static void tell_lost(tusk_server *self, tusk_err why)
{
    self->stats.connections_refused++;
    if (why == TUSK_ENOMEM) {
        self->stats.out_of_memory++;
    } else {
        say_seldom(self, NET_GATE_WATCHES_SPENT);
    }
}

/* ---- clients ---- */
static void refuse(const server_listener *self, const net_client *client)
{
    static const char text[] =
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nConnection: close\r\n"
        "Content-Length: 0\r\n\r\n";
    tusk_accepted_refuse(client->fd,
                         self->tls == NULL ? tusk_bytes_str(text) : tusk_bytes_of(NULL, 0));
}

/* A proxy's clients are counted when they are known. */
static bool is_proxy(const tusk_server *self, const tusk_addr *peer)
{
    return self->trusted_count > 0 && tusk__forwarded_trusts(self, peer);
}

/* Within the limit of its address; all peers of a Unix path would be one. */
static bool admit(net_gate *gate, net_client *client)
{
    tusk_server *self = server_of(gate->all);
    tusk_addr_key key = tusk_addr_key_of(client->peer);
    uint32_t limit = self->limits.per_address;
    uint8_t ip[16];
    if (limit == 0 || tusk_addr_ip(client->peer, ip) == 0 || is_proxy(self, client->peer) ||
        !tusk__addresses_full(&self->addresses, &key, limit)) {
        return true;
    }
    self->stats.connections_per_address_refused++;
    refuse(listener_of(gate), client);
    return false;
}

static bool on_client(net_gate *gate, const net_client *client)
{
    const server_listener *listener = listener_of(gate);
    tusk_server *self = server_of(gate->all);
    net_client again = *client;
    tusk_session *session;
    if (client->waited && !admit(gate, &again)) { /* others of its address came in meanwhile */
        return false;
    }
    tusk_err err =
        tusk__session_new(&session, self, client->fd, !client->waited, client->peer, listener->tls);
    if (err != TUSK_OK) {
        tusk_addr_key key = tusk_addr_key_of(client->peer);
        tusk__addresses_tell(&self->addresses, &key);
        tell_lost(self, err);
        (void)close(client->fd);
        return false;
    }
    session->proxy_expected = self->proxy_protocol && is_proxy(self, client->peer);
    session->conn.preface = session->proxy_expected && listener->tls != NULL;
    return true;
}

static const net_gates_ops gate_ops = {.admit = admit,
                                       .on_client = on_client,
                                       .on_wait = on_wait,
                                       .on_exhausted = on_exhausted,
                                       .on_log = on_log};

void tusk__server_make_gates(tusk_server *self)
{
    net_gates_init(&self->gates, self->loop, &gate_ops);
    self->gates.limit = self->limits.connections;
    self->gates.usual = SERVER_CONNECTIONS;
}

tusk_err tusk_server_adopt(tusk_server *self, int fd)
{
    tusk_addr peer;
    tusk_session *session;
    if (self->state == SERVER_STOPPING || self->state == SERVER_STOPPED) {
        return TUSK_ESTATE; /* the drain has passed it */
    }
    tusk_addr_unnamed(&peer);
    net_gates_add(&self->gates);
    tusk_err err = tusk__session_new(&session, self, fd, false, &peer, NULL);
    if (err != TUSK_OK) {
        net_gates_leave(&self->gates, NULL);
    }
    return err;
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

/* ---- listeners ---- */
static tusk_err add_listener(tusk_server *self, const char *address, int fd, tusk_tls *tls)
{
    char text[TUSK_ADDR_TEXT_MAX];
    tusk_addr addr;
    if (self->state != SERVER_NEW) {
        return TUSK_ESTATE;
    }
    tusk_err err = tusk_listener_address(&addr, address);
    if (err != TUSK_OK) {
        return err;
    }
    server_listener *listener = tusk__new(self->mem, sizeof(*listener));
    if (listener == NULL) {
        return TUSK_ENOMEM;
    }
    listener->tls = tls == NULL ? NULL : tusk_tls_ref(tls);
    net_gate_add(&listener->gate, &self->gates, &addr, tusk_addr_text(&addr, text), fd);
    return TUSK_OK;
}

tusk_err tusk_server_listen(tusk_server *self, const char *address, tusk_tls *tls)
{
    return add_listener(self, address, -1, tls);
}

tusk_err tusk_server_listen_on(tusk_server *self, int fd, tusk_tls *tls)
{
    return add_listener(self, "127.0.0.1:0", fd, tls);
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

static bool has_certificates(const tusk_server *self)
{
    for (tusk_link *link = self->gates.list.next; link != &self->gates.list; link = link->next) {
        if (TUSK_OWNER(link, server_listener, gate.link)->tls != NULL) {
            return true;
        }
    }
    return false;
}

tusk_err tusk_server_start(tusk_server *self, char *reason, size_t reason_cap)
{
    if (self->state != SERVER_NEW) {
        return TUSK_ESTATE;
    }
    tusk_err err = net_gates_open(&self->gates, reason, reason_cap);
    if (err != TUSK_OK) {
        return err;
    }
    self->state = SERVER_RUNNING;
    net_gates_settle(&self->gates);
    if (has_certificates(self)) {
        tusk_timer_start(self->loop, &self->certificate_timer, TUSK_CERTIFICATE_CHECK_MS);
    }
    return TUSK_OK;
}

uint16_t tusk_server_port(const tusk_server *self, size_t listener)
{
    return net_gates_port(&self->gates, listener);
}

/* ---- a worker's sockets are its master's ---- */
const char *tusk_server_address(const tusk_server *self, size_t listener)
{
    return net_gates_address(&self->gates, listener);
}

tusk_err tusk_server_inherit(tusk_server *self, size_t listener, int fd)
{
    return self->state != SERVER_NEW ? TUSK_ESTATE : net_gates_inherit(&self->gates, listener, fd);
}

tusk_err tusk_server_accept_for(tusk_server *self, size_t listener, uint32_t key, int fd)
{
    return net_gates_add_inlet(&self->gates, listener, key, fd);
}

void tusk_server_give_back(tusk_server *self, uint32_t key)
{
    net_gates_drop_inlets(&self->gates, key);
}
