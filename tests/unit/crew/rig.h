/* SPDX-License-Identifier: MIT */
/* A crew with real forks whose workers greet who connects with their slot, seat and process. */
#ifndef TUSK_TEST_CREW_RIG_H
#define TUSK_TEST_CREW_RIG_H

#include "test.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tusk/crew.h>

#include "crew/inner.h"
#include "loop/process.h"
#include "net/listener.h"
#include "net/socket.h"

enum { CONNS_MAX = 64, DEADLINE_MS = 20000, WORK_MS = 300 };

typedef struct greeting {
    uint32_t slot, seat;
    int32_t pid;
    uint32_t uid;
} greeting;

/* What the test wants of workers, seen by all processes. */
static struct {
    _Atomic uint32_t die_in_slot; /* slot + 1: whoever starts there dies before it is ready */
    _Atomic uint32_t deaf;        /* orders are not obeyed */
    _Atomic uint32_t ready_not;   /* says nothing when it serves */
    _Atomic uint64_t spare;       /* so much more than at its start it may hold; 0: no bound */
    _Atomic uint32_t takes_ms;    /* whoever starts, at least */
    _Atomic uint32_t slow;        /* 1: whoever starts waits; 2: the first one of them dies */
    _Atomic uint32_t heavy;       /* workers that held more */
} * wish;

static struct {
    tusk_loop *loop;
    tusk_crew *crew;
    tusk_crew_options options;
    int stopped;
    uint32_t gone;
    uint32_t unready;
    int unready_status; /* of the last one; and whether others had been ready */
    bool unready_ever;
    bool stop_unready; /* the crew is stopped then */
    char log[512];
} m;

/* ---- the worker ---- */
static struct {
    tusk_loop *loop;
    tusk_crew_worker *worker;
    tusk_listener *own;
    tusk_listener *adopted[TUSK_CREW_WORKERS_MAX];
    tusk_io sessions[CONNS_MAX];
    uint32_t count;
    bool draining;
} w;

static inline void leave_if_empty(void)
{
    if (w.draining && w.count == 0) {
        tusk_loop_stop(w.loop);
    }
}

static inline void leave(void)
{
    tusk_crew_worker_leave(w.worker);
    w.draining = true;
    tusk_listener_close(w.own);
    w.own = NULL;
    leave_if_empty();
}

static inline void on_heavy(void *user, uint64_t now)
{
    (void)user;
    assert(now > 0);
    atomic_fetch_add(&wish->heavy, 1);
    leave();
}

static inline void be_bound(void)
{
    uint64_t now = 0;
    uint64_t spare = atomic_load(&wish->spare);
    if (spare > 0 && (tusk_crew_worker_bound(w.worker, 0, &now, on_heavy) != TUSK_ELIMIT ||
                      tusk_crew_worker_bound(w.worker, now + spare, &now, on_heavy) != TUSK_OK)) {
        _exit(9);
    }
}

static inline void grow(void)
{
    enum { MUCH = 64 << 20 };
    char *much = mmap(NULL, MUCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (much == MAP_FAILED) {
        _exit(9);
    }
    memset(much, 1, MUCH);
}

static inline void work(void)
{
    struct timespec used;
    uint64_t ms;
    do {
        (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        ms = (uint64_t)used.tv_sec * 1000 + (uint64_t)used.tv_nsec / 1000000;
    } while (ms < WORK_MS);
}

/* A child that says its number and dies with its parent. */
static inline pid_t bear(const char *name, int tell, int parent)
{
    pid_t pid = fork();
    if (pid == 0) {
        pid = getpid();
        tusk__process_name(name);
        if (!tusk__die_with(parent) || write(tell, &pid, sizeof(pid)) != (ssize_t)sizeof(pid)) {
            _exit(9);
        }
        return 0;
    }
    return pid;
}

/* What a worker leaves behind that is killed: a pool, and somebody of the application's. */
static inline void have_children(int tell)
{
    if (bear(TUSK_NAME_TEMPLATE, tell, getpid()) == 0) {
        (void)bear(TUSK_NAME_WORKER, tell, getpid());
        for (;;) {
            (void)pause();
        }
    }
    if (bear("somebody", tell, getpid()) == 0) {
        for (;;) {
            (void)pause();
        }
    }
}

/* A byte of the client's: 'c' has children, 'x' dies, 'l' leaves, 's' stops all, 'g' takes 64 MiB,
 * 'w' works for a while, its end ends the session. */
static inline void on_session(tusk_io *io, unsigned events)
{
    char byte;
    ssize_t got = read(io->fd, &byte, 1);
    if (got > 0 && byte == 'x') {
        _exit(3);
    }
    if (got > 0 && byte == 's') {
        tusk_crew_worker_stop(w.worker);
        return;
    }
    if (got > 0 && byte == 'c') {
        have_children(io->fd);
        return;
    }
    if (got > 0 && byte == 'g') {
        grow();
        return;
    }
    if (got > 0 && byte == 'w') {
        work();
        return;
    }
    if (got > 0 && byte == 'l') {
        leave();
        return;
    }
    if (got <= 0) {
        tusk_io_remove(w.loop, io);
        (void)close(io->fd);
        io->fd = -1;
        w.count--;
        leave_if_empty();
    }
}

static inline void on_accept(void *user, int fd, const tusk_addr *peer)
{
    greeting hello = {tusk_crew_worker_slot(w.worker), tusk_crew_worker_seat(w.worker), getpid(),
                      (uint32_t)geteuid()};
    for (int i = 0; i < CONNS_MAX; i++) {
        if (w.sessions[i].fd < 0) {
            w.sessions[i] = (tusk_io){.fd = fd, .on_event = on_session};
            w.count++;
            (void)tusk_io_add(w.loop, &w.sessions[i], TUSK_IO_READ);
            (void)!write(fd, &hello, sizeof(hello));
            return;
        }
    }
    (void)close(fd);
}

static inline tusk_listener *accept_at(uint32_t slot)
{
    static const tusk_listener_options options = {.keep_path = true};
    tusk_listener *listener;
    int fd = tusk_crew_worker_socket(w.worker, slot, 0);
    if (fd < 0 ||
        tusk_listener_adopt(&listener, w.loop, fd, NULL, &options, on_accept, NULL) != 0) {
        _exit(9);
    }
    tusk_listener_resume(listener);
    return listener;
}

static inline void on_drain(void *user, bool cut)
{
    if (atomic_load(&wish->deaf) != 0) {
        return;
    }
    w.draining = true;
    tusk_listener_close(w.own);
    w.own = NULL;
    for (uint32_t i = 0; i < TUSK_CREW_WORKERS_MAX; i++) {
        tusk_listener_close(w.adopted[i]);
        w.adopted[i] = NULL;
    }
    w.count = cut ? 0 : w.count;
    leave_if_empty();
}

static inline void on_adopt(void *user, uint32_t slot, bool adopt)
{
    tusk_listener_close(w.adopted[slot]);
    w.adopted[slot] = adopt ? accept_at(slot) : NULL;
}

static inline int run(void *user, tusk_crew_worker *worker)
{
    static const tusk_crew_orders orders = {.on_drain = on_drain, .on_adopt = on_adopt};
    if (atomic_load(&wish->die_in_slot) == tusk_crew_worker_slot(worker) + 1) {
        return 4;
    }
    uint32_t dies = 2;
    (void)usleep(1000 * atomic_load(&wish->takes_ms));
    while (atomic_load(&wish->slow) == 1) {
        (void)usleep(1000);
    }
    if (atomic_compare_exchange_strong(&wish->slow, &dies, 0)) {
        return 4;
    }
    w.worker = worker;
    for (int i = 0; i < CONNS_MAX; i++) {
        w.sessions[i].fd = -1;
    }
    if (tusk_loop_new(&w.loop, NULL) != TUSK_OK ||
        tusk_crew_worker_obey(worker, w.loop, &orders, NULL) != TUSK_OK) {
        return 9;
    }
    be_bound();
    w.own = accept_at(tusk_crew_worker_slot(worker));
    if (atomic_load(&wish->ready_not) == 0) {
        tusk_crew_worker_ready(worker);
    }
    return tusk_loop_run(w.loop) == TUSK_OK ? 0 : 9;
}

/* ---- the master ---- */
static inline void on_gone(void *user, uint32_t seat)
{
    m.gone++;
}

static inline void on_unready(void *user, int status, bool ever)
{
    m.unready++;
    m.unready_status = status;
    m.unready_ever = ever;
    if (m.stop_unready) {
        tusk_crew_stop(m.crew);
    }
}

static inline void on_log(void *user, const char *text)
{
    (void)snprintf(m.log, sizeof(m.log), "%s", text);
}

static inline void on_stopped(void *user)
{
    m.stopped++;
}

static const tusk_crew_calls calls = {.run = run,
                                      .on_gone = on_gone,
                                      .on_unready = on_unready,
                                      .on_log = on_log,
                                      .on_stopped = on_stopped};

static inline tusk_crew_stats stats(void)
{
    tusk_crew_stats now;
    tusk_crew_stats_get(m.crew, &now);
    return now;
}

static inline uint64_t now_ms(void)
{
    return tusk_loop_clock_ns() / 1000000u;
}

#define UNTIL(condition)                                                                           \
    for (uint64_t until__ = now_ms() + DEADLINE_MS; !(condition);) {                               \
        assert_true(now_ms() < until__);                                                           \
        assert_err(tusk_loop_turn(m.loop, 20), TUSK_OK);                                           \
    }

static inline void make(uint32_t workers)
{
    assert_err(tusk_loop_new(&m.loop, NULL), TUSK_OK);
    m.options.loop = m.loop;
    m.options.workers = workers;
    m.options.calls = &calls;
    assert_err(tusk_crew_new(&m.crew, &m.options), TUSK_OK);
}

static inline void begin(uint32_t workers)
{
    char reason[128];
    make(workers);
    assert_err(tusk_crew_listen(m.crew, "127.0.0.1:0", 0), TUSK_OK);
    assert_err(tusk_crew_start(m.crew, reason, sizeof(reason)), TUSK_OK);
    if (atomic_load(&wish->die_in_slot) == 0 && atomic_load(&wish->ready_not) == 0 &&
        atomic_load(&wish->slow) == 0) {
        UNTIL(stats().workers == workers);
    }
}

static inline int set_up(void **state)
{
    memset(&m, 0, sizeof(m));
    wish = mmap(NULL, sizeof(*wish), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return wish == MAP_FAILED ? -1 : 0;
}

static inline int tear_down(void **state)
{
    tusk_crew_free(m.crew);
    tusk_loop_free(m.loop);
    (void)munmap(wish, sizeof(*wish));
    return 0;
}

/* ---- the client ---- */
static inline int dial(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(tusk_crew_port(m.crew, 0)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval patience = {.tv_sec = DEADLINE_MS / 1000};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static inline greeting hear(int fd)
{
    greeting hello = {0};
    assert_int_equal(recv(fd, &hello, sizeof(hello), MSG_WAITALL), sizeof(hello));
    return hello;
}

/* A session with the worker of that slot (by chance of the kernel's choice of the socket). */
static inline int dial_slot(uint32_t slot, greeting *hello)
{
    for (int i = 0; i < 2000; i++) {
        int fd = dial();
        *hello = hear(fd);
        if (hello->slot == slot) {
            return fd;
        }
        (void)close(fd);
    }
    fail_msg("no connection reached slot %u", slot);
    return -1;
}

static inline bool ended(int fd)
{
    char byte;
    return recv(fd, &byte, 1, 0) <= 0;
}

static inline bool lives(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

#define CREW_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
