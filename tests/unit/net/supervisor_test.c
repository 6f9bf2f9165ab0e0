/* SPDX-License-Identifier: MIT */
/* Sockets that somebody else has bound are found by their address, whatever lies beside them; what
 * is told arrives. */
#define _GNU_SOURCE
#include <tusk/supervisor.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "net/addr.h"
#include "net/listener.h"
#include "net/socket.h"

#include "../test.h"

/* All descriptors that may have been handed over, as nobody knows which numbers are free. */
enum { ALL = TUSK_SUPERVISOR_FDS_MAX };

static int bind_at(const char *address, char text[TUSK_ADDR_TEXT_MAX])
{
    static const tusk_listener_options defaults;
    tusk_addr addr;
    int fd;
    assert_err(tusk_addr_parse(&addr, address), TUSK_OK);
    assert_err(tusk_listener_socket(&fd, &addr, &defaults), TUSK_OK);
    addr = tusk__socket_addr(fd);
    (void)tusk_addr_text(&addr, text);
    return fd;
}

static void the_socket_at_the_address_is_copied(void **state)
{
    char text[2][TUSK_ADDR_TEXT_MAX];
    char other[2][TUSK_ADDR_TEXT_MAX];
    (void)state;
    int fds[] = {bind_at("127.0.0.1:0", text[0]), bind_at("127.0.0.1:0", text[1])};
    for (int i = 0; i < 2; i++) {
        int copy;
        assert_err(tusk_supervisor_socket(&copy, ALL, text[i]), TUSK_OK);
        assert_int_not_equal(copy, fds[i]);
        tusk_addr addr = tusk__socket_addr(copy);
        assert_string_equal(tusk_addr_text(&addr, other[i]), text[i]);
        assert_true((fcntl(copy, F_GETFL) & O_NONBLOCK) != 0);
        assert_true((fcntl(copy, F_GETFD) & FD_CLOEXEC) != 0);
        assert_true((fcntl(fds[i], F_GETFD) & FD_CLOEXEC) != 0);
        close(copy);
    }
    close(fds[0]);
    close(fds[1]);
}

static void a_path_is_found_and_left(void **state)
{
    char folder[TEST_TEMP_MAX];
    char path[TEST_TEMP_MAX + 32];
    char text[TUSK_ADDR_TEXT_MAX];
    int copy;
    (void)state;
    test_temp_dir(folder, "supervisor");
    (void)snprintf(path, sizeof(path), "unix:%s/socket", folder);
    int fd = bind_at(path, text);
    assert_err(tusk_supervisor_socket(&copy, ALL, path), TUSK_OK);
    close(copy);
    assert_int_equal(access(path + 5, F_OK), 0);
    close(fd);
    (void)unlink(path + 5);
    (void)rmdir(folder);
}

static void what_does_not_listen_there_is_none(void **state)
{
    char text[TUSK_ADDR_TEXT_MAX];
    int copy;
    (void)state;
    int fd = bind_at("127.0.0.1:0", text);
    assert_err(tusk_supervisor_socket(&copy, 0, text), TUSK_ENOENT);
    assert_err(tusk_supervisor_socket(&copy, -1, text), TUSK_ENOENT);
    assert_err(tusk_supervisor_socket(&copy, ALL, "no address"), TUSK_EINVAL);
    assert_int_equal(copy, -1);
    close(fd);
    assert_err(tusk_supervisor_socket(&copy, ALL, text), TUSK_ENOENT);
    int bound = tusk__socket_open(AF_INET); /* bound, and does not listen */
    tusk_addr addr;
    assert_err(tusk_addr_parse(&addr, "127.0.0.1:0"), TUSK_OK);
    assert_int_equal(bind(bound, (const struct sockaddr *)(const void *)addr.u.raw, addr.len), 0);
    addr = tusk__socket_addr(bound);
    assert_err(tusk_supervisor_socket(&copy, ALL, tusk_addr_text(&addr, text)), TUSK_ENOENT);
    close(bound);
}

static int told_at(const char *name, size_t len)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    memcpy(at.sun_path, name, len);
    if (name[0] == '@') {
        at.sun_path[0] = '\0';
    }
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    assert_int_equal(bind(fd, (const struct sockaddr *)(const void *)&at, size), 0);
    return fd;
}

static void what_is_told_is_one_datagram(void **state)
{
    char folder[TEST_TEMP_MAX];
    char names[2][TEST_TEMP_MAX + 32];
    char said[64];
    (void)state;
    test_temp_dir(folder, "supervisor");
    (void)snprintf(names[0], sizeof(names[0]), "%s/told", folder);
    (void)snprintf(names[1], sizeof(names[1]), "@tusk-told-%ld", (long)getpid());
    for (int i = 0; i < 2; i++) {
        assert_int_not_equal(tusk_supervisor_tell(names[0], tusk_bytes_str("READY=1")), TUSK_OK);
        int fd = told_at(names[i], strlen(names[i]));
        assert_err(tusk_supervisor_tell(names[i], tusk_bytes_str("READY=1")), TUSK_OK);
        assert_int_equal(recv(fd, said, sizeof(said), 0), 7);
        assert_memory_equal(said, "READY=1", 7);
        close(fd); /* its path stays, and leads nowhere */
    }
    (void)unlink(names[0]);
    (void)rmdir(folder);
}

static void what_is_no_address_is_refused(void **state)
{
    char large[200];
    (void)state;
    memset(large, 'x', sizeof(large) - 1);
    large[0] = '/';
    large[sizeof(large) - 1] = '\0';
    const char *const wrong[] = {"", "/", "@", "relative", "vsock:2:1", large};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_err(tusk_supervisor_tell(wrong[i], tusk_bytes_str("READY=1")), TUSK_EINVAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_socket_at_the_address_is_copied),
        cmocka_unit_test(a_path_is_found_and_left),
        cmocka_unit_test(what_does_not_listen_there_is_none),
        cmocka_unit_test(what_is_told_is_one_datagram),
        cmocka_unit_test(what_is_no_address_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
