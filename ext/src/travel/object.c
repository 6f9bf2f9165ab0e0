/* SPDX-License-Identifier: MIT */
/* Objects and cases of enums from bytes: classes that are allowed, memory that is there. */
#include "src/travel/serial.h"
#include "src/travel/walk.h"

#include <Zend/zend_enum.h>
#include <ext/standard/basic_functions.h>
#include <ext/standard/php_incomplete_class.h>
#include <ext/standard/php_var.h>

static tusk_walk_verdict is_incomplete(tusk_walk *self, const zval *value)
{
    (void)self;
    return Z_TYPE_P(value) == IS_OBJECT && Z_OBJCE_P(value) == php_ce_incomplete_class ? WALK_FOUND
           : Z_TYPE_P(value) == IS_OBJECT                                              ? WALK_INTO
                                                                                       : WALK_PAST;
}

/* The class that was left out, or NULL: where the text did not tell. */
static zend_string *left_out(const zval *value)
{
    tusk_walk walk;
    zend_string *name = NULL;
    tusk_walk_init(&walk, is_incomplete);
    if (tusk_walk_find(&walk, value)) {
        name = php_lookup_class_name(Z_OBJ_P(tusk_walk_found(&walk)));
        name = name == NULL ? zend_string_init("?", 1, 0) : name;
    }
    tusk_walk_fini(&walk);
    return name;
}

static bool throw_missing(const tusk_unpacker *self, const zend_string *name)
{
    if (EG(exception) == NULL) {
        zend_throw_exception_ex(
            tusk_ce_cannot_travel, 0,
            self->allowed != NULL
                ? "$result: object of %s is not allowed on the way back, or its class does not "
                  "exist here: name it in the pool's classes:, and load the file that declares it"
                : "$args: object of %s, whose class does not exist in the worker: let bootstrap: "
                  "load the file that declares it (or an autoloader that does)",
            ZSTR_VAL(name));
    }
    return false;
}

/* The message's objects have nothing to do with what else is being unserialized around us. What
 * wakes up does so at the end of this, when all of them are there. */
static bool unserialize(tusk_unpacker *self, const zend_string *text, zval *out)
{
    const unsigned char *at = (const unsigned char *)ZSTR_VAL(text);
    unsigned lock = (unsigned)BG(serialize_lock);
    unsigned level = (unsigned)BG(unserialize).level;
    struct php_unserialize_data *outer = BG(unserialize).data;
    php_unserialize_data_t data;
    zend_fiber_switch_block(); /* another one would find the state that stands here */
    BG(serialize_lock) = 0;
    BG(unserialize).level = 0;
    PHP_VAR_UNSERIALIZE_INIT(data);
    php_var_unserialize_set_allowed_classes(data, self->allowed);
    php_var_unserialize_set_max_depth(data, 0); /* the text was looked over */
    bool ok = php_var_unserialize(out, &at, at + ZSTR_LEN(text), &data) != 0;
    php_var_unserialize_set_allowed_classes(data, NULL);
    PHP_VAR_UNSERIALIZE_DESTROY(data);
    BG(serialize_lock) = lock;
    BG(unserialize).level = level;
    BG(unserialize).data = outer;
    zend_fiber_switch_unblock();
    if (EG(exception) != NULL) {
        return false;
    }
    return (ok && Z_TYPE_P(out) == IS_ARRAY) || tusk_unpack_broken(self, TUSK_SERIAL_BROKEN);
}

static bool look_and_unserialize(tusk_unpacker *self, const zend_string *text, zval *out)
{
    tusk_serial serial = {.allowed = self->allowed};
    zend_string *missing = NULL;
    bool ok = tusk_serial_look(&serial, tusk_zstr(text));
    if (!ok) {
        ok = serial.missing != NULL ? throw_missing(self, serial.missing)
                                    : tusk_unpack_broken(self, serial.fault);
    } else {
        ok = tusk_unpack_spend(self, serial.bytes) && unserialize(self, text, out);
    }
    if (ok && serial.unsure) {
        missing = left_out(out);
        ok = missing == NULL || throw_missing(self, missing);
    }
    if (missing != NULL) {
        zend_string_release(missing);
    }
    tusk_serial_fini(&serial);
    return ok;
}

/* Their text stands at the end, and behind it how long it is. It is copied: it is read more than
 * once, and another process may write there. */
static zend_string *text_of_all(tusk_unpacker *self)
{
    uint64_t len;
    size_t left = (size_t)(self->end - self->at);
    if (left < sizeof(len)) {
        (void)tusk_unpack_broken(self, "bytes are missing");
        return NULL;
    }
    memcpy(&len, self->end - sizeof(len), sizeof(len));
    if (len > left - sizeof(len)) {
        (void)tusk_unpack_broken(self, "a length beyond the end");
        return NULL;
    }
    if (!tusk_unpack_spend(self, _ZSTR_STRUCT_SIZE((size_t)len))) {
        return NULL;
    }
    self->end -= sizeof(len) + (size_t)len;
    return zend_string_init((const char *)self->end, (size_t)len, 0);
}

/* All of them at once, at the first that is asked for. */
static bool bring_to_life(tusk_unpacker *self)
{
    zval all;
    self->alive = true;
    zend_string *text = text_of_all(self);
    if (text == NULL) {
        return false;
    }
    ZVAL_NULL(&all);
    bool ok = look_and_unserialize(self, text, &all);
    zend_string_release(text);
    if (ok) {
        self->objects = Z_ARRVAL(all);
    } else {
        zval_ptr_dtor(&all);
    }
    return ok;
}

bool tusk_unpack_object(tusk_unpacker *self, zval *out)
{
    if (!self->alive && !bring_to_life(self)) {
        return false;
    }
    zval *object =
        self->objects == NULL ? NULL : zend_hash_index_find(self->objects, self->object_next);
    if (object == NULL) {
        return tusk_unpack_broken(self, "an object that was never sent");
    }
    ZVAL_DEREF(object);
    if (Z_TYPE_P(object) != IS_OBJECT) {
        return tusk_unpack_broken(self, TUSK_SERIAL_BROKEN);
    }
    ZVAL_COPY(out, object);
    if (++self->object_next == zend_hash_num_elements(self->objects)) {
        zend_array_release(self->objects); /* they are the values' now, alone */
        self->objects = NULL;
    }
    return true;
}

bool tusk_unpack_enum(tusk_unpacker *self, zval *out)
{
    zend_string *class_name = tusk_unpack_text(self);
    zend_string *case_name = class_name == NULL ? NULL : tusk_unpack_text(self);
    bool ok = false;
    if (case_name != NULL) {
        zend_class_entry *ce = zend_lookup_class(class_name);
        zend_class_constant *constant = ce == NULL || (ce->ce_flags & ZEND_ACC_ENUM) == 0
                                            ? NULL
                                            : zend_hash_find_ptr(CE_CONSTANTS_TABLE(ce), case_name);
        if (EG(exception) == NULL && (constant == NULL || (ZEND_CLASS_CONST_FLAGS(constant) &
                                                           ZEND_CLASS_CONST_IS_CASE) == 0)) {
            zend_throw_exception_ex(tusk_ce_cannot_travel, 0,
                                    "enum case %s::%s does not exist here", ZSTR_VAL(class_name),
                                    ZSTR_VAL(case_name));
        } else if (EG(exception) == NULL) {
            ZVAL_OBJ_COPY(out, zend_enum_get_case(ce, case_name));
            ok = true;
        }
        zend_string_release(case_name);
    }
    if (class_name != NULL) {
        zend_string_release(class_name);
    }
    return ok;
}
