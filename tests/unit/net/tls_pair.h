/* SPDX-License-Identifier: MIT */
/* A TLS server and a TLS client of ours, with a relay between them that cuts the stream anywhere.
 */
#ifndef TUSK_TEST_TLS_PAIR_H
#define TUSK_TEST_TLS_PAIR_H

#include <sys/stat.h>

#include "net/tls.h"

#include "owner.h"

static char dir[TEST_TEMP_MAX];

static inline const char *in_dir(const char *name)
{
    static char paths[8][128];
    static unsigned next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
    return path;
}

static inline void run(const char *format, ...)
{
    char command[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(command, sizeof(command), format, args);
    va_end(args);
    if (system(command) != 0) {
        fail_msg("%s", command);
    }
}

static inline void make_certificate(const char *name, const char *host)
{
    run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3 -subj "
        "'/CN=%s' "
        "-addext 'subjectAltName=DNS:%s' -keyout %s/%s.key -out %s/%s.crt 2>/dev/null",
        host, host, dir, name, dir, name);
}

static inline int make_files(void **state)
{
    (void)state;
    test_temp_dir(dir, "tls");
    make_certificate("main", "main.test");
    make_certificate("exact", "exact.test");
    make_certificate("wild", "*.wild.test");
    make_certificate("client", "somebody");
    run("cat %s/*.crt > %s/all.pem", dir, dir);
    run("openssl ec -in %s/main.key -aes128 -passout pass:secret -out %s/locked.key 2>/dev/null",
        dir, dir);
    run("echo rubbish > %s/rubbish.pem", dir);
    return 0;
}

static inline int remove_files(void **state)
{
    (void)state;
    run("rm -r %s", dir);
    return 0;
}

/* ---- both ends and the relay ---- */
static struct {
    tusk_tls *server_tls;
    tusk_tls *client_tls;
    owner *server;
    owner *client;
    int relay[2]; /* the ends in the middle: towards the client, towards the server */
    char server_reason[200];
    char client_reason[200];
    char version[16];
} p;

static inline int set_up(void **state)
{
    net_set_up(state);
    memset(&p, 0, sizeof(p));
    p.relay[0] = -1;
    p.relay[1] = -1;
    return 0;
}

static inline void end_pair(void)
{
    for (int i = 0; i < 2; i++) {
        if (p.relay[i] >= 0) {
            close(p.relay[i]);
            p.relay[i] = -1;
        }
    }
    if (p.server != NULL) {
        owner_end(p.server);
        owner_end(p.client);
        p.server = NULL;
    }
}

static inline int tear_down(void **state)
{
    end_pair();
    tusk_tls_unref(p.server_tls);
    tusk_tls_unref(p.client_tls);
    return net_tear_down(state);
}

static inline void keep_reason(owner *self)
{
    const char *reason = tusk_filter_reason(self->conn.filter);
    (void)snprintf(self == p.server ? p.server_reason : p.client_reason, sizeof(p.server_reason),
                   "%s", reason == NULL ? "" : reason);
    (void)snprintf(p.version, sizeof(p.version), "%s", tusk_filter_version(self->conn.filter));
}

/* `protocol` NULL: what filters speak by themselves. */
static inline owner *open_end_speaking(tusk_tls *tls, const char *server_name, int fd,
                                       const char *protocol)
{
    tusk_filter *filter;
    owner *self = owner_new();
    assert_err(protocol == NULL ? tusk_tls_filter_new(&filter, tls, server_name)
                                : tusk_tls_filter_new_speaking(&filter, tls, server_name, protocol),
               TUSK_OK);
    self->in_ready = keep_reason;
    self->in_close = keep_reason;
    assert_err(tusk_conn_init(&self->conn, t.net, fd, filter, &owner_ops), TUSK_OK);
    assert_false(tusk_conn_open(&self->conn));
    self->adopted = true;
    return self;
}

static inline owner *open_end(tusk_tls *tls, const char *server_name, int fd)
{
    return open_end_speaking(tls, server_name, fd, NULL);
}

static inline void open_pair_speaking(const char *server_name, const char *servers,
                                      const char *clients)
{
    int client[2];
    int server[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, client), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, server), 0);
    p.relay[0] = client[1];
    p.relay[1] = server[1];
    p.server = open_end_speaking(p.server_tls, NULL, server[0], servers);
    p.client = open_end_speaking(p.client_tls, server_name, client[0], clients);
}

static inline void open_pair(const char *server_name)
{
    open_pair_speaking(server_name, NULL, NULL);
}

static inline size_t relay_one_way(int from, int to, size_t max)
{
    uint8_t bytes[65536];
    ssize_t len = recv(from, bytes, max < sizeof(bytes) ? max : sizeof(bytes), MSG_PEEK);
    if (len == 0) {
        (void)shutdown(to, SHUT_WR);
    }
    if (len <= 0) {
        return 0;
    }
    ssize_t done = send(to, bytes, (size_t)len, MSG_NOSIGNAL);
    if (done > 0) {
        (void)recv(from, bytes, (size_t)done, 0);
    }
    return done > 0 ? (size_t)done : 0;
}

static inline void relay(size_t max)
{
    (void)relay_one_way(p.relay[0], p.relay[1], max);
    (void)relay_one_way(p.relay[1], p.relay[0], max);
}

#define RELAY_UNTIL(max, condition) TURN_UNTIL((relay(max), (condition)))

static inline void contexts(const tusk_tls_options *server, const tusk_tls_options *client)
{
    char reason[300];
    tusk_tls_options ours = *server;
    ours.certificate_file =
        ours.certificate_file == NULL ? in_dir("main.crt") : ours.certificate_file;
    ours.key_file = ours.key_file == NULL ? in_dir("main.key") : ours.key_file;
    if (tusk_tls_server_new(&p.server_tls, &ours, reason, sizeof(reason)) != TUSK_OK ||
        tusk_tls_client_new(&p.client_tls, client, reason, sizeof(reason)) != TUSK_OK) {
        fail_msg("%s", reason);
    }
}

/* So that others can be made; the connections of a pair have ended, or keep theirs. */
static inline void drop_contexts(void)
{
    tusk_tls_unref(p.server_tls);
    tusk_tls_unref(p.client_tls);
    p.server_tls = p.client_tls = NULL;
}

static inline void echo(owner *self)
{
    tusk_bytes in = tusk_conn_in(&self->conn);
    assert_err(tusk_conn_append(&self->conn, in.ptr, in.len), TUSK_OK);
    tusk_conn_consume(&self->conn, in.len);
}

static inline void finish(owner *self)
{
    tusk_conn_finish(&self->conn);
}

#endif
