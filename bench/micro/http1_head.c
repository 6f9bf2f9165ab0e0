/* SPDX-License-Identifier: MIT */
/* Nanoseconds to parse a request head: the smallest one, what a load tester sends (about 300
 * bytes), a browser's. Over its budget the exit status is 1. */
#define _POSIX_C_SOURCE 199309L
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include <tusk/http.h>

static const char *const names[] = {"small", "load tester", "browser"};
static const double budgets_ns[] = {180, 500, 1000};
static const char *const heads[] = {
    "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
    "GET /api/rooms/42/messages?since=1024&limit=50 HTTP/1.1\r\nHost: "
    "127.0.0.1:8080\r\nUser-Agent: wrk/4.1.0\r\n"
    "Accept: application/json, text/plain;q=0.9, */*;q=0.8\r\nAccept-Encoding: gzip, deflate\r\n"
    "Connection: keep-alive\r\nAuthorization: Bearer "
    "7f1c9a2e5b8d4c6f90a1b2c3d4e5f60718293a4b5c6d7e8f\r\n"
    "X-Request-Id: 0001-0002-0003\r\n\r\n",
    "GET /rooms/lobby HTTP/1.1\r\nHost: chat.example.com\r\nConnection: keep-alive\r\n"
    "sec-ch-ua: \"Chromium\";v=\"126\", \"Not.A/Brand\";v=\"24\"\r\nsec-ch-ua-mobile: ?0\r\n"
    "sec-ch-ua-platform: \"Linux\"\r\nUpgrade-Insecure-Requests: 1\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/126.0.0.0 "
    "Safari/537.36\r\nAccept: "
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n"
    "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-User: ?1\r\nSec-Fetch-Dest: "
    "document\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-GB,en;q=0.9,de;q=0.8\r\n"
    "Cookie: session=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJlLW9mLXRoZS1zZXNzaW9u; "
    "theme=dark\r\n\r\n",
};

static double now_ns(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

int main(void)
{
    enum { TIMES = 300000, ROUNDS = 9 };
    static tusk_http_head head;
    int over = 0;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        tusk_bytes in = tusk_bytes_str(heads[i]);
        double best = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
            double start = now_ns();
            for (int n = 0; n < TIMES; n++) {
                size_t scanned = 0;
                if (tusk_http_request_parse(&head, in, tusk_http_limits_default(), &scanned) !=
                    (ptrdiff_t)in.len) {
                    return 1;
                }
            }
            double each = (now_ns() - start) / TIMES;
            best = each < best ? each : best;
        }
        printf("%-12s %4zu bytes, %2" PRIu32 " fields: %6.1f ns, budget %.0f ns%s\n", names[i],
               in.len, head.field_count, best, budgets_ns[i], best > budgets_ns[i] ? "  OVER" : "");
        over += best > budgets_ns[i];
    }
    return over > 0 ? 1 : 0;
}
