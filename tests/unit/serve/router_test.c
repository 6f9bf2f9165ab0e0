/* SPDX-License-Identifier: MIT */
/* Patterns of routes: what they may be. */
#define _GNU_SOURCE
#include "serve/router.h"

#include "rig.h"

static void never(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    (void)user;
    (void)session;
    (void)route;
    (void)request;
    fail();
}

/* "{id:[0-9]+}" was once a segment with that name, which met every value. */
static void a_name_of_a_pattern_is_a_word(void **state)
{
    static const char *const fine[] = {"/{id}", "/{user_id}/{post-2}", "/{größe}", "/a/{rest*}"};
    static const char *const refused[] = {
        "/{id:[0-9]+}", "/{id?}",        "/{id:}",   "/{a b}", "/{a.b}", "/{$x}",
        "/{}",          "/{*}",          "/{a**}",   "/{*a}",  "/a{id}", "/{id}b",
        "/{a}/{a}",     "/{rest*}/more", "/[{opt}]", "{id}",   "",       "/{id",
    };
    static const tusk_server_handler handler = {.on_request = never};
    rig r;
    (void)state;
    memset(&r, 0, sizeof(r));
    assert_int_equal(tusk_loop_new(&r.loop, NULL), TUSK_OK);
    tusk_server_options options = {.loop = r.loop, .handler = &handler, .user = &r};
    tusk_server_limits_default(&options.limits);
    assert_int_equal(tusk_server_new(&r.server, &options), TUSK_OK);
    for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
        assert_err(tusk_server_route_http(r.server, "GET", fine[i], NULL), TUSK_OK);
    }
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        assert_err(tusk_server_route_http(r.server, "GET", refused[i], NULL), TUSK_EINVAL);
    }
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_name_of_a_pattern_is_a_word)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
