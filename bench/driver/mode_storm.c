/* SPDX-License-Identifier: MIT */
/* storm: `conns` event streams are open while a publisher posts --rate messages a second; after the
 * warm-up the server is ended and started again. Everybody comes back with Last-Event-ID. When were
 * 50, 95, 100 % back and receiving, and was any acknowledged message lost or doubled? In --path and
 * --publish, {i} is the client's number, {t} that modulo 100, {m} the mark. */
#define _GNU_SOURCE
#include "driver.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "http.h"

enum {
    MESSAGES_MAX = 4096,
    MARK_LEN = 8,
    TABS_OF = 100,  /* {t}: users that share the clients among them */
    RETRY_MS = 1000 /* until the server says otherwise */
};

typedef enum client_state {
    CLIENT_WAITING,
    CLIENT_CONNECTING,
    CLIENT_HEAD,
    CLIENT_STREAM
} client_state;

struct storm;

typedef struct client {
    int fd;
    client_state state;
    uint32_t index;
    uint32_t head_len;
    uint64_t due_ns;
    bool again;          /* this stream was opened after the restart */
    uint64_t resumed_ns; /* its first message */
    sse_stream stream;
    struct storm *storm;
    char head[1024];
    uint64_t seen[MESSAGES_MAX / 64];
} client;

typedef struct storm {
    const driver_options *options;
    driver_result *result;
    int poller;
    client *clients;
    uint32_t streaming;
    uint32_t resumed;
    uint64_t restart_ns;
    uint64_t now;
    uint64_t lost;
    uint64_t doubled;
    uint64_t refused;
    /* the publisher */
    int publisher;
    bool awaiting;
    uint32_t published;
    uint32_t first_counted; /* published when all were subscribed */
    bool acknowledged[MESSAGES_MAX];
    uint64_t published_ns[MESSAGES_MAX];
    uint64_t next_publish_ns;
    char answer[4096];
    size_t answer_len;
} storm;

/* `format` with {i}, {t} and {m} put in. */
static void expand(char *out, size_t size, const char *format, uint32_t index, const char *mark)
{
    size_t n = 0;
    while (*format != '\0' && n + 24 < size) {
        if (strncmp(format, "{i}", 3) == 0) {
            n += (size_t)snprintf(out + n, size - n, "%u", index);
            format += 3;
        } else if (strncmp(format, "{t}", 3) == 0) {
            n += (size_t)snprintf(out + n, size - n, "%u", index % TABS_OF);
            format += 3;
        } else if (strncmp(format, "{m}", 3) == 0) {
            n += (size_t)snprintf(out + n, size - n, "%s", mark);
            format += 3;
        } else {
            out[n++] = *format++;
        }
    }
    out[n] = '\0';
}

static void wait_again(client *self)
{
    uint64_t retry = self->stream.retry_ms;
    if (self->fd >= 0) {
        (void)close(self->fd);
        self->fd = -1;
    }
    if (self->state == CLIENT_STREAM) {
        self->storm->streaming--;
    }
    self->state = CLIENT_WAITING;
    /* As browsers do: what the server said; clients of their own have jitter. */
    self->due_ns =
        now_ns() + (retry != 0 ? retry * 1000000U
                               : (uint64_t)RETRY_MS * (500000U + (uint64_t)(random() % 500000)));
}

static void connect_client(client *self)
{
    const storm *run = self->storm;
    self->fd = net_connect_start(run->options, self->index);
    if (self->fd < 0) {
        self->state = CLIENT_CONNECTING;
        wait_again(self);
        return;
    }
    self->state = CLIENT_CONNECTING;
    self->head_len = 0;
    struct epoll_event event = {.events = EPOLLOUT, .data.ptr = self};
    (void)epoll_ctl(run->poller, EPOLL_CTL_ADD, self->fd, &event);
}

static void send_subscribe(client *self)
{
    const driver_options *o = self->storm->options;
    char path[256];
    char header[256];
    char text[1024];
    expand(path, sizeof(path), o->path, self->index, "");
    expand(header, sizeof(header), o->header != NULL ? o->header : "", self->index, "");
    bool resume = self->stream.last_id[0] != '\0';
    int n =
        snprintf(text, sizeof(text),
                 "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n%s%s%s%s%s\r\n", path,
                 o->host, header, header[0] != '\0' ? "\r\n" : "", resume ? "Last-Event-ID: " : "",
                 resume ? self->stream.last_id : "", resume ? "\r\n" : "");
    if (send(self->fd, text, (size_t)n, MSG_NOSIGNAL) != n) {
        wait_again(self);
        return;
    }
    self->state = CLIENT_HEAD;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = self};
    (void)epoll_ctl(self->storm->poller, EPOLL_CTL_MOD, self->fd, &event);
}

/* A data line of ours holds "~mark~", whatever the application wraps around it. */
static bool on_data(void *user, const char *data, size_t len)
{
    client *self = user;
    storm *run = self->storm;
    const char *at = memchr(data, '~', len);
    if (at == NULL || (size_t)(data + len - at) < MARK_LEN + 2 || at[MARK_LEN + 1] != '~') {
        return true;
    }
    uint32_t seq = (uint32_t)strtoul(at + 1, NULL, 16);
    if (seq >= MESSAGES_MAX) {
        return true;
    }
    uint64_t bit = UINT64_C(1) << seq % 64;
    run->doubled += (self->seen[seq / 64] & bit) != 0;
    self->seen[seq / 64] |= bit;
    if (self->again && self->resumed_ns == 0) {
        self->resumed_ns = run->now;
        tusk_hist_record(run->result->latency, run->now - run->restart_ns);
        run->resumed++;
    }
    return true;
}

static void on_client(client *self, uint32_t events, char *buf)
{
    storm *run = self->storm;
    if (self->state == CLIENT_CONNECTING) {
        if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
            wait_again(self);
        } else {
            send_subscribe(self);
        }
        return;
    }
    ssize_t n = recv(self->fd, buf, READ_BUF_LEN, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (n <= 0) {
        wait_again(self);
        return;
    }
    size_t skip = 0;
    if (self->state == CLIENT_HEAD) {
        size_t room = sizeof(self->head) - self->head_len;
        size_t take = (size_t)n < room ? (size_t)n : room;
        memcpy(self->head + self->head_len, buf, take);
        http_head head = http_head_of(self->head, self->head_len + take);
        if (head.len == 0) {
            self->head_len += (uint32_t)take;
            return;
        }
        if (head.status != 200) {
            run->refused++;
            wait_again(self);
            return;
        }
        skip = head.len - self->head_len;
        self->state = CLIENT_STREAM;
        self->again = run->restart_ns != 0;
        run->streaming++;
        sse_init(&self->stream, head.chunked);
    }
    if (!sse_feed(&self->stream, buf + skip, (size_t)n - skip, on_data, self)) {
        wait_again(self);
    }
}

static void publisher_gone(storm *run)
{
    (void)close(run->publisher);
    run->publisher = -1;
    run->awaiting = false;
    run->answer_len = 0;
    run->next_publish_ns = run->now + 20000000U;
}

/* One at a time; what was sent and not answered counts neither as lost nor as acknowledged. */
static void publish(storm *run)
{
    const driver_options *o = run->options;
    char mark[32];
    char path[512];
    char header[256];
    char text[2048];
    if (run->publisher < 0) {
        run->publisher = net_connect_start(o, o->conns);
        if (run->publisher < 0) {
            run->next_publish_ns = run->now + 20000000U;
            return;
        }
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
        (void)epoll_ctl(run->poller, EPOLL_CTL_ADD, run->publisher, &event);
        run->next_publish_ns = run->now + 5000000U; /* connected by then, or refused */
        return;
    }
    (void)snprintf(mark, sizeof(mark), "~%08x~", run->published);
    expand(path, sizeof(path), strchr(o->publish, ' ') + 1, 0, mark);
    expand(header, sizeof(header), o->header != NULL ? o->header : "", 0, mark);
    bool post = strncmp(o->publish, "POST", 4) == 0;
    char body[256] = "";
    char *space = strchr(path, ' ');
    if (space != NULL) {
        *space = '\0';
        (void)snprintf(body, sizeof(body), "%s", space + 1);
    }
    int body_len = (int)strlen(body);
    int n = post ? snprintf(text, sizeof(text),
                            "POST %s HTTP/1.1\r\nHost: %s\r\n%s%s"
                            "Content-Type: application/x-www-form-urlencoded\r\n"
                            "Content-Length: %d\r\n\r\n%s",
                            path, o->host, header, header[0] != '\0' ? "\r\n" : "", body_len, body)
                 : snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: %s\r\n%s%s\r\n", path,
                            o->host, header, header[0] != '\0' ? "\r\n" : "");
    if (send(run->publisher, text, (size_t)n, MSG_NOSIGNAL) != n) {
        publisher_gone(run);
        return;
    }
    run->awaiting = true;
    run->published_ns[run->published] = run->now;
    run->published++;
    run->next_publish_ns = run->now + (uint64_t)(1e9 / o->rate);
}

static void on_publisher(storm *run)
{
    ssize_t n = recv(run->publisher, run->answer + run->answer_len,
                     sizeof(run->answer) - run->answer_len, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (n <= 0) {
        publisher_gone(run);
        return;
    }
    run->answer_len += (size_t)n;
    http_head head = http_head_of(run->answer, run->answer_len);
    if (head.len != 0 && run->answer_len >= head.len + head.body_len) {
        bool ok = head.status >= 200 && head.status < 300;
        if (!ok) {
            result_error(run->result, "publish answered: %.60s", run->answer);
        }
        run->acknowledged[run->published - 1] = ok;
        run->awaiting = false;
        run->answer_len = 0;
    }
}

/* One turn; connects at most `burst` clients. */
static void turn(storm *run, char *buf, uint32_t burst)
{
    struct epoll_event events[EVENTS_MAX];
    int n = epoll_wait(run->poller, events, EVENTS_MAX, 2);
    run->now = now_ns();
    for (int i = 0; i < n; i++) {
        if (events[i].data.ptr == NULL) {
            on_publisher(run);
        } else {
            on_client(events[i].data.ptr, events[i].events, buf);
        }
    }
    for (uint32_t i = 0; i < run->options->conns && burst > 0; i++) {
        client *one = &run->clients[i];
        if (one->state == CLIENT_WAITING && one->due_ns <= run->now) {
            connect_client(one);
            burst--;
        }
    }
}

static void publish_when_due(storm *run)
{
    if (!run->awaiting && run->now >= run->next_publish_ns && run->published < MESSAGES_MAX) {
        publish(run);
    }
}

static bool is_gone(pid_t pid)
{
    char path[64];
    char state = 'Z';
    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) {
            state = 'Z';
        }
        (void)fclose(file);
    }
    return state == 'Z';
}

/* Ends the server and, when it is gone, runs the command in its place; clients go on meanwhile. */
static pid_t restart(storm *run, char *buf)
{
    const driver_options *o = run->options;
    uint64_t signalled = now_ns();
    (void)kill(o->pid, o->restart_signal);
    for (uint64_t looked = 0; now_ns() - signalled < UINT64_C(20000000000);) {
        turn(run, buf, 256);
        publish_when_due(run);
        if (run->now - looked > 2000000U) {
            looked = run->now;
            if (is_gone(o->pid)) {
                break;
            }
        }
    }
    run->restart_ns = now_ns();
    result_fact(run->result, "ended_ms", (double)(run->restart_ns - signalled) / 1e6);
    pid_t child = fork();
    if (child == 0) {
        (void)setpgid(0, 0);
        (void)execl("/bin/sh", "sh", "-c", o->restart, (char *)NULL);
        _exit(127);
    }
    return child;
}

static void count_losses(storm *run)
{
    for (uint32_t i = 0; i < run->options->conns; i++) {
        for (uint32_t seq = run->first_counted; seq < run->published; seq++) {
            bool seen = (run->clients[i].seen[seq / 64] >> seq % 64 & 1) != 0;
            run->lost += run->acknowledged[seq] && !seen;
        }
    }
}

/* The first message that somebody lacks: where to look. */
static void tell_loss(const storm *run)
{
    for (uint32_t seq = run->first_counted; seq < run->published; seq++) {
        uint32_t lacking = 0;
        for (uint32_t i = 0; i < run->options->conns; i++) {
            lacking += (run->clients[i].seen[seq / 64] >> seq % 64 & 1) == 0;
        }
        if (run->acknowledged[seq] && lacking > 0) {
            (void)fprintf(stderr, "message %u (%+.3f s from the restart) is lacking in %u\n", seq,
                          ((double)run->published_ns[seq] - (double)run->restart_ns) / 1e9,
                          lacking);
        }
    }
}

static void run_until(storm *run, char *buf, double seconds, uint32_t *condition, uint32_t target)
{
    uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
    do {
        turn(run, buf, 256);
        publish_when_due(run);
    } while (run->now < end && (condition == NULL || *condition < target));
}

static void report(storm *run)
{
    const driver_options *o = run->options;
    driver_result *result = run->result;
    const double shares[] = {50, 95, 100};
    const char *const names[] = {"back50_ms", "back95_ms", "back100_ms"};
    for (size_t i = 0; i < 3; i++) {
        bool reached = run->resumed >= (uint32_t)(shares[i] / 100 * o->conns);
        result_fact(result, names[i],
                    reached ? (double)tusk_hist_percentile(result->latency,
                                                           shares[i] / 100 * o->conns * 100 /
                                                               (run->resumed + 1e-9)) /
                                  1e6
                            : -1);
    }
    uint32_t acknowledged = 0;
    for (uint32_t i = run->first_counted; i < run->published; i++) {
        acknowledged += run->acknowledged[i];
    }
    result_fact(result, "resumed", run->resumed);
    result_fact(result, "acknowledged", acknowledged);
    result_fact(result, "lost", (double)run->lost);
    result_fact(result, "doubled", (double)run->doubled);
    result_fact(result, "refused", (double)run->refused);
    if (run->lost != 0 || run->doubled != 0 || run->resumed != o->conns) {
        result_error(result, "lost, doubled or not back");
    }
}

void mode_storm(const driver_options *options, driver_result *result)
{
    if (options->pid == 0 || options->restart == NULL) {
        die("storm needs --pid and --restart");
    }
    storm *run = must_alloc(1, sizeof(storm));
    char *buf = must_alloc(READ_BUF_LEN, 1);
    run->options = options;
    run->result = result;
    run->publisher = -1;
    run->poller = epoll_create1(EPOLL_CLOEXEC);
    run->clients = must_alloc(options->conns, sizeof(client));
    for (uint32_t i = 0; i < options->conns; i++) {
        run->clients[i].fd = -1;
        run->clients[i].index = i;
        run->clients[i].storm = run;
    }
    run->next_publish_ns = UINT64_MAX;
    run_until(run, buf, 60, &run->streaming, options->conns);
    if (run->streaming < options->conns) {
        die("only %u of %u subscribed", run->streaming, options->conns);
    }
    run->first_counted = run->published;
    run->next_publish_ns = 0;
    run_until(run, buf, options->warmup, NULL, 0);
    pid_t child = restart(run, buf);
    uint64_t start = now_ns();
    run_until(run, buf, options->seconds, &run->resumed, options->conns);
    run_until(run, buf, 1, NULL, 0);
    run->next_publish_ns = UINT64_MAX;
    run_until(run, buf, 2, NULL, 0); /* what was acknowledged last reaches everybody */
    count_losses(run);
    tell_loss(run);
    result->seconds = (double)(now_ns() - start) / 1e9;
    result->messages = run->resumed;
    result->server_cpu = proc_cpu_seconds(child);
    result->own_cpu = proc_own_cpu_seconds();
    report(run);
    (void)kill(-child, SIGTERM);
    (void)waitpid(child, NULL, 0);
}
