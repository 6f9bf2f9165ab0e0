/* SPDX-License-Identifier: MIT */
/* Looking through values: what lies in arrays, in the properties that objects really have, and in
 * what closures captured, the nearest first. */
#include "src/travel/walk.h"

#include <Zend/zend_closures.h>
#include <ext/spl/spl_array.h>

void tusk_walk_init(tusk_walk *self, tusk_walk_verdict (*judge)(tusk_walk *self, const zval *value))
{
    memset(self, 0, sizeof(*self));
    self->judge = judge;
}

void tusk_walk_fini(tusk_walk *self)
{
    if (self->has_met) {
        zend_hash_destroy(&self->met);
    }
    if (self->places != NULL) {
        efree(self->places);
    }
    tusk_walk_init(self, self->judge);
}

/* False: it was met before. It stays alive, or its address might be another's. */
static bool meet(tusk_walk *self, zval *value)
{
    if (!self->has_met) {
        zend_hash_init(&self->met, 8, NULL, ZVAL_PTR_DTOR, 0);
        self->has_met = true;
    }
    if (zend_hash_index_add(&self->met, (zend_ulong)(uintptr_t)Z_COUNTED_P(value) >> 3, value) ==
        NULL) {
        return false;
    }
    Z_ADDREF_P(value);
    return true;
}

static void push(tusk_walk *self, const walk_place *place)
{
    if (self->count == self->cap) {
        self->cap = self->cap == 0 ? 16 : self->cap * 2;
        self->places = safe_erealloc(self->places, self->cap, sizeof(*self->places), 0);
    }
    self->places[self->count++] = *place;
}

/* Where a foreach stands in an object: PHP's own, without properties, known by what it holds. */
static bool is_position(const zval *value)
{
    return Z_TYPE_P(value) == IS_OBJECT && Z_OBJ_HT_P(value)->get_properties == NULL;
}

/* In an array of the code itself nothing is alive, and in no string or expression that nobody has
 * evaluated yet (a static variable's). */
static bool is_looked_at(const zval *value)
{
    return Z_REFCOUNTED_P(value) && Z_TYPE_P(value) >= IS_ARRAY && Z_TYPE_P(value) <= IS_RESOURCE;
}

/* True: this is it. What nothing else has a hold of is met once, as its holder is. */
static bool visit(tusk_walk *self, walk_place *place, zval *value)
{
    bool shared = Z_TYPE_P(value) == IS_REFERENCE && Z_REFCOUNT_P(value) > 1;
    ZVAL_DEREF(value);
    if (!is_looked_at(value)) {
        return false;
    }
    bool array = Z_TYPE_P(value) == IS_ARRAY;
    if ((array && zend_hash_num_elements(Z_ARRVAL_P(value)) == 0) ||
        ((shared || Z_REFCOUNT_P(value) > 1) && Z_TYPE_P(value) != IS_RESOURCE &&
         !meet(self, value))) {
        return false;
    }
    tusk_walk_verdict verdict = array || is_position(value) ? WALK_INTO : self->judge(self, value);
    if (verdict != WALK_PAST) {
        ZVAL_COPY_VALUE(&place->what, value);
        push(self, place);
    }
    return verdict == WALK_FOUND;
}

static bool into_table(tusk_walk *self, uint32_t outer, HashTable *items, bool held)
{
    walk_place place = {.outer = outer, .held = held};
    zval *item;
    ZEND_HASH_FOREACH_KEY_VAL_IND(items, place.index, place.key, item)
    {
        if (Z_TYPE_P(item) >= IS_ARRAY && visit(self, &place, item)) {
            return true;
        }
    }
    ZEND_HASH_FOREACH_END();
    return false;
}

static bool into_closure(tusk_walk *self, uint32_t outer, zend_object *closure)
{
    zend_class_entry *called;
    zend_object *bound;
    const zend_function *function = tusk_closure_parts(closure, &called, &bound);
    HashTable *captured = ZEND_USER_CODE(function->type)
                              ? ZEND_MAP_PTR_GET(function->op_array.static_variables_ptr)
                              : NULL;
    if (captured != NULL && into_table(self, outer, captured, false)) {
        return true;
    }
    if (bound == NULL ||
        (function->common.fn_flags & (ZEND_ACC_USES_THIS | ZEND_ACC_FAKE_CLOSURE)) == 0) {
        return false;
    }
    walk_place place = {.outer = outer, .bound = true};
    zval object;
    ZVAL_OBJ(&object, bound);
    return visit(self, &place, &object);
}

bool tusk_walk_holds(const zend_class_entry *ce)
{
    while (ce != NULL && ce->type == ZEND_USER_CLASS) {
        ce = ce->parent;
    }
    return ce != NULL && ce->__serialize != NULL && ce->info.internal.module != NULL &&
           strcmp(ce->info.internal.module->name, "SPL") == 0;
}

bool tusk_walk_hides(const zend_object *object)
{
    const zend_class_entry *ce = object->ce;
    const zend_object_handlers *handlers = object->handlers;
    return handlers->offset > 0 && (ce->ce_flags & ZEND_ACC_NOT_SERIALIZABLE) == 0 &&
           handlers->get_properties == zend_std_get_properties &&
           handlers->get_properties_for == NULL && ce->__serialize == NULL &&
           ce->__unserialize == NULL && ce->serialize == NULL &&
           !zend_hash_str_exists(&ce->function_table, ZEND_STRL("__sleep")) &&
           !zend_hash_str_exists(&ce->function_table, ZEND_STRL("__wakeup"));
}

/* Whether it holds more than its properties, and the collector of garbage is told of that. */
static bool holds_beside(const zend_object *object)
{
    return tusk_walk_holds(object->ce) ||
           (((object->ce->ce_flags & ZEND_ACC_NOT_SERIALIZABLE) != 0 || tusk_walk_hides(object)) &&
            object->handlers->get_gc != zend_std_get_gc);
}

/* What the collector of garbage is told of: of an ArrayObject its array, of a generator the
 * variables of its function. */
static bool into_held(tusk_walk *self, uint32_t outer, zend_object *object)
{
    zval *held;
    int count = 0;
    (void)object->handlers->get_gc(object, &held, &count);
    const zend_class_entry *ce = object->ce;
    if (count == 1 && Z_TYPE(held[0]) == IS_ARRAY &&
        (instanceof_function(ce, spl_ce_ArrayObject) ||
         instanceof_function(ce, spl_ce_ArrayIterator))) {
        return into_table(self, outer, Z_ARRVAL(held[0]), true);
    }
    walk_place place = {.outer = outer, .held = true, .some = true};
    for (int i = 0; i < count; i++) {
        if (visit(self, &place, &held[i])) {
            return true;
        }
    }
    return false;
}

/* Without making a table of properties, which would stay with the object. */
static bool into_slots(tusk_walk *self, uint32_t outer, zend_object *object)
{
    const zend_class_entry *ce = object->ce;
    for (int i = 0; i < ce->default_properties_count; i++) {
        zval *slot = OBJ_PROP_NUM(object, i);
        if (Z_TYPE_P(slot) >= IS_ARRAY) {
            const zend_property_info *info = ce->properties_info_table[i];
            walk_place place = {.outer = outer, .key = info == NULL ? NULL : info->name};
            if (visit(self, &place, slot)) {
                return true;
            }
        }
    }
    return false;
}

static bool into(tusk_walk *self, uint32_t number)
{
    zval *what = &self->places[number].what;
    if (Z_TYPE_P(what) == IS_ARRAY) {
        return into_table(self, number, Z_ARRVAL_P(what), false);
    }
    zend_object *object = Z_OBJ_P(what);
    if (is_position(what)) {
        return into_held(self, number, object);
    }
    if (object->ce == zend_ce_closure) {
        return into_closure(self, number, object);
    }
    if (holds_beside(object) && into_held(self, number, object)) {
        return true;
    }
    if (!tusk_walk_holds(object->ce) &&
        object->handlers->get_properties != zend_std_get_properties) {
        HashTable *items = object->handlers->get_properties(object);
        return items != NULL && into_table(self, number, items, false);
    }
    return object->properties == NULL ? into_slots(self, number, object)
                                      : into_table(self, number, object->properties, false);
}

bool tusk_walk_find(tusk_walk *self, const zval *root)
{
    walk_place place = {0};
    self->count = 0;
    ZVAL_COPY_VALUE(&place.what, root);
    if (!is_looked_at(root) || !meet(self, &place.what)) {
        return false;
    }
    tusk_walk_verdict verdict = Z_TYPE_P(root) == IS_ARRAY ? WALK_INTO : self->judge(self, root);
    if (verdict != WALK_PAST) {
        push(self, &place);
    }
    for (uint32_t i = 0; verdict != WALK_FOUND && i < self->count; i++) {
        verdict = into(self, i) ? WALK_FOUND : WALK_INTO;
    }
    return verdict == WALK_FOUND;
}

const zval *tusk_walk_found(const tusk_walk *self)
{
    return &self->places[self->count - 1].what;
}

/* ---- the way there ---- */
static void step_text(const tusk_walk *self, const walk_place *place, smart_str *out)
{
    const zval *outer = &self->places[place->outer].what;
    bool property =
        !place->held && Z_TYPE_P(outer) == IS_OBJECT && Z_OBJCE_P(outer) != zend_ce_closure;
    const char *name = place->key == NULL ? NULL : ZSTR_VAL(place->key);
    const char *of;
    if (property && name != NULL) {
        (void)zend_unmangle_property_name(place->key, &of, &name);
    }
    if (place->some) {
        smart_str_appends(out, "[...]");
    } else if (name == NULL) {
        smart_str_appendc(out, '[');
        smart_str_append_long(out, (zend_long)place->index);
        smart_str_appendc(out, ']');
    } else if (property) {
        smart_str_appends(out, "->");
        smart_str_appends(out, name);
    } else {
        smart_str_appends(out, "['");
        smart_str_appends(out, name);
        smart_str_appends(out, "']");
    }
}

void tusk_walk_path(const tusk_walk *self, const char *root, smart_str *out)
{
    uint32_t count = 0;
    for (uint32_t at = self->count - 1; at != 0 && !self->places[at].bound;
         at = self->places[at].outer) {
        count++;
    }
    uint32_t *steps = safe_emalloc(count + 1, sizeof(*steps), 0);
    uint32_t at = self->count - 1;
    for (uint32_t i = count; i > 0; i--, at = self->places[at].outer) {
        steps[i - 1] = at;
    }
    smart_str_appends(out, self->places[at].bound ? "$this" : root);
    for (uint32_t i = 0; i < count; i++) {
        step_text(self, &self->places[steps[i]], out);
    }
    efree(steps);
}
