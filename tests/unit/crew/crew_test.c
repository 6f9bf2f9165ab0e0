/* SPDX-License-Identifier: MIT */
/* The crew: one port for all, deaths, pauses, adoption, the master's own end, identities. */
#define _GNU_SOURCE
#include <sys/prctl.h>
#include <sys/resource.h>

#include "rig.h"

static void every_slot_serves_the_one_port_that_the_kernel_chose(void **state)
{
    greeting hello;
    begin(4);
    for (uint32_t slot = 0; slot < 4; slot++) {
        int fd = dial_slot(slot, &hello);
        assert_int_not_equal(hello.pid, getpid());
        (void)close(fd);
    }
}

static void a_killed_worker_takes_only_its_sessions_along_and_is_replaced(void **state)
{
    greeting first, second, next;
    m.options.settled_ms = 1;
    begin(2);
    int lost = dial_slot(0, &first);
    int kept = dial_slot(1, &second);
    assert_int_equal(kill(first.pid, SIGKILL), 0);
    UNTIL(stats().crashes == 1 && stats().workers == 2);
    assert_true(ended(lost));
    assert_true(lives(kept));
    int fd = dial_slot(0, &next);
    assert_int_not_equal(next.pid, first.pid);
    assert_int_equal(m.gone, 1);
    assert_non_null(strstr(m.log, "signal 9"));
    assert_non_null(strstr(m.log, "; another takes its place"));
    (void)close(lost);
    (void)close(kept);
    (void)close(fd);
}

static uint64_t worked_ms(void)
{
    tusk_usage usage;
    tusk_crew_usage(m.crew, &usage);
    assert_true(usage.cpu_ms != TUSK_USAGE_UNTOLD);
    return usage.cpu_ms;
}

static bool is_no_less(uint64_t *than)
{
    uint64_t now = worked_ms();
    assert_true(now >= *than);
    *than = now;
    return true;
}

static void a_worker_that_was_stopped_is_told_of_and_told_of_again_when_it_goes_on(void **state)
{
    greeting hello;
    char name[64];
    m.options.ask_ms = 30;
    begin(1);
    int fd = dial_slot(0, &hello);
    (void)snprintf(name, sizeof(name), "worker 0 (process %d) ", (int)hello.pid);
    assert_int_equal(kill(hello.pid, SIGSTOP), 0);
    UNTIL(stats().silent == 1 && strstr(m.log, name) != NULL);
    assert_non_null(strstr(m.log, " s: it was stopped (SIGSTOP), or a handler holds its loop"));
    assert_int_equal(stats().workers, 1);
    m.log[0] = '\0';
    assert_int_equal(kill(hello.pid, SIGCONT), 0);
    UNTIL(strstr(m.log, name) != NULL && strstr(m.log, "answers again, after ") != NULL);
    UNTIL(stats().silent == 0);
    assert_true(lives(fd));
    assert_int_equal(stats().crashes, 0);
    (void)close(fd);
}

static void a_silent_worker_that_dies_is_not_missed(void **state)
{
    greeting hello;
    m.options.ask_ms = 30;
    begin(1);
    int fd = dial_slot(0, &hello);
    assert_int_equal(kill(hello.pid, SIGSTOP), 0);
    UNTIL(stats().silent == 1);
    assert_int_equal(kill(hello.pid, SIGKILL), 0);
    UNTIL(stats().crashes == 1 && stats().workers == 1);
    UNTIL(stats().silent == 0);
    (void)close(fd);
}

static void what_a_worker_took_is_in_the_sum_before_and_after_its_death(void **state)
{
    greeting hello;
    tusk_usage own, all;
    tusk_usage_get(&own);
    if (own.cpu_ms == TUSK_USAGE_UNTOLD) {
        skip();
    }
    m.options.settled_ms = 1;
    begin(2);
    int fd = dial_slot(0, &hello);
    assert_int_equal(write(fd, "w", 1), 1);
    UNTIL(worked_ms() >= own.cpu_ms + WORK_MS - 20);
    tusk_usage_get(&own);
    tusk_crew_usage(m.crew, &all);
    assert_true(all.cpu_ms >= own.cpu_ms + WORK_MS / 2);
    assert_true(all.resident_bytes > own.resident_bytes * 3 / 2);
    assert_true(all.open_fds > 3 && all.open_fds < all.max_fds);
    assert_true(all.start_ms == own.start_ms);
    uint64_t least = all.cpu_ms;
    assert_int_equal(kill(hello.pid, SIGKILL), 0);
    UNTIL(is_no_less(&least) && stats().crashes == 1 && stats().workers == 2);
    assert_true(is_no_less(&least));
    (void)close(fd);
}

static void children_of_the_application_are_left_to_it(void **state)
{
    greeting hello;
    int status;
    m.options.settled_ms = 1;
    begin(1);
    pid_t own = fork();
    if (own == 0) {
        _exit(5);
    }
    int fd = dial_slot(0, &hello);
    assert_int_equal(kill(hello.pid, SIGKILL), 0);
    UNTIL(stats().crashes == 1 && stats().workers == 1);
    assert_int_equal(waitpid(own, &status, 0), own);
    assert_int_equal(WEXITSTATUS(status), 5);
    (void)close(fd);
}

static uint32_t count_there(const pid_t *pids, uint32_t count, pid_t *last)
{
    uint32_t there = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is = kill(pids[i], 0) == 0;
        there += is;
        *last = is ? pids[i] : *last;
    }
    return there;
}

/* As the first process of a container, whose place PR_SET_CHILD_SUBREAPER gives to the test. */
static void what_a_pool_of_a_dead_worker_leaves_behind_is_reaped_where_it_is_inherited(void **state)
{
    greeting hello;
    pid_t pids[3];
    int status;
    m.options.settled_ms = 1;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    begin(1);
    int fd = dial_slot(0, &hello);
    assert_int_equal(write(fd, "c", 1), 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(read(fd, &pids[i], sizeof(pids[i])), sizeof(pids[i]));
    }
    assert_int_equal(kill(hello.pid, SIGKILL), 0);
    UNTIL(stats().crashes == 1 && stats().workers == 1);
    pid_t own = 0;
    UNTIL(count_there(pids, 3, &own) <= 1);
    assert_int_equal(count_there(pids, 3, &own), 1);
    assert_int_equal(waitpid(own, &status, 0),
                     own); /* the application's, and its own to wait for */
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
    (void)close(fd);
}

static void pauses_double_up_to_their_limit(void **state)
{
    const tusk_crew_options options = {.pause_ms_min = 100, .pause_ms_max = 10000};
    const uint32_t pauses[] = {0, 100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000};
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(crew_pause_ms(&options, i), pauses[i]);
    }
    assert_int_equal(crew_pause_ms(&options, UINT32_MAX), 10000);
}

static void a_worker_that_dies_at_once_is_no_fork_bomb_and_others_serve_its_slot(void **state)
{
    m.options.pause_ms_min = m.options.pause_ms_max = 3600 * 1000;
    atomic_store(&wish->die_in_slot, 1);
    begin(2);
    UNTIL(stats().waiting == 1 && stats().workers == 1 && stats().adopted == 1);
    assert_int_equal(stats().started, 2);
    for (int i = 0; i < 100; i++) { /* some half of these are queued at slot 0 */
        int fd = dial();
        assert_int_equal(hear(fd).slot, 1);
        (void)close(fd);
    }
    assert_int_equal(stats().started, 2);
    assert_non_null(strstr(m.log, "before it was ready"));
}

static void a_crew_of_which_nobody_was_ever_ready_may_be_stopped(void **state)
{
    m.stop_unready = true;
    atomic_store(&wish->die_in_slot, 1);
    begin(1);
    UNTIL(m.stopped == 1);
    assert_int_equal(m.unready, 1);
    assert_false(m.unready_ever);
    assert_true(WIFEXITED(m.unready_status) && WEXITSTATUS(m.unready_status) == 4);
    assert_int_equal(stats().started, 1);
}

static void a_successor_that_dies_before_it_is_ready_is_told_as_such(void **state)
{
    m.options.pause_ms_min = m.options.pause_ms_max = 1;
    begin(2);
    assert_int_equal(m.unready, 0);
    atomic_store(&wish->die_in_slot, 1);
    tusk_crew_reload(m.crew);
    UNTIL(m.unready == 1);
    assert_true(m.unready_ever);
    assert_int_equal(stats().workers, 2); /* whom it was to follow stays */
}

/* Without a descriptor, or a process that may be, left. */
static void a_worker_that_cannot_be_forked_is_said_with_the_reason_and_comes_later(void **state)
{
    struct rlimit former;
    struct rlimit few = {0};
    m.options.pause_ms_min = m.options.pause_ms_max = 1;
    begin(1);
    int fd = dial();
    pid_t was = stats().started == 1 ? hear(fd).pid : 0;
    (void)close(fd);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &former), 0);
    few.rlim_max = former.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_int_equal(kill(was, SIGKILL), 0);
    UNTIL(strstr(m.log, "cannot be forked") != NULL);
    char line[128]; /* in the words of this libc */
    (void)snprintf(line, sizeof(line), "worker 0 cannot be forked: %s", strerror(EMFILE));
    assert_string_equal(m.log, line);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &former), 0);
    UNTIL(stats().workers == 1 && stats().started == 2);
}

static void a_slot_that_is_filled_again_is_given_back(void **state)
{
    greeting hello;
    m.options.pause_ms_min = m.options.pause_ms_max = 1;
    atomic_store(&wish->die_in_slot, 1);
    begin(2);
    UNTIL(stats().adopted == 1 && stats().crashes >= 3);
    atomic_store(&wish->die_in_slot, 0);
    UNTIL(stats().workers == 2);
    int fd = dial_slot(0, &hello);
    (void)close(fd);
    assert_int_equal(stats().waiting, 0);
}

static void what_waits_in_a_dead_workers_queue_is_served_by_the_next_one(void **state)
{
    greeting first;
    m.options.settled_ms = 1;
    begin(1);
    int seen = dial_slot(0, &first);
    assert_int_equal(kill(first.pid, SIGSTOP), 0);
    int queued[10];
    for (int i = 0; i < 10; i++) {
        queued[i] = dial();
    }
    assert_int_equal(kill(first.pid, SIGKILL), 0);
    UNTIL(stats().crashes == 1 && stats().workers == 1);
    for (int i = 0; i < 10; i++) {
        assert_int_not_equal(hear(queued[i]).pid, first.pid);
        (void)close(queued[i]);
    }
    (void)close(seen);
}

static void an_exit_of_its_own_is_a_crash(void **state)
{
    greeting first;
    m.options.settled_ms = 1;
    begin(1);
    int session = dial_slot(0, &first);
    assert_int_equal(send(session, "x", 1, 0), 1);
    UNTIL(stats().crashes == 1 && stats().workers == 1);
    assert_non_null(strstr(m.log, "exit 3"));
    (void)close(session);
}

/* Another process is the master; its workers' sessions end with it. */
/* ---- descriptors ---- */
static int rotated[2]; /* what the application had open, and what it opens instead */

static void rotate(void *user)
{
    rotated[1] = open("/dev/null", O_WRONLY);
    (void)close(rotated[0]);
    *(bool *)user = true;
}

/* A number may be the worker's own by now: its poller's, for instance. */
static bool has_null(int pid, int fd)
{
    char path[64];
    char target[16] = "";
    (void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
    return readlink(path, target, sizeof(target) - 1) > 0 && strcmp(target, "/dev/null") == 0;
}

static void what_the_application_opens_later_later_workers_have(void **state)
{
    greeting first, next;
    bool called = false;
    m.options.settled_ms = 1;
    rotated[0] = open("/dev/null", O_WRONLY);
    begin(1);
    (void)close(dial_slot(0, &first));
    if (access("/proc/self/fd", F_OK) != 0) {
        skip();
    }
    assert_true(has_null(first.pid, rotated[0]));
    assert_err(tusk_crew_open(m.crew, rotate, &called), TUSK_OK);
    assert_true(called);
    int masters = rotated[0]; /* the number of what was closed */
    assert_int_equal(dup2(rotated[1], masters), masters);
    assert_int_equal(kill(first.pid, SIGKILL), 0);
    UNTIL(stats().crashes == 1 && stats().workers == 1);
    (void)close(dial_slot(0, &next));
    assert_true(has_null(next.pid, rotated[1]));
    assert_false(has_null(next.pid, masters));
    (void)close(masters);
    (void)close(rotated[1]);
}

static void what_the_master_opens_for_itself_no_worker_has(void **state)
{
    greeting hello;
    char reason[128];
    make(1);
    int own = open("/dev/null", O_WRONLY);
    assert_err(tusk_crew_listen(m.crew, "127.0.0.1:0", 0), TUSK_OK);
    assert_err(tusk_crew_start(m.crew, reason, sizeof(reason)), TUSK_OK);
    UNTIL(stats().workers == 1);
    (void)close(dial_slot(0, &hello));
    assert_false(has_null(hello.pid, own));
    (void)close(own);
}

static void workers_die_with_their_master(void **state)
{
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t master = fork();
    assert_true(master >= 0);
    if (master == 0) {
        (void)close(told[0]);
        begin(2);
        uint16_t port = tusk_crew_port(m.crew, 0);
        (void)!write(told[1], &port, sizeof(port));
        for (;;) {
            (void)tusk_loop_turn(m.loop, 1000);
        }
    }
    uint16_t port = 0;
    (void)close(told[1]);
    assert_int_equal(read(told[0], &port, sizeof(port)), sizeof(port));
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval patience = {.tv_sec = DEADLINE_MS / 1000};
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    greeting hello = hear(fd);
    assert_int_not_equal(hello.pid, master);
    assert_int_equal(kill(master, SIGKILL), 0);
    assert_int_equal(waitpid(master, NULL, 0), master);
    assert_true(ended(fd));
    (void)close(fd);
    (void)close(told[0]);
}

static void a_unix_path_is_one_socket_for_all_and_goes_with_the_master(void **state)
{
    char address[64];
    char reason[128];
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    (void)snprintf(to.sun_path, sizeof(to.sun_path), "/tmp/tusk-crew-%d.sock", (int)getpid());
    (void)snprintf(address, sizeof(address), "unix:/tmp/tusk-crew-%d.sock", (int)getpid());
    make(2);
    assert_err(tusk_crew_listen(m.crew, address, 0), TUSK_OK);
    assert_err(tusk_crew_start(m.crew, reason, sizeof(reason)), TUSK_OK);
    UNTIL(stats().workers == 2);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    greeting hello = hear(fd);
    (void)close(fd);
    m.options.settled_ms = 1;
    assert_int_equal(kill(hello.pid, SIGKILL), 0);
    UNTIL(stats().crashes == 1);
    assert_int_equal(access(to.sun_path, F_OK), 0);
    tusk_crew_stop(m.crew);
    UNTIL(m.stopped == 1);
    assert_int_equal(access(to.sun_path, F_OK), -1);
}

static void what_cannot_be_bound_is_said_and_nobody_is_forked(void **state)
{
    char reason[128];
    char address[64];
    begin(1);
    tusk_crew *first = m.crew;
    (void)snprintf(address, sizeof(address), "unix:/nowhere/at/all.sock");
    assert_err(tusk_crew_new(&m.crew, &m.options), TUSK_OK);
    assert_err(tusk_crew_listen(m.crew, "nonsense", 0), TUSK_EINVAL);
    assert_err(tusk_crew_listen(m.crew, address, 0), TUSK_OK);
    assert_int_not_equal(tusk_crew_start(m.crew, reason, sizeof(reason)), TUSK_OK);
    assert_non_null(strstr(reason, "cannot listen on unix:/nowhere"));
    assert_int_equal(stats().started, 0);
    tusk_crew_free(m.crew);
    m.crew = first;
}

static void an_address_that_was_given_twice_is_refused(void **state)
{
    char reason[128];
    char address[64];
    begin(1);
    tusk_crew *first = m.crew;
    (void)snprintf(address, sizeof(address), "127.0.0.1:%u", tusk_crew_port(first, 0));
    assert_err(tusk_crew_new(&m.crew, &m.options), TUSK_OK);
    assert_err(tusk_crew_listen(m.crew, "127.0.0.1:0", 0), TUSK_OK); /* another port each */
    assert_err(tusk_crew_listen(m.crew, "127.0.0.1:0", 0), TUSK_OK);
    assert_err(tusk_crew_listen(m.crew, address, 0), TUSK_OK);
    assert_err(tusk_crew_listen(m.crew, address, 0), TUSK_OK);
    assert_err(tusk_crew_start(m.crew, reason, sizeof(reason)), TUSK_EADDRINUSE);
    assert_non_null(strstr(reason, address));
    assert_int_equal(stats().started, 0);
    tusk_crew_free(m.crew);
    m.crew = first;
}

static void a_loop_with_connections_is_not_forked(void **state)
{
    char reason[128];
    int ends[2];
    tusk_loop *shared;
    assert_err(tusk_loop_new(&shared, NULL), TUSK_OK);
    assert_int_equal(tusk__socket_pair(ends), 0);
    tusk_io io = {.fd = ends[0], .on_event = on_session};
    assert_err(tusk_io_add(shared, &io, TUSK_IO_READ), TUSK_OK);
    m.options.worker_loop = shared;
    make(1);
    assert_err(tusk_crew_start(m.crew, reason, sizeof(reason)), TUSK_ESTATE);
    tusk_io_remove(shared, &io);
    tusk_loop_free(shared);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void bad_options_are_refused(void **state)
{
    tusk_crew_options options = {.calls = &calls, .workers = 1};
    tusk_crew *crew;
    make(1);
    assert_err(tusk_crew_new(&crew, &options), TUSK_EINVAL);
    options.loop = m.loop;
    options.workers = 0;
    assert_err(tusk_crew_new(&crew, &options), TUSK_EINVAL);
    options.workers = TUSK_CREW_WORKERS_MAX + 1;
    assert_err(tusk_crew_new(&crew, &options), TUSK_EINVAL);
    assert_null(crew);
}

static tusk_err make_and_listen(const tusk_mem *mem, void *user)
{
    tusk_loop *loop;
    tusk_crew *crew = NULL;
    const tusk_loop_options loop_options = {.mem = mem};
    tusk_err err = tusk_loop_new(&loop, &loop_options);
    if (err != TUSK_OK) {
        return err;
    }
    const tusk_crew_options options = {.loop = loop, .workers = 2, .calls = &calls};
    err = tusk_crew_new(&crew, &options);
    err = err == TUSK_OK ? tusk_crew_listen(crew, "127.0.0.1:0", 0) : err;
    tusk_crew_free(crew);
    tusk_loop_free(loop);
    return err;
}

static void out_of_memory_is_returned(void **state)
{
    make(1);
    assert_true(test_fail_each_alloc(make_and_listen, false, NULL) > 0);
}

static void unknown_users_and_groups_are_told(void **state)
{
    tusk_identity who;
    make(1);
    assert_err(tusk_identity_find(&who, "nobody-is-called-so", NULL), TUSK_ENOENT);
    assert_err(tusk_identity_find(&who, NULL, "nobody-is-called-so"), TUSK_ENOENT);
    assert_err(tusk_identity_find(&who, "99999999999", NULL), TUSK_ENOENT);
    assert_err(tusk_identity_find(&who, NULL, ""), TUSK_OK);
    assert_false(who.given);
    assert_err(tusk_identity_find(&who, "61234", "61235"), TUSK_OK);
    assert_true(who.given);
    assert_int_equal(who.uid, 61234);
    assert_int_equal(who.gid, 61235);
}

static void workers_are_whom_they_should_be(void **state)
{
    greeting hello;
    tusk_usage own, all;
    if (geteuid() != 0) {
        skip();
    }
    assert_err(tusk_identity_find(&m.options.identity, "61234", NULL), TUSK_OK);
    begin(1);
    int fd = dial_slot(0, &hello);
    assert_int_equal(hello.uid, 61234);
    assert_int_equal(geteuid(), 0);
    tusk_usage_get(&own); /* what it has is told to its master as if they were one */
    tusk_crew_usage(m.crew, &all);
    assert_true((own.cpu_ms == TUSK_USAGE_UNTOLD) == (all.cpu_ms == TUSK_USAGE_UNTOLD));
    assert_true((own.max_fds == TUSK_USAGE_UNTOLD) == (all.max_fds == TUSK_USAGE_UNTOLD));
    (void)close(fd);
}

/* The system forgets whose death is awaited when the user changes: it is asked for afterwards. */
static void workers_of_another_user_die_with_their_master_too(void **state)
{
    if (geteuid() != 0) {
        skip();
    }
    assert_err(tusk_identity_find(&m.options.identity, "61234", NULL), TUSK_OK);
    workers_die_with_their_master(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CREW_TEST(every_slot_serves_the_one_port_that_the_kernel_chose),
        CREW_TEST(a_killed_worker_takes_only_its_sessions_along_and_is_replaced),
        CREW_TEST(a_worker_that_was_stopped_is_told_of_and_told_of_again_when_it_goes_on),
        CREW_TEST(a_silent_worker_that_dies_is_not_missed),
        CREW_TEST(what_a_worker_took_is_in_the_sum_before_and_after_its_death),
        CREW_TEST(children_of_the_application_are_left_to_it),
        CREW_TEST(what_a_pool_of_a_dead_worker_leaves_behind_is_reaped_where_it_is_inherited),
        cmocka_unit_test(pauses_double_up_to_their_limit),
        CREW_TEST(a_worker_that_dies_at_once_is_no_fork_bomb_and_others_serve_its_slot),
        CREW_TEST(a_crew_of_which_nobody_was_ever_ready_may_be_stopped),
        CREW_TEST(a_successor_that_dies_before_it_is_ready_is_told_as_such),
        CREW_TEST(a_worker_that_cannot_be_forked_is_said_with_the_reason_and_comes_later),
        CREW_TEST(a_slot_that_is_filled_again_is_given_back),
        CREW_TEST(what_waits_in_a_dead_workers_queue_is_served_by_the_next_one),
        CREW_TEST(an_exit_of_its_own_is_a_crash),
        CREW_TEST(what_the_application_opens_later_later_workers_have),
        CREW_TEST(what_the_master_opens_for_itself_no_worker_has),
        CREW_TEST(workers_die_with_their_master),
        CREW_TEST(a_unix_path_is_one_socket_for_all_and_goes_with_the_master),
        CREW_TEST(what_cannot_be_bound_is_said_and_nobody_is_forked),
        CREW_TEST(an_address_that_was_given_twice_is_refused),
        CREW_TEST(a_loop_with_connections_is_not_forked),
        CREW_TEST(bad_options_are_refused),
        CREW_TEST(out_of_memory_is_returned),
        CREW_TEST(unknown_users_and_groups_are_told),
        CREW_TEST(workers_are_whom_they_should_be),
        CREW_TEST(workers_of_another_user_die_with_their_master_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
