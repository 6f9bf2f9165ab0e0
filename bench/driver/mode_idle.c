/* SPDX-License-Identifier: MIT */
/* idle: opens WebSocket connections and holds them; what the server's memory grew by, per
 * connection. */
#define _GNU_SOURCE
#include "driver.h"

#include <string.h>
#include <unistd.h>

#include <openssl/ssl.h>

enum { SETTLE_US = 700000 };

static void open_tls(const driver_options *options, SSL_CTX *context, uint32_t index)
{
    char request[1024];
    char head[2048];
    size_t have = 0;
    int fd = net_connect(options, index);
    SSL *ssl = SSL_new(context);
    if (ssl == NULL || SSL_set_fd(ssl, fd) != 1 || SSL_connect(ssl) != 1) {
        die("TLS handshake %u failed", index);
    }
    (void)SSL_write(ssl, request, (int)ws_request(request, sizeof(request), options));
    do {
        int n = SSL_read(ssl, head + have, (int)(sizeof(head) - 1 - have));
        if (n <= 0) {
            die("upgrade %u: connection lost", index);
        }
        have += (size_t)n;
        head[have] = '\0';
    } while (strstr(head, "\r\n\r\n") == NULL && have < sizeof(head) - 1);
    if (!ws_response_ok(head, have, options)) {
        die("upgrade %u refused: %.60s", index, head);
    }
}

static void open_all(const driver_options *options, uint32_t from, uint32_t to)
{
    static SSL_CTX *context; /* the driver is one thread and one run */
    if (options->tls && context == NULL) {
        context = SSL_CTX_new(TLS_client_method());
        (void)SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    }
    for (uint32_t i = from; i < to; i++) {
        if (options->tls) {
            open_tls(options, context, i);
        } else {
            (void)ws_open(options, i);
        }
    }
}

void mode_idle(const driver_options *options, driver_result *result)
{
    if (options->pid == 0) {
        die("idle needs --pid");
    }
    /* What grows once (buffers, tables, code touched) is not the connections': the first tenth
     * comes before. */
    uint32_t first = options->conns / 10 + 1;
    open_all(options, 0, first);
    (void)usleep(SETTLE_US);
    proc_memory before = proc_memory_of(options->pid);
    double cpu = proc_cpu_seconds(options->pid);
    uint64_t start = now_ns();
    open_all(options, first, first + options->conns);
    result->seconds = (double)(now_ns() - start) / 1e9;
    (void)usleep(SETTLE_US);
    result->server_cpu = proc_cpu_seconds(options->pid) - cpu;
    result->messages = options->conns;
    proc_memory after = proc_memory_of(options->pid);
    double n = (double)options->conns;
    result_fact(result, "pss_per_conn", (after.pss - before.pss) / n);
    result_fact(result, "rss_per_conn", (after.rss - before.rss) / n);
    result_fact(result, "private_dirty_per_conn", (after.private_dirty - before.private_dirty) / n);
    result_fact(result, "pss_total", after.pss);
    if (options->linger) {
        cpu = proc_cpu_seconds(options->pid);
        (void)usleep((useconds_t)(options->seconds * 1e6));
        result_fact(result, "idle_cpu_share",
                    (proc_cpu_seconds(options->pid) - cpu) / options->seconds);
    }
}
