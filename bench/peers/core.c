/* SPDX-License-Identifier: MIT */
/* core: the core's server without PHP, on its public headers. What lies between the floor and this
 * is the core's price, what lies between this and tusk is PHP's. Roles: echo, broadcast, http, sse.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tusk/server.h>

typedef struct core {
    tusk_server *server;
    tusk_loop *loop;
    bool broadcast;
} core;

static const tusk_bytes none = {NULL, 0};

static void on_request(void *user, tusk_handle session, void *route_user,
                       const tusk_request *request)
{
    core *self = user;
    (void)route_user;
    if (request->body.len > 0) {
        const tusk_publication publication = {
            .topic = tusk_bytes_str("room"), .data = request->body, .opcode = 1};
        (void)tusk_server_publish(self->server, &publication, NULL);
        (void)tusk_reply(self->server, session, 204, none, none, NULL);
        return;
    }
    (void)tusk_reply(self->server, session, 200, tusk_bytes_str("Content-Type: text/plain\r\n"),
                     tusk_bytes_str("Hello, World!"), NULL);
}

static void on_open(void *user, tusk_handle session, void *route_user, const tusk_request *request)
{
    const core *self = user;
    (void)route_user;
    (void)request;
    if (self->broadcast) {
        (void)tusk_session_subscribe(self->server, session, tusk_bytes_str("room"), NULL,
                                     TUSK_OVERFLOW_CLOSE);
    }
}

static void on_message(void *user, tusk_handle session, void *route_user, uint8_t opcode,
                       tusk_bytes payload, void *taken)
{
    core *self = user;
    (void)route_user;
    (void)taken;
    if (!self->broadcast) {
        (void)tusk_websocket_send(self->server, session, opcode, payload, NULL, NULL);
        return;
    }
    const tusk_publication publication = {
        .topic = tusk_bytes_str("room"), .data = payload, .opcode = opcode};
    (void)tusk_server_publish(self->server, &publication, NULL);
}

static void on_close(void *user, tusk_handle session, void *route_user, uint16_t code,
                     tusk_bytes reason, tusk_close_kind kind, void *session_user)
{
    (void)user;
    (void)session;
    (void)route_user;
    (void)code;
    (void)reason;
    (void)kind;
    (void)session_user;
}

static void on_drain(void *user, tusk_handle session, void *route_user)
{
    (void)user;
    (void)session;
    (void)route_user;
}

static void on_gone(void *user, tusk_handle session, void *session_user)
{
    (void)user;
    (void)session;
    (void)session_user;
}

static void on_log(void *user, const char *text)
{
    (void)user;
    (void)fprintf(stderr, "core: %s\n", text);
}

static void on_stopped(void *user)
{
    const core *self = user;
    tusk_loop_stop(self->loop);
}

static const tusk_server_handler handler = {
    .on_request = on_request,
    .on_open = on_open,
    .on_message = on_message,
    .on_drain = on_drain,
    .on_close = on_close,
    .on_gone = on_gone,
    .on_log = on_log,
    .on_stopped = on_stopped,
};

int main(int argc, char **argv)
{
    core self = {0};
    char address[64];
    char reason[256] = "";
    if (argc < 3) {
        (void)fputs("usage: core echo|broadcast|http|sse PORT\n", stderr);
        return 2;
    }
    self.broadcast = strcmp(argv[1], "broadcast") == 0 || strcmp(argv[1], "sse") == 0;
    const tusk_loop_options loop_options = {.mem = tusk_mem_default()};
    if (tusk_loop_new(&self.loop, &loop_options) != TUSK_OK) {
        return 1;
    }
    const tusk_bytes chat = tusk_bytes_str("chat.v1");
    tusk_server_options options = {.loop = self.loop, .handler = &handler, .user = &self};
    tusk_server_limits_default(&options.limits);
    options.limits.connections = 12000;
    const tusk_websocket_options sockets = {
        .subprotocols = &chat, .subprotocol_count = 1, .any_origin = true, .direct = true};
    (void)snprintf(address, sizeof(address), "127.0.0.1:%s", argv[2]);
    tusk_err err = tusk_server_new(&self.server, &options);
    if (err == TUSK_OK && strcmp(argv[1], "http") != 0 && strcmp(argv[1], "sse") != 0) {
        err = tusk_server_route_websocket(self.server, "/", &sockets, NULL);
    } else if (err == TUSK_OK) {
        err = tusk_server_route_http(self.server, "GET", "/", NULL);
        err = err != TUSK_OK ? err : tusk_server_route_http(self.server, "POST", "/publish", NULL);
        err = err != TUSK_OK
                  ? err
                  : tusk_server_route_events(self.server, "/events",
                                             &(tusk_events_options){.any_origin = true}, NULL);
    }
    err = err != TUSK_OK ? err : tusk_server_listen(self.server, address, NULL);
    err = err != TUSK_OK ? err : tusk_server_start(self.server, reason, sizeof(reason));
    if (err != TUSK_OK) {
        (void)fprintf(stderr, "core: %s %s\n", tusk_err_text(err), reason);
        return 1;
    }
    (void)tusk_loop_run(self.loop);
    tusk_server_free(self.server);
    tusk_loop_free(self.loop);
    return 0;
}
