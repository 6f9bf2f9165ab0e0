/* SPDX-License-Identifier: MIT */
/* A batch answers what send() and recv() answer: one contract, in a ring, in what kernels make of
 * one, and without. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/batch.h"

#include "test.h"

#define PAIRS NET_BATCH_MAX

static struct {
    test_mem mem;
    tusk_batch *batch;
    tusk_batch_item items[PAIRS];
    int fd[PAIRS][2];
    unsigned count;
} t;

static unsigned lacks; /* of this run */
static bool without;   /* no batch at all */

static int set_up(void **state)
{
    (void)state;
    const char *reason;
    memset(&t, 0, sizeof(t));
    test_mem_init(&t.mem, 0);
    if (!without && tusk_batch_new(&t.batch, &t.mem.mem, lacks, &reason) != TUSK_OK) {
        assert_non_null(reason);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (unsigned i = 0; i < t.count; i++) {
        (void)close(t.fd[i][0]);
        (void)close(t.fd[i][1]);
    }
    tusk_batch_free(t.batch);
    test_mem_assert_empty(&t.mem);
    return 0;
}

/* `count` pairs; the item of each sends `len` bytes from `from`. */
static void pairs(unsigned count, const void *from, size_t len)
{
    t.count = count;
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, t.fd[i]), 0);
        t.items[i] = (tusk_batch_item){.bytes.from = from, .len = len, .fd = t.fd[i][0]};
    }
}

static void fill(int fd)
{
    static const char bytes[4096];
    while (send(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0) {
    }
    while (send(fd, bytes, 1, MSG_DONTWAIT) > 0) {
    }
    assert_int_equal(errno, EAGAIN);
}

static void all_are_sent_each_to_its_own(void **state)
{
    (void)state;
    char text[PAIRS];
    pairs(PAIRS, NULL, 1);
    for (unsigned i = 0; i < PAIRS; i++) {
        text[i] = (char)i;
        t.items[i].bytes.from = text + i;
    }
    tusk_batch_send(t.batch, t.items, PAIRS);
    for (unsigned i = 0; i < PAIRS; i++) {
        char got;
        assert_int_equal(t.items[i].result, 1);
        assert_int_equal(recv(t.fd[i][1], &got, 1, MSG_DONTWAIT), 1);
        assert_int_equal(got, (char)i);
        assert_int_equal(recv(t.fd[i][1], &got, 1, MSG_DONTWAIT), -1);
    }
}

static void each_has_its_own_answer(void **state)
{
    (void)state;
    pairs(5, "text", 4);
    fill(t.fd[1][0]);
    (void)close(t.fd[2][1]);
    t.fd[2][1] = dup(t.fd[0][1]);
    t.items[3].fd = -1;
    tusk_batch_send(t.batch, t.items, 5);
    assert_int_equal(t.items[0].result, 4);
    assert_int_equal(t.items[1].result, -EAGAIN);
    assert_int_equal(t.items[2].result, -EPIPE); /* and no signal, which would end this program */
    assert_int_equal(t.items[3].result, -EBADF);
    assert_int_equal(t.items[4].result, 4);
}

static void what_does_not_fit_is_sent_in_part(void **state)
{
    (void)state;
    size_t len = (size_t)8 << 20;
    uint8_t *large = calloc(1, len);
    pairs(4, large, len);
    tusk_batch_send(t.batch, t.items, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_in_range(t.items[i].result, 1, len - 1);
    }
    tusk_batch_send(t.batch, t.items, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(t.items[i].result, -EAGAIN);
    }
    free(large);
}

static void what_is_there_is_received_and_nothing_is_waited_for(void **state)
{
    (void)state;
    char got[4][8] = {{0}};
    pairs(4, NULL, 0);
    for (unsigned i = 0; i < 4; i++) {
        t.items[i].bytes.to = got[i];
        t.items[i].len = sizeof(got[i]);
    }
    assert_int_equal(send(t.fd[0][1], "one", 3, 0), 3);
    assert_int_equal(send(t.fd[1][1], "more than eight", 15, 0), 15);
    assert_int_equal(shutdown(t.fd[2][1], SHUT_WR), 0);
    tusk_batch_receive(t.batch, t.items, 4);
    assert_int_equal(t.items[0].result, 3);
    assert_memory_equal(got[0], "one", 3);
    assert_int_equal(t.items[1].result, 8);
    assert_memory_equal(got[1], "more tha", 8);
    assert_int_equal(t.items[2].result, 0);
    assert_int_equal(t.items[3].result, -EAGAIN);
    tusk_batch_receive(t.batch, t.items + 1, 1);
    assert_int_equal(t.items[1].result, 7);
}

static void a_reset_is_told_once(void **state)
{
    (void)state;
    char got[8];
    pairs(2, "unread", 6);
    tusk_batch_send(t.batch, t.items, 2);
    (void)close(t.fd[0][1]); /* with something unread */
    t.fd[0][1] = dup(t.fd[1][1]);
    t.items[0].bytes.to = got;
    t.items[0].len = sizeof(got);
    tusk_batch_receive(t.batch, t.items, 1);
    assert_int_equal(t.items[0].result, -ECONNRESET);
    tusk_batch_receive(t.batch, t.items, 1);
    assert_int_equal(t.items[0].result, 0);
}

static void none_at_all_is_nothing(void **state)
{
    (void)state;
    tusk_batch_send(t.batch, t.items, 0);
    tusk_batch_receive(t.batch, t.items, 0);
}

static void a_ring_that_fails_later_is_done_without(void **state)
{
    (void)state;
    pairs(PAIRS, "x", 1);
    for (int round = 0; round < 3; round++) {
        tusk_batch_send(t.batch, t.items, PAIRS);
        for (unsigned i = 0; i < PAIRS; i++) {
            assert_int_equal(t.items[i].result, 1);
        }
    }
    for (unsigned i = 0; i < PAIRS; i++) {
        char got[8];
        assert_int_equal(recv(t.fd[i][1], got, sizeof(got), MSG_DONTWAIT), 3);
    }
    assert_int_equal(tusk_batch_works(t.batch),
                     t.batch != NULL && (lacks & (BATCH_REFUSES | BATCH_HALF)) == 0);
}

static tusk_err make(const tusk_mem *mem, void *user)
{
    const char *reason;
    tusk_batch *batch;
    (void)user;
    tusk_err err = tusk_batch_new(&batch, mem, 0, &reason);
    assert_int_equal(err == TUSK_OK, batch != NULL);
    assert_int_equal(err == TUSK_OK, reason == NULL);
    tusk_batch_free(batch);
    return err == TUSK_ENOTSUP ? TUSK_OK : err;
}

static void without_memory_there_is_none(void **state)
{
    (void)state;
    (void)test_fail_each_alloc(make, false, NULL);
}

static void what_lacks_is_said(void **state)
{
    (void)state;
    static const struct {
        unsigned lacks;
        tusk_err err;
        const char *words;
    } cases[] = {{BATCH_NO_CALLS, TUSK_ENOTSUP, "no io_uring"},
                 {BATCH_FORBIDDEN, TUSK_ENOTSUP, "not permitted"},
                 {BATCH_OLD, TUSK_ENOTSUP, "too old"},
                 {BATCH_WAITS, TUSK_ENOTSUP, "too old"},
                 {BATCH_NO_MEMORY, TUSK_ENOMEM, "no memory"}};
    for (size_t i = 0; t.batch != NULL && i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *reason;
        tusk_batch *batch;
        assert_int_equal(tusk_batch_new(&batch, &t.mem.mem, cases[i].lacks, &reason), cases[i].err);
        assert_null(batch);
        assert_non_null(strstr(reason, cases[i].words));
        assert_false(tusk_batch_works(batch));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_are_sent_each_to_its_own),
        TEST(each_has_its_own_answer),
        TEST(what_does_not_fit_is_sent_in_part),
        TEST(what_is_there_is_received_and_nothing_is_waited_for),
        TEST(a_reset_is_told_once),
        TEST(none_at_all_is_nothing),
        TEST(a_ring_that_fails_later_is_done_without),
        TEST(without_memory_there_is_none),
        TEST(what_lacks_is_said),
    };
    static const struct {
        const char *name;
        unsigned lacks;
        bool without;
    } ways[] = {{"net/batch: one by one", 0, true},
                {"net/batch: in a ring", 0, false},
                {"net/batch: in a ring that refuses", BATCH_REFUSES, false},
                {"net/batch: in a ring that takes half", BATCH_HALF, false}};
    int failed = 0;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        lacks = ways[i].lacks;
        without = ways[i].without;
        failed += cmocka_run_group_tests_name(ways[i].name, tests, NULL, NULL);
    }
    return failed;
}
