/* SPDX-License-Identifier: MIT */
/* What is said of an address that cannot be listened on. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

#include "net/listener.h"

/* The sentence about an attempt that fails. */
static const char *said_of(const char *address)
{
    static char said[256];
    tusk_addr addr;
    int fd;
    assert_err(tusk_addr_parse(&addr, address), TUSK_OK);
    tusk_err err = tusk_listener_socket(&fd, &addr, NULL);
    tusk_listener_explain(said, sizeof(said), err, address);
    assert_true(err != TUSK_OK);
    return said;
}

static void a_file_in_the_way_is_not_told_as_somebody_who_answers(void **state)
{
    (void)state;
    char address[64] = "unix:/tmp/tusk-words-XXXXXX";
    int file = mkstemp(address + 5);
    assert_true(file >= 0);
    close(file);
    assert_non_null(strstr(said_of(address), "in use; what is there is no socket: remove it, or"));
    assert_int_equal(unlink(address + 5), 0);
}

static void what_has_no_name_of_ours_is_told_in_the_systems_words(void **state)
{
    (void)state;
    assert_string_equal(said_of("unix:/dev/null/x.sock"),
                        "cannot listen on unix:/dev/null/x.sock: Not a directory");
}

static void a_path_that_cannot_be_written_is_told_with_what_makes_one(void **state)
{
    (void)state;
    char said[256];
    errno = EROFS; /* as a unit with ProtectSystem=strict sees /run */
    tusk_listener_explain(said, sizeof(said), TUSK_ESYS, "unix:/run/x.sock");
    assert_string_equal(said, "cannot listen on unix:/run/x.sock: Read-only file system; choose a "
                              "path that can be written, of a unit RuntimeDirectory= makes one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_in_the_way_is_not_told_as_somebody_who_answers),
        cmocka_unit_test(what_has_no_name_of_ours_is_told_in_the_systems_words),
        cmocka_unit_test(a_path_that_cannot_be_written_is_told_with_what_makes_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
