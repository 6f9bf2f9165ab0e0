/* SPDX-License-Identifier: MIT */
/* A server and a client of it on one loop, from one include. */
#include <stdio.h>
#include <string.h>

#include <tusk/tusk.h>

typedef struct site {
    tusk_loop *loop;
    tusk_server *server;
    int status;
    char body[32];
    tusk_err err;
} site;

static void on_request(void *user, tusk_handle session, void *route, const tusk_request *request)
{
    site *self = user;
    (void)route;
    (void)request;
    (void)tusk_reply(self->server, session, 200, tusk_bytes_str("X-From: umbrella\r\n"),
                     tusk_bytes_str("hello"), NULL);
}

static void on_head(void *user, tusk_http_call *call, const tusk_http_head *head)
{
    (void)call;
    ((site *)user)->status = head->status;
}

static void on_data(void *user, tusk_http_call *call, tusk_bytes data)
{
    site *self = user;
    (void)call;
    memcpy(self->body, data.ptr, data.len < sizeof(self->body) ? data.len : sizeof(self->body) - 1);
}

static void on_done(void *user, tusk_http_call *call, const tusk_failure *failure)
{
    site *self = user;
    (void)call;
    self->err = failure->err;
    tusk_loop_stop(self->loop);
}

int main(void)
{
    static const tusk_server_handler served = {.on_request = on_request};
    static const tusk_http_call_handler called = {
        .on_head = on_head, .on_data = on_data, .on_done = on_done};
    site self = {.err = TUSK_ESTATE};
    char reason[128] = "";
    char url[64];
    tusk_client *client;
    tusk_http_call *call;

    if (tusk_loop_new(&self.loop, NULL) != TUSK_OK) {
        return 1;
    }
    tusk_server_options options = {.loop = self.loop, .handler = &served, .user = &self};
    tusk_server_limits_default(&options.limits);
    tusk_client_options of_client = {.loop = self.loop};
    if (tusk_server_new(&self.server, &options) != TUSK_OK ||
        tusk_server_route_http(self.server, "GET", "/", NULL) != TUSK_OK ||
        tusk_server_listen(self.server, "127.0.0.1:0", NULL) != TUSK_OK ||
        tusk_server_start(self.server, reason, sizeof(reason)) != TUSK_OK ||
        tusk_client_new(&client, &of_client) != TUSK_OK) {
        fprintf(stderr, "umbrella: %s\n", reason);
        return 1;
    }
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/", tusk_server_port(self.server, 0));
    tusk_http_call_options request = {.target = {.url = tusk_bytes_str(url)}};
    if (tusk_http_call_start(&call, client, &request, &called, &self) != TUSK_OK ||
        tusk_loop_run(self.loop) != TUSK_OK) {
        return 1;
    }
    printf("umbrella: %s: %d %s\n", tusk_err_text(self.err), self.status, self.body);
    tusk_client_free(client);
    tusk_server_free(self.server);
    (void)tusk_loop_turn(self.loop, 0);
    tusk_loop_free(self.loop);
    return self.err == TUSK_OK && self.status == 200 && strcmp(self.body, "hello") == 0 ? 0 : 1;
}
