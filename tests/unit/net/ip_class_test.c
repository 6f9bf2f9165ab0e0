/* SPDX-License-Identifier: MIT */
/* Which addresses are public: the edges of every special range of IANA's registries, ranges as
 * text, and policies over both. */
#include <arpa/inet.h>

#include "test.h"

#include "net/ip_class.h"

static uint8_t read_ip(uint8_t ip[16], const char *text)
{
    memset(ip, 0, 16);
    if (inet_pton(AF_INET, text, ip) == 1) {
        return 4;
    }
    if (inet_pton(AF_INET6, text, ip) != 1) {
        fail_msg("no address: %s", text);
    }
    return 6;
}

static const char *special(const char *text)
{
    uint8_t ip[16];
    uint8_t family = read_ip(ip, text);
    return tusk_ip_special(family, ip);
}

static void expect_special(const char *text, const char *part)
{
    const char *name = special(text);
    if (part == NULL ? name != NULL : name == NULL || strstr(name, part) == NULL) {
        fail_msg("%s is %s, not %s", text, name == NULL ? "public" : name,
                 part == NULL ? "public" : part);
    }
}

/* First and last address of a range, and its neighbours (NULL: public; "": another range, or none).
 */
static void the_edges_of_every_special_range_are_known(void **state)
{
    static const struct {
        const char *name, *before, *before_is, *first, *last, *after, *after_is;
    } rows[] = {
        {"this network", NULL, NULL, "0.0.0.0", "0.255.255.255", "1.0.0.0", NULL},
        {"(10.0.0.0/8)", "9.255.255.255", NULL, "10.0.0.0", "10.255.255.255", "11.0.0.0", NULL},
        {"(100.64.0.0/10)", "100.63.255.255", NULL, "100.64.0.0", "100.127.255.255", "100.128.0.0",
         NULL},
        {"(127.0.0.0/8)", "126.255.255.255", NULL, "127.0.0.0", "127.255.255.255", "128.0.0.0",
         NULL},
        {"(169.254.0.0/16)", "169.253.255.255", NULL, "169.254.0.0", "169.254.255.255",
         "169.255.0.0", NULL},
        {"(172.16.0.0/12)", "172.15.255.255", NULL, "172.16.0.0", "172.31.255.255", "172.32.0.0",
         NULL},
        {"(192.0.0.0/24)", "191.255.255.255", NULL, "192.0.0.0", "192.0.0.255", "192.0.1.0", NULL},
        {"(192.0.2.0/24)", "192.0.1.255", NULL, "192.0.2.0", "192.0.2.255", "192.0.3.0", NULL},
        {"(192.88.99.0/24)", "192.88.98.255", NULL, "192.88.99.0", "192.88.99.255", "192.88.100.0",
         NULL},
        {"(192.168.0.0/16)", "192.167.255.255", NULL, "192.168.0.0", "192.168.255.255",
         "192.169.0.0", NULL},
        {"(198.18.0.0/15)", "198.17.255.255", NULL, "198.18.0.0", "198.19.255.255", "198.20.0.0",
         NULL},
        {"(198.51.100.0/24)", "198.51.99.255", NULL, "198.51.100.0", "198.51.100.255",
         "198.51.101.0", NULL},
        {"(203.0.113.0/24)", "203.0.112.255", NULL, "203.0.113.0", "203.0.113.255", "203.0.114.0",
         NULL},
        {"(224.0.0.0/4)", "223.255.255.255", NULL, "224.0.0.0", "239.255.255.255", "240.0.0.0",
         "(240.0.0.0/4)"},
        {"(240.0.0.0/4)", "239.255.255.255", "(224.0.0.0/4)", "240.0.0.0", "255.255.255.254",
         "255.255.255.255", "broadcast"},
        {"unspecified", NULL, NULL, "::", "::", "::1", "loopback"},
        {"loopback", NULL, NULL, "::1", "::1", "::2", "IPv4-compatible"},
        {"IPv4-compatible", "::1", "loopback", "::2", "::255.255.255.255", "::1:0:0", "reserved"},
        {"(::ffff:0:0:0/96)", "::fffe:ffff:ffff:ffff", "reserved", "::ffff:0:0:0",
         "::ffff:0:ffff:ffff", "::ffff:1:0:0", "reserved"},
        {"(64:ff9b::/96)", "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", "reserved",
         "64:ff9b::", "64:ff9b::ffff:ffff", "64:ff9b::1:0:0", "reserved"},
        {"(64:ff9b:1::/48)", "64:ff9b:0:ffff:ffff:ffff:ffff:ffff", "reserved",
         "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "64:ff9b:2::", "reserved"},
        {"(100::/64)", "ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved",
         "100::", "100::ffff:ffff:ffff:ffff", "100:0:0:1::", "(100:0:0:1::/64)"},
        {"(100:0:0:1::/64)", NULL, NULL, "100:0:0:1::", "100::1:ffff:ffff:ffff:ffff",
         "100:0:0:2::", "reserved"},
        {"Teredo", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL,
         "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "2001:1::", "(2001::/23)"},
        {"(2001:2::/48)", "2001:1:ffff:ffff:ffff:ffff:ffff:ffff", "(2001::/23)",
         "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", "2001:2:1::", "(2001::/23)"},
        {"(2001:10::/28)", "2001:f:ffff::", "(2001::/23)",
         "2001:10::", "2001:1f:ffff::", "2001:20::", "(2001:20::/28)"},
        {"(2001:20::/28)", NULL, NULL, "2001:20::", "2001:2f:ffff::", "2001:30::", "(2001::/23)"},
        {"(2001::/23)", NULL, NULL, "2001:30::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
         "2001:200::", NULL},
        {"(2001:db8::/32)", "2001:db7:ffff::", NULL,
         "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::", NULL},
        {"(2002::/16)", "2001:ffff::", NULL, "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
         "2003::", NULL},
        {"(3fff::/20)", "3ffe:ffff::", NULL, "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
         "3fff:1000::", NULL},
        {"reserved", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL,
         "4000::", "5eff:ffff::", "5f00::", "(5f00::/16)"},
        {"(5f00::/16)", NULL, NULL, "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
         "5f01::", "reserved"},
        {"(fc00::/7)", "fbff:ffff::", "reserved",
         "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe00::", "reserved"},
        {"(fe80::/10)", "fe7f:ffff::", "reserved",
         "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fec0::", "(fec0::/10)"},
        {"(fec0::/10)", NULL, NULL, "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
         "ff00::", "(ff00::/8)"},
        {"(ff00::/8)", NULL, NULL, "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        expect_special(rows[i].first, rows[i].name);
        expect_special(rows[i].last, rows[i].name);
        if (rows[i].before != NULL) {
            expect_special(rows[i].before, rows[i].before_is);
        }
        if (rows[i].after != NULL) {
            expect_special(rows[i].after, rows[i].after_is);
        }
    }
}

static void public_addresses_are_public_and_mapped_ones_are_what_they_map(void **state)
{
    static const char *const open[] = {
        "8.8.8.8",           "1.1.1.1", "::ffff:8.8.8.8", "2606:4700::1111",
        "2a00:1450:4001::1", "2000::",  "192.31.196.1",   "2620:4f:8000::1"};
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
        expect_special(open[i], NULL);
    }
    expect_special("::ffff:10.1.2.3", "(10.0.0.0/8)");
    expect_special("::ffff:127.0.0.1", "(127.0.0.0/8)");
    expect_special("::ffff:169.254.169.254", "(169.254.0.0/16)");
}

static void ranges_are_read_to_the_letter(void **state)
{
    static const struct {
        const char *text;
        int bits; /* -1: none */
    } cases[] = {
        {"10.0.0.0/8", 8},
        {"10.1.2.3", 32},
        {"0.0.0.0/0", 0},
        {"::/0", 0},
        {"fd00::/8", 8},
        {"fd00::", 128},
        {"::1/128", 128},
        {"10.0.0.0/32", 32},
        {"10.0.0.0/33", -1},
        {"::/129", -1},
        {"10.0.0.0/", -1},
        {"10.0.0.0/08", -1},
        {"10.0.0.0/-1", -1},
        {"10.0.0.0/8 ", -1},
        {"10.0.0.1/8", -1},
        {"fd00::1/64", -1},
        {"/8", -1},
        {"", -1},
        {"10/8", -1},
        {"10.0.0.0/8/8", -1},
        {"name/8", -1},
        {"fe80::1%eth0", -1},
        {"10.0.0.0/+8", -1},
        {"0.0.0.0/00", -1},
        {"128.0.0.0/1", 1},
        {"192.0.0.0/1", -1},
        {"::/256", -1},
        {"10.0.0.0/0008", -1},
        {"::ffff:10.0.0.1", 32},
        {"::ffff:10.0.0.0/104", 8},
        {"::ffff:0:0/96", 0},
        {"::ffff:0:0/95", -1},
        {"::/80", 80},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tusk_ip_range range;
        tusk_bytes text = test_guarded_str(cases[i].text);
        tusk_err err = tusk_ip_range_parse(&range, text);
        if (err != (cases[i].bits < 0 ? TUSK_EINVAL : TUSK_OK) ||
            (err == TUSK_OK && range.bits != cases[i].bits)) {
            fail_msg("%s: %s, %d bits", cases[i].text, tusk_err_name(err), range.bits);
        }
        test_guarded_free((uint8_t *)(uintptr_t)text.ptr, text.len);
    }
}

static bool range_has(const char *range_text, const char *ip_text)
{
    tusk_ip_range range;
    uint8_t ip[16];
    uint8_t family = read_ip(ip, ip_text);
    assert_err(tusk_ip_range_parse(&range, tusk_bytes_str(range_text)), TUSK_OK);
    return tusk_ip_range_has(&range, family, ip);
}

static void a_range_has_its_addresses_and_no_other_familys(void **state)
{
    assert_true(range_has("10.0.0.0/8", "10.255.0.1"));
    assert_false(range_has("10.0.0.0/8", "11.0.0.0"));
    assert_true(range_has("0.0.0.0/0", "255.255.255.255"));
    assert_false(range_has("0.0.0.0/0", "::1"));
    assert_true(range_has("::/0", "fe80::1"));
    assert_false(range_has("::/0", "127.0.0.1"));
    assert_true(range_has("192.0.2.1", "192.0.2.1"));
    assert_false(range_has("192.0.2.1", "192.0.2.0"));
    assert_true(range_has("172.16.0.0/12", "172.31.0.1"));
    assert_false(range_has("172.16.0.0/12", "172.32.0.1"));
    assert_true(range_has("2001:db8:8000::/33", "2001:db8:ffff::"));
    assert_false(range_has("2001:db8:8000::/33", "2001:db8:7fff::"));
}

/* What the policy says of an address: part of the text, NULL when it may be connected to. */
static void expect_refusal(const tusk_ip_policy *policy, const char *text, const char *part)
{
    uint8_t ip[16];
    uint8_t family = read_ip(ip, text);
    const char *why = tusk_ip_refusal(policy, family, ip);
    if (part == NULL ? why != NULL : why == NULL || strstr(why, part) == NULL) {
        fail_msg("%s: %s, not %s", text, why == NULL ? "passes" : why,
                 part == NULL ? "passes" : part);
    }
}

static void allowed_ranges_come_first_then_denied_ones_then_what_is_not_public(void **state)
{
    tusk_ip_range allowed[2];
    tusk_ip_range denied[2];
    assert_err(tusk_ip_range_parse(&allowed[0], TEST_BYTES("10.1.0.0/16")), TUSK_OK);
    assert_err(tusk_ip_range_parse(&allowed[1], TEST_BYTES("::1")), TUSK_OK);
    assert_err(tusk_ip_range_parse(&denied[0], TEST_BYTES("10.0.0.0/8")), TUSK_OK);
    assert_err(tusk_ip_range_parse(&denied[1], TEST_BYTES("8.8.0.0/16")), TUSK_OK);
    tusk_ip_policy policy = {
        .allowed = allowed, .allowed_count = 2, .denied = denied, .denied_count = 2};
    expect_refusal(&policy, "10.1.2.3", NULL);
    expect_refusal(&policy, "::ffff:10.1.2.3", NULL);
    expect_refusal(&policy, "10.2.2.3", "denied");
    expect_refusal(&policy, "8.8.8.8", "denied");
    expect_refusal(&policy, "::ffff:8.8.8.8", "denied");
    expect_refusal(&policy, "8.9.8.8", NULL);
    expect_refusal(&policy, "::1", NULL);
    expect_refusal(&policy, "::2", "IPv4-compatible");
    expect_refusal(&policy, "127.0.0.1", "loopback");
    policy.any_address = true;
    expect_refusal(&policy, "127.0.0.1", NULL);
    expect_refusal(&policy, "10.2.2.3", "denied");
    tusk_ip_policy open = {.any_address = false};
    expect_refusal(&open, "10.1.2.3", "(10.0.0.0/8)");
    expect_refusal(&open, "1.2.3.4", NULL);
    uint8_t none[16] = {0};
    assert_non_null(tusk_ip_refusal(&open, 0, none)); /* a Unix path has no address to judge */
}

static void an_address_inside_an_address_must_pass_as_well(void **state)
{
    tusk_ip_range wrappers[4];
    const char *const texts[] = {"2002::/16", "64:ff9b::/96", "2001::/32", "::ffff:0:0:0/96"};
    tusk_ip_policy closed = {.any_address = false};
    for (size_t i = 0; i < 4; i++) {
        assert_err(tusk_ip_range_parse(&wrappers[i], tusk_bytes_str(texts[i])), TUSK_OK);
    }
    tusk_ip_policy open = {.allowed = wrappers, .allowed_count = 4};
    expect_refusal(&closed, "2002:808:808::1", "6to4");
    expect_refusal(&closed, "64:ff9b::8.8.8.8", "NAT64");
    expect_refusal(&open, "2002:808:808::1", NULL);
    expect_refusal(&open, "2002:a00:1::1", "(10.0.0.0/8)");
    expect_refusal(&open, "2002:7f00:1::1", "(127.0.0.0/8)");
    expect_refusal(&open, "64:ff9b::8.8.8.8", NULL);
    expect_refusal(&open, "64:ff9b::169.254.169.254", "(169.254.0.0/16)");
    expect_refusal(&open, "::ffff:0:192.168.0.1", "(192.168.0.0/16)");
    expect_refusal(&open, "2001:0:808:808:0:0:f7f7:f7f7", NULL); /* server and client 8.8.8.8 */
    expect_refusal(&open, "2001:0:a00:1:0:0:f7f7:f7f7", "(10.0.0.0/8)");
    expect_refusal(&open, "2001:0:808:808:0:0:80ff:fffe", "(127.0.0.0/8)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_edges_of_every_special_range_are_known),
        cmocka_unit_test(public_addresses_are_public_and_mapped_ones_are_what_they_map),
        cmocka_unit_test(ranges_are_read_to_the_letter),
        cmocka_unit_test(a_range_has_its_addresses_and_no_other_familys),
        cmocka_unit_test(allowed_ranges_come_first_then_denied_ones_then_what_is_not_public),
        cmocka_unit_test(an_address_inside_an_address_must_pass_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
