/* SPDX-License-Identifier: MIT */
/* For how many tasks there is no worker, and who is asked for one. */
#define _GNU_SOURCE
#include "rig.h"

#include <fcntl.h>
#include <poll.h>

#include "work/owner.h"
#include "work/template.h"

/* ---- what stands in the region, without a process ---- */
static void open_region(work_region *region)
{
    assert_err(tusk__region_open(region, 4, 64, 65536, false), TUSK_OK);
}

/* The next entry of a lane, for the slot of its number, of the first generation. */
static void push(const work_region *region, uint32_t owner, unsigned kind)
{
    const lane_view *view = &region->lanes[owner];
    uint32_t slot = atomic_load(&view->lane->tail);
    atomic_store(&view->slots[slot].word, word_of(kind, 0, 0, 1));
    atomic_store(&view->ring[slot], UINT64_C(1) << 32 | slot);
    atomic_store(&view->lane->tail, slot + 1);
    if (owner != APPLICATION) {
        atomic_fetch_or(&region->head->inner, UINT64_C(1) << (owner - 1));
    }
}

static void those_who_sleep_or_look_have_a_task_each(void **state)
{
    work_region region;
    open_region(&region);
    push(&region, APPLICATION, SLOT_DONE);
    push(&region, APPLICATION, SLOT_QUEUED);
    push(&region, APPLICATION, SLOT_RUNNING);
    push(&region, APPLICATION, SLOT_QUEUED);
    push(&region, APPLICATION, SLOT_QUEUED);
    assert_int_equal(tusk__unserved(&region, 9), 3);
    assert_int_equal(tusk__unserved(&region, 2), 2); /* the others have been asked for */
    atomic_store(&region.head->sleeping, 4);
    assert_int_equal(tusk__unserved(&region, 3), 2);
    atomic_store(&region.head->hands[1].looks, 1);
    assert_int_equal(tusk__unserved(&region, 3), 1);
    atomic_store(&region.head->hands[3].looks, 1);
    assert_int_equal(tusk__unserved(&region, 3), 0);
    tusk__region_close(&region);
}

/* It has what was queued before, and has not told so yet. */
static void who_is_awake_and_does_not_look_takes_nothing_else(void **state)
{
    work_region region;
    open_region(&region);
    push(&region, APPLICATION, SLOT_RUNNING);
    push(&region, APPLICATION, SLOT_QUEUED);
    atomic_store(&region.head->awake, 1);
    assert_int_equal(tusk__region_idle(&region), 1); /* as far as is known */
    assert_int_equal(tusk__unserved(&region, 1), 1);
    tusk__region_close(&region);
}

static void a_worker_serves_one_task_of_all_lanes(void **state)
{
    work_region region;
    open_region(&region);
    atomic_store(&region.head->sleeping, 1);
    push(&region, APPLICATION, SLOT_QUEUED);
    assert_int_equal(tusk__unserved(&region, 1), 0);
    push(&region, 2, SLOT_QUEUED);
    assert_int_equal(tusk__unserved(&region, 1), 1);
    push(&region, 4, SLOT_QUEUED);
    assert_int_equal(tusk__unserved(&region, 4), 2);
    atomic_fetch_and(&region.head->inner, ~UINT64_C(2)); /* nobody looks there any more */
    assert_int_equal(tusk__unserved(&region, 4), 1);
    tusk__region_close(&region);
}

/* Tasks of a task, which it has run itself, the newest first. */
static void one_that_stands_queued_before_many_that_are_done_is_found(void **state)
{
    work_region region;
    open_region(&region);
    push(&region, 1, SLOT_QUEUED);
    for (int i = 0; i < 40; i++) {
        push(&region, 1, SLOT_DONE);
    }
    assert_int_equal(tusk__unserved(&region, 1), 1);
    tusk__region_close(&region);
}

static void rubbish_is_no_task(void **state)
{
    work_region region;
    open_region(&region);
    push(&region, APPLICATION, SLOT_QUEUED);
    push(&region, APPLICATION, SLOT_QUEUED);
    atomic_store(&region.lanes[APPLICATION].ring[0], UINT64_C(2) << 32); /* of another time */
    atomic_store(&region.lanes[APPLICATION].ring[1], UINT64_C(1) << 32 | 9999);
    assert_int_equal(tusk__unserved(&region, 4), 0);
    atomic_store(&region.head->inner, UINT64_MAX);
    atomic_store(&region.lanes[APPLICATION].lane->head, 77);
    assert_int_equal(tusk__unserved(&region, 4), 0);
    memset(&region.head->hands, 0xff, sizeof(region.head->hands));
    atomic_store(&region.head->sleeping, UINT64_MAX);
    assert_int_equal(tusk__unserved(&region, 4), 0);
    tusk__region_close(&region);
}

/* ---- who is asked ---- */
/* Between the application and the template there is this test instead. */
typedef struct between {
    int commands, reports; /* the true ones */
    int asked[2], told[2];
} between;

static void stand_between(between *self, tusk_work *work)
{
    work_heir *heir = &work->heir;
    assert_int_equal(pipe2(self->asked, O_NONBLOCK | O_CLOEXEC), 0);
    assert_int_equal(pipe2(self->told, O_NONBLOCK | O_CLOEXEC), 0);
    self->commands = heir->commands;
    self->reports = heir->reports;
    heir->commands = self->asked[1];
    heir->reports = self->told[0];
}

static void step_aside(between *self, tusk_work *work)
{
    work->heir.commands = self->commands;
    work->heir.reports = self->reports;
    for (int end = 0; end < 2; end++) {
        (void)close(self->asked[end]);
        (void)close(self->told[end]);
    }
}

static void tell(const between *self, tusk_work *work, work_report what)
{
    assert_int_equal(write(self->told[1], &what, sizeof(what)), sizeof(what));
    tusk__heir_read(work);
}

/* How many workers the template is asked for; 0: nothing. */
static uint32_t wanted(const between *self)
{
    work_command what;
    if (read(self->asked[0], &what, sizeof(what)) != (ssize_t)sizeof(what)) {
        return 0;
    }
    assert_int_equal(what.verb, COMMAND_GROW);
    return what.number;
}

static void submit(tusk_lane *lane, order what)
{
    (void)ask(lane, what, 0);
    tusk_lane_flush(lane);
}

static void until_one_runs(tusk_work *work)
{
    const shared_head *head = work->shape.region.head;
    uint64_t end_ns = tusk_loop_clock_ns() + 60 * SEC;
    while (work->counters.workers != 1 || atomic_load(&head->hands[0].runs) == 0) {
        tusk__heir_read(work);
        assert_true(tusk_loop_clock_ns() < end_ns);
        (void)usleep(1000);
    }
}

/* It ended for want of work as the last task came, which then counted on it. */
static void a_task_that_counted_on_a_worker_that_has_ended_gets_another(void **state)
{
    tusk_work *work = open_spinning_pool(1, 2, 64, 0);
    tusk_lane *lane = tusk_work_lane(work);
    between here;
    submit(lane, (order){SPIN, 0});
    until_one_runs(work);
    stand_between(&here, work);
    tell(&here, work, (work_report){.kind = REPORT_BORN, .hand = 1, .incarnation = 1, .pid = -1});
    submit(lane, (order){ECHO, 1});
    assert_int_equal(wanted(&here), 0);
    tell(&here, work,
         (work_report){.kind = REPORT_DIED, .hand = 1, .incarnation = 1, .pid = -1, .status = 256});
    assert_int_equal(wanted(&here), 0); /* whoever ends otherwise is followed by another anyway */
    tell(&here, work, (work_report){.kind = REPORT_BORN, .hand = 1, .incarnation = 2, .pid = -1});
    tell(&here, work,
         (work_report){.kind = REPORT_DIED,
                       .hand = 1,
                       .incarnation = 2,
                       .pid = -1,
                       .status = WORKER_IDLE << 8});
    assert_int_equal(wanted(&here), 1);
    step_aside(&here, work);
    tusk_work_close(work);
}

/* Tasks that are done, and of which nobody has asked yet, want none. */
static void no_more_are_asked_for_than_tasks_have_none(void **state)
{
    tusk_work *work = open_spinning_pool(1, 8, 64, 0);
    tusk_lane *lane = tusk_work_lane(work);
    between here;
    submit(lane, (order){SPIN, 0});
    until_one_runs(work);
    stand_between(&here, work);
    for (uint32_t i = 0; i < 3; i++) {
        submit(lane, (order){ECHO, i});
        assert_int_equal(wanted(&here), 1);
    }
    for (uint32_t i = 0; i < 9; i++) {
        (void)ask(lane, (order){ECHO, i}, 0);
    }
    tusk_lane_flush(lane);
    assert_int_equal(wanted(&here), 4); /* that many places are left */
    assert_int_equal(wanted(&here), 0);
    step_aside(&here, work);
    tusk_work_close(work);
}

/* The template has been stopped for so long that its pipe is full: nobody comes of that. */
static void whoever_could_not_be_asked_for_is_not_expected(void **state)
{
    tusk_work *work = open_spinning_pool(1, 2, 64, 0);
    tusk_lane *lane = tusk_work_lane(work);
    const work_command filler = {.verb = COMMAND_GROW};
    work_command read_back;
    between here;
    submit(lane, (order){SPIN, 0});
    until_one_runs(work);
    stand_between(&here, work);
    while (write(here.asked[1], &filler, sizeof(filler)) > 0) {
    }
    submit(lane, (order){ECHO, 0});
    while (read(here.asked[0], &read_back, sizeof(read_back)) > 0) {
        assert_int_equal(read_back.number, 0);
    }
    submit(lane, (order){ECHO, 1});
    assert_int_equal(wanted(&here), 1);
    step_aside(&here, work);
    tusk_work_close(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_who_sleep_or_look_have_a_task_each),
        cmocka_unit_test(who_is_awake_and_does_not_look_takes_nothing_else),
        cmocka_unit_test(a_worker_serves_one_task_of_all_lanes),
        cmocka_unit_test(one_that_stands_queued_before_many_that_are_done_is_found),
        cmocka_unit_test(rubbish_is_no_task),
        cmocka_unit_test(a_task_that_counted_on_a_worker_that_has_ended_gets_another),
        cmocka_unit_test(no_more_are_asked_for_than_tasks_have_none),
        cmocka_unit_test(whoever_could_not_be_asked_for_is_not_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
