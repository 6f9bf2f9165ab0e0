/* SPDX-License-Identifier: MIT */
/* Exceptions: class, message, code, place, trace without arguments, properties, what came before.
 */
#include "src/travel/travel.h"

#include <Zend/zend_exceptions.h>

enum { CHAIN_MAX = 16 };

static const char *const base_names[] = {"message", "string", "code",    "file",
                                         "line",    "trace",  "previous"};

static zend_class_entry *base_of(const zend_object *error)
{
    return instanceof_function(error->ce, zend_ce_exception) ? zend_ce_exception : zend_ce_error;
}

static zval *base_property(zend_object *error, const char *name, zval *room)
{
    return zend_read_property(base_of(error), error, name, strlen(name), 1, room);
}

static bool is_base(const char *name)
{
    for (size_t i = 0; i < sizeof(base_names) / sizeof(base_names[0]); i++) {
        if (strcmp(name, base_names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Frames as they are, but what was called with what. */
static void strip_arguments(zval *out, const zval *trace)
{
    zval *frame;
    array_init(out);
    if (Z_TYPE_P(trace) != IS_ARRAY) {
        return;
    }
    ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(trace), frame)
    {
        if (Z_TYPE_P(frame) == IS_ARRAY) {
            zval copy;
            ZVAL_ARR(&copy, zend_array_dup(Z_ARRVAL_P(frame)));
            zend_hash_str_del(Z_ARRVAL(copy), ZEND_STRL("args"));
            zend_hash_str_del(Z_ARRVAL(copy), ZEND_STRL("object"));
            add_next_index_zval(out, &copy);
        }
    }
    ZEND_HASH_FOREACH_END();
}

/* What its class adds, as far as it travels. */
static void own_properties(zval *out, zend_object *error, const HashTable *allowed)
{
    zend_string *key;
    zval *value;
    HashTable *properties = error->handlers->get_properties(error);
    array_init(out);
    GC_ADDREF(properties); /* a value's own code may add one */
    ZEND_HASH_FOREACH_STR_KEY_VAL_IND(properties, key, value)
    {
        const char *class_name;
        const char *name;
        if (key == NULL || zend_unmangle_property_name(key, &class_name, &name) != SUCCESS ||
            is_base(name)) {
            continue;
        }
        tusk_packer trial;
        pack_path path = {.root = name};
        tusk_packer_init(&trial, NULL, 0);
        trial.allowed = (HashTable *)allowed;
        if (tusk_pack(&trial, value, &path)) {
            Z_TRY_ADDREF_P(value);
            zend_hash_update(Z_ARRVAL_P(out), key, value);
        } else if (EG(exception) != NULL && !zend_is_unwind_exit(EG(exception))) {
            tusk_clear_exception();
        }
        tusk_packer_fini(&trial);
    }
    ZEND_HASH_FOREACH_END();
    zend_array_release(properties);
}

static bool pack_one(tusk_packer *self, zend_object *error)
{
    zval room;
    zval trace;
    zval own;
    pack_path path = {.root = "$error"};
    strip_arguments(&trace, base_property(error, "trace", &room));
    own_properties(&own, error, self->allowed);
    bool ok = tusk_pack_text(self, error->ce->name) &&
              tusk_pack(self, base_property(error, "message", &room), &path) &&
              tusk_pack(self, base_property(error, "code", &room), &path) &&
              tusk_pack(self, base_property(error, "file", &room), &path) &&
              tusk_pack(self, base_property(error, "line", &room), &path) &&
              tusk_pack(self, &trace, &path) && tusk_pack(self, &own, &path);
    zval_ptr_dtor(&trace);
    zval_ptr_dtor(&own);
    return ok;
}

static zend_object *previous_of(zend_object *error)
{
    zval room;
    zval *previous = base_property(error, "previous", &room);
    return Z_TYPE_P(previous) == IS_OBJECT ? Z_OBJ_P(previous) : NULL;
}

bool tusk_pack_error(tusk_packer *self, zend_object *error)
{
    uint32_t count = 0;
    for (zend_object *one = error; one != NULL && count < CHAIN_MAX; one = previous_of(one)) {
        count++;
    }
    if (!tusk_pack_number(self, count)) {
        return false;
    }
    for (; count > 0; count--, error = previous_of(error)) {
        if (!pack_one(self, error)) {
            return false;
        }
    }
    return true;
}

/* ---- in ---- */
typedef struct told {
    zend_string *class_name;
    zval message, code, file, line, trace, own;
} told;

static void forget(told *self)
{
    if (self->class_name != NULL) {
        zend_string_release(self->class_name);
    }
    zval_ptr_dtor(&self->message);
    zval_ptr_dtor(&self->code);
    zval_ptr_dtor(&self->file);
    zval_ptr_dtor(&self->line);
    zval_ptr_dtor(&self->trace);
    zval_ptr_dtor(&self->own);
}

static bool unpack_one(tusk_unpacker *self, told *out)
{
    memset(out, 0, sizeof(*out));
    out->class_name = tusk_unpack_text(self);
    return out->class_name != NULL && tusk_unpack(self, &out->message) &&
           tusk_unpack(self, &out->code) && tusk_unpack(self, &out->file) &&
           tusk_unpack(self, &out->line) && tusk_unpack(self, &out->trace) &&
           tusk_unpack(self, &out->own) && Z_TYPE(out->message) == IS_STRING &&
           Z_TYPE(out->file) == IS_STRING && Z_TYPE(out->line) == IS_LONG &&
           Z_TYPE(out->trace) == IS_ARRAY && Z_TYPE(out->own) == IS_ARRAY;
}

static zend_class_entry *class_here(told *what)
{
    zend_class_entry *ce = zend_lookup_class(what->class_name);
    if (EG(exception) != NULL) {
        tusk_clear_exception();
    }
    if (ce != NULL && instanceof_function(ce, zend_ce_throwable) &&
        (ce->ce_flags & (ZEND_ACC_INTERFACE | ZEND_ACC_EXPLICIT_ABSTRACT_CLASS)) == 0) {
        return ce;
    }
    zend_string *text =
        zend_strpprintf(0, "%s: %s", ZSTR_VAL(what->class_name), Z_STRVAL(what->message));
    zval_ptr_dtor(&what->message);
    ZVAL_STR(&what->message, text);
    return tusk_ce_task_failed;
}

static void set_own(zend_object *error, HashTable *own)
{
    zend_string *key;
    zval *value;
    ZEND_HASH_FOREACH_STR_KEY_VAL(own, key, value)
    {
        const char *class_name;
        const char *name;
        size_t len;
        if (key == NULL ||
            zend_unmangle_property_name_ex(key, &class_name, &name, &len) != SUCCESS ||
            is_base(name)) {
            continue;
        }
        zend_class_entry *scope = error->ce;
        if (class_name != NULL && class_name[0] != '*') {
            zend_string *text = zend_string_init(class_name, strlen(class_name), 0);
            zend_class_entry *found =
                zend_lookup_class_ex(text, NULL, ZEND_FETCH_CLASS_NO_AUTOLOAD);
            zend_string_release(text);
            scope = found == NULL ? scope : found;
        }
        zend_update_property(scope, error, name, len, value);
        if (EG(exception) != NULL) {
            tusk_clear_exception(); /* another version of the class: the rest is still told */
        }
    }
    ZEND_HASH_FOREACH_END();
}

static zend_object *make(told *what, zend_object *previous)
{
    zval object;
    zval cause;
    zend_class_entry *ce = class_here(what);
    if (object_init_ex(&object, ce) != SUCCESS) {
        return NULL;
    }
    zend_object *error = Z_OBJ(object);
    zend_class_entry *base = base_of(error);
    zend_update_property(base, error, ZEND_STRL("message"), &what->message);
    zend_update_property(base, error, ZEND_STRL("code"), &what->code);
    zend_update_property(base, error, ZEND_STRL("file"), &what->file);
    zend_update_property(base, error, ZEND_STRL("line"), &what->line);
    zend_update_property(base, error, ZEND_STRL("trace"), &what->trace);
    if (previous != NULL) {
        ZVAL_OBJ(&cause, previous);
        zend_update_property(base, error, ZEND_STRL("previous"), &cause);
    }
    set_own(error, Z_ARRVAL(what->own));
    return error;
}

zend_object *tusk_unpack_error(tusk_unpacker *self)
{
    told chain[CHAIN_MAX];
    uint64_t count;
    uint64_t read = 0;
    if (!tusk_unpack_number(self, &count) || count == 0 || count > CHAIN_MAX) {
        return NULL;
    }
    bool ok = true;
    while (ok && read < count) {
        ok = unpack_one(self, &chain[read++]);
    }
    zend_object *error = NULL;
    for (uint64_t i = read; i > 0; i--) {
        zend_object *previous = error;
        error = ok ? make(&chain[i - 1], previous) : NULL;
        if (previous != NULL) {
            OBJ_RELEASE(previous);
        }
        forget(&chain[i - 1]);
    }
    return error;
}
