/* SPDX-License-Identifier: MIT */
/* Patterns of routes: what they may be, and which paths they meet. */
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

/* ---- which paths they meet ---- */
static void router_init(tusk_router *router, const char *const *patterns, size_t count)
{
    memset(router, 0, sizeof(*router));
    tusk__router_init(router, tusk_mem_default());
    for (size_t i = 0; i < count; i++) {
        tusk_route *route;
        assert_err(tusk__router_add(router, &route, ROUTE_HTTP, NULL, patterns[i]), TUSK_OK);
    }
}

/* "pattern name=value name=value", or "" where no pattern meets it. */
static void meet(const tusk_router *router, const char *path, char out[256])
{
    const tusk_http_head head = {.method = TUSK_HTTP_GET,
                                 .method_name = tusk_bytes_str("GET"),
                                 .path = tusk_bytes_str(path)};
    route_match match;
    tusk__router_match(router, &head, false, &match);
    assert_int_equal(match.path_known, match.route != NULL);
    int len = snprintf(out, 256, "%s", match.route == NULL ? "" : match.route->pattern);
    for (size_t i = 0; i < match.param_count; i++) {
        const tusk_param *param = &match.params[i];
        len += snprintf(out + len, 256 - (size_t)len, " %.*s=%.*s", (int)param->name.len,
                        (const char *)param->name.ptr, (int)param->value.len,
                        (const char *)param->value.ptr);
    }
    if (match.route != NULL) { /* the same when it is asked later on, of the path that was kept */
        tusk_param params[TUSK_ROUTE_PARAMS_CAP];
        assert_int_equal(tusk__route_params(match.route, head.path, params), match.param_count);
    }
}

static void each_path_has_the_pattern_that_says_most_of_it(void **state)
{
    static const char *const patterns[] = {
        "/",     "/users",      "/users/{id}",   "/users/me", "/users/{id}/posts/{post}",
        "/docs", "/docs/{at*}", "/slash/{name}/"};
    static const char *const cases[][2] = {
        {"/", "/"},
        {"", ""},
        {"users", ""},
        {"/users", "/users"},
        {"/users/", ""}, /* a name stands for at least one character */
        {"/users/7", "/users/{id} id=7"},
        {"/users/me", "/users/me"},
        {"/users/mee", "/users/{id} id=mee"},
        {"/users/m", "/users/{id} id=m"},
        {"/usErs/7", ""},
        {"/%75sers/7", "/users/{id} id=7"},
        {"/users%2F7", ""}, /* no slash of the path (RFC 3986, 2.2) */
        {"/users/a%2Fb", "/users/{id} id=a%2Fb"},
        {"/users/7/", ""},
        {"/users/7/posts", ""},
        {"/users/7/posts/", ""},
        {"/users//posts/9", ""},
        {"/users/7/posts/9", "/users/{id}/posts/{post} id=7 post=9"},
        {"/users/7/posts/9/", ""},
        {"/users/7/postss/9", ""},
        {"/docs", "/docs"},
        {"/docs/", "/docs/{at*} at="},
        {"/docs/a/b/", "/docs/{at*} at=a/b/"},
        {"/docsa", ""},
        {"/slash/x", ""},
        {"/slash/x/", "/slash/{name}/ name=x"},
    };
    tusk_router router;
    (void)state;
    router_init(&router, patterns, sizeof(patterns) / sizeof(patterns[0]));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char met[256];
        meet(&router, cases[i][0], met);
        if (strcmp(met, cases[i][1]) != 0) {
            fail_msg("%s meets %s, not %s", cases[i][0], met, cases[i][1]);
        }
    }
    tusk__router_fini(&router);
}

static void a_fallback_takes_what_no_pattern_meets(void **state)
{
    static const char *const patterns[] = {"/known"};
    tusk_router router;
    (void)state;
    router_init(&router, patterns, 1);
    assert_err(tusk__router_add_fallback(&router, &router), TUSK_OK);
    assert_err(tusk__router_add_fallback(&router, &router), TUSK_ESTATE);
    static const struct {
        const char *path;
        tusk_http_method method;
        bool websocket, falls;
    } cases[] = {
        {"/unknown", TUSK_HTTP_GET, false, true}, {"/unknown", TUSK_HTTP_POST, false, true},
        {"/known", TUSK_HTTP_GET, false, false},  {"/known", TUSK_HTTP_POST, false, false},
        {"/unknown", TUSK_HTTP_GET, true, false}, {"*", TUSK_HTTP_OPTIONS, false, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tusk_http_head head = {.method = cases[i].method,
                                     .method_name = tusk_bytes_str("?"),
                                     .path = tusk_bytes_str(cases[i].path)};
        route_match match;
        tusk__router_match(&router, &head, cases[i].websocket, &match);
        assert_int_equal(match.route != NULL && match.route->user == &router, cases[i].falls);
    }
    tusk__router_fini(&router);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_of_a_pattern_is_a_word),
        cmocka_unit_test(each_path_has_the_pattern_that_says_most_of_it),
        cmocka_unit_test(a_fallback_takes_what_no_pattern_meets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
