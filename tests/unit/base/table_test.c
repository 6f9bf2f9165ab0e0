/* SPDX-License-Identifier: MIT */
/* The hash table: found, found again, removed, walked; and without memory. */
#include "test.h"

#include "base/table.h"

enum { MANY = 300 /* the buckets double three times */ };

typedef struct thing {
    int before; /* an entry need not come first */
    tusk_entry entry;
    unsigned name;
    unsigned seen;
} thing;

static thing things[MANY];

static uint64_t hash_of(unsigned name)
{
    return (uint64_t)(name / 2) * UINT64_C(0x10000000001); /* two names share each */
}

static thing *find(const tusk_table *table, unsigned name)
{
    tusk_entry *at = tusk__table_find(table, hash_of(name));
    while (at != NULL && TUSK_OWNER(at, thing, entry)->name != name) {
        at = tusk__table_again(at);
    }
    return at == NULL ? NULL : TUSK_OWNER(at, thing, entry);
}

static bool put(tusk_table *table, const tusk_mem *mem, unsigned name)
{
    things[name] = (thing){.name = name};
    return tusk__table_put(table, mem, &things[name].entry, hash_of(name));
}

static void what_was_put_is_found_until_it_is_removed(void **state)
{
    tusk_table table;
    assert_err(tusk__table_init(&table, tusk_mem_default()), TUSK_OK);
    for (unsigned i = 0; i < MANY; i++) {
        assert_null(find(&table, i));
        assert_true(put(&table, tusk_mem_default(), i));
    }
    assert_int_equal(table.count, MANY);
    assert_true(table.bucket_count >= MANY);
    for (unsigned i = 0; i < MANY; i++) {
        assert_ptr_equal(find(&table, i), &things[i]);
    }
    for (unsigned i = 0; i < MANY; i += 3) {
        tusk__table_remove(&table, &things[i].entry);
    }
    assert_int_equal(table.count, MANY - MANY / 3);
    for (unsigned i = 0; i < MANY; i++) {
        assert_ptr_equal(find(&table, i), i % 3 == 0 ? NULL : &things[i]);
    }
    tusk__table_fini(&table, tusk_mem_default());
    assert_null(find(&table, 1));
}

static void a_walk_comes_by_each_entry_once(void **state)
{
    tusk_table table = {.count = 0};
    assert_null(tusk__table_next(&table, NULL));
    for (unsigned i = 0; i < MANY; i++) {
        assert_true(put(&table, tusk_mem_default(), i));
    }
    unsigned walked = 0;
    for (tusk_entry *at = NULL; (at = tusk__table_next(&table, at)) != NULL; walked++) {
        assert_int_equal(TUSK_OWNER(at, thing, entry)->seen++, 0);
    }
    assert_int_equal(walked, MANY);
    tusk__table_fini(&table, tusk_mem_default());
}

static tusk_err fill(const tusk_mem *mem, void *user)
{
    tusk_table table = {.count = 0};
    tusk_err err = put(&table, mem, 0) ? TUSK_OK : TUSK_ENOMEM;
    for (unsigned i = 1; err == TUSK_OK && i < MANY; i++) {
        assert_true(put(&table, mem, i)); /* longer chains are slower, not wrong */
        assert_ptr_equal(find(&table, i), &things[i]);
    }
    assert_int_equal(table.count, err == TUSK_OK ? MANY : 0);
    tusk__table_fini(&table, mem);
    return err;
}

static void without_memory_for_more_buckets_chains_get_longer(void **state)
{
    tusk_table table;
    test_mem mem;
    assert_true(test_fail_each_alloc(fill, true, NULL) >= 4);
    test_mem_init(&mem, 1);
    assert_err(tusk__table_init(&table, &mem.mem), TUSK_ENOMEM);
    tusk__table_fini(&table, &mem.mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_found_until_it_is_removed),
        cmocka_unit_test(a_walk_comes_by_each_entry_once),
        cmocka_unit_test(without_memory_for_more_buckets_chains_get_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
