/* SPDX-License-Identifier: MIT */
/* Forms of requests: read once before the owner is called, who may keep what was read; without
 * memory they cost their connection. */
#define _GNU_SOURCE
#include "rig.h"

#define PAIRS "Content-Type: application/x-www-form-urlencoded\r\n"
#define POST "POST /post HTTP/1.1\r\nHost: x\r\n"

/* Shows what came of it, and takes the form of every request. */
typedef struct owner {
    rig rig; /* first */
    tusk_form taken;
    bool takes;
} owner;

static void on_request(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    owner *self = user;
    char text[32];
    int n = request->form == NULL
                ? snprintf(text, sizeof(text), "none")
                : snprintf(text, sizeof(text), "%zu", tusk_form_count(request->form));
    rig_log(&self->rig, "form:", text, (size_t)n);
    if (request->form != NULL && self->takes) {
        tusk_form_fini(&self->taken);
        self->taken = tusk_form_take(request->form);
    }
    rig_on_request(user, session, route, request);
}

static void init(owner *self, const tusk_mem *mem)
{
    static tusk_server_handler handler;
    const tusk_loop_options loop_options = {.mem = mem};
    memset(self, 0, sizeof(*self));
    self->rig.answer = true;
    handler = rig_handler;
    handler.on_request = on_request;
    assert_err(tusk_loop_new(&self->rig.loop, &loop_options), TUSK_OK);
    tusk_server_options options = {.loop = self->rig.loop, .handler = &handler, .user = self};
    tusk_server_limits_default(&options.limits);
    assert_err(tusk_server_new(&self->rig.server, &options), TUSK_OK);
    assert_err(tusk_server_route_http(self->rig.server, "POST", "/post", NULL), TUSK_OK);
    assert_err(tusk_server_start(self->rig.server, NULL, 0), TUSK_OK);
}

static void fini(owner *self)
{
    tusk_form_fini(&self->taken);
    rig_fini(&self->rig);
}

static void post(owner *self, const char *const *pieces, size_t count, const char *log)
{
    char answer[1024];
    int fd = rig_connect(&self->rig);
    self->rig.log_len = 0;
    for (size_t i = 0; i < count; i++) {
        rig_write(fd, pieces[i], strlen(pieces[i]));
        rig_turn(&self->rig, 3);
    }
    assert_true(rig_read(fd, answer, sizeof(answer)) > 0);
    assert_non_null(strstr(answer, " 200 OK\r\n"));
    assert_string_equal(self->rig.log, log);
    close(fd);
    rig_turn(&self->rig, 3);
}
#define POSTED(self, log, ...)                                                                     \
    post(self, (const char *const[]){__VA_ARGS__},                                                 \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), log)

static void the_owner_gets_the_form_with_the_request_however_it_came(void **state)
{
    owner o;
    (void)state;
    for (int takes = 0; takes < 2; takes++) {
        init(&o, NULL);
        o.takes = takes > 0;
        POSTED(&o, "form:2;request:/post;body:a=1&b=2;",
               POST PAIRS "Content-Length: 7\r\n\r\na=1&b=2");
        POSTED(&o, "form:2;request:/post;body:a=1&b=2;", POST PAIRS "Content-Length: 7\r\n\r\na=1",
               "&b=2");
        POSTED(&o, "form:3;request:/post;body:a&b&c;",
               POST PAIRS "Transfer-Encoding: chunked\r\n\r\n", "3\r\na&b\r\n",
               "2\r\n&c\r\n0\r\n\r\n");
        POSTED(&o, "form:none;request:/post;body:a=1;",
               POST "Content-Type: text/plain\r\nContent-Length: 3\r\n\r\na=1");
        POSTED(&o, "form:none;request:/post;body:a=1;", POST "Content-Length: 3\r\n\r\na=1");
        POSTED(&o, "form:none;request:/post;", POST PAIRS "Content-Length: 0\r\n\r\n");
        assert_int_equal(tusk_form_count(&o.taken), takes > 0 ? 3 : 0);
        fini(&o);
    }
}

static void without_memory_for_its_places_a_form_costs_its_connection(void **state)
{
    owner o;
    test_mem mem;
    tusk_server_stats stats;
    static const char request[] = POST PAIRS "Content-Length: 7\r\n\r\na=1&b=2";
    (void)state;
    test_mem_init(&mem, 0);
    init(&o, &mem.mem);
    POSTED(&o, "form:2;request:/post;body:a=1&b=2;", request);
    size_t before = mem.requests;
    int fd = rig_connect(&o.rig);
    rig_turn(&o.rig, 3);
    mem.fail_at = mem.requests + 1;
    rig_write(fd, request, strlen(request));
    rig_turn(&o.rig, 3);
    assert_true(mem.requests >= before + 1);
    char answer[64];
    assert_int_equal(read(fd, answer, sizeof(answer)) > 0, 0);
    tusk_server_stats_get(o.rig.server, &stats);
    assert_int_equal(stats.out_of_memory, 1);
    close(fd);
    rig_turn(&o.rig, 3);
    POSTED(&o, "form:2;request:/post;body:a=1&b=2;", request); /* the others go on */
    fini(&o);
    test_mem_assert_empty(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_owner_gets_the_form_with_the_request_however_it_came),
        cmocka_unit_test(without_memory_for_its_places_a_form_costs_its_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
