/* SPDX-License-Identifier: MIT */
/* A loop's life: without memory, without descriptors, and with a poller that nobody has. */
#define _GNU_SOURCE
#include <tusk/loop.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "pollers.h"

static void ignore(tusk_io *io, unsigned events)
{
    (void)io;
    (void)events;
}

static tusk_err open_and_add(const tusk_mem *mem, void *user)
{
    tusk_loop *loop;
    tusk_io ios[40];
    int added = 0;
    memset(ios, 0, sizeof(ios));
    tusk_err err = tusk_loop_new(&loop, &(tusk_loop_options){.mem = mem, .poller = test_poller});
    if (err != TUSK_OK) {
        assert_null(loop);
        return err;
    }
    while (added < 40 && err == TUSK_OK) {
        ios[added].fd = dup(*(const int *)user);
        ios[added].on_event = ignore;
        err = tusk_io_add(loop, &ios[added], TUSK_IO_READ);
        added++;
    }
    while (added-- > 0) {
        tusk_io_remove(loop, &ios[added]);
        close(ios[added].fd);
    }
    tusk_loop_free(loop);
    return err;
}

static void no_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    assert_true(test_fail_each_alloc(open_and_add, false, &fds[0]) >= 4);
    close(fds[0]);
    close(fds[1]);
}

static void no_descriptor_of_a_loop_is_taken_for_standard_input(void **state)
{
    char path[32] = "";
    tusk_loop *loop;
    (void)state;
    int aside = fcntl(0, F_DUPFD_CLOEXEC, 3);
    (void)close(0);
    assert_err(tusk_loop_new(&loop, &(tusk_loop_options){.poller = test_poller}), TUSK_OK);
    assert_int_equal(readlink("/proc/self/fd/0", path, sizeof(path) - 1), strlen("/dev/null"));
    assert_string_equal(path, "/dev/null");
    tusk_loop_free(loop);
    (void)dup2(aside, 0);
    (void)close(aside);
}

static void on_signal(tusk_signal *signal)
{
    (void)signal;
}

static void on_wakeup(void *user)
{
    (void)user;
}

static void without_descriptors_nothing_is_opened_and_nothing_left(void **state)
{
    (void)state;
    test_mem mem;
    tusk_loop *loop;
    tusk_loop *second = NULL;
    tusk_wakeup *wakeup;
    struct rlimit former;
    struct sigaction disposition;
    tusk_signal signal = {.on_signal = on_signal};
    test_mem_init(&mem, 0);
    const tusk_loop_options options = {.mem = &mem.mem, .poller = test_poller};
    assert_err(tusk_loop_new(&loop, &options), TUSK_OK);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &former), 0);
    const struct rlimit none = {.rlim_max = former.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    tusk_err opened = tusk_loop_new(&second, &options);
    tusk_err woken = tusk_wakeup_open(&wakeup, loop, on_wakeup, NULL);
    tusk_err watched = tusk_signal_start(loop, &signal, SIGUSR1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &former), 0);
    if (strcmp(test_poller, "epoll") == 0 || strcmp(test_poller, "kqueue") == 0) {
        assert_err(opened, TUSK_ESYS);
        assert_null(second);
    }
    assert_err(woken, TUSK_ESYS);
    assert_null(wakeup);
    assert_err(watched, TUSK_ESYS);
    assert_int_equal(sigaction(SIGUSR1, NULL, &disposition), 0);
    assert_true(disposition.sa_handler == SIG_DFL);
    assert_err(tusk_signal_start(loop, &signal, SIGUSR1), TUSK_OK); /* there are some again */
    tusk_signal_stop(loop, &signal);
    tusk_loop_free(second);
    tusk_loop_free(loop);
    test_mem_assert_empty(&mem);
}

static void an_unknown_poller_is_refused(void **state)
{
    (void)state;
    tusk_loop *loop;
    assert_err(tusk_loop_new(&loop, &(tusk_loop_options){.poller = "abacus"}), TUSK_ENOTSUP);
    assert_null(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory_is_an_error_and_leaks_nothing),
        cmocka_unit_test(no_descriptor_of_a_loop_is_taken_for_standard_input),
        cmocka_unit_test(without_descriptors_nothing_is_opened_and_nothing_left),
        cmocka_unit_test(an_unknown_poller_is_refused),
    };
    return TEST_RUN_FOR_EACH_POLLER("loop/loop", tests);
}
