/* SPDX-License-Identifier: MIT */
/* The kernel's relay, loaded once for a program's tests; where it cannot be, they are skipped. */
#ifndef TUSK_TEST_RELAY_SOCKMAP_HERE_H
#define TUSK_TEST_RELAY_SOCKMAP_HERE_H

#include "rig.h"

static tusk_sockmap *loaded; /* by the program, before its tests; NULL: `why` tells */
static char why[256];

/* Its name is what the summary of skipped tests shows. */
static void the_kernels_relay_needs_libbpf_CAP_BPF_CAP_NET_ADMIN_and_CAP_PERFMON(void **state)
{
    (void)state;
    print_message("# %s\n", why);
    skip();
}

/* Returns how many tests failed. */
static inline int with_sockmap(int (*run)(void))
{
    const struct CMUnitTest none[] = {
        cmocka_unit_test(the_kernels_relay_needs_libbpf_CAP_BPF_CAP_NET_ADMIN_and_CAP_PERFMON),
    };
    if (tusk_sockmap_load(&loaded, NULL, why, sizeof(why)) != TUSK_OK) {
        return cmocka_run_group_tests_name("sockmap", none, NULL, NULL);
    }
    int failed = run();
    tusk_sockmap_unref(loaded);
    return failed;
}

#endif
