/* SPDX-License-Identifier: MIT */
/* What a request names on its way through the HTTP proxy: targets untouched, hosts as they came for
 * the backend and in one spelling for the resolver. */
#include "http_rig.h"

typedef struct named {
    const char *sent;
    const char *arrives; /* NULL: as it was sent */
    const char *host, *path;
} named;

static void expect_named(const named *self)
{
    r.ask_count = 0;
    int client = rig_client();
    rig_send(client, self->sent);
    int backend = rig_accept(h.listener);
    rig_expect(backend, self->arrives == NULL ? self->sent : self->arrives);
    assert_int_equal(r.ask_count, 1);
    assert_string_equal(r.asked[0][TUSK_LOOKUP_HOST], self->host);
    assert_string_equal(r.asked[0][TUSK_LOOKUP_PATH], self->path);
    (void)close(client);
    (void)close(backend);
    rig_until(rig_stats().active == 0 && http_stats().lines == 0);
}

static void a_target_is_not_decoded_and_not_tidied_up(void **state)
{
    static const named cases[] = {
        {"GET /a%2Fb/%2e%2e//./c?q=%20&x=/../ HTTP/1.1\r\nHost: a\r\n\r\n", NULL, "a",
         "/a%2Fb/%2e%2e//./c"},
        {"GET /%C3%BC%c3%bc?a=b%26c HTTP/1.1\r\nHost: a\r\n\r\n", NULL, "a", "/%C3%BC%c3%bc"},
        {"GET /? HTTP/1.1\r\nHost: a\r\n\r\n", NULL, "a", "/"},
    };
    (void)state;
    r.fields = 1u << TUSK_LOOKUP_HOST | 1u << TUSK_LOOKUP_PATH;
    rig_start();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect_named(&cases[i]);
    }
}

static void hosts_have_one_spelling_for_the_resolver_alone(void **state)
{
    static const named cases[] = {
        {"GET /1 HTTP/1.1\r\nHost: Shop.Example:81\r\n\r\n", NULL, "shop.example", "/1"},
        {"GET /2 HTTP/1.1\r\nHost: [2001:DB8::1]:443\r\n\r\n", NULL, "2001:db8::1", "/2"},
        {"GET /3 HTTP/1.1\r\nHost: [::1]\r\n\r\n", NULL, "::1", "/3"},
        {"GET /4 HTTP/1.1\r\nhost:\tshop.example \r\n\r\n",
         "GET /4 HTTP/1.1\r\nHost: shop.example\r\n\r\n", "shop.example", "/4"},
    };
    (void)state;
    r.fields = 1u << TUSK_LOOKUP_HOST | 1u << TUSK_LOOKUP_PATH;
    rig_start();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect_named(&cases[i]);
    }
}

/* RFC 9112, 3.2.2: the authority of the target counts, whatever Host says. */
static void an_absolute_target_goes_before_host(void **state)
{
    static const named cases[] = {
        {"GET http://Real.example:8080/p?q HTTP/1.1\r\nHost: real.example:8080\r\n\r\n",
         "GET /p?q HTTP/1.1\r\nHost: Real.example:8080\r\n\r\n", "real.example", "/p"},
        {"GET http://[2001:db8::2] HTTP/1.1\r\nHost: [2001:db8::2]\r\n\r\n",
         "GET / HTTP/1.1\r\nHost: [2001:db8::2]\r\n\r\n", "2001:db8::2", "/"},
        {"GET http://real.example/x HTTP/1.1\r\nHost: other.example\r\n\r\n",
         "GET /x HTTP/1.1\r\nHost: real.example\r\n\r\n", "real.example", "/x"},
    };
    (void)state;
    r.fields = 1u << TUSK_LOOKUP_HOST | 1u << TUSK_LOOKUP_PATH;
    rig_start();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect_named(&cases[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        http_test(a_target_is_not_decoded_and_not_tidied_up),
        http_test(hosts_have_one_spelling_for_the_resolver_alone),
        http_test(an_absolute_target_goes_before_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
