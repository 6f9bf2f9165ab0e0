/* SPDX-License-Identifier: MIT */
/* Both sides of a MySQL login, spoken by hand: packets in, packets out. */
#ifndef TUSK_TEST_RELAY_MYSQL_SIDES_H
#define TUSK_TEST_RELAY_MYSQL_SIDES_H

#include "rig.h"

#include "proto/mysql.h"

#define MYSQL_TEST_SALT "ABCDEFGHIJKLMNOPQRST"

/* The packet that came last. */
static struct {
    uint8_t bytes[MYSQL_HEAD + MYSQL_AUTH_MAX];
    size_t len;
} mysql_got;

static inline void mysql_send(int fd, tusk_bytes bytes)
{
    assert_int_equal(send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL), (ssize_t)bytes.len);
}

static inline void mysql_read(int fd, size_t until)
{
    while (mysql_got.len < until) {
        ssize_t got = -1;
        rig_until((got = recv(fd, mysql_got.bytes + mysql_got.len, until - mysql_got.len, 0)) >=
                      0 ||
                  errno != EAGAIN);
        assert_true(got > 0);
        mysql_got.len += (size_t)got;
    }
}

/* The next packet, head and all. */
static inline tusk_bytes mysql_receive(int fd)
{
    mysql_got.len = 0;
    mysql_read(fd, MYSQL_HEAD);
    mysql_read(fd, MYSQL_HEAD + ((size_t)mysql_got.bytes[0] | (size_t)mysql_got.bytes[1] << 8));
    return tusk_bytes_of(mysql_got.bytes, mysql_got.len);
}

static inline tusk__mysql_greeting mysql_receive_greeting(int fd)
{
    tusk__mysql_greeting greeting;
    tusk_bytes in = mysql_receive(fd);
    assert_int_equal(tusk__mysql_greeting_parse(&greeting, in), in.len);
    assert_int_equal(in.ptr[3], 0);
    return greeting;
}

static inline tusk__mysql_response mysql_receive_response(int fd)
{
    tusk__mysql_response response;
    tusk_bytes in = mysql_receive(fd);
    assert_int_equal(tusk__mysql_response_parse(&response, in), in.len);
    return response;
}

/* ERR with this number, code, state and text. */
static inline void mysql_expect_error(int fd, uint8_t sequence, uint16_t code, const char *rest)
{
    tusk_bytes in = mysql_receive(fd);
    assert_true(in.len > MYSQL_HEAD + 3);
    assert_int_equal(in.ptr[3], sequence);
    assert_int_equal(in.ptr[4], 0xff);
    assert_int_equal(in.ptr[5] | in.ptr[6] << 8, code);
    assert_bytes_equal(tusk_bytes_of(in.ptr + 7, in.len - 7), tusk_bytes_str(rest));
}

/* A client as most are: alice wants "shop", and has signed for another salt. */
static inline tusk__mysql_response mysql_alice(void)
{
    return (tusk__mysql_response){.sequence = 1,
                                  .caps = MYSQL_CAPS_OFFERED,
                                  .packet_max = 1 << 24,
                                  .charset = 45,
                                  .user = TEST_BYTES("alice"),
                                  .auth = TEST_BYTES("signed for our salt!"),
                                  .database = TEST_BYTES("shop"),
                                  .plugin = TEST_BYTES("mysql_native_password"),
                                  .attributes = TEST_BYTES("\x0cprogram_name\x05mysql")};
}

static inline void mysql_answer(int fd, const tusk__mysql_response *response)
{
    tusk_buf out;
    tusk_buf_init(&out, tusk_mem_default(), 70000);
    assert_err(tusk__mysql_response_write(&out, response), TUSK_OK);
    mysql_send(fd, tusk_buf_view(&out));
    tusk_buf_fini(&out);
}

static inline tusk_buf mysql_greeting_of(uint32_t caps)
{
    tusk__mysql_greeting greeting = {.connection = 9,
                                     .caps = caps,
                                     .charset = 45,
                                     .status = 2,
                                     .version = TEST_BYTES("8.0.36"),
                                     .plugin = TEST_BYTES("caching_sha2_password")};
    tusk_buf out;
    memcpy(greeting.salt, MYSQL_TEST_SALT, MYSQL_SALT_LEN);
    tusk_buf_init(&out, tusk_mem_default(), 2000);
    assert_err(tusk__mysql_greeting_write(&out, &greeting), TUSK_OK);
    return out;
}

static inline void mysql_greet(int fd, uint32_t caps)
{
    tusk_buf out = mysql_greeting_of(caps);
    mysql_send(fd, tusk_buf_view(&out));
    tusk_buf_fini(&out);
}

#define SWITCH(number)                                                                             \
    "\x1b\0\0" number "\xfe"                                                                       \
    "plug\0" MYSQL_TEST_SALT "\0"
#define SIGNATURE(number) "\x04\0\0" number "sign"
#define OK(number) "\x07\0\0" number "\0\0\0\2\0\0\0"
#define QUERY "\x09\0\0\0\x03select 1"

static int mysql_backend;

static inline int mysql_set_up(void **state)
{
    uint16_t port;
    (void)state;
    rig_set_up_on(test_poller);
    mysql_backend = rig_listen(&port);
    rig_target(port, 1);
    r.listen.first = TUSK_FIRST_CLIENT;
    r.listen.protocol = TUSK_PROTOCOL_MYSQL;
    return 0;
}

static inline int mysql_tear_down(void **state)
{
    (void)close(mysql_backend);
    return rig_tear_down(state);
}

static inline void mysql_expect_record(uint16_t status, const char *end)
{
    rig_until(r.record_count == 1);
    assert_string_equal(r.records[0].end, end);
    assert_int_equal(r.records[0].status, status);
}

/* Greeted, and alice has answered. */
static inline int mysql_client(void)
{
    int client = rig_client();
    tusk__mysql_response response = mysql_alice();
    (void)mysql_receive_greeting(client);
    mysql_answer(client, &response);
    return client;
}

/* Her backend, which greets and hears what the relay says of her. */
static inline int mysql_backend_of_alice(tusk__mysql_response *heard)
{
    int server = rig_accept(mysql_backend);
    mysql_greet(server, MYSQL_CAPS_OFFERED);
    *heard = mysql_receive_response(server);
    return server;
}

#define login_test(name) cmocka_unit_test_setup_teardown(name, mysql_set_up, mysql_tear_down)

#endif
