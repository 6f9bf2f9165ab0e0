/* SPDX-License-Identifier: MIT */
/* Dates of HTTP: written in the one form, read in all three, with the C library as the judge. */
#define _DEFAULT_SOURCE
#include <time.h>

#include "test.h"

#include <tusk/http.h>

static void dates_are_written_as_the_c_library_does(void **state)
{
    uint64_t seed = 7;
    for (int i = 0; i < 100000; i++) {
        /* 1900 to 2200, and each first second of a day. */
        int64_t at = (int64_t)(test_random(&seed) % 9467020800) - 2208988800;
        at -= i % 3 == 0 ? at % 86400 : 0;
        char ours[30] = {0};
        char theirs[64];
        time_t when = (time_t)at;
        struct tm tm;
        tusk_http_date(ours, at);
        assert_non_null(gmtime_r(&when, &tm));
        assert_int_equal(strftime(theirs, sizeof(theirs), "%a, %d %b %Y %H:%M:%S GMT", &tm), 29);
        assert_string_equal(ours, theirs);
        int64_t back;
        assert_true(tusk_http_date_parse(tusk_bytes_of(ours, 29), 0, &back));
        assert_true(back == at);
    }
}

static void years_without_a_form_are_clamped(void **state)
{
    char out[30] = {0};
    tusk_http_date(out, INT64_MAX);
    assert_string_equal(out, "Fri, 31 Dec 9999 23:59:59 GMT");
    tusk_http_date(out, INT64_MIN);
    assert_string_equal(out, "Sat, 01 Jan 0000 00:00:00 GMT");
    tusk_http_date(out, -1);
    assert_string_equal(out, "Wed, 31 Dec 1969 23:59:59 GMT");
}

static void all_three_forms_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t at;
    } cases[] = {
        {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777}, {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
        {"Sun Nov  6 08:49:37 1994", 784111777},      {"Sun Nov 16 08:49:37 1994", 784975777},
        {"Tue, 29 Feb 2000 00:00:00 GMT", 951782400}, {"Sat, 31 Dec 2016 23:59:60 GMT", 1483228800},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t at = -1;
        tusk_bytes in = test_guarded_str(cases[i].text);
        if (!tusk_http_date_parse(in, 784111777, &at) || at != cases[i].at) {
            fail_msg("%s: %lld", cases[i].text, (long long)at);
        }
    }
}

/* RFC 9110, 5.6.7: what would be more than fifty years ahead is the last such year behind. */
static void years_of_two_digits_are_those_around_now(void **state)
{
    enum { Y2026 = 1795867200, Y1994 = 784111777 }; /* 28 November 2026, 6 November 1994 */
    static const struct {
        const char *text;
        int64_t now;
        const char *meant;
    } cases[] = {
        {"Tuesday, 31-Dec-69 23:59:59 GMT", Y2026, "Tue, 31 Dec 2069 23:59:59 GMT"},
        {"Thursday, 01-Jan-70 00:00:00 GMT", Y2026, "Wed, 01 Jan 2070 00:00:00 GMT"},
        {"Saturday, 28-Nov-76 12:00:00 GMT", Y2026, "Sat, 28 Nov 2076 12:00:00 GMT"},
        {"Saturday, 28-Nov-76 12:00:01 GMT", Y2026, "Sun, 28 Nov 1976 12:00:01 GMT"},
        {"Friday, 01-Jan-99 00:00:00 GMT", Y2026, "Fri, 01 Jan 1999 00:00:00 GMT"},
        {"Friday, 01-Jan-43 00:00:00 GMT", Y1994, "Thu, 01 Jan 2043 00:00:00 GMT"},
        {"Friday, 01-Jan-45 00:00:00 GMT", Y1994, "Mon, 01 Jan 1945 00:00:00 GMT"},
        {"Tuesday, 29-Feb-00 00:00:00 GMT", Y2026, "Tue, 29 Feb 2000 00:00:00 GMT"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t at = -1;
        char text[30] = "";
        assert_true(tusk_http_date_parse(test_guarded_str(cases[i].text), cases[i].now, &at));
        tusk_http_date(text, at);
        assert_string_equal(text, cases[i].meant);
    }
}

static void what_is_no_date_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "Sun",
                                        "Sun, 06 Nov 1994 08:49:37",
                                        "Sun, 06 Nov 1994 08:49:37 GMT ",
                                        "Sun, 6 Nov 1994 08:49:37 GMT",
                                        "sun, 06 Nov 1994 08:49:37 GMT",
                                        "Sun, 06 nov 1994 08:49:37 GMT",
                                        "Sun, 06 Nov 1994 24:00:00 GMT",
                                        "Sun, 06 Nov 1994 08:60:37 GMT",
                                        "Sun, 06 Nov 1994 08:49:61 GMT",
                                        "Sun, 00 Nov 1994 08:49:37 GMT",
                                        "Sun, 31 Nov 1994 08:49:37 GMT",
                                        "Sun, 29 Feb 1900 08:49:37 GMT",
                                        "Sun, 06 Nov 1994 08:49:37 UTC",
                                        "Sun, 06 Nov 1994 08:49:37 +0000",
                                        "Sun 06 Nov 1994 08:49:37 GMT",
                                        "Xyz, 06 Nov 1994 08:49:37 GMT",
                                        "Sun, 06-Nov-94 08:49:37 GMT",
                                        "Sunday, 06-Nov-1994 08:49:37 GMT",
                                        "Sun Nov 6 08:49:37 1994",
                                        "Sun, -6 Nov 1994 08:49:37 GMT",
                                        "784111777",
                                        "Sun, 06 Nov 1994 08:49:37 GxT"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        int64_t at;
        if (tusk_http_date_parse(test_guarded_str(texts[i]), 0, &at)) {
            fail_msg("taken for a date: %s", texts[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_written_as_the_c_library_does),
        cmocka_unit_test(years_without_a_form_are_clamped),
        cmocka_unit_test(all_three_forms_are_read),
        cmocka_unit_test(years_of_two_digits_are_those_around_now),
        cmocka_unit_test(what_is_no_date_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
