/* SPDX-License-Identifier: MIT */
/* Doors: listeners that accept within the limits, before anything else runs for a client. */
#define _GNU_SOURCE
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "relay/shared.h"
#include "relay/used.h"

/* So long until a worker that waits for a place looks whether one is free elsewhere; spread, so
 * that they do not look at once. */
enum { PLACE_AGAIN_MS = 5, PLACE_SPREAD_MS = 8 };

static void on_exhausted(void *user)
{
    relay_used_close(((relay_door *)user)->relay);
    relay_say(((relay_door *)user)->relay, NOTICE_ACCEPT,
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

static bool is_full(const tusk_relay *relay)
{
    return relay->share == NULL ? relay->session_count >= relay->limits.connections
                                : relay_share_full(relay);
}

static bool is_door_full(const relay_door *self)
{
    uint32_t limit = relay_door_limit(self);
    return self->relay->share == NULL ? limit > 0 && self->sessions >= limit
                                      : relay_share_door_full(self);
}

/* Places become free in other processes, which nobody tells. */
static void look_again(tusk_relay *relay)
{
    if (relay->share != NULL && !tusk_timer_running(&relay->share->again)) {
        tusk_timer_start(relay->loop, &relay->share->again,
                         PLACE_AGAIN_MS + relay->share->seat % PLACE_SPREAD_MS);
    }
}

void relay_doors_balance(tusk_relay *relay)
{
    bool full = is_full(relay);
    bool waits = full;
    if (full && !relay->accept_paused) {
        relay->stats.refused_limit++;
        relay_say(relay, NOTICE_ACCEPT, "the limit of connections is reached: new ones wait");
    }
    relay->accept_paused = full;
    for (tusk_link *link = relay->doors.next; link != &relay->doors; link = link->next) {
        relay_door *door = TUSK_OWNER(link, relay_door, link);
        bool door_full = is_door_full(door);
        waits = waits || door_full;
        if (door_full && !full && !door->paused) {
            relay->stats.refused_limit++;
            relay_say(relay, NOTICE_ACCEPT, "%s has as many clients as it may: new ones wait",
                      door->text);
        }
        pause_door(door, full || door_full);
    }
    if (waits) {
        look_again(relay);
    }
}

/* Whoever it is may come back at once, and there may be many of them: the log hears of one. */
static void count_over(const relay_door *self, const tusk_addr *client, uint64_t *counter)
{
    tusk_relay *relay = self->relay;
    bool rate = counter == &relay->stats.refused_rate;
    char text[TUSK_ADDR_TEXT_MAX];
    (*counter)++;
    relay_say(relay, NOTICE_SOURCE, "%s is over its limit at %s (%s %u) and is closed",
              tusk_addr_host_text(client, text), self->text, rate ? "ratePerSource" : "perSource",
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
    uint64_t *over = admit(relay, client, &source);
    if (over != NULL) {
        count_over(session->door, client, over);
        return false;
    }
    relay_source_give(relay, &session->source);
    session->source = source;
    return true;
}

static void welcome(relay_door *self, int fd, const tusk_addr *peer)
{
    tusk_relay *relay = self->relay;
    if (relay->share != NULL) {
        relay->share->opened = false;
    }
    relay->ops->on_client(relay, self, fd, peer);
    relay_source_give(relay, &relay->source); /* no session came of it */
    if (relay->share != NULL && !relay->share->opened) {
        relay_share_leave(self);
    }
}

/* The kernel's queue gave it while other workers took the last places: it waits here instead, as
 * the only one, since accepting pauses with it. */
static void hold(relay_door *self, int fd, const tusk_addr *peer)
{
    tusk_relay *relay = self->relay;
    if (!tusk_listener_hold(self->listener, fd, peer)) {
        relay_source_give(relay, &relay->source);
        relay->stats.refused_limit++;
        refuse(self, fd);
        return;
    }
    self->held_source = relay->source;
    relay->source = NULL;
    relay_doors_balance(relay);
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
        count_over(self, peer, over);
        refuse(self, fd);
        return;
    }
    if (relay->share == NULL || relay_share_enter(self)) {
        welcome(self, fd, peer);
    } else {
        hold(self, fd, peer);
    }
}

static void let_in_held(relay_door *self)
{
    if (tusk_listener_holds(self->listener) && relay_share_enter(self)) {
        tusk_addr peer;
        int fd = tusk_listener_take_held(self->listener, &peer);
        self->relay->source = self->held_source;
        self->held_source = NULL;
        self->relay->client_waited = true;
        welcome(self, fd, &peer);
        self->relay->client_waited = false;
    }
}

void relay_share_again(tusk_timer *timer)
{
    tusk_relay *relay = TUSK_OWNER(timer, struct relay_share, again)->relay;
    for (tusk_link *link = relay->doors.next; link != &relay->doors; link = link->next) {
        let_in_held(TUSK_OWNER(link, relay_door, link));
    }
    if (relay->state == RELAY_RUNNING) {
        relay_doors_balance(relay);
    }
}

tusk_err relay_door_open(relay_door *self)
{
    tusk_relay *relay = self->relay;
    const tusk_listener_options options = {.backlog = self->options.backlog,
                                           .reuse_port = self->options.reuse_port,
                                           .keep_path = self->inherited,
                                           .on_exhausted = on_exhausted};
    tusk_err err = self->fd >= 0 ? tusk_listener_adopt(&self->listener, relay->loop, self->fd, NULL,
                                                       &options, on_accept, self)
                                 : tusk_listener_open(&self->listener, relay->loop, &self->addr,
                                                      &options, on_accept, self);
    self->paused = true;
    if (err == TUSK_OK) {
        self->addr = *tusk_listener_addr(self->listener);
        if (tusk_addr_family(&self->addr) != AF_UNIX) {
            relay_set_options(relay, tusk_listener_fd(self->listener));
            relay_keep_alive(relay, tusk_listener_fd(self->listener));
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
        relay_source_give(relay, &door->held_source);
    }
}

/* ---- workers ---- */
relay_door *relay_door_at(const tusk_relay *relay, size_t index)
{
    for (tusk_link *link = relay->doors.next; link != &relay->doors; link = link->next) {
        if (index-- == 0) {
            return TUSK_OWNER(link, relay_door, link);
        }
    }
    return NULL;
}

const char *tusk_relay_address(const tusk_relay *self, size_t listener)
{
    const relay_door *door = relay_door_at(self, listener);
    return door == NULL ? NULL : door->text;
}

tusk_err tusk_relay_inherit(tusk_relay *self, size_t listener, int fd)
{
    relay_door *door = relay_door_at(self, listener);
    if (self->state != RELAY_NEW || door == NULL || door->fd >= 0) {
        return TUSK_ESTATE;
    }
    door->fd = fd;
    door->inherited = true;
    return TUSK_OK;
}

tusk_err tusk_relay_adopt(tusk_relay *self, size_t listener, uint32_t key, int fd)
{
    relay_door *door = relay_door_at(self, listener);
    if (self->state != RELAY_RUNNING || door == NULL) {
        return TUSK_ESTATE;
    }
    return tusk_listener_add_inlet(door->listener, key, fd);
}

void tusk_relay_give_back(tusk_relay *self, uint32_t key)
{
    for (tusk_link *link = self->doors.next; link != &self->doors; link = link->next) {
        relay_door *door = TUSK_OWNER(link, relay_door, link);
        if (door->listener != NULL) {
            tusk_listener_drop_inlets(door->listener, key);
        }
    }
}
