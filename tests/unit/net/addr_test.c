/* SPDX-License-Identifier: MIT */
/* Addresses: what is read, what is refused, what limits count as one. */
#include "net/addr.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "test.h"

static void what_is_parsed_is_written_the_same(void **state)
{
    (void)state;
    static const char *const texts[] = {"127.0.0.1:80", "0.0.0.0:0", "[::1]:65535",
                                        "[2001:db8::7]:443", "unix:/run/x.sock"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tusk_addr addr;
        char text[TUSK_ADDR_TEXT_MAX];
        assert_err(tusk_addr_parse(&addr, texts[i]), TUSK_OK);
        assert_string_equal(tusk_addr_text(&addr, text), texts[i]);
    }
}

static void hosts_and_ports_come_apart(void **state)
{
    (void)state;
    tusk_addr addr;
    char text[TUSK_ADDR_TEXT_MAX];
    assert_err(tusk_addr_parse(&addr, "*:8080"), TUSK_OK);
    assert_string_equal(tusk_addr_host_text(&addr, text), "::");
    assert_int_equal(tusk_addr_port(&addr), 8080);
    assert_err(tusk_addr_from_host(&addr, "10.1.2.3", 7), TUSK_OK);
    assert_string_equal(tusk_addr_host_text(&addr, text), "10.1.2.3");
    assert_err(tusk_addr_from_host(&addr, "::ffff:10.1.2.3", 7), TUSK_OK); /* as accepted on "*" */
    assert_string_equal(tusk_addr_host_text(&addr, text), "10.1.2.3");
    assert_string_equal(tusk_addr_text(&addr, text), "10.1.2.3:7");
    assert_err(tusk_addr_from_host(&addr, "unix:/a/b", 7), TUSK_OK);
    assert_string_equal(tusk_addr_host_text(&addr, text), "unix");
    assert_int_equal(tusk_addr_port(&addr), 0);
}

static void what_is_no_address_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        ":",
                                        ":80",
                                        "127.0.0.1",
                                        "127.0.0.1:",
                                        "127.0.0.1:x",
                                        "127.0.0.1:65536",
                                        "127.0.0.1:-1",
                                        "127.0.0.1: 80",
                                        "127.0.0.1:080000",
                                        "::1:80",
                                        "[::1:80",
                                        "[::1]80",
                                        "[]:80",
                                        "[:80",
                                        "host:80",
                                        "256.0.0.1:1",
                                        "unix:",
                                        "[unix:/x]:80",
                                        "[127.0.0.1:80"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tusk_addr addr;
        if (tusk_addr_parse(&addr, texts[i]) != TUSK_EINVAL) {
            fail_msg("\"%s\" was taken", texts[i]);
        }
    }
}

static void a_peer_is_an_ip_address_with_or_without_a_port(void **state)
{
    (void)state;
    static const char *const good[][2] = {
        {"192.0.2.1", "192.0.2.1"},
        {"192.0.2.1:80", "192.0.2.1"},
        {"2001:db8::1", "2001:db8::1"},
        {"[2001:db8::1]", "2001:db8::1"},
        {"[2001:db8::1]:65535", "2001:db8::1"},
        {"[192.0.2.1]", "192.0.2.1"},
    };
    static const char *const bad[] = {
        "",     "*",         "*:80",         "[*]:80",       "unix:/x",
        "[]",   "[unix:/x]", "[unix:/x]:80", "host",         "host:80",
        "[::1", "::1]",      "1.2.3.4:",     "1.2.3.4:65536"};
    tusk_addr addr;
    char text[TUSK_ADDR_TEXT_MAX];
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_err(tusk_addr_parse_ip(&addr, tusk_bytes_str(good[i][0])), TUSK_OK);
        assert_string_equal(tusk_addr_host_text(&addr, text), good[i][1]);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (tusk_addr_parse_ip(&addr, tusk_bytes_str(bad[i])) != TUSK_EINVAL) {
            fail_msg("\"%s\" was taken", bad[i]);
        }
    }
    char longer[200];
    memset(longer, '1', sizeof(longer));
    assert_err(tusk_addr_parse_ip(&addr, tusk_bytes_of(longer, sizeof(longer))), TUSK_EINVAL);
}

static void long_texts_are_refused_not_cut(void **state)
{
    (void)state;
    char text[300];
    tusk_addr addr;
    memset(text, '1', sizeof(text));
    memcpy(text + 200, ":80", 4);
    assert_err(tusk_addr_parse(&addr, text), TUSK_EINVAL);
    memset(text, 'x', sizeof(text));
    memcpy(text, "unix:/", 6);
    text[5 + 108] = '\0'; /* one byte more than a Unix address holds */
    assert_err(tusk_addr_parse(&addr, text), TUSK_EINVAL);
    text[5 + 107] = '\0';
    assert_err(tusk_addr_parse(&addr, text), TUSK_OK);
    char back[TUSK_ADDR_TEXT_MAX];
    assert_string_equal(tusk_addr_text(&addr, back), text);
}

static bool same_key(const char *a, const char *b)
{
    tusk_addr first;
    tusk_addr second;
    assert_err(tusk_addr_from_host(&first, a, 1), TUSK_OK);
    assert_err(tusk_addr_from_host(&second, b, 2), TUSK_OK);
    tusk_addr_key x = tusk_addr_key_of(&first);
    tusk_addr_key y = tusk_addr_key_of(&second);
    return memcmp(&x, &y, sizeof(x)) == 0;
}

static void limits_count_ipv4_whole_and_ipv6_by_its_network(void **state)
{
    (void)state;
    assert_true(same_key("10.0.0.1", "10.0.0.1"));
    assert_true(same_key("10.0.0.1", "::ffff:10.0.0.1"));
    assert_false(same_key("10.0.0.1", "10.0.0.2"));
    assert_true(same_key("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"));
    assert_false(same_key("2001:db8:1:2::1", "2001:db8:1:3::1"));
    assert_false(same_key("10.0.0.1", "a00:1::"));
    assert_true(same_key("unix:/a", "unix:/b"));
}

static void loopback_is_known_in_every_family(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        bool is;
    } cases[] = {
        {"127.0.0.1", true}, {"127.9.9.9", true},       {"::1", true}, {"::ffff:127.0.0.1", true},
        {"unix:/a", true},   {"10.0.0.1", false},       {"::", false}, {"0.0.0.0", false},
        {"::2", false},      {"::ffff:10.0.0.1", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_addr addr;
        assert_err(tusk_addr_from_host(&addr, cases[i].host, 0), TUSK_OK);
        assert_true(tusk_addr_is_loopback(&addr) == cases[i].is);
    }
}

static void numbers_resolve_without_asking_anybody(void **state)
{
    (void)state;
    tusk_addr addrs[4];
    assert_int_equal(tusk_addr_resolve(addrs, 4, "::1", 80), 1);
    assert_int_equal(tusk_addr_port(&addrs[0]), 80);
    assert_true(tusk_addr_resolve(addrs, 4, "localhost", 81) >= 1);
    assert_true(tusk_addr_is_loopback(&addrs[0]));
    assert_int_equal(tusk_addr_port(&addrs[0]), 81);
    assert_true(tusk_addr_resolve(addrs, 4, "no such host", 80) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_parsed_is_written_the_same),
        cmocka_unit_test(hosts_and_ports_come_apart),
        cmocka_unit_test(what_is_no_address_is_refused),
        cmocka_unit_test(a_peer_is_an_ip_address_with_or_without_a_port),
        cmocka_unit_test(long_texts_are_refused_not_cut),
        cmocka_unit_test(limits_count_ipv4_whole_and_ipv6_by_its_network),
        cmocka_unit_test(loopback_is_known_in_every_family),
        cmocka_unit_test(numbers_resolve_without_asking_anybody),
    };
    return cmocka_run_group_tests_name("net/addr", tests, NULL, NULL);
}
