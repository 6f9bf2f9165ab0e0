/* SPDX-License-Identifier: MIT */
/* Who has a place and asks for nothing, while others wait for one: a handshake that does not come
 * to its end, and a connection between two requests. All that a place costs an attacker is one
 * connection, so a deadline of its own for each would keep everybody else out as long. */
#include "serve/places.h"

#include "serve/http/http.h"

/* Looks are short, so that who is served notices nothing of them. */
enum {
    LOOK_MS = 10,
    SLOTS_A_LOOK = 2048, /* a fifth of a millisecond, if none is in the cache */
    ENDS_A_LOOK = 64,    /* half of one */
    LACK_MS = 150        /* a listener that lacks descriptors tries again each 100 */
};

#define SHARE_OF_DEADLINE 5u /* of handshake_ms one may keep a place that others wait for */

static uint32_t most_ms(const tusk_server *server)
{
    uint32_t ms = server->limits.handshake_ms / SHARE_OF_DEADLINE;
    return ms > 0 ? ms : 1;
}

/* Since it was accepted, since the head began, or since the last answer: by its deadline. */
static uint32_t asks_nothing_for_ms(const tusk_session *session)
{
    const tusk_server *server = session->server;
    bool between = session->state == HTTP_IDLE && !session->counted_handshake;
    uint32_t all = between ? server->limits.keep_alive_ms : server->limits.handshake_ms;
    return all - (session->deadline_ms - tusk__server_ms(server));
}

/* Whoever has sent what nobody has looked at waits for us. */
static bool gives_way(const tusk_session *session, bool handshakes)
{
    const tusk_conn *conn = &session->conn;
    if (handshakes && !session->counted_handshake) {
        return false;
    }
    if (session->kind != SESSION_HTTP || !session->due || conn->send_bytes > 0 || conn->paused ||
        (session->state != HTTP_IDLE && session->state != HTTP_HEAD) ||
        (conn->state != CONN_OPEN && conn->state != CONN_OPENING)) {
        return false;
    }
    int32_t silent = (int32_t)asks_nothing_for_ms(session);
    return silent > 0 && (uint32_t)silent >= most_ms(session->server) &&
           tusk__session_has_sent_all(session);
}

/* As at its deadline; but nobody waits until the peer has read the answer, as its place is wanted.
 */
static void end(tusk_session *session)
{
    tusk_conn *conn = &session->conn;
    tusk_conn_hold(conn);
    tusk__http_on_due(session, tusk_loop_now_ms(session->server->loop));
    if (conn->state != CONN_CLOSED) {
        tusk_conn_flush(conn);
        tusk__session_abort(session, TUSK_ETIMEOUT);
    }
    tusk_conn_release(conn);
}

/* `handshakes`: only who makes one, as there are too many of those. */
static void look(tusk_server *server, bool handshakes)
{
    unsigned ends = 0;
    for (uint32_t i = 0; i < SLOTS_A_LOOK && i < server->slot_count && ends < ENDS_A_LOOK; i++) {
        server->places_at = server->places_at + 1 < server->slot_count ? server->places_at + 1 : 0;
        tusk_session *session = server->slots[server->places_at].session;
        server->places_in_vain += server->places_in_vain < UINT32_MAX;
        if (session != NULL && gives_way(session, handshakes)) {
            end(session);
            ends++;
            server->places_in_vain = 0;
        }
    }
}

static void on_look(tusk_timer *timer)
{
    tusk_server *server = TUSK_OWNER(timer, tusk_server, places_timer);
    bool lacks =
        server->places_lack_ms != 0 && tusk__server_ms(server) - server->places_lack_ms < LACK_MS;
    const net_gates *gates = &server->gates;
    bool waits = gates->waits || lacks;
    bool asked = net_gates_asked(gates);
    if (!gates->open || (!waits && !asked)) {
        server->places_lack_ms = 0;
        net_gates_ask(gates, false);
        return;
    }
    bool wanted = waits && net_gates_wanted(gates);
    bool others_want = asked && net_gates_full(gates);
    if (wanted || others_want) {
        look(server, gates->busy && !others_want);
    }
    /* Of other processes only where nobody here gives way: else twice as many would go. */
    net_gates_ask(gates, wanted && !gates->busy && server->places_in_vain >= server->slot_count);
    tusk__places_watch(server);
}

void tusk__places_watch(tusk_server *server)
{
    if (!tusk_timer_running(&server->places_timer)) {
        tusk_timer_start(server->loop, &server->places_timer, LOOK_MS);
    }
}

void tusk__places_lack(tusk_server *server)
{
    server->places_lack_ms = tusk__server_ms(server) | 1;
    tusk__places_watch(server);
}

void tusk__places_init(tusk_server *server)
{
    server->places_timer.on_due = on_look;
}

void tusk__places_fini(tusk_server *server)
{
    tusk_timer_stop(server->loop, &server->places_timer);
}
