/* SPDX-License-Identifier: MIT */
/* bench-driver: one run of load against one server, one line of JSON. */
#define _GNU_SOURCE
#include "attack.h"
#include "driver.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static const struct {
    const char *name;
    const char *unit;
    void (*run)(const driver_options *options, driver_result *result);
} modes[] = {
    {"ws-echo", "message", mode_ws_echo},
    {"ws-fanout", "delivery", mode_ws_fanout},
    {"ws-handshake", "handshake", mode_ws_handshake},
    {"ws-deflate", "delivery", mode_ws_deflate},
    {"ws-beside", "message", mode_ws_beside},
    {"idle", "connection", mode_idle},
    {"http", "request", mode_http},
    {"tcp-echo", "message", mode_tcp_echo},
    {"sse-fanout", "delivery", mode_sse_fanout},
    {"storm", "client", mode_storm},
};

static const char usage[] =
    "usage: bench-driver MODE [options]\n"
    "modes: ws-echo ws-fanout ws-handshake ws-deflate ws-beside idle http\n"
    "       tcp-echo sse-fanout storm\n"
    "  --host H --port P      server (127.0.0.1, 9001)     --pid N     its process, for CPU and "
    "memory\n"
    "  --user-time FILE       what the library bench/micro/user_time writes of it\n"
    "  --conns N --size B     connections, payload bytes   --depth D   messages in flight (1)\n"
    "  --seconds S --warmup S window (1.5, 0.5)            --cpu C     core to pin to\n"
    "  --messages N           a run of N messages instead, without warm-up\n"
    "  --path P               request target (/)           --publish 'POST /publish'\n"
    "  --subprotocol T        --header 'N: v'              --binary    binary messages\n"
    "  --publishers N         of ws-fanout (1)             --no-self   the publisher gets no copy\n"
    "  --plain --counter N --counter-path P                of ws-deflate: nothing is offered; the "
    "server's count of N per message\n"
    "  --attack KIND --attackers N --rate R                of ws-beside: R messages a second\n"
    "  --pairs N --slice S                                 of ws-beside: N times a quiet and an "
    "attacked slice of S seconds (16, 0.25)\n"
    "  --any-body             of http: answers need not be equal\n"
    "  --post BODY            of http: posted, with the type that --header names\n"
    "  --attack-port P --attack-rate R                     of ws-beside: another port of the "
    "server; beginnings a second\n"
    "  --tls                  of idle, ws-echo, ws-beside  --sources N loopback addresses to come "
    "from\n"
    "  --linger               of idle                      --idle N    of ws-echo: so many more "
    "that say nothing\n"
    "  --restart CMD --restart-signal N --rate R           of storm\n"
    "example: bench-driver ws-echo --port 9001 --conns 100 --size 64 --pid $(pidof php)\n";

_Noreturn void die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fputs("bench-driver: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
    exit(1);
}

void *must_alloc(size_t n, size_t size)
{
    void *ptr = calloc(n == 0 ? 1 : n, size);
    if (ptr == NULL) {
        die("out of memory");
    }
    return ptr;
}

void result_fact(driver_result *result, const char *name, double value)
{
    if (result->n_facts < FACTS_MAX) {
        result->facts[result->n_facts++] = (driver_fact){.name = name, .value = value};
    }
}

void result_pair(driver_result *result, double quiet_us, double attacked_us)
{
    if (result->n_pairs < PAIRS_MAX) {
        result->pairs[result->n_pairs++] =
            (driver_pair){.quiet_us = quiet_us, .attacked_us = attacked_us};
    }
}

void result_error(driver_result *result, const char *format, ...)
{
    if (result->errors++ == 0) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(result->error_text, sizeof(result->error_text), format, args);
        va_end(args);
    }
}

static void print_text(const char *text)
{
    (void)putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            (void)putchar('\\');
        }
        (void)putchar((unsigned char)*text < 0x20 ? ' ' : *text);
    }
    (void)putchar('"');
}

static void print_latency(const tusk_hist *latency)
{
    static const struct {
        const char *name;
        double percentile;
    } points[] = {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p999", 99.9}};
    printf(",\"latency_us\":{\"n\":%" PRIu64, tusk_hist_count(latency));
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        if (tusk_hist_supports(latency, points[i].percentile)) {
            printf(",\"%s\":%.1f", points[i].name,
                   (double)tusk_hist_percentile(latency, points[i].percentile) / 1000);
        }
    }
    printf(",\"mean\":%.1f,\"max\":%.1f}", tusk_hist_mean(latency) / 1000,
           (double)tusk_hist_max(latency) / 1000);
}

static void print_result(const driver_options *options, const driver_result *result)
{
    double own = result->seconds > 0 ? result->own_cpu / result->seconds : 0;
    double server = result->seconds > 0 ? result->server_cpu / result->seconds : 0;
    printf("{\"mode\":\"%s\",\"unit\":\"%s\",\"model\":\"closed\",\"conns\":%u,\"size\":%u,"
           "\"depth\":%u",
           options->mode, result->unit, options->conns, options->size, options->depth);
    printf(",\"messages\":%" PRIu64 ",\"seconds\":%.4f,\"server_cpu\":%.6f", result->messages,
           result->seconds, result->server_cpu);
    printf(",\"per_second\":%.0f,\"per_cpu_second\":%.0f",
           result->seconds > 0 ? (double)result->messages / result->seconds : 0,
           result->server_cpu > 0 ? (double)result->messages / result->server_cpu : 0);
    /* Over 80 % of a core for the driver while the server idles: the wall-clock rate is a lower
     * bound. */
    printf(",\"driver_util\":%.3f,\"server_util\":%.3f,\"limit\":\"%s\"", own, server,
           own > 0.8 && own > server ? "driver" : "server");
    if (tusk_hist_count(result->latency) != 0) {
        print_latency(result->latency);
    }
    for (size_t i = 0; i < result->n_facts; i++) {
        printf(",\"%s\":%.10g", result->facts[i].name, result->facts[i].value);
    }
    for (size_t i = 0; i < result->n_pairs; i++) {
        printf("%s[%.1f,%.1f]%s", i == 0 ? ",\"pairs_us\":[" : ",", result->pairs[i].quiet_us,
               result->pairs[i].attacked_us, i + 1 == result->n_pairs ? "]" : "");
    }
    printf(",\"errors\":%" PRIu64, result->errors);
    if (result->errors != 0) {
        printf(",\"error\":");
        print_text(result->error_text);
    }
    printf("}\n");
}

static uint32_t number(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value > UINT32_MAX) {
        die("not a number: %s", text);
    }
    return (uint32_t)value;
}

static void parse(driver_options *o, int argc, char **argv)
{
    /* clang-format off */
    static const struct option table[] = {
        {"host", 1, 0, 'h'},        {"port", 1, 0, 'p'},        {"pid", 1, 0, 'P'},
        {"conns", 1, 0, 'c'},       {"size", 1, 0, 's'},        {"depth", 1, 0, 'd'},
        {"seconds", 1, 0, 't'},     {"warmup", 1, 0, 'w'},      {"cpu", 1, 0, 'u'},
        {"path", 1, 0, 'a'},        {"publish", 1, 0, 'b'},     {"subprotocol", 1, 0, 'r'},
        {"header", 1, 0, 'H'},      {"binary", 0, 0, 'B'},      {"publishers", 1, 0, 'n'},
        {"no-self", 0, 0, 'N'},     {"tls", 0, 0, 'T'},         {"linger", 0, 0, 'l'},
        {"sources", 1, 0, 'S'},     {"restart", 1, 0, 'R'},     {"restart-signal", 1, 0, 'G'},
        {"rate", 1, 0, 'q'},        {"messages", 1, 0, 'm'},    {"any-body", 0, 0, 'A'},
        {"plain", 0, 0, 'x'},       {"counter", 1, 0, 'k'},     {"counter-path", 1, 0, 'K'},
        {"attack-port", 1, 0, 'O'}, {"attack-rate", 1, 0, 'Q'}, {"attack", 1, 0, 'X'},
        {"attackers", 1, 0, 'Y'},   {"pairs", 1, 0, 'Z'},       {"slice", 1, 0, 'z'},
        {"idle", 1, 0, 'i'},        {"post", 1, 0, 'o'},        {"user-time", 1, 0, 'U'},
        {0, 0, 0, 0},
    };
    /* clang-format on */
    uint32_t port = 9001;
    o->host = "127.0.0.1";
    for (int c; (c = getopt_long(argc, argv, "", table, NULL)) != -1;) {
        switch (c) {
        case 'h': o->host = optarg; break;
        case 'p': port = number(optarg); break;
        case 'U': o->user_time = optarg; break;
        case 'P': o->pid = (pid_t)number(optarg); break;
        case 'c': o->conns = number(optarg); break;
        case 's': o->size = number(optarg); break;
        case 'd': o->depth = number(optarg); break;
        case 't': o->seconds = strtod(optarg, NULL); break;
        case 'w': o->warmup = strtod(optarg, NULL); break;
        case 'u': o->cpu = (int)number(optarg); break;
        case 'a': o->path = optarg; break;
        case 'b': o->publish = optarg; break;
        case 'r': o->subprotocol = optarg; break;
        case 'H': o->header = optarg; break;
        case 'B': o->binary = true; break;
        case 'A': o->any_body = true; break;
        case 'n': o->publishers = number(optarg); break;
        case 'N': o->publisher_receives = false; break;
        case 'T': o->tls = true; break;
        case 'l': o->linger = true; break;
        case 'S': o->sources = number(optarg); break;
        case 'R': o->restart = optarg; break;
        case 'G': o->restart_signal = (int)number(optarg); break;
        case 'x': o->plain = true; break;
        case 'k': o->counter = optarg; break;
        case 'K': o->counter_path = optarg; break;
        case 'X': o->attack = optarg; break;
        case 'Y': o->attackers = number(optarg); break;
        case 'O': o->attack_port = (uint16_t)number(optarg); break;
        case 'Q': o->attack_rate = strtod(optarg, NULL); break;
        case 'Z': o->pairs = number(optarg); break;
        case 'z': o->slice = strtod(optarg, NULL); break;
        case 'i': o->idle = number(optarg); break;
        case 'o': o->post = optarg; break;
        case 'm': o->messages = number(optarg); break;
        case 'q': o->rate = strtod(optarg, NULL); break;
        default: (void)fputs(usage, stderr); exit(2);
        }
    }
    o->target.sin_family = AF_INET;
    o->target.sin_port = htons((uint16_t)port);
    if (inet_pton(AF_INET, o->host, &o->target.sin_addr) != 1 || port > 65535 || o->conns < 1 ||
        o->depth < 1 || o->publishers < 1 || o->publishers > o->conns || !(o->seconds > 0) ||
        o->pairs < 1 || o->pairs > PAIRS_MAX || !(o->slice > 0)) {
        die("an option is out of range (the host must be an IPv4 address)");
    }
}

/* Without this, timers are up to 50 us late and 1,024 descriptors are all there is. */
static void prepare_process(const driver_options *options)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    (void)signal(SIGPIPE, SIG_IGN);
    if (options->cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)options->cpu, &set);
        if (sched_setaffinity(0, sizeof(set), &set) != 0) {
            die("cannot pin to core %d", options->cpu);
        }
    }
}

int main(int argc, char **argv)
{
    driver_options options = {.conns = 100,
                              .size = 64,
                              .depth = 1,
                              .publishers = 1,
                              .sources = 1,
                              .seconds = 1.5,
                              .warmup = 0.5,
                              .rate = 20,
                              .path = "/",
                              .publish = "POST /publish",
                              .attack = "none",
                              .attackers = 50,
                              .attack_rate = 500,
                              .pairs = 16,
                              .slice = 0.25,
                              .counter_path = "/stats",
                              .restart_signal = SIGTERM,
                              .publisher_receives = true,
                              .cpu = -1};
    driver_result result = {0};
    const tusk_hist_range minute = {.lowest = 1, .highest = UINT64_C(60000000000), .digits = 3};
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        (void)fputs(usage, argc < 2 ? stderr : stdout);
        (void)fputs(attack_usage, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    parse(&options, argc - 1, argv + 1);
    options.mode = argv[1];
    prepare_process(&options);
    if (tusk_hist_new(&result.latency, tusk_mem_default(), minute) != TUSK_OK) {
        die("out of memory");
    }
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcmp(modes[i].name, options.mode) == 0) {
            result.unit = modes[i].unit;
            modes[i].run(&options, &result);
            print_result(&options, &result);
            tusk_hist_free(result.latency);
            return result.errors == 0 ? 0 : 1;
        }
    }
    (void)fputs(usage, stderr);
    return 2;
}
