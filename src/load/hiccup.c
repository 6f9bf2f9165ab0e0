/* SPDX-License-Identifier: MIT */
/* Hiccups: the machine's own stalls, seen by a process that sleeps a millisecond at a time and
 * looks by how much it woke late. */
#define _GNU_SOURCE
#include "load/worker.h"

#include <time.h>
#include <unistd.h>

#include "load/system.h"
#include "loop/process.h"

#define MILLISECOND 1000000

static bool anybody_measures(const load_board *board)
{
    for (uint32_t i = 0; i < board->workers; i++) {
        if (atomic_load(&board->cells[i].phase) == LOAD_PHASE_MEASURE) {
            return true;
        }
    }
    return false;
}

static bool everybody_is_done(const load_board *board)
{
    for (uint32_t i = 0; i < board->workers; i++) {
        if (atomic_load(&board->cells[i].phase) != LOAD_PHASE_DONE) {
            return false;
        }
    }
    return true;
}

void tusk__load_hiccup_run(void *user)
{
    const load_start *start = user;
    tusk_hist *hist = start->board->cells[start->index].hists[LOAD_HIST_HICCUP];
    tusk__process_name("tusk-hiccup");
    tusk__system_punctual();
    pid_t parent = getppid();
    while (!everybody_is_done(start->board) && getppid() == parent) {
        uint64_t due = tusk_loop_clock_ns() + MILLISECOND;
        const struct timespec pause = {.tv_sec = 0, .tv_nsec = MILLISECOND};
        (void)nanosleep(&pause, NULL);
        uint64_t late = tusk__load_since(due, tusk_loop_clock_ns());
        if (anybody_measures(start->board)) {
            tusk_hist_record(hist, late);
        }
    }
    atomic_store(&start->board->cells[start->index].phase, LOAD_PHASE_DONE);
}
