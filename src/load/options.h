/* SPDX-License-Identifier: MIT */
/* Options: what each is called, which modes have it, and where its value stands in a plan. */
#ifndef LOAD_OPTIONS_H
#define LOAD_OPTIONS_H

#include "load/plan.h"
#include "load/value.h"

typedef struct load_option {
    tusk_load_option shown;
    load_type type;
    unsigned modes; /* a bit for each load_mode_id */
    size_t at;      /* of its member in the plan */
    double min;
    double max;
} load_option;

/* In the order in which people are shown them; NULL past the last. */
const load_option *tusk__load_option_at(size_t i);

static inline bool tusk__load_option_is_of(const load_option *self, load_mode_id mode)
{
    return (self->modes & 1u << mode) != 0;
}

#endif
