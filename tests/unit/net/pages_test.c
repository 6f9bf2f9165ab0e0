/* SPDX-License-Identifier: MIT */
/* Pages that are asked for together, and given back. */
#define _GNU_SOURCE
#include "test.h"

#include "net/pages.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 64 };
static uint8_t *map;
static size_t page;

static int set_up(void **state)
{
    page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = PAGES * page + (32 << 10);
    map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    (void)madvise(map, size, MADV_NOHUGEPAGE);
    size_t before = (32 << 10) - (uintptr_t)map % (32 << 10); /* to a multiple of the step */
    assert_int_equal(munmap(map, before), 0);
    map += before;
    if (size - before > PAGES * page) {
        assert_int_equal(munmap(map + PAGES * page, size - before - PAGES * page), 0);
    }
    return 0;
}

static int tear_down(void **state)
{
    return munmap(map, PAGES * page);
}

static void expect_there(size_t from, size_t to)
{
    unsigned char there[PAGES];
    assert_int_equal(mincore(map, PAGES * page, there), 0);
    for (size_t i = 0; i < PAGES; i++) {
        assert_int_equal(there[i] & 1, i >= from && i < to);
    }
}

static void need_the_call(void)
{
#ifdef MADV_POPULATE_WRITE
    uint8_t *one = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool can = page == 4096 && madvise(one, page, MADV_POPULATE_WRITE) == 0;
    (void)munmap(one, page);
#else
    bool can = false;
#endif
    if (!can) {
        print_message("# MADV_POPULATE_WRITE (Linux 5.14) and pages of 4096 bytes are not here\n");
        skip();
    }
}

static void the_pages_of_a_step_come_together_once(void **state)
{
    need_the_call();
    tusk__pages_ready(map, 1, map + PAGES * page);
    expect_there(0, 8);
    assert_int_equal(madvise(map, PAGES * page, MADV_DONTNEED), 0);
    tusk__pages_ready(map + 1, 32767, map + PAGES * page); /* the step was asked for before */
    expect_there(0, 0);
    tusk__pages_ready(map + 1, 32768, map + PAGES * page);
    expect_there(8, 16);
    tusk__pages_ready(map + 65536, 65537, map + PAGES * page);
    expect_there(8, 40);
}

static void nothing_beyond_the_end_is_touched(void **state)
{
    need_the_call();
    tusk__pages_ready(map, 100000, map + 3 * page + 17);
    expect_there(0, 3);
    tusk__pages_ready(map + 32768, 10, map + 32768 + 10);
    expect_there(0, 3);
    tusk__pages_ready(map, 0, map + PAGES * page);
    expect_there(0, 3);
}

static void what_was_written_stays_and_what_is_given_back_is_zero(void **state)
{
    memset(map, 7, PAGES * page);
    tusk__pages_ready(map, PAGES * page, map + PAGES * page);
    for (size_t i = 0; i < PAGES * page; i++) {
        assert_int_equal(map[i], 7);
    }
    tusk__pages_discard(map + 1, page); /* no page lies wholly in it */
    tusk__pages_discard(map + 5 * page, page - 1);
    assert_int_equal(map[page], 7);
    assert_int_equal(map[5 * page], 7);
    tusk__pages_discard(map + 10 * page - 1, 3 * page);
    for (size_t i = 0; i < PAGES * page; i++) {
        assert_int_equal(map[i], i >= 10 * page && i < 12 * page ? 0 : 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_pages_of_a_step_come_together_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_beyond_the_end_is_touched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_written_stays_and_what_is_given_back_is_zero,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
