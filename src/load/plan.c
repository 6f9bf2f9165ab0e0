/* SPDX-License-Identifier: MIT */
/* The table of options: names, types, ranges, help; the one place that knows them. */
#include "load/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "load/value.h"

#define MODE(id) (1u << (id))
#define WS (MODE(LOAD_WS_HANDSHAKE) | MODE(LOAD_WS_ECHO) | MODE(LOAD_FANOUT))
#define TCP (MODE(LOAD_TCP_RR) | MODE(LOAD_TCP_RATE) | MODE(LOAD_TCP_BULK) | MODE(LOAD_TCP_HOLD))
#define HEADED (WS | MODE(LOAD_SSE) | MODE(LOAD_HTTP))
#define ALL ((1u << LOAD_MODE_COUNT) - 1)
#define PACED                                                                                      \
    (MODE(LOAD_WS_HANDSHAKE) | MODE(LOAD_WS_ECHO) | MODE(LOAD_FANOUT) | MODE(LOAD_SSE) |           \
     MODE(LOAD_HTTP) | MODE(LOAD_TCP_RR) | MODE(LOAD_TCP_RATE))
#define CYCLIC (MODE(LOAD_WS_ECHO) | MODE(LOAD_HTTP) | MODE(LOAD_TCP_RR))

typedef struct row {
    tusk_load_option shown;
    load_type type;
    unsigned modes;
    size_t at; /* of its member in the plan */
    double min;
    double max;
} row;

#define AT(member) offsetof(load_plan, member)
#define MILLION 1e6
#define HOUR 3600.0
#define DAY 86400.0
#define MESSAGE_MAX ((double)(1u << 30))

static const row table[] = {
    {{"connections", "count", "", "10", "connections at once (fanout, sse: subscribers)"},
     LOAD_TYPE_COUNT,
     ALL,
     AT(connections),
     1,
     MILLION},
    {{"duration", "seconds", "s", "10", "length of the measuring window"},
     LOAD_TYPE_SECONDS,
     ALL,
     AT(duration),
     0.01,
     DAY},
    {{"warmup", "seconds", "s", "1", "load before the window, kept out of every figure"},
     LOAD_TYPE_SECONDS,
     ALL,
     AT(warmup),
     0,
     HOUR},
    {{"drain", "seconds", "s", "5", "longest wait for answers after the window"},
     LOAD_TYPE_SECONDS,
     ALL,
     AT(drain),
     0,
     HOUR},
    {{"ramp", "seconds", "s", "0", "load rises from nothing to its height over this time"},
     LOAD_TYPE_SECONDS,
     PACED,
     AT(ramp),
     0,
     DAY},
    {{"rate", "rate", "/s", "0", "planned operations per second, all together; 0: closed model"},
     LOAD_TYPE_RATE,
     PACED,
     AT(rate),
     0,
     1e8},
    {{"arrivals", "uniform|poisson", "", "uniform", "how planned operations are spread"},
     LOAD_TYPE_CHOICE,
     PACED,
     AT(arrivals),
     0,
     0},
    {{"count", "count", "", "0", "end the window after so many operations; 0: after duration"},
     LOAD_TYPE_COUNT,
     PACED,
     AT(count),
     0,
     1e12},
    {{"seed", "count", "", "1", "of schedule and payloads"},
     LOAD_TYPE_COUNT,
     ALL,
     AT(seed),
     0,
     1e15},
    {{"workers", "count", "", "0", "processes; 0: as many as the descriptors ask for"},
     LOAD_TYPE_COUNT,
     ALL,
     AT(workers),
     0,
     256},
    {{"sources", "count", "", "0", "loopback source addresses; 0: as many as the ports ask for"},
     LOAD_TYPE_COUNT,
     ALL,
     AT(sources),
     0,
     65536},
    {{"opening", "count", "", "250", "connections being opened at once, all together"},
     LOAD_TYPE_COUNT,
     ALL & ~MODE(LOAD_WS_HANDSHAKE),
     AT(opening),
     1,
     MILLION},
    {{"timeout", "seconds", "s", "10", "for an answer, and for a connection to open"},
     LOAD_TYPE_SECONDS,
     ALL,
     AT(timeout),
     0.01,
     HOUR},
    {{"think", "seconds", "s", "0", "pause of a connection after each answer (closed model)"},
     LOAD_TYPE_SECONDS,
     CYCLIC,
     AT(think),
     0,
     HOUR},
    {{"samples", "count", "", "0", "keep the times of so many connections (ws-handshake)"},
     LOAD_TYPE_COUNT,
     MODE(LOAD_WS_HANDSHAKE),
     AT(samples),
     0,
     1e7},
    {{"allow-remote", "switch", "", "no", "allow a target that is not on this machine"},
     LOAD_TYPE_SWITCH,
     ALL,
     AT(allow_remote),
     0,
     1},
    {{"spin", "switch", "", "no", "spin before planned starts: punctual, costs a core a worker"},
     LOAD_TYPE_SWITCH,
     PACED,
     AT(spin),
     0,
     1},
    {{"pin", "switch", "", "no", "pin worker i to processor i"},
     LOAD_TYPE_SWITCH,
     ALL,
     AT(pin),
     0,
     1},
    {{"hiccup", "switch", "", "yes", "measure the machine's own stalls in a process beside"},
     LOAD_TYPE_SWITCH,
     ALL,
     AT(hiccup),
     0,
     1},
    {{"header", "text", "", "", "further request fields, one a line: Name: value"},
     LOAD_TYPE_TEXT,
     HEADED,
     AT(header),
     0,
     65536},
    {{"tls-insecure", "switch", "", "no", "do not check the certificate"},
     LOAD_TYPE_SWITCH,
     ALL,
     AT(tls_insecure),
     0,
     1},
    {{"tls-ca", "text", "file", "", "PEM file of the authorities; empty: the system's"},
     LOAD_TYPE_TEXT,
     ALL,
     AT(tls_ca),
     0,
     4096},
    {{"tls-server-name", "text", "", "", "name asked for and checked; empty: the URL's host"},
     LOAD_TYPE_TEXT,
     ALL,
     AT(tls_server_name),
     0,
     255},
    {{"tls-resume", "switch", "", "no", "offer the last TLS session to the server again"},
     LOAD_TYPE_SWITCH,
     ALL,
     AT(tls_resume),
     0,
     1},
    {{"pipeline", "count", "", "1", "unanswered operations of a connection (fanout: a publisher)"},
     LOAD_TYPE_COUNT,
     CYCLIC | MODE(LOAD_FANOUT),
     AT(pipeline),
     1,
     65536},
    {{"subprotocol", "text", "", "", "offered in the handshake; the server must pick it"},
     LOAD_TYPE_TEXT,
     WS,
     AT(subprotocol),
     0,
     128},
    /* WebSocket echo */
    {{"size", "size", "bytes", "64", "of a message"},
     LOAD_TYPE_SIZE,
     MODE(LOAD_WS_HANDSHAKE) | MODE(LOAD_WS_ECHO) | MODE(LOAD_FANOUT) | MODE(LOAD_SSE),
     AT(size),
     0,
     MESSAGE_MAX},
    {{"size", "size", "bytes", "64", "of a message (tcp-rate: none is sent unless this is given)"},
     LOAD_TYPE_SIZE,
     MODE(LOAD_TCP_RR) | MODE(LOAD_TCP_RATE),
     AT(size),
     1,
     MESSAGE_MAX},
    {{"size", "size", "bytes", "64KiB", "handed to the kernel at once"},
     LOAD_TYPE_SIZE,
     MODE(LOAD_TCP_BULK),
     AT(size),
     1,
     MESSAGE_MAX},
    {{"binary", "switch", "", "no", "binary messages rather than text"},
     LOAD_TYPE_SWITCH,
     MODE(LOAD_WS_ECHO) | MODE(LOAD_FANOUT),
     AT(binary),
     0,
     1},
    {{"verify", "switch", "", "no", "compare every byte: wrong, lost, doubled, out of order"},
     LOAD_TYPE_SWITCH,
     MODE(LOAD_WS_ECHO) | MODE(LOAD_TCP_RR),
     AT(verify),
     0,
     1},
    {{"fragment", "size", "bytes", "0", "payload of a frame; 0: one frame a message"},
     LOAD_TYPE_SIZE,
     MODE(LOAD_WS_ECHO),
     AT(fragment),
     0,
     MESSAGE_MAX},
    {{"chop", "size", "bytes", "0", "bytes handed to the kernel at once; 0: all"},
     LOAD_TYPE_SIZE,
     MODE(LOAD_WS_ECHO),
     AT(chop),
     0,
     MESSAGE_MAX},
    {{"deflate", "switch", "", "no", "permessage-deflate, which the server must agree to"},
     LOAD_TYPE_SWITCH,
     MODE(LOAD_WS_ECHO),
     AT(deflate),
     0,
     1},
    {{"idle", "count", "", "0", "further connections that are open and silent"},
     LOAD_TYPE_COUNT,
     MODE(LOAD_WS_ECHO),
     AT(idle),
     0,
     MILLION},
    /* WebSocket handshake */
    {{"high", "count", "", "0", "most handshakes in progress; 0: as many as connections"},
     LOAD_TYPE_COUNT,
     MODE(LOAD_WS_HANDSHAKE),
     AT(high),
     0,
     MILLION},
    {{"low", "count", "", "0", "go on launching when fewer are in progress; 0: high"},
     LOAD_TYPE_COUNT,
     MODE(LOAD_WS_HANDSHAKE),
     AT(low),
     0,
     MILLION},
    {{"hold", "seconds", "s", "0", "keep each connection open so long"},
     LOAD_TYPE_SECONDS,
     MODE(LOAD_WS_HANDSHAKE) | MODE(LOAD_TCP_RATE),
     AT(hold),
     0,
     DAY},
    {{"first", "switch", "", "no", "wait for a first message before closing"},
     LOAD_TYPE_SWITCH,
     MODE(LOAD_WS_HANDSHAKE),
     AT(first),
     0,
     1},
    {{"exchanges", "count", "", "0", "echoes of `size` on each connection before it is closed"},
     LOAD_TYPE_COUNT,
     MODE(LOAD_WS_HANDSHAKE),
     AT(exchanges),
     0,
     1000},
    {{"drop", "switch", "", "no", "end TCP without a closing handshake"},
     LOAD_TYPE_SWITCH,
     MODE(LOAD_WS_HANDSHAKE),
     AT(drop),
     0,
     1},
    {{"reconnect-storm", "switch", "", "no", "open all, drop all at once, time their way back"},
     LOAD_TYPE_SWITCH,
     MODE(LOAD_WS_HANDSHAKE),
     AT(storm),
     0,
     1},
    {{"close-code", "count", "", "1001", "of our Close frame"},
     LOAD_TYPE_COUNT,
     MODE(LOAD_WS_HANDSHAKE),
     AT(close_code),
     1000,
     4999},
    /* fan-out and streams */
    {{"publishers", "count", "", "1", "connections that publish"},
     LOAD_TYPE_COUNT,
     MODE(LOAD_FANOUT) | MODE(LOAD_SSE),
     AT(publishers),
     0,
     4095},
    {{"rooms", "count", "", "1", "subscribers and messages are spread over; {room} in texts"},
     LOAD_TYPE_COUNT,
     MODE(LOAD_FANOUT) | MODE(LOAD_SSE),
     AT(rooms),
     1,
     65536},
    {{"transport", "ws|sse", "", "ws", "how subscribers listen"},
     LOAD_TYPE_CHOICE,
     MODE(LOAD_FANOUT),
     AT(transport),
     0,
     0},
    {{"publish", "ws|http", "", "ws", "how publishers publish"},
     LOAD_TYPE_CHOICE,
     MODE(LOAD_FANOUT),
     AT(publish),
     0,
     0},
    {{"publish-url", "text", "", "", "where to; empty: the target"},
     LOAD_TYPE_TEXT,
     MODE(LOAD_FANOUT) | MODE(LOAD_SSE),
     AT(publish_url),
     0,
     8192},
    {{"publish-body", "text", "", "{data}", "body of an HTTP publish; {data} is the payload"},
     LOAD_TYPE_TEXT,
     MODE(LOAD_FANOUT) | MODE(LOAD_SSE),
     AT(publish_body),
     0,
     1 << 20},
    {{"subscribe", "text", "", "", "sent by a WebSocket subscriber once it is open"},
     LOAD_TYPE_TEXT,
     MODE(LOAD_FANOUT),
     AT(subscribe),
     0,
     65536},
    {{"message", "text", "", "{data}", "what a WebSocket publisher sends; {data} is the payload"},
     LOAD_TYPE_TEXT,
     MODE(LOAD_FANOUT),
     AT(message),
     0,
     1 << 20},
    {{"slow", "count", "", "0", "of the subscribers, so many read slowly"},
     LOAD_TYPE_COUNT,
     MODE(LOAD_FANOUT) | MODE(LOAD_SSE),
     AT(slow),
     0,
     MILLION},
    {{"slow-rate", "size", "bytes/s", "0", "what a slow one reads; 0: nothing"},
     LOAD_TYPE_SIZE,
     MODE(LOAD_FANOUT) | MODE(LOAD_SSE),
     AT(slow_rate),
     0,
     1e9},
    {{"reconnect-every", "count", "", "0", "events, then the stream is opened anew; 0: never"},
     LOAD_TYPE_COUNT,
     MODE(LOAD_SSE),
     AT(reconnect_every),
     0,
     1e9},
    /* HTTP */
    {{"method", "text", "", "GET", "of the requests"},
     LOAD_TYPE_TEXT,
     MODE(LOAD_HTTP),
     AT(method),
     1,
     32},
    {{"body", "text", "", "", "of the requests"},
     LOAD_TYPE_TEXT,
     MODE(LOAD_HTTP),
     AT(body),
     0,
     1 << 26},
    {{"urls", "text", "", "", "paths in turn, one a line, rather than the URL's"},
     LOAD_TYPE_TEXT,
     MODE(LOAD_HTTP),
     AT(urls),
     0,
     1 << 24},
    {{"keep-alive", "switch", "", "yes", "no: a connection for each request"},
     LOAD_TYPE_SWITCH,
     MODE(LOAD_HTTP),
     AT(keep_alive),
     0,
     1},
    /* TCP */
    {{"reply", "size", "bytes", "0", "of an answer; 0: as much as was sent"},
     LOAD_TYPE_SIZE,
     MODE(LOAD_TCP_RR) | MODE(LOAD_TCP_RATE),
     AT(reply),
     0,
     MESSAGE_MAX},
    {{"greeting", "none|postgres|mysql|smtp", "", "none",
      "protocol's first words, read and checked"},
     LOAD_TYPE_CHOICE,
     TCP,
     AT(greeting),
     0,
     0},
    {{"direction", "up|down|both", "", "up", "who sends"},
     LOAD_TYPE_CHOICE,
     MODE(LOAD_TCP_BULK),
     AT(direction),
     0,
     0},
};

enum { ROWS = sizeof(table) / sizeof(table[0]) };
_Static_assert(ROWS <= 64, "load_plan.given has a bit for each");

static const char *const mode_names[LOAD_MODE_COUNT] = {"ws-handshake", "ws-echo",  "fanout",
                                                        "sse",          "http",     "tcp-rr",
                                                        "tcp-rate",     "tcp-bulk", "tcp-hold"};

const char *tusk__load_mode_name(size_t i)
{
    return i < LOAD_MODE_COUNT ? mode_names[i] : NULL;
}

bool tusk__load_mode_find(load_mode_id *out, const char *name)
{
    for (size_t i = 0; i < LOAD_MODE_COUNT; i++) {
        if (strcmp(mode_names[i], name) == 0) {
            *out = (load_mode_id)i;
            return true;
        }
    }
    return false;
}

const char *tusk_load_mode_name(size_t i)
{
    return tusk__load_mode_name(i);
}

bool tusk_load_mode_exists(const char *mode)
{
    load_mode_id id;
    return tusk__load_mode_find(&id, mode);
}

const tusk_load_option *tusk_load_next_option(const char *mode, size_t *cursor)
{
    load_mode_id id;
    if (!tusk__load_mode_find(&id, mode)) {
        return NULL;
    }
    for (; *cursor < ROWS; ++*cursor) {
        if ((table[*cursor].modes & MODE(id)) != 0) {
            return &table[(*cursor)++].shown;
        }
    }
    return NULL;
}

static const char *expected(const row *self)
{
    switch (self->type) {
    case LOAD_TYPE_COUNT: return "a number such as 500 or 10k";
    case LOAD_TYPE_SIZE: return "a size such as 512, 64KiB or 1MiB";
    case LOAD_TYPE_SECONDS: return "a time such as 10, 250ms, 2s or 5m";
    case LOAD_TYPE_RATE: return "a rate per second such as 500 or 10k";
    case LOAD_TYPE_SWITCH: return "yes or no";
    case LOAD_TYPE_CHOICE: return "one of";
    case LOAD_TYPE_TEXT: return "a text";
    }
    return "";
}

static tusk_err refuse(const row *self, tusk_bytes value, char *reason)
{
    int shown = (int)(value.len < 40 ? value.len : 40);
    bool is_choice = self->type == LOAD_TYPE_CHOICE;
    (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "%s must be %s%s%s, \"%.*s\" given",
                   self->shown.name, expected(self), is_choice ? " " : "",
                   is_choice ? self->shown.type : "", shown, (const char *)value.ptr);
    return TUSK_EINVAL;
}

static tusk_err put_text(load_plan *self, load_text *place, tusk_bytes value)
{
    char *copy = tusk__new(self->mem, value.len + 1);
    if (copy == NULL) {
        return TUSK_ENOMEM;
    }
    memcpy(copy, value.ptr, value.len);
    tusk__free(self->mem, place->ptr, place->ptr == NULL ? 0 : place->len + 1);
    place->ptr = copy;
    place->len = value.len;
    return TUSK_OK;
}

static tusk_err put(load_plan *self, const row *which, tusk_bytes value, char *reason)
{
    double number;
    if (memchr(value.ptr, 0, value.len) != NULL ||
        !tusk__load_value(which->type, which->shown.type, value, &number)) {
        return refuse(which, value, reason);
    }
    bool whole = which->type == LOAD_TYPE_COUNT || which->type == LOAD_TYPE_SIZE;
    bool bounded = which->type != LOAD_TYPE_CHOICE && which->type != LOAD_TYPE_SWITCH;
    if (whole && number < 1e18 && number != (double)(uint64_t)number) {
        return refuse(which, value, reason);
    }
    if (bounded && (number < which->min || number > which->max)) {
        (void)snprintf(reason, TUSK_LOAD_REASON_MAX,
                       "%s must be from %.10g to %.10g%s%s, %.10g given", which->shown.name,
                       which->min, which->max,
                       which->type == LOAD_TYPE_TEXT  ? " bytes"
                       : which->shown.unit[0] != '\0' ? " "
                                                      : "",
                       which->type == LOAD_TYPE_TEXT ? "" : which->shown.unit, number);
        return TUSK_EINVAL;
    }
    void *place = (char *)self + which->at;
    switch (which->type) {
    case LOAD_TYPE_COUNT:
    case LOAD_TYPE_SIZE:
    case LOAD_TYPE_CHOICE: *(uint64_t *)place = (uint64_t)number; break;
    case LOAD_TYPE_SECONDS:
    case LOAD_TYPE_RATE: *(double *)place = number; break;
    case LOAD_TYPE_SWITCH: *(bool *)place = number > 0; break;
    case LOAD_TYPE_TEXT: return put_text(self, place, value);
    }
    return TUSK_OK;
}

static const row *find(const load_plan *self, tusk_bytes name)
{
    for (size_t i = 0; i < ROWS; i++) {
        if ((table[i].modes & MODE(self->mode)) != 0 &&
            tusk_bytes_eq(name, tusk_bytes_str(table[i].shown.name))) {
            return &table[i];
        }
    }
    return NULL;
}

tusk_err tusk__load_plan_set(load_plan *self, tusk_bytes name, tusk_bytes value, char *reason)
{
    const row *which = find(self, name);
    if (which == NULL) {
        (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "mode %s has no option \"%.*s\"",
                       mode_names[self->mode], (int)(name.len < 40 ? name.len : 40),
                       (const char *)name.ptr);
        return TUSK_EINVAL;
    }
    tusk_err err = put(self, which, value, reason);
    if (err == TUSK_OK) {
        self->given |= (uint64_t)1 << (which - table);
    }
    return err;
}

bool tusk__load_plan_given(const load_plan *self, const char *name)
{
    const row *which = find(self, tusk_bytes_str(name));
    return which != NULL && (self->given >> (which - table) & 1) != 0;
}

tusk_err tusk__load_plan_init(load_plan *self, const tusk_mem *mem, load_mode_id mode,
                              tusk_bytes url, char *reason)
{
    memset(self, 0, sizeof(*self));
    self->mem = mem;
    self->mode = mode;
    self->look_up = tusk_addr_resolve;
    tusk_err err = tusk__load_target_init(&self->target, mem, mode, url, reason);
    /* Every member has its default, also where the mode does not show it; its own come last. */
    for (int own = 0; own < 2; own++) {
        for (size_t i = 0; i < ROWS && err == TUSK_OK; i++) {
            if (((table[i].modes & MODE(mode)) != 0) == (own == 1)) {
                err = put(self, &table[i], tusk_bytes_str(table[i].shown.fallback), reason);
            }
        }
    }
    if (err != TUSK_OK) {
        tusk__load_plan_fini(self);
    }
    return err;
}

void tusk__load_plan_fini(load_plan *self)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (table[i].type == LOAD_TYPE_TEXT) {
            load_text *text = (load_text *)(void *)((char *)self + table[i].at);
            tusk__free(self->mem, text->ptr, text->ptr == NULL ? 0 : text->len + 1);
        }
    }
    tusk__load_target_fini(&self->target, self->mem);
    tusk__load_target_fini(&self->publish_target, self->mem);
    memset(self, 0, sizeof(*self));
}
