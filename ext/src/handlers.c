/* SPDX-License-Identifier: MIT */
/* Handlers of objects that lie in structs, and of those whose properties are made when somebody
 * first looks at them. */
#include "src/handlers.h"

/* PHP's own looks into the slots, and what makes two of these different ones lies beside them. */
static int compare(zval *a, zval *b)
{
    ZEND_COMPARE_OBJECTS_FALLBACK(a, b);
    return ZEND_UNCOMPARABLE;
}

void tusk_handlers_init(zend_object_handlers *handlers, size_t offset,
                        zend_object_free_obj_t free_obj)
{
    *handlers = *zend_get_std_object_handlers();
    handlers->offset = (tusk_object_offset)offset;
    handlers->free_obj = free_obj;
    handlers->clone_obj = NULL;
    handlers->compare = compare;
}

/* ---- slots that are filled later ---- */
static void fill(zend_object *object, const zend_string *name)
{
    ((const tusk_slot_handlers *)(const void *)object->handlers)->fill(object, name);
}

static zval *read_property(zend_object *object, zend_string *name, int type, void **cache_slot,
                           zval *rv)
{
    fill(object, name);
    return zend_std_read_property(object, name, type, cache_slot, rv);
}

/* Filled first, or an empty slot would take its first value from outside. */
static zval *write_property(zend_object *object, zend_string *name, zval *value, void **cache_slot)
{
    fill(object, name);
    return zend_std_write_property(object, name, value, cache_slot);
}

static int has_property(zend_object *object, zend_string *name, int mode, void **cache_slot)
{
    fill(object, name);
    return zend_std_has_property(object, name, mode, cache_slot);
}

static zval *get_property_ptr(zend_object *object, zend_string *name, int type, void **cache_slot)
{
    fill(object, name);
    return zend_std_get_property_ptr_ptr(object, name, type, cache_slot);
}

static HashTable *get_properties(zend_object *object)
{
    fill(object, NULL);
    return zend_std_get_properties(object);
}

/* The collector sees the slots as they are. */
static HashTable *get_gc(zend_object *object, zval **table, int *n)
{
    *table = object->properties_table;
    *n = object->ce->default_properties_count;
    return NULL;
}

void tusk_slot_handlers_init(tusk_slot_handlers *self, size_t offset,
                             zend_object_free_obj_t free_obj, tusk_slots_fill fill_slots)
{
    tusk_handlers_init(&self->base, offset, free_obj);
    self->base.read_property = read_property;
    self->base.write_property = write_property;
    self->base.has_property = has_property;
    self->base.get_property_ptr_ptr = get_property_ptr;
    self->base.get_properties = get_properties;
    self->base.get_gc = get_gc;
    self->fill = fill_slots;
}
