/* SPDX-License-Identifier: MIT */
/*
 * A large payload that nobody wants any more: a bomb that was refused, a peer that left.
 *
 * The system takes 2 to 3 ms to take back 32 MiB at once, in which nobody is served. So its pages
 * go back a part at a time, a part in a turn, behind the answers of that. Meanwhile it keeps its
 * room in the send queues, as the place of the one that may go on (unfinished.c) had it: all memory
 * stays what it was.
 */
#include "serve/unfinished.h"

#include "loop/patient.h"
#include "net/pages.h"
#include "serve/pressure.h"

/* 15 and 120 us of a turn: while others are served, and where nobody is. */
#define PART_BESIDE ((size_t)128 << 10)
#define PART_ALONE ((size_t)1 << 20)

void tusk__retired_drop(tusk_server *server)
{
    void *payload = server->retired.payload;
    if (payload == NULL) {
        return;
    }
    tusk_task_cancel(&server->retired_task);
    server->retired.payload = NULL;
    server->retired.left = 0;
    server->store.drop(server->store.user, payload);
    tusk__unfinished_reserve(server);
    tusk__unfinished_wake(server);
    tusk__pressure_eased(server);
}

static tusk_session *owner_of(const tusk_server *server, const void *payload)
{
    tusk_session *owner = server->unfinished_owner;
    bool is_its =
        owner != NULL && owner->kind == SESSION_WEBSOCKET && owner->u.ws.decoder.payload == payload;
    return is_its ? owner : NULL;
}

bool tusk__retire(void *user, void *payload, uint8_t *place, size_t cap)
{
    tusk_server *server = user;
    tusk__retired_drop(server);
    /* The owner's place has its room in the queues; a smaller one has to find it there. */
    tusk_session *owner = owner_of(server, payload);
    if (server->state == SERVER_STOPPED || (owner == NULL && cap > tusk_net_room(server->net))) {
        return false;
    }
    server->retired.payload = payload;
    server->retired.place = place;
    server->retired.left = cap;
    if (owner != NULL) { /* counted once: there has to be room for its Close */
        tusk__session_count_unfinished(owner, 0);
    } else {
        tusk__unfinished_reserve(server);
    }
    tusk__task_defer_behind(server->loop, &server->retired_task);
    return true;
}

void tusk__retired_go_on(tusk_task *task)
{
    tusk_server *server = TUSK_OWNER(task, tusk_server, retired_task);
    size_t part = tusk__loop_serves(server->loop) ? PART_BESIDE : PART_ALONE;
    part = server->retired.left < part ? server->retired.left : part;
    server->retired.left -= part;
    tusk__pages_discard(server->retired.place + server->retired.left, part);
    if (server->retired.left == 0) {
        tusk__retired_drop(server);
        return;
    }
    tusk__unfinished_reserve(server);
    tusk__task_defer_behind(server->loop, task);
}
