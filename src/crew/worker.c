/* SPDX-License-Identifier: MIT */
/* The worker's side: what a fork leaves behind, whom it hears, what it tells. */
#define _GNU_SOURCE
#include "crew/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "loop/process.h"

enum { ORDERS_MAX = 64 };

/* The application's descriptors, the sockets of all slots and the control stay; what the master
 * opened for itself (its poller, other workers' ends, an admin's connections) is the master's. */
static bool keep_only(const tusk_crew *crew, int control)
{
    size_t count = crew->kept_count + 1;
    for (const crew_listener *listener = crew->listeners; listener != NULL;
         listener = listener->next) {
        count += crew->options.workers;
    }
    int *kept = tusk__new(crew->mem, count * sizeof(int));
    if (kept == NULL) {
        return false;
    }
    size_t at = 0;
    kept[at++] = control;
    for (size_t i = 0; i < crew->kept_count; i++) {
        kept[at++] = crew->kept[i];
    }
    for (const crew_listener *listener = crew->listeners; listener != NULL;
         listener = listener->next) {
        for (uint32_t i = 0; i < crew->options.workers; i++) {
            kept[at++] = listener->sockets[i]; /* -1 keeps nothing */
        }
    }
    tusk__close_all_but(kept, count);
    tusk__free(crew->mem, kept, count * sizeof(int));
    return true;
}

/* The system forgets whose death is ours when the user changes, so that is asked for last. What a
 * terminal sends to the whole group is the master's to obey. */
static bool settle_in(const tusk_crew *crew, int control, int parent)
{
    tusk_loop *loop = crew->options.worker_loop;
    tusk__process_name("tusk-crew");
    if (!keep_only(crew, control) || tusk_loop_forked(loop) != TUSK_OK ||
        crew_identity_take(&crew->options.identity) != TUSK_OK || !tusk__die_with(parent)) {
        return false;
    }
    tusk__pass_over(SIGINT);
    tusk__pass_over(SIGHUP);
    tusk__pass_over(SIGQUIT);
    return true;
}

_Noreturn void crew_worker_main(tusk_crew *crew, const crew_seat *seat, int control, int parent,
                                const sigset_t *mask)
{
    tusk_crew_worker self = {.crew = crew,
                             .seat = seat->index,
                             .first = crew->slots[seat->slot].first,
                             .control = {.fd = control}};
    if (!settle_in(crew, control, parent)) {
        _exit(CREW_UNFIT);
    }
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    _exit(crew->options.calls->run(crew->options.user, &self));
}

static void tell(const tusk_crew_worker *self, uint8_t told)
{
    (void)!write(self->control.fd, &told, 1);
}

/* ---- orders ---- */
static void obey(const tusk_crew_worker *self, uint8_t order)
{
    if (order == ORDER_DRAIN || order == ORDER_CUT) {
        crew_sockets_close(self->crew, false);
        self->orders->on_drain(self->user, order == ORDER_CUT);
    } else if (order == ORDER_ASK) {
        tell(self, TOLD_HERE);
    } else if (self->orders->on_adopt != NULL) {
        self->orders->on_adopt(self->user, order & (ORDER_ADOPT - 1u), order < ORDER_GIVE_BACK);
    }
}

static void on_control(tusk_io *io, unsigned events)
{
    (void)events;
    tusk_crew_worker *self =
        (tusk_crew_worker *)(void *)((char *)io - offsetof(tusk_crew_worker, control));
    uint8_t orders[ORDERS_MAX];
    ssize_t got = read(io->fd, orders, sizeof(orders));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        _exit(CREW_UNFIT); /* the master is gone, and with it whoever would end us */
    }
    for (ssize_t i = 0; i < got; i++) {
        obey(self, orders[i]);
    }
}

tusk_err tusk_crew_worker_obey(tusk_crew_worker *self, tusk_loop *loop,
                               const tusk_crew_orders *orders, void *user)
{
    self->loop = loop;
    self->orders = orders;
    self->user = user;
    self->control.on_event = on_control;
    return tusk_io_add(loop, &self->control, TUSK_IO_READ);
}

void tusk_crew_worker_ready(tusk_crew_worker *self)
{
    tell(self, TOLD_READY);
}

void tusk_crew_worker_leave(tusk_crew_worker *self)
{
    crew_sockets_close(self->crew, false);
    tell(self, TOLD_LEAVING);
}

void tusk_crew_worker_stop(tusk_crew_worker *self)
{
    tell(self, TOLD_STOP);
}

uint32_t tusk_crew_worker_slot(const tusk_crew_worker *self)
{
    return self->seat / 2;
}

uint32_t tusk_crew_worker_seat(const tusk_crew_worker *self)
{
    return self->seat;
}

bool tusk_crew_worker_first(const tusk_crew_worker *self)
{
    return self->first;
}

int tusk_crew_worker_socket(const tusk_crew_worker *self, uint32_t slot, size_t listener)
{
    const crew_listener *found = self->crew->listeners;
    while (found != NULL && listener-- > 0) {
        found = found->next;
    }
    if (found == NULL || slot >= self->crew->options.workers) {
        return -1;
    }
    return fcntl(found->sockets[found->shared ? 0 : slot], F_DUPFD_CLOEXEC, 3);
}
