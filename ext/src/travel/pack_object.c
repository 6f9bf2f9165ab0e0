/* SPDX-License-Identifier: MIT */
/* Enum cases and objects as bytes. */
#include "src/travel/format.h"
#include "src/travel/live.h"
#include "src/travel/path.h"
#include "src/travel/serial.h"

#include <Zend/zend_closures.h>
#include <Zend/zend_enum.h>
#include <Zend/zend_generators.h>
#include <ext/standard/basic_functions.h>
#include <ext/standard/php_var.h>

/* The objects of one message, serialized as the elements of one array: what stands in two places,
 * or is known by another one, is written once and then by its number. */
struct tusk_pack_objects {
    tusk_walk live;
    php_serialize_data_t data;
    smart_str text;
    uint32_t count;
};

static bool is_allowed(const tusk_packer *self, const zend_class_entry *ce)
{
    if (self->allowed == NULL) {
        return true;
    }
    zend_string *name = zend_string_tolower(ce->name);
    bool allowed = zend_hash_exists(self->allowed, name);
    zend_string_release(name);
    return allowed;
}

/* Nobody else's serialize() shares the numbers of this one, whoever called us; but what runs inside
 * of it does, as Serializable::serialize() wants to. Numbers keep all their digits, as those
 * outside of objects do, whatever serialize_precision says. */
static void serialize(tusk_pack_objects *self, const zval *value)
{
    unsigned lock = (unsigned)BG(serialize_lock);
    unsigned level = (unsigned)BG(serialize).level;
    struct php_serialize_data *data = BG(serialize).data;
    zend_long precision = PG(serialize_precision);
    zend_fiber_switch_block(); /* another one would find the state that stands here */
    BG(serialize_lock) = 0;
    BG(serialize).level = 1;
    BG(serialize).data = self->data;
    PG(serialize_precision) = -1;
    php_var_serialize(&self->text, (zval *)(uintptr_t)value, &self->data);
    PG(serialize_precision) = precision;
    BG(serialize_lock) = lock;
    BG(serialize).level = level;
    BG(serialize).data = data;
    zend_fiber_switch_unblock();
}

/* exit(), a deadline and cancel() are no fault of the value, and go on. */
static bool is_end(const zend_object *error)
{
    return zend_is_unwind_exit(error) || zend_is_graceful_exit(error) ||
           error->ce == tusk_ce_deadline_exceeded || error->ce == tusk_ce_cancelled;
}

/* Of what else hides what it holds nobody knows whether something is open there, which a fork would
 * share. */
static bool is_known(const zend_class_entry *ce)
{
    while (ce->type == ZEND_USER_CLASS && ce->parent != NULL) {
        ce = ce->parent;
    }
    const char *module = ce->type == ZEND_USER_CLASS || ce->info.internal.module == NULL
                             ? ""
                             : ce->info.internal.module->name;
    return strcmp(module, "SPL") == 0 || strcmp(module, "dom") == 0 || strcmp(module, "xsl") == 0;
}

/* Of a class that PHP does not serialize, or only as an empty object. */
static bool refuse(tusk_packer *self, const zend_class_entry *ce, const pack_path *path)
{
    if (self->allowed != NULL && ce == zend_ce_closure) {
        return tusk_pack_fault(self, path, "a closure does not travel back: return what it gives");
    }
    if (self->allowed != NULL) { /* no list of classes would help */
        return tusk_pack_fault(
            self, path, "object of %s does not travel back: return %s", ZSTR_VAL(ce->name),
            ce == zend_ce_generator ? "iterator_to_array() of it" : "what it holds, as an array");
    }
    self->forkable = (ce->ce_flags & ZEND_ACC_NOT_SERIALIZABLE) != 0 || is_known(ce);
    return tusk_pack_fault(self, path,
                           "object of %s, which cannot be serialized: pass what it is made of, and "
                           "make it where it is used",
                           ZSTR_VAL(ce->name));
}

static bool is_serializable(const zend_class_entry *ce)
{
    return (ce->ce_flags & ZEND_ACC_NOT_SERIALIZABLE) == 0;
}

static tusk_walk_verdict not_serializable(tusk_walk *self, const zval *value)
{
    (void)self;
    return Z_TYPE_P(value) != IS_OBJECT                ? WALK_PAST
           : !is_serializable(Z_OBJCE_P(value))        ? WALK_FOUND
           : tusk_live_writes_itself(Z_OBJCE_P(value)) ? WALK_PAST
                                                       : WALK_INTO;
}

static void refuse_found(tusk_packer *self, const tusk_walk *walk, const pack_path *path)
{
    smart_str root = {0};
    smart_str way = {0};
    tusk_path_text(&root, path);
    smart_str_0(&root);
    tusk_walk_path(walk, ZSTR_VAL(root.s), &way);
    smart_str_0(&way);
    (void)refuse(self, Z_OBJCE_P(tusk_walk_found(walk)), &(pack_path){.root = ZSTR_VAL(way.s)});
    smart_str_free(&root);
    smart_str_free(&way);
}

/* Where what PHP does not serialize lies deep in an object that it does, that is what is named.
 * False: it is something else that was thrown. */
static bool refuse_inner(tusk_packer *self, const zval *value, const pack_path *path,
                         const zend_string *message)
{
    tusk_walk walk;
    tusk_walk_init(&walk, not_serializable);
    bool found = tusk_walk_find(&walk, value);
    if (found) {
        const zend_class_entry *ce = Z_OBJCE_P(tusk_walk_found(&walk));
        char *said;
        (void)spprintf(&said, 0, "Serialization of '%s' is not allowed", ZSTR_VAL(ce->name));
        found = strcmp(said, ZSTR_VAL(message)) == 0;
        efree(said);
        if (found) {
            refuse_found(self, &walk, path);
        }
    }
    tusk_walk_fini(&walk);
    return found;
}

static bool thrown(tusk_packer *self, const zval *value, const pack_path *path)
{
    if (is_end(EG(exception))) {
        return false;
    }
    zend_string *message = zval_get_string(
        zend_read_property(zend_ce_exception, EG(exception), ZEND_STRL("message"), 1, &(zval){0}));
    tusk_clear_exception();
    self->forkable = true;
    if (!refuse_inner(self, value, path, message)) {
        (void)tusk_pack_fault(self, path, "object of %s: %s", ZSTR_VAL(Z_OBJCE_P(value)->name),
                              ZSTR_VAL(message));
    }
    zend_string_release(message);
    return false;
}

static bool pack_serialized(tusk_packer *self, const zval *value, const pack_path *path)
{
    const uint8_t tag = TAG_OBJECT;
    tusk_pack_objects *objects = self->objects;
    smart_str_appendl(&objects->text, "i:", 2);
    smart_str_append_unsigned(&objects->text, objects->count++);
    smart_str_appendc(&objects->text, ';');
    serialize(objects, value);
    return EG(exception) != NULL ? thrown(self, value, path) : tusk_pack_bytes(self, &tag, 1);
}

/* What serialize() would silently turn into 0, or into an object that holds, or is connected to,
 * nothing. */
static bool holds_what_would_be_lost(tusk_packer *self, const zval *value, const pack_path *path)
{
    tusk_pack_objects *objects = self->objects;
    if (!tusk_walk_find(&objects->live, value)) {
        return false;
    }
    const zval *found = tusk_walk_found(&objects->live);
    if (Z_TYPE_P(found) == IS_OBJECT && tusk_walk_hides(Z_OBJ_P(found)) &&
        !tusk_live_is(Z_OBJCE_P(found))) {
        refuse_found(self, &objects->live, path);
    } else if (self->fault == NULL) {
        smart_str root = {0};
        tusk_path_text(&root, path);
        smart_str_0(&root);
        self->fault = tusk_live_text(&objects->live, ZSTR_VAL(root.s));
        smart_str_free(&root);
    }
    return true;
}

/* Only what is large can be deep. */
static bool too_deep(tusk_packer *self, zval *value, const pack_path *path)
{
    if (self->objects->live.count < TUSK_SERIAL_OBJECT_DEPTH || tusk_depth_fits(value)) {
        return false;
    }
    (void)tusk_pack_fault(self, path, TUSK_SERIAL_DEEP);
    return true;
}

static void begin(tusk_packer *self)
{
    if (self->objects != NULL) {
        return;
    }
    tusk_pack_objects *objects = ecalloc(1, sizeof(*objects));
    zval list;
    tusk_walk_init(&objects->live, tusk_live_serialized);
    BG(serialize_lock)++; /* one of its own */
    objects->data = php_var_serialize_init();
    BG(serialize_lock)--;
    ZVAL_NULL(
        &list); /* the array that all of them lie in is number 1; what is written is not kept */
    php_var_serialize(&objects->text, &list, &objects->data);
    ZSTR_LEN(objects->text.s) = 0;
    self->objects = objects;
}

void tusk_pack_objects_free(tusk_packer *self)
{
    tusk_pack_objects *objects = self->objects;
    self->objects = NULL;
    BG(serialize_lock)++;
    php_var_serialize_destroy(objects->data);
    BG(serialize_lock)--;
    smart_str_free(&objects->text);
    tusk_walk_fini(&objects->live);
    efree(objects);
}

bool tusk_pack_objects_end(tusk_packer *self)
{
    const tusk_pack_objects *objects = self->objects;
    char head[32];
    size_t head_len = (size_t)snprintf(head, sizeof(head), "a:%" PRIu32 ":{", objects->count);
    uint64_t len = head_len + ZSTR_LEN(objects->text.s) + 1;
    return tusk_pack_bytes(self, head, head_len) &&
           tusk_pack_bytes(self, ZSTR_VAL(objects->text.s), ZSTR_LEN(objects->text.s)) &&
           tusk_pack_bytes(self, "}", 1) && tusk_pack_bytes(self, &len, sizeof(len));
}

static bool pack_object(tusk_packer *self, zval *value, const pack_path *path)
{
    zend_object *object = Z_OBJ_P(value);
    uint8_t tag = TAG_ENUM;
    if ((object->ce->ce_flags & ZEND_ACC_ENUM) != 0) {
        return tusk_pack_bytes(self, &tag, 1) && tusk_pack_text(self, object->ce->name) &&
               tusk_pack_text(self, Z_STR_P(zend_enum_fetch_case_name(object)));
    }
    if (object->ce == zend_ce_closure) {
        if (self->allowed != NULL) {
            return refuse(self, object->ce, path);
        }
        tag = TAG_CLOSURE;
        return tusk_pack_bytes(self, &tag, 1) && tusk_pack_closure(self, object, path);
    }
    if (!is_serializable(object->ce) || (self->allowed != NULL && tusk_walk_hides(object))) {
        return refuse(self, object->ce, path);
    }
    if (!is_allowed(self, object->ce)) {
        return tusk_pack_fault(self, path,
                               "object of %s is not allowed on the way back: name it in the pool's "
                               "classes:, or return an array",
                               ZSTR_VAL(object->ce->name));
    }
    if (EG(exception) != NULL) { /* somebody else's: nothing would be serialized */
        return thrown(self, value, path);
    }
    begin(self);
    return !holds_what_would_be_lost(self, value, path) && !too_deep(self, value, path) &&
           pack_serialized(self, value, path);
}

/* Its own code may let go of the one that we were given. */
bool tusk_pack_object(tusk_packer *self, const zval *value, const pack_path *path)
{
    zval held;
    ZVAL_COPY(&held, value);
    bool ok = pack_object(self, &held, path);
    zval_ptr_dtor(&held);
    return ok;
}
