/* SPDX-License-Identifier: MIT */
/* Handlers of objects whose properties are made when somebody first looks at them. */
#ifndef TUSK_EXT_HANDLERS_H
#define TUSK_EXT_HANDLERS_H

#include "php_tusk.h"

/* Makes the property `name` (NULL: all of them) when its slot is empty; others are passed over. */
typedef void (*tusk_slots_fill)(zend_object *object, const zend_string *name);

/* Of a class; its objects' `handlers` is `base`. */
typedef struct tusk_slot_handlers {
    zend_object_handlers base;
    tusk_slots_fill fill;
} tusk_slot_handlers;

/* As tusk_handlers_init(). */
void tusk_slot_handlers_init(tusk_slot_handlers *self, size_t offset,
                             zend_object_free_obj_t free_obj, tusk_slots_fill fill);

#endif
