/* SPDX-License-Identifier: MIT */
/* Room in an arena: nobody's piece lies in another's until that is free. */
#define _GNU_SOURCE
#include "test.h"

#include <sys/mman.h>

#include "work/arena.h"

enum { SIZE = 8192, LEAST = 64, PIECES = 40 };

static _Alignas(64) uint8_t memory[SIZE];

/* What somebody reads. */
typedef struct piece {
    uint8_t *at;
    size_t len;
    uint32_t sequence;
    _Atomic uint64_t word; /* as long as it stands, where the arena was told of it */
    bool by_word;
    bool is_read;
    uint8_t fill;
} piece;

typedef struct rig {
    test_mem mem;
    work_arena arena;
    piece pieces[PIECES];
    uint64_t stamp;
} rig;

static void begin(rig *self)
{
    *self = (rig){.stamp = 0};
    test_mem_init(&self->mem, 0);
    tusk__arena_init(&self->arena, &self->mem.mem, memory, SIZE);
}

static void end(rig *self)
{
    tusk__arena_fini(&self->arena);
    test_mem_assert_empty(&self->mem);
}

/* The room that is offered; SIZE: none. */
static size_t offered(rig *self, size_t *cap)
{
    *cap = 0;
    uint8_t *room = tusk__arena_open(&self->arena, cap);
    if (room == NULL) {
        return SIZE;
    }
    assert_true(room >= memory && room + *cap <= memory + SIZE);
    assert_ptr_equal(tusk__arena_room(&self->arena), room);
    return (size_t)(room - memory);
}

/* False: there is no room for it. */
static bool put(rig *self, piece *one, size_t len, bool by_word)
{
    size_t cap;
    size_t at = offered(self, &cap);
    if (at == SIZE || cap < len) {
        return false;
    }
    one->at = memory + at;
    one->len = len;
    one->by_word = by_word;
    one->is_read = true;
    one->word = ++self->stamp;
    one->fill = (uint8_t)self->stamp;
    memset(one->at, one->fill, len);
    one->sequence = tusk__arena_commit(&self->arena, len, by_word ? &one->word : NULL, self->stamp);
    return true;
}

static void let_go(rig *self, piece *one)
{
    one->is_read = false;
    if (one->by_word) {
        atomic_store(&one->word, 0);
    } else {
        tusk__arena_free(&self->arena, one->sequence);
    }
}

static void assert_whole(const rig *self)
{
    for (size_t i = 0; i < PIECES; i++) {
        const piece *one = &self->pieces[i];
        for (size_t at = 0; one->is_read && at < one->len; at++) {
            assert_int_equal(one->at[at], one->fill);
        }
    }
}

static void pieces_are_whole_until_they_are_free_in_whatever_order(void **state)
{
    uint64_t random = 1;
    for (int round = 0; round < 20; round++) {
        rig self;
        size_t cap;
        begin(&self);
        for (int i = 0; i < 2000; i++) {
            uint64_t dice = test_random(&random);
            piece *one = &self.pieces[dice % PIECES];
            dice /= PIECES;
            if (one->is_read) {
                let_go(&self, one);
            } else {
                (void)put(&self, one, dice % 7 == 0 ? dice % 2999 : dice % 211, dice % 2 == 0);
            }
            assert_whole(&self);
        }
        for (size_t i = 0; i < PIECES; i++) {
            if (self.pieces[i].is_read) {
                let_go(&self, &self.pieces[i]);
            }
        }
        assert_int_equal(offered(&self, &cap), 0);
        assert_int_equal(cap, SIZE - LEAST);
        end(&self);
    }
}

static void the_larger_room_is_offered_and_a_full_one_has_none(void **state)
{
    rig self;
    size_t cap;
    begin(&self);
    assert_true(put(&self, &self.pieces[0], 1000, false));
    assert_true(put(&self, &self.pieces[1], 1024, true));
    let_go(&self, &self.pieces[0]);
    assert_int_equal(offered(&self, &cap), 2048);
    assert_int_equal(cap, SIZE - 2048 - LEAST);
    assert_true(put(&self, &self.pieces[2], 5000, false)); /* up to 7104 */
    let_go(&self, &self.pieces[1]);
    assert_int_equal(offered(&self, &cap), 0);
    assert_int_equal(cap, 2048 - LEAST);
    assert_true(put(&self, &self.pieces[3], 1857, false)); /* up to 1920 */
    assert_int_equal(offered(&self, &cap), 1920);
    assert_int_equal(cap, LEAST);
    assert_true(put(&self, &self.pieces[4], 0, false)); /* takes as much as one byte */
    assert_int_equal(offered(&self, &cap), SIZE);
    tusk__arena_free(&self.arena, self.pieces[3].sequence);
    assert_int_equal(offered(&self, &cap), SIZE); /* the oldest is still read */
    let_go(&self, &self.pieces[2]);
    assert_int_equal(offered(&self, &cap), 1984);
    assert_int_equal(cap, SIZE - 1984 - LEAST);
    end(&self);
}

static void without_memory_for_its_record_it_offers_none_and_keeps_what_it_has(void **state)
{
    rig self;
    size_t cap;
    begin(&self);
    for (size_t i = 0; i < 16; i++) {
        assert_true(put(&self, &self.pieces[i], 10, false));
    }
    self.mem.fail_at = self.mem.requests + 1;
    assert_int_equal(offered(&self, &cap), SIZE);
    self.mem.fail_at = self.mem.requests + 1;
    assert_false(tusk__arena_adopt(&self.arena, 4096, 1, &self.pieces[0].word, 1));
    assert_true(put(&self, &self.pieces[16], 10, false));
    assert_whole(&self);
    end(&self);
}

/* They are found in any order, each with a word of its own. */
static void what_a_dead_one_left_is_nobodys_room_until_all_of_it_is_free(void **state)
{
    static const struct {
        size_t at, len;
    } left[] = {{640, 65}, {1344, 64}, {1024, 1}};
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t i = 0; i < 6; i++) {
        rig self;
        size_t cap;
        _Atomic uint64_t words[3] = {1, 2, 3};
        begin(&self);
        for (size_t j = 0; j < 3; j++) {
            size_t one = orders[i][j];
            assert_true(
                tusk__arena_adopt(&self.arena, left[one].at, left[one].len, &words[one], one + 1));
        }
        assert_int_equal(offered(&self, &cap), 1408);
        assert_int_equal(cap, SIZE - 1408 - LEAST);
        assert_true(put(&self, &self.pieces[0], 6600, false)); /* up to 8064 */
        assert_int_equal(offered(&self, &cap), 0);
        assert_int_equal(cap, 640 - LEAST);
        atomic_store(&words[i % 3], 0);
        atomic_store(&words[(i + 1) % 3], 0);
        assert_int_equal(offered(&self, &cap), 0);
        assert_int_equal(cap, 640 - LEAST);
        atomic_store(&words[(i + 2) % 3], 0);
        assert_int_equal(offered(&self, &cap), 0);
        assert_int_equal(cap, 1408 - LEAST);
        end(&self);
    }
}

/* Whoever died may have written anything there. */
static void what_is_said_to_reach_past_its_end_does_not(void **state)
{
    rig self;
    size_t cap;
    _Atomic uint64_t word = 1;
    begin(&self);
    assert_true(tusk__arena_adopt(&self.arena, SIZE - 10, 10, &word, 1));
    assert_true(put(&self, &self.pieces[0], 10, false));
    atomic_store(&word, 0);
    assert_int_equal(offered(&self, &cap), LEAST);
    assert_int_equal(cap, SIZE - LEAST - LEAST);
    end(&self);
}

/* Those of the first megabyte stay, and so does what lies behind, which is another one's. */
static void pages_are_given_back_when_nothing_is_read_any_more(void **state)
{
    enum { KEPT = 1 << 20, MORE = KEPT + 10000, ALL = KEPT + 65536 };
    uint8_t *map = mmap(NULL, ALL, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    test_mem mem;
    work_arena arena;
    size_t cap;
    memset(map, 7, ALL);
    test_mem_init(&mem, 0);
    tusk__arena_init(&arena, &mem.mem, map, ALL);
    assert_ptr_equal(tusk__arena_open(&arena, &cap), map);
    uint32_t first = tusk__arena_commit(&arena, MORE, NULL, 0);
    assert_non_null(tusk__arena_open(&arena, &cap));
    uint32_t second = tusk__arena_commit(&arena, 1, NULL, 0);
    tusk__arena_free(&arena, first);
    assert_int_equal(map[KEPT], 7);
    tusk__arena_free(&arena, second);
    assert_int_equal(map[KEPT - 1], 7);
    for (size_t at = KEPT; at < MORE; at++) {
        assert_int_equal(map[at], 0);
    }
    assert_int_equal(map[KEPT + 3 * 4096], 7); /* nobody wrote there */
    memset(map, 7, ALL);
    assert_ptr_equal(tusk__arena_open(&arena, &cap), map);
    tusk__arena_free(&arena, tusk__arena_commit(&arena, KEPT, NULL, 0));
    assert_int_equal(map[KEPT], 7); /* and only what was written since */
    tusk__arena_fini(&arena);
    test_mem_assert_empty(&mem);
    (void)munmap(map, ALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_whole_until_they_are_free_in_whatever_order),
        cmocka_unit_test(the_larger_room_is_offered_and_a_full_one_has_none),
        cmocka_unit_test(without_memory_for_its_record_it_offers_none_and_keeps_what_it_has),
        cmocka_unit_test(what_a_dead_one_left_is_nobodys_room_until_all_of_it_is_free),
        cmocka_unit_test(what_is_said_to_reach_past_its_end_does_not),
        cmocka_unit_test(pages_are_given_back_when_nothing_is_read_any_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
