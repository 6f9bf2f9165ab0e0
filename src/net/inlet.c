/* SPDX-License-Identifier: MIT */
/* A list of listeners by key. */
#include "net/inlet.h"

#include "base/mem.h"

typedef struct net_inlet {
    tusk_link link;
    tusk_listener *listener;
    uint32_t key;
} net_inlet;

tusk_err net_inlet_open(tusk_link *list, tusk_loop *loop, uint32_t key, int fd,
                        void (*on_exhausted)(void *user), tusk_accept_cb on_accept, void *user)
{
    const tusk_mem *mem = tusk_loop_mem(loop);
    const tusk_listener_options options = {.keep_path = true, .on_exhausted = on_exhausted};
    net_inlet *self = tusk__new(mem, sizeof(*self));
    if (self == NULL) {
        return TUSK_ENOMEM;
    }
    tusk_err err = tusk_listener_adopt(&self->listener, loop, fd, NULL, &options, on_accept, user);
    if (err != TUSK_OK) {
        tusk__free(mem, self, sizeof(*self));
        return err;
    }
    self->key = key;
    tusk__list_push(list, &self->link);
    tusk_listener_resume(self->listener);
    return TUSK_OK;
}

void net_inlets_close(tusk_link *list, const tusk_mem *mem, const uint32_t *key)
{
    tusk_link *link = list->next;
    while (link != list) {
        net_inlet *inlet = TUSK_OWNER(link, net_inlet, link);
        link = link->next;
        if (key == NULL || inlet->key == *key) {
            tusk__link_remove(&inlet->link);
            tusk_listener_close(inlet->listener);
            tusk__free(mem, inlet, sizeof(*inlet));
        }
    }
}

void net_inlets_pause(tusk_link *list, bool pause)
{
    for (tusk_link *link = list->next; link != list; link = link->next) {
        tusk_listener *listener = TUSK_OWNER(link, net_inlet, link)->listener;
        if (pause) {
            tusk_listener_pause(listener);
        } else {
            tusk_listener_resume(listener);
        }
    }
}
