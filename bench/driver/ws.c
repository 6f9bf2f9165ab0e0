/* SPDX-License-Identifier: MIT */
/* WebSocket, client side, as far as the driver needs it. */
#define _GNU_SOURCE
#include "driver.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The key and its answer of RFC 6455, 1.3: the server computes it afresh each time. */
#define KEY "dGhlIHNhbXBsZSBub25jZQ=="
#define ACCEPT "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

size_t ws_request(char *out, size_t size, const driver_options *options)
{
    int n = snprintf(out, size,
                     "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     "Sec-WebSocket-Key: " KEY "\r\nSec-WebSocket-Version: 13\r\n%s%s%s%s%s\r\n",
                     options->path, options->host,
                     options->subprotocol != NULL ? "Sec-WebSocket-Protocol: " : "",
                     options->subprotocol != NULL ? options->subprotocol : "",
                     options->subprotocol != NULL ? "\r\n" : "",
                     options->header != NULL ? options->header : "",
                     options->header != NULL ? "\r\n" : "");
    if (n < 0 || (size_t)n >= size) {
        die("request too long");
    }
    return (size_t)n;
}

bool ws_response_ok(const char *head, size_t len, const driver_options *options)
{
    if (len < 12 || memcmp(head, "HTTP/1.1 101", 12) != 0 ||
        memmem(head, len, ACCEPT "\r\n", sizeof(ACCEPT) + 1) == NULL) {
        return false;
    }
    return options->subprotocol == NULL ||
           memmem(head, len, options->subprotocol, strlen(options->subprotocol)) != NULL;
}

int ws_open(const driver_options *options, uint32_t index)
{
    char request[1024];
    char head[4096];
    int fd = net_connect(options, index);
    if (!net_send_all(fd, request, ws_request(request, sizeof(request), options))) {
        die("upgrade %u: connection lost", index);
    }
    size_t len = net_read_head(fd, head, sizeof(head));
    if (!ws_response_ok(head, len, options)) {
        die("upgrade %u refused: %.*s", index, (int)(len > 80 ? 80 : len), head);
    }
    net_unblock(fd);
    return fd;
}

struct ssl_st *ws_open_tls(const driver_options *options, uint32_t index, int *fd)
{
    char request[1024];
    char head[2048];
    size_t have = 0;
    *fd = net_connect(options, index);
    struct ssl_st *ssl = tls_connect(*fd, index);
    (void)tls_send_all(ssl, request, ws_request(request, sizeof(request), options));
    do {
        ssize_t n = tls_recv(ssl, head + have, sizeof(head) - 1 - have);
        if (n <= 0) {
            die("upgrade %u: connection lost", index);
        }
        have += (size_t)n;
        head[have] = '\0';
    } while (strstr(head, "\r\n\r\n") == NULL && have < sizeof(head) - 1);
    if (!ws_response_ok(head, have, options)) {
        die("upgrade %u refused: %.60s", index, head);
    }
    net_unblock(*fd);
    return ssl;
}

void ws_hold(const driver_options *options, uint32_t index)
{
    int fd;
    if (options->tls) {
        (void)ws_open_tls(options, index, &fd);
    } else {
        (void)ws_open(options, index);
    }
}

size_t ws_put_head(uint8_t *out, uint8_t opcode, size_t len, const uint8_t *mask)
{
    size_t n = 2;
    uint8_t bit = mask != NULL ? 0x80 : 0;
    out[0] = (uint8_t)(0x80 | opcode);
    if (len < 126) {
        out[1] = (uint8_t)(bit | len);
    } else if (len < 65536) {
        out[1] = bit | 126;
        out[n++] = (uint8_t)(len >> 8);
        out[n++] = (uint8_t)len;
    } else {
        out[1] = bit | 127;
        for (int shift = 56; shift >= 0; shift -= 8) {
            out[n++] = (uint8_t)((uint64_t)len >> shift);
        }
    }
    if (mask != NULL) {
        memcpy(out + n, mask, 4);
        n += 4;
    }
    return n;
}

size_t ws_put_masked(uint8_t *out, uint8_t opcode, const uint8_t *payload, size_t len,
                     uint32_t mask)
{
    uint8_t key[4];
    memcpy(key, &mask, 4);
    size_t n = ws_put_head(out, opcode, len, key);
    for (size_t i = 0; i < len; i++) {
        out[n + i] = payload[i] ^ key[i & 3];
    }
    return n + len;
}

ws_frame_view ws_view(const uint8_t *at, size_t len)
{
    ws_frame_view view = {0};
    if (len < 2) {
        return view;
    }
    size_t head = 2;
    uint64_t payload = at[1] & 0x7f;
    int extra = payload == 126 ? 2 : payload == 127 ? 8 : 0;
    if (len < head + (size_t)extra) {
        return view;
    }
    if (extra != 0) {
        payload = 0;
        for (int i = 0; i < extra; i++) {
            payload = payload << 8 | at[head++];
        }
    }
    if (payload > len - head) {
        return view;
    }
    view.payload = at + head;
    view.len = (size_t)payload;
    view.total = head + (size_t)payload;
    view.opcode = at[0] & 0x0f;
    view.fin = (at[0] & 0x80) != 0;
    return view;
}
