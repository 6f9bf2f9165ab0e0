/* SPDX-License-Identifier: MIT */
/* A loop in a forked child: wake-ups, timers and signals are its own, and the parent's are not
 * touched. The child's exit status says what it saw. */
#define _GNU_SOURCE
#include "pollers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "loop/inner.h"
#include "loop/process.h"

static struct {
    tusk_loop *loop;
    tusk_wakeup *wakeup;
    int woken, due, signalled, told;
} f;

static void on_wakeup(void *user)
{
    f.woken++;
}

static void on_due(tusk_timer *timer)
{
    f.due++;
}

static void on_signal(tusk_signal *signal)
{
    f.signalled++;
}

static volatile uint32_t forks;

static void on_event(tusk_io *io, unsigned events)
{
    f.told++;
}

static int set_up(void **state)
{
    memset(&f, 0, sizeof(f));
    const tusk_loop_options options = {.poller = test_poller, .forks = &forks};
    assert_err(tusk_loop_new(&f.loop, &options), TUSK_OK);
    assert_err(tusk_wakeup_open(&f.wakeup, f.loop, on_wakeup, NULL), TUSK_OK);
    return 0;
}

static int tear_down(void **state)
{
    tusk_wakeup_close(f.wakeup);
    tusk_loop_free(f.loop);
    return 0;
}

static int status_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

#define IN_CHILD(child, body)                                                                      \
    pid_t child = fork();                                                                          \
    if (child == 0) {                                                                              \
        body                                                                                       \
    }

static void a_childs_bell_wakes_the_child_alone(void **state)
{
    IN_CHILD(child, {
        if (tusk_loop_forked(f.loop) != TUSK_OK) {
            _exit(100);
        }
        tusk_wakeup_send(f.wakeup);
        (void)tusk_loop_turn(f.loop, 1000);
        _exit(tusk_loop_may_fork(f.loop) ? f.woken : 101); /* as its parent did */
    })
    assert_int_equal(status_of(child), 1);
    assert_err(tusk_loop_turn(f.loop, 0), TUSK_OK);
    assert_int_equal(f.woken, 0);
    tusk_wakeup_send(f.wakeup);
    assert_err(tusk_loop_turn(f.loop, 1000), TUSK_OK);
    assert_int_equal(f.woken, 1);
}

static void what_rang_before_the_fork_is_heard_in_both(void **state)
{
    tusk_wakeup_send(f.wakeup);
    IN_CHILD(child, {
        (void)tusk_loop_forked(f.loop);
        (void)tusk_loop_turn(f.loop, 1000);
        _exit(f.woken);
    })
    assert_int_equal(status_of(child), 1);
    assert_err(tusk_loop_turn(f.loop, 1000), TUSK_OK);
    assert_int_equal(f.woken, 1);
}

static void timers_go_on_in_both(void **state)
{
    tusk_timer timer = {.on_due = on_due};
    tusk_timer_start(f.loop, &timer, 1);
    IN_CHILD(child, {
        (void)tusk_loop_forked(f.loop);
        while (f.due == 0) {
            (void)tusk_loop_turn(f.loop, 1000);
        }
        _exit(f.due);
    })
    assert_int_equal(status_of(child), 1);
    while (f.due == 0) {
        assert_err(tusk_loop_turn(f.loop, 1000), TUSK_OK);
    }
    assert_int_equal(f.due, 1);
}

static void what_a_child_begins_is_timed_from_its_fork(void **state)
{
    (void)usleep(20000); /* as the loop stood still: its reading is as old */
    uint64_t forked_ns = tusk_loop_clock_ns();
    IN_CHILD(child, {
        (void)tusk_loop_forked(f.loop);
        _exit(tusk_loop_now_ns(f.loop) >= forked_ns ? 7 : 8);
    })
    assert_int_equal(status_of(child), 7);
}

static void a_childs_signal_is_told_to_the_child_alone(void **state)
{
    tusk_signal watcher = {.on_signal = on_signal};
    assert_err(tusk_signal_start(f.loop, &watcher, SIGUSR1), TUSK_OK);
    assert_true(tusk_loop_may_fork(f.loop));
    IN_CHILD(child, {
        (void)tusk_loop_forked(f.loop);
        (void)raise(SIGUSR1);
        (void)tusk_loop_turn(f.loop, 1000);
        _exit(f.signalled);
    })
    assert_int_equal(status_of(child), 1);
    assert_err(tusk_loop_turn(f.loop, 0), TUSK_OK);
    assert_int_equal(f.signalled, 0);
    (void)raise(SIGUSR1);
    assert_err(tusk_loop_turn(f.loop, 1000), TUSK_OK);
    assert_int_equal(f.signalled, 1);
    tusk_signal_stop(f.loop, &watcher);
}

static void another_loops_signals_are_let_go_of(void **state)
{
    tusk_signal watcher = {.on_signal = on_signal};
    assert_true(signal(SIGUSR2, SIG_IGN) != SIG_ERR);
    assert_err(tusk_signal_start(f.loop, &watcher, SIGUSR2), TUSK_OK);
    IN_CHILD(child, {
        struct sigaction now;
        (void)tusk_loop_forked(NULL);
        (void)sigaction(SIGUSR2, NULL, &now);
        _exit(now.sa_handler == SIG_IGN ? 7 : 8);
    })
    assert_int_equal(status_of(child), 7);
    tusk_signal_stop(f.loop, &watcher);
    assert_true(signal(SIGUSR2, SIG_DFL) != SIG_ERR);
}

static void a_handler_that_was_set_since_stays(void **state)
{
    tusk_signal watcher = {.on_signal = on_signal};
    assert_err(tusk_signal_start(f.loop, &watcher, SIGUSR2), TUSK_OK);
    assert_true(signal(SIGUSR2, SIG_IGN) != SIG_ERR);
    IN_CHILD(child, {
        struct sigaction now;
        (void)tusk_loop_forked(NULL);
        (void)sigaction(SIGUSR2, NULL, &now);
        _exit(now.sa_handler == SIG_IGN ? 7 : 8);
    })
    assert_int_equal(status_of(child), 7);
    tusk_signal_stop(f.loop, &watcher);
    assert_true(signal(SIGUSR2, SIG_DFL) != SIG_ERR);
}

static void descriptors_of_others_forbid_it(void **state)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    tusk_io io = {.fd = ends[0], .on_event = on_event};
    assert_true(tusk_loop_may_fork(f.loop));
    assert_err(tusk_io_add(f.loop, &io, TUSK_IO_READ), TUSK_OK);
    assert_false(tusk_loop_may_fork(f.loop));
    IN_CHILD(child, { _exit(tusk_loop_forked(f.loop) == TUSK_ESTATE ? 7 : 8); })
    assert_int_equal(status_of(child), 7);
    tusk_io_remove(f.loop, &io);
    assert_true(tusk_loop_may_fork(f.loop));
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* Else it would be told of a descriptor that is closed here, by an io that is gone. */
static void what_a_child_holds_is_told_no_more_when_it_is_closed(void **state)
{
    int ends[2];
    int gate[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(pipe(gate), 0);
    tusk_io io = {.fd = ends[0], .on_event = on_event};
    assert_err(tusk_io_add(f.loop, &io, TUSK_IO_READ | TUSK_IO_NEW), TUSK_OK);
    forks = forks + 1; /* as a handler of pthread_atfork does */
    IN_CHILD(child, {
        char byte;
        _exit(close(gate[1]) == 0 && read(gate[0], &byte, 1) == 0 ? 7 : 8);
    })
    tusk_io_close(f.loop, &io);
    assert_int_equal(io.fd, -1);
    assert_int_equal(write(ends[1], "x", 1), 1); /* the child has it open */
    assert_err(tusk_loop_turn(f.loop, 0), TUSK_OK);
    assert_int_equal(f.told, 0);
    (void)close(gate[1]);
    assert_int_equal(status_of(child), 7);
    (void)close(gate[0]);
    (void)close(ends[1]);
}

/* It may have been open when a child was forked before. */
static void what_is_not_new_is_taken_out_before_it_is_closed(void **state)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    tusk_io io = {.fd = ends[0], .on_event = on_event};
    int other = dup(ends[0]);
    assert_err(tusk_io_add(f.loop, &io, TUSK_IO_READ), TUSK_OK);
    tusk_io_close(f.loop, &io);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_err(tusk_loop_turn(f.loop, 0), TUSK_OK);
    assert_int_equal(f.told, 0);
    (void)close(other);
    (void)close(ends[1]);
}

/* What is open by another number shows that; so does, for a moment, a program that was started
 * without a fork and has not closed it yet. It is told to nobody. */
static void without_a_fork_closing_alone_takes_it_out(void **state)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    tusk_io *io = malloc(sizeof(*io));
    *io = (tusk_io){.fd = ends[0], .on_event = on_event};
    int other = dup(ends[0]);
    assert_err(tusk_io_add(f.loop, io, TUSK_IO_READ | TUSK_IO_NEW), TUSK_OK);
    tusk_io_close(f.loop, io);
    free(io);
    assert_true(tusk_loop_may_fork(f.loop));
    assert_int_equal(write(ends[1], "x", 1), 1);
    bool named = strcmp(test_poller, "epoll") == 0;
    if (named) { /* by the system: it was not told that it is closed here */
        struct pollfd watch = {.fd = f.loop->poller->descriptor(f.loop), .events = POLLIN};
        assert_int_equal(poll(&watch, 1, 0), 1);
    }
    assert_err(tusk_loop_turn(f.loop, 0), TUSK_OK);
    int next[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, next), 0);
    assert_int_equal(next[0], ends[0]); /* the same number, and nothing to read */
    tusk_io heir = {.fd = next[0], .on_event = on_event};
    assert_err(tusk_io_add(f.loop, &heir, TUSK_IO_READ | TUSK_IO_NEW), TUSK_OK);
    assert_err(tusk_loop_turn(f.loop, 0), TUSK_OK);
    assert_int_equal(f.told, 0);
    assert_int_equal(write(next[1], "y", 1), 1);
    assert_err(tusk_loop_turn(f.loop, 0), TUSK_OK);
    assert_int_equal(f.told, 1);
    tusk_io_close(f.loop, &heir);
    (void)close(next[1]);
    (void)close(other);
    (void)close(ends[1]);
}

static void open_descriptors_are_told_in_order_and_no_other_is_kept(void **state)
{
    int ends[2];
    int *open_now;
    size_t count;
    test_mem mem;
    test_mem_init(&mem, 0);
    assert_int_equal(pipe(ends), 0);
    assert_err(tusk__open_descriptors(&open_now, &count, &mem.mem), TUSK_OK);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        assert_true(open_now[i] > 2 && (i == 0 || open_now[i - 1] < open_now[i]));
        found |= open_now[i] == ends[1];
    }
    assert_true(found);
    IN_CHILD(child, {
        tusk__close_all_but(&ends[1], 1);
        _exit(fcntl(ends[0], F_GETFD) < 0 && fcntl(ends[1], F_GETFD) >= 0 ? 7 : 8);
    })
    assert_int_equal(status_of(child), 7);
    tusk__free(&mem.mem, open_now, count * sizeof(int));
    test_mem_assert_empty(&mem);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* Whoever has the number of what the parent had open writes and closes there. */
static void what_a_child_has_no_more_leaves_its_number_taken(void **state)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int far = fcntl(ends[1], F_DUPFD, 700);
    assert_true(far >= 700);
    int kept[] = {far + 1, ends[0]};
    assert_int_equal(dup2(ends[1], kept[0]), kept[0]);
    IN_CHILD(child, {
        char byte = 'x';
        tusk__end_all_but(kept, 2);
        bool ended = write(ends[1], &byte, 1) < 0 && errno == EBADF && write(far, &byte, 1) < 0 &&
                     errno == EBADF;
        bool taken = fcntl(ends[1], F_GETFD) == FD_CLOEXEC && fcntl(far, F_GETFD) < 0;
        bool stay = write(far + 1, &byte, 1) == 1 && read(ends[0], &byte, 1) == 1;
        tusk__end_all_but(kept, 2); /* as a worker's of a template */
        taken &= fcntl(ends[1], F_GETFD) >= 0 && fcntl(far + 1, F_GETFD) >= 0;
        bool free_again = close(ends[1]) == 0 && dup(far + 1) <= ends[1];
        _exit(ended && taken && stay && free_again ? 7 : 8);
    })
    assert_int_equal(status_of(child), 7);
    (void)close(ends[0]);
    (void)close(ends[1]);
    (void)close(far);
    (void)close(far + 1);
}

int main(void)
{
#define FORK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        FORK_TEST(a_childs_bell_wakes_the_child_alone),
        FORK_TEST(what_rang_before_the_fork_is_heard_in_both),
        FORK_TEST(timers_go_on_in_both),
        FORK_TEST(what_a_child_begins_is_timed_from_its_fork),
        FORK_TEST(a_childs_signal_is_told_to_the_child_alone),
        FORK_TEST(another_loops_signals_are_let_go_of),
        FORK_TEST(a_handler_that_was_set_since_stays),
        FORK_TEST(descriptors_of_others_forbid_it),
        FORK_TEST(what_a_child_holds_is_told_no_more_when_it_is_closed),
        FORK_TEST(what_is_not_new_is_taken_out_before_it_is_closed),
        FORK_TEST(without_a_fork_closing_alone_takes_it_out),
        FORK_TEST(open_descriptors_are_told_in_order_and_no_other_is_kept),
        FORK_TEST(what_a_child_has_no_more_leaves_its_number_taken),
    };
    return TEST_RUN_FOR_EACH_POLLER("loop/fork", tests);
}
