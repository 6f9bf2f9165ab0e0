/* SPDX-License-Identifier: MIT */
/* Who holds a part of something, sends nothing, and has others wait for the memory of it. Who has
 * something in its socket waits for us, and is not meant: it is asked in its turn. */
#include "net/socket.h"
#include "proto/ws_frame.h"
#include "serve/http/http.h"
#include "serve/unfinished.h"

#define SHARE_OF_TURN 5u /* of unfinished_ms may pass without a byte */
#define YOUNG_TURNS 16u  /* behind one that was in vain; then those who wait have theirs again */

static uint32_t silent_ms(const tusk_server *server)
{
    uint32_t ms = server->limits.unfinished_ms / SHARE_OF_TURN;
    return ms > 0 ? ms : 1;
}

static uint32_t since(const tusk_server *server, uint32_t at_ms)
{
    return tusk__server_ms(server) - at_ms;
}

static uint32_t began_ms(const tusk_session *session)
{
    return session->server->slots[session->slot].began_ms;
}

/* Not who was only kept from reading what has not come. */
static bool waits(const tusk_session *session)
{
    size_t most;
    return session->paused_unfinished &&
           (session->conn.in_len > 0 || tusk__session_ops(session)->wants(session, &most) > 0 ||
            !tusk__session_has_sent_all(session));
}

static bool others_wait(const tusk_server *server)
{
    for (uint32_t i = 0; i < server->slot_count; i++) {
        const tusk_session *other = server->slots[i].session;
        if (other != NULL && other != server->unfinished_owner && waits(other)) {
            return true;
        }
    }
    return false;
}

void tusk__silence_ask_young(tusk_server *server)
{
    server->young_turns = YOUNG_TURNS;
}

tusk_session *tusk__silence_youngest(const tusk_server *server)
{
    tusk_session *young = NULL;
    for (uint32_t i = 0; i < server->slot_count; i++) {
        tusk_session *other = server->slots[i].session;
        if (other != NULL && other->paused_unfinished &&
            (young == NULL || (int32_t)(began_ms(other) - began_ms(young)) > 0)) {
            young = other;
        }
    }
    return young;
}

/* ---- the one that may go on over the limit ---- */

static void look_again(tusk_server *server, uint32_t in_ms)
{
    tusk_timer_start(server->loop, &server->unfinished_timer, in_ms > 0 ? in_ms : 1);
}

void tusk__silence_watch_owner(tusk_server *server)
{
    server->unfinished_since = tusk__server_ms(server);
    look_again(server, silent_ms(server));
}

static void shed(tusk_session *session)
{
    session->server->stats.unfinished_closed++;
    if (session->parks == 0) {
        tusk__session_ops(session)->shed(session);
    } else {
        tusk__session_cut(session);
        tusk__unfinished_leave(session); /* its end is told when its handler returns */
    }
}

/* Whoever may go on and does not come to an end would hold up all others. */
static void on_unfinished(tusk_timer *timer)
{
    tusk_server *server = TUSK_OWNER(timer, tusk_server, unfinished_timer);
    tusk_session *owner = server->unfinished_owner;
    if (owner == NULL) {
        return;
    }
    if (!others_wait(server) ||
        owner->conn.paused) { /* nobody minds, or it waits for the queues itself */
        tusk__silence_watch_owner(server);
        return;
    }
    uint32_t turn = since(server, server->unfinished_since);
    /* The first look comes silent_ms into its turn: what it said before that does not count. */
    uint32_t silence = since(server, owner->last_in_ms);
    bool silent = silence >= silent_ms(server) && tusk__session_has_sent_all(owner);
    if (turn < server->limits.unfinished_ms && !silent) {
        uint32_t left = server->limits.unfinished_ms - turn;
        uint32_t quiet =
            silence < silent_ms(server) ? silent_ms(server) - silence : silent_ms(server);
        look_again(server, quiet < left ? quiet : left);
        return;
    }
    if (!server->unfinished_young) {
        tusk__silence_ask_young(server);
    } else if (!silent) { /* it may be the same ones that come back, again and again */
        server->young_turns = 0;
    }
    server->wasted_ms = tusk__server_ms(server) | 1;
    shed(owner);
}

/* ---- all others that hold something ---- */

/* A turn was given in vain lately: of who wants one there may be thousands for whom it is. */
static bool turns_are_wasted(const tusk_server *server)
{
    enum { TURNS = 2 };
    return server->wasted_ms != 0 &&
           since(server, server->wasted_ms) < (uint64_t)TURNS * server->limits.unfinished_ms;
}

/* All of the message is here, if not yet read; or of the body, where it said how long it is. In the
 * midst of a ping nothing is known of the message around it. */
static bool has_its_end(const tusk_session *session, size_t here)
{
    if (session->kind == SESSION_HTTP) {
        const http_exchange *exchange = session->u.http.exchange;
        return session->state == HTTP_BODY && exchange != NULL &&
               exchange->head.content_length > 0 && exchange->body.left <= here;
    }
    const tusk_ws_decoder *decoder = &session->u.ws.decoder;
    return session->kind == SESSION_WEBSOCKET &&
           (decoder->frame_bits & (TUSK_WS_FIN | TUSK__WS_CONTROL_BIT)) == TUSK_WS_FIN &&
           decoder->frame_left > 0 && decoder->frame_left <= here;
}

/* It waits, and hardly anything has come since we read of it last. */
static bool sends_little(const tusk_session *session)
{
    enum { LITTLE = 512, WHILE = 2 /* times what one may be silent for */ };
    const tusk_conn *conn = &session->conn;
    if (!conn->paused ||
        since(session->server, session->last_in_ms) < WHILE * silent_ms(session->server) ||
        tusk__session_has_decrypted(session)) {
        return false;
    }
    size_t here = conn->in_len + tusk__socket_unread(conn->io.fd);
    return here < LITTLE && !has_its_end(session, here);
}

/* Who is silent; and where turns are wasted and even the slack is taken, who waits and began longer
 * ago than a turn may last, as far as that is needed. Past the limit alone it has to be one that
 * sends next to nothing: others would wait for each of a crowd of those for the whole of a turn. */
static bool goes_first(const tusk_session *session, bool crowded)
{
    const tusk_server *server = session->server;
    const tusk_conn *conn = &session->conn;
    if (session->unfinished == 0 || session->parks > 0 || !tusk_conn_open(conn)) {
        return false;
    }
    uint32_t silence = since(server, session->last_in_ms);
    bool in_turn = conn->in_len == 0 || !conn->paused; /* nothing of it waits for a turn */
    return silence >= silent_ms(server) &&
           ((in_turn && tusk__session_has_sent_all(session)) ||
            (crowded && since(server, began_ms(session)) >= server->limits.unfinished_ms &&
             tusk__unfinished_is_much(server)) ||
            (turns_are_wasted(server) && !tusk__unfinished_leaves_room(server) &&
             sends_little(session)));
}

/* Where nothing is past the limit but what the one has that may go on, others wait for its place:
 * the end of somebody who holds little would bring none of them further. */
static bool silent_hold_much(const tusk_server *server)
{
    enum { PARTS = 8 }; /* of the limit */
    if (tusk__unfinished_is_past_limit(server)) {
        return true;
    }
    size_t held = 0;
    for (uint32_t i = 0; i < server->slot_count; i++) {
        const tusk_session *session = server->slots[i].session;
        if (session != NULL && session != server->unfinished_owner && goes_first(session, false)) {
            held += session->unfinished;
        }
    }
    return held > server->limits.unfinished_bytes / PARTS;
}

static void shed_silent(tusk_server *server)
{
    bool crowded = turns_are_wasted(server) && tusk__unfinished_is_past_slack(server);
    for (uint32_t i = 0; i < server->slot_count; i++) {
        tusk_session *session = server->slots[i].session;
        if (session != NULL && session != server->unfinished_owner &&
            goes_first(session, crowded)) {
            shed(session);
        }
    }
}

void tusk__silence_watch(tusk_server *server)
{
    if (!tusk_timer_running(&server->silence_timer)) {
        tusk_timer_start(server->loop, &server->silence_timer, silent_ms(server));
    }
}

static void on_silence(tusk_timer *timer)
{
    tusk_server *server = TUSK_OWNER(timer, tusk_server, silence_timer);
    if ((server->unfinished_owner == NULL && !tusk__unfinished_is_much(server)) ||
        !others_wait(server)) {
        return;
    }
    if (silent_hold_much(server)) {
        shed_silent(server);
    }
    tusk__silence_watch(server);
}

/* Thousands that add to it must not be as many walks for nothing. */
bool tusk__silence_makes_room(tusk_server *server)
{
    enum { WALKS = 4 }; /* in the time after which one is silent */
    if (since(server, server->in_vain_ms) < silent_ms(server) / WALKS) {
        return false;
    }
    shed_silent(server);
    if (tusk__unfinished_is_past_slack(server)) {
        server->in_vain_ms = tusk__server_ms(server);
        return false;
    }
    return true;
}

void tusk__silence_init(tusk_server *server)
{
    server->unfinished_timer.on_due = on_unfinished;
    server->unfinished_timer.deadline = true;
    server->silence_timer.on_due = on_silence;
    server->silence_timer.deadline = true;
}

void tusk__silence_fini(tusk_server *server)
{
    tusk_timer_stop(server->loop, &server->unfinished_timer);
    tusk_timer_stop(server->loop, &server->silence_timer);
}
