/* SPDX-License-Identifier: MIT */
/* The limit of descriptors: raised as far as is needed, told where that is not far enough. Each
 * test is a process of its own, as a hard limit that was lowered stays so. */
#define _GNU_SOURCE
#include "net/descriptors.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/listener.h"

#include "../test.h"

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                  \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void in_child(void (*body)(void))
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void allow(rlim_t soft, rlim_t hard)
{
    const struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
    EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static rlim_t soft_now(void)
{
    struct rlimit limit;
    EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    return limit.rlim_cur;
}

static bool lacks(uint64_t clients, uint32_t each, bool asked, char *text)
{
    const net_room room = {.clients = clients, .each = each, .asked = asked};
    return net_room_lacks(&room, text);
}

static void raise_what_is_needed(void)
{
    char text[NET_ROOM_TEXT];
    allow(64, 1000);
    EXPECT(!lacks(100, 1, true, text));
    EXPECT(soft_now() > 100 + NET_DESCRIPTORS_SPARE && soft_now() < 200);
    EXPECT(!lacks(100, 2, true, text)); /* a client and its backend */
    EXPECT(soft_now() > 200 + NET_DESCRIPTORS_SPARE && soft_now() < 300);
    rlim_t before = soft_now();
    EXPECT(!lacks(10, 1, true, text));
    EXPECT(soft_now() == before);
}

static void a_soft_limit_is_raised_to_what_clients_need_and_no_further(void **state)
{
    (void)state;
    in_child(raise_what_is_needed);
}

/* The number in the line, and one less. */
static void tell_what_lacks(void)
{
    char text[NET_ROOM_TEXT];
    allow(64, 64);
    EXPECT(lacks(120, 2, true, text));
    EXPECT(strncmp(text, "120 connections need ", 21) == 0);
    EXPECT(strstr(text, "no more than 64 are allowed") != NULL);
    EXPECT(soft_now() == 64);
}

static void the_number_that_is_told_does(void)
{
    char text[NET_ROOM_TEXT];
    allow(200, 200);
    EXPECT(lacks(120, 2, true, text));
    unsigned long number = strtoul(text + 21, NULL, 10);
    EXPECT(number > 240);
    EXPECT(lacks(120, 2, true, text));
    allow(64, 200);
    EXPECT(lacks(120, 2, true, text));
    EXPECT(soft_now() == 200); /* what there is is taken */
}

/* `user` may raise a hard limit again only as root; so it is tried downwards. */
static void no_less_than_the_number_does(void)
{
    char text[NET_ROOM_TEXT];
    struct rlimit limit;
    EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    allow(64, limit.rlim_max);
    EXPECT(!lacks(120, 2, true, text));
    rlim_t number = soft_now();
    allow(number, number);
    EXPECT(!lacks(120, 2, true, text));
    allow(number - 1, number - 1);
    EXPECT(lacks(120, 2, true, text));
    EXPECT(strtoul(text + 21, NULL, 10) == number);
}

static void what_does_not_fit_is_told_with_the_number_that_does(void **state)
{
    (void)state;
    in_child(tell_what_lacks);
    in_child(the_number_that_is_told_does);
    in_child(no_less_than_the_number_does);
}

static void take_a_default(void)
{
    char text[NET_ROOM_TEXT];
    struct rlimit limit;
    EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    if (limit.rlim_max >= 2048) {
        allow(64, 2048);
        EXPECT(!lacks(100000, 1, false, text));
        EXPECT(soft_now() == 2048);
        EXPECT(lacks(100000, 1, true, text));
    }
    allow(512, 512);
    EXPECT(lacks(100000, 1, false, text));
}

static void a_default_is_told_only_where_not_even_a_thousand_fit(void **state)
{
    (void)state;
    in_child(take_a_default);
}

static void fill(void)
{
    char text[NET_ROOM_TEXT];
    allow(24, 24);
    while (dup(0) >= 0) {
    }
    EXPECT(lacks(1, 1, true, text));
    EXPECT(strstr(text, "some 0 fit") != NULL);
}

static void where_all_are_taken_none_fit(void **state)
{
    (void)state;
    in_child(fill);
}

static void listen_without(void)
{
    tusk_addr addr;
    int fd;
    char said[256];
    EXPECT(tusk_addr_parse(&addr, "127.0.0.1:0") == TUSK_OK);
    allow(0, 0);
    tusk_err err = tusk_listener_socket(&fd, &addr, NULL);
    EXPECT(err == TUSK_EEXHAUSTED && fd == -1);
    tusk_listener_explain(said, sizeof(said), err, "127.0.0.1:0");
    EXPECT(strstr(said, "ulimit -n") != NULL);
}

static void without_one_to_listen_with_that_is_told(void **state)
{
    (void)state;
    in_child(listen_without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_soft_limit_is_raised_to_what_clients_need_and_no_further),
        cmocka_unit_test(without_one_to_listen_with_that_is_told),
        cmocka_unit_test(what_does_not_fit_is_told_with_the_number_that_does),
        cmocka_unit_test(a_default_is_told_only_where_not_even_a_thousand_fit),
        cmocka_unit_test(where_all_are_taken_none_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
