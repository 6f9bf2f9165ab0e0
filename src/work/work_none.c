/* SPDX-License-Identifier: MIT */
/* The answers of a build for a system without futexes and pidfds: there is nothing to open, and so
 * nothing else is ever called. */
#include <tusk/work.h>

#if !defined(__linux__)

tusk_err tusk_work_open(tusk_work **out, const tusk_work_options *options)
{
    (void)options;
    *out = NULL;
    return TUSK_ENOTSUP;
}

tusk_err tusk_work_become(const char *where, const tusk_work_calls *calls, void *user)
{
    (void)where;
    (void)calls;
    (void)user;
    return TUSK_ENOTSUP;
}

void tusk_work_close(tusk_work *self)
{
    (void)self;
}

void tusk_work_detach(tusk_work *self)
{
    (void)self;
}

tusk_lane *tusk_work_lane(tusk_work *self)
{
    (void)self;
    return NULL;
}

int tusk_work_fd(const tusk_work *self)
{
    (void)self;
    return -1;
}

void tusk_work_listen(tusk_work *self, bool on)
{
    (void)self;
    (void)on;
}

bool tusk_work_look(tusk_work *self, const char **reason)
{
    (void)self;
    *reason = "worker processes need Linux";
    return false;
}

bool tusk_work_ended(const tusk_work *self)
{
    (void)self;
    return false;
}

bool tusk_work_ready(const tusk_work *self)
{
    (void)self;
    return false;
}

void tusk_work_count(const tusk_work *self, tusk_work_counters *out)
{
    (void)self;
    *out = (tusk_work_counters){0};
}

int tusk_work_template_pid(const tusk_work *self)
{
    (void)self;
    return 0;
}

tusk_err tusk_lane_take(tusk_lane *self, uint32_t *slot, uint8_t **room, size_t *cap)
{
    (void)self;
    (void)slot;
    (void)room;
    (void)cap;
    return TUSK_ENOTSUP;
}

void tusk_lane_drop(tusk_lane *self, uint32_t slot)
{
    (void)self;
    (void)slot;
}

void tusk_lane_watch(tusk_lane *self, uint32_t slot)
{
    (void)self;
    (void)slot;
}

void tusk_lane_submit(tusk_lane *self, uint32_t slot, size_t len, uint64_t deadline_ns)
{
    (void)self;
    (void)slot;
    (void)len;
    (void)deadline_ns;
}

void tusk_lane_again(tusk_lane *self, uint32_t slot, uint64_t deadline_ns)
{
    (void)self;
    (void)slot;
    (void)deadline_ns;
}

void tusk_lane_flush(tusk_lane *self)
{
    (void)self;
}

void tusk_lane_expect(tusk_lane *self, uint32_t count)
{
    (void)self;
    (void)count;
}

tusk_err tusk_lane_fork(tusk_lane *self, uint32_t slot, size_t len, uint64_t deadline_ns)
{
    (void)self;
    (void)slot;
    (void)len;
    (void)deadline_ns;
    return TUSK_ENOTSUP;
}

tusk_work_state tusk_lane_look(tusk_lane *self, uint32_t slot, tusk_work_result *out)
{
    (void)self;
    (void)slot;
    *out = (tusk_work_result){.status = -1};
    return TUSK_WORK_LOST;
}

bool tusk_lane_withdraw(tusk_lane *self, uint32_t slot)
{
    (void)self;
    (void)slot;
    return false;
}

void tusk_lane_cancel(tusk_lane *self, uint32_t slot)
{
    (void)self;
    (void)slot;
}

void tusk_lane_release(tusk_lane *self, uint32_t slot)
{
    (void)self;
    (void)slot;
}

bool tusk_lane_ended(tusk_lane *self, uint32_t *slot)
{
    (void)self;
    (void)slot;
    return false;
}

void tusk_lane_wait(tusk_lane *self, uint64_t until_ns)
{
    (void)self;
    (void)until_ns;
}

bool tusk_lane_help(tusk_lane *self)
{
    (void)self;
    return false;
}

uint8_t *tusk_worker_room(tusk_worker *self, size_t *cap)
{
    (void)self;
    (void)cap;
    return NULL;
}

void tusk_worker_answer(tusk_worker *self, size_t len)
{
    (void)self;
    (void)len;
}

tusk_work_why tusk_worker_why(const tusk_worker *self)
{
    (void)self;
    return TUSK_WORK_GO_ON;
}

bool tusk_worker_within(tusk_worker *self, uint64_t deadline_ns, bool (*run)(void *user),
                        void *user)
{
    (void)self;
    (void)deadline_ns;
    return run(user);
}

bool tusk_worker_guest(const tusk_worker *self)
{
    (void)self;
    return false;
}

tusk_lane *tusk_worker_lane(tusk_worker *self)
{
    (void)self;
    return NULL;
}

void tusk_worker_detach(tusk_worker *self)
{
    (void)self;
}

#else

typedef int tusk__work_is_built_in; /* an empty file would not be C */

#endif
