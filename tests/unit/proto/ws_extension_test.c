/* SPDX-License-Identifier: MIT */
/* permessage-deflate's negotiation: offers and what they are answered (RFC 7692, 5.1 and 7.1). */
#include "test.h"

#include <tusk/ws.h>

#define NAME "permessage-deflate"
#define PLAIN NAME "; server_no_context_takeover; client_no_context_takeover"

static const tusk_ws_deflate_options defaults = {.on = true,
                                                 .server_max_window_bits = 15,
                                                 .client_max_window_bits = 15,
                                                 .level = 1,
                                                 .mem_level = 8};
#ifdef TUSK_HAVE_ZLIB
static const tusk_ws_deflate_options keeping = {.on = true,
                                                .server_context_takeover = true,
                                                .client_context_takeover = true,
                                                .server_max_window_bits = 15,
                                                .client_max_window_bits = 15};
static const tusk_ws_deflate_options small = {.on = true,
                                              .server_context_takeover = true,
                                              .client_context_takeover = true,
                                              .server_max_window_bits = 10,
                                              .client_max_window_bits = 11};
#endif

/* A head with one field per text; the values end at a page's end. */
static void head_of(tusk_http_head *head, const char *const *values, size_t count)
{
    memset(head, 0, sizeof(*head));
    for (size_t i = 0; i < count; i++) {
        head->fields[head->field_count++] =
            (tusk_http_field){tusk_bytes_str("X-Other"), tusk_bytes_str("a, b; c=\"d")};
        head->fields[head->field_count++] = (tusk_http_field){
            tusk_bytes_str("sec-websocket-EXTENSIONS"), test_guarded_str(values[i])};
    }
}

static tusk_err accept(const tusk_ws_deflate_options *options, const char *offer,
                       const char *second, tusk_ws_deflate *agreed, char answer[200])
{
    tusk_http_head *head = malloc(sizeof(*head));
    const char *values[2] = {offer, second};
    head_of(head, values, second == NULL ? 1 : 2);
    tusk_err err = tusk_ws_deflate_accept(agreed, options, head, answer, 200);
    assert_int_equal(agreed->on, answer[0] != '\0');
    free(head);
    return err;
}

static void answers(const tusk_ws_deflate_options *options, const char *offer, const char *expected)
{
    tusk_ws_deflate agreed;
    char answer[200];
    assert_err(accept(options, offer, NULL, &agreed, answer), TUSK_OK);
    if (strcmp(answer, expected) != 0) {
        fail_msg("'%s' is answered '%s' instead of '%s'", offer, answer, expected);
    }
}

#ifdef TUSK_HAVE_ZLIB
static void a_plain_offer_is_answered_with_what_we_want(void **state)
{
    answers(&defaults, NAME, PLAIN);
    answers(&keeping, NAME, NAME);
    answers(&defaults, "PerMessage-Deflate", PLAIN);
    answers(&small, NAME, NAME); /* not offered: no window may be asked of the client */
}

static void no_context_takeover_is_echoed(void **state)
{
    answers(&keeping, NAME "; server_no_context_takeover", NAME "; server_no_context_takeover");
    answers(&keeping, NAME ";client_no_context_takeover", NAME "; client_no_context_takeover");
    answers(&keeping, NAME "; client_no_context_takeover ; server_no_context_takeover", PLAIN);
}

static void windows_are_answered_with_the_smaller_one(void **state)
{
    answers(&keeping, NAME "; server_max_window_bits=15", NAME "; server_max_window_bits=15");
    answers(&keeping, NAME "; server_max_window_bits=9", NAME "; server_max_window_bits=9");
    answers(&keeping, NAME "; server_max_window_bits=\"12\"", NAME "; server_max_window_bits=12");
    answers(&keeping, NAME "; server_max_window_bits=\"1\\2\"", NAME "; server_max_window_bits=12");
    answers(&small, NAME "; server_max_window_bits=12", NAME "; server_max_window_bits=10");
    answers(&small, NAME "; server_max_window_bits=9", NAME "; server_max_window_bits=9");
    answers(&keeping, NAME "; client_max_window_bits", NAME);
    answers(&small, NAME "; client_max_window_bits", NAME "; client_max_window_bits=11");
    answers(&small, NAME "; client_max_window_bits=15", NAME "; client_max_window_bits=11");
    answers(&small, NAME "; client_max_window_bits=9", NAME "; client_max_window_bits=9");
    answers(&keeping, NAME "; client_max_window_bits=8", NAME "; client_max_window_bits=8");
    answers(&small, NAME "; client_max_window_bits; server_max_window_bits=14",
            NAME "; server_max_window_bits=10; client_max_window_bits=11");
}

static void what_was_agreed_is_told(void **state)
{
    tusk_ws_deflate agreed;
    char answer[200];
    assert_err(accept(&small, NAME "; client_max_window_bits=9; server_max_window_bits=12", NULL,
                      &agreed, answer),
               TUSK_OK);
    assert_true(agreed.on);
    assert_false(agreed.server_no_context_takeover);
    assert_false(agreed.client_no_context_takeover);
    assert_int_equal(agreed.server_max_window_bits, 10);
    assert_int_equal(agreed.client_max_window_bits, 9);
    assert_err(accept(&defaults, NAME, NULL, &agreed, answer), TUSK_OK);
    assert_true(agreed.server_no_context_takeover && agreed.client_no_context_takeover);
    assert_int_equal(agreed.server_max_window_bits, 15);
    assert_int_equal(agreed.client_max_window_bits, 15);
    assert_err(accept(&small, NAME, NULL, &agreed, answer), TUSK_OK);
    assert_int_equal(agreed.client_max_window_bits, 15); /* it does not know the parameter */
    assert_int_equal(agreed.server_max_window_bits, 10); /* we may always use less */
}

static const char *const invalid_params[] = {
    "unknown",
    "unknown=1",
    "server_no_context_takeover=1",
    "server_no_context_takeover=\"true\"",
    "client_no_context_takeover=false",
    "server_no_context_takeover; server_no_context_takeover",
    "client_no_context_takeover; client_no_context_takeover",
    "server_max_window_bits",
    "server_max_window_bits=7",
    "server_max_window_bits=16",
    "server_max_window_bits=0",
    "server_max_window_bits=08",
    "server_max_window_bits=010",
    "server_max_window_bits=1",
    "server_max_window_bits=100",
    "server_max_window_bits=1x",
    "server_max_window_bits=1.",
    "client_max_window_bits=1-",
    "server_max_window_bits=+9",
    "server_max_window_bits=-9",
    "server_max_window_bits=10; server_max_window_bits=10",
    "client_max_window_bits=7",
    "client_max_window_bits=16",
    "client_max_window_bits=09",
    "client_max_window_bits=x",
    "client_max_window_bits; client_max_window_bits",
    "client_max_window_bits=10; client_max_window_bits",
    "server_max_window_bits="
    "99999999999999999999999999999999999999999999999999999999999999999999999",
};

static void an_invalid_offer_is_declined_and_the_next_one_taken(void **state)
{
    for (size_t i = 0; i < sizeof(invalid_params) / sizeof(invalid_params[0]); i++) {
        char offer[300];
        (void)snprintf(offer, sizeof(offer), NAME "; %s", invalid_params[i]);
        answers(&defaults, offer, "");
        (void)snprintf(offer, sizeof(offer), NAME "; %s, " NAME, invalid_params[i]);
        answers(&defaults, offer, PLAIN);
    }
    answers(&keeping, NAME "; server_max_window_bits=8", NAME "; server_max_window_bits=8");
    answers(&keeping, NAME "; server_max_window_bits=7, " NAME "; server_max_window_bits=8",
            NAME "; server_max_window_bits=8");
    answers(&keeping,
            "x-mux; server_max_window_bits=9, " NAME ", " NAME "; server_max_window_bits=9", NAME);
    answers(&keeping, "permessage-bzip2, x-webkit-deflate-frame", "");
}

static void offers_in_several_fields_are_one_list(void **state)
{
    tusk_ws_deflate agreed;
    char answer[200];
    assert_err(accept(&keeping, "x-mux", NAME "; server_max_window_bits=11", &agreed, answer),
               TUSK_OK);
    assert_string_equal(answer, NAME "; server_max_window_bits=11");
    assert_err(accept(&keeping, NAME, "x-mux; ?", &agreed, answer), TUSK_EPROTO);
}

static void an_answer_that_does_not_fit_agrees_to_nothing(void **state)
{
    tusk_ws_deflate agreed;
    tusk_http_head *head = malloc(sizeof(*head));
    const char *offer = NAME;
    char answer[100];
    head_of(head, &offer, 1);
    for (size_t cap = 0; cap <= sizeof(PLAIN) - 1; cap++) {
        char *place = malloc(cap); /* a byte behind it is nobody's */
        assert_err(tusk_ws_deflate_accept(&agreed, &defaults, head, place, cap), TUSK_EINVAL);
        assert_false(agreed.on);
        free(place);
    }
    assert_err(tusk_ws_deflate_accept(&agreed, &defaults, head, answer, sizeof(PLAIN)), TUSK_OK);
    assert_string_equal(answer, PLAIN);
    free(head);
}
#endif

static void a_malformed_header_is_an_error_and_agrees_to_nothing(void **state)
{
    static const char *bad[] = {"",
                                ",",
                                ", ,",
                                ";",
                                "=",
                                NAME ";",
                                NAME "; ;",
                                NAME "; =1",
                                NAME "; a=",
                                NAME "; a=\"",
                                NAME "; a=\"\"",
                                NAME "; a=\"b",
                                NAME "; a=\"b\\",
                                NAME "; a=\"b c\"",
                                NAME "; a=b=c",
                                NAME " x",
                                NAME "; a b",
                                NAME "/1",
                                NAME "; a=\"b\"c",
                                "\"" NAME "\"",
                                NAME "; a, b c",
                                NAME "; a=(b)",
                                NAME ", \x80",
                                NAME "; a==b"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tusk_ws_deflate agreed;
        char answer[200];
        tusk_err err = accept(&defaults, bad[i], NULL, &agreed, answer);
        if (err != TUSK_EPROTO || agreed.on) {
            fail_msg("'%s' is accepted", bad[i]);
        }
    }
}

static void nothing_is_agreed_when_it_is_off_or_not_asked_for(void **state)
{
    tusk_ws_deflate_options off = defaults;
    tusk_ws_deflate agreed;
    tusk_http_head *head = calloc(1, sizeof(*head));
    char answer[200];
    off.on = false;
    answers(&off, NAME, "");
    assert_err(tusk_ws_deflate_accept(&agreed, &defaults, head, answer, 200), TUSK_OK);
    assert_false(agreed.on);
    answer[0] = '?';
    assert_int_equal(tusk_ws_deflate_offer(&off, answer, 200), 0);
    assert_string_equal(answer, "");
    free(head);
}

#ifdef TUSK_HAVE_ZLIB
/* ---- client ---- */
static tusk_err confirm(const tusk_ws_deflate_options *options, const char *answer,
                        tusk_ws_deflate *agreed)
{
    tusk_http_head *head = malloc(sizeof(*head));
    head_of(head, &answer, 1);
    tusk_err err = tusk_ws_deflate_confirm(agreed, options, head);
    assert_int_equal(agreed->on, err == TUSK_OK);
    free(head);
    return err;
}

static void our_offer_says_what_we_want(void **state)
{
    char text[200];
    size_t len = tusk_ws_deflate_offer(&defaults, text, 200);
    assert_int_equal(len, strlen(text));
    assert_string_equal(text, PLAIN "; client_max_window_bits");
    (void)tusk_ws_deflate_offer(&keeping, text, 200);
    assert_string_equal(text, NAME "; client_max_window_bits");
    (void)tusk_ws_deflate_offer(&small, text, 200);
    assert_string_equal(text, NAME "; server_max_window_bits=10; client_max_window_bits=11");
    len = tusk_ws_deflate_offer(&small, text, 200);
    for (size_t cap = 0; cap <= len + 1; cap++) {
        char *place = malloc(cap);
        assert_int_equal(tusk_ws_deflate_offer(&small, place, cap), cap > len ? len : 0);
        free(place);
    }
}

/* What an option cannot have (zlib has no window of 8) is the largest. */
static void windows_that_no_option_can_have_are_the_largest(void **state)
{
    static const uint8_t impossible[] = {0, 8, 16};
    tusk_ws_deflate_options options = keeping;
    tusk_ws_deflate agreed;
    char text[200];
    for (size_t i = 0; i < sizeof(impossible); i++) {
        options.server_max_window_bits = options.client_max_window_bits = impossible[i];
        (void)tusk_ws_deflate_offer(&options, text, 200);
        assert_string_equal(text, NAME "; client_max_window_bits");
        answers(&options, NAME "; server_max_window_bits=15; client_max_window_bits",
                NAME "; server_max_window_bits=15");
        answers(&options, NAME "; client_max_window_bits=10", NAME "; client_max_window_bits=10");
        assert_err(confirm(&options, NAME "; client_max_window_bits=15", &agreed), TUSK_OK);
        assert_err(confirm(&options, NAME, &agreed), TUSK_OK);
        assert_int_equal(agreed.client_max_window_bits, 15);
    }
    options.server_max_window_bits = options.client_max_window_bits = 9;
    (void)tusk_ws_deflate_offer(&options, text, 200);
    assert_string_equal(text, NAME "; server_max_window_bits=9; client_max_window_bits=9");
    answers(&options, text, text);
}

static void an_answer_to_our_offer_is_confirmed(void **state)
{
    tusk_ws_deflate agreed;
    assert_err(confirm(&keeping, NAME, &agreed), TUSK_OK);
    assert_false(agreed.server_no_context_takeover || agreed.client_no_context_takeover);
    assert_int_equal(agreed.client_max_window_bits, 15);
    assert_err(
        confirm(&defaults, PLAIN "; client_max_window_bits=10; server_max_window_bits=8", &agreed),
        TUSK_OK);
    assert_true(agreed.server_no_context_takeover && agreed.client_no_context_takeover);
    assert_int_equal(agreed.client_max_window_bits, 10);
    assert_int_equal(agreed.server_max_window_bits, 8);
    assert_err(confirm(&defaults, NAME "; server_no_context_takeover", &agreed), TUSK_OK);
    assert_true(agreed.client_no_context_takeover); /* we said so, and keep to it */
    assert_err(confirm(&small, NAME "; server_max_window_bits=9", &agreed), TUSK_OK);
    assert_int_equal(agreed.client_max_window_bits, 11);
    assert_err(confirm(&keeping, NAME "; client_max_window_bits=8", &agreed), TUSK_OK);
    assert_int_equal(agreed.client_max_window_bits, 8);
    tusk_http_head *head = calloc(1, sizeof(*head));
    assert_err(tusk_ws_deflate_confirm(&agreed, &defaults, head), TUSK_OK); /* declined */
    assert_false(agreed.on);
    free(head);
}

static void an_answer_that_is_none_to_our_offer_is_refused(void **state)
{
    tusk_ws_deflate agreed;
    tusk_ws_deflate_options off = keeping;
    off.on = false;
    assert_err(confirm(&off, NAME, &agreed), TUSK_EPROTO);
    assert_err(confirm(&keeping, "x-mux", &agreed), TUSK_EPROTO);
    assert_err(confirm(&keeping, NAME ", " NAME, &agreed), TUSK_EPROTO);
    assert_err(confirm(&keeping, NAME ", x-mux", &agreed), TUSK_EPROTO);
    assert_err(confirm(&keeping, NAME "; a=\"", &agreed), TUSK_EPROTO);
    assert_err(confirm(&keeping, NAME ", x y", &agreed), TUSK_EPROTO);
    assert_err(confirm(&keeping, NAME ", =", &agreed), TUSK_EPROTO);
    assert_err(confirm(&keeping, NAME ", x; =", &agreed), TUSK_EPROTO);
    assert_err(confirm(&keeping, "", &agreed), TUSK_EPROTO);
    assert_err(confirm(&keeping, NAME "; client_max_window_bits", &agreed), TUSK_EPROTO);
    assert_err(
        confirm(&small, NAME "; server_max_window_bits=10; client_max_window_bits=12", &agreed),
        TUSK_EPROTO);
    assert_err(confirm(&small, NAME "; server_max_window_bits=11", &agreed), TUSK_EPROTO);
    assert_err(confirm(&small, NAME, &agreed), TUSK_EPROTO);    /* our window was ignored */
    assert_err(confirm(&defaults, NAME, &agreed), TUSK_EPROTO); /* so was our no_context_takeover */
    for (size_t i = 0; i < sizeof(invalid_params) / sizeof(invalid_params[0]); i++) {
        char answer[300];
        (void)snprintf(answer, sizeof(answer), NAME "; %s", invalid_params[i]);
        assert_err(confirm(&keeping, answer, &agreed), TUSK_EPROTO);
    }
}

/* What our client offers, our server answers, and our client confirms, both mean the same by it. */
static void both_our_sides_agree(void **state)
{
    const tusk_ws_deflate_options *all[] = {&defaults, &keeping, &small};
    for (size_t c = 0; c < 3; c++) {
        for (size_t s = 0; s < 3; s++) {
            char offer[200], answer[200];
            tusk_ws_deflate server, client;
            (void)tusk_ws_deflate_offer(all[c], offer, sizeof(offer));
            assert_err(accept(all[s], offer, NULL, &server, answer), TUSK_OK);
            assert_err(confirm(all[c], answer, &client), TUSK_OK);
            assert_int_equal(client.server_no_context_takeover, server.server_no_context_takeover);
            assert_int_equal(client.client_no_context_takeover, server.client_no_context_takeover);
            assert_true(server.server_max_window_bits <= client.server_max_window_bits);
            assert_true(client.client_max_window_bits <= server.client_max_window_bits);
        }
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TUSK_HAVE_ZLIB
        cmocka_unit_test(a_plain_offer_is_answered_with_what_we_want),
        cmocka_unit_test(no_context_takeover_is_echoed),
        cmocka_unit_test(windows_are_answered_with_the_smaller_one),
        cmocka_unit_test(what_was_agreed_is_told),
        cmocka_unit_test(an_invalid_offer_is_declined_and_the_next_one_taken),
        cmocka_unit_test(offers_in_several_fields_are_one_list),
        cmocka_unit_test(an_answer_that_does_not_fit_agrees_to_nothing),
        cmocka_unit_test(our_offer_says_what_we_want),
        cmocka_unit_test(windows_that_no_option_can_have_are_the_largest),
        cmocka_unit_test(an_answer_to_our_offer_is_confirmed),
        cmocka_unit_test(an_answer_that_is_none_to_our_offer_is_refused),
        cmocka_unit_test(both_our_sides_agree),
#endif
        cmocka_unit_test(a_malformed_header_is_an_error_and_agrees_to_nothing),
        cmocka_unit_test(nothing_is_agreed_when_it_is_off_or_not_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
