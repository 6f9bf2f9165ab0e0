/* SPDX-License-Identifier: MIT */
/* Enum cases and objects as bytes. */
#include "src/travel/format.h"
#include "src/travel/live.h"
#include "src/travel/path.h"

#include <Zend/zend_closures.h>
#include <Zend/zend_enum.h>
#include <ext/standard/php_var.h>

/* What the objects of one message have in common. */
struct tusk_pack_objects {
    tusk_walk live;
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

static bool pack_serialized(tusk_packer *self, const zval *value, const pack_path *path)
{
    smart_str text = {0};
    php_serialize_data_t data;
    PHP_VAR_SERIALIZE_INIT(data);
    php_var_serialize(&text, (zval *)value, &data);
    PHP_VAR_SERIALIZE_DESTROY(data);
    if (EG(exception) != NULL) {
        zend_string *message = zval_get_string(zend_read_property(
            zend_ce_exception, EG(exception), ZEND_STRL("message"), 1, &(zval){0}));
        zend_clear_exception();
        self->forkable = true;
        (void)tusk_pack_fault(self, path, "object of %s: %s", ZSTR_VAL(Z_OBJCE_P(value)->name),
                              ZSTR_VAL(message));
        zend_string_release(message);
        smart_str_free(&text);
        return false;
    }
    smart_str_0(&text);
    uint8_t tag = TAG_OBJECT;
    bool ok = tusk_pack_bytes(self, &tag, 1) && tusk_pack_text(self, text.s);
    smart_str_free(&text);
    return ok;
}

/* What serialize() would silently turn into 0, or into an object that is connected to nothing. */
static bool holds_live(tusk_packer *self, const zval *value, const pack_path *path)
{
    tusk_pack_objects *objects = self->objects;
    if (!tusk_walk_find(&objects->live, value)) {
        return false;
    }
    if (self->fault == NULL) {
        smart_str root = {0};
        tusk_path_text(&root, path);
        smart_str_0(&root);
        self->fault = tusk_live_text(&objects->live, ZSTR_VAL(root.s));
        smart_str_free(&root);
    }
    return true;
}

static void begin(tusk_packer *self)
{
    if (self->objects == NULL) {
        self->objects = emalloc(sizeof(*self->objects));
        tusk_walk_init(&self->objects->live, tusk_live_serialized);
    }
}

void tusk_pack_objects_free(tusk_packer *self)
{
    tusk_walk_fini(&self->objects->live);
    efree(self->objects);
    self->objects = NULL;
}

bool tusk_pack_object(tusk_packer *self, const zval *value, const pack_path *path)
{
    zend_object *object = Z_OBJ_P(value);
    uint8_t tag = TAG_ENUM;
    if ((object->ce->ce_flags & ZEND_ACC_ENUM) != 0) {
        return tusk_pack_bytes(self, &tag, 1) && tusk_pack_text(self, object->ce->name) &&
               tusk_pack_text(self, Z_STR_P(zend_enum_fetch_case_name(object)));
    }
    if (object->ce == zend_ce_closure) {
        if (self->allowed != NULL) {
            return tusk_pack_fault(self, path,
                                   "a closure does not travel back: return what it gives");
        }
        tag = TAG_CLOSURE;
        return tusk_pack_bytes(self, &tag, 1) && tusk_pack_closure(self, object, path);
    }
    if (!is_allowed(self, object->ce)) {
        return tusk_pack_fault(self, path,
                               "object of %s is not allowed on the way back: name it in the pool's "
                               "classes:, or return an array",
                               ZSTR_VAL(object->ce->name));
    }
    if ((object->ce->ce_flags & ZEND_ACC_NOT_SERIALIZABLE) != 0) {
        self->forkable = true;
        return tusk_pack_fault(
            self, path,
            "object of %s, which cannot be serialized: pass what it is made of, and "
            "make it where it is used",
            ZSTR_VAL(object->ce->name));
    }
    begin(self);
    return !holds_live(self, value, path) && pack_serialized(self, value, path);
}
