/* SPDX-License-Identifier: MIT */
/* A plan: its options set one by one, each checked by itself. */
#include "load/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "load/options.h"

static const char *expected(const load_option *self)
{
    switch (self->type) {
    case LOAD_TYPE_COUNT: return "a number such as 500 or 10k";
    case LOAD_TYPE_SIZE: return "a size such as 512, 64KiB or 1MiB";
    case LOAD_TYPE_SECONDS: return "a time such as 10, 250ms, 2s or 5m";
    case LOAD_TYPE_RATE: return "a rate per second such as 500 or 10k";
    case LOAD_TYPE_SWITCH: return "yes or no";
    case LOAD_TYPE_CHOICE: return "one of";
    case LOAD_TYPE_TEXT: return "a text";
    }
    return "";
}

static tusk_err refuse(const load_option *self, tusk_bytes value, char *reason)
{
    int shown = (int)(value.len < 40 ? value.len : 40);
    bool is_choice = self->type == LOAD_TYPE_CHOICE;
    (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "%s must be %s%s%s, \"%.*s\" given",
                   self->shown.name, expected(self), is_choice ? " " : "",
                   is_choice ? self->shown.type : "", shown, (const char *)value.ptr);
    return TUSK_EINVAL;
}

static tusk_err put_text(load_plan *self, load_text *place, tusk_bytes value)
{
    char *copy = tusk__new(self->mem, value.len + 1);
    if (copy == NULL) {
        return TUSK_ENOMEM;
    }
    memcpy(copy, value.ptr, value.len);
    tusk__free(self->mem, place->ptr, place->ptr == NULL ? 0 : place->len + 1);
    place->ptr = copy;
    place->len = value.len;
    return TUSK_OK;
}

static tusk_err put(load_plan *self, const load_option *which, tusk_bytes value, char *reason)
{
    double number;
    if (memchr(value.ptr, 0, value.len) != NULL ||
        !tusk__load_value(which->type, which->shown.type, value, &number)) {
        return refuse(which, value, reason);
    }
    bool whole = which->type == LOAD_TYPE_COUNT || which->type == LOAD_TYPE_SIZE;
    bool bounded = which->type != LOAD_TYPE_CHOICE && which->type != LOAD_TYPE_SWITCH;
    if (whole && number < 1e18 && number != (double)(uint64_t)number) {
        return refuse(which, value, reason);
    }
    if (bounded && (number < which->min || number > which->max)) {
        char shown[3][LOAD_SHOWN_MAX];
        (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "%s must be from %s to %s%s%s, %s given",
                       which->shown.name, tusk__load_shown(shown[0], which->min),
                       tusk__load_shown(shown[1], which->max),
                       which->type == LOAD_TYPE_TEXT  ? " bytes"
                       : which->shown.unit[0] != '\0' ? " "
                                                      : "",
                       which->type == LOAD_TYPE_TEXT ? "" : which->shown.unit,
                       tusk__load_shown(shown[2], number));
        return TUSK_EINVAL;
    }
    void *place = (char *)self + which->at;
    switch (which->type) {
    case LOAD_TYPE_COUNT:
    case LOAD_TYPE_SIZE:
    case LOAD_TYPE_CHOICE: *(uint64_t *)place = (uint64_t)number; break;
    case LOAD_TYPE_SECONDS:
    case LOAD_TYPE_RATE: *(double *)place = number; break;
    case LOAD_TYPE_SWITCH: *(bool *)place = number > 0; break;
    case LOAD_TYPE_TEXT: return put_text(self, place, value);
    }
    return TUSK_OK;
}

/* Its place in the table; false: the mode has none of that name. */
static bool find(const load_plan *self, tusk_bytes name, size_t *place)
{
    const load_option *option;
    for (size_t i = 0; (option = tusk__load_option_at(i)) != NULL; i++) {
        if (tusk__load_option_is_of(option, self->mode) &&
            tusk_bytes_eq(name, tusk_bytes_str(option->shown.name))) {
            *place = i;
            return true;
        }
    }
    return false;
}

tusk_err tusk__load_plan_set(load_plan *self, tusk_bytes name, tusk_bytes value, char *reason)
{
    size_t place;
    if (!find(self, name, &place)) {
        (void)snprintf(reason, TUSK_LOAD_REASON_MAX, "mode %s has no option \"%.*s\"",
                       tusk__load_mode_name(self->mode), (int)(name.len < 40 ? name.len : 40),
                       (const char *)name.ptr);
        return TUSK_EINVAL;
    }
    tusk_err err = put(self, tusk__load_option_at(place), value, reason);
    if (err == TUSK_OK) {
        self->given |= (uint64_t)1 << place;
    }
    return err;
}

bool tusk__load_plan_given(const load_plan *self, const char *name)
{
    size_t place;
    return find(self, tusk_bytes_str(name), &place) && (self->given >> place & 1) != 0;
}

tusk_err tusk__load_plan_init(load_plan *self, const tusk_mem *mem, load_mode_id mode,
                              tusk_bytes url, char *reason)
{
    memset(self, 0, sizeof(*self));
    self->mem = mem;
    self->mode = mode;
    self->look_up = tusk_addr_resolve;
    tusk_err err = tusk__load_target_init(&self->target, mem, mode, url, reason);
    /* Every member has its default, also where the mode does not show it; its own come last. */
    for (int own = 0; own < 2; own++) {
        const load_option *option;
        for (size_t i = 0; err == TUSK_OK && (option = tusk__load_option_at(i)) != NULL; i++) {
            if (tusk__load_option_is_of(option, mode) == (own == 1)) {
                err = put(self, option, tusk_bytes_str(option->shown.fallback), reason);
            }
        }
    }
    if (err != TUSK_OK) {
        tusk__load_plan_fini(self);
    }
    return err;
}

void tusk__load_plan_fini(load_plan *self)
{
    const load_option *option;
    for (size_t i = 0; (option = tusk__load_option_at(i)) != NULL; i++) {
        if (option->type == LOAD_TYPE_TEXT) {
            load_text *text = (load_text *)(void *)((char *)self + option->at);
            tusk__free(self->mem, text->ptr, text->ptr == NULL ? 0 : text->len + 1);
        }
    }
    tusk__load_target_fini(&self->target, self->mem);
    tusk__load_target_fini(&self->publish_target, self->mem);
    memset(self, 0, sizeof(*self));
}
