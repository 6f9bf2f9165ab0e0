/* SPDX-License-Identifier: MIT */
/* Objects and cases of enums from bytes: classes that are allowed, memory that is there. */
#include "src/travel/travel.h"

#include <Zend/zend_enum.h>
#include <ext/standard/php_incomplete_class.h>
#include <ext/standard/php_var.h>

/* The class that was left out somewhere below, or NULL. */
static zend_string *incomplete_below(zval *value, uint32_t depth)
{
    ZVAL_DEREF(value);
    if (depth > PACK_DEPTH || (Z_TYPE_P(value) != IS_ARRAY && Z_TYPE_P(value) != IS_OBJECT)) {
        return NULL;
    }
    if (Z_TYPE_P(value) == IS_OBJECT && Z_OBJCE_P(value) == php_ce_incomplete_class) {
        zend_string *name = php_lookup_class_name(Z_OBJ_P(value));
        return name == NULL ? zend_string_init("?", 1, 0) : name;
    }
    if (Z_IS_RECURSIVE_P(value)) {
        return NULL;
    }
    HashTable *inner = Z_TYPE_P(value) == IS_ARRAY
                           ? Z_ARRVAL_P(value)
                           : zend_get_properties_for(value, ZEND_PROP_PURPOSE_DEBUG);
    zend_string *found = NULL;
    zval *item;
    tusk_walk_enter(value);
    ZEND_HASH_FOREACH_VAL_IND(inner, item)
    {
        found = incomplete_below(item, depth + 1);
        if (found != NULL) {
            break;
        }
    }
    ZEND_HASH_FOREACH_END();
    tusk_walk_leave(value);
    if (Z_TYPE_P(value) == IS_OBJECT) {
        zend_release_properties(inner);
    }
    return found;
}

bool tusk_unpack_object(tusk_unpacker *self, zval *out)
{
    zend_string *text = tusk_unpack_text(self); /* copied first: it is read more than once */
    if (text == NULL) {
        return false;
    }
    size_t elements;
    const char *fault = tusk_serial_elements(tusk_zstr(text), &elements);
    if (fault != NULL || !tusk_unpack_spend(self, ZSTR_LEN(text), elements * 2)) {
        zend_string_release(text);
        return tusk_unpack_broken(self, fault == NULL ? TUSK_SERIAL_BROKEN : fault);
    }
    const unsigned char *at = (const unsigned char *)ZSTR_VAL(text);
    php_unserialize_data_t data;
    PHP_VAR_UNSERIALIZE_INIT(data);
    HashTable *outer = php_var_unserialize_get_allowed_classes(data);
    php_var_unserialize_set_allowed_classes(data, self->allowed);
    bool ok = php_var_unserialize(out, &at, at + ZSTR_LEN(text), &data) != 0;
    php_var_unserialize_set_allowed_classes(data, outer);
    PHP_VAR_UNSERIALIZE_DESTROY(data);
    zend_string_release(text);
    if (!ok || EG(exception) != NULL) {
        return EG(exception) != NULL ? false : tusk_unpack_broken(self, TUSK_SERIAL_BROKEN);
    }
    if (Z_ISREF_P(out)) {
        zend_unwrap_reference(out);
    }
    zend_string *missing = incomplete_below(out, 0);
    if (missing != NULL) {
        zend_throw_exception_ex(
            tusk_ce_cannot_travel, 0,
            self->allowed != NULL
                ? "$result: object of %s is not allowed on the way back, or its class does not "
                  "exist here: name it in the pool's classes:, and load the file that declares it"
                : "$args: object of %s, whose class does not exist in the worker: let bootstrap: "
                  "load the file that declares it (or an autoloader that does)",
            ZSTR_VAL(missing));
        zend_string_release(missing);
        return false;
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
