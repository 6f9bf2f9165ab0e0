/* SPDX-License-Identifier: MIT */
/* One suite for every poller: the group runs once for each that this platform has. */
#ifndef TUSK_TEST_POLLERS_H
#define TUSK_TEST_POLLERS_H

#include <tusk/loop.h>

#include "test.h"

static const char *test_poller; /* what the set-up opens its loop with */

#define TEST_RUN_FOR_EACH_POLLER(name, tests)                                                      \
    test_run_pollers(name, tests, sizeof(tests) / sizeof((tests)[0]))

static inline int test_run_pollers(const char *name, const struct CMUnitTest *tests, size_t count)
{
    static const char *const all[] = {"epoll", "kqueue", "poll", "select"};
    int failed = 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        tusk_loop *loop;
        char title[64];
        if (tusk_loop_new(&loop, &(tusk_loop_options){.poller = all[i]}) == TUSK_ENOTSUP) {
            continue;
        }
        tusk_loop_free(loop);
        test_poller = all[i];
        (void)snprintf(title, sizeof(title), "%s with %s", name, all[i]);
        failed += _cmocka_run_group_tests(title, tests, count, NULL, NULL);
    }
    return failed;
}

#endif
