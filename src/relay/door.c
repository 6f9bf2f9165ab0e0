/* SPDX-License-Identifier: MIT */
/* Doors: listeners that accept within the limits, before anything else runs for a client. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay/inner.h"

#define SAY_AGAIN_MS 10000u

/* A crowd that makes accepting wait must not fill the log as well. */
static void say_waiting(tusk_relay *self, const char *text)
{
    uint64_t now = tusk_loop_now_ms(self->loop);
    if (self->said_ms == 0 || now - self->said_ms >= SAY_AGAIN_MS) {
        self->said_ms = now;
        relay_log(self, text);
    }
}

static void on_exhausted(void *user)
{
    say_waiting(((relay_door *)user)->relay,
                "out of file descriptors (or kernel memory): new connections wait; raise ulimit -n "
                "above twice the limit of connections");
}

static void pause_door(relay_door *self, bool pause)
{
    if (self->listener == NULL || self->paused == pause) {
        return;
    }
    self->paused = pause;
    if (pause) {
        tusk_listener_pause(self->listener);
    } else {
        tusk_listener_resume(self->listener);
    }
}

void relay_doors_balance(tusk_relay *relay)
{
    bool full = relay->session_count >= relay->limits.connections;
    uint32_t each = relay->limits.per_listener;
    if (full && !relay->accept_paused) {
        relay->stats.refused_limit++;
        say_waiting(relay, "the limit of connections is reached: new ones wait");
    }
    relay->accept_paused = full;
    for (tusk_link *link = relay->doors.next; link != &relay->doors; link = link->next) {
        relay_door *door = TUSK_OWNER(link, relay_door, link);
        bool door_full = each > 0 && door->sessions >= each;
        relay->stats.refused_limit += door_full && !full && !door->paused ? 1 : 0;
        pause_door(door, full || door_full);
    }
}

static void refuse(relay_door *self, int fd, uint64_t *counter)
{
    (*counter)++;
    if (self->relay->ops->on_refused != NULL) {
        self->relay->ops->on_refused(self, fd, 429);
    } else {
        (void)close(fd);
    }
}

/* Within the limits of its address; then it is counted in `*source`, where one is to be counted.
 * The counter of the limit that it is over; NULL: of none. */
static uint64_t *admit(tusk_relay *relay, const tusk_addr *client, address_count **source)
{
    const tusk_relay_limits *limits = &relay->limits;
    uint8_t ip[16];
    *source = NULL;
    if ((limits->per_source == 0 && limits->rate_per_source == 0) ||
        tusk_addr_ip(client, ip) == 0) { /* all peers of a Unix path would be one */
        return NULL;
    }
    tusk_addr_key key = tusk_addr_key_of(client);
    if (limits->per_source > 0 &&
        tusk__addresses_count(&relay->sources, &key) >= limits->per_source) {
        return &relay->stats.refused_source;
    }
    if (!relay_rate_allows(&relay->rate, &key, tusk_loop_now_ns(relay->loop) / 1000u)) {
        return &relay->stats.refused_rate;
    }
    *source = limits->per_source > 0 ? tusk__addresses_take(&relay->sources, &key) : NULL;
    return NULL;
}

bool relay_door_admits(relay_session *session, const tusk_addr *client)
{
    tusk_relay *relay = session->door->relay;
    address_count *source;
    uint64_t *over = admit(relay, client, &source);
    if (over != NULL) {
        (*over)++;
        return false;
    }
    if (session->source != NULL) {
        tusk__addresses_give(&relay->sources, session->source);
    }
    session->source = source;
    return true;
}

static void on_accept(void *user, int fd, const tusk_addr *peer)
{
    relay_door *self = user;
    tusk_relay *relay = self->relay;
    bool behind_proxy = self->options.proxy_protocol && relay_ranges_have(&relay->trusted, peer);
    relay->stats.accepted++;
    relay->source = NULL;
    uint64_t *over = behind_proxy ? NULL : admit(relay, peer, &relay->source);
    if (over != NULL) {
        refuse(self, fd, over);
        return;
    }
    relay->ops->on_client(relay, self, fd, peer);
    if (relay->source != NULL) { /* no session came of it */
        tusk__addresses_give(&relay->sources, relay->source);
        relay->source = NULL;
    }
}

tusk_err relay_door_open(relay_door *self)
{
    tusk_relay *relay = self->relay;
    const tusk_listener_options options = {.backlog = self->options.backlog,
                                           .reuse_port = self->options.reuse_port,
                                           .on_exhausted = on_exhausted};
    tusk_err err = self->fd >= 0 ? tusk_listener_adopt(&self->listener, relay->loop, self->fd, NULL,
                                                       &options, on_accept, self)
                                 : tusk_listener_open(&self->listener, relay->loop, &self->addr,
                                                      &options, on_accept, self);
    self->paused = true;
    if (err == TUSK_OK) {
        self->addr = *tusk_listener_addr(self->listener);
        if (tusk_addr_family(&self->addr) != AF_UNIX) {
            relay_set_keep_alive(relay, tusk_listener_fd(self->listener));
        }
    }
    return err;
}

void relay_doors_close(tusk_relay *relay)
{
    for (tusk_link *link = relay->doors.next; link != &relay->doors; link = link->next) {
        relay_door *door = TUSK_OWNER(link, relay_door, link);
        if (door->listener != NULL) {
            tusk_listener_close(door->listener);
            door->listener = NULL;
        }
    }
}
