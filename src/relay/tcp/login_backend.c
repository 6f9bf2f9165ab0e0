/* SPDX-License-Identifier: MIT */
/* MySQL's login, the backend's half: its greeting, what it is told of the client, and packets that
 * pass until OK or ERR. */
#define _GNU_SOURCE
#include <string.h>

#include "relay/tcp/login_inner.h"
#include "relay/tcp/tunnel.h"

/* Nobody has a plugin of this name. So the backend asks the client by an AuthSwitchRequest, for the
 * plugin of this very account and with its own salt: one switch, which is all that clients take. */
#define PLUGIN_NOBODYS "tusk_proxy"

static const login_fault fault_leak = {
    403, 3159, "HY000",
    "This account's password would cross the proxy in the clear: it needs TLS on both sides or on "
    "neither",
    "TLS on one side only"};
/* ER_HANDSHAKE_ERROR: drivers take its SQLSTATE for a broken connection, and connect again. */
static const login_fault fault_caps = {
    502, 1043, "08S01",
    "Bad handshake: the backend lacks what this client was offered; connect again",
    "backend lacks capabilities"};
/* ER_NOT_SUPPORTED_AUTH_MODE: connecting again would not help. */
static const login_fault fault_old = {
    502, 1251, "08004",
    "Client does not support authentication protocol requested by server: the backend knows none "
    "of MySQL 5.5.7 and later",
    "backend too old"};
static const char end_refused[] = "backend refused";
static const login_fault fault_backend = {
    502, 1429, "HY000", "Error in server handshake: the backend's login is not understood",
    "backend protocol error"};

/* ---- the backend's greeting ---- */
/* The client's answer as the backend is to see it: with what the route changes, and unsigned. */
static tusk_err answer_backend(relay_pair *pair, bool tls, bool only_asks)
{
    const tusk_relay_route *route = &pair->answer->route;
    relay_login *self = pair->setup->login;
    tusk__mysql_response answer;
    tusk_buf out;
    (void)tusk__mysql_response_parse(&answer, tusk_buf_view(&self->answer));
    answer.wants_tls = only_asks;
    answer.sequence = self->next[RELAY_BACKEND]++;
    answer.caps &= MYSQL_CAPS_OFFERED & (self->backend_caps | ~MYSQL_CLIENT_LENENC_AUTH);
    answer.caps |= tls ? MYSQL_CLIENT_SSL : 0;
    answer.user = route->user.ptr != NULL ? route->user : answer.user;
    answer.database = route->database.ptr != NULL ? route->database : answer.database;
    answer.auth = tusk_bytes_of(NULL, 0);
    answer.plugin = tusk_bytes_str(PLUGIN_NOBODYS);
    if ((self->backend_caps & MYSQL_CLIENT_CONNECT_ATTRS) == 0) {
        answer.attributes = tusk_bytes_of(NULL, 0);
    }
    tusk_buf_init(&out, relay_of(pair)->mem, LOGIN_WORDS_MAX);
    tusk_err err = tusk__mysql_response_write(&out, &answer);
    err = err == TUSK_OK ? relay_login_say(pair, RELAY_BACKEND, tusk_buf_view(&out)) : err;
    tusk_buf_fini(&out);
    return err;
}

static relay_looked answer_failed(relay_pair *pair, tusk_err err)
{
    if (err == TUSK_ERESET) {
        relay_login_hung_up(pair, RELAY_BACKEND);
    } else {
        relay_of(pair)->stats.out_of_memory += err == TUSK_ENOMEM ? 1 : 0;
        relay_setup_refuse(pair, 500, "the login cannot be written anew");
    }
    return LOOK_DONE;
}

/* From here on it hears what the client said: nobody else will. */
static relay_looked ask(relay_pair *pair, bool tls)
{
    relay_dial_accept(&pair->setup->dial);
    tusk_err err = answer_backend(pair, tls, false);
    if (err != TUSK_OK) {
        return answer_failed(pair, err);
    }
    pair->setup->login->step = LOGIN_ASK;
    return LOOK_AGAIN;
}

static relay_looked secure(relay_pair *pair)
{
    tusk_err err = answer_backend(pair, true, true);
    if (err != TUSK_OK) {
        return answer_failed(pair, err);
    }
    pair->setup->login->step = LOGIN_SECURING;
    err = relay_tunnel_secure(pair);
    if (err != TUSK_OK) {
        relay_setup_refuse(pair, err == TUSK_ENOTSUP ? 500 : 502, "no TLS for the backend");
        return LOOK_DONE;
    }
    return LOOK_WAIT;
}

void relay_login_backend_secured(relay_pair *pair)
{
    pair->setup->login->sealed = true;
    if (ask(pair, true) == LOOK_AGAIN) {
        relay_login_go(pair);
    }
}

/* "Too many connections", "Host is blocked": no session has begun, so another one is asked. Who was
 * told by a PROXY head whose connection it is may have meant just that client. */
static relay_looked note_refusal(relay_pair *pair, relay_peeked in, size_t len)
{
    tusk_buf *refusal = &pair->setup->login->refusal;
    tusk_buf_clear(refusal);
    if (tusk_buf_append(refusal, in.ptr, len) != TUSK_OK) {
        relay_of(pair)->stats.out_of_memory++;
        relay_setup_refuse(pair, 500, "out of memory");
        return LOOK_DONE;
    }
    relay_login_take(pair, RELAY_BACKEND, len);
    relay_setup_lost(pair, TUSK_EREFUSED, end_refused, pair->answer->route.proxy_version != 0);
    return LOOK_DONE;
}

bool relay_login_tell_failure(relay_pair *pair)
{
    relay_login *self = pair->setup->login;
    static const login_fault *const faults[] = {&fault_backend, &fault_caps, &fault_old};
    const char *end = pair->setup->dial.end;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (end == faults[i]->end) {
            relay_login_fail(pair, faults[i]);
            return true;
        }
    }
    if (end != end_refused) {
        return false;
    }
    self->refusal.ptr[self->refusal.start + 3] = self->next[RELAY_CLIENT];
    relay_setup_tell(pair, tusk_buf_view(&self->refusal));
    relay_pair_refuse(pair, 502, end_refused);
    return true;
}

/* What the client was offered and took up cannot be taken back; the next one is offered less. NULL:
 * this backend suits it. */
static const login_fault *misfit(relay_pair *pair, uint32_t caps)
{
    tusk__mysql_response answer;
    tusk_relay *relay = relay_of(pair);
    (void)tusk__mysql_response_parse(&answer, tusk_buf_view(&pair->setup->login->answer));
    uint32_t lacks = MYSQL_CAPS_OFFERED & ~MYSQL_CAPS_HARMLESS & ~caps;
    const uint32_t needed =
        MYSQL_CLIENT_PROTOCOL_41 | MYSQL_CLIENT_SECURE_CONNECTION | MYSQL_CLIENT_PLUGIN_AUTH;
    relay->mysql_caps &= ~lacks | needed;
    return (lacks & needed) != 0 ? &fault_old : (answer.caps & lacks) != 0 ? &fault_caps : NULL;
}

/* For so long the dialogue may go on; 0: for ever. */
static void await(relay_pair *pair, uint32_t ms)
{
    if (ms != 0) {
        tusk_timer_start(relay_of(pair)->loop, &pair->timer, ms);
    } else {
        tusk_timer_stop(relay_of(pair)->loop, &pair->timer);
    }
}

static relay_looked take_greeting(relay_pair *pair, relay_peeked in)
{
    relay_login *self = pair->setup->login;
    const tusk_relay_tls tls = pair->answer->route.upstream_tls;
    tusk__mysql_greeting greeting;
    ptrdiff_t got = tusk__mysql_greeting_parse(&greeting, tusk_bytes_of(in.ptr, in.len));
    if (got == 0) {
        return LOOK_WAIT;
    }
    if (got > 0 && greeting.is_error) {
        return note_refusal(pair, in, (size_t)got);
    }
    if (got < 0) {
        relay_setup_lost(pair, TUSK_EPROTO, fault_backend.end, false);
        return LOOK_DONE;
    }
    const login_fault *fault = misfit(pair, greeting.caps);
    if (fault != NULL) { /* another target may suit it; this one is well, for others */
        relay_setup_lost(pair, TUSK_EPROTO, fault->end, true);
        return LOOK_DONE;
    }
    self->backend_caps = greeting.caps;
    self->next[RELAY_BACKEND] = (uint8_t)(in.ptr[3] + 1);
    await(pair, relay_of(pair)->limits.first_ms);
    relay_login_take(pair, RELAY_BACKEND, (size_t)got);
    if (tls != TUSK_TLS_DISABLE && (greeting.caps & MYSQL_CLIENT_SSL) != 0) {
        return secure(pair);
    }
    if (tls == TUSK_TLS_REQUIRE) {
        relay_setup_lost(pair, TUSK_ETLS, "the backend has no TLS", false);
        return LOOK_DONE;
    }
    return ask(pair, false);
}

/* ---- until OK or ERR ---- */
static login_plugin plugin_of(tusk_bytes name)
{
    static const struct {
        const char *name;
        login_plugin plugin;
    } known[] = {{"mysql_clear_password", PLUGIN_CLEAR},
                 {"dialog", PLUGIN_CLEAR},
                 {"sha256_password", PLUGIN_SHA256},
                 {"caching_sha2_password", PLUGIN_CACHING_SHA2}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (tusk_bytes_eq(name, tusk_bytes_str(known[i].name))) {
            return known[i].plugin;
        }
    }
    return PLUGIN_SIGNS;
}

/* A client behind TLS sends its password as it is; it must not leave here for all to read. And one
 * without TLS encrypts it, which a backend behind TLS does not expect. */
static bool leaks(const relay_pair *pair, tusk_bytes payload)
{
    static const uint8_t full[] = {1, 4}; /* AuthMoreData: perform full authentication */
    const relay_login *self = pair->setup->login;
    bool secure = pair->setup->secure;
    switch ((login_plugin)self->plugin) {
    case PLUGIN_SIGNS: return false;
    case PLUGIN_CLEAR: return secure && !self->sealed;
    case PLUGIN_SHA256: return secure != self->sealed;
    case PLUGIN_CACHING_SHA2:
        return secure != self->sealed && tusk_bytes_eq(payload, tusk_bytes_of(full, sizeof(full)));
    }
    return false;
}

/* To the other side, with that side's number. False: the pair is over. */
static bool pass(relay_pair *pair, int side, relay_peeked in, size_t len)
{
    relay_login *self = pair->setup->login;
    if (++self->packets > RELAY_LOGIN_PACKETS) {
        relay_login_fail(pair, side == RELAY_BACKEND ? &fault_backend : &relay_login_out_of_order);
        return false;
    }
    self->next[side]++;
    in.ptr[3] = self->next[1 - side]++;
    if (relay_login_say(pair, 1 - side, tusk_bytes_of(in.ptr, len)) != TUSK_OK) {
        relay_login_hung_up(pair, 1 - side);
        return false;
    }
    relay_login_take(pair, side, len);
    return true;
}

static relay_looked join(relay_pair *pair)
{
    if (pair->tunnel != NULL) {
        relay_tunnel_flow(pair);
        return LOOK_DONE;
    }
    for (int side = 0; side < 2; side++) {
        if (pair->setup->login->seen[side] > 0) {
            pair->end[side].readable = true; /* it was peeked at: nobody says so again */
        }
        relay_peek_wait_for(pair, side, 1, true);
    }
    relay_setup_free(pair);
    relay_pair_join(pair);
    return LOOK_DONE;
}

static void await_client(relay_pair *pair)
{
    pair->setup->login->owes = true;
    if (pair->tunnel != NULL) {
        relay_tunnel_resume(pair);
    }
    relay_peek_wait_for(pair, RELAY_CLIENT, 1, true);
}

static relay_looked take_verdict(relay_pair *pair, relay_peeked in)
{
    static const uint8_t fast[] = {1, 3}; /* AuthMoreData: no more is needed, OK follows */
    relay_login *self = pair->setup->login;
    tusk__mysql_packet packet;
    ptrdiff_t got = tusk__mysql_auth_parse(&packet, tusk_bytes_of(in.ptr, in.len));
    if (got == 0) {
        return LOOK_WAIT;
    }
    tusk__mysql_verdict verdict =
        got < 0 ? MYSQL_SWITCH_OLD : tusk__mysql_verdict_of(packet.payload);
    if (verdict == MYSQL_SWITCH_OLD || packet.sequence != self->next[RELAY_BACKEND]) {
        relay_login_fail(pair, &fault_backend);
        return LOOK_DONE;
    }
    if (verdict == MYSQL_SWITCH) {
        self->plugin = (uint8_t)plugin_of(tusk__mysql_switch_plugin(packet.payload));
    }
    bool over = verdict == MYSQL_OK || verdict == MYSQL_ERR;
    if (!over && leaks(pair, packet.payload)) {
        relay_login_fail(pair, &fault_leak);
        return LOOK_DONE;
    }
    bool owes = !over && (self->plugin != PLUGIN_CACHING_SHA2 ||
                          !tusk_bytes_eq(packet.payload, tusk_bytes_of(fast, sizeof(fast))));
    if (!pass(pair, RELAY_BACKEND, in, (size_t)got)) {
        return LOOK_DONE;
    }
    if (over) {
        return join(pair);
    }
    if (owes) {
        await_client(pair);
    }
    return LOOK_AGAIN;
}

static relay_looked take_signature(relay_pair *pair, relay_peeked in)
{
    relay_login *self = pair->setup->login;
    tusk__mysql_packet packet;
    ptrdiff_t got = tusk__mysql_auth_parse(&packet, tusk_bytes_of(in.ptr, in.len));
    if (got == 0) {
        return LOOK_WAIT;
    }
    if (got < 0 || packet.sequence != self->next[RELAY_CLIENT]) {
        self->next[RELAY_CLIENT] = (uint8_t)(in.ptr[3] + 1);
        relay_login_fail(pair, got < 0 ? &relay_login_too_large : &relay_login_out_of_order);
        return LOOK_DONE;
    }
    self->owes = false;
    relay_peek_wait_for(pair, RELAY_CLIENT, 1, false);
    return pass(pair, RELAY_CLIENT, in, (size_t)got) ? LOOK_AGAIN : LOOK_DONE;
}

/* Nothing is missing but it will never come: an end in the middle of a packet. Pollers without
 * edges report it as something to read, of which there is no more than before. */
static bool is_cut_short(const relay_pair *pair, int side, size_t len)
{
    return pair->tunnel == NULL && (pair->end[side].ended || relay_peek_is_all(pair, side, len));
}

static relay_looked look_at(relay_pair *pair, int side)
{
    relay_login *self = pair->setup->login;
    relay_peeked in = {.len = 0};
    relay_looked what = relay_login_peek(pair, side, &in);
    if (what == LOOK_AGAIN) {
        what = side == RELAY_CLIENT           ? take_signature(pair, in)
               : self->step == LOGIN_GREETING ? take_greeting(pair, in)
                                              : take_verdict(pair, in);
        if (what == LOOK_WAIT && self->step != LOGIN_SECURING && is_cut_short(pair, side, in.len)) {
            relay_login_hung_up(pair, side);
            return LOOK_DONE;
        }
    }
    if (what == LOOK_WAIT && self->step != LOGIN_SECURING) {
        pair->end[side].readable = false; /* more of it will be reported */
        relay_peek_wait_for(pair, side, in.len + 1, true);
    }
    return what;
}

void relay_login_go(relay_pair *pair)
{
    relay_looked what = LOOK_AGAIN;
    while (what == LOOK_AGAIN && pair->setup->login->step != LOGIN_SECURING) {
        what = look_at(pair, RELAY_BACKEND);
        if (what == LOOK_WAIT && pair->setup->login->owes) {
            what = look_at(pair, RELAY_CLIENT);
        }
    }
}

/* ---- dialled, and in time ---- */
void relay_login_dialed(relay_pair *pair)
{
    relay_login *self = pair->setup->login;
    const tusk_relay_route *route = &pair->answer->route;
    tusk_err err = route->first.ptr != NULL ? TUSK_EINVAL : relay_setup_head(pair);
    if (err == TUSK_OK && (pair->tunnel != NULL || route->upstream_tls != TUSK_TLS_DISABLE)) {
        err = relay_tunnel_begin(pair);
    }
    if (err == TUSK_ERESET) {
        relay_setup_lost(pair, err, "backend reset", false);
        return;
    }
    if (err != TUSK_OK) {
        relay_setup_refuse(pair, 500,
                           err == TUSK_EINVAL ? "a login has no first bytes to be replaced"
                                              : "out of memory");
        return;
    }
    pair->state = PAIR_LOGIN;
    self->step = LOGIN_GREETING;
    self->seen[RELAY_BACKEND] = 0;
    self->sealed = relay_target_is_path(pair->target);
    relay_setup_await_backend(pair);
    relay_peek_wait_for(pair, RELAY_BACKEND, 1, true);
    relay_login_go(pair);
}

void relay_login_due(relay_pair *pair)
{
    if (pair->setup->login->owes) {
        relay_of(pair)->stats.first_timeouts++;
        relay_setup_refuse(pair, 408, "the login took too long");
    } else {
        relay_setup_lost(pair, TUSK_ETIMEOUT, "the backend did not answer the login in time",
                         false);
    }
}
