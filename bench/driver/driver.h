/* SPDX-License-Identifier: MIT */
/* Driver: what the modes of the load driver share. One thread, one core, closed loops; blocking
 * set-up. */
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include <tusk/stats.h>

enum {
    READ_BUF_LEN = 256 * 1024,
    EVENTS_MAX = 512,
    FACTS_MAX = 32,
    PAIRS_MAX = 256,
    WS_HEAD_MAX = 14
};

struct ssl_st; /* OpenSSL's, of tls.c alone */

typedef struct driver_options {
    const char *mode;
    struct sockaddr_in target;
    const char *host;      /* as text, for the Host header */
    pid_t pid;             /* the server, 0 when unknown */
    const char *user_time; /* the file of its library; NULL: it has none */
    uint32_t conns;
    uint32_t idle; /* ws-echo: connections beside them that say nothing */
    uint32_t size;
    uint32_t depth; /* messages in flight, per connection or (fan-out) per publisher */
    uint32_t publishers;
    uint32_t sources; /* loopback source addresses in use */
    uint32_t
        messages; /* 0 = by time; else the run ends when so many were counted, without warm-up */
    double seconds;
    double warmup;
    double rate;        /* storm: publishes per second; ws-beside: messages */
    const char *attack; /* ws-beside: what goes on meanwhile */
    uint32_t attackers;
    uint16_t attack_port; /* 0: the guests' */
    double attack_rate;   /* connections a second, of floods that are bounded by it */
    uint32_t pairs;       /* ws-beside: of a quiet and an attacked slice */
    double slice;         /* seconds of each */
    const char *path;
    const char *publish; /* "POST /publish", of storm "POST /publish body={m}" */
    const char *header;  /* one more header line, "Name: value" */
    const char *subprotocol;
    const char *restart; /* storm: shell command that runs the server again */
    int restart_signal;
    bool binary;
    const char *counter; /* ws-deflate: a field of the server's JSON at counter_path */
    const char *counter_path;
    const char *post; /* http: a body, in place of a GET */
    bool plain;       /* ws-deflate: no extension is offered */
    bool any_body;    /* http: answers need not be equal */
    bool tls;
    bool publisher_receives;
    bool linger; /* idle: also measure CPU while nothing happens */
    int cpu;     /* core to pin to, -1 = none */
} driver_options;

typedef struct driver_fact {
    const char *name;
    double value;
} driver_fact;

/* ws-beside: the p99 of two slices that follow each other. */
typedef struct driver_pair {
    double quiet_us;
    double attacked_us;
} driver_pair;

/* One run's result; a mode fills it and main prints it. */
typedef struct driver_result {
    uint64_t messages;
    uint64_t errors;
    double seconds;
    double server_cpu;
    double own_cpu;
    const char *unit;   /* what one message is */
    tusk_hist *latency; /* ns */
    driver_fact facts[FACTS_MAX];
    size_t n_facts;
    driver_pair pairs[PAIRS_MAX];
    size_t n_pairs;
    char error_text[160]; /* the first */
} driver_result;

/* The measuring window: warm-up, then `seconds`. */
typedef struct driver_window {
    uint64_t start_ns;
    uint64_t end_ns;
    double server_cpu;
    double server_user;
    double computed; /* user_time of bench/micro */
    double own_cpu;
    bool open;
    bool done;
} driver_window;

typedef struct ws_frame_view {
    const uint8_t *payload;
    size_t len;
    size_t total; /* head and payload, 0 = incomplete */
    uint8_t opcode;
    bool fin;
} ws_frame_view;

static inline uint64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

/* main.c */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *must_alloc(size_t n, size_t size);
void result_fact(driver_result *result, const char *name, double value);
void result_pair(driver_result *result, double quiet_us, double attacked_us);
void result_error(driver_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* window.c */
void window_init(driver_window *self, const driver_options *options);
/* Call with a fresh clock now and then; true while the run goes on. `messages` is the mode's
 * running total. */
bool window_tick(driver_window *self, const driver_options *options, driver_result *result,
                 uint64_t now, uint64_t messages);

/* net.c */
/* Connected, blocking, no Nagle; dies when the server is not there. */
int net_connect(const driver_options *options, uint32_t index);
/* Starts a connect on a non-blocking socket; -1 with errno. */
int net_connect_start(const driver_options *options, uint32_t index);
void net_unblock(int fd);
/* All of it, waiting for room: for the rare case of a full socket buffer. */
bool net_send_all(int fd, const void *ptr, size_t len);
/* Reads exactly a head up to the empty line; its length, or 0. */
size_t net_read_head(int fd, char *head, size_t size);

/* ws.c */
size_t ws_request(char *out, size_t size, const driver_options *options);
bool ws_response_ok(const char *head, size_t len, const driver_options *options);
/* Connect and upgrade, blocking; dies on refusal. */
int ws_open(const driver_options *options, uint32_t index);
/* The same over TLS. */
struct ssl_st *ws_open_tls(const driver_options *options, uint32_t index, int *fd);
/* Either of them, for one that only has to be there until the driver ends. */
void ws_hold(const driver_options *options, uint32_t index);
size_t ws_put_head(uint8_t *out, uint8_t opcode, size_t len, const uint8_t *mask);
/* A whole masked frame; returns its length. */
size_t ws_put_masked(uint8_t *out, uint8_t opcode, const uint8_t *payload, size_t len,
                     uint32_t mask);
ws_frame_view ws_view(const uint8_t *at, size_t len);

/* tls.c */
/* Shakes hands over a connected, blocking socket; dies on refusal. */
struct ssl_st *tls_connect(int fd, uint32_t index);
ssize_t tls_recv(struct ssl_st *ssl, void *ptr, size_t size); /* as recv() */
/* From now on what the caller has received is handed in, and read as before. */
void tls_take_reads(struct ssl_st *ssl);
void tls_feed(struct ssl_st *ssl, const void *ptr, size_t len);
/* What a client says first, as often as one likes; its length. */
size_t tls_hello(uint8_t *out, size_t size);
bool tls_more(const struct ssl_st *ssl); /* that the poller cannot see */
bool tls_send_all(struct ssl_st *ssl, const void *ptr, size_t len);

/* proc.c: over the process, its threads and its descendants */
double proc_cpu_seconds(pid_t pid);
double proc_user_seconds(pid_t pid); /* of this process alone */
/* What a server with the library user_time (bench/micro) has written; 0 without a file. */
double proc_computed_seconds(const char *file);
double proc_own_cpu_seconds(void);
typedef struct proc_memory {
    double pss;
    double rss;
    double private_dirty;
} proc_memory;
proc_memory proc_memory_of(pid_t pid);

/* modes */
void mode_ws_echo(const driver_options *options, driver_result *result);
void mode_ws_fanout(const driver_options *options, driver_result *result);
void mode_ws_handshake(const driver_options *options, driver_result *result);
void mode_ws_deflate(const driver_options *options, driver_result *result);
void mode_ws_beside(const driver_options *options, driver_result *result);
void mode_idle(const driver_options *options, driver_result *result);
void mode_http(const driver_options *options, driver_result *result);
void mode_tcp_echo(const driver_options *options, driver_result *result);
void mode_sse_fanout(const driver_options *options, driver_result *result);
void mode_storm(const driver_options *options, driver_result *result);

#endif
