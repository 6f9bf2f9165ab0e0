/* SPDX-License-Identifier: MIT */
/* How deep serialize() would go: it calls itself for each level, and before PHP 8.3 nothing ends
 * that but the end of the stack, which is 2 MB where a fiber runs. */
#include "src/travel/live.h"

#include "src/travel/serial.h"
#include "src/travel/travel.h"

#include <Zend/zend_closures.h>
#include <Zend/zend_enum.h>

/* A level took 1.1 to 1.4 KB of the stack, measured with PHP 8.2. */
enum { LEVEL_TAKES = 1400, STACK_SPARED = 256 * 1024 };

/* An array or an object that one is in, and how far one has come. */
typedef struct level {
    HashTable *table; /* NULL: the slots of an object */
    zval *slots;
    uint32_t at, count;
    bool is_object;
} level;

typedef struct dive {
    level *levels;
    uint32_t depth, cap, depth_max;
    uint32_t objects;
    HashTable met; /* each is written once, and by its number from then on */
} dive;

static uint32_t levels_max(void)
{
    size_t stack = (size_t)EG(fiber_stack_size);
    if (EG(current_fiber_context) == EG(main_fiber_context) || stack <= 2 * (size_t)STACK_SPARED) {
        return TUSK_SERIAL_DEPTH;
    }
    size_t room = (stack - STACK_SPARED) / LEVEL_TAKES;
    return room < TUSK_SERIAL_DEPTH ? (uint32_t)room : TUSK_SERIAL_DEPTH;
}

static bool meet(dive *self, const void *what)
{
    return zend_hash_index_add_empty_element(&self->met, (zend_ulong)(uintptr_t)what >> 3) != NULL;
}

static level level_of(zval *value)
{
    if (Z_TYPE_P(value) == IS_ARRAY) {
        return (level){.table = Z_ARRVAL_P(value)};
    }
    zend_object *object = Z_OBJ_P(value);
    level self = {.is_object = true};
    if (object->ce == zend_ce_closure || (object->ce->ce_flags & ZEND_ACC_ENUM) != 0 ||
        tusk_live_writes_itself(object->ce)) {
        return self; /* what these write is their own affair */
    }
    if (object->handlers->get_properties != zend_std_get_properties) {
        self.table = object->handlers->get_properties(object);
    } else if (object->properties != NULL) {
        self.table = object->properties;
    } else {
        self.slots = object->properties_table;
        self.count = (uint32_t)object->ce->default_properties_count;
    }
    return self;
}

static zval *element(level *self)
{
    if (self->table == NULL) {
        return self->at < self->count ? &self->slots[self->at++] : NULL;
    }
    if (self->at >= self->table->nNumUsed) {
        return NULL;
    }
#if PHP_VERSION_ID >= 80200
    if (HT_IS_PACKED(self->table)) {
        return &self->table->arPacked[self->at++];
    }
#endif
    return &self->table->arData[self->at++].val;
}

/* False: it is too deep. */
static bool go_into(dive *self, zval *value)
{
    if (Z_TYPE_P(value) == IS_INDIRECT) {
        value = Z_INDIRECT_P(value);
    }
    if (Z_ISREF_P(value)) {
        if (!meet(self, Z_REF_P(value))) {
            return true;
        }
        value = Z_REFVAL_P(value);
    }
    bool object = Z_TYPE_P(value) == IS_OBJECT;
    if ((!object && Z_TYPE_P(value) != IS_ARRAY) || !Z_REFCOUNTED_P(value) ||
        (object && !meet(self, Z_OBJ_P(value)))) {
        return true;
    }
    if (self->depth == self->depth_max || self->objects + object > TUSK_SERIAL_OBJECT_DEPTH) {
        return false;
    }
    if (self->depth == self->cap) {
        self->cap *= 2;
        self->levels = safe_erealloc(self->levels, self->cap, sizeof(*self->levels), 0);
    }
    self->objects += object;
    self->levels[self->depth++] = level_of(value);
    return true;
}

bool tusk_depth_fits(zval *root)
{
    dive self = {.cap = 64, .depth_max = levels_max()};
    self.levels = safe_emalloc(self.cap, sizeof(*self.levels), 0);
    zend_hash_init(&self.met, 1024, NULL, NULL, 0);
    bool fits = go_into(&self, root);
    while (fits && self.depth > 0) {
        level *last = &self.levels[self.depth - 1];
        zval *value = element(last);
        if (value != NULL) {
            fits = go_into(&self, value);
        } else {
            self.objects -= last->is_object;
            self.depth--;
        }
    }
    zend_hash_destroy(&self.met);
    efree(self.levels);
    return fits;
}
