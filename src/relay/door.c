/* SPDX-License-Identifier: MIT */
/* Doors: a relay's gates, and the limits of addresses, before anything else runs for a client. */
#define _GNU_SOURCE
#include "relay/inner.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/socket.h"
#include "relay/used.h"

static tusk_relay *relay_of(net_gates *gates)
{
    return TUSK_OWNER(gates, tusk_relay, gates);
}

static relay_door *door_of(net_gate *gate)
{
    return TUSK_OWNER(gate, relay_door, gate);
}

/* ---- what the log hears ---- */
static void on_log(net_gates *gates, const char *text)
{
    relay_log(relay_of(gates), text);
}

static void on_exhausted(net_gates *gates, int error)
{
    if (error != 0) {
        relay_say(relay_of(gates), NOTICE_ACCEPT,
                  "a listener accepts nobody (%s): it is tried again", strerror(error));
        return;
    }
    relay_of(gates)->stats.refused_limit++;
    relay_used_close(relay_of(gates));
    relay_say(relay_of(gates), NOTICE_ACCEPT,
              "out of file descriptors (or kernel memory): new connections wait; raise ulimit -n "
              "above twice the limit of connections");
}

static void on_wait(net_gates *gates, const net_gate *gate)
{
    tusk_relay *relay = relay_of(gates);
    relay->stats.refused_limit++;
    if (gate == NULL) {
        relay_say(relay, NOTICE_ACCEPT, "the limit of connections is reached: new ones wait");
    } else {
        relay_say(relay, NOTICE_ACCEPT, "%s has as many clients as it may: new ones wait",
                  gate->text);
    }
}

/* ---- limits of an address ---- */
/* Whoever it is may come back at once, and there may be many of them: the log hears of one. */
static void count_over(const relay_door *self, const tusk_addr *client, uint64_t *counter)
{
    tusk_relay *relay = self->relay;
    bool rate = counter == &relay->stats.refused_rate;
    char text[TUSK_ADDR_TEXT_MAX];
    (*counter)++;
    relay_say(relay, NOTICE_SOURCE, "%s is over its limit at %s (%s %u) and is closed",
              tusk_addr_host_text(client, text), self->gate.text,
              rate ? "ratePerSource" : "perSource",
              (unsigned)(rate ? relay->limits.rate_per_source : relay->limits.per_source));
}

static void refuse(relay_door *self, int fd)
{
    if (self->relay->ops->on_refused != NULL) {
        self->relay->ops->on_refused(self, fd, 429);
    } else {
        (void)close(fd);
    }
}

void relay_source_give(tusk_relay *relay, address_count **source)
{
    if (*source != NULL) {
        tusk__addresses_give(&relay->sources, *source);
        *source = NULL;
    }
}

/* Taken before it is looked at: two workers that take the last place both see it. Without memory it
 * is not counted. */
static bool take_source(tusk_relay *relay, const tusk_addr_key *key, address_count **source)
{
    *source = tusk__addresses_take(&relay->sources, key);
    if (*source == NULL) {
        return true;
    }
    if ((*source)->count + tusk__addresses_elsewhere(&relay->sources, key) <=
        relay->limits.per_source) {
        return true;
    }
    relay_source_give(relay, source);
    return false;
}

/* Within the limits of its address; then it is counted in `*source`, where one is to be counted.
 * The counter of the limit that it is over; NULL: of none. */
static uint64_t *over_limit(tusk_relay *relay, const tusk_addr *client, address_count **source)
{
    const tusk_relay_limits *limits = &relay->limits;
    uint8_t ip[16];
    *source = NULL;
    if ((limits->per_source == 0 && limits->rate_per_source == 0) ||
        tusk_addr_ip(client, ip) == 0) { /* all peers of a Unix path would be one */
        return NULL;
    }
    tusk_addr_key key = tusk_addr_key_of(client);
    if (limits->per_source > 0 && !take_source(relay, &key, source)) {
        return &relay->stats.refused_source;
    }
    if (!relay_rate_allows(&relay->rate, &key, tusk_loop_now_ns(relay->loop) / 1000u)) {
        relay_source_give(relay, source);
        return &relay->stats.refused_rate;
    }
    return NULL;
}

bool relay_door_admits(relay_session *session, const tusk_addr *client)
{
    tusk_relay *relay = session->door->relay;
    address_count *source;
    uint64_t *over = over_limit(relay, client, &source);
    if (over != NULL) {
        count_over(session->door, client, over);
        return false;
    }
    relay_source_give(relay, &session->source);
    session->source = source;
    return true;
}

/* ---- clients ---- */
static bool admit(net_gate *gate, net_client *client)
{
    relay_door *self = door_of(gate);
    tusk_relay *relay = self->relay;
    bool behind_proxy =
        self->options.proxy_protocol && relay_ranges_trust(&relay->trusted, client->peer);
    address_count *source = NULL;
    relay->stats.accepted++;
    uint64_t *over = behind_proxy ? NULL : over_limit(relay, client->peer, &source);
    if (over != NULL) {
        count_over(self, client->peer, over);
        refuse(self, client->fd);
        return false;
    }
    client->counted = source;
    return true;
}

static bool on_client(net_gate *gate, const net_client *client)
{
    relay_door *self = door_of(gate);
    tusk_relay *relay = self->relay;
    relay->source = client->counted;
    relay->client_waited = client->waited;
    bool opened = relay->ops->on_client(relay, self, client->fd, client->peer);
    relay_source_give(relay, &relay->source); /* no session came of it */
    return opened;
}

static void forget(net_gate *gate, void *counted)
{
    address_count *source = counted;
    relay_source_give(door_of(gate)->relay, &source);
}

static const net_gates_ops gate_ops = {.admit = admit,
                                       .on_client = on_client,
                                       .forget = forget,
                                       .on_wait = on_wait,
                                       .on_exhausted = on_exhausted,
                                       .on_log = on_log};

void relay_gates_init(tusk_relay *relay)
{
    net_gates_init(&relay->gates, relay->loop, &gate_ops);
    relay->gates.limit = relay->limits.connections;
    relay->gates.usual = tusk_relay_limits_default()->connections;
    relay->gates.each = 2; /* a client and its backend */
}

/* ---- listeners ---- */
static tusk_err add_door(tusk_relay *self, const tusk_addr *addr, const char *text, int fd,
                         const tusk_relay_listen_options *options)
{
    static const tusk_relay_listen_options plain;
    options = options == NULL ? &plain : options;
    const char *version =
        options->mysql_version == NULL ? TUSK_MYSQL_VERSION : options->mysql_version;
    if (self->state != RELAY_NEW) {
        return TUSK_ESTATE;
    }
    if (strlen(version) > TUSK_MYSQL_VERSION_MAX) {
        return TUSK_EINVAL;
    }
    relay_door *door = tusk__new(self->mem, sizeof(*door));
    if (door == NULL) {
        return TUSK_ENOMEM;
    }
    door->relay = self;
    door->options = *options;
    door->options.tls = options->tls == NULL ? NULL : tusk_tls_ref(options->tls);
    (void)snprintf(door->mysql_version, sizeof(door->mysql_version), "%s", version);
    net_gate_add(&door->gate, &self->gates, addr, text, fd);
    door->gate.backlog = options->backlog;
    door->gate.reuse_port = options->reuse_port;
    door->gate.limit = options->connections != 0 ? options->connections : self->limits.per_listener;
    return TUSK_OK;
}

tusk_err tusk_relay_listen(tusk_relay *self, const char *address,
                           const tusk_relay_listen_options *options)
{
    char text[TUSK_ADDR_TEXT_MAX];
    tusk_addr addr;
    tusk_err err = tusk_addr_parse(&addr, address);
    if (err == TUSK_EINVAL) { /* then its workers are told what the name is */
        err = tusk_listener_address(&addr, address);
        address = err == TUSK_OK ? tusk_addr_text(&addr, text) : address;
    }
    return err != TUSK_OK ? err : add_door(self, &addr, address, -1, options);
}

tusk_err tusk_relay_listen_on(tusk_relay *self, int fd, const tusk_relay_listen_options *options)
{
    char text[TUSK_ADDR_TEXT_MAX];
    tusk_addr addr = tusk__socket_addr(fd);
    if (addr.len == 0) {
        return TUSK_EINVAL;
    }
    return add_door(self, &addr, tusk_addr_text(&addr, text), fd, options);
}

tusk_err relay_doors_open(tusk_relay *relay, char *reason, size_t cap)
{
    tusk_err err = net_gates_open(&relay->gates, reason, cap);
    for (tusk_link *link = relay->gates.list.next; err == TUSK_OK && link != &relay->gates.list;
         link = link->next) {
        const net_gate *gate = TUSK_OWNER(link, net_gate, link);
        if (tusk_addr_family(&gate->addr) != AF_UNIX) { /* its clients inherit them */
            relay_set_options(relay, tusk_listener_fd(gate->listener));
            relay_keep_alive(relay, tusk_listener_fd(gate->listener));
        }
    }
    return err;
}

void relay_doors_free(tusk_relay *relay)
{
    tusk_link *link;
    while ((link = tusk__list_pop(&relay->gates.list)) != NULL) {
        relay_door *door = TUSK_OWNER(link, relay_door, gate.link);
        tusk_tls_unref(door->options.tls);
        tusk__free(relay->mem, door, sizeof(*door));
    }
}

uint16_t tusk_relay_port(const tusk_relay *self, size_t listener)
{
    return net_gates_port(&self->gates, listener);
}

/* ---- workers ---- */
const char *tusk_relay_address(const tusk_relay *self, size_t listener)
{
    return net_gates_address(&self->gates, listener);
}

tusk_err tusk_relay_inherit(tusk_relay *self, size_t listener, int fd)
{
    return self->state != RELAY_NEW ? TUSK_ESTATE : net_gates_inherit(&self->gates, listener, fd);
}

tusk_err tusk_relay_adopt(tusk_relay *self, size_t listener, uint32_t key, int fd)
{
    return net_gates_add_inlet(&self->gates, listener, key, fd);
}

void tusk_relay_give_back(tusk_relay *self, uint32_t key)
{
    net_gates_drop_inlets(&self->gates, key);
}
