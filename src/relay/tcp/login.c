/* SPDX-License-Identifier: MIT */
/* MySQL's login, the client's half: our greeting, its answer; and bytes of both. Packets are only
 * peeked at until they are passed on, so what follows OK is still in the sockets, where the pair's
 * engines find it. */
#define _GNU_SOURCE
#include "relay/tcp/login_inner.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "loop/entropy.h"
#include "relay/tcp/tunnel.h"

enum { CHARSET_UTF8MB4 = 45, STATUS_AUTOCOMMIT = 2, SALT_FROM = '!', SALT_COUNT = '~' - '!' + 1 };
/* A client that wants a query to be killed names the number of our greeting to its backend: no
 * backend counts up to here, so nobody else is hit. */
#define CONNECTION_FROM 0xc0000000u
/* What the answer to our greeting is signed for; nobody reads it. */
#define PLUGIN_GREETED "mysql_native_password"

static const login_fault fault_handshake = {400, 1043, "08S01", "Bad handshake", "protocol error"};
const login_fault relay_login_out_of_order = {400, 1156, "08S01", "Got packets out of order",
                                              "protocol error"};
const login_fault relay_login_too_large = {
    400, 1153, "08S01", "Got a packet bigger than a login may have", "protocol error"};
static const login_fault fault_compress = {
    400, 1043, "08S01", "Bad handshake: compression was not offered", "protocol error"};
static const login_fault fault_old = {
    400, 1251, "08004",
    "Client does not support authentication protocol requested by server; consider upgrading it",
    "client too old"};
static const login_fault fault_no_tls = {
    403, 3159, "HY000", "Connections using insecure transport are prohibited: TLS is demanded here",
    "no TLS"};

uint8_t relay_login_sequence(const relay_login *self)
{
    return self->next[RELAY_CLIENT];
}

bool relay_login_awaits_hello(const relay_login *self)
{
    return self->step == LOGIN_HELLO;
}

void relay_login_free(relay_pair *pair)
{
    relay_login *self = pair->setup->login;
    if (self != NULL) {
        pair->setup->login = NULL;
        tusk_buf_fini(&self->answer);
        tusk_buf_fini(&self->refusal);
        tusk__free(relay_of(pair)->mem, self, sizeof(*self));
    }
}

void relay_login_fail(relay_pair *pair, const login_fault *fault)
{
    tusk_buf words;
    tusk_buf_init(&words, relay_of(pair)->mem, LOGIN_WORDS_MAX);
    relay_of(pair)->stats.protocol_errors += fault->status == 400 ? 1 : 0;
    if (tusk__mysql_error_write(&words, pair->setup->login->next[RELAY_CLIENT], fault->code,
                                fault->state, tusk_bytes_str(fault->text)) == TUSK_OK) {
        relay_setup_tell(pair, tusk_buf_view(&words));
    }
    tusk_buf_fini(&words);
    relay_pair_refuse(pair, fault->status, fault->end);
}

/* ---- bytes of either side, over sockets or connections ---- */
relay_looked relay_login_peek(relay_pair *pair, int side, relay_peeked *out)
{
    if (pair->tunnel != NULL) {
        tusk_bytes in = relay_tunnel_in(pair, side);
        *out = (relay_peeked){(uint8_t *)(uintptr_t)in.ptr, in.len};
        return in.len > 0 ? LOOK_AGAIN : LOOK_WAIT;
    }
    relay_end *end = &pair->end[side];
    size_t cap;
    if (!end->readable && relay_has_edges(relay_of(pair))) {
        return LOOK_WAIT; /* an edge will say so */
    }
    out->ptr = tusk_loop_landing(relay_of(pair)->loop, &cap);
    ssize_t got = recv(end->io.fd, out->ptr, cap, MSG_PEEK);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        end->readable = errno == EINTR;
        return LOOK_WAIT;
    }
    if (got <= 0) {
        tusk_relay_stats *stats = &relay_of(pair)->stats;
        stats->resets_client += got < 0 && side == RELAY_CLIENT ? 1 : 0;
        stats->resets_backend += got < 0 && side == RELAY_BACKEND ? 1 : 0;
        relay_login_hung_up(pair, side);
        return LOOK_DONE;
    }
    out->len = (size_t)got;
    pair->setup->login->seen[side] = (uint32_t)got;
    return LOOK_AGAIN;
}

void relay_login_take(relay_pair *pair, int side, size_t len)
{
    if (pair->tunnel != NULL) {
        relay_tunnel_take(pair, side, len);
        return;
    }
    size_t cap;
    uint8_t *buffer = tusk_loop_landing(relay_of(pair)->loop, &cap);
    ssize_t got = recv(pair->end[side].io.fd, buffer, len < cap ? len : cap, 0);
    relay_pair_moved(pair, side, got > 0 ? (size_t)got : 0);
    relay_login *self = pair->setup->login;
    self->seen[side] -= (uint32_t)len;
    pair->setup->peek[side].len = 0;
    pair->end[side].readable = self->seen[side] > 0 || pair->end[side].ended;
}

tusk_err relay_login_say(relay_pair *pair, int side, tusk_bytes bytes)
{
    if (pair->tunnel != NULL) {
        return relay_tunnel_say(pair, side, bytes);
    }
    ssize_t sent = send(pair->end[side].io.fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
    return sent == (ssize_t)bytes.len ? TUSK_OK : TUSK_ERESET;
}

void relay_login_hung_up(relay_pair *pair, int side)
{
    if (side == RELAY_CLIENT) {
        relay_pair_refuse(pair, 400, "client left");
    } else {
        relay_setup_lost(pair, TUSK_ERESET, "the backend hung up during the login", false);
    }
}

/* ---- the client, before it has a route ---- */
static tusk_err random_salt(tusk__mysql_greeting *greeting)
{
    uint8_t random[MYSQL_SALT_LEN + sizeof(uint32_t)];
    uint32_t number;
    tusk_err err = tusk__entropy(random, sizeof(random));
    if (err != TUSK_OK) {
        return err;
    }
    for (size_t i = 0; i < MYSQL_SALT_LEN; i++) {
        greeting->salt[i] = (uint8_t)(SALT_FROM + random[i] % SALT_COUNT);
    }
    memcpy(&number, random + MYSQL_SALT_LEN, sizeof(number));
    greeting->connection = CONNECTION_FROM | number;
    return TUSK_OK;
}

static tusk_err greet(relay_pair *pair)
{
    const relay_door *door = pair->session.door;
    tusk__mysql_greeting greeting = {.charset = CHARSET_UTF8MB4,
                                     .status = STATUS_AUTOCOMMIT,
                                     .caps = relay_of(pair)->mysql_caps,
                                     .version = tusk_bytes_str(door->mysql_version),
                                     .plugin = tusk_bytes_str(PLUGIN_GREETED)};
    tusk_buf out;
    greeting.caps |= door->options.tls != NULL ? MYSQL_CLIENT_SSL : 0;
    tusk_err err = random_salt(&greeting);
    tusk_buf_init(&out, relay_of(pair)->mem, LOGIN_WORDS_MAX);
    err = err == TUSK_OK ? tusk__mysql_greeting_write(&out, &greeting) : err;
    err = err == TUSK_OK ? relay_login_say(pair, RELAY_CLIENT, tusk_buf_view(&out)) : err;
    tusk_buf_fini(&out);
    return err;
}

bool relay_login_begin(relay_pair *pair)
{
    tusk_relay *relay = relay_of(pair);
    relay_login *self = tusk__new(relay->mem, sizeof(*self));
    tusk_err err = TUSK_ENOMEM;
    pair->setup->login = self;
    if (self != NULL) {
        self->next[RELAY_CLIENT] = 1;
        tusk_buf_init(&self->answer, relay->mem, LOGIN_WORDS_MAX);
        tusk_buf_init(&self->refusal, relay->mem, LOGIN_WORDS_MAX);
        err = greet(pair);
    }
    if (err == TUSK_ERESET) {
        relay->stats.resets_client++;
        relay_pair_close(pair, "client reset", true);
    } else if (err != TUSK_OK) {
        relay->stats.out_of_memory += err == TUSK_ENOMEM ? 1 : 0;
        relay_setup_refuse(pair, 500, tusk_err_text(err));
    }
    return err == TUSK_OK;
}

/* NULL: it may go on. */
static const login_fault *fault_of(const relay_pair *pair, const tusk__mysql_response *answer)
{
    if (answer->sequence != pair->setup->login->next[RELAY_CLIENT]) {
        return &relay_login_out_of_order;
    }
    if ((answer->caps & (MYSQL_CLIENT_COMPRESS | MYSQL_CLIENT_ZSTD)) != 0) {
        return &fault_compress;
    }
    if (answer->wants_tls) {
        return relay_setup_offers_tls(pair) ? NULL : &fault_handshake;
    }
    if ((answer->caps & MYSQL_CLIENT_PLUGIN_AUTH) == 0) {
        return &fault_old; /* it could not be asked to sign another salt */
    }
    return relay_setup_demands_tls(pair) ? &fault_no_tls : NULL;
}

static void set_field(tusk_relay_lookup *lookup, tusk_lookup_field field, tusk_bytes value)
{
    if (value.len > 0) {
        lookup->field[field] = value;
    }
}

static void route(relay_pair *pair)
{
    tusk_relay_lookup lookup = {.secure = false};
    tusk__mysql_response answer;
    pair->setup->login->step = LOGIN_ROUTE;
    relay_peek_wait_for(pair, RELAY_CLIENT, 1, false);
    (void)tusk__mysql_response_parse(&answer, tusk_buf_view(&pair->setup->login->answer));
    set_field(&lookup, TUSK_LOOKUP_USER, answer.user);
    set_field(&lookup, TUSK_LOOKUP_DATABASE, answer.database);
    set_field(&lookup, TUSK_LOOKUP_APPLICATION, answer.program);
    relay_setup_route(pair, &lookup);
}

relay_looked relay_login_look(relay_pair *pair, tusk_bytes in)
{
    relay_login *self = pair->setup->login;
    tusk__mysql_response answer;
    ptrdiff_t got = tusk__mysql_response_parse(&answer, in);
    if (got == 0) {
        return LOOK_WAIT;
    }
    const login_fault *fault = got > 0                ? fault_of(pair, &answer)
                               : got == TUSK_ETOOBIG  ? &relay_login_too_large
                               : got == TUSK_EVERSION ? &fault_old
                                                      : &fault_handshake;
    if (in.len >= MYSQL_HEAD) {
        self->next[RELAY_CLIENT] = (uint8_t)(in.ptr[3] + 1);
    }
    if (fault != NULL) {
        relay_login_fail(pair, fault);
        return LOOK_DONE;
    }
    if (answer.wants_tls) {
        self->step = LOGIN_HELLO;
        relay_setup_take(pair, (size_t)got);
        return LOOK_AGAIN;
    }
    if (tusk_buf_append(&self->answer, in.ptr, (size_t)got) != TUSK_OK) {
        relay_of(pair)->stats.out_of_memory++;
        relay_setup_refuse(pair, 500, "out of memory");
        return LOOK_DONE;
    }
    relay_setup_take(pair, (size_t)got);
    route(pair);
    return LOOK_DONE;
}

void relay_login_client_secured(relay_pair *pair)
{
    pair->setup->login->step = LOGIN_ANSWER;
}
