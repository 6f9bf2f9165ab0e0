/* SPDX-License-Identifier: MIT */
/* Preflight: options that contradict each other, and what this machine cannot do, said before
 * anything starts. */
#define _GNU_SOURCE
#include "load/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tusk/tls.h>
#include <tusk/ws.h>
#include <unistd.h>

#include "load/payload.h"
#include "load/value.h"
#include "loop/small_file.h"
#include "net/descriptors.h"

#define SPARE_FDS 40         /* of a worker, besides its connections */
#define PORTS_FALLBACK 28232 /* Linux: 32768 to 60999 */
#define PORTS_USED 0.9       /* of a source's ports: others live on them too */
#define PORT_REST_S 60.0     /* TIME_WAIT */
#define PORT_REST_HERE_S 1.0 /* on loopback, where Linux uses them again after that */
#define SOURCES_CLOSED 4     /* for as many connections a second as the closed model makes */
#define MEMORY_MAX (8e9)
#define STREAM_TALLIES_MAX (UINT64_C(1) << 27)

static tusk_err say(char *reason, tusk_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static tusk_err say(char *reason, tusk_err err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, TUSK_LOAD_REASON_MAX, format, args);
    va_end(args);
    return err;
}

/* ---- options against each other ---- */
static bool starts_with(tusk_bytes text, const char *prefix)
{
    size_t len = strlen(prefix);
    return text.len >= len &&
           tusk_bytes_eq_nocase(tusk_bytes_of(text.ptr, len), tusk_bytes_of(prefix, len));
}

/* One line of `header`; the fields that frame messages are the engine's. */
static bool is_field(tusk_bytes line)
{
    static const char *const reserved[] = {
        "Connection:",    "Upgrade:",       "Content-Length:", "Transfer-Encoding:",
        "Sec-WebSocket-", "Last-Event-ID:", "Expect:"};
    const uint8_t *colon = memchr(line.ptr, ':', line.len);
    if (colon == NULL ||
        !tusk_http_name_valid(tusk_bytes_of(line.ptr, (size_t)(colon - line.ptr))) ||
        !tusk_http_value_valid(
            tusk_bytes_of(colon + 1, line.len - (size_t)(colon - line.ptr) - 1))) {
        return false;
    }
    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
        if (starts_with(line, reserved[i])) {
            return false;
        }
    }
    return true;
}

static bool is_path(tusk_bytes line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] <= ' ' || line.ptr[i] == 0x7F) {
            return false;
        }
    }
    return line.len > 0 && line.ptr[0] == '/';
}

static tusk_err check_lines(const load_text *text, bool (*is_good)(tusk_bytes), const char *option,
                            const char *what, char *reason)
{
    tusk_bytes rest = tusk_bytes_of(text->ptr, text->len);
    tusk_bytes line;
    while (tusk__load_next_line(&rest, &line)) {
        if (!is_good(line)) {
            return say(reason, TUSK_EINVAL, "%s: \"%.*s\" is not %s", option,
                       (int)(line.len < 60 ? line.len : 60), (const char *)line.ptr, what);
        }
    }
    return TUSK_OK;
}

static tusk_err check_pace(const load_plan *plan, char *reason)
{
    if (plan->rate <= 0 && plan->arrivals == LOAD_POISSON) {
        return say(reason, TUSK_EINVAL, "arrivals poisson needs a rate: give rate");
    }
    if (plan->rate <= 0 && plan->spin) {
        return say(reason, TUSK_EINVAL, "spin is for planned starts: give rate");
    }
    if (plan->rate > 0 && plan->think > 0) {
        return say(reason, TUSK_EINVAL,
                   "think belongs to the closed model and rate to the open one: give one of them");
    }
    if (plan->workers > 0 && plan->workers > plan->connections) {
        return say(reason, TUSK_EINVAL, "%llu workers cannot share %llu connections: lower workers",
                   (unsigned long long)plan->workers, (unsigned long long)plan->connections);
    }
    return TUSK_OK;
}

static tusk_err check_handshake(const load_plan *plan, char *reason)
{
    uint64_t high = plan->high == 0 ? plan->connections : plan->high;
    if (high > plan->connections) {
        return say(reason, TUSK_EINVAL, "high (%llu) must not be over connections (%llu)",
                   (unsigned long long)high, (unsigned long long)plan->connections);
    }
    if (plan->low > high) {
        return say(reason, TUSK_EINVAL, "low (%llu) must not be over high (%llu)",
                   (unsigned long long)plan->low, (unsigned long long)high);
    }
    if (!tusk_ws_code_valid((unsigned)plan->close_code)) {
        return say(reason, TUSK_EINVAL, "close-code %llu may not stand in a Close frame",
                   (unsigned long long)plan->close_code);
    }
    if (plan->storm && (plan->rate > 0 || plan->count > 0 || plan->hold > 0 || plan->drop)) {
        return say(reason, TUSK_EINVAL,
                   "reconnect-storm drops and opens all connections once: without rate, count, "
                   "hold and drop");
    }
    return TUSK_OK;
}

static bool has_data(const load_text *text)
{
    return memmem(text->ptr, text->len, "{data}", 6) != NULL;
}

static tusk_err check_fanout(const load_plan *plan, char *reason)
{
    if (plan->size < LOAD_STAMP_BYTES) {
        return say(reason, TUSK_EINVAL,
                   "size must be at least %d: so long is the head by which a message is timed",
                   LOAD_STAMP_BYTES);
    }
    if (!has_data(&plan->message) || !has_data(&plan->publish_body)) {
        return say(reason, TUSK_EINVAL, "%s must contain {data}",
                   has_data(&plan->message) ? "publish-body" : "message");
    }
    if (plan->slow > plan->connections) {
        return say(reason, TUSK_EINVAL, "slow (%llu) must not be over connections (%llu)",
                   (unsigned long long)plan->slow, (unsigned long long)plan->connections);
    }
    if (tusk__load_publishers(plan) == 0 && (plan->rate > 0 || plan->count > 0)) {
        return say(reason, TUSK_EINVAL, "rate and count are the publishers': give %s",
                   plan->mode == LOAD_SSE ? "publish-url" : "publishers");
    }
    if (tusk__load_publishers(plan) * plan->connections > STREAM_TALLIES_MAX) {
        return say(reason, TUSK_EINVAL,
                   "%llu subscribers of %llu publishers are too many to keep count of: lower one",
                   (unsigned long long)plan->connections, (unsigned long long)plan->publishers);
    }
    if (plan->mode == LOAD_FANOUT && plan->publishers == 0) {
        return say(reason, TUSK_EINVAL, "publishers must be 1 at least");
    }
    return TUSK_OK;
}

tusk_err tusk__load_plan_check(const load_plan *plan, char *reason)
{
    tusk_err err = check_lines(&plan->header, is_field, "header",
                               "a field that can be added (Name: value)", reason);
    if (err == TUSK_OK) {
        err = check_lines(&plan->urls, is_path, "urls", "a path such as /index.html", reason);
    }
    tusk_bytes subprotocol = tusk_bytes_of(plan->subprotocol.ptr, plan->subprotocol.len);
    if (err == TUSK_OK && subprotocol.len > 0 && !tusk_http_name_valid(subprotocol)) {
        err = say(reason, TUSK_EINVAL, "subprotocol \"%.*s\" is not one name such as chat.v1",
                  (int)(subprotocol.len < 64 ? subprotocol.len : 64), plan->subprotocol.ptr);
    }
    if (err == TUSK_OK) {
        err = check_pace(plan, reason);
    }
    if (err != TUSK_OK) {
        return err;
    }
    if (!tusk_http_name_valid(tusk_bytes_of(plan->method.ptr, plan->method.len))) {
        return say(reason, TUSK_EINVAL, "method \"%.32s\" is not a token", plan->method.ptr);
    }
    if (plan->mode == LOAD_HTTP && !plan->keep_alive && plan->pipeline > 1) {
        return say(reason, TUSK_EINVAL, "pipeline needs keep-alive");
    }
    if (plan->mode == LOAD_WS_HANDSHAKE) {
        return check_handshake(plan, reason);
    }
    if (tusk__load_streams(plan)) {
        return check_fanout(plan, reason);
    }
    return TUSK_OK;
}

/* ---- the machine ---- */
static uint64_t read_digits(const char *text, const char **end)
{
    uint64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        value = value * 10 + (uint64_t)(*text - '0');
    }
    *end = text;
    return value;
}

/* Ports that one source address has towards one target. */
static uint64_t ports(void)
{
    char text[64];
    if (tusk__small_file_read("/proc/sys/net/ipv4/ip_local_port_range", text, sizeof(text)) == 0) {
        return PORTS_FALLBACK;
    }
    const char *at = text;
    uint64_t low = read_digits(at, &at);
    at += strspn(at, " \t");
    uint64_t high = read_digits(at, &at);
    return high > low ? high - low + 1 : PORTS_FALLBACK;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static bool closes_each(const load_plan *plan)
{
    return plan->mode == LOAD_WS_HANDSHAKE || plan->mode == LOAD_TCP_RATE ||
           (plan->mode == LOAD_HTTP && !plan->keep_alive);
}

static tusk_err settle_workers(load_plan *plan, uint64_t sockets, char *reason)
{
    uint64_t limit = net_descriptors_allowed().hard;
    uint64_t each = limit > SPARE_FDS ? limit - SPARE_FDS : 1;
    uint64_t needed = divide_up(sockets, each);
    if (plan->workers == 0) {
        plan->workers = needed;
        if (needed > 256) {
            return say(reason, TUSK_ELIMIT,
                       "%llu connections need %llu processes at %llu descriptors each: lower "
                       "connections or raise the limit (ulimit -n)",
                       (unsigned long long)sockets, (unsigned long long)needed,
                       (unsigned long long)limit);
        }
        return TUSK_OK;
    }
    if (plan->workers < needed) {
        return say(reason, TUSK_ELIMIT,
                   "%llu connections do not fit into %llu processes of %llu descriptors: give "
                   "workers %llu or more",
                   (unsigned long long)sockets, (unsigned long long)plan->workers,
                   (unsigned long long)limit, (unsigned long long)needed);
    }
    return TUSK_OK;
}

static bool can_bind(const load_plan *plan)
{
    uint8_t ip[16];
    bool can = true;
    for (size_t i = 0; i < plan->target.addr_count; i++) {
        can = can && tusk_addr_ip(&plan->target.addrs[i], ip) == 4 && ip[0] == 127;
    }
    return can;
}

/* Where each operation is a connection its port rests a while behind it, and a closed model makes
 * as many as it can: some 28,000 in a second are all that one address has. */
static uint64_t sources_for_rests(const load_plan *plan, uint64_t each)
{
    if (!closes_each(plan)) {
        return 0;
    }
    return plan->rate > 0 ? divide_up((uint64_t)(plan->rate * PORT_REST_HERE_S), each)
                          : SOURCES_CLOSED;
}

static tusk_err settle_sources(load_plan *plan, uint64_t sockets, char *reason)
{
    uint64_t each = (uint64_t)((double)ports() * PORTS_USED);
    uint64_t needed = divide_up(sockets, each);
    if (!can_bind(plan)) {
        if (plan->sources > 1) {
            return say(
                reason, TUSK_ELIMIT,
                "sources are addresses in 127.0.0.0/8, the target is not: leave sources out");
        }
        if (needed > 1) {
            return say(reason, TUSK_ELIMIT,
                       "one source address has %llu ports towards this target, %llu connections "
                       "were asked for: lower connections, or use a target in 127.0.0.0/8",
                       (unsigned long long)each, (unsigned long long)sockets);
        }
        if (closes_each(plan) && plan->rate * PORT_REST_S > (double)each && plan->allow_remote) {
            char rate[LOAD_SHOWN_MAX];
            return say(reason, TUSK_ELIMIT,
                       "%s connections a second use up the %llu ports of this source address, "
                       "each of which rests for 60 s: lower rate to %.0f",
                       tusk__load_shown(rate, plan->rate), (unsigned long long)each,
                       (double)each / PORT_REST_S);
        }
        plan->sources = 0;
        return TUSK_OK;
    }
    if (plan->sources == 0) {
        uint64_t rests = sources_for_rests(plan, each);
        needed = rests > needed ? rests : needed;
        plan->sources = needed > 1 ? needed : 0;
    } else if (plan->sources < needed) {
        return say(reason, TUSK_ELIMIT,
                   "%llu connections need %llu source addresses of %llu ports each: give sources "
                   "%llu or more",
                   (unsigned long long)sockets, (unsigned long long)needed,
                   (unsigned long long)each, (unsigned long long)needed);
    }
    return TUSK_OK;
}

/* All of them, for any may be the one that answers. */
static bool is_here(const load_target *target)
{
    bool here = true;
    for (size_t i = 0; i < target->addr_count; i++) {
        here = here && tusk_addr_is_loopback(&target->addrs[i]);
    }
    return here;
}

static tusk_err check_place(const load_target *target, bool allow_remote, char *reason)
{
    if (!allow_remote && !is_here(target)) {
        return say(reason, TUSK_EACCES,
                   "%.100s is not an address of this machine's loopback: give allow-remote if the "
                   "server there is yours",
                   target->host);
    }
    if (target->secure && tusk_tls_library() == NULL) {
        return say(reason, TUSK_ENOTSUP, "this build has no TLS: use a URL without it");
    }
    return TUSK_OK;
}

static tusk_err check_memory(const load_plan *plan, char *reason)
{
    double each =
        2.0 * (double)plan->size * (double)plan->pipeline + (double)plan->pipeline * 16 + 1024;
    double sum = each * (double)plan->connections;
    if (plan->mode == LOAD_WS_ECHO && sum > MEMORY_MAX) {
        return say(reason, TUSK_ELIMIT,
                   "%llu connections with %llu messages of %llu bytes under way may take %.0f MB: "
                   "lower connections, pipeline or size",
                   (unsigned long long)plan->connections, (unsigned long long)plan->pipeline,
                   (unsigned long long)plan->size, sum / 1e6);
    }
    return TUSK_OK;
}

tusk_err tusk__load_preflight(load_plan *plan, char *reason)
{
    tusk_err err = tusk__load_plan_check(plan, reason);
    if (err == TUSK_OK) {
        err = tusk__load_target_resolve(&plan->target, plan, reason);
    }
    if (err == TUSK_OK) {
        err = check_place(&plan->target, plan->allow_remote, reason);
    }
    if (err == TUSK_OK) {
        tusk_bytes url = plan->publish_url.len > 0
                             ? tusk_bytes_of(plan->publish_url.ptr, plan->publish_url.len)
                             : tusk_bytes_of(plan->target.url.ptr, plan->target.url.len);
        err = tusk__load_target_init(&plan->publish_target, plan->mem, plan->mode, url, reason);
    }
    if (err == TUSK_OK) {
        err = tusk__load_target_resolve(&plan->publish_target, plan, reason);
    }
    if (err == TUSK_OK) {
        err = check_place(&plan->publish_target, plan->allow_remote, reason);
    }
    if (err == TUSK_OK) {
        err = check_memory(plan, reason);
    }
    uint64_t sockets =
        plan->connections + plan->idle + (tusk__load_streams(plan) ? plan->publishers : 0);
    if (err == TUSK_OK) {
        err = settle_workers(plan, sockets, reason);
    }
    if (err == TUSK_OK) {
        err = settle_sources(plan, sockets, reason);
    }
    return err;
}
