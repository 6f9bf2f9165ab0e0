/* SPDX-License-Identifier: MIT */
/* A worker: claims, runs, answers; spins for a moment, then sleeps. */
#define _GNU_SOURCE
#include "work/worker.h"

#if defined(__linux__)

#include "base/mem.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define IDLE_LOOK_NS (1000 * MS)
#define IDLE_END_NS (15000 * MS)
#define INTERRUPT SIGVTALRM
#define ROUSED_SPINS 6 /* times as long as unasked: who roused it has to make the task first */

/* What runs now; nested submissions stack them. */
typedef struct running {
    struct running *outer;
    uint32_t owner, slot;
    uint64_t word;
    uint64_t deadline_ns;
    uint8_t *room;
    bool answered, watched;
} running;

struct tusk_worker {
    work_shape *shape;
    uint32_t hand, incarnation;
    work_arena arena;
    tusk_lane lane;
    running *volatile runs;
    timer_t soft, hard;
    bool timers, armed, used_up, guest;
    bool roused; /* woken for tasks that are to come */
    bool seen;   /* all of the application's tasks up to `seen_tail` are taken */
    uint32_t seen_tail;
    uint32_t tasks;
    uint32_t stay; /* of the application's lane, as last seen */
    work_luck luck;
    uint64_t born_ns;
    uint64_t answered_ns;
};

static tusk_worker *self_of_signal; /* one per process: the handler has nothing else to go by */

/* ---- deadlines ---- */
static void arm(timer_t timer, uint64_t at_ns)
{
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at_ns / 1000000000u),
                                           .tv_nsec = (long)(at_ns % 1000000000u)}};
    (void)timer_settime(timer, TIMER_ABSTIME, &when, NULL);
}

static uint64_t grace_ns(const tusk_worker *self)
{
    return (uint64_t)self->shape->options.grace_ms * MS;
}

tusk_work_why tusk_worker_why(const tusk_worker *self)
{
    uint64_t now_ns = 0;
    for (const running *run = self->runs; run != NULL; run = run->outer) {
        const shared_slot *slot = &self->shape->region.lanes[run->owner].slots[run->slot];
        if (atomic_load(&slot->word) == run->word && atomic_load(&slot->cancelled) != 0) {
            return TUSK_WORK_CANCELLED;
        }
        if (run->deadline_ns != 0) {
            now_ns = now_ns == 0 ? tusk_loop_clock_ns() : now_ns;
            if (now_ns >= run->deadline_ns) {
                return TUSK_WORK_LATE;
            }
        }
    }
    return TUSK_WORK_GO_ON;
}

static void on_interrupt(int number)
{
    tusk_worker *self = self_of_signal;
    (void)number;
    if (self == NULL || self->runs == NULL || tusk_worker_why(self) == TUSK_WORK_GO_ON) {
        return;
    }
    if (self->timers) {
        arm(self->hard, tusk_loop_clock_ns() + grace_ns(self));
        self->armed = true;
    }
    if (self->shape->options.calls->interrupt != NULL) {
        self->shape->options.calls->interrupt(self->shape->options.user);
    }
}

static void make_timers(tusk_worker *self)
{
    struct sigaction action = {.sa_handler = on_interrupt}; /* no SA_RESTART: sleeping ends */
    struct sigevent soft = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = INTERRUPT};
    struct sigevent hard = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    (void)sigaction(INTERRUPT, &action, NULL);
    self->timers = timer_create(CLOCK_MONOTONIC, &soft, &self->soft) == 0 &&
                   timer_create(CLOCK_MONOTONIC, &hard, &self->hard) == 0;
}

/* The earliest deadline of what runs, innermost and around it. */
static void set_timers(tusk_worker *self)
{
    uint64_t first_ns = 0;
    for (const running *run = self->runs; run != NULL; run = run->outer) {
        if (run->deadline_ns != 0 && (first_ns == 0 || run->deadline_ns < first_ns)) {
            first_ns = run->deadline_ns;
        }
    }
    if (!self->timers || (first_ns == 0 && !self->armed)) {
        return;
    }
    arm(self->soft, first_ns);
    arm(self->hard, first_ns == 0 ? 0 : first_ns + grace_ns(self));
    self->armed = first_ns != 0;
}

/* ---- one task ---- */
static void tell_what_runs(tusk_worker *self)
{
    const running *run = self->runs;
    uint64_t value = run == NULL ? 0 : (uint64_t)run->owner << 32 | (run->slot + 1);
    atomic_store_explicit(&self->shape->region.head->hands[self->hand].runs, value,
                          memory_order_release);
}

static void hint(tusk_worker *self, const running *run)
{
    const lane_view *view = &self->shape->region.lanes[run->owner];
    if (!run->watched) {
        atomic_fetch_or(&view->done[run->slot / 64], UINT64_C(1) << (run->slot % 64));
    }
    tusk__region_ring(&self->shape->region, run->owner,
                      run->owner == APPLICATION ? self->shape->bell_fd : -1);
}

uint8_t *tusk_worker_room(tusk_worker *self, size_t *cap)
{
    self->runs->room = tusk__arena_open(&self->arena, cap);
    return self->runs->room;
}

void tusk_worker_answer(tusk_worker *self, size_t len)
{
    running *run = self->runs;
    shared_slot *slot = &self->shape->region.lanes[run->owner].slots[run->slot];
    uint64_t done = word_of(SLOT_DONE, self->hand, self->incarnation, word_generation(run->word));
    uint64_t mine = run->word;
    run->answered = true;
    run->watched = atomic_load(&slot->watched) != 0; /* afterwards it may be another task's */
    if (run->room != NULL && len <= RESULT_INSIDE) {
        memcpy(slot->result, run->room, RESULT_INSIDE); /* of a room that is longer */
        atomic_store_explicit(&slot->result_at, INSIDE, memory_order_relaxed);
    } else if (run->room != NULL) {
        atomic_store_explicit(&slot->result_at, self->arena.open_at, memory_order_relaxed);
        (void)tusk__arena_commit(&self->arena, len, &slot->word, done);
    } else {
        atomic_store_explicit(&slot->result_at, 0, memory_order_relaxed);
        len = 0;
    }
    atomic_store_explicit(&slot->result_len, len, memory_order_relaxed);
    (void)atomic_compare_exchange_strong(&slot->word, &mine, done);
}

static bool view_request(const tusk_worker *self, uint32_t owner, const shared_slot *slot,
                         tusk_bytes *out)
{
    uint64_t at = atomic_load(&slot->request_at);
    uint64_t len = atomic_load(&slot->request_len);
    if (at == INSIDE && len <= REQUEST_INSIDE) {
        *out = tusk_bytes_of(slot->request, (size_t)len);
        return true;
    }
    return region_view(&self->shape->region, owner, at, len, out);
}

static void run_task(tusk_worker *self, uint32_t owner, uint32_t slot, uint64_t word)
{
    const shared_slot *shared = &self->shape->region.lanes[owner].slots[slot];
    running run = {.outer = self->runs, .owner = owner, .slot = slot, .word = word};
    tusk_work_task task = {.deadline_ns = atomic_load(&shared->deadline_ns),
                           .watched = atomic_load(&shared->watched) != 0};
    run.deadline_ns = task.deadline_ns;
    self->runs = &run;
    tell_what_runs(self);
    if (task.deadline_ns != 0) {
        set_timers(self);
    }
    bool fit = view_request(self, owner, shared, &task.request) &&
               self->shape->options.calls->run(self, &task, self->shape->options.user);
    if (self->armed) {
        running *outer = run.outer;
        self->runs = outer;
        set_timers(self);
        self->runs = &run;
    }
    if (!run.answered) {
        run.room = NULL;
        tusk_worker_answer(self, 0);
    }
    self->runs = run.outer;
    tell_what_runs(self);
    if (self->armed) { /* by a signal that came when it had ended: it would hit the next one */
        set_timers(self);
    }
    hint(self, &run);
    self->tasks++;
    self->used_up |= !fit;
}

/* ---- the next one ---- */
/* Whether the application has pushed something since this worker last found nothing. */
static bool news(const tusk_worker *self, uint32_t *tail)
{
    const shared_lane *lane = self->shape->region.lanes[APPLICATION].lane;
    *tail = atomic_load_explicit(&lane->tail, memory_order_acquire);
    return !self->seen || *tail != self->seen_tail;
}

static bool next_of_application(tusk_worker *self)
{
    lane_claim claim;
    uint32_t tail;
    if (!news(self, &tail)) {
        return false;
    }
    bool any =
        tusk__lane_claim(&self->shape->region, APPLICATION, self->hand, self->incarnation, &claim);
    self->seen = !any || claim.only;
    self->seen_tail = tail;
    if (any) {
        run_task(self, APPLICATION, claim.slot, claim.word);
    }
    return any;
}

static bool next_task(tusk_worker *self)
{
    const work_region *region = &self->shape->region;
    lane_claim claim;
    uint64_t inner = atomic_load_explicit(&region->head->inner, memory_order_acquire);
    for (; inner != 0; inner &= inner - 1) {
        uint32_t owner = (uint32_t)__builtin_ctzll(inner) + 1;
        if (owner <= region->workers &&
            tusk__lane_claim(region, owner, self->hand, self->incarnation, &claim)) {
            run_task(self, owner, claim.slot, claim.word);
            return true;
        }
    }
    return next_of_application(self);
}

bool tusk__worker_help(tusk_worker *self)
{
    lane_claim claim;
    uint32_t owner = self->lane.owner;
    if (!tusk__lane_claim_newest(&self->shape->region, owner, self->hand, self->incarnation,
                                 &claim)) {
        return false;
    }
    run_task(self, owner, claim.slot, claim.word);
    return true;
}

static bool holds_entries(const work_region *region, uint32_t owner)
{
    const shared_lane *lane = region->lanes[owner].lane;
    uint32_t count = atomic_load_explicit(&lane->tail, memory_order_relaxed) -
                     atomic_load_explicit(&lane->head, memory_order_relaxed);
    return count != 0 && count <= region->lanes[owner].ring_max; /* else it is rubbish */
}

static bool any_task(const tusk_worker *self)
{
    const work_region *region = &self->shape->region;
    uint32_t tail;
    bool any = news(self, &tail) && holds_entries(region, APPLICATION);
    uint64_t inner = atomic_load_explicit(&region->head->inner, memory_order_relaxed);
    for (; inner != 0 && !any; inner &= inner - 1) {
        uint32_t owner = (uint32_t)__builtin_ctzll(inner) + 1;
        any = owner <= region->workers && holds_entries(region, owner);
    }
    return any;
}

/* Looks at the application's tail, which comes with all that a claim reads, and at the word that a
 * worker's flush changes. */
static bool look_a_while(const tusk_worker *self, uint64_t now_ns, uint32_t spin_us)
{
    shared_head *head = self->shape->region.head;
    uint64_t end_ns = now_ns + (uint64_t)spin_us * 1000;
    uint32_t work = atomic_load(&head->work);
    uint32_t tail;
    if (any_task(self)) {
        return true;
    }
    do {
        for (int i = 0; i < 64; i++) {
            if (news(self, &tail) ||
                atomic_load_explicit(&head->work, memory_order_relaxed) != work) {
                return true;
            }
            tusk__pause();
        }
    } while (tusk_loop_clock_ns() < end_ns);
    return false;
}

/* On the core of whoever last woke a worker, where looking only keeps the next task from being
 * made.
 */
static bool beside_rouser(const tusk_worker *self)
{
    uint32_t core = atomic_load_explicit(&self->shape->region.head->rouser, memory_order_relaxed);
    return core != 0 && core == tusk__core();
}

static bool spin(tusk_worker *self, uint64_t now_ns)
{
    uint32_t spin_us = self->shape->options.spin_us;
    uint32_t stay = atomic_load_explicit(&self->shape->region.lanes[APPLICATION].lane->stay,
                                         memory_order_relaxed);
    bool roused = self->roused;
    self->roused = false;
    if (stay != self->stay) { /* put on a core of its own: looking is worth it again */
        self->stay = stay;
        self->luck.left = LUCK_MAX;
    }
    if (spin_us == 0 || !tusk__region_core_free(&self->shape->region, 0) || beside_rouser(self)) {
        return false;
    }
    return roused ? look_a_while(self, now_ns, spin_us * ROUSED_SPINS)
                  : luck_try(&self->luck) &&
                        luck_note(&self->luck, look_a_while(self, now_ns, spin_us));
}

/* Until something may be due that nobody wakes it for: its age, exactly; the rest in a second. */
static uint64_t sleep_until(const tusk_worker *self, uint64_t now_ns)
{
    const tusk_work_options *options = &self->shape->options;
    uint64_t look_ns = now_ns + IDLE_LOOK_NS;
    uint64_t old_ns = self->born_ns + options->age_ms_max * MS;
    return options->age_ms_max != 0 && old_ns < look_ns ? old_ns : look_ns;
}

static void sleep_for_work(tusk_worker *self)
{
    shared_head *head = self->shape->region.head;
    uint64_t bit = UINT64_C(1) << self->hand;
    uint64_t now_ns = tusk_loop_clock_ns();
    self->seen = false; /* what it believed it knew: a ring may have been repaired meanwhile */
    if (next_task(self)) {
        return;
    }
    self->seen = false;
    atomic_fetch_and(&head->awake, ~bit);
    atomic_fetch_or(&head->sleeping, bit);
    uint32_t seen = atomic_load(&head->work);
    if (!any_task(self)) {
        self->roused = tusk__futex_wait(&head->work, seen, sleep_until(self, now_ns)) &&
                       atomic_load(&head->work) == seen;
    }
    atomic_fetch_and(&head->sleeping, ~bit);
    atomic_fetch_or(&head->awake, bit);
}

static int over(const tusk_worker *self, uint64_t now_ns)
{
    const tusk_work_options *options = &self->shape->options;
    if (self->used_up) {
        return WORKER_USED_UP;
    }
    if ((options->tasks_max != 0 && self->tasks >= options->tasks_max) ||
        (options->age_ms_max != 0 && now_ns - self->born_ns >= options->age_ms_max * MS)) {
        return WORKER_RETIRED;
    }
    return self->hand >= options->workers && now_ns - self->answered_ns >= IDLE_END_NS ? WORKER_IDLE
                                                                                       : -1;
}

/* Answers of whoever had this place before, which nobody took yet, are not to be written over. */
static void adopt_answers(tusk_worker *self)
{
    const work_region *region = &self->shape->region;
    for (uint32_t owner = 0; owner <= region->workers; owner++) {
        for (uint32_t i = 0; i < region->lanes[owner].count; i++) {
            shared_slot *slot = &region->lanes[owner].slots[i];
            uint64_t word = atomic_load(&slot->word);
            tusk_bytes bytes;
            if (word_kind(word) == SLOT_DONE && word_hand(word) == self->hand &&
                region_view(region, self->hand + 1, atomic_load(&slot->result_at),
                            atomic_load(&slot->result_len), &bytes) &&
                bytes.len != 0) {
                (void)tusk__arena_adopt(&self->arena, atomic_load(&slot->result_at), bytes.len,
                                        &slot->word, word);
            }
        }
    }
}

/* Slots of the one who had this place before: nobody waits for them. */
static void clear_lane(const lane_view *view)
{
    for (uint32_t i = 0; i < view->count; i++) {
        uint64_t word = atomic_load(&view->slots[i].word);
        atomic_store(&view->slots[i].word, word_of(SLOT_FREE, 0, 0, word_generation(word) + 1));
    }
    atomic_store(&view->lane->head, 0);
    atomic_store(&view->lane->tail, 0);
    atomic_store(&view->lane->waits, 0);
}

static bool set_up(tusk_worker *self, work_shape *shape, uint32_t hand, uint32_t incarnation)
{
    const work_region *region = &shape->region;
    *self = (tusk_worker){.shape = shape,
                          .hand = hand,
                          .incarnation = incarnation,
                          .born_ns = tusk_loop_clock_ns(),
                          .guest = hand >= region->workers};
    self->answered_ns = self->born_ns;
    tusk__arena_init(&self->arena, shape->mem, region_arena(region, hand + 1), region->arena_size);
    self_of_signal = self;
    make_timers(self);
    if (self->guest) {
        return true;
    }
    clear_lane(&region->lanes[hand + 1]);
    adopt_answers(self);
    if (tusk__lane_init(&self->lane, shape->mem, region, hand + 1, &self->arena) != TUSK_OK) {
        return false;
    }
    self->lane.worker = self;
    self->lane.spin_us = shape->options.spin_us;
    return true;
}

_Noreturn void tusk__worker_main(work_shape *shape, uint32_t hand, uint32_t incarnation)
{
    tusk_worker self;
    uint64_t bit = UINT64_C(1) << hand;
    if (!set_up(&self, shape, hand, incarnation)) {
        tusk__region_leave(&shape->region, WORKER_UNFIT);
    }
    shape->options.calls->begin(&self, shape->options.user);
    shared_head *head = shape->region.head;
    int status = -1;
    atomic_fetch_or(&head->awake, bit);
    while (status < 0) {
        while (!self.used_up && next_task(&self)) {
            if ((shape->options.tasks_max != 0 && self.tasks >= shape->options.tasks_max)) {
                break;
            }
            self.answered_ns = 0;
        }
        uint64_t now_ns = tusk_loop_clock_ns();
        self.answered_ns = self.answered_ns == 0 ? now_ns : self.answered_ns;
        status = over(&self, now_ns);
        if (status < 0 && !spin(&self, now_ns)) {
            sleep_for_work(&self);
        }
    }
    tusk__region_leave(&shape->region, status);
}

_Noreturn void tusk__guest_main(work_shape *shape, uint32_t hand, uint32_t slot, uint64_t word)
{
    tusk_worker self;
    (void)set_up(&self, shape, hand, word_incarnation(word));
    shape->options.calls->begin(&self, shape->options.user);
    run_task(&self, APPLICATION, slot, word);
    tusk__region_leave(&shape->region, WORKER_RETIRED);
}

/* ---- small answers ---- */
bool tusk_worker_guest(const tusk_worker *self)
{
    return self->guest;
}

tusk_lane *tusk_worker_lane(tusk_worker *self)
{
    return self->guest ? NULL : &self->lane;
}

void tusk_worker_detach(tusk_worker *self)
{
    self_of_signal = NULL;
    tusk__region_close(&self->shape->region);
}

void tusk__worker_wish(tusk_worker *self, uint32_t count)
{
    const uint64_t wish = count;
    (void)!write(self->shape->wish_fd, &wish, sizeof(wish));
}

void tusk__worker_interrupt(tusk_worker *self, uint32_t hand)
{
    const uint64_t look = WISH_LOOK;
    atomic_fetch_or(&self->shape->region.head->interrupts, UINT64_C(1) << hand);
    (void)!write(self->shape->wish_fd, &look, sizeof(look));
}

#else

typedef int tusk__worker_is_not_built; /* an empty file would not be C */

#endif
