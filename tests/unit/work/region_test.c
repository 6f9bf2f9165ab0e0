/* SPDX-License-Identifier: MIT */
/* The shared region: everything has a place of its own, a file's size is its own, and nothing of it
 * stays. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "work/worker_inner.h"

enum { WORKERS = 3, QUEUE = 100, ARENA = 65536 };

/* Where the last thing that was told of ends. */
static const uint8_t *end_of_last;

static void lies_behind(const work_region *region, const void *at, size_t size, size_t step)
{
    const uint8_t *begin = at;
    assert_true(begin >= end_of_last);
    assert_int_equal((size_t)(begin - region->map) % step, 0);
    end_of_last = begin + size;
    assert_true(end_of_last <= region->map + region->size);
}

static void everything_has_a_place_of_its_own(void **state)
{
    work_region region;
    assert_err(tusk__region_open(&region, WORKERS, QUEUE, ARENA - 1, false), TUSK_OK);
    assert_int_equal(region.fd, -1);
    assert_int_equal(region.workers, WORKERS);
    assert_int_equal(region.hands, WORKERS + TUSK_WORK_GUESTS_MAX);
    assert_int_equal(region.arena_size, ARENA);
    end_of_last = region.map;
    lies_behind(&region, region.head, sizeof(*region.head), 64);
    for (uint32_t owner = 0; owner <= WORKERS; owner++) {
        const lane_view *view = &region.lanes[owner];
        assert_int_equal(view->count, owner == APPLICATION ? QUEUE : INNER_SLOTS);
        assert_int_equal(view->ring_max, owner == APPLICATION ? 256 : 2 * INNER_SLOTS);
        lies_behind(&region, view->lane, sizeof(*view->lane), 64);
        lies_behind(&region, view->ring, view->ring_max * sizeof(uint64_t), 64);
        lies_behind(&region, view->done, (view->count + 63) / 64 * sizeof(uint64_t), 64);
        lies_behind(&region, view->slots, view->count * sizeof(shared_slot), 128);
    }
    for (uint32_t owner = 0; owner <= region.hands; owner++) {
        lies_behind(&region, region_arena(&region, owner), ARENA, 4096);
    }
    assert_int_equal(end_of_last - region.map, region.size);
    memset(region.map, 0xff, region.size);
    tusk__region_close(&region);
}

static bool is_mapped(void *map)
{
    unsigned char page;
    return mincore(map, 4096, &page) == 0 || errno != ENOMEM;
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void nothing_of_it_stays(void **state)
{
    for (int named = 0; named < 2; named++) {
        work_region region;
        assert_err(tusk__region_open(&region, WORKERS, QUEUE, ARENA, named != 0), TUSK_OK);
        void *map = region.map;
        int fd = region.fd;
        assert_true(is_mapped(map));
        assert_int_equal(is_open(fd), named);
        tusk__region_close(&region);
        assert_false(is_mapped(map));
        assert_false(is_open(fd));
        assert_null(region.map);
        assert_int_equal(region.fd, -1);
        tusk__region_close(&region); /* twice is harmless */
        assert_true(is_open(0));
    }
}

static void who_is_detached_has_nothing_of_it(void **state)
{
    work_shape shape = {.life_fd = -1};
    tusk_worker worker = {.shape = &shape};
    assert_err(tusk__region_open(&shape.region, WORKERS, QUEUE, ARENA, false), TUSK_OK);
    void *map = shape.region.map;
    work_run run = {.owner = APPLICATION}; /* it was forked amid a task */
    tusk__worker_make_timers(&worker);
    worker.runs = &run;
    tusk_worker_detach(&worker);
    assert_false(is_mapped(map));
    assert_int_equal(raise(SIGVTALRM), 0); /* which looked at that task */
}

static void another_program_maps_the_same_of_the_same_measures(void **state)
{
    work_region first;
    work_region second;
    assert_err(tusk__region_open(&first, WORKERS, QUEUE, ARENA, true), TUSK_OK);
    struct stat info;
    assert_int_equal(fstat(first.fd, &info), 0);
    assert_int_equal(info.st_size, first.size);
    assert_int_equal(ftruncate(first.fd, 4096), -1); /* nobody cuts it short under a reader */
    assert_int_equal(ftruncate(first.fd, info.st_size + 4096), -1);
    assert_err(
        tusk__region_adopt(&second, WORKERS + 1, QUEUE, ARENA, first.fd, (size_t)info.st_size),
        TUSK_EINVAL);
    assert_null(second.map);
    assert_err(tusk__region_adopt(&second, WORKERS, QUEUE, ARENA, first.fd, (size_t)info.st_size),
               TUSK_OK);
    assert_ptr_not_equal(second.map, first.map);
    atomic_store(&first.head->hands[2].runs, 77);
    assert_int_equal(atomic_load(&second.head->hands[2].runs), 77);
    region_arena(&second, 5)[ARENA - 1] = 9;
    assert_int_equal(region_arena(&first, 5)[ARENA - 1], 9);
    tusk__region_close(&second); /* the descriptor is not its own */
    assert_true(is_open(first.fd));
    tusk__region_close(&first);
}

/* `ulimit -f` counts for files in memory, too: a signal would end who writes. */
static void a_limit_of_files_is_an_error_and_no_signal(void **state)
{
    struct rlimit before;
    work_region region;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit low = {.rlim_cur = 65536, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    tusk_err err = tusk__region_open(&region, WORKERS, QUEUE, ARENA, true);
    int why = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_err(err, TUSK_ESYS);
    assert_int_equal(why, EFBIG);
    assert_int_equal(region.fd, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_has_a_place_of_its_own),
        cmocka_unit_test(nothing_of_it_stays),
        cmocka_unit_test(who_is_detached_has_nothing_of_it),
        cmocka_unit_test(another_program_maps_the_same_of_the_same_measures),
        cmocka_unit_test(a_limit_of_files_is_an_error_and_no_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
