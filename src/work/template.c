/* SPDX-License-Identifier: MIT */
/* The template: a small process that was prepared once and is copied for every worker. */
#define _GNU_SOURCE
#include "work/template.h"
#include "work/helper.h"
#include "work/spare.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define BLIND_LOOK_MS 20 /* without pidfds */
#define PAUSE_MS_MAX 5000

typedef struct seat {
    int pid; /* 0: empty */
    int pidfd;
    uint32_t incarnation;
    uint32_t failures; /* deaths in a row without a task */
    uint64_t again_ns; /* when it is filled again; 0: when wanted */
    uint64_t born_ns;
} seat;

typedef struct template_state {
    work_shape *shape;
    int commands, reports;
    int parent;
    work_spare spare;
    seat seats[TUSK_WORK_WORKERS_MAX];
} template_state;

static void report(const template_state *self, work_report what, const char *text)
{
    what.text = text == NULL ? 0 : (uint32_t)strlen(text);
    (void)!write(self->reports, &what, sizeof(what));
    if (what.text != 0) {
        (void)!write(self->reports, text, what.text);
    }
    atomic_fetch_add(&self->shape->region.head->news, 1);
    if (what.kind == REPORT_DIED) {
        tusk__region_rouse(&self->shape->region, self->shape->bell_fd);
        return;
    }
    for (uint32_t owner = 0; owner <= self->shape->region.workers; owner++) {
        tusk__region_ring(&self->shape->region, owner, self->shape->bell_fd);
    }
}

void tusk__work_end_all_but(const work_shape *shape, const int *own, size_t count)
{
    enum { OWN_MAX = 5, KEPT_MAX = 8 };
    int kept[OWN_MAX + KEPT_MAX];
    const tusk_work_calls *calls = shape->options.calls;
    memcpy(kept, own, count * sizeof(int));
    if (calls->keep != NULL) {
        count += calls->keep(kept + count, KEPT_MAX, shape->options.user);
    }
    tusk__end_all_but(kept, count);
}

static void keep_only(const work_shape *shape, const int *own, size_t count)
{
    tusk__work_end_all_but(shape, own, count);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0) {
        (void)dup2(null, 0);
        (void)close(null);
    }
    (void)dup2(2,
               1); /* what is written past all capturing is no part of the application's output */
}

/* Its name first: by that whoever inherits it knows it. */
static void be_child(int template_pid)
{
    tusk__process_name(TUSK_NAME_WORKER);
    if (!tusk__die_with(template_pid)) {
        _exit(WORKER_UNFIT);
    }
}

static void become(const work_shape *shape, int from, int template_pid)
{
    const int kept[] = {shape->bell_fd, shape->wish_fd, shape->life_fd, from};
    be_child(template_pid);
    keep_only(shape, kept, from < 0 ? 3 : 4);
}

static _Noreturn void become_worker(template_state *self, uint32_t hand, int template_pid)
{
    become(self->shape, -1, template_pid);
    tusk__worker_main(self->shape, hand, self->seats[hand].incarnation);
}

/* Before the fork: whoever comes has this incarnation, and nothing of who was there. */
static void clear_seat(template_state *self, uint32_t hand)
{
    seat *place = &self->seats[hand];
    place->incarnation = (place->incarnation + 1) & 0xffff;
    place->incarnation += place->incarnation == 0;
    place->again_ns = 0;
    hand_runs_nothing(&self->shape->region.head->hands[hand]);
    atomic_store(&self->shape->region.head->hands[hand].incarnation, place->incarnation);
}

/* `pid` -1: nobody could be forked. */
static void seat_worker(template_state *self, uint32_t hand, int pid, int pidfd)
{
    seat *place = &self->seats[hand];
    if (pid < 0) {
        atomic_store(&self->shape->region.head->hands[hand].incarnation, 0);
        place->again_ns = tusk_loop_clock_ns() + 100 * MS;
        return;
    }
    place->pid = pid;
    place->pidfd = pidfd >= 0 ? pidfd : tusk__pidfd_open(pid);
    place->born_ns = tusk_loop_clock_ns();
    report(self,
           (work_report){
               .kind = REPORT_BORN, .hand = hand, .incarnation = place->incarnation, .pid = pid},
           NULL);
}

static void fork_worker(template_state *self, uint32_t hand)
{
    int own_pid = (int)getpid();
    int pid = (int)fork();
    if (pid == 0) {
        become_worker(self, hand, own_pid);
    }
    seat_worker(self, hand, pid, -1);
}

static void fill(template_state *self, uint32_t hand)
{
    int pidfd = -1;
    clear_seat(self, hand);
    work_place place = {.hand = hand, .incarnation = self->seats[hand].incarnation};
    int pid = tusk__spare_take(&self->spare, place, &pidfd);
    if (pid != 0) {
        seat_worker(self, hand, pid, pidfd);
    } else {
        fork_worker(self, hand);
    }
}

static void fork_spare(template_state *self, uint64_t now_ns)
{
    int from = tusk__spare_open(&self->spare, now_ns);
    if (from < 0) {
        return;
    }
    int own_pid = (int)getpid();
    int pid = (int)fork();
    if (pid == 0) {
        become(self->shape, from, own_pid);
        tusk__spare_main(self->shape, from);
    }
    tusk__spare_forked(&self->spare, from, pid, now_ns);
}

static void fill_with_help(template_state *self, helper_list *list)
{
    uint32_t at;
    int own_pid = (int)getpid();
    for (uint32_t i = 0; i < list->count; i++) {
        clear_seat(self, list->hands[i]);
    }
    int helper = (int)fork();
    if (helper == 0) {
        be_child(own_pid);
        become_worker(self, tusk__helper_fork(list), own_pid);
    }
    tusk__helper_keep(list);
    seat_worker(self, list->hands[0], helper, -1);
    while (tusk__helper_take(list, &at)) {
        list->own[at] = true;
        fork_worker(self, list->hands[at]);
    }
    for (at = 1; at < list->count; at++) {
        int pid = list->own[at] ? -1 : tusk__helper_pid(list, at, helper);
        if (pid > 0) {
            seat_worker(self, list->hands[at], pid, -1);
        } else if (!list->own[at]) {
            fork_worker(self, list->hands[at]);
        }
    }
    tusk__helper_close(list);
}

static void grow(template_state *self, uint64_t count)
{
    uint8_t hands[TUSK_WORK_WORKERS_MAX] = {0};
    uint32_t found = 0;
    for (uint32_t hand = 0; hand < self->shape->region.workers && found < count; hand++) {
        if (self->seats[hand].pid == 0 && self->seats[hand].again_ns == 0) {
            hands[found++] = (uint8_t)hand;
        }
    }
    helper_list *list = tusk__helper_open(self->shape->region.cpus, hands, found);
    if (list != NULL) {
        fill_with_help(self, list);
        return;
    }
    for (uint32_t i = 0; i < found; i++) {
        fill(self, hands[i]);
    }
}

/* What the dead one said of itself is no longer so. */
static void forget(const template_state *self, uint32_t hand, int status)
{
    shared_head *head = self->shape->region.head;
    uint64_t bit = UINT64_C(1) << hand;
    atomic_store(&head->hands[hand].status, status);
    atomic_store(&head->hands[hand].dead_pid, self->seats[hand].pid);
    atomic_store(&head->hands[hand].dead, self->seats[hand].incarnation);
    atomic_store(&head->hands[hand].incarnation, 0);
    atomic_fetch_and(&head->sleeping, ~bit);
    atomic_fetch_and(&head->awake, ~bit);
    atomic_fetch_and(&head->inner, ~bit);
    hand_runs_nothing(&head->hands[hand]);
}

static bool is_wrong(int status)
{
    return status != WORKER_RETIRED << 8 && status != WORKER_IDLE << 8 &&
           status != WORKER_USED_UP << 8;
}

/* A worker that dies young over and over is not forked without end. */
static uint64_t pause_ns(seat *place, int status, bool worked, uint64_t now_ns)
{
    bool young = now_ns - place->born_ns < 100 * MS;
    place->failures = young && is_wrong(status) && !worked ? place->failures + 1 : 0;
    if (place->failures < 8) {
        return 0;
    }
    uint64_t pause_ms = UINT64_C(10) << (place->failures - 8 > 9 ? 9 : place->failures - 8);
    return (pause_ms > PAUSE_MS_MAX ? PAUSE_MS_MAX : pause_ms) * MS;
}

static void bury(template_state *self, uint32_t hand, int status)
{
    seat *place = &self->seats[hand];
    work_report died = {.kind = REPORT_DIED,
                        .hand = hand,
                        .incarnation = place->incarnation,
                        .pid = place->pid,
                        .status = status};
    uint64_t now_ns = tusk_loop_clock_ns();
    bool worked = atomic_load(&self->shape->region.head->hands[hand].runs) != 0;
    forget(self, hand, status);
    if (place->pidfd >= 0) {
        (void)close(place->pidfd);
    }
    place->pid = 0;
    if (is_wrong(status)) {
        tusk__spare_want(&self->spare, now_ns);
    }
    if (status != WORKER_IDLE << 8) {
        uint64_t pause = pause_ns(place, status, worked, now_ns);
        if (pause != 0) {
            place->again_ns = now_ns + pause;
        } else {
            report(self, died, NULL);
            fill(self, hand);
            return;
        }
    }
    report(self, died, NULL);
}

static void reap(template_state *self)
{
    for (uint32_t hand = 0; hand < self->shape->region.workers; hand++) {
        seat *place = &self->seats[hand];
        int status = 0;
        int ended = place->pid == 0 ? 0 : tusk__reap(place->pid, place->pidfd, &status);
        if (ended != 0) {
            bury(self, hand, ended < 0 ? SIGKILL : status);
        }
    }
}

static _Noreturn void quit(template_state *self)
{
    for (uint32_t hand = 0; hand < self->shape->region.workers; hand++) {
        if (self->seats[hand].pid != 0) {
            (void)kill(self->seats[hand].pid, SIGKILL);
        }
    }
    tusk__spare_end(&self->spare);
    for (uint32_t hand = 0; hand < self->shape->region.workers; hand++) {
        seat *place = &self->seats[hand];
        struct pollfd end = {.fd = place->pidfd, .events = POLLIN};
        int status;
        while (place->pid != 0 && tusk__reap(place->pid, place->pidfd, &status) == 0) {
            (void)poll(&end, place->pidfd >= 0 ? 1 : 0, BLIND_LOOK_MS);
        }
    }
    tusk__region_leave(&self->shape->region, 0);
}

static void obey(template_state *self, const work_command *command)
{
    if (command->verb == COMMAND_QUIT) {
        quit(self);
    }
    if (command->verb == COMMAND_GROW) {
        grow(self, command->number);
        return;
    }
    const work_region *region = &self->shape->region;
    const lane_view *view = &region->lanes[APPLICATION];
    uint32_t hand = word_hand(command->word);
    if (hand >= region->workers || command->number >= view->count ||
        atomic_load(&view->slots[command->number].word) != command->word) {
        return; /* it has ended, and the next one of that worker has done nothing */
    }
    const seat *place = &self->seats[hand];
    if (place->pid != 0 && place->incarnation == word_incarnation(command->word)) {
        (void)kill(place->pid, command->verb == COMMAND_KILL ? SIGKILL : SIGVTALRM);
    }
}

static void read_commands(template_state *self)
{
    work_command commands[64];
    ssize_t got = read(self->commands, commands, sizeof(commands));
    if (got == 0) {
        quit(self);
    }
    for (size_t i = 0; got > 0 && i < (size_t)got / sizeof(*commands); i++) {
        obey(self, &commands[i]);
    }
}

static void interrupt_asked(const template_state *self)
{
    uint64_t asked = atomic_exchange(&self->shape->region.head->interrupts, 0);
    for (uint32_t hand = 0; hand < self->shape->region.workers; hand++) {
        if ((asked >> hand & 1) != 0 && self->seats[hand].pid != 0) {
            (void)kill(self->seats[hand].pid, SIGVTALRM);
        }
    }
}

static uint64_t sooner(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns == 0 || (b_ns != 0 && b_ns < a_ns) ? b_ns : a_ns;
}

static int poll_timeout(const template_state *self, bool blind)
{
    uint64_t now_ns = tusk_loop_clock_ns();
    uint64_t due_ns = tusk__spare_due(&self->spare);
    due_ns = blind ? sooner(due_ns, now_ns + BLIND_LOOK_MS * MS) : due_ns;
    for (uint32_t hand = 0; hand < self->shape->region.workers; hand++) {
        const seat *place = &self->seats[hand];
        due_ns = place->pid == 0 ? sooner(due_ns, place->again_ns) : due_ns;
    }
    return due_ns == 0 ? -1 : due_ns <= now_ns ? 0 : (int)((due_ns - now_ns) / MS) + 1;
}

static void turn(template_state *self)
{
    struct pollfd polled[TUSK_WORK_WORKERS_MAX + 3] = {
        {.fd = self->commands, .events = POLLIN},
        {.fd = self->shape->wish_fd, .events = POLLIN},
        {.fd = self->spare.pidfd, .events = POLLIN}};
    nfds_t count = 3;
    bool blind = false;
    for (uint32_t hand = 0; hand < self->shape->region.workers; hand++) {
        if (self->seats[hand].pid != 0) {
            polled[count++] = (struct pollfd){.fd = self->seats[hand].pidfd, .events = POLLIN};
            blind |= self->seats[hand].pidfd < 0;
        }
    }
    (void)poll(polled, count, poll_timeout(self, blind));
    if (polled[0].revents != 0) {
        read_commands(self);
    }
    uint64_t wish = 0;
    if (polled[1].revents != 0 && read(self->shape->wish_fd, &wish, sizeof(wish)) > 0) {
        grow(self, wish % WISH_LOOK);
        if (wish >= WISH_LOOK) {
            interrupt_asked(self);
        }
    }
    reap(self);
    uint64_t now_ns = tusk_loop_clock_ns();
    for (uint32_t hand = 0; hand < self->shape->region.workers; hand++) {
        const seat *place = &self->seats[hand];
        if (place->pid == 0 && place->again_ns != 0 && place->again_ns <= now_ns) {
            fill(self, hand);
        }
    }
    tusk__spare_look(&self->spare, now_ns);
    fork_spare(self, now_ns);
}

_Noreturn void tusk__template_main(work_shape *shape, int commands, int reports)
{
    template_state self = {.shape = shape, .commands = commands, .reports = reports};
    const int kept[] = {commands, reports, shape->bell_fd, shape->wish_fd, shape->life_fd};
    char reason[TUSK_WORK_REASON_MAX] = "";
    tusk__spare_init(&self.spare);
    for (uint32_t hand = 0; hand < shape->region.workers; hand++) {
        self.seats[hand].incarnation = shape->incarnations[hand];
    }
    tusk__calm_signals();
    tusk__process_name(TUSK_NAME_TEMPLATE);
    keep_only(shape, kept, 5);
    const tusk_work_calls *calls = shape->options.calls;
    if (calls->prepare != NULL && !calls->prepare(reason, sizeof(reason), shape->options.user)) {
        report(&self, (work_report){.kind = REPORT_FAILED}, reason[0] == '\0' ? "?" : reason);
        tusk__region_leave(&shape->region, 1);
    }
    report(&self, (work_report){.kind = REPORT_READY}, NULL);
    grow(&self, shape->options.workers);
    for (;;) {
        turn(&self);
    }
}

#else

typedef int tusk__template_is_not_built; /* an empty file would not be C */

#endif
