/* SPDX-License-Identifier: MIT */
/* A doubly linked list whose links are embedded in their owners; unlinking twice is harmless. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tusk_link {
    struct tusk_link *prev;
    struct tusk_link *next;
} tusk_link;

#define TUSK_OWNER(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

static inline void tusk__list_init(tusk_link *head)
{
    head->prev = head;
    head->next = head;
}

static inline bool tusk__list_empty(const tusk_link *head)
{
    return head->next == head;
}

/* All zero, or pointing at itself: not in a list. */
static inline bool tusk__link_linked(const tusk_link *link)
{
    return link->next != NULL && link->next != link;
}

static inline void tusk__list_push(tusk_link *head, tusk_link *link)
{
    link->prev = head->prev;
    link->next = head;
    head->prev->next = link;
    head->prev = link;
}

static inline void tusk__link_remove(tusk_link *link)
{
    if (link->next != NULL) {
        link->next->prev = link->prev;
        link->prev->next = link->next;
    }
    link->next = NULL;
    link->prev = NULL;
}

static inline tusk_link *tusk__list_pop(tusk_link *head)
{
    tusk_link *first = head->next;
    if (first == head) {
        return NULL;
    }
    tusk__link_remove(first);
    return first;
}

/* Moves everything from `from` to the end of `to`; `from` is empty afterwards. */
static inline void tusk__list_splice(tusk_link *to, tusk_link *from)
{
    if (tusk__list_empty(from)) {
        return;
    }
    from->next->prev = to->prev;
    to->prev->next = from->next;
    from->prev->next = to;
    to->prev = from->prev;
    tusk__list_init(from);
}

#endif
