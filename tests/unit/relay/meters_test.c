/* SPDX-License-Identifier: MIT */
/* Meters: rows by name in memory that processes share, and what sessions leave there. */
#define _GNU_SOURCE
#include "test.h"

#include "rig.h"

#include "relay/inner.h"

#include <sys/mman.h>

enum { TEXT_MAX = 1 << 20 };

static char *text_of_relay(void)
{
    static char text[TEXT_MAX];
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), TEXT_MAX);
    assert_err(tusk_relay_metrics(r.relay, &out), TUSK_OK);
    assert_true(out.len < sizeof(text));
    memcpy(text, out.ptr, out.len);
    text[out.len] = '\0';
    tusk_buf_fini(&out);
    return text;
}

/* The value of the sample that begins so, without its fraction; -1: there is none. Not as a double,
 * which cmocka would make unsigned: of -1 that is what the processor likes. */
static int64_t sample(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (const char *line = text; line != NULL && *line != '\0';) {
        if (strncmp(line, name, len) == 0 && line[len] == ' ') {
            return (int64_t)strtod(line + len, NULL);
        }
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    return -1;
}

static int64_t of(const char *family, const char *label, const char *name)
{
    char full[256];
    (void)snprintf(full, sizeof(full), "tusk_proxy_%s_%s{%s=\"%s\"}", label, family, label, name);
    return sample(text_of_relay(), full);
}

/* ---- sessions ---- */
static void a_session_is_counted_at_its_target_and_its_route(void **state)
{
    uint16_t port;
    (void)state;
    int backend = rig_listen(&port);
    rig_target(port, 1);
    r.route.name = tusk_bytes_str("shop");
    rig_start();
    int client = rig_client();
    rig_send(client, "hello");
    int server = rig_accept(backend);
    rig_expect(server, "hello");
    assert_int_equal(of("active", "target", r.address[0]), 1);
    assert_int_equal(of("active", "route", "shop"), 1);
    assert_int_equal(of("dials", "target", r.address[0]), -1); /* a counter has a suffix */
    assert_int_equal(of("dials_total", "target", r.address[0]), 1);
    assert_int_equal(of("connect_seconds_count", "target", r.address[0]), 1);
    rig_send(server, "hi");
    rig_expect(client, "hi");
    (void)close(client);
    (void)close(server);
    rig_until(r.record_count == 1);
    assert_int_equal(of("active", "target", r.address[0]), 0);
    assert_int_equal(of("active", "route", "shop"), 0);
    assert_int_equal(of("sessions_total", "target", r.address[0]), 1);
    assert_int_equal(of("bytes_up_total", "target", r.address[0]), 5);
    assert_int_equal(of("bytes_down_total", "target", r.address[0]), 2);
    assert_int_equal(of("bytes_up_total", "route", "shop"), 5);
    assert_int_equal(of("bytes_down_total", "route", "shop"), 2);
    assert_int_equal(of("first_byte_seconds_count", "route", "shop"), 1);
    assert_int_equal(of("up", "target", r.address[0]), 1);
    rig_expect_joined(backend); /* on a socket that is connected again, where that is to be had */
    rig_until(r.record_count == 2);
    assert_int_equal(of("connect_seconds_count", "target", r.address[0]), 2);
    assert_true(of("connect_seconds_sum", "target", r.address[0]) < 60);
    (void)close(backend);
}

static void soon(tusk_relay *relay)
{
    relay->count_ms = 10;
}

static void expect_bytes(const char *target, int64_t up, int64_t down)
{
    rig_until(of("bytes_up_total", "target", target) == up &&
              of("bytes_down_total", "route", "db") == down);
    assert_int_equal(rig_stats().bytes_up, up);
    assert_int_equal(rig_stats().bytes_down, down);
}

/* In whole KiB; the rest, and nothing twice, at its end. */
static void a_session_that_lasts_is_counted_while_it_does(void **state)
{
    static const char text[3000] = {'x'};
    uint16_t port;
    (void)state;
    int backend = rig_listen(&port);
    rig_target(port, 1);
    r.route.name = tusk_bytes_str("db");
    r.on_made = soon;
    rig_start();
    int client = rig_client();
    rig_send_bytes(client, tusk_bytes_of(text, sizeof(text)));
    int server = rig_accept(backend);
    rig_expect_bytes(server, tusk_bytes_of(text, sizeof(text)));
    expect_bytes(r.address[0], 2048, 0);
    rig_send_bytes(client, tusk_bytes_of(text, 100));
    rig_send_bytes(server, tusk_bytes_of(text, 2047));
    rig_expect_bytes(client, tusk_bytes_of(text, 2047));
    rig_expect_bytes(server, tusk_bytes_of(text, 100));
    expect_bytes(r.address[0], 3072, 1024);
    assert_int_equal(of("sessions_total", "target", r.address[0]), 0);
    (void)close(client);
    (void)close(server);
    rig_until(r.record_count == 1);
    assert_int_equal(r.records[0].up, 3100);
    assert_int_equal(r.records[0].down, 2047);
    expect_bytes(r.address[0], 3100, 2047);
    assert_int_equal(of("sessions_total", "target", r.address[0]), 1);
    (void)close(backend);
}

static void failures_and_ejections_are_their_targets(void **state)
{
    uint16_t port;
    (void)state;
    int backend = rig_listen(&port);
    rig_target(rig_dead_port(), 1);
    rig_target(port, 0); /* a spare */
    r.options.limits.eject_failures = 1;
    rig_start();
    rig_expect_joined(backend);
    rig_until(r.record_count == 1);
    assert_int_equal(of("dial_failures_total", "target", r.address[0]), 1);
    assert_int_equal(of("ejections_total", "target", r.address[0]), 1);
    assert_int_equal(of("up", "target", r.address[0]), 0);
    assert_int_equal(of("sessions_total", "target", r.address[0]), 0);
    assert_int_equal(of("dial_failures_total", "target", r.address[1]), 0);
    assert_int_equal(of("retries_total", "target", r.address[1]), 1);
    assert_int_equal(of("sessions_total", "target", r.address[1]), 1);
    (void)close(backend);
}

static void a_reset_is_the_targets_that_made_it(void **state)
{
    uint16_t port;
    (void)state;
    int backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    int client = rig_client();
    rig_send(client, "x");
    int server = rig_accept(backend);
    rig_expect(server, "x");
    rig_reset(server);
    rig_until(r.record_count == 1);
    assert_int_equal(of("resets_total", "target", r.address[0]), 1);
    (void)close(client);
    (void)close(backend);
}

static void names_past_the_limit_are_other(void **state)
{
    uint16_t port;
    (void)state;
    int backend = rig_listen(&port);
    r.options.limits.metrics = 0;
    rig_target(port, 1);
    r.route.name = tusk_bytes_str("shop");
    rig_start();
    rig_expect_joined(backend);
    rig_until(r.record_count == 1);
    assert_int_equal(of("sessions_total", "target", "other"), 1);
    assert_int_equal(of("sessions_total", "route", "other"), 1);
    assert_int_equal(of("sessions_total", "route", "shop"), -1);
    assert_true(rig_stats().metrics_other >= 2);
    (void)close(backend);
}

static void a_name_that_is_none_is_no_route(void **state)
{
    uint16_t port;
    (void)state;
    int backend = rig_listen(&port);
    rig_target(port, 1);
    rig_start();
    relay_answer *answer;
    const tusk_relay_route bad = {.targets = r.targets,
                                  .target_count = 1,
                                  .name = tusk_bytes_of((const uint8_t *)"a\xff", 2)};
    assert_err(relay_answer_route(&answer, r.relay, &bad), TUSK_EINVAL);
    char long_name[TUSK_RELAY_NAME_MAX + 1];
    memset(long_name, 'a', sizeof(long_name));
    assert_true(tusk_relay_name_valid(tusk_bytes_of(long_name, TUSK_RELAY_NAME_MAX)));
    assert_false(tusk_relay_name_valid(tusk_bytes_of(long_name, TUSK_RELAY_NAME_MAX + 1)));
    assert_false(tusk_relay_name_valid(tusk_bytes_of("a\0b", 3)));
    (void)close(backend);
}

static void what_a_label_may_not_have_is_escaped(void **state)
{
    uint16_t port;
    (void)state;
    int backend = rig_listen(&port);
    rig_target(port, 1);
    r.route.name = tusk_bytes_str("a\"b\\c\nd\xc3\xa9");
    rig_start();
    rig_expect_joined(backend);
    rig_until(r.record_count == 1);
    assert_int_equal(of("sessions_total", "route", "a\\\"b\\\\c\\nd\xc3\xa9"), 1);
    (void)close(backend);
}

/* ---- the table ---- */
static relay_meters master, view[2];
static uint64_t other;

static void open_table(uint32_t rows)
{
    memset(&master, 0, sizeof(master));
    memset(view, 0, sizeof(view));
    other = 0;
    assert_err(relay_meters_open(&master, rows, 2), TUSK_OK);
    relay_meters_borrow(&view[0], &master, 0);
    relay_meters_borrow(&view[1], &master, 1);
}

static relay_meter *hold(int seat, uint64_t hash, const char *name, uint64_t now_ms)
{
    return relay_meters_hold(&view[seat], METER_TARGET, hash, tusk_bytes_str(name), now_ms, &other);
}

static size_t read_all(relay_meter_sum out[4], uint64_t now_ms)
{
    return relay_meters_read(&master, METER_TARGET, now_ms, out);
}

static bool is_mapped(void *map)
{
    unsigned char page;
    return mincore(map, 4096, &page) == 0 || errno != ENOMEM;
}

static void who_borrowed_them_gives_nothing_back(void **state)
{
    (void)state;
    open_table(3);
    void *map = master.map;
    relay_meters_close(&view[0]);
    assert_null(view[0].map);
    assert_true(is_mapped(map));
    relay_meters_close(&master);
    assert_false(is_mapped(map));
    relay_meters_close(&master); /* twice is harmless */
}

static void what_both_count_is_one_row(void **state)
{
    relay_meter_sum rows[4];
    (void)state;
    open_table(3);
    relay_meter_add(hold(0, 7, "a", 1), METER_BYTES_UP, 10);
    relay_meter_add(hold(1, 7, "a", 1), METER_BYTES_UP, 32);
    (void)hold(1, 10, "b", 1); /* wants the same place */
    assert_int_equal(read_all(rows, 2), 2);
    assert_string_equal(rows[0].name, "a");
    assert_int_equal(rows[0].words[METER_BYTES_UP], 42);
    assert_string_equal(rows[1].name, "b");
    relay_meters_close(&master);
}

static void a_dead_workers_counts_stay_and_what_it_had_goes(void **state)
{
    relay_meter_sum rows[4];
    (void)state;
    open_table(3);
    relay_meter *dead = hold(0, 7, "a", 1);
    relay_meter_add(dead, METER_BYTES_UP, 10);
    relay_meter_add(dead, METER_ACTIVE, 3);
    relay_meter_observe(dead, METER_CONNECT, 700);
    relay_meters_gone(&master, 0, 5);
    assert_int_equal(read_all(rows, 6), 1);
    assert_int_equal(rows[0].words[METER_BYTES_UP], 10);
    assert_int_equal(rows[0].words[METER_ACTIVE], 0);
    assert_int_equal(rows[0].words[METER_HELD], 0);
    assert_int_equal(rows[0].words[METER_CONNECT + 1], 1);
    assert_int_equal(rows[0].words[METER_CONNECT + METER_HIST_SUM], 700);
    /* The next worker in this seat counts on. */
    relay_meter_add(hold(0, 7, "a", 7), METER_BYTES_UP, 1);
    assert_int_equal(read_all(rows, 8), 1);
    assert_int_equal(rows[0].words[METER_BYTES_UP], 11);
    relay_meters_close(&master);
}

static void a_row_nobody_held_for_long_is_told_no_more_and_is_the_next_names(void **state)
{
    relay_meter_sum rows[4];
    (void)state;
    open_table(1);
    relay_meter *a = hold(0, 7, "a", 1);
    relay_meter_add(a, METER_BYTES_UP, 10);
    relay_meter *b = hold(1, 8, "b", 2);
    assert_int_equal(other, 1);
    relay_meter_release(b, 3);
    relay_meter_release(a, 1000);
    assert_int_equal(read_all(rows, 1000 + METER_STALE_MS), 1);
    assert_int_equal(read_all(rows, 1001 + METER_STALE_MS), 0);
    b = hold(1, 8, "b", 2000 + METER_STALE_MS);
    relay_meter_add(b, METER_BYTES_UP, 1);
    assert_int_equal(other, 1);
    assert_int_equal(read_all(rows, 2001 + METER_STALE_MS), 1);
    assert_string_equal(rows[0].name, "b");
    assert_int_equal(rows[0].words[METER_BYTES_UP], 1);
    /* "a" comes back, and there is no room. */
    (void)hold(0, 7, "a", 2002 + METER_STALE_MS);
    assert_int_equal(other, 2);
    relay_meters_close(&master);
}

static void the_next_name_of_a_row_has_nothing_of_the_dead(void **state)
{
    relay_meter_sum rows[4];
    const uint64_t later_ms = 10 + METER_STALE_MS + 1;
    (void)state;
    open_table(1);
    relay_meter_add(hold(0, 7, "a", 1), METER_DIALS, 5);
    relay_meters_gone(&master, 0, 10);
    assert_int_equal(read_all(rows, 11), 1);
    assert_int_equal(rows[0].words[METER_DIALS], 5);
    relay_meter_add(hold(1, 8, "b", later_ms), METER_DIALS, 1);
    assert_int_equal(other, 0);
    assert_int_equal(read_all(rows, later_ms), 1);
    assert_string_equal(rows[0].name, "b");
    assert_int_equal(rows[0].words[METER_DIALS], 1);
    relay_meters_close(&master);
}

static void a_row_whose_taker_died_is_free(void **state)
{
    relay_meter_sum rows[4];
    (void)state;
    open_table(1);
    ((_Atomic uint64_t *)(void *)master.map)[0] = 1; /* seat 0 was taking it */
    (void)hold(1, 7, "a", 1);
    assert_int_equal(other, 1);
    relay_meters_gone(&master, 0, 2);
    (void)hold(1, 7, "a", 3);
    assert_int_equal(other, 1);
    assert_int_equal(read_all(rows, 4), 2); /* and "other" */
    relay_meters_close(&master);
}

/* The last moment before the row has its name. */
static void a_row_whose_taker_died_when_it_held_it_is_free(void **state)
{
    relay_meter_sum rows[4];
    (void)state;
    open_table(1);
    (void)hold(0, 7, "a", 1);
    ((_Atomic uint64_t *)(void *)master.map)[0] = 1;
    relay_meters_gone(&master, 0, 2);
    (void)hold(1, 8, "b", 3);
    assert_int_equal(other, 0);
    assert_int_equal(read_all(rows, 4), 1);
    assert_string_equal(rows[0].name, "b");
    assert_int_equal(rows[0].words[METER_HELD], 1);
    relay_meters_close(&master);
}

static void two_rows_of_one_name_are_told_as_one(void **state)
{
    relay_meter_sum rows[4];
    (void)state;
    open_table(3);
    relay_meter_add(hold(0, 9, "a", 1), METER_DIALS, 1);
    /* What another process does that looked at the same time: the next row is the same name's. */
    relay_meter_add(hold(1, 10, "a", 1), METER_DIALS, 2);
    assert_int_equal(read_all(rows, 2), 1);
    assert_int_equal(rows[0].words[METER_DIALS], 3);
    relay_meters_close(&master);
}

static void a_histogram_has_each_value_in_one_bucket(void **state)
{
    static const uint64_t us[] = {0, 500, 501, 10000000, 10000001};
    relay_meter meter[METER_WORDS] = {0};
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        relay_meter_observe(meter, METER_FIRST_BYTE, us[i]);
    }
    assert_int_equal(meter[METER_FIRST_BYTE], 2);
    assert_int_equal(meter[METER_FIRST_BYTE + 1], 1);
    assert_int_equal(meter[METER_FIRST_BYTE + METER_BOUNDS - 1], 1);
    assert_int_equal(meter[METER_FIRST_BYTE + METER_BOUNDS], 1);
    assert_int_equal(meter[METER_FIRST_BYTE + METER_HIST_SUM], 20001002);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        rig_test(a_session_is_counted_at_its_target_and_its_route),
        rig_test(a_session_that_lasts_is_counted_while_it_does),
        rig_test(failures_and_ejections_are_their_targets),
        rig_test(a_reset_is_the_targets_that_made_it),
        rig_test(names_past_the_limit_are_other),
        rig_test(a_name_that_is_none_is_no_route),
        rig_test(what_a_label_may_not_have_is_escaped),
        cmocka_unit_test(who_borrowed_them_gives_nothing_back),
        cmocka_unit_test(what_both_count_is_one_row),
        cmocka_unit_test(a_dead_workers_counts_stay_and_what_it_had_goes),
        cmocka_unit_test(a_row_nobody_held_for_long_is_told_no_more_and_is_the_next_names),
        cmocka_unit_test(the_next_name_of_a_row_has_nothing_of_the_dead),
        cmocka_unit_test(a_row_whose_taker_died_is_free),
        cmocka_unit_test(a_row_whose_taker_died_when_it_held_it_is_free),
        cmocka_unit_test(two_rows_of_one_name_are_told_as_one),
        cmocka_unit_test(a_histogram_has_each_value_in_one_bucket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
