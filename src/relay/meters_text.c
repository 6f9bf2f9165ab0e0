/* SPDX-License-Identifier: MIT */
/* Meters as OpenMetrics 1.0 has them: a family at a time, a line for each name. */
#include "relay/meters.h"

#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"

/* What is written about; `label` is the name of the label, and of the families. */
typedef struct page {
    const relay_meter_sum *rows;
    size_t count;
    const char *label;
    tusk_buf *out;
    tusk_err err;
} page;

typedef struct family {
    const char *name;
    const char *help;
    unsigned word;
} family;

static void put_bytes(page *self, const void *ptr, size_t len)
{
    if (self->err == TUSK_OK && len > 0) {
        self->err = tusk_buf_append(self->out, ptr, len);
    }
}

static void put(page *self, const char *text)
{
    put_bytes(self, text, strlen(text));
}

static void put_number(page *self, uint64_t value)
{
    uint8_t digits[DECIMAL_MAX];
    tusk_bytes text = tusk__decimal(digits, value);
    put_bytes(self, text.ptr, text.len);
}

/* 1500 us are "0.0015"; trailing zeros are left out. */
static void put_seconds(page *self, uint64_t us)
{
    char part[7] = "000000";
    uint64_t rest = us % 1000000u;
    int last = 0;
    put_number(self, us / 1000000u);
    for (int i = 5; i >= 0; i--, rest /= 10) {
        part[i] = (char)('0' + rest % 10);
        last = last == 0 && rest % 10 != 0 ? i + 1 : last;
    }
    if (last > 0) {
        put(self, ".");
        put_bytes(self, part, (size_t)last);
    }
}

static void begin_family(page *self, const char *name, const char *type, const char *unit,
                         const char *help)
{
    const char *lines[][2] = {{"# TYPE ", type}, {"# UNIT ", unit}, {"# HELP ", help}};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (lines[i][1] != NULL) {
            put(self, lines[i][0]);
            put(self, "tusk_proxy_");
            put(self, self->label);
            put(self, "_");
            put(self, name);
            put(self, " ");
            put(self, lines[i][1]);
            put(self, "\n");
        }
    }
}

/* Up to where further labels stand. */
static void begin_sample(page *self, const char *name, const char *suffix,
                         const relay_meter_sum *row)
{
    put(self, "tusk_proxy_");
    put(self, self->label);
    put(self, "_");
    put(self, name);
    put(self, suffix);
    put(self, "{");
    put(self, self->label);
    put(self, "=\"");
    if (self->err == TUSK_OK) {
        self->err = tusk_metric_label(tusk_bytes_of(row->name, row->name_len), self->out);
    }
    put(self, "\"");
}

static void end_sample(page *self, uint64_t value)
{
    put(self, "} ");
    put_number(self, value);
    put(self, "\n");
}

static void put_family(page *self, const family *of, bool gauge)
{
    begin_family(self, of->name, gauge ? "gauge" : "counter", NULL, of->help);
    for (size_t i = 0; i < self->count; i++) {
        begin_sample(self, of->name, gauge ? "" : "_total", &self->rows[i]);
        end_sample(self, self->rows[i].words[of->word]);
    }
}

static void put_histogram(page *self, const family *of)
{
    begin_family(self, of->name, "histogram", "seconds", of->help);
    for (size_t i = 0; i < self->count; i++) {
        const uint64_t *words = &self->rows[i].words[of->word];
        uint64_t below = 0;
        for (unsigned bucket = 0; bucket <= METER_BOUNDS; bucket++) {
            below += words[bucket];
            begin_sample(self, of->name, "_bucket", &self->rows[i]);
            put(self, ",le=\"");
            if (bucket < METER_BOUNDS) {
                put_seconds(self, relay_meter_bounds[bucket]);
                put(self, relay_meter_bounds[bucket] % 1000000u == 0 ? ".0" : "");
            } else {
                put(self, "+Inf");
            }
            put(self, "\"");
            end_sample(self, below);
        }
        begin_sample(self, of->name, "_count", &self->rows[i]);
        end_sample(self, below);
        begin_sample(self, of->name, "_sum", &self->rows[i]);
        put(self, "} ");
        put_seconds(self, words[METER_HIST_SUM]);
        put(self, "\n");
    }
}

static void put_statuses(page *self)
{
    static const char *const classes[] = {"1xx", "2xx", "3xx", "4xx", "5xx"};
    begin_family(self, "responses", "counter", NULL, "Answers to requests, by class of status.");
    for (size_t i = 0; i < self->count; i++) {
        for (unsigned c = 0; c < 5; c++) {
            begin_sample(self, "responses", "_total", &self->rows[i]);
            put(self, ",code=\"");
            put(self, classes[c]);
            put(self, "\"");
            end_sample(self, self->rows[i].words[METER_STATUS + c]);
        }
    }
}

static void put_health(page *self)
{
    begin_family(self, "up", "gauge", NULL, "1: connected to; 0: ejected, or probes fail.");
    for (size_t i = 0; i < self->count; i++) {
        if (self->rows[i].key != 0) {
            begin_sample(self, "up", "", &self->rows[i]);
            end_sample(self, self->rows[i].healthy == 0 ? 0 : 1);
        }
    }
}

static void put_common(page *self, tusk_relay_kind kind)
{
    static const family sessions[] = {
        {"sessions", "Sessions that have ended; requests of HTTP.", METER_SESSIONS},
        {"bytes_up", "Bytes from clients.", METER_BYTES_UP},
        {"bytes_down", "Bytes to clients.", METER_BYTES_DOWN}};
    static const family first_byte = {"first_byte_seconds",
                                      "From the connection, or an HTTP request, to the first byte.",
                                      METER_FIRST_BYTE};
    for (size_t i = 0; i < sizeof(sessions) / sizeof(sessions[0]); i++) {
        put_family(self, &sessions[i], false);
    }
    if (kind == TUSK_RELAY_HTTP) {
        put_statuses(self);
    }
    put_histogram(self, &first_byte);
}

static void put_targets(page *self, tusk_relay_kind kind)
{
    static const family active = {"active", "Connections now, those being made too.", METER_ACTIVE};
    static const family dials[] = {
        {"dials", "Times that it was connected to.", METER_DIALS},
        {"dial_failures", "Of these, failed.", METER_DIAL_FAILURES},
        {"dial_timeouts", "Connects, look-ups and TLS handshakes that took too long.",
         METER_DIAL_TIMEOUTS},
        {"retries", "Dials because another one had failed.", METER_RETRIES},
        {"answer_timeouts", "Times that it was connected and said nothing in time.",
         METER_ANSWER_TIMEOUTS},
        {"resets", "Sessions that it ended by a reset.", METER_RESETS},
        {"ejections", "Times that it was taken out.", METER_EJECTIONS}};
    static const family connect = {"connect_seconds", "Time of TCP's handshake.", METER_CONNECT};
    put_health(self);
    put_family(self, &active, true);
    for (size_t i = 0; i < sizeof(dials) / sizeof(dials[0]); i++) {
        put_family(self, &dials[i], false);
    }
    put_histogram(self, &connect);
    put_common(self, kind);
}

static void put_routes(page *self, tusk_relay_kind kind)
{
    static const family active = {"active", "Sessions now; requests of HTTP.", METER_ACTIVE};
    put_family(self, &active, true);
    put_common(self, kind);
}

tusk_err relay_meters_text(const relay_meters *self, const tusk_mem *mem, tusk_relay_kind kind,
                           relay_meter_health *health, const void *user, tusk_buf *out)
{
    size_t size = (self->rows + (size_t)1) * sizeof(relay_meter_sum);
    uint64_t now_ms = tusk_loop_clock_ns() / 1000000u;
    if (self->map == NULL) {
        return TUSK_OK;
    }
    relay_meter_sum *rows = tusk__resize(mem, NULL, 0, size);
    if (rows == NULL) {
        return TUSK_ENOMEM;
    }
    page targets = {.rows = rows, .label = "target", .out = out, .err = TUSK_OK};
    targets.count = relay_meters_read(self, METER_TARGET, now_ms, rows);
    for (size_t i = 0; i < targets.count; i++) {
        rows[i].healthy = (int8_t)health(user, &rows[i]);
    }
    put_targets(&targets, kind);
    page routes = {.rows = rows, .label = "route", .out = out, .err = targets.err};
    routes.count = relay_meters_read(self, METER_ROUTE, now_ms, rows);
    if (routes.count > 0) {
        put_routes(&routes, kind);
    }
    tusk__free(mem, rows, size);
    return routes.err;
}
